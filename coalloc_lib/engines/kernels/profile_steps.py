"""What will be idle from now on, in steps: `coalloc_lib.profile` in arrays.

Steps `first` to `last` - 1 are in use, and the first is the present one. Two that follow one
another differ. What is held for no time is in no step: it is told by the jobs that hold it, the
first `count` of `momentary`.

What is reserved for the jobs are the times from `since` to `until`, float64 (n,), where a start of
infinity is none, and the processors of `allocation`.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.placing import fits, place, set_room

#: When each step begins, float64; what is idle in it, int64 (steps, c); and the room of it for a
#: whole job, which is no less than all processors of any job that fits, int64.
Steps = namedtuple("Steps", "begin idle whole")
#: Float64 (n,) starts and ends, and int32 (n, c) processors.
Reserved = namedtuple("Reserved", "since until allocation")

#: Steps that there is room for at first.
ROOM = 64


@kernel
def new_steps(idle):
    """Return the one step of a system that nothing is planned in, and room for more."""
    steps = Steps(np.empty(ROOM), np.empty((ROOM, len(idle)), np.int64), np.empty(ROOM, np.int64))
    steps.begin[0], steps.whole[0] = 0.0, idle.sum()
    steps.idle[0] = idle
    return steps


@kernel
def step_at(begin, first, last, instant):
    """Return the step that an instant is in; the first where it is before all."""
    low, high = first, last
    while high - low > 1:
        middle = (low + high) >> 1
        if begin[middle] <= instant:
            low = middle
        else:
            high = middle
    return low


@kernel
def split(steps, first, last, instant):
    """Let a step begin at an instant; return it, and where the steps end now."""
    begin, idle, whole = steps
    step = step_at(begin, first, last, instant)
    if begin[step] == instant:
        return step, last
    for i in range(last, step, -1):
        begin[i], whole[i] = begin[i - 1], whole[i - 1]
        idle[i] = idle[i - 1]
    begin[step + 1] = instant
    return step + 1, last + 1


@kernel
def join(steps, first, last, step):
    """Let no step begin where nothing changes; return where the steps end now."""
    begin, idle, whole = steps
    if step == first:
        return last
    for c in range(idle.shape[1]):
        if idle[step, c] != idle[step - 1, c]:
            return last
    for i in range(step, last - 1):
        begin[i], whole[i] = begin[i + 1], whole[i + 1]
        idle[i] = idle[i + 1]
    return last - 1


@kernel
def take(steps, first, last, start, end, taken, sign, request, width, key, room):
    """Take processors from `start` to `end`, or give them back by a `sign` of -1.

    Returns where the steps end now; there must be room for two more. Entry `key` of the room is
    that for a whole job. Writes into `room` as it goes.
    """
    if not start < end:
        return last
    step, last = split(steps, first, last, start)
    stop, last = split(steps, first, last, end)
    for i in range(step, stop):
        for c in range(len(taken)):
            steps.idle[i, c] -= sign * taken[c]
        set_room(steps.idle[i], request, width, room)
        steps.whole[i] = room[key]
    return join(steps, first, join(steps, first, last, stop), step)


@kernel
def with_room(steps, first, last):
    """Return the steps in arrays with room for more, from 0 on, and where they begin and end."""
    count = last - first
    size = len(steps.begin) if 2 * count < len(steps.begin) else 2 * len(steps.begin)
    new = Steps(
        np.empty(size), np.empty((size, steps.idle.shape[1]), np.int64), np.empty(size, np.int64)
    )
    new.begin[:count] = steps.begin[first:last]
    new.idle[:count] = steps.idle[first:last]
    new.whole[:count] = steps.whole[first:last]
    return new, 0, count


@kernel
def drop(numbers, count, number):
    """Take a number out of the first `count`, if it is there; return how many are left."""
    for i in range(count):
        if numbers[i] == number:
            numbers[i] = numbers[count - 1]
            return count - 1
    return count


@kernel
def stays(steps, first, last, start, end, own, reserved, momentary, count, idle):
    """Write into `idle`, int64 (c,), what is idle from `start` to `end` for a job, `own`.

    It gives up what it has reserved, which begins after `start`. The jobs that hold processors for
    no time in between leave what else is idle then.
    """
    since, until, allocation = reserved
    step = step_at(steps.begin, first, last, start)
    for c in range(len(idle)):
        idle[c] = steps.idle[step, c]
    step += 1
    while step < last and steps.begin[step] < end:
        stop = end if step + 1 == last else min(end, steps.begin[step + 1])
        gives = since[own] <= steps.begin[step] and stop <= until[own]
        for c in range(len(idle)):
            idle[c] = min(idle[c], steps.idle[step, c] + gives * allocation[own, c])
        step += 1
    for i in range(count):
        holder = momentary[i]
        instant = since[holder]
        if start < instant < end and holder != own:
            step = step_at(steps.begin, first, last, instant)
            gives = since[own] <= instant < until[own]
            for c in range(len(idle)):
                free = steps.idle[step, c] + gives * allocation[own, c]
                idle[c] = min(idle[c], max(free - allocation[holder, c], 0))


@kernel
def too_full(steps, step, last, wanted, start, length, since):
    """Return a step that has too little room for a job that starts at `start`, -1 if none has.

    Looked at are the steps from `step` on, until it ends or has something reserved itself.
    """
    while step < last and steps.begin[step] < start + length and steps.begin[step] < since:
        if steps.whole[step] < wanted:
            return step
        step += 1
    return -1


@kernel
def earliest(
    job, steps, first, last, now, before, reserved, momentary, count, parts, keys, expected, rule,
    idle, room, taken,
):  # fmt: skip
    """Return the first start of a job, at an instant earlier than `before`, and the end there.

    They are infinite where there is none. Writes into `taken` where the job is placed then, and, as
    it goes, `idle` and `room`.
    """
    width, wanted = parts.shape[1], keys[job, keys.shape[1] - 1]
    start, step = now, first
    while start < before:
        full = too_full(
            steps, step, last, wanted, start, expected.least[job, 0], reserved.since[job]
        )
        if full >= 0:  # also for whatever starts before it has ended
            step = full + 1
            start = steps.begin[step] if step < last else np.inf
            continue
        length = expected.alone[job]
        stays(steps, first, last, start, start + length, job, reserved, momentary, count, idle)
        set_room(idle, rule.request, width, room)
        while fits(keys[job], room):
            place(parts[job], rule.request, rule.choice, rule.single, rule.order, idle, taken)
            clusters = 0
            for c in range(len(idle)):
                clusters += taken[c] > 0
            needed = (expected.spanning if clusters > 1 else expected.alone)[job]
            if needed <= length:
                return start, start + needed
            length = needed
            end = start + length
            stays(steps, first, last, start, end, job, reserved, momentary, count, idle)
            set_room(idle, rule.request, width, room)
        following = steps.begin[step + 1] if step + 1 < last else np.inf
        for i in range(count):  # once what takes no time has left
            if start < reserved.since[momentary[i]] < following:
                following = reserved.since[momentary[i]]
        start = following
        if step + 1 < last and steps.begin[step + 1] <= start:
            step += 1
    return np.inf, np.inf
