"""Figures 1 to 6 of the paper, and a figure that shows the shares of the job groups."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import Interval, groups_of, pick
from studies.columns import column
from studies.communication_penalty.model import (
    ABOVE,
    ALL_SPLIT,
    ALWAYS,
    AT_HEAD,
    BY_PENALTY,
    CONSTANT,
    GROUPS,
    LOAD,
    LOW_PENALTY,
    NAMES,
    ONE_RUN,
    PARTS,
    PRINTED,
    PRINTED_LOAD,
    PRINTED_SHARES,
    SPREAD,
    STREAM,
    exact_shares,
    jumps_label,
)
from studies.communication_penalty.responses import (
    Responses,
    change,
    read_responses,
)
from studies.communication_penalty.runs import (
    IN_FIGURE,
    SAMPLES,
    study,
)
from studies.results import Caption

#: The system and its policies, as text for figure captions.
SYSTEM = "5×20, D(0.85), FPFS, worst fit"
AT_LOAD = f"{SYSTEM}, load {PRINTED_LOAD}"
#: The labels of the axes.
PSI, THRESHOLD = "penalty", "splitting threshold (larger jobs are split)"
#: The columns that identify a setting.
FIELDS = [
    "max_jumps",
    "counted",
    "load",
    "above",
    "parts",
    "psi",
    "spread",
    "kept_whole",
    "placement",
]
#: The column values that select the paper's own settings. All figures use these values unless their
#: captions say otherwise.
AS_PAPER: dict[str, Any] = {"kept_whole": 0.0, "placement": ALWAYS, "counted": AT_HEAD}
AT_PRINTED_LOAD: dict[str, Any] = AS_PAPER | {"load": PRINTED_LOAD}
#: The labels of two baselines for settings that split jobs: the same jobs without splitting, and
#: the same jobs with one penalty for all.
NOBODY_SPLIT, SAME_PENALTY = "no co-allocation", f"penalty {CONSTANT} for all jobs"

# --- The groups of jobs (section 5) ---


def draw_shares(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot each job group's share of jobs and of work: exact, sampled and from the paper."""
    drawn = table.rename(columns={"sample_low": "ci95_low", "sample_high": "ci95_high"})
    return plots.intervals(
        drawn[drawn["quantity"] != LOAD],
        x="exact",
        row="group",
        panel="quantity",
        printed="printed",
        xlabel="share",
        span=(0.0, 0.65),
        **titles,
    )


SHARES_CAPTION = Caption(
    f"marks: exact; lines: 95 % of random samples of {ONE_RUN:,} jobs",
    finding="The printed shares may come from a short run, except the load of S2, a misprint",
)


@study.add_figure("shares", SHARES_CAPTION, draw_shares)
def shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each group in jobs and work: exact, sampled, and that of the paper."""
    exact = exact_shares()
    rows = []
    for known, samples in groups_of(pick(runs, kind=SAMPLES), ["jobs", "quantity", "group"]):
        quantity, group = known["quantity"], known["group"]
        low, high = np.quantile(samples["share"], [0.025, 0.975])
        row = {
            "quantity": quantity,
            "group": group,
            "printed": PRINTED_SHARES[quantity, group],
            "exact": exact[quantity, group],
            "sample_low": low,
            "sample_high": high,
            "jobs": known["jobs"],
        }
        rows.append(row)
    return pd.DataFrame(rows)


# --- Pairs of settings whose response times are compared ---


class Pair(NamedTuple):
    """A setting, its response times, and the response times of the setting compared with it."""

    setting: Mapping[str, Any]
    split: Responses
    other: Responses


def against(runs: pd.DataFrame, base: Mapping[str, Any], alike: Iterable[str]) -> list[Pair]:
    """Match each setting to the base setting that it is compared with.

    Settings without a base setting are left out.

    Parameters
    ----------
    runs : DataFrame
        The runs of all settings.
    base : mapping of str to object
        The values of some columns that make a setting a base setting.
    alike : iterable of str
        The columns in which a setting and its base setting have the same values.
    """
    measured = [(known, read_responses(rows)) for known, rows in groups_of(runs, FIELDS)]

    def key(setting: Mapping[str, Any]) -> tuple:
        return tuple(setting[name] for name in alike)

    def is_base(setting: Mapping[str, Any]) -> bool:
        return all(setting[name] == value for name, value in base.items())

    bases = {key(setting): found for setting, found in measured if is_base(setting)}
    return [
        Pair(setting, found, bases[key(setting)])
        for setting, found in measured
        if not is_base(setting) and key(setting) in bases
    ]


def against_whole(runs: pd.DataFrame) -> list[Pair]:
    """Match each setting that splits jobs to the same setting without splitting."""
    return against(runs, {"above": None}, ["max_jumps", "counted", "load"])


def against_same_penalty(runs: pd.DataFrame) -> list[Pair]:
    """Match each setting that samples penalties to the same setting with one fixed penalty."""
    return against(runs, {"spread": 0.0}, [name for name in FIELDS if name != "spread"])


def against_itself(runs: pd.DataFrame) -> list[Pair]:
    """Pair each setting with itself, so that groups of jobs can be compared within a setting."""
    measured = ((known, read_responses(rows)) for known, rows in groups_of(runs, FIELDS))
    return [Pair(setting, found, found) for setting, found in measured]


def split_so(runs: pd.DataFrame, **splitting: Any) -> pd.DataFrame:
    """Select the runs that split jobs as given by `splitting`, and all runs without splitting."""
    whole, split = pick(runs, above=None), runs[column(runs, "above").notna()]
    return pd.concat([whole, pick(split, **splitting)])


def ratio_table(pairs: Iterable[Pair], groups: Sequence[str] = NAMES, to: str = "") -> pd.DataFrame:
    """Tabulate mean response times and their ratio for each job group and pair of settings.

    If `to` is given, the response times of all groups are compared with that of the group `to`.
    """
    rows = [
        {**pair.setting, "group": group} | ratio_row(pair, group, to)
        for pair in pairs
        for group in groups
    ]
    return pd.DataFrame(rows)


def ratio_row(pair: Pair, group: str, to: str) -> dict[str, Any]:
    """Return a table row that compares one job group's response times in a pair of settings."""
    split, other = pair.split, pair.other
    unknown = Interval.exact(np.nan)
    response = unknown if split.saturated else split.response[group].interval
    return {
        "response": response.estimate,
        "response_against": np.nan if other.saturated else other.response[to or group].mean,
        "response_low": response.low,
        "response_high": response.high,
        "wait": np.nan if split.saturated else split.wait[group].mean,
        **change(split, other, group, to).ratio_columns(),
        "max_utilization": split.max_utilization.mean,
        "saturated": split.saturated,
    }


def best_thresholds(responses: Mapping[float, Responses], group: str) -> list[float]:
    """Return the splitting thresholds with the shortest mean response time of a job group.

    These are the best threshold and all others that are not certain to be worse.
    """
    known = {at: found.response[group] for at, found in responses.items() if not found.saturated}
    if not known:
        return []
    best = min(known.values(), key=lambda sample: sample.mean)
    return [at for at, sample in known.items() if not (sample - best).interval.above(0)]


def varied(table: pd.DataFrame, name: str, by: Sequence[str]) -> pd.DataFrame:
    """Return the rows of all curves that have at least two different values in column `name`.

    All rows of a curve have the same values in the columns `by`.
    """
    if table.empty:  # it has no columns
        return table
    values = table.groupby([*by], dropna=False)[name].transform("nunique")
    return table[values > 1]


def in_order(table: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Sort a table by the columns `by`. An empty table is returned unchanged."""
    if table.empty:
        return table
    return table.sort_values([*by], kind="stable", ignore_index=True)


# --- Figures 1 to 6 ---

#: The job groups whose curves are drawn without a confidence band, because five bands in one plot
#: would hide each other.
BARE = ("S1", "S2", "S3")
#: The mark of the best thresholds of a curve, and its meaning.
RING = {
    "markersize": 9,
    "clip_on": False,
    "markerfacecolor": "none",
    "color": "black",
    "markeredgewidth": 0.9,
}
RINGS = "rings: the best thresholds, and those not surely worse"
#: An extra entry takes the lightest shade of the palette, so that no job group gets it, because a
#: label in the lightest shade is hard to read.
_SHADES = plots.shades([*GROUPS, "the lightest"])
#: The marker of each job group. No group has a diamond, because diamonds mark values that are
#: printed in the paper.
LOOK = _SHADES | {
    "S4": _SHADES["S4"]._replace(marker="v"),
    STREAM: plots.MarkerStyle("#000000", "P"),
}


def by_group(table: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``line``, with the name of the curve to which each row belongs: its job group.

    If split jobs do not have as many components as in the paper, only the rows of all jobs together
    are kept.
    """
    as_paper = table["parts"] == PARTS
    words = STREAM + ", in " + table["parts"].map("{:g}".format)
    named = table.assign(line=table["group"].where(as_paper, words))
    return named[as_paper | (table["group"] == STREAM)]


def look_of(names: Sequence[str]) -> dict[str, plots.MarkerStyle]:
    """Return the marker style of each curve, which is fixed for the curves of job groups."""
    others = [name for name in names if name not in LOOK]
    if len(others) == len(names):
        # These are penalties or loads, whose colours must not be those of job groups.
        return plots.shades([*names, "the lightest"], "inferno")
    return LOOK | plots.signs(others, taken=LOOK.values())


#: The columns that assign each row of a table to a curve and to a panel of the figure.
LINES = {"line": "line", "panel": "panel"}


def draw_responses(table: pd.DataFrame, dashed: Collection[str] = (), **options: Any) -> Figure:
    """Plot mean response times as curves, in one panel for each value of MaxJumps.

    Parameters
    ----------
    table : DataFrame
        The response times. Its column ``line`` says which line a row belongs to.
    dashed : collection of str
        The lines that are dashed.
    **options
        Other arguments of `coalloc_lib.plots.lines`.
    """
    ends = {"response_low": "ci95_low", "response_high": "ci95_high"}
    table = table.drop(columns=[*ends.values()]).rename(columns=ends)
    style = plots.LineStyle(dashed=dashed, bare=NAMES if dashed else BARE, whole_bands=True)
    return plots.lines(
        with_panels(table),
        y="response",
        ylabel="mean response time",
        style=style,
        **LINES | {"look": look_of(table["line"].unique())} | options,
    )


def draw_ratios(table: pd.DataFrame, base: str, **options: Any) -> Figure:
    """Plot ratios of mean response times as curves, in one panel for each value of MaxJumps.

    `base` describes the jobs of the denominator. The other arguments are as in `draw_responses`.
    """
    table = table.assign(warning=table["warning"].mask(table["ratio"].isna(), ""))
    ylabel = f"mean response time\nover that with {base}"
    style = plots.LineStyle(bars=True, whole_bands=True)
    return plots.factor_lines(
        with_panels(table),
        y="ratio",
        base=base,
        ylabel=ylabel,
        style=style,
        **LINES | {"look": look_of(table["line"].unique())} | options,
    )


def with_panels(table: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``panel`` to a table, with a label for the value of MaxJumps in each row."""
    return table.assign(panel="MaxJumps " + table["max_jumps"].map(jumps_label))


#: The last words in the label of a curve for jobs that are not split.
NOT_SPLIT = ", no job split"


def with_whole_jobs(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the curves of S1, of S4 and of all jobs together, and add those of jobs not split."""
    split = table[~table["line"].isin(BARE[1:])]
    whole = split[split["line"] == split["group"]]
    names = whole["group"] + NOT_SPLIT
    whole = whole.assign(line=names, response=whole["response_against"])
    return pd.concat([split, whole.assign(response_low=np.nan, response_high=np.nan)])


#: The value of MaxJumps that the drawing of Figure 1 leaves out. Its curves lie between the others.
BETWEEN = 20


def draw_figure1(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 1: mean response times against the penalty.

    The curves without splitting are dashed.
    """
    if table["max_jumps"].nunique() > 2:  # Three panels would not fit one screen.
        table = table[table["max_jumps"] != BETWEEN]
    drawn = with_whole_jobs(by_group(table))
    look = LOOK | {group + NOT_SPLIT: sign for group, sign in LOOK.items()}
    dashed = [name for name in drawn["line"].unique() if name.endswith(NOT_SPLIT)]
    return draw_responses(drawn, dashed, look=look, x="psi", xlabel=PSI, **titles)


FIGURE1_CAPTION = Caption(
    f"Figure 1: jobs above {ABOVE} processors split into {PARTS}; {AT_LOAD}",
    finding="With MaxJumps 8, the smallest jobs gain by splitting; the largest, unless the penalty "
    "is high",
)


@study.add_figure("figure1", FIGURE1_CAPTION, draw_figure1, claims=("CP-9", "CP-14"))
def figure1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean response times with and without splitting, by job group and penalty."""
    here = split_so(pick(runs, kind=IN_FIGURE, **AT_PRINTED_LOAD), above=ABOVE, spread=0.0)
    table = varied(ratio_table(against_whole(here)), "psi", by=["max_jumps", "parts"])
    return in_order(table, "max_jumps", "parts", "psi")


def draw_figure1_ratios(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the ratio of mean response times with and without splitting, against the penalty."""
    printed = pd.DataFrame({"line": PRINTED.keys(), "psi": PRINTED.values()})
    return draw_ratios(
        by_group(table), NOBODY_SPLIT, x="psi", xlabel=PSI, printed=printed, **titles
    )


#: The finding in the captions of all charts that show response times with splitting, divided by
#: response times without splitting.
BELOW_ONE = "Splitting pays if a line is below 1"
FIGURE1_RATIOS_CAPTION = Caption(
    f"Figure 1, divided by {NOBODY_SPLIT}: jobs above {ABOVE} split into {PARTS}; {AT_LOAD}",
    BELOW_ONE,
)
study.add_figure("figure1-ratios", FIGURE1_RATIOS_CAPTION, draw_figure1_ratios)(figure1)


def draw_figure2(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 2: mean response times against the splitting threshold."""
    return draw_responses(by_group(table), x="above", xlabel=THRESHOLD, **titles)


FIGURE2_CAPTION = Caption(
    f"Figure 2: penalty {LOW_PENALTY}; {AT_LOAD}",
    finding="The largest jobs respond sooner if all jobs above 3 processors are split than if none "
    "is",
)


@study.add_figure(
    "figure2", FIGURE2_CAPTION, draw_figure2, claims=("CP-4", "CP-15", "CP-20", "CP-11")
)
def figure2(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response times of each job group at each splitting threshold."""
    here = split_so(pick(runs, kind=IN_FIGURE, **AT_PRINTED_LOAD), psi=LOW_PENALTY, spread=0.0)
    return along_thresholds(here, NAMES, ["psi"])


def along_thresholds(
    runs: pd.DataFrame, groups: Sequence[str], lines: Sequence[str]
) -> pd.DataFrame:
    """Return the response times of several job groups at each splitting threshold.

    The column ``best`` says whether a threshold is among the best of its curve. The rows of a curve
    have the same values in the columns `lines`, the same MaxJumps and the same number of
    components.
    """
    pairs = against_whole(runs)
    alike = ["max_jumps", "parts", *lines]
    table = varied(ratio_table(pairs, groups), "above", by=alike)

    def line_of(setting: Mapping[str, Any]) -> tuple:
        return tuple(setting[name] for name in alike)

    by_line: dict[tuple, dict[float, Responses]] = {}
    for pair in pairs:
        by_line.setdefault(line_of(pair.setting), {})[pair.setting["above"]] = pair.split
    best = [
        row["above"] in best_thresholds(by_line[line_of(row)], row["group"])
        for row in table.to_dict("records")
    ]
    return in_order(table.assign(best=best), *alike, "above")


def by_penalty(table: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``line``, with the name of the curve to which each row belongs: its penalty."""
    return table.assign(line="penalty " + table["psi"].map("{:g}".format))


def draw_with_best(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot response times along the splitting threshold, with rings at the best thresholds."""
    figure = draw_responses(table, x="above", xlabel=THRESHOLD, **titles)
    for axes, (_, rows) in zip(figure.axes, table.groupby("max_jumps", sort=False), strict=True):
        axes.plot("above", "response", "o", data=rows[rows["best"]], **RING)
    return figure


def draw_figure3(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 3: response times of the largest jobs (S4), with one curve per penalty."""
    return draw_with_best(by_penalty(table), **titles)


FIGURE3_CAPTION = Caption(
    f"Figure 3: jobs of S4 (7 to 19 processors); {AT_LOAD}; {RINGS}",
    finding="At penalty 0.05, S4 does best if jobs above 3 to 6 are split; at 0.2, if none is",
)


@study.add_figure("figure3", FIGURE3_CAPTION, draw_figure3, claims=("CP-19", "CP-5"))
def figure3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response times of group S4 at each splitting threshold and penalty."""
    here = split_so(pick(runs, kind=IN_FIGURE, **AT_PRINTED_LOAD), parts=PARTS, spread=0.0)
    return along_thresholds(here, ("S4",), ["psi"])


def by_load(table: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``line``, with the name of the curve to which each row belongs: its load."""
    return table.assign(line="load " + table["load"].map("{:g}".format))


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 4: response times of S4, the largest jobs, with one curve per load."""
    return draw_with_best(by_load(table), **titles)


FIGURE4_CAPTION = Caption(
    f"Figure 4: jobs of S4, penalty {CONSTANT}; {SYSTEM}; {RINGS}",
    finding={
        "quick": "At the lowest load, fewer jobs should be split than at higher loads",
        "paper": "With MaxJumps 8 and 20, the best threshold falls from 12 to 6 as the load grows",
    },
)


@study.add_figure("figure4", FIGURE4_CAPTION, draw_figure4, claims=("CP-6", "CP-12"))
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response times of group S4 at each splitting threshold and load."""
    here = pick(runs, kind=IN_FIGURE, **AS_PAPER)
    here = split_so(here, parts=PARTS, psi=CONSTANT, spread=0.0)
    return along_thresholds(here, ("S4",), ["load", "psi"])


def draw_figure5(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 5: response times with sampled penalties, divided by those with one penalty."""
    return draw_ratios(by_group(table), SAME_PENALTY, x="above", xlabel=THRESHOLD, **titles)


FIGURE5_CAPTION = Caption(
    f"Figure 5: penalty of each job sampled from U[0.001, 0.199]; {AT_LOAD}",
    finding={
        "quick": "No group certainly responds later or sooner if penalties differ between jobs",
        "paper": "If penalties differ between jobs, no response time changes by as much as one "
        "percent",
    },
)


@study.add_figure("figure5", FIGURE5_CAPTION, draw_figure5, claims=("CP-7",))
def figure5(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the ratio of response times with sampled penalties to those with one fixed penalty."""
    here = pick(runs, kind=IN_FIGURE, psi=CONSTANT, spread=(SPREAD, 0.0), **AT_PRINTED_LOAD)
    return in_order(ratio_table(against_same_penalty(here), [*GROUPS]), "max_jumps", "above")


def draw_figure6(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 6: response times of split jobs by penalty class, relative to all split jobs."""
    lines = table.assign(line=table["group"])
    return draw_ratios(lines, ALL_SPLIT, x="above", xlabel=THRESHOLD, **titles)


FIGURE6_CAPTION = Caption(
    f"Figure 6: split jobs by penalty (C1 < 0.05 < C2 < 0.10 < C3 < 0.15 < C4); {AT_LOAD}",
    finding="If jobs above 3 are split, those with the highest penalty respond last",
)


@study.add_figure("figure6", FIGURE6_CAPTION, draw_figure6, claims=("CP-8",))
def figure6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean response and waiting times of split jobs, grouped by their penalty."""
    here = pick(runs, kind=IN_FIGURE, psi=CONSTANT, spread=SPREAD, **AT_PRINTED_LOAD)
    table = ratio_table(against_itself(here), [*BY_PENALTY], to=ALL_SPLIT)
    return in_order(table, "max_jumps", "above")
