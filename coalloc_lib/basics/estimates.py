"""What an answer looks like: a figure with its interval, and how it is known."""

from dataclasses import dataclass, replace
from math import expm1, inf

from coalloc_lib.basics.display import card

#: How a figure is known. An approximation is a formula that leaves something out.
METHODS = ("exact", "approximation", "simulation")


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, from `count` (nearly) independent values.

    `above`, `below` and `between` answer True, False, or None where the interval does not decide.
    The count is 0 for an exact figure. `warning` says why the interval is likely too narrow: then
    the answer is always None, and the warning is printed in place of the interval.
    """

    estimate: float
    low: float
    high: float
    count: int
    confidence: float = 0.95
    warning: str = ""

    @classmethod
    def exact(cls, value: float) -> "Interval":
        """Return the interval without length of a figure that is known."""
        return cls(value, value, value, 0)

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def contains(self, value: float) -> bool:
        """Whether `value` lies in the interval."""
        return bool(self.low <= value <= self.high)

    def above(self, limit: float) -> bool | None:
        """Whether the figure is above a limit."""
        return self._decide(self.low > limit, self.high <= limit)

    def below(self, limit: float) -> bool | None:
        """Whether the figure is below a limit."""
        return self._decide(self.high < limit, self.low >= limit)

    def between(self, low: float, high: float) -> bool | None:
        """Whether the figure lies from `low` to `high`."""
        inside = low <= self.low and self.high <= high
        return self._decide(inside, self.high < low or self.low > high)

    def _decide(self, holds: bool, fails: bool) -> bool | None:
        return None if self.warning or not (holds or fails) else bool(holds)

    def within(self, least: float = -inf, most: float = inf) -> "Interval":
        """Return the interval without the values that the estimated quantity cannot have.

        A mean wait is never below 0, and a mean bounded slowdown never below 1, but an interval
        from few values may reach beyond such a bound. A bound must be known with certainty, and not
        be estimated from the same values. The interval without the values beyond it then holds the
        true value whenever the whole interval does.

        Parameters
        ----------
        least, most : float
            The bounds. The estimate stays in the interval.

        Examples
        --------
        >>> interval = Interval(0.98, 0.94, 1.02, 5).within(0, 1)
        >>> interval.low, interval.high
        (0.94, 1)
        """
        low = min(max(self.low, least), self.estimate)
        return replace(self, low=low, high=max(min(self.high, most), self.estimate))

    def complement(self) -> "Interval":
        """Return the interval of one minus the figure: the capacity loss of a utilization."""
        return self.times(-1).plus(1)

    def times(self, factor: float) -> "Interval":
        """Return the interval of `factor` times the figure."""
        low, high = sorted((self.low * factor, self.high * factor))
        return replace(self, estimate=self.estimate * factor, low=low, high=high)

    def plus(self, number: float) -> "Interval":
        """Return the interval of the figure plus `number`."""
        low, high = self.low + number, self.high + number
        return replace(self, estimate=self.estimate + number, low=low, high=high)

    def in_percent(self) -> "Interval":
        """Return the change in per cent of which this is the logarithm of the ratio.

        Examples
        --------
        >>> round(Interval.exact(0.0953).in_percent().estimate, 1)  # log 1.1
        10.0
        """
        ends = (self.estimate, self.low, self.high)
        estimate, low, high = (100 * expm1(end) for end in ends)
        return replace(self, estimate=estimate, low=low, high=high)

    def text(self, digits: int, sign: str = "") -> str:
        """Return the figure with its interval: ``0.25 ± 0.01``, or ``0.25 [0.24, 0.31]``.

        Both ends are given where ± would miss them in the last digit. The sign ``"+"`` is also
        written before figures above 0. An exact figure stands alone.
        """
        middle, low, high = (f"{x:{sign}z.{digits}f}" for x in (self.estimate, self.low, self.high))
        if self.warning:
            return f"{middle} (no interval: {self.warning})"
        if not self.count:
            return middle
        least, half = 10.0**-digits, self.half_width
        small = half < least / 2
        if not abs(self.low + self.high - 2 * self.estimate) <= least + 1e-9 * abs(self.estimate):
            return f"{middle} [{low}, {high}]"
        return f"{middle} ± {'<' * small}{max(half, least * small):.{digits}f}"

    def __str__(self) -> str:
        if self.warning or not self.count:
            return self.text(4)
        return f"{self.text(4)} ({self.confidence * 100:g} %)"

    def _repr_html_(self) -> str:
        ends = f"{self.low:.6g} to {self.high:.6g}"
        shown = {f"{self.confidence:.0%} interval": ends}
        facts = dict.fromkeys(shown) if self.warning else shown
        facts["rests on"] = f"{self.count} values" if self.count else "a formula"
        return card(f"{self.estimate:.6g}", facts | {"no interval": self.warning or None})


def all_of(*answers: bool | None) -> bool | None:
    """Whether all answers are yes; None where that is undecided."""
    return False if False in answers else None if None in answers else True


def not_(answer: bool | None) -> bool | None:
    """Whether the answer is no; None where it is undecided."""
    return None if answer is None else not answer


@dataclass(frozen=True)
class MaxUtilization:
    """The maximal utilization of a system, and how it is known: by one of `METHODS`.

    `multiprogramming_level` is the mean number of jobs in service, where a formula gives that.
    """

    interval: Interval
    method: str
    multiprogramming_level: float | None = None

    @property
    def max_utilization(self) -> float:
        """Largest share of the processors that can be kept busy."""
        return self.interval.estimate

    @property
    def capacity_loss(self) -> float:
        """Share of the processors that is idle at the maximal utilization."""
        return 1 - self.max_utilization

    @property
    def loss(self) -> Interval:
        """The capacity loss as an `Interval`."""
        return self.interval.complement()

    def times(self, factor: float) -> "MaxUtilization":
        """Return the bound with `factor` times the utilization."""
        return replace(self, interval=self.interval.times(factor))

    def __str__(self) -> str:
        text = self.interval if self.method == "simulation" else f"{self.max_utilization:.4f}"
        return f"{text}, {self.method}"
