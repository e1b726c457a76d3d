"""Tables of runs: made from settings and measured rows, written to a file, and read again."""

import gzip
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from io import StringIO
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.statistics.labels import label
from coalloc_lib.statistics.replications import REPLICATION
from studies.damage import check_lines, check_numbers

#: In a table of runs, these columns have the type string, even if all their cells are empty.
TEXTS = ("warning", "missing_logs")
#: The types of values that a table of runs stores unchanged.
UNCHANGED_TYPES = frozenset({int, float, str, type(None)})
#: The data types of numeric columns, which stay the same when a table of runs is written to a file
#: and read again.
NUMBERS = (np.dtype(np.int64), np.dtype(float))
#: The name in the gzip header of a file that `write_runs` wrote. If another program changes the
#: file and compresses it again, the header has another name.
MARK = "coalloc-runs"
#: The errors that can occur when an incomplete file, or a file of another format, is read as a
#: table of runs.
UNREADABLE = (
    EOFError,
    zlib.error,
    UnicodeDecodeError,
    pd.errors.ParserError,
    pd.errors.EmptyDataError,
)
#: The options with which `pandas.read_csv` reads a table of runs: only empty cells are missing
#: values.
_READING: dict[str, Any] = {
    "keep_default_na": False,
    "na_values": [""],
    "low_memory": False,
}
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # later versions are always exact
    _READING["float_precision"] = "round_trip"


def setting_columns(setting: Any) -> dict[str, Any]:
    """Convert a setting (a frozen dataclass) to a dict from column names to table cells.

    A field that does not take part in comparisons (``field(compare=False)``) is left out.
    """
    if not is_dataclass(setting) or isinstance(setting, type):
        several = "; give its settings one by one" if isinstance(setting, list | tuple) else ""
        raise InputError(
            f"setting = {shown(setting)}; give an instance of a frozen dataclass{several}"
        )
    names = [each.name for each in fields(setting) if each.compare]
    return {name: label(getattr(setting, name)) for name in names}


def each_once(settings: Iterable[Any]) -> list[Any]:
    """Remove repeated settings, and keep the order of the others.

    An `InputError` is raised if a setting is not a frozen dataclass of unchangeable values.
    """
    if is_dataclass(settings) and not isinstance(settings, type):
        raise InputError(f"settings = {shown(settings)} is one setting; give a list of them")
    settings = list(settings)
    for setting in settings:
        setting_columns(setting)
        try:
            hash(setting)
        except TypeError as error:
            raise InputError(
                f"setting = {shown(setting)} has a mutable field ({error}); give a frozen "
                "dataclass of numbers, strings, tuples and policies"
            ) from None
    return list(dict.fromkeys(settings))


def table_of_runs(
    settings: Sequence[Any],
    measured: Sequence[Iterable[Mapping[str, Any]]],
    made_with: Mapping[str, Any],
) -> pd.DataFrame:
    """Build a table of runs from the rows that were measured for each setting.

    Parameters
    ----------
    settings : list
        The settings, each a frozen dataclass. Their fields become columns.
    measured : list of iterables of dict
        The rows that were measured for each setting. In a row, the columns before ``replication``
        are keys, such as a site or a class of jobs. The columns after it were measured.
    made_with : dict
        Further columns whose value is the same in all rows, such as the seed.

    Raises
    ------
    InputError
        If there are no rows, or a row has no ``replication`` or the name of a field of a setting.
    """
    columns = _Columns()
    of_settings = {name for setting in settings for name in setting_columns(setting)}
    blocks = []
    for setting, its_rows in zip(settings, measured, strict=True):
        cells = {name: _cell(value) for name, value in setting_columns(setting).items()}
        columns.keys |= dict.fromkeys(cells)
        for names, group in groupby(its_rows, key=tuple):
            rows = [*group]
            _check_row(rows[0], setting, of_settings)
            columns.add([*names])
            blocks.append((len(rows), cells | _columns_of(rows, names)))
    if not blocks:
        raise InputError("no setting has a run; give at least one setting that can be measured")
    table = {name: _joined(blocks, name) for name in columns.in_order()}
    row_count = sum(count for count, _ in blocks)
    table |= {name: [value] * row_count for name, value in made_with.items()}
    return _table(_cells_as_read(table))


def _columns_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list]:
    values = zip(*(row.values() for row in rows), strict=True)
    return {name: _cells(column) for name, column in zip(names, values, strict=True)}


def _cells(values: Sequence[Any]) -> list:
    # Converting the whole list at once is faster than calling `_cell` for each value.
    types = {*map(type, values)}
    if types <= UNCHANGED_TYPES:
        return [*values]
    return np.array(values).tolist() if types == {np.float64} else [*map(_cell, values)]


def _joined(blocks: list[tuple[int, dict[str, Any]]], name: str) -> list:
    column = []
    for count, block in blocks:
        values = block.get(name, nan)
        column += values if isinstance(values, list) else [values] * count
    return column


def _cell(value: Any) -> Any:
    return value if type(value) in UNCHANGED_TYPES else _bool_as_int(label(value))


class _Columns:
    """The column names of a table of runs, in order of first appearance."""

    def __init__(self) -> None:
        self.keys: dict[str, None] = {}
        self.values: dict[str, None] = {}

    def add(self, names: list[str]) -> None:
        """Add the column names of a row or a table, which must include ``replication``."""
        at = names.index(REPLICATION)
        self.keys |= dict.fromkeys(names[:at])
        self.values |= dict.fromkeys(names[at + 1 :])

    def in_order(self) -> list[str]:
        """Return the names of all columns: the keys, ``replication``, then the measured columns."""
        return [*self.keys, REPLICATION, *(name for name in self.values if name not in self.keys)]


def _check_row(row, setting, of_settings):
    if REPLICATION not in row:
        raise InputError(
            f"measure returned {shown(dict(row))}, which has no {REPLICATION!r}; add it"
        )
    taken = [name for name in row if name in of_settings]
    if taken:
        raise InputError(
            f"measure returned a column {taken[0]!r} for {shown(setting)}, but a field of a "
            "setting has this name; choose another name"
        )


def _bool_as_int(value):
    # In a column with empty cells, pandas would read True and False from a file as strings.
    return int(value) if isinstance(value, bool) else value


def joined_runs(runs: pd.DataFrame, more: pd.DataFrame) -> pd.DataFrame:
    """Concatenate two tables of runs.

    The rows of `more` follow those of `runs`. If only one table has a column, its cells are empty
    in the rows of the other table.
    """
    columns = _Columns()
    for table in (runs, more):
        columns.add(list(table.columns))
    return _as_read(pd.concat([runs, more], ignore_index=True)[columns.in_order()])


def write_runs(runs: pd.DataFrame, path: str | Path) -> None:
    """Write a table of runs to a compressed CSV file.

    The same runs give the same bytes. If writing fails, an older file stays as it was.
    """
    text = runs.to_csv(index=False, lineterminator="\n")
    with (
        atomic_path(path) as beside,
        beside.open("wb") as raw,
        gzip.GzipFile(MARK, "wb", fileobj=raw, mtime=0) as file,
    ):
        file.write(text.encode("utf-8"))


def read_runs(path: str | Path) -> pd.DataFrame:
    """Read a table of runs that `write_runs` wrote.

    An `InputError` is raised if the file is damaged. If another program damaged the table, the
    error names the first damaged line.
    """
    try:
        content = Path(path).read_bytes()
        text = gzip.decompress(content).decode("utf-8")  # raises an error if bytes were changed
        check_lines(path, text)
        read = pd.read_csv(StringIO(text), **_READING)
        runs = _table({name: _filled(name, column) for name, column in read.items()})
        if not _is_unchanged(content):
            check_numbers(path, runs)
        return runs
    except OSError as error:
        why = error.strerror or str(error)  # without the path
    except UNREADABLE as error:
        why = str(error)
    raise InputError(
        f"runs = {str(path)!r} cannot be read ({why}); give a complete runs.csv.gz "
        "that `write_runs` wrote"
    )


def _is_unchanged(content: bytes) -> bool:
    return content[10:].startswith(MARK.encode() + b"\0")  # the name follows 10 bytes of the header


def _as_read(runs):
    return _table({name: _column_as_read(name, column) for name, column in runs.items()})


def _table(columns: Mapping[Any, NDArray]) -> pd.DataFrame:
    # A table with a single block of memory per data type selects rows quickly. Each Series gets its
    # data type explicitly, because pandas would otherwise infer another type for a column of
    # objects.
    return pd.DataFrame(
        {name: pd.Series(column, dtype=column.dtype) for name, column in columns.items()}
    )


def _column_as_read(name, column):
    if column.dtype in NUMBERS and name not in TEXTS:
        return column.to_numpy()
    if pd.api.types.is_string_dtype(column.dtype) or column.dtype == object:
        return _cells_as_read({name: column.tolist()})[name]
    return _written_and_read({name: column})[name]


def _cells_as_read(columns: Mapping[str, list]) -> dict[str, NDArray]:
    """Return the cells of columns as they are after writing them to a file and reading it again.

    Whole numbers and other numbers stay the same in a file. In every other column, it depends only
    on the set of values how pandas reads them, so each different value is written and read once.
    """
    read = {name: _numbers_as_read(name, cells) for name, cells in columns.items()}
    places, kinds = {}, {}
    for name in [name for name, column in read.items() if column is None]:
        cells = columns[name]
        is_text = {*map(type, cells)} == {str}
        texts = cells if is_text else [each if type(each) is str else _text(each) for each in cells]
        number = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        places[name] = np.fromiter(map(number.__getitem__, texts), np.intp, len(texts))
        kinds[name] = [*number]
    # All columns are written into one file, where each repeats its last cell to the same length.
    most = max(map(len, kinds.values()), default=0)
    same_length = {name: kind + kind[-1:] * (most - len(kind)) for name, kind in kinds.items()}
    for name, column in _written_and_read(same_length).items():
        read[name] = column[places[name]]
    return read


def _numbers_as_read(name, cells):
    """Return a column of numbers as an array, and None if a cell may change when it is written."""
    types = {*map(type, cells)}
    if name in TEXTS or not types <= {int, float, type(None)}:
        return None
    try:
        if int in types:
            whole = np.array([cell for cell in cells if type(cell) is int], dtype=np.int64)
        return whole if types == {int} else np.array(cells, dtype=float)
    except OverflowError:  # pandas keeps some large whole numbers as text
        return None


def _text(cell):
    return "" if pd.isna(cell) else str(cell)


def _written_and_read(columns):
    """Write columns of the same length and read them, in memory.

    The index is written too, because `pandas.read_csv` skips lines that are empty.
    """
    text = pd.DataFrame(columns, dtype=object).to_csv()
    read = pd.read_csv(StringIO(text), index_col=0, **_READING)
    return {name: _filled(name, column) for name, column in read.items()}


def _filled(name, column):
    if name in TEXTS:
        column = column.astype(object).fillna("")
    elif pd.api.types.is_bool_dtype(column):
        column = column.astype(int)
    elif not pd.api.types.is_numeric_dtype(column):
        column = column.fillna("").astype(object)
    return column.to_numpy()


def identity(columns: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return a hashable key that is the same for a setting and for its row in a table of runs.

    A table holds 1.0 where an object has 1, and an empty cell where an object has None.
    """
    return tuple(_comparable(columns[name]) for name in sorted(columns))


def identities(runs: pd.DataFrame, names: Sequence[str]) -> set[tuple[Hashable, ...]]:
    """Return the `identity` of every setting in a table of runs.

    `names` are the columns that are fields of a setting.
    """
    settings = runs[list(names)].drop_duplicates().to_dict("records")
    return {identity(setting) for setting in settings}


def _comparable(value):
    if value is None or value == "" or value != value:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
