"""Tables of capacity losses, cell by cell: by formula, or by the simulation that a paper used."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.saturation import loss_at_response, saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.ledger import Row, judge_number
from coalloc_lib.studies.measurements import Scale, interval_columns, interval_of, run_sweep
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Why a simulated cell is in doubt.
SHORT = "the run is too short for its tails or its correlation"


@dataclass(frozen=True)
class Cell:
    """A cell of a table: what was printed, and what comes out here.

    Attributes
    ----------
    published : PublishedLoss
    loss : Interval
        Capacity loss; without length where a formula gives it.
    """

    published: PublishedLoss
    loss: Interval

    @property
    def is_simulated(self) -> bool:
        """Whether the loss is known but for an interval."""
        return self.published.method == "simulation"

    def row(self, study: str) -> Row:
        """Return the cell's row of the ledger of `study`."""
        printed, loss = self.published.capacity_loss, self.loss
        low, high = (loss.low, loss.high) if self.is_simulated else (None, None)
        named = study, self.published.item, "capacity loss"
        return Row(*named, printed, loss.estimate, low, high, *judge_number(printed, loss))


def compute_tables(
    study: str,
    by_response: Callable[[PublishedLoss], bool],
    scale: Scale,
    seed: Seed,
    **how: Any,
) -> list[Cell]:
    """Return every `Cell` of a study's tables, in the order in which they are printed.

    Parameters
    ----------
    study : str
        Name of the study.
    by_response : callable
        Says of a simulated `PublishedLoss` whether the paper used the first type of simulation.
    scale : Scale
    seed, how
        For `coalloc_lib.sweep.sweep`.
    """
    published = load_published(study)
    points = [{"cell": p, "by_response": by_response(p), "scale": scale} for p in published]
    rows = run_sweep(cell_loss, points, seed=seed, **how).itertuples()
    return [Cell(p, interval_of(row, SHORT)) for p, row in zip(published, rows, strict=True)]


def cell_loss(
    cell: PublishedLoss, by_response: bool, scale: Scale, seed: np.random.SeedSequence
) -> dict[str, float]:
    """Return the loss of a cell, by the formula or by the type of simulation that the paper used.

    The paper's total requests have one cluster as large as all of the system, and the sum of the
    components as their size.
    """
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    distribution = parse_sizes(cell.component_sizes)
    if cell.request == "total":
        system = Multicluster([system.processors])
    if cell.method != "simulation":
        bound = maximal_utilization(system, distribution, cell.clusters, cell.request)
        return interval_columns(bound.loss)
    scenario = Scenario(system, JobModel(distribution, cell.clusters, cell.request))
    # A seed for each cell: one unlucky draw must not move a whole column.
    seed = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *cell.item.encode()))
    if by_response:
        jobs, replications = scale.asked("response_jobs", "response_replications")
        losses = loss_at_response(scenario, jobs=jobs, replications=replications, seed=seed)
        return interval_columns(student(losses))
    (jobs,) = scale.asked("cell_jobs")
    return interval_columns(saturated_loss(scenario, jobs=jobs, seed=seed))


class TableFigure(Figure):
    """A table of a paper: each printed cell beside what comes out here.

    Parameters
    ----------
    number : int
        Of the table.
    cells : list of Cell
        Of this table, or of several.
    """

    def __init__(self, number: int, cells: list[Cell]) -> None:
        self.cells = [cell for cell in cells if cell.published.table == number]
        clusters = max(cell.published.clusters for cell in self.cells)
        title = (
            f"Table {number}, here minus printed: one cluster of 32, and {clusters} clusters of 32"
        )
        super().__init__(f"table{number}", title)

    def data(self) -> pd.DataFrame:
        """Return one row a cell: its labels, the print, the loss here and the verdict."""
        rows = []
        for cell in self.cells:
            row, labels = cell.row(""), asdict(cell.published)
            printed = {"published": labels.pop("capacity_loss"), "capacity_loss": row.reproduced}
            ends = {"ci95_low": row.ci95_low, "ci95_high": row.ci95_high}
            judged = {"doubt": cell.loss.doubt, "verdict": row.verdict}
            rows.append(labels | printed | ends | judged)
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw how far each cell is from the printed one."""
        rows: dict[str, dict[str, tuple]] = {}
        for cell in self.cells:
            p = cell.published
            series = f"{p.request}, {p.clusters} cluster{'s' * (p.clusters > 1)}: {p.method}"
            rows.setdefault(p.component_sizes, {})[series] = p.capacity_loss, cell.loss
        return plots.beside_published(
            list(rows.items()), title=self.title, xlabel="capacity loss here minus printed"
        )

    def frame(self) -> pd.DataFrame:
        """Return the table in the paper's form, each printed cell beside what came out.

        The last columns say how many cells of a row differ from the print, and by how much at
        most.
        """
        rows: dict[str, dict[tuple, float]] = {}
        for cell in self.cells:
            p = cell.published
            row = rows.setdefault(p.component_sizes.replace(" on ", ""), {})
            head = f"{p.request}, C = {p.clusters}", p.method
            row[*head, "print"], row[*head, "here"] = p.capacity_loss, round(cell.loss.estimate, 3)
            differs, off = row.pop(("row", "", "differs"), 0), row.pop(("row", "", "off by"), 0.0)
            row["row", "", "differs"] = differs + (cell.row("").verdict != "reproduced")
            row["row", "", "off by"] = max(off, abs(cell.loss.estimate - p.capacity_loss))
        return pd.DataFrame.from_dict(rows, orient="index")


def table_figures(cells: list[Cell]) -> list[TableFigure]:
    """Return a `TableFigure` for each table that has cells."""
    numbers = dict.fromkeys(cell.published.table for cell in cells)
    return [TableFigure(number, cells) for number in numbers]
