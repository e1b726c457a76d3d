"""A scenario: a system, the jobs that it is given, and the policies that serve them."""

from dataclasses import dataclass, field, replace
from typing import Any

from coalloc_lib.basics.checks import InputError, instance_of, one_of, positive
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, refuse_for_ordered
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, Scheduling
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import ENGINES, simulate
from coalloc_lib.workloads import Workload


@dataclass(frozen=True)
class Scenario:
    """What curves, saturation, sweeps, studies and explorers are about.

    Parameters
    ----------
    workload : Workload
        Where the jobs come from: a `JobModel`, a log, or any object with `sample` and `mean_work`.
    scheduling, placement, engine
        As in `simulate`.
    name : str
        How tables call it; two scenarios that differ in nothing else are equal.
    """

    system: Multicluster
    workload: Workload
    scheduling: Scheduling = field(default_factory=FCFS)
    placement: Placement | None = None
    engine: str | None = None
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Check every field."""
        instance_of("system", self.system, Multicluster, "Multicluster([32, 32])")
        if not isinstance(self.workload, Workload):
            jobs = "a JobModel, a log, or an object with sample(count, seed, rate) and mean_work"
            raise InputError(f"workload = {self.workload!r}; give {jobs}")
        instance_of("scheduling", self.scheduling, Scheduling, "FCFS()")
        if self.placement is not None:
            instance_of("placement", self.placement, Placement, "WorstFit()")
            if getattr(self.workload, "request", "") == "ordered":
                refuse_for_ordered(self.placement)
        if self.engine is not None:
            one_of("engine", self.engine, ENGINES)

    def __str__(self) -> str:
        return self.name or repr(self)

    def with_(self, **changes: Any) -> "Scenario":
        """Return the scenario with these parts changed, and its name with them or gone."""
        return replace(self, **({"name": ""} | changes))

    def rate(self, load: float) -> float:
        """Return the arrival rate, in jobs a unit of time, that offers `load` to the system."""
        return positive("load", load) * self.system.processors / self.workload.mean_work

    def sample(self, jobs: int, *, load: float | None = None, seed: Seed = 0) -> JobStream:
        """Sample `jobs` jobs that offer `load`; without a load all are submitted at once."""
        return self.workload.sample(jobs, seed, None if load is None else self.rate(load))

    def run(self, jobs: JobStream, backlog: int | None = None) -> Schedule:
        """Return the `Schedule` of a stream of jobs; `backlog` is that of `simulate`."""
        options: dict[str, Any] = {
            "placement": self.placement,
            "engine": self.engine,
            "backlog": backlog,
        }
        return simulate(self.system, jobs, scheduling=self.scheduling, **options)

    def simulate(
        self, jobs: int, *, load: float | None = None, seed: Seed = 0, backlog: int | None = None
    ) -> Schedule:
        """Run sampled jobs; with the same seed, scenarios of one workload get the same jobs."""
        return self.run(self.sample(jobs, load=load, seed=seed), backlog)
