"""Confidence intervals from the resamples that a bootstrap over the weeks of a log made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics.inference import checked_confidence, lag_correlation

#: The number of parts into which a log is divided to detect dependence between jobs that lasts
#: longer than a few days.
PARTS = 24
#: The largest correlation between neighbouring days, or neighbouring parts of a log, that is used.
#: Higher estimates are lowered to this value, because the variance formula diverges at 1.
MOST_CORRELATION = 0.98
#: The correlation between neighbouring days is corrected by this multiple of Kendall's bias,
#: because a short log hides long-lasting dependence. With this multiple, 92 % of the confidence
#: intervals from 12 weeks of an M/M/1 queue at load 0.9 contain the mean wait, compared with 90 %
#: for a multiple of 1. At loads up to 0.6 the choice hardly matters (benchmarks/bench_coverage.py).
CAUTION = 2
#: A confidence interval has the warning `TOO_SHORT` if dependence between days widens the interval
#: by more than this factor.
MOST_WIDENING = 5.0
#: To widen a confidence interval, resampled means are moved away from the mean of the log, but at
#: most to this multiple of the mean of the log.
MOST_STRETCHED = 30.0
TOO_SHORT = "the log is too short: the effect of one event lasts about as long as the whole log"


@dataclass(frozen=True, eq=False)
class Resamples:
    """Estimates from a log, together with the same estimates from bootstrap resamples of the log.

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
        The reason to doubt every interval from these resamples, or an empty string.
    """

    means: NDArray[np.float64]
    resampled: NDArray[np.float64]
    blocks: int
    influence: NDArray[np.float64]
    length: int
    warning: str = ""

    def of(self, rows: list[int]) -> "Resamples":
        """Select some of the scenarios, in the given order."""
        resampled, influence = self.resampled[:, rows], self.influence[rows]
        return replace(self, means=self.means[rows], resampled=resampled, influence=influence)

    def interval(
        self,
        statistic: Callable[[NDArray[np.float64]], Any],
        confidence: float = 0.95,
        vectorized: bool = False,
    ) -> Interval:
        """Return the confidence interval of a statistic computed from the means of all scenarios.

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
          The days, without their mean cycle of one block, are modelled as an autoregressive
          process of order 1. Its correlation is corrected for bias [3]_, for days `CAUTION` times.
          The same is done for `PARTS` parts of the log, and the larger standard error counts.

        If no mean is negative, the reciprocals of the means are stretched and not the means
        themselves. Near saturation a mean wait grows as 1 / (1 - load), and it is the load that
        varies by chance between logs. A mean is stretched at most to `MOST_STRETCHED` times its
        value. If the upper end of an interval of a mean is this multiple of the estimate, the log
        gives no upper limit.

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
        >>> from coalloc_lib.statistics import DAY, resample_weeks
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
        """Return the confidence interval of the estimate for `one` minus the estimate for `other`.

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
        from scipy.special import ndtr, ndtri, stdtrit  # importing SciPy is slow

        sums = block_sums(influence, self.length)
        widening = _widening(influence, sums, self.blocks, self.length)
        tail = (1 - checked_confidence(confidence)) / 2
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
        if vectorized:
            return statistic(resampled.T)
        return np.array([statistic(row) for row in resampled])

    def _influence_on(self, values):
        # A linear regression of the statistic on the resampled means gives the weight of each mean.
        is_finite = np.isfinite(values)
        if not is_finite.any():
            return np.zeros(self.influence.shape[1])
        values = np.clip(values, values[is_finite].min(), values[is_finite].max())
        deviations = self.resampled - self.resampled.mean(axis=0)
        slopes, *_ = np.linalg.lstsq(deviations, values - values.mean(), rcond=1e-10)
        return slopes @ self.influence


def _stretched_in_reciprocals(values, estimate, factor):
    # No value has the opposite sign to the estimate, and a value of 0 stays 0.
    inverse = np.divide(estimate, values, out=np.ones_like(values), where=values != 0)
    stretched = estimate / np.maximum(1 + factor * (inverse - 1), 1 / MOST_STRETCHED)
    return np.where(values != 0, stretched, 0)


def block_sums(series: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Return the sum of each block of `length` consecutive entries along the last axis.

    There is a block for each entry, with which it begins.

    A block that reaches the end of the series goes on at its start.
    """
    wrapped = np.concatenate([series, series[..., : length - 1]], axis=-1)
    total = np.cumsum(np.insert(wrapped, 0, 0, axis=-1), axis=-1)
    return total[..., length:] - total[..., :-length]


def _widening(influence, sums, blocks, length):
    # The result is the standard error that allows for dependence between days, divided by the
    # standard error that treats the blocks as independent. It is at least 1.
    steps = len(influence)
    # The blocks may cover only a part of the log, so the variance is scaled up to the whole log.
    of_blocks = (sums**2).mean() * (steps / length) ** 2 / (blocks - 1)
    if not of_blocks > 0:
        return 1.0
    days = _without_cycle(influence, length)
    by_days = _variance_of_sum(days, 1, CAUTION)
    by_parts = _variance_of_sum(days, max(steps // PARTS, 1), 1)
    return float(np.sqrt(max(max(by_days, by_parts) / of_blocks, 1)))


def _without_cycle(series, period):
    # The result is scaled up, because subtracting the mean cycle also removes some of the random
    # variation.
    phase = np.arange(len(series)) % period
    counts = np.bincount(phase, minlength=period)
    rest = series - (np.bincount(phase, series, period) / counts)[phase]
    return rest * np.sqrt(len(series) / (len(series) - period))


def _variance_of_sum(series, part, bias_factor):
    # The sums over parts of `part` steps are modelled as an AR(1) process. Its estimated
    # correlation is increased by `bias_factor` times Kendall's bias.
    count = len(series) // part
    sums = series[: count * part].reshape(count, part).sum(axis=1)
    sums -= sums.mean()
    square = sums @ sums
    correlation = lag_correlation(sums)
    bias = (1 + 3 * max(correlation, 0)) / count
    correlation = min(correlation + bias_factor * bias, MOST_CORRELATION)
    of_one = square / (count - 1) * len(series) / (count * part)
    return count * of_one * (1 + correlation) / (1 - correlation)


def _acceleration(sums, blocks):
    # The acceleration of the BCa interval is a sixth of the skewness of the sum of the blocks.
    deviation = np.sqrt((sums**2).mean())
    return (sums**3).mean() / deviation**3 / np.sqrt(blocks) / 6 if deviation > 0 else 0.0
