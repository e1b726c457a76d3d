"""A right schedule, and ways to damage it, for the tests of `verify()`."""

from dataclasses import replace

import pytest

import coalloc_lib as co
from coalloc_lib.schedules.verification import ScheduleError

SYSTEM = co.Multicluster([4, 3])


def right(request="unordered", scheduling=None):
    """Return a correct schedule. Job 0 runs until 10. Job 1 spans the clusters and waits for job 0.
    Jobs 2 and 3 may overtake job 1."""
    jobs = co.JobStream(
        submit=[0, 1, 2, 3],
        runtime=[10, 5, 2, 2],
        components=[[3, 0], [3, 2], [1, 0], [1, 0]],
        request=request,
        span_penalty=0.5,
    )
    scheduling = co.FPFS(2) if scheduling is None else scheduling
    return co.simulate(SYSTEM, jobs, scheduling=scheduling, engine="reference")


def broken(schedule, column, job, value):
    """Return the schedule with one entry of a column changed."""
    changed = getattr(schedule, column).copy()
    changed[job] = value
    return replace(schedule, **{column: changed})


def moved(schedule, job, start):
    """Return the schedule with one job moved to another start, at the same length."""
    length = schedule.end[job] - schedule.start[job]
    return broken(broken(schedule, "start", job, start), "end", job, start + length)


def assert_fails(schedule, message):
    """Assert that `verify()` raises a `ScheduleError` with this message."""
    with pytest.raises(ScheduleError, match=message):
        schedule.verify()
