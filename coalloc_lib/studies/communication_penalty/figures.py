"""The study: its scales, Figures 1 to 6, the thresholds, and maps of where splitting pays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.distributions import Between, Distribution
from coalloc_lib.intervals import Interval
from coalloc_lib.placement import SingleThenSpan, WorstFit
from coalloc_lib.plots.signs import OWN
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.scheduling.in_turn import COUNTED
from coalloc_lib.seeds import Seed, spawn
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


class Mirrored(Between):
    """The same draws, mirrored at the middle: what chance adds to one, the other has less."""

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> np.ndarray:
        return self.low + self.high - super()._draw(rng, shape)


def mirrored(psi: float | Distribution) -> float | Distribution:
    """Return penalties mirrored at their middle, where they spread evenly."""
    return Mirrored(psi.low, psi.high) if isinstance(psi, Between) else psi


#: A job is split whatever is idle, or only where it cannot start whole.
PLACEMENTS = {"always": WorstFit(), "at need": SingleThenSpan(WorstFit())}

study = Study(
    "communication-penalty",
    "Up to which penalty does it pay to split large jobs over clusters?",
    seed=2008,
    scales=scales(
        jobs=(10_000, 60_000), runs=(8, 20),
        search_jobs=(5_000, 60_000), search_runs=(8, 20), search_budget=(11, 17),
        map_jobs=(1_000, 10_000), map_runs=(6, 12),
        # Of the figures; the first is the paper's, as far as its thresholds tell.
        jumps=((JUMPS, 100), (JUMPS, 20, 100)),
        search_jumps=((0, 2, 4, 6, 8, 10, 12, 20, 50, NO_LIMIT),) * 2,
        # The same, counted over a job's whole wait.
        waiting_jumps=((20,), (2, 4, 6, 8, 10, 12, 20, 50, 100)),
        map_jumps=((JUMPS,), (0, JUMPS, 100, NO_LIMIT)),
        # Of Figure 1, of Figure 3 (the paper says only that they are four), and of maps.
        along=((0.0, 0.1, 0.2, 0.3), (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        penalties=((0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)),
        map_penalties=((0.0, 0.1, 0.2, 0.4), (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)),
        # Splitting thresholds, of which the last splits none.
        above=((3, 6, 10, 16, 19), (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19)),
        map_above=((3, 7, 10, 16), (3, 5, 7, 10, 13, 16)),
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


def shares_of(size: np.ndarray, jobs: np.ndarray, work: np.ndarray) -> dict[tuple[str, str], float]:
    """Return the groups' shares, by quantity and group, in jobs and work listed by size."""
    return {
        (quantity, name): float(of[(size >= low) & (size <= high)].sum() / of.sum())
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
        drawn = []
        for child in spawn(self.seed, SAMPLES):
            stream = paper.WHOLE.sample(self.jobs, child, rate=1 / paper.INTERARRIVAL)
            shares = shares_of(stream.processors, np.ones(self.jobs), stream.work)
            drawn.append(shares | {(LOAD, "all jobs"): stream.offered_load(paper.SYSTEM)})
        return {key: np.quantile([each[key] for each in drawn], [0.025, 0.975]) for key in drawn[0]}


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


PSI, THRESHOLD = "execution time penalty ψ", "splitting threshold (jobs above are split)"
SETTING = f"5×20, D(0.85), FPFS, worst fit, load {PRINTED_LOAD}"
#: What split jobs are held against, other than all of themselves.
NOBODY_SPLIT, SAME_PENALTY = "no co-allocation", f"ψ = {CONSTANT} for all"
#: Groups without bands where all groups are drawn: five bands would be one smear.
BARE = ("S1", "S2", "S3")
_SHADES = plots.shades([*GROUPS, "the lightest, in which names are hard to read"])
#: Groups differ in shape, too, and from the diamond of what is printed.
LOOK = _SHADES | {"S4": _SHADES["S4"]._replace(marker="v"), STREAM: plots.Sign("#000000", "P")}


def beside(case: LoadedScenario, against: str = NOBODY_SPLIT) -> tuple[LoadedScenario, ...]:
    """Return a case, and what it is held against: whole jobs, the same penalty for all, itself.

    Beside the same penalty for all stands the mirrored one, too.
    """
    if against == SAME_PENALTY:
        same, twin = (
            replace(case, scenario=case.scenario.with_(workload=case.jobs.with_(span_penalty=psi)))
            for psi in (CONSTANT, mirrored(case.jobs.span_penalty))
        )
        return case, same, twin
    return case, case.whole if against == NOBODY_SPLIT else case


def along_thresholds(scale: Scale, lines: Mapping, last: int | None = None) -> list[tuple]:
    """Return the points of lines, of one penalty and load each; the last of all splits nobody."""
    points = product(lines.items(), scale.above[:last])
    return [(line, above, psi, load, above) for (line, (psi, load)), above in points]


def one_more_point(label: Any, case: Any, against: str = NOBODY_SPLIT) -> Entries:
    """Return what a reader adds: MaxJumps, a line in words and a place, and a `LoadedScenario`."""
    instance_of("case", case, LoadedScenario, "served(max_jumps, load, above=...)")
    try:
        jumps, line, place = label
        fits = isinstance(line, str) and bool(np.isfinite(place))
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise InputError(f"label = {shown(label)}; give jumps, a line in words, and a finite place")
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


def ratio_table(
    entries: Entries, results: Results, groups: Iterable[str] = NAMES, against: str = NOBODY_SPLIT
) -> pd.DataFrame:
    """Return both mean response times, their ratio, the maximal utilization: a row a point."""
    to = paper.ALL_SPLIT if against == paper.ALL_SPLIT else ""
    rows = []
    for (jumps, line, place), (one, other, *twin) in entries.items():
        mine = paper.mean_of_twins(*(results[each] for each in (one, *twin)))
        theirs = results[other]
        case = one.columns() | {"max_jumps": jumps_label(jumps), "line": line, "place": place}
        end = {"max_utilization": mine.max_utilization.mean, "saturated": mine.saturated}
        for group in groups:
            times = {"response": mine.mean(group), "response_against": theirs.mean(to or group)}
            alone = Interval.exact(np.nan) if mine.saturated else mine.means[group].interval
            times |= {"response_low": alone.low, "response_high": alone.high}
            times |= {"wait": mine.mean(f"{group} wait")} if to else {}
            known = paper.ratio(mine, theirs, group, to)
            ends = Interval.exact(np.nan) if known is None else known.interval
            if mine.saturated:  # a longer response for certain, or in doubt
                open_ = theirs.saturated and paper.NEITHER
                ends = replace(ends, warning=open_ or paper.lost(mine, theirs, group).warning)
            ratio = interval_columns(ends, "ratio")
            rows.append(case | {"group": group} | times | ratio | end)
    return pd.DataFrame(rows)


def draw_ratios(
    table: pd.DataFrame, title: str, subtitle: str, xlabel: str = THRESHOLD,
    against: str = NOBODY_SPLIT, **how: Any,
) -> Picture:  # fmt: skip
    """Draw the ratios of each group, or of the first where lines have names of their own."""
    drawn = table.assign(warning=table["warning"].mask(table["ratio"].isna(), ""))
    return _draw_lines(
        drawn, y="ratio", ylabel=f"mean response time\nover that with {against}", xlabel=xlabel,
        factors=True, level=(against, 1.0), title=title, subtitle=subtitle, **how,
    )  # fmt: skip


def draw_responses(
    table: pd.DataFrame, title: str, subtitle: str, xlabel: str = THRESHOLD, kept: bool = False,
    **how: Any,
) -> Picture:  # fmt: skip
    """Draw the response times, where there are any, and those of whole jobs if they are `kept`."""
    ends = dict(zip(OF_TIMES, ("ci95_low", "ci95_high"), strict=True))
    drawn = table.drop(columns=list(ends.values())).rename(columns=ends)
    if kept:
        drawn = drawn[drawn["group"].isin(list(PRINTED))]
        none = drawn[drawn["line"] == ""].assign(ci95_low=np.nan, ci95_high=np.nan, warning="")
        none = none.assign(line=none["group"] + " whole", response=none["response_against"])
        drawn, how["dashed"] = pd.concat([drawn, none]), [*none["line"].unique()]
        how["look"] = {f"{group} whole": sign for group, sign in LOOK.items()}
    return _draw_lines(
        drawn, y="response", ylabel="mean response time", xlabel=xlabel, title=title,
        subtitle=subtitle, **how,
    )  # fmt: skip


def _draw_lines(drawn, look=None, **how):
    """Draw the lines of all groups; where lines have names of their own, of the first group."""
    first = drawn["group"] == drawn["group"].iloc[0]
    drawn = drawn[drawn["line"].isin(["", *(look or {})]) | first]
    lines = drawn["line"].mask(drawn["line"] == "", drawn["group"])
    names = list(lines.unique())
    known = (LOOK if names[0] in LOOK else plots.shades([*names, "the lightest"])) | (look or {})
    added = (name for name in names if name not in known)
    return plots.lines(
        drawn.assign(line=lines, panel="MaxJumps " + drawn["max_jumps"]), x="place", line="line",
        panel="panel", look=known | dict(zip(added, cycle(OWN[2:]), strict=False)), **how,
    )  # fmt: skip


def _turns(table, pays, loses):
    """Whether splitting is certain to pay in all rows with the first values, and lose in others."""
    sooner, later = pick(table, **pays), pick(table, **loses)
    won = (sooner["ci95_high"] < 1) & (sooner["warning"] == "")
    lost = ((later["ci95_low"] > 1) | later["saturated"]) & (later["warning"] == "")
    return len(won) and len(lost) and won.all() and lost.all()


#: Ends of the intervals of response times, where those of ratios have the usual names.
OF_TIMES = ("response_low", "response_high")


def _less(table, one, other, ends=("ci95_low", "ci95_high")):
    """Whether the intervals of rows are all below those of all others, panel by panel."""
    low, high = ends
    both = pick(table, **one).merge(pick(table, **other), on="max_jumps", suffixes=("", "_2"))
    less = (both[high] < both[f"{low}_2"]) & (both["warning"] + both["warning_2"] == "")
    return len(both) > 0 and less.all()


def _rises(table):
    """Whether responses rise with the threshold in every group, and in S4 by most."""
    ends = table.sort_values("above").groupby("group")["response"].agg(["first", "last"])
    rise = ends["last"] - ends["first"]
    return len(rise) and (rise > 0).all() and rise.idxmax() == "S4"


def _best_moves(table):
    """Whether the best threshold is higher at the highest penalty than at the lowest."""
    best = table.loc[table.groupby(["max_jumps", "psi"])["response"].idxmin()]
    ends = best.groupby("max_jumps")["above"].agg(["first", "last"])
    return len(ends) and (ends["first"] < ends["last"]).all()


def _add_lines(
    name, shows, points, groups=NAMES, against=NOBODY_SPLIT, claims=(), notice="", when=None,
    draw=draw_responses, ratios=None,
):  # fmt: skip
    """Add a figure of points (line, place, penalty, load, threshold), and maybe one of `ratios`."""

    def cases(scale, seed):
        return {
            (jumps, line, place): beside(
                served(jumps, load, above=above, parts=PARTS, span_penalty=psi), against
            )
            for jumps, (line, place, psi, load, above) in product(scale.jumps, points(scale))
        }

    views = {name: (f"Figure {name[-1]}: {shows}", draw, notice, when, claims)}
    if ratios:
        views[f"{name}-ratios"] = f"Figure {name[-1]} over no co-allocation: {shows}", *ratios, ()
    for view, (words, drawer, says, shown_by, judged) in views.items():
        study.add_figure(
            view, words, cases, notice=says, when=shown_by, claims=judged, draw=drawer,
            one_more=partial(one_more_point, against=against),
        )(partial(ratio_table, groups=tuple(groups), against=against))  # fmt: skip


_add_lines(
    "figure1", f"jobs above {ABOVE} in {PARTS} components, and whole (dashed); {SETTING}",
    lambda scale: [("", psi, psi, PRINTED_LOAD, ABOVE) for psi in scale.along],
    notice="The largest jobs respond sooner split than whole, until the penalty is too high",
    when=lambda t: _turns(pick(t, group="S4"), {"psi": 0}, {"psi": 0.3}), claims=("CP-9",),
    draw=partial(draw_responses, xlabel=PSI, bare=NAMES, kept=True),
    ratios=(
        partial(draw_ratios, xlabel=PSI, bare=BARE,
                printed=pd.DataFrame({"line": PRINTED.keys(), "place": PRINTED.values()})),
        "Splitting the largest jobs pays without a penalty and loses at ψ = 0.3",
        lambda t: _turns(pick(t, group=STREAM), {"psi": 0}, {"psi": 0.3}),
    ),
)  # fmt: skip
_add_lines(
    "figure2", f"ψ = 0.05; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (0.05, PRINTED_LOAD)}),
    notice=f"With MaxJumps {JUMPS}, the fewer jobs are split, the later all respond, S4 by most",
    when=lambda t: _rises(pick(t, max_jumps=jumps_label(JUMPS))), claims=("CP-4", "CP-11"),
    draw=partial(draw_responses, bare=BARE),
    ratios=(
        partial(draw_ratios, bare=BARE),
        "The largest jobs respond sooner if all above 3 are split than if those above 16 are",
        lambda t: _less(t, *({"group": "S4", "above": above} for above in (3, 16))),
    ),
)  # fmt: skip
_add_lines(
    "figure3", f"jobs of S4 (7 to 19 processors); {SETTING}",
    lambda s: along_thresholds(s, {f"ψ = {psi:g}": (psi, PRINTED_LOAD) for psi in s.penalties}),
    notice="The higher the penalty, the fewer jobs it is best to split",
    when=_best_moves,
    groups=("S4",), claims=("CP-5",),
    ratios=(
        draw_ratios, "Splitting all jobs above 3 pays at ψ = 0.05 and loses at ψ = 0.2",
        lambda t: _turns(pick(t, above=3), {"psi": 0.05}, {"psi": 0.2}),
    ),
)  # fmt: skip
_add_lines(
    "figure4", f"jobs of S4, ψ = {CONSTANT}; 5×20, D(0.85), FPFS, worst fit",
    lambda s: along_thresholds(s, {f"load {load:g}": (CONSTANT, load) for load in s.loads}),
    notice="The higher the load, the later all respond, whoever is split",
    when=lambda t: len(t) and all(
        _less(t, {"load": one, "above": x}, {"load": more, "above": x}, OF_TIMES)
        for one, more in pairwise(sorted(t["load"].unique())) for x in t["above"].unique()
    ),
    groups=("S4",), claims=("CP-6", "CP-12"),
    ratios=(
        draw_ratios,
        f"With MaxJumps {JUMPS}, splitting all above 3 pays at load 0.786 and loses at 0.5",
        lambda t: _turns(
            pick(t, max_jumps=jumps_label(JUMPS), above=3), {"load": 0.786}, {"load": 0.5}),
    ),
)  # fmt: skip
_add_lines(
    "figure5", f"ψ drawn from U[0.001, 0.199] for each job; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-1),
    notice="Penalties that differ from job to job change no group's response by 1 % for certain",
    when=lambda t: len(known := t[(t["warning"] == "") & t["ratio"].notna()])
    and (known["ci95_low"] < 1.01).all() and (known["ci95_high"] > 0.99).all(),
    groups=GROUPS, against=SAME_PENALTY, claims=("CP-7",),
    draw=partial(draw_ratios, against=SAME_PENALTY),
)  # fmt: skip
_add_lines(
    "figure6", f"split jobs by their own ψ (C1 < 0.05 < C2 < 0.10 < C3 < 0.15 < C4); {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-1),
    notice="If all above 3 are split, jobs of the highest penalty respond later than of the lowest",
    when=lambda t: _less(t, *({"group": name, "above": 3} for name in ("C1", "C4"))),
    groups=paper.BY_PENALTY, against=paper.ALL_SPLIT, claims=("CP-8",),
    draw=partial(draw_ratios, against=paper.ALL_SPLIT),
)  # fmt: skip


def _draw_thresholds(table, title, subtitle):
    drawn = table[table["group"].isin(list(PRINTED))]
    both = drawn["answer"].str.endswith(("both saturate", "maximal utilization"))
    row = drawn["max_jumps"].map(lambda jumps: "no limit" if jumps == np.inf else f"{jumps:.0f}")
    panel, printed = "counted " + drawn["counted"].map(COUNTING), drawn["group"].map(PRINTED)
    return plots.intervals(
        drawn.assign(both=both, panel=panel, row=row, printed=printed),
        x="psi", row="row", series="group", panel="panel", printed="printed", xlabel=PSI,
        ylabel="MaxJumps", span=paper.PENALTIES, hollow=("both", "whole jobs saturate"),
        look={group: LOOK[group] for group in PRINTED}, title=title, subtitle=subtitle,
    )  # fmt: skip


#: Where one jump more or less matters.
FEW = 20
#: How jumps are counted, in words.
COUNTING = {"head": "at the head (2008)", "waiting": "over the whole wait (2003)"}


def fits(table: pd.DataFrame, prefix: str = "ci95") -> pd.Series:
    """Return by count and MaxJumps whether no printed threshold lies outside of the intervals.

    `prefix` ``"run"`` takes where a single run of 5,000 jobs falls in place of the mean; one in
    twenty such runs at least must then have the printed order.
    """
    rows = table[table["group"].isin(list(PRINTED))]
    printed, half = rows["group"].map(PRINTED), 0.0005
    low, high = rows[f"{prefix}_low"] - half, rows[f"{prefix}_high"] + half
    inside = (high > printed) & ((low <= printed) | (rows["group"] == "S1"))
    inside &= (rows["warning"] == "") & ((prefix != "run") | (rows["runs_as_told"] >= 0.05))
    return inside.groupby([rows["counted"], rows["max_jumps"]]).all()


def _identified(table):
    """Whether the mean thresholds fit print at the head for some MaxJumps, and else for none."""
    fitting = fits(table)
    head = fitting.index.get_level_values("counted") == "head"
    return fitting[head].any() and not fitting[~head].any()


@study.add_figure(
    "thresholds",
    f"ψ at which jobs above {ABOVE} in {PARTS} components respond as soon as whole; "
    f"load {PRINTED_LOAD}, worst fit",
    lambda scale, seed: {
        (PRINTED_LOAD, jumps, counted): paper.BreakEven(PRINTED_LOAD, jumps, counted)
        for counted, every in (("head", scale.search_jumps), ("waiting", scale.waiting_jumps))
        for jumps in every
    },
    notice="Counted at the head, a few MaxJumps give all three printed thresholds at once",
    when=_identified, draw=_draw_thresholds,
    claims=("CP-2", "CP-3", "CP-10", "CP-13"),
    one_more=lambda label, case: {
        label: instance_of("case", case, paper.BreakEven, "BreakEven(load, max_jumps)")},
)  # fmt: skip
def thresholds(entries: Entries, results: Results) -> pd.DataFrame:
    """Return the thresholds: a row a case and group; no limit of jumps is infinite."""
    rows = []
    for case in dict.fromkeys(entries.values()):
        jumps, found = np.inf if case.max_jumps == NO_LIMIT else case.max_jumps, results[case]
        where = {"load": round(case.load, 4), "max_jumps": jumps, "splitting": "floor"}
        for group, crossing in found.by_group.items():
            ends = interval_columns(crossing.interval, "psi")
            answer = crossing.answer + " of the maximal utilization" * found.saturated
            known = {"answer": answer, "warning": ends.pop("warning"), "counted": case.counted}
            run = found.one_run[group].interval if found.one_run else Interval.exact(np.nan)
            known |= {"run_low": run.low, "run_high": run.high, "runs_as_told": found.told}
            rows.append(where | {"group": group} | ends | known)
    return pd.DataFrame(rows)


def _draw_jumps(table, title, subtitle):
    """Draw the thresholds over MaxJumps, where one more or less matters."""
    drawn = table[table["group"].isin(list(PRINTED)) & (table["max_jumps"] <= FEW)]
    drawn = drawn[(drawn["counted"] == "head") & np.isfinite(drawn["psi"])]
    levels = {f"{name} {'over ' * (name == 'S1')}{psi:.3f}": psi for name, psi in PRINTED.items()}
    return plots.lines(
        drawn, x="max_jumps", y="psi", line="group", levels=levels, look=LOOK, ylabel=PSI,
        xlabel="MaxJumps, counted at the head", title=title, subtitle=subtitle,
    )  # fmt: skip


study.add_figure(
    "jumps",
    "ψ at which splitting breaks even, by MaxJumps; dashed: the printed thresholds",
    study.figures["thresholds"].cases, draw=_draw_jumps, when=_identified,
    notice="The three thresholds that the paper prints meet at a few MaxJumps",
    otherwise="Which MaxJumps did they use?",
    claims=("CP-2", "CP-3"), one_more=study.figures["thresholds"].one_more,
)(thresholds)  # fmt: skip
