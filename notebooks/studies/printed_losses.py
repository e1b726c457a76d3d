"""Capacity losses that papers print in tables: measured, held against the print, and drawn.

A printed cell, `PublishedLoss`, is a setting of the study. Two studies have such tables.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pandas.io.formats.style import Styler

from coalloc_lib import plots
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    groups_of,
    pick,
    rows_of,
    sample,
    saturation,
)
from coalloc_lib.statistics.curves import max_utilization_by_simulation
from coalloc_lib.workloads.models import JobModel
from studies.ledger import Row, judge_number
from studies.pages import ground, plain_table
from studies.published import PRINTED, PublishedLoss, published_loss
from studies.results import Caption
from studies.study import Scale

#: The columns that name a cell of a printed table.
CELL = ("table", "clusters", "cluster_size", "component_sizes", "request", "method")
#: Half a unit of the third decimal: how far a printed number may be from what it was rounded from.
ROUNDING = 0.0005
#: Arrivals in a run: section 5 of the paper of 2003 gives them for FPFS alone. We simulate as many
#: for every printed cell. The scatter of the printed cells tells how long their runs were; see
#: `run_length`.
ARRIVALS = 100_000
#: Lengths between which that of the printed runs is looked for.
SHORTEST, LONGEST = 1_000, ARRIVALS
#: Fewer simulated cells do not tell a length.
FEWEST = 10
#: The variance of a number that is rounded to three decimals, by its rounding.
OF_ROUNDING = 0.001**2 / 12
#: Half of the squares of standard normal numbers are below this: the median of chi squared.
MEDIAN_SQUARE = 0.454936


# --- What is measured ---


def scenario_of(cell: PublishedLoss) -> Scenario:
    """Return the system and the jobs of a cell; total requests have one cluster as large as all."""
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    if cell.request == "total":
        system = Multicluster([system.processors])
    sizes = parse_sizes(cell.component_sizes)
    return Scenario(system, JobModel(sizes, cell.clusters, cell.request))


def measure_cell(
    cell: PublishedLoss, scale: Scale, seed: np.random.SeedSequence, by_response: bool = False
) -> Iterator[dict]:
    """Yield the loss of a cell, by the method that is printed there.

    A simulation is in heavy traffic, with a row for each batch, of the scale's `cell_jobs`. If it
    is `by_response` and the scale has `response_jobs`, it raises the load until the mean response
    time is 1,500, with a row for each of `response_replications`. `row_jobs` is how many jobs a row
    rests on.
    """
    scenario = scenario_of(cell)
    # A seed for each cell: one unlucky draw must not move a whole column.
    own_seed = np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, *cell.item.encode())
    )
    row_jobs = None
    if cell.method != "simulation":
        known = max_utilization_by_simulation(scenario, method=cell.method).capacity_loss
        losses = Replications(np.array(known))
    elif by_response and scale.response_jobs:
        how = {"jobs": scale.response_jobs, "replications": scale.response_replications}
        losses = Replications(saturation.loss_at_response(scenario, seed=own_seed, **how))
        row_jobs = scale.response_jobs
    else:
        losses = saturation.batch_losses(scenario, jobs=scale.cell_jobs, seed=own_seed)
        row_jobs = scale.cell_jobs / losses.values.size
    yield from loss_rows(losses, row_jobs)


def loss_rows(losses: Replications, row_jobs: float | None) -> Iterator[dict]:
    """Yield the rows of a cell, with how many jobs each rests on."""
    for row in rows_of(losses, "capacity_loss"):
        yield row | {"row_jobs": row_jobs}


# --- What reads the runs ---


class MeasuredCell(NamedTuple):
    """A printed cell, its loss here, and where one run falls that is as long as the papers'."""

    cell: PublishedLoss
    loss: Interval
    one_run: Interval | None

    def row(self, study: str) -> Row:
        """Return its row of the ledger: a simulated cell is a draw, an exact one is not."""
        cell = self.cell
        judgement = judge_number(cell.published, self.loss, one_run=self.one_run)
        return Row.of(study, cell.item, "capacity loss", cell.published, self.loss, judgement)


def cells_of(runs: pd.DataFrame) -> Iterator[MeasuredCell]:
    """Yield each cell that was run, with its loss.

    A simulated cell has the interval in which one run falls that is as long as the printed ones.
    """
    measured = [_Simulated.of(rows) for _, rows in groups_of(pick(runs, kind=PRINTED), CELL)]
    length = _length([each for each in measured if each.row_jobs])
    for cell, losses, row_jobs in measured:
        one_run = losses.prediction_of(length / row_jobs) if row_jobs else None
        yield MeasuredCell(cell, losses.interval, one_run)


class _Simulated(NamedTuple):
    """A printed cell, its losses here, and the number of jobs of each; 0 if they are exact."""

    cell: PublishedLoss
    losses: Replications
    row_jobs: float

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "_Simulated":
        losses = sample(rows, "capacity_loss")
        jobs = float(rows["row_jobs"].iloc[0]) if losses.values.ndim else 0.0
        return cls(printed_cell(rows), losses, jobs)


def run_length(runs: pd.DataFrame) -> float:
    """Return the number of jobs of a printed run, as the scatter of the printed cells shows it.

    A run of n jobs differs from the mean by a variance that falls like 1/n, and by its rounding. Of
    all lengths from `SHORTEST` to `LONGEST` it is the one at which half of the printed cells are
    within what is expected of half of them. This is the median, which a single slip does not move.
    Fewer than `FEWEST` simulated cells tell nothing; the length is then the one that is stated.
    """
    measured = [_Simulated.of(rows) for _, rows in groups_of(pick(runs, kind=PRINTED), CELL)]
    return _length([each for each in measured if each.row_jobs])


def _length(simulated: Sequence[_Simulated]) -> float:
    if len(simulated) < FEWEST:
        return LONGEST
    off = np.array([each.cell.published - each.losses.mean for each in simulated])
    # The variance of a run of one job, and that of our mean.
    single = np.array([each.losses.values.var(ddof=1) * each.row_jobs for each in simulated])
    of_mean = np.array([each.losses.values.var(ddof=1) / each.losses.values.size
                        for each in simulated])  # fmt: skip

    def too_far(jobs: float) -> float:
        expected = single / jobs + of_mean + OF_ROUNDING
        return float(np.median(off**2 / expected)) - MEDIAN_SQUARE

    # A longer run is nearer to the mean, so the same distance is further than expected.
    if too_far(SHORTEST) >= 0:
        return SHORTEST
    return LONGEST if too_far(LONGEST) <= 0 else _root(too_far)


def _root(function: Callable[[float], float]) -> float:
    from scipy.optimize import brentq  # takes long to import

    return float(brentq(function, SHORTEST, LONGEST, xtol=1.0))


def printed_cell(rows: pd.DataFrame) -> PublishedLoss:
    """Return the cell that these runs are of, with the loss that the published data have."""
    first = rows.iloc[0]
    names = {name: first[name] for name in CELL}
    names |= {name: int(first[name]) for name in ("table", "clusters", "cluster_size")}
    return published_loss(first["study"], **names)


def printed_rows(study: str, runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the rows of the ledger of all cells that were run."""
    for measured in cells_of(runs):
        yield measured.row(study)


def printed_table(runs: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return a table of the paper: each loss as it is printed, and as it comes out here."""
    rows = []
    for measured in cells_of(pick(runs, table=number)):
        row, loss = measured.row(""), measured.loss
        names = {name: getattr(measured.cell, name) for name in (*CELL, "published")}
        ends = {"ci95_low": row.ci95_low, "ci95_high": row.ci95_high}
        judged = {"warning": loss.warning, "verdict": row.verdict}
        rows.append(names | {"capacity_loss": loss.estimate} | ends | judged)
    if not rows:
        raise NotRunError(f"no run is of a cell of table {number}")
    return pd.DataFrame(rows).astype({"ci95_low": float, "ci95_high": float})


# --- What draws them ---


def caption_of(number: int, finding: str = "") -> Caption:
    """Return the caption of a printed table."""
    shows = (
        f"Table {number}: losses here less those printed; grey: the rounding of the print, bars: "
        "95 % intervals of what is simulated"
    )
    return Caption(shows, finding)


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with its cells' sizes and systems as a reader writes them."""
    systems = []
    for cell in table.itertuples():
        processors = cell.clusters * cell.cluster_size
        total = f"total, 1 × {processors}"
        several = f"{cell.request}, {cell.clusters} × {cell.cluster_size}"
        systems.append(total if cell.request == "total" else several)
    sizes = table["component_sizes"].str.replace(" on ", "")
    return table.assign(system=systems, sizes=sizes)


def draw_printed(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw how far each cell is from the print, a panel for each system and request."""
    cells = labelled(table)
    for column in ("capacity_loss", "ci95_low", "ci95_high"):
        cells[column] -= cells["published"]
    return plots.intervals(
        cells.assign(rough=cells["method"] == "approximation"),
        x="capacity_loss",
        row="sizes",
        series="method",
        panel="system",
        band=(-ROUNDING, ROUNDING),
        hollow=("rough", "approximation"),
        xlabel="capacity loss here minus printed",
        **titles,
    )


def beside_print(table: pd.DataFrame) -> Styler:
    """Return a printed table as the paper has it; what does not come out is coloured."""
    cells = labelled(table).set_index(["sizes", "system", "method"])
    texts, grounds = (
        column.unstack([1, 2], fill_value="", sort=False)
        for column in (cells.apply(_printed_and_here, axis=1), cells["verdict"].map(ground))
    )
    styled = plain_table(texts, f"table{table['table'].iloc[0]}")
    words = "printed → here, one number where they are alike; yellow: close to the print, red: "
    return styled.apply(lambda _: grounds, axis=None).set_caption(
        f"{words}differs, grey: undecided"
    )


def _printed_and_here(cell):
    printed, here = round(cell["published"], 3), round(cell["capacity_loss"], 3)
    return f"{printed:.3f}" if printed == here else f"{printed:.3f} → {here:.3f}"
