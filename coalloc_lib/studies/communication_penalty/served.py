"""Split jobs at a load, beside the same jobs whole: how this passes through a sweep."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coalloc_lib.curves import RISING
from coalloc_lib.inference import Sample
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.parameters import WHOLE, scenario
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses, Size, respond
from coalloc_lib.studies.measurements import Scale, run_sweep
from coalloc_lib.workloads.models import SplitJobs


@dataclass(frozen=True)
class Served:
    """A scenario of split jobs, offered a load."""

    scenario: Scenario
    load: float
    method: ClassVar[str] = "simulation"

    @property
    def whole(self) -> "Served":
        """The same jobs, none of which is split."""
        jobs = self.scenario.workload
        assert isinstance(jobs, SplitJobs)
        kept = WHOLE.with_(model=jobs.model, above=jobs.sizes.maximum)
        return Served(self.scenario.with_(workload=kept), self.load)


def served(max_jumps: int, load: float, **split: Any) -> Served:
    """Return the paper's jobs, split as said, under FPFS with this many jumps."""
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
    entries = list(dict.fromkeys(each for entry in entries for each in (entry, entry.whole)))
    size = Size(scale.jobs, scale.replications)
    points = [{"entry": entry, "size": size} for entry in entries]
    rows = run_sweep(responses_as_columns, points, seed=seed, **how).to_dict("records")
    return {entry: _responses(row, size) for entry, row in zip(entries, rows, strict=True)}


def responses_as_columns(entry: Served, size: Size, seed: Seed) -> dict[str, float]:
    """Return responses as numbers: whether it saturates, and the value of each run."""
    found = respond(entry.scenario, entry.load, size, seed)
    doubted = bool(found.means and found.means[NAMES[0]].doubt)
    columns: dict[str, float] = {"saturated": found.saturated, "doubted": doubted}
    for name, sample in {"borne": found.borne, **found.means}.items():
        columns |= {f"{name} {i}": value for i, value in enumerate(sample.values)}
    return columns


def _responses(row, size):
    def values(name, doubt=""):
        return Sample(np.array([row[f"{name} {i}"] for i in range(size.runs)]), doubt)

    doubt = RISING * bool(row["doubted"])
    means = {} if row["saturated"] else {name: values(name, doubt) for name in NAMES}
    return Responses(values("borne"), means)
