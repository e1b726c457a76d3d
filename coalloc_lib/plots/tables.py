"""Read the tables of figures: one row per point, and two columns for its confidence interval."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.plots.signs import MarkerStyle, signs

#: The columns of a table that hold the two ends of a confidence interval. The keys of the dict are
#: the names that the drawing functions use for the ends.
ENDS = {"low": "ci95_low", "high": "ci95_high"}
#: What errors tell the user to do about a value that an axis cannot show.
FINITE = "a figure shows finite numbers, leave the row out"
ABOVE_0 = "a logarithmic axis shows numbers above 0, leave the row out"


def tidy(
    table: pd.DataFrame, labels: dict[str, str | None], numbers: dict[str, str],
    gaps: Collection[str] = (), closed: bool = False, unique: Sequence[str] = (),
    called: str = "the table",
) -> pd.DataFrame:  # fmt: skip
    """Select the columns of a table that a figure needs, and rename them.

    Parameters
    ----------
    table : DataFrame
        The table of the user.
    labels, numbers : dict
        The columns of the table by their new names. Labels become strings, which are empty if the
        column is None. Numbers become floats.
    gaps : collection of str
        The new names of numbers that may be missing or infinite.
    closed : bool
        Whether the ends of intervals must be finite.
    unique : sequence of str
        The new names of columns that together identify a row. No two rows may have the same values
        in these columns.
    called : str
        What an error about a missing column calls the table.

    Returns
    -------
    DataFrame
        The labels, the numbers, the ends of the intervals (`low`, `high`) and the `warning`.

    Raises
    ------
    InputError
        If a column is missing or occurs twice, a value cannot be drawn, or two rows have the same
        place.
    """
    instance_of("table", table, pd.DataFrame, "a pandas table with a row per point")
    if table.empty:
        raise InputError("table has no rows; give one row for each point")
    _check_columns(table, {**labels, **numbers}, called)
    texts = labels | {"warning": "warning" if "warning" in table else None}
    columns: dict[str, Any] = {
        name: "" if column is None else [label_text(label) for label in table[column]]
        for name, column in texts.items()
    }
    for name, column in (numbers | ENDS).items():
        if column not in table:
            columns[name] = np.nan
            continue
        _reject_other_types(table, column)
        columns[name] = table[column].to_numpy(dtype=float, na_value=np.nan)
        if name in numbers and name not in gaps:
            reject_first(~np.isfinite(columns[name]), table, column)
        elif name in ENDS and closed:
            reject_first(np.isinf(columns[name]), table, column)
    rows = pd.DataFrame(columns, index=range(len(table)))
    # False and 0 mean that there is no warning.
    rows["warning"] = rows["warning"].replace(["False", "0"], "")
    _reject_impossible_intervals(rows, table)
    if unique:
        given = {name: (labels | numbers)[name] for name in unique}
        _reject_repeated(rows, table, {name: c for name, c in given.items() if c is not None})
    return rows


def _check_columns(table: pd.DataFrame, given: Mapping[str, str | None], called: str) -> None:
    for name, column in given.items():
        if column is not None and column not in table:
            known = ", ".join(map(repr, table))
            raise InputError(
                f"{name} = {shown(column)} is not a column; {called} has the columns {known}"
            )
    for column in table.columns[table.columns.duplicated()]:
        if column in (*given.values(), *ENDS.values(), "warning"):
            raise InputError(f"table has two columns {column!r}; rename or drop one of them")


def _reject_other_types(table: pd.DataFrame, column: str) -> None:
    # Pandas would convert texts such as "1.5", and instants (into nanoseconds), to numbers.
    values = table[column]
    if values.dtype.kind not in "biuf":
        numeric = np.array([isinstance(value, Real | np.bool_) for value in values])
        reject_first(~numeric & values.notna(), table, column, "give numbers")


def label_text(label: Any) -> str:
    """Return a label of a table as the text that a figure shows."""
    if pd.isna(label):
        return ""
    # With 15 digits, different labels stay different, and 0.1 + 0.2 becomes 0.3.
    return f"{label:.15g}" if isinstance(label, float) else str(label)


def label_texts(labels: Collection[Any]) -> set[str]:
    """Return labels as the texts that a figure shows; a single text is one label."""
    return {labels} if isinstance(labels, str) else {label_text(label) for label in labels}


def _reject_impossible_intervals(rows: pd.DataFrame, table: pd.DataFrame) -> None:
    low, high = ENDS.values()
    mend = f"give both ends of an interval in {low!r} and {high!r}, or neither"
    for end, other in (("low", "high"), ("high", "low")):
        is_alone = rows[end].notna() & rows[other].isna()
        if is_alone.any():
            reject_first(is_alone, table, ENDS[end], mend)
    reject_swapped(rows["low"] > rows["high"], table, low, high)


def _reject_repeated(rows: pd.DataFrame, table: pd.DataFrame, columns: Mapping[str, str]) -> None:
    *_, last = columns.values()
    shared = ", ".join(map(repr, columns.values()))
    mend = f"an earlier row has the same values in {shared}, leave one of the rows out"
    reject_first(rows.duplicated([*columns]), table, last, mend)


def reject_first(wrong: Any, table: pd.DataFrame, column: str, mend: str = FINITE) -> None:
    """Raise an error for the first wrong row of a table, if any row is wrong.

    `wrong` is a boolean mask of the rows, and `mend` tells the user what to do.
    """
    places = np.flatnonzero(wrong)
    if len(places):
        value, row = table[column].iloc[places[0]], table.index[places[0]]
        raise InputError(f"column {column!r} has {shown(value)} in row {row}; {mend}")


def reject_swapped(swapped: Any, table: pd.DataFrame, low: str, high: str) -> None:
    """Raise an error for the first interval of a table whose lower end exceeds its upper end.

    `swapped` is a boolean mask of the rows, and `low` and `high` are the columns of the ends.
    """
    mend = f"the upper end in {high!r} is smaller, swap the ends"
    reject_first(swapped, table, low, mend)


def looks(names: Iterable[str], look: Mapping[str, MarkerStyle] | None) -> dict[str, MarkerStyle]:
    """Return a style for each name: that in `look` if there is one, or an unused one of `signs`."""
    given = {label_text(name): style for name, style in (look or {}).items()}
    names = list(dict.fromkeys(names))
    taken = [given[name] for name in names if name in given]
    return signs((name for name in names if name not in given), taken) | given


def interval_of(row: Any, name: str) -> Interval:
    """Return a value in a row of a table as an estimate with its confidence interval.

    If the row has no interval, the value is taken as exact.
    """
    value = float(getattr(row, name))
    if np.isnan(row.low):
        return Interval(value, value, value, 0, warning=row.warning)
    return Interval(value, row.low, row.high, int(row.low < row.high), warning=row.warning)


def format_interval(value: Interval | float, digits: int = 3, sign: str = "") -> str:
    """Format a value with its confidence interval, or with the reason why there is no interval.

    Parameters
    ----------
    value : Interval or float
        The value.
    digits : int
        The number of decimals.
    sign : str
        With ``"+"``, values above 0 are shown with a plus sign.

    Examples
    --------
    >>> format_interval(Interval(0.25, 0.24, 0.26, 8), digits=2)
    '0.25 ± 0.01'
    """
    interval = value if isinstance(value, Interval) else Interval.exact(value)
    return interval.text(digits, sign)
