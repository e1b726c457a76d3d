"""The map of placements: which one bears more, for every division of the processors."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.parameters import PROCESSORS, SCALES, SEED
from coalloc_lib.studies.cluster_configurations.scenarios import gains
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.sweep import summarize


def spans(numbers: Iterable[int]) -> str:
    """Return whole numbers in words, neighbours as one span.

    Examples
    --------
    >>> spans([2, 4, 5, 6])
    '2, 4 to 6'
    """
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ", ".join(f"{s[0]} to {s[-1]}" if len(s) > 1 else str(s[0]) for s in found)


class PlacementMap(Figure):
    """By how much worst fit bears more than first fit, for every division of 128.

    Parameters
    ----------
    table : DataFrame, optional
        A row for each division, number of components and replication; from `run` where it is not
        given.
    ran : (Scale, int), optional
        Sample sizes and seed that the table was made with.
    """

    def __init__(
        self, table: pd.DataFrame | None = None, ran: tuple[Scale, Seed] | None = None
    ) -> None:
        super().__init__(
            "map",
            "Maximal utilization under worst fit less that under first fit, for every division of "
            f"{PROCESSORS} processors (hatched: undecided)",
        )
        self.table, self.ran = table, ran

    @property
    def title(self) -> str:
        """Where worst fit bears more, and in how many cases first fit does."""
        table = self.data()
        wins = table["wins"].value_counts()
        where = table[table["wins"] == "worst fit"].groupby("clusters")["components"]
        told = [
            f"{clusters}×{PROCESSORS // clusters} with {spans(components)}"
            for clusters, components in where
        ]
        return (
            f"Worst fit bears more on {', '.join(told) or 'no system'} components, first fit in "
            f"{wins.get('first fit', 0)} of {len(table)} cases; undecided or alike: "
            f"{wins.get('-', 0)}"
        )

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate the map; see `Figure.run`."""
        size, its_seed = self.ran or (SCALES["quick"], SEED)
        if scale is not None:
            size = SCALES[one_of("scale", scale, tuple(SCALES))]
        asked = size, its_seed if seed is None else seed
        if asked != self.ran:
            self.table, self.ran = gains(*asked, **how), asked
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
