"""Figures 3 to 12 of the paper, and the map of placements."""

from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    LOADS,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    SCALES,
    SEED,
    UNEQUAL,
)
from coalloc_lib.studies.cluster_configurations.scenarios import LINES, Runs, gains
from coalloc_lib.studies.curve_figures import CurveFigure
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.figure import Figure, give
from coalloc_lib.sweep import summarize


def _lines(names, rule):
    return {name: f"{name} {rule}" for name in names}


_UNEQUAL = ("4×32", *UNEQUAL)

#: Title of each figure of response times, and the names of its lines in `LINES` by label.
NUMBERED = {
    "figure3": (
        "Figure 3: equal and unequal clusters, first fit",
        {
            "ordered, equal": "4×32 ordered",
            "unordered, equal": "4×32 first fit",
            "ordered, unequal": "64+32+2×16 ordered",
            "unordered, unequal": "64+32+2×16 first fit",
            "total, 64 alone": "64 alone, total",
        },
    ),
    "figure4": ("Figure 4: equal clusters, first fit", _lines(EQUAL, "first fit")),
    "figure5a": (
        "Figure 5, top: first fit from the large clusters on",
        _lines(_UNEQUAL, "first fit"),
    ),
    "figure5b": (
        "Figure 5, bottom: first fit from the small clusters on",
        _lines(["4×32"], "first fit") | _lines(UNEQUAL, "first fit, small first"),
    ),
    "figure6": ("Figure 6: equal clusters, worst fit", _lines(EQUAL, "worst fit")),
    "figure7": ("Figure 7: unequal clusters, worst fit", _lines(_UNEQUAL, "worst fit")),
    "figure8": (
        "Figure 8: first and worst fit on many unequal clusters",
        {
            f"{name}, {rule}": f"{name} {rule}"
            for name in ("2×32+2×16+4×8", "4×16+8×8")
            for rule in ("first fit", "worst fit")
        },
    ),
}
NUMBERED |= {
    f"figure{number}": (
        f"Figure {number}: number of components{words}; {rule}",
        {name: f"same {kind}: {name}, {rule}" for name in models},
    )
    for number, rule, kind, models, words in (
        (9, "first fit", "size", SAME_SIZE, ", each of one distribution"),
        (10, "worst fit", "size", SAME_SIZE, ", each of one distribution"),
        (11, "first fit", "total", SAME_TOTAL, " of one total"),
        (12, "worst fit", "total", SAME_TOTAL, " of one total"),
    )
}


def figure(name: str) -> CurveFigure:
    """Return a figure of response times, not yet run, by its name in `NUMBERED`."""
    title, lines = NUMBERED[one_of("name", name, tuple(NUMBERED))]
    entries = {label: LINES[line] for label, line in lines.items()}
    return CurveFigure(name, title, entries, SCALES, SEED, loads=LOADS, processors=PROCESSORS)


def all_figures(runs: Runs) -> list[Figure]:
    """Return the figures with what `runs` has of them."""
    curves = give(runs.curves, [figure(name) for name in NUMBERED])
    return [Das1Densities(), *curves, PlacementMap(runs.gains)]


class PlacementMap(Figure):
    """By how much worst fit bears more than first fit, for every division of 128.

    Parameters
    ----------
    table : DataFrame, optional
        A row for each division, number of components and replication; from `run` where it is not
        given.
    """

    def __init__(self, table: pd.DataFrame | None = None) -> None:
        title = (
            "Worst fit less first fit: maximal utilization, percentage points (hatched: undecided)"
        )
        super().__init__("map", title)
        self.table = table

    def run(self, scale: str = "quick", seed: Seed | None = None, **how: Any) -> Self:
        """Simulate the map; see `Figure.run`."""
        size = SCALES[one_of("scale", scale, tuple(SCALES))]
        self.table = gains(size, SEED if seed is None else seed, **how)
        return self

    def data(self) -> pd.DataFrame:
        """Return the winner of each system and number of components.

        Which placement wins, where the paired 95 % interval of the difference does not hold 0.
        """
        if self.table is None:
            raise InputError("the map has not been run yet; call its run() first")
        table = summarize(self.table)
        wins = np.select(
            [table["gain_low"] > 0, table["gain_high"] < 0], ["worst fit", "first fit"], "-"
        )
        return table.assign(wins=wins)

    def plot(self) -> Picture:
        """Draw the map."""
        table = self.data()
        columns, rows = (sorted(table[name].unique()) for name in ("clusters", "components"))
        intervals = {
            (rows.index(row.components), columns.index(row.clusters)): Interval(
                row.gain_estimate, row.gain_low, row.gain_high, row.gain_count
            ).times(100)
            for row in table.itertuples()
        }
        return plots.heat_map(
            intervals,
            rows=[str(components) for components in rows],
            columns=[f"{clusters}×{PROCESSORS // clusters}" for clusters in columns],
            title=self.title,
            xlabel="system",
            ylabel="components of a job",
        )
