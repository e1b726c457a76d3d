"""Figures 3 to 12 of the paper, and the map of placements."""

from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.claims import (
    FEW_CLUSTERS,
    MANY_CLUSTERS,
    MIXES,
)
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    SCALES,
    SEED,
    UNEQUAL,
)
from coalloc_lib.studies.cluster_configurations.scenarios import LINES, Runs, gains
from coalloc_lib.studies.curve_figures import CurveFigure, Line
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.figure import Figure, give
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.sweep import summarize

_UNEQUAL = ("4×32", *UNEQUAL)


def _lines(names, rule):
    return {name: f"{name} {rule}" for name in names}


#: Subtitle of each figure of response times, and the names of its lines in `LINES` by label.
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
            for name in MANY_CLUSTERS
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
_BY_SIZE: dict[str, list[str]] = {
    "few unequal clusters": ["4×32", *FEW_CLUSTERS],
    "many unequal clusters": ["4×32", *MANY_CLUSTERS],
}
_BY_KIND: dict[str, list[str]] = {
    "jobs of one kind": ["1", "2", "3", "4"],
    "mixtures, and one component": ["1", *MIXES, "third of each"],
}
PANELS: dict[str, dict[str, list[str]]] = {
    "figure5a": _BY_SIZE,
    "figure5b": _BY_SIZE,
    "figure7": _BY_SIZE,
    "figure8": {name: [f"{name}, first fit", f"{name}, worst fit"] for name in MANY_CLUSTERS},
} | {f"figure{number}": _BY_KIND for number in (9, 10, 11, 12)}


def figure(name: str) -> CurveFigure:
    """Return a figure of response times, not yet run, by its name in `NUMBERED`."""
    subtitle, lines = NUMBERED[one_of("name", name, tuple(NUMBERED))]
    entries = {label: LINES[line] for label, line in lines.items()}
    return CurveFigure(
        name, subtitle, entries, SCALES, SEED, processors=PROCESSORS, panels=PANELS.get(name)
    )


def all_figures(runs: Runs, scale: Scale, seed: Seed) -> list[Figure]:
    """Return the figures with what `runs`, made at this scale and seed, has of them."""
    found = {line: Line(runs.curves[line], runs.borne[name]) for name, line in LINES.items()}
    curves = [figure(name) for name in NUMBERED]
    give(curves, found, scale, seed)
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
        super().__init__(
            "map",
            "Maximal utilization under worst fit less that under first fit, for every division of "
            f"{PROCESSORS} processors (hatched: undecided)",
        )
        self.table = table

    @property
    def title(self) -> str:
        """Where worst fit bears more, and where first fit does."""
        wins = self.data()["wins"].value_counts()
        worst, first, open_ = (int(wins.get(name, 0)) for name in ("worst fit", "first fit", "-"))
        return (
            f"Worst fit bears more in {worst} of {len(self.data())} cases, first fit in {first}; "
            f"undecided: {open_}"
        )

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate the map; see `Figure.run`."""
        size = SCALES[one_of("scale", scale or "quick", tuple(SCALES))]
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
            subtitle=self.subtitle,
            xlabel="system",
            ylabel="components of a job",
            values="percentage points",
        )
