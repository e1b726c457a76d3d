"""Logs in the Standard Workload Format, as the Parallel Workloads Archive describes it.

Lines that begin with ``;`` are comments, those before the first job make up the header; every other
line is one job, 18 numbers, -1 where a value is not known.
"""

import gzip
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.display import card, span_of
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.basics.text import printable
from coalloc_lib.basics.times import DAY
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads import swf_header
from coalloc_lib.workloads.log_files import content
from coalloc_lib.workloads.preemption import whole_jobs
from coalloc_lib.workloads.swf_lines import FIELDS, is_key, parsed, tables_of

if TYPE_CHECKING:
    import pandas as pd

ESTIMATES = ("requested", "exact")
#: The statuses of jobs that failed or were cancelled.
FAILED = (0, 5)
#: No log lasts longer than this, in seconds: 50 years.
LONGEST = 50 * 365.25 * DAY

_MOST_LINES = 50_000  # of a block that is written


@dataclass(frozen=True, eq=False, repr=False)
class SwfLog:
    """A log: its header, and a table with one row a job.

    Parameters
    ----------
    header : dict of str to str
        The ``; Key: value`` comments; values of a key that comes again are joined by a line break.
    table : pandas.DataFrame, shape (n, 18)
        The columns `FIELDS`, in the order of the file; times in seconds.
    name, source : str
        How tables and figures call it, and the path it was read from.
    is_stand_in : bool
        Whether it is a synthetic log in the place of a real one.
    receipt : pandas.DataFrame, optional
        The receipt of an import (`read_sacct`): how many `lines` were kept, left out or noted, and
        why.
    notes : tuple of str
        What a user should know about how the file was read, where it could be read in other ways.
    header_lines : dict of str to int
        The line of the file on which each key of the header is given.
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
        """The name, with the words that a figure made from a stand-in must carry."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def usable(self) -> "pd.DataFrame":
        """The jobs with a run time and processors (allocated, or else requested) above 0."""
        processors, chosen = self._usable
        return self.table.assign(processors=processors)[chosen]

    @cached_property
    def _usable(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The processors of every job, and whether it is usable."""
        names = ("allocated_processors", "requested_processors", "runtime")
        allocated, requested, runtime = (self.table[name].to_numpy() for name in names)
        processors = np.where(allocated > 0, allocated, requested)
        return processors, (runtime > 0) & (processors > 0)

    @property
    def processors(self) -> int:
        """Processors of the machine: MaxProcs, else MaxNodes or, if larger, the widest job."""
        processors, usable = self._usable
        widest = int(processors[usable].max(initial=0))
        known = self._header_number("MaxProcs") or max(self._header_number("MaxNodes") or 0, widest)
        if not known:
            raise InputError(
                f"{self.name} names no processors: no usable job and no MaxProcs; add '; MaxProcs: "
                "N' to its header"
            )
        return known

    @property
    def epoch(self) -> int | None:
        """The instant from which the log counts, in seconds of Unix; None if it is not known."""
        start = self._start
        return None if start is None else start.seconds

    @property
    def _start(self) -> swf_header.Start | None:
        """The instant from which the log counts, and a doubt about it."""
        return swf_header.start_of(self.header, self._where)

    @property
    def time_zone(self) -> swf_header.Zone:
        """The time zone that the header names, or UTC."""
        return swf_header.zone_of(self.header)

    def _where(self, key: str) -> str:
        """Return the file and the line on which a key of the header is given, for errors."""
        line = self.header_lines.get(key)
        return f"{self.source or self.name}, " + (f"line {line}" if line else "in its header")

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the file; empty where there is none, or it is gone."""
        try:
            with open(self.source, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""

    @property
    def without_requested_time(self) -> int:
        """How many usable jobs have no requested time."""
        return int((self.usable["requested_time"] <= 0).sum())

    def _header_number(self, key: str) -> int | None:
        """Return the whole number that a header value is, None if it is none."""
        digits = swf_header.whole_number_in(self.header.get(key, ""))
        if digits is None:
            return None
        try:
            number = checks.whole_in(digits)
        except ValueError:
            number = checks.LARGEST_WHOLE + 1
        if number > checks.LARGEST_WHOLE:
            fault = f"{key} is {shown(digits)}; give a whole number in digits"
            raise InputError(f"{self._where(key)}: {fault}")
        return number

    def jobs(
        self,
        request: str = "total",
        estimates: str = "requested",
        span_penalty: float = 0.0,
        largest: int | None = None,
        missing: float | None = None,
    ) -> JobStream:
        """Return the usable jobs, in the order of the log and with its numbers and instants.

        Parameters
        ----------
        request : {"total", "flexible", "unordered", "ordered"}
            How the stream reads the single component of each job.
        estimates : {"requested", "exact"}
            The requested time, which a run time may exceed, or the run time.
        span_penalty : float
            A job on more than one cluster runs ``runtime * (1 + span_penalty)``.
        largest : int, optional
            Leave out jobs of more processors than this.
        missing : float, optional
            The estimate of jobs without a requested time, such as the limit of their partition;
            their run time where it is not given, which no user knows so well.
        """
        checks.one_of("estimates", estimates, ESTIMATES)
        if missing is not None and estimates == "exact":
            raise InputError(f"missing = {shown(missing)} is for requested estimates; leave it out")
        if span_penalty and request == "total":
            raise InputError(
                f"span_penalty = {shown(span_penalty)} has no effect on total requests, which stay "
                "on one cluster; give request='flexible', or no penalty"
            )
        processors, chosen = self._usable
        if largest is not None:
            chosen = chosen & (processors <= checks.whole("largest", largest))
        if not chosen.any():
            limit = "" if largest is None else f" of at most {largest} processors"
            raise InputError(
                f"{self.name} has no job{limit} with a run time and processors above 0; "
                "give another log or limit"
            )
        names = ("submit", "runtime", "requested_time", "job")
        submit, runtime, time, number = (self.table[name].to_numpy()[chosen] for name in names)
        estimate: Any = np.ma.masked_less_equal(time, 0) if estimates == "requested" else None
        if missing is not None:
            estimate = estimate.filled(checks.positive("missing", missing))
        components = processors[chosen]
        failed = self.table["status"].isin(FAILED).to_numpy()[chosen]
        return JobStream(
            submit, runtime, components, estimate, request, span_penalty, number,
            failed=failed if failed.any() else None,
        )  # fmt: skip

    @cached_property
    def mean_work(self) -> float:
        """Mean processor-time of a usable job."""
        return self.jobs().mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` of `jobs()`; see `JobStream.sample`."""
        return self.jobs().sample(count, seed, rate)


def in_use(begins: Any, ends: Any, processors: Any, share: float = 0.99) -> float:
    """Return how many processors are in use at most for this share of the time."""
    when = np.concatenate([ends, begins])
    order = np.argsort(when, kind="stable")
    wide = np.asarray(processors, dtype=float)  # unsigned numbers would wrap
    used = np.concatenate([-wide, wide])[order].cumsum()[:-1].clip(0)
    least_first = np.argsort(used)
    time = np.diff(when[order])[least_first].cumsum()
    return float(used[least_first][np.searchsorted(time, share * time[-1])])


def read_swf(path: str | os.PathLike[str], *, most_bytes: int | None = None) -> SwfLog:
    """Read a log in the Standard Workload Format, plain or packed with gzip.

    Parameters
    ----------
    path : path-like
        The file. Text in UTF-16 is read too.
    most_bytes : int, optional
        The largest number of bytes to unpack; by default 64 MiB, or 100 times the packed size if
        that is more.

    Returns
    -------
    SwfLog
        Each job is one line of its table, also if it was preempted and has several lines in the
        file. Submissions count from the start of the log, also if the file holds Unix times. The
        `notes` of the log say where the file could be read in another way.

    Raises
    ------
    InputError
        Names what cannot be read, with its line, and what to do.

    References
    ----------
    Chapin, Cirne, Feitelson and others: Benchmarks and standards for the evaluation of parallel job
    schedulers. JSSPP 1999.
    """
    most_bytes = None if most_bytes is None else checks.whole("most_bytes", most_bytes)
    header, table = parsed(content(path, most_bytes=most_bytes), str(path))
    file = Path(path).name
    name = re.sub(r"(\.(swf|txt))?(\.gz)?$", "", file) or file
    log = SwfLog(header.values, table, printable(name), str(path), header_lines=header.lines)
    return _clarified(log, header.late)


def _clarified(log: SwfLog, late: Mapping[str, int]) -> SwfLog:
    """Return the log with one line a job, counted from its start, and with its notes.

    `late` has the lines of the keys after the first job.
    """
    whole = whole_jobs(log.table, log.header.get("Preemption", ""), log.source)
    try:
        start = log._start
    except InputError:  # it is raised again where the start is needed
        start = None
    table, note = _from_start(whole.table, start, log)
    notes = [*whole.notes, note, log.time_zone.doubt]
    notes += [start.doubt, _ends_early(table, start, log)] if start else []
    notes += swf_header.dates_not_understood(log.header, log.header_lines, log._where)
    notes += [*_sizes_not_understood(log), _late_keys(late)]
    return replace(log, table=table, notes=tuple(filter(None, notes)))


def _sizes_not_understood(log: SwfLog) -> list[str]:
    """Return a note for each number of processors in the header that is not understood."""
    given = {key: log.header.get(key, "") for key in ("MaxProcs", "MaxNodes")}
    return [
        swf_header.not_used(key, value, log.header_lines, "whole number")
        for key, value in given.items()
        if swf_header.is_given(value) and swf_header.whole_number_in(value) is None
    ]


def _late_keys(late: Mapping[str, int]) -> str:
    """Return the note that keys of the header stand after the first job."""
    if not late:
        return ""
    keys = " and ".join(f"{key} (line {line})" for key, line in late.items())
    return f"after the first job, keys of the header are not used: {keys}; move them before it"


def _from_start(
    table: "pd.DataFrame", start: swf_header.Start | None, log: SwfLog
) -> tuple["pd.DataFrame", str]:
    """Return the table with submissions that count from the start of the log, and a note.

    A log cannot last from its start to as long after it as 1970 is before it: submissions at or
    after the start are Unix times.
    """
    if start is None or not start.seconds:
        return table, _like_unix_times(table, log)
    is_absolute = table["submit"] >= start.seconds
    if start.seconds < swf_header.EARLIEST:
        words = f"all jobs are submitted at or after {start.seconds:,}, the start of the log"
        return table, f"{words}; this is read as seconds after it" * bool(is_absolute.all())
    after = table["submit"].mask(is_absolute, table["submit"] - start.seconds)
    if not is_absolute.any():
        _refuse_early(table, start, log)
    _refuse_late(table, after, log)
    _refuse_mixed(table, is_absolute, start, log)
    note = "submissions are Unix times in the file; here they count from the start of the log"
    return table.assign(submit=after), note * bool(is_absolute.any())


def _like_unix_times(table: "pd.DataFrame", log: SwfLog) -> str:
    """Return a note if all submissions of a log without a start look like Unix times."""
    first = table["submit"].min()
    if first < swf_header.EARLIEST:
        return ""
    return (
        f"the first submission is {first:,.15g}, which looks like a Unix time, but the header "
        "gives no start that is understood; here it counts from the start of the log"
    )


def _refuse_mixed(
    table: "pd.DataFrame", is_absolute: "pd.Series", start: swf_header.Start, log: SwfLog
) -> None:
    """Refuse submissions that are Unix times in some jobs and seconds after the start in others."""
    if is_absolute.all() or not is_absolute.any():
        return
    early, late = (table[mask].iloc[0] for mask in (~is_absolute, is_absolute))
    raise InputError(
        f"{log.source}: job {early['job']:.0f} is submitted at {early['submit']:.15g}, before "
        f"the start of the log ({start.seconds}), and job {late['job']:.0f} at "
        f"{late['submit']:.15g}, as a Unix time; give all submissions in seconds after it"
    )


def _refuse_early(table: "pd.DataFrame", start: swf_header.Start, log: SwfLog) -> None:
    """Refuse submissions that are all Unix times shortly before the start.

    A part of a long log may have large numbers too, but they are nearer to 0 than to the start.
    """
    early, first = table.iloc[0], table["submit"].min()
    if first >= swf_header.EARLIEST and 2 * first >= start.seconds:
        raise InputError(
            f"{log.source}: job {early['job']:.0f} is submitted at {early['submit']:.15g}, a "
            f"Unix time before the start of the log ({start.seconds}), as all jobs are; correct "
            "UnixStartTime, or give submissions in seconds after it"
        )


def _refuse_late(table: "pd.DataFrame", after: "pd.Series", log: SwfLog) -> None:
    """Refuse submissions more than 50 years after the start of a log."""
    is_late = after > LONGEST
    if is_late.any():
        job, submit = table.loc[is_late, ["job", "submit"]].iloc[0]
        raise InputError(
            f"{log.source}: job {job:.0f} is submitted at {submit:.15g}, more than 50 years after "
            "the start of the log; give seconds, and no milliseconds"
        )


def _ends_early(table: "pd.DataFrame", start: swf_header.Start, log: SwfLog) -> str:
    """Return a note if the last job is submitted more than a day after the end of the log."""
    end, last = swf_header.end_of(log.header), start.seconds + table["submit"].max()
    if end is None or last <= end.seconds + DAY:
        return ""
    what, day = "its jobs go on", swf_header.day_of(end.seconds)
    if last < checks.LAST_INSTANT:
        what = f"its last job is submitted on {swf_header.day_of(last)}"
    return f"{what}, and EndTime is {day}: check that times are in seconds"


def write_swf(
    path: str | os.PathLike[str],
    jobs: "JobStream | pd.DataFrame",
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write a log, whole or not at all; the same jobs give the same bytes.

    Parameters
    ----------
    path : path-like
        The file. If it ends in ``.gz``, it is packed.
    jobs : JobStream or pandas.DataFrame
        A table with the columns `FIELDS`, or a stream. Number, submission, run time, processors and
        estimate (as requested time) of a stream are written, and whether its jobs failed. If only
        some of its jobs have an estimate, the requested time of the others is -1.
    header : dict of str, optional
        What to write as ``; Key: value``.
    """
    comments = "".join(f"{line}\n" for line in _header_lines(header or {})).encode("utf-8")
    blocks = [comments, *_job_blocks(jobs)]
    # What is written can be read: the reader's own checks stand guard.
    for _ in tables_of(blocks, f"the log to be written to {path}", []):
        pass
    text = b"".join(blocks)
    with atomic_path(path) as beside:
        packed = str(path).endswith(".gz")
        beside.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def _header_lines(header: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(header, Mapping):
        raise InputError(f"header = {shown(header)}; give a dict of words")
    for key, value in header.items():
        if not (isinstance(key, str) and is_key(key)):
            raise InputError(f"header key {shown(key)}; give words of letters and digits")
        for part in str(value).split("\n"):
            yield f"; {key}: {part.strip()}".rstrip()


def _job_blocks(jobs: "JobStream | pd.DataFrame") -> Iterator[bytes]:
    """Yield the lines of jobs, so many at a time as need little memory as words."""
    import pandas as pd

    if isinstance(jobs, JobStream):
        table = pd.DataFrame(-1, index=range(len(jobs)), columns=list(FIELDS)).assign(
            job=jobs.number, submit=jobs.submit, runtime=jobs.runtime,
            status=np.where(jobs.failed, 0, 1),
            allocated_processors=jobs.processors, requested_processors=jobs.processors,
            requested_time=_requested_times(jobs),
        )  # fmt: skip
    else:
        table = checks.instance_of("jobs", jobs, pd.DataFrame, "a JobStream, or the table of a log")
    if missing := [name for name in FIELDS if name not in table]:
        raise InputError(f"table has no column {missing[0]}; give the 18 fields of the format")
    for first in range(0, len(table), _MOST_LINES):
        some = table[first : first + _MOST_LINES]
        words = zip(*(_words(some[name].to_numpy()) for name in FIELDS), strict=True)
        yield "".join(f"{' '.join(line)}\n" for line in words).encode("utf-8")


def _requested_times(jobs: JobStream) -> NDArray[np.float64]:
    """Return the requested time of each job, -1 for a job without an estimate.

    In a stream without any estimates, jobs are planned with their run times, which are written.
    """
    known = jobs.has_estimate
    return np.where(known, jobs.estimate, -1) if known.any() else jobs.estimate


def _words(values: NDArray) -> Iterator[str]:
    """Return numbers as the shortest text that reads back as the same number."""
    if values.dtype.kind in "iu":
        return map(str, values.tolist())
    numbers = map(float, values)
    return (str(int(v)) if v.is_integer() and abs(v) < 1e15 else repr(v) for v in numbers)
