"""The paper's figures and tables, and further ones: every policy, certainty, changes, clusters."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.calendar.trees import leaves, worked_example
from coalloc_lib.checks import InputError, shown
from coalloc_lib.intervals import Interval, student
from coalloc_lib.studies.core import Results, interval_columns
from coalloc_lib.studies.online_batch import runs
from coalloc_lib.studies.online_batch.runs import HOUR, Case, standard, study

CTC, KTH, ONE, ONLINE, RECORDED = runs.CTC, runs.KTH, runs.ONE, runs.ONLINE, runs.RECORDED
LEAST, ASKED = runs.LEAST, runs.ASKED
EXACT, REQUESTED = LENGTHS = runs.LENGTHS
#: What the paper prints: of the logs (servers, jobs, mean length in hours: Table 1), the longest
#: waits in hours (section 5.1), and attempts a request by group of servers (Table 2).
FEATURES = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), runs.HPC2N: (240, 202_825, 4.72)}
LONGEST = {
    (CTC, LEAST): 19.0, (CTC, RECORDED): 674.0, (KTH, LEAST): 75.0, (KTH, RECORDED): 272.5,
}  # fmt: skip
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}
#: Lengths in hours at which their distribution is drawn; jobs of the middle (Figure 3).
LENGTHS_AT, MIDDLE = np.geomspace(1 / 60, 60, 80), (2.0, 10.0)
#: Who is given reservations: words of lines, and policies.
BY_SHARE = {"online": LEAST, "conservative": "conservative"}
#: What is still about constant.
CONSTANT = (0.8, 1.25)
#: What waits are counted from: Figures 6 and 7, and the definition of section 5.
SINCE = {"wait": "from the request", "delay": "from the start asked for"}

_MEANT = {
    ONLINE: "Online", LEAST: "Online", "EASY": "EASY", "conservative": "Conservative",
    "FCFS": "FCFS", "FPFS(50)": "FPFS", ONE: "one cluster", "spread at once": "flexible",
    "one cluster first": "single then span",
}  # fmt: skip
LOOK = {name: plots.MEANINGS[meaning] for name, meaning in _MEANT.items()}
LOOK |= {RECORDED: plots.Sign("#000000", "o")}
RUN_TIMES = "lengths told: the run times"
WEEKS = f"{RUN_TIMES}; bands: 95 %, weeks drawn anew"
AHEAD = f"asked for 0 to 3 hours ahead; {RUN_TIMES}; bands: 95 %, over drawings"
REFUSALS = "intervals: 95 %, weeks drawn anew; in words: share of the work that is refused"
LOGLOG, LONGER = ("log", "log"), "share of the jobs that wait longer"
LINES = {"x": "at", "y": "estimate", "line": "line", "panel": "panel", "names": "legend"}


def _trend(table, **how):
    return plots.lines(table, **LINES | {"look": LOOK} | how)


def _steps(names):
    """Return shades for the steps of a quantity, without the lightest, which is hard to read."""
    return dict([*plots.shades([*dict.fromkeys(names), "one more"]).items()][:-1])


def _described(case):
    known = {"log": case.log.title, "servers": case.servers}
    return known | {"length": case.length, "policy": case.policy}


def _point(label, case, at, interval):
    """Return a point of a figure as a row; its label is the line, or the line is its last part."""
    known = {"panel": case.machine, "line": label if isinstance(label, str) else label[-1]}
    return known | _described(case) | {"at": at} | interval_columns(interval)


def over_draws(values: Iterable[float], share: float = 1.0) -> Interval:
    """Return the interval of a mean over drawings; without reservations nothing is drawn."""
    values = list(values)
    if len(values) > 1:
        return student(values)
    if not share or not values:
        return Interval.exact(values[0]) if values else runs.NOTHING
    return Interval(values[0], np.nan, np.nan, 1, warning="one drawing")


def _sure(holds, table):
    """Ask rows, if there are any; what is unknown or in doubt may be anything."""
    low, high = (table[f"ci95_{end}"].where(table["warning"] == "") for end in ("low", "high"))
    table = table.assign(low=low.fillna(-np.inf), high=high.fillna(np.inf))
    return len(table) > 0 and bool(holds(table))


def _own_case(label, case):
    """Return what a reader adds: a case, by the name of its line."""
    if not isinstance(label, str) or not isinstance(case, Case):
        given = f"add({shown(label)}, {shown(case)})"
        raise InputError(f"{given}; give a text and a Case: ('mine', standard(log, 'FPFS(50)'))")
    return {label: case}


def _compared(
    scale, seed, names=(CTC, KTH), policies=(LEAST, RECORDED, *runs.OWN_BATCH), lengths=(EXACT,)
):
    """Return policies on each log by the lengths told."""
    return {
        (name, length, policy): standard(log, policy, length=length)
        for name, log in runs.logs(names or scale.logs).items()
        for length in lengths
        for policy in policies
        if policy != RECORDED or log.has_waits
    }


@study.add_figure(
    "figure1", "Figures 1 and 2: what the search marks in the worked example, in order",
    lambda scale, seed: {}, claims=("OB-1",),
)  # fmt: skip
def _worked_search(entries: Mapping, results: Results) -> pd.DataFrame:
    book, periods, (_, start, length, servers) = worked_example()
    names = {period: name for name, period in periods.items()}
    search = book.search(start, start + length, servers)
    marks = [("phase 1", [*leaves(node)]) for node in search.candidates]
    marks += [("phase 2", [*leaves(node)]) for node in search.feasible]
    marks += [("accepted", [period]) for period in search.found]
    rows = ((part, "".join(names[period] for period in group)) for part, group in marks)
    return pd.DataFrame(rows, columns=["part", "periods"])


def _as_recorded(scale, seed):
    return {name: standard(log, RECORDED) for name, log in runs.logs().items()}


@study.add_figure(
    "table1", "Table 1: servers, jobs and mean lengths of the logs", _as_recorded, claims=("OB-2",)
)
def _features(entries: Mapping, results: Results) -> pd.DataFrame:
    printed = "printed_servers", "printed_jobs", "printed_length_h"
    return pd.DataFrame(
        {"log": case.log.title, "servers": case.servers, "jobs": len(case.log.jobs)}
        | {"mean_length_h": case.log.jobs.runtime.mean() / HOUR}
        | {"mean_requested_h": case.log.jobs.estimate.mean() / HOUR}
        | dict(zip(printed, FEATURES[name], strict=True))
        for name, case in entries.items()
    )


@study.add_figure(
    "figure3", f"Figure 3, KTH: wait over length, by length; {WEEKS}",
    partial(_compared, names=(KTH,)),
    draw=lambda table, **words: _trend(
        table, xlabel="length (hours)", ylabel="mean of wait / length",
        scales={p: LOGLOG if "all" in p else ("linear", "log") for p in table["panel"]}, **words,
    ),
    notice="Booked, or with EASY, the shortest jobs wait less than half as long as they did",
    when=partial(_sure, lambda table: (
        (first := table.groupby("line").first()).loc[[LEAST, "EASY"], "high"].max()
        < first["low"].get(RECORDED, 0) / 2
    )),
    claims=("OB-3",), one_more=_own_case,
)  # fmt: skip
def _penalties(entries: Mapping, results: Results) -> pd.DataFrame:
    table = pd.DataFrame(
        # The last group is drawn half as far out again.
        _point(label, case, 1.5 * low if high == np.inf else (low + high) / 2, mean)
        for label, case in entries.items()
        for low, high, mean in results[case].by_group("penalty by length", "jobs by length")
    )
    some = table[table["at"].between(*MIDDLE)].assign(panel="jobs of 2 to 10 hours")
    return pd.concat([table.assign(panel=table["panel"] + ", all jobs"), some], ignore_index=True)


def _tails(entries: Mapping, results: Results) -> pd.DataFrame:
    """Return the share of jobs that wait longer than each of `WAITS`, over drawings their mean."""
    rows = []
    for label, cases in entries.items():
        is_drawn = isinstance(cases, tuple)
        first, *_ = cases = cases if is_drawn else (cases,)
        panel = {"panel": label[1]} if is_drawn else {}
        each = zip(runs.WAITS, *(results[case].longer for case in cases), strict=True)
        means = ((at, over_draws(shares, first.share)) for at, *shares in each if any(shares))
        rows += [_point(label, first, at, mean) | panel for at, mean in means]
    return pd.DataFrame(rows)


def _draw_tails(table, **words):
    """Draw the lines on each machine, and at the foot the longest waits that are printed."""
    printed = [
        {"panel": panel, "line": policy, "at": at, "estimate": np.nan}
        for panel, lines in table.groupby("panel")["line"]
        for (name, policy), at in LONGEST.items()
        if panel.startswith(name) and policy in set(lines)
    ]
    return _trend(
        table, scales=LOGLOG, stairs=True, printed=pd.DataFrame(printed), xlabel="wait (hours)",
        ylabel=LONGER, **words,
    )  # fmt: skip


study.add_figure(
    "figure4", f"Figure 4(a): the distribution of waits; {RUN_TIMES}; at the foot: longest waits",
    _compared, draw=_draw_tails,
    notice="The longest waits are the record's: over twice those of booking and of backfilling",
    when=partial(_sure, lambda table: (
        (ends := table["at"].where(table["low"] > 0).groupby([table["panel"], table["line"]]).max()
         .unstack()).get(RECORDED, 0)
        > 2 * ends[[LEAST, "EASY", "conservative"]].max(axis=1, skipna=False)
    ).all()),
    claims=("OB-4", "OB-5"), one_more=_own_case,
)(_tails)  # fmt: skip


@study.add_figure(
    "figure4_lengths", "Figure 4(b): the distribution of run times", _as_recorded,
    draw=lambda table, **words: plots.lines(
        table, x="at", y="estimate", line="log", scales=("log", "linear"), stairs=True,
        look=_steps(table["log"]), xlabel="length (hours)",
        ylabel="share of the jobs\nthat are no longer", **words,
    ),
    notice="About two thirds of the jobs of each log take less than two hours",
    when=lambda table: (
        (shares := table[table["at"] <= 2].groupby("log")["estimate"].max()).min() >= 0.6
        and shares.max() <= 0.75
    ),
)  # fmt: skip
def _lengths(entries: Mapping, results: Results) -> pd.DataFrame:
    parts = []
    for case in entries.values():
        hours = np.sort(case.log.jobs.runtime) / HOUR
        shares = np.searchsorted(hours, LENGTHS_AT, side="right") / len(hours)
        parts.append(pd.DataFrame(_described(case) | {"at": LENGTHS_AT, "estimate": shares}))
    return pd.concat(parts, ignore_index=True)


@study.add_figure(
    "figure5", f"Figure 5: mean wait by servers asked for; {WEEKS}", _compared,
    draw=partial(_trend, scales=LOGLOG, xlabel="servers asked for", ylabel="mean wait (hours)"),
    notice="The widest jobs wait longer than the narrowest under every policy but FCFS",
    when=partial(_sure, lambda table: (
        (ends := table[table["line"] != "FCFS"].groupby(["panel", "line"]))["low"].last()
        > ends["high"].first()
    ).all()),
    claims=("OB-6",), one_more=_own_case,
)  # fmt: skip
def _waits_by_width(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        _point(label, case, (low + 1 + high) / 2, mean)
        for label, case in entries.items()
        for low, high, mean in results[case].by_group("wait by size", "jobs by size")
    )


@study.add_figure(
    "readings", "KTH: what comes out over what is printed, by how the paper is read; "
    "a replay of a log is exact", runs.read_so,
    draw=lambda table, **words: plots.intervals(
        table[table["log"].str.startswith(KTH)].dropna(subset="ratio"), x="ratio", row="row",
        series="number", factors=True, xlabel="what came out over what is printed", **words,
    ),
    notice="With 100 servers and 5 or 10 minutes at least, KTH comes out nearly as printed",
    when=lambda table: (
        (near := table[table["log"].eq(KTH) & table["servers"].eq(100) & table["ratio"].notna()
                       & table["reading"].str.contains("^5 min|^10 min")]["ratio"]).size > 0
        and bool(near.between(0.85, 1.15).all())
    ),
    claims=("OB-7", "OB-14"),
)  # fmt: skip
def _readings(entries: Mapping, results: Results) -> pd.DataFrame:
    rows = []
    for (name, servers, reading), case in entries.items():
        found = runs.replayed(results[case])
        numbers = {f"attempts ({a}:{b}]": tried for (a, b), tried in TABLE2[name].items()}
        for number, printed in {"longest wait": LONGEST[name, LEAST], **numbers}.items():
            value = found.get(number, np.nan)
            row = {"log": case.log.title, "servers": servers, "reading": reading}
            row |= {"row": f"{servers} servers, {reading}", "number": number, "printed": printed}
            ratio = interval_columns(Interval.exact(value / printed), "ratio")
            rows.append(row | {"reproduced": value} | ratio)
    return pd.DataFrame(rows)


def _reserved(scale, seed, names, policy=LEAST):
    """Return a policy by machine and share of reservations, a case a drawing."""
    return {
        (standard(log).machine, share): tuple(
            standard(log, policy, share=share, draw=draw)
            for draw in range(scale.draws if share else 1)
        )
        for log in runs.logs(names).values()
        for share in scale.shares
    }


def _beside_batch(scale, seed):
    """Return two logs by share of reservations, booked and queued, and what was recorded."""
    names = [name for name in (CTC, KTH) if name in scale.dear_logs]
    shares = {
        (machine, word, f"ρ = {share:g}"): cases
        for word, policy in BY_SHARE.items()
        for (machine, share), cases in _reserved(scale, seed, names, policy).items()
        if share < 1
    }
    return shares | {
        (standard(log).machine, word, RECORDED): (standard(log, RECORDED),)
        for word in BY_SHARE
        for log in runs.logs(names).values()
        if log.has_waits
    }


study.add_figure(
    "figure6", f"Figure 6: waits by share ρ of reservations, {AHEAD}", _beside_batch,
    draw=lambda table, **words: _trend(
        table, row="log", scales=LOGLOG, stairs=True, dashed=[RECORDED],
        ylabel=LONGER.replace(" that", "\nthat"),
        look=_steps(line for line in table["line"] if line != RECORDED) | LOOK,
        xlabel="wait from the request (hours)", **words,
    ),
    notice="Counted from the request, reservations lengthen the short waits and not the long ones",
    when=partial(_sure, lambda table: (
        (at := table[table["line"] != RECORDED].groupby(["at", "panel", "log"]))["low"].last()[2]
        .gt(at["high"].first()[2]).all()
        and at["high"].last()[12].lt(CONSTANT[1] * at["low"].first()[12]).all()
    )),
    claims=("OB-8",),
)(_tails)  # fmt: skip


@study.add_figure(
    "figure7a", f"Figure 7(a): mean wait by share of reservations, {AHEAD}",
    lambda scale, seed: {
        (f"{machine.split()[0].rstrip(',')}, {word}", share): cases
        for word, policy in BY_SHARE.items()
        for (machine, share), cases in _reserved(scale, seed, scale.dear_logs, policy).items()
    },
    draw=lambda table, **words: _trend(
        table, look=_steps(table["line"]), ylabel="mean wait (hours)",
        xlabel="share of advance reservations, ρ", **words,
    ),
    notice="Reservations lengthen waits counted from the request, not from the start asked for",
    when=partial(_sure, lambda table: (
        (asked := table["panel"].eq(SINCE["wait"])).any()
        and ((lines := table[asked].groupby("line"))["low"].last() > lines["high"].first()).all()
        and (rest := table[~asked].groupby("line"))["high"].last()
        .lt(1.25 * rest["high"].first()).all()
    )),
    claims=("OB-9",),
)  # fmt: skip
def _waits_by_share(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        _point(line, cases[0], share, over_draws(waits, share)) | {"panel": since}
        for (line, share), cases in entries.items()
        for name, since in SINCE.items()
        if (waits := [results[case].mean(name) for case in cases])
    )


@study.add_figure(
    "figure7b", "Figure 7(b): operations a request by share of reservations, on "
    "the paper's trees, in a busy part of the log; a horizon of 7 days in 7 slots",
    lambda scale, seed: {
        (standard(log).machine, share, draw):
            runs.OnTrees(standard(log, LEAST, share=share, draw=draw))
        for log in runs.logs(scale.dear_logs).values()
        for share in scale.tree_shares
        for draw in range(runs.TREE_DRAWS if share else 1)
    },
    draw=lambda table, **words: plots.intervals(
        _over_none(table), x="ratio", row="part", series="of", factors=True,
        xlabel="operations a request, over those without reservations", **words,
    ),
    notice="Reservations leave the dear part, the update of the trees, nearly as it is",
    when=lambda table: _sure(
        lambda ratios: ratios["low"].min() > CONSTANT[0] and ratios["high"].max() < CONSTANT[1],
        _over_none(table).query("part == 'update'"),
    ),
    claims=("OB-10",),
)  # fmt: skip
def _operations(entries: Mapping, results: Results) -> pd.DataFrame:
    rows = [[*label, *results[case].values()] for label, case in entries.items()]
    return pd.DataFrame(rows, columns=["log", "share", "draw", *runs.PHASES, "attempts"])


def _over_none(table):
    """Return each part of the work at each share, over that without reservations."""
    table = table.assign(search=table[[*runs.PHASES[:2]]].sum(axis=1))
    return pd.DataFrame(
        {"part": part, "of": f"{log} servers, ρ = {share:g}"}
        | interval_columns(
            over_draws(its, share).times(1 / each[part][each["share"] == 0].mean()), "ratio"
        )
        for part, (log, each) in product(("attempts", "search", "update"), table.groupby("log"))
        for share, its in each[each["share"] > 0].groupby("share")[part]
    )


def power(results: Results, panel: str, part: str, of_logarithm: bool = False) -> Interval:
    """Return the power of its number, or of its logarithm, with which a part grows."""
    cases = runs.growing(results.scale, results.seed)
    mine = {at: results[case][part] for (its, at), case in cases.items() if its == panel}
    at = np.array([*mine], dtype=float)
    x = np.log(np.log2(at) if of_logarithm else at)
    x = x - x.mean()
    return student(x @ np.log([*mine.values()]) / (x @ x))


@study.add_figure(
    "growth", "Section 4.3: random requests on the paper's trees, {servers} servers, {slots} slots "
    "and {wanted} servers asked for where they are not varied; phases an attempt, update a "
    "request".format(**runs.GROWTH_AT),
    runs.growing,
    draw=partial(
        plots.intervals, x="exponent", row="part", panel="panel",
        xlabel="fitted power: at 0 more of it changes nothing, at 1 twice as much doubles the work",
    ),
    notice="Looking is cheap; an update grows with the slots and with the servers asked for",
    when=partial(_sure, lambda table: (
        table.query("part.str.startswith('phase') and panel != @ASKED")["high"].max()
        < 0.5 < table.query("part == 'update' and panel != 'servers N'")["low"].min()
    )),
    claims=("OB-11",),
)  # fmt: skip
def _growth(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        {"panel": panel, "part": part, "at": at, "operations": np.mean(results[case][part])}
        | interval_columns(power(results, panel, part), "exponent")
        for part in runs.PHASES
        for (panel, at), case in entries.items()
    )


def _rows_with_refusals(table, **how):
    """Draw intervals in rows; beside them which share of the work is refused, where any is."""
    words = [f"{100 * work:.2g} % refused" if work > 0 else "" for work in table["refused_work"]]
    return plots.intervals(table.assign(words=words), panel="panel", words="words", **how)


@study.add_figure(
    "waits", f"every policy on the servers of each log's machine; {REFUSALS}",
    partial(_compared, names=(), lengths=LENGTHS,
            policies=(*(p for p in runs.POLICIES if p != LEAST), RECORDED)),
    draw=lambda table, **words: _rows_with_refusals(
        table.assign(panel="lengths " + table["length"]), x="mean_wait_h", row="log",
        series="policy", log=True, look=LOOK, xlabel="mean wait (hours)", row_height=0.75, **words,
    ),
    notice="Booking is fair where lengths are known, and breaks down where they are guessed",
    when=partial(_sure, lambda table: (
        (end := table.pivot(index="log", columns=["length", "policy"], values=["low", "high"]))[
            "high", EXACT, ONLINE].lt(3 * end["low", EXACT, "EASY"]).all()
        and end["low", REQUESTED, ONLINE].gt(10 * end["high", REQUESTED, "EASY"]).all()
    )),
    claims=("OB-12",),
)  # fmt: skip
def _policies(entries: Mapping, results: Results) -> pd.DataFrame:
    rows = []
    for case in entries.values():
        outcome = results[case]
        mean = interval_columns(outcome.drawn("wait"), "mean_wait_h")
        row = _described(case) | {"mean_wait_h": mean.pop("mean_wait_h")}
        row |= {f"{name}_wait_h": outcome.numbers.get(name) for name in ("p95", "longest")}
        tried = outcome.mean("attempts", "requests") if case.policy == ONLINE else None
        names = "refused", "refused_work", "utilization"
        row |= {"mean_attempts": tried} | {name: outcome.numbers.get(name) for name in names}
        rows.append(row | {"temporal_penalty": outcome.mean("penalty")} | mean)
    return pd.DataFrame(rows).astype({"refused": "Int64"})


def _ratios(entries: Mapping, results: Results) -> pd.DataFrame:
    """Return a row a pair: both mean waits, their ratio in the same weeks, what was refused."""
    names, rows = ("refused", "refused_work"), []
    for (panel, row, series), (case, base) in entries.items():
        one, other = results[case], results[base]
        known = {"panel": panel, "row": row, "series": series} | _described(case)
        known |= {"mean_wait_h": one.mean("wait"), "mean_wait_against_h": other.mean("wait")}
        known |= interval_columns(one.over(other, "wait"), "ratio")
        rows.append(known | {name: one.numbers[name] for name in names})
    return pd.DataFrame(rows).astype({"refused": "Int64"})


_draw_ratios = partial(_rows_with_refusals, x="ratio", row="row", series="series", factors=True)

study.add_figure(
    "certainty", f"policies that tell every job a start at its submission, over EASY; {REFUSALS}",
    lambda scale, seed: {
        (f"lengths {length}", log.title, policy): (
            standard(log, policy, length=length), standard(log, "EASY", length=length),
        )
        for log in runs.logs(scale.logs).values()
        for length in LENGTHS
        for policy in (ONLINE, "conservative")
    },
    draw=partial(_draw_ratios, look=LOOK, xlabel="mean wait over that of EASY"),
    notice="A promise costs little, unless it rests on guesses and cannot come forward",
    when=partial(_sure, lambda table: (
        table.query("policy == 'conservative'")["high"].max() < 1.5
        and table.query("policy == @ONLINE and length == @REQUESTED")["low"].min() > 10
    )),
)(_ratios)  # fmt: skip


@study.add_figure(
    "promises", "conservative backfilling: the mean wait that was promised at submission, over the "
    "mean wait; intervals: 95 %, weeks drawn anew",
    partial(_compared, names=(), policies=("conservative",), lengths=LENGTHS),
    draw=lambda table, **words: plots.intervals(
        table.assign(lengths="lengths " + table["length"]), x="ratio", row="log", series="lengths",
        factors=True, row_height=0.6, xlabel="promised wait over wait", **words,
    ),
    notice="Where lengths are guessed, users are promised starts far later than those they get",
    when=partial(_sure, lambda table: (
        table.query("length == @REQUESTED")["low"].min() > 1.5
        and table.query("length == @EXACT")["high"].max() < 1.01
    )),
)  # fmt: skip
def _promises(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        _described(case)
        | {f"mean_{name}_h": results[case].mean(name) for name in ("told", "wait")}
        | interval_columns(results[case].drawn("told", "wait"), "ratio")
        for case in entries.values()
    )


@study.add_figure(
    "beside", "booking beside backfilling: some jobs book up to 3 hours ahead, conservative "
    "backfilling plans the others around them; bands: 95 %, weeks drawn anew",
    lambda scale, seed: {
        (log.title, length): runs.Beside(log, length)
        for log in runs.logs(scale.dear_logs).values()
        for length in LENGTHS
    },
    draw=partial(
        _trend, y="ratio", scales=("linear", "log"), names="ends", look={},
        level=("nobody books", 1.0), xlabel="share of the jobs that book",
        ylabel="mean wait, over that\nof the same jobs before",
    ),
    notice="Booking costs those that queue little where lengths are known, else much",
    when=partial(_sure, lambda table: (
        (most := table[table["line"] == runs.OTHERS].groupby("length").last())["high"][EXACT] < 1.2
        and most["low"][REQUESTED] > 2
    )),
)  # fmt: skip
def _beside(entries: Mapping, results: Results) -> pd.DataFrame:
    return pd.DataFrame(
        {"panel": f"{title}, lengths {length}", "length": length, "line": part, "at": share}
        | interval_columns(ratio, "ratio")
        for (title, length), case in entries.items()
        for (part, share), ratio in results[case].items()
    )


study.add_figure(
    "sensitivity", f"online with one choice changed, over online without; {REFUSALS}",
    lambda scale, seed: {
        ("lengths " + length + log.title.removeprefix(log.name), change, log.title): (
            standard(log, length=length, scheduling=online), standard(log, length=length),
        )
        for length in LENGTHS
        for change, online in runs.CHANGES.items()
        if length == REQUESTED or change != "release early"  # else nothing is left over
        for log in runs.logs(scale.dear_logs).values()
    },
    draw=lambda table, **words: _draw_ratios(
        table, look=_steps(table["series"]), xlabel="mean wait over that with none", **words
    ),
    notice="Long steps cost; with requested lengths, releasing early or a shorter horizon helps",
    when=partial(_sure, lambda table: (
        table.query("length == @EXACT and row == 'step 1 h'")["low"].min() > 1
        and table.query("length == @REQUESTED and row in ['horizon 1 week', 'release early']")
        ["high"].max() < 1
    )),
    claims=("OB-13",),
)(_ratios)  # fmt: skip


@study.add_figure(
    "clusters", f"the online scheduler on equal clusters; {WEEKS}", runs.on_clusters,
    draw=partial(_trend, scales=("linear", "log"), dashed=(ONE,), names="ends",
                 ylabel="mean wait (hours)", xlabel="penalty of spanning"),
    notice="Where the penalty is large, clusters more than double the wait; spread at once, most",
    when=partial(_sure, lambda table: (
        (most := table[table["at"] == max(runs.PENALTIES)].groupby("line"))["low"].min()[
            "spread at once"] > 2 * most["high"].max()[ONE]
        and most["ratio_low"].min()["spread at once"] > 1
    )),
)  # fmt: skip
def _clusters(entries: Mapping, results: Results) -> pd.DataFrame:
    """Return a row a way and penalty; `ratio` is over one cluster first, in the same weeks."""
    rows = []
    for (panel, line, penalty), (case, first) in entries.items():
        outcome, ratio = results[case], results[case].over(results[first], "wait")
        row = _point(line, case, penalty, outcome.drawn("wait")) | {"panel": panel}
        row |= {"spans": outcome.numbers["spans"], "ratio": ratio.estimate}
        rows.append(row | {"ratio_low": ratio.low, "ratio_high": ratio.high})
    return pd.DataFrame(rows)
