"""Split jobs at a load, beside the same jobs whole: how this passes through a sweep."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from coalloc_lib.checks import InputError, instance_of, positive
from coalloc_lib.curves import RISING
from coalloc_lib.inference import Sample
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.simulation import refuse_impossible
from coalloc_lib.studies.communication_penalty.parameters import WHOLE, scenario
from coalloc_lib.studies.communication_penalty.responses import (
    NAMES,
    Responses,
    Size,
    bearing,
    respond,
)
from coalloc_lib.studies.measurements import Scale, run_sweep
from coalloc_lib.workloads.models import SplitJobs

#: Why what is borne is in doubt.
UNLIKE = "the jobs drawn do not stand for their law"
#: The share of jobs that were split, among the columns of a point.
SPLIT = "split"


@dataclass(frozen=True)
class Served:
    """A scenario of split jobs, offered a load."""

    scenario: Scenario
    load: float
    method: ClassVar[str] = "simulation"

    def __post_init__(self) -> None:
        """Check the arguments."""
        instance_of("scenario", self.scenario, Scenario, "scenario(max_jumps)")
        instance_of("workload", self.jobs, SplitJobs, "jobs that could be held against whole ones")
        positive("load", self.load)
        scenario = self.scenario
        refuse_impossible(scenario.system, self.jobs.of_each_size(), scenario.placement)

    @property
    def jobs(self) -> SplitJobs:
        """The jobs, split."""
        return cast(SplitJobs, self.scenario.workload)

    @cached_property
    def whole(self) -> "Served":
        """The same jobs, none of which is split."""
        kept = WHOLE.with_(model=self.jobs.model, above=self.jobs.sizes.maximum)
        return Served(self.scenario.with_(workload=kept), self.load)


def served(max_jumps: int | str, load: float, **split: Any) -> Served:
    """Return the paper's jobs, split as said, under FPFS with this many jumps.

    Parameters
    ----------
    max_jumps : int or "no limit"
    load : float
        Offered load.
    split
        Fields of `coalloc_lib.workloads.models.SplitJobs`: above, parts, rounding, span_penalty,
        kept_whole.

    Examples
    --------
    >>> served(20, 0.7, above=10, span_penalty=0.1).jobs.parts
    4
    """
    unknown = sorted(split.keys() - {field.name for field in fields(SplitJobs)})
    if unknown:
        names = ", ".join(field.name for field in fields(SplitJobs))
        raise InputError(f"no field {unknown[0]!r} of split jobs; give some of {names}")
    return Served(scenario(max_jumps, WHOLE.with_(**split)), load)


def measure_served(
    entries: Iterable[Served], scale: Scale, seed: Seed, **how: Any
) -> dict[Served, Responses]:
    """Return the responses of entries, and of the same jobs whole, on common random numbers.

    Parameters
    ----------
    entries : iterable of Served
    scale : Scale
    seed : int
        Of all points alike, so that they can be compared in pairs.
    how
        For `coalloc_lib.sweep.sweep`: workers, cache, progress.
    """
    loads: dict[Scenario, dict[float, None]] = {}
    for entry in entries:
        for each in (entry, entry.whole):
            loads.setdefault(each.scenario, {})[each.load] = None
    size = Size(scale.jobs, scale.replications)
    points = [{"scenario": s, "loads": tuple(found), "size": size} for s, found in loads.items()]
    rows = run_sweep(responses_as_columns, points, seed=seed, **how).to_dict("records")
    return {
        Served(each, load): _responses(row, load, size)
        for each, row in zip(loads, rows, strict=True)
        for load in loads[each]
    }


def measure_borne(
    scenarios: Iterable[Scenario], scale: Scale, seed: Seed, **how: Any
) -> dict[Scenario, Sample]:
    """Return the load that scenarios bear, run by run; see `measure_served`."""
    each = list(dict.fromkeys(scenarios))
    size = Size(scale.jobs, scale.replications)
    points = [{"scenario": scenario, "loads": (), "size": size} for scenario in each]
    rows = run_sweep(responses_as_columns, points, seed=seed, **how).to_dict("records")
    return {s: _sample(row, "borne", size, UNLIKE) for s, row in zip(each, rows, strict=True)}


def responses_as_columns(
    scenario: Scenario, loads: tuple[float, ...], size: Size, seed: Seed
) -> dict[str, float]:
    """Return responses at loads as numbers: whether it saturates, and the value of each run.

    What the scenario bears is the same at all loads, and found once.
    """
    bears = bearing(scenario, size, seed)
    columns = _numbered("borne", bears)
    for load in loads:
        found = respond(scenario, load, size, seed, bears=bears)
        columns[f"{load} saturated"] = found.saturated
        for name, sample in (found.means | {SPLIT: found.split}).items():
            columns |= {} if sample is None else _numbered(f"{load} {name}", sample)
    return columns


def _numbered(name, sample):
    values = {f"{name} {i}": value for i, value in enumerate(sample.values)}
    return {f"{name} doubted": bool(sample.doubt)} | values


def _responses(row, load, size):
    borne = _sample(row, "borne", size, UNLIKE)
    if row[f"{load} saturated"]:
        return Responses(borne, {})
    doubt = borne.doubt or RISING
    *means, split = (_sample(row, f"{load} {name}", size, doubt) for name in (*NAMES, SPLIT))
    return Responses(borne, dict(zip(NAMES, means, strict=True)), split)


def _sample(row, name, size, doubt):
    """Return the values of each run, from the columns of a point; see `_numbered`."""
    values = np.array([row[f"{name} {i}"] for i in range(size.runs)])
    return Sample(values, doubt * bool(row[f"{name} doubted"]))
