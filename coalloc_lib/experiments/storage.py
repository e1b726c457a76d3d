"""The table of runs: made from settings and rows, written to a file, and read again as it was."""

import csv
import gzip
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.experiments.replications import REPLICATION
from coalloc_lib.experiments.sweep.points import label

#: Columns that are texts even where all of them are empty.
TEXTS = ("warning", "missing_logs")
#: Columns that have one value in all rows.
SAME_IN_ALL = ("study", "scale", "seed", "missing_logs")
#: A column in which words are so few, as a share of the numbers, is a column of numbers.
MOST_WORDS = 0.1
#: The errors by which a file is recognised that is cut off, or that is no table of runs.
UNREADABLE = (
    EOFError,
    zlib.error,
    UnicodeDecodeError,
    pd.errors.ParserError,
    pd.errors.EmptyDataError,
)
#: How a table is read: empty fields are missing values, and nothing else is.
_READING: dict[str, Any] = {
    "keep_default_na": False,
    "na_values": [""],
    "low_memory": False,
}
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # from then on it is exact by itself
    _READING["float_precision"] = "round_trip"


def setting_columns(setting: Any) -> dict[str, Any]:
    """Return the fields of a setting, a frozen dataclass, as columns: numbers, texts or None.

    A field that takes no part in comparisons (``field(compare=False)``) is no column.
    """
    if not is_dataclass(setting) or isinstance(setting, type):
        several = "; give its settings one by one" if isinstance(setting, list | tuple) else ""
        raise InputError(
            f"setting = {shown(setting)}; give a frozen dataclass, such as Setting(...){several}"
        )
    names = [each.name for each in fields(setting) if each.compare]
    return {name: label(getattr(setting, name)) for name in names}


def each_once(settings: Iterable[Any]) -> list[Any]:
    """Return settings in their order, each once; refuse one that can change."""
    if is_dataclass(settings) and not isinstance(settings, type):
        raise InputError(f"settings = {shown(settings)} is one setting; give a list of them")
    settings = list(settings)
    for setting in settings:
        setting_columns(setting)
        try:
            hash(setting)
        except TypeError as error:
            raise InputError(
                f"setting = {shown(setting)} has a part that can change ({error}); let it be a "
                "frozen dataclass of numbers, texts, tuples and policies"
            ) from None
    return list(dict.fromkeys(settings))


def table_of_runs(
    settings: Sequence[Any],
    measured: Sequence[Iterable[Mapping[str, Any]]],
    made_with: Mapping[str, Any],
) -> pd.DataFrame:
    """Return one table: the fields of each setting, its rows, and what all were made with.

    In a row what stands before ``replication`` tells apart of whom it was measured (a site, a
    class of jobs), and what stands behind it was measured.
    """
    rows, keys, values = [], dict[str, None](), dict[str, None]()
    of_settings = {name for setting in settings for name in setting_columns(setting)}
    for setting, its_rows in zip(settings, measured, strict=True):
        columns = setting_columns(setting)
        keys |= dict.fromkeys(columns)
        for row in its_rows:
            names = list(row)
            if REPLICATION not in names:
                raise InputError(f"measure returned {shown(dict(row))}; it has no {REPLICATION!r}")
            taken = [name for name in names if name in of_settings]
            if taken:
                raise InputError(
                    f"measure returned {taken[0]!r} of {shown(setting)}, which is a field of a "
                    "setting; call it otherwise"
                )
            at = names.index(REPLICATION)
            keys |= dict.fromkeys(names[:at])
            values |= dict.fromkeys(names[at + 1 :])
            cells = columns | {name: label(value) for name, value in row.items()}
            rows.append({name: _no_truth(value) for name, value in cells.items()})
    if not rows:
        raise InputError("no setting has any run; give at least one that can be measured")
    order = [*keys, REPLICATION, *(name for name in values if name not in keys)]
    return _as_read(pd.DataFrame(rows, columns=order).assign(**made_with))


def _no_truth(value):
    """Return True and False as numbers: beside empty cells they would be read as texts."""
    return int(value) if isinstance(value, bool) else value


def joined_runs(runs: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Return two tables of runs as one; what one of them has no column for is missing there."""
    keys, values = dict[str, None](), dict[str, None]()
    for table in (runs, more):
        at = list(table.columns).index(REPLICATION)
        keys |= dict.fromkeys(table.columns[:at])
        values |= dict.fromkeys(table.columns[at + 1 :])
    order = [*keys, REPLICATION, *(name for name in values if name not in keys)]
    return _as_read(pd.concat([runs, more], ignore_index=True)[order])


def write_runs(runs: pd.DataFrame, path: str | Path) -> None:
    """Write a table of runs as CSV, compressed, all or nothing; the same runs, the same bytes."""
    text = runs.to_csv(index=False, lineterminator="\n")
    with atomic_path(path) as beside:
        beside.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def read_runs(path: str | Path) -> pd.DataFrame:
    """Read a table that `write_runs` wrote, as it was; an `InputError` names a damaged line."""
    try:
        text = gzip.decompress(Path(path).read_bytes()).decode("utf-8")
        _check_lines(path, text)
        runs = _filled(pd.read_csv(StringIO(text), **_READING))
        _check_numbers(path, runs)
        return runs
    except OSError as error:
        why = error.strerror or str(error)  # without the path
    except UNREADABLE as error:
        why = str(error)
    raise InputError(
        f"runs = {str(path)!r} cannot be read ({why}); give a whole runs.csv.gz "
        "that `write_runs` wrote"
    )


def _check_lines(path: str | Path, text: str) -> None:
    """Refuse a line that does not have as many fields as the first one."""
    lines = csv.reader(StringIO(text), strict=True)
    try:
        header = next(lines, [])
        for fields_ in lines:
            if len(fields_) != len(header):
                _refuse_line(path, lines.line_num, f"{len(fields_)} fields, not {len(header)}")
    except csv.Error as error:
        _refuse_line(path, lines.line_num, str(error))


def _check_numbers(path: str | Path, runs: pd.DataFrame) -> None:
    """Refuse a word in a column of numbers, and a line of another study, scale or seed."""
    for name, column in runs.items():
        if pd.api.types.is_numeric_dtype(column):
            continue
        words = (column != "") & pd.to_numeric(column, errors="coerce").isna()
        numbers = (column != "") & ~words
        if 0 < words.sum() <= MOST_WORDS * numbers.sum():
            _refuse_cell(path, runs, str(name), words, "a number")
    for name in SAME_IN_ALL:
        if name in runs and len(runs) > 1:
            usual = runs[name].mode().iloc[0]
            others = runs[name] != usual
            if 0 < others.sum() <= MOST_WORDS * len(runs):
                _refuse_cell(path, runs, name, others, shown(usual))


def _refuse_cell(path, runs, name, wrong, wanted):
    """Refuse the first wrong cell of a column."""
    row = int(wrong.to_numpy().argmax())
    # The header is line 1. No cell that is written has an end of line in it.
    _refuse_line(path, row + 2, f"{name} = {shown(runs[name].iloc[row])}, not {wanted}")


def _refuse_line(path, line, what):
    raise InputError(
        f"runs = {str(path)!r}, line {line}: {what}; the file is damaged; take a copy of it, or "
        "make the runs again"
    )


def _as_read(runs):
    """Return a table as it is read from its file: runs in memory say what stored ones say."""
    return _filled(pd.read_csv(StringIO(runs.to_csv(index=False)), **_READING))


def _filled(runs):
    """Return a table whose texts are never missing, but empty, and whose truths are numbers."""
    for name, column in runs.items():
        if name in TEXTS:
            runs[name] = column.astype(object).fillna("")
        elif pd.api.types.is_bool_dtype(column):
            runs[name] = column.astype(int)
        elif not pd.api.types.is_numeric_dtype(column):
            runs[name] = column.fillna("").astype(object)  # one block: quickly picked from
    return runs


def identity(columns: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return the values of a setting such that those of a table and of an object are equal."""
    return tuple(_plain(columns[name]) for name in sorted(columns))


def identities(runs: pd.DataFrame, names: Sequence[str]) -> set[tuple[Hashable, ...]]:
    """Return the `identity` of every setting in a table, whose fields have these names."""
    settings = runs[list(names)].drop_duplicates().to_dict("records")
    return {identity(setting) for setting in settings}


def _plain(value):
    if value is None or value == "" or value != value:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
