"""The departures to come: a binary heap, the earliest end first.

It is two arrays as long as there can be running jobs, `ends` (float64) and `numbers` (int64), of
which the first `count` entries are in use: entry i ends no later than entries 2 i + 1 and 2 i + 2.
Jobs that end at one instant leave in any order; all leave before anything starts.

Beside it, for those who plan, a plain list of the running jobs by the ends that are expected of
them, `plan` and `whose`: the last to end is first, since the one that leaves is mostly the next to
end, and what is taken from the end of a list moves nothing.
"""

import numpy as np

from coalloc_lib.engines.kernels import kernel

#: Of `watch`, int64 (2,), which both sides of a long run read: 1 to stop; how many jobs started.
STOP, STARTED = range(2)


@kernel(forceinline=True)
def push(ends, numbers, count, end, number):
    """Add a job to the heap of `count` jobs: writes into `ends` and `numbers`."""
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
    """Remove the first departure from the heap of `count` jobs; return its job."""
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
def depart(ends, numbers, count, now, allocation, idle):
    """Let the jobs leave that end by `now`, and add their processors to `idle`; return `count`."""
    while count and ends[0] <= now:
        gone = pop(ends, numbers, count)
        count -= 1
        for c in range(len(idle)):
            idle[c] += allocation[gone, c]
    return count


@kernel(forceinline=True)
def next_instant(ends, count, submit, arrived, backlog):
    """Return the instant of the next departure or submission, or infinity if there is none.

    Submissions do not count if the queue is held at a length (`backlog`).
    """
    now = ends[0] if count else np.inf
    return min(now, submit[arrived]) if arrived < len(submit) and backlog == 0 else now


@kernel(forceinline=True)
def next_arrival(submit, arrived, now, started, backlog):
    """Return the number of jobs that have arrived: by `now`, or until a held queue is full."""
    while arrived < len(submit):
        if arrived - started >= backlog if backlog else submit[arrived] > now:
            break
        arrived += 1
    return arrived


@kernel(forceinline=True)
def insert(plan, whose, count, end, number):
    """Add a job to a list of `count` jobs, the last to end first: writes `plan` and `whose`."""
    i = count
    while i > 0 and plan[i - 1] < end:
        plan[i], whose[i] = plan[i - 1], whose[i - 1]
        i -= 1
    plan[i], whose[i] = end, number


@kernel(forceinline=True)
def remove(plan, whose, count, end, number):
    """Take a job of this end out of such a list of `count` jobs."""
    i = count - 1
    while plan[i] < end:
        i -= 1
    while whose[i] != number:
        i -= 1
    for j in range(i, count - 1):
        plan[j], whose[j] = plan[j + 1], whose[j + 1]


@kernel(forceinline=True)
def time_on(taken, job, alone, spanning):
    """Return how long a job takes on an allocation, of its times on one cluster and on 2, 3, ..."""
    clusters = 0
    for c in range(len(taken)):
        clusters += taken[c] > 0
    if clusters < 2:
        return alone[job]
    return spanning[job, min(clusters - 2, spanning.shape[1] - 1)]
