"""Tables of capacity losses, cell by cell: by formula, or by the simulation that a paper used."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from pandas.io.formats.style import Styler

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
from coalloc_lib.studies.styled import losses_table
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Why a simulated cell is in doubt.
SHORT = "the run is too short for its tails or its correlation"
#: Verdicts of a cell that does not come out as printed.
OFF = ("close", "differs")
#: Columns that sum a row of a table up.
DIFFERS, OFF_BY = ("all methods", "", "differs"), ("all methods", "", "off by")


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
        how = {"jobs": scale.response_jobs, "replications": scale.response_replications}
        return interval_columns(student(loss_at_response(scenario, seed=seed, **how)))
    return interval_columns(saturated_loss(scenario, jobs=scale.cell_jobs, seed=seed))


class TableFigure(Figure):
    """A table of a paper: each printed cell beside what comes out here.

    Parameters
    ----------
    number : int
        Of the table.
    cells : list of Cell
        Of this table, or of several.
    claims : sequence of str
        Names of the claims that it answers.
    """

    def __init__(self, number: int, cells: list[Cell], claims: Sequence[str] = ()) -> None:
        self.cells = [cell for cell in cells if cell.published.table == number]
        subtitle = (
            f"Table {number}. Diamond: the print, grey: its rounding, hollow: the approximation, "
            "bars: 95 % intervals of what is simulated"
        )
        super().__init__(f"table{number}", subtitle, claims)

    @property
    def title(self) -> str:
        """How many cells come out as printed, and how far off the others are."""
        verdicts = Counter(cell.row("").verdict for cell in self.cells)
        off = {
            cell.published.item: abs(cell.loss.estimate - cell.published.capacity_loss)
            for cell in self.cells
            if cell.row("").verdict in OFF
        }
        words = f"{verdicts['reproduced']} of {len(self.cells)} cells come out as printed"
        if off:
            others = "other differs" if len(off) == 1 else f"{len(off)} others differ"
            words += f"; the {others} by at most {max(off.values()):.3f}"
        if verdicts["cannot be tested"]:
            words += f"; undecided: {verdicts['cannot be tested']}"
        return words

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
        """Draw how far each cell is from the printed one, a panel for each system and request."""
        panels: dict[str, dict[str, dict[str, tuple]]] = {}
        for cell in self.cells:
            p = cell.published
            name = p.component_sizes.replace(" on ", "")
            row = panels.setdefault(heading(p), {}).setdefault(name, {})
            row[p.method] = p.capacity_loss, cell.loss
        xlabel = "capacity loss here minus printed"
        return plots.beside_published(
            panels, title=self.title, subtitle=self.subtitle, xlabel=xlabel
        )

    def table(self) -> Styler:
        """Return the table in the paper's form, each printed cell beside what came out.

        What does not come out as printed is coloured. The last columns say how many cells of a row
        differ from the print, and by how much at most.
        """
        rows: dict[str, dict[tuple, Any]] = {}
        verdicts: dict[str, dict[tuple, str]] = {}
        for cell in self.cells:
            p, verdict = cell.published, cell.row("").verdict
            name = p.component_sizes.replace(" on ", "")
            row, judged = rows.setdefault(name, {}), verdicts.setdefault(name, {})
            head = heading(p), p.method
            row[*head, "print"], row[*head, "here"] = p.capacity_loss, cell.loss.estimate
            judged[*head, "here"] = verdict
            differs, off = row.pop(DIFFERS, 0), row.pop(OFF_BY, 0.0)
            row[DIFFERS] = differs + (verdict in OFF)
            row[OFF_BY] = max(off, abs(cell.loss.estimate - p.capacity_loss))
        table = pd.DataFrame.from_dict(rows, orient="index")
        colours = pd.DataFrame.from_dict(verdicts, orient="index")
        colours = colours.reindex(index=table.index, columns=table.columns).astype(object)
        colours = colours.where(colours.notna(), "")
        return losses_table(table, colours, self.name)

    def words(self) -> str:
        """Return the figure in words: its title, and the cells that differ."""
        off = [c.published.item for c in self.cells if c.row("").verdict in OFF]
        return f"{super().words()} Not as printed: {', '.join(off) or 'none'}."


def heading(cell: PublishedLoss) -> str:
    """Return the request and the system of a cell, as count and size of its clusters."""
    size, clusters = cell.cluster_size, cell.clusters
    if cell.request == "total":  # on one cluster as large as all
        size, clusters = size * clusters, 1
    return f"{cell.request}, {clusters} × {size}"


def table_figures(
    cells: list[Cell], claims: Mapping[int, Sequence[str]] | None = None
) -> list[TableFigure]:
    """Return a `TableFigure` for each table that has cells; `claims` by its number."""
    numbers = dict.fromkeys(cell.published.table for cell in cells)
    return [TableFigure(number, cells, (claims or {}).get(number, ())) for number in numbers]
