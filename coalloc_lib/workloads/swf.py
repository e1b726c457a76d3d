"""Logs in the Standard Workload Format, as the Parallel Workloads Archive describes it.

Lines that begin with ``;`` are comments, those before the first job make up the header; every other
line is one job, 18 numbers, -1 where a value is not known.
"""

import codecs
import gzip
import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    LARGEST_WHOLE,
    LAST_INSTANT,
    NUMBER,
    InputError,
    instance_of,
    one_of,
    path_of,
    positive,
    shown,
    whole,
    whole_in,
)
from coalloc_lib.basics.display import card, span_of
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.basics.text import printable
from coalloc_lib.model.jobs import JobStream

if TYPE_CHECKING:
    import pandas as pd

#: The 18 fields, in the order of the format.
FIELDS = (
    "job", "submit", "wait", "runtime", "allocated_processors", "average_cpu_time", "used_memory",
    "requested_processors", "requested_time", "requested_memory", "status", "user", "group",
    "executable", "queue", "partition", "preceding_job", "think_time",
)  # fmt: skip
#: Fields that count or name something; they become `int64` columns, all others `float64`.
WHOLE_FIELDS = (
    "job", "allocated_processors", "requested_processors", "status", "user", "group",
    "executable", "queue", "partition", "preceding_job",
)  # fmt: skip

ESTIMATES = ("requested", "exact")

#: What `read_swf` unpacks: the larger of so many bytes and so many times the packed size.
MOST_UNPACKED, MOST_RATIO = 64 * 2**20, 100
_BLOCK = 4 * 2**20
_MOST_LINES = 50_000  # of a block that is written
_LONGEST_LINE = _MOST_HEADER = 2**20

# What lines of numbers are made of. pandas would take words too: a column of 'True' for ones.
_OF_NUMBERS = b"0123456789+-.eE \n"
# A key is followed by a colon and a blank, so that 'http://...' is not one.
_KEY = re.compile(r"\s*([A-Za-z][\w .()-]*?)\s*:(?:\s+(.*))?", re.ASCII | re.DOTALL)


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
        Of an import (`read_sacct`): how many `lines` were kept, left out or noted, and why.
    """

    header: dict[str, str]
    table: "pd.DataFrame"
    name: str = "log"
    source: str = ""
    is_stand_in: bool = False
    receipt: "pd.DataFrame | None" = None

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
        return card(self.title, {**facts, "file": self.source})

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
        """The instant from which the log counts, in seconds of Unix; None where it tells none."""
        return self._header_number("UnixStartTime", most=LAST_INSTANT)

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

    def _header_number(self, key: str, most: int = LARGEST_WHOLE) -> int | None:
        """Return the whole number that a header value starts with, None if it has none."""
        match = re.match(r"\s*(\d(?:[\d_.,']*\d)?)", self.header.get(key, ""))
        try:
            number = whole_in(match[1]) if match else 0
        except ValueError:
            number = most + 1
        if number > most:
            fault = f"{key} is {shown(match and match[1])} in its header"
            raise InputError(f"{self.source or self.name}: {fault}; give a whole number in digits")
        return number if match else None

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
        one_of("estimates", estimates, ESTIMATES)
        if missing is not None and estimates == "exact":
            raise InputError(f"missing = {shown(missing)} is for requested estimates; leave it out")
        if span_penalty and request == "total":
            raise InputError(
                f"span_penalty = {shown(span_penalty)} has no effect on total requests, which stay "
                "on one cluster; give request='flexible', or no penalty"
            )
        processors, chosen = self._usable
        if largest is not None:
            chosen = chosen & (processors <= whole("largest", largest))
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
            estimate = estimate.filled(positive("missing", missing))
        components = processors[chosen]
        return JobStream(submit, runtime, components, estimate, request, span_penalty, number)

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

    It may unpack to `most_bytes`, by default 64 MiB, or 100 times its packed size if that is more:
    logs unpack to five to ten times theirs. An `InputError` names what cannot be read, with its
    line, and what to do. The format: Chapin, Cirne, Feitelson and others: Benchmarks and standards
    for the evaluation of parallel job schedulers. JSSPP 1999.
    """
    most_bytes = None if most_bytes is None else whole("most_bytes", most_bytes)
    header, table = _parsed(content(path, most_bytes=most_bytes), str(path))
    file = Path(path).name
    name = re.sub(r"(\.(swf|txt))?(\.gz)?$", "", file) or file
    return SwfLog(header, table, name=printable(name), source=str(path))


def content(path: str | os.PathLike[str], *, most_bytes: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a log, unpacked, in blocks of whole lines; see `read_swf`."""
    path = path_of("path", path)
    try:
        with path.open("rb") as file:
            is_packed = file.peek(2)[:2] == b"\x1f\x8b"
            if path.suffix == ".gz" and not is_packed:
                mend = "fetch it again, or drop .gz from its name"
                raise InputError(f"{path} is not a gzip file; {mend}")
            source = gzip.GzipFile(fileobj=file) if is_packed else file
            size = os.fstat(file.fileno()).st_size  # 0 of a pipe, whose length no one knows
            most = most_bytes or max(MOST_UNPACKED, MOST_RATIO * size)
            length = 0
            while block := source.read(_BLOCK):
                rest = source.readline(_LONGEST_LINE)
                if len(rest) == _LONGEST_LINE:
                    raise InputError(
                        f"{path} has a line of more than {_LONGEST_LINE:,} characters; check that "
                        "it is a log"
                    )
                length += len(block) + len(rest)
                if is_packed and length > most:
                    raise InputError(
                        f"{path} unpacks to more than {most:,} bytes, too much for its size; check "
                        "it, or give read_swf most_bytes"
                    )
                yield block + rest
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a log in it") from None
    except EOFError:
        why = "is cut short, a gzip stream with no end; fetch it again"
        raise InputError(f"{path} {why}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check it") from None


def _parsed(blocks: Iterable[bytes], where: str) -> tuple[dict[str, str], "pd.DataFrame"]:
    """Return header and table of a log that comes in blocks of whole lines."""
    import pandas as pd

    comments: list[str] = []
    table = pd.concat(_tables(blocks, where, comments), ignore_index=True)
    return _header_of(comments), table


def _tables(blocks: Iterable[bytes], where: str, comments: list[str]) -> Iterator["pd.DataFrame"]:
    """Yield the jobs of a log, block by block; put the lines before the first into `comments`."""
    in_header = True
    number = 1
    for block in blocks:
        if number == 1:
            block = block.removeprefix(codecs.BOM_UTF8)
        # Only the block with the end of the header and blocks with comments, blank lines or
        # mistakes are looked at line by line.
        table = None if in_header else _table_of(block)
        if table is None:
            rows = enumerate(block.removesuffix(b"\n").split(b"\n"), start=number)
            lines = [_decoded(row, f"{where}, line {at}") for at, row in rows]
            is_job = [bool(line.strip()) and line.lstrip()[0] != ";" for line in lines]
            if in_header:
                comments += lines[: (*is_job, True).index(True)]
                if sum(map(len, comments)) > _MOST_HEADER:
                    raise InputError(
                        f"{where} begins with more than {_MOST_HEADER:,} characters of comments; "
                        "check that it is a log"
                    )
            jobs = {number + i: lines[i].strip(" \t\r") for i in np.flatnonzero(is_job)}
            table = _table_of("\n".join(jobs.values()).encode()) if jobs else None
            if jobs and table is None:
                for at, line in jobs.items():
                    if in_header and (line[0].isalpha() or line[0] in "{[" or "|" in line):
                        raise InputError(
                            f"{where}, line {at} is no job of 18 numbers: this is no log in the "
                            "Standard Workload Format; 'coalloc import sacct' or co.read_sacct "
                            "reads what Slurm's sacct printed, co.read_batsim reads Batsim's JSON"
                        )
                    if fault := _fault_of(re.split(r"[ \t]+", line)):
                        raise InputError(f"{where}, line {at}: {fault}")
                raise InputError(
                    f"{where} cannot be read as 18 columns of numbers; check its format"
                )
        if table is not None:
            in_header = False
            yield table
        number += block.count(b"\n")
    if in_header:
        raise InputError(f"{where} has no job; give a log with at least one line of 18 numbers")


def _table_of(text: bytes) -> "pd.DataFrame | None":
    """Return the table of lines of jobs; None where anything is not as it should be."""
    import pandas as pd

    if b"\r" in text or b"\t" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    if text.translate(None, _OF_NUMBERS):
        return None
    # Before version 3, pandas by default rounds the last digit of a long fraction wrongly.
    exact: Any = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    try:
        table = pd.read_csv(
            io.BytesIO(text), header=None, names=[*FIELDS, "too_many"], dtype=np.float64,
            sep=" ", skipinitialspace=True, quoting=3, engine="c", **exact,
        )  # fmt: skip
    except (ValueError, OverflowError):
        return None
    numbers, counts = table[list(FIELDS)].to_numpy(), table[list(WHOLE_FIELDS)].to_numpy()
    is_sound = (
        # Of lines with too many fields pandas makes the first an index, without a word.
        isinstance(table.index, pd.RangeIndex)
        and len(table) == text.count(b"\n") + (not text.endswith(b"\n"))
        and table["too_many"].isna().all()
        and np.isfinite(numbers).all()
        and (np.abs(counts) < LARGEST_WHOLE).all()
        and (counts == np.floor(counts)).all()
        and (table["submit"] >= 0).all()
    )
    return table[list(FIELDS)].astype(dict.fromkeys(WHOLE_FIELDS, np.int64)) if is_sound else None


def _decoded(line: bytes, where: str) -> str:
    """Return the text of a line; a comment may be Latin-1."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if line.lstrip().startswith(b";"):
            return line.decode("latin-1")
        raise InputError(
            f"{where}: byte 0x{line[error.start]:02x} is not UTF-8 text; "
            "save the log as UTF-8, or check that it is a log"
        ) from None


def _fault_of(words: list[str]) -> str | None:
    """Return what is wrong with the words of a job line; None if nothing is."""
    for place, (field, word) in enumerate(zip(FIELDS, words, strict=False), start=1):
        fault = f"field {place} ({field}) is"
        if not NUMBER.fullmatch(word):
            return f"{fault} {word[:40]!r}, not a number; write -1 where a value is not known"
        if not np.isfinite(float(word)):
            return f"{fault} {word[:40]}, too large for a number; correct it"
    if len(words) != len(FIELDS):
        return (
            f"{len(words)} fields where the format has {len(FIELDS)}; write -1 where a value is "
            "not known and put remarks on lines that begin with ';'"
        )
    job = dict(zip(FIELDS, map(float, words), strict=True))
    for field in WHOLE_FIELDS:
        if not job[field].is_integer() or abs(job[field]) >= LARGEST_WHOLE:
            return f"{field} is {job[field]:.15g}; give a whole number below 2^53"
    mend = "give seconds since the log began, 0 or more, or remove the job"
    return f"submit is {job['submit']:.15g}; {mend}" if job["submit"] < 0 else None


def _header_of(comments: Iterable[str]) -> dict[str, str]:
    """Return the keys and values; a line without a new key goes on with the value before."""
    header: dict[str, str] = {}
    current = None
    for line in comments:
        comment = line.strip().lstrip(";").rstrip()
        match = _KEY.fullmatch(comment)
        if match:
            current, value = match[1], (match[2] or "").strip()
            header[current] = f"{header[current]}\n{value}" if current in header else value
        elif not comment:
            current = None
        elif current is not None:
            header[current] += f"\n{comment.strip()}"
    return header


def write_swf(
    path: str | os.PathLike[str],
    jobs: "JobStream | pd.DataFrame",
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write a log, whole or not at all; the same jobs give the same bytes.

    A `path` that ends in ``.gz`` packs it. The `jobs` are a table with the columns `FIELDS`, or a
    stream, of which number, submission, run time, processors and estimate (as requested time) are
    written; the `header` is what to write as ``; Key: value``.
    """
    comments = "".join(f"{line}\n" for line in _header_lines(header or {})).encode("utf-8")
    blocks = [comments, *_job_blocks(jobs)]
    # What is written can be read: the reader's own checks stand guard.
    for _ in _tables(blocks, f"the log to be written to {path}", []):
        pass
    text = b"".join(blocks)
    with atomic_path(path) as beside:
        packed = str(path).endswith(".gz")
        beside.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def _header_lines(header: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(header, Mapping):
        raise InputError(f"header = {shown(header)}; give a dict of words")
    for key, value in header.items():
        match = _KEY.fullmatch(f" {key}:") if isinstance(key, str) else None
        if match is None or match[1] != key:
            raise InputError(f"header key {shown(key)}; give words of letters and digits")
        for part in str(value).split("\n"):
            yield f"; {key}: {part.strip()}".rstrip()


def _job_blocks(jobs: "JobStream | pd.DataFrame") -> Iterator[bytes]:
    """Yield the lines of jobs, so many at a time as need little memory as words."""
    import pandas as pd

    if isinstance(jobs, JobStream):
        table = pd.DataFrame(-1, index=range(len(jobs)), columns=list(FIELDS)).assign(
            job=jobs.number, submit=jobs.submit, runtime=jobs.runtime, status=1,
            allocated_processors=jobs.processors, requested_processors=jobs.processors,
            requested_time=jobs.estimate,
        )  # fmt: skip
    else:
        table = instance_of("jobs", jobs, pd.DataFrame, "a JobStream, or the table of a log")
    if missing := [name for name in FIELDS if name not in table]:
        raise InputError(f"table has no column {missing[0]}; give the 18 fields of the format")
    for first in range(0, len(table), _MOST_LINES):
        some = table[first : first + _MOST_LINES]
        words = zip(*(_words(some[name].to_numpy()) for name in FIELDS), strict=True)
        yield "".join(f"{' '.join(line)}\n" for line in words).encode("utf-8")


def _words(values: NDArray) -> Iterator[str]:
    """Return numbers as the shortest text that reads back as the same number."""
    if values.dtype.kind in "iu":
        return map(str, values.tolist())
    numbers = map(float, values)
    return (str(int(v)) if v.is_integer() and abs(v) < 1e15 else repr(v) for v in numbers)
