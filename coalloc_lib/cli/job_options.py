"""The options of commands that read the jobs of a log, and the preparation of these jobs."""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, positive
from coalloc_lib.cli import options
from coalloc_lib.cli.options import TEXTS
from coalloc_lib.cli.output import warn
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster, parse_clusters
from coalloc_lib.policies import Scheduling
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.swf import ESTIMATES, SwfLog


def _text(placeholder: str, text: str, least: float | None = None) -> dict[str, tuple]:
    # A placeholder, a help text and the smallest value, as in `coalloc_lib.cli.options.SHARED`.
    return {TEXTS: (placeholder, text, least)}


@dataclass(frozen=True)
class JobOptions:
    """The options of commands that read the jobs of a log, in the order of their help.

    A command with an argument of this type has an option for each field, as
    `coalloc_lib.cli.options.command` explains.
    """

    trace: str = field(
        metadata=_text("FILE|NAME", "A log file (.swf, .swf.gz) or the name of a public log.")
    )
    clusters: str
    request: str = "total"
    scheduling: str | None = None
    placement: str | None = None
    estimates: str = field(
        default="requested",
        metadata=_text(
            "KIND",
            "The run time estimates with which easy, conservative and online plan: requested or "
            "exact.",
        ),
    )
    missing: float | None = field(
        default=None,
        metadata=_text(
            "S", "The estimate of jobs that requested no time.  [default: their run time]"
        ),
    )
    span_penalty: float = field(
        default=0.0, metadata=_text("P", "A job in several clusters runs 1 + P times as long.", 0)
    )
    split: int | None = field(
        default=None,
        metadata=_text(
            "N",
            "unordered: split jobs into as few components of at most N processors as possible."
            "  [default: the largest cluster]",
            1,
        ),
    )
    components: int | None = field(
        default=None,
        metadata=_text(
            "K", "unordered, ordered: split jobs into K components of nearly equal size.", 1
        ),
    )
    largest: int | None = field(
        default=None, metadata=_text("N", "Leave out jobs of more than N processors.", 1)
    )
    node: int = field(default=1, metadata=_text("N", "Jobs get whole nodes of N processors.", 1))
    load: float | None = field(
        default=None,
        metadata=_text("X", "Scale the interarrival times to this offered load."),
    )


class Preparation(NamedTuple):
    """The system, the policies and the jobs that a command line describes.

    The `placement` is None if the user did not choose a policy. The jobs that were `asked` for are
    neither split nor rounded up to whole nodes.
    """

    system: Multicluster
    policy: Scheduling
    placement: Placement | None
    jobs: JobStream
    asked: JobStream
    log: SwfLog


def prepare(policy: Scheduling, given: JobOptions) -> Preparation:
    """Check the values of the options, read the log, and prepare its jobs.

    Parameters
    ----------
    policy : Scheduling
        The scheduling policy.
    given : JobOptions
        The values of the options.

    Raises
    ------
    InputError
        If a value is wrong, if options contradict each other, if the log cannot be read, or if one
        of its jobs can never start.
    """
    system = parse_clusters(given.clusters, "--clusters")
    rule = options.placement_of(given.placement, given.request)
    split_jobs = _splitting(given.request, system, given.split, given.components)

    def prepared(stream: JobStream) -> JobStream:
        return split_jobs(stream).in_nodes(given.node)

    options.chosen("--estimates", given.estimates, ESTIMATES)
    _check_penalty(given.span_penalty, given.request, system)
    _check_nodes(given.node, system)
    log = _read(given.trace)
    if policy.uses_estimates and given.estimates == "requested" and given.missing is None:
        _check_requested_times(log)
    asked = log.jobs(
        given.request, given.estimates, given.span_penalty, given.largest, given.missing
    )
    jobs = prepared(asked)
    _reject_impossible(system, jobs, rule, prepared, log)
    if given.load is not None:
        jobs = jobs.with_load(system, positive("--load", given.load))
    return Preparation(system, policy, rule, jobs, asked, log)


def reject_missing(missing: float | None, scheduling: str | None) -> None:
    """Raise an error if ``--missing`` is given, because nothing plans with the estimates.

    Parameters
    ----------
    missing : float or None
        The value of the option; None if the user did not give it.
    scheduling : str or None
        The value of the option ``--scheduling``; None if the user did not give it.

    Raises
    ------
    InputError
        If ``--missing`` is given.
    """
    if missing is None:
        return
    no_effect = f"--missing {missing:g} has no effect"
    if scheduling is None:
        raise InputError(
            f"{no_effect} without a policy that plans with estimates; add --scheduling, or leave "
            "it out"
        )
    raise InputError(
        f"{no_effect}: --scheduling {scheduling} does not plan with estimates; leave it out"
    )


def _check_penalty(span_penalty, request, system):
    if span_penalty and (request == "total" or len(system) == 1):
        why = "--request total keeps" if request == "total" else "a system of one cluster has"
        raise InputError(
            f"--span-penalty {span_penalty:g} has no effect: {why} each job in one cluster; add "
            "--request flexible and two clusters or more, or leave the penalty out"
        )


def _check_nodes(node, system):
    odd = [size for size in system.sizes if size % node]
    if odd:
        raise InputError(
            f"--node {node} does not divide a cluster of {odd[0]} processors; give clusters of "
            "whole nodes"
        )


def _read(trace):
    log = load_trace(trace)
    for note in log.notes:
        warn(f"{log.name}: {note}")
    return log


def _splitting(request, system, split, components):
    options.chosen("--request", request, REQUESTS)
    if split is not None and components is not None:
        raise InputError("--split and --components cannot be used together; give one of them")
    if request in ("total", "flexible"):
        if split or components:
            option = "--split" if split else "--components"
            raise InputError(
                f"{option} cannot be used with --request {request}; leave it out, or use "
                "--request unordered"
            )
        return lambda jobs: jobs
    if request == "ordered" and components is None:
        raise InputError(
            "--request ordered needs --components K; then component 1 runs in cluster 0, component "
            "2 in cluster 1, and so on"
        )
    splitting = {"into": components} if components else {"at_most": split or system.largest}
    return lambda jobs: jobs.split(**splitting).replace(request=request)


def _check_requested_times(log):
    # If a job has no requested time, the policies plan with its exact run time. The user may not
    # notice this.
    jobs, missing = len(log.usable), log.without_requested_time
    if missing == jobs:
        raise InputError(
            f"{log.name} has no requested times (field 9 of its jobs) to plan with; give "
            "--missing SECONDS, or --estimates exact"
        )
    if missing:
        warn(
            f"{missing:,} of {jobs:,} jobs have no requested time; they are planned with their "
            "exact run time, which no user knows; --missing SECONDS gives them another estimate"
        )


def _reject_impossible(system, jobs, placement, prepared, log):

    def is_impossible(size):
        job = JobStream([0], [0], [size], request=jobs.request)
        try:
            refuse_impossible(system, prepared(job), placement)
        except ImpossibleJobError:
            return True
        return False

    try:
        refuse_impossible(system, jobs, placement)
    except ImpossibleJobError as error:
        fits = jobs.request == "total" and jobs.processors.max() <= system.processors
        spans = "let them span clusters with --request flexible, " if fits else ""
        # If a job can start, every smaller job can start too, so bisection finds the largest job
        # that can start.
        most = bisect_left(range(1, system.processors + 1), True, key=is_impossible)
        raise InputError(
            f"{log.name}: job {jobs.number[error.job]} can never start: {error.reason}; leave such "
            f"jobs out with --largest {most}, {spans}or use a larger system"
        ) from None
