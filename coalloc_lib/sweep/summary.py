"""From the rows of a sweep to a row a point, with intervals."""

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError
from coalloc_lib.intervals.inference import student


def summarize(table: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Return the mean of each result at each point, with Student's t interval.

    Parameters
    ----------
    table : DataFrame
        As `sweep` returns it; rows with an ``error`` are left out.
    confidence : float

    Returns
    -------
    DataFrame
        A row for each point: the names of the grid, and for each result ``r`` the columns
        ``r_estimate``, ``r_low``, ``r_high``, ``r_half_width`` and ``r_count``. One value alone
        has no interval; values that are not all finite have no estimate either.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.5, 0.5], "replication": [0, 1], "loss": [0.25, 0.75]})
    >>> summarize(table)["loss_estimate"].tolist()
    [0.5]
    """
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"table is a {type(table).__name__}; give the table that sweep returned")
    if "replication" not in table:
        raise InputError("table has no column 'replication'; give a table that sweep returned")
    at = table.columns.get_loc("replication")
    names, results = list(table.columns[:at]), list(table.columns[at + 1 :])
    good = (table["error"] == "").to_numpy() if "error" in table else np.ones(len(table), bool)
    columns = {}
    for name in (name for name in results if name != "error"):
        try:  # floats, also of truths or large whole numbers with gaps
            columns[name] = table[name].to_numpy(float)
        except (TypeError, ValueError):
            raise InputError(
                f"table has the column {name!r} with no numbers; leave it out"
            ) from None
    rows = []
    for label, where in table.groupby(names, sort=False, dropna=False).indices.items():
        row = dict(zip(names, label if len(names) > 1 else np.atleast_1d(label), strict=True))
        for name, column in columns.items():
            row |= _interval(name, column[where[good[where]]], confidence)
        rows.append(row)
    return pd.DataFrame(rows)


def _interval(name, values, confidence):
    estimate = values.mean() if len(values) and np.isfinite(values).all() else np.nan
    row = {"estimate": estimate, "low": np.nan, "high": np.nan, "half_width": np.nan}
    if len(values) > 1 and np.isfinite(estimate):
        interval = student(values, confidence)
        row = {key: getattr(interval, key) for key in row}
    return {f"{name}_{key}": value for key, value in (row | {"count": len(values)}).items()}
