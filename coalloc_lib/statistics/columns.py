"""Intervals as columns of a table, and back; which of several intervals is the extreme one."""

from collections.abc import Iterable
from math import inf
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.estimates import Interval


class NotRunError(InputError):
    """What is asked for is not among the runs."""


class NoColumnError(NotRunError):
    """The runs do not have a column: some settings were not run, or the table was damaged."""


def interval_columns(interval: Interval, name: str = "estimate") -> dict[str, Any]:
    """Return an interval as columns of a table: its estimate, both ends, and why it is in doubt."""
    ends = {name: interval.estimate, "ci95_low": interval.low, "ci95_high": interval.high}
    return ends | {"warning": interval.warning}


#: The least and the largest value that measured columns of these names can have.
LIMITS = {
    **dict.fromkeys(("utilization", "max_utilization", "capacity_loss"), (0.0, 1.0)),
    **dict.fromkeys(("wait", "response", "awrt"), (0.0, inf)),
    "slowdown": (1.0, inf),
}


def limits_of(name: str, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the largest value that a measured column can have.

    A column of such a name with values beyond its `LIMITS`, such as a utilization in percent, is
    something else and has no limits.
    """
    low, high = LIMITS.get(name, (-inf, inf))
    is_such = bool(((values >= low - 1e-9) & (values <= high + 1e-9)).all())
    return (low, high) if is_such else (-inf, inf)


def least(intervals: Iterable[Interval], **default: Any) -> Any:
    """Return the interval of the smallest figure.

    Where there is none, a `NotRunError` says so, unless a ``default=`` is given.
    """
    return min(_some(intervals, **default), key=attrgetter("estimate"), **default)


def most(intervals: Iterable[Interval], **default: Any) -> Any:
    """Return the interval of the largest figure; see `least`."""
    return max(_some(intervals, **default), key=attrgetter("estimate"), **default)


def furthest(intervals: Iterable[Interval], from_: float = 0.0) -> Interval:
    """Return the interval of the figure that is furthest from a number."""

    def distance(interval: Interval) -> float:
        return abs(interval.estimate - from_)

    return max(_some(intervals), key=distance)


def _some(intervals, **default):
    """Return intervals as a list, with at least one unless there is a default."""
    found = list(intervals)
    if not (found or default):
        raise NotRunError("there is no run to take an interval from")
    return found
