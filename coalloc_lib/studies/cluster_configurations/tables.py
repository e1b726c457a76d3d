"""Tables 1 and 2 of the paper."""

from typing import Any

from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.parameters import NAME
from coalloc_lib.studies.loss_tables import Cell, compute_tables
from coalloc_lib.studies.measurements import Scale


def compute_cells(scale: Scale, seed: Seed, **how: Any) -> list[Cell]:
    """Return every `Cell` of Tables 1 and 2, in the order in which they are printed.

    Every simulated cell is of the first type: until the mean response time is 1,500. `how` is for
    `coalloc_lib.sweep.sweep`.
    """
    return compute_tables(NAME, lambda _: True, scale, seed, **how)
