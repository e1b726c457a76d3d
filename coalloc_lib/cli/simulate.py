"""``coalloc simulate``: a log through a system, as a schedule and its metrics."""

import sys
import warnings
from bisect import bisect_left
from collections import Counter
from contextlib import redirect_stdout
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
from coalloc_lib.simulation.run import ENGINES, refuse_impossible
from coalloc_lib.simulation.run import simulate as run
from coalloc_lib.statistics.bootstrap import DAY, FEWEST_BLOCKS, WEEK, resample_weeks
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.swf import ESTIMATES

#: The shortest time on processors, in seconds, that counts in the bounded slowdown.
BOUND = 10.0
#: The metrics that have intervals, by bootstrap over weeks, and what they are called.
MEANS = {
    "mean_wait": "mean wait",
    "mean_response": "mean response",
    "average_weighted_response_time": "AWRT",
    "mean_bounded_slowdown": f"mean bounded slowdown ({BOUND:g} s)",
}
#: What `means` and `least_means` call them.
METRIC_OF = {
    "mean_wait": "wait_mean",
    "mean_response": "response_mean",
    "average_weighted_response_time": "awrt_work",
    "mean_bounded_slowdown": "slowdown_mean",
}
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
    trace=("FILE|NAME", "A log (.swf, .swf.gz) or a public one."),
    estimates=("KIND", "Run time estimates, which easy, conservative and online plan with: "
               "requested or exact."),
    missing=("S", "The estimate of jobs that requested no time.  [default: their run time]"),
    span_penalty=("P", "A job on several clusters runs 1 + P times as long.", 0),
    split=("N", "unordered: the fewest components of at most N processors.  "
           "[default: the largest cluster]", 1),
    components=("K", "unordered, ordered: into K, equal up to one.", 1),
    largest=("N", "Leave out jobs of more than N processors.", 1),
    node=("N", "Jobs get whole nodes of N processors.", 1),
    load=("X", "Scale the interarrival times to this offered load."),
    engine=("ENGINE", f"One of {', '.join(ENGINES)}.  "
            "[default: compiled where it knows the policies]"),
    verify=(None, "Check the schedule against the rules of the model."),
    export=("FILE.csv", "Also write it with numbered processors, as Batsim's table of jobs, which "
            "evalys reads."),
    out=("FILE.csv", "Where the schedule goes; - is standard output, and the metrics go to "
         "stderr."),
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
    """Run a log through a system; print the metrics, then write the schedule.

    The schedule is CSV: job,submit,start,end,processors,allocation, where the allocation 0:32;1:16
    is 32 processors of cluster 0 and 16 of cluster 1. Times are in seconds. A job that online
    scheduling refuses has no start, end and allocation; the means are those of all others.
    """
    if engine is not None:
        options.chosen("--engine", engine, ENGINES)
    system = parse_clusters(clusters, "--clusters")
    policy = options.scheduling_of(scheduling, **policy_options)
    places = options.placement_of(placement, request)
    parts = _division(request, system, split, components)

    def divided(jobs: JobStream) -> JobStream:
        return parts(jobs).in_nodes(node)

    options.chosen("--estimates", estimates, ESTIMATES)
    _check_penalty(span_penalty, request, system)
    _check_nodes(node, system)
    _check_outputs(out, export, as_json)
    log = _read(trace)
    if policy.uses_estimates and estimates == "requested" and missing is None:
        _check_requested_times(log)
    asked = log.jobs(request, estimates, span_penalty, largest, missing)
    jobs = divided(asked)
    _refuse_impossible(system, jobs, places, divided, log)
    if load is not None:
        jobs = jobs.with_load(system, positive("--load", load))
    schedule = _run(system, jobs, policy, places, engine, verify)
    left_out = _left_out(log, jobs, largest)
    metrics = {"left_out_jobs": sum(left_out.values()), **_metrics(schedule)}
    if node > 1:
        metrics["idle_share_of_work"] = 1 - asked.work.sum() / jobs.work.sum()
    answer = _Answer(f"{log.title} on {system}", metrics, left_out, *_intervals(schedule))
    try:
        _write_files(schedule, export, out)
    finally:  # If the disk is full, the files are lost, but the metrics are not.
        if as_json:
            print_json(answer.to_json(log.title, system, out))
        else:
            with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
                _print(answer)
    if out != "-" and not as_json:
        show(*(file for file in (export, out) if file is not None))


class _Answer(NamedTuple):
    """All that is printed of a run: `why_none` says why metrics have no interval."""

    title: str
    metrics: dict[str, Any]
    left_out: dict[str, int]
    intervals: dict[str, tuple[float, float]]
    why_none: str

    def to_json(self, trace: str, system: Multicluster, out: str | None) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        answer = {"trace": trace, "clusters": list(system.sizes), **self.metrics}
        answer |= {"ci95": self.intervals or None, "left_out": self.left_out, "out": out}
        return answer | {"version": __version__}


def _check_penalty(span_penalty, request, system):
    """Refuse a span penalty if no job can span clusters."""
    if span_penalty and (request == "total" or len(system) == 1):
        why = "--request total keeps" if request == "total" else "a system of one cluster has"
        raise InputError(
            f"--span-penalty {span_penalty:g} has no effect: {why} each job in one cluster; add "
            "--request flexible and two clusters or more, or leave the penalty out"
        )


def _check_nodes(node, system):
    """Refuse clusters that do not consist of whole nodes."""
    odd = [size for size in system.sizes if size % node]
    if odd:
        raise InputError(
            f"--node {node} does not divide a cluster of {odd[0]} processors; give clusters of "
            "whole nodes"
        )


def _check_outputs(out, export, as_json):
    """Refuse outputs that exclude each other or cannot be written, before the run."""
    if out == "-" and as_json:
        raise InputError("--out - and --json both want standard output; give --out a file")
    if export is not None:
        options.chosen("--export, its end", Path(export).suffix, exchange.SUFFIXES)
        check_writable(export)
    if out is not None:
        check_writable(out)


def _read(trace):
    """Return a log, and print the notes on how it was read to stderr."""
    log = load_trace(trace)
    for note in log.notes:
        warn(f"{log.name}: {note}")
    return log


def _run(system, jobs, policy, placement, engine, verify):
    """Return the schedule, verified if asked; print warnings to stderr."""
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
    """Return the number of jobs that were not run, by the reason."""
    unusable = len(log) - len(log.usable)
    left_out = {"without run time or processors": unusable}
    left_out |= {f"of more than {largest} processors": len(log) - unusable - len(jobs)}
    return {why: count for why, count in left_out.items() if count}


def _write_files(schedule, export, out):
    """Write the schedule in the formats that were asked for."""
    if export is not None:
        with naming(export):
            exchange.export(schedule, export)
    if out is None:
        return
    table = schedule.to_frame()
    for name in ("submit", "start", "end"):
        table[name] = _plain(table[name].to_numpy())
    with naming(OUTPUT if out == "-" else out), atomic_path(out) as beside:
        table.to_csv(beside, index=False, lineterminator="\n")


def _division(request, system, split, components):
    """Return what divides a stream of total requests as the options ask."""
    options.chosen("--request", request, REQUESTS)
    if split is not None and components is not None:
        raise InputError("--split and --components exclude each other; give one of them")
    if request in ("total", "flexible"):
        if split or components:
            option = "--split" if split else "--components"
            raise InputError(f"{option} is not for --request {request}; drop it, or use unordered")
        return lambda jobs: jobs
    if request == "ordered" and components is None:
        raise InputError(
            "--request ordered needs --components K: components 1 to K are for clusters 0 to K-1"
        )
    splitting = {"into": components} if components else {"at_most": split or system.largest}
    return lambda jobs: jobs.split(**splitting).replace(request=request)


def _check_requested_times(log):
    """Refuse a log without requested times, which would be planned with exact ones unnoticed."""
    jobs, missing = len(log.usable), log.without_requested_time
    if missing == jobs:
        raise InputError(
            f"{log.name} has no requested times (field 9 of its jobs) to plan with; give "
            "--missing SECONDS, or --estimates exact"
        )
    if missing:
        warn(
            f"{missing:,} of {jobs:,} jobs have no requested time; they are planned with their run "
            "time, better than any user knows it; --missing SECONDS gives them another"
        )


def _refuse_impossible(system, jobs, placement, divided, log):
    """Refuse a job that can never start by its number in the log, and say how to leave it out."""

    def is_impossible(size):
        one = JobStream([0], [0], [size], request=jobs.request)
        try:
            refuse_impossible(system, divided(one), placement)
        except ImpossibleJobError:
            return True
        return False

    try:
        refuse_impossible(system, jobs, placement)
    except ImpossibleJobError as error:
        fits = jobs.request == "total" and jobs.processors.max() <= system.processors
        spans = "let them span clusters with --request flexible, " if fits else ""
        # Where a job can start, every smaller one can too.
        most = bisect_left(range(1, system.processors + 1), True, key=is_impossible)
        raise InputError(
            f"{log.name}: job {jobs.number[error.job]} can never start: {error.reason}; leave such "
            f"jobs out with --largest {most}, {spans}or give it a larger system"
        ) from None


def _warn(schedule):
    """Say on stderr what the means leave out: jobs that were refused, and work that waits on."""
    jobs = schedule.jobs
    waits = jobs.work[schedule.start > jobs.submit.max()].sum() / jobs.work.sum()
    if waits > STILL_WAITING:
        warn(
            f"at the last submission {waits:.0%} of the work still waits: means depend on where "
            "the log ends, and perhaps more is offered than these policies can serve"
        )
    reasons = Counter(refusal.why for refusal in schedule.refused.values())
    if reasons:
        counts = ", ".join(f"{count:,} {why}" for why, count in reasons.most_common())
        what = f"{len(schedule.refused):,} of {len(schedule):,} jobs were refused: {counts}"
        what += "; try a longer --horizon, or more --max-attempts"
        if len(schedule.refused) == len(schedule):
            raise InputError(what)
        warn(what)


def _metrics(schedule):
    """Return the metrics by name; times are in seconds, means those of the jobs that ran."""
    came, mean = schedule.jobs.submit, means(schedule, at_least=BOUND)
    at_once = np.ptp(came) == 0
    finish = np.nanmax(schedule.end) if at_once else came.max()
    metrics = {
        "jobs": mean["jobs"],
        "refused_jobs": mean["refused"],
        "offered_load": None if at_once else schedule.jobs.offered_load(schedule.system),
        "utilization": schedule.utilization(came.min(), finish),
        **{name: mean[metric] for name, metric in METRIC_OF.items()},
        "spanning_jobs": int(schedule.spans.sum()),
    }
    if schedule.attempts is not None:
        metrics["mean_attempts"] = float(schedule.attempts[schedule.served].mean())
    return metrics


def _intervals(schedule):
    """Return the intervals of the means, by bootstrap over weeks, and why there are none."""
    ran, response = schedule.served, schedule.response
    waits = schedule.wait, response, response, schedule.slowdown(BOUND)
    weights, submit = np.ones((len(waits), ran.sum())), schedule.jobs.submit[ran]
    weights[2] = schedule.jobs.work[ran]
    if np.ptp(submit) < FEWEST_BLOCKS * WEEK:
        days = f"{np.ptp(submit) / DAY:.1f} days"
        return (
            {},
            f"a bootstrap over weeks needs {FEWEST_BLOCKS} of them; this log has {days}",
        )
    weeks = resample_weeks([x[ran] for x in waits], weights, submit)
    least = least_means(schedule)
    found = {
        name: weeks.interval(itemgetter(at)).within(least[METRIC_OF[name]])
        for at, name in enumerate(MEANS)
    }
    sure = {name: (each.low, each.high) for name, each in found.items() if not each.warning}
    doubtful = [name for name in MEANS if name not in sure]
    if not doubtful:
        return sure, ""
    which = "of " + ", ".join(MEANS[name] for name in doubtful) + ": "
    return sure, which * bool(sure) + found[doubtful[0]].warning


def _print(answer):
    """Print the metrics as a table, with intervals where there are some."""
    table = _counts(answer.metrics, answer.left_out)
    for name, words in MEANS.items():
        digits, unit = (1, "") if "slowdown" in name else (0, " s")
        ends = (f"{end:,.{digits}f}" for end in answer.intervals.get(name, ()))
        table.append((words, f"{answer.metrics[name]:,.{digits}f}{unit}", " to ".join(ends)))
    if "mean_attempts" in answer.metrics:
        table.append(("mean attempts", f"{answer.metrics['mean_attempts']:,.2f}", ""))
    columns = ("metric", ">value", ">95 % interval")[: 3 if answer.intervals else 2]
    print_table(columns, [row[: len(columns)] for row in table], answer.title)
    if answer.why_none:
        sure = bool(answer.intervals)
        show(f"no interval {answer.why_none}" if sure else f"no intervals: {answer.why_none}")


def _counts(metrics, left_out):
    """Return the rows of the table that have no interval; only booking can refuse jobs."""
    span, offered = metrics["spanning_jobs"], metrics["offered_load"]
    rows = {"jobs": f"{metrics['jobs']:,}"}
    rows |= {f"jobs left out, {why}": f"{count:,}" for why, count in left_out.items()}
    if "mean_attempts" in metrics:
        rows["jobs refused"] = f"{metrics['refused_jobs']:,}"
    rows["jobs that span clusters"] = f"{span:,} ({span / metrics['jobs']:.1%})"
    rows["offered load"] = "-" if offered is None else f"{offered:.3f}"
    rows["utilization"] = f"{metrics['utilization']:.3f}"
    idle = metrics.get("idle_share_of_work")
    if idle:
        rows["of both, what rounding up to whole nodes adds"] = f"{idle:.1%}"
    return [(*row, "") for row in rows.items()]


def _plain(instants):
    """Return instants without needless decimals, 30, not 30.0, and nothing where there is none."""
    whole = (instants == np.floor(instants)) & (np.abs(instants) < 2**53)
    if whole.all():
        return instants.astype(np.int64)
    texts = [str(int(x)) if x.is_integer() else repr(x) for x in instants.tolist()]
    return ["" if x == "nan" else x for x in texts]
