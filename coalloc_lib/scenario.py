"""A scenario: a system, the jobs that it is given, and the policies that serve them."""

from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import Any

from coalloc_lib.checks import InputError, instance_of, one_of, positive
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import Placement
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import FCFS, Scheduling
from coalloc_lib.seeds import Seed
from coalloc_lib.simulation import ENGINES, simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads import Workload


@dataclass(frozen=True)
class Scenario:
    """What curves, saturation, sweeps, studies and explorers are about.

    Parameters
    ----------
    system : Multicluster
    workload : Workload
        Where the jobs come from: a `JobModel`, a log, or any object with `sample` and `mean_work`.
    scheduling : Scheduling
        FCFS where it is not given.
    placement : Placement, optional
        Worst fit where it is not given; ordered requests leave nothing to place.
    engine : {"compiled", "reference"}
        ``"reference"`` runs policies of your own.
    name : str
        How tables call it; two scenarios that differ in nothing else are equal.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> one = co.Scenario(co.Multicluster([4, 4]), co.JobModel(co.uniform(1, 2), components=2))
    >>> one.simulate(jobs=100, load=0.5, seed=1)
    <Schedule of 100 jobs on 2 × 4: FCFS(), WorstFit()>
    """

    system: Multicluster
    workload: Workload
    scheduling: Scheduling = field(default_factory=FCFS)
    placement: Placement | None = None
    engine: str = "compiled"
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Check that every part is one."""
        instance_of("system", self.system, Multicluster, "Multicluster([32, 32])")
        if not isinstance(self.workload, Workload):
            jobs = "a JobModel, a log, or an object with sample(count, seed, rate) and mean_work"
            raise InputError(f"workload = {self.workload!r}; give {jobs}")
        instance_of("scheduling", self.scheduling, Scheduling, "FCFS()")
        if self.placement is not None:
            instance_of("placement", self.placement, Placement, "WorstFit()")
            if getattr(self.workload, "request", "") == "ordered":
                raise InputError(
                    f"placement = {self.placement} is given for ordered requests, which name their "
                    "clusters themselves; leave it out"
                )
        one_of("engine", self.engine, ENGINES)

    def __str__(self) -> str:
        return self.name or repr(self)

    def code(self) -> str:
        """Return Python that makes this scenario, once `coalloc_lib` is imported as ``co``.

        Examples
        --------
        >>> import coalloc_lib as co
        >>> print(co.Scenario(co.Multicluster([4]), co.JobModel(co.uniform(1, 2)), co.EASY()).code())
        co.Scenario(
            co.Multicluster([4]),
            co.JobModel(co.parse_sizes('U[1,2]')),
            scheduling=co.EASY(),
        )
        """
        name, arguments = type(self).__name__, _arguments(self)
        return "\n    ".join([f"co.{name}(", *(f"{each}," for each in arguments)]) + "\n)"

    def with_(self, **changes: Any) -> "Scenario":
        """Return the scenario with these parts changed, and its name with them or gone."""
        return replace(self, **({"name": ""} | changes))

    def rate(self, load: float) -> float:
        """Return the arrival rate, in jobs a unit of time, that offers `load` to the system."""
        return positive("load", load) * self.system.processors / self.workload.mean_work

    def sample(self, jobs: int, *, load: float | None = None, seed: Seed = 0) -> JobStream:
        """Draw a stream of `jobs` jobs that offers `load`; all come at once where none is given."""
        return self.workload.sample(jobs, seed, None if load is None else self.rate(load))

    def run(self, jobs: JobStream, backlog: int | None = None) -> Schedule:
        """Return the `Schedule` of a stream of jobs; `backlog` is that of `simulate`."""
        how: dict[str, Any] = {
            "placement": self.placement,
            "engine": self.engine,
            "backlog": backlog,
        }
        return simulate(self.system, jobs, scheduling=self.scheduling, **how)

    def simulate(
        self, jobs: int, *, load: float | None = None, seed: Seed = 0, backlog: int | None = None
    ) -> Schedule:
        """Run a stream that is drawn; with the same seed scenarios of one workload get the same."""
        return self.run(self.sample(jobs, load=load, seed=seed), backlog)


def _arguments(value: Any) -> list[str]:
    """Return as code what makes a dataclass, without what it would have anyway."""
    code = []
    for each in fields(value):
        given, usual = getattr(value, each.name), each.default
        if each.default_factory is not MISSING:
            usual = each.default_factory()
        if usual is MISSING:
            code.append(_code(given))
        elif given != usual:
            code.append(f"{each.name}={_code(given)}")
    return code


def _code(value: Any) -> str:
    """Return an argument as code."""
    if isinstance(value, Multicluster):
        return f"co.Multicluster({[*value.sizes]})"
    if isinstance(value, SizeDistribution):
        return f"co.parse_sizes({str(value)!r})"
    if is_dataclass(value):
        return f"co.{type(value).__name__}({', '.join(_arguments(value))})"
    return repr(value)
