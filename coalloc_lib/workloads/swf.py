"""Logs in the Standard Workload Format (SWF) of the Parallel Workloads Archive.

A line that begins with ``;`` is a comment, and the comments before the first job form the header.
Every other line describes a job by 18 numbers, and -1 means that a value is not known. The format:
https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.display import card, span_of
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.basics.text import printable
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads import swf_clock, swf_header
from coalloc_lib.workloads.log_files import content
from coalloc_lib.workloads.preemption import whole_jobs
from coalloc_lib.workloads.swf_lines import parsed

if TYPE_CHECKING:
    import pandas as pd

#: The run time estimates that `SwfLog.jobs` can use: the requested times of the jobs, or their
#: actual run times.
ESTIMATES = ("requested", "exact")
#: The values of the field status that mean that a job failed (0) or was cancelled (5).
FAILED = (0, 5)


@dataclass(frozen=True, eq=False, repr=False)
class SwfLog:
    """A log in the Standard Workload Format: its header, and a table with one row per job.

    Parameters
    ----------
    header : dict of str to str
        The values of the header, which are comments such as ``; MaxProcs: 128``. If a key comes
        several times, its values are joined by line breaks.
    table : pandas.DataFrame, shape (n, 18)
        The jobs, in the order of the file. The columns are `FIELDS`, and times are in seconds.
    name : str
        The name of the log in tables and figures.
    source : str
        The path of the file from which the log was read.
    is_stand_in : bool
        Whether the log is a synthetic one that replaces a real log.
    receipt : pandas.DataFrame, optional
        The receipt of an import from another format: how many lines became jobs or were left out,
        and why.
    notes : tuple of str
        Sentences that tell the user how the file was read if it could be read in several ways.
    header_lines : dict of str to int
        The line of the file on which each key of the header is first given.
    """

    header: dict[str, str]
    table: "pd.DataFrame"
    name: str = "log"
    source: str = ""
    is_stand_in: bool = False
    receipt: "pd.DataFrame | None" = None
    notes: tuple[str, ...] = ()
    header_lines: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<SwfLog {self.title}: {len(self):,} jobs>"

    def _repr_html_(self) -> str:
        submit = self.table["submit"][self._usable[1]]
        size = len(submit)
        facts: dict[str, object] = {"jobs": len(self), "with a run time and processors": size}
        if size:
            facts |= {"processors": self.processors, "submitted": f"{span_of(submit)} s"}
        noted = "; ".join(self.notes) or None
        return card(self.title, {**facts, "file": self.source, "note": noted})

    @property
    def title(self) -> str:
        """The name of the log, followed by a remark if the log is synthetic."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def usable(self) -> "pd.DataFrame":
        """The table of the jobs with a run time above 0 and a number of processors above 0.

        The additional column ``processors`` has the allocated processors of a job, or its requested
        processors if the former are not known.
        """
        processors, chosen = self._usable
        return self.table.assign(processors=processors)[chosen]

    @cached_property
    def _usable(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        names = ("allocated_processors", "requested_processors", "runtime")
        allocated, requested, runtime = (self.table[name].to_numpy() for name in names)
        processors = np.where(allocated > 0, allocated, requested)
        return processors, (runtime > 0) & (processors > 0)

    @property
    def processors(self) -> int:
        """The number of processors of the machine that the log describes.

        This is ``MaxProcs`` in the header. Without ``MaxProcs``, it is ``MaxNodes`` or the number
        of processors of the widest job, whichever is larger.
        """
        processors, usable = self._usable
        widest = int(processors[usable].max(initial=0))
        known = self._header_number("MaxProcs") or max(self._header_number("MaxNodes") or 0, widest)
        if not known:
            raise InputError(
                f"{self.name} does not say how many processors the machine has, because it has "
                "neither MaxProcs nor a usable job; add '; MaxProcs: N' to the header"
            )
        return known

    @property
    def epoch(self) -> int | None:
        """The Unix time, in seconds, at which the log starts, or None if the header lacks it."""
        start = self._start
        return None if start is None else start.seconds

    @property
    def _start(self) -> swf_header.Start | None:
        return swf_header.start_of(self.header, self._where)

    @property
    def time_zone(self) -> swf_header.Zone:
        """The time zone in the header of the log, or UTC if the header does not name one."""
        return swf_header.zone_of(self.header)

    def _where(self, key: str) -> str:
        line = self.header_lines.get(key)
        return f"{self.source or self.name}, " + (f"line {line}" if line else "in its header")

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 checksum of the log file, or an empty string if the file cannot be read."""
        try:
            with open(self.source, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""

    @property
    def without_requested_time(self) -> int:
        """The number of usable jobs that have no requested time."""
        return int((self.usable["requested_time"] <= 0).sum())

    def _header_number(self, key: str) -> int | None:
        digits = swf_header.whole_number_in(self.header.get(key, ""))
        if digits is None:
            return None
        try:
            number = checks.whole_in(digits)
        except ValueError:
            number = checks.LARGEST_WHOLE + 1
        if number > checks.LARGEST_WHOLE:
            raise InputError(
                f"{self._where(key)}: {key} is {shown(digits)}; give a whole number in digits"
            )
        return number

    def jobs(
        self,
        request: str = "total",
        estimates: str = "requested",
        span_penalty: Any = 0.0,
        largest: int | None = None,
        missing: float | None = None,
    ) -> JobStream:
        """Return the usable jobs of the log as a job stream, in the order of the log.

        A job is usable if its run time and its number of processors are above 0.

        Parameters
        ----------
        request : {"total", "flexible", "unordered", "ordered"}
            The request type of the jobs. Each job has one component, its number of processors.
        estimates : {"requested", "exact"}
            The estimate of each job: its requested time, which its run time may exceed, or its run
            time.
        span_penalty : float, array_like of shape (n,) or (n, m), or dict
            A job on more than one cluster runs for ``runtime * (1 + span_penalty)``; see
            `JobStream`.
        largest : int, optional
            Jobs with more processors than this are left out.
        missing : float, optional
            The estimate of jobs without a requested time, in seconds, such as the time limit of
            their partition. By default it is their run time, so these jobs have exact estimates.

        Returns
        -------
        JobStream
            The jobs, with the numbers and the submissions of the log.

        Raises
        ------
        InputError
            No job is left, or the arguments contradict each other.
        """
        _reject_useless_arguments(request, estimates, span_penalty, missing)
        processors, chosen = self._usable[0], self._chosen(largest)
        names = ("submit", "runtime", "requested_time", "job")
        submit, runtime, time, number = (self.table[name].to_numpy()[chosen] for name in names)
        estimate: Any = np.ma.masked_less_equal(time, 0) if estimates == "requested" else None
        if missing is not None:
            estimate = estimate.filled(checks.positive("missing", missing))
        components = processors[chosen]
        failed = self.table["status"].isin(FAILED).to_numpy()[chosen]
        return JobStream(
            submit,
            runtime,
            components,
            estimate,
            request,
            span_penalty,
            number,
            failed=failed if failed.any() else None,
        )

    def _chosen(self, largest: int | None) -> NDArray[np.bool_]:
        processors, chosen = self._usable
        if largest is not None:
            chosen = chosen & (processors <= checks.whole("largest", largest))
        if not chosen.any():
            limit = "" if largest is None else f" of at most {largest} processors"
            raise InputError(
                f"{self.name} has no job{limit} with a run time and processors above 0; "
                "give another log, or a larger limit"
            )
        return chosen

    @cached_property
    def mean_work(self) -> float:
        """The mean work of the usable jobs of the log, in processor-seconds."""
        return self.jobs().mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` usable jobs of the log.

        See `Workload.sample` for the arguments.
        """
        return self.jobs().sample(count, seed, rate)


def _reject_useless_arguments(
    request: str, estimates: str, span_penalty: Any, missing: float | None
) -> None:
    checks.one_of("estimates", estimates, ESTIMATES)
    if missing is not None and estimates == "exact":
        raise InputError(f"missing = {shown(missing)} has no effect on exact estimates; omit it")
    if request == "total" and np.any(span_penalty):
        raise InputError(
            f"span_penalty = {shown(span_penalty)} has no effect on total requests, which run "
            "on a single cluster; give request='flexible', or omit span_penalty"
        )


def read_swf(path: str | os.PathLike[str], *, most_bytes: int | None = None) -> SwfLog:
    """Read a log in the Standard Workload Format from a plain text file or a gzip file.

    Parameters
    ----------
    path : path-like
        The file, in UTF-8 or UTF-16.
    most_bytes : int, optional
        The largest number of bytes to unpack; by default 64 MiB, or 100 times the packed size if
        that is more.

    Returns
    -------
    SwfLog
        The log. A preempted job, which has several lines in the file, has one row in its table.
        Submission times are in seconds since the start of the log, even if the file has Unix times.
        If the file could be read in several ways, the `notes` of the log say how it was read.

    Raises
    ------
    InputError
        The file cannot be read. The error names the line at fault and says what to do.

    References
    ----------
    Chapin, Cirne, Feitelson and others: Benchmarks and standards for the evaluation of parallel job
    schedulers. JSSPP 1999.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> line = "1 0 2 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.swf")
    ...     _ = path.write_text(line)
    ...     log = read_swf(path)
    >>> log
    <SwfLog small: 1 jobs>
    >>> log.processors, log.jobs().estimate.tolist()
    (4, [90.0])
    """
    most_bytes = None if most_bytes is None else checks.whole("most_bytes", most_bytes)
    header, table = parsed(content(path, most_bytes=most_bytes), str(path))
    file = Path(path).name
    name = re.sub(r"(\.(swf|txt))?(\.gz)?$", "", file) or file
    log = SwfLog(header.values, table, printable(name), str(path), header_lines=header.lines)
    return _clarified(log, header.late)


def _clarified(log: SwfLog, late: Mapping[str, int]) -> SwfLog:
    whole = whole_jobs(log.table, log.header.get("Preemption", ""), log.source)
    try:
        start = log._start
    except InputError:
        start = None  # `SwfLog.epoch` raises the error again if the start is needed
    table, note = swf_clock.from_start(whole.table, start, log.source)
    notes = [*whole.notes, note, log.time_zone.doubt]
    if start:
        notes += [start.doubt, swf_clock.note_on_end(table, start, log.header)]
    notes += swf_header.notes_on_dates(log.header, log.header_lines, log._where)
    notes += [*_notes_on_sizes(log), _note_on_late_keys(late)]
    return replace(log, table=table, notes=tuple(filter(None, notes)))


def _notes_on_sizes(log: SwfLog) -> list[str]:
    given = {key: log.header.get(key, "") for key in ("MaxProcs", "MaxNodes")}
    return [
        swf_header.note_on_value(key, value, log.header_lines, "whole number")
        for key, value in given.items()
        if swf_header.is_given(value) and swf_header.whole_number_in(value) is None
    ]


def _note_on_late_keys(late: Mapping[str, int]) -> str:
    if not late:
        return ""
    keys = " and ".join(f"{key} (line {line})" for key, line in late.items())
    return f"keys of the header after the first job are not used: {keys}; move them before it"
