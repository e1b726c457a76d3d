"""What reproducing a study gives: its part of the ledger, and figures that know their verdicts."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from coalloc_lib.checks import one_of
from coalloc_lib.studies.ledger import Row

if TYPE_CHECKING:  # at run time, figures and tables take long to import
    from pandas.io.formats.style import Styler

    from coalloc_lib.studies.figure import Figure


@dataclass(frozen=True)
class StudyResult:
    """What reproducing a study gives.

    Parameters
    ----------
    rows : list of Row
        Its part of the ledger.
    figures : list of Figure
        Those of the paper and those of its tables, run; each is given the rows of its claims.
    """

    rows: list[Row]
    figures: "list[Figure]" = field(default_factory=list)

    def __post_init__(self) -> None:
        """Hand the verdicts over to the figures."""
        for figure in self.figures:
            figure.verdicts = [row for row in self.rows if row.item in figure.claims]

    def claims(self) -> "Styler":
        """Return the index of all claims: the paper's words, and what came out here."""
        from coalloc_lib.studies.styled import claims_table

        return claims_table(self.rows)

    def figure(self, name: str) -> "Figure":
        """Return the figure of this name; an `InputError` lists the names there are."""
        figures = {figure.name: figure for figure in self.figures}
        return figures[one_of("name", name, tuple(figures))]
