"""The penalty at which splitting breaks even, where jobs are split always and where at need."""

from typing import Any, NamedTuple, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of, one_of, shown
from coalloc_lib.plots.signs import OWN
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.adaptive import (
    ALWAYS,
    AT_NEED,
    LOW,
    PLACEMENTS,
    placed,
)
from coalloc_lib.studies.communication_penalty.change_maps import SCALES
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    PARTS,
    PENALTIES,
    PRINTED,
    PRINTED_LOAD,
    SEED,
)
from coalloc_lib.studies.communication_penalty.responses import STREAM, Size
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.communication_penalty.threshold_figure import Threshold, thresholds_of
from coalloc_lib.studies.communication_penalty.thresholds import break_even
from coalloc_lib.studies.communication_penalty.viability import JUMPS, passed
from coalloc_lib.studies.figure import SimulatedFigure
from coalloc_lib.studies.measurements import Scale, run_sweep

#: What is compared: above which size, and who decides.
COMPARED = {
    f"above {ABOVE}, {ALWAYS}": (ABOVE, ALWAYS),
    f"above {ABOVE}, {AT_NEED}": (ABOVE, AT_NEED),
    f"above {LOW}, {AT_NEED}": (LOW, AT_NEED),
}
LOOK = dict(
    zip(COMPARED, (plots.STANDARD, plots.MEANINGS["single then span"], OWN[4]), strict=True)
)


class Way(NamedTuple):
    """A policy, and a way of splitting: a key of `COMPARED`."""

    policy: str
    splits: str


class NeedThresholds(SimulatedFigure):
    """Up to which penalty all jobs gain, if large ones are split always, and if at need.

    Parameters
    ----------
    load : float
    """

    def __init__(self, load: float = PRINTED_LOAD) -> None:
        self.load = load
        entries = {
            Way(passed(jumps), splits): placed(
                served(jumps, load, above=above, parts=PARTS), PLACEMENTS[who]
            )
            for jumps in JUMPS
            for splits, (above, who) in COMPARED.items()
        }
        subtitle = (
            f"ψ at which all jobs respond as soon as whole; load {load:.3f}, {PARTS} components, "
            "worst fit; at need: those that cannot start whole; lines: 95 % intervals"
        )
        super().__init__("thresholds-at-need", subtitle, entries, SCALES, SEED)

    def add(self, label: Way | tuple[str, str], scenario: Any = None) -> Self:
        """Add a policy and a way of splitting, a `Served`; return the figure, to be run again."""
        instance_of("scenario", scenario, Served, "served(max_jumps, load, above=...)")
        if not (isinstance(label, tuple) and len(label) == 2 and isinstance(label[0], str)):
            raise InputError(
                f"label = {shown(label)}; give the policy and how jobs are split, in words"
            )
        one_of("label[1]", label[1], tuple(COMPARED))
        return super().add(Way(*label), scenario)

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Search the threshold of each entry, a point of a sweep."""
        size = Size(scale.jobs, scale.replications)
        cases: list[Served] = list(dict.fromkeys(entries.values()))
        points = [{"entry": case, "groups": (STREAM,), "size": size} for case in cases]
        rows = run_sweep(break_even, points, seed=seed, **how).to_dict("records")
        return {c: thresholds_of(row, [STREAM]) for c, row in zip(cases, rows, strict=True)}

    def threshold_of(self, label: Way) -> Threshold:
        """Return the penalty at which all jobs break even."""
        return self.result(label)[STREAM]

    def columns(self, label: Way) -> dict[str, Any]:
        """Return a label as columns of a table."""
        return label._asdict() | {"load": self.load}

    def spanned(self) -> str:
        """Say up to which penalty each way gains, under each policy."""
        told: dict[str, list[str]] = {}
        for label in self.entries:
            found = self.threshold_of(label)
            sure = "" if found.answer == "crossing" else "?"
            told.setdefault(label.splits, []).append(f"{found.interval.estimate:.2f}{sure}")
        policies = ", ".join(dict.fromkeys(label.policy for label in self.entries))
        each = "; ".join(f"{splits} {', '.join(found)}" for splits, found in told.items())
        unsure = " (?: not for certain)" * ("?" in each)
        return f"ψ up to which splitting pays under {policies}: {each}{unsure}"

    def data(self) -> pd.DataFrame:
        """Return one row an entry: the threshold, its interval, and what kind it is."""
        rows = []
        for label in self.entries:
            found = self.threshold_of(label)
            ends = found.interval
            known = {"psi": ends.estimate, "ci95_low": ends.low, "ci95_high": ends.high}
            kind = {"answer": found.answer, "doubt": ends.doubt}
            rows.append(self.columns(label) | known | kind | self.described(label))
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw the thresholds in rows, one a policy."""
        drawn: dict[str, dict] = {}
        for label in self.entries:
            drawn.setdefault(label.policy, {})[label.splits] = self.threshold_of(label).interval
        heading, always = f"load {self.load:.3f}", next(iter(COMPARED))
        return plots.ranges(
            {heading: drawn},
            title=self.title,
            subtitle=self.subtitle,
            xlabel="execution time penalty ψ",
            span=PENALTIES,
            printed={heading: {row: {always: PRINTED[STREAM]} for row in drawn}},
            look=LOOK,
        )
