"""Computed and printed penalty thresholds, which show what MaxJumps the paper used."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import Interval, NotRunError, groups_of, interval_columns, pick
from studies.communication_penalty.figures import LOOK, PSI
from studies.communication_penalty.model import (
    ABOVE,
    AT_HEAD,
    DAS,
    JUMPS,
    NAMES,
    PARTS,
    PRINTED,
    PRINTED_LOAD,
    STREAM,
    WHOLE_WAIT,
    jumps_label,
)
from studies.communication_penalty.runs import (
    SEARCH,
    study,
)
from studies.communication_penalty.thresholds import (
    PENALTIES,
    Thresholds,
    read_thresholds,
)
from studies.joint_reading import JointReading
from studies.results import Caption

#: An interval whose ends are unknown.
MISSING = Interval.exact(np.nan)
#: The labels of two rules for counting how often a job is overtaken.
COUNTING = {AT_HEAD: "at the head (2008)", WHOLE_WAIT: "over the whole wait (2003)"}


def draw_thresholds(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot break-even penalties against MaxJumps, with one panel per rule for counting jumps.

    Hollow markers are bounds. Values of MaxJumps above 20 are left out, because the break-even
    penalties hardly depend on them.
    """
    drawn = pick(table[table["max_jumps"] <= 20], group=tuple(PRINTED))
    under_fcfs = pick(drawn, max_jumps=0).assign(counted=WHOLE_WAIT)
    drawn = pd.concat([under_fcfs, drawn])
    drawn = drawn.sort_values("counted", ascending=False, kind="stable")
    ends = {end: drawn[end].clip(*PENALTIES) for end in ("psi", "ci95_low", "ci95_high")}
    load = ", load " + drawn["load"].map("{:.3g}".format)
    panel = "counted " + drawn["counted"].map(COUNTING)
    panel += load.mask(drawn["load"] == PRINTED_LOAD, "")
    warning = drawn["warning"].where(drawn["bound"] == "", "a bound")
    levels = {
        f"{name} over {psi:.3f}" if name == "S1" else f"{name} {psi:.3f}": psi
        for name, psi in PRINTED.items()
    }
    return plots.lines_and_levels(
        drawn.assign(**ends, panel=panel, warning=warning),
        x="max_jumps",
        y="psi",
        line="group",
        panel="panel",
        levels=levels | {f"DAS below {DAS}": DAS},
        look=LOOK,
        height=3.0,
        xlabel="MaxJumps",
        ylabel=PSI,
        **titles,
    )


THRESHOLDS_CAPTION = Caption(
    f"break-even penalty of splitting jobs above {ABOVE} processors into {PARTS}, load "
    f"{PRINTED_LOAD}; dashed: printed values, and the penalty of most programs on the DAS",
    finding="The printed thresholds fit only if jumps count at the head, and best if MaxJumps is "
    "6 to 12",
)


@study.add_figure(
    "thresholds",
    THRESHOLDS_CAPTION,
    draw_thresholds,
    ("CP-2", "CP-18", "CP-21", "CP-3", "CP-13", "CP-16", "CP-10"),
)
def thresholds(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each job group's break-even penalty, by load, MaxJumps and counting rule."""
    rows = []
    for search, found in searches_in(runs):
        fits = {"fits_mean": fits_mean(found), "fits_run": fits_run(found)}
        rows += [search | threshold_row(found, group) | fits for group in NAMES]
    return pd.DataFrame(rows)


def searches_in(runs: pd.DataFrame) -> Iterator[tuple[dict[str, Any], Thresholds]]:
    """Yield the load, MaxJumps and counting rule of each search, and its break-even penalties."""
    for search, its_runs in groups_of(pick(runs, kind=SEARCH), ["load", "max_jumps", "counted"]):
        yield search, read_thresholds(its_runs)


def threshold_row(found: Thresholds, group: str) -> dict[str, Any]:
    """Return a table row with the break-even penalty of one job group."""
    crossing = found.by_group[group]
    maximal = "" if found.one_run else " of the maximal utilization"
    run = found.prediction(group) or MISSING
    at_stream = found.change_at_stream(group) or MISSING
    return {
        "group": group,
        **interval_columns(crossing.interval, "psi"),
        "answer": crossing.answer + maximal,
        "bound": bound_of(found, group),
        "run_low": run.low,
        "run_high": run.high,
        "runs_as_printed": found.as_printed,
        "at_stream_low": at_stream.low,
        "at_stream_high": at_stream.high,
    }


def bound_of(found: Thresholds, group: str) -> str:
    """Return ``"at least"`` or ``"at most"`` if a break-even penalty is known only as a bound.

    An end of its interval is then outside of the penalties that were searched, or at a penalty at
    which the split jobs saturate.
    """
    interval = found.by_group[group].interval
    bounds = []
    if interval.low == -np.inf:
        bounds.append("at most")
    if interval.high >= found.full:
        bounds.append("at least")
    return " and ".join(bounds)


def fits_mean(found: Thresholds) -> bool:
    """Return whether the paper's break-even penalties lie in our confidence intervals.

    It must also be possible that S4 has a lower break-even penalty than all jobs, as in the paper.
    """
    means = {group: found.by_group[group].interval for group in PRINTED}
    at_stream = found.change_at_stream("S4") or MISSING
    return has_printed(means) and bool(at_stream.high > 0)


def fits_run(found: Thresholds) -> bool:
    """Return whether a run as short as the paper's can yield the paper's break-even penalties.

    The printed values must lie in the prediction intervals for a single run of this length. The
    groups must also have the printed order in at least one of twenty single runs.
    """
    means = (found.by_group[group].interval for group in PRINTED)
    is_sure = not any(mean.warning for mean in means)
    runs = {group: found.prediction(group) or MISSING for group in PRINTED}
    return is_sure and has_printed(runs) and found.as_printed >= 0.05


def has_printed(intervals: Mapping[str, Interval]) -> bool:
    """Return whether our intervals contain the break-even penalties printed in the paper.

    The value printed for S1 is a lower limit, so the interval of S1 must reach above it.
    """
    rounding = 0.0005  # The printed thresholds have three decimals.
    near = all(
        intervals[group].low - rounding <= PRINTED[group] <= intervals[group].high + rounding
        for group in (STREAM, "S4")
    )
    is_sure = not any(interval.warning for interval in intervals.values())
    return bool(near and is_sure and intervals["S1"].high > PRINTED["S1"])


# --- The choice of the load, MaxJumps and the rule for counting jumps ---


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Compare our break-even penalties with the paper's, by load, MaxJumps and counting rule."""
    readings = {}
    for search, found in searches_in(runs):
        readings[name_of_search(**search)] = {
            f"threshold of {group}": found.by_group[group].interval.estimate for group in PRINTED
        }
    ours = name_of_search(PRINTED_LOAD, JUMPS, AT_HEAD)
    if ours not in readings:
        raise NotRunError(f"the settings of the study were not run: {ours}; run this search")
    printed = {f"threshold of {group}": value for group, value in PRINTED.items()}
    return JointReading(printed, readings, ours, limits=("threshold of S1",))


def name_of_search(load: float, max_jumps: float, counted: str) -> str:
    """Name a search for break-even penalties by its load, MaxJumps and counting rule."""
    return f"load {load:.3g}, MaxJumps {jumps_label(max_jumps)}, counted {COUNTING[counted]}"
