"""The state of a reservation calendar: requests of other users, and requests of its own user.

This module has no widget. `coalloc_lib.widgets.reservations` shows it in a notebook. As in paper
004 and in `coalloc_lib.calendar`, a processor that can be reserved is called a server.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, not_negative, shown, whole
from coalloc_lib.basics.display import listed
from coalloc_lib.calendar import Booking, Calendar, Rejection
from coalloc_lib.calendar.search import TOO_FEW, Attempt, Request
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.plots.schedules import JOB_COLOURS, Box
from coalloc_lib.plots.signs import COLOURS

#: The fill and text colours for the requests that the reader makes in the calendar. Grey is left
#: out, because it is used for the requests of other users.
OWN = tuple(pair for pair in JOB_COLOURS if pair[0] != COLOURS[-1])
#: The fill and text colours for the requests of other users: AT_ONCE if the request is for now, and
#: AHEAD if it is for a later start.
AT_ONCE, AHEAD = ("#C4C4C4", "#222222"), ("#8C8C8C", "#FFFFFF")
#: The maximum number of requests of other users.
MOST = 60
#: The shortest and the longest duration of a request of other users, as fractions of the horizon.
SHORT, LONG = 0.03, 0.2
#: The maximum age of a request of other users, that is, the time since its submission, as a
#: fraction of the horizon.
PAST = 0.5
#: The maximum number of servers in a request of other users, as a fraction of all servers.
WIDEST = 0.5


@dataclass(frozen=True)
class Others:
    """The parameters of the random requests that other users make in a reservation calendar.

    Parameters
    ----------
    requests : int
        The number of requests, at most `MOST`.
    share : float
        The fraction of requests with a start later than their submission, from 0 to 1.
    ahead : float
        The longest time between the submission and the start of a request.
    seed : int
        The seed of the random numbers.

    Raises
    ------
    InputError
        If a number is out of its range.
    """

    requests: int
    share: float
    ahead: float
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", whole("requests", self.requests, 0))
        if self.requests > MOST:
            raise InputError(
                f"requests = {shown(self.requests)}; give at most {MOST} requests",
                argument="requests",
            )
        if not_negative("share", self.share) > 1:
            raise InputError(
                f"share = {shown(self.share)}; give a number from 0 to 1", argument="share"
            )
        not_negative("ahead", self.ahead)
        object.__setattr__(self, "seed", whole("seed", self.seed, 0))

    def sample(self, now: float, horizon: float, servers: int, grain: float) -> list[Request]:
        """Sample requests of other users for a reservation calendar.

        Parameters
        ----------
        now, horizon : float
            The current instant and the length of the horizon, in the calendar's unit of time.
        servers : int
            The number of servers of the calendar.
        grain : float
            All instants and lengths are rounded to multiples of this length of time.

        Returns
        -------
        list of Request
            The requests in order of submission. None is submitted after `now`.
        """
        if not self.requests:
            return []
        random = np.random.default_rng(self.seed)
        submit = np.sort(random.uniform(now - PAST * horizon, now, self.requests))
        length = random.uniform(SHORT * horizon, LONG * horizon, self.requests)
        widest = max(int(WIDEST * servers), 1)
        size = random.integers(1, widest, self.requests, endpoint=True)
        submit = np.minimum(np.round(submit / grain) * grain, now)
        length = np.maximum(np.round(length / grain) * grain, grain)
        stream = JobStream(submit, length, size, request="total")
        ahead = stream.reserved_ahead(self.share, self.ahead, seed=self.seed).earliest_start
        start = np.maximum(np.round(ahead / grain) * grain, submit)
        columns = (column.tolist() for column in (submit, start, length, size))
        return [Request(*row) for row in zip(*columns, strict=True)]


class Setting(NamedTuple):
    """The parameters of a reservation calendar; `reservation_calendar` explains each of them."""

    clusters: tuple[int, ...]
    slot: float
    step: float
    max_attempts: int | None
    horizon: float
    rule: str
    span_penalty: float


class Reserved(NamedTuple):
    """A request for servers, together with the reservation that was made for it.

    The numbers of requests are above 0 for the reader of the calendar, and below 0 for other users.
    """

    number: int
    asked: Request
    booking: Booking

    def box(self) -> Box:
        """Return the box that represents this reservation in a figure."""
        booking, label = self.booking, str(self.number) if self.number > 0 else ""
        return Box(label, booking.servers, booking.start, booking.end, self.colour)

    @property
    def colour(self) -> tuple[str, str]:
        """The fill colour and the text colour of this reservation in a figure."""
        if self.number > 0:
            return OWN[(self.number - 1) % len(OWN)]
        return AHEAD if self.asked.start > self.asked.submit else AT_ONCE


class Outcome(NamedTuple):
    """The outcome of a request that the reader makes in the calendar.

    Attributes
    ----------
    reserved : Reserved or None
        The reservation, or None if the request is rejected.
    words : str
        The outcome in words.
    tried : list of dict
        The data with which a browser draws each attempt.
    """

    reserved: Reserved | None
    words: str
    tried: list[dict[str, Any]]


class BookingSession:
    """A calendar of servers with reservations of other users and of its own user.

    Parameters
    ----------
    setting : Setting
        The parameters of the calendar.
    others : iterable of Request
        The requests of other users in order of submission. They are submitted first.
    now : float
        The current time, at which the user submits all requests.
    unit : str
        The unit of time in messages, such as ``"h"``, or an empty string.
    """

    def __init__(self, setting: Setting, others: Iterable[Request], now: float, unit: str) -> None:
        self.calendar, self.unit = Calendar(*setting[:6]), unit
        self._penalty = not_negative("span_penalty", setting.span_penalty)
        self.booked: list[Reserved] = []
        self._rejected = self._number = 0
        # The requests that the reader booked and has not cancelled.
        self._kept: dict[int, Request] = {}
        for place, request in enumerate(others, start=1):
            self.calendar.advance(request.submit)
            self._rejected += isinstance(self._book(-place, request), Rejection)
        self.calendar.advance(now)
        self.until = self.calendar.terms.horizon_end(now)

    @property
    def own(self) -> list[Reserved]:
        """The reservations of the reader of the calendar, in order of their numbers."""
        return [reserved for reserved in self.booked if reserved.number > 0]

    @property
    def lost(self) -> list[int]:
        """The user's requests, by number, whose servers other users' requests have taken."""
        return sorted(self._kept.keys() - {reserved.number for reserved in self.own})

    def loaded(self) -> str:
        """Return a message with the numbers of booked and rejected requests of other users."""
        words = f"others have booked {_count(len(self.booked) - len(self.own), 'request')}"
        return f"{words}; {self._rejected} of theirs were rejected" if self._rejected else words

    def terms(self) -> str:
        """Return in words how often a booking is attempted, and how far ahead.

        The words have the number of attempts, the time between them, and the booking horizon.
        """
        terms, ahead = self.calendar.terms, self._time(self.until - self.calendar.now)
        apart = f"up to {terms.most_attempts} attempts, {self._time(terms.step)} apart"
        return f"{apart if terms.most_attempts > 1 else '1 attempt'}; horizon {ahead} ahead"

    def submit(self, start: float, length: float, servers: int) -> Outcome:
        """Submit a request of the reader of the calendar at the current time of the calendar.

        Parameters
        ----------
        start, length : float
            The earliest start, and the length of the reservation, in the calendar's unit of time.
        servers : int
            The number of servers.

        Returns
        -------
        Outcome
            The reservation or None, the outcome in words, and the attempts.
        """
        request = Request(self.calendar.now, start, length, servers)
        answer = self._book(self._number + 1, request)
        self._number += 1
        is_booked = isinstance(answer, Booking)
        if is_booked:
            self._kept[self._number] = request
        words = f"request {self._number} is {self._in_words(answer)}"
        return Outcome(self.booked[-1] if is_booked else None, words, self._tried(answer, servers))

    def again(self, before: "BookingSession") -> list[str]:
        """Submit the user's requests from an earlier session again in this session.

        Returns
        -------
        list of str
            A sentence for each request that is rejected now, and for each request that is booked
            now but had been rejected in the earlier session.
        """
        sentences, lost = [], before.lost
        self._number = before._number
        for number, request in before._kept.items():
            self._kept[number] = request._replace(submit=self.calendar.now)
            answer = self._book(number, self._kept[number])
            if isinstance(answer, Rejection) or number in lost:
                sentences.append(f"your request {number} is {self._in_words(answer)}")
        return sentences

    def cancel(self, number: int) -> str:
        """Cancel one of the user's requests, and return a message that confirms the cancellation.

        Raises
        ------
        InputError
            If the user has no request with this number.
        """
        number = whole("number", number)
        for reserved in self.own:
            if reserved.number == number:
                self.calendar.cancel(reserved.booking)
                self.booked.remove(reserved)
                del self._kept[number]
                return f"request {number} is cancelled; it was {self._where(reserved.booking)}"
        if number in self._kept:
            del self._kept[number]
            return f"request {number} is withdrawn; it was not booked"
        numbers = listed([reserved.number for reserved in self.own])
        choice = f"give one of {numbers}" if numbers else "you have none"
        raise InputError(
            f"number = {shown(number)} is not a booked request of yours; {choice}",
            argument="number",
        )

    def free(self, begin: float, end: float) -> list[int]:
        """Return the numbers of the servers that are free during an interval, starting at 0.

        Raises
        ------
        InputError
            If the interval is empty, begins before the current instant or ends after the horizon.
        """
        begin, end = not_negative("begin", begin), not_negative("end", end)
        now, last = f"{self.calendar.now:.10g}", f"{self.until:.10g}, the horizon"
        if begin < self.calendar.now:
            raise InputError(
                f"begin = {begin:.10g} is in the past; give {now} or later", argument="begin"
            )
        if begin >= self.until:
            raise InputError(
                f"begin = {begin:.10g}; give an instant before {last}", argument="begin"
            )
        if not begin < end <= self.until:
            raise InputError(
                f"end = {end:.10g}; give an instant after {begin:.10g} and by {last}",
                argument="end",
            )
        return [period.server for period in self.calendar.free(begin, end)]

    def shown(self, reserved: Reserved) -> dict[str, Any]:
        """Return the data with which a browser draws and describes a reservation."""
        number, asked, booking = reserved
        which = f"request {number}" if number > 0 else "of others"
        ahead = f"asked for {asked.start:.10g}, " if booking.start > asked.start else ""
        words = (
            f"{which}, {self._span(booking.start, booking.end)}; submitted at {asked.submit:.10g}"
        )
        label, servers, start, end, colour = reserved.box()
        return {
            "number": number, "label": label, "start": start, "end": end, "servers": list(servers),
            "mine": number > 0, "colour": list(colour),
            "said": f"{words}, {ahead}{_count(len(booking.attempts), 'attempt')}",
        }  # fmt: skip

    def _book(self, number: int, request: Request) -> Booking | Rejection:
        _, start, length, servers = request
        answer = self.calendar.submit(start, length, servers, span_penalty=self._penalty)
        if isinstance(answer, Booking):
            self.booked.append(Reserved(number, request, answer))
        return answer

    def _tried(self, answer: Booking | Rejection, servers: int) -> list[dict[str, Any]]:
        # The servers of the answer itself were free when the attempts were made.
        earlier = [reserved.booking for reserved in self.booked if reserved.booking is not answer]
        return [self._attempt(attempt, servers, earlier) for attempt in answer.attempts]

    def _attempt(
        self, attempt: Attempt, servers: int, earlier: Iterable[Booking]
    ) -> dict[str, Any]:
        start, end, idle, why = attempt
        taken = {
            server
            for booking in earlier
            if booking.start < end and booking.end > start
            for server in booking.servers
        }
        free = [server for server in range(self.calendar.system.processors) if server not in taken]
        words = f"{_count(sum(idle), 'server')} idle for all this time, {servers} needed"
        return {
            "start": start, "end": end, "free": free, "why": why, "when": self._span(start, end),
            "said": words if why in ("", TOO_FEW) else why,
        }  # fmt: skip

    def _in_words(self, answer: Booking | Rejection) -> str:
        tries = len(answer.attempts)
        if isinstance(answer, Rejection):
            after = f" after {_count(tries, 'attempt')}" if tries else ""
            return f"rejected{after}: {answer.why}"
        at = "the first attempt" if tries == 1 else f"attempt {tries}"
        return f"booked {self._where(answer)}, at {at}"

    def _where(self, booking: Booking) -> str:
        servers = [server + 1 for server in booking.servers]
        plural = "s" * (len(servers) > 1)
        return f"{self._span(booking.start, booking.end)}, on server{plural} {listed(servers)}"

    def _span(self, start: float, end: float) -> str:
        return f"from {start:.10g} to {self._time(end)}"

    def _time(self, length: float) -> str:
        return f"{length:.10g} {self.unit}".rstrip()


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"
