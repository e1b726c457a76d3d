"""The reservation calendar: requests by hand, each attempt, and who is free from when to when."""

from coalloc_lib.widgets.reservations.widget import ReservationCalendar, reservation_calendar

__all__ = ["ReservationCalendar", "reservation_calendar"]
