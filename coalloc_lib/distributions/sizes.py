"""Distributions of job sizes: whole numbers of processors."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, in_memory, instance_of, positive, shown, whole
from coalloc_lib.columns import numbers, whole_numbers
from coalloc_lib.distributions.base import Distribution, weights_of

#: A distribution is a table with an entry for each size.
MOST_SIZE = 10**7


@dataclass(frozen=True, eq=False)
class SizeDistribution(Distribution):
    """A distribution of whole sizes of 1 or more.

    Parameters
    ----------
    probabilities : array_like, shape (largest size + 1,)
        ``probabilities[s]`` is the probability of size `s`; ``probabilities[0]`` is 0.
    name : str
        How tables and figures call it.
    """

    probabilities: np.ndarray
    name: str = "sizes"

    def __post_init__(self) -> None:
        """Check the weights; freeze the array."""
        weights = numbers("probabilities", self.probabilities)
        if weights.ndim != 1 or len(weights) < 2:
            raise InputError("probabilities is not a list that starts at size 0 and goes to 1")
        weights = weights_of("probabilities", weights)
        if weights[0] != 0:
            raise InputError(f"probabilities[0] = {weights[0]}; no job has size 0, give 0")
        weights = np.trim_zeros(weights, "b")
        weights.flags.writeable = False
        object.__setattr__(self, "probabilities", weights)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same name and give each size the same probability."""
        return (
            isinstance(other, SizeDistribution)
            and self.name == other.name
            and np.array_equal(self.probabilities, other.probabilities)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.probabilities.tobytes()))

    @classmethod
    def empirical(cls, sizes: ArrayLike, name: str = "empirical") -> "SizeDistribution":
        """Return the distribution of a sample of sizes, every one of them as likely."""
        sample = whole_numbers("sizes", sizes).ravel()
        in_memory("the largest of sizes", int(sample.max()), MOST_SIZE)
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
        total[-1] = np.inf  # rounding must not let a draw fall past the last size
        return total

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        return np.searchsorted(self._cumulative, rng.random(shape), side="right")

    def sum_of(self, copies: int) -> "SizeDistribution":
        """Return the distribution of the sum of `copies` independent draws."""
        total = np.ones(1)
        for _ in range(whole("copies", copies)):
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

    Parameters
    ----------
    q : float
        In (0, 1]: how fast the probability falls with the size.
    low, high : int
        Smallest and largest size, in processors.
    one_is_power_of_two : bool
        Whether size 1 = 2^0 has the threefold weight too. The tables of Bucur and Epema
        come out only without it.

    Notes
    -----
    p_i = q^i / Q where i is not a power of two, 3 q^i / Q where it is; Q makes the sum 1.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), section 2.5.
    """
    low, high = _interval(low, high)
    if positive("q", q) > 1:
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
    instance_of("sizes", text, str, '"U[1,16]" or "D(0.9)[1,8]"')
    match = re.fullmatch(rf"\s*(?:U|D\({number}\))\s*(?:on)?\s*\[{number},{number}\]\s*", text)
    if not match:
        raise InputError(f"sizes = {shown(text)}; write U[a,b] or D(q)[a,b], for example U[1,16]")
    try:
        q = None if match[1] is None else float(match[1])
        low, high = int(match[2]), int(match[3])
    except ValueError:
        raise InputError(
            f"sizes = {shown(text)}; q is a number, a and b are whole numbers"
        ) from None
    if q is None:
        return uniform(low, high)
    return power_of_two(q, low, high, one_is_power_of_two=one_is_power_of_two)


def _interval(low: int, high: int) -> tuple[int, int]:
    low, high = whole("low", low), whole("high", high)
    in_memory("high", high, MOST_SIZE)
    if low > high:
        raise InputError(f"low = {low} is above high = {high}; swap them")
    return low, high
