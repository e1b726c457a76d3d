"""What others have reserved: a small random load, some of it ahead of time."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.checks import InputError, not_negative, shown, whole
from coalloc_lib.jobs import JobStream

#: Requests of others at most; their lengths, as shares of the horizon.
MOST = 60
SHORT, LONG = 0.03, 0.2
#: They were submitted before now: over this share of the horizon.
PAST = 0.5
#: No one but one asks for more than this share of the servers.
WIDEST = 0.5


class Request(NamedTuple):
    """A request: submitted at an instant, for so many servers, from a start on, for a length."""

    submit: float
    start: float
    length: float
    servers: int


@dataclass(frozen=True)
class Others:
    """The load of others, as its sliders say it.

    Parameters
    ----------
    requests : int
        How many.
    share : float
        Share of advance reservations, from 0 to 1: these ask for a later start.
    ahead : float
        How far ahead of its submission such a start is at most.
    draw : int
        Seed.
    """

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
        """Return the requests in order of submission, all before `now`.

        The share and the look-ahead change when a request asks to start, and nothing else of it.
        """
        if not self.requests:
            return []
        draw = np.random.default_rng(self.draw)
        submit = np.sort(draw.uniform(now - PAST * horizon, now, self.requests))
        length = draw.uniform(SHORT * horizon, LONG * horizon, self.requests)
        widest = max(int(WIDEST * servers), 1)
        size = draw.integers(1, widest, self.requests, endpoint=True)
        submit = np.minimum(_rounded(submit, grain), now)
        length = np.maximum(_rounded(length, grain), grain)
        stream = JobStream(submit, length, size, request="total")
        ahead = stream.reserved_ahead(self.share, self.ahead, seed=self.draw).earliest_start
        columns: Any = submit, np.maximum(_rounded(ahead, grain), submit), length, size
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [Request(*row) for row in rows]


def _rounded(column, grain):
    """Round instants to what one can read."""
    return np.round(column / grain) * grain
