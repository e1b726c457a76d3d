"""Mean response time against utilization, with intervals, and where it goes to infinity."""

from dataclasses import dataclass

import numpy as np

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.inference import Interval, replicate, student
from coalloc_lib.saturation import WARM_UP, saturated_loss
from coalloc_lib.scheduling import FCFS
from coalloc_lib.simulate import simulate

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
    values : ndarray, shape (replications,)
        Mean response time of each replication, for differences in pairs.
    """

    utilization: float
    response: Interval | None
    jobs: int
    values: np.ndarray

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
    bound : Interval
        The simulated maximal utilization.
    """

    points: list
    bound: Interval

    @property
    def utilizations(self):
        """The loads of all points."""
        return [point.utilization for point in self.points]

    @property
    def responses(self):
        """The intervals of all points, None past saturation."""
        return [point.response for point in self.points]


def response_times(
    system, model, utilization, *, jobs=20_000, replications=8, seed=0, scheduling=None,
    placement=None,
):  # fmt: skip
    """Mean response time of each of several independent runs with Poisson arrivals.

    Parameters
    ----------
    utilization : float
        Offered load, as a share of all processors of `system`.
    jobs : int
        Jobs of a run. The first tenth is left out as warm-up.

    Returns
    -------
    ndarray, shape (replications,)
        With the same seed, comparable in pairs between systems and policies.
    """
    rate = model.rate(system, positive("utilization", utilization))

    def one(child):
        stream = model.sample(jobs, child, rate=rate)
        schedule = simulate(system, stream, scheduling=scheduling, placement=placement)
        return schedule.response[int(WARM_UP * jobs) :].mean()

    return replicate(one, replications, seed)


def response_point(
    system, model, utilization, *, precision=0.05, jobs=10_000, most_jobs=1_000_000,
    replications=8, seed=0, scheduling=None, placement=None,
):  # fmt: skip
    """Mean response time at a utilization below saturation, as precise as asked.

    Parameters
    ----------
    utilization : float
        Offered load.
    precision : float
        Half-width of the 95 % interval that is aimed at, relative to the mean.
    jobs, most_jobs : int
        Jobs of each replication at first, and at most.

    Returns
    -------
    Point

    Notes
    -----
    The run length doubles until the interval is as narrow as `precision` asks or `most_jobs` is
    reached; the interval says which.
    """
    positive("precision", precision)
    if whole("most_jobs", most_jobs) < whole("jobs", jobs, least=100):
        raise InputError(f"most_jobs = {most_jobs} is below jobs = {jobs}; give at least as many")
    how = {"replications": replications, "seed": seed}
    how |= {"scheduling": scheduling, "placement": placement}
    while True:
        values = response_times(system, model, utilization, jobs=jobs, **how)
        interval = student(values)
        if interval.half_width <= precision * interval.estimate or 2 * jobs > most_jobs:
            return Point(float(utilization), interval, jobs, values)
        jobs *= 2


def response_curve(
    system, model, utilizations, *, bound=None, seed=0, scheduling=None, placement=None, **how
):
    """Mean response time at each of several utilizations.

    Parameters
    ----------
    utilizations : sequence of float
        Offered loads.
    bound : Interval, optional
        Maximal utilization; simulated in heavy traffic where it is not given.
    how
        For `response_point`.

    Returns
    -------
    Curve

    Notes
    -----
    A load at or above the low end of the maximal utilization's interval is saturated: the queue
    grows with the length of the run, so no mean is given.
    """
    policies = {"scheduling": scheduling, "placement": placement}
    if bound is None:
        bound = maximal_utilization_by_simulation(system, model, seed=seed, **policies)
    points = [
        response_point(system, model, utilization, seed=seed, **policies, **how)
        if utilization < bound.low
        else Point(float(utilization), None, 0, np.array([]))
        for utilization in utilizations
    ]
    return Curve(points, bound)


def maximal_utilization_by_simulation(system, model, *, jobs=200_000, seed=0, **how):
    """Interval of the utilization in heavy traffic."""
    policy = how.get("scheduling")
    backlog = 1 if policy is None or isinstance(policy, FCFS) else HELD
    return saturated_loss(system, model, jobs=jobs, seed=seed, backlog=backlog, **how).complement()
