"""Response curves: the table of some lines, what each gains on another, and how they are drawn."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.experiments import NotRunError, difference, groups_of, pick, sample
from studies.cluster_configurations.model import IN_ORDER
from studies.cluster_configurations.runs import (
    EXACT_END,
    POINT,
    SATURATED,
    Setting,
)

#: The columns that say which line a run is of.
LINE = [field.name for field in fields(Setting)]
#: Values of some of these columns.
Values = Mapping[str, Any]
#: From the values of a line to its name, and to what differs in the line that it is held against.
Label = Callable[[Values], str]
Against = Callable[[Values], Values]


def curves_of(
    lines: pd.DataFrame, runs: pd.DataFrame, label: Label, against: Against
) -> pd.DataFrame:
    """Return a row for each point of some lines.

    Each has the maximal utilization of its line and, as `gain`, how much that is above the one
    `beside`: that of another of the `runs`, which differs from the line in the values `against`.
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
        raise NotRunError("no run is of a line of this figure")
    return pd.DataFrame(rows)


def point_columns(line: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the mean response time of each point of a line, from low utilization to high."""
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
    """Return the maximal utilization of a line: by formula where it is exact, else simulated."""
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
    """Return what a line can carry more than another, in pairs of runs; empty if it has none."""
    other = {**line, **against}
    saturated = pick(runs, measured=SATURATED)
    is_there = other != line and not pick(saturated, **other).empty
    if not is_there:
        return {"beside": np.nan, "gain": np.nan, "gain_low": np.nan, "gain_high": np.nan}
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
    **how: Any,
) -> Figure:
    """Draw lines and their maximal utilizations.

    The dashed levels of a line are at its `offsets` from the maximal utilization that it is held
    against, and `dashed` says what they are; `beside` names the latter where it is drawn too.
    """
    others = table.drop_duplicates("label").set_index("label")["beside"].dropna()
    levels = {
        name: tuple(others[name] + offset for offset in its_offsets)
        for name, its_offsets in offsets.items()
        if name in others
    }
    if beside:
        how["beside"] = (beside, others.to_dict())
    return plots.curves(table, threshold=(dashed, levels), **how)
