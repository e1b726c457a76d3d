"""The viability map: over penalty, load and splitting threshold, where splitting pays, and whom."""

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.plots.signs import OWN
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.change_maps import ChangeMaps, Label, named
from coalloc_lib.studies.communication_penalty.changes import columns_of
from coalloc_lib.studies.communication_penalty.headlines import span_of
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    EXACT_LOAD,
    NO_LIMIT,
    PARTS,
    PRINTED_LOAD,
    said,
)
from coalloc_lib.studies.communication_penalty.responses import STREAM
from coalloc_lib.studies.communication_penalty.served import served
from coalloc_lib.studies.figure import Figure

#: Where the maps look: no axis is as fine as it could be, so that each cell can be read.
PENALTIES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
LOADS = (0.5, 0.65, PRINTED_LOAD, EXACT_LOAD)
THRESHOLDS = (3, 5, 7, 10, 13, 16)
COMPONENTS = (2, 3, 4, 5)
#: The paper gives no MaxJumps: from first come, first served to passing without limit.
JUMPS = (0, 20, 100, NO_LIMIT)


def passed(max_jumps: int) -> str:
    """Return the scheduling policy as figures name it."""
    return f"FPFS({said(max_jumps)})" if max_jumps else "FCFS"


def at(psi: float) -> str:
    """Return a penalty as axes show it."""
    return f"{psi:g}"


class ViabilityMap(ChangeMaps):
    """Where splitting pays, for a MaxJumps: a panel a load, a row a threshold, a column a penalty.

    Parameters
    ----------
    max_jumps : int
    """

    def __init__(self, max_jumps: int) -> None:
        self.max_jumps = max_jumps
        entries = {
            (f"load {load:.3f}", str(above), at(psi)): served(
                max_jumps, load, above=above, parts=PARTS, span_penalty=psi
            )
            for load in LOADS
            for above in THRESHOLDS
            for psi in PENALTIES
        }
        super().__init__(
            f"viability-{said(max_jumps).replace(' ', '-')}",
            f"jobs above a size in {PARTS} components, worst fit, {passed(max_jumps)}, against "
            "the same jobs whole",
            entries,
            ("penalty ψ", "splits jobs above"),
            _by_penalty,
        )


class ComponentsMap(ChangeMaps):
    """Where splitting pays, by the number of components; a panel a MaxJumps."""

    def __init__(self, load: float = PRINTED_LOAD) -> None:
        entries = {
            (passed(jumps), str(parts), at(psi)): served(
                jumps, load, above=ABOVE, parts=parts, span_penalty=psi
            )
            for jumps in JUMPS
            for parts in COMPONENTS
            for psi in PENALTIES
        }
        super().__init__(
            "components",
            f"jobs above {ABOVE} in components, worst fit, load {load:.3f}, against the same jobs "
            "whole",
            entries,
            ("penalty ψ", "components"),
            _by_number,
            _by_panel,
        )


def _by_penalty(figure: ViabilityMap, group: str) -> str:
    """Say up to which penalty most cells gain, and from which on none does."""
    changes = figure.changes(group).items()
    found = [[c.verdict for label, c in changes if label[2] == at(psi)] for psi in PENALTIES]
    gains, loses = ([here.count(word) for here in found] for word in ("gains", "loses"))
    cells = [len(here) for here in found]
    most = list(takewhile(lambda i: 2 * gains[i] > cells[i], range(len(PENALTIES))))
    some = [i for i, count in enumerate(gains) if count]
    last = len(most) - 1
    upto = (
        f"in most cells up to ψ = {at(PENALTIES[last])} ({gains[last]} of {cells[last]} there)"
        if most
        else f"in {gains[0]} of {cells[0]} cells at ψ = 0"
    )
    first = some[-1] + 1 if some else 0
    beyond = (
        f"in none from {at(PENALTIES[first])} on, where {loses[first]} lose"
        if first < len(PENALTIES)
        else f"still in {gains[-1]} at {at(PENALTIES[-1])}"
    )
    gain = "all jobs gain" if group == STREAM else f"{group} gains"
    return f"{passed(figure.max_jumps)}: {gain} {upto}, {beyond}"


def _by_number(figure: ChangeMaps, group: str) -> str:
    """Say which number of components gains in the fewest cells, or that no single one does."""
    changes = figure.changes(group)
    numbers = [str(parts) for parts in COMPONENTS]
    found = {(panel, column) for panel, _, column in changes}
    places = [at for at in found if all((at[0], each, at[1]) in changes for each in numbers)]
    gains = {
        each: sum(changes[panel, each, column].verdict == "gains" for panel, column in places)
        for each in numbers
    }
    least, *others = sorted(gains.values())
    if least == others[0]:
        return (
            f"No number of components gains least: {named(group)} gain in "
            f"{span_of([least, *others])} of {len(places)} cells each"
        )
    return (
        f"{min(gains, key=lambda each: gains[each])} components gain least: {named(group)} gain in "
        f"{least} of {len(places)} cells, with other numbers in {span_of(others)}"
    )


def _by_panel(figure: ChangeMaps, group: str) -> str:
    """Say up to which penalty how many components gain, by panel."""
    upto: dict[str, dict[str, str]] = {}
    for (panel, row, column), each in figure.changes(group).items():  # columns rise
        here = upto.setdefault(panel, {})
        here[row] = column if each.verdict == "gains" else here.get(row, "none")
    told = [f"{panel} {', '.join(here.values())}" for panel, here in upto.items()]
    *rows, last = dict.fromkeys(label[1] for label in figure.entries)
    return (
        f"largest ψ at which {named(group)} gain, with {', '.join(rows)} and {last} components: "
        f"{'; '.join(told)}"
    )


def viability_maps() -> dict[str, ViabilityMap]:
    """Return the viability map of each MaxJumps, by its name."""
    return {said(jumps): ViabilityMap(jumps) for jumps in JUMPS}


#: Who gains and who loses: what is said of S1 and S4 together.
KINDS = {
    ("gains", "loses"): "S1 gains, S4 loses",
    ("gains", "gains"): "both gain",
    ("loses", "loses"): "both lose",
    ("loses", "gains"): "S1 loses, S4 gains",
    ("not borne", "not borne"): "not borne",
}
UNDECIDED = "one or both undecided"
MARKS = {
    "S1 gains, S4 loses": plots.Mark("S1", OWN[1].colour),
    "both gain": plots.Mark("+", plots.SHORTER.colour),
    "both lose": plots.Mark("−", plots.LONGER.colour, True),
    "S1 loses, S4 gains": plots.Mark("S4", OWN[4].colour),
    "not borne": plots.NEITHER,
    UNDECIDED: plots.Mark(""),
}


class WhoPays(Figure):
    """Do jobs that are too small to be split gain where large ones pay? By MaxJumps and load.

    Parameters
    ----------
    maps : dict of ViabilityMap, optional
        Whose numbers are taken; they are run with it where they have none.
    """

    def __init__(self, maps: Mapping[str, ViabilityMap] | None = None) -> None:
        super().__init__(
            "who-pays",
            f"verdicts on S1 (one processor) and S4 (7 or more), large jobs in {PARTS} components, "
            "worst fit; rows: splits jobs above, columns: penalty ψ",
        )
        self.maps = dict(maps or viability_maps())

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate the viability maps; see `Figure.run`."""
        for each in self.maps.values():
            each.run(scale, seed, **how)
        return self

    def kinds(self) -> dict[tuple[str, Label], str]:
        """Return who gains and who loses, by MaxJumps and the cell of its map."""
        found = {}
        for jumps, each in self.maps.items():
            for label in each.entries:
                small, large = (each.change(label, group).verdict for group in ("S1", "S4"))
                found[jumps, label] = KINDS.get((small, large), UNDECIDED)
        return found

    @property
    def title(self) -> str:
        """In how many cells small jobs gain while large ones lose, and where large ones lose."""
        kinds = self.kinds()
        small, large = (
            Counter(jumps for (jumps, _), found in kinds.items() if found == kind)
            for kind in ("S1 gains, S4 loses", "S1 loses, S4 gains")
        )
        count = Counter(kinds.values())
        policies = {jumps: passed(each.max_jumps) for jumps, each in self.maps.items()}
        each, others = (
            ", ".join(f"{name} {found[jumps]}" for jumps, name in policies.items())
            for found in (small, large)
        )
        return (
            f"Small jobs gain where large ones lose in {small.total()} of {len(kinds)} cells "
            f"({each}), large ones where small ones lose in {large.total()} ({others}); both gain "
            f"in {count['both gain']}, both lose in {count['both lose']}"
        )

    def data(self) -> pd.DataFrame:
        """Return one row a cell: MaxJumps, load, threshold, penalty, and who gains."""
        rows = []
        for (jumps, label), kind in self.kinds().items():
            found = self.maps[jumps]
            s1, s4 = (found.change(label, group) for group in ("S1", "S4"))
            changes = {"S1": s1.percent.estimate, "S4": s4.percent.estimate}
            rows.append(columns_of(found.entries[label]) | changes | {"who": kind})
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw a map of kinds for each MaxJumps and load."""
        kinds = self.kinds()
        columns, rows = (list(dict.fromkeys(label[i] for _, label in kinds)) for i in (2, 1))
        panels: dict[str, dict] = {}
        for (jumps, (load, above, psi)), kind in kinds.items():
            cells = panels.setdefault(f"{passed(self.maps[jumps].max_jumps)}, {load}", {})
            cells[rows.index(above), columns.index(psi)] = MARKS[kind]
        return plots.maps(
            panels,
            rows=rows,
            columns=columns,
            title=self.title,
            subtitle=self.subtitle,
            xlabel="",
            ylabel="",
            across=len(LOADS),
            kinds={kind: mark for kind, mark in MARKS.items() if kind in kinds.values()},
        )
