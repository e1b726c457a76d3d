"""Booking one request: the only definition, for the policy `Online` and for the `Calendar`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coalloc_lib.calendar.periods import IdlePeriods
from coalloc_lib.calendar.search import Attempt, BookingRules, find_start
from coalloc_lib.model.placement import Rigid


@dataclass(frozen=True, eq=False)
class Booking:
    """The interval and the servers of a request; the last of its `attempts` was accepted."""

    submit: float
    start: float
    end: float
    servers: tuple[int, ...]
    allocation: tuple[int, ...]
    attempts: tuple[Attempt, ...]


class Refused(NamedTuple):
    """Why a request was given nothing, and its attempts, each with the reason why it failed."""

    submit: float
    why: str
    attempts: tuple[Attempt, ...]


def book(
    idle: IdlePeriods,
    request: Rigid,
    place: Callable[[Any, Sequence[int]], Sequence[int] | None],
    terms: BookingRules,
    rule: str,
    *,
    now: float,
    earliest: float,
    latest: float,
) -> Booking | Refused:
    """Reserve servers for a request at its first start with enough room, or say why not.

    `find_start` chooses the start and the allocation, and `rule` the servers of each cluster. A
    request that is not booked changes nothing in `idle`.
    """
    until = terms.horizon_end(now)
    tried, found, why = find_start(idle, request, place, terms, earliest, latest, until)
    if found is None:
        return Refused(now, why, tuple(tried))
    periods = idle.choose(*found, rule)
    for period in periods:
        idle.take(period, found.start, found.end)
    servers = tuple(sorted(period.server for period in periods))
    return Booking(now, found.start, found.end, servers, tuple(found.allocation), tuple(tried))
