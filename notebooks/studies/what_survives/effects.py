"""What came out in each cell: an effect with its interval, and whether the conclusion holds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.experiments import interval_columns
from coalloc_lib.experiments.settling import WARM_UP
from coalloc_lib.experiments.weeks import STEP
from coalloc_lib.intervals import Interval, Sample, block_of, resample_sums
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.runs import SUMS, study

#: The columns that tell cells apart, besides the conclusion.
CONDITION = (
    "policy", "workload", "estimates", "share", "system", "placement", "unevenness", "metric"
)  # fmt: skip
#: What may come out of a conclusion in a cell.
HOLDS, TURNS, UNDECIDED, NO_ANSWER = "holds", "turns", "undecided", "no answer"
HOLDS_SATURATED = "holds, the other way is saturated"
TURNS_SATURATED = "turns, this way is saturated"
SATURATED = [HOLDS_SATURATED, TURNS_SATURATED]
#: The verdicts that decide, by whether the conclusion holds.
DECIDED = {HOLDS: True, HOLDS_SATURATED: True, TURNS: False, TURNS_SATURATED: False}
#: Why a cell has no answer if the saturated ways are on both sides of the comparison.
BOTH_SATURATED = "both ways are saturated"
#: How often the weeks of a log are resampled for an interval.
RESAMPLES = 1_000


def effect_of(rows: pd.DataFrame) -> Interval:
    """Return the logarithm of what one cell's runs compare; below 0, the first way is better.

    If one way is saturated and the other is not, the effect is infinite; the interval has a warning
    if there is no effect to tell.
    """
    if rows["saturated"].iloc[0]:
        return saturated_effect(rows["saturated"].iloc[0])
    # A table of logs alone, of conclusions with one pair, has no columns for a second.
    sums = rows.reindex(columns=SUMS).to_numpy(float).T
    if rows["workload"].iloc[0] not in model.LOGS:
        return Sample(_log_ratio(sums)).interval
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
    """Return the effect if these ways have no finite response: without bound, or none to tell.

    The effect is log(one / other) - log(beside_one / beside_other), so a saturated way raises it or
    lowers it; ways that do both leave no answer.
    """
    raised = {"one", "beside_other"} & {*ways.split()}
    lowered = {"other", "beside_one"} & {*ways.split()}
    if raised and lowered:
        return Interval(np.nan, np.nan, np.nan, 0, warning=BOTH_SATURATED)
    return Interval.exact(np.inf if raised else -np.inf)


def _log_ratio(sums: np.ndarray) -> Any:
    """Return the logarithm of the first ratio, over the second if there is one."""
    one, other, *second = sums
    beside = np.log(second[0] / second[1]) if second else 0.0
    return np.log(one / other) - beside


def effects(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell: its setting, its change in percent, and its verdict.

    A cell is a conclusion under a condition, by a metric. Verdicts rest on the same 95 % intervals
    as those of the ledger: of cells without any difference, one in twenty decides by chance.
    """
    return pd.DataFrame(_cells(runs))


def _cells(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for keys, rows in runs.groupby(["conclusion", *CONDITION], sort=False):
        cell = dict(zip(("conclusion", *CONDITION), keys, strict=True))
        conclusion = CONCLUSIONS[cell["conclusion"]]
        change = in_percent(effect_of(rows))
        answer = change.below(100 * conclusion.up_to)
        yield (
            cell
            | {"load": rows["load"].iloc[0], "name": conclusion.name}
            | {"jobs": _jobs(cell, rows), "runs_or_weeks": len(rows)}
            | made_with(conclusion, cell)
            | interval_columns(change, "change")
            | {"verdict": _verdict(change, answer)}
        )


def _jobs(cell: dict[str, Any], rows: pd.DataFrame) -> int:
    """Return the jobs of each run, or the largest number of jobs that are taken from a log."""
    scale = study.scales[rows["scale"].iloc[0]]
    return scale.jobs if cell["workload"] in model.SERVICE else scale.log_jobs


def made_with(conclusion: Any, cell: dict[str, Any]) -> dict[str, Any]:
    """Return what else a reader needs to run a cell again."""
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


def in_percent(found: Interval) -> Interval:
    """Return the logarithm of a ratio as a change in percent."""
    middle, low, high = (
        100 * float(np.expm1(end)) for end in (found.estimate, found.low, found.high)
    )
    return Interval(middle, low, high, found.count, warning=found.warning)
