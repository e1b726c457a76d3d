"""One door to every engine and policy."""

import warnings

import numpy as np

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, instance_of, one_of, whole
from coalloc_lib.engines.outcome import Task
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import HomeSite, Placement, WorstFit, refuse_for_ordered
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, Scheduling
from coalloc_lib.schedules.reading import fits_by
from coalloc_lib.schedules.schedule import Schedule

ENGINES = ("compiled", "reference")

#: The number of jobs from which on it is said that the readable engine runs.
LONG = 10_000


def simulate(
    system: Multicluster,
    jobs: JobStream,
    *,
    scheduling: Scheduling | None = None,
    placement: Placement | None = None,
    engine: str | None = None,
    backlog: int | None = None,
) -> Schedule:
    """Schedule a stream of rigid jobs on a multicluster.

    Parameters
    ----------
    jobs : JobStream
        In any order; they queue in order of submission, ties by position.
    scheduling : Scheduling, optional
        `FCFS` where it is not given.
    placement : Placement, optional
        `WorstFit` where it is not given. One that is given for ordered requests is refused.
    engine : {"compiled", "reference"}, optional
        The compiled engine knows the library's policies; the readable one, "reference", runs any,
        about a thousand jobs a second. Where it is not given, the readable one runs what the other
        does not know, and for many jobs says so. Long queues under Conservative take their time on
        either, which is said as well.
    backlog : int, optional
        Heavy traffic: submissions do not count, the queue is topped up to this many jobs
        whenever it is shorter. For FCFS a backlog of 1 is enough; `Online` takes none.

    Returns
    -------
    Schedule
        Its jobs keep their positions; with a backlog its `jobs.submit` is when each job entered
        the queue.

    Raises
    ------
    InputError
        A job can never start, or a policy and the engine, system or request type do not go
        together; a policy of your own broke the rules of `coalloc_lib.policies.State`.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
    >>> co.simulate(co.Multicluster([4, 4]), jobs).start.tolist()
    [0.0, 5.0]
    """
    scheduling = FCFS() if scheduling is None else scheduling
    if engine is not None:
        one_of("engine", engine, ENGINES)
    own = "or an object of a class derived from"
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    instance_of("jobs", jobs, JobStream, "JobStream(submit=..., runtime=..., components=...)")
    instance_of("scheduling", scheduling, Scheduling, f"FCFS(), {own} Scheduling")
    if placement is not None:
        instance_of("placement", placement, Placement, f"WorstFit(), {own} Placement")
    _refuse_reservations(jobs, scheduling)
    if backlog is not None and (jobs.has_reservations or not scheduling.takes_backlog):
        raise InputError(
            f"backlog = {backlog} is given for {scheduling}, which books at submission; a held "
            "queue knows none, leave it out"
        )
    placement = _chosen_placement(system, jobs, placement)
    refuse_impossible(system, jobs, placement)
    rule = placement.rule if isinstance(placement, HomeSite) else placement
    decides = jobs.request == "total" or (rule is not None and rule.one_cluster_first)
    if scheduling.adaptive and not decides:
        raise InputError(
            f"placement = {placement} is given for {jobs.request} requests with {scheduling}, which"
            " decides between one cluster and several; give SingleThenSpan()"
        )
    if backlog is not None:
        backlog = min(whole("backlog", backlog), len(jobs))

    order = None
    if backlog is None and (np.diff(jobs.submit) < 0).any():
        order = np.argsort(jobs.submit, kind="stable")
    arriving = jobs if order is None else jobs[order]
    # Imported here: Numba takes half a second, which `import coalloc_lib` should not.
    if engine != "reference":
        from coalloc_lib.engines.compiled import knows, run

        if not (engine or knows(scheduling, placement)):
            engine = "reference"
            if len(jobs) > LONG:
                warnings.warn(
                    f"{scheduling} has no compiled form with {placement}; {len(jobs)} jobs take "
                    f"about {len(jobs) / 1000:.0f} s or more; engine='reference' says that you "
                    "know",
                    stacklevel=2,
                )
    if engine == "reference":
        from coalloc_lib.engines.reference import run
    outcome = run(Task(system, arriving, scheduling, placement, backlog))
    if order is not None:
        outcome = outcome.in_stream_order(order)
    if backlog is not None:
        jobs = jobs.replace(submit=outcome.entered)
    start, end, _, allocation, promised, refused, attempts, servers = outcome
    columns = (start, end, allocation, promised, refused, attempts, servers, backlog)
    return Schedule(system, jobs, scheduling, placement, *columns)


def _refuse_reservations(jobs, scheduling):
    """Raise an error if jobs ask for a later or a latest start and the policy ignores it."""
    if scheduling.takes_reservations or not jobs.has_reservations:
        return
    job = int(jobs.is_reserved.argmax())
    earliest, latest = (float(each[job]) for each in (jobs.earliest_start, jobs.latest_start))
    raise InputError(
        f"job {job} has earliest_start = {earliest:g} and latest_start = {latest:g}, which "
        f"{scheduling} does not serve; use Conservative() or Online(), which do, or "
        "jobs.replace(earliest_start=None, latest_start=None)"
    )


def _chosen_placement(system, jobs, placement):
    """Return the placement that is given, or the default; None for ordered requests."""
    if jobs.request == "ordered":
        refuse_for_ordered(placement)
        return None
    placement = WorstFit() if placement is None else placement
    if jobs.request not in placement.requests:
        raise InputError(
            f"placement = {placement} is for {' and '.join(placement.requests)} requests and these "
            f"are {jobs.request}; give another placement, or replace(request=...)"
        )
    placement.check(system)
    return placement


def refuse_impossible(
    system: Multicluster, jobs: JobStream, placement: Placement | None = None
) -> None:
    """Raise `ImpossibleJobError` for the first job that could not start in an idle system."""
    clusters, components = system.as_array(), jobs.components
    if jobs.request in ("ordered", "unordered"):
        why = f"the clusters have {', '.join(map(str, system.sizes))}"
        if components.shape[1] <= len(clusters) and components.max() <= min(clusters):
            return
    elif jobs.request == "total":
        why = f"the largest cluster has {system.largest}"
    else:
        why = f"the system has {system.processors}"
    if isinstance(placement, HomeSite) and components.shape[1] != len(clusters) + 1:
        raise InputError(
            f"components has {components.shape[1]} columns, and HomeSite takes {len(clusters) + 1}:"
            " of jobs that may go anywhere, and of those that stay on each cluster; see "
            "coalloc_lib.simulation.sites"
        )
    impossible = ~fits_by(placement, jobs.request, components, clusters[None, :])
    if impossible.any():
        job = int(impossible.argmax())
        wanted = components[job].tolist()
        raise ImpossibleJobError(job, f"components {wanted} ({jobs.request}), but {why}")
