"""Figures 4 to 7 of job sharing; who gains by joining, when to span, and the earlier studies."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.intervals import Crossing, Interval
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.scheduling import EASY
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.studies import cluster_configurations as configurations
from coalloc_lib.studies import communication_penalty as penalty
from coalloc_lib.studies import maximal_utilization as utilization
from coalloc_lib.studies.communication_penalty import figures as of_penalty
from coalloc_lib.studies.communication_penalty.figures import ABOVE, PARTS, PRINTED_LOAD, pick
from coalloc_lib.studies.communication_penalty.responses import LoadedScenario
from coalloc_lib.studies.core import Entries, Results, Scale, Study, interval_columns, scales
from coalloc_lib.studies.job_sharing import cases as paper
from coalloc_lib.studies.job_sharing.cases import Case, Work, awrt, over, spanning
from coalloc_lib.studies.losses import Saturated, losses_table
from coalloc_lib.studies.response_lines import Line, lines_table

LOCAL, SHARING, MULTI_SITE, SINGLE = paper.MODES
OF_SITE, OF_LARGEST, UNCHANGED = paper.MODIFICATIONS
CONFIGURATIONS, POLICIES, LOG = paper.CONFIGURATIONS, paper.POLICIES, paper.LOG
STANDARD, EQUAL = paper.STANDARD, paper.EQUAL
EXTRACTS, SYNTHETIC = paper.EXTRACTS, paper.SYNTHETIC
OVERHEADS, PRINTED_OVERHEAD = paper.OVERHEADS, paper.PRINTED_OVERHEAD
#: Relative difference of AWRTs that counts as near, and as a little.
NEAR = 0.05
#: Of which line the paper prints the overhead.
PAPER = {"workload": SYNTHETIC, "configuration": STANDARD, "scheduling": "EASY"}
#: What figures say of the runs and of the intervals; no line ends between number and percent.
TOLD = "requested times; weighted by processors × run time; bands: 95\u00a0% of the mean draw"
#: The ways to run, and the policies, one colour each in every picture.
LOOK = {
    LOCAL: plots.Sign("#882255", "s"), MULTI_SITE: plots.MEANINGS["single then span"],
    SINGLE: plots.MEANINGS["one cluster"], SHARING: plots.STANDARD,
}  # fmt: skip
POLICY_LOOK = plots.signs(POLICIES)


def measure(case: Any, scale: Scale, seed: Seed) -> Any:
    """Measure a case; one of an earlier study with that study's own seed, at a scale of its own."""
    if not isinstance(case, Case):
        sizes, its_own = EARLIER[type(case)]
        scale, (seed,) = getattr(scale, sizes), spawn(its_own, 1)
    return case.measure(scale, seed)


#: Scale and seed of the cases of the earlier studies.
EARLIER = {
    Saturated: ("losses", utilization.study.seed),
    Line: ("responses", configurations.study.seed),
    LoadedScenario: ("penalties", penalty.study.seed),
}
#: `draws` of the synthetic workload; `overheads`; `policies` whose break-even overhead is asked,
#: beside EASY on `elsewhere` only; `drowned`, configurations on whose small sites thousands of jobs
#: wait for conservative plans; and the scales of the earlier studies.
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span them?",
    paper.SEED,
    scales(
        draws=(6, 20), overheads=((0.0, 0.1, 0.2, PRINTED_OVERHEAD, 0.3, 0.4), OVERHEADS),
        policies=(("EASY", "FCFS"), ("EASY", "conservative", "FPFS(50)", "FCFS")),
        drowned=((), ("m64", "m384")),
        elsewhere=(("m64", STANDARD), tuple(CONFIGURATIONS)),
        losses=(Scale(jobs=6_000, replications=5), utilization.study.scales["paper"]),
        responses=(Scale(jobs=4_000, replications=5, shares=(0.5, 0.8, 0.94), precision=0.1,
                         most_jobs=10_000), configurations.study.scales["paper"]),
        penalties=(Scale(jobs=6_000, runs=5, along=(0.0, 0.1, 0.3)), penalty.study.scales["paper"]),
    ),
    measure,
    logs=(LOG,),
)  # fmt: skip


def add_ratios(
    name: str, shows: str, labels: str, pairs: Callable[[Work, str, Scale], Entries],
    draw: Callable[..., Picture], when: Callable[[pd.DataFrame], Any],
    names: Sequence[str] | str = tuple(CONFIGURATIONS), **how: Any,
) -> None:  # fmt: skip
    """Add a figure of pairs of cases, by workload, configuration, and the keys of `pairs`.

    `labels` are the columns of the keys; with ``sites`` the users of sites of each size have rows.
    `names` are configurations, or the name of what the scale says of them.
    """

    def cases(scale: Scale, seed: Seed) -> Entries:
        return {
            (work.name, m, *(key if isinstance(key, tuple) else (key,))): pair
            for work, m in product(
                paper.workload_sets(scale.draws, seed).values(),
                getattr(scale, names) if isinstance(names, str) else names,
            )
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


def draw_rows(table: pd.DataFrame, *, against: str, **how: Any) -> Picture:
    """Draw ratios in rows."""
    if "sites" in table:
        table = table.assign(row=table["row"] + ": " + table["sites"])
    return plots.intervals(
        table, x="ratio", row="row", series="series", panel="panel", factors=True,
        xlabel=f"AWRT over that of {against}", beyond="arrow: on beyond the axis", **how,
    )  # fmt: skip


def over_sharing(work: Work, m: str, scale: Scale) -> Entries:
    """Return multi-site execution at each overhead, and job sharing."""
    base = Case(work, m, SHARING)
    return {case.overhead: (case, base) for case in spanning(work, m, scale.overheads)}


def ways(work: Work, m: str, scale: Scale, against: str, *modes: str) -> Entries:
    """Return ways to run the jobs, along the overhead, and one that they are held against."""
    return {
        (mode, p): (case, Case(work, m, against))
        for mode in modes
        for p in scale.overheads
        for wide in (OF_SITE if mode == LOCAL else OF_LARGEST,)
        for case in [Case(work, m, mode, overhead=p * (mode == MULTI_SITE), wide=wide)]
    }


def compared_policies(work: Work, m: str, mode: str) -> tuple[Case, Case]:
    """Return a way to run the jobs under conservative backfilling and under EASY."""
    case = Case(work, m, mode, wide=OF_SITE if mode == LOCAL else OF_LARGEST)
    return replace(case, policy="conservative"), case


add_ratios(
    "figure4", f"Figure 4: m128 (4×128); EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: ways(work, m, scale, SHARING, LOCAL, MULTI_SITE, SINGLE),
    partial(draw_along, against="job sharing", line="line", panel="panel", look=LOOK),
    notice="Sharing jobs takes off a larger part than spanning, or one large machine, after it",
    when=lambda t: t.pivot_table("ci95_low", "panel", "line", "min")
    .eval(f"{LOCAL} * `{SINGLE}` > 1 and {LOCAL} * `{MULTI_SITE}` > 1").all(),
    otherwise="The AWRT of each way to run the jobs over that of job sharing",
    claims=("JS-1", "JS-2", "JS-3"), names=(STANDARD,),
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
    over_sharing,
    partial(draw_along, against="job sharing", row="panel", panel="line"),
    notice="Up to 10\u00a0% of overhead spanning pays in the log and in the synthetic workload",
    when=lambda t: (t[t["overhead"] <= 0.1]["ci95_high"] < 1).all(),
    otherwise="The AWRT of spanning over that of sharing, by workload",
    claims=("JS-5",), names=EQUAL,
)  # fmt: skip
add_ratios(
    "figure7", f"Figure 7: multi-site, wide jobs whole over in pieces of 128; EASY, {TOLD}",
    "line panel overhead",
    lambda work, m, scale: {
        case.overhead: (replace(case, wide=UNCHANGED), case)
        for case in spanning(work, m, scale.overheads)
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
    partial(draw_rows, against="local execution", span=(0.005, 2.0), row_height=0.3,
            look={"in turn": plots.STANDARD, "by size": plots.Sign("#E69F00", "v")}),
    notice="With jobs in turn the site of 384 loses by joining; by size none is seen to lose",
    when=lambda t: (t["ci95_low"] > 1)
    .equals(t["sites"].eq("1 of 384") & t["series"].eq("in turn")),
    otherwise="What joining does to the AWRT of the users of each site",
    claims=("JS-1",),
)  # fmt: skip
add_ratios(
    "conservative", f"conservative backfilling over EASY, multi-site without overhead; {TOLD}",
    "panel row series",
    lambda work, m, scale: {
        mode: compared_policies(work, m, mode)
        for mode in (LOCAL, SHARING, MULTI_SITE)
        if mode != LOCAL or m in (*EQUAL, *scale.drowned)
    },
    partial(draw_rows, against="EASY", span=(0.8, 1.25), look=LOOK),
    notice="Where jobs are shared or span and a difference is seen, EASY is better, by little",
    when=lambda t: (t := t[t["series"] != LOCAL])["ci95_low"].max() > 1
    and t["ci95_high"].between(1, 1 + 2 * NEAR).all(),
    otherwise="The AWRT of conservative backfilling over that of EASY",
    claims=("JS-7",),
)  # fmt: skip
add_ratios(
    "choices", f"job sharing, machines chosen in other ways over best fit; EASY, {TOLD}",
    "panel row series",
    lambda work, m, scale: {
        rule: (Case(work, m, SHARING, placement=rule), Case(work, m, SHARING))
        for rule in paper.PLACEMENTS
        if rule != "best fit"
    },
    partial(draw_rows, against="best fit", span=(0.9, 1.8)),
    notice="First fit is a little better than best fit on equal machines, and dear on m64",
    when=lambda t: (t := pick(t, series="first fit").set_index("row")).loc[STANDARD, "ci95_high"]
    .lt(1).all() and (t.loc["m64", "ci95_low"] > 1 + NEAR).all(),
    otherwise="The AWRT of other ways to choose a machine over that of best fit",
    claims=("JS-8",), names="elsewhere",
)  # fmt: skip
add_ratios(
    "adaptive", "multi-site over job sharing; adaptive: a job spans only if no machine is expected "
    f"free within p × its estimate; EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: {
        (name, case.overhead): (case, Case(work, m, SHARING))
        for name, policy in (("at once", "EASY"), ("adaptive", paper.ADAPTIVE))
        for case in spanning(work, m, scale.overheads, policy=policy)
    },
    partial(draw_along, against="job sharing", line="line", row="configuration", panel="panel",
            names="legend", look=plots.signs(("at once", "adaptive"))),
    notice="Who spans only where one machine would be later is at no overhead seen to lose",
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
        for case in spanning(work, m, scale.overheads, growth=growth)
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


def beside_easy(table: pd.DataFrame, policy: str, *on: str) -> pd.DataFrame:
    """Return the rows of other policies beside those of EASY."""
    easy = table[policy] == "EASY"
    return table[~easy].merge(table[easy], on=[*on], suffixes=("", "_easy"))


def lines(scale: Scale, seed: Seed) -> Entries:
    """By (workload, configuration, policy): multi-site at each overhead, and job sharing."""
    return {
        (name, m, policy): (
            *spanning(work, m, scale.overheads, policy=policy), Case(work, m, SHARING, policy)
        )
        for name, work in paper.workload_sets(scale.draws, seed).items()
        for m in CONFIGURATIONS
        for policy in scale.policies
        if policy == "EASY" or m in scale.elsewhere
    }  # fmt: skip


def more_sustained(results: Results, one: Sequence[Case], other: Sequence[Case]) -> Interval:
    """Return the overhead at break-even of one line less that of another, draw by draw if alike.

    Each is at most the largest that was tried, which makes the difference too small.
    """
    pair = [paper.break_evens(results, each) for each in (one, other)]
    alike = one[-1].work is other[-1].work
    return (pair[0] - pair[1]).interval if alike else pair[0].less_unpaired(pair[1])


def positive(difference: Interval) -> bool | None:
    """Return whether a difference is above 0; None where it may be 0, as if neither line ended."""
    return None if difference.contains(0) else difference.estimate > 0


def draw_break_even(table: pd.DataFrame, **titles: Any) -> Picture:
    """Draw the overheads, a panel a workload, a row a configuration."""
    printed = (table[list(PAPER)] == list(PAPER.values())).all(axis=1)
    return plots.intervals(
        table.assign(printed=np.where(printed, PRINTED_OVERHEAD, np.nan)), x="p",
        row="configuration", series="scheduling", panel="workload", printed="printed",
        span=(0.0, OVERHEADS[-1]), look=POLICY_LOOK, xlabel="overhead p at break-even",
        beyond="arrow: on beyond the axis; no mark: break-even is beyond it", **titles,
    )  # fmt: skip


@study.add_figure(
    "break_even", f"overhead up to which spanning beats sharing; {TOLD}", lines,
    draw=draw_break_even,
    notice="Where a difference is seen, spanning pays at a larger overhead under FCFS than EASY",
    when=lambda t: (
        both := beside_easy(t, "scheduling", "configuration", "workload")
        .query("scheduling == 'FCFS'")
    ).eval("ci95_low > ci95_high_easy").any() and both.eval("ci95_high >= ci95_low_easy").all(),
    otherwise="The overhead from which on spanning sites loses to sharing jobs",
)  # fmt: skip
def break_evens(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row for each line: its break-even overhead, and whether there is one."""
    rows = []
    for (name, m, policy), cases in entries.items():
        point, other = (paper.mean_break_even(results, cases, w) for w in WEIGHTS)
        draw = paper.break_evens(results, cases).prediction
        one, two = ((each.estimate, each.low, each.high) for each in (point, other))
        answer = Crossing(point, len(cases) - 1).answer
        rows.append((m, name, policy, *one, answer, *two, draw.low, draw.high, point.warning))
    words = "configuration workload scheduling p ci95_low ci95_high answer p_by_processors "
    words += "p_by_processors_low p_by_processors_high draw_low draw_high warning"
    return pd.DataFrame(rows, columns=words.split())


def every_case(scale: Scale, seed: Seed) -> Entries:
    """Each way to run, on each configuration, under each policy, at each overhead."""
    entries: dict[Any, Any] = {}
    for *along, base in lines(scale, seed).values():
        others = replace(base, mode=LOCAL, wide=OF_SITE), replace(base, mode=SINGLE)
        entries |= {case: case for case in (*others, base, *along)}
    return entries


@study.add_figure("awrt", "AWRT of each way to run, in seconds; requested times", every_case)
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
        for case, weight in product(entries, WEIGHTS)
    )  # fmt: skip


#: Systems and placements of the second study, by the beginning of the names of its lines.
SYSTEMS = ("4×32 worst fit", "64+32+2×16 worst fit")
COMPARED = ("FCFS", "FPFS(50)", "EASY")
EXACT = "EASY knows the exact run times"


def earlier_losses(scale: Scale, seed: Seed) -> Entries:
    """Of the first study's Figure 5, the bars whose queue is held, and EASY."""
    entries: dict[Any, Any] = {}
    for name in utilization.ROOM:
        bars = utilization.bars_of(name, "figure5", scale)
        held = bars[f"FPFS(50), {utilization.HOLD}"]
        easy = replace(held, scenario=held.scenario.with_(scheduling=EASY()))
        cases = zip(COMPARED, (bars["FCFS"], held, easy), strict=True)
        entries |= {(name, policy): case for policy, case in cases}
    return entries


def earlier_responses(scale: Scale, seed: Seed) -> Entries:
    """Two lines of the second study, under each policy."""
    return {
        f"{name}, {policy}": Line(
            configurations.LINES[name].scenario.with_(scheduling=POLICIES[policy]),
            configurations.PROCESSORS,
        )
        for name, policy in product(SYSTEMS, COMPARED)
    }


def earlier_penalties(scale: Scale, seed: Seed) -> Entries:
    """Split jobs over the same jobs whole, by policy and penalty."""
    entries: dict[Any, Any] = {}
    for psi in scale.penalties.along:
        split = penalty.served(20, PRINTED_LOAD, above=ABOVE, parts=PARTS, span_penalty=psi)
        easy = replace(split, scenario=split.scenario.with_(scheduling=EASY()))
        for policy, case in (("FPFS(20)", split), ("EASY", easy)):
            entries[policy, "", psi] = case, case.whole
    return entries


study.add_figure(
    "earlier-losses",
    f"first study: capacity loss of unordered requests, 4 × 32; queue held at 500; {EXACT}",
    earlier_losses, draw=partial(
        plots.bars, value="capacity_loss", group="group", series="series", look=POLICY_LOOK
    ),
    notice="EASY takes off more than half of the capacity that FCFS loses",
    when=lambda t: beside_easy(t, "series", "group").query("series == 'FCFS'")
    .eval("ci95_low / 2 - ci95_high_easy").min(skipna=False) > 0,
    otherwise="The capacity that is lost under each policy",
)(losses_table)  # fmt: skip
study.add_figure(
    "earlier-responses",
    "second study: response times of jobs of four components; below, the maximal utilization of "
    f"each; {EXACT}",
    earlier_responses,
    draw=partial(
        plots.curves,
        panels={name: [f"{name}, {policy}" for policy in COMPARED] for name in SYSTEMS},
        look={f"{name}, {policy}": POLICY_LOOK[policy] for name in SYSTEMS for policy in COMPARED},
    ),
    notice="EASY saturates later than FPFS(50) and FCFS, on equal and on unequal clusters",
    when=lambda t: beside_easy(
        t.join(t["label"].str.extract("(?P<system>.*), (?P<policy>.*)")), "policy", "system"
    ).eval("maximal_low_easy - maximal_high").min(skipna=False) > 0,
    otherwise="Response times over utilization under each policy",
)(lines_table)  # fmt: skip
study.add_figure(
    "earlier-penalties",
    f"third study: jobs above {ABOVE} in {PARTS} components over the same jobs whole; 5×20, "
    f"D(0.85), worst fit, load {PRINTED_LOAD}; {EXACT}",
    earlier_penalties,
    draw=partial(
        plots.lines, x="place", y="ratio", line="group", panel="scheduling", factors=True,
        level=("no co-allocation", 1.0), xlabel=of_penalty.PSI, look=of_penalty.LOOK,
        ylabel="mean response time\nover that with no co-allocation",
    ),
    notice="Splitting is sure to pay under EASY at ψ = 0 alone, under FPFS(20) beyond it",
    when=lambda t: (
        (paid := t.query("ci95_high < 1 and warning == '' and group == 'stream'").groupby(
            "scheduling")["place"].max()).get("EASY") == 0 < paid.get("FPFS(20)", 0)
    ),
    otherwise="Response times of split jobs over those of whole ones under each policy",
)(
    lambda entries, results: of_penalty.ratio_table(entries, results, ("stream", "S1", "S4"))
    .rename(columns={"max_jumps": "scheduling"})
)  # fmt: skip
