"""The command ``coalloc simulate``, which simulates the jobs of a log on a system."""

import sys
import warnings
from bisect import bisect_left
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, positive
from coalloc_lib.basics.files import check_writable
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, show, warn
from coalloc_lib.cli.schedule_means import mean_intervals
from coalloc_lib.cli.simulate_output import Answer, metrics_of, print_answer, write_files
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.system import parse_clusters
from coalloc_lib.schedules import exchange
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.simulation.run import ENGINES, refuse_impossible
from coalloc_lib.simulation.run import simulate as run
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.swf import ESTIMATES

EXAMPLES = """\b
Examples:
  coalloc simulate --trace KTH-SP2 --clusters 100 --request total --placement best-fit
  coalloc simulate --trace my.swf.gz --clusters 64,64 --request flexible --span-penalty 0.25 \\
      --scheduling fpfs --max-jumps 20 --out schedule.csv
  coalloc simulate --trace KTH-SP2 --clusters 64,36 --request flexible --scheduling easy \\
      --placement single-then-span --span-penalty 0.25 --estimates requested
  coalloc simulate --trace KTH-SP2 --clusters 100 --scheduling conservative --estimates exact
  coalloc simulate --trace KTH-SP2 --clusters 100 --scheduling online --step 900 \\
      --horizon 2419200 --out schedule.csv
  coalloc simulate --trace CTC-SP2 --clusters 4x32 --request unordered --largest 128 \\
      --load 0.6 --json
"""


@options.command(
    planning=True,
    trace=("FILE|NAME", "A log file (.swf, .swf.gz) or the name of a public log."),
    estimates=(
        "KIND",
        "The run time estimates with which easy, conservative and online plan: requested or exact.",
    ),
    missing=("S", "The estimate of jobs that requested no time.  [default: their run time]"),
    span_penalty=("P", "A job in several clusters runs 1 + P times as long.", 0),
    split=(
        "N",
        "unordered: split jobs into as few components of at most N processors as possible."
        "  [default: the largest cluster]",
        1,
    ),
    components=("K", "unordered, ordered: split jobs into K components of nearly equal size.", 1),
    largest=("N", "Leave out jobs of more than N processors.", 1),
    node=("N", "Jobs get whole nodes of N processors.", 1),
    load=("X", "Scale the interarrival times to this offered load."),
    engine=(
        "ENGINE",
        f"One of {', '.join(ENGINES)}.  [default: compiled, if it supports the policies]",
    ),
    verify=(None, "Check the schedule against the rules of the model."),
    export=(
        "FILE.csv",
        "Also write the schedule with numbered processors, as a table of jobs of "
        "Batsim, which evalys reads.",
    ),
    out=(
        "FILE.csv",
        "The file for the schedule. With -, the schedule goes to standard output and "
        "the metrics go to stderr.",
    ),
)
def simulate(
    trace: str,
    clusters: str,
    request: str = "total",
    scheduling: str = "fcfs",
    placement: str | None = None,
    estimates: str = "requested",
    missing: float | None = None,
    span_penalty: float = 0.0,
    split: int | None = None,
    components: int | None = None,
    largest: int | None = None,
    node: int = 1,
    load: float | None = None,
    engine: str | None = None,
    verify: bool = False,
    export: str | None = None,
    out: str | None = None,
    as_json: bool = False,
    **policy_options: Any,
) -> None:
    """Simulate the jobs of a log on a system; print the metrics, then write the schedule.

    The schedule is a CSV file with the columns job,submit,start,end,processors,allocation. The
    allocation 0:32;1:16 means 32 processors of cluster 0 and 16 of cluster 1. Times are in seconds.
    A job that online scheduling rejects has no start, end and allocation, and does not count in the
    means.
    """
    if engine is not None:
        options.chosen("--engine", engine, ENGINES)
    system = parse_clusters(clusters, "--clusters")
    policy = options.scheduling_of(scheduling, **policy_options)
    rule = options.placement_of(placement, request)
    split_jobs = _splitting(request, system, split, components)

    def prepared(jobs: JobStream) -> JobStream:
        return split_jobs(jobs).in_nodes(node)

    options.chosen("--estimates", estimates, ESTIMATES)
    _check_penalty(span_penalty, request, system)
    if not policy.uses_estimates and export is None:
        _reject_missing(missing, scheduling)
    _check_nodes(node, system)
    _check_outputs(out, export, as_json)
    log = _read(trace)
    if policy.uses_estimates and estimates == "requested" and missing is None:
        _check_requested_times(log)
    asked = log.jobs(request, estimates, span_penalty, largest, missing)
    jobs = prepared(asked)
    _reject_impossible(system, jobs, rule, prepared, log)
    if load is not None:
        jobs = jobs.with_load(system, positive("--load", load))
    schedule = _run(system, jobs, policy, rule, engine, verify)
    left_out = _left_out(log, jobs, largest)
    metrics = {"left_out_jobs": sum(left_out.values()), **metrics_of(schedule)}
    if node > 1:
        metrics["idle_share_of_work"] = 1 - asked.work.sum() / jobs.work.sum()
    answer = Answer(f"{log.title} on {system}", metrics, left_out, *mean_intervals(schedule))
    try:
        write_files(schedule, export, out)
    finally:  # The metrics are printed even if the disk is too full for the files.
        if as_json:
            print_json(answer.to_json(log.title, system, out))
        else:
            with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
                print_answer(answer)
    if out != "-" and not as_json:
        show(*(file for file in (export, out) if file is not None))


def _reject_missing(missing, scheduling):
    if missing is not None:
        raise InputError(
            f"--missing {missing:g} has no effect: --scheduling {scheduling} does not plan with "
            "estimates; leave it out"
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


def _check_outputs(out, export, as_json):
    # The output options are checked before the simulation, which may take a long time.
    if out == "-" and as_json:
        raise InputError(
            "--out - and --json both print on standard output; give --out the name of a file"
        )
    if export is not None:
        options.chosen("the extension of --export", Path(export).suffix, exchange.SUFFIXES)
        check_writable(export)
    if out is not None:
        check_writable(out)


def _read(trace):
    log = load_trace(trace)
    for note in log.notes:
        warn(f"{log.name}: {note}")
    return log


def _run(system, jobs, policy, placement, engine, verify):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        schedule = run(system, jobs, scheduling=policy, placement=placement, engine=engine)
    for warning in caught:
        warn(str(warning.message))
    _reject_if_none_served(schedule)
    _warn_of_misleading_means(schedule)
    if verify:
        schedule.verify()
        if schedule.unchecked:
            warn(f"--verify did not check {schedule.unchecked}")
    return schedule


def _left_out(log, jobs, largest):
    unusable = len(log) - len(log.usable)
    left_out = {"without run time or processors": unusable}
    left_out |= {f"of more than {largest} processors": len(log) - unusable - len(jobs)}
    return {why: count for why, count in left_out.items() if count}


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


def _reject_if_none_served(schedule):
    if len(schedule.refused) == len(schedule):
        raise InputError(_on_rejected_jobs(schedule))


def _on_rejected_jobs(schedule):
    reasons = Counter(refusal.why for refusal in schedule.refused.values())
    counts = ", ".join(f"{count:,} {why}" for why, count in reasons.most_common())
    return (
        f"{len(schedule.refused):,} of {len(schedule):,} jobs were rejected: {counts}; try a "
        "longer --horizon, or more --max-attempts"
    )


def _warn_of_misleading_means(schedule):
    jobs = schedule.jobs
    waits = jobs.work[schedule.start > jobs.submit.max()].sum() / jobs.work.sum()
    if waits > STILL_WAITING:
        warn(
            f"at the last submission {waits:.0%} of the work still waits; the means depend on the "
            "length of the log, and the offered load may be more than these policies can serve"
        )
    if schedule.refused:
        warn(_on_rejected_jobs(schedule))
