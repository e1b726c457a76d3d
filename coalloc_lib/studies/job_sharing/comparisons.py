"""Figures of two ways to run the same jobs: AWRT of one over that of the other, in rows."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies.job_sharing.awrt_lines import ratio
from coalloc_lib.studies.job_sharing.case_figure import CaseFigure
from coalloc_lib.studies.job_sharing.parameters import (
    MULTI_SITE,
    ONE,
    PRINTED_OVERHEAD,
    SCALES,
    SEED,
    SINGLE,
)
from coalloc_lib.studies.job_sharing.runs import Case, Work, awrt, titled


class Pair(NamedTuple):
    """Which comparison: the panel, the row, and the series."""

    panel: str
    row: str
    series: str


class ComparisonFigure(CaseFigure):
    """AWRT of cases over that of others with the same jobs.

    Parameters
    ----------
    works : dict of Work
    name, subtitle : str
    pairs : dict of (Case, Case)
        By `Pair`: a case, and what it is held against.
    xlabel : str
    span : (float, float)
        Of the axis, at least; it has all ratios, but not all of their intervals.
    """

    def __init__(
        self, works: Mapping[str, Work], name: str, subtitle: str,
        pairs: Mapping[Pair, tuple[Case, Case]], *, xlabel: str, span: tuple[float, float],
        **said: Any,
    ) -> None:  # fmt: skip
        self.pairs = dict(pairs)
        self.needed = self.pairs
        self.xlabel, self.span = xlabel, span
        entries = {label: one for label, (one, _) in pairs.items()}
        subtitle = f"{subtitle}; {titled(works.values())}"
        super().__init__(name, subtitle, entries, SCALES, SEED, **said)

    def interval(self, label: Pair, weight: str = "work") -> Interval:
        """Return the ratio of a pair, from weeks drawn anew."""
        self.result(label)
        one, other = self.pairs[label]
        return ratio(one, other, self.found, weight, self.size.resamples)

    def data(self) -> pd.DataFrame:
        """Return one row a pair and weight: both AWRTs in hours, and their ratio."""
        rows = []
        for label, pair in self.pairs.items():
            for weight in WEIGHTS:
                hours = [awrt(case, self.found, weight) / 3600 for case in pair]
                found = self.interval(label, weight)
                ends = {"ratio": found.estimate, "ci95_low": found.low, "ci95_high": found.high}
                known = {"weight": weight, "awrt_h": hours[0], "awrt_against_h": hours[1]}
                rows.append(label._asdict() | known | ends)
        return pd.DataFrame(rows)

    def spanned(self) -> str:
        """Return from what to what the ratios reach."""
        found = [self.interval(label).estimate for label in self.drawn]
        return f"Ratios of the AWRT from {min(found):.2f} to {max(found):.2f}"

    @property
    def drawn(self) -> list[Pair]:
        """The pairs that the picture shows."""
        return list(self.pairs)

    def plot(self) -> Picture:
        """Draw the ratios with their intervals."""
        panels: dict[str, dict] = {}
        ratios = []
        for label in self.drawn:
            cell = panels.setdefault(label.panel, {}).setdefault(label.row, {})
            cell[label.series] = self.interval(label)
            ratios.append(cell[label.series].estimate)
        return plots.ranges(
            panels,
            title=self.title,
            subtitle=self.subtitle,
            xlabel=self.xlabel,
            span=(min(self.span[0], *ratios), max(self.span[1], *ratios)),
            printed={},
            look=self.looks([label.series for label in self.drawn]),
            beyond="arrow: on beyond the axis",
        )


class AwrtTable(ComparisonFigure):
    """The AWRT of every configuration, workload, policy, mode and overhead.

    The picture has EASY and some overheads, over job sharing; all is in the data.
    """

    @property
    def drawn(self) -> list[Pair]:
        """The pairs that the picture shows."""
        shown = [f"EASY, {MULTI_SITE}, p = {p:g}" for p in (0.0, PRINTED_OVERHEAD)] + [
            f"EASY, {ONE}"
        ]
        return [label for label in self.pairs if label.series in shown]

    def data(self) -> pd.DataFrame:
        """Return one row a case and weight: its AWRT in seconds."""
        rows = []
        for case in self.cases:
            for weight in WEIGHTS:
                name = SINGLE if case.mode == ONE else case.configuration
                known = {"configuration": name, "workload": case.work.name}
                known |= {"scheduling": case.policy, "mode": case.mode}
                more = {"wide": case.wide, "divided_as": case.configuration}
                measured = {"p": case.overhead, "weight": weight}
                rows.append(known | measured | {"awrt": awrt(case, self.found, weight)} | more)
        return pd.DataFrame(rows)
