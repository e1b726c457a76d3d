"""Figures of capacity losses: bars with their intervals."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import SimulatedFigure
from coalloc_lib.studies.measurements import Measurement, Saturated, Scale, measure

Label = tuple[str, str]


class LossFigure(SimulatedFigure):
    """Bars of capacity losses, grouped.

    Parameters
    ----------
    entries : dict
        Scenarios, or other measurements than that of heavy traffic, by (group, series).
    reference : (str, str, callable), optional
        What is drawn over each group as a dashed line: its name, the series that it stands beside,
        and its height from that series' loss.
    """

    ylabel = "capacity loss"

    def __init__(
        self, name: str, title: str, entries: Mapping[Label, Scenario | Measurement],
        scales: Mapping[str, Scale], seed: Seed,
        reference: tuple[str, str, Callable[[float], float]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, title, entries, scales, seed)
        self.reference = reference

    def columns(self, label: Label) -> dict[str, str]:
        """Return a (group, series) as columns of a table."""
        group, series = label
        return {"group": group.replace("\n", " "), "series": series}

    def add(self, label: Label, scenario: Scenario | Measurement) -> Self:
        """Add a bar; `label` is its (group, series). Returns the figure, to be run again."""
        if not isinstance(label, tuple) or [*map(type, label)] != [str, str]:
            raise InputError(f"label = {label!r}; give a pair of texts, group and series")
        measured = Saturated(scenario) if isinstance(scenario, Scenario) else scenario
        return super().add(label, measured)

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate the measurements; see `coalloc_lib.studies.measurements.measure`."""
        return measure(entries, scale, seed, **how)

    def values(self, label: Label) -> NDArray[np.float64]:
        """Return the capacity loss of each replication or batch of a (group, series)."""
        return self.result(label).values

    def interval(self, label: Label) -> Interval:
        """Return the capacity loss of a (group, series)."""
        return self.result(label).interval

    def data(self) -> pd.DataFrame:
        """Return one row a bar: its labels, its loss with the 95 % interval, and the method."""
        rows = []
        for label, entry in self.entries.items():
            loss = self.interval(label)
            ends = {"capacity_loss": loss.estimate, "ci95_low": loss.low, "ci95_high": loss.high}
            known = {"count": loss.count, "method": entry.method, "doubt": loss.doubt}
            rows.append(self.columns(label) | ends | known | self.described(label))
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw the bars, one colour a series."""
        series: dict[str, dict[str, Interval]] = {}
        for group, name in self.entries:
            series.setdefault(name, {})[group] = self.interval((group, name))
        note = None if self.reference is None else partial(self._draw, *self.reference)
        return plots.bars(series, title=self.title, ylabel=self.ylabel, note=note)

    def _draw(self, label, series, height, axes, groups):
        """Draw the reference over each group."""
        for i, group in enumerate(groups):
            if (group, series) in self.entries:
                level = height(self.interval((group, series)).estimate)
                axes.plot([i - 0.45, i + 0.45], [level] * 2, "k--", linewidth=1, label=label)
                label = None
