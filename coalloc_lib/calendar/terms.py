"""The terms on which a calendar takes requests: its slots, its steps and its horizon."""

from dataclasses import dataclass
from math import ceil

from coalloc_lib.calendar.periods import slot_of
from coalloc_lib.checks import LARGEST_WHOLE, InputError, positive, shown, whole

DAY = 86_400.0


@dataclass(frozen=True)
class BookingRules:
    """How far ahead a calendar books, and which starts it tries.

    Parameters
    ----------
    slot : float
        The horizon moves on by whole slots of this length. As `step` and `horizon`, in the unit of
        the jobs; the defaults are 15 minutes and four weeks in seconds.
    step : float
        Time from one attempt to the next.
    max_attempts : int, optional
        Attempts in all; half the number of slots where it is not given, as in the paper.
    horizon : float
        How far ahead reservations may reach: they end by the end of the slot in which it ends.
    """

    slot: float = 900.0
    step: float = 900.0
    max_attempts: int | None = None
    horizon: float = 28 * DAY

    def __post_init__(self) -> None:
        """Check every number."""
        for name in ("slot", "step", "horizon"):
            value = positive(name, getattr(self, name))
            object.__setattr__(self, name, _exact(name, value))
        if self.max_attempts is not None:
            most = _exact("max_attempts", whole("max_attempts", self.max_attempts))
            object.__setattr__(self, "max_attempts", most)
        _exact("horizon / slot", self.horizon / self.slot)

    @property
    def slots(self) -> int:
        """Q: how many slots the horizon has, the least that reach it."""
        slots = ceil(self.horizon / self.slot)  # the quotient may be rounded up: products decide
        if slots * self.slot < self.horizon:
            return slots + 1
        return slots - 1 if (slots - 1) * self.slot >= self.horizon else slots

    @property
    def most_attempts(self) -> int:
        """Attempts in all: `max_attempts`, or half the number of slots."""
        return max(self.slots // 2, 1) if self.max_attempts is None else self.max_attempts

    def horizon_end(self, now: float) -> float:
        """Return when the last slot ends, by which a reservation that is made now has to end."""
        return (slot_of(now, self.slot) + self.slots) * self.slot


def _exact(name, value):
    """Return a number; refuse one so large that slots and attempts could not be told apart."""
    if value > LARGEST_WHOLE:
        raise InputError(f"{name} = {shown(value)}; give at most {LARGEST_WHOLE:,}")
    return value
