"""The function `simulate`, which runs every scheduling policy on one of the two engines."""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, instance_of, one_of, whole
from coalloc_lib.basics.data import LIBRARY
from coalloc_lib.engines.outcome import Task
from coalloc_lib.model.fitting import fits_by
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import (
    HomeSite,
    Placement,
    WorstFit,
    check_request,
    refuse_for_ordered,
)
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, Scheduling
from coalloc_lib.schedules.schedule import Schedule

ENGINES = ("compiled", "reference")

#: The maximum number of jobs for which `simulate` falls back on the slow readable engine without a
#: warning. The fallback is needed if the compiled engine does not support the policy or the
#: placement.
LONG = 10_000
#: An error message names the sizes of at most this number of clusters.
MOST_NAMED = 8


def simulate(
    system: Multicluster,
    jobs: JobStream,
    *,
    scheduling: Scheduling | None = None,
    placement: Placement | None = None,
    engine: str | None = None,
    backlog: int | None = None,
) -> Schedule:
    """Simulate the scheduling of a stream of rigid jobs on a multicluster system.

    Parameters
    ----------
    system : Multicluster
        The clusters and their numbers of processors.
    jobs : JobStream
        The jobs. They join the queue in order of submission, and by position if they are submitted
        at the same instant.
    scheduling : Scheduling, optional
        The scheduling policy. The default is `FCFS`.
    placement : Placement, optional
        The placement of jobs that are not ordered requests. The default is `WorstFit`.
    engine : {"compiled", "reference"}, optional
        The engine that runs the simulation. The compiled engine is fast and has all policies of
        this library. The readable engine, ``"reference"``, also runs policies of your own, about
        a thousand jobs per second. By default the compiled engine is used if it has the policy
        and the placement.
    backlog : int, optional
        The constant length of the queue in a simulation of heavy traffic. The instants of
        submission are ignored. Whenever the queue is shorter than this, the next jobs join it. A
        backlog of 1 is enough for `FCFS`. `Online` has no queue and accepts no backlog.

    Returns
    -------
    Schedule
        The schedule, with the jobs in the order of `jobs`. With a backlog, its `jobs.submit` has
        the instants at which the jobs joined the queue.

    Raises
    ------
    InputError
        If an argument is wrong, if a job can never start, if the policy cannot be combined with the
        engine, the placement or the request type, or if a policy of your own breaks a rule of
        `coalloc_lib.policies.State`.

    Warns
    -----
    UserWarning
        If the readable engine is used by default for many jobs, because it is slow.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
    >>> co.simulate(co.Multicluster([4, 4]), jobs).start.tolist()
    [0.0, 5.0]
    """
    scheduling = FCFS() if scheduling is None else scheduling
    check_parts(system, scheduling, placement, engine)
    instance_of("jobs", jobs, JobStream, "JobStream(submit=..., runtime=..., components=...)")
    refuse_reservations(jobs, scheduling)
    if backlog is not None:
        backlog = _checked_backlog(backlog, jobs, scheduling)
    placement = _chosen_placement(system, jobs, placement)
    refuse_impossible(system, jobs, placement)
    _check_adaptive(jobs, scheduling, placement)

    order = None
    if backlog is None and (np.diff(jobs.submit) < 0).any():
        order = np.argsort(jobs.submit, kind="stable")
    arriving = jobs if order is None else jobs[order]
    run = _engine(engine, len(jobs), scheduling, placement)
    outcome = run(Task(system, arriving, scheduling, placement, backlog))
    if order is not None:
        outcome = outcome.in_stream_order(order)
    if backlog is not None:
        jobs = jobs.replace(submit=outcome.entered)
    return Schedule(
        system,
        jobs,
        scheduling,
        placement,
        start=outcome.start,
        end=outcome.end,
        allocation=outcome.allocation,
        promised=outcome.promised,
        refused=outcome.refused,
        attempts=outcome.attempts,
        servers=outcome.servers,
        backlog=backlog,
    )


def check_parts(system: Any, scheduling: Any, placement: Any, engine: Any) -> None:
    """Raise an error if the system, the policy, the placement or the engine's name is invalid."""
    if engine is not None:
        one_of("engine", engine, ENGINES)
    own = "or an object of a class derived from"
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    instance_of("scheduling", scheduling, Scheduling, f"FCFS(), {own} Scheduling")
    if placement is not None:
        instance_of("placement", placement, Placement, f"WorstFit(), {own} Placement")


def _checked_backlog(backlog, jobs, scheduling):
    if not scheduling.takes_backlog:
        raise InputError(
            f"backlog = {backlog} is given for {scheduling}, which has no queue because it books "
            "each job at its submission; leave out backlog"
        )
    if jobs.has_reservations:
        raise InputError(
            f"backlog = {backlog} is given for jobs with advance reservations, but a simulation "
            "with a backlog ignores all submission times; leave out backlog"
        )
    return min(whole("backlog", backlog), len(jobs))


def _check_adaptive(jobs, scheduling, placement):
    # An adaptive policy lets jobs wait for a single cluster, which makes sense only if the
    # placement prefers a single cluster.
    if not scheduling.adaptive or jobs.request == "total":
        return
    if jobs.request == "ordered":
        raise InputError(
            f"scheduling = {scheduling} is given for ordered requests, but it lets jobs wait for a "
            "single cluster, and ordered requests name their clusters; give EASY() or another "
            "policy that is not adaptive"
        )
    rule = placement.rule if isinstance(placement, HomeSite) else placement
    if not rule.one_cluster_first:
        raise InputError(
            f"placement = {placement} is given for {jobs.request} requests with {scheduling}, which"
            " needs a placement that prefers a single cluster; give SingleThenSpan()"
        )


def _engine(name, jobs, scheduling, placement):
    # The engines are imported only here, because importing Numba takes half a second.
    if name != "reference":
        from coalloc_lib.engines.compiled import knows, run

        if name is not None or knows(scheduling, placement):
            return run
        if jobs > LONG:
            warnings.warn(
                f"{scheduling} has no compiled form with {placement}; {jobs} jobs take about "
                f"{jobs / 1000:.0f} s or more on the readable engine; give engine='reference' to "
                "use it without this warning",
                stacklevel=_level_outside(),
            )
    from coalloc_lib.engines.reference import run as run_readable

    return run_readable


def _level_outside():
    # The result is the `stacklevel` with which the calling function warns at the line outside the
    # library, because `simulate` is often called by another function of the library.
    level, frame = 1, sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).is_relative_to(LIBRARY):
        level, frame = level + 1, frame.f_back
    return level


def _chosen_placement(system, jobs, placement):
    if jobs.request == "ordered":
        refuse_for_ordered(placement)
        return None
    placement = WorstFit() if placement is None else placement
    check_request(placement, jobs.request)
    placement.check(system)
    return placement


def refuse_reservations(jobs: JobStream, scheduling: Scheduling) -> None:
    """Raise an error if a job requests a reservation and the policy does not serve any."""
    if scheduling.takes_reservations or not jobs.has_reservations:
        return
    job = int(jobs.is_reserved.argmax())
    earliest, latest = float(jobs.earliest_start[job]), float(jobs.latest_start[job])
    raise InputError(
        f"job {job} has earliest_start = {earliest:g} and latest_start = {latest:g}, which "
        f"{scheduling} does not serve; use Conservative() or Online(), or remove the reservations "
        "with jobs.replace(earliest_start=None, latest_start=None)"
    )


def refuse_impossible(
    system: Multicluster, jobs: JobStream, placement: Placement | None = None
) -> None:
    """Raise `ImpossibleJobError` for the first job that cannot start in an idle system."""
    clusters, components = system.as_array(), jobs.components
    if isinstance(placement, HomeSite):
        _check_columns(components, len(clusters))
    is_split = jobs.request in ("ordered", "unordered")
    # For most streams of jobs, it is enough to compare the largest component with the smallest
    # cluster, which is much faster than the function `fits_by`.
    if is_split and components.shape[1] <= len(clusters) and components.max() <= clusters.min():
        return
    impossible = ~fits_by(placement, jobs.request, components, clusters[None, :])
    if impossible.any():
        job = int(impossible.argmax())
        wanted, limit = components[job].tolist(), _limit_in_words(system, jobs.request)
        raise ImpossibleJobError(job, f"components {wanted} ({jobs.request}), but {limit}")


def _check_columns(components, clusters):
    if components.shape[1] != clusters + 1:
        raise InputError(
            f"components has {components.shape[1]} columns, and HomeSite takes {clusters + 1}: one"
            " for jobs that can run on any cluster, and one for each cluster; call "
            "coalloc_lib.simulation.sites.sharing, which creates these columns"
        )


def _limit_in_words(system, request):
    if request == "total":
        return f"the largest cluster has {system.largest}"
    if request == "flexible":
        return f"the system has {system.processors}"
    if system.is_equal and len(system) > MOST_NAMED:
        return f"each of the {len(system):,} clusters has {system.largest:,}"
    sizes = [*map(str, system.sizes[:MOST_NAMED]), *["…"] * (len(system) > MOST_NAMED)]
    return f"the clusters have {', '.join(sizes)}"
