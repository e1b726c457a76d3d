"""Figures of capacity losses: how a loss is measured, and the bars that show it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.curves import find_maximum
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.saturation import heavy_traffic, loss_between_bounds, replicated_losses
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.figure import SimulatedFigure, checked_scenario, described
from coalloc_lib.sweep import sweep


@dataclass(frozen=True)
class ByFormula:
    """The loss of a scenario that has an exact formula."""

    scenario: Scenario
    method = "exact"

    def losses(self, size, seed):
        """Return the capacity loss, alone in its array, and no doubt."""
        return np.array([find_maximum(self.scenario, method="exact").capacity_loss]), ""


@dataclass(frozen=True)
class Saturated:
    """The loss of a scenario in heavy traffic, in replications on common random numbers."""

    scenario: Scenario
    backlog: int | None = None
    method = "simulation"

    def losses(self, size, seed):
        """Return the capacity loss of each replication, and why they are in doubt."""
        how = {"jobs": size.jobs, "replications": size.replications, "backlog": self.backlog}
        return replicated_losses(self.scenario, seed=seed, **how)


@dataclass(frozen=True)
class BetweenBounds:
    """The paper's own method for FPFS: the load at which the queue stays between two bounds."""

    scenario: Scenario
    method = "simulation"

    def losses(self, size, seed):
        """Return the capacity loss of each replication, and no doubt."""
        runs = {"arrivals": size.bound_arrivals, "replications": size.bound_replications}
        return loss_between_bounds(self.scenario, seed=seed, **runs), ""


@dataclass(frozen=True)
class InOrder:
    """The loss of a scenario whose workload is a stream, a log's, served once in its order.

    Ten batches, each a month or so: jobs of a log come in bursts, and shorter batches of the CTC
    log are correlated (0.5 between neighbours of thirty).
    """

    scenario: Scenario
    method = "simulation"

    def losses(self, size, seed):
        """Return the capacity loss of each batch of the one run, and no doubt."""
        return 1 - heavy_traffic(self.scenario, self.scenario.workload, batches=10), ""


#: Why losses are in doubt.
TAILS = "a few of the jobs carry the work, or the rare long ones were not drawn"


class Losses(NamedTuple):
    """Capacity losses of a measurement: of each replication or batch, and why they are in doubt."""

    values: np.ndarray
    doubt: str = ""


def measure_losses(entries, size, seed, workers=-1, **how):
    """Return the capacity losses of measurements, an array each.

    Parameters
    ----------
    entries : dict
        Measurements by label; one that has several labels is made once.
    size : object
        The sample sizes that the measurements ask for.
    seed : int
    workers : int
        Threads; one a processor where it is not given.
    how
        For `coalloc_lib.sweep.sweep`: cache, progress. The result does not depend on it.

    Returns
    -------
    dict of Losses
        By measurement.
    """
    labels = {}
    for label, entry in entries.items():
        labels.setdefault(entry, " | ".join(label))
    grid = {"entry": {label: entry for entry, label in labels.items()}, "size": [size]}
    table = sweep(entry_losses, grid, seed=seed, workers=workers, **how)
    numbers = [[str(i) for i in range(count)] for count in table["count"]]
    rows = (table.loc[row, columns].to_numpy(float) for row, columns in enumerate(numbers))
    doubts = (TAILS * bool(doubted) for doubted in table["doubted"])
    return dict(zip(labels, map(Losses, rows, doubts), strict=True))


def entry_losses(entry, size, seed):
    """Return the capacity losses by their position, their number, and whether they are in doubt."""
    losses, doubt = entry.losses(size, seed)
    numbered = {str(i): loss for i, loss in enumerate(losses)}
    return {"count": len(losses), "doubted": bool(doubt)} | numbered


class LossFigure(SimulatedFigure):
    """Bars of capacity losses, grouped.

    Parameters
    ----------
    entries : dict
        Measurements by (group, series).
    reference : (str, callable), optional
        What is drawn over each group as a dashed line: its name, and its height from the group's
        intervals by series.
    """

    ylabel = "capacity loss"

    def __init__(self, name, title, entries, scales, seed, reference=None):
        super().__init__(name, title, {_pair(k): e for k, e in entries.items()}, scales, seed)
        self.reference = reference

    @property
    def scenarios(self):
        """The scenarios as a table, one row a bar."""
        return pd.DataFrame(
            {"group": _plain(group), "series": series, **described(entry.scenario)}
            for (group, series), entry in self.entries.items()
        )

    def add(self, label, scenario):
        """Add a bar; `label` is its (group, series). Returns the figure, to be run again."""
        self.keep(_pair(label), Saturated(checked_scenario(scenario)))
        return self

    def measure(self, entries, size, seed, **how):
        """Simulate the measurements; see `measure_losses`."""
        return measure_losses(entries, size, seed, **how)

    def values(self, label):
        """Return the capacity loss of each replication or batch of a (group, series)."""
        return self.result(label).values

    def interval(self, label):
        """Return the capacity loss of a (group, series)."""
        values, doubt = self.result(label)
        return (
            Interval.exact(float(values[0])) if len(values) == 1 else student(values, doubt=doubt)
        )

    def data(self):
        """Return one row a bar: its labels, its loss with the 95 % interval, and the method."""
        rows = []
        for (group, series), entry in self.entries.items():
            found = self.interval((group, series))
            ends = {"ci95_low": found.low, "ci95_high": found.high}
            known = {"count": found.count, "method": entry.method, "doubt": found.doubt}
            row = {"group": _plain(group), "series": series, "capacity_loss": found.estimate}
            rows.append(row | ends | known | described(entry.scenario))
        return pd.DataFrame(rows)

    def plot(self):
        """Draw the bars, one colour a series."""
        rows = self.rows()
        groups = list(dict.fromkeys(group for group, _ in self.entries))
        note = None if self.reference is None else self._draw_reference
        series = {
            name: {group: row[group] for group in groups if group in row}
            for name, row in rows.items()
        }
        return plots.bars(series, title=self.title, ylabel=self.ylabel, note=note)

    def rows(self):
        """Return the intervals by series and group."""
        rows = {}
        for group, series in self.entries:
            rows.setdefault(series, {})[group] = self.interval((group, series))
        return rows

    def _draw_reference(self, axes, groups):
        name, height = self.reference
        rows = self.rows()
        for i, group in enumerate(groups):
            level = height({series: row[group] for series, row in rows.items() if group in row})
            label = name if i == 0 else None
            axes.plot([i - 0.45, i + 0.45], [level] * 2, "k--", linewidth=1, label=label)


def _pair(label):
    if not (
        isinstance(label, tuple) and len(label) == 2 and all(isinstance(t, str) for t in label)
    ):
        raise InputError(f"label = {label!r}; give a pair of texts, group and series")
    return label


def _plain(label):
    return label.replace("\n", " ")
