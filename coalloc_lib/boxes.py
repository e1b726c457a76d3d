"""What pictures of schedules show: a window of time, boxes on processors, the queue in lanes."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, shown
from coalloc_lib.explain import instants_of, left_queue
from coalloc_lib.schedule import Schedule

#: Jobs that are drawn where no window is given.
FIRST = 200
#: Jobs that a window may hold: more boxes take long to draw, and are too small to see.
MOST = 2000
#: What a digit of a job's number takes of the width of a picture.
DIGIT = 0.012


class Piece(NamedTuple):
    """Neighbouring processors of one cluster that run one job; all counted from 0."""

    job: int
    cluster: int
    first: int
    size: int


def window_of(
    schedule: Schedule, window: tuple[float, float] | None
) -> tuple[tuple[float, float], str]:
    """Return the instants between which to draw, and words for them where they are not all."""
    if window is not None:
        try:
            begin, finish = map(float, window)
        except (TypeError, ValueError):
            begin = finish = np.nan
        if not -np.inf < begin < finish < np.inf:
            raise InputError(f"window = {shown(window)}; give two instants, the earlier one first")
        return (begin, finish), f"from {begin:,.10g} to {finish:,.10g}"
    begin = schedule.jobs.submit.min()
    last = np.fmax.reduce(schedule.end, initial=begin)  # past the NaN of jobs that were refused
    if len(schedule) <= FIRST:
        return (begin, last if last > begin else begin + 1), ""
    # All that runs until then is among the first, so that what looks idle was idle.
    finish = np.partition(schedule.start, FIRST)[FIRST]
    if finish <= begin:  # they all start at once
        later = schedule.end[schedule.end > begin]
        finish = later.min() if later.size else begin + 1
    return (begin, finish), f"the first {FIRST} of {len(schedule):,} jobs"


def running(schedule: Schedule, begin: float, finish: float) -> np.ndarray:
    """Return the jobs that run within the window, in order of their start."""
    runs = np.flatnonzero((schedule.start < finish) & (schedule.end > begin))
    if len(runs) > MOST:
        raise InputError(
            f"window holds {len(runs):,} jobs; give a shorter one, with {MOST:,} jobs at most"
        )
    return runs[np.lexsort((schedule.end[runs], schedule.start[runs]))]


def pieces(schedule: Schedule, jobs: NDArray[np.int64]) -> Iterator[Piece]:
    """Yield the boxes of jobs; no two overlap.

    Parameters
    ----------
    jobs : ndarray of int
        Positions of all that run in some window of time.

    Notes
    -----
    Processors of a cluster are alike, so it is for a picture to say which of them a job has. In
    order of their starts, jobs get the narrowest run of free neighbours that holds them, at that
    end of it where the neighbour ends nearest to the job, so that wide runs come free at once.
    Where none holds a job, it gets the fewest runs that do: a box is seldom in pieces.
    """
    jobs = jobs[np.lexsort((schedule.end[jobs], schedule.start[jobs]))]
    free_at = [np.full(size, -np.inf) for size in schedule.system.sizes]
    for job in jobs:
        begin, end = schedule.start[job], schedule.end[job]
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows, wanted = free_at[cluster], int(schedule.allocation[job, cluster])
            mine = []
            while wanted:
                first, size = _chosen(rows, begin, end, wanted)
                rows[first : first + size] = np.inf
                mine.append(Piece(int(job), int(cluster), first, size))
                wanted -= size
            for _, _, first, size in mine:
                rows[first : first + size] = end
            yield from mine


def _chosen(free_at: NDArray[np.float64], begin: float, end: float, wanted: int) -> tuple[int, int]:
    """Choose a run of rows that are free from `begin` on, as (first, size): all wanted or less."""
    free = np.concatenate([[False], free_at <= begin, [False]])
    runs = np.flatnonzero(np.diff(free)).reshape(-1, 2)
    ample = runs[runs[:, 1] - runs[:, 0] >= wanted]
    if not len(ample):
        first, last = max(runs.tolist(), key=lambda run: run[1] - run[0])
        return first, last - first
    first, last = min(ample.tolist(), key=lambda run: run[1] - run[0])
    below = abs(free_at[first - 1] - end) if first else 0.0
    above = abs(free_at[last] - end) if last < len(free_at) else 0.0
    return (first if below <= above else last - wanted), wanted


def scenes(
    schedules: Mapping[str, Schedule], window: tuple[float, float] | None = None
) -> tuple[dict[str, dict[str, Any]], tuple[float, float]]:
    """Return what `coalloc_lib.plots.schedules.still` draws of schedules, and from when to when.

    Parameters
    ----------
    schedules : dict of Schedule
        By label.
    window : (float, float), optional
        From one instant to another; the first jobs where it is not given.

    Raises
    ------
    InputError
        The window is none, or holds more than 2,000 jobs.
    """
    spans, words = zip(*(window_of(one, window) for one in schedules.values()), strict=True)
    begins, finishes = zip(*spans, strict=True)
    span = min(begins), (min if any(words) else max)(finishes)
    headings = [f"{n}: {part}" if part else n for n, part in zip(schedules, words, strict=True)]
    drawn = [
        {
            "sizes": one.system.sizes,
            "boxes": [
                (
                    int(one.jobs.number[piece.job]),
                    *piece[1:],
                    one.start[piece.job],
                    one.end[piece.job],
                )
                for piece in pieces(one, running(one, *span))
            ],
            "waits": _waits(one, span),
            "queue": list(_queue(one, span)),
        }
        for one in schedules.values()
    ]
    return dict(zip(headings, drawn, strict=True)), span


def _waits(schedule, span):
    """Return (begin, length) of each time in which a job waits."""
    instants = np.unique(np.clip(instants_of(schedule), *span))
    waits = np.concatenate([[False], schedule.queue_length(instants[:-1]) > 0, [False]])
    edges = instants[np.flatnonzero(np.diff(waits))].reshape(-1, 2)
    return [(begin, end - begin) for begin, end in edges]


def _queue(schedule, span):
    """Yield (lane, number, submit, left, promised) of each job that came within the span.

    Lanes count from 1, and in one no two waits meet, numbers included.
    """
    submit, left = schedule.jobs.submit, left_queue(schedule)
    digit = DIGIT * (span[1] - span[0])
    free: list[float] = []
    for job in np.argsort(submit, kind="stable"):
        if not (submit[job] <= span[1] and left[job] >= span[0]):
            continue
        number = int(schedule.jobs.number[job])
        before = submit[job] - digit * (len(str(number)) + 1)
        lane = next((lane for lane, at in enumerate(free) if at <= before), len(free))
        free[lane : lane + 1] = [max(left[job], submit[job] + digit)]
        yield lane + 1, number, submit[job], left[job], schedule.promised[job]
