"""Penalty thresholds: the penalty above which splitting jobs makes response times longer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
import pandas as pd

from coalloc_lib.statistics import Crossing, Interval, Replications, crossing, crossings, groups_of
from studies.columns import column
from studies.communication_penalty.model import GROUPS, NAMES, PRINTED, STREAM
from studies.communication_penalty.responses import (
    Responses,
    lost,
    read_responses,
)

#: The lowest and the highest penalty in a search for a break-even penalty.
PENALTIES = (0.0, 0.6)
#: The penalties at which the response times of single runs are evaluated.
GRID = np.linspace(*PENALTIES, 9).round(9).tolist()


@dataclass(frozen=True)
class Thresholds:
    """The break-even penalties of splitting, for all jobs together and for each job group.

    Attributes
    ----------
    by_group : mapping of str to Crossing
        The threshold of the mean response time, for each group.
    one_run : mapping of str to Replications
        The thresholds of single short runs, for each group.
    at_stream : mapping of str to Replications
        The relative change in a group's response time due to splitting, minus that of all jobs, at
        the penalty where splitting does not change the response time of all jobs.
    responses : mapping of float or None to Responses
        The response times that the search measured, for each penalty. The key None stands for jobs
        that are not split.
    """

    by_group: Mapping[str, Crossing]
    one_run: Mapping[str, Replications] = field(default_factory=dict)
    at_stream: Mapping[str, Replications] = field(default_factory=dict)
    responses: Mapping[float | None, Responses] = field(default_factory=dict)

    @property
    def full(self) -> float:
        """The lowest tested penalty at which the system saturates with split jobs.

        An end of a confidence interval at or above this penalty is only a bound.
        """
        if self.responses[None].saturated:
            return np.inf
        full = [psi for psi, found in self.responses.items() if psi is not None and found.saturated]
        return min(full, default=np.inf)

    def prediction(self, group: str) -> Interval | None:
        """Return the 95 % prediction interval for the break-even penalty of a single short run.

        It is None if single runs have no thresholds.
        """
        runs = self.one_run.get(group)
        return runs.prediction if runs else None

    def change_at_stream(self, group: str) -> Interval | None:
        """Return the change in a group's response at the break-even penalty of all jobs together.

        The result is None if there is no break-even penalty for all jobs together.
        """
        change = self.at_stream.get(group)
        return change.interval if change else None

    @property
    def as_printed(self) -> float:
        """The fraction of single runs with the same order of break-even penalties as in the paper.

        The break-even penalty of S4 must be below that of all jobs, and that of S1 above its
        printed limit.
        """
        if not self.one_run:
            return np.nan
        large, stream, small = (self.one_run[name].values for name in ("S4", STREAM, "S1"))
        return float(np.mean((large < stream) & (small > PRINTED["S1"])))


def find_thresholds(respond_at: Callable[[float | None], Responses], budget: int) -> Thresholds:
    """Search for the penalty at which splitting does not change the mean response time.

    The search is done for all jobs together and for each job group.

    Parameters
    ----------
    respond_at : callable
        A function that returns the response times at a penalty, or without splitting if its
        argument is None. It may simulate them or look them up.
    budget : int
        The number of evaluations, see `coalloc_lib.statistics.crossing`.
    """
    known: dict[float | None, Responses] = {}

    def at(psi: float | None) -> Responses:
        psi = None if psi is None else round(psi, 9)
        if psi not in known:
            known[psi] = respond_at(psi)
        return known[psi]

    def loss(group: str, psi: float) -> Replications:
        return lost(at(psi), at(None), group)

    by_group = {group: crossing(partial(loss, group), *PENALTIES, budget=budget) for group in NAMES}
    if at(None).saturated:
        return Thresholds(by_group, responses=known)
    split = {psi: at(psi) for psi in GRID}
    one_run = {group: roots_of_runs(split, at(None), group) for group in NAMES}
    break_even = by_group[STREAM].interval.estimate
    at_stream = {}
    if np.isfinite(break_even) and not at(break_even).saturated:
        at_stream = changes_over_stream(at(break_even), at(None))
    return Thresholds(by_group, one_run, at_stream, known)


def roots_of_runs(split: Mapping[float, Responses], whole: Responses, group: str) -> Replications:
    """Return, for each run, the lowest penalty at which splitting lengthens response times.

    If splitting does not lengthen them at any tested penalty, the run gets the highest tested
    penalty.
    """
    past = Replications(np.full(len(whole.first[group].values), np.inf))
    line = {
        psi: found.first[group] / whole.first[group] if found.first else past
        for psi, found in split.items()
    }
    return crossings(line, level=1.0).sample


def changes_over_stream(split: Responses, whole: Responses) -> dict[str, Replications]:
    """Return the relative change in the response time of each group minus that of all jobs."""
    ratios = {name: split.response[name] / whole.response[name] for name in NAMES}
    return {group: ratios[group] - ratios[STREAM] for group in GROUPS}


def read_thresholds(runs: pd.DataFrame) -> Thresholds:
    """Return the break-even penalties found by one search, computed from its stored runs.

    The search is repeated with the response times of its stored runs, without simulation. Several
    claims and figures ask for the same search, so results are cached by the content of the runs.
    """
    return _read_thresholds(_Content(runs))


class _Content:
    """A hashable table of runs, which serves as a cache key and is compared by its content."""

    def __init__(self, runs: pd.DataFrame) -> None:
        self.runs = runs
        self._hash = hash(pd.util.hash_pandas_object(runs, index=False).to_numpy().tobytes())

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self.runs.equals(other.runs)


@lru_cache(maxsize=128)
def _read_thresholds(content: _Content) -> Thresholds:
    runs = content.runs
    by_penalty = {known["psi_tried"]: rows for known, rows in groups_of(runs, ["psi_tried"])}

    def respond_at(psi: float | None) -> Responses:
        return read_responses(by_penalty[psi])

    return find_thresholds(respond_at, int(column(runs, "budget").iloc[0]))
