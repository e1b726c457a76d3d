"""Notebook 05, online and batch scheduling: its five exercises."""

from functools import lru_cache
from typing import Any

import numpy as np

import coalloc_lib as co
from coalloc_lib.calendar import worked_example
from coalloc_lib.studies.online_batch import Case, runs, standard
from coalloc_lib.studies.online_batch.runs import HOUR, KTH, REQUESTED
from lessons.teaching import checker, near

#: Exercise 2: three jobs on four servers, an attempt each 15 seconds.
THREE = co.JobStream([0, 0, 1], [50, 50, 20], [3, 3, 1], request="total")
DESK = co.Online(slot=10, step=15, max_attempts=8, horizon=240)


def _feasible_in_example(answer: Any) -> str:
    book, _, (_, start, length, _) = worked_example()
    right = len(book.feasible(start, start + length))
    return near(answer, right, 0.01, "idle from 17 or before until 29 or after")


def _attempts_of_second(answer: Any) -> str:
    schedule = co.simulate(co.Multicluster([4]), THREE, scheduling=DESK)
    hint = "it is tried at 0, 15, 30, ...; count the one that is accepted too"
    return near(answer, int(schedule.attempts[1]), 0.01, hint)


@lru_cache
def _small_ratio(log: runs.Log) -> float:
    small = log.jobs.runtime < HOUR
    batch = log.recorded if log.has_waits else standard(log, "EASY").simulate().wait
    means = [
        float(np.mean((wait / log.jobs.runtime)[small]))
        for wait in (batch, standard(log).simulate().wait)
    ]
    return means[0] / means[1]


def _penalty_of_small(answer: Any) -> str:
    hint = "the mean of wait over run time of the jobs shorter than an hour: recorded over online"
    return near(answer, _small_ratio(runs.logs()[KTH]), 0.05, hint)


def _mean_wait(case: Case) -> float:
    return float(np.nanmean(case.simulate().wait))


def _release_early(answer: Any) -> str:
    kept = standard(runs.logs()[KTH], length=REQUESTED)
    early = standard(kept.log, length=REQUESTED, scheduling=co.Online(release_early=True))
    hint = "co.Online(release_early=True) with requested lengths; its mean wait over the other's"
    return near(answer, _mean_wait(early) / _mean_wait(kept), 0.02, hint)


def _cost_of_reservations(answer: Any) -> str:
    log = runs.logs()[KTH]
    more = _mean_wait(standard(log, share=0.5)) - _mean_wait(standard(log))
    hint = "jobs.reserved_ahead(0.5, up_to=3 * 3600, seed=...): hours more, from the request"
    return near(answer, more / HOUR, 0.2, hint)


check = checker(
    {
        1: _feasible_in_example, 2: _attempts_of_second, 3: _penalty_of_small, 4: _release_early,
        5: _cost_of_reservations,
    }
)  # fmt: skip
