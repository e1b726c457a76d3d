"""The thresholds as a figure: over MaxJumps and both loads, beside the printed ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import instance_of, positive
from coalloc_lib.curves import RISING
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Crossing
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    LOADS,
    MAX_JUMPS,
    NO_LIMIT,
    PARTS,
    PENALTIES,
    PRINTED,
    SCALES,
    SEED,
    SPLITTINGS,
    WHOLE,
    said,
    scenario,
)
from coalloc_lib.studies.communication_penalty.ratios import LOOK
from coalloc_lib.studies.communication_penalty.responses import NAMES, Size
from coalloc_lib.studies.communication_penalty.thresholds import thresholds
from coalloc_lib.studies.figure import SimulatedFigure
from coalloc_lib.studies.measurements import Scale, interval_of, run_sweep


@dataclass(frozen=True)
class Case:
    """What a threshold is asked for: a load, a number of jumps, and how jobs are split."""

    load: float
    max_jumps: int
    splitting: str

    def __post_init__(self) -> None:
        """Check the load; the rest is in the scenario."""
        positive("load", self.load)

    @property
    def scenario(self) -> Scenario:
        """The jobs as they are split, without a penalty."""
        split = WHOLE.with_(above=ABOVE, parts=PARTS, rounding=self.splitting)
        return scenario(self.max_jumps, split)


@dataclass(frozen=True)
class Threshold:
    """The penalty from which on splitting loses, for a group of jobs.

    Attributes
    ----------
    interval : Interval
        Its ends are infinite outside of the penalties that were tried.
    saturated : bool
        Whether whole jobs saturate, so that it is where both bear the same load.
    """

    interval: Interval
    saturated: bool

    @property
    def answer(self) -> str:
        """Whether there is a threshold, and what it is a threshold of."""
        answer = Crossing(self.interval, 0).answer
        return f"{answer} of what is borne" if self.saturated else answer


class ThresholdFigure(SimulatedFigure):
    """The penalty at which splitting breaks even, by load, number of jumps, splitting and group.

    The picture has the study's reading of the split, all is in the data.
    """

    def __init__(self) -> None:
        subtitle = (
            f"ψ at which jobs above {ABOVE} in {PARTS} components ({SPLITTINGS[0]}) respond as "
            "soon as whole; 5×20, worst fit; lines: 95 % intervals"
        )
        super().__init__("thresholds", subtitle, {}, SCALES, SEED, claims=("CP-2", "CP-3"))
        for splitting in SPLITTINGS:
            for load in LOADS:
                for jumps in MAX_JUMPS:
                    case = Case(load, jumps, splitting)
                    self.add(case, case)

    def add(self, label: Case, scenario: Any = None) -> Self:
        """Add a `Case`, which is its own label; return the figure, to be run again."""
        case = label if scenario is None else scenario
        return super().add(
            instance_of("label", label, Case, "Case(load, max_jumps, splitting)"), case
        )

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Search the thresholds of each case, a point of a sweep."""
        cases = list(dict.fromkeys(entries.values()))
        (runs,) = scale.asked("search_runs")
        size = Size(scale.jobs, runs)
        points = [vars(case) | {"size": size} for case in cases]
        rows = run_sweep(thresholds, points, seed=seed, **how).to_dict("records")
        return {case: thresholds_of(row, NAMES) for case, row in zip(cases, rows, strict=True)}

    def columns(self, label: Case) -> dict[str, Any]:
        """Return a label as columns of a table; no limit of jumps is infinite."""
        jumps = np.inf if label.max_jumps == NO_LIMIT else label.max_jumps
        load = round(label.load, 4)
        return {"load": load, "max_jumps": jumps, "splitting": label.splitting}

    def threshold_of(self, case: Case, group: str) -> Threshold:
        """Return the threshold of a group."""
        return self.result(case)[group]

    def nearest(self, splitting: str = SPLITTINGS[0]) -> tuple[Case, float]:
        """Return the case whose thresholds come nearest to the three printed ones, and how near.

        The distance is the root of the summed squares; S1 is to be above what is printed.
        """
        cases = [case for case in self.entries if case.splitting == splitting]
        distances = {case: self._distance(case) for case in cases}
        case = min(distances, key=lambda case: distances[case])
        return case, distances[case]

    def _distance(self, case):
        found = {group: self.threshold_of(case, group).interval.estimate for group in PRINTED}
        apart = [found["stream"] - PRINTED["stream"], found["S4"] - PRINTED["S4"]]
        apart.append(min(0.0, found["S1"] - PRINTED["S1"]))
        return float(np.hypot(np.hypot(*apart[:2]), apart[2]))

    def data(self) -> pd.DataFrame:
        """Return one row a case and group: the threshold, its interval, and what kind it is."""
        rows = []
        for case in self.entries:
            for group, found in self.result(case).items():
                ends = found.interval
                known = {"psi": ends.estimate, "ci95_low": ends.low, "ci95_high": ends.high}
                kind = {"answer": found.answer, "doubt": ends.doubt}
                rows.append(self.columns(case) | {"group": group} | known | kind)
        return pd.DataFrame(rows)

    def spanned(self) -> str:
        """Name the pair that comes nearest to the printed thresholds, and how near that is."""
        case, distance = self.nearest()
        found = {group: self.threshold_of(case, group).interval.estimate for group in PRINTED}
        words = ", ".join(f"{group} {psi:.3f}" for group, psi in found.items())
        return (
            f"Load {case.load:.3f} with MaxJumps {said(case.max_jumps)} comes nearest to print "
            f"({words}), {distance:.3f} away"
        )

    def plot(self) -> Picture:
        """Draw the thresholds of the stream, S1 and S4 over MaxJumps, a panel a load."""
        panels: dict[str, dict] = {}
        for case in self.entries:
            if case.splitting == SPLITTINGS[0]:
                drawn = {group: self.threshold_of(case, group).interval for group in PRINTED}
                panels.setdefault(_heading(case), {})[said(case.max_jumps)] = drawn
        saturated = [case for case in self.entries if self.threshold_of(case, NAMES[0]).saturated]
        return plots.ranges(
            panels,
            title=self.title,
            subtitle=self.subtitle,
            xlabel="execution time penalty ψ",
            ylabel="MaxJumps",
            span=PENALTIES,
            printed={heading: dict.fromkeys(rows, PRINTED) for heading, rows in panels.items()},
            look=LOOK,
            hollow=("whole jobs saturate", {(_heading(c), said(c.max_jumps)) for c in saturated}),
        )

    def words(self) -> str:
        """Return the figure in words: the thresholds of each case."""
        told = [
            f"load {case.load:.3f}, MaxJumps {said(case.max_jumps)}, {case.splitting}: "
            + ", ".join(f"{g} {self.threshold_of(case, g).interval.estimate:.3f}" for g in PRINTED)
            for case in self.entries
        ]
        return f"{super().words()} {'; '.join(told)}."


def _heading(case):
    return f"load {case.load:.3f}"


def thresholds_of(row: Mapping[str, Any], groups: Iterable[str]) -> dict[str, Threshold]:
    """Return the threshold of each group from a row of the sweep."""
    parts = ("estimate", "low", "high", "count", "doubted")
    found = {}
    for group in groups:
        ends = SimpleNamespace(**{part: row[f"{group} {part}"] for part in parts})
        found[group] = Threshold(interval_of(ends, RISING), bool(row["saturated"]))
    return found
