"""Tables and figures of response curves, and the differences between their maximal utilizations."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import NotRunError, difference, groups_of, pick, sample
from studies.cluster_configurations.model import IN_ORDER
from studies.cluster_configurations.runs import (
    EXACT_END,
    POINT,
    SATURATED,
    Setting,
)

#: The columns of the table of runs that identify one response-time curve. They are the fields of a
#: `Setting`.
LINE = [field.name for field in fields(Setting)]
#: Values of some of the columns in `LINE`.
Values = Mapping[str, Any]
#: A function that returns the label of a response-time curve from the curve's column values.
Label = Callable[[Values], str]
#: A function that chooses a second response-time curve to compare with a given curve. It returns
#: the column values in which the second curve differs from the given one.
Against = Callable[[Values], Values]


def curves_of(
    lines: pd.DataFrame, runs: pd.DataFrame, label: Label, against: Against
) -> pd.DataFrame:
    """Return a table with one row for each point of several response-time curves.

    Each row also has the maximal utilization of its curve. Each curve is compared with another one
    of the `runs`, which differs from it in the values that `against` returns: `beside` is the
    maximal utilization of that other curve, and `gain` is the difference to it.
    """
    rows = []
    for line, of_line in groups_of(lines, LINE):
        name = label(line)
        if line["policy"] != IN_ORDER:
            name += f", {line['policy']}"
        of_all_points = maximum_columns(of_line) | gain_columns(runs, line, against(line))
        for point in point_columns(of_line):
            rows.append({"label": name} | point | of_all_points)
    if not rows:
        raise NotRunError("none of the runs belongs to a line of this figure")
    return pd.DataFrame(rows)


def point_columns(line: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the table columns of a response-time curve, point by point, from low utilization up."""
    for at, rows in groups_of(pick(line, measured=POINT), ["load"]):
        response = sample(rows, "response").interval
        yield {
            "utilization": at["load"],
            "response": response.estimate,
            "ci95_low": response.low,
            "ci95_high": response.high,
            "jobs": int(rows["run_jobs"].iloc[0]),
            "precise": bool(rows["precise"].iloc[0]),
        }


def maximum_columns(line: pd.DataFrame) -> dict[str, Any]:
    """Return table columns with the maximal utilization of a curve, from a formula if possible."""
    exact = pick(line, measured=EXACT_END)
    ends = pick(line, measured=SATURATED) if exact.empty else exact
    maximum = sample(ends, "max_utilization").interval
    return {
        "maximal_utilization": maximum.estimate,
        "maximal_low": maximum.low,
        "maximal_high": maximum.high,
        "method": "simulation" if exact.empty else "exact",
    }


def gain_columns(runs: pd.DataFrame, line: Values, against: Values) -> dict[str, Any]:
    """Return table columns with the difference between the maximal utilizations of two curves.

    The two are compared run by run, on the same jobs. The columns are missing values if the other
    curve is the curve itself, or if it was not run.
    """
    other = {**line, **against}
    saturated = pick(runs, measured=SATURATED)
    if other == line or pick(saturated, **other).empty:
        return dict.fromkeys(("beside", "gain", "gain_low", "gain_high"), np.nan)
    gain = difference(saturated, "max_utilization", line, other).interval
    return {
        "beside": sample(saturated, "max_utilization", **other).mean,
        "gain": gain.estimate,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "gain_warning": gain.warning,
    }


def draw_curves(
    table: pd.DataFrame,
    dashed: str,
    offsets: Mapping[str, tuple[float, ...]],
    beside: str = "",
    **options: Any,
) -> Figure:
    """Draw response-time curves, each with its maximal utilization.

    Dashed marks show certain distances from the maximal utilization that a curve is compared with:
    `offsets` has these distances for each curve, and `dashed` is their legend. If `beside` is not
    empty, that maximal utilization is drawn too, with `beside` as its legend. Other arguments are
    those of `coalloc_lib.plots.curves`.
    """
    others = table.drop_duplicates("label").set_index("label")["beside"].dropna()
    levels = {
        name: tuple(others[name] + offset for offset in its_offsets)
        for name, its_offsets in offsets.items()
        if name in others
    }
    if beside:
        options["beside"] = (beside, others.to_dict())
    return plots.curves(table, threshold=(dashed, levels), **options)
