"""From the text of a Standard Workload Format log to a header and a table.

The fast path hands blocks of job lines to pandas. A block that has anything else in it, or looks
wrong afterwards, is read again line by line, because only then can an error name the line, and
because pandas fills missing trailing fields in silence.
"""

import codecs
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import LARGEST_WHOLE, InputError

if TYPE_CHECKING:
    import pandas as pd

#: The 18 fields, in the order of the format.
FIELDS = (
    "job", "submit", "wait", "runtime", "allocated_processors", "average_cpu_time", "used_memory",
    "requested_processors", "requested_time", "requested_memory", "status", "user", "group",
    "executable", "queue", "partition", "preceding_job", "think_time",
)  # fmt: skip

_MEASURED = ("submit", "wait", "runtime", "average_cpu_time", "used_memory", "requested_time",
             "requested_memory", "think_time")  # fmt: skip
#: Fields that count or name something; they become `int64` columns, all others `float64`.
WHOLE_FIELDS = tuple(name for name in FIELDS if name not in _MEASURED)

#: No log begins with so many characters of comments.
_MOST_HEADER = 2**20

#: What lines of numbers are made of. Words are no matter for pandas, which takes a column of
#: 'True' for ones.
_OF_NUMBERS = b"0123456789+-.eE \n"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# A key is followed by a colon and a blank, so that 'http://...' is not one.
_KEY = re.compile(r"\s*([A-Za-z][\w .()-]*?)\s*:(?:\s+(.*))?", re.ASCII | re.DOTALL)


def parse(blocks: Iterable[bytes], where: str) -> tuple[dict[str, str], "pd.DataFrame"]:
    """Return the header of a log, and its job lines as a table with the columns `FIELDS`.

    The log comes in blocks of whole lines; errors call it `where`.
    """
    comments: list[str] = []
    tables: list[list[NDArray]] = []
    number = 1
    for block in blocks:
        if number == 1:
            block = block.removeprefix(codecs.BOM_UTF8)
        if not tables:
            leading, block = _leading_comments(block, number, where)
            comments += leading
            number += len(leading)
            if sum(map(len, comments)) > _MOST_HEADER:
                raise InputError(
                    f"{where} begins with more than {_MOST_HEADER:,} characters of comments; "
                    "check that it is a log"
                )
        lines = block.count(b"\n")
        table = _fast_table(block, lines) or _careful_table(block, number, where)
        if table:
            tables.append(list(map(_in_brief, table)))
        number += lines
    if not tables:
        raise InputError(f"{where} has no job; give a log with at least one line of 18 numbers")
    return parse_header(comments), _joined(tables)


def _leading_comments(block: bytes, number: int, where: str) -> tuple[list[str], bytes]:
    """Return the lines before the first job of a block, and the rest of the block."""
    lines: list[str] = []
    start = 0
    while start < len(block):
        end = block.find(b"\n", start) + 1 or len(block)
        line = _decoded_line(block[start:end], f"{where}, line {number + len(lines)}")
        if is_job_line(line):
            break
        lines.append(line)
        start = end
    return lines, block[start:]


def _in_brief(column: NDArray) -> NDArray:
    """Return a column as it is, or in the room of one entry where all are the same, as -1."""
    is_constant = (column == column[0]).all()
    return np.broadcast_to(column[:1].copy(), column.shape) if is_constant else column


def _joined(tables: list[list[NDArray]]) -> "pd.DataFrame":
    """Return one table of all blocks; give each column of theirs away as soon as it is copied."""
    import pandas as pd

    columns = {}
    for name in reversed(FIELDS):
        columns[name] = np.concatenate([table.pop() for table in tables])
    return pd.DataFrame({name: columns[name] for name in FIELDS}, copy=False)


def _decoded_line(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if line.lstrip().startswith(b";"):
            return line.decode("latin-1")
        raise InputError(
            f"{where}: byte 0x{line[error.start]:02x} is not UTF-8 text; "
            "save the log as UTF-8, or check that it is a log"
        ) from None


def is_job_line(line: str) -> bool:
    """Whether a line of a log describes a job: it is not blank and not a comment."""
    start = line.lstrip()
    return bool(start) and start[0] != ";"


def is_header_key(key: str) -> bool:
    """Whether the reader would take `key` for the key of a header line."""
    match = _KEY.fullmatch(f" {key}:")
    return match is not None and match[1] == key


def parse_header(lines: Iterable[str]) -> dict[str, str]:
    """Return the ``; Key: value`` comments before the first job, keys to values.

    A key that comes again and a line without a key go on with the value, after a line break.
    """
    header: dict[str, str] = {}
    current = None
    for line in lines:
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


def _fast_table(block: bytes, lines: int) -> list[NDArray] | None:
    """Return the columns of a block that is nothing but job lines, else None."""
    if b"\r" in block or b"\t" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    if block.translate(None, _OF_NUMBERS):
        return None
    rows = lines + (not block.endswith(b"\n"))
    # Twice as fast as any white space, r"\s+".
    return _columns(io.BytesIO(block), rows, sep=" ", skipinitialspace=True)


def _careful_table(block: bytes, number: int, where: str) -> list[NDArray] | None:
    """Return the columns of a block, None where it has no job; name the first line at fault."""
    lines = [
        _decoded_line(line, f"{where}, line {number + i}")
        for i, line in enumerate(block.split(b"\n"))
    ]
    rows = [line for line in lines if is_job_line(line)]
    if not rows:
        return None
    text = "\n".join(rows)
    columns = None
    if not text.encode().translate(None, _OF_NUMBERS + b"\t\r"):
        columns = _columns(io.StringIO(text), len(rows), sep=r"\s+")
    if columns is None:
        for i, line in enumerate(lines):
            fault = _fault_of(line) if is_job_line(line) else None
            if fault:
                raise InputError(f"{where}, line {number + i}: {fault}")
        raise InputError(f"{where} cannot be read as 18 columns of numbers; check its format")
    return columns


def _columns(text: io.BytesIO | io.StringIO, rows: int, **separator: Any) -> list[NDArray] | None:
    """Return the 18 columns of so many job lines; None where anything is not as it should be."""
    import pandas as pd

    # Before version 3, pandas by default rounds the last digit of a long fraction wrongly.
    exact = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    try:
        table = pd.read_csv(
            text,
            header=None,
            names=[*FIELDS, "too_many"],
            dtype=np.float64,
            quoting=3,
            engine="c",
            **exact,
            **separator,
        )
    except (ValueError, OverflowError):
        return None
    *columns, too_many = (table[name].to_numpy() for name in table)
    # Of lines with too many fields pandas makes the first an index, without a word.
    is_plain = isinstance(table.index, pd.RangeIndex) and len(table) == rows
    if not is_plain or not np.isnan(too_many).all() or (columns[1] < 0).any():
        return None
    if not all(np.isfinite(column).all() for column in columns):
        return None
    for position, name in enumerate(FIELDS):
        if name in WHOLE_FIELDS:
            if np.abs(columns[position]).max() >= LARGEST_WHOLE:
                return None
            whole = columns[position].astype(np.int64)
            if (whole != columns[position]).any():
                return None
            columns[position] = whole
    return columns


def _fault_of(line: str) -> str | None:
    """Return what is wrong with a job line and how to mend it; None if nothing is."""
    words = re.split(r"[ \t]+", line.strip(" \t\r"))
    for position, word in enumerate(words[: len(FIELDS)]):
        name = f"field {position + 1} ({FIELDS[position]})"
        if not _NUMBER.fullmatch(word):
            return f"{name} is {word[:40]!r}, not a number; write -1 where a value is not known"
        if not np.isfinite(float(word)):
            return f"{name} is {word[:40]}, too large for a number; correct it"
    if len(words) != len(FIELDS):
        return (
            f"{len(words)} fields where the format has {len(FIELDS)}; write -1 where a value is "
            "not known and put remarks on lines that begin with ';'"
        )
    return _senseless_value(dict(zip(FIELDS, map(float, words), strict=True)))


def _senseless_value(job: dict[str, float]) -> str | None:
    for name in WHOLE_FIELDS:
        if job[name] != np.floor(job[name]) or abs(job[name]) >= LARGEST_WHOLE:
            return f"{name} is {job[name]:.15g}; give a whole number below 2^53"
    if job["submit"] < 0:
        return (
            f"submit is {job['submit']:.15g}; give seconds since the log began, 0 or more, or "
            "remove the job"
        )
    return None
