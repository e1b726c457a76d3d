"""Workloads and schedules in the files of other tools: Batsim and evalys."""

import json
import os
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.schedules.schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

#: The types of profile, old and new, whose run time depends on no platform.
DELAYS = ("delay", "DelayProfile")
#: The name of an export ends in one of these.
SUFFIXES = (".csv",)


def read_batsim(path: str | os.PathLike[str], request: str = "total") -> JobStream:
    """Read a workload of Batsim, in JSON, whose jobs are delays.

    As in Batsim, a job is stopped at its walltime, which is its estimate. A job that is stopped, or
    whose profile returns another number than 0, is a `JobStream.failed` job. The ids are
    `JobStream.label` and, if all of them are whole numbers, also the numbers of the jobs.

    Parameters
    ----------
    path : path-like
        The file. Format: https://batsim.readthedocs.io/en/latest/input-workload.html
    request : {"total", "flexible", "unordered", "ordered"}
        How the stream reads the resources of each job.

    Raises
    ------
    InputError
        The file is no such workload, or a job has a profile of another type.
    """
    checks.one_of("request", request, REQUESTS)
    try:
        content = checks.path_of("path", path).read_bytes()
        workload = json.loads(content, object_pairs_hook=_once_each, parse_constant=_no_number)
        jobs = workload["jobs"]
        profiles = [workload["profiles"][job["profile"]] for job in jobs]
        strange = [at for at, profile in enumerate(profiles) if profile["type"] not in DELAYS]
        ids, subtime, res = ([job[name] for job in jobs] for name in ("id", "subtime", "res"))
        walltime = [-1 if job.get("walltime") is None else job["walltime"] for job in jobs]
        delays = [profile.get("delay") for profile in profiles]
        returned = [profile.get("ret", 0) for profile in profiles]
        _refuse_odd_ids(ids)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        what = f"no workload of Batsim ({type(error).__name__}: {error})"
        raise InputError(f"{path} is {what}; give JSON with jobs and profiles") from None
    if not jobs:
        raise InputError(f"{path} has no job; give a workload of one or more")
    if strange:
        job, kind = jobs[strange[0]], shown(profiles[strange[0]]["type"])
        what = f"job {shown(job['id'])} has a profile of type {kind}"
        raise InputError(f"{path}: {what}, whose run time depends on a platform; give a delay")
    try:
        limit, delay = checks.numbers("walltime", walltime), checks.times("delay", delays)
        _refuse_impossible(jobs, limit, checks.whole_numbers("res", res), workload.get("nb_res"))
        is_stopped = (limit > 0) & (
            delay >= limit
        )  # Batsim stops a job that just reaches its limit
        has_failed = is_stopped | (checks.numbers("ret", returned) != 0)
        return JobStream(
            checks.times("subtime", subtime),
            np.where(limit > 0, np.minimum(delay, limit), delay),
            checks.whole_numbers("res", res),
            np.ma.masked_less_equal(limit, 0),
            request,
            number=_numbers_in(ids),
            label=ids,
            failed=has_failed,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _refuse_impossible(jobs: list, limit: Any, processors: Any, most: Any) -> None:
    """Refuse jobs that Batsim could not run, and jobs that depend on others.

    In Batsim a walltime of -1 is no limit.
    """
    for job, seconds, size in zip(jobs, limit.tolist(), processors.tolist(), strict=True):
        name = f"job {shown(job['id'])}"
        if seconds <= 0 and seconds != -1:
            raise InputError(
                f"{name}: walltime = {seconds:g}; give seconds above 0, or leave it out"
            )
        if most is not None and size > checks.whole("nb_res", most):
            raise InputError(f"{name}: res = {size}, and nb_res is {most}; correct one of them")
        if job.get("dependencies"):
            what = f"dependencies = {shown(job['dependencies'])}"
            raise InputError(f"{name}: {what}, which are not supported; remove them")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a key that comes twice, of which the last would count."""
    if again := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise ValueError(f"{shown(again[0])} comes twice in one object")
    return dict(pairs)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _refuse_odd_ids(ids: list) -> None:
    """Refuse an id that is no word or number, or comes twice."""
    seen = set()
    for each in ids:
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise ValueError(f"id is {shown(each)}, no word or number")
        if str(each) in seen:
            raise ValueError(f"id {shown(each)} comes twice")
        seen.add(str(each))


def _numbers_in(ids: list) -> list[int] | None:
    """Return ids as numbers; None where they are not all different whole numbers."""
    try:
        found = [checks.whole_in(str(each)) for each in ids]
    except ValueError:
        return None
    return found if len({*found}) == len(found) else None


def export(schedule: Schedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule with numbered processors as Batsim's table of jobs, which evalys reads.

    The table is that of `batsim_jobs`. The name of the file ends in ``.csv``.
    """
    checks.instance_of("schedule", schedule, Schedule, "what simulate returned")
    checks.one_of("path.suffix", checks.path_of("path", path).suffix, SUFFIXES)
    with atomic_path(path) as beside:
        batsim_jobs(schedule).to_csv(beside, index=False, lineterminator="\n")


def batsim_jobs(schedule: Schedule) -> "pd.DataFrame":
    """Return Batsim's table of jobs: times in seconds, processors as intervals, ``0-3 7``.

    A job that was rejected has no success, start, end and processors; a job with `JobStream.failed`
    has no success. The requested time of a job without an estimate is -1. The format:
    https://batsim.readthedocs.io/en/latest/output-jobs.html
    """
    import pandas as pd

    job, low, high = schedule.processor_ranges()
    words = [f"{a}-{b}" if a < b else f"{a}" for a, b in np.stack([low, high], 1).tolist()]
    ends = np.searchsorted(job, np.arange(len(schedule) + 1)).tolist()
    length, response = schedule.end - schedule.start, schedule.response
    jobs, succeeds = schedule.jobs, schedule.served & ~schedule.jobs.failed
    return pd.DataFrame({
        "job_id": jobs.label, "workload_name": "coalloc",
        "submission_time": jobs.submit,
        "requested_number_of_resources": jobs.processors,
        "requested_time": np.where(jobs.has_estimate, jobs.estimate, -1),
        "success": succeeds.astype(int),
        "starting_time": schedule.start, "execution_time": length, "finish_time": schedule.end,
        "waiting_time": schedule.wait, "turnaround_time": response,
        "stretch": response / np.where(length > 0, length, np.nan),
        "allocated_resources": [" ".join(words[a:b]) for a, b in pairwise(ends)],
    })  # fmt: skip
