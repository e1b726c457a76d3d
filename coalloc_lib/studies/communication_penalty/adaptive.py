"""Who decides that a job is split: its size alone, or the system that cannot start it whole."""

from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.placement import Placement, SingleThenSpan, WorstFit
from coalloc_lib.plots.levels import against_levels
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.change_maps import ChangeMaps, Label, named
from coalloc_lib.studies.communication_penalty.changes import columns_of
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    PARTS,
    PRINTED_LOAD,
)
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.communication_penalty.viability import JUMPS, PENALTIES, at, passed
from coalloc_lib.studies.figure import Figure

#: A job is split whatever is idle, or only where it cannot start whole.
ALWAYS, AT_NEED = "always", "at need"
PLACEMENTS = {ALWAYS: WorstFit(), AT_NEED: SingleThenSpan(WorstFit())}
#: What is split at need can have a low threshold.
LOW = 3
#: The penalty at which is said what is left of the gain.
ASKED = 0.1
#: Shares of jobs that cannot be split.
KEPT = (0.0, 0.25, 0.5, 0.75)


def placed(entry: Served, rule: Placement) -> Served:
    """Return an entry whose jobs are placed by another rule."""
    return Served(entry.scenario.with_(placement=rule), entry.load)


class AdaptiveMap(ChangeMaps):
    """How much of the gain remains, at which penalty, where jobs are split only at need.

    Parameters
    ----------
    load : float
    """

    def __init__(self, load: float = PRINTED_LOAD) -> None:
        entries = {
            (passed(jumps), f"above {above}, {who}", at(psi)): placed(
                served(jumps, load, above=above, parts=PARTS, span_penalty=psi), rule
            )
            for jumps in JUMPS
            for above in (ABOVE, LOW)
            for who, rule in PLACEMENTS.items()
            for psi in PENALTIES
        }
        super().__init__(
            "adaptive",
            f"load {load:.3f}, {PARTS} components, always or only of jobs that cannot start whole "
            "(at need), worst fit, against the same jobs whole",
            entries,
            ("penalty ψ", ""),
            _kept_at_need,
        )


def _kept_at_need(figure: AdaptiveMap, group: str) -> str:
    """Say what a penalty leaves of the gain, where jobs are split always and where at need."""
    asked = [
        (f"above {ABOVE}, {who}", at(psi))
        for who, psi in ((ALWAYS, 0.0), (ALWAYS, ASKED), (AT_NEED, ASKED))
    ]
    told = []
    for panel, (free, always, need) in figure.gains(asked, group).items():
        told.append(f"{panel} {_part(need, free)} ({_part(always, free)})")
    return (
        f"Of what {named(group)} gain at ψ = 0 there is left at {at(ASKED)}, if jobs above {ABOVE} "
        f"are split at need (always): {_list(told)}"
    )


def _list(parts: list[str]) -> str:
    """Return parts of a gain as a title has them."""
    told = ", ".join(parts)
    return told + " (?: not for certain)" * ("?" in told)


def _part(some: Sample, whole: Sample) -> str:
    """Return what part of a gain another is, in words; a loss is negative, "?" not certain."""
    if not np.isfinite([*some.values, *whole.values]).all():
        return "saturated"
    if not whole.interval.above(0):
        return "no certain gain"
    sure = some.interval.above(0) is not None
    return f"{some.mean / whole.mean:.0%}{'' if sure else '?'}".replace("-", "−")


class SplitShares(Figure):
    """What share of the jobs that can be split really are, where they are split at need.

    Parameters
    ----------
    source : AdaptiveMap, optional
        Whose numbers are taken; it is run with it where it has none.
    """

    def __init__(self, source: AdaptiveMap | None = None) -> None:
        self.source = AdaptiveMap() if source is None else source
        load = next(iter(self.source.entries.values())).load
        super().__init__(
            "really-split",
            f"share of the jobs above a size that are split, where only those are that cannot "
            f"start whole; load {load:.3f}, {PARTS} components, where they do not saturate",
        )

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate the map; see `Figure.run`."""
        self.source.run(scale, seed, **how)
        return self

    def shares(self) -> dict[Label, Interval]:
        """Return the share split in each cell that is split at need and does not saturate."""
        found = {label: self.source.result(label).split for label in self.source.entries}
        return {
            label: share.interval
            for label, share in found.items()
            if share is not None and label[1].endswith(AT_NEED)
        }

    @property
    def title(self) -> str:
        """From what to what share is split, by threshold."""
        told = []
        for above in (ABOVE, LOW):
            mine = {
                label: each.estimate
                for label, each in self.shares().items()
                if label[1].startswith(f"above {above},")
            }
            least, most = (pick(mine, key=lambda label: mine[label]) for pick in (min, max))
            ends = [f"{mine[label]:.0%} ({label[0]}, ψ = {label[2]})" for label in (least, most)]
            told.append(f"above {above}, from {' to '.join(ends)}")
        return f"Of the jobs that can be split, so many are: {'; '.join(told)}"

    def data(self) -> pd.DataFrame:
        """Return one row a cell: the share split, with its interval."""
        return pd.DataFrame(
            columns_of(self.source.entries[label])
            | {"share": each.estimate, "ci95_low": each.low, "ci95_high": each.high}
            | {"count": each.count, "doubt": each.doubt}
            for label, each in self.shares().items()
        )

    def plot(self) -> Picture:
        """Draw the share split over the penalty, a panel a MaxJumps, a line a threshold."""
        panels: dict[str, dict[str, list]] = {}
        for (panel, row, column), share in self.shares().items():
            line = panels.setdefault(panel, {}).setdefault(row.partition(",")[0], [])
            line.append((float(column), share))
        return against_levels(
            panels,
            {"always": 1.0},
            title=self.title,
            subtitle=self.subtitle,
            xlabel="penalty ψ",
            ylabel="share split",
        )


class KeptWholeMap(ChangeMaps):
    """What is left of the gain where a share of the jobs cannot be split at all.

    Parameters
    ----------
    load : float
    """

    def __init__(self, load: float = PRINTED_LOAD) -> None:
        entries = {
            (passed(jumps), f"{kept:.0%}", at(psi)): served(
                jumps, load, above=ABOVE, parts=PARTS, span_penalty=psi, kept_whole=kept
            )
            for jumps in JUMPS
            for kept in KEPT
            for psi in PENALTIES
        }
        super().__init__(
            "kept-whole",
            f"load {load:.3f}, jobs above {ABOVE} in {PARTS} components but for a share, worst "
            "fit, against all jobs whole",
            entries,
            ("penalty ψ", "cannot be split"),
            _left,
            _remaining,
        )


def _left(figure: KeptWholeMap, group: str) -> str:
    """Say from what to what part of a certain gain is left where a share is kept whole."""
    asked = [(f"{kept:.0%}", at(0.0)) for kept in KEPT[:2]]
    gains = figure.gains(asked, group).values()
    sure = [(full, some) for full, some in gains if full.interval.above(0)]
    where = f"Where {KEPT[1]:.0%} of the jobs cannot be split"
    if not sure:
        return f"{where}: {named(group)} gain for certain nowhere, whatever is split"
    parts = [some.mean / full.mean for full, some in sure]
    reach = " to ".join(dict.fromkeys(f"{part:.0%}" for part in (min(parts), max(parts))))
    less = [_below(some, full, 0.5) for full, some in sure].count(True)
    return (
        f"{where}, {reach} is left of what {named(group)} gain at ψ = 0; for certain below half "
        f"under {less} of {len(sure)} policies"
    ).replace("-", "−")


def _remaining(figure: KeptWholeMap, group: str) -> str:
    """Say how much of the gain remains, and if that is less than in proportion for certain."""
    less, told = [], []
    asked = [(f"{kept:.0%}", at(0.0)) for kept in KEPT]
    for panel, (full, *gains) in figure.gains(asked, group).items():
        told.append(f"{panel} {_part(gains[0], full)}")
        less += [_below(some, full, 1 - kept) for some, kept in zip(gains, KEPT[1:], strict=True)]
    return (
        f"left of what {named(group)} gain at ψ = 0 where {KEPT[1]:.0%} cannot be split: "
        f"{_list(told)}; less than in proportion in "
        f"{less.count(True)} of {len(less)} cases, not less in {less.count(False)}"
    )


def _below(some: Sample, full: Sample, share: float) -> bool | None:
    """Whether a gain is below a share of the full one, run by run; None where nothing says so."""
    apart = some.values - share * full.values
    if not np.isfinite(apart).all():
        return None
    return Sample(apart, some.doubt or full.doubt).interval.below(0)
