"""FCFS and EASY backfilling on one machine as textbooks have them, in plain Python.

What the other schedules are compared with. `fcfs_starts` and `easy_starts` are also the policy of
the models on SimPy and SimGrid, which have clocks and processes but no policies of their own.
"""

from collections import deque
from heapq import heappop, heappush
from typing import NamedTuple

PACKAGE = None


class Running(NamedTuple):
    """A job that runs: when it ends, when it is expected to, and what it holds."""

    end: int
    number: int
    expected_end: int
    processors: int


def begun(job, now):
    """Return what runs once a job has started."""
    return Running(now + job.runtime, job.number, now + job.expected, job.processors)


def fcfs_starts(now, idle, waiting, running):
    """Return the jobs that start now: from the head of the queue on, as long as they fit."""
    starting = []
    for job in waiting:
        if job.processors > idle:
            break
        idle -= job.processors
        starting.append(job)
    return starting


def easy_starts(now, idle, waiting, running):
    """Return the jobs that start now: those of FCFS, and those that do not delay the next one."""
    starting = fcfs_starts(now, idle, waiting, running)
    behind = waiting[len(starting) :]
    if not behind:
        return starting
    idle -= sum(job.processors for job in starting)
    holding = [*running, *(begun(job, now) for job in starting)]
    shadow, extra = reservation(behind[0], idle, holding)
    for job in behind[1:]:
        in_time = now + job.expected <= shadow
        if job.processors <= idle and (in_time or job.processors <= extra):
            starting.append(job)
            idle -= job.processors
            if not in_time:
                extra -= job.processors
    return starting


def reservation(head, idle, holding):
    """Return the shadow time, when the head of the queue can start, and the extra processors."""
    shadow = None
    for job in sorted(holding, key=lambda job: job.expected_end):
        if idle >= head.processors and job.expected_end > shadow:
            break
        shadow = job.expected_end
        idle += job.processors
    return shadow, idle - head.processors


def simulate(processors, jobs, starts_now):
    """Return the start of each job; at one instant jobs end, then arrive, then start."""
    start, waiting, running = [None] * len(jobs), [], []
    arrivals, idle = deque(jobs), processors
    while arrivals or waiting:
        now = next_instant(arrivals, running)
        while running and running[0].end <= now:
            idle += heappop(running).processors
        while arrivals and arrivals[0].submit <= now:
            waiting.append(arrivals.popleft())
        for job in starts_now(now, idle, waiting, running):
            start[job.number] = now
            idle -= job.processors
            heappush(running, begun(job, now))
        waiting = [job for job in waiting if start[job.number] is None]
    return start


def next_instant(arrivals, running):
    """Return when the next job arrives or ends."""
    if not arrivals:
        return running[0].end
    if not running:
        return arrivals[0].submit
    return min(arrivals[0].submit, running[0].end)


def fcfs(processors, jobs):
    """Return the start of each job under FCFS."""
    return simulate(processors, jobs, fcfs_starts)


def easy(processors, jobs):
    """Return the start of each job under EASY."""
    return simulate(processors, jobs, easy_starts)
