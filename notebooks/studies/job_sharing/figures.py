"""Figures 4 to 7 of the paper, and further figures on joining, adaptive spanning and break-even."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.statistics import (
    Crossings,
    NotRunError,
    crossings,
    groups_of,
    interval_columns,
    mean_crossing,
    means,
    pick,
    ratios,
    ratios_along,
)
from studies.columns import column
from studies.job_sharing.model import (
    ADAPTIVE,
    BEST_FIT,
    CONFIGURATIONS,
    IN_TURN,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PENALTIES,
    POLICIES,
    PRINTED_PENALTY,
    SHARING,
    SINGLE,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from studies.job_sharing.runs import ALL_USERS, NOT_WIDE, study
from studies.results import Caption

#: Text for figure captions that says how jobs are weighted and how intervals are computed. The
#: no-break space keeps a number and its percent sign on one line.
BY_WORK = "weighted by work; 95\u00a0% intervals of the mean over samples"
EASY_BY_WORK = f"EASY, {BY_WORK}"
#: The markers for local execution, spanning, a single machine and job sharing, which are the same
#: in all figures.
LOOK = {
    LOCAL: plots.MarkerStyle("#882255", "s"),
    MULTI_SITE: plots.MEANINGS["single then span"],
    SINGLE: plots.MEANINGS["one cluster"],
    SHARING: plots.STANDARD,
}
#: The names of curves in figure legends: `AT_ONCE` has a name for each policy, and `AT_LOADS` has a
#: name for each pair of a policy and a penalty.
AT_ONCE = {"EASY": "at once", ADAPTIVE: "adaptive"}
AT_LOADS = {
    ("EASY", 0.0): "penalty 0",
    ("EASY", PRINTED_PENALTY): f"penalty {PRINTED_PENALTY}",
    (ADAPTIVE, PRINTED_PENALTY): f"{PRINTED_PENALTY}, adaptive",
}
#: The highest penalty in Figure 5. Under EASY, the break-even penalty is smaller on all systems of
#: the paper.
HIGHEST = 0.6
#: The column values of the runs that reproduce the paper. Each figure selects these runs, except
#: for the columns that it varies.
AS_PAPER: dict[str, Any] = {"placement": BEST_FIT, "assignment": IN_TURN, "users": ALL_USERS}
AS_LOGGED: dict[str, Any] = {"load": None}
#: The column values of the two baselines with which spanning is compared. `ONE_MACHINE` selects
#: runs on a single machine. `AGAINST_SHARING` selects runs of job sharing in which wide jobs are
#: divided into subjobs of the size of the largest machine.
ONE_MACHINE: dict[str, Any] = {"way": SINGLE, "penalty": 0.0, "wide": UNCHANGED}
AGAINST_SHARING: dict[str, Any] = {"way": SHARING, "penalty": 0.0, "wide": OF_LARGEST}


def awrt_ratios(
    runs: pd.DataFrame, against: Mapping[str, Any], columns: Sequence[str]
) -> pd.DataFrame:
    """Divide each setting's average weighted response time by that of its base setting.

    The ratios are computed from paired runs.

    Parameters
    ----------
    runs : DataFrame
        The runs of all settings that are compared.
    against : mapping
        The values that select the base settings, by column. The base setting of a setting has these
        values, and the same values in all other columns.
    columns : sequence of str
        The columns of `runs` that the table keeps to describe each row.

    Returns
    -------
    DataFrame
        A row for each setting and weight: both AWRTs in hours, their ratio, and the confidence
        interval of the ratio.
    """
    found = ratios(runs, "awrt", against, also=["spanned"])
    found["awrt_h"] = found["awrt"] / 3600
    found["awrt_against_h"] = found["awrt_against"] / 3600
    values = ["awrt_h", "awrt_against_h", "ratio", "ci95_low", "ci95_high", "warning", "spanned"]
    return found[[*columns, "weight", *values]]


def with_usual_subjobs(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the runs in which wide jobs are divided into subjobs by the default rule.

    Local execution divides wide jobs into subjobs of the size of their site's machine. Job sharing
    and spanning divide them by the size of the largest machine. A single machine of 512 processors
    runs every job whole, "without any need to split jobs" (section 4.1).
    """
    own_site = pick(runs, way=LOCAL, wide=OF_SITE)
    largest = pick(runs, way=(SHARING, MULTI_SITE), wide=OF_LARGEST)
    return pd.concat([own_site, largest, pick(runs, way=SINGLE, wide=UNCHANGED)])


def draw_along(
    table: pd.DataFrame, x: str = "penalty", weight: str = "work", **options: Any
) -> Figure:
    """Plot ratios of average weighted response times, by default against the penalty.

    `weight` says how jobs are weighted, and `options` are those of `plots.factor_lines`.
    """
    settings: dict[str, Any] = {
        "xlabel": "penalty of jobs that span sites",
        "ylabel": "AWRT divided by\nthat of job sharing",
        "base": "job sharing",
        "panel": "workload",
        "style": plots.LineStyle(bars=True, whole_bands=True),
    }
    weighted = pick(table, weight=weight)
    return plots.factor_lines(weighted, x=x, **{"y": "ratio"} | settings | options)


# --- Figures 4 to 7 ---


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 4: weighted response times relative to job sharing, against the penalty.

    There are curves for local execution, for spanning and for a single machine.
    """
    return draw_along(table, line="way", look=LOOK, **titles)


FIGURE4_CAPTION = Caption(
    f"Figure 4: m128 (4×128); {EASY_BY_WORK}",
    finding="Sharing saves about half of the AWRT; spanning or one large machine saves little more",
)


@study.add_figure(
    "figure4",
    FIGURE4_CAPTION,
    draw_figure4,
    claims=("JS-1", "JS-18", "JS-19", "JS-2", "JS-3", "JS-12"),
)
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the data of Figure 4: weighted response times divided by those of job sharing.

    The curves of local execution and of a single large machine are horizontal, because neither
    depends on the penalty.
    """
    m128 = pick(with_usual_subjobs(runs), configuration=STANDARD, policy="EASY")
    m128 = pick(m128, **AS_PAPER, **AS_LOGGED)
    m128 = m128[m128["penalty"] <= PENALTIES[-1]]
    columns = ["workload", "configuration", "way", "penalty"]
    found = awrt_ratios(m128, AGAINST_SHARING, columns)
    spanning = pick(found, way=MULTI_SITE)
    penalties = pd.DataFrame({"penalty": spanning["penalty"].unique()})
    lines = [
        pick(found, way=LOCAL).drop(columns="penalty").merge(penalties, how="cross"),
        spanning,
        pick(found, way=SINGLE).drop(columns="penalty").merge(penalties, how="cross"),
    ]
    return pd.concat(lines)[found.columns].sort_values("workload", kind="stable")


def draw_figure5(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the AWRT with spanning divided by that with sharing, with one line for each system."""
    look = plots.shades([*CONFIGURATIONS, "one more"])
    return draw_along(table, line="configuration", look=look, **titles)


FIGURE5_CAPTION = Caption(
    f"Figures 5 and 6: spanning; {EASY_BY_WORK}",
    finding="Spanning saves most on m64, and breaks even there at the largest penalty",
)


@study.add_figure("figure5", FIGURE5_CAPTION, draw_figure5, claims=("JS-4", "JS-5", "JS-13"))
def figure5(runs: pd.DataFrame) -> pd.DataFrame:
    """Return weighted response times of spanning relative to job sharing, by system and penalty.

    The paper divides by the response time of a single machine. We divide by that of job sharing, so
    that a line crosses 1 at the break-even penalty of spanning.
    """
    both = pick(runs, way=(SHARING, MULTI_SITE), wide=OF_LARGEST, policy="EASY")
    both = pick(both, **AS_PAPER, **AS_LOGGED)
    both = both[both["penalty"] <= HIGHEST]
    return awrt_ratios(both, AGAINST_SHARING, ["workload", "configuration", "penalty"])


def draw_figure7(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot how undivided wide jobs change the weighted response time of spanning (Figure 7)."""
    divided = "divided wide jobs"
    options: dict[str, Any] = {"row": "configuration", "look": {"": LOOK[MULTI_SITE]}}
    ylabel = f"AWRT divided by that\nof {divided}"
    return draw_along(table, ylabel=ylabel, base=divided, **options, **titles)


FIGURE7_CAPTION = Caption(
    f"Figure 7: spanning, m128; {EASY_BY_WORK}",
    finding="Whole wide jobs increase the AWRT by a few percent",
)


@study.add_figure("figure7", FIGURE7_CAPTION, draw_figure7, claims=("JS-6", "JS-14"))
def figure7(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response time of spanning with whole wide jobs relative to divided ones."""
    spanning = pick(runs, configuration=STANDARD, way=MULTI_SITE, policy="EASY")
    spanning = pick(spanning, wide=(UNCHANGED, OF_LARGEST), **AS_PAPER, **AS_LOGGED)
    return awrt_ratios(spanning, {"wide": OF_LARGEST}, ["workload", "configuration", "penalty"])


# --- Further than the paper ---


#: The ends of the axis of the next figure. A smaller ratio is written beside an arrow.
SHOWN = (0.1, 2.0)


def draw_joining(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the response time under job sharing, divided by that under local execution.

    There is a row for the jobs of each size of site of m384, whose sites differ most.
    """
    rows = pick(table, weight="work", configuration="m384")
    is_small = rows["ci95_low"] < SHOWN[0]
    two, three = (
        rows.agg(f"{{0[ratio]:{d}}} [{{0[ci95_low]:{d}}}, {{0[ci95_high]:{d}}}]".format, axis=1)
        for d in (".2f", ".3f")
    )
    # Near a ratio of 1 the logarithmic axis is too coarse to read the ratio, so the figure also
    # shows the ratio as text.
    words = two.mask(is_small, three).where((rows["ci95_high"] > 1) | is_small, "")
    return plots.intervals(
        rows.assign(words=words),
        x="ratio",
        row="users",
        series="assignment",
        panel="workload",
        words="words",
        factors=True,
        span=SHOWN,
        look={"in turn": plots.STANDARD, "by size": plots.MarkerStyle("#E69F00", "v")},
        row_height=0.45,
        xlabel="AWRT divided by that of local execution",
        beyond="arrow: continues beyond the axis",
        **titles,
    )


JOINING_CAPTION = Caption(
    "m384, users of the site of 384 processors, of that of 64 and of the four of 16; jobs are "
    f"submitted in turn, or in proportion to sizes; {EASY_BY_WORK}",
    finding="If jobs are submitted in turn, the site of 384 loses by sharing; by size no site "
    "certainly loses",
)


@study.add_figure("joining", JOINING_CAPTION, draw_joining)
def joining(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response time of job sharing relative to local execution, by group of users."""
    both = pick(runs, way=(LOCAL, SHARING), wide=OF_SITE, policy="EASY")
    both = pick(both, placement=BEST_FIT, **AS_LOGGED)
    both = both[both["users"] != NOT_WIDE]
    columns = ["workload", "configuration", "assignment", "users"]
    table = awrt_ratios(both, {"way": LOCAL}, columns)
    if "m384" not in set(table["configuration"]):
        raise NotRunError("the sites of m384 were not run alone and sharing")
    return table


def draw_adaptive(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot response times of immediate and adaptive spanning relative to job sharing, on m128."""
    m128, look = pick(table, configuration=STANDARD), plots.signs(AT_ONCE.values())
    return draw_along(m128, line="spanning", look=look, **titles)


ADAPTIVE_CAPTION = Caption(
    f"m128; adaptive: a job spans only if it is then expected to end sooner; {EASY_BY_WORK}",
    finding="Adaptive spanning does not certainly lose at any penalty up to 0.4",
)


@study.add_figure("adaptive", ADAPTIVE_CAPTION, draw_adaptive)
def adaptive(runs: pd.DataFrame) -> pd.DataFrame:
    """Return weighted response times of immediate and adaptive spanning relative to job sharing.

    Adaptive spanning runs a job on several machines only if it is then expected to end sooner.
    """
    both = pick(runs, configuration=("m64", STANDARD), policy=tuple(AT_ONCE))
    both = pick(both, way=(SHARING, MULTI_SITE), wide=OF_LARGEST, **AS_PAPER, **AS_LOGGED)
    both = pick(both, penalty=adaptive_penalties(both))
    against = AGAINST_SHARING | {"policy": "EASY"}
    found = awrt_ratios(both, against, ["workload", "configuration", "policy", "penalty"])
    found.insert(2, "spanning", found.pop("policy").map(AT_ONCE))
    return found


def adaptive_penalties(runs: pd.DataFrame) -> tuple[float, ...]:
    """Return the communication penalties at which adaptive spanning was simulated."""
    return (0.0, *pick(runs, policy=ADAPTIVE)["penalty"].unique().tolist())


def draw_load(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the weighted response time of spanning, divided by that of job sharing, by the load."""
    options: dict[str, Any] = {"x": "load", "xlabel": "load", "line": "spanning", "names": "legend"}
    look = plots.signs(AT_LOADS.values()) | {AT_LOADS["EASY", PRINTED_PENALTY]: LOOK[MULTI_SITE]}
    return draw_along(table, look=look, **options, **titles)


LOAD_CAPTION = Caption(
    f"m128, the same jobs with scaled times between submissions; {EASY_BY_WORK}",
    finding="At a higher load, spanning gains more if it is free, and loses more at a penalty "
    "of 0.25",
)


@study.add_figure("load", LOAD_CAPTION, draw_load)
def load(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the response time of spanning relative to job sharing, by load and penalty."""
    m128 = pick(runs, configuration=STANDARD, wide=OF_LARGEST, **AS_PAPER)
    m128 = m128[column(m128, "load").notna()]
    against = AGAINST_SHARING | {"policy": "EASY"}
    found = awrt_ratios(m128, against, ["workload", "configuration", "policy", "penalty", "load"])
    names = [AT_LOADS.get(at, "") for at in zip(found["policy"], found["penalty"], strict=True)]
    found.insert(2, "spanning", names)
    return found[found["spanning"] != ""].drop(columns=["policy", "penalty"])


# --- Where spanning breaks even ---


def spanning_over_sharing(runs: pd.DataFrame) -> dict[float, Any]:
    """Return the response time of spanning divided by that of job sharing, for each penalty.

    The response times are average weighted response times. Each penalty has one ratio for each
    sampled workload.
    """
    return ratios_along(
        runs, "awrt", "penalty", one={"way": MULTI_SITE}, other={"way": SHARING, "penalty": 0.0}
    )


def break_even_of_samples(runs: pd.DataFrame) -> Crossings:
    """Return the break-even penalty of spanning for each sampled workload.

    At this penalty spanning has the same AWRT as job sharing; at larger penalties it is worse.
    """
    return crossings(spanning_over_sharing(runs), level=1.0)


def draw_break_even(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the break-even penalty of spanning, in a panel per workload and a row per system."""
    own = pick(table, workload=SYNTHETIC, configuration=STANDARD, scheduling="EASY").index
    every = table["configuration"].unique()
    where = pick(table, scheduling="FCFS")["configuration"].unique()
    missing = f"FCFS ran only on {', '.join(where)}" if 0 < len(where) < len(every) else ""
    titles |= {"subtitle": "; ".join(filter(None, (titles.get("subtitle", ""), missing)))}
    table = table.assign(words=table["p_said"].where(np.isinf(table["p"]), ""), printed=np.nan)
    table.loc[own, "printed"] = PRINTED_PENALTY
    ends = table[["p", "ci95_low", "ci95_high"]].to_numpy()
    highest = ends[np.isfinite(ends)].max(initial=PENALTIES[-1])
    return plots.intervals(
        table,
        x="p",
        row="configuration",
        series="scheduling",
        panel="workload",
        printed="printed",
        words="words",
        span=(0.0, 1.05 * highest),
        look=plots.signs(POLICIES),
        row_height=max(0.42, 0.14 * table["scheduling"].nunique()),
        xlabel="break-even penalty of spanning, compared with sharing",
        beyond="arrow: continues beyond the axis",
        **titles,
    )


BREAK_EVEN_CAPTION = Caption(
    f"break-even penalty by policy; {BY_WORK}",
    finding="On all machines, spanning pays up to larger penalties under FCFS than under EASY",
)


@study.add_figure("break_even", BREAK_EVEN_CAPTION, draw_break_even)
def break_even(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the break-even penalty of spanning for each configuration, workload and policy.

    The penalty is infinite if spanning is better than sharing at all penalties that were run.
    """
    both = pick(runs, way=(SHARING, MULTI_SITE), wide=OF_LARGEST, **AS_PAPER, **AS_LOGGED)
    rows = []
    for setting, part in groups_of(both, ["configuration", "workload", "policy"]):
        is_line = pick(part, way=MULTI_SITE)["penalty"].nunique() > 1
        if is_line and SHARING in set(part["way"]):
            rows.append(break_even_row(setting, part))
    return pd.DataFrame(rows)


def break_even_row(setting: Mapping[str, Any], runs: pd.DataFrame) -> dict[str, Any]:
    """Return the break-even penalty of one system, workload and policy as a table row.

    The row has the mean break-even penalty for both weights of the AWRT, and the prediction
    interval for one more sampled workload.
    """
    lines = {weight: spanning_over_sharing(pick(runs, weight=weight)) for weight in WEIGHTS}
    by_work, by_processors = (mean_crossing(lines[weight], level=1.0) for weight in WEIGHTS)
    first, *_, last = lines["work"]
    bounds = {np.inf: f"≥ {last:.2f}", -np.inf: f"≤ {first:.2f}"}
    found, other = by_work.interval, by_processors.interval
    draw = crossings(lines["work"], level=1.0).prediction
    columns = interval_columns(found, "p")
    warning = columns.pop("warning")
    return {
        "configuration": setting["configuration"],
        "workload": setting["workload"],
        "scheduling": setting["policy"],
        **columns,
        "answer": by_work.answer,
        "p_said": bounds.get(found.estimate, f"{found.estimate:.2f}"),
        "p_by_processors": other.estimate,
        "p_by_processors_low": other.low,
        "p_by_processors_high": other.high,
        "draw_low": draw.low,
        "draw_high": draw.high,
        "warning": warning,
    }


AWRT_CAPTION = Caption(
    "AWRT in seconds of each way to run the jobs; requested times as estimates",
)


@study.add_figure(
    "awrt",
    AWRT_CAPTION,
    claims=("JS-15", "JS-20", "JS-16", "JS-17", "JS-7", "JS-8", "JS-9", "JS-10", "JS-11"),
)
def awrt(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the average weighted response time of each way to run the jobs, in seconds.

    The ways are local execution, sharing, spanning and a single machine. The response times are
    weighted by work and by processors. Policies that were not run in all four ways are left out.
    """
    found = means(pick(with_usual_subjobs(runs), **AS_PAPER, **AS_LOGGED), "awrt")
    if found.empty:
        return found
    ways = found.groupby("policy")["way"].transform("nunique")
    found = found[ways == len(LOOK)]
    return pd.DataFrame(
        {
            "configuration": found["configuration"].mask(found["way"] == SINGLE, "m512"),
            "workload": found["workload"],
            "scheduling": found["policy"],
            "mode": found["way"],
            "p": found["penalty"],
            "weight": found["weight"],
            "awrt": found["awrt"],
            "wide": found["wide"],
            "divided_as": found["configuration"],
        }
    )
