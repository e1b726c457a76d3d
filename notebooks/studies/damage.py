"""Signs that another program changed or cut a file with a table of runs."""

import csv
from io import StringIO
from pathlib import Path

import pandas as pd

from coalloc_lib.basics.checks import InputError, shown

#: The names of the columns that have the same value in all rows of a table of runs.
SAME_IN_ALL = ("study", "scale", "seed", "missing_logs")
#: The largest ratio of words to numbers in a column that is still assumed to be numeric. If another
#: program changed the file, the words in such a column are damaged cells.
MOST_WORDS = 0.1


def check_lines(path: str | Path, text: str) -> None:
    """Raise an `InputError` if a line of a CSV file has more or fewer fields than the header."""
    lines = csv.reader(StringIO(text), strict=True)
    try:
        header = next(lines, [])
        for fields_ in lines:
            if len(fields_) != len(header):
                _refuse_line(path, lines.line_num, f"{len(fields_)} fields, not {len(header)}")
    except csv.Error as error:
        _refuse_line(path, lines.line_num, str(error))


def check_numbers(path: str | Path, runs: pd.DataFrame) -> None:
    """Raise an `InputError` if a cell of a table of runs does not fit into its column.

    A few words in a column of numbers are damaged, and so are a few cells that differ from all
    other cells of a column of `SAME_IN_ALL`.
    """
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
    row = int(wrong.to_numpy().argmax())
    # Row 0 of the table is line 2 of the file, because the header is line 1 and no cell contains a
    # line break.
    _refuse_line(path, row + 2, f"{name} = {shown(runs[name].iloc[row])}, not {wanted}")


def _refuse_line(path, line, what):
    raise InputError(
        f"runs = {str(path)!r}, line {line}: {what}; the file is damaged; replace it with an "
        "intact copy, or repeat the runs"
    )
