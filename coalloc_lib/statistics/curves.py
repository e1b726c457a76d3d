"""Mean response time against utilization, and comparisons of two scenarios."""

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, offered_load, positive, whole
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.simulation.scenario import Scenario, check_scenario
from coalloc_lib.statistics import saturation, settling
from coalloc_lib.statistics.inference import Replications, replicate, student
from coalloc_lib.statistics.maximum import max_utilization_by_simulation

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Point:
    """A point of a response-time curve: the mean response time at one offered load.

    Attributes
    ----------
    utilization : float
        The offered load, as a fraction of the processors.
    response : Interval or None
        The mean response time; None if the load is at or above the maximal utilization.
    jobs : int
        The number of jobs in each replication.
    precise : bool
        Whether the interval is as narrow as it should be, and has no warning; see `response_point`.
    means : tuple of float
        The mean response time of each replication.
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


@dataclass(frozen=True)
class Curve:
    """A response-time curve: mean response times at several loads, and the maximal utilization.

    Attributes
    ----------
    points : list of Point
        The points of the curve.
    maximum : MaxUtilization
        The load at which the mean response time goes to infinity.
    """

    points: list[Point]
    maximum: MaxUtilization

    def to_frame(self) -> "pd.DataFrame":
        """Return the points of the curve as a pandas table.

        A point at which the system is saturated has no response time.
        """
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
    """Return the mean response time of each of several independent runs with Poisson arrivals.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    load : float
        The offered load, as a fraction of the processors. It must be below the maximal utilization.
    jobs : int
        The number of jobs in each run, 20 or more. The first tenth is left out as warm-up.
    replications : int
        The number of runs.
    seed : int or SeedSequence
        The seed of the runs. With the same seed, runs of two scenarios can be compared in pairs.
    maximum : MaxUtilization, optional
        The maximal utilization, by default the result of `max_utilization_by_simulation`.

    Returns
    -------
    ndarray of shape (replications,)
        The mean response times, in the time unit of the workload.

    Raises
    ------
    InputError
        If the load is too high, or the policy rejects jobs.

    Warns
    -----
    UserWarning
        If the runs have too few jobs for the queue to settle at this load, or if the sampled jobs
        do not represent the workload, for example because a few of them carry most of the work.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([8]), co.JobModel(co.uniform(1, 4)))
    >>> response_times(scenario, 0.3, jobs=1000, replications=3).shape
    (3,)
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
    """Return the mean response time of each of several runs, with a warning if they are too short.

    The parameters, values and errors are those of `response_times`, and the warning has the same
    reasons. The interval of the mean has no values below 0, and none below the mean service time if
    the workload is a `JobModel`.
    """
    check_scenario("scenario", scenario)
    jobs = whole("jobs", jobs, least=20)
    replications = whole("replications", replications)
    if maximum is None:
        maximum = max_utilization_by_simulation(scenario, jobs=jobs * replications, seed=seed)
    if positive("load", load) >= maximum.interval.low:
        raise InputError(
            f"load = {load}; the system can carry at most {maximum}, so there is no mean response "
            "time; give a lower load"
        )
    means = _runs_of_point(scenario, load, jobs, replications, seed).means
    needed = settling.jobs_to_settle(load, maximum.max_utilization)
    return replace(means, warning=means.warning or settling.unsettled(jobs, needed))


def _runs(scenario, load, jobs, replications, seed):
    saturation.refuse_replay(scenario)
    work = []

    def one(child: Seed) -> NDArray[np.float64]:
        schedule = scenario.simulate(jobs, load=load, seed=child)
        saturation.refuse_rejections(schedule)
        work.append(schedule.jobs.work)
        return settling.equal_halves(schedule.response)

    return replicate(one, replications, seed), np.concatenate(work)


def response_point(
    scenario: Scenario,
    load: float,
    *,
    precision: float = 0.05,
    jobs: int = 10_000,
    most_jobs: int = 1_000_000,
    replications: int = 8,
    maximum: MaxUtilization | None = None,
    seed: Seed = 0,
) -> Point:
    """Estimate the mean response time at one load, with runs long enough for a given precision.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    load : float
        The offered load, as a fraction of the processors, below 1.
    precision : float
        The half-width of the 95 % interval that the runs should reach, relative to the mean.
    jobs, most_jobs : int
        The number of jobs in each replication of the first pilot runs, and the largest number in
        each replication of the result.
    replications : int
        The number of independent runs, two or more.
    maximum : MaxUtilization, optional
        The maximal utilization, above `load`. If it is given, the runs get enough jobs for the
        queue to settle, or the point has a warning.
    seed : int or SeedSequence
        The seed of the runs.

    Returns
    -------
    Point
        It is not ``precise``, and its response has a warning, if response times still rise at the
        end of the longest runs, if a few jobs carry most of the work, or if `most_jobs` is too
        small for the queue to settle and `maximum` is given.

    Raises
    ------
    InputError
        If an argument is out of range, or the policy rejects jobs.

    Notes
    -----
    Near saturation, short runs give response times that are too low, and seldom show that the
    response times still rise. Only with `maximum` does the point have a warning.

    Pilot runs double in length until their interval is narrow enough and their second halves are
    not slower than their first halves. The result comes from runs of twice the length of the last
    pilot, with other random numbers. Values of the pilots themselves would be biased: the pilots
    were selected because they look steady, and such runs have mean response times that are too low.
    """
    check_scenario("scenario", scenario)
    precision = positive("precision", precision)
    replications = whole("replications", replications, least=2)
    if positive("load", load) >= 1:
        raise InputError(
            f"load = {load}; no system can serve a load of 1 or more; give less than 1"
        )
    jobs, most_jobs = whole("jobs", jobs, least=100), whole("most_jobs", most_jobs)
    if most_jobs < jobs:
        raise InputError(f"most_jobs = {most_jobs} is below jobs = {jobs}; give {jobs} or more")
    for_pilot, for_point = spawn(seed, 2)
    needed = _jobs_to_settle(load, maximum)
    was_settled = is_narrow = False
    while 2 * jobs <= most_jobs and not (is_narrow and was_settled and jobs >= needed):
        pilot = _runs_of_point(scenario, load, jobs, replications, for_pilot)
        is_narrow, was_settled = pilot.is_narrow(precision), pilot.is_settled
        jobs *= 2
    found = _runs_of_point(scenario, load, jobs, replications, for_point)
    warning = found.means.warning
    # Even in a settled queue, one test in forty finds rising response times by chance. If the
    # queue of the pilot run, which is half as long, had settled, the queue of this run has settled
    # too.
    if not (found.is_settled or was_settled):
        warning = warning or settling.RISING
    warning = warning or settling.unsettled(jobs, needed)
    means = replace(found.means, warning=warning)
    is_precise = found.is_narrow(precision) and not warning
    return Point(float(load), means.interval, jobs, is_precise, tuple(means.values.tolist()))


def _jobs_to_settle(load, maximum):
    if maximum is None:
        return 0
    if load >= maximum.max_utilization:
        raise InputError(
            f"load = {load} is not below the maximal utilization, {maximum}; give a smaller load"
        )
    return settling.jobs_to_settle(load, maximum.max_utilization)


class _RunsOfPoint(NamedTuple):
    """The mean response times at one load, of both halves of each run and of the whole run."""

    halves: NDArray[np.float64]
    means: Replications

    @property
    def is_settled(self) -> bool:
        """Whether responses in the second half of the runs are no longer than in the first half."""
        return not settling.is_rising(self.halves[:, 0], self.halves[:, 1])

    def is_narrow(self, precision: float) -> bool:
        """Return whether the half-width of the interval, relative to the mean, is small enough.

        The interval is Student's, which is not cut off at the bounds of the mean.
        """
        return student(self.means.values).half_width <= precision * self.means.mean


def _runs_of_point(scenario, load, jobs, replications, seed):
    halves, work = _runs(scenario, load, jobs, replications, seed)
    warning = saturation.doubtful_work(work, scenario.workload.mean_work)
    # The mean response time cannot be below the mean service time, which is known if the workload
    # is a `JobModel`.
    service = getattr(scenario.workload, "service", None)
    least = 0.0 if service is None else service.mean
    return _RunsOfPoint(halves, Replications(halves.mean(axis=1), warning, least=least))


def response_curve(
    scenario: Scenario,
    loads: ArrayLike,
    *,
    maximum: MaxUtilization | None = None,
    seed: Seed = 0,
    **options: Any,
) -> Curve:
    """Return the mean response time at each of several loads, and the maximal utilization.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    loads : array_like
        The offered loads, as shares of the processors. A load at or above the low end of the
        interval of `maximum` is not simulated: its point is saturated.
    maximum : MaxUtilization, optional
        The maximal utilization, by default the result of `max_utilization_by_simulation`.
    seed : int or SeedSequence
        The seed of the runs.
    **options
        The other keyword arguments of `response_point`, such as ``precision=0.1``.

    Returns
    -------
    Curve
        The points in the order of the loads. A point is not ``precise``, and its response has a
        warning, also if its runs have too few jobs for the queue to settle.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([8]), co.JobModel(co.uniform(1, 4)))
    >>> curve = co.response_curve(scenario, [0.3, 1.0], jobs=1000, most_jobs=1000)
    >>> [point.saturated for point in curve.points]
    [False, True]
    """
    check_scenario("scenario", scenario)
    loads = [offered_load(load) for load in np.atleast_1d(loads)]
    maximum = max_utilization_by_simulation(scenario, seed=seed) if maximum is None else maximum
    limit = maximum.interval.low
    points = [
        response_point(scenario, load, maximum=maximum, seed=seed, **options)
        if load < limit
        else Point(float(load))
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
    """Compare the mean response times or maximal utilizations of two scenarios in paired runs.

    Parameters
    ----------
    one, other : Scenario
        The scenarios. If they have the same workload, paired runs have the same jobs.
    load : float, optional
        The offered load, as a fraction of the processors, at which mean response times are
        compared. Without a load, maximal utilizations are compared.
    jobs : int
        The number of jobs in each run.
    replications : int
        The number of runs of each scenario, two or more.
    seed : int or SeedSequence
        The seed of the runs.
    backlog : int, optional
        The number of waiting jobs in the comparison of maximal utilizations, as in
        `saturation.heavy_traffic`. It cannot be given with a load.

    Returns
    -------
    Interval
        The 95 % interval of the difference. It has a warning if, for one of the scenarios, the runs
        have too few jobs for the queue to settle, or the sampled jobs do not represent the
        workload, for example because a few of them carry most of the work.

    Raises
    ------
    InputError
        If both a load and a backlog are given, or an argument is out of range.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> first = co.Scenario(co.Multicluster([8]), co.JobModel(co.uniform(1, 4)))
    >>> first_fit = first.with_(scheduling=co.FPFS(max_jumps=5))
    >>> co.compare(first_fit, first, jobs=5000, replications=4, backlog=10).above(0)
    True
    """
    check_scenario("one", one)
    check_scenario("other", other)
    if load is not None and backlog is not None:
        raise InputError(
            f"backlog = {backlog} is given with load = {load}, but a backlog is used only to "
            "compare maximal utilizations, without a load; leave out one of the two"
        )
    jobs, replications = whole("jobs", jobs), whole("replications", replications, least=2)
    options: dict[str, Any] = {"jobs": jobs, "replications": replications, "seed": seed}
    if load is not None:
        values, subtracted = (response_sample(each, load, **options) for each in (one, other))
    else:
        options["backlog"] = backlog
        runs = [saturation.replicated_traffic(each, **options) for each in (one, other)]
        values, subtracted = (Replications(busy.mean(axis=1), warning) for busy, warning in runs)
    return (values - subtracted).interval
