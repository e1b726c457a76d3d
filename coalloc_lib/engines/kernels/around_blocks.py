"""The loop of EASY around fixed blocks: jobs that reserve their start, and outages.

It is a translation of `coalloc_lib.policies.backfilling`, call by call of `start_jobs`, but what
running jobs and blocks leave idle is kept from one instant to the next (see `near_steps`). The head
of the queue holds its reservation there only while blocks are booked. Those behind it are found as
in `backfilling.run_easy`, by bounds on keys and lengths, and then looked at exactly.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.backfilling import leave_for, new_work
from coalloc_lib.engines.kernels.events import STARTED, STOP, next_instant, pop, push, time_on
from coalloc_lib.engines.kernels.near_steps import (
    Future,
    Jobs,
    earliest,
    find,
    forget,
    hold,
    release,
    starting,
    take,
)
from coalloc_lib.engines.kernels.placing import Rule, copy, empty_room, fits, set_room
from coalloc_lib.engines.kernels.profile_steps import drop
from coalloc_lib.engines.kernels.queue_tree import enter, first_fitting, first_passing

#: What starts jobs: what is idle, int64 (c,), and the heap of departures; and what it writes.
Clock = namedtuple("Clock", "idle ends numbers runtime spanning start end allocation")
#: The blocks that wait, int64, in the order in which they were booked, and in that of arrival the
#: places of those that are to be.
Blocks = namedtuple("Blocks", "booked new")
#: What a run works in: the parts of the above and of `near_steps`; the room on the `largest`
#: system; `Work` for the search; which jobs are `waiting`, bool (n,); and the processors, int32
#: (c,), that a job and the head would get.
Arrays = namedtuple(
    "Arrays", "idle ends numbers begin free since until moments booked new stays room largest work "
    "waiting taken left"
)  # fmt: skip


def new_arrays(is_fixed: np.ndarray, idle: np.ndarray, keys: np.ndarray, rule: Rule) -> Arrays:
    """Return the working arrays for jobs, and whether each is a block, on idle clusters."""
    n, clusters, fixed = len(is_fixed), len(idle), np.count_nonzero(is_fixed)
    capacity = min(n, int(idle.sum()))
    steps = 2 * (capacity + fixed) + 8
    since, until = np.full((2, n), np.inf)
    moments, booked, new = np.empty((3, fixed + 1), np.int64)
    taken, left = np.zeros((2, clusters), np.int32)
    room, largest = empty_room(keys, rule), empty_room(keys, rule)
    return Arrays(
        *(idle, np.empty(capacity), np.empty(capacity, np.int64), np.empty(steps)),
        *(np.empty((steps, clusters), np.int64), since, until, moments, booked, new),
        *(np.empty(clusters, np.int64), room, largest, new_work(idle, keys, rule)),
        *(np.zeros(n, np.bool_), taken, left),
    )


@kernel
def run(
    stream, coming, expected, asked, rule, arrays, trees, start, end, entered, allocation, promised,
    watch,
):  # fmt: skip
    """Run the jobs of a `Stream` as `backfilling.run_easy` does; `asked` is an `Asked` of it."""
    submit, runtime, spanning, parts, keys = stream
    n, idle, work, waiting = len(submit), arrays.idle, arrays.work, arrays.waiting
    future = Future(
        arrays.begin, arrays.free, arrays.since, arrays.until, allocation, arrays.moments
    )
    jobs = Jobs(parts, keys, expected, rule, arrays.stays, arrays.room)
    clock = Clock(idle, arrays.ends, arrays.numbers, runtime, spanning, start, end, allocation)
    begin, free, since, until = future[:4]
    blocks, new, taken = Blocks(arrays.booked, arrays.new), arrays.new, arrays.taken
    begin[0] = 0.0
    copy(idle, free[0])
    largest = arrays.largest
    set_room(idle, rule.request, parts.shape[1], largest)
    # No literals: what is handed one is compiled for it, and then once more.
    arrived = started = running = oldest = moments = booked = unbooked = np.int64(0)
    steps, head, first = np.int64(1), np.int64(-1), n
    now, due, could = 0.0, np.inf, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if due <= now:  # who is due and could not start waits for others to leave
            due = next_start(blocks, booked, since, now)
        following = min(due, next_instant(clock.ends, running, submit, arrived, 0))
        if head >= 0 and since[head] > now:  # whoever it was to follow may have left early
            following = min(following, since[head])
        now = following
        if now == np.inf:
            break
        steps = forget(begin, steps, now)
        while running and clock.ends[0] <= now:
            gone = pop(clock.ends, clock.numbers, running)
            running -= 1
            for c in range(len(idle)):
                idle[c] += allocation[gone, c]
            steps = take(begin, free, steps, now, until[gone], allocation[gone], -1)
        while arrived < n and submit[arrived] <= now:
            job = coming[arrived]
            entered[job] = now
            if asked.is_fixed[job]:
                new[unbooked] = arrived
                unbooked += 1
            else:
                waiting[job] = True
                enter(trees.keys, keys, job)
                enter(trees.least, expected.least, job)
                first = min(first, job)
            arrived += 1

        before = -1
        while before != started:
            before = started
            while oldest < arrived and not waiting[coming[oldest]]:
                oldest += 1
            if unbooked and new[0] < oldest:
                unbooked, steps, moments, booked, due, started = book(
                    blocks, unbooked, oldest, coming, now, asked, future, steps, moments, booked,
                    due, started, jobs, taken, start, end, promised,
                )  # fmt: skip
            first = next_waiting(trees, keys, waiting, first, largest)
            head = head if head == first else -1
            if not could or due <= now or (head >= 0 and until[head] <= now):
                could, head, running, moments, booked, started = start_due(
                    blocks, booked, head, now, future, moments, clock, running, waiting, started
                )
                if not could:
                    continue
            # The head starts while it fits, and is else promised a start.
            first = next_waiting(trees, keys, waiting, first, largest)
            while first < n:
                instant, stop = earliest(first, now, future, steps, moments, jobs, taken)
                if head != first or instant <= since[first]:
                    since[first], until[first] = instant, stop
                    copy(taken, allocation[first])
                if since[first] > now or not fits(allocation[first], idle):
                    head = first
                    break
                steps = take(begin, free, steps, now, until[first], allocation[first], 1)
                running, started = set_off(first, now, clock, running, started, waiting)
                first = next_waiting(trees, keys, waiting, first + 1, largest)
            if first == n:
                head = -1
            elif np.isnan(promised[first]):
                promised[first] = since[first]
            if unbooked:
                if head >= 0:
                    steps, moments = hold(future, steps, moments, head)
                unbooked, steps, moments, booked, due, started = book(
                    blocks, unbooked, n, coming, now, asked, future, steps, moments, booked,
                    due, started, jobs, taken, start, end, promised,
                )  # fmt: skip
                if head >= 0:
                    steps, moments = release(future, steps, moments, head)
            if due <= now or (head >= 0 and until[head] <= now):
                could, head, running, moments, booked, started = start_due(
                    blocks, booked, head, now, future, moments, clock, running, waiting, started
                )
            if could and head >= 0:
                steps, moments, running, started = pass_head(
                    head, now, future, steps, moments, jobs, clock, running, waiting, started, work,
                    trees, taken, arrays.left,
                )  # fmt: skip
    return started


@kernel
def next_start(blocks, booked, since, now):
    """Return the first start after now that a block waits for."""
    first = np.inf
    for i in range(booked):
        if since[blocks.booked[i]] > now:
            first = min(first, since[blocks.booked[i]])
    return first


@kernel
def next_waiting(trees, keys, waiting, job, largest):
    """Return the first job from this one on that waits, or how many jobs there are."""
    n = len(waiting)
    if job < n and not waiting[job]:
        job = first_fitting(trees.keys, keys, waiting, job, n, n, largest)
    return n if job < 0 else job


@kernel
def set_off(job, now, clock, running, started, waiting):
    """Start a job on its allocation; return how many run, and how many have started."""
    for c in range(len(clock.idle)):
        clock.idle[c] -= clock.allocation[job, c]
    length = time_on(clock.allocation[job], job, clock.runtime, clock.spanning)
    clock.start[job], clock.end[job] = now, now + length
    push(clock.ends, clock.numbers, running, now + length, job)
    waiting[job] = False
    return running + 1, started + 1


@kernel
def book(
    blocks, unbooked, before, coming, now, asked, future, steps, moments, booked, due, started,
    jobs, taken, start, end, promised,
):  # fmt: skip
    """Promise their starts to the new blocks that came before a place in the order, or refuse them.

    Returns the counts of what is still to be booked, and of what it was given.
    """
    told = 0
    while told < unbooked and blocks.new[told] < before:
        job = coming[blocks.new[told]]
        told += 1
        at_earliest = max(now, asked.earliest[job])
        instant, stop = earliest(job, at_earliest, future, steps, moments, jobs, taken)
        if instant > asked.latest[job]:
            start[job] = end[job] = np.nan
            started += 1
            continue
        promised[job] = future.since[job] = instant
        future.until[job] = stop
        copy(taken, future.allocation[job])
        steps, moments = hold(future, steps, moments, job)
        blocks.booked[booked] = job
        booked += 1
        due = min(due, instant)
    for i in range(told, unbooked):
        blocks.new[i - told] = blocks.new[i]
    return unbooked - told, steps, moments, booked, due, started


@kernel
def start_due(blocks, booked, head, now, future, moments, clock, running, waiting, started):
    """Start the blocks whose instant has come, and a head that takes no time.

    Those without length go first. Returns whether all could start, the head, and the counts.
    """
    since, until, could = future.since, future.until, True
    for lasting in range(2):
        for i in range(booked):
            job = blocks.booked[i]
            if could and since[job] <= now and (until[job] > now) == (lasting == 1):
                could = fits(future.allocation[job], clock.idle)
                if could:
                    running, started = set_off(job, now, clock, running, started, waiting)
                    moments = drop(future.moments, moments, job)
                    since[job] = np.inf
        if could and lasting == 0 and head >= 0 and until[head] <= now:
            could = fits(future.allocation[head], clock.idle)
            if could:
                running, started = set_off(head, now, clock, running, started, waiting)
                head = -1
    left = 0
    for i in range(booked):
        blocks.booked[left] = blocks.booked[i]
        left += since[blocks.booked[i]] < np.inf
    return could, head, running, moments, left, started


@kernel
def pass_head(
    head, now, future, steps, moments, jobs, clock, running, waiting, started, work, trees, taken,
    left,
):  # fmt: skip
    """Start those behind the head that leave it the start that it has; return the counts."""
    begin, free, since, until, allocation, _ = future
    parts, keys, expected, rule = jobs[:4]
    job, n, shadow, changed, left_until = head, len(waiting), since[head], True, np.inf
    while True:
        if changed:
            set_room(work.idle, rule.request, parts.shape[1], work.room)
            copy(free[find(begin, steps, shadow)], work.spare)
            left_until = starting(head, shadow, future, steps, moments, jobs, left)
            if left_until < np.inf:
                leave_for(head, parts, rule.request, work)
            else:
                for c in range(len(left)):
                    work.spare[c] = max(work.spare[c] - allocation[head, c], 0)
                set_room(work.spare, rule.request, parts.shape[1], work.beside)
            changed = False
        job = first_passing(  # all who wait are in the trees, and none is in a list
            trees, keys, expected.least, waiting, job + 1, n, future.moments[:0], work.room,
            work.beside, now, shadow,
        )  # fmt: skip
        if job < 0:
            return steps, moments, running, started
        keeps = left_until == np.inf  # it fits elsewhere only, and keeps what it has
        if keeps:
            steps, moments = hold(future, steps, moments, head)
        stop = starting(job, now, future, steps, moments, jobs, taken)
        if keeps:
            steps, moments = release(future, steps, moments, head)
        if stop == np.inf or not fits(taken, work.idle):
            continue
        steps = take(begin, free, steps, now, stop, taken, 1)
        if not keeps:
            if stop > shadow:
                left_until = starting(head, shadow, future, steps, moments, jobs, left)
            if left_until == np.inf:
                steps = take(begin, free, steps, now, stop, taken, -1)
                changed = True
                continue
            until[head] = left_until
            copy(left, allocation[head])
        until[job], changed = stop, True
        copy(taken, allocation[job])
        running, started = set_off(job, now, clock, running, started, waiting)
