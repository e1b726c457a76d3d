"""Figures that the paper does not have: all policies, promised starts, and booking with a queue."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import NotRunError, groups_of, interval_columns, pick
from studies.log_files import title_of
from studies.online_batch.figures import (
    LOOK,
    by_policy,
    described,
    draw_trend,
    number,
    plain,
    sums_of,
)
from studies.online_batch.model import (
    EXACT,
    KTH,
    LENGTHS,
    LOGS,
    ONLINE,
    POLICIES,
    RECORDED,
    SMALLER_STEP,
)
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import BESIDE_QUEUE
from studies.results import Caption
from studies.weeks import weekly_sums

#: `IN_ORDER` has the policies in the order in which the figures of this module show them.
#: `VARIANTS` has the policies that these figures leave out.
IN_ORDER = (ONLINE, "FCFS", "FPFS(50)", "EASY", "conservative", RECORDED)
VARIANTS = {*POLICIES} - {*IN_ORDER}
#: The columns with the number of rejected jobs and with the rejected fraction of the total work.
REFUSED = ("refused", "refused_work")
REFUSALS = "intervals: 95 %, bootstrap over weeks; texts: share of the work that is rejected"


# --- All policies, and policies that promise a start ---


def draw_with_refusals(table: pd.DataFrame, **options: Any) -> Figure:
    """Plot intervals in rows, each labelled with the rejected fraction of the work.

    `options` are those of `plots.intervals`.
    """
    words = [f"{100 * work:.2g} % rejected" if work > 0 else "" for work in table["refused_work"]]
    return plots.intervals(table.assign(words=words), panel="panel", words="words", **options)


def draw_waits(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the mean wait under every policy, by whether it knows exact or requested run times."""
    options: dict[str, Any] = {"x": "mean_wait_h", "row": "log", "series": "policy", "log": True}
    options |= {"look": LOOK, "row_height": 0.75, "xlabel": "mean wait (hours)"}
    panels = table.assign(panel="lengths " + table["length"])
    return draw_with_refusals(panels, **options, **titles)


WAITS_CAPTION = Caption(
    f"every policy on the servers of each log's machine; {REFUSALS}",
    finding="Booking competes if lengths are known, and has far longer waits if they are guessed",
)


@study.add_figure("waits", WAITS_CAPTION, draw_waits)
def waits(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the waits, attempts, rejected work and utilization under each policy."""
    weeks, rows = over_weeks(runs), []
    found = plain(runs)
    found = found[~found["policy"].isin(VARIANTS)]
    for setting, its_runs in by_policy(found, LOGS, IN_ORDER):
        mean = interval_columns(weeks.mean(sums_of(its_runs, "wait_h")), "mean_wait_h")
        row = described(runs, setting) | {"mean_wait_h": mean.pop("mean_wait_h")}
        row |= {name: number(its_runs, name) for name in ("p95_wait_h", "longest_wait_h")}
        row |= {name: number(its_runs, name) for name in ("mean_attempts", *REFUSED)}
        row |= {"utilization": number(its_runs, "utilization")}
        row |= {"temporal_penalty": number(its_runs, "mean_wait_over_length")}
        rows.append(row | mean)
    if not rows:
        raise NotRunError("no policy was run on the servers of a log's machine")
    return pd.DataFrame(rows).astype({"refused": "Int64"})


STEPS_CAPTION = "the mean wait on the log of KTH with two steps between attempts, run times known"


@study.add_figure("steps", STEPS_CAPTION, claims=("OB-13",))
def steps(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait of KTH jobs with attempts every 15 and every 5 minutes."""
    weeks, rows = over_weeks(runs), []
    found = plain(runs, log=KTH, length=EXACT)
    for policy, minutes in ((ONLINE, 15), (SMALLER_STEP, 5)):
        its_runs = pick(found, policy=policy)
        if its_runs.empty:
            raise NotRunError(f"no run of {KTH} has the policy {policy!r}")
        row = {"log": title_of(runs, KTH), "step (minutes)": minutes}
        mean = weeks.mean(sums_of(its_runs, "wait_h"))
        rows.append(row | {"mean wait (hours)": plots.format_interval(mean, 2)})
    return pd.DataFrame(rows)


def compared(
    runs: pd.DataFrame, setting: Mapping[str, Any], one: pd.DataFrame, base: pd.DataFrame
) -> dict[str, Any]:
    """Return the mean waits under two policies, and their ratio, as a table row.

    `one` has the runs of the numerator, and `base` has the runs of the denominator in the same
    weeks.
    """
    numerator, denominator = sums_of(one, "wait_h"), sums_of(base, "wait_h")
    row = described(runs, setting)
    row |= {"mean_wait_h": numerator.mean, "mean_wait_against_h": denominator.mean}
    row |= interval_columns(over_weeks(runs).ratio(numerator, denominator), "ratio")
    return row | {name: number(one, name) for name in REFUSED}


def draw_certainty(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the mean wait under policies that promise each start, relative to that under EASY."""
    columns: dict[str, Any] = {"x": "ratio", "row": "row", "series": "series"}
    axes: dict[str, Any] = {"factors": True, "xlabel": "mean wait divided by that of EASY"}
    return draw_with_refusals(table, look=LOOK, own_axes=True, **columns, **axes, **titles)


CERTAINTY_CAPTION = Caption(
    f"policies that promise a start when a job is submitted, compared with EASY; {REFUSALS}",
    finding="With exact lengths, booked jobs wait up to two fifths longer than under EASY; with "
    "guessed ones, far longer",
)


@study.add_figure("certainty", CERTAINTY_CAPTION, draw_certainty)
def certainty(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait under policies that promise each start, relative to that under EASY."""
    rows = []
    found = plain(runs, policy=(ONLINE, "conservative", "EASY"))
    for log, length in product(LOGS, LENGTHS):
        here = pick(found, log=log, length=length)
        base = pick(here, policy="EASY")
        if base.empty:
            continue
        for setting, its_runs in by_policy(here, [log], (ONLINE, "conservative")):
            if setting["policy"] != "EASY":
                words = {"panel": f"lengths {length}", "row": title_of(runs, log)}
                words["series"] = setting["policy"]
                rows.append(words | compared(runs, setting, its_runs, base))
    if not rows:
        raise NotRunError("no policy that promises a start was run with EASY")
    return pd.DataFrame(rows).astype({"refused": "Int64"})


def draw_beside(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot how waits of booked and of queued jobs change with the share of booked jobs."""
    exact = table["length"] == EXACT
    groups = table["line"].str.removeprefix("those that ")
    signs = {"book": LOOK[ONLINE], "queue": LOOK["conservative"]}
    names = groups + ", " + table["length"] + " lengths" + exact.map({True: " (dashed)", False: ""})
    styles = {name: signs[group] for name, group in zip(names, groups, strict=True)}
    table = table.assign(line=names)
    style = plots.LineStyle(dashed=names[exact].unique(), bars=True, height=2.6)
    axes = {"xlabel": "share of the jobs that book"}
    axes["ylabel"] = "mean wait, divided by that\nwithout booking"
    lines: dict[str, Any] = {"y": "ratio", "scales": ("linear", "log"), "look": styles}
    figure = draw_trend(table, style=style, **lines, **axes, **titles)
    for panel in figure.axes:
        panel.axhline(1, color="black", linestyle=":", linewidth=1)
    return figure


BESIDE_CAPTION = Caption(
    "booking beside backfilling: some jobs book up to 3 hours ahead, and conservative "
    "backfilling plans the others around them; intervals: 95 %, bootstrap over weeks; dotted: no "
    "job books",
    finding="If lengths are guessed, jobs that book wait longer, and so do many that queue",
)


@study.add_figure("beside", BESIDE_CAPTION, draw_beside)
def beside(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the delays of booked and of queued jobs, each divided by that without bookings."""
    weeks, rows = over_weeks(runs), []
    keys = ["log", "length", "share", "part"]
    for setting, its_runs in groups_of(pick(runs, kind=BESIDE_QUEUE), keys):
        booked = weekly_sums(pick(its_runs, some_book=1), "delay_h", "jobs")
        before = weekly_sums(pick(its_runs, some_book=0), "delay_h", "jobs")
        row = {"panel": title_of(runs, setting["log"]), "length": setting["length"]}
        row |= {"line": setting["part"], "at": setting["share"]}
        rows.append(row | interval_columns(weeks.ratio(booked, before), "ratio"))
    return pd.DataFrame(rows)
