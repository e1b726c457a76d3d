"""Controls for notebooks: what a reader moves, and the picture that follows."""

from coalloc_lib.widgets.controls import Explorer, choice, explorer, slider_with_entry
from coalloc_lib.widgets.divisions import division_explorer, division_picture
from coalloc_lib.widgets.explorers import loss_explorer, schedule_explorer, schedule_picture
from coalloc_lib.widgets.losses import LossQuestion, capacity_loss, loss_picture
from coalloc_lib.widgets.picture import Picture, describe

__all__ = [
    "Explorer",
    "LossQuestion",
    "Picture",
    "capacity_loss",
    "choice",
    "describe",
    "division_explorer",
    "division_picture",
    "explorer",
    "loss_explorer",
    "loss_picture",
    "schedule_explorer",
    "schedule_picture",
    "slider_with_entry",
]
