"""The loop of FCFS and FPFS: the queue is served in turn, and jobs may be overtaken so often.

Two facts make it short. Every job numbered below the head of the queue has started, so the head
has been overtaken (jobs started) - (its number) times: no counters to keep, but how many had
started when it became the head where only the later ones count. And idle processors only grow at
departures, so after an arrival only the new jobs can fit.

An example: 4 processors, at most one jump, and jobs 0 to 3 of (submit, run time, processors)
(0, 9, 3), (1, 5, 2), (2, 3, 1), (3, 3, 1). After each instant:

====  ========  =======  ====  =======  ====  =====================================================
now   arrived   started  head  running  idle  what happened
====  ========  =======  ====  =======  ====  =====================================================
0     1         1        1     1        1     0 starts
1     2         1        1     1        1     1 does not fit and heads the queue
2     3         2        1     2        0     started - head = 0 jumps so far: 2 starts
3     4         2        1     2        0     started - head = 1 jump, the limit: 3 may not start
5     4         2        1     1        1     2 leaves; the head does not fit, so no one starts
9     4         4        4     2        1     0 leaves; 1 and, past no one now, 3 start
====  ========  =======  ====  =======  ====  =====================================================
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.events import (
    STARTED,
    STOP,
    depart,
    next_arrival,
    next_instant,
    push,
    time_on,
)
from coalloc_lib.engines.kernels.placing import fits, place, set_room
from coalloc_lib.engines.kernels.queue_tree import enter, first_fitting

#: The jobs in order of arrival: float64 (n,) submissions and run times on one cluster, and (n, k)
#: on 2, 3, ..., of which the last is for more; `parts`, int32 (n, width), and `keys`, int32 (n, k),
#: as `placing` says.
Stream = namedtuple("Stream", "submit runtime spanning parts keys")
#: How often a job may be overtaken (0 for FCFS), whether that counts at the head of the queue only,
#: and the length at which the queue is held (0: it is not, and jobs come when they are submitted).
Policy = namedtuple("Policy", "max_jumps counts_at_head backlog")
#: Working arrays: which jobs wait, the room, and the heap of departures, as long as there can be
#: running jobs.
Work = namedtuple("Work", "waiting room ends numbers")


def new_work(n: int, idle: np.ndarray, room: np.ndarray) -> Work:
    """Return the working arrays for so many jobs on clusters with so many processors."""
    capacity = min(n, int(idle.sum()))
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    return Work(np.zeros(n, np.bool_), room, ends, numbers)


@kernel
def run(stream, rule, policy, idle, work, tree, start, end, entered, allocation, watch):
    """Run the jobs of a `Stream` under a placement `Rule` and a `Policy`, from idle clusters.

    Returns the number of jobs that started, which is below n if a job can never fit. Writes
    `start`, `end` and `entered`, float64 (n,), and `allocation`, int32 (n, c). It changes `idle`,
    `work` and `tree` as it runs.
    """
    submit, runtime, spanning, parts, keys = stream
    n = len(submit)
    waiting, room, ends, numbers = work
    head = arrived = started = running = unjumped = 0
    now, again = 0.0, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not again:
            now = next_instant(ends, running, submit, arrived, policy.backlog)
            if now == np.inf:
                break
        before, fresh, already = running, arrived, started
        running = depart(ends, numbers, running, now, allocation, idle)
        departed = running < before
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        for newcomer in range(fresh, arrived):
            entered[newcomer], waiting[newcomer] = now, True
        # The first job from `job` on that may start and fits starts, until there is none.
        job = head if departed else fresh
        while job < arrived:
            set_room(idle, rule.request, parts.shape[1], room)
            if started - unjumped < policy.max_jumps:
                job = first_fitting(tree, keys, waiting, job, fresh, arrived, room)
            elif job <= head and fits(keys[head], room):
                job = head
            else:
                job = -1
            if job < 0:
                break
            taken = allocation[job]
            place(parts[job], rule.request, rule.choice, rule.single, rule.order, idle, taken)
            for c in range(len(idle)):
                idle[c] -= taken[c]
            start[job], end[job] = now, now + time_on(taken, job, runtime, spanning)
            push(ends, numbers, running, end[job], job)
            running += 1
            started += 1
            waiting[job] = False
            if job == head:
                while head < arrived and not waiting[head]:
                    head += 1
                unjumped = started if policy.counts_at_head else head
            job += 1
        if policy.max_jumps:
            for newcomer in range(fresh, arrived):
                if waiting[newcomer]:
                    enter(tree, keys, newcomer)
        again = policy.backlog > 0 and started > already and arrived < n
    return started
