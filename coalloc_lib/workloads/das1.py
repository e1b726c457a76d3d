"""Distributions that stand in for the log of the largest DAS1 cluster, which is not public.

Their means and coefficients of variation (cv) are those that were published. Apart from that they
are the simplest distributions with the properties that are described in: Bucur, Epema: An
Evaluation of Processor Co-Allocation for Different System Configurations and Job Structures (2002),
section 2.1.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.distributions import Distribution, SizeDistribution

#: The mean and the coefficient of variation of the 30,558 job sizes in the DAS1 log. The log has 58
#: different sizes between 1 and 128 processors.
SIZE_MEAN, SIZE_CV = 23.34, 1.11
#: The mean (in seconds) and the coefficient of variation of 28,426 service times in the DAS1 log.
SERVICE_MEAN, SERVICE_CV = 356.45, 5.37
#: The fraction of service times in the DAS1 log that are below 15 minutes, and 15 minutes in
#: seconds. During working hours, a job could run for at most 15 minutes.
SHORT_SHARE, SHORT_LIMIT = 0.9445, 900.0
#: The longest service time in the DAS1 log, in seconds.
LONGEST = 15 * 3600.0

#: In the distribution of job sizes, a power of two has this many times the probability of its
#: neighbours.
POWER_WEIGHT = 10.0


@cache
def das1_sizes() -> SizeDistribution:
    """Return a distribution that resembles the job sizes in the DAS1 log, which is not public.

    The distribution has 58 sizes in [1, 128], a mean of 23.34 processors and a cv of 1.11.

    Notes
    -----
    The probability of a size s is proportional to w_s exp(a s + b s²) / s, where w_s is 10 for
    powers of two (including 1) and 1 for other sizes. The numbers a and b follow from the mean and
    the cv. Of all distributions with these two moments, it is the one with the smallest relative
    entropy to w_s / s. The 58 sizes of the log were not published. Here they are all sizes up to
    32, even sizes up to 64, multiples of 8 above 64, and 68 and 100.
    """
    from scipy import optimize

    sizes = np.sort(np.r_[1:33, 34:65:2, 72:129:8, 68, 100])
    is_power = (sizes & (sizes - 1)) == 0
    prior = np.where(is_power, POWER_WEIGHT, 1.0) / sizes
    scale = np.array([128.0, 128.0**2])
    features = np.array([sizes, sizes.astype(float) ** 2]) / scale[:, None]
    target = np.array([SIZE_MEAN, SIZE_MEAN**2 * (1 + SIZE_CV**2)]) / scale

    def weights_at(tilt: NDArray) -> NDArray:
        logs = np.log(prior) + tilt @ features
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    # The equations have only one solution, because they set the gradient of a convex function to 0.
    # The Jacobian matrix of the gradient is the covariance matrix of the features.
    solution = optimize.root(
        lambda tilt: features @ weights_at(tilt) - target,
        np.zeros(2),
        jac=lambda tilt: np.cov(features, aweights=weights_at(tilt), ddof=0),
        tol=1e-15,
    )
    weights = np.zeros(129)
    weights[sizes] = weights_at(solution.x)
    return SizeDistribution(weights, "DAS1 stand-in")


@dataclass(frozen=True)
class _ShortAndLong(Distribution):
    """A distribution of times: exponential below a limit, and Pareto from the limit to a maximum.

    Parameters
    ----------
    share_short : float
        The fraction of times that are below the limit.
    limit : float
        The limit, in seconds.
    rate : float
        The rate of the exponential times, per second.
    exponent : float
        The exponent of the Pareto times, which must not be 1 or 2.
    longest : float
        The longest time, in seconds.
    """

    share_short: float
    limit: float
    rate: float
    exponent: float
    longest: float

    @property
    def mean(self) -> float:
        return self._moment(1)

    @property
    def variance(self) -> float:
        return self._moment(2) - self.mean**2

    def _moment(self, order: int) -> float:
        short = _cut_exponential_moments(self.rate, self.limit)[order - 1]
        long = _cut_pareto_moment(self.exponent, self.limit, self.longest, order)
        return self.share_short * short + (1 - self.share_short) * long

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        is_short = rng.random(shape) < self.share_short
        uniform = rng.random(shape)
        short = -np.log1p(uniform * np.expm1(-self.rate * self.limit)) / self.rate
        reach = 1 - (self.limit / self.longest) ** self.exponent
        long = self.limit * (1 - uniform * reach) ** (-1 / self.exponent)
        return np.where(is_short, short, long)

    def __str__(self) -> str:
        return "DAS1 stand-in"


def _cut_exponential_moments(rate: float, limit: float) -> tuple[float, float]:
    odds = 1 / np.expm1(rate * limit)
    return 1 / rate - limit * odds, 2 / rate**2 - (limit**2 + 2 * limit / rate) * odds


def _cut_pareto_moment(exponent: float, low: float, high: float, order: int) -> float:
    # The formula is not valid if `order` is equal to `exponent`.
    norm = exponent * low**exponent / (1 - (low / high) ** exponent)
    power = order - exponent
    return norm * (high**power - low**power) / power


@cache
def das1_service_times() -> Distribution:
    """Return a distribution that resembles the service times in the DAS1 log, in seconds.

    The distribution has a mean of 356.45 s and a cv of 5.37.

    Notes
    -----
    As published, 94.45 % of the times are below 900 s, and the longest time is 15 hours. Here the
    times below 900 s are exponential and truncated at 900 s, and the other times are Pareto between
    900 s and 15 hours. The rate and the exponent follow from the mean and the cv.
    """
    from scipy import optimize

    def with_exponent(exponent: float) -> _ShortAndLong:
        long = _cut_pareto_moment(exponent, SHORT_LIMIT, LONGEST, 1)
        short = (SERVICE_MEAN - (1 - SHORT_SHARE) * long) / SHORT_SHARE
        rate = optimize.brentq(
            lambda r: _cut_exponential_moments(r, SHORT_LIMIT)[0] - short, 1e-4, 0.5, xtol=1e-15
        )
        return _ShortAndLong(SHORT_SHARE, SHORT_LIMIT, rate, exponent, LONGEST)

    exponent = optimize.brentq(lambda e: with_exponent(e).cv - SERVICE_CV, 0.6, 0.99, xtol=1e-14)
    return with_exponent(exponent)
