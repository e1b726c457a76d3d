"""The booking of a single request, as the policy `Online` and the class `Calendar` perform it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coalloc_lib.calendar.periods import IdlePeriods
from coalloc_lib.calendar.search import Attempt, BookingRules, find_start
from coalloc_lib.model.placement import Rigid


@dataclass(frozen=True, eq=False)
class Booking:
    """The reservation of an accepted request: the reserved interval and processors.

    Attributes
    ----------
    submit, start, end : float
        Instant of submission, and the reserved interval [start, end).
    servers : tuple of int
        Numbers of the reserved processors, in increasing order.
    allocation : tuple of int
        Number of reserved processors in each cluster.
    attempts : tuple of Attempt
        All attempts for the request; the last one succeeded.
    """

    submit: float
    start: float
    end: float
    servers: tuple[int, ...]
    allocation: tuple[int, ...]
    attempts: tuple[Attempt, ...]


class Rejection(NamedTuple):
    """The rejection of a request for processors: when and why it was rejected.

    Attributes
    ----------
    submit : float
        Instant of submission.
    why : str
        The reason for the rejection.
    attempts : tuple of Attempt
        All attempts for the request; each has the reason why it failed.
    """

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
) -> Booking | Rejection:
    """Reserve processors for a request at the first possible start, or reject the request.

    Parameters
    ----------
    idle : IdlePeriods
        The idle periods of the processors. They change only if the request is accepted.
    request : Rigid
        A `Job`, or any object that has a method `expected_length`.
    place : callable
        A function of the request and of the number of idle processors of each cluster. It returns
        the allocation of the request, or None if the request does not fit.
    terms : BookingRules
        The rules for the attempts.
    rule : str
        The rule that chooses the processors in each cluster, one of ``idle.rules``.
    now : float
        Instant of submission.
    earliest, latest : float
        The request must start in this interval, ends included.

    Returns
    -------
    Booking or Rejection
        The reservation, or the reason for the rejection.
    """
    until = terms.horizon_end(now)
    tried, found, why = find_start(idle, request, place, terms, earliest, latest, until)
    if found is None:
        return Rejection(now, why, tuple(tried))
    periods = idle.choose(*found, rule)
    for period in periods:
        idle.take(period, found.start, found.end)
    servers = tuple(sorted(period.server for period in periods))
    return Booking(now, found.start, found.end, servers, tuple(found.allocation), tuple(tried))
