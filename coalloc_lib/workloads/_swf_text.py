"""From the text of a Standard Workload Format log to a header and a table.

The fast path hands all job lines to pandas at once. Whatever looks wrong afterwards is looked
for again line by line, because only then can an error name the line, and because pandas fills
missing trailing fields in silence.
"""

import codecs
import gzip
import io
import re
import zlib
from pathlib import Path

import numpy as np

from coalloc_lib.checks import InputError

#: The 18 fields, in the order of the format.
FIELDS = (
    "job",
    "submit",
    "wait",
    "runtime",
    "allocated_processors",
    "average_cpu_time",
    "used_memory",
    "requested_processors",
    "requested_time",
    "requested_memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding_job",
    "think_time",
)

#: Fields that count or name something; they become `int64` columns, all others `float64`.
WHOLE_FIELDS = (
    "job",
    "allocated_processors",
    "requested_processors",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding_job",
)

#: Above this, whole numbers are no longer exact as floating point numbers.
LARGEST_WHOLE = 2.0**53

_GZIP_MAGIC = b"\x1f\x8b"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# A key is followed by a colon and a blank, so that 'http://...' is not one.
_KEY = re.compile(r"\s*([A-Za-z][\w .()-]*?)\s*:(?:\s+(.*))?", re.ASCII | re.DOTALL)


def read_content(path):
    """Return the bytes of a log, unpacked if it is packed.

    Raises
    ------
    InputError
        There is no such file, it cannot be read, or its compression is broken.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a log in it") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check it") from None
    if raw[:2] == _GZIP_MAGIC:
        return _unpacked(path, raw)
    if path.suffix == ".gz":
        raise InputError(f"{path} is not a gzip file; fetch it again, or drop .gz from its name")
    return raw


def _unpacked(path, raw):
    try:
        return gzip.decompress(raw)
    except EOFError:
        raise InputError(
            f"{path} is cut short: its gzip stream has no end; fetch it again"
        ) from None
    except (OSError, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file ({error}); fetch it again") from None


def decoded(content, where):
    """Return the text of `content`; name the first line of a job that is not UTF-8.

    A byte order mark at the beginning is left out. Comments may also be Latin-1, as those of older
    logs are.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        lines = enumerate(content.split(b"\n"), start=1)
        return "\n".join(_decoded_line(line, f"{where}, line {number}") for number, line in lines)


def _decoded_line(line, where):
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if line.lstrip().startswith(b";"):
            return line.decode("latin-1")
        raise InputError(
            f"{where}: byte 0x{line[error.start]:02x} is not UTF-8 text; "
            "save the log as UTF-8, or check that it is a log"
        ) from None


def is_job_line(line):
    """Whether a line of a log describes a job: it is not blank and not a comment."""
    start = line.lstrip()
    return bool(start) and start[0] != ";"


def is_header_key(key):
    """Whether the reader would take `key` for the key of a header line."""
    match = _KEY.fullmatch(f" {key}:")
    return match is not None and match[1] == key


def parse_header(lines):
    """Return the ``; Key: value`` comments before the first job, keys to values.

    A key that comes again and a line without a key go on with the value, after a line break.
    """
    header, current = {}, None
    for line in lines:
        if is_job_line(line):
            break
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


def parse_table(lines, where):
    """Return the job lines as a table with the columns `FIELDS`.

    Parameters
    ----------
    lines : list of str
        All lines of the log, comments included.
    where : str
        What an error calls the log.

    Raises
    ------
    InputError
        The log has no job, or a line is not 18 numbers that make sense.
    """
    rows = [line for line in lines if is_job_line(line)]
    if not rows:
        raise InputError(f"{where} has no job; give a log with at least one line of 18 numbers")
    table = _fast_table(rows)
    if table is None or _is_suspect(table, len(rows)):
        _raise_first_fault(lines, where)
        raise InputError(f"{where} cannot be read as 18 columns of numbers; check its format")
    table = table.iloc[:, : len(FIELDS)]
    return table.astype(dict.fromkeys(WHOLE_FIELDS, np.int64))


def _fast_table(rows):
    import pandas as pd

    # Before version 3, pandas by default rounds the last digit of a long fraction wrongly.
    exact = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    try:
        return pd.read_csv(
            io.StringIO("\n".join(rows)),
            sep=r"\s+",
            header=None,
            names=[*FIELDS, "too_many"],
            dtype=np.float64,
            quoting=3,
            engine="c",
            **exact,
        )
    except (ValueError, OverflowError):
        return None


def _is_suspect(table, expected_rows):
    values = table.to_numpy()
    named = values[:, :-1]
    whole = table[list(WHOLE_FIELDS)].to_numpy()
    return (
        len(table) != expected_rows
        or not np.isnan(values[:, -1]).all()
        or not np.isfinite(named).all()
        or (whole != np.floor(whole)).any()
        or (np.abs(whole) > LARGEST_WHOLE).any()
        or (table["submit"] < 0).any()
    )


def _raise_first_fault(lines, where):
    for number, line in enumerate(lines, start=1):
        fault = _fault_of(line) if is_job_line(line) else None
        if fault:
            raise InputError(f"{where}, line {number}: {fault}")


def _fault_of(line):
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


def _senseless_value(job):
    for name in WHOLE_FIELDS:
        if job[name] != np.floor(job[name]) or abs(job[name]) > LARGEST_WHOLE:
            return f"{name} is {job[name]:.15g}; give a whole number of at most 2^53"
    if job["submit"] < 0:
        return (
            f"submit is {job['submit']:.15g}; give seconds since the log began, 0 or more, or "
            "remove the job"
        )
    return None
