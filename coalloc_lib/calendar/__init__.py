"""The calendar of an online scheduler: when each server is idle, and who reserves it."""

from coalloc_lib.calendar.example import worked_example
from coalloc_lib.calendar.periods import Book, IdlePeriod
from coalloc_lib.calendar.plain import PlainBook
from coalloc_lib.calendar.scheduler import Booking, Calendar, Refused
from coalloc_lib.calendar.slot_trees import SlotTrees
from coalloc_lib.calendar.terms import BookingRules

__all__ = [
    "Book",
    "Booking",
    "BookingRules",
    "Calendar",
    "IdlePeriod",
    "PlainBook",
    "Refused",
    "SlotTrees",
    "worked_example",
]
