"""Figures 4 to 7 of job sharing; who gains by joining, when to span, and what breaks even where."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.intervals import Crossing
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.figures import pick
from coalloc_lib.studies.core import Entries, Results, Scale, Study, interval_columns, scales
from coalloc_lib.studies.job_sharing import cases as paper
from coalloc_lib.studies.job_sharing.cases import PRINTED_PENALTY, STANDARD, Case, Work, awrt, over

LOCAL, SHARING, MULTI_SITE, SINGLE = paper.MODES
OF_SITE, OF_LARGEST, UNCHANGED = paper.MODIFICATIONS
#: Relative difference of AWRTs that counts as near, and as a little.
NEAR = 0.05
#: What figures say of the runs and of the intervals; no line ends between number and percent.
TOLD = "EASY, weighted by work; 95\u00a0% intervals of the mean draw"
#: Penalties of the dots.
DOTS = (0.0, 0.1, PRINTED_PENALTY, 0.4)
#: What is asked at each load: the policy and the penalty.
FREE, DEAR = "penalty 0", f"penalty {PRINTED_PENALTY}"
OF_LOADS = {
    FREE: ("EASY", 0.0), DEAR: ("EASY", PRINTED_PENALTY),
    f"{PRINTED_PENALTY}, adaptive": (paper.ADAPTIVE, PRINTED_PENALTY),
}  # fmt: skip
#: The ways to run, and the policies, one colour each in every picture.
LOOK = {
    LOCAL: plots.Sign("#882255", "s"), MULTI_SITE: plots.MEANINGS["single then span"],
    SINGLE: plots.MEANINGS["one cluster"], SHARING: plots.STANDARD,
}  # fmt: skip
#: `draws` of the synthetic workload; `penalties`, and `few` where no break-even is asked or near;
#: `policies` whose break-even is asked, beside EASY on `elsewhere` only; configurations that are
#: `joined`; `loads` that jobs come at.
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span them?",
    paper.SEED,
    scales(
        draws=(6, 20),
        penalties=((0.0, 0.1, 0.2, PRINTED_PENALTY, 0.3, 0.4), paper.PENALTIES),
        few=(DOTS, paper.PENALTIES),
        policies=(("EASY", "FCFS"), ("EASY", "conservative", "FPFS(50)", "FCFS")),
        elsewhere=(("m64", STANDARD), tuple(paper.CONFIGURATIONS)),
        joined=((STANDARD, "m384"), tuple(paper.CONFIGURATIONS)),
        loads=((0.4, 0.6, 0.8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    ),
    logs=(paper.LOG,),
)


def add_ratios(
    name: str, shows: str, labels: str, pairs: Callable[[Work, str, Scale], Entries],
    draw: Callable[..., Picture], when: Callable[[pd.DataFrame], Any],
    names: Sequence[str] = tuple(paper.CONFIGURATIONS), **how: Any,
) -> None:  # fmt: skip
    """Add a figure of pairs of cases; `labels` are the columns of their keys, or ``sites``."""

    def cases(scale: Scale, seed: Seed) -> Entries:
        return {
            (work.name, m, *(key if isinstance(key, tuple) else (key,))): pair
            for work, m in product(paper.workload_sets(scale.draws, seed).values(), names)
            for key, pair in pairs(work, m, scale).items()
        }

    def make_table(entries: Entries, results: Results) -> pd.DataFrame:
        rows = []
        for label, pair in entries.items():
            sizes = np.array(pair[0].system.sizes)
            groups = {"all users": np.full(len(sizes), True)}
            if "sites" in labels:
                of_size = {n: sizes == n for n in np.unique(sizes)[::-1]}
                groups |= {f"{mine.sum()} of {n}": mine for n, mine in of_size.items()}
            for (group, mine), weight in product(groups.items(), WEIGHTS):
                hours = (awrt(results, case, weight, mine).mean() / 3600 for case in pair)
                rows.append(
                    dict(zip(labels.split(), (*label, group), strict=False))
                    | {"weight": weight, "awrt_h": next(hours), "awrt_against_h": next(hours)}
                    | interval_columns(over(results, *pair, weight, mine).interval, "ratio")
                    | {"spanned": results[pair[0]].spanned.mean()}
                )
        return pd.DataFrame(rows)

    def asked(table: pd.DataFrame) -> bool:
        table = pick(table, weight="work")
        ends = table.filter(like="ci95").fillna({"ci95_low": 0.0, "ci95_high": np.inf})
        return len(table) > 0 and bool(when(table.assign(**ends)))

    study.add_figure(
        name, shows, cases, when=asked,
        draw=lambda table, **titles: draw(pick(table, weight="work"), **titles), **how,
    )(make_table)  # fmt: skip


def draw_along(table: pd.DataFrame, *, against: str, **how: Any) -> Picture:
    """Draw ratios along the penalty."""
    known: dict[str, Any] = {"x": "penalty", "xlabel": "penalty of jobs that span sites"}
    known |= {"look": {"": LOOK[MULTI_SITE]}, "ylabel": f"AWRT over that of\n{against}"}
    known |= {"factors": True, "whole": True, "level": (against, 1.0)}
    return plots.lines(table, y="ratio", **known | how)


def draw_dots(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw ratios at some penalties, in rows of configurations."""
    table = table[table["penalty"].isin(DOTS)]
    return plots.intervals(
        table.assign(series=table["penalty"].map("penalty {:g}".format)), x="ratio",
        row="configuration", series="series", panel="panel", factors=True,
        look=plots.shades(map("penalty {:g}".format, DOTS)),
        xlabel="AWRT of spanning over that of job sharing", **titles,
    )  # fmt: skip


def draw_joining(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw what users of the sites of each size get, and all where these differ, in rows."""
    alike = table["row"].isin(paper.EQUAL) & (table["sites"] == "all users")
    said = table.agg("{0[ratio]:.2f} [{0[ci95_low]:.2f}, {0[ci95_high]:.2f}]".format, axis=1)
    said = said.where(table["ci95_high"] > 1, "")  # there the axis is too long to tell
    return plots.intervals(
        table.assign(row=table["row"] + ": " + table["sites"], said=said)[~alike], x="ratio",
        row="row", series="series", panel="panel", words="said", factors=True, span=(0.005, 2.0),
        look={"in turn": plots.STANDARD, "by size": plots.Sign("#E69F00", "v")}, row_height=0.3,
        xlabel="AWRT over that of local execution", beyond="arrow: on beyond the axis", **titles,
    )  # fmt: skip


def ways(work: Work, m: str, scale: Scale, against: str, *modes: str) -> Entries:
    """Return ways to run the jobs, along the penalty, and one that they are held against."""
    return {
        (mode, p): (case, Case(work, m, against))
        for mode in modes
        for p in scale.penalties
        for wide in (OF_SITE if mode == LOCAL else OF_LARGEST,)
        for case in [Case(work, m, mode, penalty=p * (mode == MULTI_SITE), wide=wide)]
    }


add_ratios(
    "figure4", f"Figure 4: m128 (4×128); {TOLD}", "panel configuration line penalty",
    lambda work, m, scale: ways(work, m, scale, SHARING, LOCAL, MULTI_SITE, SINGLE),
    partial(draw_along, against="job sharing", line="line", panel="panel", look=LOOK),
    notice="Sharing jobs saves more than spanning, or one large machine, saves after it",
    when=lambda t: t.pivot_table("ci95_low", "panel", "line", "min")
    .eval(f"{LOCAL} * `{SINGLE}` > 1 and {LOCAL} * `{MULTI_SITE}` > 1").all(),
    otherwise="The AWRT of each way to run the jobs over that of job sharing",
    claims=("JS-1", "JS-2", "JS-3", "JS-12"), names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "figure5", f"Figures 5 and 6: {TOLD}", "panel configuration penalty",
    lambda work, m, scale: {
        case.penalty: (case, Case(work, m, SHARING))
        for case in paper.spanning(work, m, scale.penalties)
    },
    draw_dots,
    notice="Spanning pays most, and up to the largest penalty, on m64",
    when=lambda t: (
        both := pick(t, configuration="m64").merge(
            t[t["configuration"] != "m64"], on=["panel", "penalty"], suffixes=("", "_other"))
    ).eval("ratio < ratio_other").all()
    and both.query("penalty <= @PRINTED_PENALTY").eval("ci95_high < ci95_low_other").all(),
    otherwise="The AWRT of spanning over that of sharing, by configuration and workload",
    claims=("JS-4", "JS-5", "JS-11"),
)  # fmt: skip
add_ratios(
    "figure7", f"Figure 7: spanning, m128; {TOLD}", "line panel penalty",
    lambda work, m, scale: {
        case.penalty: (replace(case, wide=UNCHANGED), case)
        for case in paper.spanning(work, m, scale.few)
    },
    partial(draw_along, against="wide jobs in pieces", row="panel", panel="line"),
    notice="Wide jobs left whole add a few percent, and more the larger the penalty",
    when=lambda t: (pick(t, penalty=PRINTED_PENALTY)["ci95_high"] < 1 + 2 * NEAR).all()
    and (t.groupby("line")["ratio"].agg(["first", "last"]).eval("last > first")).all(),
    otherwise="The AWRT with wide jobs left whole over that with them in pieces",
    claims=("JS-6",), names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "joining", f"jobs come to the sites in turn, or by the size of the site; {TOLD}",
    "panel row series sites",
    lambda work, m, scale: {
        turn: tuple(Case(work, m, each, wide=OF_SITE, assignment=turn) for each in (SHARING, LOCAL))
        for turn in paper.ASSIGNMENTS
        if m in scale.joined
    },
    draw_joining,
    notice="With jobs in turn the site of 384 loses by joining; by size none is seen to lose",
    when=lambda t: (t["ci95_low"] > 1)
    .equals(t["sites"].eq("1 of 384") & t["series"].eq("in turn")),
    otherwise="What joining does to the AWRT of the users of each site",
)  # fmt: skip
add_ratios(
    "adaptive", f"adaptive: only if no machine is expected free as early; {TOLD}",
    "panel configuration line penalty",
    lambda work, m, scale: {
        (name, case.penalty): (case, Case(work, m, SHARING))
        for name, policy in (("at once", "EASY"), ("adaptive", paper.ADAPTIVE))
        for case in paper.spanning(work, m, scale.few, policy=policy)
    },
    partial(draw_along, against="job sharing", line="line", row="configuration", panel="panel",
            names="legend", look=plots.signs(("at once", "adaptive"))),
    notice="Spanning only where it ends a job sooner is not seen to lose, at any penalty",
    when=lambda t: (pick(t, line="adaptive")["ci95_low"] <= 1).all()
    and (pick(t, line="at once")["ci95_low"] > 1).any(),
    otherwise="The AWRT over that of sharing, of spanning at once and of adaptive spanning",
    names=("m64", STANDARD),
)  # fmt: skip
add_ratios(
    "load", f"m128, the same jobs sped up or slowed down; {TOLD}", "panel configuration line load",
    lambda work, m, scale: {
        (name, load): (
            Case(work, m, MULTI_SITE, policy, penalty, load=load), Case(work, m, SHARING, load=load)
        )
        for load in scale.loads
        for name, (policy, penalty) in OF_LOADS.items()
    },
    partial(draw_along, against="job sharing", x="load", xlabel="load", line="line", panel="panel",
            names="legend", look=plots.signs(OF_LOADS)),
    notice="The higher the load, the more spanning gains if it is free, and loses at a penalty",
    when=lambda t: (
        t := t.set_index(["line", "panel", "load"])[["ci95_low", "ci95_high"]].unstack()
    ).loc[FREE, "ci95_high"].iloc[:, -1].lt(t.loc[FREE, "ci95_low"].iloc[:, 0]).all()
    and t.loc[DEAR, "ci95_low"].iloc[:, -1].gt(t.loc[DEAR, "ci95_high"].iloc[:, 0]).all(),
    otherwise="The AWRT of spanning over that of sharing, by load and penalty",
    names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "by_sites", f"m64; one penalty, or as much again for each further site, drawn up to 4; {TOLD}",
    "panel configuration line penalty",
    lambda work, m, scale: {
        (name, case.penalty): (case, Case(work, m, SHARING))
        for name, growth in (("any number", 0.0), ("each further", 1.0))
        for case in paper.spanning(work, m, scale.few, growth=growth)
    },
    partial(draw_along, against="job sharing", line="line", panel="panel",
            look=plots.signs(("any number", "each further"))),
    notice="Where machines are small and a job needs many, a penalty for each is ruinous",
    when=lambda t: (
        t := pick(t, penalty=t["penalty"].max(), configuration="m64").set_index(["line", "panel"])
    ).loc["each further", "ci95_low"].gt(t.loc["any number", "ci95_high"]).all(),
    otherwise="The AWRT of spanning over that of sharing, by how the penalty grows",
    names=("m64",),
)  # fmt: skip


def lines(scale: Scale, seed: Seed) -> Entries:
    """By (workload, configuration, policy): multi-site at each penalty, and the other ways."""
    return {
        (name, m, policy): (
            *paper.spanning(
                work, m, scale.few if policy == "FCFS" else scale.penalties, policy=policy
            ),
            Case(work, m, LOCAL, policy, wide=OF_SITE), Case(work, m, SINGLE, policy),
            Case(work, m, SHARING, policy),
        )
        for name, work in paper.workload_sets(scale.draws, seed).items()
        for m in paper.CONFIGURATIONS
        for policy in scale.policies
        if policy == "EASY" or m in scale.elsewhere
    }  # fmt: skip


def draw_break_even(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw the penalties, a panel a workload, a row a configuration."""
    own = pick(table, workload=paper.SYNTHETIC, configuration=STANDARD, scheduling="EASY").index
    where = pick(table, scheduling="FCFS")["configuration"].unique()
    table = table.assign(said=table["p_said"].where(np.isinf(table["p"]), ""), printed=np.nan)
    table.loc[own, "printed"] = PRINTED_PENALTY
    return plots.intervals(
        table, x="p", row="configuration", series="scheduling", panel="workload",
        printed="printed", words="said", span=(0.0, paper.PENALTIES[-1]),
        look=plots.signs(paper.POLICIES), xlabel="penalty up to which spanning beats sharing",
        beyond=f"arrow: on beyond the axis; FCFS: {', '.join(where)}", **titles,
    )  # fmt: skip


@study.add_figure(
    "break_even", f"by policy; {TOLD.removeprefix('EASY, ')}", lines,
    draw=draw_break_even,
    notice="Where a difference is seen, spanning pays up to more under FCFS than under EASY",
    when=lambda t: (
        both := pick(t, scheduling="FCFS").merge(
            pick(t, scheduling="EASY"), on=["configuration", "workload"], suffixes=("", "_easy"))
    ).eval("ci95_low > ci95_high_easy").any() and both.eval("ci95_high >= ci95_low_easy").all(),
    otherwise="The penalty from which on spanning loses to sharing jobs",
)  # fmt: skip
def break_evens(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row for each line: its break-even penalty, infinite beyond those tried."""
    rows = []
    for (name, m, policy), line in entries.items():
        point, other = (paper.mean_break_even(results, line, w) for w in WEIGHTS)
        draw = paper.of_a_draw(results, line)
        one, two = ((each.estimate, each.low, each.high) for each in (point, other))
        answer, (first, *_, last) = Crossing(point, len(line) - 3).answer, paper.along(line)
        bound = {np.inf: f"≥ {last:.2f}", -np.inf: f"≤ {first:.2f}"}
        said = bound.get(point.estimate, f"{point.estimate:.2f}")
        rows.append((m, name, policy, *one, answer, said, *two, draw.low, draw.high, point.warning))
    words = "configuration workload scheduling p ci95_low ci95_high answer p_said p_by_processors "
    words += "p_by_processors_low p_by_processors_high draw_low draw_high warning"
    return pd.DataFrame(rows, columns=words.split())


@study.add_figure(
    "awrt", "AWRT of each way to run, in seconds; requested times", lines,
    claims=("JS-7", "JS-8", "JS-9", "JS-10"),
)  # fmt: skip
def every_awrt(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row for each case and weight."""
    return pd.DataFrame(
        {
            "configuration": "m512" if case.mode == SINGLE else case.configuration,
            "workload": case.work.name, "scheduling": case.policy, "mode": case.mode,
            "p": case.penalty, "weight": weight,
            "awrt": awrt(results, case, weight).mean(),
            "wide": case.wide, "divided_as": case.configuration,
        }
        for line in entries.values()
        for case, weight in product(line, WEIGHTS)
    )  # fmt: skip
