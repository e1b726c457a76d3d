"""The compiled engine: prepares arrays for the kernels.

It runs the policies that it has a translation of, and refuses others; the readable engine runs
any object.
"""

from collections.abc import Callable

import numpy as np

from coalloc_lib.checks import InputError
from coalloc_lib.compilation import call
from coalloc_lib.engines.kernels import in_turn, placing, waiting
from coalloc_lib.engines.outcome import Outcome, Task, left_waiting, no_promises
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.placement import (
    BestFit,
    FirstFit,
    Placement,
    SingleThenSpan,
    WorstFit,
    may_stay_whole,
    time_on_processors,
)
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling

_CHOICES: dict[type, int] = {
    FirstFit: placing.FIRST_FIT,
    WorstFit: placing.WORST_FIT,
    BestFit: placing.BEST_FIT,
}


def knows(scheduling: Scheduling, placement: Placement | None) -> bool:
    """Whether the compiled engine has a translation of both policies."""
    rule = placement.single if type(placement) is SingleThenSpan else placement
    return type(scheduling) in _TRANSLATIONS and (rule is None or type(rule) in _CHOICES)


def run(task: Task) -> Outcome:
    """Run the jobs of `task` through its system."""
    if not knows(task.scheduling, task.placement):
        raise InputError(
            f"engine = 'compiled' has no translation of {task.scheduling} with {task.placement}; "
            "use engine='reference', which runs any policy object"
        )
    return _TRANSLATIONS[type(task.scheduling)](task)


def _in_turn(task):
    """Run FCFS or FPFS."""
    system, jobs, scheduling, placement, backlog = task
    n = len(jobs)
    max_jumps = min(getattr(scheduling, "max_jumps", 0), n)
    parts = _parts(jobs)
    searched = max_jumps and parts.shape[1] > 1
    whole = may_stay_whole(placement, jobs.request)
    keys = _with_total(parts) if searched or whole else parts
    stream = in_turn.Stream(jobs.submit, jobs.runtime, _spanning(jobs), parts, keys)
    policy = in_turn.Policy(max_jumps, backlog or 0)
    rule = _rule(jobs.request, placement, len(system))
    tree = waiting.empty_tree(n if max_jumps else 0, keys.shape[1])
    start, end, entered = np.empty(n), np.empty(n), np.empty(n)
    allocation = np.zeros((n, len(system)), dtype=np.int32)
    columns = (start, end, entered, allocation)
    given = (stream, rule, policy, system.as_array(), tree)
    started = call(in_turn.run, *given, *columns, what="simulation kernels")
    if started < n:
        first = int(np.flatnonzero(~allocation.any(axis=1))[0])
        raise left_waiting(str(scheduling), min(backlog or n, n - started), first)
    return Outcome(*columns, no_promises(n), {})


#: Policy -> what runs its kernel. A policy that is not here runs on the readable engine only.
_TRANSLATIONS: dict[type[Scheduling], Callable[[Task], Outcome]] = {FCFS: _in_turn, FPFS: _in_turn}


def _rule(request, placement, clusters):
    """Return a placement as the kernels know it; ordered requests have none, and need none."""
    single = placing.NONE
    choice = WorstFit() if placement is None else placement
    if isinstance(placement, SingleThenSpan):
        choice = placement.single
        if request != "total":
            single, choice = _CHOICES[type(choice)], WorstFit()
    first_fit = getattr(placement, "single", placement)
    order = getattr(first_fit, "clusters", None)
    order = np.arange(clusters) if order is None else np.array(order, dtype=np.int64)
    return placing.Rule(REQUESTS.index(request), _CHOICES[type(choice)], single, order)


def _spanning(jobs):
    """Return how long each job runs where it spans."""
    if not jobs.span_penalty.any():
        return jobs.runtime
    return time_on_processors(jobs.runtime, jobs.span_penalty, True)


def _parts(jobs):
    """Return what is placed of each job: see `placing`."""
    components = jobs.components
    if jobs.request in ("flexible", "total") and components.shape[1] > 1:
        components = components.sum(axis=1, keepdims=True)
    parts = components.astype(np.int32)
    if jobs.request == "unordered":
        call(placing.sort_rows, parts, what="simulation kernels")
    used = parts.shape[1]
    while used > 1 and not parts[:, used - 1].any():
        used -= 1
    return np.ascontiguousarray(parts[:, :used])


def _with_total(parts):
    return np.hstack([parts, parts.sum(axis=1, keepdims=True, dtype=np.int32)])
