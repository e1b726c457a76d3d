"""Distributions of job sizes, service times and interarrival times, with exact moments."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.display import card

#: The largest allowed job size, in processors. It limits the memory of a size distribution, which
#: stores an array with one entry for each possible size.
_MOST_SIZE = 10**7


class Distribution(ABC):
    """Base class of all distributions; a subclass defines `mean`, `variance` and `_sample`."""

    if TYPE_CHECKING:  # subclasses define these as fields or as properties

        @property
        def mean(self) -> float:
            """Mean of the distribution."""

        @property
        def variance(self) -> float:
            """Variance of the distribution."""

    @property
    def cv(self) -> float:
        """Coefficient of variation: the standard deviation divided by the mean."""
        return float(np.sqrt(self.variance) / self.mean)

    def sample(
        self, rng: np.random.Generator, shape: int | tuple[int, ...] | None = None
    ) -> NDArray:
        """Return random values from the distribution.

        Parameters
        ----------
        rng : numpy.random.Generator
            The source of random numbers.
        shape : int or tuple of int, optional
            Shape of the result. By default a single value is returned.
        """
        if shape is not None:
            axes = shape if isinstance(shape, tuple) else (shape,)
            shape = tuple(checks.whole("shape", axis, least=0) for axis in axes)
        checks.instance_of("rng", rng, np.random.Generator, "numpy.random.default_rng(seed)")
        return self._sample(rng, shape)

    @abstractmethod
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        """Return random values of the given shape, which `sample` has already checked."""

    def _repr_html_(self) -> str:
        facts = {"mean": self.mean, "coefficient of variation": self.cv}  # type: ignore[attr-defined]
        return card(str(self), facts)


def weights_of(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Check that `values` are probabilities that sum to 1, and return them as a new array."""
    weights = checks.numbers(name, values).astype(float)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise InputError(f"{name}[{first}] = {weights.flat[first]}; give a number from 0 to 1")
    if abs(weights.sum() - 1) > 1e-9:
        raise InputError(
            f"{name} sum to {weights.sum():.6g} instead of 1; divide them by their sum"
        )
    return weights


@dataclass(frozen=True, eq=False)
class SizeDistribution(Distribution):
    """A distribution of the sizes of jobs or components, in processors.

    Parameters
    ----------
    probabilities : array_like, shape (largest size + 1,)
        Entry ``s`` is the probability of size ``s``. Entry 0 is 0, and the sum is 1.
    name : str
        How tables and errors call the distribution.

    Examples
    --------
    >>> SizeDistribution([0, 0.5, 0, 0.5]).mean
    2.0
    """

    probabilities: np.ndarray
    name: str = "sizes"

    def __post_init__(self) -> None:
        weights = checks.numbers("probabilities", self.probabilities)
        if weights.ndim != 1 or len(weights) < 2:
            raise InputError(
                "probabilities is not a list of two or more numbers; give the probability of each "
                "size, starting with size 0"
            )
        weights = weights_of("probabilities", weights)
        if weights[0] != 0:
            raise InputError(
                f"probabilities[0] = {weights[0]}; no job has size 0, so this probability must be 0"
            )
        weights = np.trim_zeros(weights, "b")
        weights.flags.writeable = False
        object.__setattr__(self, "probabilities", weights)

    def _key(self) -> tuple[str, bytes]:
        return self.name, self.probabilities.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeDistribution) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    @classmethod
    def empirical(cls, sizes: ArrayLike, name: str = "empirical") -> "SizeDistribution":
        """Return the empirical distribution of observed sizes: each observation is equally likely.

        Parameters
        ----------
        sizes : array_like of int
            The observed sizes, 1 or more.
        name : str
            How tables and errors call the distribution.
        """
        sample = checks.whole_numbers("sizes", sizes).ravel()
        checks.at_most("the largest of sizes", int(sample.max()), _MOST_SIZE)
        counts = np.bincount(sample)
        return cls(counts / counts.sum(), name)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """All sizes with a positive probability, in increasing order."""
        return np.flatnonzero(self.probabilities)

    @property
    def minimum(self) -> int:
        """The smallest size with a positive probability."""
        return int(self.sizes[0])

    @property
    def maximum(self) -> int:
        """The largest size with a positive probability."""
        return len(self.probabilities) - 1

    @property
    def mean(self) -> float:
        """Mean size, in processors."""
        return float(np.arange(len(self.probabilities)) @ self.probabilities)

    @property
    def variance(self) -> float:
        """Variance of the size, in processors squared."""
        squares = np.arange(len(self.probabilities), dtype=float) ** 2
        return max(float(squares @ self.probabilities) - self.mean**2, 0.0)

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        total = np.cumsum(self.probabilities)
        total[-1] = np.inf  # its rounding error must not exclude random numbers close to 1
        return total

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.searchsorted(self._cumulative, rng.random(shape), side="right")

    def sum_of(self, copies: int) -> "SizeDistribution":
        """Return the distribution of a sum of `copies` independent sizes from this distribution."""
        copies = checks.whole("copies", copies)
        name = self.name if copies == 1 else f"sum of {copies} {self.name}"
        return sum_of_sizes([self] * copies, name)

    def __str__(self) -> str:
        return self.name


def sum_of_sizes(parts: Sequence[SizeDistribution], name: str) -> SizeDistribution:
    """Return the distribution of the sum of independent sizes, one from each distribution."""
    weights = reduce(np.convolve, (part.probabilities for part in parts))
    return SizeDistribution(weights / weights.sum(), name)


def uniform(low: int, high: int) -> SizeDistribution:
    """Return the discrete uniform distribution U[low, high] of sizes.

    Parameters
    ----------
    low, high : int
        The smallest and the largest size, in processors. All sizes between are equally likely.

    Returns
    -------
    SizeDistribution

    Raises
    ------
    InputError
        If `low` is below 1 or above `high`.

    Examples
    --------
    >>> uniform(1, 16).mean
    8.5
    """
    low, high = _interval(low, high)
    weights = np.zeros(high + 1)
    weights[low:] = 1 / (high - low + 1)
    return SizeDistribution(weights, f"U[{low},{high}]")


def power_of_two(
    q: float, low: int, high: int, *, one_is_power_of_two: bool = False
) -> SizeDistribution:
    """Return the size distribution D(q)[low, high], which favours small sizes and powers of two.

    The probability of size i is q^i / Q, or 3 q^i / Q if i is a power of two. The constant Q makes
    the sum of the probabilities 1.

    Parameters
    ----------
    q : float
        The parameter, above 0 and at most 1. A smaller value favours small sizes more.
    low, high : int
        The smallest and the largest size, in processors.
    one_is_power_of_two : bool
        Whether size 1 counts as a power of two. The paper does not say; its Table 4 has the
        numbers of a distribution in which it does not.

    Returns
    -------
    SizeDistribution

    Raises
    ------
    InputError
        If `q` is out of range, or if `low` is below 1 or above `high`.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems (2003),
    section 2.5.

    Examples
    --------
    >>> power_of_two(0.5, 1, 2).probabilities.tolist()
    [0.0, 0.4, 0.6]
    """
    low, high = _interval(low, high)
    share = checks.positive("q", q)
    if share > 1:
        raise InputError(f"q = {q}; give a number above 0 and at most 1")
    sizes = np.arange(high + 1)
    is_power = (sizes & (sizes - 1)) == 0
    is_power[1] = one_is_power_of_two
    weights = np.where(is_power, 3.0, 1.0) * share ** np.maximum(sizes - low, 0)
    weights[:low] = 0
    return SizeDistribution(weights / weights.sum(), f"D({share:g})[{low},{high}]")


def parse_sizes(text: str, *, one_is_power_of_two: bool = False) -> SizeDistribution:
    """Convert a string such as ``U[1,16]`` or ``D(0.9)[1,8]`` to a size distribution.

    Parameters
    ----------
    text : str
        ``U[a,b]`` for `uniform`, or ``D(q)[a,b]`` for `power_of_two`.
    one_is_power_of_two : bool
        As in `power_of_two`.

    Returns
    -------
    SizeDistribution

    Raises
    ------
    InputError
        If the text has another form, or if a number is out of range.

    Examples
    --------
    >>> parse_sizes("D(0.9)[1,8]").maximum
    8
    """
    number = r"\s*([0-9.eE+-]+)\s*"
    checks.instance_of("sizes", text, str, '"U[1,16]" or "D(0.9)[1,8]"')
    match = re.fullmatch(rf"\s*(?:U|D\({number}\))\s*(?:on)?\s*\[{number},{number}\]\s*", text)
    given = checks.shown(text)
    if not match:
        raise InputError(f"sizes = {given}; write U[a,b] or D(q)[a,b], for example U[1,8]")
    try:
        q = None if match[1] is None else float(match[1])
        low, high = int(match[2]), int(match[3])
    except ValueError:
        raise InputError(
            f"sizes = {given}; in D(q)[a,b], give q as a number, and a and b as whole numbers"
        ) from None
    if q is None:
        return uniform(low, high)
    return power_of_two(q, low, high, one_is_power_of_two=one_is_power_of_two)


def _interval(low: int, high: int) -> tuple[int, int]:
    low, high = checks.whole("low", low), checks.whole("high", high)
    checks.at_most("high", high, _MOST_SIZE)
    if low > high:
        raise InputError(f"low = {low} is above high = {high}; swap them")
    return low, high


@dataclass(frozen=True)
class _OfMean(Distribution):
    """Base class of the time distributions that have the mean as their only parameter."""

    mean: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.positive("mean", self.mean))


@dataclass(frozen=True)
class Deterministic(_OfMean):
    """A deterministic distribution of times: all times are equal.

    Parameters
    ----------
    mean : float
        The time, above 0, in any unit.

    Examples
    --------
    >>> Deterministic(3.0).cv
    0.0
    """

    @property
    def variance(self) -> float:
        """Variance of the time, which is 0."""
        return 0.0

    @property
    def cv(self) -> float:
        """Coefficient of variation, which is 0."""
        return 0.0

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.full(() if shape is None else shape, float(self.mean))


@dataclass(frozen=True)
class Exponential(_OfMean):
    """An exponential distribution of times.

    Parameters
    ----------
    mean : float
        The mean time, above 0, in any unit.

    Examples
    --------
    >>> Exponential(3.0).variance
    9.0
    """

    @property
    def variance(self) -> float:
        """Variance of the times: the square of the mean."""
        return self.mean**2

    @property
    def cv(self) -> float:
        """Coefficient of variation, which is 1."""
        return 1.0

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.exponential(self.mean, shape)


@dataclass(frozen=True)
class Between(Distribution):
    """A continuous uniform distribution of times.

    Parameters
    ----------
    low, high : float
        The smallest time, 0 or more, and the largest time, above `low`, in any unit.

    Examples
    --------
    >>> Between(1.0, 3.0).mean
    2.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = checks.not_negative("low", self.low), checks.positive("high", self.high)
        if low >= high:
            raise InputError(f"low = {low} is not below high = {high}; give a larger high")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def mean(self) -> float:
        """Mean of the times: (low + high) / 2."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        """Variance of the times: (high - low)² / 12."""
        return (self.high - self.low) ** 2 / 12

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.uniform(self.low, self.high, shape)


@dataclass(frozen=True)
class Hyperexponential(Distribution):
    """A hyperexponential distribution of times with two phases and balanced means.

    A time is exponential with rate 2p/mean with probability p, and otherwise exponential with rate
    2(1-p)/mean, where p = (1 + sqrt((cv² - 1)/(cv² + 1)))/2. The means are balanced: both phases
    contribute half of the mean.

    Parameters
    ----------
    mean : float
        The mean time, above 0, in any unit.
    variation : float
        The coefficient of variation cv, from 1 to a million.

    Examples
    --------
    >>> Hyperexponential(10.0, 2.0).variance
    400.0
    """

    mean: float
    variation: float

    def __post_init__(self) -> None:
        mean = checks.positive("mean", self.mean)
        variation = checks.positive("variation", self.variation)
        if not 1 <= variation <= 1e6:
            raise InputError(f"variation = {self.variation}; give a number from 1 to a million")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "variation", variation)

    @property
    def short_probability(self) -> float:
        """The probability p that a service time is drawn from the phase with the shorter mean."""
        square = self.variation**2
        return (1 + np.sqrt((square - 1) / (square + 1))) / 2

    @property
    def variance(self) -> float:
        """Variance of the times: (mean · coefficient of variation)²."""
        return (self.mean * self.variation) ** 2

    @property
    def cv(self) -> float:
        """Coefficient of variation: the parameter `variation`."""
        return self.variation

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        p = self.short_probability
        phase = np.where(rng.random(shape) < p, p, 1 - p)
        return rng.exponential(self.mean / 2, shape) / phase


@dataclass(frozen=True, eq=False)
class Empirical(Distribution):
    """The empirical distribution of observed times: each observed time is equally likely.

    Parameters
    ----------
    values : array_like, shape (n,)
        The observed times, 0 or more but not all 0, in any unit.

    Examples
    --------
    >>> Empirical([1, 2, 6]).mean
    3.0
    """

    values: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        values = checks.times("values", self.values)
        if not values.any():
            raise InputError("values contains no time above 0; give at least one")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Empirical) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    @property
    def mean(self) -> float:
        """Mean of the observed times."""
        return float(self.values.mean())

    @property
    def variance(self) -> float:
        """Variance of the observed times: the mean squared deviation from their mean."""
        return float(self.values.var())

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return self.values[rng.integers(len(self.values), size=shape)]


@dataclass(frozen=True)
class PoissonArrivals:
    """A Poisson arrival process.

    Parameters
    ----------
    rate : float
        Mean number of arrivals in a unit of time, above 0.

    Examples
    --------
    >>> import numpy as np
    >>> PoissonArrivals(2.0).sample(np.random.default_rng(1), 3).shape
    (3,)
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", checks.positive("rate", self.rate))

    def sample(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return the first `count` arrival instants, in increasing order, shape (count,)."""
        return np.cumsum(Exponential(1 / self.rate).sample(rng, checks.whole("count", count)))

    def _repr_html_(self) -> str:
        return card(str(self), {"mean time between arrivals": 1 / self.rate})
