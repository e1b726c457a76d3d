"""Confidence intervals from a single log, by a bootstrap over its weeks.

The jobs of a log depend on one another: a long queue delays all jobs that are submitted soon
after it. The moving-block bootstrap therefore resamples whole blocks of weeks, and not single jobs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, positive, whole
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.basics.times import DAY, WEEK

#: The smallest number of blocks from which the variance between blocks can be estimated.
FEWEST_BLOCKS = 4
#: A block has at most this number of weeks, because the queue of one week delays the next week too.
MOST_WEEKS = 4
#: A log must have at least this number of blocks before its blocks become longer than a week.
ENOUGH_BLOCKS = 8
#: Number of parts into which a log is cut to find a dependence that lasts longer than some days.
PARTS = 24
#: Largest correlation of neighbouring days or parts that the variance formula accepts.
MOST_CORRELATION = 0.98
#: The correlation of neighbouring days is corrected by this multiple of Kendall's bias, because a
#: short log hides a dependence that lasts long. In an M/M/1 queue at load 0.9, 92 % of the
#: intervals from 12 weeks then contain the mean wait, against 90 % with a multiple of 1. At loads
#: up to 0.6 the choice hardly matters (benchmarks/bench_coverage.py).
CAUTION = 2
#: If the dependence of days would widen an interval by more than this factor, no interval is given.
MOST_WIDENING = 5.0
#: A resampled mean is never stretched beyond this multiple of the mean of the log.
MOST_STRETCHED = 30.0
TOO_SHORT = "the log is too short: the effect of one event lasts about as long as the whole log"


@dataclass(frozen=True, eq=False)
class Resamples:
    """Estimates from a log, together with the same estimates from resamples of its weeks.

    Attributes
    ----------
    means : ndarray of shape (m,)
        The estimate of each of m scenarios.
    resampled : ndarray of shape (resamples, m)
        The estimates of each resample. All scenarios are resampled by the same weeks.
    blocks : int
        The number of blocks in each resample.
    influence : ndarray of shape (m, steps)
        The contribution of each step, for example each day, to the error of each estimate.
    length : int
        The number of steps in a block.
    warning : str
        The reason to doubt every interval from these resamples, or an empty text.
    """

    means: NDArray[np.float64]
    resampled: NDArray[np.float64]
    blocks: int
    influence: NDArray[np.float64]
    length: int
    warning: str = ""

    def of(self, rows: list[int]) -> "Resamples":
        """Return the resamples of some scenarios only, in the given order."""
        resampled, influence = self.resampled[:, rows], self.influence[rows]
        return replace(self, means=self.means[rows], resampled=resampled, influence=influence)

    def interval(
        self, statistic: Callable[[NDArray[np.float64]], Any], confidence: float = 0.95,
        vectorized: bool = False,
    ) -> Interval:  # fmt: skip
        """Return the confidence interval of a statistic of the m means.

        Parameters
        ----------
        statistic : callable
            A function of the means, shape (m,), that returns a number, which may be infinite.
        confidence : float
            The probability with which the interval contains the true value.
        vectorized : bool
            Whether `statistic` also accepts means of shape (m, resamples), and then returns one
            number for each resample.

        Returns
        -------
        Interval
            It has a warning if the log is too short for its queue, or if the resamples have one.

        Raises
        ------
        InputError
            If the statistic is not a number for the log or for one of the resamples.

        Notes
        -----
        The ends are percentiles of the resamples, corrected for skewness by the acceleration of the
        BCa interval [1]_. First the resamples are stretched away from the means by two factors:

        - For b blocks, Student's quantile over the normal quantile, times sqrt(b / (b - 1)), as in
          the expanded percentile interval [2]_.
        - The standard error of dependent days over that of independent blocks, if it is above 1.
          The days, without their weekly cycle, are modelled as an autoregressive process of order
          1. Its correlation is corrected for bias [3]_, for days `CAUTION` times. The same is done
          for `PARTS` parts of the log, and the larger standard error counts.

        If no mean is negative, the reciprocals of the means are stretched and not the means
        themselves. Near saturation a mean wait grows as 1 / (1 - load), and it is the load that
        varies by chance between logs.

        References
        ----------
        .. [1] B. Efron, "Better bootstrap confidence intervals", Journal of the American
           Statistical Association 82 (1987).
        .. [2] T. Hesterberg, "What teachers should know about the bootstrap", The American
           Statistician 69 (2015).
        .. [3] M. G. Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41
           (1954).

        Examples
        --------
        >>> days = np.arange(8 * 7) * DAY
        >>> resamples = resample_weeks(np.ones(56), np.ones(56), days)
        >>> resamples.interval(lambda means: means[0]).estimate
        1.0
        """
        estimate = float(statistic(self.means))
        values = self._values(statistic, self.resampled, vectorized)
        if np.isnan(values).any() or np.isnan(estimate):
            raise InputError(
                "statistic is not a number for some resamples; give a function that always returns "
                "a number, which may be infinite"
            )

        def stretched(factor):
            is_positive = (self.means > 0) & (self.resampled >= 0).all(axis=0)
            linear = self.means + factor * (self.resampled - self.means)
            reciprocal = _stretched_in_reciprocals(self.resampled, self.means, factor)
            return self._values(statistic, np.where(is_positive, reciprocal, linear), vectorized)

        return self._interval(estimate, self._influence_on(values), stretched, confidence)

    def difference(self, one: int, other: int, confidence: float = 0.95) -> Interval:
        """Return the confidence interval of the estimate of scenario `one` minus that of `other`.

        The method is that of `interval`, applied to the difference. If all resamples have the sign
        of the estimate, those that are further from zero than the estimate are stretched in their
        reciprocals. All others are stretched linearly.
        """
        estimate = self.means[one] - self.means[other]
        values = self.resampled[:, one] - self.resampled[:, other]
        is_one_sided = (values * estimate > 0).all()

        def stretched(factor):
            linear = estimate + factor * (values - estimate)
            if not is_one_sided:
                return linear
            is_farther = np.abs(values) > np.abs(estimate)
            reciprocal = _stretched_in_reciprocals(values, estimate, factor)
            return np.where(is_farther, reciprocal, linear)

        influence = self.influence[one] - self.influence[other]
        return self._interval(float(estimate), influence, stretched, confidence)

    def _interval(self, estimate, influence, stretched, confidence):
        """Return an interval; ``stretched(factor)`` returns the resampled values of a statistic."""
        from scipy.special import ndtr, ndtri, stdtrit  # SciPy takes long to import

        sums = _block_sums(influence, self.length)
        widening = _widening(influence, sums, self.blocks, self.length)
        tail = (1 - confidence) / 2
        normal = -ndtri(tail)
        expanded = -stdtrit(self.blocks - 1, tail) / normal
        expanded *= np.sqrt(self.blocks / (self.blocks - 1))
        quantiles = np.array([-normal, normal])
        quantiles /= 1 - _acceleration(sums, self.blocks) * quantiles
        values = stretched(expanded * widening)
        low, high = np.quantile(values, ndtr(quantiles), method="inverted_cdf")
        ends = float(min(low, estimate)), float(max(high, estimate))
        warning = self.warning or TOO_SHORT * bool(widening > MOST_WIDENING)
        return Interval(estimate, *ends, self.blocks, confidence, warning)

    def _values(self, statistic, resampled, vectorized):
        """Return the statistic of each resample."""
        if vectorized:
            return statistic(resampled.T)
        return np.array([statistic(row) for row in resampled])

    def _influence_on(self, values):
        """Return the contribution of each step to the error of a statistic, shape (steps,).

        `values` has the statistic of each resample. A linear regression of these values on the
        resampled means gives the weight of each mean.
        """
        is_finite = np.isfinite(values)
        if not is_finite.any():
            return np.zeros(self.influence.shape[1])
        values = np.clip(values, values[is_finite].min(), values[is_finite].max())
        deviations = self.resampled - self.resampled.mean(axis=0)
        slopes, *_ = np.linalg.lstsq(deviations, values - values.mean(), rcond=1e-10)
        return slopes @ self.influence


def _stretched_in_reciprocals(values, estimate, factor):
    """Return values whose reciprocals differ `factor` times as much from that of the estimate.

    Each value is 0 or has the sign of the estimate. A value of 0 stays 0.
    """
    inverse = np.divide(estimate, values, out=np.ones_like(values), where=values != 0)
    stretched = estimate / np.maximum(1 + factor * (inverse - 1), 1 / MOST_STRETCHED)
    return np.where(values != 0, stretched, 0)


def _block_sums(series, length):
    """Return the sum of the block of `length` steps that begins at each step of the last axis.

    A block that reaches the end of the series goes on at its start.
    """
    wrapped = np.concatenate([series, series[..., : length - 1]], axis=-1)
    total = np.cumsum(np.insert(wrapped, 0, 0, axis=-1), axis=-1)
    return total[..., length:] - total[..., :-length]


def _widening(influence, sums, blocks, length):
    """Return the factor, at least 1, by which dependent blocks widen the standard error.

    It is the standard error that allows for dependence between days, divided by the standard error
    that treats the blocks as independent.
    """
    steps = len(influence)
    # The blocks may not fill the log to its end; the variance is scaled to the whole log.
    of_blocks = (sums**2).mean() * (steps / length) ** 2 / (blocks - 1)
    if not of_blocks > 0:
        return 1.0
    days = _without_cycle(influence, length)
    by_days = _variance_of_sum(days, 1, CAUTION)
    by_parts = _variance_of_sum(days, max(steps // PARTS, 1), 1)
    return float(np.sqrt(max(max(by_days, by_parts) / of_blocks, 1)))


def _without_cycle(series, period):
    """Return a series without its mean cycle of `period` steps.

    The result is scaled, because the mean cycle also takes away a part of the random variation.
    """
    phase = np.arange(len(series)) % period
    counts = np.bincount(phase, minlength=period)
    rest = series - (np.bincount(phase, series, period) / counts)[phase]
    return rest * np.sqrt(len(series) / (len(series) - period))


def _variance_of_sum(series, part, bias_factor):
    """Return the variance of the sum of a series, modelled as an AR(1) process of its parts.

    Each part has `part` steps. The estimated correlation of neighbouring parts is increased by
    `bias_factor` times Kendall's bias.
    """
    count = len(series) // part
    sums = series[: count * part].reshape(count, part).sum(axis=1)
    sums -= sums.mean()
    square = sums @ sums
    correlation = sums[1:] @ sums[:-1] / square if square > 0 else 0.0
    bias = (1 + 3 * max(correlation, 0)) / count
    correlation = min(correlation + bias_factor * bias, MOST_CORRELATION)
    of_one = square / (count - 1) * len(series) / (count * part)
    return count * of_one * (1 + correlation) / (1 - correlation)


def _acceleration(sums, blocks):
    """Return the acceleration of the BCa interval: a sixth of the skewness of the sum of blocks."""
    deviation = np.sqrt((sums**2).mean())
    return (sums**3).mean() / deviation**3 / np.sqrt(blocks) / 6 if deviation > 0 else 0.0


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
    """Resample the weeks of a log by a moving-block bootstrap, to estimate weighted means of jobs.

    Each resample has as many blocks as fit into the log. A block may begin at any step. A block
    that reaches the end of the log goes on at its start.

    Parameters
    ----------
    values : array_like of shape (n,) or (m, n)
        A value of each of n jobs, such as its response time, in each of m scenarios.
    weights : array_like of shape (n,) or (m, n)
        The weight of each job in the mean.
    submit : array_like of shape (n,)
        The submission time of each job in seconds, which assigns the job to a block.
    block : float, optional
        The length of a block in seconds, by default that of `block_of`.
    step : float
        The time in seconds between two possible starts of a block.
    resamples : int
        The number of resamples.
    seed : int or SeedSequence
        The seed of the random starts of the blocks.

    Returns
    -------
    Resamples
        The weighted mean of each scenario and of each of its resamples.

    Raises
    ------
    InputError
        If the log has fewer than `FEWEST_BLOCKS` blocks, or a value or weight is not valid.

    References
    ----------
    .. [1] H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", The
       Annals of Statistics 17 (1989).

    Examples
    --------
    >>> days = np.arange(8 * 7) * DAY
    >>> waits = np.where(days < 4 * WEEK, 1.0, 3.0)
    >>> resample_weeks(waits, np.ones(56), days).means
    array([2.])
    """
    values, weights, day, length = _jobs_by_day(values, weights, submit, block, step)
    numerators = [np.bincount(day, weights=row) for row in weights * values]
    denominators = [np.bincount(day, weights=row) for row in weights]
    return resample_sums(numerators, denominators, length, resamples=resamples, seed=seed)


def block_of(submit: ArrayLike) -> float:
    """Return the length of a bootstrap block for a log with these submission times, in seconds.

    A block has one week, or up to four weeks if the log has at least eight such blocks. Shorter
    blocks cut a dependence that lasts for weeks, and the intervals become too narrow. In a test
    with a difference that lasts for a week, in logs of a year, 78 % of the intervals from blocks of
    one week contained the mean, and 92 % of those from blocks of four weeks.
    """
    weeks = np.clip(np.ptp(submit) // (ENOUGH_BLOCKS * WEEK), 1, MOST_WEEKS)
    return WEEK * float(weeks)


def resample_sums(
    top: ArrayLike, bottom: ArrayLike, length: int, *, resamples: int = 1_000, seed: Seed = 0
) -> Resamples:
    """Resample the days of a log, given the sums of each day, to estimate ratios of the sums.

    `resample_weeks` does the same for the values of single jobs.

    Parameters
    ----------
    top, bottom : array_like of shape (days,) or (m, days)
        The numerator and the denominator of each of m ratios on each day: usually the sum of
        weights times values, and the sum of weights.
    length : int
        The number of days in a block.
    resamples, seed
        As in `resample_weeks`.

    Returns
    -------
    Resamples
        The ratio of the sums over all days, and over the days of each resample.

    Examples
    --------
    >>> resample_sums(np.full(28, 6.0), np.full(28, 2.0), 7).means
    array([3.])
    """
    sums = np.stack([np.atleast_2d(np.asarray(each, float)) for each in (top, bottom)])
    starts = _sample_block_starts(sums.shape[-1], length, resamples, seed)
    if not np.isfinite(sums).all():
        raise InputError(
            "top or bottom has a sum that is not a finite number; check that all jobs have run"
        )
    if not (sums[1].sum(axis=-1) > 0).all():
        raise InputError("weights are all 0; give at least one job a positive weight")
    numerators, denominators = _block_sums(sums, length)[:, :, starts].sum(axis=-1)
    has_jobs = (denominators > 0).all(axis=0)
    if not has_jobs.any():
        raise InputError("no resample has a job with a positive weight; give longer blocks")
    resampled = (numerators[:, has_jobs] / denominators[:, has_jobs]).T
    total = sums[1].sum(axis=-1)
    means = sums[0].sum(axis=-1) / total
    influence = (sums[0] - means[:, None] * sums[1]) / total[:, None]
    return Resamples(
        means, resampled, starts.shape[1], influence, length, _resamples_warning(has_jobs)
    )


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
    """Resample the weeks of a log by a moving-block bootstrap, to estimate quantiles of jobs.

    Parameters
    ----------
    values : array_like of shape (n,) or (m, n)
        A value of each of n jobs, such as its waiting time, in each of m scenarios.
    share : float
        The quantile, above 0 and at most 1: the smallest value that at least this share of the jobs
        do not exceed.
    submit, block, step, resamples, seed
        As in `resample_weeks`.

    Returns
    -------
    Resamples
        The quantile of each scenario and of each of its resamples. In a resample of many jobs the
        quantile is exact to about 1 in 2,000 of the jobs.

    Examples
    --------
    >>> days = np.arange(8 * 7) * DAY
    >>> resample_quantiles(np.arange(56.0), 0.5, days).means
    array([27.])
    """
    if positive("share", share) > 1:
        raise InputError(f"share = {share}; give a number up to 1, such as 0.95")
    values, _, day, length = _jobs_by_day(values, 1.0, submit, block, step)
    days = int(day.max()) + 1
    starts = _sample_block_starts(days, length, resamples, seed)
    counts = _counts_of_days(starts, length, days)
    has_jobs = counts @ np.bincount(day, minlength=days) > 0
    counts = counts[has_jobs]
    resampled = np.empty((len(counts), len(values)))
    for column, row in enumerate(values):
        resampled[:, column] = _quantiles(row, share, day, counts)
    estimates = np.quantile(values, share, axis=1, method="inverted_cdf")
    influence = _influence_on_quantiles(values, estimates, day, counts, resampled)
    return Resamples(
        estimates, resampled, starts.shape[1], influence, length, _resamples_warning(has_jobs)
    )


def _counts_of_days(starts, length, days):
    """Return how often each resample contains each day, shape (resamples, days)."""
    sampled_days = (starts[..., None] + np.arange(length)).reshape(len(starts), -1) % days
    cells = sampled_days + days * np.arange(len(starts))[:, None]
    counts = np.bincount(cells.ravel(), minlength=days * len(starts))
    return counts.reshape(-1, days).astype(float)


def _quantiles(row, share, day, counts):
    """Return the quantile of the values of one scenario in each resample."""
    days = counts.shape[1]
    edges = _candidates(row, share)
    cell = day * len(edges) + np.searchsorted(edges, row)
    daily = np.bincount(cell, minlength=days * len(edges)).reshape(days, -1)
    below = np.cumsum(counts @ daily, axis=1)
    return edges[(below >= share * below[:, -1:] * (1 - 1e-12)).argmax(axis=1)]


def _candidates(row, share):
    """Return the values that can become a quantile of a resample: most lie near the quantile."""
    candidates = np.unique(row)
    near = np.linspace(max(share - 0.2, 0.0), 1, 401)
    shares = np.union1d(np.linspace(0, 1, 101), near)
    if len(candidates) <= len(shares):
        return candidates
    return np.unique(np.quantile(row, shares, method="inverted_cdf"))


def _influence_on_quantiles(values, estimates, day, counts, resampled):
    """Return the contribution of each day to the error of each quantile, shape (m, days)."""
    # The excess of a day is its number of jobs above the quantile, minus the number expected.
    excess = np.empty((len(values), counts.shape[1]))
    for row, limit, of_row in zip(values, estimates, excess, strict=True):
        is_above = row > limit
        weights = is_above - is_above.mean()
        of_row[:] = np.bincount(day, weights=weights, minlength=counts.shape[1])
    # A linear regression over the resamples gives the change of the quantile for one more job.
    deviations = counts @ excess.T
    deviations -= deviations.mean(axis=0)
    square = (deviations**2).sum(axis=0)
    slopes = (deviations * resampled).sum(axis=0) / np.where(square > 0, square, 1)
    return excess * slopes[:, None]


def _jobs_by_day(
    values: ArrayLike, weights: ArrayLike, submit: ArrayLike, block: float | None, step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], int]:
    """Check the jobs of a log, and assign each of them to a day.

    Returns the values and the weights, both of shape (m, n), the day of each job, and the number of
    days in a block. A day is `step` seconds long.
    """
    submit = np.asarray(submit, float)
    values = np.atleast_2d(np.asarray(values, float))
    if submit.ndim != 1 or values.shape[-1] != len(submit):
        raise InputError(
            f"values have the shape {values.shape} and submit {submit.shape}; give one value for "
            "each job"
        )
    weights = np.broadcast_to(np.asarray(weights, float), values.shape)
    is_bad = ~np.isfinite(values) | ~np.isfinite(weights) | (weights < 0)
    if is_bad.any():
        row, job = map(int, np.argwhere(is_bad)[0])
        raise InputError(
            f"job {job} of row {row} has the value {values[row, job]} and the weight "
            f"{weights[row, job]}; give finite numbers, and weights of 0 or more"
        )
    block = block_of(submit) if block is None else positive("block", block)
    day = ((submit - submit.min()) // positive("step", step)).astype(np.int64)
    return values, weights, day, max(round(block / step), 1)


def _sample_block_starts(days, length, resamples, seed):
    """Return the day on which each block of each resample begins, shape (resamples, blocks)."""
    blocks = days // whole("length", length)
    if blocks < FEWEST_BLOCKS:
        raise InputError(
            f"{days} days make {blocks} blocks of {length}; give a log of {FEWEST_BLOCKS} blocks "
            "or more, or a shorter block"
        )
    rng, *_ = generators(seed, 1)
    return rng.integers(days, size=(whole("resamples", resamples), blocks))


def _resamples_warning(has_jobs):
    """Return a warning if some resamples have no job with a positive weight."""
    if has_jobs.all():
        return ""
    return f"no job counts in {1 - has_jobs.mean():.1%} of the resamples"
