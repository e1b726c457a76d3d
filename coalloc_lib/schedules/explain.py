"""Why jobs of a finished schedule waited, and how much processor-time was idle meanwhile."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.display import listed
from coalloc_lib.model.fitting import fits_by
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import (
    Placement,
    effective_request,
    is_of_library,
    may_stay_whole,
)
from coalloc_lib.policies import FCFS, FPFS
from coalloc_lib.schedules.reading import heads, idle_after
from coalloc_lib.schedules.schedule import Schedule

#: If a system has more clusters than this number, an explanation of why a job waits lists only the
#: clusters with the most idle processors.
_MOST_LISTED = 4
_NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, eq=False)
class Idling:
    """The processor-time of a schedule that was idle while at least one job waited.

    Attributes
    ----------
    instants : ndarray, shape (m,)
        The instants at which the schedule changes, in increasing order.
    area : ndarray, shape (m,)
        The idle processors, integrated over the time in which a job waited, from the first instant
        up to each instant.
    processors : int
        The number of processors of the system.
    """

    instants: NDArray[np.float64]
    area: NDArray[np.float64]
    processors: int

    def share(self, until: ArrayLike) -> NDArray[np.float64]:
        """Return the fraction of all processor-time that was idle while at least one job waited.

        The fraction refers to the time from the first instant up to each instant of `until`. The
        fraction is NaN if no time has passed.
        """
        until = np.asarray(until, dtype=float)
        passed = until - self.instants[0]
        whole = np.where(passed > 0, passed, np.nan) * self.processors
        return np.interp(until, self.instants, self.area) / whole


def instants_of(schedule: Schedule) -> NDArray[np.float64]:
    """Return all instants at which a job was submitted, left the queue or ended, in order."""
    ends = schedule.end[schedule.served]
    return np.unique(np.concatenate([schedule.jobs.submit, schedule.left_queue, ends]))


def idle_while_waiting(schedule: Schedule) -> Idling:
    """Return the processor-time of a schedule that was idle while at least one job waited."""
    instants = instants_of(schedule)
    idle = idle_after(schedule, instants).sum(axis=1)
    waits = schedule.queue_length(instants) > 0
    area = np.cumsum((idle * waits)[:-1] * np.diff(instants))
    return Idling(instants, np.append(0.0, area), schedule.system.processors)


def waits_within(schedule: Schedule, span: tuple[float, float]) -> list[tuple[float, float]]:
    """Return each period in which at least one job waits, as a pair (begin, length).

    Parameters
    ----------
    schedule : Schedule
        The schedule whose queue is examined.
    span : (float, float)
        The two instants between which periods are returned. A period that reaches beyond them is
        cut.
    """
    instants = np.unique(np.clip(instants_of(schedule), *span))
    waits = np.concatenate([[False], schedule.queue_length(instants[:-1]) > 0, [False]])
    edges = instants[np.flatnonzero(np.diff(waits))].reshape(-1, 2)
    return [(begin, end - begin) for begin, end in edges]


def why_waiting(
    schedule: Schedule, jobs: ArrayLike, instants: ArrayLike, past: bool = False
) -> list[str]:
    """Explain in words why each waiting job has not started by a given instant.

    Parameters
    ----------
    schedule : Schedule
        The schedule of the jobs.
    jobs : array_like of int, shape (m,)
        The positions of the jobs in the stream.
    instants : array_like, shape (m,)
        One instant for each job, at which this job waits.
    past : bool
        Whether the reasons are in the past tense, instead of the present tense.

    Returns
    -------
    list of str
        Reasons such as ``"needs 4 on one cluster; 1 and 3 are idle"``. Clusters are counted from 1,
        and other jobs are called by their numbers in the stream.
    """
    jobs, instants = np.asarray(jobs, dtype=np.int64), np.asarray(instants, dtype=float)
    reasons = np.full(len(jobs), "", dtype=object)
    for rows, queue in schedule.queues:
        asked = np.flatnonzero(np.isin(jobs, rows))
        places = np.searchsorted(rows, jobs[asked])
        reasons[asked] = _reasons(queue, places, instants[asked], past)
    return reasons.tolist()


def _reasons(
    schedule: Schedule, jobs: NDArray[np.int64], instants: NDArray[np.float64], past: bool
) -> list[str]:
    idle, stream = idle_after(schedule, instants), schedule.jobs
    fitting = fits_by(schedule.placement, stream.request, stream.components[jobs], idle)
    rows = zip(jobs, heads(schedule, instants), fitting, idle, strict=True)
    return [_reason(schedule, *row, past) for row in rows]


def _reason(
    schedule: Schedule, job: int, head: int, fitting: bool, idle: NDArray[np.int64], past: bool
) -> str:
    policy, number = schedule.scheduling, schedule.jobs.number[head]
    is_fcfs = type(policy) is FCFS or (type(policy) is FPFS and policy.max_jumps == 0)
    behind = f"{'waited' if past else 'waits'} behind job {number}"
    if not fitting:
        return behind if is_fcfs and job != head else _lacks(schedule, job, idle, past)
    would = "would have fitted" if past else "would fit"
    if job == head and type(policy) in (FCFS, FPFS):
        # FCFS and FPFS start the head of the queue as soon as the placement returns an allocation
        # for it. The placements of the library return an allocation whenever the job fits. Here the
        # job fits and still waits, so a user must have written the placement.
        return f"{would}, but {schedule.placement} {'did' if past else 'does'} not place it"
    if is_fcfs:
        return f"{would}, but {behind}"
    if type(policy) is FPFS and is_of_library(schedule.placement):
        times = "once" if policy.max_jumps == 1 else f"{policy.max_jumps} times"
        had, was = ("had", "was") if past else ("has", "is")
        times += " at the head of the queue" * (policy.counted == "head")
        return f"{would}, but job {number} {had} been overtaken {times}, as often as {was} allowed"
    return f"{would}, but {policy.title} {'let' if past else 'lets'} it wait"


def _lacks(schedule: Schedule, job: int, idle: NDArray[np.int64], past: bool) -> str:
    request, wanted = _request_and_sizes(schedule.jobs, job, schedule.placement)
    words = ("needed", "was", "were", "had") if past else ("needs", "is", "are", "have")
    needs, one_is, are, have = words

    def idle_are(count: int) -> str:
        return f"{count} {one_is if count == 1 else are} idle"

    if request == "ordered":
        short = [(size, c) for c, size in enumerate(wanted) if size > idle[c]]
        parts = [f"{size} on cluster {c + 1}, where {idle_are(idle[c])}" for size, c in short]
        return f"{needs} {listed(parts)}"
    if len(idle) == 1:
        return f"{needs} {sum(wanted)}; {idle_are(idle[0])}"
    if request == "flexible":
        return f"{needs} {wanted[0]} in all; {idle_are(idle.sum())}"
    needed = f"{needs} {_ways(wanted, may_stay_whole(schedule.placement, request))}"
    if len(idle) <= _MOST_LISTED:
        return f"{needed}; {listed(idle)} {are} idle"
    most = np.sort(idle)[::-1][: len(wanted)]
    return f"{needed}; the emptiest clusters {have} {listed(most)} idle"


def requested_sizes(jobs: JobStream, job: int) -> list[int]:
    """Return the number of processors that a job requests for each of its components.

    A job with a total or flexible request asks for the sum of its components. An ordered request
    has one entry for each cluster, which may be 0.
    """
    return _request_and_sizes(jobs, job)[1]


def _request_and_sizes(
    jobs: JobStream, job: int, placement: Placement | None = None
) -> tuple[str, list[int]]:
    row = jobs.components[job].tolist()
    request, components = effective_request(row, jobs.request, placement)
    if request in ("flexible", "total"):
        return request, [sum(components)]
    return request, [size for size in components if size or request == "ordered"]


def request_in_words(jobs: JobStream, job: int, placement: Placement | None = None) -> str:
    """Describe the processors that a job asks for, in words.

    An example is ``"5 on one cluster, or 4 and 1 on two clusters"``.
    """
    request, wanted = _request_and_sizes(jobs, job, placement)
    if request == "ordered":
        return listed([f"{size} on cluster {c + 1}" for c, size in enumerate(wanted) if size])
    if request == "flexible":
        return f"{wanted[0]} in all, on any clusters"
    return _ways(wanted, may_stay_whole(placement, request))


def _ways(wanted: list[int], whole: bool) -> str:
    if len(wanted) == 1:
        return f"{wanted[0]} on one cluster"
    count = _NUMERALS[len(wanted)] if len(wanted) < len(_NUMERALS) else len(wanted)
    split = f"{listed(wanted)} on {count} clusters"
    return f"{sum(wanted)} on one cluster, or {split}" if whole else split
