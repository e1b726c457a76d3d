"""What is run and what is measured of it: the settings of all figures and claims."""

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
from coalloc_lib.statistics.curves import (
    Point,
    best_method,
    max_utilization_by_simulation,
    response_point,
    response_sample,
)
from coalloc_lib.statistics.saturation import replicated_traffic
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
from studies.printed_losses import ARRIVALS, measure_cell
from studies.published import PRINTED as PRINTED_TABLE
from studies.published import PublishedLoss, load_published
from studies.study import Scale, Study, scales

NAME = "cluster-configurations"
#: The kinds of settings; the fourth is a cell of a printed table.
CURVE, BREAK_EVEN, STRETCHED = "response curve", "break-even penalty", "longer service times"
#: What is measured of a curve: where it ends, in saturated runs and by formula; its points; and
#: response times on the same jobs for all curves, at the loads at which they are compared.
SATURATED, EXACT_END = "saturated", "exact"
POINT, AT_LOAD = "point", "at a load"
#: Jobs of several components each on a cluster of its own, and the same jobs in one.
SPANS, WHOLE = "spanning", "whole"


@dataclass(frozen=True)
class Setting:
    """Jobs on clusters, of which the response times are measured: a line of a figure.

    The words are those of `model`; a system, jobs, a placement or a policy may be an object of your
    own. Ordered and total requests leave no choice to a placement, which is then None.
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
            raise InputError(f"request = {self.request!r} and these jobs have {own!r}; give one")
        if self.request != UNORDERED and self.placement is not None:
            raise InputError(
                f"placement = {self.placement!r} is of unordered requests, and these are "
                f"{self.request}; give None"
            )

    @property
    def scenario(self) -> Scenario:
        """The system, the jobs and the policies."""
        jobs: Any = named(self.jobs, JOBS)
        if self.request != UNORDERED:
            jobs = jobs.with_(request=self.request)
        return scenario_of(self).with_(workload=jobs)


@dataclass(frozen=True)
class BreakEven:
    """Jobs that span clusters, and the same jobs whole, beside each other.

    `line` is what the figure calls them; `jobs` have two or more unordered components, the sum of
    which fits on one cluster. All else is as in `Setting`.
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
            raise InputError(f"jobs = {jobs}; give a JobModel of two unordered components or more")
        widest, largest = int(self.whole_jobs.largest().components.max()), system.system.largest
        if widest > largest:
            raise InputError(
                f"sizes = {jobs.sizes} make jobs of up to {widest} processors, too wide for a "
                f"cluster of {largest}; give smaller sizes or larger clusters"
            )

    @property
    def whole_jobs(self) -> JobModel:
        """The same jobs in one component each."""
        return self.jobs.with_(merged_into=1)

    @property
    def spanning(self) -> Scenario:
        """Every component on a cluster of its own."""
        return scenario_of(self)

    @property
    def whole(self) -> Scenario:
        """Every job on one of the clusters."""
        return self.spanning.with_(workload=self.whole_jobs)


@dataclass(frozen=True)
class Stretched:
    """Jobs whose service is all `alpha` times as long, at 1/`alpha` of the rate (section 1)."""

    alpha: float
    kind: str = STRETCHED


def check_words(setting: Any) -> None:
    """Refuse words that are not those of `model`."""
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


def named(part: Any, known: Mapping[str, Any]) -> Any:
    """Return what a name stands for; an object stands for itself."""
    return known[part] if isinstance(part, str) else part


def scenario_of(setting: Any) -> Scenario:
    """Return the scenario of a setting whose jobs are unordered."""
    system = named(setting.system, SYSTEMS)
    placement = setting.placement
    if isinstance(placement, str):
        placement = PLACEMENTS[placement](system)
    policy = named(setting.policy, POLICIES)
    return Scenario(system, named(setting.jobs, JOBS), policy, placement)


# --- What is measured of one setting ---


def measure_curve(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the maximal utilization, and mean response times below it; loads are of 128.

    In the rows of a point, `run_jobs` is the length of each run and `precise` whether the interval
    is as narrow as the scale asks; `equal` is whether all clusters are.
    """
    scenario = setting.scenario
    share = scenario.system.processors / PROCESSORS
    of_clusters = {"equal": scenario.system.is_equal}
    # What every setting's seed was spawned from: all have the same runs.
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
    """Return the utilization of each of several runs in which the queue never runs dry."""
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=replications, seed=seed)
    return Replications(busy.mean(axis=1), warning)


def responses_at_loads(
    scenario: Scenario, scale: Scale, every_run: np.random.SeedSequence, end: MaxUtilization
) -> Iterator[tuple[float, Replications]]:
    """Yield each load of all processors that is served for certain, with the mean of each run.

    A load so near the end of the line that its queue does not settle in these runs is left out.
    """
    share = scenario.system.processors / PROCESSORS
    seeds = spawn(every_run, scale.replications)
    for load in COMPARED:
        if load / share >= end.interval.low:
            continue
        jobs = scale.high_jobs if load == HIGH else scale.jobs
        how: dict[str, Any] = {"jobs": jobs, "replications": 1, "maximum": end}
        runs = [response_sample(scenario, load / share, seed=one, **how) for one in seeds]
        if not any(run.warning for run in runs):
            yield load, Replications(np.concatenate([run.values for run in runs]))


def points_of_curve(
    scenario: Scenario, scale: Scale, seed: np.random.SeedSequence, end: MaxUtilization
) -> Iterator[tuple[Point, Replications]]:
    """Yield the points of a curve that lie below its end for certain, with the mean of each run."""
    how = {"precision": scale.precision, "most_jobs": scale.most_jobs}
    how["jobs"] = min(10_000, scale.most_jobs)
    for part in scale.shares:
        load = part * end.max_utilization
        if load < end.interval.low:
            point = response_point(scenario, load, seed=seed, **how)
            assert point.response is not None  # the load is below saturation
            yield point, Replications(np.array(point.means), point.response.warning)


def measure_break_even(
    setting: BreakEven, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the maximal utilization of jobs that span and of whole ones, and their mean size.

    Service times ``1 + penalty`` times as long make the same schedule in slow motion, so that jobs
    that span can use ``spanning / (1 + penalty)`` for net work: at break-even what whole ones can.
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
    """Yield the largest relative error of the rule that each response is `alpha` times as long."""
    alpha, scenario = setting.alpha, Setting(STANDARD, WORST_FIT).scenario
    jobs = scenario.sample(20_000, load=MODERATE, seed=seed)
    slow = jobs.replace(submit=alpha * jobs.submit, runtime=alpha * jobs.runtime)
    response, slow_response = (scenario.run(each).response for each in (jobs, slow))
    error = np.abs(slow_response / (alpha * response) - 1).max()
    yield {"replication": None, "error": float(error)}


def measure_printed(
    setting: PublishedLoss, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield a printed loss; section 3.1: at 'an average response time of at least 1,500'."""
    yield from measure_cell(setting, scale, seed, by_response=True)


MEASURES: dict[str, Callable[..., Iterator[dict]]] = {
    CURVE: measure_curve,
    BREAK_EVEN: measure_break_even,
    STRETCHED: measure_stretched,
    PRINTED_TABLE: measure_printed,
    DIVISION: measure_division,
}


def measure(setting: Any, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield what is measured of a setting of its kind."""
    yield from MEASURES[setting.kind](setting, scale, seed)


# --- All runs ---


def settings(scale: Scale) -> Iterator[Any]:
    """Yield what the figures and claims read."""
    yield from load_published(NAME)
    yield from equal_or_unequal()
    yield from numbers_of_clusters()
    yield from numbers_of_components()
    yield from map(Stretched, ALPHAS)
    yield from break_evens()
    yield from divisions()


def equal_or_unequal() -> Iterator[Setting]:
    """Yield section 4.1: equal clusters, unequal ones, and the largest of these alone."""
    for system in (STANDARD, PRINTED):
        yield Setting(system, None, request=ORDERED)
        yield Setting(system, FIRST_FIT)
    yield Setting(ALONE, None, request=TOTAL)


def numbers_of_clusters() -> Iterator[Setting]:
    """Yield section 4.2: every division of the processors under every placement."""
    for system in (*EQUAL, *UNEQUAL):
        for placement in (FIRST_FIT, WORST_FIT):
            yield Setting(system, placement)
    for system in UNEQUAL:
        yield Setting(system, SMALL_FIRST)


def numbers_of_components() -> Iterator[Setting]:
    """Yield section 5: jobs of 5.1 and of 5.2, under both placements."""
    for placement in (FIRST_FIT, WORST_FIT):
        for jobs in (*SAME_SIZE, *map(of_one_total, SAME_TOTAL)):
            yield Setting(STANDARD, placement, jobs)


def break_evens() -> Iterator[BreakEven]:
    """Yield jobs that span all clusters, by their sizes and number of components."""
    for policy, (line, (clusters, sizes)) in product(POLICIES, SPANNING.items()):
        system = Multicluster.equal(clusters, 32)
        for of_component in sizes:
            yield BreakEven(line, system, JobModel(of_component, clusters), policy)


#: `jobs` and `replications` of what is compared in pairs, and `high_jobs` at the highest load, at
#: which queues take longer to settle; of the points of a curve, where they are as `shares` of the
#: maximal utilization, most where it bends, their `precision` and `most_jobs`; `map_jobs` of a
#: break-even penalty. Simulated cells of the tables: the quick scale has them in heavy traffic,
#: `cell_jobs` long, which is not the paper's way; the paper's scale has that, a rate at which the
#: mean response time is 1,500, in `response_replications` runs of `response_jobs`.
study = Study(
    NAME,
    "Which clusters, which placement and how many components serve jobs best?",
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
