"""Figure 6: jobs that are split, grouped by their own penalty."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError
from coalloc_lib.inference import Sample
from coalloc_lib.saturation import WARM_UP
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure, mean_of
from coalloc_lib.studies.communication_penalty.served import Served
from coalloc_lib.studies.measurements import Scale, run_sweep
from coalloc_lib.studies.ratio_lines import At

#: The paper's groups of co-allocated jobs, by their penalties.
BY_PENALTY = {"C1": (0.0, 0.05), "C2": (0.05, 0.10), "C3": (0.10, 0.15), "C4": (0.15, 0.20)}
#: All co-allocated jobs.
ALL = "all split jobs"


def by_penalty(scenario: Scenario, load: float, jobs: int, seed: Seed) -> dict[str, float]:
    """Return mean response and waiting time of the jobs that span, by penalty, in one run.

    Raises
    ------
    InputError
        No job is in a group.
    """
    schedule = scenario.simulate(jobs, load=load, seed=seed)
    split = schedule.spans & (np.arange(jobs) >= int(WARM_UP * jobs))
    penalty = schedule.jobs.span_penalty
    means = {}
    for name, (least, most) in {ALL: (0.0, np.inf), **BY_PENALTY}.items():
        mine = split & (penalty >= least) & (penalty < most)
        if not mine.any():
            raise InputError(
                f"jobs = {jobs}, of which none is split with a penalty from {least} to {most} "
                f"({name}); give more"
            )
        means[name] = float(schedule.response[mine].mean())
        means[f"{name} wait"] = float(schedule.wait[mine].mean())
    return means


class DispersionFigure(RatioFigure):
    """Mean response times of split jobs by penalty, over that of all split jobs."""

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate the entries, each a point of a sweep."""
        served = list(dict.fromkeys(entries.values()))
        points = [{"scenario": e.scenario, "load": e.load, "jobs": scale.jobs} for e in served]
        runs = scale.replications
        rows = run_sweep(by_penalty, points, runs, seed=seed, **how)
        names = [name + part for name in (ALL, *BY_PENALTY) for part in ("", " wait")]
        found: dict[Served, Mapping[str, Sample]] = {}
        for i, entry in enumerate(served):
            mine = rows.iloc[i * runs : (i + 1) * runs]
            found[entry] = {name: Sample(mine[name].to_numpy()) for name in names}
        return found

    def ratio(self, at: At, group: str) -> Sample:
        """Return the mean response time of a group over that of all split jobs, run by run."""
        found = self.result(at)
        return Sample(found[group].values / found[ALL].values)

    def spread(self, at: At, part: str = "") -> Sample:
        """Return by how much C4 exceeds C1, relative to all split jobs, run by run.

        `part` is ``" wait"`` for the waiting times instead of the response times.
        """
        found = self.result(at)
        return Sample((found["C4" + part] - found["C1" + part]).values / found[ALL].values)

    def mean_spread(self, jumps: int, part: str = "") -> Sample:
        """Return the spread, averaged over the thresholds of a panel, run by run."""
        return mean_of([self.spread(at, part) for at in self.entries if at.panel == jumps])

    def data(self) -> pd.DataFrame:
        """Return one row a point and group: mean response and waiting time, and the ratio."""
        rows = []
        for at in self.entries:
            for group in self.groups:
                found, ratio = self.result(at), self.ratio(at, group).interval
                times = {"response": found[group].mean, "wait": found[f"{group} wait"].mean}
                ends = {"ratio": ratio.estimate, "ci95_low": ratio.low, "ci95_high": ratio.high}
                rows.append(self.columns(at) | {"group": group} | times | ends)
        return pd.DataFrame(rows)
