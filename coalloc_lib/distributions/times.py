"""Distributions of times: of service, and between arrivals, in any one unit."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.cards import card
from coalloc_lib.checks import InputError, not_negative, positive, whole
from coalloc_lib.columns import times
from coalloc_lib.distributions.base import Distribution


@dataclass(frozen=True)
class _OfMean(Distribution):
    """Times that are known by their mean alone."""

    mean: float = 1.0

    def __post_init__(self) -> None:
        """Check the mean."""
        positive("mean", self.mean)


@dataclass(frozen=True)
class Deterministic(_OfMean):
    """Every time is `mean`."""

    @property
    def variance(self) -> float:
        """Zero."""
        return 0.0

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.full(() if shape is None else shape, float(self.mean))


@dataclass(frozen=True)
class Exponential(_OfMean):
    """Exponential times."""

    @property
    def variance(self) -> float:
        """The mean squared."""
        return self.mean**2

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.exponential(self.mean, shape)


@dataclass(frozen=True)
class Between(Distribution):
    """Any number from `low` to `high` is as likely: the continuous uniform distribution.

    Parameters
    ----------
    low, high : float
        0 or more, `low` below `high`.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        """Check both ends."""
        low, high = not_negative("low", self.low), positive("high", self.high)
        if low >= high:
            raise InputError(f"low = {low} is not below high = {high}; give two that differ")

    @property
    def mean(self) -> float:
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        """A twelfth of the squared width."""
        return (self.high - self.low) ** 2 / 12

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.uniform(self.low, self.high, shape)


@dataclass(frozen=True)
class Hyperexponential(Distribution):
    """Two exponential phases with balanced means, from a mean and a coefficient of variation.

    Parameters
    ----------
    mean : float
        Mean time.
    variation : float
        Coefficient of variation, 1 or more; the same as `cv`.

    Notes
    -----
    With probability p the rate is 2p/mean, else 2(1-p)/mean, so that both phases carry half of
    the mean; p = (1 + sqrt((cv² - 1)/(cv² + 1)))/2.
    """

    mean: float
    variation: float

    def __post_init__(self) -> None:
        """Check both parameters."""
        positive("mean", self.mean)
        if not 1 <= positive("variation", self.variation) <= 1e6:
            raise InputError(f"variation = {self.variation}; give a number from 1 to a million")

    @property
    def short_probability(self) -> float:
        """Probability p of the phase with the shorter times."""
        square = self.variation**2
        return (1 + np.sqrt((square - 1) / (square + 1))) / 2

    @property
    def variance(self) -> float:
        """Mean squared times the squared coefficient of variation."""
        return (self.mean * self.variation) ** 2

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        p = self.short_probability
        phase = np.where(rng.random(shape) < p, p, 1 - p)
        return rng.exponential(self.mean / 2, shape) / phase


@dataclass(frozen=True, eq=False)
class Empirical(Distribution):
    """Times drawn from a sample, every one of them as likely.

    Parameters
    ----------
    values : array_like, shape (n,)
        The observed times, 0 or more, not all 0.
    """

    values: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        """Check and freeze the sample."""
        values = times("values", self.values)
        if not values.any():
            raise InputError("values holds no time above 0; give an observed sample")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def mean(self) -> float:
        """Mean of the sample."""
        return float(self.values.mean())

    @property
    def variance(self) -> float:
        """Variance of the sample, divided by n: it is the whole population here."""
        return float(self.values.var())

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return self.values[rng.integers(len(self.values), size=shape)]


@dataclass(frozen=True)
class PoissonArrivals:
    """A Poisson process of arrivals.

    Parameters
    ----------
    rate : float
        Mean number of arrivals in a unit of time.
    """

    rate: float

    def __post_init__(self) -> None:
        """Check the rate."""
        positive("rate", self.rate)

    @property
    def interarrival(self) -> Exponential:
        """Distribution of the time between two arrivals."""
        return Exponential(1 / self.rate)

    def sample(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return the first `count` instants of arrival, increasing."""
        return np.cumsum(self.interarrival.sample(rng, whole("count", count)))

    def _repr_html_(self) -> str:
        return card(str(self), {"mean time between arrivals": 1 / self.rate})
