"""Make the paper's tables and figures, and one figure of our own, from the runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import differences, means, pick
from studies.claim import without
from studies.columns import column
from studies.cut_offs import Word
from studies.das1_densities import CAPTION, densities, draw_densities
from studies.log_files import title_of
from studies.maximal_utilization.model import (
    ALIKE,
    AT_ONCE,
    CALM,
    DAS1,
    DEPENDENT,
    EXACT,
    EXCEPTION,
    FEW,
    FIVE,
    HEAVY,
    INDEPENDENT,
    LOG,
    MANY,
    ORDERED,
    POISSON,
    SERVICES,
    STANDARD,
    TOTAL,
    UNORDERED,
    WHOLE,
    WORST,
)
from studies.maximal_utilization.runs import LOSS, OF_LOG, study
from studies.printed_losses import caption_of, draw_printed, printed_table
from studies.results import Caption

# --- Cut-offs for the paper's words ---

#: The cut-off for 'roughly speaking, the capacity loss is cut in half': how far the ratio of the
#: unordered loss to the ordered loss may be from one half.
HALF, ROUGHLY = 0.5, Word("roughly", 0.1, "either side of half")
#: The cut-off for 'only the mean, and not the distribution, matters': capacity losses that differ
#: by at most this value count as equal.
ONLY = Word("only", 0.01, "points", 100)
#: The cut-off for 'almost identical means': the largest relative difference between two means.
ALMOST = Word("almost identical", 0.01, "%", 100)
#: The cut-off for 'doesn't have a large impact': the smallest relative change in the capacity loss
#: that counts as large.
LARGE = Word("large impact", 0.25, "%", 100)
#: The cut-off for 'does not improve performance by much': the smallest gain in capacity that counts
#: as large.
MUCH = Word("much", 0.03, "points", 100)
#: The cut-off for 'about' in the paper's gain of 'about [...] percentage points': the largest
#: accepted distance from the number in the paper.
ABOUT = Word("about", 0.02, "points", 100)
#: The cut-off for 'the difference in performance is not very large'. It is twice the cut-off for
#: 'much'.
VERY_LARGE = Word("very large", 0.06, "points", 100)
#: The cut-off for 'the capacity loss of co-allocation can be quite large': the smallest loss that
#: counts as quite large.
QUITE_LARGE = Word("quite large", 0.25, "%", 100)
#: The cut-off for 'the capacity losses [...] are similar': the largest difference between two
#: losses that counts as similar.
SIMILAR = Word("similar", 0.03, "points", 100)

# --- Functions that several figures use ---


def standard(runs: pd.DataFrame, *compared: str) -> pd.DataFrame:
    """Select the runs that differ from the paper's standard setting only in certain columns.

    Parameters
    ----------
    runs : DataFrame
        The runs of the study.
    *compared : str
        The columns that may have values different from those in `STANDARD`.

    Returns
    -------
    DataFrame
        The runs. If the system or the number of components is not the standard one, as in runs that
        a reader added, the column ``sizes`` names it.
    """
    found = pick(runs, kind=LOSS, **without(STANDARD, "system", "components", *compared))
    system, components, sizes = (column(found, name) for name in ("system", "components", "sizes"))
    own = (system != STANDARD["system"]) | (components != STANDARD["components"])
    where = components.map("{:g} of ".format) + sizes + " on " + system
    return found.assign(sizes=sizes.mask(own, where))


def losses(
    runs: pd.DataFrame,
    columns: Sequence[str],
    against: Mapping[str, Any],
    in_pairs: bool = True,
) -> pd.DataFrame:
    """Return each setting's capacity loss, and how much it differs from a reference setting's.

    Parameters
    ----------
    runs : DataFrame
        The runs of the settings.
    columns : list of str
        The columns that identify a setting. The first one identifies the group of settings that
        are compared with each other.
    against : dict
        The values that identify the reference setting of each group.
    in_pairs : bool
        Whether losses are subtracted replication by replication.

    Returns
    -------
    DataFrame
        A row for each setting. Groups in which no two settings can be compared are left out.
    """
    less = differences(runs, "capacity_loss", against, in_pairs=in_pairs)
    ends = ("ci95_low", "ci95_high", "warning")
    less = less.rename(columns={end: f"difference_{end}" for end in ends})
    of_difference = ["difference", *(f"difference_{end}" for end in ends)]
    compared = less[[*columns, *of_difference]]
    groups = columns[0]
    found = means(runs, "capacity_loss")
    found = found[found[groups].isin(compared[groups])]
    return found[[*columns, "capacity_loss", *ends]].merge(compared, how="left", on=list(columns))


def loss_by_group(table: pd.DataFrame, group: str = "sizes", **where: Any) -> dict[str, float]:
    """Return a dict from each group of bars in a chart to the capacity loss of the group."""
    rows = pick(table, **where)
    return dict(zip(rows[group], rows["capacity_loss"], strict=True))


def around(losses_by_group: Mapping[str, float], by: float) -> dict[str, tuple[float, float]]:
    """Return the interval from ``loss - by`` to ``loss + by`` for each group of bars in a chart."""
    return {group: (loss - by, loss + by) for group, loss in losses_by_group.items()}


def draw_bars(table: pd.DataFrame, series: str, group: str = "sizes", **how: Any) -> Figure:
    """Draw the capacity loss of each setting as a bar, with bars of one comparison side by side."""
    return plots.bars(table, value="capacity_loss", group=group, series=series, **how)


# --- Figures 1 and 2, Tables 3 and 4 ---

study.add_figure("figure1-2", CAPTION, draw_densities)(densities)

TABLE3 = caption_of(3, "All losses are close to the printed ones")
TABLE4 = caption_of(4, "The ten simulated losses of ordered requests are all printed too low")


@study.add_figure("table3", TABLE3, draw_printed, claims=("MU-2", "MU-3", "MU-21", "MU-15"))
def table3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the losses in Table 3 of the paper (uniform component sizes), and our own losses."""
    return printed_table(runs, 3)


@study.add_figure("table4", TABLE4, draw_printed, claims=("MU-2", "MU-3"))
def table4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the losses in Table 4 of the paper (component sizes from D(q)), and our own losses."""
    return printed_table(runs, 4)


# --- Figure 3: the request ---

#: The labels of the bars in Figure 3, by request type.
REQUEST_LABELS = {
    ORDERED: "ordered (exact)",
    UNORDERED: "unordered (simulated)",
    TOTAL: "total, one cluster of 128 (exact)",
}


def draw_figure3(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the loss by request type, with a band around half the loss of ordered requests."""
    ordered = loss_by_group(table, request=ORDERED)
    low, high = HALF - ROUGHLY.value, HALF + ROUGHLY.value
    half = {sizes: (low * loss, high * loss) for sizes, loss in ordered.items()}
    labelled = table.assign(series=table["request"].map(REQUEST_LABELS))
    return draw_bars(
        labelled, "series", threshold=(f"{low} to {high} of the ordered loss", half), **titles
    )


FIGURE3 = Caption(
    "Figure 3: capacity loss by request type, on 4 × 32, and on 1 × 128 for total requests",
    finding=f"Unordered requests lose far less than ordered ones, except for {EXCEPTION}",
)


@study.add_figure(
    "figure3", FIGURE3, draw_figure3, claims=("MU-4", "MU-5", "MU-14", "MU-19", "MU-18")
)
def figure3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss of ordered, unordered and total requests."""
    by_request = best_method(standard(runs, "request", "method"))
    by_request = pick(by_request, request=tuple(REQUEST_LABELS))
    ordered = {"request": ORDERED, "method": EXACT}
    return losses(by_request, ["sizes", "request", "method"], against=ordered)


def best_method(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with exact losses and, where no formula exists, with simulated losses."""
    by_formula = column(runs, "method") == EXACT
    has_formula = column(runs, "request").isin(column(runs, "request")[by_formula])
    return runs[by_formula | ((column(runs, "method") == HEAVY) & ~has_formula)]


# --- Figure 4: independent or dependent component sizes ---


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss with independent and with dependent component sizes.

    A band shows where the losses of dependent sizes would be if only the mean size mattered.
    """
    dependent = loss_by_group(table, drawn=DEPENDENT)
    if_mean_alone = {}
    for alike in ALIKE:
        in_table = [sizes for sizes in alike if sizes in dependent]
        for sizes in in_table:
            least = min(dependent[other] for other in in_table)
            if_mean_alone[sizes] = (least, least + ONLY.value)
    threshold = ("dependent sizes, if only the mean mattered", if_mean_alone)
    return draw_bars(table, "drawn", threshold=threshold, **titles)


FIGURE4 = Caption(
    "Figure 4: capacity loss of unordered requests with dependent and independent sizes, 4 × 32",
    finding=f"Dependent sizes lose more than independent sizes, except for {EXCEPTION}",
)


@study.add_figure("figure4", FIGURE4, draw_figure4, claims=("MU-6", "MU-7"))
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss with independent and with dependent component sizes."""
    by_drawing = standard(runs, "drawn")
    return losses(by_drawing, ["sizes", "drawn"], against={"drawn": INDEPENDENT})


# --- Section 7.1: service times ---


def draw_service_times(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss against the coefficient of variation of the service times."""
    points = table.assign(panel=table["request"] + " requests", growth=100 * table["growth"])
    for end in ("ci95_low", "ci95_high"):
        points[end] = 100 * table[f"growth_{end}"]
    points["warning"] = table["difference_warning"].fillna("")
    limit = 100 * LARGE.value
    return plots.lines(
        points,
        x="cv",
        y="growth",
        line="sizes",
        panel="panel",
        xlabel="coefficient of variation",
        ylabel="increase of the capacity loss (%)",
        look=plots.signs(points["sizes"].unique()),
        level=(f"increase of {LARGE.value:.0%}", limit),
        **titles,
    )


SERVICE_TIMES = Caption(
    "Section 7.1: increase of the capacity loss over deterministic service times, 4 × 32",
    finding=f"With very variable service times, {FIVE[2]} more than triples its loss (unordered)",
)


@study.add_figure(
    "service-times", SERVICE_TIMES, draw_service_times, claims=("MU-8", "MU-16", "MU-13")
)
def service_times(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each service-time distribution's capacity loss, and its increase over constant times.

    The growth is the relative change from the loss with constant service times.
    """
    by_service = pick(standard(runs, "request", "service"), request=(ORDERED, UNORDERED))
    by_service = by_service[by_service["service"] != AT_ONCE]
    table = losses(by_service, ["sizes", "request", "service"], against={"service": CALM})
    calm = table["capacity_loss"] - table["difference"]
    for end in ("", "_ci95_low", "_ci95_high"):
        growth = table[f"difference{end}"] / calm
        table[f"growth{end}"] = growth.where(table["service"] != CALM, 0.0)
    table.insert(3, "cv", table["service"].map({name: law.cv for name, law in SERVICES.items()}))
    return table.sort_values(["request", "cv"], kind="stable", ignore_index=True)


# --- Figure 5: overtaking ---

#: The style of the bars of each scheduling policy. Policies that let jobs be overtaken more often
#: have a stronger colour.
OVERTAKING = {
    "FCFS": plots.STANDARD,
    FEW: plots.MarkerStyle("#9A8FD6", "x"),
    MANY: plots.MEANINGS["FPFS"],
}
#: The labels of the two methods of simulating FPFS. With the first method, the queue is empty at
#: the start. With the second method, 500 jobs wait at all times.
METHOD_LABELS = {POISSON: "from an empty queue", HEAVY: "500 jobs waiting"}


def draw_figure5(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss by policy, and mark the loss that is 'much' lower than under FCFS."""
    methods = table["policy"] + ", " + table["method"].map(METHOD_LABELS)
    labelled = table.assign(series=methods.where(table["policy"] != "FCFS", "FCFS"))
    styles = {
        series: OVERTAKING[policy]
        for series, policy in zip(labelled["series"], table["policy"], strict=True)
        if policy in OVERTAKING
    }
    fcfs = loss_by_group(table, policy="FCFS")
    less = {sizes: loss - MUCH.value for sizes, loss in fcfs.items()}
    threshold = (f"{100 * MUCH.value:.0f} points below FCFS", less)
    return draw_bars(labelled, "series", look=styles, threshold=threshold, **titles)


FIGURE5 = Caption(
    "Figure 5: capacity loss of unordered requests under FCFS and FPFS, 4 × 32",
    finding="MaxJumps 50 gains clearly more than MaxJumps 5",
)


@study.add_figure("figure5", FIGURE5, draw_figure5, claims=("MU-9",))
def figure5(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss under FCFS, and under FPFS simulated by two methods."""
    by_policy = standard(runs, "policy", "method")
    both_methods = pick(by_policy, method=POISSON)["sizes"].unique()
    by_policy = pick(by_policy, sizes=tuple(both_methods), method=tuple(METHOD_LABELS))
    fcfs = {"policy": "FCFS", "method": HEAVY}
    table = losses(by_policy, ["sizes", "policy", "method"], against=fcfs, in_pairs=False)
    in_order = table["method"].map([*METHOD_LABELS].index)
    table = table.iloc[np.lexsort([in_order, table["policy"]])]
    return table.reset_index(drop=True)


# --- Figure 6: placement ---


def draw_figure6(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss of each placement, with a band around the loss under worst fit."""
    near = around(loss_by_group(table, placement=WORST), VERY_LARGE.value)
    return draw_bars(
        table,
        "placement",
        threshold=(f"worst fit ± {VERY_LARGE.said(VERY_LARGE.value)}", near),
        **titles,
    )


FIGURE6 = Caption(
    "Figure 6: capacity loss of unordered requests by placement, 4 × 32",
    finding="Worst fit loses least for all size distributions",
)


@study.add_figure("figure6", FIGURE6, draw_figure6, claims=("MU-10",))
def figure6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss of unordered requests under each placement policy."""
    by_placement = standard(runs, "placement")
    return losses(by_placement, ["sizes", "placement"], against={"placement": WORST})


# --- Figure 7: two logs ---


def draw_figure7(table: pd.DataFrame, subtitle: str = "", **titles: Any) -> Figure:
    """Plot the capacity loss for the job sizes of two logs, CTC and DAS1.

    The subtitle says for each log whether the log itself or a stand-in was used.
    """
    near = around(loss_by_group(table, "request", log=DAS1), SIMILAR.value)
    (ctc,) = table["ctc"].unique()
    titles["subtitle"] = f"{subtitle}; {ctc} and a synthetic DAS1 log"
    return draw_bars(table, "log", "request", threshold=("DAS1 ± 3 points", near), **titles)


FIGURE7 = Caption(
    "Figure 7: capacity loss with the jobs of two logs, up to 128 processors each",
    finding="With total requests, the synthetic DAS1 log loses far more than the CTC log",
)


@study.add_figure("figure7", FIGURE7, draw_figure7, claims=("MU-11",))
def figure7(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss for the job sizes of each log.

    The column ``ctc`` says whether the CTC log itself was used or a synthetic stand-in.
    """
    of_logs = pick(runs, kind=OF_LOG)
    table = losses(of_logs, ["request", "log"], against={"log": DAS1}, in_pairs=False)
    return table.assign(ctc=title_of(runs, LOG))


# --- Figure 8: with and without co-allocation ---

#: The labels of the bars for jobs with four components and for jobs with one component.
COMPONENT_LABELS = {UNORDERED: "four components", WHOLE: "one component"}


def draw_figure8(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss of jobs with four components, and of jobs with one component."""
    four = loss_by_group(table, request=UNORDERED)
    labelled = table.assign(series=table["request"].map(COMPONENT_LABELS))
    return draw_bars(labelled, "series", threshold=("loss of four components", four), **titles)


FIGURE8 = Caption(
    "Figure 8: capacity loss of jobs with four components, and with their sum as one "
    "component, 4 × 32",
    finding="Jobs lose less capacity in four clusters than in one, at the same total size",
)


@study.add_figure("figure8", FIGURE8, draw_figure8, claims=("MU-12",))
def figure8(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss of jobs with four components, and of jobs with one component."""
    four_or_one = pick(standard(runs, "request"), request=tuple(COMPONENT_LABELS))
    return losses(four_or_one, ["sizes", "request"], against={"request": UNORDERED})


# --- Our own figure: request types and overtaking ---

#: A dict from each request type to the label of its group of bars.
FREEDOM_LABELS = {ORDERED: "ordered", UNORDERED: "unordered", TOTAL: "flexible"}
#: A dict from each policy to the label of its bars.
JUMP_LABELS = {
    "FCFS": "FCFS: no job is passed",
    FEW: "a job may be passed 5 times",
    MANY: "a job may be passed 50 times",
}


def draw_freedoms(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity loss against the request type and how often a job may be overtaken."""
    labelled = table.assign(
        group=table["request"].map(FREEDOM_LABELS),
        series=table["policy"].replace(JUMP_LABELS),
    )
    styles = {label: OVERTAKING[policy] for policy, label in JUMP_LABELS.items()}
    return draw_bars(labelled, "series", "group", look=styles, **titles)


FREEDOMS = Caption(
    f"capacity loss of jobs of four components {FIVE[0]} on 4 × 32, by request type and by "
    "how often a waiting job may be passed",
    finding="Overtaking gains less capacity if the requests are freer",
)


@study.add_figure("freedoms", FREEDOMS, draw_freedoms, claims=("HO-1",))
def freedoms(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss for each request type and scheduling policy."""
    by_freedom = pick(standard(runs, "request", "policy"), sizes=FIVE[0])
    by_freedom = pick(by_freedom, request=tuple(FREEDOM_LABELS))
    table = losses(by_freedom, ["request", "policy"], against={"policy": "FCFS"})
    return table.sort_values("request", key=_freedom, kind="stable", ignore_index=True)


def _freedom(requests: pd.Series) -> pd.Series:
    return requests.map(list(FREEDOM_LABELS).index)
