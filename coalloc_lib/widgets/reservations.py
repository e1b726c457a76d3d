"""The reservation calendar: a widget in which a user books servers by hand.

As in paper 004, a processor that can be reserved is called a server.
"""

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
from coalloc_lib.widgets.pictured import Pictured

#: The maximum number of servers. With more servers, the rows of the picture would be too narrow.
_MOST_SERVERS = 200
#: The time that the picture shows before the current time, and the time that it shows after the end
#: of the horizon, both as fractions of the horizon.
_BEFORE, _BEYOND = 0.2, 0.06
#: The actions that the browser can request, each with the names of its arguments.
_ACTIONS = {
    "submit": ("start", "length", "servers"),
    "cancel": ("number",),
    "free": ("begin", "end"),
    "load": ("requests", "share", "ahead", "seed", "rule"),
}
#: The initial duration of a request in the form, in multiples of the smallest time step.
_LENGTH = 20


class ReservationCalendar(Pictured):
    """A widget in which the user of a notebook reserves servers by hand.

    Use `reservation_calendar` to create this widget. Its documentation explains the parameters.

    Parameters
    ----------
    setting : Setting
        The parameters of the calendar.
    others : Others
        The parameters of the random requests of other users.
    unit : str
        The unit of time in messages, such as ``"h"``.

    Attributes
    ----------
    now : float
        The current time, at which the user submits all requests.

    Notes
    -----
    The widget shows each attempt to book a request, and its outcome. A rejected request, such as
    one for more servers than there are, gets a number but no servers, and `submit` returns the
    reason. A wrong argument, such as the number of a request that was never made, changes nothing:
    the widget shows the reason, and the methods raise an `InputError` with the same text.
    Pictures and texts count servers from 1, but methods count them from 0.

    Examples
    --------
    >>> from coalloc_lib.widgets import reservation_calendar
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
        super().__init__()
        self._unit = instance_of("unit", unit, str, "a word such as 'h'")
        self.now = booking.PAST * setting.horizon
        # All instants are multiples of a time step, `_grain`: the largest number in the sequence
        # ..., 0.1, 0.2, 0.5, 1, 2, 5, ... that is at most 1/80 of the horizon.
        most, power = setting.horizon / 80, 10.0 ** floor(log10(setting.horizon / 80))
        self._grain = max(part * power for part in (1, 2, 5) if part * power <= most * 1.0001)
        self._new_session(setting, others)
        self._update(self._session.loaded(), "")
        self.on_msg(lambda _widget, content, _buffers: self._receive(content))

    def submit(self, start: float, length: float, servers: int) -> str:
        """Submit a request for servers, and return the outcome in words.

        Parameters
        ----------
        start : float
            The earliest start, in the unit of time of the calendar.
        length : float
            The length of the reservation, in the same unit.
        servers : int
            The number of servers.

        Returns
        -------
        str
            The interval and the servers that were booked, or why the request was rejected.
        """
        reserved, words, tried = self._session.submit(start, length, servers)
        self._update(words, "booked" if reserved else "rejected", made=reserved, tried=tried)
        return words

    def cancel(self, number: int) -> str:
        """Cancel one of your own requests, and return a message that confirms it.

        Parameters
        ----------
        number : int
            The number of the request, starting at 1.

        Raises
        ------
        InputError
            If you have no booked request with this number.
        """
        words = self._session.cancel(number)
        self._update(words, "cancelled")
        return words

    def free(self, begin: float, end: float) -> list[int]:
        """Return the servers that are free during an interval, without reserving them.

        Parameters
        ----------
        begin, end : float
            The two instants, in the unit of time of the calendar.

        Returns
        -------
        list of int
            The numbers of the free servers, starting at 0.

        Raises
        ------
        InputError
            If the interval is empty, begins before `now` or ends after the horizon.
        """
        servers = self._session.free(begin, end)
        when = f"from {begin:.10g} to {end:.10g} {self._unit}".rstrip()
        verb, total = "is" if len(servers) == 1 else "are", sum(self._setting.clusters)
        count = f"{len(servers)} of {total} servers {verb} free" if servers else "no server is free"
        found = {"start": begin, "end": end, "free": servers}
        self._update(f"{when}, {count}", "found", found=found)
        return servers

    def load(
        self, requests: int, share: float, ahead: float, seed: int, rule: str | None = None
    ) -> None:
        """Sample new requests of other users, then submit your own requests again.

        Your own requests do not change. Requests that you cancelled are not submitted again.

        Parameters
        ----------
        requests, share, ahead, seed, rule
            As in `reservation_calendar`. By default, the rule does not change.
        """
        others = booking.Others(requests, share, ahead, seed)
        rule = one_of("rule", self._setting.rule if rule is None else rule, (*RULES,))
        before = self._session
        self._new_session(self._setting._replace(rule=rule), others)
        words = "; ".join([self._session.loaded(), *self._session.again(before)])
        self._update(words, "lost" if self._session.lost else "")

    def still(self) -> Figure:
        """Return a still picture of the calendar, for pages that cannot show widgets."""
        data, words, found = self.data, self.data["said"]["words"], self.data["found"]
        return reservations(
            self._setting.clusters,
            [reserved.box() for reserved in self._session.booked],
            now=self.now,
            until=data["until"],
            span=(data["begin"], data["finish"]),
            free_period=found and (found["start"], found["end"], found["free"]),
            title=words[0].upper() + words[1:],
            unit=self._unit,
            subtitle=f"{data['title']}, {data['terms']}; {data['legend']}",
        )

    def picture(self) -> Picture:
        """Return a still picture of the calendar, with a description for screen readers."""
        return Picture(self.still(), f"Reservation calendar: {self.data['said']['words']}")

    def _new_session(self, setting: booking.Setting, others: booking.Others) -> None:
        asked = others.sample(self.now, setting.horizon, sum(setting.clusters), self._grain)
        self._session = booking.BookingSession(setting, asked, self.now, self._unit)
        self._setting, self._others = setting, others

    def _receive(self, content: Mapping[str, Any]) -> None:
        try:
            action = one_of("do", str(content.get("do")), (*_ACTIONS,))
            # The browser sends only the value that the user changed; the other values stay.
            current = vars(self._others) | {"rule": self._setting.rule}
            kept = current if action == "load" else {}
            values = {name: content.get(name, kept.get(name)) for name in _ACTIONS[action]}
            for name, value in values.items():
                if value is None:
                    raise InputError(f"{name} is empty; give a number", argument=name)
            getattr(self, action)(**values)
        except InputError as error:
            self._update(str(error), "wrong", field=error.argument)

    def _update(
        self,
        words: str,
        kind: str,
        field: str = "",
        made: booking.Reserved | None = None,
        found: Mapping[str, Any] | None = None,
        tried: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        setting, session = self._setting, self._session
        begin = self.now - _BEFORE * setting.horizon
        visible = [reserved for reserved in session.booked if reserved.booking.end > begin]
        self.data = self._fixed_data() | {
            "terms": session.terms(),
            "begin": begin,
            "finish": session.until + _BEYOND * setting.horizon,
            "now": self.now,
            "until": session.until,
            "bookings": [session.shown(reserved) for reserved in visible],
            "tried": list(tried),
            "found": found,
            "said": {"words": words, "kind": kind, "field": field},
            "made": made and made.number,
            "load": self._sliders(),
            "rule": setting.rule,
        }

    def _fixed_data(self) -> dict[str, Any]:
        clusters, length = self._setting.clusters, _LENGTH * self._grain
        servers = sum(clusters)
        return {
            "title": f"{servers} servers" + f" in {len(clusters)} clusters" * (len(clusters) > 1),
            "legend": "grey: requests of other users, dark grey: made in advance; "
            "coloured: your requests",
            "clusters": list(clusters),
            "unit": self._unit,
            "grain": self._grain,
            "form": {"start": self.now, "length": length, "servers": min(2, servers)},
            "rules": list(RULES),
        }

    def _sliders(self) -> dict[str, dict[str, Any]]:
        others, unit = vars(self._others), f" ({self._unit})" if self._unit else ""
        ranges = {
            "requests": ("requests", booking.MOST, 1),
            "share": ("share ahead", 1, 0.1),
            "ahead": ("by up to" + unit, self._setting.horizon / 2, self._grain),
            "seed": ("draw again", 99, 1),
        }
        return {
            name: {"label": label, "low": 0, "high": high, "step": step, "value": others[name]}
            for name, (label, high, step) in ranges.items()
        }


def reservation_calendar(
    clusters: Sequence[int] = (8,), *, slot: float = 1.0, step: float = 1.0,
    max_attempts: int | None = None, horizon: float = 24.0, rule: str = "latest-start",
    span_penalty: float = 0.0, requests: int = 12, share: float = 0.5, ahead: float = 10.0,
    seed: int = 1, unit: str = "h",
) -> ReservationCalendar:  # fmt: skip
    """Return a widget in which a user reserves servers while other users have reservations.

    The requests of other users are random. They are submitted during the half horizon before the
    current time.

    Parameters
    ----------
    clusters : sequence of int
        The number of servers of each cluster; 200 servers at most in all.
    slot, step, max_attempts, horizon, rule
        As in `coalloc_lib.Online`. `slot`, `step` and `horizon` are in `unit`.
    span_penalty : float
        A reservation in several clusters lasts ``1 + span_penalty`` times as long.
    requests : int
        The number of requests of other users, at most 60.
    share : float
        The fraction of these requests with a start later than their submission.
    ahead : float
        The longest time, in `unit`, between the submission and the start of a request.
    seed : int
        The seed of the random numbers from which these requests are sampled.
    unit : str
        The unit of time in messages.

    Returns
    -------
    ReservationCalendar
        The widget.

    Raises
    ------
    InputError
        If an argument is out of its range, or if there are more than 200 servers.

    Notes
    -----
    To ask which servers are free in an interval, drag the mouse over the rows. The keys ``n`` and
    ``p`` select the next and the previous reservation, Delete cancels the selected one, up and down
    go through the attempts, and Escape ends the selection.

    Examples
    --------
    >>> reservation_calendar([4, 4], horizon=24, requests=0).now
    12.0
    """
    sizes = Multicluster(clusters).sizes
    setting = booking.Setting(
        sizes, slot, step, max_attempts, positive("horizon", horizon), rule, span_penalty
    )
    if sum(sizes) > _MOST_SERVERS:
        raise InputError(
            f"clusters = {shown(clusters)} has {sum(sizes)} servers; give {_MOST_SERVERS} servers "
            "at most"
        )
    return ReservationCalendar(setting, booking.Others(requests, share, ahead, seed), unit)
