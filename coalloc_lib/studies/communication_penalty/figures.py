"""The study: its scales, Figures 1 to 6, the thresholds, and maps of where splitting pays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, product
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
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.responses import LoadedScenario, jumps_label, served
from coalloc_lib.studies.core import Entries, Results, Scale, Study, interval_columns, scales

ABOVE, PARTS, PRINTED_LOAD, NO_LIMIT = paper.ABOVE, paper.PARTS, paper.PRINTED_LOAD, paper.NO_LIMIT
STREAM, GROUPS, NAMES = paper.STREAM, paper.GROUPS, paper.NAMES
#: Thresholds that the paper prints in section 6; that of S1 is a lower limit.
PRINTED = {STREAM: 0.185, "S4": 0.160, "S1": 0.3}
#: Penalties that are drawn for each job, of the same mean as the constant one.
CONSTANT, SPREAD = 0.1, Between(0.001, 0.199)
#: A job is split whatever is idle, or only where it cannot start whole.
PLACEMENTS = {"always": WorstFit(), "at need": SingleThenSpan(WorstFit())}

study = Study(
    "communication-penalty",
    "Up to which penalty does it pay to split large jobs over clusters?",
    seed=2008,
    scales=scales(
        jobs=(10_000, 60_000), runs=(10, 12), search_runs=(10, 27), search_budget=(11, 20),
        map_jobs=(1_000, 10_000), map_runs=(6, 12),
        # The paper gives no MaxJumps: each claim about a direction is asked of several.
        jumps=((5, 20, 100), (5, 20, 100)),
        search_jumps=((5, 20, 100), (0, 5, 10, 20, 50, 100, 200, NO_LIMIT)),
        map_jumps=((20,), (0, 20, 100, NO_LIMIT)),
        # Of Figure 1, of Figure 3 (the paper says only that they are four), and of maps.
        along=((0.0, 0.1, 0.2, 0.3), (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        penalties=((0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)),
        map_penalties=((0.0, 0.1, 0.2, 0.4), (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)),
        # Splitting thresholds, of which the last splits none.
        above=((3, 5, 10, 16, 19), (3, 4, 5, 7, 8, 10, 12, 14, 16, 19)),
        map_above=((3, 7, 10, 16), (3, 5, 7, 10, 13, 16)),
        # Of Figure 4, of which the paper prints one, and of maps.
        loads=((0.5, PRINTED_LOAD), (0.5, 0.6, 0.7, PRINTED_LOAD)),
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
#: Samples that are drawn to see how far they stray.
SAMPLES = 400


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


def fitting_size(printed: Mapping[tuple[str, str], float] = PRINTED_SHARES) -> int:
    """Return how many jobs a sample has whose shares stray as far as those printed (Pearson)."""
    exact = {(JOBS, name): EXACT_SHARES[JOBS, name] for name in GROUPS}
    return round((len(exact) - 1) / sum((printed[at] - p) ** 2 / p for at, p in exact.items()))


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
    "marks: exact; lines: 95 % of samples, whose shares of jobs stray as far as the printed ones",
    lambda scale, seed: {"samples": Samples(fitting_size(), seed)}, draw=_draw_shares,
    notice="Samples explain the printed shares of jobs, but not the loads of S1 and S2",
    when=lambda t: [*t["explained"][:6]] == [True] * 4 + [False] * 2, claims=("CP-1",),
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


def beside(
    case: LoadedScenario, against: str = NOBODY_SPLIT
) -> tuple[LoadedScenario, LoadedScenario]:
    """Return a case, and what it is held against: whole jobs, the same penalty for all, itself."""
    if against == SAME_PENALTY:
        jobs = case.jobs.with_(span_penalty=CONSTANT)
        return case, replace(case, scenario=case.scenario.with_(workload=jobs))
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
    if isinstance(policy, FCFS | FPFS) and policy != paper.passing(jumps):
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
    for (jumps, line, place), (one, other) in entries.items():
        mine, theirs = results[one], results[other]
        case = one.columns() | {"max_jumps": jumps_label(jumps), "line": line, "place": place}
        end = {"max_utilization": mine.max_utilization.mean, "saturated": mine.saturated}
        for group in groups:
            times = {"response": mine.mean(group), "response_against": theirs.mean(to or group)}
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
    drawn = drawn[(table["line"] == "") | (table["group"] == table["group"].iloc[0])]
    lines = drawn["line"].mask(drawn["line"] == "", drawn["group"])
    names = list(lines.unique())
    look = LOOK if names[0] in LOOK else plots.shades([*names, "the lightest"])
    added = (name for name in names if name not in look)
    return plots.lines(
        drawn.assign(line=lines, panel="MaxJumps " + drawn["max_jumps"]), x="place", y="ratio",
        line="line", panel="panel", xlabel=xlabel, factors=True, level=(against, 1.0),
        ylabel=f"mean response time\nover that with {against}",
        look=look | dict(zip(added, cycle(OWN[2:]), strict=False)),
        title=title, subtitle=subtitle, **how,
    )  # fmt: skip


def _turns(table, pays, loses):
    """Whether splitting is certain to pay in all rows with the first values, and lose in others."""
    sooner, later = pick(table, **pays), pick(table, **loses)
    won = (sooner["ci95_high"] < 1) & (sooner["warning"] == "")
    lost = ((later["ci95_low"] > 1) | later["saturated"]) & (later["warning"] == "")
    return len(won) and len(lost) and won.all() and lost.all()


def _less(table, one, other):
    """Whether the intervals of rows are all below those of all others, panel by panel."""
    both = pick(table, **one).merge(pick(table, **other), on="max_jumps", suffixes=("", "_2"))
    less = (both["ci95_high"] < both["ci95_low_2"]) & (both["warning"] + both["warning_2"] == "")
    return len(both) > 0 and less.all()


def _add_ratios(
    name, shows, points, groups=NAMES, against=NOBODY_SPLIT, claims=(), notice="", when=None, **draw
):
    """Add a figure of ratios: of points as line, place, penalty, load and threshold."""

    def cases(scale, seed):
        return {
            (jumps, line, place): beside(
                served(jumps, load, above=above, parts=PARTS, span_penalty=psi), against
            )
            for jumps, (line, place, psi, load, above) in product(scale.jumps, points(scale))
        }

    study.add_figure(
        name, f"Figure {name[-1]}: {shows}", cases, notice=notice, when=when, claims=claims,
        draw=partial(draw_ratios, against=against, **draw),
        one_more=partial(one_more_point, against=against),
    )(partial(ratio_table, groups=tuple(groups), against=against))  # fmt: skip


_add_ratios(
    "figure1", f"jobs above {ABOVE} in {PARTS} components; {SETTING}",
    lambda scale: [("", psi, psi, PRINTED_LOAD, ABOVE) for psi in scale.along],
    notice="Splitting the largest jobs pays without a penalty and loses at ψ = 0.3",
    when=lambda t: _turns(pick(t, group=STREAM), {"psi": 0}, {"psi": 0.3}),
    xlabel=PSI, bare=BARE,
    printed=pd.DataFrame({"line": PRINTED.keys(), "place": PRINTED.values()}),
)  # fmt: skip
_add_ratios(
    "figure2", f"ψ = 0.05; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (0.05, PRINTED_LOAD)}),
    notice="The largest jobs respond sooner if all above 3 are split than if those above 16 are",
    when=lambda t: _less(t, *({"group": "S4", "above": above} for above in (3, 16))),
    claims=("CP-4",), bare=BARE,
)  # fmt: skip
_add_ratios(
    "figure3", f"jobs of S4 (7 to 19 processors); {SETTING}",
    lambda s: along_thresholds(s, {f"ψ = {psi:g}": (psi, PRINTED_LOAD) for psi in s.penalties}),
    notice="Splitting all jobs above 3 pays at ψ = 0.05 and loses at ψ = 0.2",
    when=lambda t: _turns(pick(t, above=3), {"psi": 0.05}, {"psi": 0.2}),
    groups=("S4",), claims=("CP-5",),
)  # fmt: skip
_add_ratios(
    "figure4", f"all jobs, ψ = {CONSTANT}; 5×20, D(0.85), FPFS, worst fit",
    lambda s: along_thresholds(s, {f"load {load:g}": (CONSTANT, load) for load in s.loads}),
    notice="With MaxJumps 5, splitting all jobs above 3 pays at load 0.786 and loses at 0.5",
    when=lambda t: _turns(pick(t, max_jumps="5", above=3), {"load": 0.786}, {"load": 0.5}),
    groups=(STREAM,), claims=("CP-6",),
)  # fmt: skip
_add_ratios(
    "figure5", f"ψ drawn from U[0.001, 0.199] for each job; {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-1),
    notice="Penalties that differ from job to job change fewer than a tenth of the points visibly",
    when=lambda t: pick(t.dropna(subset="ratio"), warning="").eval(
        "ci95_low > 1 or ci95_high < 1").mean() < 0.1,
    groups=GROUPS, against=SAME_PENALTY, claims=("CP-7",),
)  # fmt: skip
_add_ratios(
    "figure6", f"split jobs by their own ψ (C1 < 0.05 < C2 < 0.10 < C3 < 0.15 < C4); {SETTING}",
    lambda scale: along_thresholds(scale, {"": (SPREAD, PRINTED_LOAD)}, last=-1),
    notice="If all above 3 are split, jobs of the highest penalty respond later than of the lowest",
    when=lambda t: _less(t, *({"group": name, "above": 3} for name in ("C1", "C4"))),
    groups=paper.BY_PENALTY, against=paper.ALL_SPLIT, claims=("CP-8",),
)  # fmt: skip


def _draw_thresholds(table, title, subtitle):
    drawn = table[table["group"].isin(list(PRINTED))]
    row = drawn["max_jumps"].map(lambda jumps: "no limit" if jumps == np.inf else f"{jumps:.0f}")
    both = drawn["answer"].str.endswith(("both saturate", "maximal utilization"))
    return plots.intervals(
        drawn.assign(
            panel=drawn["load"].map("load {:.3f}".format), row=row,
            printed=drawn["group"].map(PRINTED), both=both,
        ),
        x="psi", row="row", series="group", panel="panel", printed="printed", xlabel=PSI,
        ylabel="MaxJumps", span=paper.PENALTIES, hollow=("both", "whole jobs saturate"),
        look={group: LOOK[group] for group in PRINTED}, title=title, subtitle=subtitle,
    )  # fmt: skip


def _never_together(table):
    """Whether in every case one of the printed thresholds at least is certain not to come out."""
    printed = table["group"].map(PRINTED)
    below = (table["ci95_low"] > printed) & (table["group"] != "S1")
    out = (below | (table["ci95_high"] < printed)) & (table["warning"] == "")
    cases = out.groupby([table["load"], table["max_jumps"]]).any()
    return len(cases) > 0 and cases.all()


@study.add_figure(
    "thresholds",
    f"ψ at which jobs above {ABOVE} in {PARTS} components respond as soon as whole; worst fit",
    lambda scale, seed: {
        at: paper.BreakEven(*at)
        for at in product((PRINTED_LOAD, paper.EXACT_LOAD), scale.search_jumps)
    },
    notice="The three printed thresholds come out together nowhere", when=_never_together,
    draw=_draw_thresholds, claims=("CP-2", "CP-3"),
    one_more=lambda label, case: {
        label: instance_of("case", case, paper.BreakEven, "BreakEven(load, max_jumps)")},
)  # fmt: skip
def thresholds(entries: Entries, results: Results) -> pd.DataFrame:
    """Return the thresholds: a row a case and group; no limit of jumps is infinite."""
    rows = []
    for case in dict.fromkeys(entries.values()):
        jumps = np.inf if case.max_jumps == NO_LIMIT else case.max_jumps
        where = {"load": round(case.load, 4), "max_jumps": jumps, "splitting": "floor"}
        for group, crossing in results[case].by_group.items():
            ends = interval_columns(crossing.interval, "psi")
            answer = crossing.answer + " of the maximal utilization" * results[case].saturated
            known = {"answer": answer, "warning": ends.pop("warning")}
            rows.append(where | {"group": group} | ends | known)
    return pd.DataFrame(rows)


#: How cells look where one side saturates, and what that means.
MARKS = {
    "split": ("longer", "∞: only the split jobs may be saturated"),
    "whole": ("shorter", "−∞: only the whole ones may be"),
    "both": ("neither", "×: both may be"),
}


def one_more_cell(label: Any, case: Any) -> Entries:
    """Return what a reader adds: panel, row and column in words, and a `LoadedScenario`."""
    instance_of("case", case, LoadedScenario, "served(max_jumps, load, above=...)")
    if not (isinstance(label, tuple) and [*map(type, label)] == [str] * 3):
        raise InputError(f"label = {shown(label)}; give the panel, row and column, in words")
    return {label: beside(replace(case, cell=True))}


def change_table(entries: Entries, results: Results) -> pd.DataFrame:
    """Return by how many percent splitting changes responses: a row a cell and group."""
    rows = []
    for label, (split, whole) in entries.items():
        where = dict(zip(("panel", "row", "column"), label, strict=True)) | split.columns()
        pair = results[split], results[whole]
        rows += [where | {"group": name} | paper.change(*pair, name) for name in NAMES]
    return pd.DataFrame(rows)


def draw_map(
    table: pd.DataFrame, title: str = "", subtitle: str = "", ylabel: str = "", group: str = STREAM
) -> Picture:
    """Draw the maps of a group of jobs."""
    drawn = pick(table, group=group)
    gone, kinds = drawn["saturated"] != "", drawn["saturated"].unique()
    open_ = drawn["verdict"].where(drawn["verdict"] == "undecided", "")
    ends = {name: drawn[name].mask(gone) for name in ("change", "ci95_low", "ci95_high")}
    texts = [f"mean response of {'all jobs' if group == STREAM else group}", subtitle]
    texts += ["hatched: undecided", *(words for kind, (_, words) in MARKS.items() if kind in kinds)]
    mark = drawn["saturated"].map({"": ""} | {kind: mark for kind, (mark, _) in MARKS.items()})
    return plots.maps(
        drawn.assign(mark=mark, warning=drawn["warning"].mask(gone, open_), **ends),
        x="column", y="row", value="change", panel="panel", mark="mark", xlabel="penalty ψ",
        ylabel=ylabel, values="change, %", title=title, subtitle="; ".join(filter(None, texts)),
    )  # fmt: skip


def _more(table, verdict, one, other):
    """Whether more cells with the first values than with others have this verdict on all jobs."""
    counts = [len(pick(table, group=STREAM, verdict=verdict, **each)) for each in (one, other)]
    return counts[0] > counts[1]


def _cell(jumps, load=PRINTED_LOAD, placement="always", above=ABOVE, parts=PARTS, **split):
    asked = served(jumps, load, above=above, parts=parts, **split).scenario
    return beside(LoadedScenario(asked.with_(placement=PLACEMENTS[placement]), load, cell=True))


def _add_map(name, shows, ylabel, row, panel="{policy}", notice="", when=None, **axes):
    """Add a map; its cells are a product of axes: values of `_cell`, or where a scale has them."""

    def cases(scale, seed):
        values = [getattr(scale, axis) if isinstance(axis, str) else axis for axis in axes.values()]
        entries = {}
        for at in (dict(zip(axes, point, strict=True)) for point in product(*values)):
            policy = f"FPFS({jumps_label(at['jumps'])})" if at["jumps"] else "FCFS"
            words = (each.format(policy=policy, **at) for each in (panel, row))
            entries[*words, f"{at['span_penalty']:g}"] = _cell(**at)
        return entries

    study.add_figure(
        name, f"{shows}, worst fit, against the same jobs whole", cases,
        draw=partial(draw_map, ylabel=ylabel), notice=notice, when=when, one_more=one_more_cell,
    )(change_table)  # fmt: skip


for _jumps, _notice, _when in (
    (20, "Splitting pays in more cells at the highest load than at the lowest",
     lambda t: _more(t, "gains", {"load": t["load"].max()}, {"load": t["load"].min()})),
    (NO_LIMIT, "Passed without limit, jobs split at ψ = 0.2 lose in some cells and gain in none",
     lambda t: {"loses"} <= {*pick(t, group=STREAM, psi=0.2)["verdict"]} <= {
         "loses", "undecided", "both saturate"}),
):  # fmt: skip
    _add_map(
        f"viability-{jumps_label(_jumps).replace(' ', '-')}",
        f"jobs above a size in {PARTS} components, FPFS({jumps_label(_jumps)})",
        "splits jobs above", "{above}", "load {load:.3f}", _notice, _when,
        jumps=(_jumps,), load="map_loads", above="map_above", span_penalty="map_penalties",
    )  # fmt: skip
_add_map(
    "components", f"jobs above {ABOVE} in components, load {PRINTED_LOAD}", "components", "{parts}",
    notice="Five components gain least: each job then needs room on every cluster",
    when=lambda t: all(_more(t, "gains", {"parts": n}, {"parts": 5}) for n in (2, 3, 4)),
    jumps="map_jumps", parts=(2, 3, 4, 5), span_penalty="map_penalties",
)  # fmt: skip
_add_map(
    "adaptive",
    f"load {PRINTED_LOAD}, {PARTS} components, always or only of jobs that cannot start whole",
    "", "above {above}, {placement}",
    notice="Split at need, jobs above 3 lose in fewer cells than if they are always split",
    when=lambda t: _more(t, "loses", {"row": "above 3, always"}, {"row": "above 3, at need"}),
    jumps="map_jumps", above=(ABOVE, 3), placement=PLACEMENTS, span_penalty="map_penalties",
)  # fmt: skip
_add_map(
    "kept-whole", f"load {PRINTED_LOAD}, jobs above {ABOVE} in {PARTS} components but for a share",
    "cannot be split", "{kept_whole:.0%}",
    notice="Where a quarter cannot be split, splitting the others pays less often",
    when=lambda t: _more(t, "gains", {"kept_whole": 0.0}, {"kept_whole": 0.25}),
    jumps="map_jumps", kept_whole=(0.0, 0.25, 0.5, 0.75), span_penalty="map_penalties",
)  # fmt: skip
