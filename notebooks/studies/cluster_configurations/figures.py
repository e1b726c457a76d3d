"""The tables and figures of the paper, and a figure of the break-even penalty of spanning."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import pick, ratios
from studies import das1_densities, printed_losses
from studies.cluster_configurations.curves import Values, curves_of, draw_curves
from studies.cluster_configurations.model import (
    ALONE,
    FEW,
    FIRST_FIT,
    FOUR_COMPONENTS,
    HALF_ONE,
    IN_ORDER,
    JOBS,
    LARGE,
    LEVELS,
    MANY,
    MIXTURES,
    MOSTLY_FOUR,
    MOSTLY_ONE,
    OF_ONE_AND_FOUR,
    ONE_COMPONENT,
    ORDERED,
    OVERTAKING,
    PRINTED,
    SAME_SIZE,
    SAME_TOTAL,
    SMALL_FIRST,
    STANDARD,
    THIRDS,
    THREE_COMPONENTS,
    TINY,
    TOTAL,
    TWO_COMPONENTS,
    UNEQUAL,
    UNORDERED,
    WORST_FIT,
    of_one_total,
)
from studies.cluster_configurations.runs import (
    BREAK_EVEN,
    CURVE,
    WHOLE,
    study,
)
from studies.columns import column
from studies.results import Caption

# --- Tables 1 and 2; Figures 1 and 2 ---

AS_PRINTED = "All calculated losses are as printed, and simulated ones within 0.005"


@study.add_figure(
    "table2",
    printed_losses.caption_of(2, AS_PRINTED),
    printed_losses.draw_printed,
    claims=("CC-15",),
)
def table2(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2: the losses with uniform component sizes, in the paper and in our runs."""
    return printed_losses.printed_table(runs, 2)


@study.add_figure("table1", printed_losses.caption_of(1, AS_PRINTED), printed_losses.draw_printed)
def table1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1: the losses with component sizes from D(q), in the paper and in our runs."""
    return printed_losses.printed_table(runs, 1)


study.add_figure("figure1-2", das1_densities.CAPTION, das1_densities.draw_densities)(
    das1_densities.densities
)

# --- Figures 3 to 12: response curves ---

#: The marker and the colour of each system. They are the same in all figures.
SYSTEM_SIGNS = {
    "4×32": plots.STANDARD,
    "8×16": plots.MarkerStyle("#009E73", "H"),
    "64+32+2×16": plots.MarkerStyle("#999933", "d"),
    "64+4×16": plots.MarkerStyle("#CC6677", "8"),
    "2×40+3×16": plots.MarkerStyle("#332288", "h"),
    "2×32+2×16+4×8": plots.MarkerStyle("#AA4499", "p"),
    "4×16+8×8": plots.MarkerStyle("#000000", "v"),
}
#: For figures with two panels: the heading of each panel, and the curves in it. A curve that is in
#: neither list is drawn in both panels.
FEW_AND_MANY = {
    "few unequal clusters: 4 or 5": [STANDARD, *FEW],
    "many unequal clusters: 8 or 12": [STANDARD, *MANY],
}
#: The shade of the curve of each workload. The shade is darker if jobs have fewer components.
JOB_SIGNS = plots.shades(
    [
        ONE_COMPONENT,
        MOSTLY_ONE,
        TWO_COMPONENTS,
        THIRDS,
        HALF_ONE,
        THREE_COMPONENTS,
        MOSTLY_FOUR,
        FOUR_COMPONENTS,
    ]
)
OF_ONE_KIND = [ONE_COMPONENT, TWO_COMPONENTS, THREE_COMPONENTS, FOUR_COMPONENTS]
PURE_AND_MIXED = {
    "jobs of one kind": OF_ONE_KIND,
    "shares of jobs with 1, 2 or 4 components": [ONE_COMPONENT, *MIXTURES],
}


def unordered(runs: pd.DataFrame, placement: str | tuple[str, ...]) -> pd.DataFrame:
    """Return the simulation runs with unordered requests and the given placements."""
    return pick(runs, kind=CURVE, request=UNORDERED, placement=placement)


def of_four(runs: pd.DataFrame, placement: str | tuple[str, ...]) -> pd.DataFrame:
    """Return the simulation runs with four-component jobs and unordered requests (section 4)."""
    return pick(unordered(runs, placement), jobs=FOUR_COMPONENTS)


def unequal_and_standard(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the simulation runs on unequal clusters and on four equal clusters of 32."""
    return runs[(column(runs, "equal") == 0) | (column(runs, "system") == STANDARD)]


def by_system(line: Values) -> str:
    """Return the label of a curve, which is the name of its system."""
    return line["system"]


def over_standard(line: Values) -> Values:
    """Choose the curve to compare with: the same jobs on four clusters of 32."""
    return {"system": STANDARD}


def over_first_fit(line: Values) -> Values:
    """Choose the curve to compare with: the same jobs under first fit.

    First fit tries the largest cluster first.
    """
    return {"placement": FIRST_FIT}


# --- Section 4.1 ---


def by_system_and_request(line: Values) -> str:
    """Return the label of a curve: the name of its system and its request type."""
    return f"{line['system']}, {line['request']}"


def over_printed(line: Values) -> Values:
    """Choose the curve that others are compared with: that of the same jobs on 64+32+2×16.

    This is the unequal system whose sizes the paper prints.
    The single cluster of 64 processors is compared with ordered requests on that system.
    """
    if line["system"] == ALONE:
        return {"system": PRINTED, "request": ORDERED}
    return {"system": PRINTED}


def draw_figure3(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 3, with one panel for each request type, ordered and unordered."""
    panels = {
        "ordered requests": ["4×32, ordered", "64+32+2×16, ordered", "64 alone, total"],
        "unordered requests": ["4×32, unordered", "64+32+2×16, unordered"],
    }
    look = {
        f"{system}, {request}": SYSTEM_SIGNS[system]
        for system in (STANDARD, PRINTED)
        for request in (ORDERED, UNORDERED)
    }
    offsets = {"4×32, ordered": (LARGE,), "4×32, unordered": (LARGE,), "64 alone, total": (0.0,)}
    dashed = "3 points above 64+32+2×16; for 64 alone, the value of 64+32+2×16"
    return draw_curves(table, dashed, offsets, panels=panels, look=look, **titles)


FIGURE3 = Caption(
    "Figure 3: response times on equal and unequal clusters, first fit, four components; shares of "
    "128 processors",
    finding="Equal clusters carry far more than unequal ones; with ordered requests, the cluster "
    "of 64 alone carries more than all four unequal clusters",
)


@study.add_figure("figure3", FIGURE3, draw_figure3, claims=("CC-1", "CC-2"))
def figure3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of equal clusters, unequal clusters, and one cluster."""
    four = pick(runs, kind=CURVE, jobs=FOUR_COMPONENTS, placement=(FIRST_FIT, ""))
    alone = pick(four, system=ALONE, request=TOTAL)
    all_clusters = pick(four, system=(STANDARD, PRINTED))
    lines = pd.concat([all_clusters, alone])
    return curves_of(lines, runs, by_system_and_request, over_printed)


# --- Section 4.2 ---


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 4: response-time curves on equal clusters under first fit."""
    offsets = {"8×16": (0.0, LARGE)}
    return draw_curves(table, "0 to 3 points above 4×32", offsets, look=SYSTEM_SIGNS, **titles)


FIGURE4 = Caption(
    "Figure 4: response times on equal clusters, first fit, four components",
    finding="Under first fit, eight small clusters saturate slightly later than four large ones",
)


@study.add_figure("figure4", FIGURE4, draw_figure4, claims=("CC-3",))
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of equal clusters under first fit."""
    lines = pick(of_four(runs, FIRST_FIT), equal=1)
    return curves_of(lines, runs, by_system, over_standard)


def draw_figure5a(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the top of the paper's Figure 5: unequal clusters, first fit, largest cluster first."""
    offsets = dict.fromkeys(UNEQUAL, (-LARGE,))
    dashed = "3 points below 4×32"
    return draw_curves(table, dashed, offsets, panels=FEW_AND_MANY, look=SYSTEM_SIGNS, **titles)


FIGURE5A = Caption(
    "Figure 5, top: response times on unequal clusters, first fit that starts with the "
    "largest, four "
    "components",
    finding="Many unequal clusters can reach about the utilization of equal ones; few can if four "
    "are large",
)


@study.add_figure("figure5a", FIGURE5A, draw_figure5a, claims=("CC-5",))
def figure5a(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the curves of unequal clusters under first fit, which tries the largest one first."""
    lines = unequal_and_standard(of_four(runs, FIRST_FIT))
    return curves_of(lines, runs, by_system, over_standard)


def draw_figure5b(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the bottom of the paper's Figure 5: unequal clusters, first fit, smallest first."""
    offsets = dict.fromkeys(UNEQUAL, (0.0,))
    dashed = "maximal utilization if the largest cluster is filled first"
    return draw_curves(table, dashed, offsets, panels=FEW_AND_MANY, look=SYSTEM_SIGNS, **titles)


FIGURE5B = Caption(
    "Figure 5, bottom: response times on unequal clusters, first fit that starts with the "
    "smallest, four "
    "components",
    finding="Every unequal system saturates earlier if its small clusters are filled first",
)


@study.add_figure("figure5b", FIGURE5B, draw_figure5b, claims=("CC-4", "CC-5"))
def figure5b(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response times on unequal clusters if first fit begins with the smallest one.

    They are compared with those under first fit that starts at the largest cluster.
    """
    standard = pick(of_four(runs, FIRST_FIT), system=STANDARD)
    lines = pd.concat([standard, of_four(runs, SMALL_FIRST)])
    return curves_of(lines, runs, by_system, over_first_fit)


def draw_figure6(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 6: response-time curves on equal clusters under worst fit."""
    offsets = {"4×32": (LARGE,), "8×16": (-LARGE,)}
    return draw_curves(
        table,
        "first fit ± 3 points",
        offsets,
        beside="first fit, Figure 4",
        look=SYSTEM_SIGNS,
        **titles,
    )


FIGURE6 = Caption(
    "Figure 6: response times on equal clusters, worst fit, four components",
    finding="Worst fit is better on four large clusters, and worse on eight small ones",
)


@study.add_figure("figure6", FIGURE6, draw_figure6, claims=("CC-16",))
def figure6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of equal clusters under worst fit."""
    lines = pick(of_four(runs, WORST_FIT), equal=1)
    return curves_of(lines, runs, by_system, over_first_fit)


def draw_figure7(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 7: response-time curves on unequal clusters under worst fit."""
    offsets = dict.fromkeys([STANDARD, *FEW], (LARGE,)) | dict.fromkeys(MANY, (-LARGE,))
    return draw_curves(
        table,
        "first fit ± 3 points",
        offsets,
        beside="first fit, Figure 5",
        panels=FEW_AND_MANY,
        look=SYSTEM_SIGNS,
        **titles,
    )


FIGURE7 = Caption(
    "Figure 7: response times on unequal clusters, worst fit, four components",
    finding="Worst fit is slightly better on few unequal clusters, and worse on many",
)


@study.add_figure("figure7", FIGURE7, draw_figure7, claims=("CC-14", "CC-6", "CC-7"))
def figure7(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of unequal clusters under worst fit."""
    lines = unequal_and_standard(of_four(runs, WORST_FIT))
    return curves_of(lines, runs, by_system, over_first_fit)


def by_system_and_placement(line: Values) -> str:
    """Return the label of a curve: the name of its system and its placement."""
    return f"{line['system']}, {line['placement']}"


def over_worst_fit(line: Values) -> Values:
    """Choose the curve to compare with: the same jobs under worst fit."""
    return {"placement": WORST_FIT}


def draw_figure8(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 8, with one panel for each system of many clusters."""
    both = (FIRST_FIT, WORST_FIT)
    panels = {system: [f"{system}, {placement}" for placement in both] for system in MANY}
    look = {line: plots.MEANINGS[line.split(", ")[1]] for both in panels.values() for line in both}
    offsets = {f"{system}, {FIRST_FIT}": (LARGE,) for system in MANY}
    dashed = "3 points above worst fit"
    return draw_curves(table, dashed, offsets, panels=panels, look=look, **titles)


FIGURE8 = Caption(
    "Figure 8: response times on many unequal clusters by placement, four components",
    finding="On many unequal clusters, first fit saturates far later than worst fit",
)


@study.add_figure("figure8", FIGURE8, draw_figure8, claims=("CC-8", "CC-21"))
def figure8(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of many unequal clusters, under first fit and worst fit."""
    lines = pick(of_four(runs, (FIRST_FIT, WORST_FIT)), system=tuple(MANY))
    return curves_of(lines, runs, by_system_and_placement, over_worst_fit)


# --- Section 5: jobs with different numbers of components on 4×32 ---

BY_COMPONENTS = "response times by number of components"
#: The labels, in figures, of the workloads of section 5.1 and of the workloads of section 5.2.
NAMES_OF_SIZE = {name: name for name in SAME_SIZE}
NAMES_OF_TOTAL = {of_one_total(name): name for name in SAME_TOTAL}
#: For each workload, the workload whose jobs have one more component. Mixtures of jobs with
#: different numbers of components are left out.
ONE_MORE = dict(pairwise(OF_ONE_KIND))


def of_jobs(runs: pd.DataFrame, placement: str, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the simulation runs on four clusters of 32 with the workloads of section 5.1 or 5.2.

    Runs with the workloads of the other section are left out.
    """
    on_standard = pick(unordered(runs, placement), system=STANDARD)
    jobs = on_standard["jobs"]
    return on_standard[jobs.isin(names) | ~jobs.isin(JOBS)]


def by_jobs(line: Values) -> str:
    """Return the label of a curve, which is the name of its workload."""
    jobs: str = line["jobs"]
    return NAMES_OF_TOTAL.get(jobs, jobs)


def over_one_component_more(line: Values) -> Values:
    """Return the curve with which a curve is compared: that of jobs with one component more."""
    return {"jobs": ONE_MORE.get(line["jobs"], line["jobs"])}


def over_one_component(line: Values) -> Values:
    """Choose the curve to compare with: jobs of the same total size in one component."""
    return {"jobs": of_one_total(ONE_COMPONENT)}


def draw_by_jobs(table: pd.DataFrame, dashed: str, offsets: Mapping, **options: Any) -> Figure:
    """Draw the response-time curves of several workloads, with mixtures in a second panel."""
    return draw_curves(table, dashed, offsets, panels=PURE_AND_MIXED, look=JOB_SIGNS, **options)


def draw_figure9(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 9: jobs with identically distributed components, first fit."""
    offsets = dict.fromkeys(ONE_MORE, (0.0,))
    return draw_by_jobs(table, "as much as with one more component", offsets, **titles)


FIGURE9 = Caption(
    f"Figure 9: {BY_COMPONENTS}, components of one distribution, first fit, 4×32",
    finding="The system saturates later if jobs have fewer components",
)


@study.add_figure("figure9", FIGURE9, draw_figure9, claims=("CC-9", "CC-17"))
def figure9(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of the jobs of section 5.1 under first fit.

    Each curve is compared with that of jobs with one component more.
    """
    lines = of_jobs(runs, FIRST_FIT, NAMES_OF_SIZE)
    return curves_of(lines, runs, by_jobs, over_one_component_more)


def draw_figure10(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 10: jobs with identically distributed components, worst fit."""
    offsets = {FOUR_COMPONENTS: (LARGE,), ONE_COMPONENT: (-LARGE, LARGE)}
    dashed = "3 points above first fit; for one component, first fit ± 3 points"
    return draw_by_jobs(table, dashed, offsets, beside="first fit, Figure 9", **titles)


ONLY_FOUR = "Worst fit helps jobs with four components, and changes little for jobs with one"
FIGURE10 = Caption(
    f"Figure 10: {BY_COMPONENTS}, components of one distribution, worst fit, 4×32",
    finding=ONLY_FOUR,
)


@study.add_figure("figure10", FIGURE10, draw_figure10, claims=("CC-10",))
def figure10(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of the jobs of section 5.1 under worst fit."""
    lines = of_jobs(runs, WORST_FIT, NAMES_OF_SIZE)
    return curves_of(lines, runs, by_jobs, over_first_fit)


def draw_figure11(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 11: jobs of the same total size, first fit."""
    offsets = dict.fromkeys((TWO_COMPONENTS, FOUR_COMPONENTS, *OF_ONE_AND_FOUR), (0.0,))
    return draw_by_jobs(table, "same as one component", offsets, **titles)


FIGURE11 = Caption(
    f"Figure 11: {BY_COMPONENTS}, jobs of the same total size, first fit, 4×32",
    finding="At the same total size, 2 or 4 components reach more than 1, and mixtures less",
)


@study.add_figure("figure11", FIGURE11, draw_figure11, claims=("CC-11", "CC-17", "CC-18", "CC-23"))
def figure11(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of the jobs of section 5.2 under first fit.

    Each curve is compared with that of jobs with a single component.
    """
    lines = of_jobs(runs, FIRST_FIT, NAMES_OF_TOTAL)
    return curves_of(lines, runs, by_jobs, over_one_component)


def draw_figure12(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the paper's Figure 12: jobs of the same total size, worst fit."""
    offsets = {FOUR_COMPONENTS: (0.0,), ONE_COMPONENT: (-TINY, TINY)}
    dashed = "same as first fit; for one component, first fit ± 1 point"
    return draw_by_jobs(table, dashed, offsets, beside="first fit, Figure 11", **titles)


FIGURE12 = Caption(
    f"Figure 12: {BY_COMPONENTS}, jobs of the same total size, worst fit, 4×32", finding=ONLY_FOUR
)


@study.add_figure("figure12", FIGURE12, draw_figure12, claims=("CC-12",))
def figure12(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response-time curves of the jobs of section 5.2 under worst fit."""
    lines = of_jobs(runs, WORST_FIT, NAMES_OF_TOTAL)
    return curves_of(lines, runs, by_jobs, over_first_fit)


# --- Beyond the paper: the highest penalty at which spanning several clusters pays ---

#: A dict from each scheduling policy to the heading of its panel.
PANELS = {
    IN_ORDER: "FCFS: in order of submission",
    OVERTAKING: "FPFS: a job may be passed 50 times",
}


def draw_break_even(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the break-even penalty of spanning against the mean job size."""
    return plots.lines_and_levels(
        table,
        x="share",
        y="penalty",
        line="line",
        panel="panel",
        levels=LEVELS,
        # The extra entry takes the lightest shade, in which labels would be hard to read.
        look=plots.shades(["2×32", "4×32", "8×32", "one more"]),
        xlabel="mean job size, as a share of one cluster",
        ylabel="break-even penalty",
        **titles,
    )


BREAK_EVEN_CAPTION = Caption(
    "highest penalty at which jobs that span clusters saturate them no earlier than whole "
    "jobs; worst fit; U[1,b] with b up to 16, 8 and 4 on 2, 4 and 8 clusters, or D(0.9)[1,b]",
    finding="Spanning pays most if jobs are large and have many components",
)


@study.add_figure("break-even", BREAK_EVEN_CAPTION, draw_break_even)
def break_even(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the span penalty at which spanning several clusters neither gains nor loses.

    The column `share` is the mean size of a job, as a share of the largest cluster.
    """
    spanning_and_whole = pick(runs, kind=BREAK_EVEN)
    found = ratios(spanning_and_whole, "max_utilization", {"way": WHOLE}, also=["share"])
    policies = found["policy"]
    return pd.DataFrame(
        {
            "line": found["line"],
            "sizes": found["sizes"],
            "panel": policies.map(PANELS).fillna(policies),
            "share": found["share"],
            "penalty": found["ratio"] - 1,
            "ci95_low": found["ci95_low"] - 1,
            "ci95_high": found["ci95_high"] - 1,
            "warning": found["warning"],
            "system": found["system"],
            "jobs": found["jobs"],
            "policy": policies,
            "placement": found["placement"],
        }
    )
