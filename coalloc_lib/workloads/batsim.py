"""Workloads of the simulator Batsim, in JSON."""

import json
import os
from collections import Counter
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.jobs import REQUESTS, JobStream

#: The Batsim profile types with a fixed run time, which does not depend on the platform. Older
#: versions of Batsim call this type "delay", and newer versions call it "DelayProfile".
DELAYS = ("delay", "DelayProfile")


class _Workload(NamedTuple):
    jobs: list[dict[str, Any]]
    profiles: list[dict[str, Any]]
    resources: Any  # `nb_res`: the number of processors of the platform

    def column(self, name: str) -> list:
        return [job[name] for job in self.jobs]


def read_batsim(path: str | os.PathLike[str], request: str = "total") -> JobStream:
    """Read a Batsim workload in which every job has a delay profile, that is, a fixed run time.

    Batsim stops a job when it reaches its walltime. So the run time of a job is its delay, or its
    walltime if that is shorter, and the walltime is its estimate. A job has failed
    (`JobStream.failed`) if it is stopped or if its profile returns a number other than 0. The ids
    become the labels of the jobs. If all ids are different whole numbers, they also become the
    numbers of the jobs.

    Parameters
    ----------
    path : path-like
        The workload file, in JSON.
    request : {"total", "flexible", "unordered", "ordered"}
        The request type of the jobs. Each job has one component, its number of resources.

    Returns
    -------
    JobStream
        The jobs in the order of the file, with times in seconds.

    Raises
    ------
    InputError
        The file is not a Batsim workload, a job has a profile of another type, a job depends on
        another job, or a job could not run.

    References
    ----------
    The format: https://batsim.readthedocs.io/en/latest/input-workload.html

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> profiles = {"short": {"type": "delay", "delay": 20}}
    >>> jobs = [{"id": "a", "subtime": 5, "res": 2, "profile": "short", "walltime": 60}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "workload.json")
    ...     _ = path.write_text(json.dumps({"nb_res": 8, "jobs": jobs, "profiles": profiles}))
    ...     stream = read_batsim(path)
    >>> stream.runtime.tolist(), stream.estimate.tolist()
    ([20.0], [60.0])
    """
    checks.one_of("request", request, REQUESTS)
    workload = _parsed(path)
    _reject_other_profiles(workload, path)
    try:
        return _stream(workload, request)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _parsed(path: str | os.PathLike[str]) -> _Workload:
    try:
        text = checks.path_of("path", path).read_bytes()
        content = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_reject_constant)
        jobs = content["jobs"]
        profiles = [content["profiles"][job["profile"]] for job in jobs]
        workload = _Workload(jobs, profiles, content.get("nb_res"))
        for profile in profiles:
            _ = profile["type"]
        for name in ("subtime", "res"):
            workload.column(name)
        _reject_odd_ids(workload.column("id"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{path} is not a Batsim workload ({type(error).__name__}: {error}); give a JSON file "
            "with jobs and profiles"
        ) from None
    if not jobs:
        raise InputError(f"{path} has no jobs; give a workload with at least one job")
    return workload


def _reject_other_profiles(workload: _Workload, path: str | os.PathLike[str]) -> None:
    for job, profile in zip(workload.jobs, workload.profiles, strict=True):
        if profile["type"] not in DELAYS:
            raise InputError(
                f"{path}: job {shown(job['id'])} has a profile of type {shown(profile['type'])}, "
                "whose run time depends on the platform; give a profile of type 'delay'"
            )


def _stream(workload: _Workload, request: str) -> JobStream:
    jobs, profiles = workload.jobs, workload.profiles
    walltimes = [-1 if job.get("walltime") is None else job["walltime"] for job in jobs]
    limit = checks.numbers("walltime", walltimes)
    delay = checks.times("delay", [profile.get("delay") for profile in profiles])
    processors = checks.whole_numbers("res", workload.column("res"))
    _reject_impossible(workload, limit, processors)
    returned = checks.numbers("ret", [profile.get("ret", 0) for profile in profiles])
    # Batsim also stops a job whose delay is equal to its walltime.
    is_stopped = (limit > 0) & (delay >= limit)
    ids = workload.column("id")
    return JobStream(
        checks.times("subtime", workload.column("subtime")),
        np.where(limit > 0, np.minimum(delay, limit), delay),
        processors,
        np.ma.masked_less_equal(limit, 0),
        request,
        number=_numbers_in(ids),
        label=ids,
        failed=is_stopped | (returned != 0),
    )


def _reject_impossible(workload: _Workload, limit: NDArray, processors: NDArray) -> None:
    most = inf if workload.resources is None else checks.whole("nb_res", workload.resources)
    rows = zip(workload.jobs, limit.tolist(), processors.tolist(), strict=True)
    for job, seconds, size in rows:
        name = f"job {shown(job['id'])}"
        # In Batsim, a walltime of -1 means that the run time of a job has no limit.
        if seconds <= 0 and seconds != -1:
            raise InputError(
                f"{name}: walltime = {seconds:g}; give a number of seconds above 0, or omit "
                "walltime"
            )
        if size > most:
            raise InputError(
                f"{name}: res = {size} is more than nb_res = {most}, the number of processors of "
                "the platform; correct one of them"
            )
        if job.get("dependencies"):
            raise InputError(
                f"{name}: dependencies = {shown(job['dependencies'])}, but dependencies between "
                "jobs are not supported; remove them"
            )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Without this check, `json.loads` keeps only the last value of a repeated key.
    repeated = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if repeated:
        raise ValueError(f"{shown(repeated[0])} comes twice in one object")
    return dict(pairs)


def _reject_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number in JSON")


def _reject_odd_ids(ids: list) -> None:
    seen = set()
    for value in ids:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"id is {shown(value)}, which is neither a string nor a number")
        if str(value) in seen:
            raise ValueError(f"id {shown(value)} comes twice")
        seen.add(str(value))


def _numbers_in(ids: list) -> list[int] | None:
    try:
        numbers = [checks.whole_in(str(value)) for value in ids]
    except ValueError:
        return None
    return numbers if len({*numbers}) == len(numbers) else None
