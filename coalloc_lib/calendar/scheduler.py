"""An online scheduler for interactive use: it books and cancels single requests."""

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.times import DAY
from coalloc_lib.calendar.booking import Booking, Rejection, book
from coalloc_lib.calendar.periods import IdlePeriod, IdlePeriods
from coalloc_lib.calendar.search import BEFORE_NOW, NO_LENGTH, TOO_WIDE, BookingRules
from coalloc_lib.model.answers import checked_allocation
from coalloc_lib.model.placement import Placement, WorstFit, clusters_used, time_on_processors
from coalloc_lib.model.system import Multicluster


class Calendar:
    """An online scheduler that accepts or rejects each request immediately.

    Parameters
    ----------
    clusters : Multicluster, sequence of int, or int
        The system, the number of processors of each cluster, or the number of processors of a
        single cluster.
    slot, step, max_attempts, horizon, rule, min_length
        As in the policy `Online`.
    placement : Placement, optional
        The rule that distributes the processors of a request over the clusters; by default,
        `WorstFit`.

    Attributes
    ----------
    now : float
        The current time of the calendar, at which requests are submitted. It begins at 0; `advance`
        changes it.
    idle : IdlePeriods
        The idle periods of all processors.
    bookings : set of Booking
        The bookings that have not ended and were not cancelled.

    Raises
    ------
    InputError
        If a parameter is not allowed, or the placement does not serve flexible requests.

    Examples
    --------
    The second request finds enough idle processors only at its fourth attempt.

    >>> calendar = Calendar([4, 2], slot=10, step=10, horizon=100)
    >>> calendar.submit(start=0, length=25, servers=5).allocation
    (4, 1)
    >>> second = calendar.submit(start=0, length=25, servers=2)
    >>> second.start, len(second.attempts)
    (30.0, 4)
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
                f"placement = {placement} cannot place flexible requests, whose processors can be "
                "in several clusters; give another placement, such as WorstFit()"
            )
        placement.check(self.system)
        self.idle = IdlePeriods(self.system.sizes)
        self.rule = checks.one_of("rule", rule, self.idle.rules)
        self.bookings: set[Booking] = set()
        #: A heap of the current bookings as tuples (end, number, booking). The number breaks ties
        #: between bookings that end at the same instant.
        self._ends: list[tuple[float, int, Booking]] = []

    @property
    def now(self) -> float:
        """The current time of the calendar, at which requests are submitted."""
        return self.idle.now

    def submit(
        self,
        start: float,
        length: float,
        servers: int,
        latest: float = inf,
        span_penalty: float = 0.0,
    ) -> Booking | Rejection:
        """Submit a request for processors at the current time of the calendar.

        Parameters
        ----------
        start, latest : float
            The request must start in this interval, ends included.
        length : float
            Length of the request on one cluster. A request with a negative length is rejected.
        servers : int
            Number of processors.
        span_penalty : float
            On several clusters, the request takes ``length * (1 + span_penalty)``.

        Returns
        -------
        Booking or Rejection
            The reservation, or the reason for the rejection.

        Raises
        ------
        InputError
            If a number is not allowed.
        """
        start, length = checks.finite("start", start), checks.finite("length", length)
        count = checks.whole("servers", servers)
        if checks.kind_of(type(latest)) != "numbers" or latest != inf:
            latest = checks.finite("latest", latest)
        request = _Request(count, length, checks.not_negative("span_penalty", span_penalty))
        if count > self.system.processors:
            return Rejection(self.now, TOO_WIDE, ())
        if start < self.now:
            return Rejection(self.now, BEFORE_NOW, ())
        if length < 0:  # the minimum length is for short requests only
            return Rejection(self.now, NO_LENGTH, ())
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
        """Cancel a booking that does not start before the current time.

        Parameters
        ----------
        booking : Booking
            A booking that `submit` returned.

        Raises
        ------
        InputError
            If the booking has started or ended, was cancelled before, or is not from this calendar.
        """
        if not isinstance(booking, Booking) or booking not in self.bookings:
            raise InputError(
                f"{shown(booking)} is not a current booking of this calendar; give a booking that "
                "submit() returned and that has neither been cancelled nor ended"
            )
        if booking.start < self.now:
            raise InputError(
                f"the booking started at {booking.start:g} and the current time is "
                f"{self.now:g}; cancel a booking before it starts"
            )
        self.bookings.remove(booking)
        for server in booking.servers:
            self.idle.give_back(server, booking.start, booking.end)

    def free(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the idle periods that contain a given interval, at most one per processor.

        Parameters
        ----------
        start, end : float
            The interval [start, end), which must not begin before the current time.

        Returns
        -------
        list of IdlePeriod
            The idle periods, by processor number.

        Raises
        ------
        InputError
            If the interval is empty or begins before the current time.
        """
        start, end = checks.finite("start", start), checks.finite("end", end)
        if not self.now <= start < end:
            raise InputError(
                f"start = {start:g} and end = {end:g}; give a start at or after the current "
                f"time {self.now:g}, and a later end"
            )
        return self.idle.feasible(start, end)

    def advance(self, now: float) -> None:
        """Set the current time to a later instant, and remove the bookings that have ended.

        Parameters
        ----------
        now : float
            The new current time.

        Raises
        ------
        InputError
            If `now` is before the current time, or too large for the slots to be exact.
        """
        # The method `horizon_end` raises an error if `now` is so late that its time slot cannot be
        # computed exactly.
        self.terms.horizon_end(checks.finite("now", now))
        self.idle.advance(now)
        while self._ends and self._ends[0][0] <= self.now:
            self.bookings.discard(heappop(self._ends)[-1])

    def _place(self, request, idle):
        answer = self._placement.place((request.servers,), "flexible", idle)
        if answer is None:
            return None
        what = f"a request for {request.servers} processors"
        name = f"placement = {self._placement}"
        return checked_allocation(name, answer, request.servers, idle, what)


class _Request(NamedTuple):
    servers: int
    length: float
    span_penalty: float

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return the length of the request on an allocation, including the span penalty."""
        return time_on_processors(self.length, self.span_penalty, clusters_used(allocation))
