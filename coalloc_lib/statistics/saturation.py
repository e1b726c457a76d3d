"""The maximal utilization by simulation: heavy traffic, and the other methods of the study."""

from collections.abc import Sized

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, positive, whole
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.policies import FCFS, FPFS
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.inference import Replications, replicate
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: Share of a saturated run that is left out at its begin, while the empty system fills.
WARM_UP = 0.1
#: Waiting jobs that a policy other than FCFS sees in a saturated system.
HELD = 500
#: A held queue has settled once so many times as many jobs have entered: under FPFS, where a job is
#: passed so often at most, and under other policies, where what fits badly gathers for long.
TURNS_FPFS, TURNS = 8, 80
#: With fewer batches, jobs that end in one, or jobs that carry the work, a run is too short.
FEWEST_BATCHES, FEWEST_ENDS, FEWEST_CARRIERS = 20, 10, 100
#: Standard errors of a correlation, or of the work sampled, that chance makes in one run of 1,000.
DEVIATIONS = 3.3


def heavy_traffic(
    scenario: Scenario, stream: JobStream, *, backlog: int | None = None, batches: int = 30
) -> NDArray[np.float64]:
    """Utilization of a saturated system that serves these jobs in their order, in batches.

    The second type of simulation of Bucur, Epema (2003), section 5. What spanning adds to the run
    times does not count: it is no part of the offered load, with which this is compared. Neither do
    the submissions of the `stream`: the queue never runs dry. The policy sees a `backlog` of so
    many waiting jobs, without it 1 under FCFS and else `HELD`. The `batches` are of equal time,
    from a tenth of the run to the last job's entry.
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
    """Interval of the capacity loss in `heavy_traffic`: that of its `batch_losses`."""
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
    """Capacity loss in each batch of one run in `heavy_traffic`.

    A workload that has fewer `jobs` gives all it has. There is a warning where few jobs end in a
    batch, neighbouring batches depend on one another or are too few to tell, the jobs are too few
    for the queue to settle (`unsettled`), or `doubtful_work`.
    """
    batches = whole("batches", batches, least=2)
    _refuse_oversize(scenario)
    if isinstance(scenario.workload, Sized):
        jobs = min(whole("jobs", jobs), len(scenario.workload))
    stream = scenario.sample(jobs, seed=seed)
    busy, ended = _saturated_run(scenario, stream, backlog, batches)
    reasons = [
        f"{ended} jobs end in {len(busy)} batches" * bool(ended < FEWEST_ENDS * len(busy)),
        doubtful_work(stream.work, scenario.workload.mean_work),
        _dependence(busy),
        unsettled(jobs, _settling_jobs(scenario.scheduling, backlog)),
    ]
    return Replications(1 - busy, "; ".join(filter(None, reasons)), least=0.0, most=1.0)


def replicated_traffic(
    scenario: Scenario, *, jobs: int, replications: int, seed: Seed = 0, backlog: int | None = None
) -> tuple[NDArray[np.float64], str]:
    """Utilization in heavy traffic in several runs of so many jobs, and a warning.

    It has the shape (replications, batches); the warning is `doubtful_work` of all jobs, or
    `unsettled`.
    """
    refuse_replay(scenario)
    _refuse_oversize(scenario)
    work = []

    def one(child):
        stream = scenario.sample(jobs, seed=child)
        work.append(stream.work)
        return heavy_traffic(scenario, stream, backlog=backlog)

    busy = replicate(one, replications, seed)
    doubt = doubtful_work(np.concatenate(work), scenario.workload.mean_work)
    return busy, doubt or unsettled(jobs, _settling_jobs(scenario.scheduling, backlog))


def refuse_replay(scenario: Scenario) -> None:
    """Refuse replications of a workload that gives the same jobs whatever the seed."""
    if isinstance(scenario.workload, Sized):
        raise InputError(
            f"workload = {scenario.workload!r} is one sequence of jobs, so that replications would "
            "all be alike; sample from it: ResampledJobs(jobs)"
        )


def doubtful_work(work: NDArray[np.float64], mean: float) -> str:
    """Return a warning where jobs are too few to stand for their distribution, else nothing.

    `work` is the processor-time of each job, `mean` that of the distribution. The jobs are worth
    (sum w)² / sum w² equal ones (Kish); where no rare long job was sampled, the mean is too low.
    """
    squares = float((work**2).sum())
    carriers = work.sum() ** 2 / squares if squares > 0 else 0.0
    if carriers < FEWEST_CARRIERS:
        return f"a few jobs carry the work: {len(work)} are worth {carriers:.0f} equal ones"
    share = work.mean() / mean
    if abs(share - 1) > DEVIATIONS / np.sqrt(carriers):
        return f"the jobs drawn bring {share:.0%} of the work that the workload has on average"
    return ""


def unsettled(jobs: int, needed: float) -> str:
    """Return a warning where a run has fewer jobs than its queue needs to settle, else nothing.

    Runs begin with an empty system, or with a queue that is as the jobs come. What is measured
    before the queue has settled lies too low, of all replications alike, so that no interval of
    theirs shows it.
    """
    least = int(np.ceil(round(needed, 6)))
    return f"{jobs:,} jobs are too few for the queue to settle, give {least:,}" * (jobs < least)


def _settling_jobs(scheduling, backlog):
    """Return how many jobs it takes until a held queue is as it stays."""
    turns = TURNS_FPFS if isinstance(scheduling, FCFS | FPFS) else TURNS
    return turns * _held(scheduling, backlog)


def _held(scheduling, backlog):
    """Return how many waiting jobs a policy sees in heavy traffic."""
    if backlog is not None:
        return backlog
    return HELD if scheduling.overtakes else 1


def _dependence(batches):
    """Return a warning where neighbouring batches are correlated."""
    if len(batches) < FEWEST_BATCHES:
        return f"{len(batches)} batches are too few to tell whether they depend on one another"
    apart = batches - batches.mean()
    square = apart @ apart
    correlation = apart[1:] @ apart[:-1] / square if square > 0 else 0.0
    doubtful = bool(correlation * np.sqrt(len(batches)) > DEVIATIONS)
    return f"neighbouring batches depend on one another (correlation {correlation:.2f})" * doubtful


def loss_at_response(
    scenario: Scenario,
    *,
    response: float = 1500.0,
    jobs: int = 200_000,
    replications: int = 5,
    seed: Seed = 0,
) -> NDArray[np.float64]:
    """Capacity loss in each of several runs with Poisson arrivals that respond in `response`.

    The scenario has FCFS and a `JobModel`; `response` is a mean, in mean service times. It is the
    first type of simulation of Bucur, Epema (2003), section 5. The utilization is measured, not
    offered: near saturation a run of 100,000 jobs offers up to a fifth more than is served.
    """
    service = getattr(scenario.workload, "service", None)
    if service is None:
        raise InputError(
            f"workload = {scenario.workload} has no one distribution of service times, which the "
            "response time is counted in; give a JobModel"
        )
    if not positive("response", response) > 1:
        text = f"response = {response}; no job is done before its service time, give more than 1"
        raise InputError(text)
    refuse_replay(scenario)
    target = response * service.mean
    guess = 1 - saturated_loss(scenario, jobs=max(jobs // 10, 2000), seed=seed).estimate
    # All submitted at once, jobs would on average wait half the time that they take to serve.
    slowest = jobs / scenario.rate(guess) / 2
    if slowest < 2 * target:
        least = int(np.ceil(jobs * 2 * target / slowest))
        raise InputError(f"jobs = {jobs}; a mean response of {response:g} needs {least} or more")

    def one(child):
        def run(rate):
            return scenario.run(scenario.workload.sample(jobs, child, rate=rate))

        def excess(rate):
            return run(rate).response.mean() / target - 1

        schedule = run(_rising_root(excess, scenario.rate(guess)))
        last = schedule.jobs.submit[-1]
        return 1 - schedule.utilization(WARM_UP * last, last)

    return replicate(one, replications, seed)


def loss_between_bounds(
    scenario: Scenario,
    *,
    bounds: tuple[int, int] = (0, 1000),
    begin: int | None = None,
    arrivals: int = 100_000,
    seed: Seed = 0,
    replications: int = 5,
) -> NDArray[np.float64]:
    """Loss of several runs at the load at which a Poisson-fed queue stays longest between bounds.

    `bounds` are queue lengths that are not to be hit; a run begins with `begin` waiting jobs, by
    default half-way between them. It adapts the second type of simulation to FPFS, Bucur, Epema
    (2003), section 5: the middle of the rates at which the queue is strictly between the bounds for
    most arrivals, on a grid of 0.5 % within 10 % around the rate that saturates a queue held
    half-way.
    """
    if len(bounds) != 2 or bounds[1] - whole("bounds", bounds[0], least=0) < 2:
        text = f"bounds = {bounds}; give a lower and a higher queue length, with one between them"
        raise InputError(text)
    refuse_replay(scenario)
    low, high = (whole("bounds", bound, least=0) for bound in bounds)
    middle = (low + high) // 2
    begin = middle if begin is None else whole("begin", begin, least=0)
    guess = 1 - saturated_loss(scenario, jobs=arrivals, seed=seed, backlog=middle).estimate
    grid = guess * np.linspace(0.9, 1.1, 41)

    def one(child):
        inside = []
        for load in grid:
            stream = scenario.sample(arrivals, load=load, seed=child)
            submit = np.maximum(stream.submit - stream.submit[begin], 0)
            queue = scenario.run(stream.replace(submit=submit)).queue_length(submit[begin:])
            inside.append(np.count_nonzero((queue > low) & (queue < high)))
        most = np.flatnonzero(np.array(inside) == max(inside))
        return 1 - grid[most].mean()

    return replicate(one, replications, seed)


def _refuse_oversize(scenario):
    """Raise an error if the model allows a job that can never start, even if it was not sampled."""
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


def _saturated_run(scenario, stream, backlog, batches):
    """Return the utilization in each batch, and the number of jobs that end in all of them."""
    schedule = scenario.run(stream, _held(scenario.scheduling, backlog))
    last = schedule.jobs.submit[-1]
    if last <= 0:
        text = f"jobs has {len(stream)} entries, which all enter an idle system; give many more"
        raise InputError(text)
    edges = np.linspace(WARM_UP * last, last, batches + 1)
    ended = np.count_nonzero((schedule.end > edges[0]) & (schedule.end <= last))
    return schedule.utilization_between(edges, net=True), ended


def _rising_root(function, guess):
    """Root of a rising function near `guess`, to 0.01 %."""
    from scipy.optimize import brentq

    low, high = 0.97 * guess, 1.03 * guess
    while function(low) > 0:
        low *= 0.9
    while function(high) < 0:
        high *= 1.1
    return brentq(function, low, high, rtol=1e-4, xtol=1e-4 * guess)
