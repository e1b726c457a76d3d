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
from coalloc_lib.studies.job_sharing.cases import PRINTED_OVERHEAD, STANDARD, Case, Work, awrt, over

LOCAL, SHARING, MULTI_SITE, SINGLE = paper.MODES
OF_SITE, OF_LARGEST, UNCHANGED = paper.MODIFICATIONS
#: Relative difference of AWRTs that counts as near, and as a little.
NEAR = 0.05
#: What figures say of the runs and of the intervals; no line ends between number and percent.
TOLD = "requested times; weighted by processors × run time; bands: 95\u00a0% of the mean draw"
#: The ways to run, and the policies, one colour each in every picture.
LOOK = {
    LOCAL: plots.Sign("#882255", "s"), MULTI_SITE: plots.MEANINGS["single then span"],
    SINGLE: plots.MEANINGS["one cluster"], SHARING: plots.STANDARD,
}  # fmt: skip
#: `draws` of the synthetic workload; `overheads`; `policies` whose break-even overhead is asked,
#: beside EASY on `elsewhere` only.
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span them?",
    paper.SEED,
    scales(
        draws=(6, 20),
        overheads=((0.0, 0.1, 0.2, PRINTED_OVERHEAD, 0.3, 0.4), paper.OVERHEADS),
        policies=(("EASY", "FCFS"), ("EASY", "conservative", "FPFS(50)", "FCFS")),
        elsewhere=(("m64", STANDARD), tuple(paper.CONFIGURATIONS)),
    ),
    logs=(paper.LOG,),
)


def add_ratios(
    name: str, shows: str, labels: str, pairs: Callable[[Work, str, Scale], Entries],
    draw: Callable[..., Picture], when: Callable[[pd.DataFrame], Any],
    names: Sequence[str] = tuple(paper.CONFIGURATIONS), **how: Any,
) -> None:  # fmt: skip
    """Add a figure of pairs of cases, by workload, configuration, and the keys of `pairs`.

    `labels` are the columns of the keys; with ``sites`` the users of sites of each size have rows.
    """

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
    """Draw ratios along the overhead."""
    return plots.lines(
        table, x="overhead", y="ratio", factors=True, whole=True, level=(against, 1.0),
        xlabel="overhead p of jobs that span sites", ylabel=f"AWRT over that of\n{against}",
        **{"look": {"": LOOK[MULTI_SITE]}} | how,
    )  # fmt: skip


def draw_joining(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw what users of the sites of each size get, in rows."""
    return plots.intervals(
        table.assign(row=table["row"] + ": " + table["sites"]), x="ratio", row="row",
        series="series", panel="panel", factors=True, span=(0.005, 2.0), row_height=0.3,
        look={"in turn": plots.STANDARD, "by size": plots.Sign("#E69F00", "v")},
        xlabel="AWRT over that of local execution", beyond="arrow: on beyond the axis", **titles,
    )  # fmt: skip


def ways(work: Work, m: str, scale: Scale, against: str, *modes: str) -> Entries:
    """Return ways to run the jobs, along the overhead, and one that they are held against."""
    return {
        (mode, p): (case, Case(work, m, against))
        for mode in modes
        for p in scale.overheads
        for wide in (OF_SITE if mode == LOCAL else OF_LARGEST,)
        for case in [Case(work, m, mode, overhead=p * (mode == MULTI_SITE), wide=wide)]
    }


add_ratios(
    "figure4", f"Figure 4: m128 (4×128); EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: ways(work, m, scale, SHARING, LOCAL, MULTI_SITE, SINGLE),
    partial(draw_along, against="job sharing", line="line", panel="panel", look=LOOK),
    notice="Sharing jobs takes off a larger part than spanning, or one large machine, after it",
    when=lambda t: t.pivot_table("ci95_low", "panel", "line", "min")
    .eval(f"{LOCAL} * `{SINGLE}` > 1 and {LOCAL} * `{MULTI_SITE}` > 1").all(),
    otherwise="The AWRT of each way to run the jobs over that of job sharing",
    claims=("JS-1", "JS-2", "JS-3", "JS-12"), names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "figure5", f"Figure 5: over one machine of 512 (m512); EASY, {TOLD}",
    "panel configuration line overhead",
    lambda work, m, scale: ways(work, m, scale, SINGLE, SHARING, MULTI_SITE),
    partial(
        draw_along, against="m512", line="line", row="configuration", panel="panel", look=LOOK,
        names="legend",
    ),
    notice="Sharing is furthest from one machine on m64, so that spanning pays the longest there",
    when=lambda t: (t := pick(t, line=SHARING, overhead=0).set_index(["panel", "configuration"]))
    ["ci95_low"].xs("m64", level=1).gt(t.drop("m64", level=1)["ci95_high"].groupby("panel").max())
    .all(),
    otherwise="The AWRT of sharing and of spanning over that of m512, by configuration",
    claims=("JS-4", "JS-11"),
)  # fmt: skip
add_ratios(
    "figure6", f"Figure 6: multi-site over job sharing; EASY, {TOLD}", "line panel overhead",
    lambda work, m, scale: {
        case.overhead: (case, Case(work, m, SHARING))
        for case in paper.spanning(work, m, scale.overheads)
    },
    partial(draw_along, against="job sharing", row="panel", panel="line"),
    notice="Up to 10\u00a0% of overhead spanning pays in the log and in the synthetic workload",
    when=lambda t: (t[t["overhead"] <= 0.1]["ci95_high"] < 1).all(),
    otherwise="The AWRT of spanning over that of sharing, by workload",
    claims=("JS-5",), names=paper.EQUAL,
)  # fmt: skip
add_ratios(
    "figure7", f"Figure 7: multi-site, wide jobs whole over in pieces of 128; EASY, {TOLD}",
    "line panel overhead",
    lambda work, m, scale: {
        case.overhead: (replace(case, wide=UNCHANGED), case)
        for case in paper.spanning(work, m, scale.overheads)
    },
    partial(draw_along, against="wide jobs in pieces", row="panel", panel="line"),
    notice="Wide jobs left whole cost little, and more the larger the overhead",
    when=lambda t: (pick(t, overhead=PRINTED_OVERHEAD)["ci95_high"] < 1 + 2 * NEAR).all()
    and (t.groupby("line")["ratio"].agg(["first", "last"]).eval("last > first")).all(),
    otherwise="The AWRT with wide jobs left whole over that with them in pieces",
    claims=("JS-6",), names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "joining", "job sharing over local execution, for users of sites of each size; jobs in turn or "
    f"by size, wide ones in pieces of their site; EASY, {TOLD}", "panel row series sites",
    lambda work, m, scale: {
        turn: tuple(Case(work, m, each, wide=OF_SITE, assignment=turn) for each in (SHARING, LOCAL))
        for turn in paper.ASSIGNMENTS
    },
    draw_joining,
    notice="With jobs in turn the site of 384 loses by joining; by size none is seen to lose",
    when=lambda t: (t["ci95_low"] > 1)
    .equals(t["sites"].eq("1 of 384") & t["series"].eq("in turn")),
    otherwise="What joining does to the AWRT of the users of each site",
    claims=("JS-1",),
)  # fmt: skip
add_ratios(
    "adaptive", "multi-site over job sharing; adaptive: a job spans only if no machine is expected "
    f"free within p × its estimate; EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: {
        (name, case.overhead): (case, Case(work, m, SHARING))
        for name, policy in (("at once", "EASY"), ("adaptive", paper.ADAPTIVE))
        for case in paper.spanning(work, m, scale.overheads, policy=policy)
    },
    partial(draw_along, against="job sharing", line="line", row="configuration", panel="panel",
            names="legend", look=plots.signs(("at once", "adaptive"))),
    notice="Spanning only where it ends a job sooner is not seen to lose, at any overhead",
    when=lambda t: (pick(t, line="adaptive")["ci95_low"] <= 1).all()
    and (pick(t, line="at once")["ci95_low"] > 1).any(),
    otherwise="The AWRT over that of sharing, of spanning at once and of adaptive spanning",
    names=("m64", STANDARD),
)  # fmt: skip
add_ratios(
    "by_sites", "multi-site over job sharing, m64; an overhead p for any number of sites, or p for "
    f"two and p more for each further one; EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: {
        (name, case.overhead): (case, Case(work, m, SHARING))
        for name, growth in (("any number", 0.0), ("each further", 1.0))
        for case in paper.spanning(work, m, scale.overheads, growth=growth)
    },
    partial(draw_along, against="job sharing", line="line", panel="panel",
            look=plots.signs(("any number", "each further"))),
    notice="Where machines are small and a job needs many, an overhead of each is ruinous",
    when=lambda t: (
        t := pick(t, overhead=t["overhead"].max(), configuration="m64").set_index(["line", "panel"])
    ).loc["each further", "ci95_low"].gt(t.loc["any number", "ci95_high"]).all(),
    otherwise="The AWRT of spanning over that of sharing, by how the overhead grows",
    names=("m64",),
)  # fmt: skip


def lines(scale: Scale, seed: Seed) -> Entries:
    """By (workload, configuration, policy): multi-site at each overhead, and the other ways."""
    return {
        (name, m, policy): (
            *paper.spanning(work, m, scale.overheads, policy=policy),
            Case(work, m, LOCAL, policy, wide=OF_SITE), Case(work, m, SINGLE, policy),
            Case(work, m, SHARING, policy),
        )
        for name, work in paper.workload_sets(scale.draws, seed).items()
        for m in paper.CONFIGURATIONS
        for policy in scale.policies
        if policy == "EASY" or m in scale.elsewhere
    }  # fmt: skip


def draw_break_even(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw the overheads, a panel a workload, a row a configuration."""
    own = pick(table, workload=paper.SYNTHETIC, configuration=STANDARD, scheduling="EASY").index
    table = table.assign(said=table["p_said"].where(np.isinf(table["p"]), ""), printed=np.nan)
    table.loc[own, "printed"] = PRINTED_OVERHEAD
    return plots.intervals(
        table, x="p", row="configuration", series="scheduling", panel="workload",
        printed="printed", words="said", span=(0.0, paper.OVERHEADS[-1]),
        look=plots.signs(paper.POLICIES), xlabel="overhead p at break-even",
        beyond="arrow: on beyond the axis", **titles,
    )  # fmt: skip


@study.add_figure(
    "break_even", f"overhead up to which spanning beats sharing; {TOLD}", lines,
    draw=draw_break_even,
    notice="Where a difference is seen, spanning pays at a larger overhead under FCFS than EASY",
    when=lambda t: (
        both := pick(t, scheduling="FCFS").merge(
            pick(t, scheduling="EASY"), on=["configuration", "workload"], suffixes=("", "_easy"))
    ).eval("ci95_low > ci95_high_easy").any() and both.eval("ci95_high >= ci95_low_easy").all(),
    otherwise="The overhead from which on spanning sites loses to sharing jobs",
    claims=("JS-7",),
)  # fmt: skip
def break_evens(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row for each line: its break-even overhead, infinite beyond those tried."""
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
    claims=("JS-8", "JS-9", "JS-10"),
)  # fmt: skip
def every_awrt(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row for each case and weight."""
    return pd.DataFrame(
        {
            "configuration": "m512" if case.mode == SINGLE else case.configuration,
            "workload": case.work.name, "scheduling": case.policy, "mode": case.mode,
            "p": case.overhead, "weight": weight,
            "awrt": awrt(results, case, weight).mean(),
            "wide": case.wide, "divided_as": case.configuration,
        }
        for line in entries.values()
        for case, weight in product(line, WEIGHTS)
    )  # fmt: skip
