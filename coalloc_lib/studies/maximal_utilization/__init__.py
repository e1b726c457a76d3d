"""The maximal utilization of processor co-allocation in multicluster systems.

Bucur and Epema ask how much of a multicluster is lost because the next job does not fit: Tables 3
to 5, Figures 1 to 8 and the claims MU-1 to MU-12.
"""

from importlib import import_module
from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import give
from coalloc_lib.studies.loss_tables import table_figures
from coalloc_lib.studies.maximal_utilization import detective
from coalloc_lib.studies.maximal_utilization.claims import Runs, claim
from coalloc_lib.studies.maximal_utilization.figures import all_figures, figure
from coalloc_lib.studies.maximal_utilization.parameters import NAME, SCALES, SEED, TITLE
from coalloc_lib.studies.maximal_utilization.scenarios import all_scenarios, load_log
from coalloc_lib.studies.maximal_utilization.tables import compute_cells, table5_rows
from coalloc_lib.studies.measurements import measure
from coalloc_lib.studies.result import StudyResult

__all__ = ["NAME", "SCALES", "TITLE", "check", "detective", "figure", "leaderboard", "reproduce"]

#: The claims that the tables answer.
TABLES = dict.fromkeys((3, 4), ("MU-2", "MU-3"))


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    One row for each cell of Tables 3 to 5 and each claim; Figures 1 to 8 and the tables'.
    """
    size = SCALES[one_of("scale", scale, tuple(SCALES))]
    log = load_log()
    table = all_scenarios(log)
    cells = compute_cells(size, seed, **how)
    found = measure(table, size, seed, **how)
    runs = Runs(cells, {key: found[entry] for key, entry in table.items()}, log)
    rows = [cell.row(NAME) for cell in cells] + table5_rows() + claim.rows(runs)
    figures = all_figures(table, log)
    give(figures, found, size, seed)
    return StudyResult(rows, table_figures(cells, TABLES) + figures)


def __getattr__(name: str) -> Any:
    """Fetch what notebooks alone ask for; it brings the widgets, which a command line lacks."""
    if name in ("check", "leaderboard"):
        return getattr(import_module(f"{__name__}.exercises"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
