"""What became of the jobs of a run, summed week by week, so that weeks can be drawn anew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.jobs import JobStream
from coalloc_lib.schedule import Schedule
from coalloc_lib.studies.online_batch.parameters import (
    FIFTIES,
    HOUR,
    LENGTH_ENDS,
    POWERS,
    WAITS,
    WITHIN,
)

#: Seconds that a job counts as at least in a bounded slowdown.
BOUND = 10.0


@dataclass(frozen=True, eq=False)
class Waited:
    """What became of each job.

    Attributes
    ----------
    jobs : JobStream
    wait : ndarray, shape (n,)
        From submission to start, in seconds; NaN of a job that was refused, or whose wait is not
        known.
    attempts : ndarray or None
        How many starts were tried.
    refused : int
    spans : float
        Share of the jobs on several clusters.
    utilization : float
        Between the first submission and the last; NaN where it is not known.
    told : float
        Share of the jobs that were ever promised a start.
    early : float
        Mean hours by which those that ran started before it.
    told_wait : float
        Mean hours from submission to the start that was promised, of those that ran.
    refused_work : float
        Share of the work, processors times run time, that was refused; NaN where nobody refuses.
    """

    jobs: JobStream
    wait: NDArray[np.float64]
    attempts: NDArray[np.int64] | None
    refused: int
    spans: float
    utilization: float
    told: float = float("nan")
    early: float = float("nan")
    told_wait: float = float("nan")
    refused_work: float = float("nan")

    @classmethod
    def of(cls, schedule: Schedule) -> "Waited":
        """Return what a schedule says."""
        jobs, finish = schedule.jobs, schedule.jobs.submit.max()
        # `Schedule.utilization` has no answer where a job was refused.
        ran = np.minimum(schedule.end, finish) - np.minimum(schedule.start, finish)
        done = np.nansum(ran * schedule.allocation.sum(axis=1))
        busy = float(done / (finish - jobs.submit.min()) / schedule.system.processors)
        refused, spans = len(schedule.refused), float(schedule.spans.mean())
        promised = np.asarray(schedule.promised)
        told = np.isfinite(promised)
        mine = told & schedule.served
        hours = [
            float(each[mine].mean() / HOUR) if mine.any() else float("nan")
            for each in (promised - schedule.start, promised - jobs.submit)
        ]
        lost = float(jobs.work[~schedule.served].sum() / jobs.work.sum())
        known = (float(told.mean()), *hours, lost)
        return cls(jobs, schedule.wait, schedule.attempts, refused, spans, busy, *known)

    @classmethod
    def recorded(cls, jobs: JobStream, wait: NDArray[np.float64]) -> "Waited":
        """Return what a log says."""
        return cls(jobs, wait, None, 0, 0.0, float("nan"))

    @property
    def slowdown(self) -> NDArray[np.float64]:
        """Bounded slowdown: response time over run time, which counts as 10 s at least."""
        length = np.maximum(self.jobs.runtime, BOUND)
        return np.maximum((self.wait + self.jobs.runtime) / length, 1.0)


def summed(
    waited: Waited, week: NDArray[np.int64]
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64], dict[str, float]]:
    """Return sums by week, how many waited longer than each of `WAITS`, and whole numbers.

    Returns
    -------
    sums : dict of ndarray
        ``jobs``, ``wait`` (hours), ``penalty`` (waits over run times), ``slowdown``, ``requests``
        (refused ones too) and ``attempts``; ``within h`` counts the jobs that waited no longer
        than h hours, ``over h`` the others; ``length i`` and ``size i`` have those of a group of
        `LENGTH_ENDS` and `POWERS`, ``fifty i`` of `FIFTIES`, each with its ``jobs``.
    """
    jobs, weeks = waited.jobs, int(week.max()) + 1
    known = np.isfinite(waited.wait)
    wait = np.where(known, waited.wait, 0.0) / HOUR
    one, hours = known.astype(float), jobs.runtime / HOUR
    penalty = np.where(known, wait / hours, 0.0)
    slowdown = np.where(known, waited.slowdown, 0.0)
    each = {"jobs": one, "wait": wait, "penalty": penalty, "slowdown": slowdown}
    each |= {"requests": np.ones(len(wait))}
    each |= {f"within {h:g}": one * (wait <= h) for h in WITHIN}
    each |= {f"over {h:g}": one * (wait > h) for h in WITHIN}
    tried = np.zeros(len(wait)) if waited.attempts is None else waited.attempts.astype(float)
    each["attempts"] = tried
    group = groups_of(hours, LENGTH_ENDS)
    for i in range(len(LENGTH_ENDS) - 1):
        mine = group == i
        each |= {f"jobs length {i}": one * mine, f"penalty length {i}": penalty * mine}
    group = groups_of(jobs.processors, POWERS)
    for i in range(len(POWERS) - 1):
        each |= {f"jobs size {i}": one * (group == i), f"wait size {i}": wait * (group == i)}
    group = groups_of(jobs.processors, FIFTIES)
    for i in range(len(FIFTIES) - 1):
        mine = (group == i).astype(float)
        each |= {f"requests fifty {i}": mine, f"attempts fifty {i}": tried * mine}
    sums = {
        name: np.bincount(week, weights=w, minlength=weeks).astype(float)
        for name, w in each.items()
    }
    return sums, longer_than(wait[known]), _numbers(waited, wait[known])


def groups_of(values: NDArray, ends: NDArray) -> NDArray[np.int64]:
    """Return the group of each value: group i has those above ``ends[i]``, up to the next end.

    Examples
    --------
    >>> groups_of(np.array([1, 50, 51, 100]), np.array([0, 50, 100])).tolist()
    [0, 0, 1, 1]
    """
    return np.searchsorted(ends, values, side="left") - 1


def longer_than(wait: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many waits, in hours, are longer than each of `WAITS`."""
    return (len(wait) - np.searchsorted(np.sort(wait), WAITS, side="right")).astype(float)


def _numbers(waited: Waited, wait: NDArray[np.float64]) -> dict[str, float]:
    """Return what has no weeks: a longest wait is that of one job."""
    some = len(wait) > 0
    tail = np.quantile(wait, [0.5, 0.95, 0.99]) if some else [np.nan] * 3
    names = ("median", "p95", "p99")
    numbers = dict(zip(names, map(float, tail), strict=True))
    numbers |= {"longest": float(wait.max()) if some else np.nan, "known": float(len(wait))}
    numbers |= {"refused": float(waited.refused), "spans": waited.spans}
    numbers |= {"told": waited.told, "early": waited.early, "told_wait": waited.told_wait}
    numbers |= {"refused_work": waited.refused_work}
    return numbers | {"utilization": waited.utilization}
