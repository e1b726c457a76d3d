"""The rules of the model, as checks of a finished schedule.

They share no code with an engine but the definition of how long a job runs. `_RULES` hold for every
schedule, `_RULES_OF` for those of a policy: of that very class, since one derived from it may do
anything.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import bookings
from coalloc_lib.faults import ScheduleError, refuse
from coalloc_lib.machines import HomeSite
from coalloc_lib.placement import Placement, may_stay_whole, time_on_processors
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling


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
    refuse(bad, schedule, lambda job: f"starts before its submission at {submit[job]:.12g}")


def _run_time(schedule):
    jobs = schedule.jobs
    length = time_on_processors(jobs.runtime, jobs.span_penalty, schedule.spans)
    bad = schedule.served & (schedule.end != schedule.start + length)
    refuse(
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
    if isinstance(schedule.placement, HomeSite):
        home = jobs.components[:, 1:]
        bad |= home.any(axis=1) & (home != allocation).any(axis=1)
    elif jobs.request in ("ordered", "unordered"):
        wanted, given = _side_by_side(jobs.request, jobs.components, allocation)
        split = (wanted != given).any(axis=1)
        if may_stay_whole(schedule.placement, jobs.request):
            split &= (allocation > 0).sum(axis=1) != 1
        bad |= split
    refuse(
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
    refuse(bad, schedule, lambda job: "starts at an instant at which no job was submitted or left")


def _no_overtaking(schedule):
    """No job is overtaken more often than `max_jumps` allows: never under FCFS."""
    limit = getattr(schedule.scheduling, "max_jumps", 0)
    count = schedule.overtaken
    refuse(
        count > limit,
        schedule,
        lambda job: f"was overtaken {count[job]} times, {schedule.scheduling} allows {limit}",
    )


def _head(schedule):
    """Once all is done at an instant, the head of the queue does not fit."""
    instants, heads = _waiting_heads(schedule)
    rows = max(_CHUNK // len(schedule.system), 1)
    for chunk in np.array_split(np.arange(len(heads)), 1 + len(heads) // rows):
        jobs, idle = schedule.jobs, idle_after(schedule, instants[chunk])
        fit = fits_by(schedule.placement, jobs.request, jobs.components[heads[chunk]], idle)
        if fit.any():
            instant, head = instants[chunk][fit][0], heads[chunk][fit][0]
            raise ScheduleError(
                f"job {head} at {instant:.12g}: heads the queue and fits, "
                f"but starts only at {schedule.start[head]:.12g}"
            )


def _waiting_heads(schedule):
    """Return the instants, increasing, after which a job heads the queue, and those jobs."""
    order = np.argsort(schedule.jobs.submit, kind="stable")
    submit, all_before = schedule.jobs.submit[order], np.maximum.accumulate(schedule.start[order])
    instants = np.unique(np.concatenate([submit, schedule.end]))
    # The head is the first in the queue that has not started; it may not have arrived yet.
    head = np.searchsorted(all_before, instants, side="right")
    waits = head < np.searchsorted(submit, instants, side="right")
    return instants[waits], order[head[waits]]


def _promise_to_head(schedule):
    """No head of the queue starts later than the jobs that run at any instant allow it to.

    It must not fit on what is idle once those that are expected to end before its start have left:
    if it did, its promised start would be the last of these ends, or earlier.
    """
    instants, heads = _waiting_heads(schedule)
    bad = _can_start(schedule, instants, heads, schedule.start[heads], included=False)
    if bad.any():
        instant, head = instants[bad][0], heads[bad][0]
        raise ScheduleError(
            f"job {head} at {schedule.start[head]:.12g}: starts later than the running jobs "
            f"promised it at {instant:.12g}"
        )


def _told_to_heads(schedule):
    """Every job that had to wait as head of the queue was promised the first start it could expect.

    At an instant at which jobs take no time there are several rounds, and the promise, to any job,
    may be of an earlier one, when such jobs still ran.
    """
    start, promised = schedule.start, schedule.promised
    instants, heads = _waiting_heads(schedule)
    first = np.sort(np.unique(heads, return_index=True)[1])
    instants, heads = instants[first], heads[first]
    rounds = start[start == schedule.end]
    told = ~np.isnan(promised)
    unasked = told & ~np.isin(start, rounds)
    unasked[heads] = ~told[heads]
    refuse(
        unasked, schedule, lambda job: f"was promised {_start_of(promised[job])}, as no head should"
    )
    _first_possible(schedule, instants, heads, ~np.isin(instants, rounds))


def _told_to_all(schedule):
    """Every job was promised a start, by its submission, that the jobs that ran then allowed.

    Where no other job waited, it is the first that they allowed; else it may be a later one.
    """
    refuse(np.isnan(schedule.promised), schedule, lambda _: "was promised no start")
    order = np.argsort(schedule.jobs.submit, kind="stable")
    submit, start = schedule.jobs.submit[order], schedule.start[order]
    alone = np.append(-np.inf, np.maximum.accumulate(start)[:-1]) < submit
    _first_possible(schedule, submit, order, alone, before=True)


def _promise_kept(schedule):
    """No job starts later than its first promise, and so none that has got better since."""
    promised = schedule.promised
    refuse(
        schedule.start > promised,
        schedule,
        lambda job: f"starts later than it was promised, {_start_of(promised[job])}",
    )


def _first_possible(schedule, instants, jobs, exactly, before=False):
    """Promises made to jobs at instants are possible, and where `exactly` says so, the first such.

    The running jobs are those that started by each instant, or `before` it.
    """
    promised = schedule.promised[jobs]
    case = (schedule, instants, jobs, promised)
    bad = (promised > instants) & exactly & _can_start(*case, included=False, before=before)
    bad |= ~_can_start(*case, included=True, before=before)
    if bad.any():
        job, instant, told = jobs[bad][0], instants[bad][0], promised[bad][0]
        raise ScheduleError(
            f"job {job} at {instant:.12g}: was promised {_start_of(told)}, which is not when the "
            "running jobs allow it"
        )


def _start_of(promised):
    return "no start" if np.isnan(promised) else f"a start at {promised:.12g}"


def _can_start(schedule, instants, jobs, until, included, before=False):
    """Whether jobs fit once those have left that run at increasing instants and end by `until`.

    Parameters
    ----------
    instants, jobs, until : ndarray, shape (m,)
    included : bool
        Whether those that are expected to end at `until` itself have left too.
    before : bool
        Whether those that start at the instants do not run yet.
    """
    stream, system = schedule.jobs, schedule.system
    length = np.maximum(stream.estimate, stream.runtime)
    end = schedule.start + time_on_processors(length, stream.span_penalty, schedule.spans)
    first = np.searchsorted(instants, schedule.start, side="right" if before else "left")
    counts = np.maximum(np.searchsorted(instants, schedule.end, side="left") - first, 0)
    idle = np.tile(system.as_array(), (len(instants), 1))
    for chunk in np.array_split(np.arange(len(schedule)), 1 + counts.sum() // _CHUNK):
        job = np.repeat(chunk, counts[chunk])
        begun = np.repeat(np.cumsum(counts[chunk]) - counts[chunk], counts[chunk])
        row = first[job] + np.arange(len(job)) - begun
        stays = end[job] > until[row] if included else end[job] >= until[row]
        np.subtract.at(idle, row[stays], schedule.allocation[job[stays]])
    return fits_by(schedule.placement, stream.request, stream.components[jobs], idle)


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


def fits_by(
    placement: Placement | None, request: str, components: NDArray, idle: NDArray
) -> NDArray[np.bool_]:
    """Whether each job, a row of components, fits into the idle processors as placed by a rule."""
    if not isinstance(placement, HomeSite):
        return fits(request, components, idle, may_stay_whole(placement, request))
    home = components[:, 1:]
    free = fits_by(placement.rule, request, components[:, :1], idle)
    return np.where(home.any(axis=1), (home <= idle).all(axis=1), free)


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
    EASY: (_instant, _head, _promise_to_head, _told_to_heads, _promise_kept),
    Conservative: (_promise_kept, _told_to_all),
    Online: bookings.RULES,
}
