"""Exercises of the notebook: the check of each, and the leaderboard of its project."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.analytic.slotted import slotted_utilization
from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.distributions import SizeDistribution, uniform
from coalloc_lib.inference import paired_difference
from coalloc_lib.placement import Placement, WorstFit
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.seeds import spawn
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.leaderboard import ANSWERS, off_by, ranked
from coalloc_lib.studies.maximal_utilization.claims import pathological_loss
from coalloc_lib.studies.maximal_utilization.parameters import FOUR, SEED, sizes
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.lessons import checker, near, raised
from coalloc_lib.workloads.models import JobModel

#: Limits of overtaking from which exercise 4 has one chosen.
JUMPS = (5, 20, 50, 100, 200)
#: By how much equation (4) is to be off in exercise 6.
FAR_OFF = 0.20
#: The project: sizes, jobs that a policy sees waiting, jobs of a run, and runs.
PROJECT, SEEN, JOBS, RUNS = "U[1,7]", 20, 800, 5


def _two_processors(answer: Any) -> str:
    right = maximal_utilization(Multicluster([2]), uniform(1, 2)).capacity_loss
    return near(answer, right, 0.002, "draw the four pairs of sizes: in which do two jobs fit?")


def _pathological_limit(answer: Any) -> str:
    small, large = 7, 15  # the gap to the limit goes like 1/N
    ends = large * pathological_loss(5, large) - small * pathological_loss(5, small)
    hint = "how many jobs run at once, and what part of each cluster does one use?"
    return near(answer, ends / (large - small), 0.003, hint)


def _clusters_past_a_quarter(answer: Any) -> str:
    clusters = 1
    while maximal_utilization(Multicluster.equal(clusters, 32), uniform(1, 7)).capacity_loss < 0.25:
        clusters += 1
    if answer == clusters:
        return ""
    fewer = "fewer clusters are enough, or none has that number"
    return fewer if answer > clusters else "the loss grows with every cluster: go on"


def _jumps_for_ten_points(answer: Any) -> str:
    model = JobModel(sizes("U[1,14]"), len(FOUR))
    fcfs = saturated_loss(Scenario(FOUR, model), jobs=60_000).estimate
    for jumps in JUMPS:
        gain = fcfs - saturated_loss(Scenario(FOUR, model, FPFS(jumps)), jobs=60_000).estimate
        if gain >= 0.10:
            return "" if answer == jumps else "look at the difference to max_jumps = 0, in points"
    return "none of them gains ten points"


class _WidestFirst(Scheduling):
    def start_jobs(self, state: Any) -> None:
        for job in sorted(state.queue, key=lambda job: -job.processors):
            state.start(job)


def _widest_first(answer: Any) -> str:
    kind = answer if isinstance(answer, type) else type(answer)
    if not issubclass(kind, Scheduling):
        return "give your policy: a class that derives from co.Scheduling"
    jobs = JobModel(sizes(PROJECT), len(FOUR)).sample(300, SEED)
    how: dict[str, Any] = {"engine": "reference", "backlog": SEEN}
    try:
        policy = answer() if isinstance(answer, type) else answer
        own = simulate(FOUR, jobs, scheduling=policy, **how).start
    except InputError as error:
        return str(error)
    except Exception as error:  # whatever the reader's own code may raise
        return raised(error)
    right = simulate(FOUR, jobs, scheduling=_WidestFirst(), **how).start
    if np.array_equal(own, right, equal_nan=True):
        return ""
    first = int(np.flatnonzero(own != right)[0]) + 1
    return (
        f"job {first} of a test starts at another instant: widest first, then all others that fit"
    )


def _breaks_equation_4(answer: Any) -> str:
    if not isinstance(answer, SizeDistribution):
        return "give sizes, such as co.uniform(1, 4)"
    try:
        afresh = maximal_utilization(Multicluster([8]), answer, service="slotted").capacity_loss
        held = slotted_utilization(8, answer).capacity_loss
    except InputError as error:
        return str(error)
    off = held - afresh
    return "" if off > FAR_OFF else f"it is off by {off:.3f}; what if one job fills the cluster?"


EXERCISES: dict[int, Callable[[Any], str]] = {
    1: _two_processors,
    2: _pathological_limit,
    3: _clusters_past_a_quarter,
    4: _jumps_for_ten_points,
    5: _widest_first,
    6: _breaks_equation_4,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, Placement | Scheduling]) -> pd.DataFrame:
    """Return policies in order of their capacity loss on 4 x 32, beside worst fit under FCFS.

    Parameters
    ----------
    entries : dict of Placement or Scheduling
        By name. A placement is tried under FCFS, a scheduling policy with worst fit.

    Returns
    -------
    DataFrame
        A row an entry: its loss, the loss less that of worst fit on the same jobs with its 95 %
        interval, whether that beats worst fit, and the longest wait in mean service times.
    """
    instance_of("entries", entries, dict, "placements or scheduling policies by name")
    base, wait = _runs(WorstFit())
    rows = [_line("worst fit, FCFS", base, wait, base)]
    for name, entry in entries.items():
        losses, longest = _runs(entry)
        rows.append(_line(str(name), losses, longest, base))
    return ranked(rows, "loss")


def _runs(entry):
    """Return the loss of each run, and the longest wait of all."""
    kind = "placement" if isinstance(entry, Placement) else "scheduling"
    if not isinstance(entry, Placement | Scheduling):
        raise InputError(f"entry = {shown(entry)}; give an object, such as co.FirstFit()")
    how = {"scheduling": FCFS(), kind: entry, "engine": "reference", "backlog": SEEN}
    model = JobModel(sizes(PROJECT), len(FOUR))
    schedules = [simulate(FOUR, model.sample(JOBS, seed), **how) for seed in spawn(SEED, RUNS)]
    for schedule in schedules:
        schedule.verify()
    losses = np.array([1 - schedule.utilization() for schedule in schedules])
    return losses, max(float(schedule.wait.max()) for schedule in schedules)


def _line(name, losses, wait, base):
    row = {"policy": name, "loss": round(float(losses.mean()), 3)}
    if losses is base:
        return row | {"less worst fit": "", "beats it": "", "longest wait": round(wait, 1)}
    off = paired_difference(losses, base)
    told = {"less worst fit": off_by(off, digits=3), "beats it": ANSWERS[off.below(0)]}
    return row | told | {"longest wait": round(wait, 1)}
