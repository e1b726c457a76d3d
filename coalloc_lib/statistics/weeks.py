"""Means over one log, with intervals from a bootstrap over its weeks.

In a table of runs of a log a replication is a week, and what was measured are sums over the jobs
that were submitted in it: hours waited, jobs. The ratio of two such sums is a mean.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.statistics.bootstrap import WEEK, Resamples, block_of, resample_sums
from coalloc_lib.statistics.replications import REPLICATION, NotRunError, keys_of

#: How long a replication is, in seconds.
STEP = WEEK
#: What is known of no job at all.
NOTHING = Interval(np.nan, np.nan, np.nan, 0, warning="nothing to go by")


def week_of(submit: ArrayLike) -> NDArray[np.int64]:
    """Return the week of each submission, from 0: the replication that a job belongs to."""
    submit = np.asarray(submit, dtype=float)
    return ((submit - submit.min()) // STEP).astype(np.int64)


def rows_by_week(
    week: NDArray[np.int64], values: Mapping[str, NDArray], weeks: int, **keys: Any
) -> Iterator[dict[str, Any]]:
    """Yield a row for each of so many weeks: the sums of the values of its jobs, 0 without any."""
    sums = {
        name: np.bincount(week, weights=each, minlength=weeks).tolist()
        for name, each in values.items()
    }
    for number in range(weeks):
        yield keys | {REPLICATION: number} | {name: each[number] for name, each in sums.items()}


@dataclass(frozen=True, eq=False)
class WeeklySums:
    """Two sums of each week whose ratio is a mean, such as hours waited and jobs."""

    top: NDArray[np.float64]
    bottom: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean over all weeks."""
        return float(self.top.sum() / self.bottom.sum())


def weekly_sums(
    runs: pd.DataFrame, top: str, bottom: str, added: Collection[str] = ()
) -> WeeklySums:
    """Return the sums of each week of one setting.

    Rows may differ in the columns that are `added` up, such as groups of jobs. An `InputError` says
    in which others they differ.
    """
    rows = runs[runs[REPLICATION].notna().to_numpy()]
    if rows.empty:
        raise NotRunError(f"no run has a week of {top}")
    weeks = rows[REPLICATION].to_numpy(dtype=np.int64)
    above, below = (
        np.bincount(weeks, rows[name].to_numpy(float)).astype(float) for name in (top, bottom)
    )
    if len(rows) > len(above):
        others = [key for key in keys_of(rows) if key not in added]
        several = [key for key in others if rows[key].nunique(dropna=False) > 1]
        if several:
            raise InputError(
                f"runs are of several settings, which differ in {', '.join(several)}; pick one: "
                "pick(runs, ...)"
            )
    return WeeklySums(above, below)


@dataclass(frozen=True)
class Bootstrap:
    """A moving-block bootstrap over the weeks of a log; compared means have the same weeks.

    Where there is no job, the interval has a warning.
    """

    resamples: int = 1_000
    seed: Seed = 0

    def mean(self, of: WeeklySums) -> Interval:
        """Return a mean."""
        means = self._resampled(of)
        return NOTHING if means is None else means.interval(_first, vectorized=True)

    def difference(self, one: WeeklySums, other: WeeklySums) -> Interval:
        """Return a mean less another."""
        means = self._resampled(one, other)
        return NOTHING if means is None else means.difference(0, 1)

    def ratio(self, one: WeeklySums, other: WeeklySums) -> Interval:
        """Return a mean over another; nothing over nothing is 1."""
        means = self._resampled(one, other)
        return NOTHING if means is None else means.interval(_over, vectorized=True)

    def _resampled(self, *means: WeeklySums) -> Resamples | None:
        """Return the means with resamples of the same weeks; None if one has no job."""
        top, bottom = (np.stack([getattr(each, of) for each in means]) for of in ("top", "bottom"))
        if not bottom.any(axis=1).all():
            return None
        weeks = top.shape[-1]
        block = round(block_of([0, weeks * STEP]) / STEP)
        return resample_sums(top, bottom, block, resamples=self.resamples, seed=self.seed)


def _first(means):
    return means[0]


def _over(means):
    none = np.where(means[0] != 0, np.inf, 1.0)
    return np.divide(means[0], means[1], out=none, where=means[1] != 0)
