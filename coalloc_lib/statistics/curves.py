"""Mean response time against utilization, the maximal utilization, and the capacity loss."""

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.basics.checks import InputError, one_of, positive, whole
from coalloc_lib.basics.estimates import METHODS, Interval, MaxUtilization
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.model.distributions import Exponential
from coalloc_lib.model.placement import may_stay_whole
from coalloc_lib.policies import FCFS
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import saturation
from coalloc_lib.statistics.inference import Replications, replicate, student
from coalloc_lib.workloads.models import JobModel

if TYPE_CHECKING:
    import pandas as pd

#: The warning of a point whose runs are too short, or whose load is too high.
RISING = "response times still rise at the end of the runs"

#: Jobs that a run needs, times the square of the share 1 - load / maximum that is left: queues take
#: so much longer to settle near saturation. Of M/M/1, 93 of 100 intervals of 8 runs of so many jobs
#: hold the mean response, and 88 of runs of a quarter (benchmarks/bench_coverage.py --simulated).
SETTLES = 80


@dataclass(frozen=True)
class Point:
    """A point of a response-time curve: the offered load and the mean response time.

    The `response` is None past saturation; `jobs` are those of each replication, and `means` has
    the mean response time of each; see `response_point` for `precise`.
    """

    utilization: float
    response: Interval | None = None
    jobs: int = 0
    precise: bool = True
    means: tuple[float, ...] = ()

    @property
    def saturated(self) -> bool:
        """Whether the load is at or above the maximal utilization."""
        return self.response is None

    def stretched(self, alpha: float) -> "Point":
        """Return the point over the net utilization where all service is `alpha` times as long."""
        return replace(
            self,
            utilization=self.utilization / alpha,
            response=self.response and self.response.times(alpha),
            means=tuple(alpha * mean for mean in self.means),
        )


@dataclass(frozen=True)
class Curve:
    """Points of mean response time against utilization, and where it goes to infinity."""

    points: list[Point]
    maximum: MaxUtilization

    def stretched(self, alpha: float) -> "Curve":
        """Return the curve over the net utilization where all service is `alpha` times as long."""
        points = [point.stretched(alpha) for point in self.points]
        return Curve(points, self.maximum.times(1 / alpha))

    def to_frame(self) -> "pd.DataFrame":
        """Return the points as a pandas table; what is past saturation has no response."""
        import pandas as pd

        columns = [
            "utilization", "response", "ci95_low", "ci95_high", "jobs", "precise", "saturated",
        ]  # fmt: skip
        rows = []
        for point in self.points:
            response = point.response or Interval.exact(np.nan)
            ends = response.estimate, response.low, response.high
            rows.append((point.utilization, *ends, point.jobs, point.precise, point.saturated))
        return pd.DataFrame(rows, columns=columns)


def response_times(
    scenario: Scenario,
    load: float,
    *,
    jobs: int = 20_000,
    replications: int = 8,
    seed: Seed = 0,
    maximum: MaxUtilization | None = None,
) -> NDArray[np.float64]:
    """Mean response time of each of several independent runs with Poisson arrivals.

    The offered `load` must be below the `maximum`, by default that of
    `max_utilization_by_simulation`. The first
    tenth of the `jobs` is left out. With the same seed, runs of two scenarios are comparable in
    pairs. A `UserWarning` says where the jobs are too few for queues to settle at this load.
    """
    sample = response_sample(
        scenario, load, jobs=jobs, replications=replications, seed=seed, maximum=maximum
    )
    if sample.warning:
        warnings.warn(sample.warning, stacklevel=2)
    return sample.values


def response_sample(
    scenario: Scenario,
    load: float,
    *,
    jobs: int = 20_000,
    replications: int = 8,
    seed: Seed = 0,
    maximum: MaxUtilization | None = None,
) -> Replications:
    """Return the `response_times` as a `Replications`, which keeps the warning."""
    jobs = whole("jobs", jobs, least=20)
    if maximum is None:
        maximum = max_utilization_by_simulation(scenario, jobs=jobs * replications, seed=seed)
    if positive("load", load) >= maximum.interval.low:
        raise InputError(
            f"load = {load}; the system can carry at most {maximum}, so there is no mean response "
            "time; give a lower load"
        )
    halves, _ = _runs(scenario, load, jobs, replications, seed)
    left = 1 - load / maximum.max_utilization
    return Replications(halves.mean(axis=1), saturation.unsettled(jobs, SETTLES / left**2))


def _runs(scenario, load, jobs, replications, seed):
    """Return the mean response time of both halves of each run, and the work of all jobs."""
    saturation.refuse_replay(scenario)
    half = (jobs - int(saturation.WARM_UP * jobs)) // 2
    work = []

    def one(child: Seed) -> NDArray[np.float64]:
        schedule = scenario.simulate(jobs, load=load, seed=child)
        if schedule.refused:
            raise InputError(
                f"scheduling = {scenario.scheduling} refused {len(schedule.refused)} of {jobs} "
                "jobs, which have no response time; give a policy that refuses none"
            )
        work.append(schedule.jobs.work)
        return schedule.response[-2 * half :].reshape(2, half).mean(axis=1)

    return replicate(one, replications, seed), np.concatenate(work)


def response_point(
    scenario: Scenario,
    load: float,
    *,
    precision: float = 0.05,
    jobs: int = 10_000,
    most_jobs: int = 1_000_000,
    replications: int = 8,
    seed: Seed = 0,
) -> Point:
    """Mean response time at a load below saturation, as precise as asked.

    The `precision` is the half-width of the 95 % interval that is aimed at, relative to the mean;
    `jobs` and `most_jobs` are those of each replication of the first pilot, and of the point at
    most. A pilot doubles the run length until its interval is narrow enough and its second halves
    are not slower than the first, by the paired interval. The point is a run of twice that length
    with other random numbers: pilots chosen for looking calm have intervals that lie too low. There
    is a warning, and the point is not `precise`, where neither settled or few jobs carry the work.
    """
    precision = positive("precision", precision)
    whole("replications", replications, least=2)
    if positive("load", load) >= 1:
        raise InputError(f"load = {load}; give a load below 1, which can be served")
    if whole("most_jobs", most_jobs) < whole("jobs", jobs, least=100):
        raise InputError(f"most_jobs = {most_jobs} is below jobs = {jobs}; give at least as many")

    def run(jobs: int, seed: Seed) -> tuple[Replications, bool, bool]:
        halves, work = _runs(scenario, load, jobs, replications, seed)
        warning = saturation.doubtful_work(work, scenario.workload.mean_work)
        means = Replications(halves.mean(axis=1), warning)
        narrow = means.interval.half_width <= precision * means.mean
        return means, narrow, student(halves[:, 1] - halves[:, 0]).low <= 0

    for_pilot, for_point = spawn(seed, 2)
    was_settled = narrow = False
    while 2 * jobs <= most_jobs and not (narrow and was_settled):
        _, narrow, was_settled = run(jobs, for_pilot)
        jobs *= 2
    means, narrow, settled = run(jobs, for_point)
    # A run of half the length was settled: one run in forty looks otherwise by chance.
    if not (settled or was_settled):
        means = replace(means, warning=means.warning or RISING)
    is_precise = narrow and not means.warning
    # No job responds sooner than its service, and the mean service time of a model is known.
    service = getattr(scenario.workload, "service", None)
    response = means.interval.within(0.0 if service is None else service.mean)
    return Point(float(load), response, jobs, is_precise, tuple(means.values.tolist()))


def response_curve(
    scenario: Scenario,
    loads: ArrayLike,
    *,
    maximum: MaxUtilization | None = None,
    seed: Seed = 0,
    **options: Any,
) -> Curve:
    """Mean response time at each of several loads; `options` are those of `response_point`.

    A load at or above the low end of the `maximum`, by default that of
    `max_utilization_by_simulation`, has no mean.
    """
    loads = [positive("load", load) for load in np.atleast_1d(loads)]
    maximum = max_utilization_by_simulation(scenario, seed=seed) if maximum is None else maximum
    limit = maximum.interval.low
    points = [
        response_point(scenario, load, seed=seed, **options) if load < limit else Point(float(load))
        for load in loads
    ]
    return Curve(points, maximum)


def compare(
    one: Scenario,
    other: Scenario,
    *,
    load: float | None = None,
    jobs: int = 20_000,
    replications: int = 10,
    seed: Seed = 0,
    backlog: int | None = None,
) -> Interval:
    """Return the interval of ``one - other``, what one scenario has more, in pairs.

    Mean response times are compared at an offered `load`, else maximal utilizations, with the
    `backlog` of `saturation.heavy_traffic`. Scenarios that share their workload get the same jobs.
    There is a warning where the jobs are too few for the queues of either to settle.
    """
    options: dict[str, Any] = {"jobs": jobs, "replications": replications, "seed": seed}
    if load is not None:
        more, less = (response_sample(each, load, **options) for each in (one, other))
    else:
        options["backlog"] = backlog
        runs = [saturation.replicated_traffic(each, **options) for each in (one, other)]
        more, less = (Replications(busy.mean(axis=1), warning) for busy, warning in runs)
    return (more - less).interval


def max_utilization_by_simulation(
    scenario: Scenario, *, method: str | None = None, jobs: int = 200_000, seed: Seed = 0
) -> MaxUtilization:
    """Return the maximal utilization by `best_method` or another; simulation is of `jobs`."""
    method = best_method(scenario) if method is None else method
    if one_of("method", method, METHODS) == "simulation":
        loss = saturation.saturated_loss(scenario, jobs=jobs, seed=seed)
        return MaxUtilization(loss.complement(), method)
    formula = _formula(scenario)
    if method != formula:
        has = {"exact": "is exact", None: "does not exist"}.get(formula, f"is an {formula}")
        raise InputError(f"method = {method!r}; here the formula {has}; use simulation")
    system, model = scenario.system, scenario.workload
    assert isinstance(model, JobModel)  # nothing else has a formula
    placement = None if len(system) == 1 else scenario.placement
    question = system, model.sizes, model.components, model.request
    return maximal_utilization(*question, placement=placement)


def capacity_loss(
    scenario: Scenario,
    *,
    jobs: int,
    replications: int,
    seed: Seed = 0,
    method: str | None = None,
    backlog: int | None = None,
) -> Replications:
    """Return the capacity loss in each replication, or the only one of an exact formula.

    Parameters
    ----------
    jobs, replications, seed, backlog
        Of the simulation in heavy traffic, as in `saturation.replicated_traffic`.
    method : {"exact", "approximation", "simulation"}, optional
        By default `best_method`: the formula where it is exact under its assumptions.
    """
    if (method or best_method(scenario)) != "simulation":
        return Replications(
            np.array(max_utilization_by_simulation(scenario, method=method).capacity_loss)
        )
    busy, warning = saturation.replicated_traffic(
        scenario, jobs=jobs, replications=replications, seed=seed, backlog=backlog
    )
    return Replications((1 - busy).mean(axis=1), warning, least=0.0, most=1.0)


def best_method(scenario: Scenario) -> str:
    """Return ``"exact"`` where a formula is, under its assumptions, else ``"simulation"``."""
    return "exact" if _formula(scenario) == "exact" else "simulation"


def _formula(scenario):
    """Return the kind of formula that there is: exact, an approximation, or none (None)."""
    # They know independent components, exponential service, and no jobs that may stay whole.
    model, system = scenario.workload, scenario.system
    if type(scenario.scheduling) is not FCFS or type(model) is not JobModel:
        return None
    simplest = JobModel(model.sizes, model.components, model.request, model.service)
    whole_jobs = may_stay_whole(scenario.placement, model.request)
    if whole_jobs or model != simplest or type(model.service) is not Exponential:
        return None
    sure = len(system) == 1 or model.request in ("ordered", "flexible")
    return "exact" if sure else "approximation"
