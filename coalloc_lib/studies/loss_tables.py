"""Tables of capacity losses, cell by cell: by formula, or by the simulation that a paper used."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.saturation import loss_at_response, saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.ledger import Row, judge_exact, judge_interval
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.sweep import sweep
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel


@dataclass(frozen=True)
class TableScale:
    """How much is simulated for a table.

    Attributes
    ----------
    cell_jobs : int
        Jobs of the run behind a cell of the second type of simulation, in heavy traffic.
    response_jobs, response_replications : int
        Arrivals and runs of the first type, until the mean response time is 1,500.
    """

    cell_jobs: int
    response_jobs: int
    response_replications: int


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
    def is_simulated(self):
        """Whether the loss is known but for an interval."""
        return self.published.method == "simulation"

    def row(self, study):
        """Return the cell's row of the ledger of `study`."""
        printed, loss = self.published.capacity_loss, self.loss
        judgement, ends = judge_exact(printed, loss.estimate), (None, None)
        if self.is_simulated:
            judgement, ends = judge_interval(printed, loss), (loss.low, loss.high)
        values = printed, loss.estimate, *ends
        return Row(study, self.published.item, "capacity loss", *values, *judgement)


def compute_tables(study, by_response, scale, seed, workers=-1, **how):
    """Return every `Cell` of a study's tables, in the order in which they are printed.

    Parameters
    ----------
    study : str
        Name of the study.
    by_response : callable
        Says of a simulated `PublishedLoss` whether the paper used the first type of simulation.
    scale : TableScale
    seed : int
    workers : int
        Threads; one a processor where it is not given.
    how
        For `coalloc_lib.sweep.sweep`: cache, progress. The cells do not depend on it.
    """
    published = load_published(study)
    points = [{"cell": p, "by_response": by_response(p), "scale": scale} for p in published]
    found = sweep(cell_loss, points, seed=seed, workers=workers, **how)
    return [
        Cell(p, Interval(row.loss, row.low, row.high, row.count, doubt=SHORT * bool(row.doubted)))
        for p, row in zip(published, found.itertuples(), strict=True)
    ]


#: Why a simulated cell can be in doubt.
SHORT = "the run is too short"


def cell_loss(cell, by_response, scale, seed):
    """Return the loss of a cell, by the formula or by the type of simulation that the paper used.

    The paper's total requests have one cluster as large as all of the system, and the sum of the
    components as their size.

    Returns
    -------
    dict
        Also the interval, the number of values that it rests on (none for a formula), and whether
        it is in doubt.
    """
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    distribution = parse_sizes(cell.component_sizes)
    if cell.request == "total":
        system = Multicluster([system.processors])
    if cell.method != "simulation":
        bound = maximal_utilization(system, distribution, cell.clusters, cell.request)
        loss = bound.capacity_loss
        return {"loss": loss, "low": loss, "high": loss, "count": 0, "doubted": False}
    scenario = Scenario(system, JobModel(distribution, cell.clusters, cell.request))
    # A seed for each cell: one unlucky draw must not move a whole column.
    seed = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *cell.item.encode()))
    if by_response:
        how = {"jobs": scale.response_jobs, "replications": scale.response_replications}
        interval = student(loss_at_response(scenario, seed=seed, **how))
    else:
        interval = saturated_loss(scenario, jobs=scale.cell_jobs, seed=seed)
    ends = {"low": interval.low, "high": interval.high, "count": interval.count}
    return {"loss": interval.estimate, **ends, "doubted": bool(interval.doubt)}


class TableFigure(Figure):
    """A table of a paper: each printed cell beside what comes out here.

    Parameters
    ----------
    number : int
        Of the table.
    cells : list of Cell
        Of this table, or of several.
    """

    def __init__(self, number, cells):
        self.cells = [cell for cell in cells if cell.published.table == number]
        clusters = max(cell.published.clusters for cell in self.cells)
        title = (
            f"Table {number}, here minus printed: one cluster of 32, and {clusters} clusters of 32"
        )
        super().__init__(f"table{number}", title)

    def data(self):
        """Return one row a cell: its labels, the print, the loss here and the verdict."""
        rows = []
        for cell in self.cells:
            row = cell.row("")
            ends = {"ci95_low": row.ci95_low, "ci95_high": row.ci95_high}
            found = {"capacity_loss": cell.loss.estimate, **ends, "verdict": row.verdict}
            labels = asdict(cell.published)
            rows.append(labels | {"published": labels.pop("capacity_loss")} | found)
        return pd.DataFrame(rows)

    def plot(self):
        """Draw how far each cell is from the printed one."""
        rows = {}
        for cell in self.cells:
            p = cell.published
            series = f"{p.request}, {p.clusters} cluster{'s' * (p.clusters > 1)}: {p.method}"
            found = cell.loss if cell.is_simulated else cell.loss.estimate
            rows.setdefault(p.component_sizes, {})[series] = p.capacity_loss, found
        return plots.beside_published(
            list(rows.items()), title=self.title, xlabel="capacity loss here minus printed"
        )

    def frame(self):
        """Return the table in the paper's form, each printed cell beside what came out.

        The last columns say how many cells of a row differ from the print, and by how much at
        most.
        """
        rows = {}
        for cell in self.cells:
            p = cell.published
            row = rows.setdefault(p.component_sizes.replace(" on ", ""), {})
            head = f"{p.request}, C = {p.clusters}", p.method
            row[*head, "print"], row[*head, "here"] = p.capacity_loss, round(cell.loss.estimate, 3)
            differs, off = row.pop(("row", "", "differs"), 0), row.pop(("row", "", "off by"), 0.0)
            row["row", "", "differs"] = differs + (cell.row("").verdict != "reproduced")
            row["row", "", "off by"] = max(off, abs(cell.loss.estimate - p.capacity_loss))
        return pd.DataFrame.from_dict(rows, orient="index")


def table_figures(cells):
    """Return a `TableFigure` for each table that has cells."""
    numbers = dict.fromkeys(cell.published.table for cell in cells)
    return [TableFigure(number, cells) for number in numbers]
