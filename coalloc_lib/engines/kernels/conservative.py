"""The loop of conservative backfilling.

Jobs are numbered in the order of the queue. If this is not the order of arrival, the array `coming`
has the numbers of the jobs in order of arrival, and the submissions in the `Stream` are in order of
arrival too.

The waiting jobs are in a list, in the order of the queue. After
departures, each waiting job is offered an earlier start, as if it had no reservation. The profile
(see `profile_steps`) is changed only if the job moves, and only where its old and its new
reservation differ.

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
from coalloc_lib.engines.kernels.events import (
    STARTED,
    STOP,
    next_arrival,
    next_instant,
    pop,
    push,
    time_on,
)
from coalloc_lib.engines.kernels.placing import empty_room, fits
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
from coalloc_lib.engines.kernels.queue_tree import NEVER

#: What the jobs ask for: the earliest and the latest start, float64 (n,), and whether the
#: reservation must not move because the job asks for a later or a latest start, bool (n,).
Asked = namedtuple("Asked", "earliest latest is_fixed")


@kernel(makes_arrays=True)
def run_conservative(
    stream, coming, expected, asked, rule, policy, idle, levels, start, end, entered, allocation,
    promised, watch,
):  # fmt: skip
    """Run conservative backfilling on a `Stream` of jobs, with the same results as `run_easy`.

    `levels`, int64, are the levels of idle processors in `profile_steps`. The function is long
    because nearly all variables change together in its loop.
    """
    submit, runtime, spanning, parts, keys = stream
    n = len(submit)
    room, least = empty_room(keys, rule), np.empty_like(idle)
    taken, capacity = np.empty(len(idle), np.int32), min(n, idle.sum())
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    steps = new_steps(idle, levels)
    since, until = np.full(n, np.inf), np.full(n, np.inf)
    reserved = Reserved(since, until, allocation)
    whole = keys.shape[1] - 1
    room_arguments = (rule.request, parts.shape[1], whole, room)
    queue, called, momentary = np.empty((3, n), np.int64)
    arrived = started = running = waiting = moments = 0
    now, due, reach, is_same_instant = 0.0, np.inf, np.inf, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not is_same_instant:
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
            take(steps, now, until[gone], allocation[gone], -1, *room_arguments)
            reach = max(reach, until[gone])
        arrived_before, started_before, old = arrived, started, waiting
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        for newcomer in coming[arrived_before:arrived]:
            queue[waiting], entered[newcomer] = newcomer, now
            settle(queue, old, waiting)
            waiting += 1

        # After departures, the waiting jobs (the first `old` of the queue) are offered an earlier
        # start. Then the new jobs get their first reservation.
        last_reach = reach
        if departed:
            reach = now if policy.is_fixed else np.inf
        offers = departed and last_reach > now
        most = most_idle(steps, now, last_reach) if offers else 0
        is_rejected = False
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
                since[job], is_rejected = -np.inf, True
                started += 1
                continue
            if begin == np.inf:
                continue
            steps = with_room(steps, 4)
            if is_new:
                promised[job] = begin
                take(steps, begin, stop, taken, 1, *room_arguments)
            else:
                last_reach, reach = max(last_reach, until[job]), max(reach, until[job])
                moments = drop(momentary, moments, job)
                move(
                    steps,
                    since[job],
                    until[job],
                    begin,
                    stop,
                    allocation[job],
                    taken,
                    room_arguments,
                )
                # The interval that the job gave up may make an earlier idle interval longer.
                most = NEVER
            since[job], until[job] = begin, stop
            allocation[job] = taken
            if begin == stop:
                momentary[moments] = job
                moments += 1
            due = min(due, begin)

        for at in range(old, waiting):
            settle(queue, 0, at)
        if is_rejected:
            waiting, due = close_up(queue, waiting, since)
        # The jobs that are due start, until the processors of one are still held by jobs of length
        # 0.
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
        # A queue of constant length is refilled at the same instant.
        is_same_instant = policy.backlog > 0 and started > started_before and arrived < n
    return started


@kernel
def next_asked(queue, at, old, is_fixed, keys, most):
    """Return the position of the next waiting job in the queue, from `at` on, that may move.

    Jobs with fixed reservations and jobs that need more than `most` processors are skipped. The
    result is at least `old`, the number of waiting jobs, if no such job is left.
    """
    whole = keys.shape[1] - 1
    while at < old and (is_fixed[queue[at]] or keys[queue[at], whole] > most):
        at += 1
    return at


@kernel
def settle(queue, lowest, position):
    """Move a number in the queue forward to its sorted position, at least to `lowest`.

    The numbers from `lowest` to before `position` must already be sorted.
    """
    number = queue[position]
    while position > lowest and queue[position - 1] > number:
        queue[position] = queue[position - 1]
        position -= 1
    queue[position] = number


@kernel
def list_due(queue, waiting, since, until, now, called):
    """Write the jobs that are due into `called`, jobs of length 0 first; return their number."""
    count = 0
    for takes_time in range(2):
        for job in queue[:waiting]:
            if since[job] <= now and (until[job] > now) == (takes_time > 0):
                called[count] = job
                count += 1
    return count


@kernel
def close_up(queue, waiting, since):
    """Remove the started and rejected jobs from the queue.

    Returns the number of waiting jobs, and the earliest start of their reservations.
    """
    left, due = 0, np.inf
    for job in queue[:waiting]:
        if since[job] > -np.inf:
            queue[left], due = job, min(due, since[job])
            left += 1
    return left, due
