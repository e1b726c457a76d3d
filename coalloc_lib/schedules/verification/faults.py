"""The error that names a fault of a schedule, and functions that raise it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule


class ScheduleError(AssertionError):
    """The error for a schedule that breaks a rule of the model or of its policy.

    Attributes
    ----------
    what : str
        A description of the fault, in which ``{other}`` stands for another job.
    job, other : int or None
        The positions in the stream of the job at fault and of the other job.
    instant : float or None
        The instant of the fault.
    count : int
        The number of jobs that break the same rule, at least 1. It is 1 if they were not counted.
    """

    def __init__(
        self,
        what: str,
        job: int | None = None,
        instant: float | None = None,
        other: int | None = None,
        count: int = 1,
    ) -> None:
        self.count = count
        self.what, self.job, self.instant, self.other = what, job, instant, other
        text = what.replace("{other}", f"job {other}")
        at = "" if instant is None else f" at {instant:.12g}:"
        super().__init__(text if job is None else f"job {job}{at} {text}")

    def renumbered(self, number: Sequence[int] | NDArray[np.int64]) -> "ScheduleError":
        """Return the same error with the job numbers of a larger stream.

        Job i of the stream of this error is job ``number[i]`` of the larger stream.
        """
        job, other = (None if one is None else int(number[one]) for one in (self.job, self.other))
        return ScheduleError(self.what, job, self.instant, other, self.count)


def raise_first(
    bad: NDArray[np.bool_],
    schedule: "Schedule",
    message: Callable[[int], str],
    instant: NDArray[np.float64] | None = None,
) -> None:
    """Raise a `ScheduleError` for the earliest job that is at fault, if there is one.

    Parameters
    ----------
    bad : ndarray of bool, shape (n,)
        Whether each job is at fault.
    schedule : Schedule
        The schedule.
    message : callable
        Returns the description of the fault for the position of a job.
    instant : ndarray, shape (n,), optional
        The instants by which the earliest job is chosen. By default they are the starts.
    """
    jobs = np.flatnonzero(bad)
    if len(jobs):
        when = schedule.start if instant is None else instant
        # A rejected job has a start of NaN, which counts as later than all other instants.
        job = int(jobs[np.argmin(np.nan_to_num(when[jobs], nan=np.inf))])
        at = None if np.isnan(when[job]) else float(when[job])
        raise ScheduleError(message(job), job, at, count=len(jobs))


def promise_in_words(promised: float) -> str:
    """Describe a promised start in words; NaN means that no start was promised."""
    return "no start" if np.isnan(promised) else f"a start at {promised:.12g}"
