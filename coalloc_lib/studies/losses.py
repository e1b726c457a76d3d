"""Printed losses and the DAS1 log in the older shape of studies."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib import saturation
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.intervals import Interval, student
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.core import Entries, Results, Scale, Study
from coalloc_lib.studies.das1_densities import densities, draw_densities
from coalloc_lib.studies.ledger import Row, judge_number
from coalloc_lib.studies.printed_losses import draw_printed
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

Seed = np.random.SeedSequence


def scenario_columns(scenario: Scenario) -> dict[str, str]:
    """Return the parts of a scenario in words, as columns of a table."""
    parts = vars(scenario)
    names = "system", "workload", "scheduling", "placement"
    return {name: "" if parts[name] is None else str(parts[name]) for name in names}


@dataclass(frozen=True)
class TableCell:
    """A printed loss, by formula, heavy traffic or, `by_response`, a mean response of 1,500."""

    published: PublishedLoss
    by_response: bool

    def measure(self, scale: Scale, seed: Seed) -> Interval:
        """Return the loss; total requests have one cluster as large as all of the system."""
        cell = self.published
        system, sizes = Multicluster.equal(cell.clusters, cell.cluster_size), cell.component_sizes
        if cell.request == "total":
            system = Multicluster([system.processors])
        model = JobModel(parse_sizes(sizes), cell.clusters, cell.request)
        scenario = Scenario(system, model)
        if cell.method != "simulation":
            return maximal_utilization(system, model.sizes, cell.clusters, cell.request).loss
        # A seed for each cell: one unlucky draw must not move a whole column.
        seed = Seed(seed.entropy, spawn_key=(*seed.spawn_key, *cell.item.encode()))
        if not (self.by_response and scale.response_jobs):
            return saturation.saturated_loss(scenario, jobs=scale.cell_jobs, seed=seed)
        how = {"jobs": scale.response_jobs, "replications": scale.response_replications}
        return student(saturation.loss_at_response(scenario, seed=seed, **how))


def add_printed_tables(
    study: Study, tables: Sequence[int], by_response: Callable[[PublishedLoss], bool], **how: Any
) -> None:
    """Give a study a figure and rows of the ledger for each printed table of losses."""

    def cells(scale: Scale, seed: Any, number: int | None = None) -> dict[str, TableCell]:
        known = [p for p in load_published(study.name) if number in (None, p.table)]
        return {p.item: TableCell(p, by_response(p)) for p in known}

    @study.add_numbers
    def printed(results: Results, entries: Entries | None = None) -> list[Row]:
        rows = []
        for item, cell in (entries or cells(results.scale, results.seed)).items():
            loss, printed = results[cell], cell.published.published
            simulated = cell.published.method == "simulation"
            low, high = (loss.low, loss.high) if simulated else (None, None)
            row = study.name, item, "capacity loss", printed, loss.estimate, low, high
            rows.append(Row(*row, *judge_number(printed, loss)))
        return rows

    def make_table(entries: Entries, results: Results) -> pd.DataFrame:
        table = pd.DataFrame([asdict(cell.published) for cell in entries.values()])
        rows = pd.DataFrame(printed(results, entries))
        rows["capacity_loss"] = rows["reproduced"]
        rows["warning"] = [results[cell].warning for cell in entries.values()]
        here = rows[["capacity_loss", "ci95_low", "ci95_high", "warning", "verdict"]]
        return table.drop(columns="kind").join(here)

    for number in tables:
        study.add_figure(
            f"table{number}", f"Table {number}: losses here less those printed; grey: the rounding "
            "of the print, bars: 95 % intervals of what is simulated",
            partial(cells, number=number), draw=draw_printed, **how,
        )(make_table)  # fmt: skip


def add_densities(study: Study) -> None:
    """Give a study Figures 1 and 2 of Bucur and Epema: the DAS1 log, by its stand-in."""
    study.add_figure(
        "figure1-2", "Figures 1 and 2: sizes and service times of the DAS1 log, by a stand-in with "
        "its published moments", lambda scale, seed: {}, draw=draw_densities,
        notice="Most jobs have a power of two as their size, and most run for less than 90 s",
    )(lambda entries, results: densities())  # fmt: skip
