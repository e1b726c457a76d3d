"""Idle periods of servers: lists of them, the rules that choose among them, and slots of time."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import inf
from operator import attrgetter, gt
from typing import Any, NamedTuple

from coalloc_lib.basics.checks import LARGEST_WHOLE, InputError, finite, one_of, shown
from coalloc_lib.model.placement import answered_numbers
from coalloc_lib.model.system import Multicluster

#: The one rule that depends on the shape of trees, and so is kept by `SlotTrees` alone.
FIRST_FOUND = "first-found"

_START = attrgetter("start")


class IdlePeriod(NamedTuple):
    """A time, as long as can be, during which a server has no reservation."""

    server: int
    start: float
    end: float


#: Rule -> what the feasible periods of a cluster are sorted by; the first are taken.
RULES: dict[str, Callable[[IdlePeriod], tuple[float, ...]]] = {
    "latest-start": lambda period: (-period.start, period.server),
    "best-fit": lambda period: (period.end - period.start, -period.start, period.server),
}


class IdlePeriods:
    """The idle periods of each server of clusters of these sizes, in order of time.

    Servers are numbered from 0, cluster by cluster, all idle from 0 on. A period is *feasible* for
    an interval [start, end) if it begins by its start and ends no earlier than its end.
    """

    #: The rules that it can choose by.
    rules: tuple[str, ...] = tuple(RULES)

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = Multicluster(sizes).sizes
        self.now = 0.0
        self._first = [0, *accumulate(self.sizes)]
        self._idle = [[IdlePeriod(server, 0.0, inf)] for server in range(self._first[-1])]

    def periods(self, server: int) -> list[IdlePeriod]:
        """Return the idle periods of a server that are not past."""
        return [period for period in self._of(server) if period.end > self.now]

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods for [start, end), by server: the range search."""
        places = ((each, bisect_right(each, start, key=_START) - 1) for each in self._idle)
        last = [each[place] for each, place in places if place >= 0]
        return [period for period in last if period.end >= end]

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many servers of each cluster have a feasible period."""
        return tuple(map(len, self.by_cluster(self.feasible(start, end))))

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return ``allocation[c]`` feasible periods of each cluster c, the first by the rule."""
        order = RULES[one_of("rule", rule, self.rules)]
        return self._first_of(sorted(self.feasible(start, end), key=order), allocation)

    def take(self, period: IdlePeriod, start: float, end: float) -> None:
        """Reserve [start, end) in an idle period; what is left of it before and after stays."""
        server, begins, ends = period
        start, end = float(start), float(end)
        if period not in self._of(server) or not begins <= start < end <= ends:
            raise InputError(
                f"{shown(tuple(period))} holds no reservation from {start:g} to {end:g}; take what "
                "feasible(start, end) returns"
            )
        left = [IdlePeriod(server, begins, start), IdlePeriod(server, end, ends)]
        self._exchange(server, [period], [part for part in left if part.start < part.end])

    def give_back(self, server: int, start: float, end: float) -> None:
        """Let a server be idle again, joined to what is idle next to it and not past."""
        start, end = float(start), float(end)
        periods = self._of(server)
        after = bisect_left(periods, start, key=_START)
        beside = periods[max(after - 1, 0) : after + 1]
        if not start < end or any(p.start < end and p.end > start for p in beside):
            raise InputError(
                f"server {server} is not reserved from {start:g} to {end:g}; give back what was "
                "taken"
            )
        joined = [p for p in beside if p.end == start > self.now or p.start == end]
        begins = min([start, *(p.start for p in joined)])
        ends = max([end, *(p.end for p in joined)])
        self._exchange(server, joined, [IdlePeriod(server, begins, ends)])

    def advance(self, now: float) -> None:
        """Go on to a later instant; a server's past is forgotten when it next changes."""
        if finite("now", now) < self.now:
            raise InputError(f"now = {now:g} comes before {self.now:g}; give a later instant")
        self.now = float(now)

    def _of(self, server):
        """Return the list of a server; refuse a number that no server has."""
        (number,) = answered_numbers([server]) or [-1]
        if not 0 <= number < len(self._idle):
            servers = len(self._idle)
            raise InputError(f"server = {shown(server)}; there are {servers}, numbered from 0 on")
        return self._idle[number]

    def _exchange(self, server, old, new):
        """Put new idle periods of a server in the place of old ones, and forget its past ones."""
        periods = self._idle[server]
        first = bisect_left(periods, min((*old, *new), key=_START).start, key=_START)
        periods[first : first + len(old)] = new
        while periods and periods[0].end <= self.now:
            del periods[0]

    def by_cluster(self, periods: Iterable[IdlePeriod]) -> list[list[IdlePeriod]]:
        """Return the periods of each cluster, in the order in which they are given."""
        of_each: list[list[IdlePeriod]] = [[] for _ in self.sizes]
        for period in periods:
            of_each[bisect_right(self._first, period.server) - 1].append(period)
        return of_each

    def _first_of(self, periods, allocation):
        """Return as many of each cluster as an allocation says, in the order that is given."""
        found = self.by_cluster(periods)
        wanted = wanted_of(allocation, [*map(len, found)])
        return [period for idle, n in zip(found, wanted, strict=True) for period in idle[:n]]


def wanted_of(allocation: Any, most: Sequence[int]) -> list[int]:
    """Return an allocation as whole numbers; refuse what is none, or more than `most` servers."""
    wanted = answered_numbers(allocation)
    fits = wanted is not None and len(wanted) == len(most) and not any(map(gt, wanted, most))
    if wanted is None or not fits or min(wanted, default=0) < 0:
        raise InputError(
            f"allocation = {shown(allocation)}; feasible are {shown([*most])}, give a whole number "
            "for each cluster, no larger"
        )
    return wanted


def slack_of(slot: float) -> float:
    """Return by what share an instant may miss a multiple of the slot and still be that multiple.

    Multiples of 2**-20 have exact multiples; those of 0.1 and the times that meet them are rounded.
    """
    return 0.0 if slot * 2.0**20 % 1 == 0 else 2.0**-44  # `horizon_end` of the kernels too


def slot_of(instant: float, slot: float) -> int:
    """Return the number k of the slot that an instant is in: ``k * slot <= instant``, the last.

    What is a multiple of the slot but for rounding (`slack_of`) begins a slot: 0.3 is in slot 3 of
    0.1. Raises `InputError` where the number would not be exact.
    """
    quotient = float(instant) / slot
    if not abs(quotient) <= LARGEST_WHOLE:
        raise InputError(
            f"the instant {instant:g} is more than {LARGEST_WHOLE:,} slots of {slot:g} from 0; "
            "give an earlier one, or a longer slot"
        )
    number = round(quotient)
    is_reached = number * slot <= instant + abs(instant) * slack_of(slot)
    return number if is_reached else number - 1
