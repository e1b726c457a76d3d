"""The hyper-Erlang distribution of times, fitted to the moments of observed times."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import Distribution

#: The largest allowed order of an Erlang distribution, that is, its number of exponential stages.
#: Times with more stages would be almost deterministic.
_MOST_ORDER = 10_000


@dataclass(frozen=True)
class HyperErlang(Distribution):
    """A hyper-Erlang distribution of times with two branches of the same order.

    A time is the sum of `order` exponential times. They all have the first rate with probability
    `share`, and otherwise they all have the second rate.

    Parameters
    ----------
    share : float
        Probability of the first branch, from 0 to 1.
    rates : tuple of two floats
        Rates of the exponential times of the two branches, above 0.
    order : int
        Number of exponential times in a sum, 1 or more.

    References
    ----------
    Jann, Pattnaik, Franke, Wang, Skovira, Riordan: Modeling of Workload in MPPs. JSSPP 1997.
    """

    share: float
    rates: tuple[float, float]
    order: int

    def __post_init__(self) -> None:
        share = checks.not_negative("share", self.share)
        if share > 1:
            raise InputError(f"share = {self.share}; give a number from 0 to 1")
        if len(self.rates) != 2:
            raise InputError(
                f"rates has {len(self.rates)} entries; give the rates of the two branches"
            )
        rates = tuple(checks.positive("rates", rate) for rate in self.rates)
        values = {"share": share, "rates": rates, "order": checks.whole("order", self.order)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def fit(cls, sample: ArrayLike) -> "HyperErlang":
        """Fit the hyper-Erlang distribution of lowest order to the first three moments of a sample.

        Parameters
        ----------
        sample : array_like, shape (n,)
            Observed times of 0 or more.

        Raises
        ------
        InputError
            If no hyper-Erlang distribution of a reasonable order has these moments.

        Notes
        -----
        Let T be the time, n the order and X = 1/λ the scale of the chosen branch, which has two
        values. The moments of X are m1 = E[T] / n, m2 = E[T²] / (n (n + 1)) and
        m3 = E[T³] / (n (n + 1) (n + 2)). The two values of X are the roots of x² - a x + b with
        a = (m3 - m1 m2) / (m2 - m1²) and b = (m1 m3 - m2²) / (m2 - m1²), and m1 then gives their
        probabilities. There are two different roots above 0 if and only if m2 > m1² and
        m1 m3 > m2². In terms of the normalized moments c2 = E[T²] / E[T]² and c3 = E[T³] / E[T]³,
        these conditions are n > 1 / (c2 - 1) and n (c3 - c2²) > 2 c2² - c3.

        References
        ----------
        Johnson, Taaffe: Matching Moments to Phase Distributions: Mixtures of Erlang Distributions
        of Common Order. Stochastic Models 5(4), 1989.
        """
        values = checks.times("sample", sample)
        if not values.any():
            raise InputError("sample contains no time above 0; give at least one")
        scale = values.mean()  # times are divided by it, so that their third powers do not overflow
        mean, second, third = (float(((values / scale) ** k).mean()) for k in (1, 2, 3))
        c2, c3 = second / mean**2, third / mean**3
        bound = math.inf
        if c2 > 1 and c3 > c2**2:
            bound = max(1 / (c2 - 1), (2 * c2**2 - c3) / (c3 - c2**2))
        if bound >= _MOST_ORDER:
            raise InputError(
                f"sample = {checks.shown(sample)}; no hyper-Erlang distribution has its first "
                f"three moments with an order below {_MOST_ORDER:,}, because the times above 0 are "
                "too similar; give times that differ more"
            )
        # The order n must be clearly larger than `bound`. If it is only slightly larger, the
        # formulas subtract nearly equal numbers, and rounding errors leave no correct digits.
        n = max(math.floor(bound * (1 + 1e-8)) + 1, 1)
        m1, m2, m3 = 1 / n, c2 / (n * (n + 1)), c3 / (n * (n + 1) * (n + 2))
        variance = m2 - m1**2
        a, b = (m3 - m1 * m2) / variance, (m1 * m3 - m2**2) / variance
        large = (a + math.sqrt(a**2 - 4 * b)) / 2
        small = b / large  # precise, because this needs no difference of nearly equal numbers
        rates = 1 / (small * mean) / scale, 1 / (large * mean) / scale
        return cls((large - m1) / (large - small), rates, n)

    def moment(self, k: int) -> float:
        """Return the k-th moment E[T^k] of the times.

        With n = `order`, p = `share` and the rates λ1 and λ2, the moment is
        n (n + 1) ... (n + k - 1) (p / λ1^k + (1 - p) / λ2^k).
        """
        stages = math.prod(range(self.order, self.order + checks.whole("k", k)))
        first, second = self.rates
        return stages * (self.share / first**k + (1 - self.share) / second**k)

    @property
    def mean(self) -> float:
        """Mean of the times: the first moment."""
        return self.moment(1)

    @property
    def variance(self) -> float:
        """Variance of the times: the second moment minus the square of the mean."""
        return self.moment(2) - self.mean**2

    def residual(self, rng: np.random.Generator) -> float:
        """Return a random residual time: the time from a random instant to the next event.

        The events form a stationary renewal process, and the times between successive events have
        this distribution.
        """
        first, second = self.rates
        # A random instant is more likely to fall into a long interval between two events than into
        # a short interval. Within its interval, the instant is equally likely to fall into each
        # exponential stage.
        is_first = rng.random() * self.mean < self.order * self.share / first
        stages = rng.integers(1, self.order, endpoint=True)
        return float(rng.gamma(stages, 1 / (first if is_first else second)))

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> NDArray:
        first, second = self.rates
        scale = np.where(rng.random(shape) < self.share, 1 / first, 1 / second)
        return rng.gamma(self.order, scale, shape)
