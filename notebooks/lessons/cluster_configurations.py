"""The second notebook: the checks of its exercises, and the leaderboard of its project."""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

import coalloc_lib as co
from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.intervals import Interval, Sample, all_of
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.studies.cluster_configurations import FOUR, PROCESSORS, UNEQUAL, BreakEven, study
from lessons.teaching import ANSWERS, checker, held_against, near, off_by, ranked

STANDARD = co.Scenario(co.Multicluster([32] * 4), FOUR)
#: Exercise 3: processors moved from each of two clusters to the other two, and what may be lost.
MOVED, LOST = (4, 8, 12, 16), 0.05
#: Exercise 4 and the project: divisions of 128 processors; the project: jobs of a run, and runs.
DIVIDED, JOBS, RUNS = (4, 8, 16), 2_000, 5
RULES = {"first fit": co.FirstFit(), "worst fit": co.WorstFit(), "best fit": co.BestFit()}


def _loss(scenario: co.Scenario, jobs: int, runs: int) -> Sample:
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=study.seed)
    return Sample(1 - busy.mean(axis=1), warning)


@lru_cache
def _more(one: co.Scenario, other: co.Scenario, backlog: int | None = None) -> Interval:
    return co.compare(one, other, seed=study.seed, backlog=backlog)


def _break_even(scenario: co.Scenario) -> float:
    return BreakEven(scenario).measure(study.scales["quick"], study.seed).mean


def _divided(clusters: int, rule: co.Placement) -> co.Scenario:
    system = co.Multicluster.equal(clusters, PROCESSORS // clusters)
    return STANDARD.with_(system=system, placement=rule)


def _slow_links(answer: Any) -> str:
    right = (1 - _loss(STANDARD, 20_000, 5).mean) / 1.4
    return near(answer, right, 0.005, "a job holds its processors longer, for the same work")


def _jobs_of_one_size(answer: Any) -> str:
    right = _break_even(STANDARD.with_(workload=co.JobModel(co.parse_sizes("U[5,5]"), 4)))
    return near(answer, right, 0.01, "count how many jobs run at once: spread, and whole")


def _unequal(moved: int) -> co.Scenario:
    system = co.Multicluster([32 + moved, 32 + moved, 32 - moved, 32 - moved])
    return STANDARD.with_(system=system)


def _how_unequal(answer: Any) -> str:
    little = [m for m in MOVED if _more(STANDARD, _unequal(m)).below(LOST)]
    return "" if answer == max(little) else "compare with (32, 32, 32, 32), in points"


def _where_best_fit_is_best(answer: Any) -> str:
    best = {n: _divided(n, co.BestFit()) for n in DIVIDED}
    others = co.FirstFit(), co.WorstFit()
    won = [n for n in best if all(_more(best[n], _divided(n, o)).above(0) for o in others)]
    hint = "give the number of clusters where both others saturate earlier for certain"
    return "" if [answer] == won else hint


def _stretch_under_first_fit(answer: Any) -> str:
    right = _break_even(STANDARD.with_(placement=co.FirstFit()))
    return near(answer, right, 0.02, "four components, or their sum in one, both under first fit")


def _gap_that_overtaking_leaves(answer: Any) -> str:
    equal = STANDARD.with_(scheduling=co.FPFS(10))
    unequal = equal.with_(system=co.Multicluster(UNEQUAL["64+32+2×16"]))
    right = _more(equal, unequal, backlog=50).estimate
    hint = "the maximal utilization of 4 × 32 less that of 64+32+2×16, both with jobs that overtake"
    return near(answer, right, 0.015, hint)


EXERCISES = {
    1: _slow_links,
    2: _jobs_of_one_size,
    3: _how_unequal,
    4: _where_best_fit_is_best,
    5: _stretch_under_first_fit,
    6: _gap_that_overtaking_leaves,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, co.Placement]) -> pd.DataFrame:
    """Return placements, by name, in order of their mean capacity loss over three divisions of 128.

    The three of the library are among them. Each has the mean loss; that less the mean loss of
    first fit on the same jobs, with its 95 % interval; and whether it beats the library's three
    (the others of them) by such intervals, on average and on each division, with the loss there.
    """
    instance_of("entries", entries, dict, "placements by name")
    known = {name: _runs(name, rule) for name, rule in RULES.items()}
    rows = []
    for name, runs, others in held_against(known, entries, _runs):
        off = (runs["mean"] - known["first fit"]["mean"]).interval
        row: dict[str, Any] = {"placement": name, "mean loss": round(runs["mean"].mean, 4)}
        row["less first fit"] = "" if name == "first fit" else off_by(off)
        for where, loss in runs.items():
            beats = ANSWERS[all_of(*((loss - each[where]).interval.below(0) for each in others))]
            if where == "mean":
                row["beats the three"] = beats
            else:
                row |= {where: round(loss.mean, 3), f"beats them on {where}": beats}
        rows.append(row)
    return ranked(rows, "mean loss")


def _runs(name: str, rule: co.Placement) -> dict[str, Sample]:
    """Return the loss of each run on each division, and on average."""
    if not isinstance(rule, co.Placement):
        raise InputError(f"entries[{name!r}] = {shown(rule)}; give an object, such as FirstFit()")
    engine = "compiled" if rule in RULES.values() else "reference"
    losses = {}
    for clusters in DIVIDED:
        scenario = _divided(clusters, rule).with_(engine=engine)
        losses[f"{clusters} × {PROCESSORS // clusters}"] = _loss(scenario, JOBS, RUNS)
    mean = np.mean([loss.values for loss in losses.values()], axis=0)
    reasons = (loss.warning for loss in losses.values() if loss.warning)
    return {"mean": Sample(mean, next(reasons, ""))} | losses
