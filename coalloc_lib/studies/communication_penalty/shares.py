"""CP-1: the groups' shares of jobs and of load, exactly and in samples, beside the printed ones."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.studies.communication_penalty.parameters import (
    EXACT_LOAD,
    INTERARRIVAL,
    PRINTED_LOAD,
    SIZES,
    SYSTEM,
    WHOLE,
)
from coalloc_lib.studies.communication_penalty.responses import GROUPS
from coalloc_lib.studies.figure import Figure

#: What the paper prints of S1 to S4. The load share of S2 is a slip: the four are above one.
PRINTED_JOBS = dict(zip(GROUPS, (0.253, 0.277, 0.229, 0.241), strict=True))
PRINTED_WORK = dict(zip(GROUPS, (0.060, 0.277, 0.231, 0.576), strict=True))
JOBS, WORK, LOAD = "share of the jobs", "share of the load", "offered load"
#: A simulation has so many jobs at least.
FEWEST = 1_000
#: Samples that are drawn to see how far they stray.
SAMPLES = 400


def exact_shares() -> dict[str, dict[str, float]]:
    """Return the share of each group in the jobs and in the load, and the load, by the law."""
    size = np.arange(len(SIZES.probabilities))
    jobs, work = {}, {}
    for name, (least, most) in GROUPS.items():
        mine = (size >= least) & (size <= most)
        jobs[name] = float(SIZES.probabilities[mine].sum())
        work[name] = float((size * SIZES.probabilities)[mine].sum() / SIZES.mean)
    return {JOBS: jobs, WORK: work, LOAD: {"all jobs": EXACT_LOAD}}


def fitting_size() -> int:
    """Return how many jobs a sample has whose shares of jobs stray as far as the printed ones.

    Notes
    -----
    Of n jobs, ``n * sum((share - p)**2 / p)`` is on average one less than there are groups
    (Pearson); the paper does not say how many jobs it drew.
    """
    exact = exact_shares()[JOBS]
    apart = sum((PRINTED_JOBS[name] - p) ** 2 / p for name, p in exact.items())
    return round((len(exact) - 1) / apart)


def sampled_shares(jobs: int, seed: Seed) -> dict[str, dict[str, Interval]]:
    """Return from what to what 95 % of samples of so many jobs reach, around the exact figures."""
    drawn: dict[tuple[str, str], list[float]] = {}
    for child in spawn(seed, SAMPLES):
        stream = WHOLE.sample(jobs, child, rate=1 / INTERARRIVAL)
        size, work = stream.processors, stream.work
        for name, (least, most) in GROUPS.items():
            mine = (size >= least) & (size <= most)
            drawn.setdefault((JOBS, name), []).append(float(mine.mean()))
            drawn.setdefault((WORK, name), []).append(float(work[mine].sum() / work.sum()))
        drawn.setdefault((LOAD, "all jobs"), []).append(stream.offered_load(SYSTEM))
    found: dict[str, dict[str, Interval]] = {}
    for panel, rows in exact_shares().items():
        for name, value in rows.items():
            low, high = np.quantile(drawn[panel, name], [0.025, 0.975])
            ends = float(low), float(high)
            found.setdefault(panel, {})[name] = Interval(value, *ends, SAMPLES)
    return found


class ShareFigure(Figure):
    """The exact shares, what samples make of them, and what is printed.

    Parameters
    ----------
    seed : int
        Of the samples.
    """

    def __init__(self, seed: Seed) -> None:
        self.jobs = fitting_size()
        subtitle = (
            f"marks: exact; lines: 95 % of samples of {self.jobs:,} jobs, whose shares of jobs "
            f"stray as far as the printed ones; not drawn: offered load, printed {PRINTED_LOAD}, "
            f"exact {EXACT_LOAD:.3f}"
        )
        super().__init__("shares", subtitle, ("CP-1",))
        self.found = sampled_shares(self.jobs, seed)

    @property
    def printed(self) -> dict[str, dict[str, float]]:
        """The paper's figures, in the same order."""
        return {JOBS: PRINTED_JOBS, WORK: PRINTED_WORK, LOAD: {"all jobs": PRINTED_LOAD}}

    @property
    def likely(self) -> bool:
        """Whether the printed shares of jobs are those of a sample as large as a simulation's.

        So large are the samples drawn that the printed shares of jobs stray as chance makes them:
        that these lie within the range of samples says nothing.
        """
        return self.jobs >= FEWEST

    def explained(self, panel: str) -> dict[str, bool]:
        """Return whether a sample explains what is printed, by row of a panel."""
        rows = self.printed[panel]
        return {name: self.found[panel][name].contains(value) for name, value in rows.items()}

    @property
    def title(self) -> str:
        """What of the print a sample explains, and what not."""
        answers = {
            f"{panel} of {name}": answer
            for panel in (WORK, LOAD)
            for name, answer in self.explained(panel).items()
        }
        odd = [name for name, answer in answers.items() if not answer]
        kept = len(answers) - len(odd)
        return (
            f"The printed shares of the jobs are those of {self.jobs:,} jobs drawn, which explain "
            f"{kept} of {len(answers)} other figures"
        ) + (f", not the {', the '.join(odd)}" if odd else "")

    def data(self) -> pd.DataFrame:
        """Return one row a figure: printed, exact, and the range of samples."""
        rows: list[dict[str, Any]] = []
        for panel, printed in self.printed.items():
            for name, value in printed.items():
                found = self.found[panel][name]
                ends = {"sample_low": found.low, "sample_high": found.high, "jobs": self.jobs}
                row = {"quantity": panel, "group": name, "printed": value}
                rows.append(row | {"exact": found.estimate} | ends)
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw each figure with the range of samples, and the printed one."""
        return plots.ranges(
            {p: {n: {"": found} for n, found in rows.items()} for p, rows in self.panels.items()},
            title=self.title,
            subtitle=self.subtitle,
            xlabel="share",
            span=(0.0, 0.65),
            printed={
                p: {name: {"": self.printed[p][name]} for name in rows}
                for p, rows in self.panels.items()
            },
            look={"": plots.STANDARD},
        )

    @property
    def panels(self) -> dict[str, dict[str, Interval]]:
        """What is drawn: the load is told in the title alone."""
        return {panel: self.found[panel] for panel in (JOBS, WORK)}
