"""Maps that show at which penalties and loads splitting pays, which are not in the paper."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import pick
from studies.communication_penalty.figures import (
    AS_PAPER,
    against_whole,
    in_order,
    split_so,
    varied,
)
from studies.communication_penalty.model import (
    ABOVE,
    ALWAYS,
    AT_HEAD,
    JUMPS,
    NAMES,
    PARTS,
    PRINTED_LOAD,
    STREAM,
    jumps_label,
)
from studies.communication_penalty.responses import change
from studies.communication_penalty.runs import IN_MAP, study
from studies.results import Caption

#: Marks for map cells in which the system saturates. Each key says whether the system saturates
#: with split jobs, without splitting or in both cases. Each value has the mark and its text in the
#: legend.
MARKS = {
    "split": ("longer", "∞: with split jobs the system saturates"),
    "whole": ("shorter", "−∞: without splitting it saturates"),
    "both": ("neither", "×: both saturate"),
}
#: The words at the end of the caption of every map.
AGAINST = "worst fit, compared with the same jobs not split"


def change_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how much splitting changes mean response times, by setting and job group."""
    rows = [
        {**pair.setting, "group": group} | change(pair.split, pair.other, group).columns()
        for pair in against_whole(runs)
        for group in NAMES
    ]
    return pd.DataFrame(rows)


def draw_map(
    table: pd.DataFrame, group: str = STREAM, ylabel: str = "", subtitle: str = "", title: str = ""
) -> Figure:
    """Draw maps of how much splitting changes the mean response time of a job group.

    The columns ``panel`` and ``row`` of the table have the labels of the panels and of the rows.
    """
    cells = pick(table, group=group)
    saturated = cells["saturated"] != ""
    kinds = set(cells["saturated"])
    undecided = cells["verdict"].where(cells["verdict"] == "undecided", "")
    drawn = cells.assign(
        column=cells["psi"].map("{:g}".format),
        mark=cells["saturated"].map({"": ""} | {kind: mark for kind, (mark, _) in MARKS.items()}),
        warning=cells["warning"].mask(saturated, undecided),
    )
    numbers = ["change", "ci95_low", "ci95_high"]
    drawn[numbers] = drawn[numbers].mask(saturated)
    legend = [words for kind, (_, words) in MARKS.items() if kind in kinds]
    whose = "all jobs" if group == STREAM else group
    return plots.maps(
        drawn,
        x="column",
        y="row",
        value="change",
        panel="panel",
        mark="mark",
        xlabel="penalty",
        ylabel=ylabel,
        values=f"change of the mean response of {whose}, %",
        title=title,
        subtitle="; ".join(filter(None, [subtitle, "hatched: undecided", *legend])),
    )


def policy_label(max_jumps: float) -> str:
    """Return the name of the policy with a given MaxJumps, which is FCFS if MaxJumps is 0."""
    return f"FPFS({jumps_label(max_jumps)})" if max_jumps else "FCFS"


def draw_viability(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw one map per load, with a column per penalty and a row per splitting threshold."""
    panel = "load " + table["load"].map("{:.3f}".format)
    row = table["above"].map("{:g}".format)
    return draw_map(
        table.assign(panel=panel, row=row), ylabel="jobs above this size are split", **how
    )


VIABILITY_CAPTION = Caption(
    f"jobs above a size split into {PARTS}, FPFS({JUMPS}), {AGAINST}",
    finding={
        "quick": "Splitting pays in more cases at the highest load than at the lowest",
        "paper": "Splitting loses in fewer cases at the two higher loads than at the lowest",
    },
)


@study.add_figure("viability", VIABILITY_CAPTION, draw_viability)
def viability(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how much splitting changes response times, by load, threshold and penalty."""
    here = pick(runs, kind=IN_MAP, max_jumps=JUMPS, **AS_PAPER)
    table = varied(change_table(split_so(here, parts=PARTS)), "above", by=["load"])
    return in_order(table, "load", "above", "psi")


def draw_adaptive(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw one map per policy, with a column per penalty and a row per splitting rule.

    A splitting rule is a splitting threshold together with a placement policy.
    """
    panel = table["max_jumps"].map(policy_label)
    row = "above " + table["above"].map("{:g}".format) + ", " + table["placement"]
    return draw_map(table.assign(panel=panel, row=row), **how)


ADAPTIVE_CAPTION = Caption(
    f"load {PRINTED_LOAD}, {PARTS} components, always or only of jobs that cannot start whole, "
    f"{AGAINST}",
    finding="Splitting only at need loses in fewer cases than always splitting, and gains in more",
)


@study.add_figure("adaptive", ADAPTIVE_CAPTION, draw_adaptive)
def adaptive(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how much response times change if large jobs are split always, or only if needed."""
    here = pick(runs, kind=IN_MAP, load=PRINTED_LOAD, counted=AT_HEAD, kept_whole=0.0)
    table = change_table(split_so(here, parts=PARTS))
    table = varied(table, "placement", by=["max_jumps", "above"])
    large_first = table.sort_values("above", ascending=False, kind="stable")
    return in_order(large_first, "max_jumps")


def draw_kept_whole(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw one map per policy, with a column per penalty and a row per share of unsplit jobs.

    The share is the fraction of the large jobs that cannot be split.
    """
    panel = table["max_jumps"].map(policy_label)
    row = table["kept_whole"].map("{:.0%}".format)
    return draw_map(table.assign(panel=panel, row=row), ylabel="cannot be split", **how)


KEPT_WHOLE_CAPTION = Caption(
    f"load {PRINTED_LOAD}, jobs above {ABOVE} split into {PARTS} except for a share, {AGAINST}",
    finding={
        "quick": "If a quarter of the jobs cannot be split, splitting the others pays in fewer "
        "cases",
        "paper": "With MaxJumps 8 and 20, splitting pays only if all jobs can be split",
    },
)


@study.add_figure("kept-whole", KEPT_WHOLE_CAPTION, draw_kept_whole)
def kept_whole(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how much splitting changes response times if some large jobs cannot be split."""
    here = pick(runs, kind=IN_MAP, load=PRINTED_LOAD, counted=AT_HEAD)
    here = split_so(here, above=ABOVE, parts=PARTS, placement=ALWAYS)
    table = varied(change_table(here), "kept_whole", by=["max_jumps"])
    return in_order(table, "max_jumps", "kept_whole", "psi")
