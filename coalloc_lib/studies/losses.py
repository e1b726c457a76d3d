"""Capacity losses as several studies show them: in bars, and beside the cells of printed tables."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from pandas.io.formats.style import Styler

from coalloc_lib import plots, saturation
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.curves import find_maximum
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.intervals import Interval, Sample, student
from coalloc_lib.jobs import JobStream
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.core import Entries, Results, Scale, Study, interval_columns
from coalloc_lib.studies.ledger import Row, judge_number
from coalloc_lib.studies.pages import ground, plain_table
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel

Seed = np.random.SeedSequence


@dataclass(frozen=True)
class Loss:
    """A scenario whose capacity loss is measured in the way that a subclass says."""

    scenario: Scenario
    method: ClassVar[str] = "simulation"


class ByFormula(Loss):
    """By an exact formula."""

    method = "exact"

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the loss, a value without a dimension."""
        return Sample(np.array(find_maximum(self.scenario, method="exact").capacity_loss))


@dataclass(frozen=True)
class Saturated(Loss):
    """In heavy traffic, in runs on common random numbers; a scale has `jobs`, `replications`."""

    backlog: int | None = None

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the loss of each replication."""
        how: dict[str, Any] = {"jobs": scale.jobs, "replications": scale.replications}
        how |= {"backlog": self.backlog, "seed": seed}
        busy, warning = saturation.replicated_traffic(self.scenario, **how)
        return Sample((1 - busy).mean(axis=1), warning)


class BetweenBounds(Loss):
    """By Bucur and Epema's method for FPFS; a scale has `bound_arrivals`, `bound_replications`."""

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the loss of each replication."""
        how = {"arrivals": scale.bound_arrivals, "replications": scale.bound_replications}
        return Sample(saturation.loss_between_bounds(self.scenario, seed=seed, **how))


class InOrder(Loss):
    """With the jobs of a log, served once in their order, in ten nearly independent batches."""

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the loss of each batch."""
        known = "the jobs of a log: log.jobs()"
        stream = instance_of("workload", self.scenario.workload, JobStream, known)
        return Sample(1 - saturation.heavy_traffic(self.scenario, stream, batches=10))


#: Of an interval, as columns ``less_estimate`` and so on.
FIELDS = ("estimate", "low", "high", "count", "warning")


def losses_table(
    entries: Entries, results: Results, against: Any = None, paired: bool = True
) -> pd.DataFrame:
    """Return a row for each (group, series); ``less_...`` is the loss less that of `against`."""
    rows = []
    for (group, series), case in entries.items():
        interval = results[case].interval
        loss = interval_columns(interval, "capacity_loss")
        known = {"count": interval.count, "method": case.method, "warning": loss.pop("warning")}
        row = {"group": group, "series": series} | loss | known | scenario_columns(case.scenario)
        base = against(series) if callable(against) else against
        if base != series and (group, base) in entries:
            one, other = results[case], results[entries[group, base]]
            less = (one - other).interval if paired else one.less_unpaired(other)
            row |= {"against": base} | {f"less_{name}": getattr(less, name) for name in FIELDS}
        rows.append(row)
    return pd.DataFrame(rows)


def scenario_columns(scenario: Scenario) -> dict[str, str]:
    """Return the parts of a scenario in words, as columns of a table."""
    parts = vars(scenario)
    names = "system", "workload", "scheduling", "placement"
    return {name: "" if parts[name] is None else str(parts[name]) for name in names}


def differences(table: pd.DataFrame) -> dict[tuple[str, str], Interval]:
    """Return by (group, series) the differences of a `losses_table`."""
    return {
        (row["group"], row["series"]): Interval(**{name: row[f"less_{name}"] for name in FIELDS})
        for row in table[table["against"].notna()].to_dict("records")
    }


def draw_losses(words: str, levels: Callable, **how: Any) -> Callable[..., Picture]:
    """Return how bars are drawn; dashed lines are called `words`, and are at ``levels(table)``."""

    def draw(table: pd.DataFrame, **titles: Any) -> Picture:
        at = {"value": "capacity_loss", "threshold": (words, levels(table))} | how | titles
        return plots.bars(table, group="group", series="series", **at)

    return draw


def one_more_loss(of_sizes: Callable[[str], Entries] | None = None) -> Callable[..., Entries]:
    """Return `Figure.one_more` of losses; `of_sizes` gives those of a size distribution by name."""

    def one_more(label: Any, case: Any) -> Entries:
        if isinstance(label, str) and case is None and of_sizes is not None:
            return of_sizes(label)
        if not isinstance(label, tuple) or [*map(type, label)] != [str, str]:
            alone = "" if of_sizes is None else ", or a size distribution alone"
            pair = "a pair of texts, group and series, with a scenario"
            raise InputError(f"label = {shown(label)}; give {pair}{alone}")
        if not isinstance(case, Scenario | Loss):
            raise InputError(f"scenario = {shown(case)}; give a Scenario")
        return {label: Saturated(case) if isinstance(case, Scenario) else case}

    return one_more


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
        cells = [asdict(cell.published) for cell in entries.values()]
        table = pd.DataFrame(cells).drop(columns="kind")
        rows = pd.DataFrame(printed(results, entries))
        rows["capacity_loss"] = rows["reproduced"]
        rows["warning"] = [results[cell].warning for cell in entries.values()]
        here = rows[["capacity_loss", "ci95_low", "ci95_high", "warning", "verdict"]]
        return table.join(here)

    for number in tables:
        study.add_figure(
            f"table{number}", f"Table {number}: losses here less those printed; grey: the rounding "
            "of the print, bars: 95 % intervals of what is simulated",
            partial(cells, number=number), draw=draw_printed, **how,
        )(make_table)  # fmt: skip


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with how far off its cells are, and where the paper has them."""
    system = [
        f"total, 1 × {clusters * size}" if request == "total" else f"{request}, {clusters} × {size}"
        for request, clusters, size in table[["request", "clusters", "cluster_size"]].to_numpy()
    ]
    off, sizes = table["capacity_loss"] - table["published"], table["component_sizes"]
    return table.assign(off=off, system=system, sizes=sizes.str.replace(" on ", ""))


def draw_printed(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw how far each cell is from the print, a panel for each system and request."""
    compared = _compared(table).assign(rough=table["method"] == "approximation")
    for end in ("ci95_low", "ci95_high"):
        compared[end] -= compared["published"]
    return plots.intervals(
        compared, x="off", row="sizes", series="method", panel="system", band=(-0.0005, 0.0005),
        hollow=("rough", "approximation"), xlabel="capacity loss here minus printed", **titles,
    )  # fmt: skip


def beside_print(table: pd.DataFrame) -> Styler:
    """Return a printed table as the paper has it; what does not come out is coloured."""
    pairs = zip(table["published"].round(3), table["capacity_loss"].round(3), strict=True)
    both = [f"{x:.3f}" if x == y else f"{x:.3f} → {y:.3f}" for x, y in pairs]
    cells = _compared(table).assign(both=both, ground=table["verdict"].map(ground))
    at = cells.set_index(["sizes", "system", "method"])[["both", "ground"]]
    wide, grounds = (at[each].unstack([1, 2], fill_value="", sort=False) for each in at)
    styled = plain_table(wide, f"table{table['table'].iloc[0]}").apply(lambda _: grounds, axis=None)
    words = (
        "printed → here, one number where they are alike; yellow: close to the print, red: differs"
    )
    return styled.set_caption(f"{words}, grey: undecided")


#: Width of a bar of service times, in seconds, and how many are drawn.
BIN, DRAWN = 30, 200_000


def add_densities(study: Study) -> None:
    """Give a study Figures 1 and 2 of Bucur and Epema: the DAS1 log, by its stand-in."""

    def when(table: pd.DataFrame) -> bool:
        size, time = (table[table["quantity"] == name] for name in ("size", "service time"))
        powers = size["share"][size["value"].isin(2 ** np.arange(8))].sum()
        return min(powers, time["share"][time["value"] < 90].sum()) > 0.5

    def draw(table: pd.DataFrame, **titles: Any) -> Picture:
        sizes = (table["quantity"] == "size").to_numpy()
        return plots.histograms(
            table.assign(
                panel=np.where(sizes, "processors", f"seconds, {BIN} in a bar"),
                width=np.where(sizes, 1.0, BIN), value=table["value"] - 0.5 * sizes,
            ),
            value="value", share="share", panel="panel", width="width", ylabel="share of jobs",
            **titles,
        )  # fmt: skip

    @study.add_figure(
        "figure1-2", "Figures 1 and 2: sizes and service times of the DAS1 log, by a stand-in with "
        "its published moments", lambda scale, seed: {}, draw=draw, when=when,
        notice="Most jobs have a power of two as their size, and most run for less than 90 s",
    )  # fmt: skip
    def make_table(entries: Entries, results: Results) -> pd.DataFrame:
        sizes, edges = das1_sizes().probabilities, np.arange(0, 901, BIN)
        times = das1_service_times().sample(np.random.default_rng(1), DRAWN)
        shares = np.histogram(times, edges)[0] / DRAWN
        by_size = {"quantity": "size", "value": range(len(sizes)), "share": sizes}
        by_time = {"quantity": "service time", "value": edges[:-1], "share": shares}
        return pd.concat(map(pd.DataFrame, (by_size, by_time)), ignore_index=True)
