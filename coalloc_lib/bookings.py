"""The rules of online scheduling, as checks of a finished schedule; see `verification`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.calendar.search import BEYOND_HORIZON, NO_LENGTH, NO_ROOM, PAST_LATEST
from coalloc_lib.faults import ScheduleError, refuse
from coalloc_lib.placement import time_on_processors
from coalloc_lib.rebooking import booked_anew


def attempted(schedule: Any) -> None:
    """Every job starts at the attempt that was accepted; a refused one has its attempts too."""
    if schedule.attempts is None or schedule.servers is None:
        raise ScheduleError("the schedule does not tell the attempts and the servers of its jobs")
    policy, served, attempts = schedule.scheduling, schedule.served, schedule.attempts
    start = schedule.jobs.earliest_start + (attempts - 1) * policy.step
    refuse(
        served & (schedule.start != start),
        schedule,
        lambda job: f"attempt {attempts[job]} is at {start[job]:.12g}",
    )
    bad = (attempts < served) | (attempts > policy.most_attempts)
    if bad.any():
        job = int(bad.argmax())
        raise ScheduleError(
            f"job {job} has {attempts[job]} attempts, and at most {policy.most_attempts} are made"
        )


def in_time(schedule: Any) -> None:
    """Every job starts when it was promised, no later than it asked, and ends by the horizon."""
    promised, latest = schedule.promised, schedule.jobs.latest_start
    served = schedule.served
    refuse(
        served & (schedule.start != promised),
        schedule,
        lambda job: f"was promised {promised[job]:.12g}",
    )
    refuse(
        schedule.start > latest,
        schedule,
        lambda job: f"starts after its latest start, {latest[job]:.12g}",
    )
    until = _horizon(schedule)
    end = booked_end(schedule)
    refuse(
        served & (end > until),
        schedule,
        lambda job: (
            f"is booked until {end[job]:.12g}, beyond the horizon, which ended at {until[job]:.12g}"
        ),
    )


def told_why(schedule: Any) -> None:
    """Every refused job was told, when it was submitted, what ended its attempts."""
    jobs, policy, refused = schedule.jobs, schedule.scheduling, schedule.refused
    job = np.array(sorted(refused), dtype=np.int64)
    tried, latest, until = schedule.attempts[job], jobs.latest_start[job], _horizon(schedule)[job]
    length = np.maximum(jobs.estimate, jobs.runtime)[job]
    earliest, last, following = (
        jobs.earliest_start[job] + k * policy.step for k in (0, tried - 1, tried)
    )
    is_nothing = ~(earliest + length > earliest)
    ends = (is_nothing, tried == policy.most_attempts, following > latest)
    code = np.select((*ends, following + length > until), range(4), 4)
    untimely = (tried > 0) & (is_nothing | (last > latest) | (last + length > until))
    reasons = (NO_LENGTH, NO_ROOM, PAST_LATEST, BEYOND_HORIZON, "nothing")
    for k, number in enumerate(job.tolist()):
        (instant, why), submit = refused[number], jobs.submit[number]
        if untimely[k] or why != reasons[code[k]] or instant != submit:
            raise ScheduleError(
                f"job {number} was refused at {instant:.12g} for {why!r} after {tried[k]} "
                f"attempts; it is told at its submission, at {submit:.12g}, what ended these: "
                f"{reasons[code[k]]!r}"
            )


def on_servers(schedule: Any) -> None:
    """Every job has as many servers of each cluster as processors, each of them once."""
    servers, sizes = schedule.servers, schedule.system.as_array()
    job = np.repeat(np.arange(len(servers)), np.diff(servers.first))
    inside = (servers.ids >= 0) & (servers.ids < sizes.sum())
    cluster = np.searchsorted(np.cumsum(sizes), servers.ids, side="right")
    held = np.zeros(schedule.allocation.shape, dtype=np.int64)
    np.add.at(held, (job[inside], cluster[inside]), 1)
    bad = (held != schedule.allocation).any(axis=1)
    bad[job[~inside]] = True
    bad[job[1:][(np.diff(servers.ids) <= 0) & (np.diff(job) == 0)]] = True
    refuse(
        bad,
        schedule,
        lambda job: (
            f"has servers {servers[job].tolist()} for {schedule.allocation[job].tolist()} "
            "processors of each cluster"
        ),
    )


def none_twice(schedule: Any) -> None:
    """No server is booked for two jobs at once.

    Where servers come free early, a job may be booked into the time of one that has left by then.
    """
    servers, end = schedule.servers, booked_end(schedule)
    job = np.repeat(np.arange(len(servers)), np.diff(servers.first))
    order = np.lexsort((schedule.start[job], servers.ids))
    job, server = job[order], servers.ids[order]
    # Of each booking, those that start after it on its server: the first, the second, ...
    one, ahead = np.arange(len(job)), 0
    while len(one):
        ahead += 1
        one = one[one + ahead < len(job)]
        one = one[server[one] == server[one + ahead]]
        one = one[schedule.start[job[one + ahead]] < end[job[one]]]
        _refuse_overlaps(schedule, job[one], job[one + ahead], server[one])


def _refuse_overlaps(schedule, first, second, server):
    """Refuse pairs whose booked times overlap, unless one had left when the other was booked."""
    left = np.zeros(len(first), dtype=bool)
    if schedule.scheduling.release_early:
        left = schedule.end[first] <= schedule.jobs.submit[second]
    bad = np.flatnonzero(~left)
    if len(bad):
        one, other = first[bad[0]], second[bad[0]]
        raise ScheduleError(
            f"job {other} at {schedule.start[other]:.12g}: server {server[bad[0]]} is booked for "
            f"job {one}"
        )


def booked_end(schedule: Any) -> NDArray[np.float64]:
    """Return until when each job was expected to run, shape (n,)."""
    jobs = schedule.jobs
    length = np.maximum(jobs.estimate, jobs.runtime)
    return schedule.start + time_on_processors(length, jobs.span_penalty, schedule.spans)


def _horizon(schedule):
    """Return until when each job could be booked, shape (n,)."""
    return np.array([schedule.scheduling.horizon_end(t) for t in schedule.jobs.submit.tolist()])


#: What schedules of `Online` keep.
RULES = (attempted, in_time, told_why, on_servers, none_twice, booked_anew)
