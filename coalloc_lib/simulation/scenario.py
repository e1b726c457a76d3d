"""The class `Scenario`: a system, a workload, and the policies that schedule and place its jobs."""

from collections.abc import Sized
from dataclasses import dataclass, field, replace
from typing import Any

from coalloc_lib.basics.checks import InputError, instance_of, offered_load
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, refuse_for_ordered
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, Scheduling
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import check_parts, simulate
from coalloc_lib.workloads import Workload


@dataclass(frozen=True)
class Scenario:
    """The input of a simulation, except the load, the seed and the number of jobs.

    Response curves, sweeps and comparisons take scenarios as arguments.

    Parameters
    ----------
    system : Multicluster
        The clusters and their numbers of processors.
    workload : Workload
        The source of the jobs: a `JobModel`, a `JobStream`, or any object with a method
        ``sample(count, seed, rate)`` and an attribute ``mean_work``.
    scheduling : Scheduling
        The scheduling policy. The default is `FCFS`.
    placement : Placement, optional
        The placement. The default is `WorstFit`, or none for ordered requests.
    engine : {"compiled", "reference"}, optional
        The engine, see `simulate`.
    name : str
        The name of the scenario in tables. Scenarios that differ only in their names are equal.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = Scenario(co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), components=2))
    >>> len(scenario.simulate(100, load=0.4, seed=1).start)
    100
    """

    system: Multicluster
    workload: Workload
    scheduling: Scheduling = field(default_factory=FCFS)
    placement: Placement | None = None
    engine: str | None = None
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_parts(self.system, self.scheduling, self.placement, self.engine)
        if not isinstance(self.workload, Workload):
            choices = "a JobModel, a log, or an object with sample(count, seed, rate) and mean_work"
            raise InputError(f"workload = {self.workload!r}; give {choices}")
        if getattr(self.workload, "request", "") == "ordered":
            refuse_for_ordered(self.placement)

    def __str__(self) -> str:
        return self.name or repr(self)

    def with_(self, **changes: Any) -> "Scenario":
        """Return a copy of the scenario with changed fields; by default, the copy has no name."""
        return replace(self, **({"name": ""} | changes))

    def rate(self, load: float) -> float:
        """Return the arrival rate (jobs per unit of time) at which the offered load is `load`.

        The rate follows from the mean work of all jobs of the workload. The first jobs of a log can
        have another mean work, so `sample` does not use this rate for a log.
        """
        return offered_load(load) * self.system.processors / self.workload.mean_work

    def sample(self, jobs: int, *, load: float | None = None, seed: Seed = 0) -> JobStream:
        """Sample a stream of jobs from the workload.

        Parameters
        ----------
        jobs : int
            Number of jobs.
        load : float, optional
            The offered load, for example 0.5. By default the workload determines the submissions:
            a `JobModel` submits all jobs at instant 0, and a log keeps its own interarrival times.
            The jobs of a model have this load on average. The interarrival times of a log are
            scaled so that the sampled jobs have exactly this load, as `JobStream.with_load` does.
        seed : int or numpy.random.SeedSequence
            The seed. Scenarios with the same workload sample the same jobs from the same seed.
        """
        # A log or a stream of jobs has a length. It is not random: `sample` takes its first jobs.
        if load is not None and isinstance(self.workload, Sized):
            return self.workload.sample(jobs, seed).with_load(self.system, load)
        return self.workload.sample(jobs, seed, None if load is None else self.rate(load))

    def run(self, jobs: JobStream, backlog: int | None = None) -> Schedule:
        """Simulate a given stream of jobs on the scenario's system with the scenario's policies.

        The argument `backlog` is that of the function `simulate`.
        """
        return simulate(
            self.system,
            jobs,
            scheduling=self.scheduling,
            placement=self.placement,
            engine=self.engine,
            backlog=backlog,
        )

    def simulate(
        self, jobs: int, *, load: float | None = None, seed: Seed = 0, backlog: int | None = None
    ) -> Schedule:
        """Sample jobs from the workload, simulate their execution, and return the schedule.

        The arguments `jobs`, `load` and `seed` are those of the method `sample`, and `backlog` is
        that of the function `simulate`.
        """
        return self.run(self.sample(jobs, load=load, seed=seed), backlog)


def check_scenario(name: str, value: Any) -> None:
    """Raise an `InputError` if the argument with this name is not a `Scenario`."""
    instance_of(name, value, Scenario, "Scenario(system, workload)")
