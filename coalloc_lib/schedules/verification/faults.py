"""How a fault of a schedule is named."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ScheduleError(AssertionError):
    """A schedule breaks a rule of the model.

    Attributes
    ----------
    what : str
        Which rule, and how; ``{other}`` stands for another job.
    job, other : int or None
        The positions of the job at fault and of the other in the stream.
    instant : float or None
        When.
    """

    def __init__(
        self,
        what: str,
        job: int | None = None,
        instant: float | None = None,
        other: int | None = None,
    ) -> None:
        self.what, self.job, self.instant, self.other = what, job, instant, other
        text = what.replace("{other}", f"job {other}")
        at = "" if instant is None else f" at {instant:.12g}:"
        super().__init__(text if job is None else f"job {job}{at} {text}")

    def renumbered(self, number: Sequence[int] | NDArray[np.int64]) -> "ScheduleError":
        """Return the error of a larger stream, in which job i has the position ``number[i]``."""
        job, other = (None if one is None else int(number[one]) for one in (self.job, self.other))
        return ScheduleError(self.what, job, self.instant, other)


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


def told(promised: float) -> str:
    """Return a promised start in words."""
    return "no start" if np.isnan(promised) else f"a start at {promised:.12g}"
