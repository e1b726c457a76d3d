"""Mixtures of two Erlang distributions of one order, which can have any first three moments."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, not_negative, positive, whole
from coalloc_lib.columns import times
from coalloc_lib.distributions.base import Distribution

#: Times of a higher order are all but equal.
_MOST_ORDER = 10_000


@dataclass(frozen=True)
class HyperErlang(Distribution):
    """Hyper-Erlang times of common order: with probability `share` of one Erlang, else of another.

    Parameters
    ----------
    share : float
        Probability p of the first, from 0 to 1.
    rates : tuple of two floats
        λ1 and λ2, the rates of a stage of each, in 1 over the unit of time.
    order : int
        n, the stages of both: the sum of so many exponential times.

    Notes
    -----
    The k-th moment is n (n + 1) ... (n + k - 1) (p / λ1^k + (1 - p) / λ2^k).

    References
    ----------
    Jann, Pattnaik, Franke, Wang, Skovira, Riordan: Modeling of workload in MPPs. JSSPP 1997.
    """

    share: float
    rates: tuple[float, float]
    order: int

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not_negative("share", self.share) > 1:
            raise InputError(f"share = {self.share}; give a number from 0 to 1")
        if len(self.rates) != 2:
            raise InputError(f"rates has {len(self.rates)} entries; give two")
        object.__setattr__(self, "rates", tuple(positive("rates", rate) for rate in self.rates))
        whole("order", self.order)

    @classmethod
    def of_moments(cls, first: float, second: float, third: float) -> "HyperErlang":
        """Return the distribution of the least order with these first three moments.

        Parameters
        ----------
        first, second, third : float
            E[T], E[T²] and E[T³].

        Raises
        ------
        InputError
            No times of 0 or more have these moments, or only times that are (nearly) all equal,
            or all 0 or one value.

        Notes
        -----
        Over n, n (n + 1) and n (n + 1) (n + 2) the moments are those, m1, m2 and m3, of the scale
        1/λ, which has two values. They are the roots of x² - a x + b with
        a = (m3 - m1 m2) / (m2 - m1²) and b = (m1 m3 - m2²) / (m2 - m1²), and the mean gives p.
        There are two, above 0, exactly if m2 > m1² and m1 m3 > m2². With c2 and c3 the moments of T
        over powers of its mean, that is n > 1 / (c2 - 1) and n (c3 - c2²) > 2 c2² - c3.

        References
        ----------
        Johnson, Taaffe: Matching moments to phase distributions: mixtures of Erlang distributions
        of common order. Stochastic Models 5(4), 1989.

        Examples
        --------
        >>> fitted = HyperErlang.of_moments(10.0, 500.0, 60_000.0)
        >>> fitted.order, [round(fitted.moment(k), 6) for k in (1, 2, 3)]
        (1, [10.0, 500.0, 60000.0])
        """
        mean = positive("first", first)
        c2, c3 = positive("second", second) / mean**2, positive("third", third) / mean**3
        if c2 <= 1 or c3 <= c2**2:
            raise InputError(f"moments {first:g}, {second:g}, {third:g}; {_NONE}")
        bound = max(1 / (c2 - 1), (2 * c2**2 - c3) / (c3 - c2**2))
        if bound >= _MOST_ORDER:
            raise InputError(f"moments {first:g}, {second:g}, {third:g}; {_NONE}")
        # An order that is hardly above the bound would leave differences without digits.
        n = max(math.floor(bound * (1 + 1e-8)) + 1, 1)
        m1, m2, m3 = 1 / n, c2 / (n * (n + 1)), c3 / (n * (n + 1) * (n + 2))
        spread = m2 - m1**2
        a, b = (m3 - m1 * m2) / spread, (m1 * m3 - m2**2) / spread
        large = (a + math.sqrt(a**2 - 4 * b)) / 2
        small = b / large  # the other root, without the difference of two like numbers
        return cls((large - m1) / (large - small), (1 / (small * mean), 1 / (large * mean)), n)

    @classmethod
    def fit(cls, sample: ArrayLike) -> "HyperErlang":
        """Return the distribution of the least order with the first three moments of a sample."""
        values = times("sample", sample)
        if not values.any():
            raise InputError("sample holds no time above 0; give observed times")
        scale = values.mean()  # so that no third power is too large for a float
        moments = (float(((values / scale) ** k).mean()) for k in (1, 2, 3))
        unit = cls.of_moments(*moments)
        return cls(unit.share, (unit.rates[0] / scale, unit.rates[1] / scale), unit.order)

    def moment(self, k: int) -> float:
        """Return the k-th moment, E[T^k]."""
        stages = math.prod(range(self.order, self.order + whole("k", k)))
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
        """Draw how long it is to the next of many events that are such times apart.

        Seen from an instant that has nothing to do with the events: long times are met more often,
        and any of their stages may be under way.
        """
        first, second = self.rates
        is_first = rng.random() * self.mean < self.order * self.share / first
        stages = rng.integers(1, self.order, endpoint=True)
        return float(rng.gamma(stages, 1 / (first if is_first else second)))

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        first, second = self.rates
        scale = np.where(rng.random(shape) < self.share, 1 / first, 1 / second)
        return rng.gamma(self.order, scale, shape)


_NONE = (
    "no hyper-Erlang times have these, as their variance and skewness are too small; give moments "
    "of a sample of three or more times that differ"
)
