"""The index: a book whose answers are those of the plain book, and come fast for many servers.

>>> from math import inf
>>> book = Index([2, 1])
>>> book.take(IdlePeriod(0, 0.0, inf), 4.0, 9.0)
>>> book.periods(0)
[IdlePeriod(server=0, start=0.0, end=4.0), IdlePeriod(server=0, start=9.0, end=inf)]
>>> book.counts(0.0, 5.0)
(1, 1)
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from coalloc_lib.calendar.kernels import periods, rows
from coalloc_lib.calendar.periods import RULES, IdlePeriod, server_of, wanted_of
from coalloc_lib.checks import InputError, finite, one_of, shown
from coalloc_lib.compilation import call
from coalloc_lib.system import Multicluster

#: Rule -> its code.
RULE_CODES = {"latest-start": periods.LATEST_START, "best-fit": periods.BEST_FIT}
#: What a message calls the kernels.
_WHAT = "calendar kernels"


class Index:
    """The idle periods of each cluster, sorted by start, with bounds on their ends and lengths.

    Parameters
    ----------
    sizes : sequence of int
        Servers of each cluster, idle from 0 on for ever.

    Notes
    -----
    A period without end is kept once, as every other, where the slot trees of the paper keep it in
    each slot. With N periods, a search looks into the few blocks whose bounds say that it might
    find something, and a change touches one block (`coalloc_lib.calendar.kernels.rows`). What one
    server has alone, which `periods` and `give_back` ask, takes a look at all periods of its
    cluster.
    """

    #: The rules that it can choose by.
    rules: tuple[str, ...] = tuple(RULE_CODES)

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = Multicluster(sizes).sizes
        self.now = 0.0
        self._first = np.array([0, *accumulate(self.sizes)])
        self._book = self._call(periods.new_book, np.array(self.sizes, dtype=np.int64), 0, 0.0)

    def periods(self, server: int) -> list[IdlePeriod]:
        """Return the idle periods of a server that are not past."""
        found: list[IdlePeriod] = []
        for row in self._rows_of(server):
            found += self._listed(periods.list_of, row, server)
        return sorted(period for period in found if period.end > self.now)

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods for [start, end), by server."""
        found: list[IdlePeriod] = []
        for row in range(2 * len(self.sizes)):
            found += self._listed(periods.list_feasible, row, float(start), float(end))
        return sorted(found)

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many servers of each cluster have a feasible period."""
        window = (float(start), float(end))
        clusters = enumerate(self.sizes)
        return tuple(self._call(periods.count, self._book, c, *window, n) for c, n in clusters)

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return ``allocation[c]`` feasible periods of each cluster c, the first by the rule."""
        code, chosen = RULE_CODES[one_of("rule", rule, self.rules)], []
        for cluster, wanted in enumerate(wanted_of(allocation, self.counts(start, end))):
            found = np.empty((2, 3, wanted))
            window = (float(start), float(end), wanted)
            counts = self._call(periods.choose, self._book, code, cluster, *window, found)
            mine = [*_named(found[0], counts[0]), *_named(found[1], counts[1])]
            chosen += sorted(mine, key=RULES[rule])
        return chosen

    def take(self, period: IdlePeriod, start: float, end: float) -> None:
        """Reserve [start, end) in an idle period of this book."""
        server, begins, ends = period
        if not begins <= start < end <= ends or period not in self.periods(server):
            raise InputError(
                f"{shown(tuple(period))} is not idle, or holds no reservation from {start:g} to "
                f"{end:g}; take what feasible(start, end) returns"
            )
        self._remove(period)
        for piece in (IdlePeriod(server, begins, start), IdlePeriod(server, end, ends)):
            if piece.start < piece.end:
                self._insert(piece)

    def give_back(self, server: int, start: float, end: float) -> None:
        """Let a server be idle again from `start` to `end`, together with what is idle beside."""
        held = self.periods(server)
        if not start < end or any(start < other.end and other.start < end for other in held):
            raise InputError(
                f"server {server} is not reserved from {start:g} to {end:g}; give back only what "
                "was taken"
            )
        beside = [other for other in held if other.end == start or other.start == end]
        for other in beside:
            self._remove(other)
        since = min([start, *(other.start for other in beside)])
        self._insert(IdlePeriod(server, since, max([end, *(other.end for other in beside)])))

    def advance(self, now: float) -> None:
        """Go on to a later instant; what is past is forgotten when much else has changed."""
        if finite("now", now) < self.now:
            raise InputError(f"now = {now:g}; the index is at {self.now:g}, give a later instant")
        self.now = float(now)

    def _rows_of(self, server):
        """Return the rows of the cluster of a server."""
        server = server_of(server, int(self._first[-1]))
        cluster = int(np.searchsorted(self._first, server, side="right")) - 1
        return 2 * cluster, 2 * cluster + 1

    def _listed(self, kernel, row, *of_what):
        """Return the periods that a kernel lists of a row."""
        found = np.empty((3, int(self._book.rows[row, rows.COUNT])))
        if kernel is periods.list_feasible:
            of_what = (*of_what, found.shape[1])
        return _named(found, self._call(kernel, self._book, row, *of_what, found))

    def _remove(self, period):
        server, start, _ = period
        cluster = self._rows_of(server)[0] // 2
        self._call(periods.remove_one, self._book, cluster, float(start), server)

    def _insert(self, period):
        server, start, end = period
        cluster = self._rows_of(server)[0] // 2
        self._book = self._call(rows.with_room, self._book, 1, self.now)
        piece = (float(start), float(end), server, self.now)
        self._call(periods.insert_one, self._book, cluster, *piece)

    @staticmethod
    def _call(kernel, *arguments) -> Any:
        return call(kernel, *arguments, what=_WHAT)


def _named(found, count):
    """Return the first periods of an array, float64 (3, n)."""
    return [IdlePeriod(int(server), *when) for *when, server in found[:, :count].T.tolist()]
