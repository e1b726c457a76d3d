"""The departures to come, and the next arrivals.

The departures are in a binary heap, the earliest end first. The heap consists of two arrays: `ends`
(float64) has the ends of the running jobs, and `numbers` (int64) has the numbers of these jobs.
Only the first `count` entries are in use. Entry i ends no later than the entries 2 i + 1 and 2 i +
2.

All jobs that end at an instant leave before a job starts at this instant, so their order does not
matter.

Policies that plan ahead also need the running jobs sorted by their *expected* ends. They are in the
arrays `plan` (expected ends) and `plan_jobs` (job numbers), the latest end first. The job that
leaves is usually the one with the earliest expected end. It is at the end of the list, so no other
entry has to be moved when it is removed.
"""

import numpy as np

from coalloc_lib.engines.kernels import kernel

#: The indices of the array `watch`, int64 (2,), through which a running kernel and its caller
#: communicate. To stop the kernel, the caller sets the entry STOP to 1. The kernel writes the
#: number of jobs that have started into the entry STARTED.
STOP, STARTED = range(2)


@kernel(forceinline=True)
def push(ends, numbers, count, end, number):
    """Add a job to a heap of `count` running jobs, which is ordered by the ends of the jobs."""
    i = count
    while i > 0:
        parent = (i - 1) >> 1
        if ends[parent] <= end:
            break
        ends[i], numbers[i] = ends[parent], numbers[parent]
        i = parent
    ends[i], numbers[i] = end, number


@kernel(forceinline=True)
def pop(ends, numbers, count):
    """Remove the job with the earliest end from a heap of running jobs, and return its number."""
    first, last, i = numbers[0], count - 1, 0
    end, number = ends[last], numbers[last]
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and ends[child + 1] < ends[child]:
            child += 1
        if ends[child] >= end:
            break
        ends[i], numbers[i] = ends[child], numbers[child]
        i = child
    ends[i], numbers[i] = end, number
    return first


@kernel(forceinline=True)
def release(taken, idle):
    """Add the processors of an allocation to the numbers of idle processors."""
    for c in range(len(idle)):
        idle[c] += taken[c]


@kernel(forceinline=True)
def depart(ends, numbers, count, now, allocation, idle):
    """Remove jobs that end by `now` from the heap of running jobs, and release their processors.

    Returns the number of jobs that are still running.
    """
    while count and ends[0] <= now:
        release(allocation[pop(ends, numbers, count)], idle)
        count -= 1
    return count


@kernel(forceinline=True)
def next_instant(ends, count, submit, arrived, backlog):
    """Return when the next job leaves or is submitted, or infinity if neither happens again.

    With a `backlog` above 0, the queue has this constant length, and only departures count.
    """
    now = ends[0] if count else np.inf
    return min(now, submit[arrived]) if arrived < len(submit) and backlog == 0 else now


@kernel(forceinline=True)
def next_arrival(submit, arrived, now, started, backlog):
    """Return how many jobs of a stream have arrived by `now`.

    With a `backlog` above 0, jobs arrive until the queue has this length.
    """
    while arrived < len(submit):
        if arrived - started >= backlog if backlog else submit[arrived] > now:
            break
        arrived += 1
    return arrived


@kernel(forceinline=True)
def insert(plan, plan_jobs, count, end, number):
    """Insert a job into a list of `count` jobs sorted by decreasing end time."""
    i = count
    while i > 0 and plan[i - 1] < end:
        plan[i], plan_jobs[i] = plan[i - 1], plan_jobs[i - 1]
        i -= 1
    plan[i], plan_jobs[i] = end, number


@kernel(forceinline=True)
def remove(plan, plan_jobs, count, end, number):
    """Remove a job with a given end time from a list sorted by decreasing end time."""
    i = count - 1
    while plan[i] < end:
        i -= 1
    while plan_jobs[i] != number:
        i -= 1
    for j in range(i, count - 1):
        plan[j], plan_jobs[j] = plan[j + 1], plan_jobs[j + 1]


@kernel(forceinline=True)
def begin_job(job, now, stream, columns, idle, ends, numbers, running):
    """Start a job on the allocation that is stored in `columns`.

    The start and the end of the job are written, its processors are removed from the idle ones, and
    the job is added to the heap. Returns the new number of running jobs.
    """
    taken = columns.allocation[job]
    for c in range(len(idle)):
        idle[c] -= taken[c]
    columns.start[job] = now
    columns.end[job] = now + time_on(taken, job, stream.runtime, stream.spanning)
    push(ends, numbers, running, columns.end[job], job)
    return running + 1


@kernel(forceinline=True)
def time_on(taken, job, alone, spanning):
    """Return the length of a job, which depends on how many clusters its allocation uses.

    `alone`, float64 (n,), has the length of each job on one cluster, and `spanning`, float64 (n,
    k), its lengths on 2, 3, ..., k + 1 clusters. The last length also holds for more clusters.
    """
    clusters = 0
    for c in range(len(taken)):
        clusters += taken[c] > 0
    if clusters < 2:
        return alone[job]
    return spanning[job, min(clusters - 2, spanning.shape[1] - 1)]
