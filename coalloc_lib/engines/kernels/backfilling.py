"""The loops of EASY and conservative backfilling.

**EASY.** The promise to the head of the queue, its *shadow*, and what is spare then hold until a
job leaves or another job heads the queue: who passes ends by the promised start, or is taken off
what is spare then. Nor can a job that was passed over pass while less is idle and all ends are
later: after an arrival only the new jobs are looked at. Where a placement has a choice of clusters,
though, a job may be placed out of the head's way once others have started; then the queue is gone
through again. Who waits for one cluster may lose hope of it when others start: then all are looked
at again. The head, too, may lose hope while the others are gone through; it starts after that.
A job that `queue_tree` lets through is placed, and then examined exactly.

Jobs are numbered as they stand in the queue. Where that is not the order of arrival, `coming` has
their numbers in order of arrival, in which the submissions of the `Stream` are too. Newcomers are
then entered into the trees at once, and one that comes before the head takes its place. Else the
last who wait stand in a list and are gone through one by one: most start before they are in a tree.

**Conservative.** The waiting jobs are in a list, in the order of the queue. When jobs have left,
each waiting job is offered an earlier start, as if it had given up its reservation. The steps (see
`profile_steps`) change only if the job moves, and only where its old and its new reservation
differ. A job can get an earlier start only where processors came free since it was last asked. All
such times end by `reach`: the latest end of what ended jobs left unused or moved jobs gave up.
Until a job has moved, jobs that need more processors than are ever idle before `reach` need not be
asked. This holds if the length of a job does not depend on where it is placed; otherwise every job
is asked. If jobs end early, most jobs move whenever one leaves, so the time is at least quadratic
in the length of the queue. Blocks of steps keep the cost of one job from growing with it.
"""

from collections import namedtuple

import numpy as np
from numba.extending import register_jitable

from coalloc_lib.basics.compilation import takes_fixed
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
from coalloc_lib.engines.kernels.profile_steps import (
    Reserved,
    drop,
    earliest,
    forget,
    most_idle,
    move,
    new_steps,
    take,
    with_room,
)
from coalloc_lib.engines.kernels.queue_tree import NEVER, enter, first_fitting, first_passing

#: So many waiting jobs may be outside the trees: a short queue is gone through faster as a list.
OUTSIDE = 32
#: How long jobs are expected to run on one cluster, float64 (n,), on 2, 3, ..., (n, k), and the
#: least that is possible of each, float64 (n, 1).
Expected = namedtuple("Expected", "alone spanning least")
#: The length at which the queue is held (0: it is not); whether the clusters that a job gets may
#: depend on who started before it; whether how long it takes does not; whether a job that would
#: span waits for one cluster that is expected to hold it soon (EASY only); whether the queue is in
#: order of arrival.
Policy = namedtuple("Policy", "backlog has_choice is_fixed is_adaptive is_in_turn")
takes_fixed(Policy)
#: The running jobs by the ends that are expected of them, the last to end first: these ends and the
#: jobs, of which the first so many are in use, and the processors of all jobs.
Plan = namedtuple("Plan", "ends jobs allocation")
#: What is idle, int64 (c,), and `room` for keys on it; what is `spare` at the promised start of the
#: head, and the room on it `without` a job that would pass; the room `beside` the head, for jobs
#: that pass; and what is `held` up to some end, int64 (c,).
Work = namedtuple("Work", "idle room spare without beside held")
#: The earliest and the latest start that each job asks for, float64 (n,), and whether its
#: reservation is fixed because it asks for a later or a latest start, bool (n,).
Asked = namedtuple("Asked", "earliest latest is_fixed")
#: What a run of EASY works in: `idle`, its `Work`, the room on the `largest` system, which jobs are
#: `waiting`, the last of them in a list, `until` when each is expected to run, the heap of
#: departures, and the `Plan`.
Arrays = namedtuple(
    "Arrays", "idle work largest waiting last until ends numbers plan_ends plan_jobs"
)


def new_arrays(n: int, idle: np.ndarray, keys: np.ndarray, rule: Rule) -> Arrays:
    """Return the working arrays for so many jobs on clusters with so many processors."""
    work, largest, capacity = new_work(idle, keys, rule), empty_room(keys, rule), min(n, idle.sum())
    ends, numbers = np.empty((2, capacity)), np.empty((2, capacity), np.int64)
    of_jobs = np.zeros(n, np.bool_), np.empty(OUTSIDE, np.int64), np.empty(n)
    return Arrays(idle, work, largest, *of_jobs, ends[0], numbers[0], ends[1], numbers[1])


@kernel
def run_easy(
    stream, coming, expected, rule, policy, arrays, trees, start, end, entered, allocation,
    promised, watch,
):  # fmt: skip
    """Run the jobs of a `Stream` as `queue_order.run` does; write the first promises, too."""
    submit, runtime, spanning, parts, keys = stream
    n, width, request = len(submit), parts.shape[1], rule.request
    idle, work, largest, waiting, last, until, ends, numbers = arrays[:8]
    plan = Plan(arrays.plan_ends, arrays.plan_jobs, allocation)
    set_room(idle, request, width, largest)
    head = 0 if policy.is_in_turn else n
    arrived = started = running = listed = 0
    outside = 0 if policy.is_in_turn else n  # from this job on, who waits is listed
    now, shadow, again, known, on_one = 0.0, np.inf, True, False, False
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not again:
            now = next_instant(ends, running, submit, arrived, policy.backlog)
            if now == np.inf:
                break
        departed = False
        while running and ends[0] <= now:
            gone = pop(ends, numbers, running)
            remove(plan.ends, plan.jobs, running, until[gone], gone)
            running -= 1
            for c in range(len(idle)):
                idle[c] += allocation[gone, c]
            departed = True
        fresh, already = arrived, started
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        for newcomer in coming[fresh:arrived]:
            waiting[newcomer], entered[newcomer] = True, now
            if policy.is_in_turn:
                if listed == OUTSIDE:
                    for job in last:
                        enter(trees.keys, keys, job)
                        enter(trees.least, expected.least, job)
                    listed, outside = 0, newcomer
                last[listed] = newcomer
                listed += 1
        known = known and not departed
        first, stop = fresh, arrived
        if not policy.is_in_turn:
            first = stop = n
            for newcomer in coming[fresh:arrived]:
                enter(trees.keys, keys, newcomer)
                enter(trees.least, expected.least, newcomer)
                first = min(first, newcomer)
            if first < head:
                head, known = first, False
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
                at_head = False  # until the queue has been gone through
                if not known:
                    if policy.is_adaptive:
                        promise, shadow, on_one = choose_shadow(
                            keys[head], parts[head], more, now, request, plan, running, work
                        )
                    else:
                        shadow = cast_shadow(keys, head, request, width, plan, running, work)
                        promise = shadow
                    known = changed = True
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
                    known = known and not policy.is_adaptive
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
                known = False
                if not policy.is_in_turn:  # the next may be far
                    head = first_fitting(trees.keys, keys, waiting, head, n, n, largest)
                    head = n if head < 0 else head
                while head < stop and not waiting[head]:
                    head += 1
            else:
                passed = True
            job += 1
        again = policy.backlog > 0 and started > already and arrived < n
    return started


@register_jitable
def new_work(idle, keys, rule):
    """Return the `Work` of a system whose idle processors are `idle`."""
    room, without, beside = empty_room(keys, rule), empty_room(keys, rule), empty_room(keys, rule)
    return Work(idle, room, np.empty_like(idle), without, beside, np.empty_like(idle))


@kernel(forceinline=True)
def strike(last, listed, job):
    """Take a job off the list; return how many are left."""
    place = 0
    while last[place] != job:
        place += 1
    for i in range(place, listed - 1):
        last[i] = last[i + 1]
    return listed - 1


@kernel(forceinline=True)
def cast_shadow(keys, head, request, width, plan, running, work):
    """Return the first end of the plan after which the head fits; write what is spare then."""
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
    """Whether no cluster holds parts of these sizes now, and one is expected to by an instant."""
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
    """Return the promise to the head, when it is to start, and whether it needs one cluster then.

    It starts where it fits first, unless one cluster holds it no `more` than so much later. Writes
    what is spare then, as `cast_shadow` does.
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
    """Write into `beside` a bound on keys that fit now and leave what the head needs."""
    beside, left = work.beside, total(work.spare)
    if request == TOTAL:
        beside[0] = min(work.room[0], left - parts[head, 0])
        return
    copy(work.room, beside)
    for i in range(parts.shape[1]):
        left -= parts[head, i]
        if request == ORDERED:
            beside[i] = min(beside[i], work.spare[i] - parts[head, i])
    for i in range(min(parts.shape[1], len(beside) - 1), len(beside)):  # for a whole job
        beside[i] = min(beside[i], left)


@kernel(forceinline=True)
def leaves_room(head, keys, parts, request, on_one, taken, work):
    """Take an allocation off what is spare, if the head then still fits; return whether."""
    spare = work.spare
    for c in range(len(spare)):
        spare[c] -= taken[c]
    set_room(spare, request, parts.shape[1], work.without)
    if fits(keys[head], work.without) and (not on_one or fits_on_one(parts[head], request, spare)):
        return True
    for c in range(len(spare)):
        spare[c] += taken[c]
    return False


@kernel(makes_arrays=True)
def run_conservative(
    stream, coming, expected, asked, rule, policy, idle, levels, start, end, entered, allocation,
    promised, watch,
):  # fmt: skip
    """Run the jobs of a `Stream` as `run_easy` does; `levels`, int64, are those of the steps."""
    submit, runtime, spanning, parts, keys = stream
    n = len(submit)
    room, least = empty_room(keys, rule), np.empty_like(idle)
    taken, capacity = np.empty(len(idle), np.int32), min(n, idle.sum())
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    steps = new_steps(idle, levels)
    since, until = np.full(n, np.inf), np.full(n, np.inf)
    reserved = Reserved(since, until, allocation)
    whole = keys.shape[1] - 1
    how = (rule.request, parts.shape[1], whole, room)
    queue, called, momentary = np.empty((3, n), np.int64)
    arrived = started = running = waiting = moments = 0
    now, due, reach, again = 0.0, np.inf, np.inf, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not again:
            now = min(due, next_instant(ends, running, submit, arrived, policy.backlog))
            if now == np.inf:
                break
        forget(steps, now)
        departed = running > 0 and ends[0] <= now
        while running and ends[0] <= now:
            gone = pop(ends, numbers, running)
            running -= 1
            for c in range(len(idle)):
                idle[c] += allocation[gone, c]
            steps = with_room(steps, 2)
            take(steps, now, until[gone], allocation[gone], -1, *how)
            reach = max(reach, until[gone])
        fresh, already, old = arrived, started, waiting
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        for newcomer in coming[fresh:arrived]:
            queue[waiting], entered[newcomer] = newcomer, now
            settle(queue, old, waiting)
            waiting += 1

        # Who waits is offered an earlier start, if jobs have left; who has come, a first one.
        last_reach = reach
        if departed:
            reach = now if policy.is_fixed else np.inf
        offers = departed and last_reach > now
        most = most_idle(steps, now, last_reach) if offers else 0
        is_refused = False
        at = -1 if offers else old - 1
        while True:
            at = next_asked(queue, at + 1, old, asked.is_fixed, keys, most)
            if at >= waiting:
                break
            job, is_new = queue[at], at >= old
            before = np.inf if is_new else min(since[job], last_reach)
            begin, stop = earliest(
                job, steps, max(now, asked.earliest[job]), before, reserved, momentary, moments,
                parts, keys, expected, rule, least, room, taken,
            )  # fmt: skip
            if asked.latest[job] < begin < np.inf:
                start[job] = end[job] = np.nan
                since[job], is_refused = -np.inf, True
                started += 1
                continue
            if begin == np.inf:
                continue
            steps = with_room(steps, 4)
            if is_new:
                promised[job] = begin
                take(steps, begin, stop, taken, 1, *how)
            else:
                last_reach, reach = max(last_reach, until[job]), max(reach, until[job])
                moments = drop(momentary, moments, job)
                move(steps, since[job], until[job], begin, stop, allocation[job], taken, how)
                most = NEVER  # what it leaves may lengthen what is idle before
            since[job], until[job] = begin, stop
            allocation[job] = taken
            if begin == stop:
                momentary[moments] = job
                moments += 1
            due = min(due, begin)

        for at in range(old, waiting):
            settle(queue, 0, at)
        if is_refused:
            waiting, due = close_up(queue, waiting, since)
        # Who is due starts, until one finds its processors held by jobs that take no time.
        if due <= now:
            to_start, begun = list_due(queue, waiting, since, until, now, called), 0
            while begun < to_start and fits(allocation[called[begun]], idle):
                job = called[begun]
                for c in range(len(idle)):
                    idle[c] -= allocation[job, c]
                start[job], end[job] = now, now + time_on(allocation[job], job, runtime, spanning)
                push(ends, numbers, running, end[job], job)
                running += 1
                begun += 1
                since[job] = -np.inf
                moments = drop(momentary, moments, job)
            started += begun
            waiting, due = close_up(queue, waiting, since)
            if begun < to_start and not (running and ends[0] == now):
                break
        again = policy.backlog > 0 and started > already and arrived < n
    return started


@kernel
def next_asked(queue, at, old, is_fixed, keys, most):
    """Return the place of the next job in the list, from `at` on, that may start earlier.

    Fixed reservations do not move, and jobs of more processors than `most` find no room. The result
    is `old` or more if no job is left.
    """
    whole = keys.shape[1] - 1
    while at < old and (is_fixed[queue[at]] or keys[queue[at], whole] > most):
        at += 1
    return at


@kernel
def settle(queue, lowest, place):
    """Move the number at a place down to where it belongs among those from `lowest` on."""
    number = queue[place]
    while place > lowest and queue[place - 1] > number:
        queue[place] = queue[place - 1]
        place -= 1
    queue[place] = number


@kernel
def list_due(queue, waiting, since, until, now, called):
    """Write the jobs that are due into `called`, those of no time first; return how many."""
    count = 0
    for takes_time in range(2):
        for job in queue[:waiting]:
            if since[job] <= now and (until[job] > now) == (takes_time > 0):
                called[count] = job
                count += 1
    return count


@kernel
def close_up(queue, waiting, since):
    """Strike the started jobs off the list; return how many wait now, and when the next is due."""
    left, due = 0, np.inf
    for job in queue[:waiting]:
        if since[job] > -np.inf:
            queue[left], due = job, min(due, since[job])
            left += 1
    return left, due
