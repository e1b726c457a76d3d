"""The effect in each cell, its confidence interval, and whether the conclusion holds there."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.plots.matrix import NO_ANSWER, UNDECIDED
from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    block_of,
    interval_columns,
    resample_sums,
)
from coalloc_lib.statistics.settling import WARM_UP
from studies.log_files import logs_missing_in
from studies.weeks import STEP
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS, Conclusion
from studies.what_survives.runs import SUMS, study

#: The columns that describe the condition of a test. A test is one conclusion under one condition,
#: and is one cell of the study's matrix.
CONDITION = (
    "policy", "workload", "estimates", "share", "system", "placement", "unevenness", "metric"
)  # fmt: skip
#: The verdicts on a conclusion under one condition: the conclusion holds, or its opposite holds.
#: The other verdicts are `UNDECIDED`, if the confidence interval does not decide, and `NO_ANSWER`,
#: if there is no interval.
HOLDS, TURNS = "holds", "turns"
HOLDS_SATURATED = "holds, the other way is saturated"
TURNS_SATURATED = "turns, this way is saturated"
SATURATED = [HOLDS_SATURATED, TURNS_SATURATED]
#: For each verdict that decides a test: whether the conclusion holds.
DECIDED = {HOLDS: True, HOLDS_SATURATED: True, TURNS: False, TURNS_SATURATED: False}
#: The reason why a test has no answer: the system is saturated in both compared simulations.
BOTH_SATURATED = "both ways are saturated"
#: The number of times that the bootstrap resamples the weeks of a log.
RESAMPLES = 1_000


def effect_of(rows: pd.DataFrame) -> Interval:
    """Return the logarithm of the ratio of the response times that a test compares.

    If the effect is below 0, the first simulation is better. If the system is saturated in only one
    of the two simulations, the effect is infinite. If there is no answer, the interval has a
    warning.
    """
    if rows["saturated"].iloc[0]:
        return saturated_effect(rows["saturated"].iloc[0])
    # If every conclusion compares only one pair of simulations, the table of runs has no columns
    # for a second pair. Here the missing columns become NaN.
    sums = rows.reindex(columns=SUMS).to_numpy(float).T
    if rows["workload"].iloc[0] not in model.LOGS:
        return Replications(_log_ratio(sums)).interval
    has_second = not np.isnan(sums[2:]).any() and (sums[2:] > 0).any()
    by_week = sums if has_second else sums[:2]
    weeks = by_week.shape[-1]
    block = round(block_of([0, weeks * STEP]) / STEP)
    try:
        means = resample_sums(by_week, np.ones_like(by_week), block, resamples=RESAMPLES)
    except InputError as error:
        return Interval(np.nan, np.nan, np.nan, 0, warning=str(error))
    return means.interval(_log_ratio, vectorized=True)


def saturated_effect(ways: str) -> Interval:
    """Return the effect that a test finds if the system is saturated in one of its simulations.

    `ways` has the names of the simulations with a saturated system, with spaces between them.
    The effect is log(one / other) - log(beside_one / beside_other). A saturated system makes it
    either infinitely large or infinitely small. If both happen, there is no answer.
    """
    raised = {"one", "beside_other"} & {*ways.split()}
    lowered = {"other", "beside_one"} & {*ways.split()}
    if raised and lowered:
        return Interval(np.nan, np.nan, np.nan, 0, warning=BOTH_SATURATED)
    return Interval.exact(np.inf if raised else -np.inf)


def _log_ratio(sums: np.ndarray) -> Any:
    one, other, *second = sums
    beside = np.log(second[0] / second[1]) if second else 0.0
    return np.log(one / other) - beside


def effects(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the change and the verdict for each conclusion, condition and metric.

    A cell of the study's matrix tests one conclusion, under one condition, by one metric. Verdicts
    use 95 % intervals, like those of the ledger. If two ways do not differ in a cell, one such cell
    in twenty is decided by chance.
    """
    if runs.empty:
        raise NotRunError("no run has a cell with this metric")
    return pd.DataFrame(_cells(runs))


def change_and_answer(conclusion: Conclusion, effect: Interval) -> tuple[Interval, bool | None]:
    """Return an effect in percent, and whether the conclusion holds there.

    The answer is None if the interval does not decide it.
    """
    change = effect.in_percent()
    return change, change.below(100 * conclusion.up_to)


def _cells(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for keys, rows in runs.groupby(["conclusion", *CONDITION], sort=False):
        cell = dict(zip(("conclusion", *CONDITION), keys, strict=True))
        conclusion = CONCLUSIONS[cell["conclusion"]]
        change, answer = change_and_answer(conclusion, effect_of(rows))
        yield (
            cell
            | {"load": rows["load"].iloc[0], "name": conclusion.name}
            | {"jobs": _jobs(cell, rows), "stand_in": _is_stand_in(cell, rows)}
            | {"runs_or_weeks": len(rows)}
            | made_with(conclusion, cell)
            | interval_columns(change, "change")
            | {"verdict": _verdict(change, answer)}
        )


def _jobs(cell: dict[str, Any], rows: pd.DataFrame) -> int:
    scale = study.scales[rows["scale"].iloc[0]]
    if cell["workload"] in model.SERVICE:
        return scale.jobs
    if _is_stand_in(cell, rows):
        return model.jobs_of_stand_in(cell["workload"], cell["estimates"], scale.log_jobs)
    return scale.log_jobs  # Each of the logs has more usable jobs than this.


def _is_stand_in(cell: dict[str, Any], rows: pd.DataFrame) -> bool:
    return cell["workload"] in model.LOGS and cell["workload"] in logs_missing_in(rows)


def made_with(conclusion: Any, cell: dict[str, Any]) -> dict[str, Any]:
    """Return values that a reader needs to repeat a test and that its condition does not name."""
    clusters = model.system_of(cell["system"], cell["workload"]).sizes
    sampled = cell["workload"] in model.SERVICE
    books = cell["policy"] == model.ONLINE or conclusion.item == "WS-12"
    return {
        "clusters": " ".join(map(str, clusters)),
        "sizes": model.SIZES[cell["system"]].name if sampled else f"at most {max(clusters)}",
        "large": f"more than {min(clusters) // 2}",
        "warm_up": WARM_UP if sampled else 0.0,
        "components": conclusion.components,
        "penalty": conclusion.penalty,
        "step": model.STEP if books else None,
    }


def _verdict(change: Interval, answer: bool | None) -> str:
    if change.warning:
        return NO_ANSWER
    if answer is None:
        return UNDECIDED
    if np.isinf(change.estimate) or change.estimate == -100:
        return HOLDS_SATURATED if answer else TURNS_SATURATED
    return HOLDS if answer else TURNS
