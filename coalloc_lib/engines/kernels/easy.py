"""The loop of EASY backfilling.

Jobs are numbered in the order of the queue. If this is not the order of arrival, the array `coming`
has the numbers of the jobs in order of arrival, and the submissions in the `Stream` are in order of
arrival too.

The *shadow* is the planned start of the head of the queue, and the *spare* processors are
those that are expected to be idle at the shadow, including those that the head will take. The loop
avoids work in these ways:

- The shadow and the spare processors are computed again only when a job leaves or another job
  becomes the head. They remain valid in between: a job that overtakes the head either ends by the
  shadow, or its processors are subtracted from the spare ones.
- As long as no job leaves, a job that could not overtake the head before cannot do so later,
  because fewer processors are idle and all ends are later. After an arrival, only the new jobs are
  examined.
- The trees of `queue_tree` exclude most jobs. A job that they do not exclude is placed and then
  examined exactly.
- If the queue is in order of arrival, the last jobs that arrived are in a list, `last`, and are
  examined one by one. Most of them start before they would have to be entered into the trees. In
  other orders, new jobs are entered into the trees immediately.

In two cases, jobs that were examined before must be examined again. If the placement can choose
among clusters, a job that would have delayed the head may be placed on other clusters after other
jobs have started. If the policy is adaptive, a job that waits for a single cluster may no longer be
able to start there soon after other jobs have started. This can also happen to the head; it is
examined again after the other jobs.
"""

from collections import namedtuple

import numpy as np
from numba.extending import register_jitable

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.events import (
    STARTED,
    STOP,
    insert,
    next_arrival,
    next_instant,
    pop,
    push,
    remove,
    time_on,
)
from coalloc_lib.engines.kernels.placing import (
    ORDERED,
    TOTAL,
    Rule,
    copy,
    empty_room,
    fits,
    fits_on_one,
    place,
    set_room,
    total,
)
from coalloc_lib.engines.kernels.queue_tree import enter, first_fitting, first_passing

#: The maximal number of waiting jobs in the list of the last arrivals. A short queue is searched
#: faster as a list than in the trees.
OUTSIDE = 32
#: The running jobs, sorted by decreasing expected end: `ends` has the expected ends, and `jobs` the
#: numbers of the jobs. `allocation` has the processors of all jobs of the run.
Plan = namedtuple("Plan", "ends jobs allocation")
#: Numbers of processors. `idle`, int64 (c,): those that are idle now. `room`: the room that they
#: offer to a key. `spare`, int64 (c,): the spare processors at the shadow. `without`: the room that
#: the spare processors offer without those of a job that would overtake the head. `beside`: an
#: upper bound on the keys of jobs that can run beside the head at the shadow. `held`, int64 (c,):
#: scratch space.
Work = namedtuple("Work", "idle room spare without beside held")
#: The arrays of a run of EASY. `idle` and `work`: see `Work`. `largest`: the room of the empty
#: system. `waiting`, bool (n,): which jobs wait. `last`: the last arrivals. `until`, float64 (n,):
#: the expected ends. `ends` and `numbers`: the heap of departures. `plan_ends` and `plan_jobs`: see
#: `Plan`.
Arrays = namedtuple(
    "Arrays", "idle work largest waiting last until ends numbers plan_ends plan_jobs"
)


def new_arrays(n: int, idle: np.ndarray, keys: np.ndarray, rule: Rule) -> Arrays:
    """Return the arrays of a run of EASY for n jobs on clusters with `idle` processors."""
    work, largest, capacity = new_work(idle, keys, rule), empty_room(keys, rule), min(n, idle.sum())
    ends, numbers = np.empty((2, capacity)), np.empty((2, capacity), np.int64)
    of_jobs = np.zeros(n, np.bool_), np.empty(OUTSIDE, np.int64), np.empty(n)
    return Arrays(idle, work, largest, *of_jobs, ends[0], numbers[0], ends[1], numbers[1])


@kernel
def run_easy(
    stream, coming, expected, rule, policy, arrays, trees, start, end, entered, allocation,
    promised, watch,
):  # fmt: skip
    """Run EASY on a `Stream` of jobs, with the same results as `queue_order.run`.

    The first promised start of each job is written into `promised`, float64 (n,). The function is
    long because nearly all variables change together in its loop.
    """
    submit, runtime, spanning, parts, keys = stream
    n, width, request = len(submit), parts.shape[1], rule.request
    idle, work, largest, waiting, last, until, ends, numbers = arrays[:8]
    plan = Plan(arrays.plan_ends, arrays.plan_jobs, allocation)
    set_room(idle, request, width, largest)
    head = 0 if policy.is_in_turn else n
    arrived = started = running = listed = 0
    outside = 0 if policy.is_in_turn else n  # Waiting jobs from this number on are in `last`.
    now, is_same_instant = 0.0, True
    shadow, is_planned, on_one = np.inf, False, False  # The plan for the head of the queue.
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not is_same_instant:
            now = next_instant(ends, running, submit, arrived, policy.backlog)
            if now == np.inf:
                break
        running_before, arrived_before, started_before = running, arrived, started
        running = depart_as_planned(ends, numbers, running, now, until, plan, idle)
        departed = running < running_before
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        newcomers = coming[arrived_before:arrived]
        listed, outside, first = admit(
            newcomers, now, policy.is_in_turn, keys, expected, trees, waiting, entered, last,
            listed, outside,
        )  # fmt: skip
        is_planned = is_planned and not departed
        stop = arrived if policy.is_in_turn else n
        if not policy.is_in_turn and first < head:
            head, is_planned = first, False
        # Without a departure, the jobs before the first new one need not be examined again.
        job = head if departed or policy.is_adaptive else first
        at_head, passed, changed = True, False, True
        set_room(idle, request, width, work.room)
        while head < stop:
            more = expected.spanning[head, 0] - expected.alone[head]
            if at_head and fits(keys[head], work.room) and not (
                policy.is_adaptive
                and fits_soon(parts[head], request, now + more, plan, running, work)
            ):  # fmt: skip
                job = head
            else:
                at_head = False  # The head does not start before the other jobs were examined.
                if not is_planned:
                    promise, shadow, on_one = plan_head(
                        keys,
                        parts,
                        head,
                        more,
                        now,
                        request,
                        policy.is_adaptive,
                        plan,
                        running,
                        work,
                    )
                    is_planned = changed = True
                    if np.isnan(promised[head]):
                        promised[head] = promise
                if changed:
                    leave_for(head, parts, request, work)
                    changed = False
                job = first_passing(
                    trees, keys, expected.least, waiting, max(job, head + 1), outside,
                    last[:listed], work.room, work.beside, now, shadow,
                )  # fmt: skip
                if job < 0:
                    if not (passed and policy.has_choice):
                        break
                    job, at_head, passed = head, True, False
                    is_planned = is_planned and not policy.is_adaptive
                    continue
            taken = allocation[job]
            place(parts[job], request, rule.choice, rule.single, rule.order, idle, taken)
            until[job] = now + time_on(taken, job, expected.alone, expected.spanning)
            if job != head:
                more = expected.spanning[job, 0] - expected.alone[job]
                if (
                    policy.is_adaptive
                    and fits_soon(parts[job], request, now + more, plan, running, work)
                ) or (
                    until[job] > shadow
                    and not leaves_room(head, keys, parts, request, on_one, taken, work)
                ):
                    taken[:] = 0
                    job += 1
                    continue
            for c in range(len(idle)):
                idle[c] -= taken[c]
            set_room(idle, request, width, work.room)
            changed = True
            start[job], end[job] = now, now + time_on(taken, job, runtime, spanning)
            push(ends, numbers, running, end[job], job)
            insert(plan.ends, plan.jobs, running, until[job], job)
            running += 1
            started += 1
            waiting[job] = False
            if job >= outside:
                listed = strike(last, listed, job)
            if job == head:
                is_planned = False
                if not policy.is_in_turn:  # The next waiting job may have a much higher number.
                    head = first_fitting(trees.keys, keys, waiting, head, n, n, largest)
                    head = n if head < 0 else head
                while head < stop and not waiting[head]:
                    head += 1
            else:
                passed = True
            job += 1
        # A queue of constant length is refilled at the same instant.
        is_same_instant = policy.backlog > 0 and started > started_before and arrived < n
    return started


@kernel(forceinline=True)
def depart_as_planned(ends, numbers, running, now, until, plan, idle):
    """Remove the jobs that end by `now` from the heap and from the plan, and release processors.

    Returns the number of jobs that are still running.
    """
    while running and ends[0] <= now:
        gone = pop(ends, numbers, running)
        remove(plan.ends, plan.jobs, running, until[gone], gone)
        running -= 1
        for c in range(len(idle)):
            idle[c] += plan.allocation[gone, c]
    return running


@kernel(forceinline=True)
def admit(
    newcomers, now, is_in_turn, keys, expected, trees, waiting, entered, last, listed, outside
):
    """Enter new jobs into the queue of EASY.

    In order of arrival, they are appended to the list `last`. If the list is full, its jobs are
    first moved to the trees. In other orders, the new jobs are entered into the trees immediately.

    Returns the number of jobs in the list, the lowest number of a job that may be in the list, and
    the lowest number of a new job.
    """
    first = len(waiting)
    for newcomer in newcomers:
        waiting[newcomer], entered[newcomer] = True, now
        first = min(first, newcomer)
        if is_in_turn:
            if listed == OUTSIDE:
                for job in last:
                    enter(trees.keys, keys, job)
                    enter(trees.least, expected.least, job)
                listed, outside = 0, newcomer
            last[listed] = newcomer
            listed += 1
        else:
            enter(trees.keys, keys, newcomer)
            enter(trees.least, expected.least, newcomer)
    return listed, outside, first


@register_jitable
def new_work(idle, keys, rule):
    """Return a new `Work` for the idle processors in `idle`."""
    room, without, beside = empty_room(keys, rule), empty_room(keys, rule), empty_room(keys, rule)
    return Work(idle, room, np.empty_like(idle), without, beside, np.empty_like(idle))


@kernel(forceinline=True)
def strike(last, listed, job):
    """Remove a job from the list of the last arrivals; return the number of jobs that are left."""
    position = 0
    while last[position] != job:
        position += 1
    for i in range(position, listed - 1):
        last[i] = last[i + 1]
    return listed - 1


@kernel(forceinline=True)
def plan_head(keys, parts, head, more, now, request, is_adaptive, plan, running, work):
    """Plan the start of the head of the queue, and write the spare processors at this start.

    `more` is how much longer the head would run on two clusters than on one. Returns the promised
    start, the planned start, and whether the head needs a single cluster at the planned start.
    """
    if is_adaptive:
        return choose_shadow(keys[head], parts[head], more, now, request, plan, running, work)
    shadow = cast_shadow(keys, head, request, parts.shape[1], plan, running, work)
    return shadow, shadow, False


@kernel(forceinline=True)
def cast_shadow(keys, head, request, width, plan, running, work):
    """Return the first expected end after which the head fits; write the spare processors then."""
    whole, spare = keys.shape[1] - 1, work.spare
    if request == TOTAL and len(spare) == 1:
        spare[0] = work.idle[0]
        for i in range(running - 1, -1, -1):
            spare[0] += keys[plan.jobs[i], 0]
            if spare[0] >= keys[head, 0] and (i == 0 or plan.ends[i - 1] > plan.ends[i]):
                return plan.ends[i]
        return np.inf
    lacking = np.int64(keys[head, whole])
    for c in range(len(spare)):
        spare[c] = work.idle[c]
        lacking -= spare[c]
    for i in range(running - 1, -1, -1):
        job = plan.jobs[i]
        lacking -= keys[job, whole]
        for c in range(len(spare)):
            spare[c] += plan.allocation[job, c]
        if lacking <= 0 and (i == 0 or plan.ends[i - 1] > plan.ends[i]):
            set_room(spare, request, width, work.without)
            if fits(keys[head], work.without):
                return plan.ends[i]
    return np.inf


@kernel
def fits_soon(sizes, request, until, plan, running, work):
    """Return whether a job fits on a single cluster not now, but is expected to by an instant."""
    held = work.held
    copy(work.idle, held)
    if fits_on_one(sizes, request, held):
        return False
    for i in range(running - 1, -1, -1):
        if plan.ends[i] > until:
            return False
        for c in range(len(held)):
            held[c] += plan.allocation[plan.jobs[i], c]
        if fits_on_one(sizes, request, held):
            return True
    return False


@kernel
def choose_shadow(key, sizes, more, now, request, plan, running, work):
    """Plan the start of the head of the queue under adaptive EASY; return the same as `plan_head`.

    The planned start is the first one at which the head fits. If a single cluster can hold the head
    at most `more` later, the head is planned to start there instead. The spare processors are
    written.
    """
    first, held = np.inf, work.held
    copy(work.idle, held)
    set_room(held, request, len(sizes), work.without)
    if fits(key, work.without):
        first = now
        copy(held, work.spare)
    for i in range(running - 1, -1, -1):
        if plan.ends[i] > first + more:
            break
        for c in range(len(held)):
            held[c] += plan.allocation[plan.jobs[i], c]
        if i > 0 and plan.ends[i - 1] == plan.ends[i]:
            continue
        if fits_on_one(sizes, request, held):
            copy(held, work.spare)
            return plan.ends[i], plan.ends[i], more > 0
        set_room(held, request, len(sizes), work.without)
        if first == np.inf and fits(key, work.without):
            first = plan.ends[i]
            copy(held, work.spare)
    return first + more, first, False


@kernel(forceinline=True)
def leave_for(head, parts, request, work):
    """Write into `beside` an upper bound on keys that fit now and leave enough for the head."""
    beside, left = work.beside, total(work.spare)
    if request == TOTAL:
        beside[0] = min(work.room[0], left - parts[head, 0])
        return
    copy(work.room, beside)
    for i in range(parts.shape[1]):
        left -= parts[head, i]
        if request == ORDERED:
            beside[i] = min(beside[i], work.spare[i] - parts[head, i])
    # The entries after the parts are for the total number of processors of a job.
    for i in range(min(parts.shape[1], len(beside) - 1), len(beside)):
        beside[i] = min(beside[i], left)


@kernel(forceinline=True)
def leaves_room(head, keys, parts, request, on_one, taken, work):
    """Subtract an allocation from the spare processors if the head then still fits.

    Returns whether the head still fits.
    """
    spare = work.spare
    for c in range(len(spare)):
        spare[c] -= taken[c]
    set_room(spare, request, parts.shape[1], work.without)
    if fits(keys[head], work.without) and (not on_one or fits_on_one(parts[head], request, spare)):
        return True
    for c in range(len(spare)):
        spare[c] += taken[c]
    return False
