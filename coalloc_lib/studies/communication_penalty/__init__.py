"""Co-allocation with communication considerations in multicluster systems.

Ngubiri and van Vliet ask up to which execution time penalty it pays to split large jobs over
clusters: Figures 1 to 6, the claims CP-1 to CP-8, and the thresholds over what the paper leaves
open.
"""

from functools import partial
from importlib import import_module
from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.adaptive import (
    AdaptiveMap,
    KeptWholeMap,
    SplitShares,
)
from coalloc_lib.studies.communication_penalty.cases import splitting_case
from coalloc_lib.studies.communication_penalty.claims import Runs, claim
from coalloc_lib.studies.communication_penalty.figures import FIGURES
from coalloc_lib.studies.communication_penalty.need_thresholds import NeedThresholds
from coalloc_lib.studies.communication_penalty.parameters import (
    NAME,
    SCALES,
    SEED,
    SYSTEM,
    TITLE,
    WHOLE,
    scenario,
)
from coalloc_lib.studies.communication_penalty.served import served
from coalloc_lib.studies.communication_penalty.shares import ShareFigure
from coalloc_lib.studies.communication_penalty.threshold_figure import ThresholdFigure
from coalloc_lib.studies.communication_penalty.viability import (
    ComponentsMap,
    ViabilityMap,
    WhoPays,
    viability_maps,
)
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.result import StudyResult

__all__ = [
    "FIGURE_NAMES",
    "NAME",
    "SCALES",
    "SYSTEM",
    "TITLE",
    "WHOLE",
    "check",
    "figure",
    "leaderboard",
    "reproduce",
    "scenario",
    "served",
    "splitting_case",
]

#: What goes further than the paper, by name.
FURTHER: dict[str, Any] = {
    "who-pays": WhoPays,
    "adaptive": AdaptiveMap,
    "really-split": SplitShares,
    "components": ComponentsMap,
    "thresholds-at-need": NeedThresholds,
    "kept-whole": KeptWholeMap,
    **{each.name: partial(ViabilityMap, each.max_jumps) for each in viability_maps().values()},
}
_MAKERS: dict[str, Any] = {**FIGURES, "thresholds": ThresholdFigure, **FURTHER}
#: The figures that can be made on their own.
FIGURE_NAMES = tuple(_MAKERS)


def figure(name: str) -> Figure:
    """Return a figure, not yet run: its scenarios can be seen and added to."""
    return _MAKERS[one_of("name", name, FIGURE_NAMES)]()


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    A row for each claim; Figures 1 to 6, the groups' shares, the thresholds over both loads and
    every MaxJumps; and, further than the paper, maps of where splitting pays, who pays for whom,
    and splitting at need.
    """
    one_of("scale", scale, tuple(SCALES))
    drawn: list[Any] = [make().run(scale, seed, **how) for make in FIGURES.values()]
    found = ThresholdFigure().run(scale, seed, **how)
    shares = ShareFigure(seed)
    rows = claim.rows(Runs(shares, found, *drawn))
    maps = {name: each.run(scale, seed, **how) for name, each in viability_maps().items()}
    at_need = AdaptiveMap().run(scale, seed, **how)
    further = [*maps.values(), WhoPays(maps), at_need, SplitShares(at_need)]
    makers: tuple[Any, ...] = (ComponentsMap, NeedThresholds, KeptWholeMap)
    further += [make().run(scale, seed, **how) for make in makers]
    return StudyResult(rows, [shares, *drawn, found, *further])


def __getattr__(name: str) -> Any:
    """Import the exercises at their first use: the command line has no need of their widgets."""
    if name in ("check", "leaderboard"):
        return getattr(import_module(f"{__name__}.exercises"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
