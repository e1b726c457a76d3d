"""Intervals for one log: a sample of a process whose neighbouring jobs depend on one another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.intervals.estimates import Interval
from coalloc_lib.seeds import Seed, generators

WEEK, DAY = 7 * 86_400.0, 86_400.0
#: With fewer blocks nothing is known of how they differ.
FEWEST_BLOCKS = 4
#: Blocks are of up to so many weeks, as long as so many are left: one week is felt in the next.
LONGEST, ENOUGH = 4, 8


@dataclass(frozen=True, eq=False)
class Resamples:
    """Weighted means of a log, shape (m,), one a scenario, and `drawn` when weeks are drawn anew.

    `drawn` has the shape (resamples, m); all scenarios have the same weeks.
    """

    means: NDArray[np.float64]
    drawn: NDArray[np.float64]
    blocks: int
    warning: str = ""

    def interval(
        self, statistic: Callable[[NDArray[np.float64]], Any], confidence: float = 0.95,
        vectorized: bool = False,
    ) -> Interval:  # fmt: skip
        """Return the interval of a statistic of the m means: a number, maybe an infinite one.

        One that is `vectorized` takes means of the shape (m, resamples) too, a number for each.

        Notes
        -----
        Percentiles of the resamples, at the normal probability of Student's quantile for b blocks
        times the root of b / (b - 1): the expanded percentile interval of Hesterberg (2015), The
        American Statistician 69.
        """
        from scipy.special import ndtr, stdtrit  # takes long to import

        drawn = self.drawn
        values = statistic(drawn.T) if vectorized else np.array([statistic(row) for row in drawn])
        middle = float(statistic(self.means))
        if np.isnan(values).any() or np.isnan(middle):
            text = "statistic is not a number for some resamples; give one that always is"
            raise InputError(text)
        free = self.blocks - 1
        out = stdtrit(free, (1 - confidence) / 2) * np.sqrt(self.blocks / free)
        low, high = np.quantile(values, [ndtr(out), ndtr(-out)], method="inverted_cdf")
        ends = float(min(low, middle)), float(max(high, middle))
        return Interval(middle, *ends, self.blocks, confidence, self.warning)

    def beside(self, other: "Resamples") -> "Resamples":
        """Return the means of this log and of another, with independent weeks, side by side."""
        count = min(len(self.drawn), len(other.drawn))
        # In reverse order, the other's weeks are independent of this log's, whatever the seeds.
        drawn = np.hstack([self.drawn[:count], other.drawn[::-1][:count]])
        means, blocks = np.concatenate([self.means, other.means]), min(self.blocks, other.blocks)
        return Resamples(means, drawn, blocks, self.warning or other.warning)


def resample_weeks(
    values: ArrayLike,
    weights: ArrayLike,
    submit: ArrayLike,
    *,
    block: float | None = None,
    step: float = DAY,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Resamples:
    """Draw the weeks of a log anew: a moving-block bootstrap (Künsch 1989) of weighted means.

    `values` and `weights`, shape (n,) or (m, n), are of each job, such as its response time, a row
    a scenario with the same jobs; by `submit`, shape (n,), in seconds, a job belongs to the week in
    which it came. `block` and `step` are the length of a block, by default `block_of` the log, and
    the least distance of two, in seconds. The log must have four blocks or more; as many as fill it
    are drawn, from all that begin at a step, around its end.
    """
    values, weights, at, length = _by_day(values, weights, submit, block, step)
    both = weights * values, weights
    top, bottom = ([np.bincount(at, weights=row) for row in rows] for rows in both)
    return resample_sums(top, bottom, length, resamples=resamples, seed=seed)


def block_of(submit: ArrayLike) -> float:
    """Return the length of a block in seconds: up to four weeks of which eight are left, or one.

    Shorter blocks cut what lasts for weeks, and give intervals that are too narrow: of a difference
    that lasts for a week, over a year, 78 % of those from single weeks hold the mean, and 92 % of
    those from four weeks.
    """
    return WEEK * float(np.clip(np.ptp(submit) // (ENOUGH * WEEK), 1, LONGEST))


def resample_sums(
    top: ArrayLike, bottom: ArrayLike, length: int, *, resamples: int = 1_000, seed: Seed = 0
) -> Resamples:
    """Draw blocks of `length` days anew: `resample_weeks`, where the sums of each day are known.

    `top` and `bottom`, shape (m, days), are sums of weights times values, and of weights.
    """
    sums = np.stack([np.atleast_2d(np.asarray(each, float)) for each in (top, bottom)])
    begins = _begins(sums.shape[-1], length, resamples, seed)
    if not np.isfinite(sums).all():
        raise InputError("top or bottom has a sum that is no finite number; did all jobs run?")
    if not (sums[1].sum(axis=-1) > 0).all():
        raise InputError("weights are all 0; give at least one job that counts")
    # What a block has that begins at each day, around the end.
    around = np.concatenate([sums, sums[..., : length - 1]], axis=-1)
    total = np.cumsum(np.insert(around, 0, 0, axis=-1), axis=-1)
    moving = total[..., length:] - total[..., :-length]
    above, below = moving[:, :, begins].sum(axis=-1)
    some = (below > 0).all(axis=0)
    if not some.any():
        raise InputError("no block has a job that counts; give longer blocks")
    drawn = (above[:, some] / below[:, some]).T
    means = sums[0].sum(axis=-1) / sums[1].sum(axis=-1)
    return Resamples(means, drawn, begins.shape[1], _warning(some))


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
    """Draw the weeks of a log anew, the same as `resample_weeks`, for a quantile of each row.

    `means` and `drawn` hold the least value that at least this `share` of the jobs do not exceed.
    Of rows with many values, that of a resample is exact to 1 in 2,000 jobs near the quantile.
    """
    if positive("share", share) > 1:
        raise InputError(f"share = {share}; give a number up to 1, such as 0.95")
    values, _, at, length = _by_day(values, 1.0, submit, block, step)
    days = int(at.max()) + 1
    begins = _begins(days, length, resamples, seed)
    drawn_days = (begins[..., None] + np.arange(length)).reshape(len(begins), -1) % days
    cells = drawn_days + days * np.arange(len(begins))[:, None]
    times = np.bincount(cells.ravel(), minlength=days * len(begins)).reshape(-1, days).astype(float)
    some = times @ np.bincount(at, minlength=days) > 0
    near = np.linspace(max(share - 0.2, 0.0), 1, 401)
    marks = np.union1d(np.linspace(0, 1, 101), near)
    drawn = np.empty((int(some.sum()), len(values)))
    for column, row in enumerate(values):
        edges = np.unique(row)
        if len(edges) > len(marks):
            edges = np.unique(np.quantile(row, marks, method="inverted_cdf"))
        cell = at * len(edges) + np.searchsorted(edges, row)
        daily = np.bincount(cell, minlength=days * len(edges)).reshape(days, -1)
        below = np.cumsum(times[some] @ daily, axis=1)
        drawn[:, column] = edges[(below >= share * below[:, -1:] * (1 - 1e-12)).argmax(axis=1)]
    middle = np.quantile(values, share, axis=1, method="inverted_cdf")
    return Resamples(middle, drawn, begins.shape[1], _warning(some))


def _by_day(
    values: ArrayLike, weights: ArrayLike, submit: ArrayLike, block: float | None, step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], int]:
    """Return values and weights, both (m, n), the day of each job, and the days of a block."""
    submit = np.asarray(submit, float)
    values = np.atleast_2d(np.asarray(values, float))
    if submit.ndim != 1 or values.shape[-1] != len(submit):
        text = f"values have the shape {values.shape} and submit {submit.shape}; give a value a job"
        raise InputError(text)
    weights = np.broadcast_to(np.asarray(weights, float), values.shape)
    bad = ~np.isfinite(values) | ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row, job = map(int, np.argwhere(bad)[0])
        raise InputError(
            f"job {job} of row {row} has the value {values[row, job]} and the weight "
            f"{weights[row, job]}; give finite numbers, and weights of 0 or more"
        )
    block = block_of(submit) if block is None else positive("block", block)
    at = ((submit - submit.min()) // positive("step", step)).astype(np.int64)
    return values, weights, at, max(round(block / step), 1)


def _begins(days, length, resamples, seed):
    """Return the days on which the blocks of each resample begin, shape (resamples, blocks)."""
    blocks = days // whole("length", length)
    if blocks < FEWEST_BLOCKS:
        raise InputError(
            f"{days} days make {blocks} blocks of {length}; give a log of {FEWEST_BLOCKS} blocks "
            "or more, or a shorter block"
        )
    rng, *_ = generators(seed, 1)
    return rng.integers(days, size=(whole("resamples", resamples), blocks))


def _warning(some):
    return "" if some.all() else f"no job counts in {1 - some.mean():.1%} of the resamples"
