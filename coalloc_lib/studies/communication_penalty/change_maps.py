"""Figures that are maps of changes: a panel, a row and a column for each entry."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of, one_of, shown
from coalloc_lib.inference import Sample
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.changes import (
    Change,
    change,
    gain,
    table_rows,
)
from coalloc_lib.studies.communication_penalty.parameters import SEED
from coalloc_lib.studies.communication_penalty.responses import NAMES, STREAM
from coalloc_lib.studies.communication_penalty.served import Served, measure_served
from coalloc_lib.studies.figure import SimulatedFigure
from coalloc_lib.studies.measurements import Scale, scales

#: Many cells, each known well enough to be coloured: fewer jobs than a bar has.
SCALES = scales(jobs=(1_000, 10_000), replications=(6, 12))
#: How the saturated look, and what that means.
MARKS = {
    "split": (plots.LONGER, "∞: only the split jobs are not certain to bear the load"),
    "whole": (plots.SHORTER, "−∞: only the whole ones are not"),
    "both": (plots.NEITHER, "×: neither is"),
}

#: Panel, row and column, in words.
Label = tuple[str, str, str]


class ChangeMaps(SimulatedFigure):
    """By how many percent splitting changes mean responses, on maps that share their colours.

    Parameters
    ----------
    name, subtitle : str
    entries : dict of Served
        By panel, row and column, in words; in the order in which they are drawn.
    axes : (str, str)
        What columns are, and rows.
    headline : callable
        Takes the figure and the name of a group, returns the title.
    detail : callable, optional
        Takes the same, returns what the subtitle ends in.
    """

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[Label, Served], axes: tuple[str, str],
        headline: Callable[[Any, str], str], detail: Callable[[Any, str], str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, subtitle, entries, SCALES, SEED)
        self.axes, self.said, self.detail = axes, headline, detail
        self.group = STREAM

    def add(self, label: Label, scenario: Any = None) -> Self:
        """Add a cell: panel, row and column in words, and an `Served`; return the figure."""
        instance_of("scenario", scenario, Served, "served(max_jumps, load, above=...)")
        if not (isinstance(label, tuple) and [*map(type, label)] == [str] * 3):
            raise InputError(
                f"label = {shown(label)}; give the panel, the row and the column, in words"
            )
        return super().add(label, scenario)

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate entries, and the same jobs whole; see `served.measure_served`."""
        return dict(measure_served(entries.values(), scale, seed, **how))

    def change(self, label: Label, group: str = STREAM) -> Change:
        """Return what splitting does to a group in a cell."""
        one_of("group", group, NAMES)
        return change(self.result(label), self.found[self.entries[label].whole], group)

    def changes(self, group: str = STREAM) -> dict[Label, Change]:
        """Return the change of a group in every cell."""
        return {label: self.change(label, group) for label in self.entries}

    def gain(self, label: Label, group: str = STREAM) -> Sample:
        """Return the share of its mean response that a group gains in a cell, run by run."""
        return gain(self.result(label), self.found[self.entries[label].whole], group)

    def gains(
        self, cells: Sequence[tuple[str, str]], group: str = STREAM
    ) -> dict[str, list[Sample]]:
        """Return the gains in cells, row and column, of each panel that has all of them."""
        return {
            panel: [self.gain((panel, *cell), group) for cell in cells]
            for panel in self.panels
            if all((panel, *cell) in self.entries for cell in cells)
        }

    @property
    def panels(self) -> list[str]:
        """The panels, in words."""
        return list(dict.fromkeys(label[0] for label in self.entries))

    def explained(self, group: str = STREAM) -> str:
        """Return the subtitle, with the numbers behind the title where these are many."""
        return "; ".join([self.subtitle, *([self.detail(self, group)] if self.detail else [])])

    @property
    def title(self) -> str:
        """What is seen, said from the numbers as they are now."""
        return self.said(self, STREAM)

    def spanned(self) -> str:
        """Return the title, which is always a headline."""
        return self.title

    def columns(self, label: Label) -> dict[str, Any]:
        """Return a label as columns of a table."""
        return dict(zip(("panel", "row", "column"), label, strict=True))

    def data(self) -> pd.DataFrame:
        """Return one row for each cell and group: its change, if it saturates, and the verdict."""
        rows = []
        for label, entry in self.entries.items():
            found, whole = self.result(label), self.found[entry.whole]
            rows += [self.columns(label) | row for row in table_rows(entry, found, whole)]
        return pd.DataFrame(rows)

    def cell(self, label: Label, group: str) -> plots.Cell:
        """Return how a cell of the map looks."""
        found = self.change(label, group)
        if not found.saturated:
            return found.percent
        drawn, _ = MARKS[found.saturated]
        return drawn._replace(colour="") if found.verdict == "undecided" else drawn

    def plot(self, group: str = STREAM) -> Picture:
        """Draw the maps of a group."""
        columns, rows = (list(dict.fromkeys(label[i] for label in self.entries)) for i in (2, 1))
        panels: dict[str, dict] = {}
        for label in self.entries:
            panel, row, column = label
            at = rows.index(row), columns.index(column)
            panels.setdefault(panel, {})[at] = self.cell(label, group)
        saturated = {each.saturated for each in self.changes(group).values()}
        told = [meaning for state, (_, meaning) in MARKS.items() if state in saturated]
        return plots.maps(
            panels,
            rows=rows,
            columns=columns,
            title=self.said(self, group),
            subtitle="; ".join(
                [
                    f"mean response of {named(group)}: {self.explained(group)}",
                    "hatched: undecided, also where one saturates",
                    *told,
                ]
            ),
            xlabel=self.axes[0],
            ylabel=self.axes[1],
            values="change, %",
        )

    def words(self, group: str = STREAM) -> str:
        """Return the figure in words: the cells of each verdict, by panel."""
        found: dict[str, dict[str, int]] = {}
        for label, each in self.changes(group).items():
            counts = found.setdefault(label[0], {})
            counts[each.verdict] = counts.get(each.verdict, 0) + 1
        told = [
            f"{panel}: {', '.join(f'{verdict} {count}' for verdict, count in counts.items())}"
            for panel, counts in found.items()
        ]
        return f"{self.said(self, group)}. {self.explained(group)}. Cells: {'; '.join(told)}."


def named(group: str) -> str:
    """Return a group as a sentence names it."""
    return "all jobs" if group == STREAM else group
