"""Thresholds of the penalty: from which one on splitting loses, by group of jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from coalloc_lib.experiments import crossings, groups_of
from coalloc_lib.intervals import Crossing, Sample, crossing
from studies.communication_penalty.model import GROUPS, NAMES, PRINTED, STREAM
from studies.communication_penalty.responses import (
    Responses,
    lost,
    read_responses,
)

#: Penalties among which a threshold is searched, and where single runs are looked at.
PENALTIES = (0.0, 0.6)
GRID = np.linspace(*PENALTIES, 9).round(9).tolist()


@dataclass(frozen=True)
class Thresholds:
    """The penalty from which on splitting loses, by group, and in single short runs, `one_run`.

    `at_stream` is by how much the response of a group exceeds that of whole jobs where the stream
    breaks even. `responses` are those that the search came to, by penalty; None is of whole jobs.
    """

    by_group: Mapping[str, Crossing]
    one_run: Mapping[str, Sample] = field(default_factory=dict)
    at_stream: Mapping[str, Sample] = field(default_factory=dict)
    responses: Mapping[float | None, Responses] = field(default_factory=dict)

    @property
    def full(self) -> float:
        """The penalty from which split jobs saturate: an end that lies there is a bound."""
        if self.responses[None].saturated:
            return np.inf
        full = [psi for psi, found in self.responses.items() if psi is not None and found.saturated]
        return min(full, default=np.inf)

    @property
    def as_printed(self) -> float:
        """The share of single runs that order the groups as the paper: S4 below the stream, ..."""
        if not self.one_run:
            return np.nan
        large, stream, small = (self.one_run[name].values for name in ("S4", STREAM, "S1"))
        return float(np.mean((large < stream) & (small > PRINTED["S1"])))


def find_thresholds(respond_at: Callable[[float | None], Responses], budget: int) -> Thresholds:
    """Return the penalty at which splitting breaks even, of all jobs and of each group.

    ``respond_at(psi)`` returns the responses of split jobs at a penalty, or of whole jobs (None):
    it simulates them, or looks them up. `budget` is that of `crossing`.
    """
    known: dict[float | None, Responses] = {}

    def at(psi: float | None) -> Responses:
        psi = None if psi is None else round(psi, 9)
        if psi not in known:
            known[psi] = respond_at(psi)
        return known[psi]

    def loss(group: str, psi: float) -> Sample:
        return lost(at(psi), at(None), group)

    by_group = {group: crossing(partial(loss, group), *PENALTIES, budget=budget) for group in NAMES}
    if at(None).saturated:
        return Thresholds(by_group, responses=known)
    split = {psi: at(psi) for psi in GRID}
    one_run = {group: roots_of_runs(split, at(None), group) for group in NAMES}
    even, at_stream = by_group[STREAM].interval.estimate, {}
    if np.isfinite(even) and not at(even).saturated:
        at_stream = over_the_stream(at(even), at(None))
    return Thresholds(by_group, one_run, at_stream, known)


def roots_of_runs(split: Mapping[float, Responses], whole: Responses, group: str) -> Sample:
    """Return where single runs first lose by splitting, else the end of the penalties."""
    past = Sample(np.full(len(whole.first[group].values), np.inf))
    line = {
        psi: found.first[group] / whole.first[group] if found.first else past
        for psi, found in split.items()
    }
    return crossings(line, level=1.0).sample


def over_the_stream(split: Responses, whole: Responses) -> dict[str, Sample]:
    """Return by how much splitting changes the response of a group, less that of the stream."""
    ratios = {name: split.response[name] / whole.response[name] for name in NAMES}
    return {group: ratios[group] - ratios[STREAM] for group in GROUPS}


def read_thresholds(runs: pd.DataFrame) -> Thresholds:
    """Return the thresholds of the runs of one search: the search again, looking its runs up."""
    by_penalty = {known["psi_tried"]: rows for known, rows in groups_of(runs, ["psi_tried"])}

    def respond_at(psi: float | None) -> Responses:
        return read_responses(by_penalty[psi])

    return find_thresholds(respond_at, int(runs["budget"].iloc[0]))
