"""The extreme one of several confidence intervals, by which a claim on all of them is decided."""

from collections.abc import Iterable
from math import isnan
from operator import attrgetter
from typing import Any

from coalloc_lib.statistics import Interval, NotRunError


def least(intervals: Iterable[Interval], **default: Any) -> Any:
    """Return the confidence interval with the smallest estimate.

    Parameters
    ----------
    intervals : iterable of Interval
        The intervals to choose from.
    default : optional
        The value to return if there are no intervals.

    Raises
    ------
    NotRunError
        If there are no intervals and no default.

    Examples
    --------
    >>> least([Interval.exact(2.0), Interval.exact(1.0)]).estimate
    1.0
    """
    return min(_checked(intervals, **default), key=attrgetter("estimate"), **default)


def most(intervals: Iterable[Interval], **default: Any) -> Any:
    """Return the confidence interval with the largest estimate.

    The parameters and errors are those of `least`.
    """
    return max(_checked(intervals, **default), key=attrgetter("estimate"), **default)


def furthest(intervals: Iterable[Interval], from_: float = 0.0) -> Interval:
    """Return the confidence interval whose estimate is furthest from the number `from_`.

    A `NotRunError` is raised if there are no intervals.

    Examples
    --------
    >>> furthest([Interval.exact(2.0), Interval.exact(-3.0)]).estimate
    -3.0
    """

    def distance(interval: Interval) -> float:
        return abs(interval.estimate - from_)

    return max(_checked(intervals), key=distance)


def _checked(intervals, **default):
    # Unknown estimates are left out when the smallest and the largest one are chosen.
    found = [interval for interval in intervals if not isnan(interval.estimate)]
    if not (found or default):
        raise NotRunError("there are no runs, so there is no interval; run some settings first")
    return found
