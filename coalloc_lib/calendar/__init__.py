"""The calendar of an online scheduler: the idle periods and the bookings of all processors.

- `booking` books a single request, and `search` looks for its start.
- `periods` stores the idle periods in sorted lists.
- `trees` stores them in the trees of the paper by Castillo, Rouskas and Harfoush (2009), which
  calls the processors *servers*.
- `kernels` stores them in arrays for the compiled engine.
- `scheduler` has the `Calendar`, with which requests can be booked interactively.

Begin with `booking`. The scheduling policy that uses this package is `coalloc_lib.policies.Online`.
"""

from coalloc_lib.calendar.booking import Booking, Rejection
from coalloc_lib.calendar.periods import IdlePeriod, IdlePeriods
from coalloc_lib.calendar.scheduler import Calendar
from coalloc_lib.calendar.search import BookingRules
from coalloc_lib.calendar.trees import SlotTrees

__all__ = [
    "Booking",
    "BookingRules",
    "Calendar",
    "IdlePeriod",
    "IdlePeriods",
    "Rejection",
    "SlotTrees",
]
