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
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coalloc_lib.cards import card, span_of
from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.files import atomic_path
from coalloc_lib.jobs import JobStream
from coalloc_lib.workloads._swf_text import (
    FIELDS,
    WHOLE_FIELDS,
    decoded,
    is_header_key,
    parse_header,
    parse_table,
    read_content,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FIELDS", "SwfLog", "parse_swf", "read_swf", "write_swf"]

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

    def __len__(self):
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
    def title(self):
        """The name, with the words that a figure made from a stand-in must carry."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def usable(self):
        """The jobs with a run time and a number of processors above 0.

        The column `processors` is added: the allocated processors, and where a log does not
        know them (-1), the requested ones.
        """
        table = self.table
        allocated = table["allocated_processors"]
        processors = allocated.where(allocated > 0, table["requested_processors"])
        table = table.assign(processors=processors)
        return table[(table["runtime"] > 0) & (processors > 0)]

    @property
    def processors(self):
        """Processors of the machine.

        The header's MaxProcs; without it, the larger of MaxNodes (a node may have several
        processors) and the widest usable job.
        """
        stated = self._header_number("MaxProcs")
        if stated:
            return stated
        candidates = [self._header_number("MaxNodes"), self.usable["processors"].max()]
        known = [int(value) for value in candidates if value is not None and value > 0]
        if not known:
            raise InputError(
                f"{self.name} names no processors: no usable job and no MaxProcs; add '; MaxProcs: "
                "N' to its header"
            )
        return max(known)

    def _header_number(self, key):
        """Return the whole number that a header value starts with, None if it has none."""
        match = re.match(r"\s*(\d+)", self.header.get(key, ""))
        return int(match[1]) if match else None

    def jobs(self, request="total", estimates="requested", span_penalty=0.0, largest=None):
        """Return the usable jobs as a stream, in the order of the log.

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
        rows = self._selected(largest)
        runtime = rows["runtime"].to_numpy()
        requested = rows["requested_time"].to_numpy()
        use_requested = (requested > 0) & (estimates == "requested")
        return JobStream(
            submit=rows["submit"].to_numpy(),
            runtime=runtime,
            components=rows["processors"].to_numpy(),
            estimate=np.where(use_requested, requested, runtime),
            request=request,
            span_penalty=span_penalty,
        )

    def job_numbers(self, largest=None):
        """Return the log's numbers of the jobs of `jobs(largest=largest)`, in the same order."""
        return self._selected(largest)["job"].to_numpy()

    def _selected(self, largest):
        rows = self.usable
        if largest is not None:
            rows = rows[rows["processors"] <= whole("largest", largest)]
        if rows.empty:
            limit = "" if largest is None else f" of at most {largest} processors"
            raise InputError(
                f"{self.name} has no job{limit} with a run time and processors above 0; "
                "give another log or limit"
            )
        return rows


def read_swf(path):
    """Read a log.

    Parameters
    ----------
    path : str or Path
        A plain file or one packed with gzip.

    Returns
    -------
    SwfLog

    Raises
    ------
    InputError
        The file is missing, damaged, empty or not text, or a line of it is not a job: then the
        error names the line, counting comments and blank lines too.
    """
    return parse_swf(read_content(path), source=str(path), name=_name_of(path))


def parse_swf(content, *, source, name="log", is_stand_in=False):
    """Return the log that the bytes `content` of the file `source` hold; see `read_swf`."""
    # Not splitlines(): that also splits at characters which editors do not count as line ends.
    lines = decoded(content, source).split("\n")
    return SwfLog(
        header=parse_header(lines),
        table=parse_table(lines, source),
        name=name,
        source=source,
        is_stand_in=is_stand_in,
    )


def write_swf(path, jobs, header=None, *, job_numbers=None):
    """Write a log; a name that ends in ``.gz`` packs it.

    The file appears under its name only when it is complete, and the same jobs give the same
    bytes.

    Parameters
    ----------
    path : str or Path
        Where to write it.
    jobs : JobStream or pandas.DataFrame
        A stream, or a table with the columns `FIELDS`. Of a stream, the run time, the
        processors and the estimate (as requested time) are written; the span penalty and the
        division into components are not part of the format.
    header : dict of str to str, optional
        What to write as ``; Key: value``.
    job_numbers : array_like of int, optional
        Numbers of the jobs of a stream; 1, 2, ... when not given.

    Raises
    ------
    InputError
        The file cannot be written, a key is not a word, or the table is not one of a log.
    """
    table = _table_of_stream(jobs, job_numbers) if isinstance(jobs, JobStream) else jobs
    lines = [*_header_lines(header or {}), *_job_lines(table)]
    content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    # What is written can be read: the reader's own checks stand guard.
    parse_swf(content, source=f"the log to be written to {path}")
    with atomic_path(path) as beside:
        packed = str(path).endswith(".gz")
        beside.write_bytes(gzip.compress(content, mtime=0) if packed else content)


def _table_of_stream(jobs, job_numbers):
    import pandas as pd

    table = pd.DataFrame(-1, index=range(len(jobs)), columns=list(FIELDS))
    numbers = np.arange(1, len(jobs) + 1) if job_numbers is None else np.asarray(job_numbers)
    if numbers.shape != (len(jobs),):
        raise InputError(f"job_numbers has shape {numbers.shape}; give one of {len(jobs)} jobs")
    columns = {
        "job": numbers,
        "submit": jobs.submit,
        "runtime": jobs.runtime,
        "allocated_processors": jobs.processors,
        "requested_processors": jobs.processors,
        "requested_time": jobs.estimate,
        "status": np.ones(len(jobs), dtype=np.int64),
    }
    return table.assign(**columns)


def _header_lines(header):
    for key, value in header.items():
        if not is_header_key(key):
            raise InputError(f"header key {key!r}; give words of letters and digits")
        for part in str(value).split("\n"):
            yield f"; {key}: {part.strip()}".rstrip()


def _job_lines(table):
    missing = [name for name in FIELDS if name not in table]
    if missing:
        raise InputError(f"table has no column {missing[0]}; give the 18 fields of the format")
    columns = [_words(table[name].to_numpy(), name in WHOLE_FIELDS) for name in FIELDS]
    return map(" ".join, zip(*columns, strict=True))


def _words(values, is_whole):
    """Return numbers as the shortest text that reads back as the same number."""
    if is_whole and values.dtype.kind in "iu":
        return map(str, values.tolist())
    numbers = map(float, values.tolist())
    return (str(int(v)) if v.is_integer() and abs(v) < 1e15 else repr(v) for v in numbers)


def _name_of(path):
    return re.sub(r"(\.(swf|txt))?(\.gz)?$", "", Path(path).name) or Path(path).name
