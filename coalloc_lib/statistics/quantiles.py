"""Quantiles of the jobs of a single log, such as a median wait, by a bootstrap over its weeks."""

import numpy as np
from numpy.typing import ArrayLike

from coalloc_lib.basics.checks import InputError, positive, whole
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.basics.times import DAY
from coalloc_lib.statistics.bootstrap import (
    jobs_by_day,
    refuse_empty_resamples,
    resamples_warning,
    sample_block_starts,
)
from coalloc_lib.statistics.resamples import Resamples

#: The largest product of the number of resamples and the number of steps of a log. Each pair of a
#: resample and a step needs 16 bytes while the resamples are drawn.
MOST_COUNTS = 10**8


def resample_quantiles(
    values: ArrayLike,
    share: float,
    submit: ArrayLike,
    *,
    block: float | None = None,
    step: float = DAY,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Resamples:
    """Estimate a quantile over the jobs of a log by a moving-block bootstrap over its weeks.

    Parameters
    ----------
    values : array_like of shape (n,) or (m, n)
        One value per job, such as its waiting time, in each of m scenarios.
    share : float
        The quantile, above 0 and at most 1: the smallest value that at least this share of the jobs
        do not exceed.
    submit, block, step, resamples, seed
        As in `resample_weeks`.

    Returns
    -------
    Resamples
        The quantile of each scenario and of each of its resamples.

    Examples
    --------
    >>> days = np.arange(8 * 7) * DAY
    >>> resample_quantiles(np.arange(56.0), 0.5, days).means
    array([27.])
    """
    if positive("share", share) > 1:
        raise InputError(f"share = {share}; give a number of at most 1, such as 0.95")
    values, _, day, length = jobs_by_day(values, 1.0, submit, block, step)
    days = int(day.max()) + 1
    if days * whole("resamples", resamples) > MOST_COUNTS:
        raise InputError(
            f"resamples = {resamples} for a log that is divided into {days:,} steps need too much "
            "memory; give fewer resamples or a longer step"
        )
    starts = sample_block_starts(days, length, resamples, seed)
    counts = _counts_of_days(starts, length, days)
    has_jobs = counts @ np.bincount(day, minlength=days) > 0
    refuse_empty_resamples(has_jobs)
    counts = counts[has_jobs]
    resampled = np.empty((len(counts), len(values)))
    for column, row in enumerate(values):
        resampled[:, column] = _quantiles(row, share, day, counts)
    # The same rule as for the resamples. NumPy's would round a product such as 0.07 * 100 up.
    every_day_once = np.ones((1, days))
    estimates = np.array([_quantiles(row, share, day, every_day_once)[0] for row in values])
    influence = _influence_on_quantiles(values, estimates, day, counts, resampled)
    return Resamples(
        estimates, resampled, starts.shape[1], influence, length, resamples_warning(has_jobs)
    )


def _counts_of_days(starts, length, days):
    sampled_days = (starts[..., None] + np.arange(length)).reshape(len(starts), -1) % days
    cells = sampled_days + days * np.arange(len(starts))[:, None]
    counts = np.bincount(cells.ravel(), minlength=days * len(starts))
    return counts.reshape(-1, days).astype(float)


def _quantiles(row, share, day, counts):
    order = np.argsort(row)
    row, day = row[order], day[order]
    # Jobs are first counted in parts of the sorted values, because counting single jobs in every
    # resample would take much longer. Only the part that holds the quantile is searched job by job.
    # With this number of parts, both searches take about the same time.
    parts = 1 + round(np.sqrt(len(row)) / 2)
    ends = len(row) * np.arange(parts + 1) // parts
    part = np.repeat(np.arange(parts), np.diff(ends))
    days = counts.shape[1]
    daily = np.bincount(day * parts + part, minlength=days * parts).reshape(days, parts)
    through = np.cumsum(counts @ daily, axis=1)
    wanted = share * through[:, -1] * (1 - 1e-12)
    holder = (through >= wanted[:, None]).argmax(axis=1)
    before = np.where(holder > 0, np.take_along_axis(through, holder[:, None] - 1, axis=1)[:, 0], 0)
    quantiles = np.empty(len(counts))
    for number in np.unique(holder):
        jobs, chosen = slice(ends[number], ends[number + 1]), holder == number
        reached = np.cumsum(counts[chosen][:, day[jobs]], axis=1)
        is_reached = reached >= (wanted - before)[chosen, None]
        quantiles[chosen] = row[jobs][is_reached.argmax(axis=1)]
    return quantiles


def _influence_on_quantiles(values, estimates, day, counts, resampled):
    # The excess of a day is the number of its jobs with a value above the quantile, minus the
    # number expected from the fraction of all jobs with a value above the quantile.
    excess = np.empty((len(values), counts.shape[1]))
    for row, limit, of_row in zip(values, estimates, excess, strict=True):
        is_above = row > limit
        weights = is_above - is_above.mean()
        of_row[:] = np.bincount(day, weights=weights, minlength=counts.shape[1])
    # A linear regression over the resamples estimates how much the quantile changes if one more job
    # has a value above the quantile.
    deviations = counts @ excess.T
    deviations -= deviations.mean(axis=0)
    square = (deviations**2).sum(axis=0)
    slopes = (deviations * resampled).sum(axis=0) / np.where(square > 0, square, 1)
    return excess * slopes[:, None]
