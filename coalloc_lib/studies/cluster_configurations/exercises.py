"""Exercises of the notebook: the check of each, and the leaderboard of its project."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.curves import compare
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.estimates import Interval, all_of
from coalloc_lib.inference import Sample
from coalloc_lib.placement import BestFit, FirstFit, Placement, WorstFit
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FPFS
from coalloc_lib.studies.cluster_configurations.break_even import BreakEven
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    FOUR,
    PROCESSORS,
    SCALES,
    SEED,
    UNEQUAL,
)
from coalloc_lib.studies.leaderboard import ANSWERS, held_against, off_by, ranked
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.lessons import checker, near
from coalloc_lib.workloads.models import JobModel

STANDARD = Multicluster(EQUAL["4×32"])
#: Exercise 1: how much longer slow links make service.
SLOW = 1.4
#: Exercise 3: processors moved from each of two clusters to the other two, and what may be lost.
MOVED, LOST = (4, 8, 12, 16), 0.05
#: Exercise 4 and the project: divisions of 128 processors.
DIVIDED = (4, 8, 16)
#: Exercise 6: who may overtake, and how many jobs are waiting.
OVERTAKING, WAITING = FPFS(10), 50
#: The project: jobs of a run, and runs.
JOBS, RUNS = 2_000, 5


def _slow_links(answer: Any) -> str:
    free = 1 - Sample(*_losses(Scenario(STANDARD, FOUR), 20_000, 5)).mean
    return near(answer, free / SLOW, 0.005, "a job holds its processors longer, for the same work")


def _jobs_of_one_size(answer: Any) -> str:
    spread = BreakEven(Scenario(STANDARD, JobModel(parse_sizes("U[5,5]"), 4)))
    right = spread.measure(SCALES["quick"], SEED).mean
    return near(answer, right, 0.01, "count how many jobs run at once: spread, and whole")


def _how_unequal(answer: Any) -> str:
    equal = Scenario(STANDARD, FOUR)
    borne = [m for m in MOVED if _more(equal, _unequal(m)).below(LOST)]
    return "" if answer == max(borne) else "compare with (32, 32, 32, 32), in points"


def _unequal(moved: int) -> Scenario:
    many, few = 32 + moved, 32 - moved
    return Scenario(Multicluster([many, many, few, few]), FOUR)


def _where_best_fit_is_best(answer: Any) -> str:
    won = [
        clusters
        for clusters in DIVIDED
        if all(_more(_divided(clusters, BestFit()), _divided(clusters, rule)).above(0)
               for rule in (FirstFit(), WorstFit()))
    ]  # fmt: skip
    hint = "give the number of clusters of the division, where both others bear less for certain"
    return "" if [answer] == won else hint


def _divided(clusters: int, rule: Placement) -> Scenario:
    return Scenario(Multicluster.equal(clusters, PROCESSORS // clusters), FOUR, placement=rule)


def _stretch_under_first_fit(answer: Any) -> str:
    spread = BreakEven(Scenario(STANDARD, FOUR, placement=FirstFit()))
    right = spread.measure(SCALES["quick"], SEED).mean
    return near(answer, right, 0.02, "four components, or their sum in one, both under first fit")


def _gap_that_overtaking_leaves(answer: Any) -> str:
    equal, unequal = (
        Scenario(system, FOUR, OVERTAKING)
        for system in (STANDARD, Multicluster(UNEQUAL["64+32+2×16"]))
    )
    right = _more(equal, unequal, backlog=WAITING).estimate
    hint = "what 4 × 32 bears less what 64+32+2×16 does, both with jobs that overtake"
    return near(answer, right, 0.015, hint)


@lru_cache
def _more(one: Scenario, other: Scenario, backlog: int | None = None) -> Interval:
    return compare(one, other, seed=SEED, backlog=backlog)


def _losses(scenario: Scenario, jobs: int, runs: int) -> tuple[Any, str]:
    busy, doubt = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=SEED)
    return 1 - busy.mean(axis=1), doubt


EXERCISES: dict[int, Callable[[Any], str]] = {
    1: _slow_links,
    2: _jobs_of_one_size,
    3: _how_unequal,
    4: _where_best_fit_is_best,
    5: _stretch_under_first_fit,
    6: _gap_that_overtaking_leaves,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, Placement]) -> pd.DataFrame:
    """Return placements in order of their mean capacity loss over three divisions of 128.

    Parameters
    ----------
    entries : dict of Placement
        By name.

    Returns
    -------
    DataFrame
        A row for each placement, the three of the library among them: the mean loss; that less
        the mean loss of first fit on the same jobs, with its 95 % interval; whether it beats the
        library's three (the others of them) by such intervals, on average and on each division,
        with the loss there.
    """
    instance_of("entries", entries, dict, "placements by name")
    known = {"first fit": FirstFit(), "worst fit": WorstFit(), "best fit": BestFit()}
    rules = {name: _runs(name, rule) for name, rule in known.items()}
    first = rules["first fit"]
    return ranked(
        [_line(*each, first) for each in held_against(rules, entries, _runs)], "mean loss"
    )


def _runs(name: str, rule: Placement) -> dict[str, Sample]:
    """Return the loss of each run on each division, and on average."""
    if not isinstance(rule, Placement):
        raise InputError(f"entries[{name!r}] = {shown(rule)}; give an object, such as FirstFit()")
    engine = "compiled" if type(rule) in (FirstFit, WorstFit, BestFit) else "reference"
    losses = {
        f"{clusters} × {PROCESSORS // clusters}": Sample(
            *_losses(_divided(clusters, rule).with_(engine=engine), JOBS, RUNS)
        )
        for clusters in DIVIDED
    }
    doubt = next((loss.doubt for loss in losses.values() if loss.doubt), "")
    mean = np.mean([loss.values for loss in losses.values()], axis=0)
    return {"mean": Sample(mean, doubt)} | losses


def _line(
    name: str,
    runs: dict[str, Sample],
    others: list[dict[str, Sample]],
    first: dict[str, Sample],
) -> dict[str, Any]:
    said = "" if runs is first else off_by((runs["mean"] - first["mean"]).interval)
    row: dict[str, Any] = {
        "placement": name, "mean loss": round(runs["mean"].mean, 4), "less first fit": said
    }  # fmt: skip
    for where, loss in runs.items():
        beats = all_of(*((loss - other[where]).interval.below(0) for other in others))
        if where == "mean":
            row["beats the three"] = ANSWERS[beats]
        else:
            row |= {where: round(loss.mean, 3), f"beats them on {where}": ANSWERS[beats]}
    return row
