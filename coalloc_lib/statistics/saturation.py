"""The maximal utilization and the capacity loss by simulation.

The queue of the simulated system is never empty, because each job that starts is replaced by the
next one of the workload. A policy that books jobs has no queue, and gets a load that it cannot
serve.
"""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    ImpossibleJobError,
    InputError,
    whole,
)
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.inference import Replications, lag_correlation, replicate
from coalloc_lib.statistics.settling import (
    OVERLOAD_WARM_UP,
    WARM_UP,
    backlog_jobs_to_settle,
    unsettled,
)
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: The constant number of waiting jobs in a simulation in heavy traffic, for policies that can
#: choose among the waiting jobs. Under FCFS one waiting job is enough, because only the first one
#: matters.
HELD = 500
#: The correlation between neighbouring batches of a simulation run is tested only if the run has at
#: least this number of batches.
FEWEST_BATCHES = 20
#: A simulation run gets a warning if, on average, fewer than this number of jobs end in a batch.
FEWEST_ENDS = 10
#: A simulation run gets a warning if its effective number of jobs is below this limit. If a few
#: long jobs bring most of the work, the run is only as informative as a run of fewer jobs with
#: equal work. The number of jobs in this equivalent run is the effective number of jobs.
FEWEST_CARRIERS = 100
#: A simulation run gets a warning if a measured value deviates from the expected value by more than
#: this number of standard errors. This happens by chance in one run out of 1,000.
DEVIATIONS = 3.3
#: An offered load that saturates every system. A policy that books each job at its submission has
#: no queue whose length could be constant, so its utilization is measured at this load.
OVERLOAD = 1.5
#: The largest number of jobs of a run at this load. Each job searches among all reservations of the
#: jobs before it, so a longer run can take many minutes.
MOST_BOOKED = 20_000


def heavy_traffic(
    scenario: Scenario, stream: JobStream, *, backlog: int | None = None, batches: int = 30
) -> NDArray[np.float64]:
    """Simulate a queue that is never empty, and return the utilization in batches of equal time.

    Parameters
    ----------
    scenario : Scenario
        The system and its policies.
    stream : JobStream
        The jobs, which enter in their order. Their submission times are ignored, unless the policy
        books each job at its submission, as `Online` does. The offered load of the jobs then must
        be above the maximal utilization.
    backlog : int, optional
        The number of waiting jobs that the policy can choose from, by default 1 under FCFS and
        `HELD` under other policies.
    batches : int
        The number of batches, two or more. The first begins after a tenth of the run, or after
        three tenths if the policy books each job at its submission. The last ends when the last job
        enters.

    Returns
    -------
    ndarray of shape (batches,)
        The net utilization of each batch. The extra run time of jobs that span clusters does not
        count, because the offered load does not include it either.

    Raises
    ------
    InputError
        If a job can never start, or there are too few jobs.

    References
    ----------
    .. [1] A. I. D. Bucur, D. H. J. Epema, "The maximal utilization of processor co-allocation in
       multicluster systems", IPDPS 2003, section 5: the second type of simulation.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2))
    >>> heavy_traffic(scenario, scenario.sample(1000), batches=3).shape
    (3,)
    """
    return _saturated_run(scenario, stream, backlog, whole("batches", batches, least=2))[0]


def saturated_loss(
    scenario: Scenario,
    *,
    jobs: int = 200_000,
    seed: Seed = 0,
    backlog: int | None = None,
    batches: int = 30,
) -> Interval:
    """Estimate the capacity loss, with its 95 % interval, from one run in heavy traffic.

    In heavy traffic the queue is never empty. The parameters are those of `batch_losses`. Under a
    policy that has no queue because it books each job at its submission, such as `Online`, the
    offered load is `OVERLOAD` instead.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2))
    >>> co.saturated_loss(scenario, jobs=10_000).between(0.1, 0.2)
    True
    """
    losses = batch_losses(scenario, jobs=jobs, seed=seed, backlog=backlog, batches=batches)
    return losses.interval


def batch_losses(
    scenario: Scenario,
    *,
    jobs: int = 200_000,
    seed: Seed = 0,
    backlog: int | None = None,
    batches: int = 30,
) -> Replications:
    """Return the capacity loss in each batch of one run whose queue is never empty.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    jobs : int
        The number of jobs. A log with fewer jobs is used as a whole. Under a policy that books each
        job at its submission, at most `MOST_BOOKED` jobs are simulated.
    seed : int or SeedSequence
        The seed of the jobs.
    backlog, batches
        As in `heavy_traffic`.

    Returns
    -------
    Replications
        The losses, as shares of the processors. They have a warning if

        - few jobs end in a batch,
        - neighbouring batches are correlated, or too few to test this,
        - the run is too short for the queue to settle,
        - the sampled jobs do not represent their distribution (`doubtful_work`).
    """
    batches = whole("batches", batches, least=2)
    _refuse_oversize(scenario)
    if isinstance(scenario.workload, Sized):
        jobs = min(whole("jobs", jobs), len(scenario.workload))
    stream = _saturating_stream(scenario, jobs, seed)
    busy, ended = _saturated_run(scenario, stream, backlog, batches)
    reasons = [
        f"{ended} jobs end in {len(busy)} batches" * bool(ended < FEWEST_ENDS * len(busy)),
        doubtful_work(stream.work, scenario.workload.mean_work),
        _correlation_warning(busy),
        _settling_warning(scenario, jobs, backlog),
    ]
    return Replications(1 - busy, "; ".join(filter(None, reasons)), least=0.0, most=1.0)


def replicated_traffic(
    scenario: Scenario, *, jobs: int, replications: int, seed: Seed = 0, backlog: int | None = None
) -> tuple[NDArray[np.float64], str]:
    """Return the utilization of several independent runs whose queues are never empty.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    jobs : int
        The number of jobs in each run.
    replications : int
        The number of runs.
    seed : int or SeedSequence
        The seed of the runs.
    backlog : int, optional
        As in `heavy_traffic`.

    Returns
    -------
    busy : ndarray of shape (replications, batches)
        The net utilization of each batch of each run.
    warning : str
        The reason to doubt the values, or an empty string: the sampled jobs do not represent their
        distribution, or the runs are too short for the queue to settle.
    """
    refuse_replay(scenario)
    _refuse_oversize(scenario)
    work = []

    def one(child):
        stream = _saturating_stream(scenario, jobs, child)
        work.append(stream.work)
        return heavy_traffic(scenario, stream, backlog=backlog)

    busy = replicate(one, replications, seed)
    doubt = doubtful_work(np.concatenate(work), scenario.workload.mean_work)
    return busy, doubt or _settling_warning(scenario, jobs, backlog)


def utilization_at_overload(scenario: Scenario, *, jobs: int, seed: Seed = 0) -> float:
    """Return the net utilization of one run at the offered load `OVERLOAD`, without its warm-up.

    This estimates the maximal utilization of a policy that books each job at its submission.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    jobs : int
        The number of jobs.
    seed : int or SeedSequence
        The seed of the run.

    Raises
    ------
    InputError
        If the policy has a queue. Its jobs would all wait from the start, whatever the load.
    """
    if scenario.scheduling.takes_backlog:
        raise InputError(
            f"scenario has the policy {scenario.scheduling}, which has a queue; give a policy that "
            "books each job at its submission, or call replicated_traffic"
        )
    stream = scenario.sample(jobs, load=OVERLOAD, seed=seed)
    return float(_saturated_run(scenario, stream, None, batches=1)[0][0])


def refuse_replay(scenario: Scenario) -> None:
    """Raise an `InputError` if the workload gives the same jobs for every seed, as a log does."""
    if isinstance(scenario.workload, Sized):
        raise InputError(
            f"workload = {scenario.workload!r} is one sequence of jobs, so all replications would "
            "be the same; sample from it: ResampledJobs(jobs)"
        )


def refuse_rejections(schedule: Schedule) -> None:
    """Raise an `InputError` if the policy rejected jobs, because these have no response time."""
    if schedule.refused:
        raise InputError(
            f"scheduling = {schedule.scheduling} rejected {len(schedule.refused)} of "
            f"{len(schedule)} jobs, which have no response time; give a policy that rejects no job"
        )


def doubtful_work(work: NDArray[np.float64], mean: float) -> str:
    """Return a warning if the work of sampled jobs is not representative, or an empty string.

    Parameters
    ----------
    work : ndarray of shape (jobs,)
        The processor-time of each job.
    mean : float
        The mean processor-time of the distribution.

    Notes
    -----
    The jobs are worth (sum w)² / sum w² jobs of equal work w [1]_. If a distribution has rare, very
    long jobs and none was sampled, the mean of the sample is too low.

    References
    ----------
    .. [1] L. Kish, "Survey sampling", Wiley, 1965.
    """
    squares = float((work**2).sum())
    carriers = work.sum() ** 2 / squares if squares > 0 else 0.0
    if carriers < FEWEST_CARRIERS:
        return (
            f"a few jobs carry the work: {len(work)} jobs are worth {carriers:.0f} jobs of equal "
            "work"
        )
    share = work.mean() / mean
    if abs(share - 1) > DEVIATIONS / np.sqrt(carriers):
        return f"the sampled jobs bring {share:.0%} of the work that the workload has on average"
    return ""


def _settling_warning(scenario, jobs, backlog):
    waiting = _backlog_of(scenario.scheduling, backlog)
    if waiting is None:
        return ""
    return unsettled(jobs, backlog_jobs_to_settle(scenario.scheduling, waiting))


def _backlog_of(scheduling, backlog):
    if backlog is not None or not scheduling.takes_backlog:
        return backlog
    return HELD if scheduling.overtakes else 1


def _correlation_warning(batches):
    if len(batches) < FEWEST_BATCHES:
        return f"{len(batches)} batches are too few to tell whether they depend on one another"
    correlation = lag_correlation(batches - batches.mean())
    if correlation * np.sqrt(len(batches)) <= DEVIATIONS:
        return ""
    return f"neighbouring batches depend on one another (correlation {correlation:.2f})"


def _refuse_oversize(scenario):
    workload = scenario.workload
    if not isinstance(workload, SplitJobs | JobModel):
        return
    hardest = workload.of_each_size if isinstance(workload, SplitJobs) else workload.largest
    try:
        refuse_impossible(scenario.system, hardest(), scenario.placement)
    except ImpossibleJobError as error:
        raise InputError(
            f"sizes = {workload.sizes} allow a job that never starts: {error.reason}; give smaller "
            "sizes, other components, or larger clusters"
        ) from None


def _saturating_stream(scenario, jobs, seed):
    if scenario.scheduling.takes_backlog:
        return scenario.sample(jobs, seed=seed)
    return scenario.sample(min(whole("jobs", jobs), MOST_BOOKED), load=OVERLOAD, seed=seed)


def _saturated_run(scenario, stream, backlog, batches):
    schedule = scenario.run(stream, _backlog_of(scenario.scheduling, backlog))
    last = schedule.jobs.submit.max()
    is_booked = not scenario.scheduling.takes_backlog
    if last <= 0 and is_booked:
        raise InputError(
            f"jobs has {len(stream)} entries that are all submitted at once, but "
            f"{scenario.scheduling} books each job at its submission; sample the jobs with "
            f"load={OVERLOAD}"
        )
    if last <= 0:
        raise InputError(
            f"jobs has {len(stream)} entries, which all start at once in the idle system; give "
            "many more jobs"
        )
    warm_up = OVERLOAD_WARM_UP if is_booked else WARM_UP
    edges = np.linspace(warm_up * last, last, batches + 1)
    ended = np.count_nonzero((schedule.end > edges[0]) & (schedule.end <= last))
    return schedule.utilization_between(edges, net=True), ended
