"""The search for a start: the rules of booking, and the attempts of a request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.times import DAY
from coalloc_lib.calendar.periods import IdlePeriods, slack_of, slot_of
from coalloc_lib.model.placement import Reservation, Rigid

#: Why a request is refused.
TOO_WIDE = "more servers than there are"
NO_LENGTH = "no length"
BEFORE_NOW = "a start before its submission"
PAST_LATEST = "past its latest start"
BEYOND_HORIZON = "beyond the horizon"
NO_ROOM = "no room in all attempts"

#: A length of at most this share of its start may be rounded to nothing: half the distance from 1
#: to the next number.
ROUNDING = 2.0**-53

#: Why an attempt failed whose request may go on.
TOO_FEW = "too few servers are idle so long"
SPANS_BEYOND = "spanning, it would end beyond the horizon"


@dataclass(frozen=True)
class BookingRules:
    """How far ahead a calendar books, and which starts it tries: the parameters of `Online`."""

    slot: float = 900.0
    step: float = 900.0
    max_attempts: int | None = None
    horizon: float = 28 * DAY
    min_length: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        """Check every number."""
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
        """Q: how many slots the horizon has, the least that reach it."""
        return -slot_of(-self.horizon, self.slot)

    @property
    def most_attempts(self) -> int:
        """Attempts in all: `max_attempts`, or half the number of slots."""
        return max(self.slots // 2, 1) if self.max_attempts is None else self.max_attempts

    def horizon_end(self, now: float) -> float:
        """Return the latest end of a reservation made now; rounding may exceed it (`slack_of`)."""
        last = slot_of(now, self.slot) + self.slots
        return last * self.slot * (1 + slack_of(self.slot))


def is_lost(length: float, start: float) -> bool:
    """Return whether a length is so short that ``start + length`` may be rounded to `start`.

    If so, it may be rounded to every later start too.
    """
    return length <= start * ROUNDING


def _exact(name, value):
    """Return a number; refuse one so large that slots and attempts could not be told apart."""
    if value > checks.LARGEST_WHOLE:
        raise InputError(f"{name} = {shown(value)}; give at most {checks.LARGEST_WHOLE:,}")
    return value


class Attempt(NamedTuple):
    """A start that was tried, how many servers were idle, and why it failed; else `why` is ""."""

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
    """Try the starts ``earliest``, ``earliest + step``, ... until one will do, or tell why not.

    `place` is as `State.place`; the job ends by `until`, the `horizon_end` of its submission. It is
    placed in the window that it needs on one cluster and, where it then spans, again in the longer
    one, as in `Profile.earliest`. Where only the longer one ends beyond the horizon, the next
    attempt is made: it may not have to span. What is booked is no shorter than ``min_length``, and
    what `is_lost` at its start is refused.
    """
    shortest = max(terms.min_length, job.expected_length(()))  # as it is on one cluster
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
    """Return what came of one attempt, and its reservation or None."""
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
