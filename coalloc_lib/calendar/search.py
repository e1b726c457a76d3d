"""The search for the start of a request: the rules for attempts, and the attempts themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.times import DAY
from coalloc_lib.calendar.periods import IdlePeriods, slack_of, slot_of
from coalloc_lib.model.placement import Reservation, Rigid

#: The possible reasons for rejecting a request.
TOO_WIDE = "more servers than there are"
NO_LENGTH = "no length"
BEFORE_NOW = "a start before its submission"
PAST_LATEST = "past its latest start"
BEYOND_HORIZON = "beyond the horizon"
NO_ROOM = "no room in all attempts"

#: Half the distance from 1 to the next larger floating-point number. If the length of a job is at
#: most this number times its start, then ``start + length`` can be rounded to `start`.
HALF_SPACING = 2.0**-53

#: The reasons why a single attempt to reserve processors can fail. A later attempt, with a later
#: start, can still succeed.
TOO_FEW = "too few servers are idle so long"
SPANS_BEYOND = "spanning, it would end beyond the horizon"


@dataclass(frozen=True)
class BookingRules:
    """The parameters of online booking: which starts to try, and how far ahead to book.

    The parameters have the same meaning as in the policy `Online`.

    Parameters
    ----------
    slot : float
        Length of a slot, in the unit of the jobs; the horizon moves forward by whole slots.
    step : float
        Time between two attempts.
    max_attempts : int, optional
        Maximum number of attempts for a request. By default, half the number of slots.
    horizon : float
        How far ahead processors can be reserved: until the end of ``horizon / slot`` slots, rounded
        up. The first of these slots contains the current time.
    min_length : float
        The least length that is reserved.

    Raises
    ------
    InputError
        If a number is not allowed, or is too large to be exact.

    Examples
    --------
    >>> rules = BookingRules(slot=10.0, step=5.0, horizon=95.0)
    >>> rules.slots, rules.most_attempts, rules.horizon_end(23.0)
    (10, 5, 120.0)
    """

    slot: float = 900.0
    step: float = 900.0
    max_attempts: int | None = None
    horizon: float = 28 * DAY
    min_length: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_length", checks.not_negative("min_length", self.min_length))
        for name in ("slot", "step", "horizon"):
            value = checks.positive(name, getattr(self, name))
            object.__setattr__(self, name, _exact(name, value))
        if self.max_attempts is not None:
            most = _exact("max_attempts", checks.whole("max_attempts", self.max_attempts))
            object.__setattr__(self, "max_attempts", most)
        _exact("horizon / slot", self.horizon / self.slot)

    @property
    def slots(self) -> int:
        """Number of time slots in the planning horizon, called Q in the paper."""
        return -slot_of(-self.horizon, self.slot)

    @property
    def most_attempts(self) -> int:
        """Maximum number of starts that are tried for a request, at least 1."""
        return max(self.slots // 2, 1) if self.max_attempts is None else self.max_attempts

    def horizon_end(self, now: float) -> float:
        """Return the latest possible end of a reservation that is made at the instant `now`.

        The result includes the tolerance of `slack_of` for rounding errors.
        """
        last = slot_of(now, self.slot) + self.slots
        return last * self.slot * (1 + slack_of(self.slot))


def is_lost(length: float, start: float) -> bool:
    """Return whether ``start + length`` can be rounded to `start` because the length is tiny.

    If the result is True for a start, it is True for every later start.
    """
    return length <= start * HALF_SPACING


def _exact(name, value):
    if value > checks.LARGEST_WHOLE:
        raise InputError(f"{name} = {shown(value)}; give at most {checks.LARGEST_WHOLE:,}")
    return value


class Request(NamedTuple):
    """A request for processors at a given time.

    Attributes
    ----------
    submit : float
        Instant of submission, called q in the paper of Castillo, Rouskas and Harfoush (2009).
    start : float
        Requested start, called s in the paper.
    length : float
        Length, called l in the paper.
    servers : int
        Number of processors, called n in the paper.
    """

    submit: float
    start: float
    length: float
    servers: int


class Attempt(NamedTuple):
    """One attempt to reserve processors for a request.

    Attributes
    ----------
    start, end : float
        The interval that was tried.
    idle : tuple of int
        Number of processors of each cluster that are idle during the whole interval. It is empty if
        the interval ends beyond the horizon.
    why : str
        The reason why the attempt failed; empty if it succeeded.
    """

    start: float
    end: float
    idle: tuple[int, ...]
    why: str


def find_start(
    idle: IdlePeriods,
    job: Rigid,
    place: Callable[[Any, Sequence[int]], Sequence[int] | None],
    terms: BookingRules,
    earliest: float,
    latest: float,
    until: float,
) -> tuple[list[Attempt], Reservation | None, str]:
    """Try to start a job at ``earliest``, ``earliest + step``, ... until it fits.

    A request is first placed on the processors that are idle for its length on one cluster. If the
    resulting allocation makes it longer, it is placed again in the longer interval. If only the
    longer interval ends beyond the horizon, the next attempt is made, because the request may then
    fit on one cluster.

    Parameters
    ----------
    idle : IdlePeriods
        The idle periods of the processors.
    job : Rigid
        A `Job`, or any object that has a method `expected_length`.
    place : callable
        A function of the job and of the number of idle processors of each cluster. It returns the
        allocation of the job, or None if the job does not fit.
    terms : BookingRules
        The rules for the attempts.
    earliest, latest : float
        The job must start in this interval, ends included.
    until : float
        The latest end of the reservation: the `horizon_end` at the submission of the job.

    Returns
    -------
    attempts : list of Attempt
        All attempts, in order.
    found : Reservation or None
        The reservation of the last attempt, or None if no attempt succeeded.
    why : str
        The reason why no attempt succeeded; empty if one did.
    """
    shortest = max(terms.min_length, job.expected_length(()))  # on one cluster
    attempts: list[Attempt] = []
    for number in range(terms.most_attempts):
        start = earliest + number * terms.step
        if is_lost(shortest, start):
            return attempts, None, NO_LENGTH
        if start > latest:
            return attempts, None, PAST_LATEST
        if start + shortest > until:
            return attempts, None, BEYOND_HORIZON
        attempt, found = _try(idle, job, place, start, shortest, until, terms.min_length)
        attempts.append(attempt)
        if found is not None:
            return attempts, found, ""
    return attempts, None, NO_ROOM


def _try(idle, job, place, start, length, until, least):
    while True:
        end = start + length
        if end > until:
            return Attempt(start, end, (), SPANS_BEYOND), None
        counts = idle.counts(start, end)
        found = place(job, counts)
        if found is None:
            return Attempt(start, end, counts, TOO_FEW), None
        needed = max(least, job.expected_length(found))
        if needed <= length:
            end = start + needed
            return Attempt(start, end, counts, ""), Reservation(start, end, found)
        length = needed
