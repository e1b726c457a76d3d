"""The paper's figures and tables, and further ones: every policy, certainty, changes, clusters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.calendar.trees import leaves, worked_example
from coalloc_lib.experiments import NotRunError, groups_of, interval_columns, pick
from coalloc_lib.experiments.weeks import Bootstrap, WeeklySums, weekly_sums
from coalloc_lib.intervals import Interval, student
from coalloc_lib.studies.online_batch import model
from coalloc_lib.studies.online_batch.model import (
    CTC,
    EXACT,
    FIRST,
    KTH,
    LEAST,
    LENGTHS,
    LONGEST,
    MIDDLE,
    ONE,
    ONLINE,
    OWN_BATCH,
    OWN_SERVERS,
    PHASES,
    POLICIES,
    READINGS,
    RECORDED,
    SPREAD,
    TABLE1,
    TABLE2,
)
from coalloc_lib.studies.online_batch.runs import (
    ALL_JOBS,
    BY_FIFTY,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    GROWTH,
    LOG,
    SCHEDULE,
    TREES,
    WHOLE,
    over_weeks,
    study,
)
from coalloc_lib.studies.shown import Caption
from coalloc_lib.studies.study import logs_missing_in

#: The policies and placements, one sign each in every picture.
_MEANT = {
    ONLINE: "Online",
    LEAST: "Online",
    "EASY": "EASY",
    "conservative": "Conservative",
    "FCFS": "FCFS",
    "FPFS(50)": "FPFS",
    ONE: "one cluster",
    SPREAD: "flexible",
    FIRST: "single then span",
}
LOOK = {name: plots.MEANINGS[meaning] for name, meaning in _MEANT.items()}
LOOK |= {RECORDED: plots.Sign("#000000", "o")}
#: The policies in the order of the paper's figures; the others stand in figures of our own.
IN_ORDER = (LEAST, RECORDED, *OWN_BATCH)
NOT_OF_PAPER = {*POLICIES} - {*IN_ORDER}
#: The policies that are given reservations, in the words of lines.
WITH_RESERVATIONS = {LEAST: "online", "conservative": "conservative"}
#: What waits are counted from: Figures 6 and 7, and the definition of section 5.
FROM_REQUEST, FROM_START = "from the request", "from the start asked for"
COUNTED_FROM = {"wait_h": FROM_REQUEST, "delay_h": FROM_START}
#: Which numbers vary in the figure of growth, in the words of panels.
VARIED = {"servers": "servers N", "slots": "slots Q", "wanted": "servers asked for n"}
#: What figures say of the runs and of the intervals.
RUN_TIMES = "run times known"
WEEKS = f"{RUN_TIMES}; bands: 95 %, bootstrap over weeks"
DRAWINGS = f"asked for 0 to 3 hours ahead; {RUN_TIMES}; bands: 95 %, over drawings"
LOGLOG = ("log", "log")
#: Columns of groups, which may be added up, and of what tells settings on one log apart.
GROUPS = ("above", "up_to")
#: How jobs are, where a figure does not say otherwise: no reservations, one cluster, as they ask.
NOBODY_RESERVES: dict[str, Any] = {"share": 0.0, "draw": 0}
AS_THEY_ASK: dict[str, Any] = {"rounded": 0.0, "wider": 1.0}
ONE_CLUSTER: dict[str, Any] = {"spread": ONE, "penalty": 0.0}
PLAIN: dict[str, Any] = {"kind": SCHEDULE, **NOBODY_RESERVES, **AS_THEY_ASK, **ONE_CLUSTER}


# --- runs, picked and put in words ---


def title_of(runs: pd.DataFrame, log: str) -> str:
    """Return the name of a log, with the words that a figure made from a stand-in must carry."""
    return log + " (synthetic stand-in)" * (log in logs_missing_in(runs))


def on_own_servers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on the servers of each log's own machine."""
    return runs[runs["servers"] == runs["log"].map(OWN_SERVERS)]


def plain(runs: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Return the runs on the machine of each log in which nobody reserves, on one cluster."""
    return on_own_servers(pick(runs, **PLAIN, **where))


def beside_the_record(runs: pd.DataFrame) -> pd.DataFrame:
    """Return booking as we read the paper, the record and batch scheduling, and what you added."""
    found = plain(runs, length=EXACT)
    return found[~found["policy"].isin(NOT_OF_PAPER)]


def by_policy(
    runs: pd.DataFrame, logs: Sequence[str], order: Sequence[str] = IN_ORDER
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the setting and the runs of each policy, on each log by the lengths that it knows."""

    def place(group: tuple[dict[str, Any], pd.DataFrame]) -> tuple[int, int]:
        policy = group[0]["policy"]
        rank = order.index(policy) if policy in order else len(order)
        return LENGTHS.index(group[0]["length"]), rank

    for log in logs:
        groups = groups_of(pick(runs, log=log), ["log", "servers", "length", "policy"])
        yield from sorted(groups, key=place)


def described(runs: pd.DataFrame, setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that say in a figure's table what was run."""
    words = {"log": title_of(runs, setting["log"]), "servers": int(setting["servers"])}
    return words | {"length": setting["length"], "policy": setting["policy"]}


def point(
    runs: pd.DataFrame,
    setting: Mapping[str, Any],
    at: float,
    interval: Interval,
    **words: str,
) -> dict[str, Any]:
    """Return a point of a figure as a row; `words` are its panel and line, if not by policy."""
    columns = described(runs, setting)
    panel = f"{columns['log']}, {columns['servers']}"
    named = {"panel": panel, "line": setting["policy"]} | words
    return named | columns | {"at": at} | interval_columns(interval)


def sums_of(runs: pd.DataFrame, top: str, bottom: str = "jobs") -> WeeklySums:
    """Return the sums of each week of all jobs of one setting."""
    return weekly_sums(pick(runs, grouping=ALL_JOBS), top, bottom)


def sums_of_groups(runs: pd.DataFrame, top: str, bottom: str = "jobs") -> WeeklySums:
    """Return the sums of each week of the groups whose rows are given, added up."""
    return weekly_sums(runs, top, bottom, added=GROUPS)


def means_of_groups(
    runs: pd.DataFrame, weeks: Bootstrap, grouping: str, top: str, bottom: str = "jobs"
) -> Iterator[tuple[float, float, Interval]]:
    """Yield the ends of each group that has jobs, and its mean."""
    for ends, rows in groups_of(pick(runs, grouping=grouping), GROUPS):
        sums = weekly_sums(rows, top, bottom)
        if sums.bottom.any():
            yield ends["above"], ends["up_to"], weeks.mean(sums)


def number(runs: pd.DataFrame, name: str) -> float:
    """Return a number of the whole run of one setting; NaN where it was not measured."""
    found = pick(runs, grouping=WHOLE)[name].dropna()
    return np.nan if found.empty else float(found.iloc[0])


def over_draws(values: Iterable[float] | NDArray, share: float = 1.0) -> Interval:
    """Return the interval of a mean over drawings; without reservations nothing is drawn."""
    values = list(values)
    if not values:
        raise NotRunError("no drawing was run")
    if len(values) > 1:
        return student(values)
    if not share:
        return Interval.exact(values[0])
    return Interval(values[0], np.nan, np.nan, 1, warning="one drawing")


def means_of_draws(runs: pd.DataFrame, top: str, bottom: str = "jobs") -> NDArray[np.float64]:
    """Return the mean over all weeks of each drawing."""
    sums = pick(runs, grouping=ALL_JOBS).groupby("draw")[[top, bottom]].sum()
    return (sums[top] / sums[bottom]).to_numpy()


def shades_of(names: Iterable[str]) -> dict[str, plots.Sign]:
    """Return shades for the steps of a quantity, without the lightest, which is hard to read."""
    names = [*dict.fromkeys(names)]
    shades = plots.shades([*names, "one more"])
    return {name: shades[name] for name in names}


#: Distributions are steps.
STAIRS = plots.LineStyle(stairs=True)


def draw_trend(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw lines with their bands, in panels."""
    columns = {"x": "at", "y": "estimate", "line": "line", "panel": "panel", "names": "legend"}
    return plots.lines(table, **columns | {"look": LOOK} | how)


# --- Figures 1 and 2, Table 1 ---

FIGURE1_CAPTION = "Figures 1 and 2: what the search marks in the worked example, in order"


@study.add_figure("figure1", FIGURE1_CAPTION, claims=("OB-1",))
def figure1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the idle periods under each mark, which no run is needed for."""
    book, periods, (_, start, length, servers) = worked_example()
    names = {period: name for name, period in periods.items()}
    search = book.search(start, start + length, servers)
    marks = [("phase 1", [*leaves(node)]) for node in search.candidates]
    marks += [("phase 2", [*leaves(node)]) for node in search.feasible]
    marks += [("accepted", [period]) for period in search.found]
    rows = [(part, "".join(names[period] for period in group)) for part, group in marks]
    return pd.DataFrame(rows, columns=["part", "periods"])


@study.add_figure("table1", "Table 1: servers, jobs and mean lengths of the logs", claims=("OB-2",))
def table1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what the logs have beside what is printed."""
    found = pick(runs, kind=LOG, grouping=WHOLE)
    printed = pd.DataFrame([TABLE1[log] for log in found["log"]], index=found.index)
    return pd.DataFrame(
        {
            "log": [title_of(runs, log) for log in found["log"]],
            "servers": found["log"].map(OWN_SERVERS),
            "jobs": found["job_count"].astype(int),
            "mean_length_h": found["mean_length_h"],
            "mean_requested_h": found["mean_requested_h"],
            "printed_servers": printed[0],
            "printed_jobs": printed[1],
            "printed_length_h": printed[2],
        }
    )


# --- Figures 3 to 5: online and batch ---


def draw_figure3(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the wait over the length along the length; that of all jobs on logarithmic axes."""
    panels = table["panel"].unique()
    scales = {panel: LOGLOG if "all" in panel else ("linear", "log") for panel in panels}
    axes = {"xlabel": "length (hours)", "ylabel": "mean of wait / length"}
    return draw_trend(table, scales=scales, **axes, **titles)


FIGURE3_CAPTION = Caption(
    f"Figure 3, KTH: wait over length, by length; {WEEKS}",
    finding="Booked, or with EASY, the shortest jobs wait less than half as long as they did",
)


@study.add_figure("figure3", FIGURE3_CAPTION, draw_figure3, claims=("OB-3",))
def figure3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait over length by length, of all jobs and of those of the middle."""
    weeks, rows = over_weeks(runs), []
    for setting, its_runs in by_policy(beside_the_record(runs), [KTH]):
        means = means_of_groups(its_runs, weeks, BY_LENGTH, "wait_over_length")
        for above, up_to, mean in means:
            # The last group is drawn half as far out again.
            at = 1.5 * above if up_to == np.inf else (above + up_to) / 2
            rows.append(point(runs, setting, at, mean))
    if not rows:
        raise NotRunError(f"no run of {KTH} is by length")
    table = pd.DataFrame(rows)
    middle = table[table["at"].between(*MIDDLE)].assign(panel="jobs of 2 to 10 hours")
    return pd.concat([table.assign(panel=table["panel"] + ", all jobs"), middle], ignore_index=True)


def tail(
    runs: pd.DataFrame, setting: Mapping[str, Any], rows: pd.DataFrame, **words: str
) -> Iterator[dict[str, Any]]:
    """Yield the share of the jobs that wait longer than so many hours, over drawings their mean."""
    share = rows["share"].iloc[0]
    for at, drawn in pick(rows, grouping=BY_WAIT).groupby("above"):
        longer = drawn.sort_values("draw")["share_longer"]
        if longer.any():
            yield point(runs, setting, at, over_draws(longer, share), **words)


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the lines on each machine, and at the foot the longest waits that are printed."""
    printed = [
        {"panel": panel, "line": policy, "at": at, "estimate": np.nan}
        for panel, lines in table.groupby("panel")["line"]
        for (log, policy), at in LONGEST.items()
        if panel.startswith(log) and policy in set(lines)
    ]
    how: dict[str, Any] = {"scales": LOGLOG, "style": STAIRS, "printed": pd.DataFrame(printed)}
    axes = {"xlabel": "wait (hours)", "ylabel": "share of the jobs that wait longer"}
    return draw_trend(table, **how, **axes, **titles)


FIGURE4_CAPTION = Caption(
    f"Figure 4(a): the distribution of waits; {RUN_TIMES}; at the foot: longest waits",
    finding="The longest waits are the record's: over twice those of booking and of backfilling",
)


@study.add_figure("figure4", FIGURE4_CAPTION, draw_figure4, claims=("OB-4", "OB-5"))
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the jobs that wait longer, on KTH and CTC."""
    rows: list[dict[str, Any]] = []
    for setting, its_runs in by_policy(beside_the_record(runs), [CTC, KTH]):
        rows += tail(runs, setting, its_runs)
    return pd.DataFrame(rows)


def draw_lengths(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the distribution of run times, a line per log."""
    how: dict[str, Any] = {"scales": ("log", "linear"), "style": STAIRS}
    how |= {"xlabel": "length (hours)", "ylabel": "share of the jobs\nthat are no longer"}
    look = shades_of(table["log"])
    return plots.lines(table, x="at", y="estimate", line="log", look=look, **how, **titles)


LENGTHS_CAPTION = Caption(
    "Figure 4(b): the distribution of run times",
    finding="About two thirds of the jobs of each log take less than two hours",
)


@study.add_figure("figure4_lengths", LENGTHS_CAPTION, draw_lengths)
def figure4_lengths(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the jobs of each log that are no longer than so many hours."""
    found = pick(runs, kind=LOG, grouping=BY_LENGTH)
    columns = {"log": [title_of(runs, log) for log in found["log"]]}
    columns |= {"servers": found["log"].map(OWN_SERVERS), "at": found["up_to"]}
    return pd.DataFrame(columns | {"estimate": found["share_no_longer"]})


def draw_figure5(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the mean wait by servers asked for."""
    axes = {"xlabel": "servers asked for", "ylabel": "mean wait (hours)"}
    return draw_trend(table, scales=LOGLOG, **axes, **titles)


FIGURE5_CAPTION = Caption(
    f"Figure 5: mean wait by servers asked for; {WEEKS}",
    finding="The widest jobs wait longer than the narrowest under every policy but FCFS",
)


@study.add_figure("figure5", FIGURE5_CAPTION, draw_figure5, claims=("OB-6",))
def figure5(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait by servers asked for, on KTH and CTC."""
    weeks, rows = over_weeks(runs), []
    for setting, its_runs in by_policy(beside_the_record(runs), [CTC, KTH]):
        for above, up_to, mean in means_of_groups(its_runs, weeks, BY_SERVERS, "wait_h"):
            rows.append(point(runs, setting, (above + 1 + up_to) / 2, mean))
    return pd.DataFrame(rows)


# --- How the paper is read: Table 2, longest waits ---


def each_reading(
    runs: pd.DataFrame, logs: tuple[str, ...] = (KTH, CTC)
) -> Iterator[tuple[str, int, str, pd.DataFrame]]:
    """Yield log, servers and reading, and the runs of each that was run."""
    for log in logs:
        here = pick(runs, kind=SCHEDULE, log=log, **NOBODY_RESERVES, **ONE_CLUSTER)
        for servers, (reading, fields) in product(model.servers_of(log), READINGS.items()):
            as_read = {"length": EXACT, **AS_THEY_ASK} | fields
            its_runs = pick(here, servers=servers, **as_read)
            if not its_runs.empty:
                yield log, servers, reading, its_runs


def attempts_of_groups(runs: pd.DataFrame) -> dict[str, float]:
    """Return the mean attempts a request of one setting, by group of servers."""
    by_fifty = pick(runs, grouping=BY_FIFTY).groupby(list(GROUPS))[["attempts", "requests"]].sum()
    means = by_fifty["attempts"] / by_fifty["requests"]
    return {name_of_group(*ends): float(mean) for ends, mean in means.items()}


def name_of_group(above: float, up_to: float) -> str:
    """Return the name of the attempts of a group, as Table 2 has it."""
    return f"attempts ({above:g}:{up_to:g}]"


def draw_readings(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw what came out of KTH over what is printed, a row per reading."""
    of_kth = table[table["log"].str.startswith(KTH)].dropna(subset="ratio")
    how: dict[str, Any] = {"x": "ratio", "row": "row", "series": "number", "factors": True}
    return plots.intervals(of_kth, xlabel="what came out over what is printed", **how, **titles)


READINGS_CAPTION = Caption(
    "KTH: what comes out over what is printed, by how the paper is read; "
    "a replay of a log is exact",
    finding="With 100 servers and 5 or 10 minutes at least, KTH comes out nearly as printed",
)


@study.add_figure("readings", READINGS_CAPTION, draw_readings, claims=("OB-7", "OB-14"))
def readings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return longest waits and attempts a request over those printed, by reading."""
    rows = []
    for log, servers, reading, its_runs in each_reading(runs):
        found = attempts_of_groups(its_runs)
        found["longest wait"] = number(its_runs, "longest_wait_h")
        all_printed = {"longest wait": LONGEST[log, LEAST]}
        all_printed |= {name_of_group(*ends): mean for ends, mean in TABLE2[log].items()}
        for name, printed in all_printed.items():
            value = found.get(name, np.nan)
            row = {"log": title_of(runs, log), "servers": servers, "reading": reading}
            row |= {"row": f"{servers} servers, {reading}", "number": name, "printed": printed}
            ratio = interval_columns(Interval.exact(value / printed), "ratio")
            rows.append(row | {"reproduced": value} | ratio)
    if not rows:
        raise NotRunError("no reading of the paper was run")
    return pd.DataFrame(rows)


ATTEMPTS_CAPTION = "Table 2: attempts a request in groups of 50 servers, by how the paper is read"


@study.add_figure("attempts", ATTEMPTS_CAPTION)
def attempts(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean attempts a request by group of servers, at each reading."""
    weeks, rows = over_weeks(runs), []
    for log, servers, reading, its_runs in each_reading(runs):
        length = its_runs["length"].iloc[0]
        row = {"log": title_of(runs, log), "servers": servers, "length": length}
        groups = means_of_groups(its_runs, weeks, BY_FIFTY, "attempts", "requests")
        for above, up_to, mean in groups:
            sizes = {"size_from": int(above) + 1, "size_to": int(up_to)}
            found = interval_columns(mean, "mean_attempts")
            rows.append(row | sizes | found | {"reading": reading})
    return pd.DataFrame(rows)


# --- Figures 6 and 7: advance reservations ---


def with_reservations(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of policies that are given reservations, at each share of them."""
    usual = {"kind": SCHEDULE, "length": EXACT, **AS_THEY_ASK, **ONE_CLUSTER}
    found = on_own_servers(pick(runs, policy=tuple(WITH_RESERVATIONS), **usual))
    shares = found.groupby(["log", "policy"])["share"].transform("nunique")
    return found[shares > 1]


def draw_figure6(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw waits by share of reservations, a row per log, and the record dashed."""
    drawn = [line for line in table["line"] if line != RECORDED]
    style = plots.LineStyle(stairs=True, dashed=[RECORDED])
    how: dict[str, Any] = {"row": "log", "scales": LOGLOG, "style": style}
    axes = {"xlabel": "wait from the request (hours)"}
    axes["ylabel"] = "share of the jobs\nthat wait longer"
    return draw_trend(table, look=shades_of(drawn) | LOOK, **how, **axes, **titles)


FIGURE6_CAPTION = Caption(
    f"Figure 6: waits by share ρ of reservations, {DRAWINGS}",
    finding="Counted from the request, reservations lengthen the short waits and not the long ones",
)


@study.add_figure("figure6", FIGURE6_CAPTION, draw_figure6, claims=("OB-8",))
def figure6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the distribution of waits at each share, booked and queued, beside the record."""
    rows: list[dict[str, Any]] = []
    reserved = pick(with_reservations(runs), log=(CTC, KTH))
    for setting, its_runs in groups_of(reserved, ["policy", "log", "share", "servers", "length"]):
        if setting["share"] < 1:
            words = {"line": f"ρ = {setting['share']:g}"}
            words["panel"] = WITH_RESERVATIONS[setting["policy"]]
            rows += tail(runs, setting, its_runs, **words)
    record = plain(runs, length=EXACT, policy=RECORDED)
    groups = by_policy(record, reserved["log"].unique())
    for (setting, its_runs), panel in product(groups, WITH_RESERVATIONS.values()):
        rows += tail(runs, setting, its_runs, panel=panel)
    return pd.DataFrame(rows)


def draw_figure7a(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the mean wait along the share of reservations."""
    axes = {"xlabel": "share of advance reservations, ρ", "ylabel": "mean wait (hours)"}
    return draw_trend(table, look=shades_of(table["line"]), **axes, **titles)


FIGURE7A_CAPTION = Caption(
    f"Figure 7(a): mean wait by share of reservations, {DRAWINGS}",
    finding="Reservations lengthen waits counted from the request, not from the start asked for",
)


@study.add_figure("figure7a", FIGURE7A_CAPTION, draw_figure7a, claims=("OB-9",))
def figure7a(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait by share, counted from the request and from the start asked for."""
    rows = []
    columns = ["policy", "log", "share", "servers", "length"]
    for setting, its_runs in groups_of(with_reservations(runs), columns):
        policy, share = WITH_RESERVATIONS[setting["policy"]], setting["share"]
        line = f"{title_of(runs, setting['log']).split()[0]}, {policy}"
        for waits, counted_from in COUNTED_FROM.items():
            mean = over_draws(means_of_draws(its_runs, waits), share)
            rows.append(point(runs, setting, share, mean, panel=counted_from, line=line))
    return pd.DataFrame(rows)


def operations_over_none(table: pd.DataFrame) -> pd.DataFrame:
    """Return each part of the work at each share, over that without reservations."""
    table = table.assign(search=table["phase 1"] + table["phase 2"])
    rows = []
    for part, (log, its_rows) in product(("attempts", "search", "update"), table.groupby("log")):
        without = its_rows[part][its_rows["share"] == 0].mean()
        for share, drawn in its_rows[its_rows["share"] > 0].groupby("share")[part]:
            ratio = over_draws(drawn, share).times(1 / without)
            words = {"part": part, "of": f"{log} servers, ρ = {share:g}"}
            rows.append(words | interval_columns(ratio, "ratio"))
    return pd.DataFrame(rows)


def draw_figure7b(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw each part of the work over that without reservations."""
    how: dict[str, Any] = {"x": "ratio", "row": "part", "series": "of", "factors": True}
    xlabel = "operations a request, over those without reservations"
    return plots.intervals(operations_over_none(table), xlabel=xlabel, **how, **titles)


FIGURE7B_CAPTION = Caption(
    "Figure 7(b): operations a request by share of reservations, on "
    "the paper's trees, in a busy part of the log; a horizon of 7 days in 7 slots",
    finding="Reservations leave the dear part, the update of the trees, nearly as it is",
)


@study.add_figure("figure7b", FIGURE7B_CAPTION, draw_figure7b, claims=("OB-10",))
def figure7b(runs: pd.DataFrame) -> pd.DataFrame:
    """Return operations and attempts a request of each drawing."""
    found = pick(runs, kind=TREES)
    if found.empty:
        raise NotRunError("no run is on trees")
    titles = [title_of(runs, log) for log in found["log"]]
    machines = [f"{title}, {n:g}" for title, n in zip(titles, found["servers"], strict=True)]
    table = found[["share", "draw", *PHASES]].assign(attempts=found["attempts_a_request"])
    table.insert(0, "log", machines)
    return table.astype({"draw": int})


# --- Section 4.3: growth ---


def power(runs: pd.DataFrame, varied: str, part: str, of_logarithm: bool = False) -> Interval:
    """Return the power of a number, or of its logarithm, with which a part of the work grows."""
    others = {name: at for name, at in model.GROWTH_AT.items() if name != varied}
    counts = pick(runs, kind=GROWTH, **others).pivot(
        index="replication", columns=varied, values=part
    )
    if len(counts.columns) < 2:
        raise NotRunError(f"no growth with {VARIED[varied]} was run; run two numbers or more")
    at = counts.columns.to_numpy(dtype=float)
    x = np.log(np.log2(at) if of_logarithm else at)
    x = x - x.mean()
    return student(np.log(counts.to_numpy()) @ x / (x @ x))


def draw_growth(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the fitted powers, a panel per number that varies."""
    xlabel = "fitted power: at 0 more of it changes nothing, at 1 twice as much doubles the work"
    return plots.intervals(table, x="exponent", row="part", panel="panel", xlabel=xlabel, **titles)


GROWTH_CAPTION = Caption(
    "Section 4.3: random requests on the paper's trees, {servers} servers, {slots} slots "
    "and {wanted} servers asked for where they are not varied; phases an attempt, update a "
    "request".format(**model.GROWTH_AT),
    finding="Looking is cheap; an update grows with the slots and with the servers asked for",
)


@study.add_figure("growth", GROWTH_CAPTION, draw_growth, claims=("OB-11",))
def growth(runs: pd.DataFrame) -> pd.DataFrame:
    """Return operations by each number that varies, and the power with which they grow."""
    rows = []
    for part, (varied, panel) in product(PHASES, VARIED.items()):
        others = {name: at for name, at in model.GROWTH_AT.items() if name != varied}
        exponent = interval_columns(power(runs, varied, part), "exponent")
        for at, counts in pick(runs, kind=GROWTH, **others).groupby(varied)[part]:
            row = {"panel": panel, "part": part, "at": int(at), "operations": counts.mean()}
            rows.append(row | exponent)
    return pd.DataFrame(rows)
