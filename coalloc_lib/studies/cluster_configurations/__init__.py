"""Processor co-allocation for different system configurations and job structures.

Bucur and Epema ask which division of 128 processors into clusters, which placement and which
number of components serve jobs best: Tables 1 and 2, Figures 1 to 12, the claims CC-1 to CC-13.
"""

from importlib import import_module
from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.break_even import BreakEvenFigure
from coalloc_lib.studies.cluster_configurations.claims import claim
from coalloc_lib.studies.cluster_configurations.figures import all_figures, figure
from coalloc_lib.studies.cluster_configurations.parameters import NAME, SCALES, SEED, TITLE
from coalloc_lib.studies.cluster_configurations.scenarios import run_all
from coalloc_lib.studies.cluster_configurations.tables import compute_cells
from coalloc_lib.studies.loss_tables import table_figures
from coalloc_lib.studies.result import StudyResult

__all__ = ["NAME", "SCALES", "TITLE", "check", "figure", "leaderboard", "reproduce"]


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    One row for each cell of Tables 1 and 2 and each claim; Figures 1 to 12, the tables', the map
    of placements, and when it pays to spread a job.
    """
    size = SCALES[one_of("scale", scale, tuple(SCALES))]
    cells = compute_cells(size, seed, **how)
    runs = run_all(size, seed, **how)
    rows = [cell.row(NAME) for cell in cells] + claim.rows(runs)
    figures = [*table_figures(cells), *all_figures(runs, size, seed)]
    return StudyResult(rows, [*figures, BreakEvenFigure().run(scale, seed, **how)])


def __getattr__(name: str) -> Any:
    """Import the exercises at their first use: the command line has no need of their widgets."""
    if name in ("check", "leaderboard"):
        return getattr(import_module(f"{__name__}.exercises"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
