"""Thresholds of the penalty beside the printed ones, which tell what MaxJumps was."""

from collections.abc import Mapping
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

#: How jumps are counted, in words.
COUNTING = {AT_HEAD: "at the head (2008)", WHOLE_WAIT: "over the whole wait (2003)"}


def draw_thresholds(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the thresholds up to MaxJumps 20, where one more or less matters; bounds are hollow."""
    drawn = pick(table[table["max_jumps"] <= 20], group=tuple(PRINTED))
    under_fcfs = pick(drawn, max_jumps=0).assign(counted=WHOLE_WAIT)
    drawn = pd.concat([under_fcfs, drawn])
    drawn = drawn.sort_values("counted", ascending=False, kind="stable")
    ends = {end: drawn[end].clip(*PENALTIES) for end in ("psi", "ci95_low", "ci95_high")}
    load = ", load " + drawn["load"].map("{:.3g}".format)
    panel = "counted " + drawn["counted"].map(COUNTING)
    panel += load.mask(drawn["load"] == PRINTED_LOAD, "")
    warning = drawn["warning"].where(drawn["bound"] == "", "a bound")
    levels = {f"{name} {'over ' * (name == 'S1')}{psi:.3f}": psi for name, psi in PRINTED.items()}
    return plots.lines_and_levels(
        drawn.assign(**ends, panel=panel, warning=warning),
        x="max_jumps",
        y="psi",
        line="group",
        panel="panel",
        levels=levels | {f"DAS below {DAS}": DAS},
        look=LOOK,
        xlabel="MaxJumps",
        ylabel=PSI,
        **titles,
    )


THRESHOLDS_CAPTION = Caption(
    f"penalty at which jobs above {ABOVE} in {PARTS} components respond as soon as whole, load "
    f"{PRINTED_LOAD}; dashed: printed, and what most programs lost on the DAS",
    finding="The three thresholds that the paper prints meet at a few MaxJumps, at the head alone",
)


@study.add_figure(
    "thresholds",
    THRESHOLDS_CAPTION,
    draw_thresholds,
    ("CP-2", "CP-18", "CP-21", "CP-3", "CP-13", "CP-16", "CP-10"),
)
def thresholds(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the thresholds: a row for each search and group."""
    rows = []
    for search, its_runs in groups_of(pick(runs, kind=SEARCH), ["load", "max_jumps", "counted"]):
        found = read_thresholds(its_runs)
        fits = {"fits_mean": fits_mean(found), "fits_run": fits_run(found)}
        rows += [search | threshold_row(found, group) | fits for group in NAMES]
    return pd.DataFrame(rows)


def threshold_row(found: Thresholds, group: str) -> dict[str, Any]:
    """Return the threshold of a group; a `bound` where an end is out of reach."""
    crossing = found.by_group[group]
    maximal = "" if found.one_run else " of the maximal utilization"
    run, at_stream = one_run_of(found, group), at_stream_of(found, group)
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


def one_run_of(found: Thresholds, group: str) -> Interval:
    """Return where the threshold of one more short run lies, in 95 % of cases."""
    runs = found.one_run.get(group)
    return runs.prediction if runs else Interval.exact(np.nan)


def at_stream_of(found: Thresholds, group: str) -> Interval:
    """Return by how much a group responds later where the stream breaks even."""
    later = found.at_stream.get(group)
    return later.interval if later else Interval.exact(np.nan)


def bound_of(found: Thresholds, group: str) -> str:
    """Return which end of the interval of a threshold is out of reach, in words."""
    interval = found.by_group[group].interval
    words = ["at most"] * (interval.low == -np.inf) + ["at least"] * (interval.high >= found.full)
    return " and ".join(words)


def fits_mean(found: Thresholds) -> bool:
    """Whether no printed threshold lies outside of the intervals of the mean.

    S4 may not be certain to break even behind the stream.
    """
    means = {group: found.by_group[group].interval for group in PRINTED}
    return has_printed(means) and bool(at_stream_of(found, "S4").high > 0)


def fits_run(found: Thresholds) -> bool:
    """Whether no printed threshold lies outside of where one short run falls.

    One in twenty single runs must have the printed order of the groups.
    """
    means = (found.by_group[group].interval for group in PRINTED)
    is_sure = not any(mean.warning for mean in means)
    runs = {group: one_run_of(found, group) for group in PRINTED}
    return is_sure and has_printed(runs) and found.as_printed >= 0.05


def has_printed(intervals: Mapping[str, Interval]) -> bool:
    """Whether intervals have the printed numbers, give or take their rounding; S1 exceeds its."""
    half = 0.0005
    near = all(
        intervals[group].low - half <= PRINTED[group] <= intervals[group].high + half
        for group in (STREAM, "S4")
    )
    is_sure = not any(interval.warning for interval in intervals.values())
    return bool(near and is_sure and intervals["S1"].high > PRINTED["S1"])


# --- One joint reading of the load, of MaxJumps and of how jumps are counted ---


@study.add_joint_reading
def joint_reading(runs: pd.DataFrame) -> JointReading:
    """Return how well each search gives the three thresholds that are printed."""
    readings = {}
    for search, its_runs in groups_of(pick(runs, kind=SEARCH), ["load", "max_jumps", "counted"]):
        found = read_thresholds(its_runs)
        readings[name_of_search(**search)] = {
            f"threshold of {group}": found.by_group[group].interval.estimate for group in PRINTED
        }
    ours = name_of_search(PRINTED_LOAD, JUMPS, AT_HEAD)
    if ours not in readings:
        raise NotRunError(f"the reading of the study was not run: {ours}")
    printed = {f"threshold of {group}": value for group, value in PRINTED.items()}
    return JointReading(printed, readings, ours, limits=("threshold of S1",))


def name_of_search(load: float, max_jumps: float, counted: str) -> str:
    """Return a reading in words."""
    return f"load {load:.3g}, MaxJumps {jumps_label(max_jumps)}, counted {COUNTING[counted]}"
