"""Exercises of the notebook: the check of each."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from coalloc_lib.calendar.example import worked_example
from coalloc_lib.jobs import JobStream
from coalloc_lib.scheduling import Online
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.online_batch.parameters import EXACT, HOUR, KTH, REQUESTED
from coalloc_lib.studies.online_batch.runs import Case, standard
from coalloc_lib.studies.online_batch.traces import logs
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.lessons import checker, near

#: Exercise 2: three jobs on four servers, an attempt each 15 seconds.
THREE = JobStream([0, 0, 1], [50, 50, 20], [3, 3, 1], request="total")
DESK = Online(slot=10, step=15, max_attempts=8, horizon=240)
#: Exercise 3: a small job is shorter than so many hours.
SHORT = 1.0
#: Exercise 5: the share of the jobs that reserve ahead.
RESERVE = 0.5


def _feasible_in_example(answer: Any) -> str:
    book, _, (_, start, length, _) = worked_example()
    right = len(book.feasible(start, start + length))
    return near(answer, right, 0.01, "idle from 17 or before until 29 or after")


def _attempts_of_second(answer: Any) -> str:
    schedule = simulate(Multicluster([4]), THREE, scheduling=DESK)
    assert schedule.attempts is not None
    hint = "it is tried at 0, 15, 30, ...; count the one that is accepted too"
    return near(answer, int(schedule.attempts[1]), 0.01, hint)


def _penalty_of_small(answer: Any) -> str:
    hint = "the mean of wait over run time of the jobs shorter than an hour: recorded over online"
    return near(answer, _small_ratio(), 0.05, hint)


@lru_cache
def _small_ratio() -> float:
    log = logs()[KTH]
    small = log.jobs.runtime < SHORT * HOUR
    waits = (log.recorded if log.has_waits else standard(log, "EASY").simulate().wait,
             standard(log).simulate().wait)  # fmt: skip
    batch, online = (float(np.mean((wait / log.jobs.runtime)[small])) for wait in waits)
    return batch / online


def _release_early(answer: Any) -> str:
    log = logs()[KTH]
    kept, released = (
        _mean_wait(standard(log, length=REQUESTED, change=change))
        for change in ("as in the paper", "release early")
    )
    hint = "co.Online(release_early=True) with requested lengths; its mean wait over the other's"
    return near(answer, released / kept, 0.02, hint)


def _cost_of_reservations(answer: Any) -> str:
    log = logs()[KTH]
    more, none = (_mean_wait(standard(log, length=EXACT, share=share)) for share in (RESERVE, 0.0))
    hint = "jobs.reserved_ahead(0.5, up_to=3 * 3600, seed=...): hours more, from the request"
    return near(answer, (more - none) / HOUR, 0.2, hint)


def _mean_wait(case: Case) -> float:
    return float(np.nanmean(case.simulate().wait))


EXERCISES: dict[int, Callable[[Any], str]] = {
    1: _feasible_in_example,
    2: _attempts_of_second,
    3: _penalty_of_small,
    4: _release_early,
    5: _cost_of_reservations,
}
check = checker(EXERCISES)
