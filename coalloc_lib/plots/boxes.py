"""What a picture of a schedule shows: a window of time, and the rows of processors of each job."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, shown
from coalloc_lib.schedule import Schedule

#: Jobs that are drawn where no window is given.
FIRST = 200
#: Jobs that a window may hold: more boxes take long to draw, and are too small to see.
MOST = 2000


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
    order of their starts, jobs get the narrowest run of free neighbours that holds them, or where
    none does, the fewest runs that do: a box is seldom in pieces.
    """
    jobs = jobs[np.lexsort((schedule.end[jobs], schedule.start[jobs]))]
    free_at = [np.full(size, -np.inf) for size in schedule.system.sizes]
    for job in jobs:
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows = free_at[cluster]
            free = rows <= schedule.start[job]
            for first, count in _chosen(free, int(schedule.allocation[job, cluster])):
                rows[first : first + count] = schedule.end[job]
                yield Piece(int(job), int(cluster), first, count)


def _chosen(free: NDArray[np.bool_], wanted: int) -> Iterator[tuple[int, int]]:
    """Choose so many rows of those that are free, as (first, count)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]])))
    runs = [(int(first), int(last - first)) for first, last in edges.reshape(-1, 2)]
    while wanted:
        ample = [run for run in runs if run[1] >= wanted]
        run = min(ample, key=lambda run: run[1]) if ample else max(runs, key=lambda run: run[1])
        runs.remove(run)
        yield run[0], min(run[1], wanted)
        wanted -= min(run[1], wanted)
