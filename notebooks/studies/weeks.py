"""Means over a single log, with intervals from a bootstrap over its weeks.

In a table of runs of a log, each replication is a week. The measured columns are sums over the jobs
that were submitted in that week, such as hours waited and the number of jobs. The ratio of two such
sums is a mean.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, whole
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.statistics.bootstrap import (
    FEWEST_BLOCKS,
    WEEK,
    checked_submit,
    resample_sums,
    step_of,
    weeks_of_block,
)
from coalloc_lib.statistics.replications import (
    REPLICATION,
    NotRunError,
    differing_keys,
    keys_of,
    require_columns,
    several_settings,
)
from coalloc_lib.statistics.resamples import Resamples

#: The length of a replication in seconds: in a comparison over a log, each week is a replication.
STEP = WEEK
#: The confidence interval of a mean over a group without jobs.
NOTHING = Interval(np.nan, np.nan, np.nan, 0, warning="there are no jobs")


def week_of(submit: ArrayLike) -> NDArray[np.int64]:
    """Return the number of the week, counted from 0, in which each job of a log was submitted.

    Parameters
    ----------
    submit : array_like of shape (jobs,)
        Submission times in seconds.

    Returns
    -------
    ndarray of shape (jobs,)
        The weeks. Week 0 begins at the first submission.

    Examples
    --------
    >>> week_of([0.0, WEEK - 1, WEEK])
    array([0, 0, 1])
    """
    return step_of(checked_submit(submit), STEP)


def rows_by_week(
    week: NDArray[np.int64], values: Mapping[str, NDArray], weeks: int, **keys: Any
) -> Iterator[dict[str, Any]]:
    """Sum values of jobs by week, and yield one row of a table of runs for each week.

    Parameters
    ----------
    week : ndarray of shape (jobs,)
        The week of each job, as from `week_of`.
    values : mapping of str to ndarray of shape (jobs,)
        The values of the jobs, by the name of the measured column that holds their sums.
    weeks : int
        The number of weeks. A week without jobs has sums of 0.
    **keys
        The values of the key columns.

    Examples
    --------
    >>> list(rows_by_week(np.array([0, 0]), {"hours": np.array([1.0, 2.0])}, 1))
    [{'replication': 0, 'hours': 3.0}]
    """
    _check_weeks(week, values, weeks)
    sums = {
        name: np.bincount(week, weights=each, minlength=weeks).tolist()
        for name, each in values.items()
    }
    for number in range(weeks):
        yield keys | {REPLICATION: number} | {name: each[number] for name, each in sums.items()}


def _check_weeks(week, values, weeks):
    for name, each in values.items():
        if np.shape(each) != np.shape(week):
            raise InputError(
                f"values[{name!r}] has the shape {np.shape(each)} and week {np.shape(week)}; give "
                "one value and one week for each job"
            )
    outside = np.flatnonzero((week < 0) | (week >= whole("weeks", weeks)))
    if outside.size:
        job = outside[0]
        raise InputError(
            f"week[{job}] = {week[job]}; give numbers from 0 to weeks - 1 = {weeks - 1}"
        )


@dataclass(frozen=True, eq=False)
class WeeklySums:
    """A mean over the jobs of a log, stored as a numerator and a denominator for each week.

    Attributes
    ----------
    numerators : ndarray of shape (weeks,)
        The numerators, such as hours waited.
    denominators : ndarray of shape (weeks,)
        The denominators, such as the number of jobs.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The sum of all numerators divided by the sum of all denominators."""
        return float(self.numerators.sum() / self.denominators.sum())


def weekly_sums(
    runs: pd.DataFrame, numerator: str, denominator: str, added: Collection[str] = ()
) -> WeeklySums:
    """Return the weekly sums of two measured columns, the numerator and denominator of a mean.

    Parameters
    ----------
    runs : DataFrame
        The rows of one setting in a table of runs.
    numerator, denominator : str
        The columns of the numerator and of the denominator.
    added : collection of str
        Keys in which the rows may differ. The sums of such rows, for example of several groups of
        jobs, are added.

    Raises
    ------
    NotRunError
        If there are no rows, or if a column is missing.
    InputError
        If the rows differ in other keys, if a row occurs twice, or if a week is negative.
    """
    require_columns(runs, REPLICATION, numerator, denominator)
    rows = runs[runs[REPLICATION].notna().to_numpy()]
    if rows.empty:
        raise NotRunError(f"no run has a week of {numerator}")
    weeks = rows[REPLICATION].to_numpy(dtype=np.int64)
    if (weeks < 0).any():
        raise InputError(f"replication = {weeks.min()}; weeks are counted from 0")
    numerators, denominators = (
        np.bincount(weeks, rows[name].to_numpy(float)).astype(float)
        for name in (numerator, denominator)
    )
    keys = keys_of(rows)
    other_keys = [key for key in keys if key not in added]
    if differing_keys(rows, other_keys) or rows.duplicated([*keys, REPLICATION]).any():
        raise several_settings(rows, other_keys)
    return WeeklySums(numerators, denominators)


@dataclass(frozen=True)
class Bootstrap:
    """A moving-block bootstrap over the weeks of a log.

    Means that are compared with each other have the same weeks in each resample, so they must have
    sums of the same weeks. An interval has a warning if there are no jobs.

    Parameters
    ----------
    resamples : int
        The number of resamples.
    seed : int or SeedSequence
        The seed of the resamples.

    Examples
    --------
    >>> waits = WeeklySums(np.full(8, 6.0), np.full(8, 2.0))
    >>> Bootstrap().mean(waits).estimate
    3.0
    """

    resamples: int = 1_000
    seed: Seed = 0

    def mean(self, of: WeeklySums) -> Interval:
        """Return the mean over all jobs of a log, and the confidence interval of this mean."""
        means = self._resampled(of)
        return NOTHING if means is None else means.interval(_first, vectorized=True)

    def difference(self, one: WeeklySums, other: WeeklySums) -> Interval:
        """Return the confidence interval of the difference between two means over jobs of a log."""
        means = self._resampled(one, other)
        return NOTHING if means is None else means.difference(0, 1)

    def ratio(self, one: WeeklySums, other: WeeklySums) -> Interval:
        """Return the ratio of two means over jobs of a log, with its confidence interval.

        The ratio 0 / 0 counts as 1.
        """
        means = self._resampled(one, other)
        return NOTHING if means is None else means.interval(_ratio, vectorized=True)

    def _resampled(self, *means: WeeklySums) -> Resamples | None:
        weeks = {each.shape for of in means for each in (of.numerators, of.denominators)}
        if len(weeks) > 1:
            raise InputError(
                f"the weekly sums have the shapes {sorted(weeks)}; give sums of the same weeks"
            )
        numerators = np.stack([each.numerators for each in means])
        denominators = np.stack([each.denominators for each in means])
        if not denominators.any(axis=1).all():
            return None
        count = numerators.shape[-1]
        if count < FEWEST_BLOCKS:
            raise InputError(
                f"the log has {count} weeks, but a bootstrap needs {FEWEST_BLOCKS}; give a longer "
                "log"
            )
        return resample_sums(
            numerators,
            denominators,
            weeks_of_block(count),
            resamples=self.resamples,
            seed=self.seed,
        )


def _first(means):
    return means[0]


def _ratio(means):
    over_zero = np.where(means[0] != 0, np.inf, 1.0)
    return np.divide(means[0], means[1], out=over_zero, where=means[1] != 0)
