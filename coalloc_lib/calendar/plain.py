"""The plain book: a list of idle periods for every server, and each question asks all servers.

>>> book = PlainBook([2, 1])
>>> book.take(IdlePeriod(0, 0.0, inf), 4.0, 9.0)
>>> book.periods(0)
[IdlePeriod(server=0, start=0.0, end=4.0), IdlePeriod(server=0, start=9.0, end=inf)]
>>> book.counts(0.0, 5.0)
(1, 1)
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import inf
from operator import attrgetter

from coalloc_lib.calendar.periods import RULES, IdlePeriod, server_of, wanted_of
from coalloc_lib.checks import InputError, finite, one_of, shown
from coalloc_lib.system import Multicluster

_START = attrgetter("start")


class PlainBook:
    """The idle periods of each server, in order of time.

    Parameters
    ----------
    sizes : sequence of int
        Servers of each cluster, idle from 0 on for ever.
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
        idle = self._idle[server_of(server, len(self._idle))]
        return [period for period in idle if period.end > self.now]

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods for [start, end), by server."""
        found = []
        for periods in self._idle:
            position = bisect_right(periods, start, key=_START) - 1
            if position >= 0 and periods[position].end >= end:
                found.append(periods[position])
        return found

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many servers of each cluster have a feasible period."""
        return tuple(map(len, self._by_cluster(self.feasible(start, end))))

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return ``allocation[c]`` feasible periods of each cluster c, the first by the rule."""
        order = RULES[one_of("rule", rule, self.rules)]
        return self._first_of(sorted(self.feasible(start, end), key=order), allocation)

    def take(self, period: IdlePeriod, start: float, end: float) -> None:
        """Reserve [start, end) in an idle period of this book."""
        server, begins, ends = period
        start, end = float(start), float(end)
        if (
            period not in self._idle[server_of(server, len(self._idle))]
            or not begins <= start < end <= ends
        ):
            raise InputError(
                f"{shown(tuple(period))} holds no reservation from {start:g} to {end:g}; take what "
                "feasible(start, end) returns"
            )
        pieces = [IdlePeriod(server, begins, start), IdlePeriod(server, end, ends)]
        self._exchange(server, [period], [piece for piece in pieces if piece.start < piece.end])

    def give_back(self, server: int, start: float, end: float) -> None:
        """Let a server be idle again from `start` to `end`, together with what is idle beside."""
        start, end = float(start), float(end)
        server = server_of(server, len(self._idle))
        periods = self._idle[server]
        after = bisect_left(periods, start, key=_START)
        before = periods[max(after - 1, 0) : after]
        behind = periods[after : after + 1]
        if not start < end or [p for p in before if p.end > start] + [
            p for p in behind if p.start < end
        ]:
            raise InputError(
                f"server {server} is not reserved from {start:g} to {end:g}; give back what was "
                "taken"
            )
        joined = [p for p in before if p.end == start > self.now] + [
            p for p in behind if p.start == end
        ]
        begins = min([start, *(p.start for p in joined)])
        ends = max([end, *(p.end for p in joined)])
        self._exchange(server, joined, [IdlePeriod(server, begins, ends)])

    def advance(self, now: float) -> None:
        """Go on to a later instant; a server's past is forgotten when it next changes."""
        if finite("now", now) < self.now:
            raise InputError(f"now = {now:g}; the book is at {self.now:g}, give a later instant")
        self.now = float(now)

    def _exchange(self, server, old, new):
        """Put new idle periods of a server in the place of old ones, and forget its past ones."""
        periods = self._idle[server]
        first = bisect_left(periods, min((*old, *new), key=_START).start, key=_START)
        periods[first : first + len(old)] = new
        while periods and periods[0].end <= self.now:
            del periods[0]

    def _by_cluster(self, periods):
        """Return the periods of each cluster, in the order in which they are given."""
        of_each: list[list[IdlePeriod]] = [[] for _ in self.sizes]
        for period in periods:
            of_each[bisect_right(self._first, period.server) - 1].append(period)
        return of_each

    def _first_of(self, periods, allocation):
        """Return as many of each cluster as an allocation says, in the order that is given."""
        found = self._by_cluster(periods)
        wanted = wanted_of(allocation, [*map(len, found)])
        return [period for idle, n in zip(found, wanted, strict=True) for period in idle[:n]]
