"""The capacity loss by the two simulation procedures of the paper on maximal utilization.

The procedures are a very long mean response time (`loss_at_response`), and a queue whose length
stays between two bounds (`loss_between_bounds`). A third one, a queue that is never empty, is
`coalloc_lib.statistics.saturation.saturated_loss`.
"""

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, positive, shown, whole, whole_numbers
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.inference import replicate
from coalloc_lib.statistics.saturation import refuse_rejections, refuse_replay, saturated_loss
from coalloc_lib.statistics.settling import WARM_UP

#: The load with a given mean response time is searched only between an estimate of the maximal
#: utilization divided by this factor and the estimate multiplied by it.
WIDEST_SEARCH = 1000
#: The largest distance of a load from the saturating load in `loss_between_bounds`, in steps of
#: half a percent of the saturating load.
WIDEST_STEPS = 100


def loss_at_response(
    scenario: Scenario,
    *,
    response: float = 1500.0,
    jobs: int = 200_000,
    replications: int = 5,
    seed: Seed = 0,
) -> NDArray[np.float64]:
    """Estimate the capacity loss at the load at which the mean response time is very long.

    Each run has Poisson arrivals, whose rate is adjusted until the mean response time is reached.

    Parameters
    ----------
    scenario : Scenario
        The system, its policies, and a `JobModel` as its workload.
    response : float
        The mean response time to reach, in mean service times.
    jobs : int
        The number of jobs in each run.
    replications : int
        The number of runs.
    seed : int or SeedSequence
        The seed of the runs.

    Returns
    -------
    ndarray of shape (replications,)
        One minus the measured net utilization of each run, as in `heavy_traffic`. The offered load
        is not used, because near saturation a run of 100,000 jobs offers up to a fifth more than is
        served.

    Raises
    ------
    InputError
        If the workload is not a `JobModel`, the policy rejects jobs, the jobs are too few to reach
        the response time, or they have a longer mean response time at every load.

    References
    ----------
    .. [1] A. I. D. Bucur, D. H. J. Epema, "The maximal utilization of processor co-allocation in
       multicluster systems", IPDPS 2003, section 5: the first type of simulation.
    """
    jobs = whole("jobs", jobs)
    target = _response_in_seconds(scenario, response)
    refuse_replay(scenario)
    guess = 1 - saturated_loss(scenario, jobs=max(jobs // 10, 2000), seed=seed).estimate
    _require_jobs_for_response(scenario, jobs, guess, response)

    def one(child):
        def run(rate):
            schedule = scenario.run(scenario.workload.sample(jobs, child, rate=rate))
            refuse_rejections(schedule)
            return schedule

        def excess(rate):
            return run(rate).response.mean() / target - 1

        schedule = run(_rate_near(excess, scenario.rate(guess), response))
        last = schedule.jobs.submit[-1]
        return 1 - schedule.utilization_between([WARM_UP * last, last], net=True)[0]

    return replicate(one, replications, seed)


def _response_in_seconds(scenario, response):
    service = getattr(scenario.workload, "service", None)
    if service is None:
        raise InputError(
            f"workload = {scenario.workload} has no single distribution of service times, so the "
            "response time cannot be given in mean service times; give a JobModel"
        )
    if not positive("response", response) > 1:
        raise InputError(
            f"response = {response} mean service times, but a response time includes the "
            "service time; give more than 1"
        )
    return response * service.mean


def _require_jobs_for_response(scenario, jobs, guess, response):
    # If all jobs were submitted at the same time, their mean wait would be half the total time that
    # the system needs to serve them.
    target = _response_in_seconds(scenario, response)
    slowest = jobs / scenario.rate(guess) / 2
    if slowest < 2 * target:
        least = int(np.ceil(jobs * 2 * target / slowest))
        raise InputError(
            f"jobs = {jobs}; the mean response time of so few jobs does not reach response = "
            f"{response:g} mean service times; give {least} or more"
        )


def loss_between_bounds(
    scenario: Scenario,
    *,
    bounds: tuple[int, int] = (0, 1000),
    begin: int | None = None,
    arrivals: int = 100_000,
    seed: Seed = 0,
    replications: int = 5,
) -> NDArray[np.float64]:
    """Estimate the capacity loss at the load at which the queue length stays between two bounds.

    Each run has Poisson arrivals. For each of 41 loads within 10 % of the load that saturates the
    system, the arrivals that find a queue strictly between the bounds are counted. Where the count
    is highest at an end of this range, more loads are tried, up to 50 % from the saturating load.
    The result is the middle of the loads with the highest count.

    A queue that begins at the lower bound reaches the higher one only if the load is above the
    maximal utilization by about the distance of the bounds divided by the number of arrivals. With
    few arrivals, the selected load is too high, and the loss too low, by up to this share.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies, such as FPFS.
    bounds : (int, int)
        The two queue lengths, at least 2 apart.
    begin : int, optional
        The number of waiting jobs at the start, by default the middle of the bounds.
    arrivals : int
        The number of jobs in each run.
    seed : int or SeedSequence
        The seed of the runs.
    replications : int
        The number of runs.

    Returns
    -------
    ndarray of shape (replications,)
        One minus the selected load of each run.

    Raises
    ------
    InputError
        If the bounds are too near to each other, if the policy has no queue, or if the arrivals are
        too few to tell at which load the queue stays between them.

    References
    ----------
    .. [1] A. I. D. Bucur, D. H. J. Epema, "The maximal utilization of processor co-allocation in
       multicluster systems", IPDPS 2003, section 5: the second type of simulation, adapted to FPFS.
    """
    ends = whole_numbers("bounds", bounds, least=0)
    if ends.shape != (2,) or ends[1] - ends[0] < 2:
        raise InputError(
            f"bounds = {shown(bounds)}; give a lower and a higher queue length, with at least one "
            "length between them"
        )
    refuse_replay(scenario)
    if not scenario.scheduling.takes_backlog:
        raise InputError(
            f"scheduling = {scenario.scheduling} books each job at its submission, so there is no "
            "queue whose length could stay between bounds; give a policy with a queue, or call "
            "saturated_loss"
        )
    low, high = ends.tolist()
    middle = (low + high) // 2
    begin = middle if begin is None else whole("begin", begin, least=0)
    if begin >= whole("arrivals", arrivals):
        raise InputError(
            f"arrivals = {arrivals}, of which {begin} wait at the start; give more arrivals than "
            f"begin = {begin}"
        )
    guess = 1 - saturated_loss(scenario, jobs=arrivals, seed=seed, backlog=middle).estimate

    def one(child):
        def count(factor):
            stream = scenario.sample(arrivals, load=factor * guess, seed=child)
            submit = np.maximum(stream.submit - stream.submit[begin], 0)
            queue = scenario.run(stream.replace(submit=submit)).queue_length(submit[begin:])
            return np.count_nonzero((queue > low) & (queue < high))

        factor = _middle_of_highest(count)
        if factor is None:
            raise InputError(
                f"arrivals = {arrivals}; the queue stays between bounds = {shown(bounds)} as long "
                "at the lowest or the highest load that is tried as at any other; give more "
                "arrivals"
            )
        return 1 - factor * guess

    return replicate(one, replications, seed)


def _middle_of_highest(count):
    """Return the middle of the factors around 1 with the highest count, or None if at an end.

    The range begins with 10 % on each side. An end that has the highest count is moved by 5 %.
    """
    counts: dict[int, int] = {}
    low, high = -20, 20  # in steps of half a percent
    while low >= -WIDEST_STEPS and high <= WIDEST_STEPS:
        for step in set(range(low, high + 1)) - set(counts):
            counts[step] = count(1 + step / 200)
        best = [step for step in counts if counts[step] == max(counts.values())]
        if low < min(best) and max(best) < high:
            return 1 + np.mean(best) / 200
        low -= 10 * (min(best) == low)
        high += 10 * (max(best) == high)
    return None


def _rate_near(excess, guess, response):
    from scipy.optimize import brentq

    low, high = 0.97 * guess, 1.03 * guess
    while excess(low) > 0:
        low *= 0.9
        if low < guess / WIDEST_SEARCH:
            raise InputError(
                f"response = {response:g} mean service times, but the sampled jobs have a longer "
                "mean response time even if they hardly wait; give a larger response or more jobs"
            )
    while excess(high) < 0:
        high *= 1.1
        if high > guess * WIDEST_SEARCH:
            raise InputError(
                f"response = {response:g} mean service times, but the sampled jobs have a shorter "
                "mean response time at every load; give a smaller response or more jobs"
            )
    return brentq(excess, low, high, rtol=1e-4, xtol=1e-4 * guess)
