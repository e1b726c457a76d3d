"""The lines of an export of ``sacct``, converted to columns of numbers.

A line is a job, an element of an array, a component of a heterogeneous job, or a step of one of
these.
"""

import codecs
import io
from collections import Counter
from collections.abc import Callable
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, shown, whole_in
from coalloc_lib.workloads.log_files import content
from own_system.sacct.elapsed import tolerance_of
from own_system.sacct.receipt import REPEATED, STEPS
from own_system.sacct.times import (
    LENGTH_OF_TIME,
    Hours,
    instants,
    is_without_seconds,
    length,
    parts_of,
)

if TYPE_CHECKING:
    import pandas as pd

#: A shell command that exports Slurm's accounting records with all columns that `read_sacct` uses.
COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --duplicates --allocations --parsable2 --noconvert "
    "--starttime 2025-01-01 --format JobID,Submit,Start,End,ElapsedRaw,State,AllocCPUS,ReqCPUS,"
    "NNodes,ReqNodes,TimelimitRaw,User,Account,Partition,QOS,Cluster > export.txt"
)
#: For each property of a job, the columns of ``sacct`` that can contain it. The first of them that
#: exists is read.
COLUMNS = {
    "id": ("JobID",), "submit": ("Submit",), "start": ("Start",), "end": ("End",),
    "elapsed": ("ElapsedRaw", "Elapsed"), "state": ("State",), "user": ("User", "UID"),
    "requested_time": ("TimelimitRaw", "Timelimit"), "group": ("Account",), "queue": ("QOS",),
    "partition": ("Partition",), "cluster": ("Cluster",),
}  # fmt: skip
#: The columns of ``sacct`` that contain the allocated and the requested processors of a job. They
#: depend on whether cores or nodes count as processors.
PROCESSORS = {
    "cores": (("AllocCPUS", "NCPUS"), ("ReqCPUS",)),
    "nodes": (("NNodes", "AllocNodes"), ("ReqNodes",)),
}
SIZES = ("allocated_processors", "requested_processors")
#: The values of a job that remain strings. They are stored as integer codes, because there are only
#: a few different strings.
NAMES = ("state", "user", "group", "queue", "partition", "cluster")
# The fields of a job that are converted to numbers, each with the format that an error names.
_TIMES = dict.fromkeys(("submit", "start", "end"), "seconds or YYYY-MM-DDThh:mm:ss")
_AMOUNTS = {
    "elapsed": "seconds or d-hh:mm:ss",
    "requested_time": "minutes or d-hh:mm:ss",
    **dict.fromkeys(SIZES, "a whole number (sacct --noconvert)"),
}
# The values that every line of the output of ``sacct`` must have. If a tuple names several values,
# one of them is enough.
_NEEDED = (("id",), ("submit",), ("start",), ("state",), ("elapsed", "end"), SIZES[:1])
# Strings that stand for a missing value in the output of ``sacct``. The last two are the numbers
# with which Slurm represents an unknown value and an infinite limit.
_NOT_KNOWN = {
    "", "unknown", "none", "n/a", "invalid", "unlimited", "infinite", "partition_limit", "not_set",
    "4294967294", "4294967295",
}  # fmt: skip
_HAS_ZONE = r"\d*|.*(?:Z|[+-]\d\d:?\d\d)"


class Export(NamedTuple):
    """The lines in the output of Slurm's ``sacct`` that can be jobs, as numbers."""

    #: A table of numbers with one row for each line that can be a job.
    lines: "pd.DataFrame"
    #: The Unix times of submission, start and end in each line, as an array of shape (number of
    #: lines, 3, 2). Each has two possible values, because a time of day can occur twice when summer
    #: time ends.
    instants: NDArray[np.float64]
    #: The number of lines that were skipped because they are job steps or repeated headers.
    counts: Counter[str]
    #: Whether elapsed times come from the column ElapsedRaw of ``sacct``, which is in seconds.
    has_raw_elapsed: bool


def read_export(path: Any, unit: str, zone: tzinfo) -> Export:
    """Read those lines in the output of Slurm's ``sacct`` that can be jobs.

    Parameters
    ----------
    path : str or Path
        The file.
    unit : {"cores", "nodes"}
        What counts as a processor.
    zone : tzinfo
        The time zone of times without a time zone.

    Returns
    -------
    Export
        The lines. All their values could be read.

    Raises
    ------
    InputError
        If a column is missing, if a line has too many or too few columns, if there is no job, or if
        a value cannot be read.
    """
    reader = _Reader(path, COLUMNS | dict(zip(SIZES, PROCESSORS[unit], strict=True)), zone)
    for block in content(path):
        reader.add_block(block)
    reader.check()
    return Export(reader.table(), reader.instants(), reader.counts, reader.has_raw_elapsed)


class _Reader:
    """Reader of the output of ``sacct``, which converts one block of lines at a time to numbers.

    The file is read in blocks to save memory, because only a small part of it is kept.
    """

    def __init__(self, path: Any, columns: dict[str, tuple[str, ...]], zone: tzinfo) -> None:
        self.counts: Counter[str] = Counter()
        self.has_raw_elapsed = False
        self._path, self._columns, self._zone = path, columns, zone
        self._hours = Hours(zone)
        self._header, self._next_line = b"", 1
        # The position of the column of each value in a line.
        self._places: dict[str, int] = {}
        self._codes: dict[str, dict[str, int]] = {name: {} for name in NAMES}
        self._blocks: list[dict[str, NDArray]] = []
        self._instants: list[NDArray[np.float64]] = []
        # An error message for each value, about the first string that could not be converted.
        self._faults: dict[str, str] = {}

    def check(self) -> None:
        if not any(map(len, self._instants)):
            steps = f"no job below its header ({self.counts[STEPS]:,} steps of jobs)"
            lack = steps if self._header else "no line"
            raise InputError(f"{self._path} has {lack}; export it with: {COMMAND}")
        for name in (*_TIMES, *_AMOUNTS):
            if name in self._faults:
                raise InputError(self._faults[name])

    def table(self) -> "pd.DataFrame":
        import pandas as pd

        columns: dict[str, Any] = {}
        for name in [*self._blocks[0]]:
            column: Any = np.concatenate([block.pop(name) for block in self._blocks])
            if name in NAMES:
                names = self._codes[name]
                column = pd.Categorical.from_codes(column, [*names])
                column = column.reorder_categories(sorted(names))
            columns[name] = pd.Series(column, dtype=column.dtype)
        return pd.DataFrame(columns, copy=False)

    def instants(self) -> NDArray[np.float64]:
        return np.concatenate(self._instants)

    def add_block(self, block: bytes) -> None:
        first = self._next_line
        block = block.removeprefix(codecs.BOM_UTF8) if first == 1 else block
        lines = enumerate(block.replace(b"\r\n", b"\n").split(b"\n"), start=first)
        self._next_line += block.count(b"\n")
        rows = {number: row for number, row in lines if row.strip()}
        if rows and not self._header:  # The first line that is not empty is the header.
            self._read_header(rows.pop(min(rows)))
        repeated = [number for number, row in rows.items() if row == self._header]
        self.counts[REPEATED] += len([rows.pop(number) for number in repeated])
        self._check_widths(rows)
        if rows:
            self._add(self._values(rows))

    def _read_header(self, header: bytes) -> None:
        text = header.decode("utf-8", "replace")
        self._header, self._places = header, _places(text, self._columns, self._path)
        self.has_raw_elapsed = "elapsedraw" in text.casefold().replace(" ", "").split("|")

    def _check_widths(self, rows: dict[int, bytes]) -> None:
        wanted = self._header.count(b"|") + 1
        for number, row in rows.items():
            found = row.count(b"|") + 1
            if found != wanted:
                raise InputError(
                    f"{self._path}, line {number}: {found} columns, but the header has {wanted}; "
                    "omit JobName and other free text, which can contain a '|', from --format"
                )

    def _values(self, rows: dict[int, bytes]) -> dict[str, "pd.Series"]:
        import pandas as pd

        table = pd.read_csv(
            io.BytesIO(b"\n".join(rows.values())), sep="|", header=None, dtype=object,
            usecols=sorted(self._places.values()), na_filter=False, quoting=3, lineterminator="\n",
            encoding_errors="backslashreplace",
        ).set_axis([*rows])  # fmt: skip
        is_step = table[self._places["id"]].str.contains(".", regex=False)
        self.counts[STEPS] += int(is_step.sum())
        table = table[~is_step]
        empty = pd.Series("", table.index, dtype=object)
        return {name: table.get(self._places.get(name), empty) for name in self._columns}

    def _add(self, words: dict[str, "pd.Series"]) -> None:
        read = [self._times(name, words[name]) for name in _TIMES]
        when, zoned, unusual, in_minutes = zip(*read, strict=True)
        self._instants.append(np.stack(when, axis=1))
        block = {"id": words["id"].to_numpy(), "submit": when[0][:, 0]}
        block["other_submit"] = words["submit"].where(unusual[0], "").to_numpy()
        block |= {f"{name}_has_zone": zoned[k] for k, name in enumerate(_TIMES)}
        block["line"] = words["id"].index.to_numpy()
        block["has_end"] = (words["end"] != "").to_numpy(bool)
        minutes = partial(length, unit=60)
        parsers: dict[str, Callable] = {"elapsed": length, "requested_time": minutes}
        for name in _AMOUNTS:
            block[name] = self._numbers(name, words[name], parsers.get(name, _number_of_processors))
        elapsed_in_minutes = self._are_without_seconds("elapsed", words["elapsed"])
        block["tolerance"] = tolerance_of(in_minutes[1] | in_minutes[2], elapsed_in_minutes)
        for name in parsers:
            block[f"{name}_parts"] = self._numbers(name, words[name], parts_of)
        for name, codes in self._codes.items():
            block[name] = _codes_of(words[name], codes)
        self._blocks.append(block)

    def _times(self, name: str, words: "pd.Series") -> tuple[NDArray, NDArray, NDArray, NDArray]:
        quick = np.fromiter(map(self._hours.instant, words), float, len(words))
        when = np.stack([quick, quick], axis=1)
        has_zone = np.array(words.str.len() != LENGTH_OF_TIME, dtype=bool)
        unusual = np.isnan(quick)
        in_minutes = np.zeros(len(words), dtype=bool)
        if unusual.any():
            parse = partial(instants, zone=self._zone)
            when[unusual] = self._numbers(name, words[unusual], parse).reshape(-1, 2)
            has_zone[unusual] = words[unusual].str.fullmatch(_HAS_ZONE)
            in_minutes[unusual] = self._are_without_seconds(name, words[unusual])
        return when, has_zone, unusual, in_minutes

    def _are_without_seconds(self, name: str, words: "pd.Series") -> NDArray[np.bool_]:
        return self._numbers(name, words, is_without_seconds).astype(bool)

    def _numbers(
        self, name: str, words: "pd.Series", parse: Callable[[str], Any]
    ) -> NDArray[np.float64]:
        import pandas as pd

        # Each distinct string is parsed only once, because most strings occur many times.
        codes, different = pd.factorize(words.str.strip())
        values = []
        for code, word in enumerate(different):
            try:
                values.append(parse("" if word.casefold() in _NOT_KNOWN else word))
            except (ValueError, OverflowError):
                where = f"{self._path}, line {words.index[(codes == code).argmax()]}"
                fault = f"{where}: {name} is {shown(word)}; give {(_TIMES | _AMOUNTS)[name]}"
                self._faults.setdefault(name, fault)
                values.append(parse(""))
        return np.array(values, dtype=float)[codes]


def _places(header: str, columns: dict, path: Any) -> dict[str, int]:
    names = [name.strip().casefold() for name in header.split("|")]
    places = {}
    for value, choices in columns.items():
        there = [choice for choice in choices if choice.casefold() in names]
        if there and names.count(there[0].casefold()) > 1:
            raise InputError(f"{path}, line 1: column {there[0]} occurs twice; export it only once")
        if there:
            places[value] = names.index(there[0].casefold())
    missing = [need for need in _NEEDED if not any(value in places for value in need)]
    if missing:
        words = ", ".join(" or ".join(columns[value][0] for value in need) for need in missing)
        raise InputError(
            f"{path}, line 1: the header has no column {words}; its columns must be separated by "
            f"'|'; export the file with: {COMMAND}"
        )
    return places


def _codes_of(words: "pd.Series", codes: dict[str, int]) -> NDArray[np.int32]:
    import pandas as pd

    local, different = pd.factorize(words)
    numbers = [codes.setdefault(word, len(codes)) for word in different]
    return np.array(numbers, dtype=np.int32)[local]


def _number_of_processors(word: str) -> int:
    return whole_in(word or "0")
