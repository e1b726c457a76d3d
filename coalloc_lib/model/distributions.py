"""Distributions of job sizes, service times and interarrival times, with exact moments."""

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.display import card

#: A size distribution has an entry for each size; Erlang times of a higher order are all but equal.
_MOST_SIZE, _MOST_ORDER = 10**7, 10_000


class Distribution(ABC):
    """The base of all distributions; a derived class has `mean`, `variance` and `_sample`."""

    if TYPE_CHECKING:  # some have it as a field, others work it out

        @property
        def mean(self) -> float:
            """Mean."""

        @property
        def variance(self) -> float:
            """Variance."""

    @property
    def cv(self) -> float:
        """Coefficient of variation: standard deviation over mean."""
        return float(np.sqrt(self.variance) / self.mean)

    def sample(
        self, rng: np.random.Generator, shape: int | tuple[int, ...] | None = None
    ) -> NDArray:
        """Sample values of this shape with the generator `rng`, or one value if `shape` is None."""
        if shape is not None:
            axes = shape if isinstance(shape, tuple) else (shape,)
            shape = tuple(checks.whole("shape", axis, least=0) for axis in axes)
        checks.instance_of("rng", rng, np.random.Generator, "numpy.random.default_rng(seed)")
        return self._sample(rng, shape)

    @abstractmethod
    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        """Sample values; the arguments have been checked."""

    def _repr_html_(self) -> str:
        facts = {"mean": self.mean, "coefficient of variation": self.cv}  # type: ignore[attr-defined]
        return card(str(self), facts)


def weights_of(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a new array of probabilities; refuse what is below 0 or does not sum to 1."""
    weights = checks.numbers(name, values).astype(float)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise InputError(f"{name}[{first}] = {weights.flat[first]}; give a number from 0 to 1")
    if abs(weights.sum() - 1) > 1e-9:
        raise InputError(f"{name} sum to {weights.sum():.6g}; divide them by their sum")
    return weights


@dataclass(frozen=True, eq=False)
class SizeDistribution(Distribution):
    """A distribution of whole sizes of 1 or more: ``probabilities[s]`` is that of size `s`."""

    probabilities: np.ndarray
    name: str = "sizes"

    def __post_init__(self) -> None:
        weights = checks.numbers("probabilities", self.probabilities)
        if weights.ndim != 1 or len(weights) < 2:
            raise InputError("probabilities is not a list that starts at size 0 and goes to 1")
        weights = weights_of("probabilities", weights)
        if weights[0] != 0:
            raise InputError(f"probabilities[0] = {weights[0]}; no job has size 0, give 0")
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
        """Return the distribution of a sample of sizes, every one of them as likely."""
        sample = checks.whole_numbers("sizes", sizes).ravel()
        checks.in_memory("the largest of sizes", int(sample.max()), _MOST_SIZE)
        counts = np.bincount(sample)
        return cls(counts / counts.sum(), name)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """All sizes of positive probability, increasing."""
        return np.flatnonzero(self.probabilities)

    @property
    def minimum(self) -> int:
        """The smallest size."""
        return int(self.sizes[0])

    @property
    def maximum(self) -> int:
        """The largest size."""
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
        total[-1] = np.inf  # Rounding must not let a sampled number exceed the last size.
        return total

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.searchsorted(self._cumulative, rng.random(shape), side="right")

    def sum_of(self, copies: int) -> "SizeDistribution":
        """Return the distribution of the sum of `copies` independent sizes."""
        total = np.ones(1)
        for _ in range(checks.whole("copies", copies)):
            total = np.convolve(total, self.probabilities)
        name = self.name if copies == 1 else f"sum of {copies} {self.name}"
        return SizeDistribution(total / total.sum(), name)

    def __str__(self) -> str:
        return self.name


def uniform(low: int, high: int) -> SizeDistribution:
    """Return U[low, high]: every whole size from `low` to `high` is as likely."""
    low, high = _interval(low, high)
    weights = np.zeros(high + 1)
    weights[low:] = 1 / (high - low + 1)
    return SizeDistribution(weights, f"U[{low},{high}]")


def power_of_two(
    q: float, low: int, high: int, *, one_is_power_of_two: bool = False
) -> SizeDistribution:
    """Return D(q) on [low, high], which favours small sizes and powers of two.

    With q in (0, 1] the probability of i is q^i / Q, and 3 q^i / Q for powers of two; Q makes the
    sum 1. `one_is_power_of_two` says whether 1 has the threefold weight; in the paper it has not:
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems (2003),
    section 2.5.
    """
    low, high = _interval(low, high)
    if checks.positive("q", q) > 1:
        raise InputError(f"q = {q}; give a number above 0 and at most 1")
    sizes = np.arange(high + 1)
    is_power = (sizes & (sizes - 1)) == 0
    is_power[1] = one_is_power_of_two
    weights = np.where(is_power, 3.0, 1.0) * float(q) ** np.maximum(sizes - low, 0)
    weights[:low] = 0
    return SizeDistribution(weights / weights.sum(), f"D({q:g})[{low},{high}]")


def parse_sizes(text: str, *, one_is_power_of_two: bool = False) -> SizeDistribution:
    """Return the distribution that `text` names: ``U[a,b]`` or ``D(q)[a,b]``.

    >>> parse_sizes("D(0.9)[1,8]").maximum
    8
    """
    number = r"\s*([0-9.eE+-]+)\s*"
    checks.instance_of("sizes", text, str, '"U[1,16]" or "D(0.9)[1,8]"')
    match = re.fullmatch(rf"\s*(?:U|D\({number}\))\s*(?:on)?\s*\[{number},{number}\]\s*", text)
    fault = f"sizes = {checks.shown(text)};"
    if not match:
        raise InputError(f"{fault} write U[a,b] or D(q)[a,b], for example U[1,8]")
    try:
        q, low, high = float(match[1] or 1), int(match[2]), int(match[3])
    except ValueError:
        raise InputError(f"{fault} q is a number, a and b are whole numbers") from None
    if match[1] is None:
        return uniform(low, high)
    return power_of_two(q, low, high, one_is_power_of_two=one_is_power_of_two)


def _interval(low: int, high: int) -> tuple[int, int]:
    low, high = checks.whole("low", low), checks.whole("high", high)
    checks.in_memory("high", high, _MOST_SIZE)
    if low > high:
        raise InputError(f"low = {low} is above high = {high}; swap them")
    return low, high


@dataclass(frozen=True)
class _OfMean(Distribution):
    """Times that are known by their mean alone."""

    mean: float = 1.0

    def __post_init__(self) -> None:
        checks.positive("mean", self.mean)


@dataclass(frozen=True)
class Deterministic(_OfMean):
    """Every time is `mean`."""

    @property
    def variance(self) -> float:
        """Zero."""
        return 0.0

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.full(() if shape is None else shape, float(self.mean))


@dataclass(frozen=True)
class Exponential(_OfMean):
    """Exponential times."""

    @property
    def variance(self) -> float:
        """The mean squared."""
        return self.mean**2

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.exponential(self.mean, shape)


@dataclass(frozen=True)
class Between(Distribution):
    """Continuous uniform times from `low`, 0 or more, to `high`, above it."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = checks.not_negative("low", self.low), checks.positive("high", self.high)
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

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return rng.uniform(self.low, self.high, shape)


@dataclass(frozen=True)
class Hyperexponential(Distribution):
    """Two exponential phases with balanced means, of a coefficient of variation of 1 or more.

    With cv the `variation`, from 1 to a million, and p = (1 + sqrt((cv² - 1)/(cv² + 1)))/2, the
    rate is 2p/mean with probability p, else 2(1-p)/mean: both phases carry half of the mean.
    """

    mean: float
    variation: float

    def __post_init__(self) -> None:
        checks.positive("mean", self.mean)
        if not 1 <= checks.positive("variation", self.variation) <= 1e6:
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

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        p = self.short_probability
        phase = np.where(rng.random(shape) < p, p, 1 - p)
        return rng.exponential(self.mean / 2, shape) / phase


@dataclass(frozen=True)
class HyperErlang(Distribution):
    """Hyper-Erlang times of common order: with probability `share` of one Erlang, else of another.

    Each is the sum of `order` exponential times, of the first or the second of the `rates`: Jann,
    Pattnaik, Franke, Wang, Skovira, Riordan: Modeling of workload in MPPs. JSSPP 1997.
    """

    share: float
    rates: tuple[float, float]
    order: int

    def __post_init__(self) -> None:
        if checks.not_negative("share", self.share) > 1:
            raise InputError(f"share = {self.share}; give a number from 0 to 1")
        if len(self.rates) != 2:
            raise InputError(f"rates has {len(self.rates)} entries; give two")
        rates = tuple(checks.positive("rates", rate) for rate in self.rates)
        object.__setattr__(self, "rates", rates)
        checks.whole("order", self.order)

    @classmethod
    def fit(cls, sample: ArrayLike) -> "HyperErlang":
        """Return the distribution of the least order with the first three moments of a sample.

        Over n, n (n + 1) and n (n + 1) (n + 2) the moments are those, m1, m2 and m3, of the scale
        1/λ, which has two values. They are the roots of x² - a x + b with
        a = (m3 - m1 m2) / (m2 - m1²) and b = (m1 m3 - m2²) / (m2 - m1²), and the mean gives p.
        There are two, above 0, exactly if m2 > m1² and m1 m3 > m2². With c2 and c3 the moments of T
        over powers of its mean, that is n > 1 / (c2 - 1) and n (c3 - c2²) > 2 c2² - c3. By Johnson,
        Taaffe: Matching moments to phase distributions. Stochastic Models 5(4), 1989.
        """
        values = checks.times("sample", sample)
        if not values.any():
            raise InputError("sample holds no time above 0; give observed times")
        scale = values.mean()  # so that no third power is too large for a float
        mean, second, third = (float(((values / scale) ** k).mean()) for k in (1, 2, 3))
        c2, c3 = second / mean**2, third / mean**3
        bound = math.inf
        if c2 > 1 and c3 > c2**2:
            bound = max(1 / (c2 - 1), (2 * c2**2 - c3) / (c3 - c2**2))
        if bound >= _MOST_ORDER:
            raise InputError(
                f"sample = {checks.shown(sample)}; no hyper-Erlang times have these moments: "
                "variance and skewness are too small; give three or more times that differ"
            )
        # An order that is hardly above the bound would leave differences without digits.
        n = max(math.floor(bound * (1 + 1e-8)) + 1, 1)
        m1, m2, m3 = 1 / n, c2 / (n * (n + 1)), c3 / (n * (n + 1) * (n + 2))
        variance = m2 - m1**2
        a, b = (m3 - m1 * m2) / variance, (m1 * m3 - m2**2) / variance
        large = (a + math.sqrt(a**2 - 4 * b)) / 2
        small = b / large  # the other root, without the difference of two like numbers
        rates = 1 / (small * mean) / scale, 1 / (large * mean) / scale
        return cls((large - m1) / (large - small), rates, n)

    def moment(self, k: int) -> float:
        """Return E[T^k] = n (n + 1) ... (n + k - 1) (p / λ1^k + (1 - p) / λ2^k)."""
        stages = math.prod(range(self.order, self.order + checks.whole("k", k)))
        first, second = self.rates
        return stages * (self.share / first**k + (1 - self.share) / second**k)

    @property
    def mean(self) -> float:
        """The first moment."""
        return self.moment(1)

    @property
    def variance(self) -> float:
        """The second moment less the mean squared."""
        return self.moment(2) - self.mean**2

    def residual(self, rng: np.random.Generator) -> float:
        """Sample the time from a random instant to the next of events that are such times apart."""
        first, second = self.rates
        # Longer times are met more often, in any of their stages.
        is_first = rng.random() * self.mean < self.order * self.share / first
        stages = rng.integers(1, self.order, endpoint=True)
        return float(rng.gamma(stages, 1 / (first if is_first else second)))

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        first, second = self.rates
        scale = np.where(rng.random(shape) < self.share, 1 / first, 1 / second)
        return rng.gamma(self.order, scale, shape)


@dataclass(frozen=True, eq=False)
class Empirical(Distribution):
    """Times sampled from observed ones, shape (n,), of 0 or more and not all 0, each as likely."""

    values: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        values = checks.times("values", self.values)
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

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return self.values[rng.integers(len(self.values), size=shape)]


@dataclass(frozen=True)
class PoissonArrivals:
    """A Poisson process with a mean of `rate` arrivals in a unit of time."""

    rate: float

    def __post_init__(self) -> None:
        checks.positive("rate", self.rate)

    def sample(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Return the first `count` instants of arrival, increasing."""
        return np.cumsum(Exponential(1 / self.rate).sample(rng, checks.whole("count", count)))

    def _repr_html_(self) -> str:
        return card(str(self), {"mean time between arrivals": 1 / self.rate})
