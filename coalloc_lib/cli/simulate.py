"""The command ``coalloc simulate``, which simulates the jobs of a log on a system."""

import sys
import warnings
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import check_writable
from coalloc_lib.cli import options
from coalloc_lib.cli.framework import is_same_file
from coalloc_lib.cli.job_options import JobOptions, prepare, reject_missing
from coalloc_lib.cli.output import print_json, show, warn
from coalloc_lib.cli.schedule_means import mean_intervals
from coalloc_lib.cli.simulate_output import Answer, metrics_of, print_answer, write_files
from coalloc_lib.schedules import exchange
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.simulation.run import ENGINES
from coalloc_lib.simulation.run import simulate as run

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


@dataclass(frozen=True)
class _Given(JobOptions):
    scheduling: str = "fcfs"


@options.command(
    planning=True,
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
    given: _Given,
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
    policy = options.scheduling_of(given.scheduling, **policy_options)
    if not policy.uses_estimates and export is None:
        reject_missing(given.missing, given.scheduling)
    _check_outputs(out, export, as_json)
    prepared = prepare(policy, given)
    _reject_overwriting(prepared.log, out, export)
    schedule = _run(prepared, engine, verify)
    left_out = _left_out(prepared, given.largest)
    metrics = {"left_out_jobs": sum(left_out.values()), **metrics_of(schedule)}
    if given.node > 1:
        metrics["idle_share_of_work"] = 1 - prepared.asked.work.sum() / schedule.jobs.work.sum()
    title = prepared.log.title
    answer = Answer(f"{title} on {prepared.system}", metrics, left_out, *mean_intervals(schedule))
    try:
        write_files(schedule, export, out)
    finally:  # The metrics are printed even if the disk is too full for the files.
        if as_json:
            print_json(answer.to_json(title, prepared.system, out))
        else:
            with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
                print_answer(answer)
    if out != "-" and not as_json:
        show(*(file for file in (export, out) if file is not None))


def _check_outputs(out, export, as_json):
    # The output options are checked before the simulation, which may take a long time.
    if out == "-" and as_json:
        raise InputError(
            "--out - and --json both write to standard output; use --out with the name of a file"
        )
    if export is not None:
        options.chosen("the extension of --export", Path(export).suffix, exchange.SUFFIXES)
        check_writable(export)
    if out is not None:
        check_writable(out)
    if out is not None and export is not None and is_same_file(out, export):
        raise InputError(f"--out and --export both name the file {export}; give two names")


def _reject_overwriting(log, out, export):
    for option, path in (("--out", out), ("--export", export)):
        if path not in (None, "-") and is_same_file(path, log.source):
            raise InputError(
                f"{option} {path} would overwrite the log of --trace; give the name of another file"
            )


def _run(prepared, engine, verify):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        schedule = run(
            prepared.system, prepared.jobs, scheduling=prepared.policy,
            placement=prepared.placement, engine=engine,
        )  # fmt: skip
    for warning in caught:
        warn(str(warning.message))
    _reject_if_none_served(schedule)
    _warn_of_misleading_means(schedule)
    if verify:
        schedule.verify()
        if schedule.unchecked:
            warn(f"--verify did not check {schedule.unchecked}")
    return schedule


def _left_out(prepared, largest):
    log, jobs = prepared.log, prepared.jobs
    unusable = len(log) - len(log.usable)
    left_out = {"without run time or processors": unusable}
    left_out |= {f"of more than {largest} processors": len(log) - unusable - len(jobs)}
    return {why: count for why, count in left_out.items() if count}


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
