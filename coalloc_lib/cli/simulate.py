"""The command ``coalloc simulate``, which simulates the jobs of a log on a system."""

import sys
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import __version__
from coalloc_lib.basics.checks import ImpossibleJobError, InputError, positive
from coalloc_lib.basics.files import atomic_path, check_writable
from coalloc_lib.cli import options
from coalloc_lib.cli.output import OUTPUT, naming, print_json, print_table, show, warn
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.names import parse_clusters
from coalloc_lib.schedules import exchange
from coalloc_lib.schedules.metrics import STILL_WAITING, least_means, means
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import ENGINES, refuse_impossible
from coalloc_lib.simulation.run import simulate as run
from coalloc_lib.statistics.bootstrap import DAY, FEWEST_BLOCKS, WEEK, resample_weeks
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.swf import ESTIMATES

#: The bound of the bounded slowdown in seconds: shorter run times count as this long.
BOUND = 10.0


class _Mean(NamedTuple):
    """A mean over jobs that is printed with its 95 % interval.

    It has the label in the table, the name by which `means` and `least_means` call it, and a
    function that returns the values of all jobs. The work of the jobs may be their weight. Digits
    and unit are those of the table.
    """

    label: str
    metric: str
    values: Callable[[Schedule], NDArray[np.float64]]
    by_work: bool = False
    digits: int = 0
    unit: str = " s"


#: The means by their names in the JSON object.
MEANS = {
    "mean_wait": _Mean("mean wait", "wait_mean", lambda schedule: schedule.wait),
    "mean_response": _Mean("mean response", "response_mean", lambda schedule: schedule.response),
    "average_weighted_response_time": _Mean(
        "AWRT", "awrt_work", lambda schedule: schedule.response, by_work=True
    ),
    "mean_bounded_slowdown": _Mean(
        f"mean bounded slowdown ({BOUND:g} s)", "slowdown_mean",
        lambda schedule: schedule.slowdown(BOUND), digits=1, unit="",
    ),
}  # fmt: skip
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
    estimates=("KIND", "The run time estimates with which easy, conservative and online plan: "
               "requested or exact."),
    missing=("S", "The estimate of jobs that requested no time.  [default: their run time]"),
    span_penalty=("P", "A job in several clusters runs 1 + P times as long.", 0),
    split=("N", "unordered: split jobs into as few components of at most N processors as possible."
           "  [default: the largest cluster]", 1),
    components=("K", "unordered, ordered: split jobs into K components of nearly equal size.", 1),
    largest=("N", "Leave out jobs of more than N processors.", 1),
    node=("N", "Jobs get whole nodes of N processors.", 1),
    load=("X", "Scale the interarrival times to this offered load."),
    engine=("ENGINE", f"One of {', '.join(ENGINES)}.  "
            "[default: compiled, if it supports the policies]"),
    verify=(None, "Check the schedule against the rules of the model."),
    export=("FILE.csv", "Also write the schedule with numbered processors, as a table of jobs of "
            "Batsim, which evalys reads."),
    out=("FILE.csv", "The file for the schedule. With -, the schedule goes to standard output and "
         "the metrics go to stderr."),
)  # fmt: skip
def simulate(
    trace: str, clusters: str, request: str = "total", scheduling: str = "fcfs",
    placement: str | None = None, estimates: str = "requested",
    missing: float | None = None, span_penalty: float = 0.0,
    split: int | None = None, components: int | None = None, largest: int | None = None,
    node: int = 1, load: float | None = None,
    engine: str | None = None, verify: bool = False, export: str | None = None,
    out: str | None = None, as_json: bool = False, **policy_options: Any,
) -> None:  # fmt: skip
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
    if missing is not None and not policy.uses_estimates and export is None:
        raise InputError(
            f"--missing {missing:g} has no effect: --scheduling {scheduling} does not plan with "
            "estimates; leave it out"
        )
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
    metrics = {"left_out_jobs": sum(left_out.values()), **_metrics(schedule)}
    if node > 1:
        metrics["idle_share_of_work"] = 1 - asked.work.sum() / jobs.work.sum()
    answer = _Answer(f"{log.title} on {system}", metrics, left_out, *_intervals(schedule))
    try:
        _write_files(schedule, export, out)
    finally:  # The metrics are printed even if the disk is too full for the files.
        if as_json:
            print_json(answer.to_json(log.title, system, out))
        else:
            with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
                _print(answer)
    if out != "-" and not as_json:
        show(*(file for file in (export, out) if file is not None))


class _Answer(NamedTuple):
    """The results of a run that are printed.

    `intervals` has the 95 % intervals of the means by name, and `why_none` says why some of them
    have no interval.
    """

    title: str
    metrics: dict[str, Any]
    left_out: dict[str, int]
    intervals: dict[str, tuple[float, float]]
    why_none: str

    def to_json(self, trace: str, system: Multicluster, out: str | None) -> dict[str, Any]:
        """Return the object that the option ``--json`` prints."""
        answer = {"trace": trace, "clusters": list(system.sizes), **self.metrics}
        answer |= {"ci95": self.intervals or None, "left_out": self.left_out, "out": out}
        return answer | {"version": __version__}


def _check_penalty(span_penalty, request, system):
    """Raise an error if there is a span penalty although no job can span clusters."""
    if span_penalty and (request == "total" or len(system) == 1):
        why = "--request total keeps" if request == "total" else "a system of one cluster has"
        raise InputError(
            f"--span-penalty {span_penalty:g} has no effect: {why} each job in one cluster; add "
            "--request flexible and two clusters or more, or leave the penalty out"
        )


def _check_nodes(node, system):
    """Raise an error if a cluster does not consist of whole nodes."""
    odd = [size for size in system.sizes if size % node]
    if odd:
        raise InputError(
            f"--node {node} does not divide a cluster of {odd[0]} processors; give clusters of "
            "whole nodes"
        )


def _check_outputs(out, export, as_json):
    """Raise an error if the outputs exclude each other or if a file cannot be written.

    This is checked before the simulation, which may take long.
    """
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
    """Read a log, and print the notes about its content on stderr."""
    log = load_trace(trace)
    for note in log.notes:
        warn(f"{log.name}: {note}")
    return log


def _run(system, jobs, policy, placement, engine, verify):
    """Simulate the jobs and print warnings on stderr; verify the schedule if `verify` is true."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        schedule = run(system, jobs, scheduling=policy, placement=placement, engine=engine)
    for warning in caught:
        warn(str(warning.message))
    _warn(schedule)
    if verify:
        schedule.verify()
        if schedule.unchecked:
            warn(f"--verify did not check {schedule.unchecked}")
    return schedule


def _left_out(log, jobs, largest):
    """Return the numbers of jobs that were not simulated, by the reason."""
    unusable = len(log) - len(log.usable)
    left_out = {"without run time or processors": unusable}
    left_out |= {f"of more than {largest} processors": len(log) - unusable - len(jobs)}
    return {why: count for why, count in left_out.items() if count}


def _write_files(schedule, export, out):
    """Write the schedule to the files that the options name."""
    if export is not None:
        with naming(export):
            exchange.export(schedule, export)
    if out is None:
        return
    table = schedule.to_frame()
    for name in ("submit", "start", "end"):
        table[name] = _without_decimals(table[name].to_numpy())
    with naming(OUTPUT if out == "-" else out), atomic_path(out) as beside:
        table.to_csv(beside, index=False, lineterminator="\n")


def _splitting(request, system, split, components):
    """Return the function that splits the jobs of a stream into components.

    Parameters
    ----------
    request : str
        The value of the option ``--request``.
    system : Multicluster
        The system, whose largest cluster is the default of ``--split``.
    split, components : int or None
        The values of the options ``--split`` and ``--components``.
    """
    options.chosen("--request", request, REQUESTS)
    if split is not None and components is not None:
        raise InputError("--split and --components exclude each other; give one of them")
    if request in ("total", "flexible"):
        if split or components:
            option = "--split" if split else "--components"
            raise InputError(
                f"{option} is not for --request {request}; leave it out, or use --request unordered"
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
    """Raise an error if a log has no requested times, and print a warning if some are missing.

    The policies would plan such jobs with their exact run times, which a user may not notice.
    """
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
    """Raise an error if a job can never start; name it as in the log and say how to leave it out.

    The function `prepared` splits a stream of jobs into components and rounds them up to nodes.
    """

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
        # If a job can start, every smaller job can start too, so bisection finds the largest one.
        most = bisect_left(range(1, system.processors + 1), True, key=is_impossible)
        raise InputError(
            f"{log.name}: job {jobs.number[error.job]} can never start: {error.reason}; leave such "
            f"jobs out with --largest {most}, {spans}or give it a larger system"
        ) from None


def _warn(schedule):
    """Print warnings if the means are misleading: work still waits, or jobs were rejected.

    If all jobs were rejected, raise an `InputError`.
    """
    jobs = schedule.jobs
    waits = jobs.work[schedule.start > jobs.submit.max()].sum() / jobs.work.sum()
    if waits > STILL_WAITING:
        warn(
            f"at the last submission {waits:.0%} of the work still waits; the means depend on the "
            "length of the log, and the offered load may be more than these policies can serve"
        )
    reasons = Counter(refusal.why for refusal in schedule.refused.values())
    if reasons:
        counts = ", ".join(f"{count:,} {why}" for why, count in reasons.most_common())
        message = (
            f"{len(schedule.refused):,} of {len(schedule):,} jobs were rejected: {counts}; try a "
            "longer --horizon, or more --max-attempts"
        )
        if len(schedule.refused) == len(schedule):
            raise InputError(message)
        warn(message)


def _metrics(schedule):
    """Return the metrics by name. Times are in seconds, and rejected jobs do not count in means."""
    submit, mean = schedule.jobs.submit, means(schedule, at_least=BOUND)
    all_at_start = np.ptp(submit) == 0
    finish = np.nanmax(schedule.end) if all_at_start else submit.max()
    offered = None if all_at_start else schedule.jobs.offered_load(schedule.system)
    metrics = {
        "jobs": mean["jobs"],
        "refused_jobs": mean["refused"],
        "offered_load": offered,
        "utilization": schedule.utilization(submit.min(), finish),
        **{name: mean[row.metric] for name, row in MEANS.items()},
        "spanning_jobs": int(schedule.spans.sum()),
    }
    if schedule.attempts is not None:
        metrics["mean_attempts"] = float(schedule.attempts[schedule.served].mean())
    return metrics


def _intervals(schedule):
    """Return the 95 % intervals of the means, and why some of them have no interval.

    The intervals are those of a bootstrap over weeks.
    """
    ran = schedule.served
    submit, work = schedule.jobs.submit[ran], schedule.jobs.work[ran]
    if np.ptp(submit) < FEWEST_BLOCKS * WEEK:
        days = f"{np.ptp(submit) / DAY:.1f} days"
        return {}, f"a bootstrap over weeks needs {FEWEST_BLOCKS} weeks, but this log has {days}"
    values = [mean.values(schedule)[ran] for mean in MEANS.values()]
    weights = [work if mean.by_work else np.ones(len(work)) for mean in MEANS.values()]
    weeks, least = resample_weeks(values, np.stack(weights), submit), least_means(schedule)
    intervals = {
        name: weeks.interval(itemgetter(at)).within(least[mean.metric])
        for at, (name, mean) in enumerate(MEANS.items())
    }
    reliable = {name: (i.low, i.high) for name, i in intervals.items() if not i.warning}
    doubtful = [name for name in MEANS if name not in reliable]
    if not doubtful:
        return reliable, ""
    warning = intervals[doubtful[0]].warning
    if not reliable:
        return reliable, warning
    return reliable, f"of {', '.join(MEANS[name].label for name in doubtful)}: {warning}"


def _print(answer):
    """Print the metrics as a table, with a column of intervals if there are any."""
    table = _counts(answer.metrics, answer.left_out)
    for name, mean in MEANS.items():
        ends = (f"{end:,.{mean.digits}f}" for end in answer.intervals.get(name, ()))
        value = f"{answer.metrics[name]:,.{mean.digits}f}{mean.unit}"
        table.append((mean.label, value, " to ".join(ends)))
    if "mean_attempts" in answer.metrics:
        table.append(("mean attempts", f"{answer.metrics['mean_attempts']:,.2f}", ""))
    columns = ("metric", ">value", ">95 % interval")[: 3 if answer.intervals else 2]
    print_table(columns, [row[: len(columns)] for row in table], answer.title)
    if answer.why_none:
        has_some = bool(answer.intervals)
        show(f"no interval {answer.why_none}" if has_some else f"no intervals: {answer.why_none}")


def _counts(metrics, left_out):
    """Return the rows of the table that have no interval.

    The number of rejected jobs is left out unless the policy books jobs, because no other policy
    rejects jobs.
    """
    span, offered = metrics["spanning_jobs"], metrics["offered_load"]
    rows = {"jobs": f"{metrics['jobs']:,}"}
    rows |= {f"jobs left out, {why}": f"{count:,}" for why, count in left_out.items()}
    if "mean_attempts" in metrics:
        rows["jobs rejected"] = f"{metrics['refused_jobs']:,}"
    rows["jobs that span clusters"] = f"{span:,} ({span / metrics['jobs']:.1%})"
    rows["offered load"] = "-" if offered is None else f"{offered:.3f}"
    rows["utilization"] = f"{metrics['utilization']:.3f}"
    idle = metrics.get("idle_share_of_work")
    if idle:
        rows["share of both that rounding up to whole nodes adds"] = f"{idle:.1%}"
    return [(*row, "") for row in rows.items()]


def _without_decimals(instants):
    """Return instants for a CSV file: 30 in the place of 30.0, and an empty text for NaN."""
    whole = (instants == np.floor(instants)) & (np.abs(instants) < 2**53)
    if whole.all():
        return instants.astype(np.int64)
    texts = [str(int(x)) if x.is_integer() else repr(x) for x in instants.tolist()]
    return ["" if x == "nan" else x for x in texts]
