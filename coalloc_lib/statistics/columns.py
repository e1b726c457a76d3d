"""Intervals as columns of a table, and the extreme one of several intervals."""

from math import inf
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
    """Convert a confidence interval to a dict of values for four table columns.

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
