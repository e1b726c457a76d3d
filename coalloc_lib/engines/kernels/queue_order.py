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
    begin_job,
    depart,
    next_arrival,
    next_instant,
)
from coalloc_lib.engines.kernels.placing import fits, place, set_room
from coalloc_lib.engines.kernels.queue_tree import enter, first_fitting

#: A named tuple with the options of FCFS and FPFS.
#:
#: - `max_jumps`: the maximum number of times that a job can be overtaken (0 for FCFS).
#: - `counts_at_head`: whether an overtaking of a job counts only if the job is the head of the
#:   queue.
#: - `backlog`: the constant number of waiting jobs, or 0 if jobs arrive at their submission times.
JumpOptions = namedtuple("JumpOptions", "max_jumps counts_at_head backlog")
#: A named tuple with the working arrays of a run of FCFS or FPFS.
#:
#: - `idle`: the number of idle processors of each cluster.
#: - `waiting`: whether each job is waiting.
#: - `room`: the upper limits on the size of a job that fits, as the module `placing` defines them.
#: - `ends` and `numbers`: a heap of the running jobs by their ends, with the job numbers.
Work = namedtuple("Work", "idle waiting room ends numbers")


def new_work(n: int, idle: np.ndarray, room: np.ndarray) -> Work:
    """Create the working arrays for n jobs on clusters with `idle` processors each."""
    capacity = min(n, int(idle.sum()))
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    return Work(idle, np.zeros(n, np.bool_), room, ends, numbers)


@kernel
def run_in_turn(stream, rule, options, columns, work, tree, watch):
    """Simulate FCFS or FPFS for a `Stream` of jobs, and write the results into `columns`.

    Returns the number of jobs that started, which is below n if a job can never fit.
    """
    submit, _, _, parts, keys = stream
    n, backlog = len(submit), options.backlog
    idle, waiting, room, ends, numbers = work
    head = arrived = started = running = unjumped = 0
    now, is_same_instant = 0.0, True
    while started < n and not watch[STOP]:
        watch[STARTED] = started
        if not is_same_instant:
            now = next_instant(ends, running, submit, arrived, backlog)
            if now == np.inf:
                break
        running_before, first_new, started_before = running, arrived, started
        running = depart(ends, numbers, running, now, columns.allocation, idle)
        arrived = next_arrival(submit, arrived, now, started, backlog)
        for newcomer in range(first_new, arrived):
            columns.entered[newcomer], waiting[newcomer] = now, True
        # Each iteration of the inner loop starts the first job, from number `job` on, that fits and
        # may start. If no job has left at this instant, only new jobs can fit.
        job = head if running < running_before else first_new
        while job < arrived:
            set_room(idle, rule.request, parts.shape[1], room)
            if started - unjumped < options.max_jumps:
                job = first_fitting(tree, keys, waiting, job, first_new, arrived, room)
            else:
                job = head if job <= head and fits(keys[head], room) else -1
            if job < 0:
                break
            taken = columns.allocation[job]
            place(parts[job], rule.request, rule.choice, rule.single, rule.order, idle, taken)
            running = begin_job(job, now, stream, columns, idle, ends, numbers, running)
            started += 1
            waiting[job] = False
            if job == head:
                head = next_waiting(waiting, head, arrived)
                unjumped = started if options.counts_at_head else head
            job += 1
        if options.max_jumps:
            enter_waiting(tree, keys, waiting, first_new, arrived)
        # With a backlog, the number of waiting jobs is constant, so a new job enters the queue
        # whenever a job starts.
        is_same_instant = backlog > 0 and started > started_before and arrived < n
    return started


@kernel(forceinline=True)
def next_waiting(waiting, job, stop):
    """Return the first waiting job from `job` to ``stop - 1``, or `stop` if no job is waiting."""
    while job < stop and not waiting[job]:
        job += 1
    return job


@kernel(forceinline=True)
def enter_waiting(tree, keys, waiting, first, stop):
    """Add the waiting jobs from `first` to ``stop - 1`` to the search tree of the queue."""
    for job in range(first, stop):
        if waiting[job]:
            enter(tree, keys, job)
