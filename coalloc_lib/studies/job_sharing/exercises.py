"""Exercises of the notebook: the check of each."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from coalloc_lib import sites
from coalloc_lib.jobs import JobStream
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import EASY
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.job_sharing.awrt_lines import first_rise
from coalloc_lib.studies.job_sharing.parameters import (
    MULTI_SITE,
    OVERHEADS,
    PRINTED_OVERHEAD,
    SEED,
    SHARING,
    STANDARD,
)
from coalloc_lib.studies.job_sharing.runs import Case, Work
from coalloc_lib.studies.job_sharing.workloads import workload_sets
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.lessons import checker, near
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.sites import round_robin, staying

#: Exercise 1: two jobs on eight processors, the wide one first.
TWO = JobStream(submit=[0, 0], runtime=[2, 10], components=[8, 2], request="total")
#: Stop 1 and exercise 2: six jobs on one cluster of ten; the fourth may slip past the third.
SIX = JobStream(
    submit=[0, 0, 1, 2, 3, 4], runtime=[6, 10, 4, 3, 7, 2], components=[6, 2, 8, 2, 2, 3],
    request="total",
)  # fmt: skip
SLIPS = 3
#: Exercise 4: the share of the jobs that may not leave their site, and the seed that draws them.
STAY, DRAWN = 0.5, 1
#: Exercise 5: the operator's two halves, and the log.
HALVES, LOG = Multicluster([50, 50]), "KTH-SP2"


def _two_weights(answer: Any) -> str:
    right = simulate(Multicluster([8]), TWO).average_weighted_response_time("work")
    hint = "weigh each response time by processors times run time, and divide by the sum of these"
    return near(answer, right, 0.05, hint)


def _longest_that_slips(answer: Any) -> str:
    starts = {length: _with_length(length).start[SLIPS] for length in range(1, 11)}
    right = max(length for length, start in starts.items() if start == SIX.submit[SLIPS])
    return near(answer, right, 0.01, "it has to be out of the way when the head was promised to go")


def _with_length(length: float) -> Schedule:
    """Return the schedule of the six jobs, where the one that may slip past runs for so long."""
    runtime = SIX.runtime.copy()
    runtime[SLIPS] = length
    return simulate(Multicluster([10]), SIX.replace(runtime=runtime), scheduling=EASY())


def _under_fcfs(answer: Any) -> str:
    work = _first()
    spanning, sharing = (
        _awrt(Case(work, STANDARD, mode, "FCFS", overhead))
        for mode, overhead in ((MULTI_SITE, PRINTED_OVERHEAD), (SHARING, 0.0))
    )
    hint = "the policy is the only change: co.FCFS() for both; then AWRT over AWRT"
    return near(answer, spanning / sharing, 0.015, hint)


def _some_stay(answer: Any) -> str:
    system, easy = Multicluster.named(STANDARD), EASY()
    jobs = _first().jobs.chopped(system.largest).pieces
    home = staying(round_robin(jobs, len(system)), STAY, seed=DRAWN)
    stay, leave = (
        sites.sharing(system, jobs, home=where, scheduling=easy).average_weighted_response_time()
        for where in (home, None)
    )
    hint = "home= is -1 for a job that may go anywhere; the AWRT with it over that without"
    return near(answer, stay / leave, 0.02, hint)


def _two_halves(answer: Any) -> str:
    hint = "the AWRT of both at several p, and where the line between two of them reaches 1"
    return near(answer, _break_even_of_halves(), 0.02, hint)


@lru_cache
def _break_even_of_halves() -> float:
    jobs = load_trace(LOG, missing="stand-in").jobs(request="total").chopped(HALVES.largest).pieces
    easy = EASY()
    base = sites.sharing(HALVES, jobs, scheduling=easy).average_weighted_response_time()
    more = [
        sites.multi_site(HALVES, jobs, p, scheduling=easy).average_weighted_response_time() - base
        for p in OVERHEADS
    ]
    return float(first_rise(np.array(OVERHEADS), np.array(more)))


def _first() -> Work:
    return next(iter(workload_sets(SEED).values()))


def _awrt(case: Case) -> float:
    schedule, _ = case.simulate()
    return schedule.average_weighted_response_time()


EXERCISES: dict[int, Callable[[Any], str]] = {
    1: _two_weights,
    2: _longest_that_slips,
    3: _under_fcfs,
    4: _some_stay,
    5: _two_halves,
}
check = checker(EXERCISES)
