"""The search for a start: the attempts that a request is given, and why one is refused."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from coalloc_lib.calendar.periods import Book
from coalloc_lib.calendar.terms import BookingRules
from coalloc_lib.profile import Reservation, Rigid

#: Why a request is refused.
TOO_WIDE = "more servers than there are"
NO_LENGTH = "no length"
BEFORE_NOW = "a start before its submission"
PAST_LATEST = "past its latest start"
BEYOND_HORIZON = "beyond the horizon"
NO_ROOM = "no room in all attempts"

REASONS = (TOO_WIDE, NO_LENGTH, BEFORE_NOW, PAST_LATEST, BEYOND_HORIZON, NO_ROOM)

#: Why an attempt failed whose request may go on.
TOO_FEW = "too few servers are idle so long"
SPANS_BEYOND = "spanning, it would end beyond the horizon"

_Job = TypeVar("_Job", bound=Rigid)


class Attempt(NamedTuple):
    """A start that was tried: the interval, the idle servers of each cluster, and why it failed.

    `why` is empty for the attempt that was accepted.
    """

    start: float
    end: float
    idle: tuple[int, ...]
    why: str


class Search(NamedTuple):
    """What a search came to: a reservation, or None and the reason."""

    attempts: list[Attempt]
    reservation: Reservation | None
    why: str


def find_start(
    book: Book,
    job: _Job,
    place: Callable[[_Job, Sequence[int]], Sequence[int] | None],
    terms: BookingRules,
    earliest: float,
    latest: float,
    until: float,
) -> Search:
    """Try the starts ``earliest``, ``earliest + step``, ... and return the first that will do.

    Parameters
    ----------
    book : Book
    job : Job
    place : callable
        Returns the allocation that a job gets of so many idle servers, or None: `State.place`.
    terms : BookingRules
    earliest, latest : float
        It starts no earlier and no later.
    until : float
        It ends no later: `BookingRules.horizon_end`.

    Notes
    -----
    Attempt k is at ``earliest + k * step``. A job is placed on the servers that are idle over the
    whole length that it is expected to run. That depends on where it is placed: it is placed in
    the window that it needs on one cluster and, where it turns out to span and to run beyond it,
    again in the longer one, as `Profile.earliest` does.

    The first attempt whose shorter window ends beyond the horizon refuses the request, for later
    ones do so too. Where only the longer one does, the next is tried: it may not have to span.
    Counted as attempts are those at which the book was asked.
    """
    shortest = job.expected_length(())  # as it is on one cluster
    attempts: list[Attempt] = []
    if not earliest + shortest > earliest:
        return Search(attempts, None, NO_LENGTH)
    for number in range(terms.most_attempts):
        start = earliest + number * terms.step
        if start > latest:
            return Search(attempts, None, PAST_LATEST)
        if start + shortest > until:
            return Search(attempts, None, BEYOND_HORIZON)
        attempt, found = _try(book, job, place, start, shortest, until)
        attempts.append(attempt)
        if found is not None:
            return Search(attempts, found, "")
    return Search(attempts, None, NO_ROOM)


def _try(book, job, place, start, length, until):
    """Return what came of one attempt, and its reservation or None."""
    while True:
        end = start + length
        if end > until:
            return Attempt(start, end, (), SPANS_BEYOND), None
        idle = book.counts(start, end)
        found = place(job, idle)
        if found is None:
            return Attempt(start, end, idle, TOO_FEW), None
        needed = job.expected_length(found)
        if needed <= length:
            end = start + needed
            return Attempt(start, end, idle, ""), Reservation(start, end, found)
        length = needed
