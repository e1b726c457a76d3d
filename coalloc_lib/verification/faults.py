"""How a fault of a schedule is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ScheduleError(AssertionError):
    """A schedule breaks a rule of the model.

    Attributes
    ----------
    what : str
        Which rule, and how.
    job : int or None
        The position of the job in the stream, where one is at fault.
    instant : float or None
        When.
    """

    def __init__(self, what: str, job: int | None = None, instant: float | None = None) -> None:
        self.what, self.job, self.instant = what, job, instant
        at = "" if instant is None else f" at {instant:.12g}:"
        super().__init__(what if job is None else f"job {job}{at} {what}")


def refuse(
    bad: NDArray[np.bool_],
    schedule: Any,
    message: Callable[[int], str],
    instant: NDArray[np.float64] | None = None,
) -> None:
    """Raise for the first job at fault, if any, by its start or by the instants given."""
    jobs = np.flatnonzero(bad)
    if len(jobs):
        when = schedule.start if instant is None else instant
        job = int(jobs[np.argmin(when[jobs])])
        raise ScheduleError(message(job), job, float(when[job]))
