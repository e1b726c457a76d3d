"""Mean response time against utilization, with intervals, and where it goes to infinity."""

from dataclasses import dataclass

import numpy as np

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.checks import InputError, one_of, positive, whole
from coalloc_lib.distributions import Exponential
from coalloc_lib.estimates import METHODS, Bound, Interval
from coalloc_lib.inference import paired_difference, replicate, student
from coalloc_lib.saturation import WARM_UP, saturated_loss
from coalloc_lib.scheduling import FCFS
from coalloc_lib.seeds import spawn
from coalloc_lib.simulate import simulate
from coalloc_lib.workloads.models import JobModel

#: Waiting jobs that a policy other than FCFS sees where its maximal utilization is measured.
HELD = 500


@dataclass(frozen=True)
class Point:
    """A point of a response-time curve.

    Attributes
    ----------
    utilization : float
        Offered load: below saturation, the utilization.
    response : Interval or None
        Mean response time; None past saturation, where there is none.
    jobs : int
        Jobs of each replication; 0 past saturation.
    precise : bool
        Whether the run was long enough, as `response_point` says.
    """

    utilization: float
    response: Interval | None = None
    jobs: int = 0
    precise: bool = True

    @property
    def saturated(self):
        """Whether the system cannot bear this load."""
        return self.response is None


@dataclass(frozen=True)
class Curve:
    """Mean response time against utilization.

    Attributes
    ----------
    points : list of Point
    maximum : Bound
        Where it goes to infinity.
    """

    points: list
    maximum: Bound

    @property
    def utilizations(self):
        """The loads of all points."""
        return [point.utilization for point in self.points]

    @property
    def responses(self):
        """The intervals of all points, None past saturation."""
        return [point.response for point in self.points]

    def stretched(self, alpha):
        """Return the curve over the net utilization where all service is `alpha` times as long."""
        points = [
            Point(p.utilization / alpha, p.response and p.response.times(alpha), p.jobs, p.precise)
            for p in self.points
        ]
        return Curve(points, self.maximum.times(1 / alpha))


def response_times(
    system, model, utilization, *, jobs=20_000, replications=8, seed=0, scheduling=None,
    placement=None, engine="compiled",
):  # fmt: skip
    """Mean response time of each of several independent runs with Poisson arrivals.

    Parameters
    ----------
    utilization : float
        Offered load, as a share of all processors of `system`.
    jobs : int
        Jobs of a run. The first tenth is left out as warm-up.
    engine : {"compiled", "reference"}
        As `simulate` takes it; ``"reference"`` runs policies of your own.

    Returns
    -------
    ndarray, shape (replications,)
        With the same seed, comparable in pairs between systems and policies.
    """
    how = {"scheduling": scheduling, "placement": placement, "engine": engine}
    return _halves(system, model, utilization, jobs, replications, seed, how).mean(axis=1)


def _halves(system, model, utilization, jobs, replications, seed, how):
    """Return the mean response time of both halves of each run, after its warm-up."""
    rate = model.rate(system, positive("utilization", utilization))
    half = (jobs - int(WARM_UP * jobs)) // 2

    def one(child):
        schedule = simulate(system, model.sample(jobs, child, rate=rate), **how)
        return schedule.response[-2 * half :].reshape(2, half).mean(axis=1)

    return replicate(one, replications, seed)


def response_point(
    system, model, utilization, *, precision=0.05, jobs=10_000, most_jobs=1_000_000,
    replications=8, seed=0, scheduling=None, placement=None, engine="compiled",
):  # fmt: skip
    """Mean response time at a utilization below saturation, as precise as asked.

    Parameters
    ----------
    utilization : float
        Offered load.
    precision : float
        Half-width of the 95 % interval that is aimed at, relative to the mean.
    jobs, most_jobs : int
        Jobs of each replication of the first pilot, and of the point at most.

    Returns
    -------
    Point

    Notes
    -----
    A pilot doubles the run length until its interval is as narrow as `precision` asks and its
    second halves, after the warm-up, are not slower than the first, by the paired interval: near
    saturation the queue takes long to reach its level, and a run that ends before is too fast. The
    point is a run of twice that length (of `most_jobs` at most) with other random numbers. Were it
    the pilot itself, the runs that happen to look calm would be chosen, and their intervals would
    lie too low. `precise` says whether the point too is narrow enough, and it or its pilot settled.
    """
    precision = positive("precision", precision)
    whole("replications", replications, least=2)
    if positive("utilization", utilization) >= 1:
        raise InputError(f"utilization = {utilization}; give a load below 1, which can be served")
    if whole("most_jobs", most_jobs) < whole("jobs", jobs, least=100):
        raise InputError(f"most_jobs = {most_jobs} is below jobs = {jobs}; give at least as many")

    def run(jobs, seed):
        policies = {"scheduling": scheduling, "placement": placement, "engine": engine}
        halves = _halves(system, model, utilization, jobs, replications, seed, policies)
        interval = student(halves.mean(axis=1))
        narrow = interval.half_width <= precision * interval.estimate
        return interval, narrow, paired_difference(halves[:, 1], halves[:, 0]).low <= 0

    for_pilot, for_point = spawn(seed, 2)
    was_settled = narrow = False
    while 2 * jobs <= most_jobs and not (narrow and was_settled):
        _, narrow, was_settled = run(jobs, for_pilot)
        jobs *= 2
    interval, narrow, settled = run(jobs, for_point)
    # A run of half the length was settled: one run in forty looks otherwise by chance.
    return Point(float(utilization), interval, jobs, narrow and (settled or was_settled))


def response_curve(
    system, model, utilizations, *, maximum=None, seed=0, scheduling=None, placement=None,
    engine="compiled", **how,
):  # fmt: skip
    """Mean response time at each of several utilizations.

    Parameters
    ----------
    utilizations : sequence of float
        Offered loads.
    maximum : Bound, optional
        The maximal utilization; from `find_maximum` where it is not given.
    how
        For `response_point`.

    Returns
    -------
    Curve

    Notes
    -----
    A load at or above the maximal utilization, or the low end of its interval, is saturated: the
    queue grows with the length of the run, so no mean is given.
    """
    utilizations = [positive("utilization", load) for load in np.atleast_1d(utilizations)]
    policies = {"scheduling": scheduling, "placement": placement, "engine": engine}
    if maximum is None:
        maximum = find_maximum(system, model, seed=seed, **policies)
    points = [
        response_point(system, model, utilization, seed=seed, **policies, **how)
        if utilization < maximum.interval.low
        else Point(float(utilization))
        for utilization in utilizations
    ]
    return Curve(points, maximum)


def find_maximum(
    system, model, *, method=None, jobs=200_000, seed=0, scheduling=None, placement=None,
    engine="compiled",
):  # fmt: skip
    """Return the maximal utilization by the best method that there is.

    Parameters
    ----------
    method : {"exact", "approximation", "simulation"}, optional
        The exact formula where there is one, else simulation, where it is not given.
    jobs : int
        Jobs of the simulation in heavy traffic.

    Returns
    -------
    Bound

    Raises
    ------
    InputError
        There is no such formula for the system, its jobs and policies.
    """
    method = best_method(system, model, scheduling) if method is None else method
    policies = {"scheduling": scheduling, "placement": placement, "engine": engine}
    if one_of("method", method, METHODS) == "simulation":
        backlog = 1 if _is_fcfs(scheduling) else HELD
        loss = saturated_loss(system, model, jobs=jobs, seed=seed, backlog=backlog, **policies)
        return Bound(loss.complement(), method)
    known = _formula(system, model, scheduling)
    if method != known:
        has = {"exact": "is exact", None: "does not exist"}.get(known, f"is an {known}")
        raise InputError(f"method = {method!r}; here the formula {has}; use simulation")
    placed = {} if len(system) == 1 else {"placement": placement}
    return maximal_utilization(system, model.sizes, model.components, model.request, **placed)


def best_method(system, model, scheduling=None):
    """Return ``"exact"`` where a formula is, under its assumptions, else ``"simulation"``."""
    return "exact" if _formula(system, model, scheduling) == "exact" else "simulation"


def _is_fcfs(scheduling):
    return scheduling is None or isinstance(scheduling, FCFS)


def _formula(system, model, scheduling):
    """Say what kind of formula there is: exact, an approximation, or none (None)."""
    if not (_is_fcfs(scheduling) and isinstance(model, JobModel)):
        return None
    if model.split_at or model.merged_into or not isinstance(model.service, Exponential):
        return None
    alone = len(system) == 1 or model.request in ("ordered", "flexible")
    return "exact" if alone else "approximation"
