"""What all drawers read: tidy tables, one row a point, and intervals in a few columns of them."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.plots.signs import MarkerStyle, signs

#: Columns of an interval, and what drawers call them.
ENDS = {"low": "ci95_low", "high": "ci95_high"}
FINITE = "a picture shows finite numbers, leave the row out"


def tidy(
    table: pd.DataFrame, labels: dict[str, str | None], numbers: dict[str, str],
    gaps: Collection[str] = (), closed: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Return what a drawer reads of a table, under its own names; refuse what it cannot show.

    `labels` become texts, `numbers` floats, finite but for `gaps`; the ends of intervals become
    `low` and `high`, which are finite if they are `closed`.
    """
    instance_of("table", table, pd.DataFrame, "a pandas table with a row per point")
    if table.empty:
        raise InputError("table has no rows; give one row a point")
    for name, column in {**labels, **numbers}.items():
        if column is not None and column not in table:
            known = ", ".join(map(repr, table))
            raise InputError(f"{name} = {shown(column)} is no column; the table has {known}")
    texts = labels | {"warning": "warning" if "warning" in table else None}
    columns: dict[str, Any] = {
        name: "" if column is None else [_text(label) for label in table[column]]
        for name, column in texts.items()
    }
    for name, column in (numbers | ENDS).items():
        if column not in table:
            columns[name] = np.nan
            continue
        try:
            columns[name] = table[column].to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            numeric = np.array([isinstance(value, Real) for value in table[column]])
            refuse(~numeric & table[column].notna(), table, column, "give numbers")
        if name in numbers and name not in gaps:
            refuse(~np.isfinite(columns[name]), table, column)
        elif name in ENDS and closed:
            refuse(np.isinf(columns[name]), table, column)
    return pd.DataFrame(columns, index=range(len(table)))


def _text(label: Any) -> str:
    return "" if pd.isna(label) else f"{label:g}" if isinstance(label, float) else str(label)


def refuse(wrong: Any, table: pd.DataFrame, column: str, mend: str = FINITE) -> None:
    """Refuse the first row that is wrong: name its column and value, and say the mend."""
    for place in np.flatnonzero(wrong)[:1]:
        value, row = table[column].iloc[place], table.index[place]
        raise InputError(f"column {column!r} has {shown(value)} in row {row}; {mend}")


def looks(names: Iterable[str], look: Mapping[str, MarkerStyle] | None) -> dict[str, MarkerStyle]:
    """Return the sign of each name: as it is given, else by its meaning."""
    given = dict(look or {})
    return signs(name for name in dict.fromkeys(names) if name not in given) | given


def interval_of(row: Any, name: str) -> Interval:
    """Return the interval of a row of `tidy`; without length where it has no ends."""
    middle = float(getattr(row, name))
    if np.isnan(row.low):
        return Interval(middle, middle, middle, 0, warning=row.warning)
    return Interval(middle, row.low, row.high, int(row.low < row.high), warning=row.warning)


def format_interval(value: Interval | float, digits: int = 3, sign: str = "") -> str:
    """Return a figure as text, with its interval or why it has none; `sign` ``"+"`` writes it."""
    interval = value if isinstance(value, Interval) else Interval.exact(value)
    return interval.text(digits, sign)
