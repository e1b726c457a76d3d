"""Processor co-allocation for different system configurations and job structures.

Bucur and Epema ask which division of 128 processors into clusters, which placement and which
number of components serve jobs best: Tables 1 and 2, Figures 1 to 12, the claims CC-1 to CC-13.
"""

from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.claims import claim
from coalloc_lib.studies.cluster_configurations.figures import all_figures, figure
from coalloc_lib.studies.cluster_configurations.parameters import NAME, SCALES, SEED, TITLE
from coalloc_lib.studies.cluster_configurations.scenarios import run_all
from coalloc_lib.studies.cluster_configurations.tables import compute_cells
from coalloc_lib.studies.loss_tables import table_figures
from coalloc_lib.studies.result import StudyResult

__all__ = ["NAME", "SCALES", "TITLE", "figure", "reproduce"]


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    One row for each cell of Tables 1 and 2 and each claim; Figures 1 to 12, the tables', and
    the map of placements.
    """
    size = SCALES[one_of("scale", scale, tuple(SCALES))]
    cells = compute_cells(size, seed, **how)
    runs = run_all(size, seed, **how)
    rows = [cell.row(NAME) for cell in cells] + claim.rows(runs)
    return StudyResult(rows, table_figures(cells) + all_figures(runs, size, seed))
