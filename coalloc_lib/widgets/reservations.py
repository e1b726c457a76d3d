"""The reservation calendar: requests by hand, and who is free from when to when."""

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import traitlets
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, instance_of, one_of, positive, shown
from coalloc_lib.calendar.periods import RULES
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture, reservations
from coalloc_lib.widgets import booking_session as booking
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.controls import HINT
from coalloc_lib.widgets.player import Pictured

#: Servers that can be told apart.
_MOST_SERVERS = 200
#: Of the horizon, so much is shown of the past, and beyond its end.
_BEFORE, _BEYOND = 0.2, 0.06
#: What the form holds at first is so long, in grains.
_LENGTH = 20


class ReservationCalendar(Pictured):
    """Book servers by hand: each attempt, what comes of it, and who is free from when to when.

    `reservation_calendar` makes one, and tells its parameters.

    Requests are submitted `now`. What cannot be changes nothing, and is told in the widget, or as
    the `InputError` of a method. Pictures and texts count servers from 1, methods from 0.

    Examples
    --------
    >>> calendar = reservation_calendar([4], horizon=24, requests=0)
    >>> calendar.submit(start=calendar.now, length=5, servers=3)
    'request 1 is booked from 12 to 17 h, on servers 1, 2 and 3, at the first attempt'
    >>> calendar.free(calendar.now, calendar.now + 5)
    [3]
    >>> calendar.submit(start=calendar.now, length=5, servers=2)
    'request 2 is booked from 17 to 22 h, on servers 1 and 2, at attempt 6'
    """

    _esm = pages.module("ReservationCalendar")
    _css = pages.style("ReservationCalendar")

    hint = HINT
    data = traitlets.Dict().tag(sync=True)

    def __init__(self, setting: booking.Setting, others: booking.Others, unit: str) -> None:
        """Book what others ask for, and draw up what the browser needs."""
        super().__init__()
        self._unit = instance_of("unit", unit, str, "a word such as 'h'")
        self.now = booking.PAST * setting.horizon
        # A round length of time, an eightieth of the horizon or less.
        most, power = setting.horizon / 80, 10.0 ** floor(log10(setting.horizon / 80))
        self._grain = max(part * power for part in (1, 2, 5) if part * power <= most * 1.0001)
        self._fresh(setting, others)
        self._tell(self._session.loaded(), "")
        self.on_msg(lambda _widget, content, _buffers: self._heard(content))

    def submit(self, start: float, length: float, servers: int) -> str:
        """Request so many servers from a start on, for a length; return what came of it."""
        reserved, words = self._session.submit(start, length, servers)
        self._tell(words, "booked" if reserved else "refused", made=reserved)
        return words

    def cancel(self, number: int) -> str:
        """Cancel a request of yours; its servers are idle again."""
        words = self._session.cancel(number)
        self._tell(words, "cancelled")
        return words

    def free(self, begin: float, end: float) -> list[int]:
        """Return the servers that are free from one instant to another, and book nothing."""
        servers = self._session.free(begin, end)
        when = f"from {begin:g} to {end:g} {self._unit}".rstrip()
        are, of = "is" if len(servers) == 1 else "are", sum(self._setting.clusters)
        count = f"{len(servers)} of {of} servers {are} free" if servers else "no server is free"
        found = {"start": begin, "end": end, "free": servers}
        self._tell(f"{when}, {count}", "found", found=found)
        return servers

    def load(
        self, requests: int, share: float, ahead: float, draw: int, rule: str | None = None
    ) -> None:
        """Let others ask for something else, and try yours again after theirs, until cancelled."""
        others = booking.Others(requests, share, ahead, draw)
        rule = one_of("rule", self._setting.rule if rule is None else rule, (*RULES,))
        before = self._session
        self._fresh(self._setting._replace(rule=rule), others)
        words = "; ".join([self._session.loaded(), *self._session.again(before)])
        self._tell(words, "lost" if self._session.lost else "")

    def still(self) -> Figure:
        """Return a picture with the same marks, for where there is no widget."""
        data, words = self.data, self.data["said"]["words"]
        return reservations(
            self._setting.clusters, [reserved.box() for reserved in self._session.booked],
            now=self.now, until=data["until"], span=(data["begin"], data["finish"]),
            free_period=data["found"] and tuple(data["found"].values()),
            title=words[0].upper() + words[1:], unit=self._unit,
            subtitle=f"{data['title']}, {data['terms']}; {data['legend']}",
        )  # fmt: skip

    def picture(self) -> Picture:
        """Return the still picture with its words."""
        return Picture(self.still(), f"Reservation calendar: {self.data['said']['words']}")

    def _fresh(self, setting: booking.Setting, others: booking.Others) -> None:
        asked = others.sample(self.now, setting.horizon, sum(setting.clusters), self._grain)
        self._session = booking.BookingSession(setting, asked, self.now, self._unit)
        self._setting, self._others = setting, others

    def _heard(self, content: Mapping[str, Any]) -> None:
        """Do what a reader asked for; say in the widget why not."""
        asked, actions = dict(content), ("submit", "cancel", "free", "load")
        try:
            getattr(self, one_of("do", asked.pop("do", None), actions))(**asked)
        except InputError as error:
            words = str(error)
            name = words.partition(" ")[0]
            if name in asked and asked[name] is None:
                words = f"{name} is empty; give a number"
            self._tell(words, "wrong", field=name)

    def _tell(
        self, words: str, kind: str, field: str = "", made: booking.Reserved | None = None,
        found: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Send all that is drawn."""
        setting, session = self._setting, self._session
        servers, until, clusters = sum(setting.clusters), session.until, len(setting.clusters)
        begin = self.now - _BEFORE * setting.horizon
        there = [reserved for reserved in session.booked if reserved.booking.end > begin]
        self.data = {
            "title": f"{servers} servers" + f" in {clusters} clusters" * (clusters > 1),
            "legend": "grey: others' requests, dark: asked for ahead of time; coloured: yours",
            "clusters": list(setting.clusters),
            "terms": session.terms(),
            "unit": self._unit,
            "begin": begin,
            "finish": until + _BEYOND * setting.horizon,
            "now": self.now,
            "until": until,
            "grain": self._grain,
            "bookings": [session.shown(reserved) for reserved in there],
            "tried": session.tried if kind in ("booked", "refused") else [],
            "found": found,
            "said": {"words": words, "kind": kind, "field": field},
            "made": made and made.number,
            "form": {
                "start": self.now,
                "length": _LENGTH * self._grain,
                "servers": min(2, servers),
            },
            "load": self._sliders(),
            "rule": setting.rule,
            "rules": list(RULES),
        }

    def _sliders(self) -> dict[str, dict[str, Any]]:
        others, unit = vars(self._others), f" ({self._unit})" if self._unit else ""
        ranges = {
            "requests": ("requests", booking.MOST, 1),
            "share": ("share ahead", 1, 0.1),
            "ahead": ("by up to" + unit, self._setting.horizon / 2, self._grain),
            "draw": ("draw again", 99, 1),
        }
        return {
            name: {"label": label, "low": 0, "high": high, "step": step, "value": others[name]}
            for name, (label, high, step) in ranges.items()
        }


def reservation_calendar(
    clusters: Sequence[int] = (8,), *, slot: float = 1.0, step: float = 1.0,
    max_attempts: int | None = None, horizon: float = 24.0, rule: str = "latest-start",
    span_penalty: float = 0.0, requests: int = 12, share: float = 0.5, ahead: float = 10.0,
    draw: int = 1, unit: str = "h",
) -> ReservationCalendar:  # fmt: skip
    """Return a calendar of servers that a reader books by hand, after a small load of others.

    `clusters` has the servers of each; `slot`, `step`, `max_attempts`, `horizon` and `rule` are as
    of `coalloc_lib.Online`, in a `unit` of time. `requests` of others, drawn by the seed `draw`,
    came in the half horizon before now; a `share` of them asks to start later, `ahead` at most.

    Dragging over the rows asks which servers are free so long. The keys n and p go from reservation
    to reservation, Delete cancels, up and down go from attempt to attempt, Escape leaves.
    """
    sizes = Multicluster(clusters).sizes
    setting = booking.Setting(
        sizes, slot, step, max_attempts, positive("horizon", horizon), rule, span_penalty
    )
    if sum(sizes) > _MOST_SERVERS:
        raise InputError(f"clusters = {shown(clusters)}; give {_MOST_SERVERS} servers at most")
    return ReservationCalendar(setting, booking.Others(requests, share, ahead, draw), unit)
