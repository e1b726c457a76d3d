"""What a finished schedule says of its queue and of its clusters, at any instant."""

from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.placement import HomeSite, Placement, may_stay_whole
from coalloc_lib.scheduling.backfilling import queue_of


def waiting_heads(schedule: Any, staying: bool = False) -> tuple[NDArray, NDArray[np.int64]]:
    """Return the instants, increasing, after which a job heads the queue, and those jobs.

    Of those that stay so only, where asked: no job that comes later is put before them.
    """
    instants = np.unique(np.append(schedule.jobs.submit, schedule.end[schedule.served]))
    if in_turn(schedule):
        jobs = heads(schedule, instants)
        chosen = jobs >= 0
    else:
        jobs, passed_at = _heads_in_order(schedule, instants)
        chosen = (jobs >= 0) & ((instants >= passed_at[jobs]) | (not staying))
    return instants[chosen], jobs[chosen]


def heads(schedule: Any, instants: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the job that heads the queue just after each instant; -1 where none waits."""
    order = np.argsort(schedule.jobs.submit, kind="stable")
    submit = schedule.jobs.submit[order]
    # Who reserves is told at once, and is in nobody's way as one who waits.
    left = np.where(schedule.jobs.is_reserved, schedule.jobs.submit, schedule.left_queue)
    all_before = np.maximum.accumulate(left[order])
    # The head is the first in the queue that has not left; it may not have arrived yet.
    first = np.searchsorted(all_before, instants, side="right")
    waits = first < np.searchsorted(submit, instants, side="right")
    return np.where(waits, order[np.minimum(first, len(order) - 1)], -1)


def _heads_in_order(schedule, instants):
    """Return who heads an ordered queue after each instant, and when each head was last passed."""
    jobs, rows = schedule.jobs, queue_of(schedule.scheduling.order, schedule.jobs)
    rank, left = np.argsort(rows), schedule.left_queue[rows].tolist()
    came = queue_of("arrival", jobs)[::-1]
    came = came[~jobs.is_reserved[came]]
    to_come = [*zip(jobs.submit[came].tolist(), rank[came].tolist(), strict=True)]
    result, passed_at, waiting, head = [], np.full(len(rows), -np.inf), [], -1
    for instant in instants.tolist():
        while to_come and to_come[-1][0] <= instant:
            newcomer = to_come.pop()[1]
            heappush(waiting, newcomer)
            if newcomer < head and left[head] > instant:
                passed_at[rows[head]] = instant
        while waiting and left[waiting[0]] <= instant:
            heappop(waiting)
        head = waiting[0] if waiting else -1
        result.append(rows[head] if waiting else -1)
    return np.array(result), passed_at


def in_turn(schedule: Any) -> bool:
    """Whether the queue is in order of arrival."""
    return getattr(schedule.scheduling, "order", "arrival") == "arrival"


def may_be_held(schedule: Any) -> bool:
    """Whether jobs come only as others start, so that an ordered queue changes in mid-instant."""
    return not in_turn(schedule) and bool(np.isin(schedule.jobs.submit, schedule.start).all())


def idle_after(schedule: Any, instants: NDArray) -> NDArray[np.int64]:
    """Return the idle processors just after all that happens at each instant, (m, clusters)."""
    idle = np.tile(schedule.system.as_array(), (len(instants), 1))
    for when, sign in ((schedule.start, -1), (schedule.end, 1)):
        order = np.argsort(when, kind="stable")
        count = np.searchsorted(when[order], instants, side="right")
        for cluster in range(len(schedule.system)):
            total = np.cumsum(schedule.allocation[order, cluster], dtype=np.int64)
            idle[:, cluster] += sign * np.append(0, total)[count]
    return idle


def fits_by(
    placement: Placement | None, request: str, components: NDArray, idle: NDArray
) -> NDArray[np.bool_]:
    """Whether each job, a row of components, fits into the idle processors as placed by a rule."""
    if isinstance(placement, HomeSite):
        home = components[:, 1:]
        free = fits_by(placement.rule, request, components[:, :1], idle)
        return np.where(home.any(axis=1), (home <= idle).all(axis=1), free)
    if may_stay_whole(placement, request):
        split, whole = (fits_by(None, kind, components, idle) for kind in (request, "total"))
        return split | whole
    if request in ("flexible", "total"):
        total = np.einsum("ij->i", components)  # several times faster than sum(axis=1)
        return total <= (idle.sum(axis=1) if request == "flexible" else idle.max(axis=1))
    wanted, free = side_by_side(request, components, idle)
    return np.asarray((wanted <= free).all(axis=1))


def side_by_side(request: str, components: NDArray, clusters: NDArray) -> list[NDArray]:
    """Return both tables with as many columns, and unordered ones by decreasing size."""
    tables = [components, clusters]
    if request == "unordered":
        tables = [-np.sort(-table, axis=1) for table in tables]
    width = max(table.shape[1] for table in tables)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables]
