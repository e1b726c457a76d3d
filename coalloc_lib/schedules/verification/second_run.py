"""Schedules of policies with memory, compared with a second run of the same policy.

A schedule does not tell what conservative backfilling has reserved for the waiting jobs, or what
any other policy remembers. So the jobs are run again.
"""

from typing import Any

import numpy as np

from coalloc_lib.engines.outcome import Outcome, Task
from coalloc_lib.engines.state import name_of
from coalloc_lib.policies import EASY
from coalloc_lib.policies.backfilling import queue_of
from coalloc_lib.schedules.reading import arrival_order
from coalloc_lib.schedules.verification.faults import ScheduleError, refuse, told

#: Up to this number of jobs, the readable engine runs them again. It shares no code with the
#: compiled engine.
FEW = 500


def check_second_run(schedule: Any) -> None:
    """Raise for the first job that a second run of the same policy serves in another way."""
    jobs, wanted = schedule.jobs, _second_run(schedule)
    differs = {
        "entered the queue": _differ(wanted.entered, jobs.submit),
        "was promised": _differ(wanted.promised, schedule.promised),
        "starts": _differ(wanted.start, schedule.start),
        "has": (wanted.allocation != schedule.allocation).any(axis=1),
    }
    # The schedules part at the earlier of the two starts.
    instant = np.fmin(wanted.start, schedule.start)
    for job, refusal in (*wanted.refused.items(), *schedule.refused.items()):
        instant[job] = np.fmin(instant[job], refusal.instant)
        if wanted.refused.get(job) != schedule.refused.get(job):
            raise ScheduleError(
                f"{_refusal(schedule.refused.get(job))}, and by {name_of(schedule.scheduling)} it "
                f"{_refusal(wanted.refused.get(job))}",
                job,
                float(instant[job]),
            )
    bad = np.any([*differs.values()], axis=0)
    refuse(bad, schedule, lambda job: _difference(schedule, wanted, differs, job), instant)


def check_reservations(schedule: Any) -> None:
    """Raise for a job with a reservation that starts outside its limits or not as promised."""
    jobs, start, promised = schedule.jobs, schedule.start, schedule.promised
    fixed = jobs.is_reserved & schedule.served
    message = "was promised {}, and its reservation cannot move"
    refuse(fixed & (start != promised), schedule, lambda job: message.format(told(promised[job])))
    early, late = start < jobs.earliest_start, start > jobs.latest_start
    refuse(fixed & early, schedule, lambda _job: "starts beyond its earliest start")
    refuse(fixed & late, schedule, lambda _job: "starts beyond its latest start")
    if type(schedule.scheduling) is EASY:
        refuse(
            _delayed(schedule) & ~fixed,
            schedule,
            lambda job: f"was promised {told(promised[job])}, and no job came before it since",
        )


def _delayed(schedule):
    """Return which jobs start later than promised, though no job came before them in the queue.

    A second run by the same policy would repeat a mistake of the policy. This check does not use
    the policy.
    """
    submit, start = schedule.jobs.submit, schedule.start
    place = np.empty(len(submit), np.int64)
    place[queue_of(schedule.scheduling.order, schedule.jobs)] = np.arange(len(submit))
    delayed = start > schedule.promised
    for job in np.flatnonzero(delayed & ~schedule.jobs.is_reserved):
        came = (submit > submit[job]) & (submit <= start[job]) & (place < place[job])
        delayed[job] = not (came & ~schedule.jobs.is_reserved).any()
    return delayed


def _second_run(schedule):
    """Run the jobs of a schedule again, in order of arrival."""
    order = arrival_order(schedule)
    policies = schedule.scheduling, schedule.placement, schedule.backlog
    outcome: Outcome = _engine(schedule)(Task(schedule.system, schedule.jobs[order], *policies))
    return outcome.in_stream_order(order)


def _engine(schedule):
    """Return the function that runs the jobs again: of the readable engine, or the compiled one."""
    from coalloc_lib.engines import compiled, reference

    is_easy = type(schedule.scheduling) is EASY
    knows = compiled.knows(schedule.scheduling, schedule.placement)
    return reference.run if is_easy or len(schedule) <= FEW or not knows else compiled.run


def _difference(schedule, wanted, differs, job):
    """Describe how a job is served in another way than in a second run."""
    was, would = (
        {
            "entered the queue": f"at {submit[job]:.12g}",
            "was promised": told(one.promised[job]),
            "starts": f"at {one.start[job]:.12g}",
            "has": one.allocation[job].tolist(),
        }
        for one, submit in ((schedule, schedule.jobs.submit), (wanted, wanted.entered))
    )
    what = next(name for name, rows in differs.items() if rows[job])
    return f"{what} {was[what]}, by {name_of(schedule.scheduling)} {would[what]}"


def _refusal(refusal):
    return "is served" if refusal is None else f"was refused for {refusal.why!r}"


def _differ(one, other):
    return (one != other) & ~(np.isnan(one) & np.isnan(other))
