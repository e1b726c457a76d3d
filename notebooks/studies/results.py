"""What a reader sees of a study: a figure with its verdicts, all figures and claims of its runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pandas.io.formats.style import Styler

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import NotRunError
from studies.archive import (
    archived_ledger,
    beside_archive,
    logs_not_as_archived,
    other_logs,
)
from studies.joint_reading import JointReading
from studies.ledger import Row
from studies.pages import claims_table, verdict_lines
from studies.published import load_claims

#: The scales whose runs findings are written for.
SHIPPED = ("quick", "paper")


@dataclass(frozen=True)
class Caption:
    """What stands over a figure.

    `shows` says what is plotted, whatever comes out. `finding` is what to notice, written by hand
    for the runs of the shipped scales (or of one: ``{"paper": ...}``), and stands over these alone.
    """

    shows: str
    finding: str | Mapping[str, str] = ""

    def finding_at(self, scale: str) -> str:
        """Return the finding of a scale."""
        if isinstance(self.finding, str):
            return self.finding if scale in SHIPPED else ""
        return self.finding.get(scale, "")


@dataclass(frozen=True, eq=False)
class StudyFigure:
    """A figure of a study: what makes its table from the runs, what draws that, and its words.

    ``draw(table, title=, subtitle=)`` is None where a table has no picture; `claims` are those that
    it decides.
    """

    name: str
    caption: Caption
    make_table: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[..., Figure] | None = None
    claims: tuple[str, ...] = ()


@dataclass(eq=False)
class ShownFigure:
    """A figure of some runs; in a notebook it shows itself, with the verdicts of its claims."""

    figure: StudyFigure
    runs: pd.DataFrame
    verdicts: list[Row] = field(default_factory=list)
    #: What to notice; empty where the runs are not those that the finding is written for.
    finding: str = ""

    @property
    def name(self) -> str:
        """The name, which is that of its files."""
        return self.figure.name

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that it decides."""
        return self.figure.claims

    @property
    def draw(self) -> Callable[..., Figure] | None:
        """What draws it, None for a table alone."""
        return self.figure.draw

    @cached_property
    def _table(self) -> pd.DataFrame:
        table = self.figure.make_table(self.runs)
        if table.empty:
            raise NotRunError(f"none of these runs is of {self.name}")
        return table

    def data(self) -> pd.DataFrame:
        """Return the numbers as a tidy table, one row a point."""
        return self._table.copy()

    @property
    def title(self) -> str:
        """What to notice, else what the figure shows."""
        return self.finding or self.figure.caption.shows

    def plot(self) -> Figure:
        """Draw the figure and return a matplotlib `Figure`."""
        if self.draw is None:
            raise InputError(f"{self.name} is a table without a picture; call its data()")
        subtitle = self.figure.caption.shows if self.finding else ""
        return self.draw(self.data(), title=self.title, subtitle=subtitle)

    def words(self) -> str:
        """Return the figure in words, for those who do not see it."""
        sentences = dict.fromkeys((self.title, self.figure.caption.shows))
        return " ".join(f"{sentence.rstrip('.')}." for sentence in sentences)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            table = self.data()
            picture = self.plot() if self.draw else None
        except InputError as error:  # the runs have nothing of it: say so, where it would stand
            return {"text/html": f"<p>{escape(str(error))}</p>", "text/plain": str(error)}
        below = verdict_lines(self.verdicts)
        if picture is None:
            return {"text/html": table.to_html(index=False) + below, "text/plain": self.words()}
        verdicts = [f"{row.item} {row.verdict}." for row in self.verdicts]
        bundle = plots.Picture(picture, self.words(), below=below)._repr_mimebundle_()
        return bundle | {"text/plain": " ".join([self.words(), *verdicts])}


@dataclass(frozen=True, eq=False)
class StudyResult:
    """What the runs of a study say: `rows` is its part of the ledger."""

    study: Any
    runs: pd.DataFrame
    rows: list[Row]

    @cached_property
    def _shown(self) -> dict[StudyFigure, ShownFigure]:
        """The figures that were asked for."""
        return {}

    @property
    def figures(self) -> list[ShownFigure]:
        """All figures, each with the rows of its claims."""
        return [self.figure(name) for name in self.study.figures]

    def figure(self, name: str) -> ShownFigure:
        """Return the figure of this name; an `InputError` lists the names there are."""
        figure = self.study.figure_named(name)
        if figure not in self._shown:  # its table may take a second
            verdicts = [row for row in self.rows if row.item in figure.claims]
            self._shown[figure] = ShownFigure(figure, self.runs, verdicts, self._finding(figure))
        return self._shown[figure]

    def _finding(self, figure: StudyFigure) -> str:
        return figure.caption.finding_at(self._scale) if self._scale else ""

    @cached_property
    def _scale(self) -> str:
        """The scale, where the runs are those of a shipped one and no others."""
        return self.study.shipped_scale(self.runs)

    def joint_reading(self) -> JointReading:
        """Return the one joint reading of the parameters that the paper does not print."""
        return self.study.joint_reading(self.runs)

    def beside_archive(self) -> pd.DataFrame:
        """Return the rows in which these runs and the archive come to different answers.

        A row agrees if its verdict is the same and the numbers are equal or their intervals
        overlap. ``attrs["words"]`` counts the rows that agree. If the runs were made with other
        logs than the archive, the table is empty and the words name these logs.
        """
        logs = logs_not_as_archived(self.study.name, self.runs)
        otherwise = {} if logs else beside_archive(self.rows, archived_ledger())
        table = pd.DataFrame(
            [
                {"item": row.item, "verdict here": row.verdict, "number here": row.reproduced}
                | {"archive has": otherwise[row.item]}
                for row in self.rows
                if otherwise.get(row.item)
            ],
            columns=["item", "verdict here", "number here", "archive has"],
        )
        agree = len(self.rows) - len(table)
        words = f"{agree} of {len(self.rows)} rows agree with the archive"
        table.attrs["words"] = (
            f"not compared with the archive: {other_logs(logs)}" if logs else words
        )
        return table

    def claims(self) -> Styler:
        """Return the index of all claims: the paper's words, and what came out here."""
        known = load_claims(self.study.name)
        return claims_table([row for row in self.rows if row.item in known])
