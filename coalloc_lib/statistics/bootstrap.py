"""Intervals for one log: a sample of a process whose neighbouring jobs depend on one another."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, positive, whole
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.basics.times import DAY, WEEK

#: With fewer blocks nothing is known of how they differ.
FEWEST_BLOCKS = 4
#: Blocks are of up to so many weeks, as long as so many are left: one week is felt in the next.
LONGEST, ENOUGH = 4, 8
#: A log is cut into so many parts to see what lasts for long; two neighbours are at most so alike.
PARTS, ALIKE = 24, 0.98
#: Kendall's bias is added so many times to the correlation of neighbouring days: what lasts longest
#: shows least in a short log. Of M/M/1 at load 0.9, 92 of 100 intervals from 12 weeks then hold the
#: mean wait, and 90 with 1; at loads up to 0.6 it hardly matters (benchmarks/bench_coverage.py).
CAUTION = 2
#: The most by which days that depend on one another widen an interval, beyond which there is none,
#: and the most that a resample is stretched to, times the mean: beyond, the log sets no bound.
WIDEST, MOST = 5.0, 30.0
TOO_SHORT = "the log is too short: what happens in it is felt for about as long as it lasts"


@dataclass(frozen=True, eq=False)
class Resamples:
    """Estimates from a log and from resamples of its weeks.

    `means`, shape (m,), has an estimate for each of m scenarios. `resampled`, shape (resamples, m),
    has the same estimates in each resample; all scenarios have the same weeks. `influence`, shape
    (m, steps), is what each step, such as a day, adds to the error of each estimate. A block has
    `length` steps.
    """

    means: NDArray[np.float64]
    resampled: NDArray[np.float64]
    blocks: int
    influence: NDArray[np.float64]
    length: int
    warning: str = ""

    def of(self, rows: list[int]) -> "Resamples":
        """Return some of the estimates, in this order, for a statistic that needs only these."""
        resampled, influence = self.resampled[:, rows], self.influence[rows]
        return replace(self, means=self.means[rows], resampled=resampled, influence=influence)

    def interval(
        self, statistic: Callable[[NDArray[np.float64]], Any], confidence: float = 0.95,
        vectorized: bool = False,
    ) -> Interval:  # fmt: skip
        """Return the interval of a statistic of the m means: a number, maybe an infinite one.

        One that is `vectorized` takes means of the shape (m, resamples) too, a number for each.
        There is a warning, and no interval, where the log is too short for its queue.

        Notes
        -----
        Percentiles of the resamples, corrected for skewness by the acceleration of BCa (Efron
        1987, JASA 82). The resamples are stretched away from the means: for b blocks by Student's
        quantile over the normal one and the root of b / (b - 1), as in the expanded interval of
        Hesterberg (2015), The American Statistician 69; and where blocks depend on one another by
        a standard error over that of independent blocks. It is that of an autoregressive process
        of order 1 with the correlation of neighbouring days, or of `PARTS` parts if that is more,
        to which its bias is added (Kendall 1954, Biometrika 41), of days `CAUTION` times; a weekly
        cycle is taken out first. What is stretched is the reciprocal of a mean, if none is
        negative: near saturation a mean wait goes with 1 / (1 - load), and what a log has by
        chance is its load.
        """
        middle = float(statistic(self.means))
        values = self._values(statistic, self.resampled, vectorized)
        if np.isnan(values).any() or np.isnan(middle):
            text = "statistic is not a number for some resamples; give one that always is"
            raise InputError(text)

        def stretched(factor):
            of_time = (self.means > 0) & (self.resampled >= 0).all(axis=0)
            linear = self.means + factor * (self.resampled - self.means)
            reciprocal = _in_reciprocals(self.resampled, self.means, factor)
            return self._values(statistic, np.where(of_time, reciprocal, linear), vectorized)

        return self._interval(middle, self._series(values), stretched, confidence)

    def difference(self, one: int, other: int, confidence: float = 0.95) -> Interval:
        """Return the interval of one estimate less another.

        The method is that of `interval`, applied to the difference. If all resamples have the sign
        of the estimate, those that are further from zero than the estimate are stretched in their
        reciprocals. All others are stretched linearly.
        """
        middle = self.means[one] - self.means[other]
        values = self.resampled[:, one] - self.resampled[:, other]
        is_one_sided = (values * middle > 0).all()

        def stretched(factor):
            linear = middle + factor * (values - middle)
            if not is_one_sided:
                return linear
            farther = np.abs(values) > np.abs(middle)
            return np.where(farther, _in_reciprocals(values, middle, factor), linear)

        series = self.influence[one] - self.influence[other]
        return self._interval(float(middle), series, stretched, confidence)

    def _interval(self, middle, series, stretched, confidence):
        """Return the interval from a function that gives all resamples, stretched by a factor."""
        from scipy.special import ndtr, ndtri, stdtrit  # takes long to import

        moving = _moving(series, self.length)
        widening = _widening(series, moving, self.blocks, self.length)
        tail = (1 - confidence) / 2
        normal = -ndtri(tail)
        expanded = -stdtrit(self.blocks - 1, tail) / normal
        expanded *= np.sqrt(self.blocks / (self.blocks - 1))
        at = np.array([-normal, normal])
        at /= 1 - _acceleration(moving, self.blocks) * at
        low, high = np.quantile(stretched(expanded * widening), ndtr(at), method="inverted_cdf")
        ends = float(min(low, middle)), float(max(high, middle))
        warning = self.warning or TOO_SHORT * bool(widening > WIDEST)
        return Interval(middle, *ends, self.blocks, confidence, warning)

    def _values(self, statistic, resampled, vectorized):
        """Return the statistic of each resample."""
        if vectorized:
            return statistic(resampled.T)
        return np.array([statistic(row) for row in resampled])

    def _series(self, values):
        """Return what each step adds to the error of a statistic with these values."""
        known = np.isfinite(values)
        if not known.any():
            return np.zeros(self.influence.shape[1])
        values = np.clip(values, values[known].min(), values[known].max())
        apart = self.resampled - self.resampled.mean(axis=0)
        slopes, *_ = np.linalg.lstsq(apart, values - values.mean(), rcond=1e-10)
        return slopes @ self.influence


def _in_reciprocals(values, middle, factor):
    """Return values of the sign of the middle, or 0, so many times as far from it by 1 / value."""
    over = np.divide(middle, values, out=np.ones_like(values), where=values != 0)
    stretched = middle / np.maximum(1 + factor * (over - 1), 1 / MOST)
    return np.where(values != 0, stretched, 0)


def _moving(series, length):
    """Return the sums of so many steps from each on, around the end; the last axis is of steps."""
    around = np.concatenate([series, series[..., : length - 1]], axis=-1)
    total = np.cumsum(np.insert(around, 0, 0, axis=-1), axis=-1)
    return total[..., length:] - total[..., :-length]


def _widening(series, moving, blocks, length):
    """Return the standard error by the correlation of days or longer parts over that of blocks."""
    steps = len(series)
    # Blocks that fill a part of the log stand for all of it.
    of_blocks = (moving**2).mean() * (steps / length) ** 2 / (blocks - 1)
    if not of_blocks > 0:
        return 1.0
    days, long = _without_cycle(series, length), max(steps // PARTS, 1)
    found = max(_variance(days, 1, CAUTION), _variance(days, long, 1))
    return float(np.sqrt(max(found / of_blocks, 1)))


def _without_cycle(series, length):
    """Return what a series has apart from a cycle of so many steps, with as much variance."""
    phase = np.arange(len(series)) % length
    each = np.bincount(phase, minlength=length)
    apart = series - (np.bincount(phase, series, length) / each)[phase]
    return apart * np.sqrt(len(series) / (len(series) - length))


def _variance(series, part, times):
    """Return the variance of the sum of a series whose parts are autoregressive of order 1."""
    count = len(series) // part
    sums = series[: count * part].reshape(count, part).sum(axis=1)
    sums -= sums.mean()
    square = sums @ sums
    correlation = sums[1:] @ sums[:-1] / square if square > 0 else 0.0
    correlation = min(correlation + times * (1 + 3 * max(correlation, 0)) / count, ALIKE)
    of_one = square / (count - 1) * len(series) / (count * part)
    return count * of_one * (1 + correlation) / (1 - correlation)


def _acceleration(moving, blocks):
    """Return a sixth of the skewness of a sum of so many blocks."""
    deviation = np.sqrt((moving**2).mean())
    return (moving**3).mean() / deviation**3 / np.sqrt(blocks) / 6 if deviation > 0 else 0.0


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
    """Resample the weeks of a log: a moving-block bootstrap (Künsch 1989) of weighted means.

    `values` and `weights`, shape (n,) or (m, n), are of each job, such as its response time, a row
    a scenario with the same jobs; by `submit`, shape (n,), in seconds, a job belongs to the week in
    which it came. `block` and `step` are the length of a block, by default `block_of` the log, and
    the least distance of two, in seconds. The log must have four blocks or more. A resample has as
    many blocks as fill the log. A block may begin at any step, and goes on at the start of the log
    when it reaches its end.
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
    """Resample blocks of `length` days: `resample_weeks`, where the sums of each day are known.

    `top` and `bottom`, shape (m, days), are sums of weights times values, and of weights.
    """
    sums = np.stack([np.atleast_2d(np.asarray(each, float)) for each in (top, bottom)])
    begins = _begins(sums.shape[-1], length, resamples, seed)
    if not np.isfinite(sums).all():
        raise InputError("top or bottom has a sum that is no finite number; did all jobs run?")
    if not (sums[1].sum(axis=-1) > 0).all():
        raise InputError("weights are all 0; give at least one job that counts")
    above, below = _moving(sums, length)[:, :, begins].sum(axis=-1)  # around the end
    some = (below > 0).all(axis=0)
    if not some.any():
        raise InputError("no block has a job that counts; give longer blocks")
    resampled = (above[:, some] / below[:, some]).T
    total = sums[1].sum(axis=-1)
    means = sums[0].sum(axis=-1) / total
    influence = (sums[0] - means[:, None] * sums[1]) / total[:, None]
    return Resamples(means, resampled, begins.shape[1], influence, length, _warning(some))


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
    """Resample the weeks of a log, the same as `resample_weeks`, for a quantile of each row.

    `means` and `resampled` hold the smallest value that at least this `share` of the jobs do not
    exceed. In a row with many values, that of a resample is exact to 1 in 2,000 jobs near the
    quantile.
    """
    if positive("share", share) > 1:
        raise InputError(f"share = {share}; give a number up to 1, such as 0.95")
    values, _, at, length = _by_day(values, 1.0, submit, block, step)
    days = int(at.max()) + 1
    begins = _begins(days, length, resamples, seed)
    times = _times_of_days(begins, length, days)
    some = times @ np.bincount(at, minlength=days) > 0
    times = times[some]
    resampled = np.empty((len(times), len(values)))
    for column, row in enumerate(values):
        resampled[:, column] = _quantiles(row, share, at, times)
    middle = np.quantile(values, share, axis=1, method="inverted_cdf")
    influence = _influence(values, middle, at, times, resampled)
    return Resamples(middle, resampled, begins.shape[1], influence, length, _warning(some))


def _times_of_days(begins, length, days):
    """Return how often each resample has each day, shape (resamples, days)."""
    sampled_days = (begins[..., None] + np.arange(length)).reshape(len(begins), -1) % days
    cells = sampled_days + days * np.arange(len(begins))[:, None]
    times = np.bincount(cells.ravel(), minlength=days * len(begins))
    return times.reshape(-1, days).astype(float)


def _quantiles(row, share, at, times):
    """Return the quantile of one row of values in each resample."""
    days = times.shape[1]
    edges = _edges(row, share)
    cell = at * len(edges) + np.searchsorted(edges, row)
    daily = np.bincount(cell, minlength=days * len(edges)).reshape(days, -1)
    below = np.cumsum(times @ daily, axis=1)
    return edges[(below >= share * below[:, -1:] * (1 - 1e-12)).argmax(axis=1)]


def _edges(row, share):
    """Return the values among which a quantile is sought, more of them near the quantile."""
    edges = np.unique(row)
    near = np.linspace(max(share - 0.2, 0.0), 1, 401)
    marks = np.union1d(np.linspace(0, 1, 101), near)
    if len(edges) <= len(marks):
        return edges
    return np.unique(np.quantile(row, marks, method="inverted_cdf"))


def _influence(values, middle, at, times, resampled):
    """Return what each day adds to the error of each quantile, shape (m, days)."""
    # For each day, the number of jobs beyond the quantile, less the number expected on average.
    beyond = np.empty((len(values), times.shape[1]))
    for row, limit, counts in zip(values, middle, beyond, strict=True):
        longer = row > limit
        counts[:] = np.bincount(at, weights=longer - longer.mean(), minlength=times.shape[1])
    # A straight line through the resamples gives the change of the quantile for one job more.
    apart = times @ beyond.T
    apart -= apart.mean(axis=0)
    square = (apart**2).sum(axis=0)
    slopes = (apart * resampled).sum(axis=0) / np.where(square > 0, square, 1)
    return beyond * slopes[:, None]


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
