"""What will be idle from now on, in steps, for who starts jobs now: `profile_steps` in one array.

The steps stand in reverse, the present one last, so that a start moves only those before the job's
end, however many reservations are known beyond it. Two steps that follow one another differ. What
is held for no time is in no step: it is kept by the jobs that hold it, the *moments*.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.events import time_on
from coalloc_lib.engines.kernels.placing import copy, fits, place, set_room
from coalloc_lib.engines.kernels.profile_steps import drop

#: Float64 (steps,), when each step begins; int64 (steps, c), what is idle then; float64 (n,), from
#: `since` to `until` when each job holds its processors of `allocation`, int32 (n, c): those that
#: run, and those that have a reservation; and the `moments`, int64.
Future = namedtuple("Future", "begin free since until allocation moments")
#: What says where a job runs and how long, as in `queue_order` and `backfilling`; and working
#: arrays: what `stays` idle, int64 (c,), and the `room` for keys on it.
Jobs = namedtuple("Jobs", "parts keys expected rule stays room")


@kernel
def hold(future, steps, moments, job):
    """Take what a job has reserved; return how many steps and moments there are."""
    start, end = future.since[job], future.until[job]
    if start < end:
        taken = future.allocation[job]
        return take(future.begin, future.free, steps, start, end, taken, 1), moments
    future.moments[moments] = job
    return steps, moments + 1


@kernel
def release(future, steps, moments, job):
    """Give back what `hold` took."""
    start, end, taken = future.since[job], future.until[job], future.allocation[job]
    moments = drop(future.moments, moments, job)
    return take(future.begin, future.free, steps, start, end, taken, -1), moments


@kernel
def forget(begin, steps, now):
    """Let the first step begin now; return how many are left."""
    while steps > 1 and begin[steps - 2] <= now:
        steps -= 1
    begin[steps - 1] = now
    return steps


@kernel
def find(begin, steps, instant):
    """Return the step that an instant is in."""
    low, high = 0, steps - 1
    while low < high:
        middle = (low + high) >> 1
        if begin[middle] <= instant:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def take(begin, free, steps, start, end, taken, sign):
    """Take processors, or give them back by a `sign` of -1; return how many steps there are."""
    if not start < end:
        return steps
    last, steps = split(begin, free, steps, end)
    at, steps = split(begin, free, steps, start)
    for i in range(last + 1, at + 1):
        for c in range(len(taken)):
            free[i, c] -= sign * taken[c]
    return join(begin, free, join(begin, free, steps, at), last)


@kernel
def split(begin, free, steps, instant):
    """Let a step begin at an instant; return which, and how many there are."""
    at = find(begin, steps, instant)
    if begin[at] == instant:
        return at, steps
    for i in range(steps, at, -1):
        begin[i] = begin[i - 1]
        for c in range(free.shape[1]):
            free[i, c] = free[i - 1, c]
    begin[at] = instant
    return at, steps + 1


@kernel
def join(begin, free, steps, at):
    """Let no step begin where nothing changes; return how many there are."""
    if at + 1 == steps:
        return steps
    for c in range(free.shape[1]):
        if free[at, c] != free[at + 1, c]:
            return steps
    for i in range(at, steps - 1):
        begin[i] = begin[i + 1]
        for c in range(free.shape[1]):
            free[i, c] = free[i + 1, c]
    return steps - 1


@kernel
def starting(job, start, future, steps, moments, jobs, taken):
    """Return until when a job runs that starts at an instant, or infinity; write into `taken`."""
    begin, free, since, _, allocation, momentary = future
    parts, keys, expected, rule, stays, room = jobs
    at, length = find(begin, steps, start), expected.alone[job]
    while True:
        stop, i = start + length, at
        copy(free[at], stays)
        while i > 0 and begin[i - 1] < stop:
            i -= 1
            for c in range(len(stays)):
                stays[c] = min(stays[c], free[i, c])
        for k in range(moments):
            holder = momentary[k]
            if start < since[holder] < stop:
                i = find(begin, steps, since[holder])
                for c in range(len(stays)):
                    stays[c] = min(stays[c], max(free[i, c] - allocation[holder, c], 0))
        set_room(stays, rule.request, parts.shape[1], room)
        if not fits(keys[job], room):
            return np.inf
        place(parts[job], rule.request, rule.choice, rule.single, rule.order, stays, taken)
        needed = time_on(taken, job, expected.alone, expected.spanning)
        if needed <= length:
            return start + needed
        length = needed


@kernel
def earliest(job, start, future, steps, moments, jobs, taken):
    """Return the first start of a job from an instant on, and its end; write into `taken`."""
    begin, free, since = future[:3]
    key, rule, room = jobs.keys[job], jobs.rule, jobs.room
    length, at = jobs.expected.alone[job], find(future.begin, steps, start)
    while True:
        # No start is possible before the end of a step that is touched and has no room.
        i = at
        while True:
            set_room(free[i], rule.request, jobs.parts.shape[1], room)
            if not fits(key, room):
                if i == 0:
                    return np.inf, np.inf
                start, at = begin[i - 1], i - 1
            if i == 0 or begin[i - 1] >= start + length:
                break
            i -= 1
        stop = starting(job, start, future, steps, moments, jobs, taken)
        if stop < np.inf:
            return start, stop
        following = begin[at - 1] if at > 0 else np.inf
        tried, start = start, following
        for k in range(moments):  # once what takes no time has left
            if tried < since[future.moments[k]] < start:
                start = since[future.moments[k]]
        if start == np.inf:
            return np.inf, np.inf
        at -= start == following
