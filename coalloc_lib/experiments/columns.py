"""Intervals as columns of a table, and back; which of several intervals is the extreme one."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from coalloc_lib.basics.checks import InputError
from coalloc_lib.intervals import Interval


class NotRunError(InputError):
    """What is asked for is not among the runs."""


def interval_columns(interval: Interval, name: str = "estimate") -> dict[str, Any]:
    """Return an interval as columns of a table: its estimate, both ends, and why it is in doubt."""
    ends = {name: interval.estimate, "ci95_low": interval.low, "ci95_high": interval.high}
    return ends | {"warning": interval.warning}


def least(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the smallest figure; a `NotRunError` says that there is none."""
    return min(_some(intervals), key=attrgetter("estimate"))


def most(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the largest figure; a `NotRunError` says that there is none."""
    return max(_some(intervals), key=attrgetter("estimate"))


def furthest(intervals: Iterable[Interval], from_: float = 0.0) -> Interval:
    """Return the interval of the figure that is furthest from a number."""

    def distance(interval: Interval) -> float:
        return abs(interval.estimate - from_)

    return max(_some(intervals), key=distance)


def _some(intervals):
    """Return intervals as a list with at least one."""
    found = list(intervals)
    if not found:
        raise NotRunError("there is no run to take an interval from")
    return found
