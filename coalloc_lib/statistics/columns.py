"""Intervals as columns of a table, and the extreme one of several intervals."""

from collections.abc import Iterable
from math import inf, isnan
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.estimates import Interval


class NotRunError(InputError):
    """Raised if a table of simulation runs lacks the runs that an estimate needs."""


class NoColumnError(NotRunError):
    """Raised if a table of simulation runs lacks a required column.

    Either some settings were not run, or the table was damaged.
    """


def interval_columns(interval: Interval, name: str = "estimate") -> dict[str, Any]:
    """Convert a confidence interval to a dict with the entries of four table columns.

    Parameters
    ----------
    interval : Interval
        The interval.
    name : str
        The name of the column with the estimate.

    Returns
    -------
    dict
        The estimate, the ends of the interval (``ci95_low``, ``ci95_high``) and its ``warning``.

    Raises
    ------
    InputError
        If the confidence of the interval is not 0.95, which the names of the columns promise.

    Examples
    --------
    >>> interval_columns(Interval(0.5, 0.4, 0.6, 10), "wait")
    {'wait': 0.5, 'ci95_low': 0.4, 'ci95_high': 0.6, 'warning': ''}
    """
    if interval.confidence != 0.95:
        raise InputError(
            f"interval has confidence = {interval.confidence:g}; give an interval of 0.95"
        )
    ends = {name: interval.estimate, "ci95_low": interval.low, "ci95_high": interval.high}
    return ends | {"warning": interval.warning}


#: The smallest and the largest possible value of each measured quantity, by the name of its column
#: in a table of simulation runs.
LIMITS = {
    **dict.fromkeys(("utilization", "max_utilization", "capacity_loss"), (0.0, 1.0)),
    **dict.fromkeys(("wait", "response", "awrt"), (0.0, inf)),
    "slowdown": (1.0, inf),
}


def limits_of(name: str, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the smallest and the largest possible value of a measured quantity.

    The limits are known from the column's name (`LIMITS`). They are infinite for other names, and
    also if some of the values lie beyond them: a utilization in percent is not between 0 and 1.
    """
    low, high = LIMITS.get(name, (-inf, inf))
    is_within = bool(((values >= low - 1e-9) & (values <= high + 1e-9)).all())
    return (low, high) if is_within else (-inf, inf)


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
    # An estimate that is not known is neither the smallest nor the largest.
    found = [interval for interval in intervals if not isnan(interval.estimate)]
    if not (found or default):
        raise NotRunError("there are no runs, so there is no interval; run some settings first")
    return found
