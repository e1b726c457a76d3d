"""Stand-ins for the log of the largest cluster of the first DAS system, which is not public.

They have the published moments and are otherwise the plainest that show the preferences the authors
describe: Bucur, Epema: An Evaluation of Processor Co-Allocation for Different System
Configurations and Job Structures (2002), section 2.1.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.distributions import Distribution, SizeDistribution

#: Of the sizes of 30,558 jobs: 58 values in [1, 128].
SIZE_MEAN, SIZE_CV = 23.34, 1.11
#: Of the service times of 28,426 jobs, in seconds. In working hours a job had 15 minutes.
SERVICE_MEAN, SERVICE_CV = 356.45, 5.37
SHORT_SHARE, SHORT_LIMIT = 0.9445, 900.0
LONGEST = 15 * 3600.0

#: How much likelier a power of two is than its neighbours.
POWER_WEIGHT = 10.0


@cache
def das1_sizes() -> SizeDistribution:
    """Return a stand-in for the job sizes: 58 in [1, 128], of mean 23.34 and cv 1.11.

    p_s is proportional to w_s exp(a s + b s²) / s with w_s = 10 for powers of two, 1 included, and
    1 for other sizes: of all distributions with the two moments, which give a and b, the one of
    least relative entropy to w_s / s. The log's 58 sizes are not published; here they are all up to
    32, even ones up to 64, multiples of 8 above, and 68 and 100.
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

    # The normalising sum's logarithm is convex in t, its gradient the mean, its second derivative
    # the covariance: the root is the only one.
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
    """Times below a limit, exponential and cut there, and Pareto ones from there to the longest."""

    share_short: float
    limit: float
    rate: float  # of the short times
    exponent: float  # of the long ones, not 1 or 2
    longest: float

    @property
    def mean(self) -> float:
        """Mean time, in seconds."""
        return self._moment(1)

    @property
    def variance(self) -> float:
        """Variance of the time, in seconds squared."""
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
    """Return the first and second moment of an exponential time below `limit`."""
    odds = 1 / np.expm1(rate * limit)
    return 1 / rate - limit * odds, 2 / rate**2 - (limit**2 + 2 * limit / rate) * odds


def _cut_pareto_moment(exponent: float, low: float, high: float, order: int) -> float:
    """Return a moment of a Pareto time on [low, high]; `exponent` is not `order`."""
    norm = exponent * low**exponent / (1 - (low / high) ** exponent)
    power = order - exponent
    return norm * (high**power - low**power) / power


@cache
def das1_service_times() -> Distribution:
    """Return a stand-in for the service times, in seconds: mean 356.45, cv 5.37.

    Published are 94.45 % below 900 s, here exponential times cut there, and the longest, 15 h; up
    to it the others are Pareto times. Their rate and exponent follow from mean and cv.
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
