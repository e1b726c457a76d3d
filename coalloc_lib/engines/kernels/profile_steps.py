"""The number of idle processors as a step function of future time, stored in arrays.

These kernels do the same as `coalloc_lib.policies.profile.Profile`. Neighbouring steps differ. The
steps are stored in blocks of up to `BLOCK` steps, and a list has the blocks in order of time. A
step can therefore be inserted without moving all later steps. The *position* of a step is the
position of its block in this list times `BLOCK`, plus the position of the step in its block. The
position `FIRST` is that of the step that contains the present instant.

To skip whole blocks, a search uses three values for each block and for each *level*, which is a
number of processors:

- the instant at which the first step with fewer idle processors begins,
- the instant from which at least this number is idle until the end of the block,
- an upper bound on how long this number is idle between two steps that have fewer.

These values are computed again when a search reaches a block that has changed.

A job of length 0 is in no step. The numbers of the waiting jobs of length 0 are the first `count`
entries of `momentary`. Reservations are the intervals from `since` to `until`, float64 (n,), with
the processors in `allocation`; a job without a reservation has an infinite start.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.arguments import Expected, Stream
from coalloc_lib.engines.kernels.events import time_on
from coalloc_lib.engines.kernels.placing import Rule, empty_room, fits, place, set_room

#: A named tuple of arrays with the number of idle processors on c clusters as a step function of
#: time, whose steps are stored in blocks.
#:
#: - `begin`, float64 (steps,): when each step begins.
#: - `idle`, int64 (steps, c + 1): the number of idle processors of each cluster and, last, an upper
#:   bound on the size of a job that fits.
#: - `blocks`, int64 (4, blocks): data on each block of steps, in the rows COUNT, CHANGED, ORDER and
#:   NUMBERS, which are explained where they are defined below.
#: - `known`, float64 (blocks, 3, levels): the values BLOCKED, OPEN and LONGEST of each block for
#:   each level, which are explained where they are defined below.
#: - `levels`, int64: the levels, which are numbers of idle processors, in increasing order.
Steps = namedtuple("Steps", "begin idle blocks known levels")
#: A named tuple of arrays with the reservations of n jobs on c clusters.
#:
#: - `since` and `until`, float64 (n,): when each reservation starts and ends.
#: - `allocation`, int32 (n, c): the number of reserved processors in each cluster.
#: - `momentary`, int64 (n,): the numbers of the waiting jobs of length 0.
Reserved = namedtuple("Reserved", "since until allocation momentary")
#: A named tuple with the data from which `set_room` computes upper bounds on the size of a job that
#: fits in a step.
#:
#: - `request`: the code of the request type.
#: - `width`: the number of parts of each job.
#: - `whole`: the position in `room` of the limit on the total number of processors.
#: - `room`: the array into which `set_room` writes the limits.
Sizing = namedtuple("Sizing", "request width whole room")
#: A named tuple with the data for finding the earliest start of a job on c clusters.
#:
#: - `parts` and `keys`: the sizes of the jobs, in two forms that the module `placing` defines.
#: - `expected`: the expected lengths of the jobs, an `Expected`.
#: - `rule`: the placement.
#: - `reserved`: the reservations, a `Reserved`.
#: - `idle`, int64 (c,): scratch space.
#: - `taken`, int32 (c,): the allocation for the start that was found.
#: - `sizing`: a `Sizing`.
Search = namedtuple("Search", "parts keys expected rule reserved idle taken sizing")

#: The maximum number of steps in a block of the profile, and half of that maximum.
BLOCK, HALF = 16, 8
#: The indices of the rows of the array `Steps.blocks`. COUNT: the number of steps in each block.
#: CHANGED: whether the entries of each block in `Steps.known` are out of date. ORDER: the numbers
#: of the blocks in order of time. NUMBERS: a row with the entries FIRST (the position of the
#: present step), BLOCKS (the number of blocks in the row ORDER) and USED (the number of blocks that
#: have ever been used).
COUNT, CHANGED, ORDER, NUMBERS = range(4)
FIRST, BLOCKS, USED = range(3)
#: The indices of the values that the array `Steps.known` stores for each block and each level,
#: where a level is a number of processors L. BLOCKED: when the first step with fewer than L idle
#: processors begins. OPEN: since when at least L processors are idle until the end of the block.
#: LONGEST: an upper bound on the time for which at least L processors are idle between two steps
#: with fewer. BLOCKED or OPEN is infinite if the instant does not exist.
BLOCKED, OPEN, LONGEST = range(3)
#: An upper bound on the relative rounding error of the instants in the profile.
ROUNDING = 4 * np.finfo(np.float64).eps


def new_search(stream: Stream, expected: Expected, rule: Rule, allocation: np.ndarray) -> Search:
    """Create an empty data structure for finding the earliest starts of jobs.

    It has no reservations yet. Reservations will be written into `allocation`, int32 (n, c).
    """
    n, clusters = allocation.shape
    since, until = np.full((2, n), np.inf)
    reserved = Reserved(since, until, allocation, np.empty(n, np.int64))
    room, whole = empty_room(stream.keys, rule), stream.keys.shape[1] - 1
    sizing = Sizing(rule.request, stream.parts.shape[1], whole, room)
    idle, taken = np.empty(clusters, np.int64), np.empty(clusters, np.int32)
    return Search(stream.parts, stream.keys, expected, rule, reserved, idle, taken, sizing)


@kernel(makes_arrays=True)
def empty_steps(blocks, clusters, levels):
    """Allocate memory for the steps of a profile in a given number of blocks."""
    rows, table = blocks * BLOCK, np.zeros((4, blocks), np.int64)
    known = np.empty((blocks, 3, len(levels)))
    table[CHANGED] = 1
    return Steps(np.empty(rows), np.empty((rows, clusters + 1), np.int64), table, known, levels)


@kernel(makes_arrays=True)
def new_steps(idle, levels):
    """Create the profile of an idle system without reservations, which has a single step."""
    steps = empty_steps(8, len(idle), levels)
    steps.begin[0], steps.idle[0, len(idle)] = 0.0, idle.sum()
    steps.idle[0, : len(idle)] = idle
    steps.blocks[COUNT, 0] = steps.blocks[NUMBERS, BLOCKS] = steps.blocks[NUMBERS, USED] = 1
    return steps


@kernel(makes_arrays=True)
def with_room(steps, needed):
    """Return the array `steps`, or a larger copy if it has fewer than `needed` free blocks."""
    if steps.blocks[NUMBERS, USED] + needed <= steps.blocks.shape[1]:
        return steps
    return packed(steps, needed)


@kernel(makes_arrays=True)
def packed(steps, needed):
    """Copy the present and all later steps of a profile into new blocks that are half full.

    The copy has at least `needed` free blocks.
    """
    begin, idle, blocks, _, levels = steps
    total, first = 0, blocks[NUMBERS, FIRST]
    for at in range(first // BLOCK, blocks[NUMBERS, BLOCKS]):
        total += blocks[COUNT, blocks[ORDER, at]]
    new = empty_steps(2 * (total // HALF + needed + 1), idle.shape[1] - 1, levels)
    i, skipped = 0, first % BLOCK
    for at in range(first // BLOCK, blocks[NUMBERS, BLOCKS]):
        block = blocks[ORDER, at]
        for row in range(block * BLOCK + skipped, block * BLOCK + blocks[COUNT, block]):
            block = i // HALF
            new.begin[block * BLOCK + i % HALF] = begin[row]
            new.idle[block * BLOCK + i % HALF] = idle[row]
            new.blocks[ORDER, block], new.blocks[COUNT, block] = block, i % HALF + 1
            i += 1
        skipped = 0
    new.blocks[NUMBERS, BLOCKS] = new.blocks[NUMBERS, USED] = (i + HALF - 1) // HALF
    return new


@kernel
def find(begin, blocks, instant):
    """Find the step of a profile that contains an instant.

    Returns the position of the block of the step in the order, and the row of the step. An instant
    before the first step gives the first step.
    """
    low, high = blocks[NUMBERS, FIRST] // BLOCK, blocks[NUMBERS, BLOCKS]
    i = blocks[NUMBERS, FIRST] % BLOCK
    while high - low > 1:
        middle = (low + high) >> 1
        if begin[blocks[ORDER, middle] * BLOCK] <= instant:
            low, i = middle, 0
        else:
            high = middle
    block = blocks[ORDER, low]
    row, last = block * BLOCK + i, block * BLOCK + blocks[COUNT, block] - 1
    while row < last and begin[row + 1] <= instant:
        row += 1
    return low, row


@kernel
def following(blocks, at, row):
    """Find the step that follows a given step of the profile.

    Returns the position of the block of the step in the order, and the row of the step. The row is
    -1 if the given step is the last one.
    """
    if row % BLOCK + 1 < blocks[COUNT, row // BLOCK]:
        return at, row + 1
    at += 1
    return at, blocks[ORDER, at] * BLOCK if at < blocks[NUMBERS, BLOCKS] else -1


@kernel
def split(begin, idle, blocks, at, row, instant):
    """Split a step of the profile into two steps, the second of which begins at `instant`.

    At least one block must be free. Returns the position of the block and the row of the new step.
    """
    block = row // BLOCK
    if blocks[COUNT, block] == BLOCK:  # The second half of a full block is moved to a new one.
        new = blocks[NUMBERS, USED]
        for k in range(blocks[NUMBERS, BLOCKS], at + 1, -1):
            blocks[ORDER, k] = blocks[ORDER, k - 1]
        blocks[ORDER, at + 1] = new
        blocks[NUMBERS, BLOCKS] += 1
        blocks[NUMBERS, USED] += 1
        for i in range(HALF):
            begin[new * BLOCK + i] = begin[block * BLOCK + HALF + i]
            for c in range(idle.shape[1]):
                idle[new * BLOCK + i, c] = idle[block * BLOCK + HALF + i, c]
        blocks[COUNT, block] = blocks[COUNT, new] = HALF
        blocks[CHANGED, block] = blocks[CHANGED, new] = 1
        if at * BLOCK + HALF <= blocks[NUMBERS, FIRST] < (at + 1) * BLOCK:
            blocks[NUMBERS, FIRST] += HALF
        if row >= block * BLOCK + HALF:
            row += (new - block) * BLOCK - HALF
            at, block = at + 1, new
    for i in range(block * BLOCK + blocks[COUNT, block], row, -1):
        begin[i] = begin[i - 1]
        for c in range(idle.shape[1]):
            idle[i, c] = idle[i - 1, c]
    begin[row + 1] = instant
    blocks[COUNT, block] += 1
    blocks[CHANGED, block] = 1
    return at, row + 1


@kernel
def join(begin, idle, blocks, at, row):
    """Merge a step of the profile with the preceding step if the same numbers are idle in both."""
    block, before = row // BLOCK, row - 1
    if at * BLOCK + row % BLOCK == blocks[NUMBERS, FIRST]:
        return
    if row % BLOCK == 0:
        before = blocks[ORDER, at - 1] * BLOCK + blocks[COUNT, blocks[ORDER, at - 1]] - 1
    for c in range(idle.shape[1] - 1):
        if idle[row, c] != idle[before, c]:
            return
    blocks[COUNT, block] -= 1
    blocks[CHANGED, block] = 1
    for i in range(row, block * BLOCK + blocks[COUNT, block]):
        begin[i] = begin[i + 1]
        for c in range(idle.shape[1]):
            idle[i, c] = idle[i + 1, c]
    if blocks[COUNT, block] == 0:
        blocks[NUMBERS, BLOCKS] -= 1
        for k in range(at, blocks[NUMBERS, BLOCKS]):
            blocks[ORDER, k] = blocks[ORDER, k + 1]


@kernel
def take(steps, start, end, taken, sign, sizing):
    """Mark processors as busy from `start` to `end` if `sign` is 1, or as idle if it is -1.

    At least two blocks must be free.
    """
    if not start < end:
        return
    begin, idle, blocks, _, _ = steps
    clusters = len(taken)
    at, row = find(begin, blocks, start)
    if begin[row] < start:
        at, row = split(begin, idle, blocks, at, row, start)
    used, first_at, first_row = blocks[NUMBERS, USED], at, row
    while begin[row] < end:
        next_at, next_row = following(blocks, at, row)
        if next_row < 0 or begin[next_row] > end:
            next_at, next_row = split(begin, idle, blocks, at, row, end)
            row = next_row - 1
        for c in range(clusters):
            idle[row, c] -= sign * taken[c]
        if clusters == 1:
            idle[row, 1] = idle[row, 0]
        else:
            set_room(idle[row, :clusters], sizing.request, sizing.width, sizing.room)
            idle[row, clusters] = sizing.room[sizing.whole]
        blocks[CHANGED, row // BLOCK] = 1
        at, row = next_at, next_row
    join(begin, idle, blocks, at, row)
    if blocks[NUMBERS, USED] > used:
        first_at, first_row = find(begin, blocks, start)
    join(begin, idle, blocks, first_at, first_row)


@kernel
def move(steps, old, new, given, taken, sizing):
    """Change the interval and the allocation of a reservation in the profile.

    `old` and `new` are the starts and ends of the intervals, and `given` and `taken` are the
    allocations. At least two blocks must be free.
    """
    start, end = old
    new_start, new_end = new
    # If the old and the new interval overlap and the allocations are equal, change the profile only
    # where the intervals differ.
    same = new_start < start < new_end < end
    for c in range(len(taken)):
        same = same and given[c] == taken[c]
    take(steps, new_end if same else start, end, given, -1, sizing)
    take(steps, new_start, start if same else new_end, taken, 1, sizing)


@kernel
def forget(steps, now):
    """Remove the steps of a profile before the instant `now`."""
    at, row = find(steps.begin, steps.blocks, now)
    steps.blocks[NUMBERS, FIRST] = at * BLOCK + row % BLOCK
    steps.begin[row] = now


@kernel
def most_idle(steps, now, before):
    """Return an upper bound on the size of a job that fits at some time from `now` to `before`."""
    begin, idle, blocks = steps.begin, steps.idle, steps.blocks
    whole, most = idle.shape[1] - 1, 0
    at, row = find(begin, blocks, now)
    while row >= 0 and begin[row] < before:
        most = max(most, idle[row, whole])
        at, row = following(blocks, at, row)
    return most


@kernel
def drop(numbers, count, number):
    """Remove a number from the `count` numbers in an array, and return the new count.

    If the array does not have the number, it does not change.
    """
    for i in range(count):
        if numbers[i] == number:
            numbers[i] = numbers[count - 1]
            return count - 1
    return count


@kernel
def idle_throughout(steps, at, row, start, end, own, reserved, count, idle):
    """Find how many processors of each cluster are idle all the time from `start` to `end`.

    The numbers are written into `idle`. The processors that are reserved for the job `own` count as
    idle. The step in `row` contains `start`. There are `count` waiting jobs of length 0.
    """
    begin, steps_idle, blocks, _, _ = steps
    since, until, allocation, momentary = reserved
    for c in range(len(idle)):
        idle[c] = steps_idle[row, c]
    at, row = following(blocks, at, row)
    while row >= 0 and begin[row] < end:
        next_at, next_row = following(blocks, at, row)
        stop = end if next_row < 0 else min(end, begin[next_row])
        gives = since[own] <= begin[row] and stop <= until[own]
        for c in range(len(idle)):
            idle[c] = min(idle[c], steps_idle[row, c] + gives * allocation[own, c])
        at, row = next_at, next_row
    for i in range(count):
        holder = momentary[i]
        instant = since[holder]
        if start < instant < end and holder != own:
            row = find(begin, blocks, instant)[1]
            gives = since[own] <= instant < until[own]
            for c in range(len(idle)):
                free = steps_idle[row, c] + gives * allocation[own, c]
                idle[c] = min(idle[c], max(free - allocation[holder, c], 0))


@kernel
def summarize(begin, idle, block, count, known, levels):
    """Compute the values BLOCKED, OPEN and LONGEST of a block of steps for each level."""
    whole = idle.shape[1] - 1
    for k in range(len(levels)):
        blocked = open_since = np.inf
        longest = 0.0
        for row in range(block * BLOCK, block * BLOCK + count):
            if idle[row, whole] < levels[k]:
                blocked = min(blocked, begin[row])
                longest = max(longest, begin[row] - open_since + ROUNDING * begin[row])
                open_since = np.inf
            elif open_since == np.inf:
                open_since = begin[row]
        known[block, BLOCKED, k], known[block, OPEN, k] = blocked, open_since
        known[block, LONGEST, k] = longest


@kernel
def next_window(steps, position, start, before, wanted, level, length, since):
    """Find the first interval in which at least `wanted` processors are idle all the time.

    The interval starts at `start` or later, but before `before`. It is as long as `length`, or
    reaches to the instant `since`, at which the job's own reservation starts. The search
    begins at the step at `position`. Returns the position of the step in which the interval starts,
    and the start, which is infinite if there is no such interval.

    This function is long because a call within its loops would make the search slower.
    """
    begin, idle, blocks, known, levels = steps
    whole, last = idle.shape[1] - 1, blocks[NUMBERS, BLOCKS] - 1
    at, i = position // BLOCK, position % BLOCK
    while True:
        # Examine the steps of this block, and go on to the next block while enough processors are
        # idle.
        while True:
            block = blocks[ORDER, at]
            for row in range(block * BLOCK + i, block * BLOCK + blocks[COUNT, block]):
                if start == np.inf:
                    if begin[row] >= before:
                        return -1, np.inf
                    start, position = begin[row], at * BLOCK + row - block * BLOCK
                if begin[row] >= start + length or begin[row] >= since:
                    return position, start
                if idle[row, whole] < wanted:
                    start = np.inf
            if at == last:
                return position, start
            at, i = at + 1, 0
            if start == np.inf:
                break
        # Skip the blocks in which no sufficiently long idle interval can begin.
        open_since, opened_at = np.inf, at
        while True:
            block = blocks[ORDER, at]
            if open_since == np.inf:
                open_since, opened_at = begin[block * BLOCK], at
            if open_since >= before:
                return -1, np.inf
            if blocks[CHANGED, block]:
                summarize(begin, idle, block, blocks[COUNT, block], known, levels)
                blocks[CHANGED, block] = 0
            stop = np.inf if at == last else begin[blocks[ORDER, at + 1] * BLOCK]
            open_until = min(stop, known[block, BLOCKED, level])
            if open_until >= min(open_since + length, since):
                at = opened_at
                break
            if known[block, LONGEST, level] >= length or stop >= since:
                break
            if open_until < stop:
                open_since, opened_at = known[block, OPEN, level], at
            at += 1


@kernel
def earliest(job, steps, now, before, count, search):
    """Find the earliest possible start of a job at or after `now` and before `before`.

    There are `count` waiting jobs of length 0. Returns the start and the end, which are infinite if
    there is no such start. The allocation is written into `search.taken`.
    """
    begin, blocks, expected = steps.begin, steps.blocks, search.expected
    wanted = search.keys[job, search.keys.shape[1] - 1]
    level = level_of(steps.levels, wanted)
    at, row = find(begin, blocks, now)
    start, position = now, at * BLOCK + row % BLOCK
    least, since = expected.least[job, 0], search.reserved.since[job]
    while start < before:
        position, start = next_window(steps, position, start, before, wanted, level, least, since)
        if start == np.inf:
            break
        # On a single cluster, a job always fits into the interval that `next_window` has found,
        # because `next_window` compares the size of the job with the idle processors in each step.
        if len(search.idle) == 1 and count == 0 and start + least > start:
            search.taken[0] = wanted
            return start, start + expected.alone[job]
        at = position // BLOCK
        row = blocks[ORDER, at] * BLOCK + position % BLOCK
        end = end_of(job, steps, at, row, start, count, search)
        if end < np.inf:
            return start, end
        next_at, next_row = following(blocks, at, row)
        next_step = begin[next_row] if next_row >= 0 else np.inf
        start = next_start(start, next_step, search.reserved, count)
        if start == next_step:
            position = next_at * BLOCK + next_row % BLOCK
    return np.inf, np.inf


@kernel(forceinline=True)
def level_of(levels, wanted):
    """Return the index of the highest level that is at most `wanted`, or 0 if all are higher."""
    level = 0
    while level + 1 < len(levels) and levels[level + 1] <= wanted:
        level += 1
    return level


@kernel(forceinline=True)
def end_of(job, steps, at, row, start, count, search):
    """Return the end of a job if it starts at `start`, or infinity if it does not fit then.

    The job is first placed in an interval of its length on one cluster. If it gets an allocation on
    which it is longer, it is placed again in the longer interval. The step in `row` contains
    `start`. The allocation is written into `search.taken`.
    """
    rule, expected, idle, taken = search.rule, search.expected, search.idle, search.taken
    room = search.sizing.room
    length = expected.alone[job]
    while True:
        idle_throughout(steps, at, row, start, start + length, job, search.reserved, count, idle)
        set_room(idle, rule.request, search.sizing.width, room)
        if not fits(search.keys[job], room):
            return np.inf
        sizes = search.parts[job]
        place(sizes, rule.request, rule.choice, rule.single, rule.order, idle, taken)
        needed = time_on(taken, job, expected.alone, expected.spanning)
        if needed <= length:
            return start + needed
        length = needed


@kernel(forceinline=True)
def next_start(tried, start, reserved, count):
    """Return the next start to try: `start`, or the departure of a job of length 0 before `start`.

    A job of length 0, which leaves at the instant at which it starts, may have been the only
    obstacle to a start at `tried`. The beginning of the next step of the profile is `start`.
    """
    for i in range(count):
        instant = reserved.since[reserved.momentary[i]]
        if tried < instant < start:
            start = instant
    return start
