"""The state of the queue and of the clusters at any instant of a finished schedule."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.placement import HomeSite, Placement, may_stay_whole, time_on_processors


def arrival_order(schedule: Any) -> NDArray[np.int64]:
    """Return the positions of all jobs in the job stream, in the order of arrival."""
    if schedule.backlog is not None:
        # In a run with a queue of constant length, the jobs enter the queue in the order of the
        # stream.
        return np.arange(len(schedule))
    return np.argsort(schedule.jobs.submit, kind="stable")


def heads(schedule: Any, instants: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position of the head of the queue just after each instant, or -1.

    The result is -1 if no job waits. The position is that in the job stream.
    """
    order = arrival_order(schedule)
    submit = schedule.jobs.submit[order]
    # A job that asks for a reservation gets its start time when it is submitted, so it is never the
    # head of the queue.
    left = np.where(schedule.jobs.is_reserved, schedule.jobs.submit, schedule.left_queue)
    all_before = np.maximum.accumulate(left[order])
    # The next line finds, for each instant, the first job in order of arrival that has not left the
    # queue. This can be a job that has not arrived yet.
    first = np.searchsorted(all_before, instants, side="right")
    waits = first < np.searchsorted(submit, instants, side="right")
    return np.where(waits, order[np.minimum(first, len(order) - 1)], -1)


def idle_after(schedule: Any, instants: NDArray) -> NDArray[np.int64]:
    """Return the number of idle processors of each cluster just after each instant.

    All starts and departures at the instant are included.

    The result has the shape (m, clusters) for m instants.
    """
    idle = np.tile(schedule.system.as_array(), (len(instants), 1))
    for cluster in range(len(schedule.system)):
        took = schedule.allocation[:, cluster]
        idle[:, cluster] -= total_by(schedule.start, took, instants, "right")
        idle[:, cluster] += total_by(schedule.end, took, instants, "right")
    return idle


def total_by(
    when: NDArray, amounts: NDArray, instants: NDArray, side: Literal["left", "right"]
) -> NDArray[np.int64]:
    """Return the sum of the amounts whose times lie before each instant.

    The time of ``amounts[i]`` is ``when[i]``. With ``side="right"``, amounts at the instant itself
    are included.
    """
    order = np.argsort(when, kind="stable")
    total = np.append(0, np.cumsum(amounts[order], dtype=np.int64))
    return total[np.searchsorted(when[order], instants, side=side)]


def fits_by(
    placement: Placement | None, request: str, components: NDArray, idle: NDArray
) -> NDArray[np.bool_]:
    """Return whether each job fits on the idle processors under a placement rule, shape (m,).

    Parameters
    ----------
    placement : Placement or None
        The rule that chooses the clusters.
    request : str
        The request type of the jobs.
    components : ndarray of int, shape (m, k)
        The components of each job.
    idle : ndarray of int, shape (m, clusters) or (1, clusters)
        The idle processors of each cluster, for each job or for all jobs.
    """
    if isinstance(placement, HomeSite):
        home = components[:, 1:]
        free = fits_by(placement.rule, request, components[:, :1], idle)
        return np.where(home.any(axis=1), (home <= idle).all(axis=1), free)
    if may_stay_whole(placement, request):
        split, whole = (fits_by(None, kind, components, idle) for kind in (request, "total"))
        return split | whole
    if request in ("flexible", "total"):
        total = np.einsum("ij->i", components)  # this is several times faster than sum(axis=1)
        return total <= (idle.sum(axis=1) if request == "flexible" else idle.max(axis=1))
    wanted, free = side_by_side(request, components, idle)
    return np.asarray((wanted <= free).all(axis=1))


def side_by_side(request: str, components: NDArray, clusters: NDArray) -> list[NDArray]:
    """Pad the tables of job components and cluster processors to the same number of columns.

    For unordered requests, the rows are sorted by decreasing size.
    """
    tables = [components, clusters]
    if request == "unordered":
        tables = [-np.sort(-table, axis=1) for table in tables]
    width = max(table.shape[1] for table in tables)
    missing = [width - table.shape[1] for table in tables]
    return [
        # np.pad is called only if columns are missing, because it is slow even if it adds none.
        np.pad(table, ((0, 0), (0, columns))) if columns else table
        for table, columns in zip(tables, missing, strict=True)
    ]


def booked_end(schedule: Any) -> NDArray[np.float64]:
    """Return the expected end of each job, or the end of its booking if that is later.

    The result has the shape (n,).
    """
    jobs, least = schedule.jobs, schedule.scheduling.min_length
    length = time_on_processors(jobs.expected, jobs.span_penalty, schedule.clusters_used)
    return schedule.start + np.maximum(length, least)
