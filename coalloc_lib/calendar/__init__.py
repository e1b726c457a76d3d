"""The calendar of an online scheduler: when each server is idle, and which booking holds it.

Policies do not belong here: `policies.booking` decides with this calendar. Begin with `booking`,
which books one request, and `search`, which has the rules. `trees` has the data structure of the
paper, and `kernels` the fast one.
"""

from coalloc_lib.calendar.booking import Booking, Refused
from coalloc_lib.calendar.periods import IdlePeriod, IdlePeriods
from coalloc_lib.calendar.scheduler import Calendar
from coalloc_lib.calendar.search import BookingRules
from coalloc_lib.calendar.trees import SlotTrees, worked_example

__all__ = [
    "Booking",
    "BookingRules",
    "Calendar",
    "IdlePeriod",
    "IdlePeriods",
    "Refused",
    "SlotTrees",
    "worked_example",
]
