"""The online scheduler by hand: it books, cancels, and lists the idle servers."""

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.times import DAY
from coalloc_lib.calendar.booking import Booking, Refused, book
from coalloc_lib.calendar.periods import IdlePeriod, IdlePeriods
from coalloc_lib.calendar.search import BEFORE_NOW, TOO_WIDE, BookingRules
from coalloc_lib.model.placement import Placement, WorstFit, fitting, time_on_processors
from coalloc_lib.model.system import Multicluster


class Calendar:
    """An online scheduler: requests are booked at once, or refused, which changes nothing.

    Parameters
    ----------
    clusters : Multicluster, sequence of int, or int
        Servers of each cluster, or of the only one.
    slot, step, max_attempts, horizon, rule, min_length
        As those of `Online`.
    placement : Placement, optional
        From which clusters; worst fit where it is not given.

    Attributes
    ----------
    now : float
        The present instant, at which requests are submitted; `advance` moves it.
    idle : IdlePeriods
    bookings : set of Booking
        Those that have not ended.
    """

    def __init__(
        self,
        clusters: Any,
        slot: float = 900.0,
        step: float = 900.0,
        max_attempts: int | None = None,
        horizon: float = 28 * DAY,
        rule: str = "latest-start",
        placement: Placement | None = None,
        min_length: float = 0.0,
    ) -> None:
        self.system = clusters if isinstance(clusters, Multicluster) else Multicluster(clusters)
        self.terms = BookingRules(slot, step, max_attempts, horizon, min_length=min_length)
        placement = WorstFit() if placement is None else placement
        self._placement = checks.instance_of("placement", placement, Placement, "WorstFit()")
        if "flexible" not in placement.requests:
            raise InputError(
                f"placement = {placement} does not distribute processors over clusters (flexible "
                "requests), as a calendar does; give another"
            )
        placement.check(self.system)
        self.idle = IdlePeriods(self.system.sizes)
        self.rule = checks.one_of("rule", rule, self.idle.rules)
        self.now = 0.0
        self.bookings: set[Booking] = set()
        #: A heap: when each ends, and what tells those apart that end at once.
        self._ends: list[tuple[float, int, Booking]] = []

    def submit(
        self,
        start: float,
        length: float,
        servers: int,
        latest: float = inf,
        span_penalty: float = 0.0,
    ) -> Booking | Refused:
        """Request servers, now; return the booking, or why there is none.

        The request starts between `start` and `latest`. It takes `length` on one cluster, and
        ``length * (1 + span_penalty)`` on several.
        """
        start, length = checks.finite("start", start), checks.finite("length", length)
        count = checks.whole("servers", servers)
        if checks.kind_of(type(latest)) != "numbers" or latest != inf:
            latest = checks.finite("latest", latest)
        request = _Request(count, length, checks.not_negative("span_penalty", span_penalty))
        if count > self.system.processors:
            return Refused(self.now, TOO_WIDE, ())
        if start < self.now:
            return Refused(self.now, BEFORE_NOW, ())
        answer = book(
            self.idle,
            request,
            self._place,
            self.terms,
            self.rule,
            now=self.now,
            earliest=start,
            latest=latest,
        )
        if isinstance(answer, Booking):
            self.bookings.add(answer)
            heappush(self._ends, (answer.end, id(answer), answer))
        return answer

    def cancel(self, booking: Booking) -> None:
        """Give up a booking that has not started.

        Where it starts now, what its servers had idle until now is past.
        """
        if not isinstance(booking, Booking) or booking not in self.bookings:
            raise InputError(
                f"{shown(booking)} is no booking of this calendar that has not ended, or it was "
                "given up before; give what submit() returned"
            )
        if booking.start < self.now:
            raise InputError(
                f"the booking has run since {booking.start:g}, now is {self.now:g}; cancel one "
                "that has not started"
            )
        self.bookings.remove(booking)
        for server in booking.servers:
            self.idle.give_back(server, booking.start, booking.end)

    def free(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the idle periods, one a server, that hold a whole interval: the range search."""
        start, end = checks.finite("start", start), checks.finite("end", end)
        if not self.now <= start < end:
            raise InputError(
                f"start = {start:g} and end = {end:g}, now is {self.now:g}; give an interval that "
                "is still to come"
            )
        return self.idle.feasible(start, end)

    def advance(self, now: float) -> None:
        """Go on to a later instant; bookings that have ended are forgotten."""
        if not checks.finite("now", now) >= self.now:
            raise InputError(f"now = {now:g} comes before {self.now:g}; time only goes on")
        self.terms.horizon_end(now)  # refuses what is too far
        self.idle.advance(now)
        self.now = float(now)
        while self._ends and self._ends[0][0] <= self.now:
            self.bookings.discard(heappop(self._ends)[-1])

    def _place(self, request, idle):
        answer = self._placement.place((request.servers,), "flexible", idle)
        if answer is None:
            return None
        taken = fitting(answer, request.servers, idle)
        if taken is None:
            raise InputError(
                f"placement = {self._placement} placed a request for {request.servers} servers as "
                f"{shown(answer)} with {shown([*idle])} idle; return how many of each cluster, no "
                "more than are idle, or None"
            )
        return taken


class _Request(NamedTuple):
    servers: int
    length: float
    span_penalty: float

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return how long it takes on an allocation."""
        return time_on_processors(self.length, self.span_penalty, sum(map(bool, allocation)))
