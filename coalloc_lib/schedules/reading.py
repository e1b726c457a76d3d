"""The state of the queue and of the clusters at any instant of a finished schedule."""

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.placement import time_on_processors

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule


def arrival_order(schedule: "Schedule") -> NDArray[np.int64]:
    """Return the positions of all jobs in the job stream, in the order of arrival."""
    if schedule.backlog is not None:
        # In a run with a queue of constant length, the jobs enter the queue in the order of the
        # stream.
        return np.arange(len(schedule))
    return np.argsort(schedule.jobs.submit, kind="stable")


def heads(schedule: "Schedule", instants: NDArray[np.float64]) -> NDArray[np.int64]:
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
