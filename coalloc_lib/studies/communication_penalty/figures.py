"""The study: its scales, Figures 1 to 6, the thresholds, and maps of where splitting pays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.intervals import Interval
from coalloc_lib.model.distributions import Between, Distribution
from coalloc_lib.model.placement import SingleThenSpan, WorstFit
from coalloc_lib.policies import FCFS, FPFS
from coalloc_lib.policies.in_turn import COUNTED
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.responses import LoadedScenario, jumps_label, served
from coalloc_lib.studies.core import Entries, Results, Scale, Study, interval_columns, scales

ABOVE, PARTS, PRINTED_LOAD = paper.ABOVE, paper.PARTS, paper.PRINTED_LOAD
JUMPS, NO_LIMIT = paper.JUMPS, paper.NO_LIMIT
STREAM, GROUPS, NAMES = paper.STREAM, paper.GROUPS, paper.NAMES
#: Thresholds that the paper prints in section 6; that of S1 is a lower limit.
PRINTED = {STREAM: 0.185, "S4": 0.160, "S1": paper.OVER}
#: Penalties that are drawn for each job, of the same mean as the constant one.
CONSTANT, SPREAD = 0.1, Between(0.001, 0.199)
#: A job is split whatever is idle, or only where it cannot start whole.
PLACEMENTS = {"always": WorstFit(), "at need": SingleThenSpan(WorstFit())}

#: Section 7.3 varies the load where splitting matters: from this one on.
BUSY = 0.7
#: Thresholds, at most, that tell where the best one is.
NARROW = 3
#: A line of a figure: by place, the results of its cases.
Line = dict[float, tuple[paper.Responses, paper.Responses]]

study = Study(
    "communication-penalty",
    "Up to which penalty does it pay to split large jobs over clusters?",
    seed=2008,
    scales=scales(
        jobs=(10_000, 60_000), runs=(8, 20),
        search_jobs=(5_000, 60_000), search_runs=(8, 20), search_budget=(11, 17),
        search_longest=(40_000, paper.LONGEST), map_jobs=(1_000, 10_000), map_runs=(6, 12),
        # Of Figure 1, and of 2 to 6; the first as far as the printed thresholds tell.
        jumps=((JUMPS, 100), (JUMPS, 20, 100)), spread_jumps=((JUMPS,), (JUMPS, 20, 100)),
        search_jumps=((0, JUMPS, 20), (0, 2, 4, 6, 8, 10, 12, 20, 50, NO_LIMIT)),
        # The same, counted over a job's whole wait.
        waiting_jumps=((20,), (2, 4, 6, 8, 10, 12, 20, 50, 100)),
        map_jumps=((0, JUMPS), (0, JUMPS, 100, NO_LIMIT)),
        # Of Figure 1, of Figure 3 (the paper says only that they are four), and of maps.
        along=((0.0, 0.1, 0.2, 0.3), (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        penalties=((0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)),
        map_penalties=((0.0, 0.1, 0.2), (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)),
        # Splitting thresholds, of which the last splits none.
        above=((3, 6, 10, 16, 19), (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19)),
        map_above=((3, 10, 16), (3, 5, 7, 10, 13, 16)),
        # Of Figure 4, of which the paper prints one, and of maps.
        loads=((0.5, 0.7, PRINTED_LOAD), (0.5, 0.6, 0.7, 0.75, PRINTED_LOAD)),
        map_loads=((0.5, PRINTED_LOAD), (0.5, 0.65, PRINTED_LOAD)),
    ),
)  # fmt: skip


def pick(table: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the rows that have these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


JOBS, WORK, LOAD = "share of the jobs", "share of the load", "offered load"
#: What the paper prints. The load share of S2 is a slip: the four are above one.
PRINTED_SHARES = {
    **dict(zip(product([JOBS], GROUPS), (0.253, 0.277, 0.229, 0.241), strict=True)),
    **dict(zip(product([WORK], GROUPS), (0.060, 0.277, 0.231, 0.576), strict=True)),
    (LOAD, "all jobs"): PRINTED_LOAD,
}
#: Samples that are drawn to see how far they stray, and their jobs: those of a short run.
SAMPLES, SAMPLED = 400, 2_000


def shares_of(size: np.ndarray, jobs: np.ndarray, work: np.ndarray) -> dict[tuple[str, str], Any]:
    """Return the groups' shares, by quantity and group, along the last axis."""
    return {
        (quantity, name): (of * ((size >= low) & (size <= high))).sum(-1) / of.sum(-1)
        for quantity, of in ((JOBS, jobs), (WORK, work))
        for name, (low, high) in GROUPS.items()
    }


_SIZE, _LIKELY = np.arange(len(paper.SIZES.probabilities)), paper.SIZES.probabilities
#: The same by the law.
EXACT_SHARES = shares_of(_SIZE, _LIKELY, _SIZE * _LIKELY) | {(LOAD, "all jobs"): paper.EXACT_LOAD}


@dataclass(frozen=True)
class Samples:
    """A case: samples of so many jobs, by a seed of their own."""

    jobs: int
    seed: Seed

    def measure(self, scale: Scale, seed: Seed) -> dict[tuple[str, str], np.ndarray]:
        """Return from what to what 95 % of samples reach, by quantity and group."""
        every = paper.WHOLE.sample(SAMPLES * self.jobs, self.seed, rate=1 / paper.INTERARRIVAL)
        gaps = np.diff(every.submit, prepend=0.0)
        size, work, gap = (x.reshape(SAMPLES, -1) for x in (every.processors, every.work, gaps))
        drawn = shares_of(size, np.ones_like(work), work)
        drawn[LOAD, "all jobs"] = work.sum(-1) / gap.sum(-1) / paper.SYSTEM.processors
        return {key: np.quantile(each, [0.025, 0.975]) for key, each in drawn.items()}


def _draw_shares(table, title, subtitle):
    drawn = table.rename(columns={"sample_low": "ci95_low", "sample_high": "ci95_high"})
    return plots.intervals(
        drawn[drawn["quantity"] != LOAD], x="exact", row="group", panel="quantity",
        printed="printed", xlabel="share", span=(0.0, 0.65), title=title, subtitle=subtitle,
    )  # fmt: skip


@study.add_figure(
    "shares",
    f"marks: exact; lines: 95 % of samples of {SAMPLED} jobs",
    lambda scale, seed: {"samples": Samples(SAMPLED, seed)}, draw=_draw_shares,
    notice="A short run explains every printed share but one: the load of S2 is a slip",
    when=lambda t: [*t["explained"]] == [True] * 5 + [False] + [True] * 3, claims=("CP-1",),
)  # fmt: skip
def shares(entries: Entries, results: Results) -> pd.DataFrame:
    """Return the printed and the exact shares, and the range of samples: a row a figure."""
    samples = entries["samples"]
    columns = "quantity group printed exact sample_low sample_high jobs explained"
    rows = [
        (*at, printed, EXACT_SHARES[at], low, high, samples.jobs, low <= printed <= high)
        for at, (low, high) in results[samples].items() for printed in [PRINTED_SHARES[at]]
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns.split())


#: Ends of intervals in tables; those of response times beside ratios have other names.
ENDS, OF_TIMES = ("ci95_low", "ci95_high"), ("response_low", "response_high")
PSI, THRESHOLD = "penalty", "splitting threshold (jobs above are split)"
SETTING = f"5×20, D(0.85), FPFS, worst fit, load {PRINTED_LOAD}"
#: What split jobs are held against, other than all of themselves.
NOBODY_SPLIT, SAME_PENALTY = "no co-allocation", f"the penalty {CONSTANT} for all"
#: Groups without bands where all groups are drawn: five bands would be one smear.
BARE = ("S1", "S2", "S3")
_SHADES = plots.shades([*GROUPS, "the lightest, in which names are hard to read"])
#: Groups differ in shape, too, and from the diamond of what is printed.
LOOK = _SHADES | {"S4": _SHADES["S4"]._replace(marker="v"), STREAM: plots.Sign("#000000", "P")}


def beside(case: LoadedScenario, against: str = NOBODY_SPLIT) -> tuple[LoadedScenario, ...]:
    """Return a case, and what it is held against: whole jobs, the same penalty for all, itself."""
    same = case.with_jobs(span_penalty=CONSTANT) if against == SAME_PENALTY else case
    return case, case.whole if against == NOBODY_SPLIT else same


def along_thresholds(scale: Scale, lines: Mapping, last: int | None = None) -> list[tuple]:
    """Return the points of lines, of one penalty and load each; the last of all splits nobody."""
    points = product(lines.items(), scale.above[:last])
    return [(line, above, psi, load, above) for (line, (psi, load)), above in points]


def one_more_point(label: Any, case: Any, against: str = NOBODY_SPLIT) -> Entries:
    """Return what a reader adds: MaxJumps, a line in words and a place, and a `LoadedScenario`."""
    instance_of("case", case, LoadedScenario, "served(max_jumps, load, above=...)")
    match label:
        case (jumps, str(line), Real() as place) if np.isfinite(float(place)):
            pass
        case _:
            text = f"label = {shown(label)}; give jumps, a line in words, and a finite place"
            raise InputError(text)
    if line in (*NAMES, *paper.BY_PENALTY):
        raise InputError(f"line = {line!r} is a group of jobs here; give another name")
    policy = case.scenario.scheduling
    if isinstance(policy, FCFS | FPFS) and policy not in [
        paper.passing(jumps, each) for each in COUNTED
    ]:
        raise InputError(f"jumps = {shown(jumps)} and the scenario has {policy}; give its own")
    psi = case.jobs.span_penalty
    if against == paper.ALL_SPLIT and not isinstance(psi, Distribution):
        raise InputError(f"span_penalty = {psi} is that of all jobs; draw one for each: {SPREAD!r}")
    return {(jumps, line, place): beside(case, against)}


def best(line: Line, group: str) -> list[float]:
    """Return the places that respond best, or are not seen to be worse than the best."""
    means = {place: one.means[group] for place, (one, _) in line.items() if one.means}
    first = min(means.values(), key=lambda sample: sample.mean, default=None)
    return [x for x, sample in means.items() if first and not (sample - first).interval.above(0)]


def same_best(best_of: list[set[float]], places: list[float]) -> tuple[bool | None, set[float]]:
    """Whether lines share some best place, and which; None where all best are not well inside."""
    known = [each for each in best_of if each]
    every, shared = set().union(*known), set.intersection(*known) if known else set()
    bounded = len(every) <= NARROW and not every & {min(places), max(places)}
    return None if len(known) < 2 or (shared and not bounded) else bool(shared), shared


def ratio_table(
    entries: Entries, results: Results, groups: Iterable[str] = NAMES, against: str = NOBODY_SPLIT
) -> pd.DataFrame:
    """Return both mean response times, their ratio, the maximal utilization: a row a point."""
    to = paper.ALL_SPLIT if against == paper.ALL_SPLIT else ""
    rows, lines = [], dict[Any, Line]()
    for (jumps, line, place), (one, other) in entries.items():
        lines.setdefault((jumps, line), {})[place] = results[one], results[other]
    for (jumps, line, place), (one, _) in entries.items():
        mine, theirs = lines[jumps, line][place]
        case = one.columns() | {"max_jumps": jumps_label(jumps), "line": line, "place": place}
        end = {"max_utilization": mine.max_utilization.mean, "saturated": mine.saturated}
        for group in groups:
            times = {"response": mine.mean(group), "response_against": theirs.mean(to or group)}
            alone = Interval.exact(np.nan) if mine.saturated else mine.means[group].interval
            times |= {"response_low": alone.low, "response_high": alone.high}
            times |= {"wait": mine.mean(f"{group} wait")} if to else {}
            known = paper.change(mine, theirs, group, to)
            of = np.nan if known["saturated"] else 0.01
            known |= {name: 1 + of * known[name] for name in ("change", *ENDS)}
            ratio = {"ratio": known["change"]} | {
                n: known[n] for n in (*ENDS, "warning", "verdict")
            }
            at_best = {"best": place in best(lines[jumps, line], group)}
            rows.append(case | {"group": group} | times | ratio | end | at_best)
    return pd.DataFrame(rows)


def draw_lines(
    table: pd.DataFrame, title: str, subtitle: str, against: str = "", kept: bool = False,
    **how: Any,
) -> Picture:  # fmt: skip
    """Draw response times, of whole jobs too if they are `kept`; or ratios `against` others."""
    # Of all groups; where lines have names of their own, of the first group.
    first, look = table["group"] == table["group"].iloc[0], LOOK
    table = table[(table["line"] == "") | first]
    table = table.assign(line=table["line"].mask(table["line"] == "", table["group"]))
    if against:
        table = table.assign(warning=table["warning"].mask(table["ratio"].isna(), ""))
        how |= {"y": "ratio", "ylabel": f"mean response time\nover that with {against}"}
        how |= {"factors": True, "level": (against, 1.0)}
    else:
        table = table.drop(columns=[*ENDS]).rename(columns=dict(zip(OF_TIMES, ENDS, strict=True)))
        how |= {"y": "response", "ylabel": "mean response time"}
    if kept:
        table = table[~table["line"].isin(BARE[1:])]
        none = table[table["line"] == table["group"]].assign(ci95_low=np.nan, ci95_high=np.nan)
        none = none.assign(line=none["group"] + " whole", response=none["response_against"])
        table, how["dashed"] = pd.concat([table, none]), [*none["line"].unique()]
        look = LOOK | {f"{group} whole": sign for group, sign in LOOK.items()}
    names = [*table["line"].unique()]
    look = look if names[0] in look else plots.shades([*names, "the lightest"])
    return plots.lines(
        table.assign(panel="MaxJumps " + table["max_jumps"]), x="place", line="line", look=look,
        panel="panel", bare=NAMES if kept else BARE, whole=True, title=title, subtitle=subtitle,
        **how,
    )  # fmt: skip


def _less(table, one, other, ends=ENDS):
    """Whether the intervals of rows are all below those of all others, panel by panel."""
    both = pick(table, **one).merge(pick(table, **other), on="max_jumps", suffixes=("", "_2"))
    less = (both[ends[1]] < both[f"{ends[0]}_2"]) & (both["warning"] + both["warning_2"] == "")
    return len(both) > 0 and less.all()


def _best_stays(table):
    """Whether from `BUSY` on one threshold is best at every load, panel by panel."""
    at = table[(table["load"] >= BUSY) & (table["warning"] == "")]
    lines = at.assign(above=at["above"].where(at["best"])).groupby(["max_jumps", "load"])["above"]
    places = lines.agg(lambda x: {*x.dropna()}).groupby("max_jumps").agg(list)
    return len(at) > 0 and all(same_best(each, [*at["place"]])[0] for each in places)


def _add_lines(
    name, shows, points, groups=NAMES, against=NOBODY_SPLIT, claims=(), notice="", when=None,
    xlabel=THRESHOLD, kept=False, printed=None,
):  # fmt: skip
    """Add figures of points (line, place, penalty, load, threshold): response times, and ratios."""

    def cases(scale, seed):
        every = scale.jumps if kept else scale.spread_jumps
        return {
            (jumps, line, place): beside(
                served(jumps, load, above=above, parts=PARTS, span_penalty=psi), against
            )
            for jumps, (line, place, psi, load, above) in product(every, points(scale))
        }

    table = partial(ratio_table, groups=tuple(groups), against=against)
    add = partial(study.add_figure, cases=cases, one_more=partial(one_more_point, against=against))
    ratios = partial(draw_lines, xlabel=xlabel, against=against, printed=printed)
    first = {"notice": notice, "when": when, "claims": claims, "draw": ratios}
    number = f"Figure {name[-1]}"
    if against == NOBODY_SPLIT:
        first["draw"] = partial(draw_lines, xlabel=xlabel, kept=kept)
        add(
            f"{name}-ratios", f"{number} over {against}: {shows}", draw=ratios,
            notice="Splitting pays where a line is below 1",
        )(table)  # fmt: skip
    add(name, f"{number}: {shows}", **first)(table)


_add_lines(
    "figure1", f"jobs above {ABOVE} in {PARTS} components; {SETTING}",
    lambda scale: [("", psi, psi, PRINTED_LOAD, ABOVE) for psi in scale.along],
    notice="The largest jobs respond sooner split than whole, until the penalty is too high",
    when=lambda t: {*pick(t, group="S4", psi=0.0)["verdict"]} == {"gains"}
    and {*pick(t, group="S4", verdict="loses")["max_jumps"]} == {*t["max_jumps"]},
    claims=("CP-9",), xlabel=PSI, kept=True,
    printed=pd.DataFrame({"line": PRINTED.keys(), "place": PRINTED.values()}),
)  # fmt: skip
_add_lines(
    "figure2", f"penalty 0.05; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (0.05, PRINTED_LOAD)}),
    notice="The largest jobs respond sooner if all above 3 are split than if nobody is",
    when=lambda t: _less(pick(t, group="S4"), {"above": 3}, {"above": 19}, OF_TIMES),
    claims=("CP-4", "CP-11"),
)  # fmt: skip
_add_lines(
    "figure3", f"jobs of S4 (7 to 19 processors); {SETTING}",
    lambda s: along_thresholds(s, {f"penalty {psi:g}": (psi, PRINTED_LOAD) for psi in s.penalties}),
    notice="Splitting all above 3 is better than all above 16 at penalty 0.05, worse at 0.2",
    when=lambda t: _less(pick(t, psi=0.05), {"above": 3}, {"above": 16}, OF_TIMES)
    and _less(pick(t, psi=0.2), {"above": 16}, {"above": 3}, OF_TIMES),
    groups=("S4",), claims=("CP-5",),
)  # fmt: skip
_add_lines(
    "figure4", f"jobs of S4, penalty {CONSTANT}; 5×20, D(0.85), FPFS, worst fit",
    lambda s: along_thresholds(s, {f"load {load:g}": (CONSTANT, load) for load in s.loads}),
    notice=f"From load {BUSY} on the best threshold stays", when=_best_stays,
    groups=("S4",), claims=("CP-6", "CP-12"),
)  # fmt: skip
_add_lines(
    "figure5", f"penalty of each job drawn from U[0.001, 0.199]; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-2),  # few above 16
    notice="No group is seen to respond later or sooner with penalties that differ",
    when=lambda t: len(known := t[(t["warning"] == "") & t["ratio"].notna()])
    and (known["ci95_low"] <= 1).all() and (known["ci95_high"] >= 1).all(),
    groups=GROUPS, against=SAME_PENALTY, claims=("CP-7",),
)  # fmt: skip
_add_lines(
    "figure6", f"split jobs by penalty (C1 < 0.05 < C2 < 0.10 < C3 < 0.15 < C4); {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-2),  # few above 16
    notice="If all above 3 are split, jobs of the highest penalty respond later than of the lowest",
    when=lambda t: _less(t, *({"group": name, "above": 3} for name in ("C1", "C4"))),
    groups=paper.BY_PENALTY, against=paper.ALL_SPLIT, claims=("CP-8",),
)  # fmt: skip

#: How jumps are counted, in words.
COUNTING = {"head": "at the head (2008)", "waiting": "over the whole wait (2003)"}
#: Measured on the DAS (Plaat and others 2001): what most programs lost by spanning was less.
DAS = 0.4


def fits(table: pd.DataFrame, prefix: str = "ci95") -> pd.Series:
    """Return by count and MaxJumps whether no printed threshold lies outside of the intervals.

    S1 must reach above its limit, and S4 may not be certain to break even behind the stream;
    `prefix` ``"run"`` is of single runs, of which one in twenty must have the printed order.
    """
    at = table[table["load"] == PRINTED_LOAD].set_index(["counted", "max_jumps"])
    of, half = {name: pick(at, group=name) for name in PRINTED}, 0.0005
    fitting = of["S1"][f"{prefix}_high"] > PRINTED["S1"]
    for name in (STREAM, "S4"):
        low, high = (of[name][f"{prefix}_{end}"] for end in ("low", "high"))
        fitting &= (low - half <= PRINTED[name]) & (PRINTED[name] <= high + half)
    for each in of.values():
        fitting &= each["warning"] == ""
    told = of["S4"]["runs_as_told"] >= 0.05
    return fitting & (told if prefix == "run" else of["S4"]["at_stream_high"] > 0)


def _draw_thresholds(table, title, subtitle):
    """Draw the thresholds up to MaxJumps 20, where one more or less matters; bounds are hollow."""
    drawn = table[table["group"].isin(list(PRINTED)) & (table["max_jumps"] <= 20)]
    drawn = pd.concat([drawn[drawn["max_jumps"] == 0].assign(counted="waiting"), drawn])  # FCFS
    drawn = drawn.sort_values("counted", ascending=False, kind="stable")
    ends = {end: drawn[end].clip(*paper.PENALTIES) for end in ("psi", "ci95_low", "ci95_high")}
    panel = "counted " + drawn["counted"].map(COUNTING)
    panel += (", load " + drawn["load"].map("{:g}".format)).mask(drawn["load"] == PRINTED_LOAD, "")
    warning = drawn["warning"].where(drawn["bound"] == "", "a bound")
    levels = {f"{name} {'over ' * (name == 'S1')}{psi:.3f}": psi for name, psi in PRINTED.items()}
    return plots.lines(
        drawn.assign(**ends, panel=panel, warning=warning), x="max_jumps", y="psi", line="group",
        panel="panel", levels=levels | {f"DAS below {DAS}": DAS}, look=LOOK, ylabel=PSI,
        xlabel="MaxJumps", whole=True, title=title, subtitle=subtitle,
    )  # fmt: skip


@study.add_figure(
    "thresholds",
    f"penalty at which jobs above {ABOVE} in {PARTS} components respond as soon as whole, load "
    f"{PRINTED_LOAD}; dashed: printed, and what most programs lost on the DAS",
    lambda scale, seed: {
        (PRINTED_LOAD, jumps, counted): paper.BreakEven(PRINTED_LOAD, jumps, counted)
        for counted, every in (("head", scale.search_jumps), ("waiting", scale.waiting_jumps))
        for jumps in every
    },
    notice="The three thresholds that the paper prints meet at a few MaxJumps, at the head alone",
    when=lambda t: {*fits(t)[lambda fit: fit].index.get_level_values("counted")} == {"head"},
    otherwise="Which MaxJumps did they use?", draw=_draw_thresholds,
    claims=("CP-2", "CP-3", "CP-10", "CP-13"),
    one_more=lambda label, case: {
        label: instance_of("case", case, paper.BreakEven, "BreakEven(load, max_jumps)")},
)  # fmt: skip
def thresholds(entries: Entries, results: Results) -> pd.DataFrame:
    """Return the thresholds: a row a case and group, a `bound` where an end is out of reach."""
    rows, none = [], Interval.exact(np.nan)
    for case in dict.fromkeys(entries.values()):
        jumps, found = np.inf if case.max_jumps == NO_LIMIT else case.max_jumps, results[case]
        where = {"load": case.load, "max_jumps": jumps, "splitting": "floor"}
        for group, crossing in found.by_group.items():
            ends = interval_columns(crossing.interval, "psi")
            answer = crossing.answer + " of the maximal utilization" * (not found.one_run)
            known = {"answer": answer, "warning": ends.pop("warning"), "counted": case.counted}
            most, least = ends["ci95_low"] == -np.inf, ends["ci95_high"] >= found.full
            known["bound"] = "at most" * most + " and " * (most and least) + "at least" * least
            runs, there = found.one_run.get(group), found.at_stream.get(group)
            run, at_stream = runs.prediction if runs else none, there.interval if there else none
            known |= {"run_low": run.low, "run_high": run.high, "runs_as_told": found.told}
            known |= {"at_stream_low": at_stream.low, "at_stream_high": at_stream.high}
            rows.append(where | {"group": group} | ends | known)
    return pd.DataFrame(rows)
