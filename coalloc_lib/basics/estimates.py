"""Results of computations: an estimate with its confidence interval, and a maximal utilization."""

from dataclasses import dataclass, replace
from math import expm1, inf, isinf

from coalloc_lib.basics.display import card

#: The possible methods of computing a maximal utilization. An approximation is a formula that
#: neglects part of the model.
METHODS = ("exact", "approximation", "simulation")


@dataclass(frozen=True)
class Interval:
    """An estimate of a quantity and its confidence interval.

    Parameters
    ----------
    estimate, low, high : float
        The estimate and the two ends of the interval.
    count : int
        Number of nearly independent values from which the interval was computed. It is 0 for an
        exact value.
    confidence : float
        Confidence level of the interval, for example 0.95.
    warning : str
        Why the interval is likely to be too narrow. If it is not empty, it is printed in place of
        the interval, and `above`, `below` and `between` return None.

    Examples
    --------
    >>> wait = Interval(10.0, 9.0, 11.0, 20)
    >>> wait.above(8), wait.above(12), wait.above(10.5)
    (True, False, None)
    """

    estimate: float
    low: float
    high: float
    count: int
    confidence: float = 0.95
    warning: str = ""

    @classmethod
    def exact(cls, value: float) -> "Interval":
        """Create an interval of length 0 for an exactly known value."""
        return cls(value, value, value, 0)

    @property
    def half_width(self) -> float:
        """Half the length of the confidence interval, which is 0 for an exact value."""
        # The difference of two equal infinities would be NaN.
        return 0.0 if self.low == self.high else (self.high - self.low) / 2

    def contains(self, value: float) -> bool:
        """Return whether `value` lies in the confidence interval, also if it has a warning.

        Tests of the coverage of intervals count how often the true value lies in them.
        """
        return bool(self.low <= value <= self.high)

    def above(self, limit: float) -> bool | None:
        """Return whether the quantity is above `limit`, or None if this is uncertain."""
        return self._decide(self.low > limit, self.high <= limit)

    def below(self, limit: float) -> bool | None:
        """Return whether the quantity is below `limit`, or None if this is uncertain."""
        return self._decide(self.high < limit, self.low >= limit)

    def between(self, low: float, high: float) -> bool | None:
        """Return whether the quantity is between `low` and `high`, or None if this is uncertain."""
        inside = low <= self.low and self.high <= high
        return self._decide(inside, self.high < low or self.low > high)

    def _decide(self, holds: bool, fails: bool) -> bool | None:
        return None if self.warning or not (holds or fails) else bool(holds)

    def within(self, least: float = -inf, most: float = inf) -> "Interval":
        """Return the interval without its parts below `least` and above `most`.

        A mean wait is never below 0, and a mean bounded slowdown never below 1, but an interval
        from few values may reach beyond such a bound. A bound must be known with certainty, and not
        be estimated from the same values. Cutting off these values does not lower the coverage.

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
        """Return the estimate and the interval of 1 minus the quantity.

        For example, the complement of a utilization is the capacity loss.
        """
        return self.times(-1).plus(1)

    def times(self, factor: float) -> "Interval":
        """Return the estimate and its interval, both multiplied by `factor`.

        An infinite estimate or end times 0 is 0.
        """
        numbers = (self.estimate, self.low, self.high)
        # The product of infinity and 0 would be NaN.
        estimate, *ends = (0.0 if isinf(end) and factor == 0 else end * factor for end in numbers)
        low, high = sorted(ends)
        return replace(self, estimate=estimate, low=low, high=high)

    def plus(self, number: float) -> "Interval":
        """Return the estimate and the interval of the quantity plus `number`."""
        low, high = self.low + number, self.high + number
        return replace(self, estimate=self.estimate + number, low=low, high=high)

    def in_percent(self) -> "Interval":
        """Convert the estimate and the interval of log(ratio) to a change in per cent.

        Examples
        --------
        The logarithm of 1.1 is about 0.0953, and a ratio of 1.1 is a change of 10 %:

        >>> round(Interval.exact(0.0953).in_percent().estimate, 1)
        10.0
        """
        ends = (self.estimate, self.low, self.high)
        estimate, low, high = (100 * expm1(end) for end in ends)
        return replace(self, estimate=estimate, low=low, high=high)

    def text(self, digits: int, sign: str = "") -> str:
        """Format the estimate and its interval: ``0.25 ± 0.01`` or ``0.25 [0.24, 0.31]``.

        The second form is used if the estimate is not in the middle of the interval. An exact value
        is printed without an interval.

        Parameters
        ----------
        digits : int
            Number of digits after the decimal point.
        sign : {"", "+"}
            Whether to print a plus sign before numbers above 0.
        """
        middle, low, high = (f"{x:{sign}z.{digits}f}" for x in (self.estimate, self.low, self.high))
        if self.warning:
            return f"{middle} (no interval: {self.warning})"
        if not self.count:
            return middle
        step = 10.0**-digits  # one unit of the last digit that is printed
        if not abs(self.low + self.high - 2 * self.estimate) <= step + 1e-9 * abs(self.estimate):
            return f"{middle} [{low}, {high}]"
        if self.half_width < step / 2:  # the half-width would be printed as 0
            return f"{middle} ± <{step:.{digits}f}"
        return f"{middle} ± {self.half_width:.{digits}f}"

    def __str__(self) -> str:
        if self.warning or not self.count:
            return self.text(4)
        return f"{self.text(4)} ({self.confidence * 100:g} %)"

    def _repr_html_(self) -> str:
        facts = {}
        if not self.warning:
            facts[f"{self.confidence * 100:g} % interval"] = f"{self.low:.6g} to {self.high:.6g}"
        facts["rests on"] = f"{self.count} values" if self.count else "a formula"
        if self.warning:
            facts["no interval"] = self.warning
        return card(f"{self.estimate:.6g}", facts)


@dataclass(frozen=True)
class MaxUtilization:
    """The maximal utilization of a system, with its confidence interval and the method used.

    Parameters
    ----------
    interval : Interval
        The maximal utilization, a fraction of all processors, and its confidence interval.
    method : {"exact", "approximation", "simulation"}
        How the value was computed. An approximation is a formula that neglects a part of the
        model.
    multiprogramming_level : float, optional
        Mean number of jobs in service, if a formula gave the value.

    Examples
    --------
    >>> result = MaxUtilization(Interval.exact(0.75), "exact")
    >>> result.max_utilization, result.capacity_loss
    (0.75, 0.25)
    """

    interval: Interval
    method: str
    multiprogramming_level: float | None = None

    @property
    def max_utilization(self) -> float:
        """Maximal utilization: the largest possible fraction of busy processors."""
        return self.interval.estimate

    @property
    def capacity_loss(self) -> float:
        """Capacity loss: the fraction of processors that are idle at maximal utilization."""
        return 1 - self.max_utilization

    @property
    def loss(self) -> Interval:
        """The capacity loss as an `Interval`."""
        return self.interval.complement()

    def __str__(self) -> str:
        text = self.interval if self.method == "simulation" else f"{self.max_utilization:.4f}"
        return f"{text}, {self.method}"
