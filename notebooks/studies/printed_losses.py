"""Measure the capacity losses that papers print in tables, and compare them with these numbers.

Two studies have such tables. A cell of a printed table, a `PublishedLoss`, is one setting of the
study.
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
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.workloads.models import JobModel
from studies.ledger import Row, judge_number
from studies.loss_procedures import loss_at_response
from studies.pages import ground, plain_table
from studies.published import PRINTED, PublishedLoss, published_loss
from studies.results import Caption
from studies.study import Scale

#: The columns that together identify one cell of a table in a paper.
CELL = ("table", "clusters", "cluster_size", "component_sizes", "request", "method")
#: The largest rounding error of a capacity loss printed in a paper: half a unit of its third
#: decimal.
ROUNDING = 0.0005
#: The cut-off for 'very accurate' (claim CC-15) and 'quite accurate' (claim MU-21). The two claims
#: are about the same comparison of calculated and simulated losses.
ACCURATE = 0.01
#: The number of arrivals in a simulation run. The paper of 2003 (section 5) gives this number for
#: FPFS only, but we use it for every table cell. The function `run_length` estimates how long the
#: paper's own runs were.
ARRIVALS = 100_000
#: The shortest and the longest run length, in jobs, that `run_length` can return.
SHORTEST, LONGEST = 1_000, ARRIVALS
#: The function `run_length` makes an estimate only from at least this number of simulated table
#: cells.
FEWEST = 10
#: The variance of the rounding error of a number with three decimals.
ROUNDING_VARIANCE = 0.001**2 / 12
#: The median of the square of a standard normal variable (chi squared with one degree of freedom).
MEDIAN_SQUARE = 0.454936


# --- The choice of D(q) ---

#: A choice that we made to fit Table 4 of the paper of 2003: the papers do not say whether the size
#: distribution D(q) counts the size 1 as a power of two.
POWERS = "whether D(q) counts the size 1 as a power of two"
#: The size distributions and request types in Table 4 whose capacity losses, after rounding, do not
#: depend on whether D(q) counts the size 1 as a power of two.
SAME_WITH_BOTH = {("D(0.95) on [1,32]", "unordered"), ("D(0.80) on [1,32]", "ordered")}


def chosen_by(cell: PublishedLoss) -> str:
    """Return the name of the parameter that we fitted to a table cell; empty for most cells.

    Table 4 is in the paper of 2003. Table 1 is in the paper of 2002 and has the same losses of a
    single cluster, so these were used too. Its losses of four clusters were not.
    """
    is_used = cell.table == 4 or (cell.table == 1 and cell.clusters == 1)
    return POWERS if is_used and (cell.component_sizes, cell.request) not in SAME_WITH_BOTH else ""


# --- Measuring a cell ---


def scenario_of(cell: PublishedLoss) -> Scenario:
    """Return the scenario that a cell of a table in a paper describes.

    Total requests are served by a single cluster that is as large as all clusters together.
    """
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    if cell.request == "total":
        system = Multicluster([system.processors])
    sizes = parse_sizes(cell.component_sizes)
    return Scenario(system, JobModel(sizes, cell.clusters, cell.request))


def measure_cell(
    cell: PublishedLoss, scale: Scale, seed: np.random.SeedSequence, by_response: bool = False
) -> Iterator[dict]:
    """Measure the capacity loss for a cell of a paper's table, and yield the results as dicts.

    Parameters
    ----------
    cell : PublishedLoss
        The cell of a printed table.
    scale : Scale
        Its ``cell_jobs`` is the number of jobs of a simulation in heavy traffic.
    seed : SeedSequence
        The seed of the study.
    by_response : bool
        If true and ``scale.response_jobs`` is not None, the simulation raises the load until the
        mean response time is 1,500, in ``scale.response_replications`` runs of that many jobs.
        Otherwise, it is one run in heavy traffic.

    Yields
    ------
    dict
        A row for each replication, or each batch of a run in heavy traffic. Its ``row_jobs`` is the
        number of jobs of that replication or batch, and None for an exact loss.
    """
    scenario = scenario_of(cell)
    # Each table cell has its own seed. With a common seed, one unlucky sample would shift a whole
    # column of the table.
    own_seed = np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, *cell.item.encode())
    )
    row_jobs = None
    if cell.method != "simulation":
        loss = max_utilization_by_simulation(scenario, method=cell.method).capacity_loss
        losses = Replications(np.array(loss))
    elif by_response and scale.response_jobs:
        row_jobs = scale.response_jobs
        of_replications = loss_at_response(
            scenario, jobs=row_jobs, replications=scale.response_replications, seed=own_seed
        )
        losses = Replications(of_replications)
    else:
        losses = saturation.batch_losses(scenario, jobs=scale.cell_jobs, seed=own_seed)
        row_jobs = scale.cell_jobs / losses.values.size
    yield from loss_rows(losses, row_jobs)


def loss_rows(losses: Replications, row_jobs: float | None) -> Iterator[dict]:
    """Yield a dict for each measured capacity loss, with the number of jobs in its run."""
    for row in rows_of(losses, "capacity_loss"):
        yield row | {"row_jobs": row_jobs}


# --- Comparing our losses with the losses in the papers ---


class MeasuredCell(NamedTuple):
    """A cell of a table in a paper, with the capacity loss that we measured.

    `one_run` is the prediction interval for one run as long as the paper's; it is None if the loss
    was calculated by a formula.
    """

    cell: PublishedLoss
    loss: Interval
    one_run: Interval | None

    def row(self, study: str) -> Row:
        """Return the row for this table cell in the ledger of a study."""
        cell = self.cell
        judgement = judge_number(
            cell.published, self.loss, one_run=self.one_run, calibrates=chosen_by(cell)
        )
        return Row.of(study, cell.item, "capacity loss", cell.published, self.loss, judgement)


def cells_of(runs: pd.DataFrame) -> Iterator[MeasuredCell]:
    """Yield each table cell of the papers that we simulated, with our capacity loss."""
    measured = _measured(runs)
    length = _length(measured)
    for cell, losses, row_jobs in measured:
        one_run = losses.prediction_of(length / row_jobs) if row_jobs else None
        yield MeasuredCell(cell, losses.interval, one_run)


class _CellLosses(NamedTuple):
    cell: PublishedLoss
    losses: Replications
    row_jobs: float  # the number of jobs behind each loss; 0 if a formula gave the loss

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "_CellLosses":
        losses = sample(rows, "capacity_loss")
        jobs = float(rows["row_jobs"].iloc[0]) if losses.values.ndim else 0.0
        return cls(printed_cell(rows), losses, jobs)


def _measured(runs: pd.DataFrame) -> list[_CellLosses]:
    return [_CellLosses.of(rows) for _, rows in groups_of(pick(runs, kind=PRINTED), CELL)]


def run_length(runs: pd.DataFrame) -> float:
    """Estimate how many jobs the paper's own runs had, from the scatter of its capacity losses.

    The loss in a run of n jobs has a variance proportional to 1/n around the mean. The estimate is
    the length n at which the median of the squared, standardized differences between printed and
    measured losses has its theoretical value. A median is used because one misprint does not
    change it much. The estimate is limited to the range from `SHORTEST` to `LONGEST`. With fewer
    than `FEWEST` simulated cells, the result is `LONGEST`, the length that the paper states.
    """
    return _length(_measured(runs))


def _length(measured: Sequence[_CellLosses]) -> float:
    simulated = [cell for cell in measured if cell.row_jobs]
    if len(simulated) < FEWEST:
        return LONGEST
    off = np.array([cell.cell.published - cell.losses.mean for cell in simulated])
    variances = np.array([cell.losses.values.var(ddof=1) for cell in simulated])
    variance_of_one_job = variances * np.array([cell.row_jobs for cell in simulated])
    variance_of_mean = variances / np.array([cell.losses.values.size for cell in simulated])

    def excess(jobs: float) -> float:
        expected = variance_of_one_job / jobs + variance_of_mean + ROUNDING_VARIANCE
        return float(np.median(off**2 / expected)) - MEDIAN_SQUARE

    # The expected variance decreases as the runs become longer. Therefore `excess` increases with
    # the run length and has at most one root.
    if excess(SHORTEST) >= 0:
        return SHORTEST
    return LONGEST if excess(LONGEST) <= 0 else _root(excess)


def _root(function: Callable[[float], float]) -> float:
    from scipy.optimize import brentq  # scipy.optimize is slow to import

    return float(brentq(function, SHORTEST, LONGEST, xtol=1.0))


def printed_cell(rows: pd.DataFrame) -> PublishedLoss:
    """Return the cell of a paper's table that the given runs measure, with its printed number."""
    first = rows.iloc[0]
    names = {name: first[name] for name in CELL}
    names |= {name: int(first[name]) for name in ("table", "clusters", "cluster_size")}
    return published_loss(first["study"], **names)


def printed_rows(study: str, runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the ledger row of each cell of the paper's tables that the runs reproduce."""
    for measured in cells_of(runs):
        yield measured.row(study)


def printed_table(runs: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return the cells of a table in a paper, each with the paper's loss and our own loss.

    `number` is the number of the table in the paper.
    """
    rows = []
    for measured in cells_of(pick(runs, table=number)):
        row, loss = measured.row(""), measured.loss
        names = {name: getattr(measured.cell, name) for name in (*CELL, "published")}
        ends = {"ci95_low": row.ci95_low, "ci95_high": row.ci95_high}
        judged = {"warning": loss.warning, "verdict": row.verdict}
        rows.append(names | {"capacity_loss": loss.estimate} | ends | judged)
    if not rows:
        raise NotRunError(f"no cell of table {number} was run")
    return pd.DataFrame(rows).astype({"ci95_low": float, "ci95_high": float})


# --- Figures ---


def caption_of(number: int, finding: str = "") -> Caption:
    """Return the caption of a figure that compares a table in a paper with our capacity losses."""
    shows = (
        f"Table {number}: our losses minus the printed ones; grey: rounding of the printed "
        "values, bars: "
        "95 % intervals of simulated losses"
    )
    return Caption(shows, finding)


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Add two columns of labels, ``system`` and ``sizes``, to a table of capacity losses."""
    systems = []
    for cell in table.itertuples():
        processors = cell.clusters * cell.cluster_size
        total = f"total, 1 × {processors}"
        several = f"{cell.request}, {cell.clusters} × {cell.cluster_size}"
        systems.append(total if cell.request == "total" else several)
    sizes = table["component_sizes"].str.replace(" on ", "")
    return table.assign(system=systems, sizes=sizes)


def draw_printed(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot our loss minus the paper's loss for each table cell, with one panel per system."""
    cells = labelled(table)
    for column in ("capacity_loss", "ci95_low", "ci95_high"):
        cells[column] -= cells["published"]
    return plots.deviations(
        cells.assign(rough=cells["method"] == "approximation"),
        x="capacity_loss",
        row="sizes",
        series="method",
        panel="system",
        band=(-ROUNDING, ROUNDING),
        hollow=("rough", "approximation"),
        xlabel="our capacity loss minus the printed one",
        **titles,
    )


def beside_print(table: pd.DataFrame) -> Styler:
    """Return the paper's table with our losses added, and colour the cells that differ."""
    cells = labelled(table).set_index(["sizes", "system", "method"])
    texts, grounds = (
        column.unstack([1, 2], fill_value="", sort=False)
        for column in (cells.apply(_printed_and_here, axis=1), cells["verdict"].map(ground))
    )
    styled = plain_table(texts, f"table{table['table'].iloc[0]}")
    return styled.apply(lambda _: grounds, axis=None).set_caption(
        "printed → our value, or one number if they are equal; yellow: close, red: differs, "
        "grey: undecided, or used to choose D(q)"
    )


def _printed_and_here(cell: pd.Series) -> str:
    printed, here = round(cell["published"], 3), round(cell["capacity_loss"], 3)
    return f"{printed:.3f}" if printed == here else f"{printed:.3f} → {here:.3f}"
