"""Intervals as columns of a table, and back; which of several intervals is the extreme one."""

from collections.abc import Iterable
from functools import partial
from operator import attrgetter
from typing import Any

from coalloc_lib.intervals import Interval


def interval_columns(interval: Interval, name: str = "estimate") -> dict[str, Any]:
    """Return an interval as columns of a table: its estimate, both ends, and why it is in doubt."""
    ends = {name: interval.estimate, "ci95_low": interval.low, "ci95_high": interval.high}
    return ends | {"warning": interval.warning}


#: The interval of the smallest figure, and of the largest.
least, most = (partial(end, key=attrgetter("estimate")) for end in (min, max))


def furthest(intervals: Iterable[Interval], from_: float = 0.0) -> Interval:
    """Return the interval of the figure that is furthest from a number."""

    def distance(interval: Interval) -> float:
        return abs(interval.estimate - from_)

    return max(intervals, key=distance)
