"""The loop of EASY backfilling.

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

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.arguments import new_state
from coalloc_lib.engines.kernels.events import (
    STARTED,
    STOP,
    begin_job,
    insert,
    next_arrival,
    next_instant,
    pop,
    release,
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

#: The maximum length of the list of the latest arrivals. Searching this short list is faster than
#: searching the trees, which store all other waiting jobs.
OUTSIDE = 32
#: A named tuple of arrays with the running jobs, sorted by decreasing expected end.
#:
#: - `ends`: the expected ends.
#: - `jobs`: the job numbers.
#: - `allocation`: the number of processors of each job, running or not, in each cluster.
Plan = namedtuple("Plan", "ends jobs allocation")
#: A named tuple of arrays with numbers of processors during a run of EASY on c clusters. The shadow
#: is the planned start of the head of the queue. A key is the size of a job in the form that the
#: module `placing` defines.
#:
#: - `idle`, int64 (c,): the processors that are idle now.
#: - `room`: the largest keys that fit on the idle processors.
#: - `spare`, int64 (c,): the processors that are expected to be idle at the shadow.
#: - `without`: the largest keys that fit on the spare processors that a given job leaves.
#: - `beside`: an upper bound on the keys of jobs that can run beside the head at the shadow.
#: - `held`, int64 (c,): scratch space.
Work = namedtuple("Work", "idle room spare without beside held")
#: A named tuple of arrays for a run of EASY with n jobs.
#:
#: - `state`: the variables of the main loop.
#: - `work`: a `Work`.
#: - `largest`: the largest job keys that fit in the empty system.
#: - `waiting`, bool (n,): whether each job is waiting.
#: - `last`, int64: the numbers of the latest arrivals that are waiting.
#: - `until`, float64 (n,): the expected ends of the jobs.
#: - `ends` and `numbers`: a heap of the running jobs by their ends, with the job numbers.
#: - `plan`: a `Plan`.
Arrays = namedtuple("Arrays", "state work largest waiting last until ends numbers plan")
#: A named tuple with all data of a run of EASY: the arguments, the results (`columns`) and the
#: working arrays. `coming` has the job numbers in order of arrival, and `trees` has the search
#: trees of the waiting jobs.
Run = namedtuple("Run", "stream coming expected rule options columns arrays trees")
#: The names of the variables of the main loop of EASY. `now`: the present instant.
#: `is_same_instant`: whether the next iteration is at the same instant. `arrived`, `started` and
#: `running`: how many jobs have arrived, have started and are running. `departed`: whether a job
#: has left at the present instant. `head`: the number of the job at the head of the queue.
#: `candidate`: the lowest number of a job that can be examined next. `listed`: the length of the
#: list of the latest arrivals. `outside`: the lowest job number that can be in the list of the
#: latest arrivals. `shadow`: the planned start of the head. `is_planned`: whether the shadow and
#: the spare processors are up to date. `on_one`: whether the head needs a single cluster at the
#: shadow. `at_head`: whether the head is examined next. `has_passed`: whether a job has overtaken
#: the head since the head was examined. `is_changed`: whether `Work.beside` must be computed again.
TIMES = "now shadow"
NUMBERS = "arrived started running head candidate listed outside"
FLAGS = "is_same_instant departed is_planned on_one at_head has_passed is_changed"


def new_arrays(
    allocation: np.ndarray, idle: np.ndarray, keys: np.ndarray, rule: Rule, is_in_turn: bool
) -> Arrays:
    """Create the working arrays for a run of EASY.

    Parameters
    ----------
    allocation : ndarray of int32, shape (n, c)
        The array into which the run will write the processors of each job in each cluster.
    idle : ndarray of int64, shape (c,)
        The number of processors of each cluster.
    keys : ndarray of int32
        The keys of the jobs; see `placing`.
    rule : Rule
        The placement.
    is_in_turn : bool
        Whether the queue is in order of arrival.
    """
    n, capacity = len(keys), min(len(keys), int(idle.sum()))
    state = new_state(TIMES, NUMBERS, FLAGS)
    state.is_same_instant = True
    state.shadow = np.inf
    state.head = state.outside = 0 if is_in_turn else n
    room, without, beside, largest = (empty_room(keys, rule) for _ in range(4))
    work = Work(idle, room, np.empty_like(idle), without, beside, np.empty_like(idle))
    ends, numbers = np.empty((2, capacity)), np.empty((2, capacity), np.int64)
    return Arrays(
        state=state,
        work=work,
        largest=largest,
        waiting=np.zeros(n, np.bool_),
        last=np.empty(OUTSIDE, np.int64),
        until=np.empty(n),
        ends=ends[0],
        numbers=numbers[0],
        plan=Plan(ends[1], numbers[1], allocation),
    )


@kernel
def run_easy(run, watch):
    """Simulate EASY backfilling, and write the results into `run.columns`.

    Returns the number of jobs that started. It is below n if a job can never fit.
    """
    submit, parts, work = run.stream.submit, run.stream.parts, run.arrays.work
    state = run.arrays.state[0]
    set_room(work.idle, run.rule.request, parts.shape[1], run.arrays.largest)
    while state.started < len(submit) and not watch[STOP]:
        watch[STARTED] = state.started
        if not advance(run, state):
            break
        started_before = state.started
        start_jobs(run, state)
        # With a backlog, the number of waiting jobs is constant, so a new job enters the queue
        # whenever a job starts.
        is_held = run.options.backlog > 0 and state.arrived < len(submit)
        state.is_same_instant = is_held and state.started > started_before
    return state.started


@kernel(forceinline=True)
def advance(run, state):
    """Advance to the next event: remove jobs that have ended, and admit new jobs to the queue.

    Returns False if no job will arrive or leave again.
    """
    submit, options, arrays = run.stream.submit, run.options, run.arrays
    if not state.is_same_instant:
        state.now = next_instant(arrays.ends, state.running, submit, state.arrived, options.backlog)
        if state.now == np.inf:
            return False
    depart_as_planned(arrays, state)
    before = state.arrived
    state.arrived = next_arrival(submit, before, state.now, state.started, options.backlog)
    first = admit(run, state, run.coming[before : state.arrived])
    state.is_planned = state.is_planned and not state.departed
    if not options.is_in_turn and first < state.head:
        state.head, state.is_planned = first, False
    # If no job has left, the jobs ahead of the first new job need not be examined again.
    is_from_head = state.departed or options.is_adaptive > 0
    state.candidate = state.head if is_from_head else first
    return True


@kernel(forceinline=True)
def depart_as_planned(arrays, state):
    """Remove jobs that have ended from the list of running jobs, and release their processors."""
    ends, numbers, plan, running = arrays.ends, arrays.numbers, arrays.plan, state.running
    state.departed = False
    while running and ends[0] <= state.now:
        gone = pop(ends, numbers, running)
        remove(plan.ends, plan.jobs, running, arrays.until[gone], gone)
        release(plan.allocation[gone], arrays.work.idle)
        running -= 1
        state.departed = True
    state.running = running


@kernel(forceinline=True)
def admit(run, state, newcomers):
    """Add new jobs to the queue, and return the lowest number of a new job.

    In order of arrival, they are appended to the list of the last arrivals. If the list is full,
    its jobs are first moved to the trees. In other orders, the new jobs are entered into the trees
    immediately. Without new jobs, the result is the number of all jobs of the run.
    """
    waiting, last = run.arrays.waiting, run.arrays.last
    first = len(waiting)
    for newcomer in newcomers:
        waiting[newcomer], run.columns.entered[newcomer] = True, state.now
        first = min(first, newcomer)
        if run.options.is_in_turn:
            if state.listed == OUTSIDE:
                for job in last:
                    enter_trees(run, job)
                state.listed, state.outside = 0, newcomer
            last[state.listed] = newcomer
            state.listed += 1
        else:
            enter_trees(run, newcomer)
    return first


@kernel(forceinline=True)
def enter_trees(run, job):
    """Enter a waiting job into the two search trees of the waiting jobs."""
    enter(run.trees.keys, run.stream.keys, job)
    enter(run.trees.least, run.expected.least, job)


@kernel(forceinline=True)
def start_jobs(run, state):
    """Start the head of the queue and jobs that may overtake it until no further job may start."""
    options, work, width = run.options, run.arrays.work, run.stream.parts.shape[1]
    state.at_head, state.has_passed, state.is_changed = True, False, True
    set_room(work.idle, run.rule.request, width, work.room)
    stop = state.arrived if options.is_in_turn else len(run.stream.submit)
    while state.head < stop:
        job = next_candidate(run, state)
        if job >= 0:
            if may_start(run, state, job):
                start_job(run, state, job, stop)
            state.candidate = job + 1
        elif state.has_passed and options.has_choice:
            # Examine all waiting jobs again. Because other jobs have started, a job that would have
            # delayed the head may now get other clusters, on which it does not delay the head.
            state.candidate, state.at_head, state.has_passed = state.head, True, False
            state.is_planned = state.is_planned and not options.is_adaptive
        else:
            break


@kernel(forceinline=True)
def next_candidate(run, state):
    """Return the number of the job to examine next, or -1 if no further job may start.

    This is the head of the queue if it can start, and otherwise the next job that the search in the
    trees and in the list of the last arrivals finds.
    """
    keys, parts, arrays, head = run.stream.keys, run.stream.parts, run.arrays, state.head
    work, now = arrays.work, state.now
    if state.at_head and fits(keys[head], work.room) and not waits_for_one(run, state, head):
        return head
    state.at_head = False  # The head does not start before the other jobs were examined.
    if not state.is_planned:
        more = more_time(run, head)
        promise, state.shadow, state.on_one = plan_head(
            keys, parts, head, more, now, run.rule, run.options, arrays.plan, state.running, work
        )
        state.is_planned = state.is_changed = True
        if np.isnan(run.columns.promised[head]):
            run.columns.promised[head] = promise
    if state.is_changed:
        leave_for(head, parts, run.rule.request, work)
        state.is_changed = False
    begin, last = max(state.candidate, head + 1), arrays.last[: state.listed]
    queue = keys, run.expected.least, arrays.waiting
    test = work.room, work.beside, now, state.shadow
    return first_passing(run.trees, queue, begin, state.outside, last, test)


@kernel(forceinline=True)
def more_time(run, job):
    """Return how much longer a job is expected to run on two clusters than on one cluster."""
    return run.expected.spanning[job, 0] - run.expected.alone[job]


@kernel(forceinline=True)
def waits_for_one(run, state, job):
    """Return whether an adaptive policy lets a job wait for a single cluster."""
    if not run.options.is_adaptive:
        return False
    until, parts = state.now + more_time(run, job), run.stream.parts[job]
    plan, work = run.arrays.plan, run.arrays.work
    return fits_soon(parts, run.rule.request, until, plan, state.running, work)


@kernel(forceinline=True)
def may_start(run, state, job):
    """Place a job that fits, and return whether the job may start on its allocation.

    The head of the queue may start. Another job may start if it does not delay the head. If a job
    may not start, its allocation is set to zeros again.
    """
    rule, arrays, expected = run.rule, run.arrays, run.expected
    keys, parts, taken = run.stream.keys, run.stream.parts, run.columns.allocation[job]
    idle, until = arrays.work.idle, arrays.until
    place(parts[job], rule.request, rule.choice, rule.single, rule.order, idle, taken)
    until[job] = state.now + time_on(taken, job, expected.alone, expected.spanning)
    if job == state.head:
        return True
    if not waits_for_one(run, state, job) and (
        until[job] <= state.shadow
        or leaves_room(state.head, keys, parts, rule.request, state.on_one, taken, arrays.work)
    ):
        return True
    taken[:] = 0
    return False


@kernel(forceinline=True)
def start_job(run, state, job, stop):
    """Start a job on its allocation.

    All jobs that have arrived have numbers below `stop`.
    """
    arrays, work, plan = run.arrays, run.arrays.work, run.arrays.plan
    insert(plan.ends, plan.jobs, state.running, arrays.until[job], job)
    state.running = begin_job(
        job,
        state.now,
        run.stream,
        run.columns,
        work.idle,
        arrays.ends,
        arrays.numbers,
        state.running,
    )
    set_room(work.idle, run.rule.request, run.stream.parts.shape[1], work.room)
    state.is_changed = True
    state.started += 1
    arrays.waiting[job] = False
    if job >= state.outside:
        state.listed = strike(arrays.last, state.listed, job)
    if job == state.head:
        state.is_planned = False
        state.head = next_head(run, state.head, stop)
    else:
        state.has_passed = True


@kernel(forceinline=True)
def next_head(run, head, stop):
    """Return the number of the new head of the queue, or `stop` if the queue is empty."""
    waiting, n = run.arrays.waiting, len(run.arrays.waiting)
    if not run.options.is_in_turn:  # The next waiting job may have a much higher number.
        head = first_fitting(
            run.trees.keys, run.stream.keys, waiting, head, n, n, run.arrays.largest
        )
        head = n if head < 0 else head
    while head < stop and not waiting[head]:
        head += 1
    return head


@kernel(forceinline=True)
def strike(last, listed, job):
    """Remove a job from the list of the latest arrivals, and return how many jobs remain."""
    position = 0
    while last[position] != job:
        position += 1
    for i in range(position, listed - 1):
        last[i] = last[i + 1]
    return listed - 1


@kernel(forceinline=True)
def plan_head(keys, parts, head, more, now, rule, options, plan, running, work):
    """Plan the start of the head of the queue, and store how many processors are idle then.

    `more` is how much longer the head would run on two clusters than on one. Returns the promised
    start, the planned start, and whether the head needs a single cluster at the planned start.
    """
    if options.is_adaptive:
        return choose_shadow(keys[head], parts[head], more, now, rule.request, plan, running, work)
    shadow = cast_shadow(keys, head, rule.request, parts.shape[1], plan, running, work)
    return shadow, shadow, False


@kernel(forceinline=True)
def cast_shadow(keys, head, request, width, plan, running, work):
    """Return the earliest expected end of a running job at which the head of the queue fits.

    The processors that are expected to be idle then are written into `work.spare`.
    """
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
    """Return whether a job is expected to fit on a single cluster by `until`, but not now."""
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
    """Plan the start of the head of the queue under adaptive EASY.

    Returns the promised start, the planned start, and whether the head then needs a single cluster.
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
    """Store an upper bound on the keys of jobs that can run beside the head at its planned start.

    A job can run beside the head if it fits now and leaves enough processors for the head at the
    shadow. The bound is written into `work.beside`.
    """
    beside, left = work.beside, total(work.spare)
    if request == TOTAL:
        beside[0] = min(work.room[0], left - parts[head, 0])
        return
    copy(work.room, beside)
    for i in range(parts.shape[1]):
        left -= parts[head, i]
        if request == ORDERED:
            beside[i] = min(beside[i], work.spare[i] - parts[head, i])
    # The remaining entries of `beside` are upper limits on the total size of a job.
    for i in range(min(parts.shape[1], len(beside) - 1), len(beside)):
        beside[i] = min(beside[i], left)


@kernel(forceinline=True)
def leaves_room(head, keys, parts, request, on_one, taken, work):
    """Return whether the head fits at its planned start beside a job with the allocation `taken`.

    If so, the processors in `taken` are subtracted from the spare processors.
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
