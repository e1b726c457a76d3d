"""The calendar of an online scheduler: when each server is idle, and which booking holds it.

Policies do not belong here: `policies.booking` decides with this calendar. Begin with `search` for
the rules, then read `trees` for the readable structure and `kernels` for the fast one.
"""

from coalloc_lib.calendar.periods import IdlePeriod, IdlePeriods
from coalloc_lib.calendar.scheduler import Booking, Calendar, Refused
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
