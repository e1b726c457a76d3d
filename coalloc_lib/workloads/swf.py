"""Logs in the Standard Workload Format: reading, selecting the usable jobs, writing.

A log is a text file, plain or packed with gzip. Lines that begin with ``;`` are comments, those
before the first job make up the header; every other line is one job, 18 numbers, -1 where a
value is not known.

References
----------
Chapin, Cirne, Feitelson, Jones, Leutenegger, Schwiegelshohn, Smith, Talby: Benchmarks and
Standards for the Evaluation of Parallel Job Schedulers (JSSPP 1999), and the format's page in
the Parallel Workloads Archive.
"""

import gzip
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, instance_of, one_of, shown, whole
from coalloc_lib.display import card, span_of
from coalloc_lib.files import atomic_path
from coalloc_lib.jobs import JobStream
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.seeds import Seed
from coalloc_lib.workloads._swf_blocks import content
from coalloc_lib.workloads._swf_text import FIELDS, WHOLE_FIELDS, is_header_key, parse

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FIELDS", "SwfLog", "read_swf", "write_swf"]

ESTIMATES = ("requested", "exact")


@dataclass(frozen=True, eq=False, repr=False)
class SwfLog:
    """A log: its header and one row a job.

    Parameters
    ----------
    header : dict of str to str
        The ``; Key: value`` comments. Values of a key that comes again are joined by a line
        break.
    table : pandas.DataFrame
        The 18 columns `FIELDS`, in the order of the file. Times are in seconds.
    name : str
        How tables and figures call it.
    source : str
        Where it came from: a path.
    is_stand_in : bool
        Whether this is a synthetic log in the place of a real one.
    """

    header: dict[str, str]
    table: "pd.DataFrame"
    name: str = "log"
    source: str = ""
    is_stand_in: bool = False

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<SwfLog {self.title}: {len(self):,} jobs>"

    def _repr_html_(self) -> str:
        submit = self.usable["submit"].to_numpy()
        facts = {
            "jobs": len(self),
            "with a run time and processors": len(self.usable),
            "processors": self.processors if len(submit) else None,
            "submitted": f"{span_of(submit)} s" if len(submit) else None,
            "file": self.source,
        }
        return card(self.title, facts)

    @property
    def title(self) -> str:
        """The name, with the words that a figure made from a stand-in must carry."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def usable(self) -> "pd.DataFrame":
        """The jobs with a run time and a number of processors above 0.

        The column `processors` is added: the allocated processors, and where a log does not
        know them (-1), the requested ones.
        """
        processors, chosen = self._usable
        return self.table.assign(processors=processors)[chosen]

    @cached_property
    def _usable(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The processors of every job, and whether it is usable."""
        allocated, requested, runtime = (
            self.table[name].to_numpy()
            for name in ("allocated_processors", "requested_processors", "runtime")
        )
        processors = np.where(allocated > 0, allocated, requested)
        return processors, (runtime > 0) & (processors > 0)

    @property
    def processors(self) -> int:
        """Processors of the machine.

        The header's MaxProcs; without it, the larger of MaxNodes (a node may have several
        processors) and the widest usable job.
        """
        stated = self._header_number("MaxProcs")
        if stated:
            return stated
        processors, usable = self._usable
        candidates = [self._header_number("MaxNodes"), processors[usable].max(initial=0)]
        known = [int(value) for value in candidates if value is not None and value > 0]
        if not known:
            raise InputError(
                f"{self.name} names no processors: no usable job and no MaxProcs; add '; MaxProcs: "
                "N' to its header"
            )
        return max(known)

    @property
    def epoch(self) -> int | None:
        """The instant from which the log counts, in seconds of Unix; None where it tells none."""
        return self._header_number("UnixStartTime")

    def _header_number(self, key: str) -> int | None:
        """Return the whole number that a header value starts with, None if it has none."""
        match = re.match(r"\s*(\d+)", self.header.get(key, ""))
        return int(match[1]) if match else None

    def jobs(
        self,
        request: str = "total",
        estimates: str = "requested",
        span_penalty: float = 0.0,
        largest: int | None = None,
    ) -> JobStream:
        """Return the usable jobs as a stream, in the order of the log, with its job numbers.

        Parameters
        ----------
        request : {"total", "flexible", "unordered", "ordered"}
            How the stream reads the single component of each job.
        estimates : {"requested", "exact"}
            Whether the estimate is the requested time (the run time where none was requested)
            or the run time.
        span_penalty : float
            A job on more than one cluster runs ``runtime * (1 + span_penalty)``.
        largest : int, optional
            Leave out jobs of more processors than this.

        Returns
        -------
        JobStream
            Times in seconds; instants of submission as in the log, not shifted. A run time may
            be longer than its estimate, as it was on the machine.

        Raises
        ------
        InputError
            An argument is not one of its choices, or no job is left.
        """
        one_of("estimates", estimates, ESTIMATES)
        processors, chosen = self._usable
        if largest is not None:
            chosen = chosen & (processors <= whole("largest", largest))
        if not chosen.any():
            limit = "" if largest is None else f" of at most {largest} processors"
            raise InputError(
                f"{self.name} has no job{limit} with a run time and processors above 0; "
                "give another log or limit"
            )
        column = {
            name: self.table[name].to_numpy()[chosen]
            for name in ("job", "submit", "runtime", "requested_time")
        }
        requested = np.ma.masked_less_equal(column["requested_time"], 0)
        return JobStream(
            submit=column["submit"],
            runtime=column["runtime"],
            components=processors[chosen],
            estimate=requested if estimates == "requested" else None,
            request=request,
            span_penalty=span_penalty,
            number=column["job"],
        )

    @cached_property
    def mean_work(self) -> float:
        """Mean processor-time of a usable job."""
        return self.jobs().mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` of `jobs()`; see `JobStream.sample`."""
        return self.jobs().sample(count, seed, rate)


def read_swf(
    path: str | os.PathLike[str], *, progress: Silent = SILENT, most_bytes: int | None = None
) -> SwfLog:
    """Read a log.

    Parameters
    ----------
    path : str or Path
        A plain file or one packed with gzip.
    progress : coalloc_lib.progress.Progress, optional
        A bar to be moved on by one for each million bytes of the file.
    most_bytes : int, optional
        Refuse a packed log that unpacks to more. Where it is not given: to more than 64 MiB and
        more than 100 times its packed size; logs unpack to five to ten times theirs.

    Returns
    -------
    SwfLog

    Raises
    ------
    InputError
        The file is missing, damaged, empty, too large when unpacked, or not text, or a line of it
        is not a job: then the error names the line, counting comments and blank lines too.
    """
    most_bytes = None if most_bytes is None else whole("most_bytes", most_bytes)
    header, table = parse(content(path, most_bytes=most_bytes, progress=progress), str(path))
    return SwfLog(header, table, name=_name_of(path), source=str(path))


def write_swf(
    path: str | os.PathLike[str],
    jobs: "JobStream | pd.DataFrame",
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write a log; a name that ends in ``.gz`` packs it.

    The file appears under its name only when it is complete, and the same jobs give the same
    bytes.

    Parameters
    ----------
    path : str or Path
        Where to write it.
    jobs : JobStream or pandas.DataFrame
        A stream, or a table with the columns `FIELDS`. Of a stream, the number, the instant of
        submission, the run time, the processors and the estimate (as requested time) are written;
        the span penalty, the division into components and the starts that jobs ask for are not part
        of the format.
    header : dict of str to str, optional
        What to write as ``; Key: value``.

    Raises
    ------
    InputError
        The file cannot be written, a key is not a word, or the table is not one of a log.
    """
    table = _table_of_stream(jobs) if isinstance(jobs, JobStream) else jobs
    lines = [*_header_lines(header or {}), *_job_lines(table)]
    text = "".join(f"{line}\n" for line in lines).encode("utf-8")
    # What is written can be read: the reader's own checks stand guard.
    parse([text], f"the log to be written to {path}")
    with atomic_path(path) as beside:
        packed = str(path).endswith(".gz")
        beside.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def _table_of_stream(jobs: JobStream) -> "pd.DataFrame":
    import pandas as pd

    table = pd.DataFrame(-1, index=range(len(jobs)), columns=list(FIELDS))
    columns = {
        "job": jobs.number,
        "submit": jobs.submit,
        "runtime": jobs.runtime,
        "allocated_processors": jobs.processors,
        "requested_processors": jobs.processors,
        "requested_time": jobs.estimate,
        "status": np.ones(len(jobs), dtype=np.int64),
    }
    return table.assign(**columns)


def _header_lines(header: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(header, Mapping):
        raise InputError(f"header = {shown(header)}; give a dict of words")
    for key, value in header.items():
        if not (isinstance(key, str) and is_header_key(key)):
            raise InputError(f"header key {shown(key)}; give words of letters and digits")
        for part in str(value).split("\n"):
            yield f"; {key}: {part.strip()}".rstrip()


def _job_lines(table: "pd.DataFrame") -> Iterator[str]:
    import pandas as pd

    instance_of("jobs", table, pd.DataFrame, "a JobStream, or the table of a log")
    missing = [name for name in FIELDS if name not in table]
    if missing:
        raise InputError(f"table has no column {missing[0]}; give the 18 fields of the format")
    columns = [_words(table[name].to_numpy(), name in WHOLE_FIELDS) for name in FIELDS]
    return map(" ".join, zip(*columns, strict=True))


def _words(values: NDArray, is_whole: bool) -> Iterator[str]:
    """Return numbers as the shortest text that reads back as the same number."""
    if is_whole and values.dtype.kind in "iu":
        return map(str, values.tolist())
    numbers = map(float, values.tolist())
    return (str(int(v)) if v.is_integer() and abs(v) < 1e15 else repr(v) for v in numbers)


def _name_of(path: str | os.PathLike[str]) -> str:
    return re.sub(r"(\.(swf|txt))?(\.gz)?$", "", Path(path).name) or Path(path).name
