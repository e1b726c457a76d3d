"""The simulated scenarios of the figures, and their runs."""

from dataclasses import dataclass, field

from coalloc_lib.distributions import Deterministic, Exponential, Hyperexponential
from coalloc_lib.inference import replicate
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import BestFit, FirstFit, Placement, WorstFit
from coalloc_lib.saturation import (
    heavy_traffic,
    loss_between_bounds,
    saturated_loss,
)
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.studies.maximal_utilization.parameters import (
    FIVE,
    FOUR,
    HELD,
    ONE_LARGE,
    ROOM,
    VARIATIONS,
    sizes,
)
from coalloc_lib.sweep import sweep
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel, ResampledJobs

SERVICES = {"deterministic": Deterministic(), "exponential": Exponential()} | {
    f"hyperexponential, cv {cv}": Hyperexponential(1.0, cv) for cv in VARIATIONS
}
#: The CTC log's name in the catalogue; jobs of at most 128 processors are used.
LOG = "CTC-SP2"


@dataclass(frozen=True, eq=False)
class Scenario:
    """A saturated system, simulated in replications on common random numbers."""

    model: JobModel | ResampledJobs
    scheduling: Scheduling = field(default_factory=FCFS)
    placement: Placement = field(default_factory=WorstFit)
    system: Multicluster = FOUR
    backlog: int = 1

    @property
    def _placement(self):
        return None if getattr(self.model, "request", None) == "ordered" else self.placement

    def losses(self, scale, seed):
        """Return the capacity loss of each replication; the same seeds for every scenario."""

        def one(child):
            return saturated_loss(
                self.system,
                self.model,
                jobs=scale.jobs,
                seed=child,
                scheduling=self.scheduling,
                placement=self._placement,
                backlog=self.backlog,
            ).estimate

        return replicate(one, scale.replications, seed)


@dataclass(frozen=True, eq=False)
class PoissonFed:
    """The paper's own method for FPFS: the load at which the queue stays between two bounds."""

    model: JobModel
    scheduling: Scheduling

    def losses(self, scale, seed):
        """Return the capacity loss of each replication."""
        return loss_between_bounds(
            FOUR,
            self.model,
            self.scheduling,
            arrivals=scale.bound_arrivals,
            replications=scale.bound_replications,
            seed=seed,
        )


@dataclass(frozen=True, eq=False)
class LoggedJobs:
    """A saturated system that serves a log's jobs in the log's order."""

    jobs: JobStream
    system: Multicluster

    def losses(self, scale, seed):
        """Return the capacity loss of each batch of one run: a log can be served only once.

        Ten batches, each a month or so: jobs of a log come in bursts, and shorter batches of the
        CTC log are correlated (0.5 between neighbours of thirty).
        """
        return 1 - heavy_traffic(self.system, self.jobs, batches=10)


def all_scenarios(log):
    """Return every simulated scenario of the figures, by (figure, sizes, series).

    Parameters
    ----------
    log : SwfLog
        The log behind Figure 7.
    """
    table = {}
    for name in FIVE:
        model = JobModel(sizes(name), 4)
        table["independent", name, "unordered"] = Scenario(model)
        table["dependent", name, "unordered"] = Scenario(model.with_(split_at=32))
        table["placement", name, "first fit"] = Scenario(model, placement=FirstFit())
        table["placement", name, "best fit"] = Scenario(model, placement=BestFit())
        for label, service in SERVICES.items():
            for request in ("ordered", "unordered"):
                served = model.with_(request=request, service=service)
                table["service", name, f"{request}, {label}"] = Scenario(served)
    for name in ROOM:
        model = JobModel(sizes(name), 4)
        for jumps in (5, 50):
            policy = FPFS(jumps)
            table["fpfs", name, f"held {jumps}"] = Scenario(model, policy, backlog=HELD)
            table["fpfs", name, f"Poisson {jumps}"] = PoissonFed(model, policy)
    return table | _log_scenarios(log) | _co_allocation_scenarios()


def _log_scenarios(log):
    """Figure 7. 'The pairs as they appear in the log' is read in two ways, order kept and not."""
    das1 = JobModel(das1_sizes(), service=das1_service_times(), split_at=32)
    total = log.jobs(largest=128)
    split = total.split(at_most=32)
    return {
        ("logs", "CTC", "unordered"): LoggedJobs(split, FOUR),
        ("logs", "CTC", "total"): LoggedJobs(total, ONE_LARGE),
        ("logs", "CTC drawn", "unordered"): Scenario(ResampledJobs(split)),
        ("logs", "CTC drawn", "total"): Scenario(ResampledJobs(total), system=ONE_LARGE),
        ("logs", "DAS1", "unordered"): Scenario(das1),
        ("logs", "DAS1", "total"): Scenario(
            das1.with_(split_at=None, request="total"), system=ONE_LARGE
        ),
    }


def _co_allocation_scenarios():
    model = JobModel(sizes("D(0.9)[1,8]"), 4)
    return {
        ("co-allocation", "sum", "four components"): Scenario(model),
        ("co-allocation", "sum", "one component"): Scenario(model.with_(request="total")),
    }


def load_log():
    """Return the CTC log if it is there, else its synthetic stand-in; never download."""
    return load_trace(LOG, missing="stand-in")


def run(scenarios, scale, seed, workers=-1, **how):
    """Return the capacity losses of every scenario, each an array, by the same keys.

    One thread a processor, where `workers` is not given; `how` is for `coalloc_lib.sweep.sweep`:
    cache, progress. The result does not depend on it.
    """
    grid = {"scenario": {" ".join(key): each for key, each in scenarios.items()}, "scale": [scale]}
    table = sweep(scenario_losses, grid, seed=seed, workers=workers, **how)
    numbers = [[str(i) for i in range(count)] for count in table["count"]]
    rows = (table.loc[row, columns].to_numpy(float) for row, columns in enumerate(numbers))
    return dict(zip(scenarios, rows, strict=True))


def scenario_losses(scenario, scale, seed):
    """Return the capacity losses of a scenario by their position, and their number."""
    losses = scenario.losses(scale, seed)
    return {"count": len(losses)} | {str(i): loss for i, loss in enumerate(losses)}
