"""Figure 6: jobs that are split, grouped by their own penalty."""

from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.saturation import WARM_UP
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure, mean_of
from coalloc_lib.studies.communication_penalty.responses import Responses, rise, rising
from coalloc_lib.studies.communication_penalty.served import measure_borne
from coalloc_lib.studies.measurements import Scale, run_sweep
from coalloc_lib.studies.ratio_lines import At

#: The paper's groups of co-allocated jobs, by their penalties.
BY_PENALTY = {"C1": (0.0, 0.05), "C2": (0.05, 0.10), "C3": (0.10, 0.15), "C4": (0.15, 0.20)}
#: All co-allocated jobs, and by what responses rise, among the columns of a run.
ALL, RISE = "all split jobs", "rise"


def by_penalty(scenario: Scenario, load: float, jobs: int, seed: Seed) -> dict[str, float]:
    """Return mean response and waiting time of the jobs that span, by penalty, in one run.

    And by what the second half of all responses is longer.

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
    return means | {RISE: rise(schedule.response[int(WARM_UP * jobs) :])}


class DispersionFigure(RatioFigure):
    """Mean response times of split jobs by penalty, over that of all split jobs."""

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate the entries that bear their load, each a point of a sweep."""
        every = dict.fromkeys(entries.values())
        borne = measure_borne((each.scenario for each in every), scale, seed, **how)
        served = [each for each in every if each.load < borne[each.scenario].interval.low]
        points = [{"scenario": e.scenario, "load": e.load, "jobs": scale.jobs} for e in served]
        runs = scale.replications
        rows = run_sweep(by_penalty, points, runs, seed=seed, **how) if points else pd.DataFrame()
        found = {each: Responses(borne[each.scenario], {}) for each in every}
        for i, entry in enumerate(served):
            mine = rows.iloc[i * runs : (i + 1) * runs]
            doubt = borne[entry.scenario].doubt or rising(mine[RISE])
            names = [name + part for name in (ALL, *BY_PENALTY) for part in ("", " wait")]
            means = {name: Sample(mine[name].to_numpy(), doubt) for name in names}
            found[entry] = found[entry]._replace(means=means)
        return found

    def ratio(self, at: At, group: str) -> Sample | None:
        """Return the mean response time of a group over that of all split jobs, run by run.

        None where they saturate.
        """
        means = self.result(at).means
        return Sample(means[group].values / means[ALL].values, means[ALL].doubt) if means else None

    def spread(self, at: At, part: str = "") -> Sample | None:
        """Return by how much C4 exceeds C1, relative to all split jobs, run by run.

        `part` is ``" wait"`` for the waiting times instead of the response times; None where they
        saturate.
        """
        means = self.result(at).means
        if not means:
            return None
        apart = means["C4" + part] - means["C1" + part]
        return Sample(apart.values / means[ALL].values, apart.doubt)

    def mean_spread(self, jumps: int, part: str = "") -> Sample:
        """Return the spread, averaged over the thresholds of a panel, run by run."""
        spreads = (self.spread(at, part) for at in self.entries if at.panel == jumps)
        return mean_of([each for each in spreads if each is not None])

    def data(self) -> pd.DataFrame:
        """Return one row a point and group: mean response and waiting time, and the ratio."""
        rows = []
        for at in self.entries:
            found = self.result(at)
            for group in self.groups:
                ratio = self.ratio(at, group)
                known = Interval.exact(np.nan) if ratio is None else ratio.interval
                times = {
                    name: found.means[group + part].mean if found.means else np.nan
                    for name, part in (("response", ""), ("wait", " wait"))
                }
                ends = {"ratio": known.estimate, "ci95_low": known.low, "ci95_high": known.high}
                kind = {"saturated": found.saturated, "doubt": known.doubt}
                rows.append(self.columns(at) | {"group": group} | times | ends | kind)
        return pd.DataFrame(rows)
