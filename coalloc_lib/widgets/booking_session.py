"""Behind the reservation calendar: the load of others, and what comes of a reader's requests."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, not_negative, shown, whole
from coalloc_lib.basics.display import listed
from coalloc_lib.calendar import Booking, Calendar
from coalloc_lib.calendar.search import TOO_FEW, Attempt
from coalloc_lib.calendar.trees import Request
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.plots.schedules import JOB_COLOURS, Box
from coalloc_lib.plots.signs import COLOURS

#: Fill and ink of a reader's requests, by number: no grey, which others have.
MINE = tuple(pair for pair in JOB_COLOURS if pair[0] != COLOURS[-1])
AT_ONCE, AHEAD = ("#C4C4C4", "#222222"), ("#8C8C8C", "#FFFFFF")
#: Requests of others at most; as shares of the horizon, their lengths and how long ago they came;
#: the largest share of the servers that they ask for.
MOST, SHORT, LONG, PAST, WIDEST = 60, 0.03, 0.2, 0.5, 0.5


@dataclass(frozen=True)
class Others:
    """The load of others, as its sliders say it."""

    requests: int
    share: float
    ahead: float
    draw: int

    def __post_init__(self) -> None:
        """Check every number."""
        if whole("requests", self.requests, 0) > MOST:
            raise InputError(f"requests = {shown(self.requests)}; give at most {MOST}")
        if not_negative("share", self.share) > 1:
            raise InputError(f"share = {shown(self.share)}; give a number from 0 to 1")
        not_negative("ahead", self.ahead)
        whole("draw", self.draw, 0)

    def sample(self, now: float, horizon: float, servers: int, grain: float) -> list[Request]:
        """Return the requests in order of submission, all before `now`."""
        if not self.requests:
            return []
        draw = np.random.default_rng(self.draw)
        submit = np.sort(draw.uniform(now - PAST * horizon, now, self.requests))
        length = draw.uniform(SHORT * horizon, LONG * horizon, self.requests)
        widest = max(int(WIDEST * servers), 1)
        size = draw.integers(1, widest, self.requests, endpoint=True)
        submit = np.minimum(np.round(submit / grain) * grain, now)
        length = np.maximum(np.round(length / grain) * grain, grain)
        stream = JobStream(submit, length, size, request="total")
        ahead = stream.reserved_ahead(self.share, self.ahead, seed=self.draw).earliest_start
        start = np.maximum(np.round(ahead / grain) * grain, submit)
        columns = (each.tolist() for each in (submit, start, length, size))
        return [Request(*row) for row in zip(*columns, strict=True)]


class Setting(NamedTuple):
    """What a calendar is made of, as `reservation_calendar` takes it."""

    clusters: tuple[int, ...]
    slot: float
    step: float
    max_attempts: int | None
    horizon: float
    rule: str
    span_penalty: float


class Reserved(NamedTuple):
    """A request that was booked: others have numbers below 0."""

    number: int
    asked: Request
    booking: Booking

    def box(self) -> Box:
        """Return how it is drawn."""
        booking, label = self.booking, str(self.number) if self.number > 0 else ""
        return Box(label, booking.servers, booking.start, booking.end, self.colour)

    @property
    def colour(self) -> tuple[str, str]:
        """Fill and ink: a colour for the reader's, grey for others', dark for those ahead."""
        if self.number > 0:
            return MINE[(self.number - 1) % len(MINE)]
        return AHEAD if self.asked.start > self.asked.submit else AT_ONCE


class BookingSession:
    """A calendar after the requests of others, and those of a reader."""

    def __init__(self, setting: Setting, others: Iterable[Request], now: float, unit: str) -> None:
        self.calendar, self.unit = Calendar(*setting[:6]), unit
        self._penalty = not_negative("span_penalty", setting.span_penalty)
        self.booked: list[Reserved] = []
        self.tried: list[dict[str, Any]] = []
        self._refused = self._number = 0
        self._kept: dict[int, Request] = {}  # the reader's: booked once, and not cancelled
        for place, request in enumerate(others, start=1):
            self.calendar.advance(request.submit)
            self._refused += self._book(-place, request) is None
        self.calendar.advance(now)
        self.until = self.calendar.terms.horizon_end(now)

    @property
    def mine(self) -> list[Reserved]:
        """The reader's requests that are booked, in order of their numbers."""
        return [reserved for reserved in self.booked if reserved.number > 0]

    @property
    def lost(self) -> list[int]:
        """Numbers of the reader's requests for which the load of others leaves no room."""
        return sorted(self._kept.keys() - {reserved.number for reserved in self.mine})

    def loaded(self) -> str:
        """Say what others have booked."""
        words = f"others have booked {_count(len(self.booked) - len(self.mine), 'request')}"
        return f"{words}, and were refused {self._refused}" if self._refused else words

    def terms(self) -> str:
        """Say which starts are tried, and by when all has to end."""
        terms, ahead = self.calendar.terms, self._time(self.until - self.calendar.now)
        apart = f"up to {terms.most_attempts} attempts, {self._time(terms.step)} apart"
        return f"{apart if terms.most_attempts > 1 else '1 attempt'}; horizon {ahead} ahead"

    def submit(self, start: float, length: float, servers: int) -> tuple[Reserved | None, str]:
        """Book a request of the reader, now; return it, or None, and what came of it in words."""
        request = Request(self.calendar.now, start, length, servers)
        reserved = self._book(self._number + 1, request)
        self._number += 1
        if reserved is not None:
            self._kept[self._number] = request
        return reserved, f"request {self._number} is {self._came(reserved)}"

    def again(self, before: "BookingSession") -> list[str]:
        """Book what a reader had asked of another session; say what is refused, or back again."""
        said, lost = [], before.lost
        self._number = before._number
        for number, request in before._kept.items():
            self._kept[number] = request._replace(submit=self.calendar.now)
            reserved = self._book(number, self._kept[number])
            if reserved is None or number in lost:
                said.append(f"your request {number} is {self._came(reserved)}")
        return said

    def cancel(self, number: int) -> str:
        """Cancel a request of the reader."""
        number = whole("number", number, -len(self.booked))
        for reserved in self.mine:
            if reserved.number == number:
                self.calendar.cancel(reserved.booking)
                self.booked.remove(reserved)
                del self._kept[number]
                return f"request {number} is cancelled; it was {self._where(reserved.booking)}"
        if number in self._kept:
            del self._kept[number]
            return f"request {number} is given up; it was not booked"
        yours = listed([reserved.number for reserved in self.mine]) or "none"
        raise InputError(f"number = {shown(number)}; yours that are booked: {yours}")

    def free(self, begin: float, end: float) -> list[int]:
        """Return the servers that are free all the time between two instants."""
        begin, end = not_negative("begin", begin), not_negative("end", end)
        now, last = f"{self.calendar.now:g}", f"{self.until:g}, the horizon"
        if begin < self.calendar.now:
            raise InputError(f"begin = {begin:g}; before {now} is past: give {now} or later")
        if begin >= self.until:
            raise InputError(f"begin = {begin:g}; give an instant before {last}")
        if not begin < end <= self.until:
            raise InputError(f"end = {end:g}; give an instant after {begin:g} and by {last}")
        return [period.server for period in self.calendar.free(begin, end)]

    def shown(self, reserved: Reserved) -> dict[str, Any]:
        """Return what a browser draws of a reservation, and says of it."""
        number, asked, booking = reserved
        which = f"request {number}" if number > 0 else "of others"
        ahead = f"asked for {asked.start:g}, " if booking.start > asked.start else ""
        words = f"{which}, {self._span(booking.start, booking.end)}; submitted at {asked.submit:g}"
        label, servers, start, end, colour = reserved.box()
        return {
            "number": number, "label": label, "start": start, "end": end, "servers": list(servers),
            "mine": number > 0, "colour": list(colour),
            "said": f"{words}, {ahead}{_count(len(booking.attempts), 'attempt')}",
        }  # fmt: skip

    def _book(self, number: int, request: Request) -> Reserved | None:
        _, start, length, servers = request
        answer = self.calendar.submit(start, length, servers, span_penalty=self._penalty)
        self._why = "" if isinstance(answer, Booking) else answer.why
        self.tried = [self._attempt(each, servers) for each in answer.attempts]
        if not isinstance(answer, Booking):
            return None
        self.booked.append(Reserved(number, request, answer))
        return self.booked[-1]

    def _attempt(self, attempt: Attempt, servers: int) -> dict[str, Any]:
        """Return what is drawn of an attempt: free are those with no reservation in its way."""
        start, end, idle, why = attempt
        taken = {
            server
            for reserved in self.booked
            if reserved.booking.start < end and reserved.booking.end > start
            for server in reserved.booking.servers
        }
        free = [server for server in range(self.calendar.system.processors) if server not in taken]
        words = f"{_count(sum(idle), 'server')} idle so long, {servers} needed"
        return {
            "start": start, "end": end, "free": free, "why": why, "when": self._span(start, end),
            "said": words if why in ("", TOO_FEW) else why,
        }  # fmt: skip

    def _came(self, reserved: Reserved | None) -> str:
        """Say what came of the last request."""
        tries = len(self.tried)
        if reserved is None:
            after = f" after {_count(tries, 'attempt')}" if tries else ""
            return f"refused{after}: {self._why}"
        at = "the first attempt" if tries == 1 else f"attempt {tries}"
        return f"booked {self._where(reserved.booking)}, at {at}"

    def _where(self, booking: Booking) -> str:
        servers = [server + 1 for server in booking.servers]
        plural = "s" * (len(servers) > 1)
        return f"{self._span(booking.start, booking.end)}, on server{plural} {listed(servers)}"

    def _span(self, start: float, end: float) -> str:
        return f"from {start:g} to {self._time(end)}"

    def _time(self, length: float) -> str:
        return f"{length:g} {self.unit}".rstrip()


def _count(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"
