"""Exercises of the notebook: the check of each, and the leaderboard of its project."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pandas as pd

from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.curves import response_times
from coalloc_lib.distributions import uniform
from coalloc_lib.estimates import all_of
from coalloc_lib.inference import Sample, crossing
from coalloc_lib.placement import Placement, SingleThenSpan, WorstFit
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.communication_penalty.dispersion import BY_PENALTY
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    BASE_JUMPS,
    EXECUTION,
    PARTS,
    PRINTED,
    SEED,
    WHOLE,
    scenario,
)
from coalloc_lib.studies.leaderboard import ANSWERS, held_against, off_by, ranked
from coalloc_lib.widgets.lessons import checker, near

#: Exercise 1: the share of its time that a job communicates.
INTENSITY = 0.25
#: Exercise 2: the processors of every job.
ONE_SIZE = 16
#: Exercise 4: into how many components jobs are split.
COMPONENTS = (2, 3, 4, 5)
#: Exercise 5: a load at which all is far from saturation, the splitting threshold, the search.
CALM, LOW, SEARCHED = 0.7, 5, (0.0, 0.4)
#: Jobs of a run in heavy traffic, and runs; those of a response time.
JOBS, RUNS = 5_000, 10
RESPONDING = 10_000

#: The project: who may be split, and at which penalty.
MAY_BE_SPLIT, PENALTY = 3, 0.2
#: The rules that the project starts from.
KNOWN: dict[str, tuple[int, Placement]] = {
    "never split": (WHOLE.sizes.maximum, WorstFit()),
    f"always split above {ABOVE}": (ABOVE, WorstFit()),
    f"at need above {MAY_BE_SPLIT}": (MAY_BE_SPLIT, SingleThenSpan(WorstFit())),
}


def _split(
    above: int = ABOVE, psi: float = 0.0, max_jumps: int = 0, parts: int = PARTS
) -> Scenario:
    return scenario(max_jumps, WHOLE.with_(above=above, parts=parts, span_penalty=psi))


def _slowest_link(answer: Any) -> str:
    right = 1 + PRINTED["S4"] / INTENSITY
    return near(answer, right, 0.011, "psi is alpha times lambda; what is asked for is 1 + lambda")


def _jobs_of_one_size(answer: Any) -> str:
    sizes = uniform(ONE_SIZE, ONE_SIZE)
    jobs = WHOLE.with_(model=WHOLE.model.with_(sizes=sizes), above=ONE_SIZE)
    whole, split = (
        _borne(scenario(0, jobs.with_(above=above))).mean for above in (ONE_SIZE, ONE_SIZE - 1)
    )
    hint = "count how many components fit into a cluster, and so how many jobs run at once"
    return near(answer, split / whole - 1, 0.005, hint)


def _stretch_alone(answer: Any) -> str:
    low, high = (sum(BY_PENALTY[name]) / 2 for name in ("C1", "C4"))
    hint = "they wait alike, so only the stretch of the execution time differs"
    return near(answer, EXECUTION * (high - low), 0.06, hint)


def _how_many_components(answer: Any) -> str:
    borne = {parts: _borne(_split(parts=parts)) for parts in COMPONENTS}
    right = [
        parts
        for parts, one in borne.items()
        if all((one - other).interval.above(0) for n, other in borne.items() if n != parts)
    ]
    return "" if [answer] == right else "give the number that bears most, without a penalty"


def _threshold_of_more_jobs(answer: Any) -> str:
    right = crossing(_later, *SEARCHED).interval.estimate
    hint = "split and whole jobs of one seed, their mean response times, and where these are alike"
    return near(answer, right, 0.025, hint)


@lru_cache
def _later(psi: float) -> Sample:
    """Return by how much all jobs respond later where those above a low threshold are split."""
    split, whole = (
        response_times(each, CALM, jobs=RESPONDING, replications=RUNS, seed=SEED)
        for each in (_split(LOW, psi, BASE_JUMPS), scenario(BASE_JUMPS))
    )
    return Sample(split - whole)


def _threshold_at_need(answer: Any) -> str:
    def costs(psi: float) -> Sample:
        at_need = _split(psi=psi).with_(placement=SingleThenSpan(WorstFit()))
        return _borne(scenario(0)) - _borne(at_need)

    hint = "compare what is borne by whole jobs and by jobs split at need, at several psi"
    return near(answer, crossing(costs, 0.0, 0.6).interval.estimate, 0.02, hint)


@lru_cache
def _borne(one: Scenario) -> Sample:
    busy, doubt = replicated_traffic(one, jobs=JOBS, replications=RUNS, seed=SEED)
    return Sample(busy.mean(axis=1), doubt)


EXERCISES: dict[int, Callable[[Any], str]] = {
    1: _slowest_link,
    2: _jobs_of_one_size,
    3: _stretch_alone,
    4: _how_many_components,
    5: _threshold_of_more_jobs,
    6: _threshold_at_need,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, Placement]) -> pd.DataFrame:
    """Return placements in the order of the load that they bear, at a penalty of 0.2.

    Jobs of more than three processors come in four components, first come, first served; a
    placement with ``keeps_whole`` decides of each whether it is split.

    Parameters
    ----------
    entries : dict of Placement
        By name.

    Returns
    -------
    DataFrame
        A row for each placement, and for three that are known: the mean load borne, without what
        the penalty adds; that less what is borne by jobs that are never split, on the same jobs,
        with its 95 % interval; whether it beats the three (the others of them) by such intervals.
    """
    instance_of("entries", entries, dict, "placements by name")
    rules = {name: _borne(_split(above, PENALTY).with_(placement=rule))
             for name, (above, rule) in KNOWN.items()}  # fmt: skip
    never = next(iter(rules.values()))
    rows = [_line(*each, never) for each in held_against(rules, entries, _borne_by)]
    return ranked(rows, "borne", ascending=False)


def _borne_by(name: str, rule: Placement) -> Sample:
    if not isinstance(rule, Placement):
        raise InputError(f"entries[{name!r}] = {shown(rule)}; give an object, such as WorstFit()")
    engine = "compiled" if type(rule) in (WorstFit, SingleThenSpan) else "reference"
    asked = _split(MAY_BE_SPLIT, PENALTY).with_(placement=rule, engine=engine)
    busy, doubt = replicated_traffic(asked, jobs=JOBS, replications=RUNS, seed=SEED)
    return Sample(busy.mean(axis=1), doubt)


def _line(name: str, borne: Sample, others: list[Sample], never: Sample) -> dict[str, Any]:
    said = "" if borne is never else off_by((borne - never).interval)
    beats = all_of(*((borne - other).interval.above(0) for other in others))
    return {
        "placement": name,
        "borne": round(borne.mean, 4),
        "more than never split": said,
        "beats the three": ANSWERS[beats],
    }
