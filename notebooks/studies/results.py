"""Hold the results of a study: its figures with their verdicts, and the rows of its ledger."""

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
from studies import SCALES
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


@dataclass(frozen=True)
class Caption:
    """The title and subtitle of a figure.

    Parameters
    ----------
    shows : str
        What the figure plots.
    finding : str or dict of str
        What the reader should notice. It is written by hand for the study's own runs at the scales
        in `SCALES`, and no figure of other runs shows it. A dict has the findings by scale.
    """

    shows: str
    finding: str | Mapping[str, str] = ""

    def finding_at(self, scale: str) -> str:
        """Return the finding that the caption states for runs of a scale, or an empty string."""
        if isinstance(self.finding, str):
            return self.finding if scale in SCALES else ""
        return self.finding.get(scale, "")


@dataclass(frozen=True, eq=False)
class StudyFigure:
    """The definition of a study's figure: its name, its caption and how to draw it.

    Parameters
    ----------
    name : str
        The name, which is also the name of its files.
    caption : Caption
        Its title and subtitle.
    make_table : callable
        ``make_table(runs)`` returns the table of the numbers in the figure.
    draw : callable, optional
        ``draw(table, title=, subtitle=)`` returns the picture; None for a table without a picture.
    claims : tuple of str
        The claims that this figure decides.
    """

    name: str
    caption: Caption
    make_table: Callable[[pd.DataFrame], pd.DataFrame]
    draw: Callable[..., Figure] | None = None
    claims: tuple[str, ...] = ()


@dataclass(eq=False)
class ShownFigure:
    """A figure drawn from given runs, with the verdicts on the claims that it tests.

    Parameters
    ----------
    figure : StudyFigure
        The definition of the figure.
    runs : DataFrame
        The runs of the study.
    verdicts : list of Row
        The rows of the claims that the figure decides.
    finding : str
        What the reader should notice; empty if the caption has no finding for these runs.
    """

    figure: StudyFigure
    runs: pd.DataFrame
    verdicts: list[Row] = field(default_factory=list)
    finding: str = ""

    @property
    def name(self) -> str:
        """The name of the figure, which is also the name of its files."""
        return self.figure.name

    @property
    def claims(self) -> tuple[str, ...]:
        """The names of the claims that the figure decides."""
        return self.figure.claims

    @property
    def draw(self) -> Callable[..., Figure] | None:
        """The function that draws the figure from a table; None if there is no picture."""
        return self.figure.draw

    @cached_property
    def _table(self) -> pd.DataFrame:
        table = self.figure.make_table(self.runs)
        if table.empty:
            raise NotRunError(f"none of these runs belongs to the figure {self.name}")
        return table

    def data(self) -> pd.DataFrame:
        """Return the plotted numbers as a tidy table, with one row for each point."""
        return self._table.copy()

    @property
    def title(self) -> str:
        """The finding that the figure shows, or a description of the figure if it has none."""
        shows = self.figure.caption.shows
        return self.finding or shows[:1].upper() + shows[1:]

    def plot(self) -> Figure:
        """Draw the figure, or raise `InputError` if it consists only of a table."""
        if self.draw is None:
            raise InputError(f"{self.name} is a table without a picture; call its data()")
        subtitle = self.figure.caption.shows if self.finding else ""
        return self.draw(self.data(), title=self.title, subtitle=subtitle)

    def words(self) -> str:
        """Return the figure's title and subtitle as a string, for readers who cannot see it."""
        shows = self.figure.caption.shows
        sentences = [self.title, shows[:1].upper() + shows[1:]]
        return " ".join(f"{sentence.rstrip('.')}." for sentence in dict.fromkeys(sentences))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            table = self.data()
            picture = self.plot() if self.draw else None
        except InputError as error:  # the notebook shows the message in place of the figure
            return {"text/html": f"<p>{escape(str(error))}</p>", "text/plain": str(error)}
        below = verdict_lines(self.verdicts)
        if picture is None:
            return {"text/html": table.to_html(index=False) + below, "text/plain": self.words()}
        verdicts = [f"{row.item} {row.verdict}." for row in self.verdicts]
        bundle = plots.Picture(picture, self.words(), below=below)._repr_mimebundle_()
        return bundle | {"text/plain": " ".join([self.words(), *verdicts])}


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study: its runs, its rows in the ledger, and its figures."""

    study: Any
    runs: pd.DataFrame
    rows: list[Row]

    @cached_property
    def _shown(self) -> dict[StudyFigure, ShownFigure]:
        return {}

    @property
    def figures(self) -> list[ShownFigure]:
        """All figures of the study, each with the ledger rows of its claims."""
        return [self.figure(name) for name in self.study.figures]

    def figure(self, name: str) -> ShownFigure:
        """Return the figure with the given name; for an unknown name, the error lists all names."""
        figure = self.study.figure_named(name)
        if figure not in self._shown:
            verdicts = [row for row in self.rows if row.item in figure.claims]
            self._shown[figure] = ShownFigure(figure, self.runs, verdicts, self._finding(figure))
        return self._shown[figure]

    def _finding(self, figure: StudyFigure) -> str:
        return figure.caption.finding_at(self._scale) if self._scale else ""

    @cached_property
    def _scale(self) -> str:
        return self.study.shipped_scale(self.runs)

    def joint_reading(self) -> JointReading:
        """Return a test of how well our choice of unstated parameters fits the paper's numbers."""
        return self.study.joint_reading(self.runs)

    def beside_archive(self) -> pd.DataFrame:
        """Return the rows of the ledger whose result differs from the archived result.

        A row agrees if its verdict is the same and the numbers are equal or their intervals
        overlap. The sentence in ``attrs["words"]`` counts the rows that agree. If the runs and the
        archive were made with different logs, the table is empty and the sentence names the logs.
        """
        logs = logs_not_as_archived(self.study.name, self.runs)
        ledger = archived_ledger()
        differs = {} if logs else beside_archive(self.rows, ledger)
        pairs = [
            (row, ledger.get((row.study, row.item))) for row in self.rows if differs.get(row.item)
        ]
        table = pd.DataFrame(
            [
                (row.item, row.quantity, row.verdict, stored and stored.verdict, row.reproduced,
                 stored and stored.reproduced)
                for row, stored in pairs
            ],
            columns=[
                "item", "quantity", "verdict here", "archived verdict", "number here",
                "archived number",
            ],
        )  # fmt: skip
        agree = len(self.rows) - len(table)
        words = f"{agree} of {len(self.rows)} claims and numbers agree with the stored results"
        table.attrs["words"] = (
            f"not compared with the archive: {other_logs(logs)}" if logs else words
        )
        return table

    def claims(self) -> Styler:
        """Return a table of all claims: the paper's sentence, our result and the verdict."""
        items = load_claims(self.study.name)
        return claims_table([row for row in self.rows if row.item in items])
