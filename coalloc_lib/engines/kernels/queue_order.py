"""The loop of FCFS and FPFS: jobs start in order of arrival, with limited overtaking under FPFS.

Two facts keep the loop short:

- All jobs that are numbered below the head of the queue have started. The head has therefore been
  overtaken (number of started jobs) - (number of the head) times, and no counters are needed. If
  only overtakings at the head count, the number of jobs that had started when it became the head is
  subtracted instead.
- Processors become idle only at departures. After an arrival, only the new jobs can fit.

In the following example, a job may be overtaken at most once, and the cluster has 4 processors. The
jobs 0 to 3 have (submit, run time, processors) = (0, 9, 3), (1, 5, 2), (2, 3, 1) and (3, 3, 1). The
table shows the variables after each instant:

====  ========  =======  ====  =======  ====  =====================================================
now   arrived   started  head  running  idle  what happened
====  ========  =======  ====  =======  ====  =====================================================
0     1         1        1     1        1     0 starts
1     2         1        1     1        1     1 does not fit and heads the queue
2     3         2        1     2        0     started - head = 0 jumps so far: 2 starts
3     4         2        1     2        0     started - head = 1 jump is the limit: 3 waits
5     4         2        1     1        1     2 leaves; the head does not fit, so none starts
9     4         4        4     2        1     0 leaves; 1 starts, and then 3
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

#: The jobs of a run. `submit`, float64 (n,): instants of submission, in order of arrival.
#: `runtime`, float64 (n,): run times on one cluster. `spanning`, float64 (n, k): run times on 2, 3,
#: ..., k + 1 clusters, the last also for more clusters. `parts`, int32 (n, width), and `keys`,
#: int32 (n, k): see `placing`.
Stream = namedtuple("Stream", "submit runtime spanning parts keys")
#: The options of FCFS and FPFS. `max_jumps`: how often a job may be overtaken (0 for FCFS).
#: `counts_at_head`: whether only overtakings at the head of the queue count. `backlog`: the
#: constant length of the queue; with 0, jobs arrive when they are submitted.
Policy = namedtuple("Policy", "max_jumps counts_at_head backlog")
#: The working arrays of a run: `waiting` and `room`, and the heap of departures, `ends` and
#: `numbers`.
Work = namedtuple("Work", "waiting room ends numbers")


def new_work(n: int, idle: np.ndarray, room: np.ndarray) -> Work:
    """Return the working arrays for n jobs on clusters with these numbers of processors."""
    capacity = min(n, int(idle.sum()))
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    return Work(np.zeros(n, np.bool_), room, ends, numbers)


@kernel
def run(stream, rule, policy, idle, work, tree, start, end, entered, allocation, watch):
    """Run a `Stream` of jobs on idle clusters, under a `Policy` and a placement `Rule`.

    The results are written into `start`, `end` and `entered`, float64 (n,), and `allocation`, int32
    (n, c). The arrays in `idle`, `work` and `tree` are changed too. Returns the number of jobs that
    started, which is below n if a job can never fit.
    """
    submit, runtime, spanning, parts, keys = stream
    n = len(submit)
    waiting, room, ends, numbers = work
    head = arrived = started = running = unjumped = 0
    now, is_same_instant = 0.0, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not is_same_instant:
            now = next_instant(ends, running, submit, arrived, policy.backlog)
            if now == np.inf:
                break
        running_before, first_new, started_before = running, arrived, started
        running = depart(ends, numbers, running, now, allocation, idle)
        departed = running < running_before
        arrived = next_arrival(submit, arrived, now, started, policy.backlog)
        for newcomer in range(first_new, arrived):
            entered[newcomer], waiting[newcomer] = now, True
        # In each turn, the first job that fits and may start is searched, from `job` on.
        job = head if departed else first_new
        while job < arrived:
            set_room(idle, rule.request, parts.shape[1], room)
            if started - unjumped < policy.max_jumps:
                job = first_fitting(tree, keys, waiting, job, first_new, arrived, room)
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
            for newcomer in range(first_new, arrived):
                if waiting[newcomer]:
                    enter(tree, keys, newcomer)
        # A queue of constant length is refilled at the same instant.
        is_same_instant = policy.backlog > 0 and started > started_before and arrived < n
    return started
