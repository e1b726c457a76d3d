"""Co-allocation with communication considerations in multicluster systems.

Ngubiri and van Vliet ask up to which execution time penalty it pays to split large jobs over
clusters: Figures 1 to 6, the claims CP-1 to CP-8, and the thresholds over what the paper leaves
open.
"""

from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.claims import Runs, claim
from coalloc_lib.studies.communication_penalty.figures import FIGURES
from coalloc_lib.studies.communication_penalty.parameters import NAME, SCALES, SEED, TITLE
from coalloc_lib.studies.communication_penalty.served import served
from coalloc_lib.studies.communication_penalty.shares import ShareFigure
from coalloc_lib.studies.communication_penalty.threshold_figure import ThresholdFigure
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.result import StudyResult

__all__ = ["NAME", "SCALES", "TITLE", "figure", "reproduce", "served"]


def figure(name: str) -> Figure:
    """Return a figure, not yet run: its scenarios can be seen and added to."""
    makers = {"thresholds": ThresholdFigure, **FIGURES}
    return makers[one_of("name", name, tuple(makers))]()


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    A row for each claim; Figures 1 to 6, the groups' shares, and the thresholds over both loads and
    every MaxJumps.
    """
    one_of("scale", scale, tuple(SCALES))
    drawn: list[Any] = [make().run(scale, seed, **how) for make in FIGURES.values()]
    found = ThresholdFigure().run(scale, seed, **how)
    shares = ShareFigure(seed)
    rows = claim.rows(Runs(shares, found, *drawn))
    return StudyResult(rows, [shares, *drawn, found])
