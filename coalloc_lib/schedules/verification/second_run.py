"""Schedules of policies with memory, compared with a second run of the same policy.

A schedule does not tell what conservative backfilling has reserved for the waiting jobs, or what
any other policy remembers. So the jobs are run again.
"""

from typing import Any

import numpy as np

from coalloc_lib.engines.outcome import Outcome, Task
from coalloc_lib.engines.state import name_of
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


def _second_run(schedule):
    """Run the jobs of a schedule again, in order of arrival."""
    order = arrival_order(schedule)
    policies = schedule.scheduling, schedule.placement, schedule.backlog
    outcome: Outcome = _engine(schedule)(Task(schedule.system, schedule.jobs[order], *policies))
    return outcome.in_stream_order(order)


def _engine(schedule):
    """Return the function that runs the jobs again: of the readable engine, or the compiled one."""
    from coalloc_lib.engines import compiled, reference

    knows = compiled.knows(schedule.scheduling, schedule.placement)
    return compiled.run if knows and len(schedule) > FEW else reference.run


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
