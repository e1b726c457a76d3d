"""On advantages of grid computing for parallel job scheduling (Ernemann and others, 2002).

Figures 4 to 7 and the claims JS-1 to JS-8; further, who gains by joining, overheads at
break-even by policy, and the three earlier studies with EASY beside their own policies.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.intervals import Crossing, Interval, not_
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
from coalloc_lib.studies.job_sharing.cases import Case, Work, ratio, resampled, workload_sets
from coalloc_lib.studies.losses import Saturated, losses_table
from coalloc_lib.studies.response_lines import Line, lines_table

__all__ = ["LOOK", "Case", "study", "workload_sets"]

LOCAL, SHARING, MULTI_SITE, SINGLE = paper.MODES
OF_SITE, OF_LARGEST, UNCHANGED = paper.MODIFICATIONS
CONFIGURATIONS, POLICIES, LOG = paper.CONFIGURATIONS, paper.POLICIES, paper.LOG
STANDARD, EQUAL, SYNTHETIC = paper.STANDARD, paper.EQUAL, paper.SYNTHETIC
OVERHEADS, PRINTED_OVERHEAD = paper.OVERHEADS, paper.PRINTED_OVERHEAD
#: Relative difference of AWRTs that counts as near, and as a little; 'more than half' off.
NEAR, HALF = 0.05, 0.5
#: Of which line the paper prints the overhead.
PAPER = {"workload": SYNTHETIC, "configuration": STANDARD, "scheduling": "EASY"}
#: What figures say of the runs and of the intervals; no line ends between number and percent.
TOLD = "requested times; weighted by processors × run time; 95\u00a0%: weeks drawn anew"
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
#: `policies` whose break-even overhead is asked; `drowned`, configurations on whose small sites
#: thousands of jobs wait for conservative plans; `resamples` of the bootstrap: the intervals of six
#: weeks end at one in 400 of them; and the scales of the earlier studies.
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span them?",
    paper.SEED,
    scales(
        policies=(("EASY", "FCFS"), tuple(POLICIES)), drowned=((), ("m64", "m384")),
        resamples=(1_000, 4_000),
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
    names: Sequence[str] = tuple(CONFIGURATIONS), **how: Any,
) -> None:  # fmt: skip
    """Add a figure of pairs of cases, by workload, configuration, and the keys of `pairs`.

    `labels` are the columns of the keys; with ``sites`` the users of sites of each size have rows.
    """

    def cases(scale: Scale, seed: Seed) -> Entries:
        return {
            (work.name, m, *(key if isinstance(key, tuple) else (key,))): pair
            for work, m in product(workload_sets(seed).values(), names)
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
                both = resampled(results, pair, weight, mine)
                hours = both.means / 3600
                rows.append(
                    dict(zip(labels.split(), (*label, group), strict=False))
                    | {"weight": weight, "awrt_h": hours[0], "awrt_against_h": hours[1]}
                    | interval_columns(both.interval(ratio), "ratio")
                    | {"spanned": results[pair[0]].spanned}
                )
        return pd.DataFrame(rows)

    def asked(table: pd.DataFrame) -> bool:
        table = pick(table, weight="work")
        ends = table.filter(like="ci95").where(table["warning"] == "")
        ends = ends.fillna({"ci95_low": 0.0, "ci95_high": np.inf})
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
    return {case.overhead: (case, Case(work, m, SHARING)) for case in paper.spanning(work, m)}


add_ratios(
    "figure4", f"Figure 4: m128 (4×128); EASY, {TOLD}", "panel configuration line overhead",
    lambda work, m, scale: {
        (case.mode, p): (case, Case(work, m, SHARING))
        for mode in (LOCAL, MULTI_SITE, SINGLE)
        for p in OVERHEADS
        for case in [Case(work, m, mode, overhead=p * (mode == MULTI_SITE))]
    },
    partial(draw_along, against="job sharing", line="line", panel="panel", look=LOOK),
    notice="Sharing jobs takes off a larger part than spanning, or one large machine, after it",
    when=lambda t: t.pivot_table("ci95_low", "panel", "line", "min")
    .eval(f"{LOCAL} * `{SINGLE}` > 1 and {LOCAL} * `{MULTI_SITE}` > 1").all(),
    otherwise="The AWRT of each way to run the jobs over that of job sharing",
    claims=("JS-1", "JS-2", "JS-3"), names=(STANDARD,),
)  # fmt: skip
add_ratios(
    "figure5", f"Figure 5: multi-site over job sharing; EASY, {TOLD}", "panel line overhead",
    over_sharing,
    partial(draw_along, against="job sharing", row="line", panel="panel"),
    notice="Without overhead spanning pays on every configuration",
    when=lambda t: (pick(t, overhead=0)["ci95_high"] < 1).all(),
    otherwise="The AWRT of spanning over that of sharing, by configuration",
    claims=("JS-4",),
)  # fmt: skip
add_ratios(
    "figure6", f"Figure 6: multi-site over job sharing; EASY, {TOLD}", "line panel overhead",
    over_sharing,
    partial(draw_along, against="job sharing", row="panel", panel="line"),
    notice="At the printed 25\u00a0% the bands of all workloads overlap",
    when=lambda t: t["ci95_high"].max() < np.inf and pick(t, overhead=PRINTED_OVERHEAD)
    .groupby("panel").agg({"ci95_low": "max", "ci95_high": "min"}).eval("ci95_low <= ci95_high")
    .all(),
    otherwise="The AWRT of spanning over that of sharing, by workload",
    claims=("JS-5",), names=EQUAL,
)  # fmt: skip
add_ratios(
    "figure7", f"Figure 7: multi-site, wide jobs whole over in pieces of 128; EASY, {TOLD}",
    "line panel overhead",
    lambda work, m, scale: {
        case.overhead: (replace(case, wide=UNCHANGED), case) for case in paper.spanning(work, m)
    },
    partial(draw_along, against="wide jobs in pieces", row="panel", panel="line"),
    notice="Wide jobs left whole change the AWRT by less than a fifth",
    when=lambda t: (t["ci95_low"] > 0.8).all() and (t["ci95_high"] < 1.2).all(),
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
        mode: tuple(Case(work, m, mode, policy, wide=OF_SITE if mode == LOCAL else OF_LARGEST)
                    for policy in ("conservative", "EASY"))
        for mode in (LOCAL, SHARING, MULTI_SITE)
        if mode != LOCAL or m in (*EQUAL, *scale.drowned)
    },
    partial(draw_rows, against="EASY", span=(0.8, 1.25), look=LOOK),
    notice="Where jobs span and a difference is seen, EASY is better, by less than 6\u00a0%",
    when=lambda t: (t := pick(t, series=MULTI_SITE))["ci95_low"].max() > 1
    and t["ci95_high"].between(1, 1.06, inclusive="left").all(),
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
    notice="No other way to choose a machine is seen to beat best fit; on m64 worst fit costs",
    when=lambda t: (t["ci95_high"] >= 1).all()
    and (pick(t, row="m64", series="worst fit")["ci95_low"] > 1).all(),
    otherwise="The AWRT of other ways to choose a machine over that of best fit",
    claims=("JS-8",),
)  # fmt: skip


def beside_easy(table: pd.DataFrame, policy: str, *on: str) -> pd.DataFrame:
    """Return the rows of other policies beside those of EASY."""
    easy = table[policy] == "EASY"
    return table[~easy].merge(table[easy], on=[*on], suffixes=("", "_easy"))


def lines(scale: Scale, seed: Seed) -> Entries:
    """By (workload, configuration, policy): multi-site at each overhead, and job sharing."""
    return {
        (name, m, policy): (*paper.spanning(work, m, policy), Case(work, m, SHARING, policy))
        for (name, work), m in product(workload_sets(seed).items(), CONFIGURATIONS)
        for policy in scale.policies
    }


def sustains_more(results: Results, one: Sequence[Case], other: Sequence[Case]) -> bool | None:
    """Return whether one line breaks even at a larger overhead than another; None: undecided."""
    if one[-1].work is other[-1].work:
        both = resampled(results, [*one, *other])
    else:
        both = resampled(results, one).beside(resampled(results, other))

    def apart(means: np.ndarray) -> float:
        ends = np.clip([paper.break_even(each) for each in means.reshape(2, -1)], 0, OVERHEADS[-1])
        return float(ends[0] - ends[1])

    difference = both.interval(apart)
    return None if difference.warning or difference.contains(0) else difference.estimate > 0


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
        point, other = (resampled(results, cases, w).interval(paper.break_even) for w in WEIGHTS)
        one, two = ((each.estimate, each.low, each.high) for each in (point, other))
        answer = Crossing(point, len(OVERHEADS)).answer
        rows.append((m, name, policy, *one, answer, *two, point.warning))
    words = "configuration workload scheduling p ci95_low ci95_high answer p_by_processors "
    words += "p_by_processors_low p_by_processors_high warning"
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
            "awrt": results[case].above[weight].sum() / results[case].below[weight].sum(),
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


def labelled(table: pd.DataFrame, words: str, value: str = "ratio") -> dict[str, Interval]:
    """Return the intervals of a table's rows, by words that name columns."""
    return {
        words.format(**row): Interval(
            row[value], row["ci95_low"], row["ci95_high"], 2, warning=row["warning"]
        )
        for row in table.to_dict("records")
    }


def end(intervals: dict[str, Interval], which: Callable[..., str]) -> tuple[Interval, str]:
    """Return the interval with the smallest or the largest estimate, and whose it is."""
    name = which(intervals, key=lambda each: intervals[each].estimate)
    return intervals[name], f"{'smallest' if which is min else 'largest'}: {name}"


def _judge(figure, words, which, holds, note, results, **rows):
    """Judge each ratio of a figure; the smallest or the largest decides."""
    known = labelled(pick(results.table(figure), weight="work", **rows), words)
    value, where = end(known, which)
    return value, {name: holds(each) for name, each in known.items()}, note.format(where)


study.add_claim(
    "JS-1", "AWRT of job sharing over that of local execution, where it is largest", logs=[LOG]
)(partial(
    _judge, "joining", "{row}, {panel}", max, lambda each: each.below(HALF), "{}",
    series="in turn", sites="all users",
))  # fmt: skip


@study.add_claim(
    "JS-2", "AWRT of multi-site without overhead over that of one machine, furthest from 1"
)
def _near_one_machine(results):
    intervals = {}
    for name, work in workload_sets(results.seed).items():
        pair = [Case(work, STANDARD, mode) for mode in (MULTI_SITE, SINGLE)]
        intervals[f"{STANDARD}, {name}"] = resampled(results, pair).interval(ratio)
    parts = {name: each.between(1 - NEAR, 1 + NEAR) for name, each in intervals.items()}
    why = "it is exactly 1 by construction: on either, a job starts where enough processors idle"
    farthest = max(intervals.values(), key=lambda each: abs(each.estimate - 1))
    return farthest, parts, f"near: within {NEAR:.0%}; {why}"


@study.add_claim("JS-3", "overhead at break-even on m128, synthetic workload", logs=[LOG])
def _pays_up_to_a_quarter(results):
    table, parts = pick(results.table("figure4"), weight="work", line=MULTI_SITE), {}
    known = labelled(table, "{panel}, {overhead}")
    for name in table["panel"].unique():
        parts[f"pays at 25 %, {name}"] = known[f"{name}, {PRINTED_OVERHEAD}"].below(1)
        parts[f"loses at 40 %, {name}"] = known[f"{name}, {OVERHEADS[-1]}"].above(1)
    return labelled(pick(results.table("break_even"), **PAPER), "paper", "p")["paper"], parts


@study.add_claim("JS-4", "largest overhead at break-even of m128 and m256")
def _equal_machines_sustain_more(results):
    of, parts = lines(results.scale, results.seed), {}
    at = OVERHEADS.index(PRINTED_OVERHEAD)
    others = [m for m in CONFIGURATIONS if m not in EQUAL]
    for name, equal, other in product(workload_sets(results.seed), EQUAL, others):
        mine, theirs = of[name, equal, "EASY"], of[name, other, "EASY"]
        where = f"{equal} than {other}, {name}"
        both = resampled(results, [mine[at], theirs[at]]).interval(ratio)
        parts[f"lower AWRT, {where}"] = both.below(1)
        parts[f"larger overhead, {where}"] = sustains_more(results, mine, theirs)
    table = pick(results.table("break_even"), scheduling="EASY").query("configuration in @EQUAL")
    largest, _ = end(labelled(table, "{workload}, {configuration}", "p"), max)
    return largest, parts, "AWRT at 25 % overhead"


@study.add_claim("JS-5", "smallest overhead at break-even of the extracts on m128 and m256")
def _extracts_sustain_no_less(results):
    of, parts = lines(results.scale, results.seed), {}
    table = pick(results.table("break_even"), scheduling="EASY").query("configuration in @EQUAL")
    known = labelled(table.query("workload != @SYNTHETIC"), "{configuration}, {workload}", "p")
    for label in known:
        m, name = label.split(", ")
        pair = of[SYNTHETIC, m, "EASY"], of[name, m, "EASY"]
        parts[label] = not_(sustains_more(results, *pair))
    smallest, where = end(known, min)
    return smallest, parts, where


study.add_claim(
    "JS-6", "AWRT with wide jobs whole over that with them in pieces, where it is largest"
)(partial(
    _judge, "figure7", "{line}, p = {overhead:g}", max, lambda each: each.below(1 + NEAR),
    f"a little: by less than {NEAR:.0%}",
))  # fmt: skip
study.add_claim(
    "JS-7", "AWRT of conservative backfilling over that of EASY, where it is smallest"
)(partial(
    _judge, "conservative", "{series}, {row}, {panel}", min, lambda each: each.above(1), "{}",
))  # fmt: skip
study.add_claim(
    "JS-8", "AWRT of another choice of machines over that of best fit, where it is smallest"
)(partial(
    _judge, "choices", "{series}, {row}, {panel}", min, lambda each: each.above(1 - NEAR),
    f"{{}}; good: no other is better by {NEAR:.0%} or more",
))  # fmt: skip
