"""Where lines from simulation runs cross a level: their mean, and the line of each replication.

A *line* is a function of a number, such as the span penalty. The numbers that were simulated are
called its *places*; a line has a `Replications` at each place. Between two places the line of a
replication is straight. Between a finite and an infinite value, it crosses every level at the place
of the finite value, which is the limit of straight lines. Between -inf and inf, it crosses in the
middle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, floats, shown
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics.columns import NotRunError
from coalloc_lib.statistics.inference import Crossing, Replications, crossing
from coalloc_lib.statistics.replications import pick, ratio

#: The type of a line: a mapping from each simulated value of x, in ascending order, to the results
#: of all replications at this x.
Line = Mapping[float, Replications]


def ratios_along(
    runs: pd.DataFrame, value: str, x: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> dict[float, Replications]:
    """Return the ratio of a measured quantity between two settings, for each value of column `x`.

    Parameters
    ----------
    runs : DataFrame
        A table of runs.
    value : str
        The measured column.
    x : str
        The column with the places, such as ``"penalty"``.
    one, other : dict
        The settings of the numerator and of the denominator, as in `ratio`. `other` also has a
        value for `x` if it was run at a single place.

    Returns
    -------
    dict of float to Replications
        A dict from each value of x to the ratios of the paired runs.
    """
    places = sorted(pick(runs, **one)[x].dropna().unique().tolist())
    return {place: ratio(runs, value, {**one, x: place}, other) for place in places}


def mean_crossing(line: Line, level: float = 0.0, budget: int = 20) -> Crossing:
    """Find the x at which a rising function, averaged over replications, crosses a level.

    Parameters
    ----------
    line : mapping of float to Replications
        The line.
    level : float
        The level.
    budget : int
        The number of evaluations of the line, as in `crossing`.

    Returns
    -------
    Crossing
        An end of its interval is infinite if it lies outside the places that were simulated.

    Examples
    --------
    >>> line = {0.0: Replications([-1.0, -1.0]), 1.0: Replications([1.0, 1.0])}
    >>> mean_crossing(line).interval.estimate
    0.5
    """
    places, values = _matrix(line, level)

    def at(place: float) -> Replications:
        after = min(int(np.searchsorted(places, place)), len(places) - 1)
        neighbours = [line[places[after]], line[places[max(after - 1, 0)]]]
        warning = next((each.warning for each in neighbours if each.warning), "")
        return Replications(np.array([_value_at(place, places, row) for row in values]), warning)

    return crossing(at, places[0], places[-1], budget=budget)


def _value_at(place, places, row):
    value = np.interp(place, places, row)
    if np.isnan(value):  # between -inf and inf
        return row[np.abs(np.subtract(places, place)).argmin()]
    return value


def first_crossing(values: NDArray[np.float64], places: Sequence[float]) -> float:
    """Return the value of x at which a piecewise linear function first rises above 0.

    The result is ``-inf`` if the first value is already above 0, and ``inf`` if no value is. Values
    can be infinite, but not NaN.

    Examples
    --------
    >>> first_crossing(np.array([-1.0, -1.0, 3.0]), [0.0, 1.0, 2.0])
    1.25
    """
    values = floats("values", values)
    if values.shape != (len(places),):
        raise InputError(
            f"values has the shape {values.shape} and places has {len(places)} numbers; give one "
            "value for each place"
        )
    if np.isnan(values).any():
        raise InputError(
            f"values = {shown(values)} holds NaN; give numbers, and infinity for a saturated queue"
        )
    above = np.flatnonzero(values > 0)
    if not above.size:
        return np.inf
    after = int(above[0])
    if after == 0:
        return -np.inf
    below, begin, end = values[after - 1], places[after - 1], places[after]
    if np.isinf(below):
        return float((begin + end) / 2 if np.isinf(values[after]) else end)
    return float(begin + -below / (values[after] - below) * (end - begin))


@dataclass(frozen=True, eq=False)
class Crossings:
    """For each replication, the value of x at which a simulated quantity first crosses a level.

    Attributes
    ----------
    values : ndarray
        The place of each replication: ``-inf`` if its line begins above the level, and ``inf`` if
        it stays below.
    first, last : float
        The first and the last place that was simulated. In a mean, a crossing of ``-inf`` counts
        as `first`, and one of ``inf`` as `last`. The confidence interval is infinite at that end.
    """

    values: NDArray[np.float64]
    first: float
    last: float

    @property
    def sample(self) -> Replications:
        """The crossing points; -inf and inf are replaced by the first and the last simulated x."""
        return Replications(np.clip(self.values, self.first, self.last))

    @property
    def mean(self) -> Interval:
        """The mean crossing point of all replications, with its confidence interval."""
        return self._open(self.sample.interval)

    @property
    def prediction(self) -> Interval:
        """The 95 % prediction interval for the point where curves of a new replication cross."""
        return self._open(self.sample.prediction)

    def _open(self, found: Interval) -> Interval:
        return _with_open_ends(found, -np.inf in self.values, np.inf in self.values)

    def less(self, other: "Crossings", in_pairs: bool = True) -> Interval:
        """Return the mean crossing point minus that of `other`, with a confidence interval.

        Parameters
        ----------
        other : Crossings
            The crossings to subtract.
        in_pairs : bool
            Whether replications with the same position had the same jobs. Otherwise the interval is
            that of independent samples (Welch).
        """
        if in_pairs:
            found = (self.sample - other.sample).interval
        else:
            found = self.sample.less_unpaired(other.sample)
        below = -np.inf in self.values or np.inf in other.values
        above = np.inf in self.values or -np.inf in other.values
        return _with_open_ends(found, below, above)


def crossings(line: Line, level: float = 0.0) -> Crossings:
    """Find, for each replication, the first x at which the simulated quantity crosses a level.

    Examples
    --------
    >>> line = {0.0: Replications([-1.0, -3.0]), 1.0: Replications([1.0, 1.0])}
    >>> crossings(line).values.tolist()
    [0.5, 0.75]
    """
    places, values = _matrix(line, level)
    found = np.array([first_crossing(row, places) for row in values])
    return Crossings(found, places[0], places[-1])


def _matrix(line, level):
    places = list(line)
    if len(places) < 2:
        raise NotRunError(f"a line with {len(places)} values of x has no crossing; run two or more")
    if places != sorted(places):
        raise InputError(f"the values of x in line are {places}; give them in ascending order")
    counts = {values.values.shape for values in line.values()}
    if len(counts) > 1:
        raise InputError(
            f"line has different numbers of replications at its values of x: {sorted(counts)}; "
            "give the same replications at each value of x"
        )
    for place, values in line.items():
        if np.isnan(values.values).any():
            raise InputError(
                f"line holds NaN at x = {place}; give numbers, and infinity for a saturated queue"
            )
    return places, np.array([values.values - level for values in line.values()]).T


def _with_open_ends(found, below, above):
    low, high = -np.inf if below else found.low, np.inf if above else found.high
    return replace(found, low=low, high=high)
