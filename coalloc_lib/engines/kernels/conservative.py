"""The loop of conservative backfilling.

The waiting jobs are in a list, in the order of the queue. After departures, each waiting job is
offered an earlier start, as if it had no reservation. The profile (see `profile_steps`) is changed
only if the job moves, and only where its old and its new reservation differ.

A job can move to an earlier start only if processors have become idle since it was last examined.
All times at which this happened are before `reach`: the latest end of the intervals that ended jobs
left unused or that moved jobs gave up. Until a job has moved, jobs that need more processors than
are ever idle before `reach` are skipped. This holds if the length of a job does not depend on where
it is placed; otherwise every job is examined.

If jobs end early, most waiting jobs move at every departure, so the run time is at least quadratic
in the length of the queue. The blocks of `profile_steps` keep the cost of one job from growing with
the length of the queue too.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.arguments import new_state
from coalloc_lib.engines.kernels.events import (
    STARTED,
    STOP,
    begin_job,
    next_arrival,
    next_instant,
    pop,
    release,
)
from coalloc_lib.engines.kernels.placing import copy, fits
from coalloc_lib.engines.kernels.profile_steps import (
    drop,
    earliest,
    forget,
    most_idle,
    move,
    new_steps,
    take,
    with_room,
)
from coalloc_lib.engines.kernels.queue_tree import NEVER

#: A named tuple of arrays with the requests of n jobs.
#:
#: - `earliest` and `latest`, float64 (n,): the earliest and the latest start of each job.
#: - `is_fixed`, bool (n,): whether the reservation of each job must not move. The reservations of
#:   jobs that ask for an earliest or a latest start must not move.
Asked = namedtuple("Asked", "earliest latest is_fixed")
#: A named tuple of arrays for a run with n jobs on c clusters.
#:
#: - `state`: the variables of the main loop.
#: - `idle`, int64 (c,): the number of idle processors of each cluster.
#: - `levels`, int64: the numbers of processors that the module `profile_steps` calls levels.
#: - `ends` and `numbers`: a heap of the running jobs by their ends, with the job numbers.
#: - `queue`, int64 (n,): the numbers of the waiting jobs.
#: - `called`, int64 (n,): the numbers of the jobs that start at the present instant.
Arrays = namedtuple("Arrays", "state idle levels ends numbers queue called")
#: A named tuple with all data of a run of conservative backfilling: the arguments, the results
#: (`columns`) and the working arrays. `coming` has the job numbers in order of arrival, and
#: `search` is a `profile_steps.Search`.
Run = namedtuple("Run", "stream coming asked options columns arrays search")
#: The names of the variables of the main loop of conservative backfilling. `now`: the present
#: instant. `is_same_instant`: whether the next iteration is at the same instant. `due`: the
#: earliest reserved start of a waiting job. `arrived`, `started`, `running` and `waiting`: how many
#: jobs have arrived, have started, are running and are waiting. `old`: how many jobs waited before
#: the arrivals of the present instant. `moments`: how many waiting jobs of length 0 have a
#: reservation. `departed` and `rejected`: whether a job has left or was rejected at the present
#: instant. `job`: the number of the job that left last. `position`: the queue position of the job
#: that is being examined. `begin` and `stop`: the start and the end found for the job that is being
#: examined. `reach`: the instant that the module docstring defines. `next_reach`: the value of
#: `reach` after the next departure. `most`: a job with more processors than this cannot move to an
#: earlier start.
TIMES = "now due begin stop reach next_reach"
NUMBERS = "arrived started running waiting old moments job position most"
FLAGS = "is_same_instant departed rejected"


def new_arrays(jobs: int, idle: np.ndarray, levels: np.ndarray) -> Arrays:
    """Create the working arrays for `jobs` jobs on clusters with `idle` processors each."""
    capacity, state = min(jobs, int(idle.sum())), new_state(TIMES, NUMBERS, FLAGS)
    state.is_same_instant = True
    state.due = state.next_reach = np.inf
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    queue, called = np.empty((2, jobs), np.int64)
    return Arrays(state, idle, levels, ends, numbers, queue, called)


@kernel(makes_arrays=True)
def run_conservative(run, watch):
    """Simulate conservative backfilling, and write the results into `run.columns`.

    Returns the number of jobs that started or were rejected. It is below n if a job can never fit.
    """
    n, state = len(run.stream.submit), run.arrays.state[0]
    steps = new_steps(run.arrays.idle, run.arrays.levels)
    while state.started < n and not watch[STOP]:
        watch[STARTED] = state.started
        if not advance(run, state):
            break
        forget(steps, state.now)
        while release_next(run, state):
            steps = with_room(steps, 2)
            free_reserved(run, state, steps)
        started_before = state.started
        enter_queue(run, state)
        # If jobs have left, waiting jobs are first moved to earlier starts. Then the new jobs get
        # their first reservations.
        begin_offers(run, state, steps)
        while find_earlier_start(run, state, steps):
            steps = with_room(steps, 4)
            move_reservation(run, state, steps)
        while find_first_start(run, state, steps):
            steps = with_room(steps, 4)
            reserve(run, state, steps)
        order_queue(run, state)
        if not start_due(run, state):
            break
        # With a backlog, the number of waiting jobs is constant, so a new job enters the queue
        # whenever a job starts.
        is_held = run.options.backlog > 0 and state.arrived < n
        state.is_same_instant = is_held and state.started > started_before
    return state.started


@kernel(forceinline=True)
def advance(run, state):
    """Advance to the next event; return False if no job will arrive, start or leave again."""
    ends, submit, backlog = run.arrays.ends, run.stream.submit, run.options.backlog
    if not state.is_same_instant:
        then = next_instant(ends, state.running, submit, state.arrived, backlog)
        state.now = min(state.due, then)
    state.departed = state.rejected = False
    return state.now < np.inf


@kernel(forceinline=True)
def release_next(run, state):
    """Release the processors of one job that has ended; return False if no job has ended."""
    arrays = run.arrays
    if not state.running or arrays.ends[0] > state.now:
        return False
    state.job = pop(arrays.ends, arrays.numbers, state.running)
    state.running -= 1
    state.departed = True
    release(run.columns.allocation[state.job], arrays.idle)
    return True


@kernel(forceinline=True)
def free_reserved(run, state, steps):
    """Mark the processors of an ended job as idle for the rest of its reservation."""
    until, taken = run.search.reserved.until[state.job], run.columns.allocation[state.job]
    take(steps, state.now, until, taken, -1, run.search.sizing)
    state.next_reach = max(state.next_reach, until)


@kernel(forceinline=True)
def enter_queue(run, state):
    """Append the new jobs to the queue, sorted among themselves in the order of the queue."""
    queue, before, submit = run.arrays.queue, state.arrived, run.stream.submit
    state.old = state.waiting
    state.arrived = next_arrival(submit, before, state.now, state.started, run.options.backlog)
    for newcomer in run.coming[before : state.arrived]:
        queue[state.waiting], run.columns.entered[newcomer] = newcomer, state.now
        settle(queue, state.old, state.waiting)
        state.waiting += 1


@kernel(forceinline=True)
def begin_offers(run, state, steps):
    """Prepare the search for earlier starts of waiting jobs if jobs have left at this instant."""
    state.position = state.old - 1
    if not state.departed:
        return
    state.reach = state.next_reach
    state.next_reach = state.now if run.options.is_fixed else np.inf
    if state.reach > state.now:
        state.position = -1
        state.most = most_idle(steps, state.now, state.reach)


@kernel(forceinline=True)
def find_earlier_start(run, state, steps):
    """Find the next waiting job that can move to an earlier start; return False if none can.

    Only the jobs that waited before the arrivals of this instant are examined.
    """
    queue, search, reserved = run.arrays.queue, run.search, run.search.reserved
    while True:
        state.position = next_asked(
            queue, state.position + 1, state.old, run.asked.is_fixed, search.keys, state.most
        )
        if state.position >= state.old:
            state.position = state.old - 1
            return False
        job = queue[state.position]
        before = min(reserved.since[job], state.reach)
        state.begin, state.stop = earliest(job, steps, state.now, before, state.moments, search)
        if state.begin < np.inf:
            return True


@kernel(forceinline=True)
def move_reservation(run, state, steps):
    """Move the reservation of a waiting job to the earlier start found for the job."""
    job, search, reserved = run.arrays.queue[state.position], run.search, run.search.reserved
    old, new = (reserved.since[job], reserved.until[job]), (state.begin, state.stop)
    state.reach = max(state.reach, reserved.until[job])
    state.next_reach = max(state.next_reach, reserved.until[job])
    state.moments = drop(reserved.momentary, state.moments, job)
    move(steps, old, new, reserved.allocation[job], search.taken, search.sizing)
    # The interval that the job gave up can extend an earlier idle interval of the same processors.
    state.most = NEVER
    hold(run, state, job)


@kernel(forceinline=True)
def find_first_start(run, state, steps):
    """Find a reservation for the next new job; return False if no new job is left.

    A job that could start only after its latest start is rejected.
    """
    asked, columns, search = run.asked, run.columns, run.search
    while state.position + 1 < state.waiting:
        state.position += 1
        job = run.arrays.queue[state.position]
        first = max(state.now, asked.earliest[job])
        state.begin, state.stop = earliest(job, steps, first, np.inf, state.moments, search)
        if asked.latest[job] < state.begin < np.inf:
            columns.start[job] = columns.end[job] = np.nan
            search.reserved.since[job], state.rejected = -np.inf, True
            state.started += 1
        elif state.begin < np.inf:
            return True
    return False


@kernel(forceinline=True)
def reserve(run, state, steps):
    """Reserve processors for a new job in the interval found for the job."""
    job, search = run.arrays.queue[state.position], run.search
    run.columns.promised[job] = state.begin
    take(steps, state.begin, state.stop, search.taken, 1, search.sizing)
    hold(run, state, job)


@kernel(forceinline=True)
def hold(run, state, job):
    """Store the reservation found for a waiting job."""
    reserved = run.search.reserved
    reserved.since[job], reserved.until[job] = state.begin, state.stop
    copy(run.search.taken, reserved.allocation[job])
    if state.begin == state.stop:
        reserved.momentary[state.moments] = job
        state.moments += 1
    state.due = min(state.due, state.begin)


@kernel(forceinline=True)
def order_queue(run, state):
    """Sort the new jobs into the queue, and remove rejected jobs from the queue."""
    for position in range(state.old, state.waiting):
        settle(run.arrays.queue, 0, position)
    if state.rejected:
        close_up(state, run.arrays.queue, run.search.reserved.since)


@kernel(forceinline=True)
def start_due(run, state):
    """Start the jobs whose reservation begins now.

    The function stops at a job whose processors jobs of length 0 still have. Returns False if such
    a job can never start.
    """
    if state.due > state.now:
        return True
    arrays, reserved, called = run.arrays, run.search.reserved, run.arrays.called
    idle, ends, numbers = arrays.idle, arrays.ends, arrays.numbers
    to_start, begun = list_due(state, arrays.queue, reserved, called), 0
    while begun < to_start and fits(reserved.allocation[called[begun]], idle):
        job, running = called[begun], state.running
        state.running = begin_job(
            job, state.now, run.stream, run.columns, idle, ends, numbers, running
        )
        reserved.since[job] = -np.inf
        state.moments = drop(reserved.momentary, state.moments, job)
        begun += 1
    state.started += begun
    close_up(state, arrays.queue, reserved.since)
    # If a job of length 0 leaves at this instant, the main loop will call this function again.
    is_momentary = state.running > 0 and ends[0] == state.now
    return begun == to_start or is_momentary


@kernel
def next_asked(queue, position, old, is_fixed, keys, most):
    """Return the queue position of the next job that may be able to start earlier.

    The search begins at `position`. Jobs with fixed reservations and jobs that need more than
    `most` processors are skipped. The result is at least `old`, the number of waiting jobs, if no
    such job is left.
    """
    whole = keys.shape[1] - 1
    while position < old and (is_fixed[queue[position]] or keys[queue[position], whole] > most):
        position += 1
    return position


@kernel
def settle(queue, lowest, position):
    """Insert the job number at `position` into the sorted numbers before it.

    Only the positions from `lowest` on are considered; the numbers from `lowest` to
    ``position - 1`` must already be sorted.
    """
    number = queue[position]
    while position > lowest and queue[position - 1] > number:
        queue[position] = queue[position - 1]
        position -= 1
    queue[position] = number


@kernel
def list_due(state, queue, reserved, called):
    """Write the jobs whose reservation begins now into `called`, jobs of length 0 first.

    Returns the number of these jobs.
    """
    count = 0
    for takes_time in range(2):
        for job in queue[: state.waiting]:
            is_due = reserved.since[job] <= state.now
            if is_due and (reserved.until[job] > state.now) == (takes_time > 0):
                called[count] = job
                count += 1
    return count


@kernel
def close_up(state, queue, since):
    """Remove started and rejected jobs from the queue, and find the next reserved start."""
    left, due = 0, np.inf
    for job in queue[: state.waiting]:
        if since[job] > -np.inf:
            queue[left], due = job, min(due, since[job])
            left += 1
    state.waiting, state.due = left, due
