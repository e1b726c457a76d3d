"""Define the settings of the study, and measure the capacity loss of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coalloc_lib.analytic import maximal_utilization, slotted_as_printed
from coalloc_lib.basics.checks import InputError, instance_of, one_of, whole
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import Replications, capacity_loss, rows_of
from coalloc_lib.statistics.saturation import heavy_traffic
from coalloc_lib.workloads.models import JobModel, ResampledJobs
from studies.inputs import named
from studies.loss_procedures import loss_between_bounds
from studies.maximal_utilization.further import (
    Balance,
    Counterexample,
    Fewer,
    Held,
    further_settings,
    measure_further,
)
from studies.maximal_utilization.model import (
    ARRIVALS,
    AT_ONCE,
    CALM,
    COMPONENTS,
    DAS1,
    DEPENDENT,
    DOUBLINGS,
    EXACT,
    EXPONENTIAL,
    FEW,
    FIRST,
    FIVE,
    FOUR,
    HEAVY,
    IN_ORDER,
    INDEPENDENT,
    LOG,
    LOGS,
    MANY,
    METHODS,
    ONE_LARGE,
    ORDERED,
    PATHOLOGICAL_CLUSTERS,
    PLACEMENTS,
    POISSON,
    POLICIES,
    PRINTED,
    REQUESTS,
    ROOM,
    SERVICES,
    SLOTTED,
    TOTAL,
    UNORDERED,
    WHOLE,
    WITH_AND_WITHOUT,
    WORST,
    ctc_jobs,
    das1_jobs,
    is_of_first_type,
    pathological_jobs,
    slotted_sizes,
)
from studies.printed_losses import loss_rows, measure_cell
from studies.published import PublishedLoss, load_published
from studies.study import Scale, Study, scales

NAME = "maximal-utilization"
#: The values of the column `kind` of the table of runs, which tell the types of settings apart.
LOSS, OF_LOG, PATHOLOGICAL, OF_SLOTS = "loss", "log", "pathological example", "slots"
#: The queue length in the paper's simulations of FPFS must stay between these two bounds (section
#: 5).
BOUNDS = (0, 1_000)
#: The number of batches into which the simulation of a log is divided if the jobs arrive in the
#: order of the log.
BATCHES = 10


@dataclass(frozen=True)
class Setting:
    """A system with its jobs and policies, and the method that determines its capacity loss.

    Parameters
    ----------
    sizes : str
        The sizes of the components, as `parse_sizes` reads them, for example ``"U[1,7]"``.
    request : str
        One of `REQUESTS` in the module `model`. Total requests are served by a single cluster that
        is as large as the system.
    method : str
        One of `METHODS` in the module `model`.
    drawn : str
        Whether the sizes of a job's components are `INDEPENDENT` or `DEPENDENT`.
    service : str
        The service times, one of the names in `SERVICES`.
    policy : str or Scheduling
        One of the names in `POLICIES`, or any other scheduling policy.
    placement : str or Placement
        One of the names in `PLACEMENTS`, or any other placement, for unordered requests.
    system : Multicluster
        The clusters.
    components : int
        The number of components of a job.
    kind : str
        The kind of run; it is the same for all settings of this class.

    Raises
    ------
    InputError
        If a value is not valid, or the placement or the drawing does not fit the request.
    """

    sizes: str
    request: str = UNORDERED
    method: str = HEAVY
    drawn: str = INDEPENDENT
    service: str = EXPONENTIAL
    policy: str | Scheduling = "FCFS"
    placement: str | Placement = WORST
    system: Multicluster = FOUR
    components: int = COMPONENTS
    kind: str = LOSS

    def __post_init__(self) -> None:
        parse_sizes(self.sizes)
        instance_of("system", self.system, Multicluster, "Multicluster([32, 32])")
        whole("components", self.components, least=1)
        one_of("request", self.request, REQUESTS)
        one_of("method", self.method, METHODS)
        one_of("drawn", self.drawn, (INDEPENDENT, DEPENDENT))
        one_of("service", self.service, tuple(SERVICES))
        if not isinstance(self.policy, Scheduling):
            one_of("policy", self.policy, tuple(POLICIES))
        if not isinstance(self.placement, Placement):
            one_of("placement", self.placement, tuple(PLACEMENTS))
        if self.placement != WORST and self.request != UNORDERED:
            raise InputError(
                f"placement = {self.placement} needs unordered requests, but request = "
                f"{self.request!r}; omit the placement"
            )
        if self.drawn == DEPENDENT and self.request != UNORDERED:
            raise InputError(
                f"drawn = {DEPENDENT!r} needs unordered requests, but request = "
                f"{self.request!r}; omit drawn"
            )

    @property
    def scenario(self) -> Scenario:
        """The system, the jobs and the policies to simulate."""
        jobs = JobModel(
            parse_sizes(self.sizes),
            self.components,
            request=TOTAL if self.request == WHOLE else self.request,
            service=SERVICES[self.service],
            split_at=self.system.largest if self.drawn == DEPENDENT else None,
        )
        system = self.system
        if self.request == TOTAL:
            system = Multicluster([system.processors])
        policy, placement = named(self.policy, POLICIES), named(self.placement, PLACEMENTS)
        return Scenario(system, jobs, policy, None if self.request == ORDERED else placement)


@dataclass(frozen=True)
class LogSetting:
    """A simulation of the jobs of a log (section 7.3).

    Unordered requests are served by four clusters of 32 processors, total requests by one of 128.
    """

    log: str
    request: str
    kind: str = OF_LOG

    def __post_init__(self) -> None:
        one_of("log", self.log, LOGS)
        one_of("request", self.request, (UNORDERED, TOTAL))

    @property
    def scenario(self) -> Scenario:
        """The system and the jobs to simulate."""
        system = FOUR if self.request == UNORDERED else ONE_LARGE
        if self.log == DAS1:
            return Scenario(system, das1_jobs(self.request))
        jobs = ctc_jobs(self.request)
        return Scenario(system, jobs if self.is_in_order else ResampledJobs(jobs))

    @property
    def is_in_order(self) -> bool:
        """Whether the jobs arrive in the order of the log."""
        return self.log == IN_ORDER


@dataclass(frozen=True)
class Pathological:
    """The pathological example of section 3, on clusters of equal size."""

    clusters: int
    cluster_size: int
    kind: str = PATHOLOGICAL


@dataclass(frozen=True)
class Slotted:
    """A setting in which jobs with equal service times run on a single cluster.

    Their capacity loss is calculated by equation (4) as the paper prints it or simulated.
    """

    sizes: str
    method: str = HEAVY
    kind: str = OF_SLOTS

    def __post_init__(self) -> None:
        one_of("sizes", self.sizes, tuple(SLOTTED))
        one_of("method", self.method, (PRINTED, HEAVY))

    @property
    def scenario(self) -> Scenario:
        """The cluster and the jobs to simulate.

        All jobs start at multiples of the service time, because they have equal service times and
        jobs that end at the same instant depart together.
        """
        jobs = JobModel(slotted_sizes(self.sizes), 1, request=TOTAL, service=SERVICES[AT_ONCE])
        return Scenario(Multicluster([SLOTTED[self.sizes]]), jobs)


# --- Measuring a setting ---


def measure(
    setting: Any,
    scale: Scale,
    seed: np.random.SeedSequence,
) -> Iterator[dict]:
    """Measure the capacity loss of a setting, and yield rows for the table of runs.

    A simulation gives a row for each replication or batch; an exact loss gives one row.
    """
    if isinstance(setting, PublishedLoss):
        yield from measure_cell(setting, scale, seed, by_response=is_of_first_type(setting))
    elif isinstance(setting, Pathological):
        loss = pathological_loss(setting.clusters, setting.cluster_size)
        yield from rows_of(Replications(np.array(loss)), "capacity_loss")
    elif isinstance(setting, Slotted):
        yield from rows_of(loss_of_slots(setting, scale, seed), "capacity_loss")
    elif isinstance(setting, Held | Balance | Fewer | Counterexample):
        yield from measure_further(setting, scale, seed)
    elif isinstance(setting, LogSetting):
        yield from rows_of(loss_of_log(setting, scale, seed), "capacity_loss")
    else:
        in_heavy_traffic = setting.method == HEAVY
        losses = loss_of(setting, scale, seed)
        yield from loss_rows(losses, scale.jobs if in_heavy_traffic else None)


def loss_of(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the capacity loss of a setting, by the method that the setting names."""
    if setting.method == POISSON:
        return loss_between(setting, scale, seed)
    return capacity_loss(
        setting.scenario,
        method="exact" if setting.method == EXACT else "simulation",
        jobs=scale.jobs,
        replications=scale.replications,
        seed=seed,
    )


def loss_between(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the loss at the load that keeps the queue between two bounds for the longest time.

    The result has a warning if the runs have fewer arrivals than those of the paper.
    """
    arrivals = scale.bound_arrivals
    losses = loss_between_bounds(
        setting.scenario,
        bounds=BOUNDS,
        begin=0,
        arrivals=arrivals,
        replications=scale.bound_replications,
        seed=seed,
    )
    too_short = f"{arrivals:,} arrivals, where the paper has {ARRIVALS:,}"
    return Replications(losses, too_short * (arrivals < ARRIVALS))


def loss_of_log(setting: LogSetting, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the capacity loss of a simulation with the jobs of a log.

    If the jobs arrive in the order of the log, there is only one run, which is divided into
    batches. Otherwise there are several replications.
    """
    scenario = setting.scenario
    if setting.is_in_order:
        busy = heavy_traffic(scenario, ctc_jobs(setting.request), batches=BATCHES)
        return Replications(1 - busy)
    return simulated_loss(scenario, scale, seed)


def simulated_loss(scenario: Scenario, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Simulate a scenario with the sample sizes of a scale, and return the capacity loss."""
    return capacity_loss(
        scenario,
        method="simulation",
        jobs=scale.jobs,
        replications=scale.replications,
        seed=seed,
    )


def pathological_loss(clusters: int, size: int) -> float:
    """Return the exact capacity loss of the pathological example."""
    system = Multicluster.equal(clusters, size)
    return maximal_utilization(system, pathological_jobs(clusters, size)).capacity_loss


def loss_of_slots(setting: Slotted, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the capacity loss of jobs with equal service times on a single cluster."""
    if setting.method == PRINTED:
        processors, sizes = SLOTTED[setting.sizes], slotted_sizes(setting.sizes)
        return Replications(np.array(1 - slotted_as_printed(processors, sizes)))
    return simulated_loss(setting.scenario, scale, seed)


# --- The settings of each figure ---

# The functions `by_request` to `by_freedom` each yield the settings that one figure compares, for
# one distribution of component sizes. Their other arguments are fields of `Setting`. A reader can
# use these functions to run further settings, for example ``study.add(runs, *by_request("U[4,16]",
# system=co.Multicluster([64, 64])))``.


def by_request(sizes: str, **where: Any) -> Iterator[Setting]:
    """Yield the settings that Figure 3 compares: one for each request type.

    Unordered requests are simulated because there is no exact formula for them.
    """
    yield Setting(sizes, ORDERED, EXACT, **where)
    yield Setting(sizes, UNORDERED, **where)
    yield Setting(sizes, TOTAL, EXACT, **where)


def by_drawing(sizes: str, **where: Any) -> Iterator[Setting]:
    """Yield the settings that Figure 4 compares: independent and dependent component sizes."""
    yield Setting(sizes, drawn=INDEPENDENT, **where)
    yield Setting(sizes, drawn=DEPENDENT, **where)


def by_service(
    sizes: str, variations: tuple[int, ...] = (3, 5, 10), **where: Any
) -> Iterator[Setting]:
    """Yield the settings of section 7.1, one for each distribution of the service times.

    `variations` has the coefficients of variation of the hyperexponential service times.
    """
    wild = [f"hyperexponential, cv {cv}" for cv in variations]
    for service in (CALM, AT_ONCE, EXPONENTIAL, *wild):
        for request in (ORDERED, UNORDERED):
            yield Setting(sizes, request, service=service, **where)


def by_policy(sizes: str, **where: Any) -> Iterator[Setting]:
    """Yield the settings that Figure 5 compares: FCFS, and FPFS simulated by two methods."""
    yield Setting(sizes, policy="FCFS", **where)
    for policy in (FEW, MANY):
        yield Setting(sizes, method=HEAVY, policy=policy, **where)
        yield Setting(sizes, method=POISSON, policy=policy, **where)


def by_placement(sizes: str, **where: Any) -> Iterator[Setting]:
    """Yield the settings that Figure 6 compares: worst fit and first fit."""
    for placement in (WORST, FIRST):
        yield Setting(sizes, placement=placement, **where)


def by_freedom(sizes: str, **where: Any) -> Iterator[Setting]:
    """Yield the settings of the figure ``freedoms``: each request type under each policy."""
    for request in (ORDERED, UNORDERED, TOTAL):
        for policy in POLICIES:
            yield Setting(sizes, request, policy=policy, **where)


def settings(scale: Scale) -> Iterator[Any]:
    """Yield all settings that the figures and claims of the study need."""
    yield from load_published(NAME)
    for clusters in PATHOLOGICAL_CLUSTERS:
        for size in DOUBLINGS:
            yield Pathological(clusters, size)
    for sizes in SLOTTED:
        yield Slotted(sizes, PRINTED)
        yield Slotted(sizes)
    for sizes in FIVE:
        yield from by_request(sizes)
        yield from by_drawing(sizes)
        yield from by_service(sizes, scale.variations)
        yield from by_placement(sizes)
    for sizes in ROOM:
        yield from by_policy(sizes)
    yield from by_freedom(FIVE[0])
    for request in (UNORDERED, TOTAL):
        for log in LOGS:
            yield LogSetting(log, request)
    for request in (UNORDERED, WHOLE):
        yield Setting(WITH_AND_WITHOUT, request)
    yield from further_settings(scale)


study = Study(
    NAME,
    "How much of a multicluster can be kept busy if jobs need several clusters at once?",
    seed=2003,
    scales=scales(
        # The scale ``quick`` saves time in three ways. First, all simulated table cells are
        # measured in heavy traffic. Simulations that search for a mean response time of 1,500 would
        # give the same loss, but take ten times as long. Second, the runs of FPFS with a bounded
        # queue length have a fifth of the paper's arrivals. Third, two service-time distributions
        # are left out. The scale ``paper`` uses the paper's methods with the paper's own targets:
        # 100,000 arrivals, a mean response time of 1,500, and a queue length between 0 and 1,000.
        jobs=(20_000, 400_000),
        replications=(10, 20),
        cell_jobs=(200_000, 4_000_000),
        response_jobs=(None, ARRIVALS),
        response_replications=(None, 20),
        bound_arrivals=(20_000, ARRIVALS),
        bound_replications=(3, 10),
        variations=((10,), (3, 5, 10)),
        held_replications=(4, 10),
        waiting=((10, 100, 500, 2_000), (10, 30, 100, 300, 1_000, 2_000, 5_000, 10_000)),
    ),
    settings=settings,
    measure=measure,
    logs=(LOG,),
)
