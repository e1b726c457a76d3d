"""Verification of schedules of policies with memory, by a second run of the same policy.

A schedule does not contain what a policy remembers, for example the reservations of the waiting
jobs in conservative backfilling and in online booking. So the jobs are simulated again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.engines.outcome import Outcome, Task
from coalloc_lib.engines.state import name_of
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules.reading import arrival_order
from coalloc_lib.schedules.verification.faults import ScheduleError, promise_in_words, raise_first

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule

#: With at most this number of jobs, the second run uses the readable engine, which also reveals
#: mistakes of the compiled engine. With more jobs, the readable engine is too slow.
FEW = 500


def check_second_run(schedule: "Schedule") -> None:
    """Simulate the jobs of a schedule again; raise a `ScheduleError` if the result differs.

    If the job starts at another instant in the second run, the error has the earlier of the two
    starts as its instant.
    """
    wanted = run_again(schedule)
    if wanted.attempts is not None and (schedule.attempts is None or schedule.servers is None):
        raise ScheduleError("the schedule does not contain the attempts and servers of its jobs")
    instant = np.fmin(wanted.start, schedule.start)
    for job, refusal in (*wanted.refused.items(), *schedule.refused.items()):
        instant[job] = np.fmin(instant[job], refusal.instant)
        if wanted.refused.get(job) != schedule.refused.get(job):
            raise ScheduleError(
                f"{_rejection(schedule.refused.get(job))}, but in a second run of "
                f"{name_of(schedule.scheduling)} it {_rejection(wanted.refused.get(job))}",
                job,
                float(instant[job]),
            )
    differs = _differences(schedule, wanted)
    bad = np.any([*differs.values()], axis=0)
    raise_first(bad, schedule, lambda job: _difference(schedule, wanted, differs, job), instant)


def _differences(schedule: "Schedule", wanted: Outcome) -> dict[str, NDArray[np.bool_]]:
    differs = {
        "entered the queue": _differ(wanted.entered, schedule.jobs.submit),
        "was promised": _differ(wanted.promised, schedule.promised),
        "starts": _differ(wanted.start, schedule.start),
        "has the allocation": (wanted.allocation != schedule.allocation).any(axis=1),
    }
    if wanted.servers is not None and schedule.servers is not None:
        differs["has the attempts"] = wanted.attempts != schedule.attempts
        pairs = zip(wanted.servers, schedule.servers, strict=True)
        differs["has the processors"] = ~np.array([np.array_equal(*pair) for pair in pairs])
    return differs


def run_again(schedule: "Schedule") -> Outcome:
    """Simulate the jobs of a schedule again under its policies, and return them in its order."""
    order = arrival_order(schedule)
    policies = schedule.scheduling, schedule.placement, schedule.backlog
    outcome: Outcome = _engine(schedule)(Task(schedule.system, schedule.jobs[order], *policies))
    return outcome.in_stream_order(order)


def _engine(schedule: "Schedule") -> Callable[[Task], Outcome]:
    from coalloc_lib.engines import compiled, reference

    knows = compiled.knows(schedule.scheduling, schedule.placement)
    return compiled.run if knows and len(schedule) > FEW else reference.run


def _difference(
    schedule: "Schedule", wanted: Outcome, differs: dict[str, NDArray[np.bool_]], job: int
) -> str:
    was, would = (
        {
            "entered the queue": f"at {submit[job]:.12g}",
            "was promised": promise_in_words(one.promised[job]),
            "starts": f"at {one.start[job]:.12g}",
            "has the allocation": one.allocation[job].tolist(),
            "has the attempts": None if one.attempts is None else one.attempts[job],
            "has the processors": None if one.servers is None else one.servers[job].tolist(),
        }
        for one, submit in ((schedule, schedule.jobs.submit), (wanted, wanted.entered))
    )
    what = next(name for name, rows in differs.items() if rows[job])
    name = name_of(schedule.scheduling)
    return f"{what} {was[what]}, but {would[what]} in a second run of {name}"


def _rejection(refusal: Refusal | None) -> str:
    return "is served" if refusal is None else f"was rejected for {refusal.why!r}"


def _differ(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (one != other) & ~(np.isnan(one) & np.isnan(other))
