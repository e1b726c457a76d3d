"""Widgets for notebooks: explorers with controls and a picture, the player and the calendar.

A widget only shows what a script could compute too. Models, and statistics that other code needs,
belong in the folders from which `widgets` imports. Begin with `controls`, which has the class
`Explorer`; then read `losses`, a small explorer.
"""

# ruff: noqa: F401
from coalloc_lib.plots import Picture
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.losses import (
    LossQuestion,
    loss_explorer,
    loss_picture,
    max_utilization_of,
)
from coalloc_lib.widgets.player import Player, schedule_explorer
from coalloc_lib.widgets.playground import playground_explorer
from coalloc_lib.widgets.playground_board import playground_picture
from coalloc_lib.widgets.reservations import ReservationCalendar, reservation_calendar
