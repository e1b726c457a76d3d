"""The settings that are simulated for the figures and claims, and what is measured in each."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from coalloc_lib.basics.checks import InputError, instance_of, one_of
from coalloc_lib.basics.seeds import parent, spawn
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import MaxUtilization, Replications, rows_of
from coalloc_lib.statistics.curves import Point, response_point, response_sample
from coalloc_lib.statistics.maximum import best_method, max_utilization_by_simulation
from coalloc_lib.statistics.saturation import replicated_traffic
from coalloc_lib.statistics.settling import jobs_to_settle, unsettled
from coalloc_lib.workloads import Workload
from coalloc_lib.workloads.models import JobModel
from studies.cluster_configurations.divisions import DIVISION, divisions, measure_division
from studies.cluster_configurations.model import (
    ALONE,
    ALPHAS,
    COMPARED,
    EQUAL,
    FIRST_FIT,
    FOUR_COMPONENTS,
    HIGH,
    IN_ORDER,
    JOBS,
    MODERATE,
    ORDERED,
    PLACEMENTS,
    POLICIES,
    PRINTED,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    SMALL_FIRST,
    SPANNING,
    STANDARD,
    SYSTEMS,
    TOTAL,
    UNEQUAL,
    UNORDERED,
    WORST_FIT,
    of_one_total,
)
from studies.inputs import named
from studies.printed_losses import ARRIVALS, measure_cell
from studies.published import PRINTED as PRINTED_TABLE
from studies.published import PublishedLoss, load_published
from studies.study import Scale, Study, scales

NAME = "cluster-configurations"
#: The types of settings that this module measures. The cells of the paper's tables and the
#: divisions of 128 processors are also types of settings, but they are defined elsewhere.
CURVE, BREAK_EVEN, STRETCHED = "response curve", "break-even penalty", "longer service times"
#: The types of rows that one response-time curve has in the table of runs. A `SATURATED` row has
#: the maximal utilization from simulations, and an `EXACT_END` row has it from a formula. A `POINT`
#: row has one point of the curve. An `AT_LOAD` row has the mean response time at one of a few
#: loads. At these loads, all curves are simulated with the same jobs, so that they can be compared.
SATURATED, EXACT_END = "saturated", "exact"
POINT, AT_LOAD = "point", "at a load"
#: The names of the two scenarios that a search for a break-even penalty compares. In the first, the
#: components of a job run on different clusters. In the second, each job runs on one cluster.
SPANS, WHOLE = "spanning", "whole"


@dataclass(frozen=True)
class Setting:
    """The setting of one response-time curve: a system, its jobs, a placement and a policy.

    Text values are names that `model` defines. The system, the jobs, the placement and the policy
    may also be objects, for example your own. For ordered and total requests `placement` is None,
    because they leave nothing to choose.
    """

    system: str | Multicluster
    placement: str | Placement | None = FIRST_FIT
    jobs: str | Workload = FOUR_COMPONENTS
    request: str = UNORDERED
    policy: str | Scheduling = IN_ORDER
    kind: str = CURVE

    def __post_init__(self) -> None:
        check_words(self)
        own = getattr(self.jobs, "request", self.request)
        if own != self.request:
            raise InputError(
                f"request = {self.request!r}, but the jobs have {own!r} requests; give request = "
                f"{own!r} or other jobs"
            )
        if self.request != UNORDERED and self.placement is not None:
            raise InputError(
                f"placement = {self.placement!r} needs unordered requests, but request = "
                f"{self.request!r}; give placement=None"
            )

    @property
    def scenario(self) -> Scenario:
        """The scenario to simulate; names are replaced by the objects that they stand for."""
        jobs: Any = named(self.jobs, JOBS)
        if self.request != UNORDERED:
            jobs = jobs.with_(request=self.request)
        return scenario_of(self).with_(workload=jobs)


@dataclass(frozen=True)
class BreakEven:
    """A comparison of jobs that span several clusters with the same jobs on one cluster.

    `line` is the name of the curve in the figure. `jobs` must have at least two unordered
    components, and each job must fit into one cluster. The other fields are as in `Setting`.
    """

    line: str
    system: str | Multicluster
    jobs: JobModel
    policy: str | Scheduling = IN_ORDER
    placement: str | Placement = WORST_FIT
    kind: str = BREAK_EVEN

    def __post_init__(self) -> None:
        check_words(self)
        jobs, system = instance_of("jobs", self.jobs, JobModel, "JobModel(sizes, 4)"), self.spanning
        unordered = jobs.request == "unordered" and not jobs.split_at
        if not unordered or (jobs.merged_into or jobs.components) < 2:
            raise InputError(
                f"jobs = {jobs} must have unordered requests of at least two components; give a "
                "JobModel such as JobModel(sizes, 4)"
            )
        widest, largest = int(self.whole_jobs.largest().components.max()), system.system.largest
        if widest > largest:
            raise InputError(
                f"the component sizes {jobs.sizes} make jobs of up to {widest} processors, but the "
                f"largest cluster has {largest}; give smaller sizes or larger clusters"
            )

    @property
    def whole_jobs(self) -> JobModel:
        """The same jobs as in `jobs`, each with all its processors in one component."""
        return self.jobs.with_(merged_into=1)

    @property
    def spanning(self) -> Scenario:
        """The scenario in which each component of a job is on a different cluster."""
        return scenario_of(self)

    @property
    def whole(self) -> Scenario:
        """The scenario in which each job runs on a single cluster."""
        return self.spanning.with_(workload=self.whole_jobs)


@dataclass(frozen=True)
class Stretched:
    """A test of whether response times grow in proportion to service times (section 1).

    All service times are multiplied by `alpha`, and the arrival rate is divided by `alpha`.
    """

    alpha: float
    kind: str = STRETCHED


def check_words(setting: Any) -> None:
    """Raise an `InputError` if a setting contains a name that the module `model` lacks."""
    known: dict[str, Mapping] = {
        "system": SYSTEMS,
        "placement": PLACEMENTS,
        "jobs": JOBS,
        "policy": POLICIES,
    }
    for name, names in known.items():
        word = getattr(setting, name)
        if isinstance(word, str):
            one_of(name, word, tuple(names))


def scenario_of(setting: Any) -> Scenario:
    """Return the scenario of a `Setting` or a `BreakEven`.

    Its requests are unordered.
    """
    system = named(setting.system, SYSTEMS)
    placement = setting.placement
    if isinstance(placement, str):
        placement = PLACEMENTS[placement](system)
    policy = named(setting.policy, POLICIES)
    return Scenario(system, named(setting.jobs, JOBS), policy, placement)


# --- The measurements of one setting ---


def measure_curve(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the maximal utilization and the mean response times of one response-time curve.

    Loads and utilizations are shares of 128 processors. The column `equal` says whether all
    clusters have the same size. In the rows of a point, `run_jobs` is the number of jobs of each
    run, and `precise` says whether the confidence interval is as narrow as the scale asks.
    """
    scenario = setting.scenario
    share = scenario.system.processors / PROCESSORS
    of_clusters = {"equal": scenario.system.is_equal}
    # All settings use one seed, the parent of their individual seeds, so that all of them simulate
    # the same jobs.
    every_run = parent(seed)
    utilization = saturated(scenario, scale.jobs, scale.replications, every_run)
    end = MaxUtilization(utilization.interval, "simulation")
    ends = {SATURATED: utilization}
    if best_method(scenario) == "exact":
        end = max_utilization_by_simulation(scenario, method="exact")
        ends[EXACT_END] = Replications(np.array(end.max_utilization))

    for measured, values in ends.items():
        found = Replications(share * values.values, values.warning)
        for row in rows_of(found, "max_utilization", measured=measured, load=None):
            yield row | of_clusters
    for load, responses in responses_at_loads(scenario, scale, every_run, end):
        for row in rows_of(responses, "response", measured=AT_LOAD, load=load):
            yield row | of_clusters
    for point, responses in points_of_curve(scenario, scale, seed, end):
        load = share * point.utilization
        for row in rows_of(responses, "response", measured=POINT, load=load):
            yield row | {"run_jobs": point.jobs, "precise": point.precise} | of_clusters


def saturated(
    scenario: Scenario, jobs: int, replications: int, seed: np.random.SeedSequence
) -> Replications:
    """Return the utilization of a system whose queue never becomes empty, for each run."""
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=replications, seed=seed)
    return Replications(busy.mean(axis=1), warning)


def responses_at_loads(
    scenario: Scenario, scale: Scale, every_run: np.random.SeedSequence, end: MaxUtilization
) -> Iterator[tuple[float, Replications]]:
    """Yield the mean response time in every run, for each load at which curves are compared.

    A load is left out if it is not certain to be below the maximal utilization `end`, or if it is
    so close to `end` that the queue does not settle during the runs.
    """
    share = scenario.system.processors / PROCESSORS
    seeds = spawn(every_run, scale.replications)
    for load in COMPARED:
        if load / share >= end.interval.low:
            continue
        jobs = scale.high_jobs if load == HIGH else scale.jobs
        if unsettled(jobs, jobs_to_settle(load / share, end.max_utilization)):
            continue
        options: dict[str, Any] = {"jobs": jobs, "replications": 1, "maximum": end}
        runs = [response_sample(scenario, load / share, seed=child, **options) for child in seeds]
        yield load, Replications(np.concatenate([run.values for run in runs]))


def points_of_curve(
    scenario: Scenario, scale: Scale, seed: np.random.SeedSequence, end: MaxUtilization
) -> Iterator[tuple[Point, Replications]]:
    """Yield each point of a response-time curve, with the mean response time in each run.

    Only loads that are certain to be below the maximal utilization `end` have a point.
    """
    options = {
        "precision": scale.precision,
        "most_jobs": scale.most_jobs,
        "jobs": min(10_000, scale.most_jobs),
    }
    for part in scale.shares:
        load = part * end.max_utilization
        if load < end.interval.low:
            point = response_point(scenario, load, seed=seed, **options)
            assert point.response is not None  # The load is below saturation.
            yield point, Replications(np.array(point.means), point.response.warning)


def measure_break_even(
    setting: BreakEven, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the maximal utilization with jobs that span clusters and with jobs on one cluster.

    If all service times are ``1 + penalty`` times as long, the schedule is the same but slower.
    Therefore the net utilization with spanning jobs is ``spanning / (1 + penalty)``. At the
    break-even penalty it equals the maximal utilization with each job on one cluster. The column
    `share` is the mean size of a job, as a share of the largest cluster.
    """
    size = {"share": setting.jobs.mean_processors / setting.spanning.system.largest}
    for way, scenario in ((SPANS, setting.spanning), (WHOLE, setting.whole)):
        utilization = saturated(scenario, scale.map_jobs, scale.replications, seed)
        keys = {"sizes": str(setting.jobs.sizes), "way": way}
        for row in rows_of(utilization, "max_utilization", **keys):
            yield row | size


def measure_stretched(
    setting: Stretched, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the largest relative error of the rule that response times are multiplied by `alpha`.

    All submissions and run times are multiplied by `alpha`. The rule says that this multiplies each
    response time by `alpha` too.
    """
    alpha, scenario = setting.alpha, Setting(STANDARD, WORST_FIT).scenario
    jobs = scenario.sample(20_000, load=MODERATE, seed=seed)
    slow = jobs.replace(submit=alpha * jobs.submit, runtime=alpha * jobs.runtime)
    response, slow_response = (scenario.run(stream).response for stream in (jobs, slow))
    error = np.abs(slow_response / (alpha * response) - 1).max()
    yield {"replication": None, "error": float(error)}


def measure_printed(
    setting: PublishedLoss, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the capacity loss that we measured for one cell of Table 1 or 2.

    Section 3.1 measures it at 'an average response time of at least 1,500'.
    """
    yield from measure_cell(setting, scale, seed, by_response=True)


MEASURES: dict[str, Callable[..., Iterator[dict]]] = {
    CURVE: measure_curve,
    BREAK_EVEN: measure_break_even,
    STRETCHED: measure_stretched,
    PRINTED_TABLE: measure_printed,
    DIVISION: measure_division,
}


def measure(setting: Any, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Simulate a setting of any type, and yield its rows in the table of runs."""
    yield from MEASURES[setting.kind](setting, scale, seed)


# --- All runs ---


def settings(scale: Scale) -> Iterator[Any]:
    """Yield all settings that the figures and claims of the study need."""
    yield from load_published(NAME)
    yield from equal_or_unequal()
    yield from numbers_of_clusters()
    yield from numbers_of_components()
    yield from map(Stretched, ALPHAS)
    yield from break_evens()
    yield from divisions()


def equal_or_unequal() -> Iterator[Setting]:
    """Yield the settings of section 4.1: equal clusters, unequal clusters, and a single cluster."""
    for system in (STANDARD, PRINTED):
        yield Setting(system, None, request=ORDERED)
        yield Setting(system, FIRST_FIT)
    yield Setting(ALONE, None, request=TOTAL)


def numbers_of_clusters() -> Iterator[Setting]:
    """Yield the settings of section 4.2: each multicluster with each placement."""
    for system in (*EQUAL, *UNEQUAL):
        for placement in (FIRST_FIT, WORST_FIT):
            yield Setting(system, placement)
    for system in UNEQUAL:
        yield Setting(system, SMALL_FIRST)


def numbers_of_components() -> Iterator[Setting]:
    """Yield the settings of section 5: each workload under first fit and under worst fit."""
    for placement in (FIRST_FIT, WORST_FIT):
        for jobs in (*SAME_SIZE, *map(of_one_total, SAME_TOTAL)):
            yield Setting(STANDARD, placement, jobs)


def break_evens() -> Iterator[BreakEven]:
    """Yield a `BreakEven` for each policy, number of components and size distribution."""
    for policy, (line, (clusters, sizes)) in product(POLICIES, SPANNING.items()):
        system = Multicluster.equal(clusters, 32)
        for of_component in sizes:
            yield BreakEven(line, system, JobModel(of_component, clusters), policy)


#: The study of the paper on cluster configurations. Each parameter of a scale has two values: one
#: for the scale ``quick``, and one for the scale ``paper``.
#:
#: - `jobs`: the number of jobs in each run, if systems are compared on the same jobs.
#: - `high_jobs`: the same at the highest load, where the queue takes longer to settle.
#: - `replications`: the number of runs for such a comparison.
#: - `precision`: the relative precision up to which each point of a response curve is simulated.
#: - `shares`: the loads of the points of a response curve, as fractions of its maximal utilization.
#:   There are more points where the curve bends.
#: - `most_jobs`: the maximum number of jobs in a run for a point of a response curve.
#: - `map_jobs`: the number of jobs in each run that estimates a break-even penalty.
#: - `division_jobs`: the number of jobs in each run that compares divisions into clusters.
#: - `cell_jobs`: the number of jobs in a run for a simulated cell of Tables 1 and 2. The scale
#:   ``quick`` measures these cells at saturation.
#: - `response_jobs`, `response_replications`: the number of jobs in a run, and the number of runs,
#:   for the same cells at the scale ``paper``, which uses the slower method of the paper: a search
#:   for the arrival rate at which the mean response time is 1,500.
study = Study(
    NAME,
    "Which clusters, which placement and how many components are best for jobs?",
    seed=2002,
    scales=scales(
        jobs=(12_000, 200_000),
        high_jobs=(40_000, 200_000),
        replications=(8, 20),
        precision=(0.1, 0.03),
        shares=((0.3, 0.6, 0.8, 0.92), (0.3, 0.5, 0.65, 0.75, 0.83, 0.89, 0.94)),
        most_jobs=(6_000, 1_000_000),
        map_jobs=(4_000, 100_000),
        division_jobs=(4_000, 100_000),
        cell_jobs=(200_000, None),
        response_jobs=(None, ARRIVALS),
        response_replications=(None, 20),
    ),
    settings=settings,
    measure=measure,
)
