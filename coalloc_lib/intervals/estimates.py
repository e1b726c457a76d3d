"""What an answer looks like: a figure with its interval, and how it is known."""

from dataclasses import dataclass, replace

from coalloc_lib.display import card

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

    def __str__(self) -> str:
        if self.warning:
            return f"{self.estimate:.4f} (no interval: {self.warning})"
        return f"{self.estimate:.4f} ± {self.half_width:.4f} ({self.confidence:.0%})"

    def _repr_html_(self) -> str:
        ends = f"{self.low:.6g} to {self.high:.6g}"
        shown = {f"{self.confidence:.0%} interval": ends, "half-width": self.half_width}
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
class Bound:
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

    def times(self, factor: float) -> "Bound":
        """Return the bound with `factor` times the utilization."""
        return replace(self, interval=self.interval.times(factor))

    def __str__(self) -> str:
        text = self.interval if self.method == "simulation" else f"{self.max_utilization:.4f}"
        return f"{text}, {self.method}"
