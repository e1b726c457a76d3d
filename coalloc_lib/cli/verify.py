"""The command ``coalloc verify``, which checks a schedule that any tool made."""

from typing import Annotated, Any

import numpy as np
import typer

from coalloc_lib.cli import options
from coalloc_lib.cli.job_options import JobOptions, prepare, reject_missing
from coalloc_lib.cli.output import print_json, print_table, show
from coalloc_lib.cli.schedule_files import read_schedule
from coalloc_lib.model.placement import WorstFit
from coalloc_lib.policies import Online, Refusal
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification.counting import KINDS, Violations, count_violations

EXAMPLES = """\b
Examples:
  coalloc verify schedule.csv --trace KTH-SP2 --clusters 100 --scheduling easy
  coalloc verify batsim_jobs.csv --trace my.swf.gz --clusters 64,64 --request flexible \\
      --scheduling fpfs --max-jumps 20
  coalloc verify KTH-SP2 --trace KTH-SP2 --clusters 100 --scheduling fcfs
"""


@options.command(
    planning=True,
    trace=("FILE|NAME", "The log with the jobs: a file (.swf, .swf.gz) or the name of a public "
           "log."),
    scheduling=("POLICY", "The policy whose decisions are checked.  [default: only the rules that "
                "hold for every policy are checked]"),
)  # fmt: skip
def verify(
    schedule: Annotated[
        str,
        typer.Argument(
            metavar="SCHEDULE",
            help="A CSV file of `coalloc simulate` or of Batsim, or a log with waits.",
        ),
    ],
    given: JobOptions,
    as_json: bool = False,
    **policy_options: Any,
) -> None:
    """Check a schedule against the rules of the model and the decisions of a policy.

    The first violation is printed with its job, its instant and the rule, and then the number of
    all violations by kind. The exit status is 0 without a violation, 1 with one, and 2 if the input
    is wrong. The other options are those with which the schedule was made.
    """
    scheduling = given.scheduling
    if scheduling is None:
        options.reject_without_scheduling(**policy_options)
    policy = options.scheduling_of(scheduling or "fcfs", **policy_options)
    if not policy.uses_estimates:
        reject_missing(given.missing, scheduling)
    prepared = prepare(policy, given)
    recorded = _read(schedule, prepared)
    found = count_violations(recorded, has_decisions=scheduling is not None)
    found.unchecked += _never_checked(recorded, scheduling)
    if as_json:
        print_json(_as_json(recorded, found))
    else:
        _print(recorded, found, scheduling)
    if found.first is not None:
        raise typer.Exit(1)


def _read(path, prepared):
    system, policy, placement, jobs, *_ = prepared
    recorded = read_schedule(path, system, jobs)
    placement = None if jobs.request == "ordered" else placement or WorstFit()
    # In online booking, a job without a start counts as rejected.
    refused = {}
    if type(policy) is Online:
        for job in np.flatnonzero(np.isnan(recorded.start)).tolist():
            refused[job] = Refusal(float(jobs.submit[job]), "")
    return Schedule(system, jobs, policy, placement, *recorded, refused=refused)


def _never_checked(schedule, scheduling):
    if scheduling is None:
        return ["the decisions of a policy; give --scheduling"]
    missing = ["promised starts"] if schedule.scheduling.uses_estimates else []
    missing += ["attempts", "reasons of rejections"] if type(schedule.scheduling) is Online else []
    missing.append("the numbers of processors")
    return [f"{', '.join(missing)}, because only starts, ends and allocations are read"]


def _first(schedule: Schedule, found: Violations) -> str:
    assert found.first is not None
    return str(found.first.renumbered(schedule.jobs.number))


def _print(schedule: Schedule, found: Violations, scheduling: str | None) -> None:
    checked = f"{len(schedule):,} jobs on {schedule.system}: the rules of the model"
    if scheduling is not None:
        checked += f" and the decisions of {schedule.scheduling}"
    if found.first is None:
        show(f"no violation in {checked}")
    else:
        show(f"{found.kind}: {_first(schedule, found)}")
        rows = [
            (kind, f"{count:,}", f"{count / len(schedule):.1%}", KINDS[kind])
            for kind, count in found.counts.items()
        ]
        print_table(("kind", ">jobs", ">share", "meaning"), rows, f"Violations in {checked}")
    show(*(f"not checked: {what}" for what in found.unchecked))


def _as_json(schedule: Schedule, found: Violations) -> dict[str, Any]:
    first = None
    if found.first is not None:
        job = found.first.job
        number = None if job is None else int(schedule.jobs.number[job])
        words = _first(schedule, found)
        first = {"kind": found.kind, "job": number, "instant": found.first.instant, "rule": words}
    return {
        "jobs": len(schedule),
        "violations": found.counts,
        "first": first,
        "not_checked": found.unchecked,
    }
