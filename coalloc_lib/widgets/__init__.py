"""Controls for notebooks: what a reader moves, and the picture that follows.

No widget computes what a script could not: models and statistics belong in the layers below.
Begin with `controls`, then `losses`, a small explorer.
"""

# ruff: noqa: F401
from coalloc_lib.plots import Picture
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.divisions import division_explorer, division_picture
from coalloc_lib.widgets.losses import LossQuestion, capacity_loss, loss_explorer, loss_picture
from coalloc_lib.widgets.player import Player, schedule_explorer
from coalloc_lib.widgets.playground import playground_explorer, playground_picture
from coalloc_lib.widgets.reservations import ReservationCalendar, reservation_calendar
