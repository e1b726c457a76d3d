"""Define and measure the settings that some claims need in addition to the paper's figures.

There are four types of settings, and all of them run quickly:

- FPFS with a constant number of waiting jobs (section 7.2);
- the utilization of each cluster (section 7.2);
- equation (5) for jobs with fewer components than there are clusters (section 4.2);
- the smallest system on which ordered requests lose less than unordered ones (section 3).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from coalloc_lib.analytic import JointSizes, exact_utilization, maximal_utilization
from coalloc_lib.basics.checks import one_of, whole
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import Replications, capacity_loss, rows_of
from coalloc_lib.statistics.saturation import WARM_UP, replicated_traffic
from coalloc_lib.workloads.models import JobModel
from studies.maximal_utilization.model import (
    COMPONENTS,
    FEW,
    FIRST,
    FIVE,
    FOUR,
    MANY,
    ORDERED,
    PLACEMENTS,
    POLICIES,
    ROOM,
    UNORDERED,
    WORST,
)
from studies.study import Scale

#: The values that the column `kind` of the table of runs has for the settings `Held`, `Balance`,
#: `Fewer` and `Counterexample`.
WAITING, BALANCE, FEWER = "jobs waiting", "busy share of clusters", "equation (5)"
COUNTEREXAMPLE = "counterexample"
#: A run has at least this number of jobs per waiting job. In a shorter run, the queue would not
#: reach its steady state.
SETTLED = 12
#: The methods of the setting `Fewer`.
APPROXIMATION, SIMULATION = "approximation", "simulation"


@dataclass(frozen=True)
class Held:
    """A simulation of FPFS on four clusters of 32, with a constant number of waiting jobs."""

    sizes: str
    policy: str
    waiting: int
    kind: str = WAITING

    def __post_init__(self) -> None:
        parse_sizes(self.sizes)
        one_of("policy", self.policy, tuple(POLICIES))
        whole("waiting", self.waiting, least=1)

    @property
    def scenario(self) -> Scenario:
        """The system, the jobs and the scheduling policy to simulate."""
        jobs = JobModel(parse_sizes(self.sizes), COMPONENTS)
        return Scenario(FOUR, jobs, POLICIES[self.policy])


@dataclass(frozen=True)
class Balance:
    """A simulation of FCFS on four clusters of 32 that measures each cluster's utilization."""

    sizes: str
    placement: str = WORST
    kind: str = BALANCE

    def __post_init__(self) -> None:
        parse_sizes(self.sizes)
        one_of("placement", self.placement, tuple(PLACEMENTS))

    @property
    def scenario(self) -> Scenario:
        """The system, the jobs and the placement to simulate."""
        jobs = JobModel(parse_sizes(self.sizes), COMPONENTS)
        return Scenario(FOUR, jobs, placement=PLACEMENTS[self.placement])


@dataclass(frozen=True)
class Fewer:
    """A setting in which unordered jobs have fewer components than there are clusters.

    Their capacity loss is calculated by equation (5) or simulated, as `method` says.
    """

    sizes: str
    components: int
    clusters: int
    cluster_size: int
    method: str
    kind: str = FEWER

    def __post_init__(self) -> None:
        parse_sizes(self.sizes)
        one_of("method", self.method, (APPROXIMATION, SIMULATION))

    @property
    def scenario(self) -> Scenario:
        """The system and the jobs to simulate."""
        system = Multicluster.equal(self.clusters, self.cluster_size)
        return Scenario(system, JobModel(parse_sizes(self.sizes), self.components))


@dataclass(frozen=True)
class Counterexample:
    """The jobs of `smallest_counterexample`, as ordered or as unordered requests."""

    request: str
    placement: str = ""
    kind: str = COUNTEREXAMPLE

    def __post_init__(self) -> None:
        one_of("request", self.request, (ORDERED, UNORDERED))


# --- Measuring a setting ---


def loss_with_waiting(setting: Held, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the capacity loss of a simulation that keeps the number of waiting jobs constant."""
    jobs = max(scale.jobs, SETTLED * setting.waiting)
    busy, warning = replicated_traffic(
        setting.scenario,
        jobs=jobs,
        replications=scale.held_replications,
        seed=seed,
        backlog=setting.waiting,
    )
    return Replications(1 - busy.mean(axis=1), warning)


def busy_shares(setting: Balance, scale: Scale, seed: np.random.SeedSequence) -> np.ndarray:
    """Return the utilization of each cluster in a saturated system.

    Returns
    -------
    ndarray of shape (replications, clusters)
        The utilization of each cluster after the warm-up.
    """
    scenario = setting.scenario
    rows = []
    for child in spawn(seed, scale.replications):
        schedule = scenario.run(scenario.sample(scale.jobs // 4, seed=child), 1)
        last = schedule.jobs.submit[-1]
        begin = WARM_UP * last
        within = np.clip(schedule.end, begin, last) - np.clip(schedule.start, begin, last)
        work = within @ schedule.allocation
        rows.append(work / (np.array(scenario.system.sizes) * (last - begin)))
    return np.array(rows)


def loss_of_fewer(setting: Fewer, scale: Scale, seed: np.random.SeedSequence) -> Replications:
    """Return the capacity loss of jobs that have fewer components than there are clusters."""
    if setting.method == SIMULATION:
        return capacity_loss(
            setting.scenario,
            method=SIMULATION,
            jobs=scale.jobs,
            replications=scale.replications,
            seed=seed,
        )
    found = maximal_utilization(
        setting.scenario.system, parse_sizes(setting.sizes), setting.components, UNORDERED
    )
    return Replications(np.array(found.capacity_loss))


def exact_loss(system: Multicluster, jobs: JointSizes, setting: Counterexample) -> float:
    """Return the exact capacity loss of the given jobs, computed from a Markov chain."""
    placement = PLACEMENTS[setting.placement] if setting.placement else None
    return exact_utilization(system, jobs, None, setting.request, placement).capacity_loss


@cache
def smallest_counterexample() -> tuple[Multicluster, JointSizes]:
    """Find the smallest case in which ordered requests lose less capacity than unordered ones.

    The search goes through systems of two equal clusters, from small to large ones, and through all
    pairs of job sizes, which are equally frequent. The placement is worst fit. All losses are
    exact.
    """
    for size in range(1, 9):
        system = Multicluster([size, size])
        components = [pair for pair in product(range(size + 1), repeat=2) if sum(pair)]
        for pair in combinations(components, 2):
            jobs = JointSizes(np.array(pair), np.ones(2) / 2)
            by_request = {
                request: exact_utilization(system, jobs, None, request, placement).capacity_loss
                for request, placement in ((ORDERED, None), (UNORDERED, WorstFit()))
            }
            if by_request[ORDERED] < by_request[UNORDERED] - 1e-9:
                return system, jobs
    raise AssertionError("no counterexample on two clusters of up to 8 processors")


def measure_further(
    setting: Held | Balance | Fewer | Counterexample, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Measure a `Held`, `Balance`, `Fewer` or `Counterexample`, and yield its table rows.

    The rows of a `Balance` have the utilization of one cluster each; all others a capacity loss.
    """
    if isinstance(setting, Balance):
        for number, shares in enumerate(busy_shares(setting, scale, seed).T, start=1):
            yield from rows_of(Replications(shares), "busy", cluster=number)
    elif isinstance(setting, Held):
        yield from rows_of(loss_with_waiting(setting, scale, seed), "capacity_loss")
    elif isinstance(setting, Fewer):
        yield from rows_of(loss_of_fewer(setting, scale, seed), "capacity_loss")
    else:
        found = exact_loss(*smallest_counterexample(), setting)
        yield from rows_of(Replications(np.array(found)), "capacity_loss")


#: Settings in which jobs have fewer components than there are clusters: the distribution of
#: component sizes, the number of components, the number of clusters, and the cluster size.
OF_FEWER = (("U[1,6]", 2, 8, 16), ("U[1,7]", 2, 4, 32))


def further_settings(scale: Scale) -> Iterator[Held | Balance | Fewer | Counterexample]:
    """Yield every `Held`, `Balance`, `Fewer` and `Counterexample` that the study measures."""
    for sizes, policy, waiting in product(ROOM, (FEW, MANY), scale.waiting):
        yield Held(sizes, policy, waiting)
    for sizes, placement in product(FIVE, (WORST, FIRST)):
        yield Balance(sizes, placement)
    for (sizes, components, clusters, size), method in product(
        OF_FEWER, (APPROXIMATION, SIMULATION)
    ):
        yield Fewer(sizes, components, clusters, size, method)
    yield Counterexample(ORDERED)
    for placement in (WORST, FIRST):
        yield Counterexample(UNORDERED, placement)
