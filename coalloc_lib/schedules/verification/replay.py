"""Schedules held against the decisions of their policy, one by one.

The decisions of FCFS, FPFS and EASY follow from the state that they see, and that state follows
from the schedule. So each decision is made again, by `kernels` that share no code with the engines.
A schedule does not contain the reservations of conservative backfilling, so that policy runs again.
"""

from typing import Any

import numpy as np

from coalloc_lib.basics.compilation import call
from coalloc_lib.engines.outcome import Outcome, Task
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    RandomFit,
    SingleThenSpan,
    WorstFit,
    time_on_processors,
)
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative
from coalloc_lib.policies.backfilling import queue_of
from coalloc_lib.schedules.verification import kernels
from coalloc_lib.schedules.verification.faults import ScheduleError, refuse

#: The placements that the kernels know.
_ORDERS: dict[type, int] = {
    FirstFit: kernels.FIRST_FIT,
    WorstFit: kernels.WORST_FIT,
    BestFit: kernels.BEST_FIT,
    LeastLoaded: kernels.LEAST_LOADED,
    RandomFit: kernels.RANDOM_FIT,
}
#: Instants that are replayed by one call of the kernel, during which Ctrl-C has to wait.
INSTANTS = 100
#: So many jobs are run again by the readable engine, which shares no code with the compiled one.
FEW = 500


def is_known(placement: Any) -> bool:
    """Whether a placement is one of the library's, whose answers follow from what is idle."""
    if isinstance(placement, HomeSite):
        return type(placement) is HomeSite and is_known(placement.rule)
    if isinstance(placement, SingleThenSpan):
        return type(placement) is SingleThenSpan and type(placement.single) in _ORDERS
    return placement is None or type(placement) in _ORDERS


def check_decisions(schedule: Any) -> None:
    """Raise an error for the first decision of FCFS, FPFS or EASY that the schedule breaks."""
    asks = schedule.jobs.is_reserved
    message = f"asks for a later or a latest start, which {schedule.scheduling} does not serve"
    refuse(asks, schedule, lambda job: message)
    if not is_known(schedule.placement):
        return
    for job in schedule.refused:
        raise ScheduleError(f"was refused, and {schedule.scheduling} refuses none", job)
    rows = queue_of(schedule.scheduling.order, schedule.jobs)
    jobs = _jobs(schedule, rows)
    state = _state(schedule, jobs)
    fault = kernels.Fault(np.zeros(3, np.int64), np.zeros(2))
    given = _given(schedule, rows)
    how = jobs, given, _policy(schedule), _rule(schedule), state, _tree(jobs), fault
    while call(kernels.replay, *how, INSTANTS, what="kernels of verify()"):
        pass  # between two calls Python takes notice of Ctrl-C
    if fault.numbers[0] != kernels.NOTHING:
        raise _error(schedule, rows, fault, state.taken)
    untold = ~state.promised & ~np.isnan(given.promised)
    message = "was promised {}, and {} promises it nothing"
    refuse(
        untold[np.argsort(rows)],
        schedule,
        lambda job: message.format(told(schedule.promised[job]), schedule.scheduling),
    )


def check_second_run(schedule: Any) -> None:
    """Raise for the first job that a second run of the same policy serves in another way."""
    if not is_known(schedule.placement):
        return
    _check_reservations(schedule)
    jobs, wanted = schedule.jobs, _second_run(schedule)
    differs = {
        "entered the queue": _differ(wanted.entered, jobs.submit),
        "was promised": _differ(wanted.promised, schedule.promised),
        "starts": _differ(wanted.start, schedule.start),
        "has": (wanted.allocation != schedule.allocation).any(axis=1),
    }
    # The earliest instant that either of both names is where they part.
    instant = np.fmin(wanted.start, schedule.start)
    for job, refusal in (*wanted.refused.items(), *schedule.refused.items()):
        instant[job] = np.fmin(instant[job], refusal.instant)
        if wanted.refused.get(job) != schedule.refused.get(job):
            raise ScheduleError(
                f"{_refusal(schedule.refused.get(job))}, and by {schedule.scheduling} it "
                f"{_refusal(wanted.refused.get(job))}",
                job,
                float(instant[job]),
            )
    bad = np.any([*differs.values()], axis=0)
    refuse(bad, schedule, lambda job: _difference(schedule, wanted, differs, job), instant)


def _check_reservations(schedule):
    """Raise an error for a job that starts outside its wishes, or not at its promised start."""
    jobs, start, promised = schedule.jobs, schedule.start, schedule.promised
    fixed = jobs.is_reserved & schedule.served
    message = "was promised {}, and its reservation cannot move"
    refuse(fixed & (start != promised), schedule, lambda job: message.format(told(promised[job])))
    for bad, limit in (
        (start < jobs.earliest_start, "earliest"),
        (start > jobs.latest_start, "latest"),
    ):
        refuse(fixed & bad, schedule, lambda job, limit=limit: f"starts beyond its {limit} start")


def _second_run(schedule):
    """Run the jobs of a schedule again, in order of arrival."""
    if len(schedule) <= FEW:
        from coalloc_lib.engines.reference import run
    else:
        from coalloc_lib.engines.compiled import run
    order = np.argsort(schedule.jobs.submit, kind="stable")
    if schedule.backlog is not None:
        order = np.arange(len(schedule))
    policies = schedule.scheduling, schedule.placement, schedule.backlog
    outcome: Outcome = run(Task(schedule.system, schedule.jobs[order], *policies))
    return outcome.in_stream_order(order)


def _difference(schedule, wanted, differs, job):
    """Describe how a job is served in another way than in a second run."""
    was, would = (
        {
            "entered the queue": f"at {submit[job]:.12g}",
            "was promised": told(one.promised[job]),
            "starts": f"at {one.start[job]:.12g}",
            "has": one.allocation[job].tolist(),
        }
        for one, submit in ((schedule, schedule.jobs.submit), (wanted, wanted.entered))
    )
    what = next(name for name, rows in differs.items() if rows[job])
    return f"{what} {was[what]}, by {schedule.scheduling} {would[what]}"


def _refusal(refusal):
    return "is served" if refusal is None else f"was refused for {refusal.why!r}"


def _differ(one, other):
    return (one != other) & ~(np.isnan(one) & np.isnan(other))


def told(promised: float) -> str:
    """Return a promise in words."""
    return "no start" if np.isnan(promised) else f"a start at {promised:.12g}"


def _error(schedule, rows, fault, taken):
    """Return the error for what the kernel found."""
    kind, job, head = fault.numbers.tolist()
    job, policy = int(rows[job]), schedule.scheduling
    instant, promise = fault.instants.tolist()
    mine = schedule.allocation[job].tolist()
    message = {
        kernels.LATE: (
            f"{policy} starts it then, on {taken.tolist()}, and it starts only at "
            f"{schedule.start[job]:.12g}"
        ),
        kernels.EARLY: f"{policy} does not start it then",
        kernels.ELSEWHERE: f"has {mine}, and {schedule.placement} gives it {taken.tolist()}",
        kernels.PROMISE: (
            f"heads the queue, was promised {told(schedule.promised[job])}, and {policy} promises "
            f"it {told(promise)}"
        ),
        kernels.ENTERED: (
            f"enters a queue that is held at {schedule.backlog} jobs, and entered it at "
            f"{schedule.jobs.submit[job]:.12g}"
        ),
    }[kind]
    if kind == kernels.EARLY and head < len(rows) and rows[head] != job:
        return ScheduleError(message + "; {other} heads the queue", job, instant, int(rows[head]))
    return ScheduleError(message, job, instant)


def _jobs(schedule, rows):
    """Return the jobs as the kernels take them, in the order of the queue."""
    jobs, parts = schedule.jobs, _parts(schedule)
    total = parts.sum(axis=1)
    # A job of more components than clusters can only stay whole.
    in_parts = jobs.request in ("ordered", "unordered")
    needs = parts[:, : len(schedule.system)] if in_parts else total[:, None]
    penalty = jobs.span_penalty.reshape(len(jobs), -1)
    columns = range(1, penalty.shape[1] + 2)
    expected = np.maximum(jobs.estimate, jobs.runtime)
    on = (np.full(len(jobs), clusters) for clusters in columns)
    lengths = np.transpose([time_on_processors(expected, jobs.span_penalty, each) for each in on])
    place = np.argsort(rows)
    coming = np.arange(len(jobs))
    if schedule.backlog is None:
        coming = np.argsort(jobs.submit, kind="stable")
    table = np.ascontiguousarray
    return kernels.Jobs(
        jobs.submit[rows],
        place[coming],
        table(parts[rows]),
        table(needs[rows]),
        total[rows],
        table(lengths[rows]),
    )


def _parts(schedule):
    """Return what is placed of each job: see `kernels.Jobs`."""
    jobs, components = schedule.jobs, schedule.jobs.components.astype(np.int64)
    if isinstance(schedule.placement, HomeSite) or jobs.request == "ordered":
        return components
    if jobs.request == "unordered":
        return -np.sort(-components, axis=1)
    return components.sum(axis=1, keepdims=True)


def _given(schedule, rows):
    """Return the schedule as the kernels take it."""
    start, end = schedule.start[rows], schedule.end[rows]
    by_end = np.argsort(end, kind="stable")
    return kernels.Given(
        start,
        end,
        schedule.allocation[rows].astype(np.int64),
        schedule.promised[rows],
        np.argsort(start, kind="stable"),
        by_end[end[by_end] > start[by_end]],
    )


def _policy(schedule):
    """Return the policy as the kernels take it."""
    policy = schedule.scheduling
    return kernels.Policy(
        policy.max_jumps or 0,
        policy.counted == "head",
        type(policy) is EASY,
        policy.adaptive,
        schedule.backlog or 0,
    )


def _rule(schedule):
    """Return the placement as the kernels take it; ordered requests need none."""
    placement, clusters = schedule.placement, len(schedule.system)
    may_stay = isinstance(placement, HomeSite)
    if isinstance(placement, HomeSite):
        placement = placement.rule
    order, single = WorstFit() if placement is None else placement, kernels.NONE
    if isinstance(placement, SingleThenSpan):
        placement = order = placement.single
        if schedule.jobs.request != "total":
            order, single = WorstFit(), _ORDERS[type(placement)]
    known = np.arange(clusters) if placement is None else placement.numbers(clusters)
    request = REQUESTS.index(schedule.jobs.request)
    numbers = np.array(known, dtype=np.int64)
    return kernels.Rule(request, may_stay, _ORDERS[type(order)], single, numbers)


def _state(schedule, jobs):
    """Return the state at the beginning: no job runs or waits."""
    n, clusters = schedule.allocation.shape
    runs = min(n, schedule.system.processors)
    count = np.zeros(8, np.int64)
    count[kernels.HEAD] = n  # no job heads the queue
    return kernels.State(
        idle=schedule.system.as_array().astype(np.int64),
        waits=np.zeros(n, np.bool_),
        started=np.zeros(n, np.bool_),
        promised=np.zeros(n, np.bool_),
        plan=np.empty(runs),
        whose=np.empty(runs, np.int64),
        momentary=np.empty(runs, np.int64),
        count=count,
        taken=np.zeros(clusters, np.int64),
        other=np.zeros(clusters, np.int64),
        order=np.tile(np.arange(clusters), (2, 1)),
        later=np.tile(np.arange(clusters), (2, 1)),
        score=np.empty(clusters),
        room=np.empty(jobs.needs.shape[1], np.int64),
    )


def _tree(jobs):
    """Return the tree over a queue in which no job waits."""
    nodes = 2 << max(len(jobs.total) - 1, 0).bit_length()
    needs = np.full((nodes, jobs.needs.shape[1]), kernels.NEVER)
    return kernels.Tree(needs, np.full(nodes, kernels.NEVER), np.full(nodes, np.inf))


#: Policy -> the check of all its decisions.
CHECKS = {
    FCFS: check_decisions,
    FPFS: check_decisions,
    EASY: check_decisions,
    Conservative: check_second_run,
}
