"""The rules of the model, as checks of a finished schedule.

They share no code with an engine but the definition of how long a job runs. `_RULES` hold for every
schedule, `_RULES_OF` for those of a policy: of that very class, since one derived from it may do
anything.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.placement import may_stay_whole, time_on_processors
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling


class ScheduleError(AssertionError):
    """A schedule breaks a rule of the model."""


def verify(schedule: Any) -> None:
    """Raise `ScheduleError` at the first rule that `schedule` breaks; see `Schedule.verify`."""
    for check in (*_RULES, *_RULES_OF.get(type(schedule.scheduling), ())):
        check(schedule)


def overtaken(schedule: Any) -> np.ndarray:
    """Count, for each job, the jobs behind it that started strictly before it.

    Jobs behind it that started earlier = all that started earlier less those of them before it.
    """
    order = np.argsort(schedule.jobs.submit, kind="stable")
    start = schedule.start[order]
    earlier = np.searchsorted(np.sort(start), start, side="left")
    result = np.empty(len(start), dtype=np.int64)
    result[order] = earlier - _earlier_before(start)
    return result


def _earlier_before(start):
    """For each i, how many j < i have start[j] < start[i]: merge sort, one level at a time."""
    n = len(start)
    counts = np.zeros(n, dtype=np.int64)
    rank = np.searchsorted(np.sort(start), start, side="left")
    width = 1
    while width < n:
        # Within each pair of runs, count for the right run's members the smaller ones at left.
        pair = np.arange(n) // (2 * width)
        right = (np.arange(n) // width) % 2 == 1
        order = np.lexsort((~right, rank, pair))  # equal ranks: the right run first
        seen = np.cumsum(~right[order])
        first = np.searchsorted(pair[order], pair[order], side="left")
        before = np.where(first > 0, seen[first - 1], 0)
        counts[order] += np.where(right[order], seen - before, 0)
        width *= 2
    return counts


def _refuse(bad, schedule, message):
    """Raise for the job at fault that starts the earliest, where there is any."""
    jobs = np.flatnonzero(bad)
    if len(jobs):
        job = jobs[np.argmin(schedule.start[jobs])]
        raise ScheduleError(f"job {job} at {schedule.start[job]:.12g}: {message(job)}")


def _complete(schedule):
    """Every job has its instants, or was refused and has none and no processors."""
    served = schedule.served
    for bad, what in (
        (served & ~np.isfinite(schedule.start), "has no start"),
        (served & ~np.isfinite(schedule.end), "has no end"),
        (~served & ~np.isnan(schedule.start), "was refused and has a start"),
        (~served & ~np.isnan(schedule.end), "was refused and has an end"),
        (~served & schedule.allocation.any(axis=1), "was refused and has processors"),
    ):
        if bad.any():
            raise ScheduleError(f"job {int(bad.argmax())} {what}")
    for job, refusal in schedule.refused.items():
        if not refusal.instant >= schedule.jobs.submit[job]:
            raise ScheduleError(f"job {job} was refused at {refusal.instant}, before it came")


def _after_submission(schedule):
    bad = schedule.start < schedule.jobs.submit
    submit = schedule.jobs.submit
    _refuse(bad, schedule, lambda job: f"starts before its submission at {submit[job]:.12g}")


def _run_time(schedule):
    jobs = schedule.jobs
    length = time_on_processors(jobs.runtime, jobs.span_penalty, schedule.spans)
    bad = schedule.served & (schedule.end != schedule.start + length)
    _refuse(
        bad,
        schedule,
        lambda job: (
            f"ends at {schedule.end[job]:.12g}, its time on processors is {length[job]:.12g}"
        ),
    )


def _request(schedule):
    """Every job has what it asked for."""
    jobs, allocation = schedule.jobs, schedule.allocation
    bad = (allocation < 0).any(axis=1) | (allocation.sum(axis=1) != jobs.processors)
    if jobs.request == "total":
        bad |= (allocation > 0).sum(axis=1) != 1
    elif jobs.request != "flexible":
        wanted, given = _side_by_side(jobs.request, jobs.components, allocation)
        split = (wanted != given).any(axis=1)
        if may_stay_whole(schedule.placement, jobs.request):
            split &= (allocation > 0).sum(axis=1) != 1
        bad |= split
    _refuse(
        bad & schedule.served,
        schedule,
        lambda job: (
            f"has {allocation[job].tolist()} for components "
            f"{jobs.components[job].tolist()} ({jobs.request})"
        ),
    )


def _side_by_side(request, components, clusters):
    """Return both tables with as many columns, and unordered ones by decreasing size."""
    tables = [components, clusters]
    if request == "unordered":
        tables = [-np.sort(-table, axis=1) for table in tables]
    width = max(table.shape[1] for table in tables)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables]


def _capacity(schedule):
    """No cluster is over its size; at one instant departures come before starts."""
    runs = schedule.end > schedule.start
    start, end = schedule.start[runs], schedule.end[runs]
    numbers = np.flatnonzero(runs)
    instants = np.concatenate([end, start])
    starting = np.repeat([0, 1], len(start))
    order = np.lexsort((starting, instants))
    for cluster, size in enumerate(schedule.system.sizes):
        took = schedule.allocation[runs, cluster]
        busy = np.cumsum(np.concatenate([-took, took])[order])
        if (busy > size).any():
            event = int((busy > size).argmax())
            job = numbers[order[event] % len(start)]
            raise ScheduleError(
                f"job {job} at {instants[order[event]]:.12g}: cluster {cluster} runs "
                f"{busy[event]} processors and has {size}"
            )


def _instant(schedule):
    """Room only comes with a departure: a job that waited starts at one."""
    bad = ~np.isin(schedule.start, np.concatenate([schedule.jobs.submit, schedule.end]))
    _refuse(bad, schedule, lambda job: "starts at an instant at which no job was submitted or left")


def _no_overtaking(schedule):
    """No job is overtaken more often than `max_jumps` allows: never under FCFS."""
    limit = getattr(schedule.scheduling, "max_jumps", 0)
    count = schedule.overtaken
    _refuse(
        count > limit,
        schedule,
        lambda job: f"was overtaken {count[job]} times, {schedule.scheduling} allows {limit}",
    )


def _head(schedule):
    """Once all is done at an instant, the head of the queue does not fit."""
    order = np.argsort(schedule.jobs.submit, kind="stable")
    submit, all_before = schedule.jobs.submit[order], np.maximum.accumulate(schedule.start[order])
    instants = np.unique(np.concatenate([submit, schedule.end]))
    # The head is the first in the queue that has not started; it may not have arrived yet.
    head = np.searchsorted(all_before, instants, side="right")
    waits = head < np.searchsorted(submit, instants, side="right")
    rows = max(_CHUNK // len(schedule.system), 1)
    for chunk in np.array_split(np.flatnonzero(waits), 1 + int(waits.sum()) // rows):
        heads = order[head[chunk]]
        jobs, idle = schedule.jobs, idle_after(schedule, instants[chunk])
        whole = may_stay_whole(schedule.placement, jobs.request)
        fit = fits(jobs.request, jobs.components[heads], idle, whole)
        if fit.any():
            first = int(fit.argmax())
            raise ScheduleError(
                f"job {heads[first]} at {instants[chunk[first]]:.12g}: heads the queue and fits, "
                f"but starts only at {schedule.start[heads[first]]:.12g}"
            )


#: Table entries that `_head` looks at in one go, so that its memory stays bounded.
_CHUNK = 4_000_000


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


def fits(
    request: str, components: NDArray, idle: NDArray, whole: bool = False
) -> NDArray[np.bool_]:
    """Whether each job, a row of components, fits into the idle processors of its row.

    Where it may stay `whole`, it also fits if one cluster holds all of it.
    """
    if whole:
        return fits(request, components, idle) | fits("total", components, idle)
    if request in ("flexible", "total"):
        total = np.einsum("ij->i", components)  # several times faster than sum(axis=1)
        return total <= (idle.sum(axis=1) if request == "flexible" else idle.max(axis=1))
    wanted, free = _side_by_side(request, components, idle)
    return (wanted <= free).all(axis=1)


_RULES = (_complete, _after_submission, _run_time, _request, _capacity)

#: Policy -> what its schedules keep besides.
_RULES_OF: dict[type[Scheduling], tuple[Callable, ...]] = {
    FCFS: (_instant, _no_overtaking, _head),
    FPFS: (_instant, _no_overtaking, _head),
}
