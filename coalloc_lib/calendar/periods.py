"""The idle periods of processors in sorted lists, the rules that choose among them, and slots.

The paper of Castillo, Rouskas and Harfoush (2009) calls the processors *servers*.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import inf, nan
from operator import attrgetter, gt
from typing import Any, NamedTuple

from coalloc_lib.basics.checks import (
    LARGEST_WHOLE,
    InputError,
    finite,
    float_of,
    kind_of,
    one_of,
    shown,
)
from coalloc_lib.model.answers import answered_numbers
from coalloc_lib.model.system import Multicluster

#: The name of the rule that takes the idle periods in the order in which a search in `SlotTrees`
#: finds them. Only the class `SlotTrees` supports this rule.
FIRST_FOUND = "first-found"

_START = attrgetter("start")


class IdlePeriod(NamedTuple):
    """A maximal interval [start, end) in which a given processor has no reservation.

    Attributes
    ----------
    server : int
        Number of the processor. Processors are numbered from 0, cluster by cluster.
    start, end : float
        The interval; `end` may be infinite.
    """

    server: int
    start: float
    end: float


#: A dict from the name of each rule that chooses among the idle periods of a cluster to a function
#: that returns the sort key of an idle period. The rule chooses the idle periods with the lowest
#: keys.
RULES: dict[str, Callable[[IdlePeriod], tuple[float, ...]]] = {
    "latest-start": lambda period: (-period.start, period.server),
    "best-fit": lambda period: (period.end - period.start, -period.start, period.server),
}


class IdlePeriods:
    """The idle periods of all processors of a multicluster.

    An idle period is *feasible* for an interval [start, end) if it contains this interval.

    Parameters
    ----------
    sizes : sequence of int
        Number of processors of each cluster. All processors are idle from the instant 0 on.

    Attributes
    ----------
    now : float
        The current time; `advance` changes it.

    Examples
    --------
    >>> idle = IdlePeriods([2, 1])
    >>> (period,) = idle.choose(0.0, 5.0, [1, 0], "latest-start")
    >>> idle.take(period, 0.0, 5.0)
    >>> idle.counts(4.0, 6.0), idle.counts(5.0, 6.0)
    ((1, 1), (2, 1))
    """

    #: The names of the rules by which the method `choose` can choose idle periods.
    rules: tuple[str, ...] = tuple(RULES)

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = Multicluster(sizes).sizes
        self.now = 0.0
        self._first = [0, *accumulate(self.sizes)]
        self._idle = [[IdlePeriod(server, 0.0, inf)] for server in range(self._first[-1])]

    def periods(self, server: int) -> list[IdlePeriod]:
        """Return the present and future idle periods of a processor."""
        return [period for period in self._periods_of(server) if period.end > self.now]

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the idle periods that contain [start, end), in order of processor number.

        The paper calls this operation *range search*. Raises `InputError` if the interval ends
        before it starts.
        """
        start, end = checked_interval(start, end)
        found = []
        for server, periods in enumerate(self._idle):
            # Periods are tuples, so a bisection with a tuple finds the last period that starts by
            # `start`.
            place = bisect_right(periods, (server, start, inf)) - 1
            if place >= 0 and periods[place].end >= end:
                found.append(periods[place])
        return found

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return the number of processors of each cluster that are idle during [start, end)."""
        return tuple(map(len, self._by_cluster(self.feasible(start, end))))

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Choose idle periods that contain the interval [start, end) by a given rule.

        Parameters
        ----------
        start, end : float
            The interval.
        allocation : sequence of int
            Number of periods to choose in each cluster.
        rule : str
            One of `rules`.

        Returns
        -------
        list of IdlePeriod
            The chosen periods, cluster by cluster.

        Raises
        ------
        InputError
            If a cluster has too few such periods, or the rule is unknown.
        """
        order = RULES[one_of("rule", rule, self.rules)]
        return self._take_first(sorted(self.feasible(start, end), key=order), allocation)

    def take(self, period: IdlePeriod, start: float, end: float) -> None:
        """Reserve the interval [start, end) in an idle period of a processor.

        The parts of the period before and after the interval remain idle. Raises `InputError` if
        the period does not exist or does not contain the interval.
        """
        server, begins, ends = period
        start, end = checked_interval(start, end)
        if period not in self._periods_of(server) or not begins <= start < end <= ends:
            raise InputError(
                f"{shown(tuple(period))} is not an idle period that contains the interval from "
                f"{start:g} to {end:g}; give a period that feasible(start, end) returns"
            )
        left = [IdlePeriod(server, begins, start), IdlePeriod(server, end, ends)]
        self._exchange(server, [period], [part for part in left if part.start < part.end])

    def give_back(self, server: int, start: float, end: float) -> None:
        """Cancel the reservation of a processor in the interval [start, end).

        The interval is merged with adjacent idle periods that are not over. Raises `InputError` if
        the processor is idle at some time in the interval, or the interval begins before 0.
        """
        start, end = checked_interval(start, end)
        periods = self._periods_of(server)
        after = bisect_left(periods, start, key=_START)
        beside = periods[max(after - 1, 0) : after + 1]
        is_idle = any(p.start < end and p.end > start for p in beside)
        if not 0 <= start < end or is_idle:
            raise InputError(
                f"processor {server} is not reserved from {start:g} to {end:g}; give an interval "
                "that was reserved with take()"
            )
        joined = [p for p in beside if p.end == start > self.now or p.start == end]
        begins = min([start, *(p.start for p in joined)])
        ends = max([end, *(p.end for p in joined)])
        self._exchange(server, joined, [IdlePeriod(server, begins, ends)])

    def advance(self, now: float) -> None:
        """Set the current time to a later instant.

        Periods that are over are removed from memory when their processor is next reserved or
        released. Raises `InputError` if `now` is before the current time.
        """
        if finite("now", now) < self.now:
            raise InputError(
                f"now = {now:g} comes before the current time {self.now:g}; "
                f"give an instant of {self.now:g} or later"
            )
        self.now = float(now)

    def _periods_of(self, server):
        numbers = answered_numbers([server])
        number = -1 if numbers is None else numbers[0]
        if not 0 <= number < len(self._idle):
            last = len(self._idle) - 1
            raise InputError(
                f"server = {shown(server)}; give the number of a processor, from 0 to {last}"
            )
        return self._idle[number]

    def _exchange(self, server, old, new):
        periods = self._idle[server]
        first = bisect_left(periods, min((*old, *new), key=_START).start, key=_START)
        periods[first : first + len(old)] = new
        while periods and periods[0].end <= self.now:
            del periods[0]

    def _by_cluster(self, periods: Iterable[IdlePeriod]) -> list[list[IdlePeriod]]:
        """Group idle periods by cluster, in the given order within each cluster."""
        groups: list[list[IdlePeriod]] = [[] for _ in self.sizes]
        for period in periods:
            groups[bisect_right(self._first, period.server) - 1].append(period)
        return groups

    def _take_first(self, periods, allocation):
        found = self._by_cluster(periods)
        wanted = wanted_of(allocation, [*map(len, found)])
        return [period for idle, n in zip(found, wanted, strict=True) for period in idle[:n]]


def checked_interval(start: float, end: float) -> tuple[float, float]:
    """Check the ends of an interval and return them as floats; `end` may be infinite.

    Raises `InputError` if an end is not a number, or the interval ends before it starts.
    """
    begins = finite("start", start)
    ends = float_of(end) if kind_of(type(end)) == "numbers" else nan
    if not begins <= ends:
        raise InputError(f"end = {shown(end)}; give an instant of {begins:g} or later")
    return begins, ends


def wanted_of(allocation: Any, most: Sequence[int]) -> list[int]:
    """Check an allocation (a number of processors per cluster), and return it as a list of ints.

    Raises `InputError` if it is not an allocation, or has more processors of a cluster than `most`.
    """
    wanted = answered_numbers(allocation)
    fits = wanted is not None and len(wanted) == len(most) and not any(map(gt, wanted, most))
    if wanted is None or not fits or min(wanted, default=0) < 0:
        raise InputError(
            f"allocation = {shown(allocation)}; give the number of processors for each "
            f"cluster, at most {shown([*most])}"
        )
    return wanted


def slack_of(slot: float) -> float:
    """Return the relative tolerance for testing whether an instant is a multiple of a slot length.

    The multiples of some slots, such as 0.1, are rounded, and an instant that should be a multiple
    may differ from it by a rounding error. If the slot is a multiple of 2**-20, all its multiples
    are exact, and the tolerance is 0.
    """
    # The function `horizon_end` in `engines.kernels.booking` must use the same tolerance.
    return 0.0 if slot * 2.0**20 % 1 == 0 else 2.0**-44


def slot_of(instant: float, slot: float) -> int:
    """Return the number of the time slot, of length `slot`, that contains an instant.

    Slot k contains the instants from ``k * slot``, included, to ``(k + 1) * slot``, excluded. An
    instant that differs from a multiple of the slot by a rounding error only (see `slack_of`)
    counts as this multiple. Raises `InputError` if the number is too large to be exact.

    Examples
    --------
    >>> slot_of(25.0, 10.0), slot_of(0.3, 0.1)
    (2, 3)
    """
    quotient = float(instant) / slot
    if not abs(quotient) <= LARGEST_WHOLE:
        raise InputError(
            f"the instant {instant:g} is more than {LARGEST_WHOLE:,} slots of length {slot:g} "
            "from 0; give an earlier instant or a longer slot"
        )
    number = round(quotient)
    is_reached = number * slot <= instant + abs(instant) * slack_of(slot)
    return number if is_reached else number - 1
