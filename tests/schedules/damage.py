"""A right schedule, and ways to damage it, for the tests of `verify()`."""

from dataclasses import replace

import pytest

import coalloc_lib as co
from coalloc_lib.schedules.verification import ScheduleError

SYSTEM = co.Multicluster([4, 3])


def right(request="unordered", scheduling=None):
    """A right schedule: job 0 to 10, job 1 (spans) waits for it, jobs 2 and 3 may overtake."""
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
    """The schedule with one entry changed."""
    changed = getattr(schedule, column).copy()
    changed[job] = value
    return replace(schedule, **{column: changed})


def moved(schedule, job, start):
    """The schedule with one job moved to another instant, its length kept."""
    length = schedule.end[job] - schedule.start[job]
    return broken(broken(schedule, "start", job, start), "end", job, start + length)


def assert_fails(schedule, message):
    """Assert that verify() raises and that its message is this."""
    with pytest.raises(ScheduleError, match=message):
        schedule.verify()
