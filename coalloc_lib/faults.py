"""What a check of a finished schedule says where it finds a fault."""

from collections.abc import Callable
from typing import Any

import numpy as np


class ScheduleError(AssertionError):
    """A schedule breaks a rule of the model."""


def refuse(bad: np.ndarray, schedule: Any, message: Callable[[int], str]) -> None:
    """Raise for the job at fault that starts the earliest, where there is any."""
    jobs = np.flatnonzero(bad)
    if len(jobs):
        job = jobs[np.argmin(schedule.start[jobs])]
        raise ScheduleError(f"job {job} at {schedule.start[job]:.12g}: {message(job)}")
