"""Outages: processors that are out of use from one instant to another, as for maintenance.

They are known from the start, and policies plan around them: each is a job that reserves its
processors, and jobs that would still run when it begins wait until it is over.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from coalloc_lib.basics.checks import (
    InputError,
    instance_of,
    not_negative,
    number_in,
    path_of,
    positive,
    shown,
    whole,
    whole_in,
)
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.model.jobs import JobStream, merge
from coalloc_lib.model.placement import HomeSite, Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from coalloc_lib.schedules.numbering import Ranges, listed
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import ScheduleError


@dataclass(frozen=True)
class Outage:
    """Processors of a cluster that no job has between two instants.

    Parameters
    ----------
    cluster : int
        Its number, from 0.
    start, end : float
        In the seconds of the jobs' submissions; `end` is after `start`.
    processors : int, optional
        How many; all of the cluster where it is not given.
    """

    cluster: int
    start: float
    end: float
    processors: int | None = None

    def __post_init__(self) -> None:
        """Check that it is one."""
        whole("cluster", self.cluster, least=0)
        not_negative("start", self.start)
        if not positive("end", self.end) > self.start:
            raise InputError(f"end = {self.end:g} is not after start = {self.start:g}; give later")
        if self.processors is not None:
            whole("processors", self.processors)


def read_outages(path: Any, epoch: float | None = None) -> tuple[Outage, ...]:
    r"""Read outages from a CSV file: a header with cluster, start, end and perhaps processors.

    Parameters
    ----------
    path : path-like
        Instants are seconds of the log, or dates such as ``2026-03-01T08:00``, in UTC if without a
        zone. Where there is no number of processors it is the whole cluster.
    epoch : float, optional
        The second of Unix from which the log counts, `SwfLog.epoch`: dates need it. What ends
        before that is left out.

    Raises
    ------
    InputError
        It names the file and the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "outages.csv"
    >>> _ = file.write_text("cluster,start,end\n0,3600,7200\n")
    >>> read_outages(file)
    (Outage(cluster=0, start=3600.0, end=7200.0, processors=None),)
    """
    path, found = path_of("path", path), []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, skipinitialspace=True, strict=True)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {why}; give a CSV file of cluster,start,end") from None
    if not rows:
        raise InputError(f"{path} has no outage; give a line of cluster,start,end for each")
    names = [*(reader.fieldnames or ())]
    if again := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{path}, line 1: column {shown(again[0])} comes twice; name each once")
    for line, row in rows:
        where = f"{path}, line {line}"
        if missing := [name for name in ("cluster", "start", "end") if name not in row]:
            raise InputError(f"{path}, line 1: no column {missing[0]}; name cluster,start,end")
        if None in row:
            raise InputError(f"{where}: more cells than the header has names; name each column")
        try:
            start, end = (_instant(name, row[name], epoch) for name in ("start", "end"))
            cluster, wide = (_whole(name, row.get(name)) for name in ("cluster", "processors"))
            if cluster is None:
                raise InputError("cluster is empty; give its number, from 0")
            if end > 0 or start >= end:
                found.append(Outage(cluster, max(start, 0.0), end, wide))
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
    return tuple(found)


def _whole(name, text):
    """Return a whole number; None for an empty cell."""
    if not (text or "").strip():
        return None
    try:
        return whole_in(text)
    except ValueError:
        raise InputError(f"{name} = {shown(text)}; give a whole number of 0 or more") from None


def _instant(name, text, epoch):
    """Return the second of the log that a text means, a number or a date."""
    try:
        return number_in(text or "")
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat((text or "").strip())
    except ValueError:
        mend = "give seconds of the log, or a date such as 2026-03-01T08:00"
        raise InputError(f"{name} = {shown(text)}; {mend}") from None
    if epoch is None:
        raise InputError(f"{text} is a date, and the log tells no UnixStartTime; give seconds")
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - epoch


def checked(outages: Any) -> tuple[Outage, ...]:
    """Return outages as a tuple; refuse what is none."""
    if isinstance(outages, Outage) or not isinstance(outages, Iterable):
        raise InputError(f"outages = {shown(outages)}; give a list of them, as read_outages does")
    for outage in (outages := tuple(outages)):
        instance_of("outages", outage, Outage, "Outage(cluster=0, start=3600, end=7200)")
    return outages


def reserved(
    system: Multicluster,
    jobs: JobStream,
    placement: Placement | None,
    scheduling: Scheduling,
    outages: Sequence[Outage],
) -> tuple[JobStream, Placement | None]:
    """Return what `simulate` runs: a stream of the jobs and the outages, and a placement.

    Parameters
    ----------
    system, jobs, placement, scheduling, outages
        As of `simulate`.

    Returns
    -------
    stream : JobStream
        The jobs, numbered from 0, and after them in number the outages, as jobs that reserve.
    placement : Placement or None
        One that keeps each outage on its cluster, where the requests do not.
    """
    for outage in outages:
        size = system.sizes[outage.cluster] if outage.cluster < len(system) else 0
        if (outage.processors or 1) > size:
            sizes = ", ".join(map(str, system.sizes))
            raise InputError(f"{outage}: the clusters, from 0, have {sizes}; name what one has")
    if not scheduling.takes_reservations or scheduling.adaptive:
        raise InputError(
            f"{scheduling} plans around no outages; use EASY(), Conservative() or Online"
        )
    if jobs.request == "unordered":
        raise InputError(
            "outages are for total, flexible and ordered requests, and these are unordered; "
            "replace(request='total') first, or --request total"
        )
    clusters = np.array([outage.cluster for outage in outages])
    start, end = (np.array([getattr(each, name) for each in outages]) for name in ("start", "end"))
    free = int(jobs.request != "ordered")  # a column of jobs that may go anywhere
    components = np.zeros((len(outages), len(system) + free), dtype=np.int64)
    components[np.arange(len(outages)), clusters + free] = [
        outage.processors or system.sizes[outage.cluster] for outage in outages
    ]
    first, count = jobs.submit.min(), len(jobs)
    blocks = JobStream(
        np.minimum(start, first), end - start, components, request=jobs.request,
        number=count + np.arange(len(outages)), earliest_start=start, latest_start=start,
    )  # fmt: skip
    jobs = jobs.replace(number=np.arange(count))
    if free and placement is not None and not isinstance(placement, HomeSite):
        jobs, placement = jobs.replace(components=jobs.processors), HomeSite(placement)
    return merge(blocks, jobs), placement


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OutageSchedule(Schedule):
    """A `Schedule` of jobs around outages."""

    #: The schedule of the jobs and of the outages, which are jobs too.
    whole: Schedule

    @classmethod
    def of(cls, whole: Schedule, jobs: JobStream, placement: Placement | None) -> "OutageSchedule":
        """Return what `whole` does with the `jobs` that `reserved` was given."""
        rows = np.argsort(whole.jobs.number)
        if late := [job for job in rows[len(jobs) :] if job in whole.refused]:
            start = whole.jobs.earliest_start[late[0]]
            end = start + whole.jobs.runtime[late[0]]
            raise InputError(
                f"outages: the one from {start:g} to {end:g} cannot be, as others overlap it, or "
                "Online books no further; make it smaller, or give Online a longer horizon"
            )
        rows, promised = rows[: len(jobs)], whole.promised
        refused = {job: whole.refused[row] for job, row in enumerate(rows) if row in whole.refused}
        return cls(
            whole.system, jobs, whole.scheduling, placement, whole.start[rows], whole.end[rows],
            whole.allocation[rows], None if promised is None else promised[rows], refused,
            None if whole.attempts is None else whole.attempts[rows], whole=whole,
        )  # fmt: skip

    def verify(self, most_jobs: int = 50_000) -> "OutageSchedule":
        """Check the schedule with its outages, and that this one has the same for every job."""
        rows = np.argsort(self.whole.jobs.number)
        try:
            self.whole.verify(most_jobs)
        except ScheduleError as error:
            raise self._in_own_numbers(error, np.argsort(rows)) from None
        rows = rows[: len(self)]
        for name in ("start", "end", "allocation", "promised", "attempts"):
            mine, of_whole = getattr(self, name), getattr(self.whole, name)
            if mine is not None and not np.array_equal(mine, of_whole[rows], equal_nan=True):
                raise ScheduleError(f"the {name} of the jobs is not that around the outages")
        refused = {job: self.whole.refused.get(row) for job, row in enumerate(rows.tolist())}
        if any(refused[job] != self.refused.get(job) for job in refused):
            raise ScheduleError("the refused jobs are not those around the outages")
        return self

    def _in_own_numbers(self, error, number):
        """Return the error with the positions of the jobs, or of the outage, here."""
        if error.job is None or number[error.job] < len(self):
            return error.renumbered(number)
        return ScheduleError(f"outage {number[error.job] - len(self)}: {error.what}")

    def processor_ids(self) -> Servers:
        """Return which processors each job has, none of which is out of use then."""
        return listed(self.processor_ranges(), len(self))

    def processor_ranges(self) -> Ranges:
        """Return the same as ranges; see `Schedule`."""
        every, place = self.whole.processor_ranges(), np.argsort(self.whole.jobs.number)
        job = np.argsort(place)[every.job]
        order = np.argsort(job, kind="stable")
        order = order[: np.searchsorted(job[order], len(self))]
        return Ranges(job[order], every.low[order], every.high[order])
