"""The lines of a log in the Standard Workload Format: comments, and jobs of 18 numbers."""

import codecs
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import LARGEST_WHOLE, NUMBER, InputError

if TYPE_CHECKING:
    import pandas as pd

#: The names of the 18 fields of a job in the Standard Workload Format, in the order of a line.
FIELDS = (
    "job", "submit", "wait", "runtime", "allocated_processors", "average_cpu_time", "used_memory",
    "requested_processors", "requested_time", "requested_memory", "status", "user", "group",
    "executable", "queue", "partition", "preceding_job", "think_time",
)  # fmt: skip
#: The fields of a job in the Standard Workload Format that are whole numbers. Their columns have
#: the type `int64`, and the columns of all other fields have the type `float64`.
WHOLE_FIELDS = (
    "job", "allocated_processors", "requested_processors", "status", "user", "group",
    "executable", "queue", "partition", "preceding_job",
)  # fmt: skip

#: The maximum number of characters that a log can have before its first job.
_MOST_HEADER = 2**20
#: The number of fields of each job in a log of the Grid Workloads Archive.
_GRID_FIELDS = 29
#: The values of the field status in a line that is a partial execution of a preempted job. The job
#: continues later (2), or this is the last part of a job that completed (3) or failed (4).
PARTIAL = (2, 3, 4)
# The bytes that are allowed in a line of numbers. A line with other bytes is rejected, because
# pandas accepts some words as numbers: it reads 'True' as 1.
_OF_NUMBERS = b"0123456789+-.eE \n"
#: The keys in the header of a log that the library uses. They are matched without regard to case.
KEYS = (
    "MaxNodes", "MaxProcs", "UnixStartTime", "StartTime", "EndTime", "TimeZone", "TimeZoneString",
    "Preemption",
)  # fmt: skip
# Matches a key in the header of a log and its value. A key is followed by a colon and a blank, so
# 'http' in 'http://...' is not a key. After a key that the library uses, the blank can be missing.
_KEY = re.compile(r"\s*([A-Za-z][\w .()-]*?)\s*:(?:\s+(.*))?", re.ASCII | re.DOTALL)
_KNOWN_KEY = re.compile(rf"\s*({'|'.join(KEYS)})\s*:(.*)", re.ASCII | re.DOTALL | re.IGNORECASE)
_CANONICAL = {key.casefold(): key for key in KEYS}
# Patterns for lines of numbers that are separated by semicolons or commas instead of blanks.
_SEPARATED_NUMBERS = {
    separator: re.compile(rf"\s*[-+.\deE]+(\s*{separator}\s*[-+.\deE]*){{5,}}")
    for separator in ";,"
}


def parsed(blocks: Iterable[bytes], where: str) -> tuple["Header", "pd.DataFrame"]:
    """Parse the content of a log file, and return its header and its table of jobs.

    Parameters
    ----------
    blocks : iterable of bytes
        The content of the log, in blocks of whole lines.
    where : str
        The name of the file in errors.

    Raises
    ------
    InputError
        A line cannot be read, or there is no job.
    """
    import pandas as pd

    comments: list[str] = []
    late: dict[str, int] = {}
    table = pd.concat(tables_of(blocks, where, comments, late), ignore_index=True)
    return header_of(comments)._replace(late=late), table


class Header(NamedTuple):
    """The header of a log: the value of each key, and the line on which each key occurs.

    Attributes
    ----------
    values : dict of str to str
        The values by key.
    lines : dict of str to int
        The line of the file on which each key is first given.
    late : dict of str to int
        The lines of the keys that come after the first job, where their values are not used.
    """

    values: dict[str, str]
    lines: dict[str, int]
    late: Mapping[str, int] = MappingProxyType({})


def tables_of(
    blocks: Iterable[bytes], where: str, comments: list[str], late: dict[str, int] | None = None
) -> Iterator["pd.DataFrame"]:
    """Yield tables of the jobs in a log, one table per block of lines that contains jobs.

    Parameters
    ----------
    blocks : iterable of bytes
        The content of the log, in blocks of whole lines.
    where : str
        The name of the file in errors.
    comments : list of str
        A list to which the lines before the first job are added.
    late : dict of str to int, optional
        A dict to which the keys of the header that come after the first job are added, with the
        first line of each.

    Raises
    ------
    InputError
        A line cannot be read, or there is no job.
    """
    late = {} if late is None else late
    in_header = True
    number = 1
    for block in blocks:
        if number == 1:
            block = block.removeprefix(codecs.BOM_UTF8)
        # Parsing a whole block of lines at once is fast. A block is divided into single lines only
        # if it contains the end of the header, comments, blank lines or mistakes.
        table = None if in_header else _table_of(block)
        if table is None:
            lines = _lines_of(block, number, where)
            jobs = {at: line for at, line in lines.items() if line and line[0] != ";"}
            first = min(jobs, default=number + len(lines)) if in_header else number
            comments += [line for at, line in lines.items() if at < first]
            _check_header_length(comments, where)
            _add_late_keys(lines, first, late)
            table = _table_of_lines(jobs, where, in_header)
        if table is not None:
            in_header = False
            yield table
        number += block.count(b"\n")
    if in_header:
        raise InputError(f"{where} has no job; give a log with at least one line of 18 numbers")


def _table_of_lines(jobs: Mapping[int, str], where: str, in_header: bool) -> "pd.DataFrame | None":
    if not jobs:
        return None
    table = _table_of("\n".join(jobs.values()).encode())
    if table is None:
        _raise_for_first_fault(jobs, where, in_header)
    return table


def _add_late_keys(lines: Mapping[int, str], first: int, late: dict[str, int]) -> None:
    for at, line in lines.items():
        if at >= first and line.startswith(";"):
            match = _KNOWN_KEY.fullmatch(line.lstrip(";"))
            if match:
                late.setdefault(_CANONICAL[match[1].casefold()], at)


def _lines_of(block: bytes, number: int, where: str) -> dict[int, str]:
    rows = enumerate(block.removesuffix(b"\n").split(b"\n"), start=number)
    return {at: _decoded(row, f"{where}, line {at}").strip(" \t\r") for at, row in rows}


def _check_header_length(comments: list[str], where: str) -> None:
    if sum(map(len, comments)) > _MOST_HEADER:
        raise InputError(
            f"{where} begins with more than {_MOST_HEADER:,} characters of comments; check that "
            "the file is a log"
        )


def _raise_for_first_fault(jobs: Mapping[int, str], where: str, in_header: bool) -> None:
    for at, line in jobs.items():
        fault = _other_format(line, jobs) if in_header else None
        fault = fault or _fault_of(re.split(r"[ \t]+", line))
        if fault:
            raise InputError(f"{where}, line {at}: {fault}")
    raise InputError(f"{where} cannot be read as 18 columns of numbers; check the file format")


def _other_format(line: str, lines: Mapping[int, str]) -> str | None:
    data = next((text for text in lines.values() if text[0] != "#"), "")
    if len(data.split()) == _GRID_FIELDS:
        return (
            f"this is a log of the Grid Workloads Archive, with {_GRID_FIELDS} fields and comments "
            "that begin with '#'; keep the first 16 fields of each job, write names as numbers, "
            "add '-1 -1', and let comments begin with ';'"
        )
    if line[0] == "#":
        return "a comment begins with '#'; let comments begin with ';'"
    for separator, pattern in _SEPARATED_NUMBERS.items():
        if pattern.fullmatch(line):
            return (
                f"the fields are separated by '{separator}', but the Standard Workload Format "
                f"separates them by blanks; replace each '{separator}' in a job with a blank"
            )
    if line[0].isalpha() or line[0] in "{[" or "|" in line:
        return (
            "this line is not a job of 18 numbers; if it is a remark, begin it with ';'. If the "
            "file is not in the Standard Workload Format: the command 'python -m own_system "
            "import' in notebooks/ reads the output of Slurm's sacct, and co.read_batsim reads "
            "Batsim's JSON"
        )
    return None


def _table_of(text: bytes) -> "pd.DataFrame | None":
    import pandas as pd

    if b"\r" in text or b"\t" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    if text.translate(None, _OF_NUMBERS):
        return None
    # By default, pandas before version 3 rounds the last digit of a long fraction incorrectly.
    exact: Any = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    try:
        table = pd.read_csv(
            io.BytesIO(text),
            header=None,
            names=[*FIELDS, "too_many"],
            dtype=np.float64,
            sep=" ",
            skipinitialspace=True,
            quoting=3,
            engine="c",
            **exact,
        )
    except (ValueError, OverflowError):
        return None
    if not _is_sound(table, text.count(b"\n") + (not text.endswith(b"\n"))):
        return None
    return table[list(FIELDS)].astype(dict.fromkeys(WHOLE_FIELDS, np.int64))


def _is_sound(table: "pd.DataFrame", lines: int) -> bool:
    import pandas as pd

    numbers, counts = table[list(FIELDS)].to_numpy(), table[list(WHOLE_FIELDS)].to_numpy()
    return bool(
        # If lines have more fields than there are column names, pandas uses the first field as
        # index.
        isinstance(table.index, pd.RangeIndex)
        and len(table) == lines
        and table["too_many"].isna().all()
        and np.isfinite(numbers).all()
        and (np.abs(counts) < LARGEST_WHOLE).all()
        and (counts == np.floor(counts)).all()
        and _has_submission(table["submit"], table["status"]).all()
    )


def _has_submission(submit: Any, status: Any) -> Any:
    # Partial executions after the first one need no submission time.
    return (submit >= 0) | ((submit == -1) & np.isin(status, PARTIAL))


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if line.lstrip().startswith(b";"):
            # Comments in Latin-1 are also accepted.
            return line.decode("latin-1")
        raise InputError(
            f"{where}: byte 0x{line[error.start]:02x} is not UTF-8 text; "
            "save the log as UTF-8, or check that it is a log"
        ) from None


def _fault_of(words: list[str]) -> str | None:
    for place, (field, word) in enumerate(zip(FIELDS, words, strict=False), start=1):
        fault = f"field {place} ({field}) is"
        if not NUMBER.fullmatch(word):
            return f"{fault} {word[:40]!r}, not a number; write -1 if a value is not known"
        if not np.isfinite(float(word)):
            return f"{fault} {word[:40]}, too large for a number; correct it"
    if len(words) != len(FIELDS):
        return (
            f"the line has {len(words)} fields, but the format has {len(FIELDS)}; write -1 if a "
            "value is not known, and put remarks on lines that begin with ';'"
        )
    job = dict(zip(FIELDS, map(float, words), strict=True))
    for field in WHOLE_FIELDS:
        if not job[field].is_integer() or abs(job[field]) >= LARGEST_WHOLE:
            return f"{field} is {job[field]:.15g}; give a whole number below 2^53"
    if _has_submission(job["submit"], job["status"]):
        return None
    mend = "give seconds since the start of the log, 0 or more, or remove the job"
    return f"submit is {job['submit']:.15g}; {mend}"


def header_of(comments: Iterable[str]) -> Header:
    """Parse the header of a log, given the comment lines at the beginning of the log.

    A comment without a key continues the value of the previous key.
    """
    header = Header({}, {})
    current = None
    for at, line in enumerate(comments, start=1):
        comment = line.strip().lstrip(";").rstrip()
        match = _KNOWN_KEY.fullmatch(comment) or _KEY.fullmatch(comment)
        if match:
            current = _CANONICAL.get(match[1].casefold(), match[1])
            value = (match[2] or "").strip()
            before = header.values.get(current)
            header.values[current] = value if before is None else f"{before}\n{value}"
            header.lines.setdefault(current, at)
        elif not comment:
            current = None
        elif current is not None:
            header.values[current] += f"\n{comment.strip()}"
    return header


def is_key(text: str) -> bool:
    """Return whether a string is a valid key for the header of a log."""
    match = _KEY.fullmatch(f" {text}:")
    return match is not None and match[1] == text
