"""Verification of a finished schedule: the rules of the model, and the decisions of its policy.

The module `rules` checks the rules of the model, which hold for every schedule. The decisions of a
policy are checked by the policy itself. A policy without memory decides again in the state that the
schedule implies (`decisions`). The jobs of a policy with memory are simulated again (`second_run`).
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import whole
from coalloc_lib.schedules.verification.decisions import check_decisions, has_no_memory
from coalloc_lib.schedules.verification.faults import ScheduleError
from coalloc_lib.schedules.verification.rules import check_limits, check_model
from coalloc_lib.schedules.verification.second_run import check_second_run

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule

__all__ = ["MOST_JOBS", "ScheduleError", "unchecked", "verify"]

#: The maximum number of jobs in a schedule for which the decisions of a policy are checked by
#: default.
MOST_JOBS = 50_000
#: The decisions of a policy without memory are checked by default only if the queue lengths at all
#: instants add up to at most this number. The check examines each waiting job at each instant. At
#: this limit, it takes about a minute.
MOST_WAITING = 15_000_000


def verify(schedule: "Schedule", most_jobs: int | None = None) -> None:
    """Raise a `ScheduleError` for the first rule that a schedule breaks; see `Schedule.verify`."""
    if most_jobs is not None:
        most_jobs = whole("most_jobs", most_jobs, least=0)
    check_model(schedule)
    check_limits(schedule)
    is_too_long = _takes_long(schedule) if most_jobs is None else len(schedule) > most_jobs
    if is_too_long:
        return
    if has_no_memory(schedule):
        check_decisions(schedule)
    else:
        check_second_run(schedule)


def unchecked(schedule: "Schedule") -> str:
    """Describe in words what `verify` does not check in a schedule by default.

    The result completes the sentence "verify() did not check ...". It is an empty string if
    `verify` checks everything.
    """
    reason = _takes_long(schedule)
    if not reason:
        return ""
    call = f"verify(most_jobs={len(schedule)})"
    return f"when and where jobs start, because {reason}; call {call} to check it"


def _takes_long(schedule: "Schedule") -> str:
    count = len(schedule)
    if count > MOST_JOBS:
        return f"there are {count:,} jobs, and by default at most {MOST_JOBS:,} are checked"
    if has_no_memory(schedule) and schedule.scheduling.overtakes:
        waiting = _waiting(schedule)
        if waiting.sum() > MOST_WAITING:
            return f"{waiting.mean():,.0f} jobs wait on average, and the check takes minutes"
    return ""


def _waiting(schedule: "Schedule") -> NDArray[np.int64]:
    entered, left = np.sort(schedule.jobs.submit), np.sort(schedule.left_queue)
    instants = np.unique(np.concatenate([entered, schedule.end[schedule.served]]))
    gone = np.searchsorted(left, instants, "left")
    return np.searchsorted(entered, instants, "right") - gone
