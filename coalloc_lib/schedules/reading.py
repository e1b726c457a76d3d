"""The state of the queue and of the clusters at any instant of a finished schedule."""

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.placement import time_on_processors
from coalloc_lib.policies.backfilling import ORDERS, queue_key

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule


def arrival_order(schedule: "Schedule") -> NDArray[np.int64]:
    """Return the positions of all jobs in the job stream, in the order of arrival."""
    if schedule.backlog is not None:
        # In a run with a queue of constant length, the jobs enter the queue in the order of the
        # stream.
        return np.arange(len(schedule))
    return np.argsort(schedule.jobs.submit, kind="stable")


def queue_order(schedule: "Schedule") -> NDArray[np.int64]:
    """Return the positions of all jobs in the job stream, in the order of the queue.

    The policy of the schedule orders the queue. If its attribute `order` is not one of
    `coalloc_lib.policies.backfilling.ORDERS`, the jobs are in the order of arrival.
    """
    arrival, order = arrival_order(schedule), schedule.scheduling.order
    if order not in ORDERS:
        return arrival
    return arrival[np.argsort(queue_key(order, schedule.jobs)[arrival], kind="stable")]


def heads(schedule: "Schedule", instants: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position of the head of the queue just after each instant, or -1.

    The head is the first waiting job in the order of `queue_order`. The result is -1 if no job
    waits. The position is that in the job stream.
    """
    order, coming = queue_order(schedule), arrival_order(schedule)[::-1].tolist()
    place, submit = np.argsort(order).tolist(), schedule.jobs.submit
    # A job that asks for a reservation gets its start time when it is submitted, so it is never the
    # head of the queue.
    left = np.where(schedule.jobs.is_reserved, submit, schedule.left_queue)
    found = np.full(len(instants), -1)
    # A heap of the places of jobs in the queue. A job that has left stays in the heap until its
    # place is the smallest one.
    waiting: list[int] = []
    for at in np.argsort(instants, kind="stable"):
        while coming and submit[coming[-1]] <= instants[at]:
            heappush(waiting, place[coming.pop()])
        while waiting and left[order[waiting[0]]] <= instants[at]:
            heappop(waiting)
        if waiting:
            found[at] = order[waiting[0]]
    return found


def idle_after(schedule: "Schedule", instants: NDArray) -> NDArray[np.int64]:
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


def booked_end(schedule: "Schedule") -> NDArray[np.float64]:
    """Return the expected end of each job, or the end of its booking if that is later.

    The result has the shape (n,).
    """
    jobs, least = schedule.jobs, schedule.scheduling.min_length
    length = time_on_processors(jobs.expected, jobs.span_penalty, schedule.clusters_used)
    return schedule.start + np.maximum(length, least)
