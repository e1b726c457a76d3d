"""The lines of an export of ``sacct``, put into columns of numbers.

A line is a job, an element of an array, a component of a heterogeneous job, or a step of one of
these.
"""

import codecs
import io
from collections import Counter
from collections.abc import Callable
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, shown, whole_in
from coalloc_lib.workloads.log_files import content
from own_system.sacct_elapsed import tolerance_of
from own_system.sacct_receipt import REPEATED, STEPS
from own_system.sacct_times import (
    LENGTH_OF_TIME,
    Hours,
    instants,
    is_without_seconds,
    length,
    parts_of,
)

if TYPE_CHECKING:
    import pandas as pd

#: A command that prints an export with all columns that are read.
COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --duplicates --allocations --parsable2 --noconvert "
    "--starttime 2025-01-01 --format JobID,Submit,Start,End,ElapsedRaw,State,AllocCPUS,ReqCPUS,"
    "NNodes,ReqNodes,TimelimitRaw,User,Account,Partition,QOS,Cluster > export.txt"
)
#: The columns of an export that can give each value of a line. The first one that is there is read.
COLUMNS = {
    "id": ("JobID",), "submit": ("Submit",), "start": ("Start",), "end": ("End",),
    "elapsed": ("ElapsedRaw", "Elapsed"), "state": ("State",), "user": ("User", "UID"),
    "requested_time": ("TimelimitRaw", "Timelimit"), "group": ("Account",), "queue": ("QOS",),
    "partition": ("Partition",), "cluster": ("Cluster",),
}  # fmt: skip
#: The columns for each of `SIZES`, by what counts as a processor.
PROCESSORS = {
    "cores": (("AllocCPUS", "NCPUS"), ("ReqCPUS",)),
    "nodes": (("NNodes", "AllocNodes"), ("ReqNodes",)),
}
SIZES = ("allocated_processors", "requested_processors")
#: The values that stay words. There are few different ones, so they are kept as codes.
NAMES = ("state", "user", "group", "queue", "partition", "cluster")
# The values that become numbers, with the forms that are accepted.
_TIMES = dict.fromkeys(("submit", "start", "end"), "seconds or YYYY-MM-DDThh:mm:ss")
_AMOUNTS = {
    "elapsed": "seconds or d-hh:mm:ss",
    "requested_time": "minutes or d-hh:mm:ss",
    **dict.fromkeys(SIZES, "a whole number (sacct --noconvert)"),
}
# The values without which a line cannot be read. One value of each tuple is enough.
_NEEDED = (("id",), ("submit",), ("start",), ("state",), ("elapsed", "end"), SIZES[:1])
# Words that stand for no value. The last two are Slurm's numbers for no value and for no limit.
_NOT_KNOWN = {
    "", "unknown", "none", "n/a", "invalid", "unlimited", "infinite", "partition_limit", "not_set",
    "4294967294", "4294967295",
}  # fmt: skip
_HAS_ZONE = r"\d*|.*(?:Z|[+-]\d\d:?\d\d)"


def columns_for(unit: str) -> dict[str, tuple[str, ...]]:
    """Return the columns that can give each value; `unit` is what counts as a processor."""
    return COLUMNS | dict(zip(SIZES, PROCESSORS[unit], strict=True))


class Export:
    """The lines of an export that may be jobs, in columns of numbers.

    The file is read block by block, because few words of it are kept.

    Parameters
    ----------
    path : str or Path
        The file.
    columns : dict of str to tuple of str
        The result of `columns_for`.
    zone : tzinfo
        The zone of times that name none.
    counts : Counter
        It counts the lines that are left out here: steps of jobs, and repeated headers.

    Raises
    ------
    InputError
        If a column is missing, if a line has too many or too few columns, or if there is no job.
    """

    def __init__(
        self, path: Any, columns: dict[str, tuple[str, ...]], zone: tzinfo, counts: Counter[str]
    ) -> None:
        self._path, self._zone, self._counts = path, zone, counts
        self._hours = Hours(zone)
        self._codes: dict[str, dict[str, int]] = {name: {} for name in NAMES}
        self._blocks: list[dict[str, NDArray]] = []
        self._instants: list[NDArray[np.float64]] = []
        self._faults: dict[str, str] = {}
        self._has_raw_elapsed = False
        self._read(columns)

    def check(self) -> None:
        """Raise an `InputError` if a value could not be read; it names the line and the value."""
        for name in (*_TIMES, *_AMOUNTS):
            if name in self._faults:
                raise InputError(self._faults[name])

    def table(self) -> "pd.DataFrame":
        """Return a table with a row for each line, and forget the columns to save memory."""
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
        """Return the two instants that each time may mean, and forget them to save memory.

        Returns
        -------
        ndarray of shape (number of lines, 3, 2)
            The instants of the submission, the start and the end, in seconds of Unix.
        """
        instants, self._instants = np.concatenate(self._instants), []
        return instants

    def _read(self, columns: dict[str, tuple[str, ...]]) -> None:
        header, places, number = b"", dict[str, int](), 1
        for block in content(self._path):
            block = block.removeprefix(codecs.BOM_UTF8) if number == 1 else block
            lines = enumerate(block.replace(b"\r\n", b"\n").split(b"\n"), start=number)
            number += block.count(b"\n")
            rows = {at: row for at, row in lines if row.strip()}
            if rows and not header:
                header = rows.pop(min(rows))
                text = header.decode("utf-8", "replace")
                places = _places(text, columns, self._path)
                names = text.casefold().replace(" ", "").split("|")
                self._has_raw_elapsed = "elapsedraw" in names
            repeated = [at for at, row in rows.items() if row == header]
            self._counts[REPEATED] += len([rows.pop(at) for at in repeated])
            self._check_widths(rows, header)
            if rows:
                self._add(self._values(rows, places, columns))
        if not any(map(len, self._instants)):
            steps = f"no job below its header ({self._counts[STEPS]:,} steps of jobs)"
            what = steps if header else "no line"
            raise InputError(f"{self._path} has {what}; export it with: {COMMAND}")

    def _check_widths(self, rows: dict[int, bytes], header: bytes) -> None:
        """Raise an error if a line has another number of columns than the header."""
        for at, row in rows.items():
            if row.count(b"|") != header.count(b"|"):
                raise InputError(
                    f"{self._path}, line {at}: {row.count(b'|') + 1} columns, but the header has "
                    f"{header.count(b'|') + 1}; leave JobName and other free text, which may "
                    "contain a '|', out of --format"
                )

    def _values(
        self, rows: dict[int, bytes], places: dict[str, int], columns: dict[str, tuple[str, ...]]
    ) -> dict[str, "pd.Series"]:
        """Return the words of each value of a block, by the number of the line; leave out steps."""
        import pandas as pd

        table = pd.read_csv(
            io.BytesIO(b"\n".join(rows.values())), sep="|", header=None, dtype=object,
            usecols=sorted(places.values()), na_filter=False, quoting=3, lineterminator="\n",
            encoding_errors="backslashreplace",
        ).set_axis([*rows])  # fmt: skip
        is_step = table[places["id"]].str.contains(".", regex=False)
        self._counts[STEPS] += int(is_step.sum())
        table = table[~is_step]
        empty = pd.Series("", table.index, dtype=object)
        return {name: table.get(places.get(name), empty) for name in columns}

    def _add(self, words: dict[str, "pd.Series"]) -> None:
        """Add the values of a block as numbers."""
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
        block["is_raw"] = np.full(len(block["id"]), self._has_raw_elapsed)
        for name in parsers:
            block[f"{name}_parts"] = self._numbers(name, words[name], parts_of)
        for name, codes in self._codes.items():
            block[name] = _codes_of(words[name], codes)
        self._blocks.append(block)

    def _times(self, name: str, words: "pd.Series") -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return the two instants that each time may mean, and three flags.

        The flags say whether the time has a zone, whether its form is unusual, and whether it has
        minutes but no seconds.
        """
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
        """Return words as numbers. Each different word is parsed once, an unknown value as ""."""
        import pandas as pd

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
    """Return the place in a line of the best column for each value."""
    names = [name.strip().casefold() for name in header.split("|")]
    places = {}
    for value, choices in columns.items():
        there = [choice for choice in choices if choice.casefold() in names]
        if there and names.count(there[0].casefold()) > 1:
            raise InputError(f"{path}, line 1: column {there[0]} comes twice; name it once")
        if there:
            places[value] = names.index(there[0].casefold())
    missing = [need for need in _NEEDED if not any(value in places for value in need)]
    if missing:
        words = ", ".join(" or ".join(columns[value][0] for value in need) for need in missing)
        raise InputError(
            f"{path}, line 1: no column {words} among columns separated by '|'; export it with: "
            f"{COMMAND}"
        )
    return places


def _codes_of(words: "pd.Series", codes: dict[str, int]) -> NDArray[np.int32]:
    """Return the code of each word; add new words to the dict with the next codes."""
    import pandas as pd

    local, different = pd.factorize(words)
    numbers = [codes.setdefault(word, len(codes)) for word in different]
    return np.array(numbers, dtype=np.int32)[local]


def _number_of_processors(word: str) -> int:
    return whole_in(word or "0")
