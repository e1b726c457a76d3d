"""Mean waits of cases over those of others of the same jobs, in rows."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.trends import mark_factors
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.online_batch.case_figures import (
    REFUSALS,
    CaseFigure,
    columns_of,
    interval_columns,
    refusals,
)
from coalloc_lib.studies.online_batch.runs import Case, ratio, run_cases


class Cell(NamedTuple):
    """Which comparison: the panel, the row, and the series."""

    panel: str
    row: str
    series: str


class RatioTable(CaseFigure):
    """Mean waits over those of other cases of the same jobs.

    Parameters
    ----------
    pairs : dict of (Case, Case)
        By `Cell`: a case, and what it is held against.
    """

    def __init__(
        self, name: str, subtitle: str, pairs: Mapping[Cell, tuple[Case, Case]], *, xlabel: str,
        **said: Any,
    ) -> None:  # fmt: skip
        self.bases = {label: base for label, (_, base) in pairs.items()}
        self.xlabel = xlabel
        super().__init__(name, subtitle, {label: one for label, (one, _) in pairs.items()}, **said)

    @property
    def cases(self) -> list[Case]:
        """All cases that the figure needs."""
        return [*super().cases, *self.bases.values()]

    def measure(self, entries: dict, scale: Any, seed: Seed, **how: Any) -> dict:
        """Run cases, and what they are held against."""
        bases = [self.bases[label] for label in entries if label in self.bases]
        return dict(run_cases([*entries.values(), *bases], seed, **how))

    def refusals(self, label: Cell) -> str:
        """Return what was refused, in words; nothing where nothing was."""
        return refusals(self.result(label))

    def interval(self, label: Cell) -> Interval | None:
        """Return the ratio of a pair, in the same weeks; None where no job counts."""
        self.result(label)
        one, base = self.entries[label], self.bases[label]
        return ratio(one, base, self.found, "wait", "jobs", self.size.resamples)

    def intervals(self) -> dict[Cell, Interval]:
        """Return all ratios that are known."""
        found = {label: self.interval(label) for label in self.bases}
        return {label: each for label, each in found.items() if each is not None}

    def data(self) -> pd.DataFrame:
        """Return one row a pair: both mean waits, their ratio, and what was told of starts."""
        rows = []
        for label, base in self.bases.items():
            case, found = self.entries[label], self.interval(label)
            each = [self.found[one] for one in (case, base)]
            hours = [float(one.sums["wait"].sum() / one.sums["jobs"].sum()) for one in each]
            known = {"mean_wait_h": hours[0], "mean_wait_against_h": hours[1]}
            told = {"told": each[0].number("told"), "told_wait_h": each[0].number("told_wait")}
            told |= {"early_h": each[0].number("early")}
            more = {"refused": int(each[0].number("refused"))}
            more |= {"refused_work": each[0].number("refused_work")}
            ends = interval_columns("ratio", found)
            rows.append(label._asdict() | columns_of(case) | known | ends | told | more)
        return pd.DataFrame(rows)

    def spanned(self) -> str:
        """Return from what to what the ratios reach."""
        found = [one.estimate for one in self.intervals().values()]
        return f"Ratios of mean waits from {min(found):.2f} to {max(found):.2f}"

    def plot(self) -> Picture:
        """Draw the ratios with their intervals, on a scale of factors."""
        panels: dict[str, dict] = {}
        intervals = self.intervals()
        for label, found in intervals.items():
            panels.setdefault(label.panel, {}).setdefault(label.row, {})[label.series] = found
        words = {(c.panel, c.row, c.series): self.refusals(c) for c in intervals}
        picture = plots.ranges(
            panels, title=self.title, subtitle=with_refusals(self.subtitle, words),
            xlabel=self.xlabel, span=span_of(intervals.values()), printed={}, words=words,
            look=self.looks(label.series for label in self.bases),
        )  # fmt: skip
        by_factors(picture)
        for axes in picture.axes:
            axes.axvline(1, color="black", linestyle="--", linewidth=1, zorder=0)
        return picture


def with_refusals(subtitle: str, words: Mapping[Any, str]) -> str:
    """Return a subtitle that says what stands beside points, where anything does."""
    return f"{subtitle}; {REFUSALS}" if any(words.values()) else subtitle


def span_of(intervals: Any) -> tuple[float, float]:
    """Return the ends of a logarithmic axis on which all estimates are seen."""
    found = [one.estimate for one in intervals if one.estimate > 0]
    return min(found, default=0.5) / 1.5, max(found, default=2.0) * 1.5


def by_factors(picture: Picture) -> None:
    """Make the horizontal axes of a picture logarithmic."""
    for axes in picture.axes:
        axes.set_xscale("log")
        mark_factors(axes.xaxis)
