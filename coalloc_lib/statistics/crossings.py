"""Where a line crosses a level: of the mean of the replications, and of each of them.

A *line* is a sample by place: a value of each replication at each place that was run, such as each
penalty. Between two places a replication's line is straight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics.columns import NotRunError
from coalloc_lib.statistics.inference import Crossing, Replications, crossing
from coalloc_lib.statistics.replications import pick, ratio

#: By place, in ascending order, a value of each replication.
Line = Mapping[float, Replications]


def ratios_along(
    runs: pd.DataFrame, value: str, x: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> dict[float, Replications]:
    """Return the line of a ratio over the places `x` at which `one` was run; see `ratio`.

    `other` names a value of `x` too where it was run at one place alone.
    """
    places = sorted(pick(runs, **one)[x].dropna().unique().tolist())
    return {place: ratio(runs, value, {**one, x: place}, other) for place in places}


def mean_crossing(line: Line, level: float = 0.0, budget: int = 20) -> Crossing:
    """Return where the mean of a rising line crosses a level, with its interval: see `crossing`.

    An end of the interval is infinite where it lies outside of the places that were run.
    """
    places, values = _matrix(line, level)

    def at(place: float) -> Replications:
        after = min(int(np.searchsorted(places, place)), len(places) - 1)
        near = [line[places[after]], line[places[max(after - 1, 0)]]]
        warning = next((each.warning for each in near if each.warning), "")
        return Replications(np.array([np.interp(place, places, row) for row in values]), warning)

    return crossing(at, places[0], places[-1], budget=budget)


def first_crossing(values: NDArray[np.float64], places: Sequence[float]) -> float:
    """Return from which place on values are above 0; ``-inf`` if at once, ``inf`` if never."""
    above = np.flatnonzero(np.asarray(values) > 0)
    if not above.size:
        return np.inf
    after = int(above[0])
    if after == 0:
        return -np.inf
    part = -values[after - 1] / (values[after] - values[after - 1])
    return float(places[after - 1] + part * (places[after] - places[after - 1]))


@dataclass(frozen=True, eq=False)
class Crossings:
    """Where each replication first crosses: `values`, infinite beyond the places that were run.

    Of infinite ones no more is known than on which side they lie. In intervals they count as the
    end of the places, and that end of the interval is infinite.
    """

    values: NDArray[np.float64]
    first: float
    last: float

    @property
    def sample(self) -> Replications:
        """The crossings, those beyond the places at their ends."""
        return Replications(np.clip(self.values, self.first, self.last))

    @property
    def mean(self) -> Interval:
        """The mean over the replications."""
        return self._open(self.sample.interval)

    @property
    def prediction(self) -> Interval:
        """Where one further replication crosses, in 95 % of cases."""
        return self._open(self.sample.prediction)

    def _open(self, found: Interval) -> Interval:
        return _with_open_ends(found, -np.inf in self.values, np.inf in self.values)

    def less(self, other: "Crossings", in_pairs: bool = True) -> Interval:
        """Return the mean of these crossings less that of others, of the same jobs if in pairs."""
        if in_pairs:
            found = (self.sample - other.sample).interval
        else:
            found = self.sample.less_unpaired(other.sample)
        below = -np.inf in self.values or np.inf in other.values
        above = np.inf in self.values or -np.inf in other.values
        return _with_open_ends(found, below, above)


def crossings(line: Line, level: float = 0.0) -> Crossings:
    """Return where the line of each replication first crosses a level."""
    places, values = _matrix(line, level)
    found = np.array([first_crossing(row, places) for row in values])
    return Crossings(found, places[0], places[-1])


def _matrix(line, level):
    """Return the places of a line, and what it is above a level, shape (replications, places)."""
    places = list(line)
    if len(places) < 2:
        raise NotRunError(f"a line of {len(places)} places has no crossing; run two or more")
    if places != sorted(places):
        raise InputError(f"line has the places {places}; give them in ascending order")
    return places, np.array([each.values - level for each in line.values()]).T


def _with_open_ends(found, below, above):
    """Return an interval with infinite ends: what counted as an end may lie anywhere beyond it."""
    low, high = -np.inf if below else found.low, np.inf if above else found.high
    return replace(found, low=low, high=high)
