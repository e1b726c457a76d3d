"""Stand-ins for the log of the largest cluster of the first DAS system (128 processors).

That log is not public; a few of its moments are published. The distributions here have exactly
those, and are otherwise the plainest that show the preferences the authors describe. They say
'stand-in' in their names, and so should whatever is made with them.

References
----------
Bucur, Epema: An Evaluation of Processor Co-Allocation for Different System Configurations and
Job Structures (2002), section 2.1.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, positive
from coalloc_lib.distributions import Distribution, SizeDistribution

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

    Notes
    -----
    p_s is proportional to w_s exp(a s + b s²) / s with w_s = 10 for powers of two, 1 included,
    and 1 for other sizes: of all distributions with the two published moments it is the one of
    least relative entropy to w_s / s, which favours small sizes and powers of two. The
    two moments give a and b. The log's 58 sizes are not published; here they are all up to 32, even
    ones up to 64, multiples of 8 above, and 68 and 100.
    """
    sizes = np.sort(np.r_[1:33, 34:65:2, 72:129:8, 68, 100])
    is_power = (sizes & (sizes - 1)) == 0
    prior = np.where(is_power, POWER_WEIGHT, 1.0) / sizes
    target = np.array([SIZE_MEAN, SIZE_MEAN**2 * (1 + SIZE_CV**2)])
    weights = np.zeros(sizes.max() + 1)
    weights[sizes] = _tilted(prior, np.array([sizes, sizes.astype(float) ** 2]), target)
    return SizeDistribution(weights, "DAS1 stand-in")


def _tilted(prior: NDArray, features: NDArray, target: NDArray) -> NDArray:
    """Return the weights ``prior * exp(t @ features)``, normalised, with means `target`."""
    from scipy import optimize

    scale = np.abs(features).max(axis=1)
    features, target = features / scale[:, None], target / scale

    def weights_at(tilt: NDArray) -> NDArray:
        logs = np.log(prior) + tilt @ features
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    # The normalising sum's logarithm is convex in t, its gradient the mean, its second derivative
    # the covariance: the root is the only one.
    solution = optimize.root(
        lambda tilt: features @ weights_at(tilt) - target,
        np.zeros(len(target)),
        jac=lambda tilt: np.cov(features, aweights=weights_at(tilt), ddof=0),
        tol=1e-15,
    )
    return weights_at(solution.x)


@dataclass(frozen=True)
class ShortAndLong(Distribution):
    """Mostly short times below a limit, and a heavy tail of long ones above it.

    Parameters
    ----------
    share_short, limit : float
        Probability, between 0 and 1, of a time below the limit, in seconds.
    rate : float
        Rate of the exponential distribution, cut at `limit`, of the short times, in 1/seconds.
    exponent, longest : float
        Exponent, not 1 or 2, of the Pareto distribution of the long times, and where it is cut.
    name : str
        How tables and figures call it.
    """

    share_short: float
    limit: float
    rate: float
    exponent: float
    longest: float
    name: str = "short and long"

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name in ("share_short", "limit", "rate", "exponent", "longest"):
            positive(name, getattr(self, name))
        if not self.share_short < 1:
            raise InputError(f"share_short = {self.share_short}; give a number between 0 and 1")
        if not self.limit < self.longest:
            raise InputError(f"longest = {self.longest}; give more than limit = {self.limit}")
        if self.exponent in (1, 2):
            raise InputError(f"exponent = {self.exponent}; give another number than 1 or 2")

    @property
    def mean(self) -> float:
        """Mean time, in seconds."""
        short = _cut_exponential_moments(self.rate, self.limit)[0]
        long = _cut_pareto_moment(self.exponent, self.limit, self.longest, 1)
        return self.share_short * short + (1 - self.share_short) * long

    @property
    def variance(self) -> float:
        """Variance of the time, in seconds squared."""
        short = _cut_exponential_moments(self.rate, self.limit)[1]
        long = _cut_pareto_moment(self.exponent, self.limit, self.longest, 2)
        return self.share_short * short + (1 - self.share_short) * long - self.mean**2

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        is_short = rng.random(shape) < self.share_short
        draw = rng.random(shape)
        short = -np.log1p(draw * np.expm1(-self.rate * self.limit)) / self.rate
        reach = 1 - (self.limit / self.longest) ** self.exponent
        long = self.limit * (1 - draw * reach) ** (-1 / self.exponent)
        return np.where(is_short, short, long)

    def __str__(self) -> str:
        return self.name


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
def das1_service_times() -> ShortAndLong:
    """Return a stand-in for the service times, in seconds: mean 356.45, cv 5.37.

    The share of 94.45 % below 900 s and the longest time, 15 h, are the published ones. The rate of
    the short times and the exponent of the long ones solve for the mean and the coefficient of
    variation.
    """
    from scipy import optimize

    def with_exponent(exponent: float) -> ShortAndLong:
        long = _cut_pareto_moment(exponent, SHORT_LIMIT, LONGEST, 1)
        short = (SERVICE_MEAN - (1 - SHORT_SHARE) * long) / SHORT_SHARE
        rate = optimize.brentq(
            lambda r: _cut_exponential_moments(r, SHORT_LIMIT)[0] - short, 1e-4, 0.5, xtol=1e-15
        )
        return ShortAndLong(SHORT_SHARE, SHORT_LIMIT, rate, exponent, LONGEST, "DAS1 stand-in")

    exponent = optimize.brentq(lambda e: with_exponent(e).cv - SERVICE_CV, 0.6, 0.99, xtol=1e-14)
    return with_exponent(exponent)
