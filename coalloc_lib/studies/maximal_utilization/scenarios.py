"""What is measured for the figures and claims: scenarios, and how the loss of each is found."""

from coalloc_lib.distributions import Deterministic, Exponential, Hyperexponential
from coalloc_lib.placement import BestFit, FirstFit
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FPFS
from coalloc_lib.studies.maximal_utilization import parameters
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, FOUR, ONE_LARGE, sizes
from coalloc_lib.studies.measurements import (
    BetweenBounds,
    ByFormula,
    InOrder,
    Measurement,
    Saturated,
)
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel, ResampledJobs
from coalloc_lib.workloads.swf import SwfLog

SERVICES = {"deterministic": Deterministic(), "exponential": Exponential()} | {
    f"hyperexponential, cv {cv}": Hyperexponential(1.0, cv) for cv in parameters.VARIATIONS
}
#: The CTC log's name in the catalogue; jobs of at most 128 processors are used.
LOG = "CTC-SP2"


def load_log() -> SwfLog:
    """Return the CTC log if it is there, else its synthetic stand-in; never download."""
    return load_trace(LOG, missing="stand-in")


def scenarios_of(name: str) -> dict[tuple[str, str, str], Measurement]:
    """Return every measurement of a size distribution, by (figure, its name, series)."""
    table: dict[tuple[str, str, str], Measurement] = {}
    model = JobModel(sizes(name), 4)
    unordered = Scenario(FOUR, model)
    table["independent", name, "unordered"] = Saturated(unordered)
    table["dependent", name, "unordered"] = Saturated(
        unordered.with_(workload=model.with_(split_at=32))
    )
    for rule, placement in (("first fit", FirstFit()), ("best fit", BestFit())):
        table["placement", name, rule] = Saturated(unordered.with_(placement=placement))
    for request, system in (("ordered", FOUR), ("total", ONE_LARGE)):
        table["formula", name, request] = ByFormula(Scenario(system, model.with_(request=request)))
    for label, service in SERVICES.items():
        for request in ("ordered", "unordered"):
            served = Scenario(FOUR, model.with_(request=request, service=service))
            table["service", name, f"{request}, {label}"] = Saturated(served)
    for jumps in (5, 50):
        scenario = unordered.with_(scheduling=FPFS(jumps))
        table["fpfs", name, f"held {jumps}"] = Saturated(scenario, parameters.HELD)
        table["fpfs", name, f"Poisson {jumps}"] = BetweenBounds(scenario)
    return table


def all_scenarios(log: SwfLog) -> dict[tuple[str, str, str], Measurement]:
    """Return every measurement by (figure, group, series); `log` is that of Figure 7."""
    table: dict[tuple[str, str, str], Measurement] = {}
    for name in FIVE:
        found = scenarios_of(name)
        table |= {key: m for key, m in found.items() if key[0] != "fpfs" or name in parameters.ROOM}
    model = JobModel(sizes("D(0.9)[1,8]"), 4)
    for name, request in (("four components", "unordered"), ("one component", "total")):
        scenario = Scenario(FOUR, model.with_(request=request))
        table["co-allocation", name, "capacity loss"] = Saturated(scenario)
    return table | _log_scenarios(log)


def _log_scenarios(log):
    """Figure 7. 'The pairs as they appear in the log' is read in two ways, order kept and not."""
    das1 = JobModel(das1_sizes(), service=das1_service_times(), split_at=32)
    das1_total = das1.with_(split_at=None, request="total")
    total = log.jobs(largest=128)
    split = total.split(at_most=32)
    found = {}
    for request, system, jobs, model in (
        ("unordered", FOUR, split, das1),
        ("total", ONE_LARGE, total, das1_total),
    ):
        found["logs", "CTC", request] = InOrder(Scenario(system, jobs))
        found["logs", "CTC drawn", request] = Saturated(Scenario(system, ResampledJobs(jobs)))
        found["logs", "DAS1", request] = Saturated(Scenario(system, model))
    return found
