"""The parts of a picture of a schedule: boxes of running jobs, lanes of waiting jobs, and windows.

`coalloc_lib.plots.schedules.draw_schedules` draws these parts as a still picture, and the schedule
player draws them on a page.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.plots.schedules import DrawnBox, DrawnWait
from coalloc_lib.schedules.explain import waits_within
from coalloc_lib.schedules.numbering import overfull
from coalloc_lib.schedules.reading import arrival_order, booked_end, heads, queue_order
from coalloc_lib.schedules.schedule import Schedule

#: The number of jobs in the picture of a long schedule if the user gives no time window.
FIRST = 200
#: The largest number of jobs in the picture of a schedule. With more jobs, drawing takes a long
#: time, and the boxes are too small to see.
MOST = 2000
#: The width of one digit of a job number in a picture, as a fraction of the width of the picture.
DIGIT = 0.012


class JobBox(NamedTuple):
    """A box of a Gantt chart: neighbouring processors of one cluster that run one job.

    All four fields are counted from 0: the position of the job, the cluster, the first processor in
    this cluster, and the number of processors.
    """

    job: int
    cluster: int
    first: int
    size: int


def window_of(
    schedule: Schedule, window: tuple[float, float] | None
) -> tuple[tuple[float, float], str]:
    """Return the time window of a picture of a schedule, and describe the window in words.

    Parameters
    ----------
    schedule : Schedule
        The schedule to draw.
    window : (float, float) or None
        The two instants. None means the whole schedule or, if it is long, its first jobs.

    Returns
    -------
    span : (float, float)
        The two instants.
    words : str
        The description, which is empty if the whole schedule is drawn.

    Raises
    ------
    InputError
        The window is not a pair of increasing finite instants.
    """
    if window is not None:
        return _checked_window(window)
    begin = schedule.jobs.submit.min()
    last = np.fmax.reduce(schedule.end, initial=begin)  # fmax ignores the NaN of rejected jobs
    if schedule.served.sum() <= FIRST:
        return (begin, last if last > begin else begin + 1), ""
    # The window ends at the start of the first job that the picture leaves out. The picture
    # therefore shows every job that runs in the window, and a processor without a box was idle.
    finish = np.partition(schedule.start[schedule.served], FIRST)[FIRST]
    if finish <= begin:  # the first jobs all start at the same instant
        later = schedule.end[schedule.end > begin]
        finish = later.min() if later.size else begin + 1
    return (begin, finish), f"the first {FIRST} of {len(schedule):,} jobs"


def _checked_window(window: tuple[float, float]) -> tuple[tuple[float, float], str]:
    try:
        begin, finish = map(float, window)
    except (TypeError, ValueError):
        begin = finish = np.nan
    if not -np.inf < begin < finish < np.inf:
        raise InputError(f"window = {shown(window)}; give two instants, the earlier one first")
    return (begin, finish), f"from {begin:,.10g} to {finish:,.10g}"


def held_until(schedule: Schedule) -> NDArray[np.float64]:
    """Return the time at which the processors of each job become available to other jobs.

    The result has the shape (n,). It has the end of each job, or the end of its booking if the
    policy keeps bookings of jobs that ended early.
    """
    return schedule.end if schedule.scheduling.release_early else booked_end(schedule)


def boxes(schedule: Schedule, jobs: NDArray[np.int64]) -> Iterator[JobBox]:
    """Yield the boxes of a Gantt chart for the given jobs.

    Parameters
    ----------
    schedule : Schedule
        The schedule to draw.
    jobs : ndarray of int
        The positions of all jobs that run in the window.

    Raises
    ------
    InputError
        An allocation does not fit on its cluster.

    Notes
    -----
    A schedule does not say which rows of the chart a job occupies. The jobs are taken in the order
    of their starts. Each gets the smallest range of free neighbouring rows that can hold it. If no
    range is large enough, it gets as few ranges as possible. If the range is larger than the job,
    the job is placed at that side of the range where the neighbour ends at about the same time as
    the job. Neighbouring rows then become free together.
    """
    held = held_until(schedule)
    jobs = jobs[np.lexsort((held[jobs], schedule.start[jobs]))]
    free_at = [np.full(size, -np.inf) for size in schedule.system.sizes]
    for job in jobs:
        begin, end = schedule.start[job], held[job]
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows, wanted = free_at[cluster], int(schedule.allocation[job, cluster])
            if np.count_nonzero(rows <= begin) < wanted:
                raise overfull(int(cluster), int(job))
            its_boxes = []
            while wanted:
                first, size = _chosen_rows(rows, begin, end, wanted)
                rows[first : first + size] = np.inf
                its_boxes.append(JobBox(int(job), int(cluster), first, size))
                wanted -= size
            for _, _, first, size in its_boxes:
                rows[first : first + size] = end
            yield from its_boxes


def _chosen_rows(
    free_at: NDArray[np.float64], begin: float, end: float, wanted: int
) -> tuple[int, int]:
    free = np.concatenate([[False], free_at <= begin, [False]])
    ranges = np.flatnonzero(np.diff(free)).reshape(-1, 2)
    ample = ranges[ranges[:, 1] - ranges[:, 0] >= wanted]
    if not len(ample):
        first, last = max(ranges.tolist(), key=lambda edges: edges[1] - edges[0])
        return first, last - first
    first, last = min(ample.tolist(), key=lambda edges: edges[1] - edges[0])
    below = abs(free_at[first - 1] - end) if first else 0.0
    above = abs(free_at[last] - end) if last < len(free_at) else 0.0
    return (first if below <= above else last - wanted), wanted


def scenes(
    schedules: Mapping[str, Schedule],
    window: tuple[float, float] | None = None,
    against: Schedule | None = None,
) -> tuple[dict[str, dict[str, Any]], tuple[float, float]]:
    """Return the contents of a picture that shows several schedules, each in its own panel.

    The function `coalloc_lib.plots.schedules.draw_schedules` draws the picture.

    Parameters
    ----------
    schedules : dict of str to Schedule
        The schedules by their labels.
    window : (float, float), optional
        The two instants between which the schedules are drawn; see `window_of`.
    against : Schedule, optional
        Another schedule of the same jobs, to which the schedules are compared; see `sooner_until`.

    Returns
    -------
    panels : dict of str to dict
        The contents of each panel by its heading.
    span : (float, float)
        The two instants between which all panels are drawn.
    """
    spans, words = zip(*(window_of(one, window) for one in schedules.values()), strict=True)
    begins, finishes = zip(*spans, strict=True)
    span = min(begins), (min if any(words) else max)(finishes)
    headings = [f"{n}: {part}" if part else n for n, part in zip(schedules, words, strict=True)]
    panels = [
        {
            "sizes": one.system.sizes,
            "boxes": [*_boxes(one, *span, sooner_until(one, against))],
            "waits": waits_within(one, span),
            "queue": [*_queue(one, span)],
        }
        for one in schedules.values()
    ]
    return dict(zip(headings, panels, strict=True)), span


def sooner_until(schedule: Schedule, against: Schedule | None) -> NDArray[np.float64]:
    """Return the end of the period in which each job runs in `schedule` and waits in `against`.

    The period begins at the start of the job in `schedule`. It ends at the start of the job in
    `against`, or at its end in `schedule` if that is earlier. If the job is rejected in `against`,
    it waits there until its rejection. If the job does not start earlier in `schedule`, or if
    `against` is None, the period is empty, and the result is its start. The result is NaN if the
    job is rejected in `schedule`.
    """
    other = schedule if against is None else against
    return np.clip(other.left_queue, schedule.start, schedule.end)


def _boxes(
    schedule: Schedule, begin: float, finish: float, sooner: NDArray[np.float64]
) -> Iterator[DrawnBox]:
    held = held_until(schedule)
    runs = np.flatnonzero((schedule.start < finish) & (held > begin))
    if len(runs) > MOST:
        raise InputError(
            f"{len(runs):,} jobs run in the window, too many for a picture; give a shorter "
            f"window, with at most {MOST:,} jobs"
        )
    passed = dict(zip(runs.tolist(), passed_heads(schedule, runs), strict=True))
    for job, cluster, first, size in boxes(schedule, runs):
        yield DrawnBox(
            number=int(schedule.jobs.number[job]),
            cluster=cluster,
            first=first,
            size=size,
            start=schedule.start[job],
            end=schedule.end[job],
            until=sooner[job],
            held=held[job],
            passed=passed[job],
        )


def passed_heads(schedule: Schedule, jobs: NDArray[np.intp]) -> list[int | None]:
    """Return, for each job, the index of the head of the queue that it overtook, or None.

    The entry is None for a job that did not start before the job at the head of the queue.
    """
    passed = np.full(len(schedule), None)
    for rows, queue in schedule.queues:
        passed[rows] = _passed_in(queue)
    return passed[jobs].tolist()


def _passed_in(queue: Schedule) -> NDArray[np.object_]:
    place = np.argsort(queue_order(queue))
    # The function `heads` returns the head of the queue just after each start. A rejected job has
    # no start.
    head = heads(queue, queue.start)
    passed = queue.served & (head >= 0) & (place[head] < place)
    return np.where(passed, queue.jobs.number[head], np.array(None))


def _queue(schedule: Schedule, span: tuple[float, float]) -> Iterator[DrawnWait]:
    # A lane is a row of the picture, counted from 1. Two jobs share a lane only if they wait at
    # different times and their labels, which are the job numbers, do not overlap.
    submit, left, promised = schedule.jobs.submit, schedule.left_queue, schedule.promised
    digit = DIGIT * (span[1] - span[0])
    free: list[float] = []
    for job in arrival_order(schedule):
        if not (submit[job] <= span[1] and left[job] >= span[0]):
            continue
        number = int(schedule.jobs.number[job])
        before = submit[job] - digit * (len(str(number)) + 1)
        lane = next((lane for lane, at in enumerate(free) if at <= before), len(free))
        free[lane : lane + 1] = [max(left[job], submit[job] + digit)]
        yield DrawnWait(lane + 1, number, submit[job], left[job], promised[job])
