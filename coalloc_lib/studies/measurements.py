"""What is measured of a scenario for figures and claims, and how that passes through a sweep."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError, instance_of
from coalloc_lib.curves import find_maximum
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.jobs import JobStream
from coalloc_lib.saturation import heavy_traffic, loss_between_bounds, replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.sweep import sweep

#: Why a sample is in doubt.
TAILS = "a few of the jobs carry the work, or the rare long ones were not drawn"


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How much is simulated; a study gives the numbers that its figures ask for.

    Attributes
    ----------
    jobs, replications : int
        Jobs of a run, and runs, of bars and of what is compared in pairs.
    precision : float
        Relative half-width that the points of a curve aim at.
    most_jobs : int
        Jobs of a replication of such a point, at most.
    cell_jobs : int
        Jobs of the run behind a cell of a table in heavy traffic, the second type of simulation.
    response_jobs, response_replications : int
        Arrivals and runs of a cell of the first type, until the mean response time is 1,500.
    bound_arrivals, bound_replications : int
        Arrivals and runs of the method for FPFS.
    map_jobs : int
        Jobs of a run of the map of placements.
    search_runs : int
        Runs of a search for a threshold.
    """

    jobs: int
    replications: int
    precision: float | None = None
    most_jobs: int | None = None
    cell_jobs: int | None = None
    response_jobs: int | None = None
    response_replications: int | None = None
    bound_arrivals: int | None = None
    bound_replications: int | None = None
    map_jobs: int | None = None
    search_runs: int | None = None

    def asked(self, *names: str) -> list[Any]:
        """Return these numbers, each of which has to be given."""
        missing = [name for name in names if getattr(self, name) is None]
        if missing:
            raise InputError(f"the study's scales have no {missing[0]}; add it: scales(...)")
        return [getattr(self, name) for name in names]


def scales(**numbers: Any) -> dict[str, Scale]:
    """Return the scales ``quick`` and ``paper``, given both numbers of each attribute."""
    return {
        name: Scale(**{attribute: pair[i] for attribute, pair in numbers.items()})
        for i, name in enumerate(("quick", "paper"))
    }


@dataclass(frozen=True)
class Measurement(ABC):
    """What is measured of a scenario, at a scale; equal ones are made once."""

    scenario: Scenario
    method: ClassVar[str] = "simulation"

    @abstractmethod
    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return a value for each replication or batch, or the one that is known."""


class ByFormula(Measurement):
    """The loss of a scenario that has an exact formula."""

    method = "exact"

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the capacity loss."""
        return Sample(np.array(find_maximum(self.scenario, method="exact").capacity_loss))


@dataclass(frozen=True)
class Saturated(Measurement):
    """The loss of a scenario in heavy traffic, in replications on common random numbers."""

    backlog: int | None = None

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the capacity loss of each replication."""
        how: dict[str, Any] = {"jobs": scale.jobs, "replications": scale.replications}
        busy, doubt = replicated_traffic(self.scenario, seed=seed, backlog=self.backlog, **how)
        return Sample((1 - busy).mean(axis=1), doubt)


class BetweenBounds(Measurement):
    """The paper's own method for FPFS: the load at which the queue stays between two bounds."""

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the capacity loss of each replication."""
        arrivals, replications = scale.asked("bound_arrivals", "bound_replications")
        losses = loss_between_bounds(
            self.scenario, arrivals=arrivals, replications=replications, seed=seed
        )
        return Sample(losses)


class InOrder(Measurement):
    """The loss of a scenario whose workload is a stream, a log's, served once in its order.

    Ten batches, each a month or so: jobs of a log come in bursts, and shorter batches of the CTC
    log are correlated (0.5 between neighbours of thirty).
    """

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the capacity loss of each batch of the one run."""
        stream = instance_of(
            "workload", self.scenario.workload, JobStream, "the jobs of a log: log.jobs()"
        )
        return Sample(1 - heavy_traffic(self.scenario, stream, batches=10))


def run_sweep(
    function: Callable, grid: Any, replications: int = 1, workers: int = -1, **how: Any
) -> pd.DataFrame:
    """Call `coalloc_lib.sweep.sweep` with a thread for each processor, if not told otherwise."""
    return sweep(function, grid, replications, workers=workers, **how)


def measure(
    entries: Mapping[Any, Measurement], scale: Scale, seed: Seed, **how: Any
) -> dict[Measurement, Sample]:
    """Return the sample of each measurement.

    Parameters
    ----------
    entries : dict
        By label; a measurement that has several labels is made once.
    scale : Scale
    seed : int
    how
        For `coalloc_lib.sweep.sweep`: workers, cache, progress. The result does not depend on it.
    """
    labels: dict[Measurement, str] = {}
    for label, entry in entries.items():
        labels.setdefault(entry, repr(label))
    grid = {"entry": {label: entry for entry, label in labels.items()}, "scale": [scale]}
    rows = run_sweep(sample_columns, grid, seed=seed, **how).to_dict("records")
    return dict(zip(labels, map(_sample, rows), strict=True))


def sample_columns(entry: Measurement, scale: Scale, seed: Seed) -> dict[str, float]:
    """Return a sample as numbers: its values by their position, their number, if it is in doubt."""
    sample = entry.measure(scale, seed)
    numbered = {str(i): value for i, value in enumerate(np.atleast_1d(sample.values))}
    return {"count": sample.interval.count, "doubted": bool(sample.doubt)} | numbered


def _sample(row):
    values = [row[str(i)] for i in range(row["count"])] or row["0"]
    return Sample(np.array(values), TAILS * bool(row["doubted"]))


def interval_columns(interval: Interval) -> dict[str, float]:
    """Return an interval as numbers; `interval_of` takes them back."""
    ends = {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
    return ends | {"count": interval.count, "doubted": bool(interval.doubt)}


def interval_of(row: Any, doubt: str) -> Interval:
    """Return the interval of a row of a sweep; `doubt` is why it is, where it is in doubt."""
    doubt = doubt * bool(row.doubted)
    return Interval(row.estimate, row.low, row.high, int(row.count), doubt=doubt)
