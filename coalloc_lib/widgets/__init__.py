"""Controls for notebooks: what a reader moves, and the picture that follows."""

from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.divisions import division_explorer, division_picture
from coalloc_lib.widgets.explorers import loss_explorer, schedule_explorer
from coalloc_lib.widgets.filling import filling_explorer, filling_picture, held_over_picture
from coalloc_lib.widgets.lessons import checker, guess
from coalloc_lib.widgets.losses import LossQuestion, capacity_loss, loss_picture
from coalloc_lib.widgets.penalties import map_explorer, penalty_explorer, penalty_picture
from coalloc_lib.widgets.picture import Picture
from coalloc_lib.widgets.player import Player
from coalloc_lib.widgets.reservations import ReservationCalendar, reservation_calendar
from coalloc_lib.widgets.sharing import sharing_explorer, sharing_picture
from coalloc_lib.widgets.tree_search import slot_tree_search, tree_search_picture

__all__ = [
    "Explorer",
    "LossQuestion",
    "Picture",
    "Player",
    "ReservationCalendar",
    "capacity_loss",
    "checker",
    "division_explorer",
    "division_picture",
    "filling_explorer",
    "filling_picture",
    "guess",
    "held_over_picture",
    "loss_explorer",
    "loss_picture",
    "map_explorer",
    "penalty_explorer",
    "penalty_picture",
    "reservation_calendar",
    "schedule_explorer",
    "sharing_explorer",
    "sharing_picture",
    "slot_tree_search",
    "tree_search_picture",
]
