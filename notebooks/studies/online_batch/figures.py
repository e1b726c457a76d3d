"""Figures 1 to 5 and Table 1 of the paper."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.calendar.trees import leaves
from coalloc_lib.statistics import Interval, NotRunError, groups_of, interval_columns, pick, student
from studies.columns import column
from studies.log_files import title_of
from studies.online_batch.model import (
    ALL,
    CTC,
    EXACT,
    KTH,
    LEAST,
    LENGTHS,
    LONGEST,
    MIDDLE,
    NOT_OF_PAPER,
    ONLINE,
    OWN_BATCH,
    OWN_SERVERS,
    READ_JOBS,
    READ_SERVERS,
    RECORDED,
    SHORT,
    SHORT_OF_CTC,
    TABLE1,
    USED,
)
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import (
    ALL_JOBS,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    LOG,
    SCHEDULE,
    WHOLE,
)
from studies.online_batch.worked_example import worked_example
from studies.results import Caption
from studies.weeks import Bootstrap, WeeklySums, weekly_sums

#: A dict from each policy to the name of its marker style, which is the same in all figures.
_MEANT = {
    ONLINE: "Online",
    LEAST: "Online",
    "EASY": "EASY",
    "conservative": "Conservative",
    "FCFS": "FCFS",
    "FPFS(50)": "FPFS",
}
LOOK = {name: plots.MEANINGS[meaning] for name, meaning in _MEANT.items()}
LOOK |= {RECORDED: plots.MarkerStyle("#000000", "o")}
#: The order of the paper's policies in figures. Other policies appear only in figures that the
#: paper does not have.
IN_ORDER = (LEAST, RECORDED, *OWN_BATCH)
#: Text for figure captions that describes the runs and how intervals are computed.
RUN_TIMES = "run times known"
WEEKS = f"{RUN_TIMES}; intervals: 95 %, bootstrap over weeks"
LOGLOG = ("log", "log")
#: The columns with the limits of each group of jobs, for example the shortest and the longest
#: length in the group.
GROUPS = ("above", "up_to")
#: `MACHINE` has the columns that identify a log, a number of servers and a selection of jobs.
#: `DESCRIBED` has the columns that identify a run.
MACHINE = ["log", "servers", "kept"]
DESCRIBED = [*MACHINE, "length", "policy"]
#: The column values that select schedules in which no job reserves ahead.
PLAIN: dict[str, Any] = {"kind": SCHEDULE, "share": 0.0, "draw": 0}


# --- Selecting runs from the table of runs, and describing them in words ---


def plain(runs: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """Select runs without reservations, of all jobs of a log on the machine that recorded it.

    `where` has further values that the runs must have, by column.
    """
    found = pick(runs, **PLAIN, kept=ALL, **where)
    return found[found["servers"] == found["log"].map(OWN_SERVERS)]


def runs_as_read(runs: pd.DataFrame) -> pd.DataFrame:
    """Select the runs with the number of servers and the jobs that we believe the paper used."""
    on_servers = column(runs, "servers") == column(runs, "log").map(READ_SERVERS)
    return runs[on_servers & (column(runs, "kept") == column(runs, "log").map(READ_JOBS))]


def beside_the_record(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the recorded waits together with the simulated runs that are compared with them.

    The simulated runs are online scheduling as we interpret the paper, our own batch schedules, and
    any policy that a user of the study has added.
    """
    found = runs_as_read(pick(runs, **PLAIN, length=EXACT))
    return found[~found["policy"].isin(NOT_OF_PAPER)]


def by_policy(
    runs: pd.DataFrame, logs: Sequence[str], order: Sequence[str] = IN_ORDER
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield the setting and the simulation runs for each combination of a log and a policy.

    On each log, settings are sorted by the lengths that a policy knows, and then as in `order`.
    """

    def place(group: tuple[dict[str, Any], pd.DataFrame]) -> tuple[int, int]:
        policy = group[0]["policy"]
        rank = order.index(policy) if policy in order else len(order)
        return LENGTHS.index(group[0]["length"]), rank

    for log in logs:
        groups = groups_of(pick(runs, log=log), DESCRIBED)
        yield from sorted(groups, key=place)


def described(runs: pd.DataFrame, setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that identify a setting in the data of a figure."""
    words = {"log": title_of(runs, setting["log"]), "servers": int(setting["servers"])}
    return words | {"length": setting["length"], "policy": setting["policy"]}


def point(
    runs: pd.DataFrame,
    setting: Mapping[str, Any],
    at: float,
    interval: Interval,
    **words: str,
) -> dict[str, Any]:
    """Return a row of a figure's table with the coordinates of one point.

    Parameters
    ----------
    runs : DataFrame
        All runs, which tell whether a log is a stand-in.
    setting : mapping
        The setting of the point.
    at : float
        The place of the point on the horizontal axis.
    interval : Interval
        Its value.
    **words : str
        The panel and the line of the point. By default there is a panel for each log and number of
        servers, and a line for each policy.
    """
    columns = described(runs, setting)
    panel = f"{columns['log']}, {columns['servers']}"
    named = {"panel": panel, "line": setting["policy"]} | words
    return named | columns | {"kept": setting["kept"], "at": at} | interval_columns(interval)


def sums_of(runs: pd.DataFrame, top: str, bottom: str = "jobs") -> WeeklySums:
    """Return the weekly sums of two columns over all jobs of one setting."""
    return weekly_sums(pick(runs, grouping=ALL_JOBS), top, bottom)


def sums_of_groups(runs: pd.DataFrame, top: str, bottom: str = "jobs") -> WeeklySums:
    """Return the weekly sums of two columns, added over all groups of jobs in `runs`."""
    return weekly_sums(runs, top, bottom, added=GROUPS)


def means_of_groups(
    runs: pd.DataFrame, weeks: Bootstrap, grouping: str, top: str, bottom: str = "jobs"
) -> Iterator[tuple[float, float, Interval]]:
    """Yield the lower end, upper end and mean value of each group of jobs that is not empty."""
    for ends, rows in groups_of(pick(runs, grouping=grouping), GROUPS):
        sums = weekly_sums(rows, top, bottom)
        if sums.denominators.any():
            yield ends["above"], ends["up_to"], weeks.mean(sums)


def number(runs: pd.DataFrame, name: str) -> float:
    """Return the value that a whole run has in the column `name`, or NaN if it is missing."""
    found = pick(runs, grouping=WHOLE)[name].dropna()
    return np.nan if found.empty else float(found.iloc[0])


def over_draws(values: Iterable[float] | NDArray, share: float = 1.0) -> Interval:
    """Average values over samples of the jobs that reserve ahead, with a confidence interval.

    `share` is the share of the jobs that reserve ahead. If it is 0, nothing is sampled and the
    value is exact.
    """
    values = list(values)
    if not values:
        raise NotRunError("no run has this share of advance reservations")
    if len(values) > 1:
        return student(values)
    if not share:
        return Interval.exact(values[0])
    return Interval(values[0], np.nan, np.nan, 1, warning="one drawing")


def means_of_draws(runs: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the values of column `name`, one for each sample of the jobs that reserve ahead."""
    return pick(runs, grouping=WHOLE).sort_values("draw")[name].to_numpy(dtype=float)


def shades_of(names: Iterable[str]) -> dict[str, plots.MarkerStyle]:
    """Return shades of one colour, from light to dark, with one shade per name.

    The lightest shade is left out, because it is hard to see.
    """
    names = [*dict.fromkeys(names)]
    shades = plots.shades([*names, "one more"])
    return {name: shades[name] for name in names}


#: The style of lines that show cumulative distributions, which are drawn as steps.
STAIRS = plots.LineStyle(stairs=True)
#: Figure 4(b) shows distributions of run times and of requested times. Each entry of `LENGTH_LINES`
#: is one curve: a log, a selection of its jobs, and one of these two times.
LENGTH_NAMES = {"no_longer": "run times", "asks_no_longer": "requested"}
LENGTH_LINES = [
    (KTH, ALL, "no_longer"),
    (CTC, ALL, "no_longer"),
    (CTC, USED, "no_longer"),
    (CTC, USED, "asks_no_longer"),
]


#: The style of figures that fit a screen together with a question.
LOW = plots.LineStyle(height=2.5)


def draw_trend(table: pd.DataFrame, **options: Any) -> Figure:
    """Plot lines with confidence intervals in panels. The `options` are those of `plots.lines`."""
    columns = {"x": "at", "y": "estimate", "line": "line", "panel": "panel", "names": "legend"}
    return plots.lines(table, **columns | {"look": LOOK} | options)


# --- Figures 1 and 2, Table 1 ---

FIGURE1_CAPTION = (
    "Figures 1 and 2: idle periods that the search marks in the worked example, in order"
)


@study.add_figure("figure1", FIGURE1_CAPTION, claims=("OB-1",))
def figure1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the idle periods that each phase of the search marks in the worked example.

    The example needs no runs.
    """
    book, periods, (_, start, length, servers) = worked_example()
    names = {period: name for name, period in periods.items()}
    search = book.search(start, start + length, servers)
    marks = [("phase 1", [*leaves(node)]) for node in search.candidates]
    marks += [("phase 2", [*leaves(node)]) for node in search.feasible]
    marks += [("accepted", [period]) for period in search.found]
    rows = [(part, "".join(names[period] for period in group)) for part, group in marks]
    return pd.DataFrame(rows, columns=["part", "periods"])


TABLE1_CAPTION = (
    "Table 1: servers, jobs and mean lengths of the logs, and of possible selections of CTC jobs"
)


@study.add_figure("table1", TABLE1_CAPTION)
def table1(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare the servers, jobs and mean job length of each log with Table 1 of the paper."""
    found = pick(runs, kind=LOG, grouping=WHOLE)
    if found.empty:
        raise NotRunError("the jobs of the logs were not measured")
    printed = pd.DataFrame([TABLE1[log] for log in found["log"]], index=found.index)
    return pd.DataFrame(
        {
            "log": [title_of(runs, log) for log in found["log"]],
            "jobs kept": found["kept"],
            "servers": found["log"].map(OWN_SERVERS),
            "jobs": found["job_count"].astype(int),
            "mean run time (hours)": found["mean_length_h"].round(2),
            "mean requested time (hours)": found["mean_requested_h"].round(2),
            "servers of the widest job": found["widest"].astype(int),
            "paper: servers": printed[0],
            "paper: jobs": printed[1],
            "paper: mean length (hours)": printed[2],
        }
    )


# --- Figures 3 to 5: online and batch ---


#: Policies that Figure 3 does not show. No claim about the figure mentions them. The penalties
#: under FCFS are so large that the other curves could not be told apart beside them, and those
#: under conservative backfilling lie between those under EASY and with online booking.
NOT_IN_FIGURE3 = ("FCFS", "conservative")


def draw_figure3(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot Figure 3: the mean of a job's wait divided by its length, against the length."""
    table = table[~table["line"].isin(NOT_IN_FIGURE3)]
    panels = table["panel"].unique()
    scales = {panel: LOGLOG if "all" in panel else ("linear", "log") for panel in panels}
    axes = {"xlabel": "length (hours)", "ylabel": "mean of wait / length"}
    style = plots.LineStyle(height=2.5, bars=True)
    return draw_trend(table, scales=scales, style=style, **axes, **titles)


FIGURE3_CAPTION = Caption(
    f"Figure 3, KTH: wait divided by length, by length; without FCFS and conservative; {WEEKS}",
    finding="In the record, the shortest and the long jobs wait longer than under online booking",
)


@study.add_figure("figure3", FIGURE3_CAPTION, draw_figure3, claims=("OB-3", "OB-20", "OB-17"))
def figure3(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of a job's wait divided by its length, grouped by length (Figure 3)."""
    weeks, rows = over_weeks(runs), []
    for setting, its_runs in by_policy(beside_the_record(runs), [KTH]):
        means = means_of_groups(its_runs, weeks, BY_LENGTH, "wait_over_length")
        for above, up_to, mean in means:
            # The group of the longest jobs has no upper end, so its point is drawn at 1.5 times its
            # lower end.
            at = 1.5 * above if up_to == np.inf else (above + up_to) / 2
            rows.append(point(runs, setting, at, mean))
    if not rows:
        raise NotRunError(f"no run of {KTH} has groups of jobs by length")
    table = pd.DataFrame(rows)
    middle = table[table["at"].between(*MIDDLE)].assign(panel="jobs of 2 to 10 hours")
    return pd.concat([table.assign(panel=table["panel"] + ", all jobs"), middle], ignore_index=True)


def tail(
    runs: pd.DataFrame, setting: Mapping[str, Any], rows: pd.DataFrame, **words: str
) -> Iterator[dict[str, Any]]:
    """Yield pairs of a time and the share of the jobs that wait longer than this time.

    The share is a mean over the samples of the jobs that reserve ahead.
    """
    share, longer = rows["share"].iloc[0], shares_longer(rows)
    for at in longer.columns[longer.any()]:
        yield point(runs, setting, at, over_draws(longer[at], share), **words)


def shares_longer(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the jobs that wait longer than each of several times.

    The table has a row for each sample of reservations, and a column for each time in hours.
    """
    waits = pick(rows, grouping=BY_WAIT)
    if waits.empty:
        raise NotRunError("the runs have no distribution of waits")
    # A sample has no rows for times beyond its longest wait, so missing shares are 0.
    return waits.pivot(index="draw", columns="above", values="share_longer").fillna(0.0)


def draw_figure4(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the distribution of waits, and mark the longest waits that the paper prints."""
    printed = [
        {"panel": panel, "line": policy, "at": at, "estimate": np.nan}
        for panel, lines in table.groupby("panel")["line"]
        for (log, policy), at in LONGEST.items()
        if panel.startswith(log) and policy in set(lines)
    ]
    marks = pd.DataFrame(printed)
    axes = {"xlabel": "wait (hours)", "ylabel": "share of the jobs that wait longer"}
    return draw_trend(table, scales=LOGLOG, style=STAIRS, printed=marks, **axes, **titles)


FIGURE4_CAPTION = Caption(
    f"Figure 4(a): the distribution of waits; {RUN_TIMES}; the paper prints the longest waits",
    finding="The longest recorded waits are over three times those of booking and backfilling",
)


@study.add_figure("figure4", FIGURE4_CAPTION, draw_figure4, claims=("OB-4", "OB-5"))
def figure4(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the share of KTH and CTC jobs that wait longer than each of several times."""
    rows: list[dict[str, Any]] = []
    for setting, its_runs in by_policy(beside_the_record(runs), [CTC, KTH]):
        rows += tail(runs, setting, its_runs)
    return pd.DataFrame(rows)


def draw_lengths(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the distribution of job lengths, and mark the paper's share of short CTC jobs."""
    options: dict[str, Any] = {"scales": ("log", "linear"), "style": STAIRS, "names": "legend"}
    options |= {"xlabel": "length (hours)", "ylabel": "share of the jobs up\nto this length"}
    ctc = [line for line in dict.fromkeys(table["line"]) if line.startswith(CTC)]
    printed = pd.DataFrame([{"line": line, "at": SHORT, "estimate": SHORT_OF_CTC} for line in ctc])
    if not printed.empty:
        options["printed"] = printed.tail(1)
    look = shades_of(table["line"])
    return plots.lines(table, x="at", y="estimate", line="line", look=look, **options, **titles)


LENGTHS_CAPTION = Caption(
    "Figure 4(b): the distribution of lengths; diamond: the paper says that "
    "'at most 14 %' of the CTC jobs are smaller than 2 hours",
    finding="Only the requested times of CTC without its short jobs are below two hours for 13 %",
)


@study.add_figure("figure4_lengths", LENGTHS_CAPTION, draw_lengths, claims=("OB-16",))
def figure4_lengths(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the cumulative distributions of run times and of requested times (Figure 4b)."""
    rows = []
    for log, kept, name in LENGTH_LINES:
        found = pick(runs, kind=LOG, grouping=BY_LENGTH, log=log, kept=kept)
        if found.empty:
            continue
        words = f"{title_of(runs, log)}, {LENGTH_NAMES[name]}"
        if kept != ALL:
            words += f", {kept}"
        table = {"line": words, "log": title_of(runs, log), "kept": kept, "at": found["up_to"]}
        rows.append(pd.DataFrame(table | {"estimate": found[name]}))
    if not rows:
        raise NotRunError("the runs have no distribution of lengths for any log")
    return pd.concat(rows, ignore_index=True)


def draw_figure5(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the mean wait against the number of requested servers."""
    axes = {"xlabel": "requested servers", "ylabel": "mean wait (hours)"}
    style = plots.LineStyle(bars=True)
    return draw_trend(table, scales=LOGLOG, style=style, **axes, **titles)


FIGURE5_CAPTION = Caption(
    f"Figure 5: mean wait by requested servers; {WEEKS}",
    finding="Except under FCFS on KTH, the widest jobs wait longer than the narrowest",
)


@study.add_figure("figure5", FIGURE5_CAPTION, draw_figure5, claims=("OB-6",))
def figure5(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait by the number of requested servers, on KTH and CTC."""
    weeks, rows = over_weeks(runs), []
    for setting, its_runs in by_policy(beside_the_record(runs), [CTC, KTH]):
        for above, up_to, mean in means_of_groups(its_runs, weeks, BY_SERVERS, "wait_h"):
            rows.append(point(runs, setting, (above + 1 + up_to) / 2, mean))
    return pd.DataFrame(rows)
