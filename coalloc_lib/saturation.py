"""The maximal utilization by simulation: the methods of the study, and a queue of fixed length.

Each returns independent values, one a batch or a replication; `inference.student` makes them an
interval, `inference.paired_difference` compares two policies.
"""

import numpy as np

from coalloc_lib.checks import ImpossibleJobError, InputError, whole
from coalloc_lib.inference import replicate, student
from coalloc_lib.scheduling import FCFS
from coalloc_lib.simulate import refuse_impossible, simulate
from coalloc_lib.workloads.models import JobModel

#: Share of a saturated run that is left out at its begin, while the empty system fills.
WARM_UP = 0.1


def heavy_traffic(
    system, jobs, *, scheduling=None, placement=None, backlog=None, batches=30, engine="compiled"
):
    """Utilization of a saturated system that serves these jobs in their order.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
        Their submissions do not count: the queue never runs dry.
    scheduling, placement : policies, optional
        FCFS and worst fit where they are not given.
    backlog : int, optional
        Waiting jobs the scheduler sees. FCFS needs and gets 1; other policies need a number.
    batches : int
        Batches of equal length of time.
    engine : {"compiled", "reference"}
        As `simulate` takes it; ``"reference"`` runs policies of your own.

    Returns
    -------
    ndarray, shape (batches,)
        Utilization in each batch, over the run from its first tenth to the last job's entry;
        `student` makes it an interval.

    Notes
    -----
    The second type of simulation of Bucur, Epema (2003), section 5. A tenth is left out since an
    empty system fills within a few service times; `inference.warm_up` (MSER-5) finds less. The
    batches are nearly independent where they are long beside the longest service times.
    """
    policies = {"scheduling": scheduling, "placement": placement, "engine": engine}
    edges, schedule = _saturated_run(system, jobs, policies, backlog, batches)
    return schedule.utilization_between(edges)


def saturated_loss(system, model, *, jobs=200_000, seed=0, **how):
    """Interval of the capacity loss in heavy traffic, on jobs drawn from a `JobModel`.

    `how` is passed on to `heavy_traffic`.
    """
    _refuse_oversize(system, model)
    return student(1 - heavy_traffic(system, model.sample(jobs, seed), **how))


def loss_at_response(
    system,
    model,
    *,
    response=1500.0,
    jobs=200_000,
    replications=5,
    seed=0,
    placement=None,
):
    """Capacity loss under FCFS and Poisson arrivals where the mean response time is `response`.

    Parameters
    ----------
    response : float
        Mean response time, in mean service times.
    jobs, replications : int
        Arrivals of a run, and independent runs.

    Returns
    -------
    ndarray, shape (replications,)

    Notes
    -----
    The first type of simulation of Bucur, Epema (2003), section 5. In each replication the rate is
    the root of a continuous function, since the runs share their random numbers. The utilization
    is measured, not offered: near saturation a run of any affordable length is still in its
    transient phase, where more may be offered than is served, and a run of 100,000 jobs offers up
    to a fifth more. So this measures saturation once more, with the arrivals' randomness in it,
    and is no independent confirmation of `heavy_traffic`.
    """
    target = response * model.service.mean
    guess = (
        1
        - saturated_loss(
            system, model, jobs=max(jobs // 10, 2000), seed=seed, placement=placement
        ).estimate
    )
    # All submitted at once, jobs would on average wait half the time that they take to serve.
    slowest = jobs / model.rate(system, guess) / 2
    if slowest < 2 * target:
        least = int(np.ceil(jobs * 2 * target / slowest))
        raise InputError(f"jobs = {jobs}; a mean response of {response:g} needs {least} or more")

    def one(child):
        def run(rate):
            stream = model.sample(jobs, child, rate=rate)
            return simulate(system, stream, placement=placement)

        rate = _rising_root(
            lambda rate: float(run(rate).response.mean()) / target - 1,
            model.rate(system, guess),
        )
        schedule = run(rate)
        last = schedule.jobs.submit[-1]
        return 1 - schedule.utilization(WARM_UP * last, last)

    return replicate(one, replications, seed)


def loss_between_bounds(
    system,
    model,
    scheduling,
    *,
    bounds=(0, 1000),
    arrivals=100_000,
    replications=5,
    seed=0,
    placement=None,
):
    """Capacity loss at the load at which a Poisson-fed queue stays longest between two bounds.

    Parameters
    ----------
    scheduling : Scheduling
        FPFS in the study.
    bounds : (int, int)
        Queue lengths that are not to be hit.
    arrivals, replications : int
        Arrivals of a run, and independent runs.

    Returns
    -------
    ndarray, shape (replications,)

    Notes
    -----
    The adaptation of the second type of simulation for FPFS, Bucur, Epema (2003), section 5. The
    run begins half-way between the bounds. 'Doesn't hit for the largest number of arrivals' is
    read as: at the most arrivals the queue length is strictly between the bounds. The middle of
    the rates that do best is taken, searched on a grid of 0.5 % within 10 % around the rate that
    saturates a queue held half-way; that step is the least that can be told apart.
    """
    low, high = (whole("bounds", bound, least=0) for bound in bounds)
    if low >= high:
        raise InputError(f"bounds = {bounds}; give a lower and a higher queue length")
    held = (low + high) // 2
    how = {"scheduling": scheduling, "placement": placement}
    guess = (
        1 - saturated_loss(system, model, jobs=arrivals, seed=seed, backlog=held, **how).estimate
    )
    grid = guess * np.linspace(0.9, 1.1, 41)

    def one(child):
        inside = []
        for load in grid:
            stream = model.sample(arrivals, child, rate=model.rate(system, load))
            submit = np.maximum(stream.submit - stream.submit[held], 0)
            stream = stream.replace(submit=submit)
            schedule = simulate(system, stream, **how)
            queue = schedule.queue_length(submit[held:])
            inside.append(np.count_nonzero((queue > low) & (queue < high)))
        most = np.flatnonzero(np.array(inside) == max(inside))
        return 1 - grid[most].mean()

    return replicate(one, replications, seed)


def _refuse_oversize(system, model):
    """Refuse a model whose largest job can never start, whether or not it would be drawn."""
    if not isinstance(model, JobModel):
        return
    try:
        refuse_impossible(system, model.largest())
    except ImpossibleJobError as error:
        raise InputError(
            f"sizes = {model.sizes} reach {model.sizes.maximum}, and such a job never starts: "
            f"{error.reason}; give smaller sizes or larger clusters"
        ) from None


def _saturated_run(system, jobs, policies, backlog, batches):
    scheduling = FCFS() if policies["scheduling"] is None else policies["scheduling"]
    if backlog is None:
        if not isinstance(scheduling, FCFS):
            raise InputError(
                f"backlog is not given for {scheduling}; say how many waiting jobs it sees"
            )
        backlog = 1
    schedule = simulate(system, jobs, backlog=backlog, **policies)
    last = schedule.jobs.submit[-1]
    if last <= 0:
        raise InputError(
            f"jobs has {len(jobs)} entries, which all enter an idle system; give many more"
        )
    edges = np.linspace(WARM_UP * last, last, whole("batches", batches, least=2) + 1)
    return edges, schedule


def _rising_root(function, guess):
    """Root of a rising function near `guess`, to 0.01 %."""
    from scipy.optimize import brentq

    low, high = 0.97 * guess, 1.03 * guess
    while function(low) > 0:
        low *= 0.9
    while function(high) < 0:
        high *= 1.1
    return brentq(function, low, high, rtol=1e-4, xtol=1e-4 * guess)
