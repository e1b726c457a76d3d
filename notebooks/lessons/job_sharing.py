"""Notebook 04, job sharing and multi-site execution: its five exercises."""

from functools import lru_cache
from typing import Any

import numpy as np

import coalloc_lib as co
from coalloc_lib import sites
from coalloc_lib.studies.job_sharing import workload_sets
from coalloc_lib.studies.job_sharing.cases import OVERHEADS, break_even
from coalloc_lib.workloads.sites import round_robin, staying
from lessons.teaching import checker, near

#: Exercise 1: two jobs on eight processors, the wide one first.
TWO = co.JobStream(submit=[0, 0], runtime=[2, 10], components=[8, 2], request="total")
#: Stop 1 and exercise 2: six jobs on one cluster of ten; the fourth may slip past the third.
SIX = co.JobStream(
    submit=[0, 0, 1, 2, 3, 4], runtime=[6, 10, 4, 3, 7, 2], components=[6, 2, 8, 2, 2, 3],
    request="total",
)  # fmt: skip
SLIPS = 3
M128 = co.Multicluster.named("m128")


def _two_weights(answer: Any) -> str:
    right = co.simulate(co.Multicluster([8]), TWO).average_weighted_response_time("work")
    hint = "weigh each response time by processors times run time, and divide by the sum of these"
    return near(answer, right, 0.05, hint)


def with_length(length: float) -> co.Schedule:
    """Return the schedule of the six jobs, where the one that may slip past runs for so long."""
    runtime = SIX.runtime.copy()
    runtime[SLIPS] = length
    return co.simulate(co.Multicluster([10]), SIX.replace(runtime=runtime), scheduling=co.EASY())


def _longest_that_slips(answer: Any) -> str:
    slips = [n for n in range(1, 11) if with_length(n).start[SLIPS] == SIX.submit[SLIPS]]
    hint = "it has to be out of the way when the head was promised to go"
    return near(answer, max(slips), 0.01, hint)


@lru_cache
def _first() -> co.JobStream:
    return next(iter(workload_sets(1).values())).draws[0].chopped(M128.largest).pieces


def _under_fcfs(answer: Any) -> str:
    how = {"scheduling": co.FCFS()}
    ways = sites.multi_site(M128, _first(), 0.25, **how), sites.sharing(M128, _first(), **how)
    spanning, sharing = (each.average_weighted_response_time() for each in ways)
    hint = "the policy is the only change: co.FCFS() for both; then AWRT over AWRT"
    return near(answer, spanning / sharing, 0.015, hint)


def _some_stay(answer: Any) -> str:
    home = staying(round_robin(_first(), len(M128)), 0.5, seed=1)
    stay, leave = (
        sites.sharing(M128, _first(), home=where, scheduling=co.EASY())
        .average_weighted_response_time() for where in (home, None)
    )  # fmt: skip
    hint = "home= is -1 for a job that may go anywhere; the AWRT with it over that without"
    return near(answer, stay / leave, 0.02, hint)


@lru_cache
def _break_even_of_halves() -> float:
    halves, easy = co.Multicluster([50, 50]), co.EASY()
    jobs = co.load_trace("KTH-SP2", missing="stand-in").jobs(request="total").chopped(50).pieces
    shared = sites.sharing(halves, jobs, scheduling=easy).average_weighted_response_time()
    ways = (sites.multi_site(halves, jobs, p, scheduling=easy) for p in OVERHEADS)
    return break_even(np.array([w.average_weighted_response_time() - shared for w in ways]))


def _two_halves(answer: Any) -> str:
    hint = "the AWRT of both at several p, and where the line between two of them reaches 1"
    return near(answer, _break_even_of_halves(), 0.02, hint)


#: Says whether an answer is right.
check = checker(
    {1: _two_weights, 2: _longest_that_slips, 3: _under_fcfs, 4: _some_stay, 5: _two_halves}
)
