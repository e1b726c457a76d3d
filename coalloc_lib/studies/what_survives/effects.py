"""What came out under each condition: an effect with its interval, and whether it holds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm
from scipy.stats import t as student_t

from coalloc_lib.basics.checks import InputError
from coalloc_lib.experiments import interval_columns
from coalloc_lib.experiments.weeks import STEP
from coalloc_lib.intervals import Interval, Sample, block_of, resample_sums
from coalloc_lib.studies.what_survives import model
from coalloc_lib.studies.what_survives.conclusions import CONCLUSIONS
from coalloc_lib.studies.what_survives.runs import SUMS

CONDITION = ("policy", "workload", "estimates", "load", "system")
#: What may come out of a conclusion under a condition.
HOLDS, TURNS, UNDECIDED, NO_ANSWER = "holds", "turns", "undecided", "no answer"
#: Of the cells that are counted as holding or turning, so many may be so by chance.
FALSE_SHARE = 0.05
#: Drawings of the weeks behind the interval of a log.
RESAMPLES = 1_000


def effect_of(rows: pd.DataFrame) -> Interval:
    """Return the logarithm of what one condition's runs compare: below 0, the first is shorter."""
    if why := rows["warning"].iloc[0]:
        return Interval(np.nan, np.nan, np.nan, 0, warning=why)
    # A table of logs alone, of conclusions with one pair, has no columns for a second.
    sums = rows.reindex(columns=SUMS).to_numpy(float).T
    if rows["workload"].iloc[0] not in model.LOGS:
        return Sample(_log_ratio(sums)).interval
    has_second = not np.isnan(sums[2:]).any() and (sums[2:] > 0).any()
    tops = sums if has_second else sums[:2]
    weeks = tops.shape[-1]
    block = round(block_of([0, weeks * STEP]) / STEP)
    try:
        drawn = resample_sums(tops, np.ones_like(tops), block, resamples=RESAMPLES)
    except InputError as error:
        return Interval(np.nan, np.nan, np.nan, 0, warning=str(error))
    return drawn.interval(_log_ratio)


def _log_ratio(sums: np.ndarray) -> Any:
    """Return the logarithm of the first ratio, over the second where there is one."""
    one, other, *second = sums
    beside = np.log(second[0] / second[1]) if second else 0.0
    return np.log(one / other) - beside


def effects(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each conclusion and condition, with its change in percent and its verdict.

    ``holds`` and ``turns`` are so surely that of all of them one in twenty may be so by chance
    (Benjamini and Hochberg); else it is ``undecided``, or there is ``no answer`` and a warning why.
    """
    table = pd.DataFrame(_cells(runs))
    known = table["chance"].notna()
    controlled = np.full(len(table), np.nan)
    if known.any():
        controlled[known] = false_discovery_control(table.loc[known, "chance"])
    sure = controlled <= FALSE_SHARE
    side = np.where(table["beyond"] < 0, HOLDS, TURNS)
    table["verdict"] = np.where(~known, NO_ANSWER, np.where(sure, side, UNDECIDED))
    return table.drop(columns="beyond")


def _cells(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for keys, rows in runs.groupby(["conclusion", *CONDITION], sort=False):
        found = effect_of(rows)
        level = np.log1p(CONCLUSIONS[keys[0]].up_to)
        its_percent = in_percent(found)
        yield (
            dict(zip(("conclusion", *CONDITION), keys, strict=True))
            | {"name": CONCLUSIONS[keys[0]].name}
            | interval_columns(its_percent, "change")
            | {"beyond": found.estimate - level, "chance": _chance(found, level)}
        )


def in_percent(found: Interval) -> Interval:
    """Return the logarithm of a ratio as a change in percent."""
    middle, low, high = (
        100 * float(np.expm1(each)) for each in (found.estimate, found.low, found.high)
    )
    return Interval(middle, low, high, found.count, warning=found.warning)


def _chance(found: Interval, level: float) -> float:
    """Return how likely an effect so far from a level is by chance; NaN where none is known."""
    if found.warning or not np.isfinite(found.half_width):
        return float("nan")
    away, half = abs(found.estimate - level), found.half_width
    if half == 0:
        return 1.0 if away == 0 else 0.0
    freedom = max(found.count - 1, 1)
    times = student_t.ppf(0.975, freedom) if found.count < 30 else norm.ppf(0.975)
    tail = student_t.sf(away / half * times, freedom)
    return float(2 * tail)
