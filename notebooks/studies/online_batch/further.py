"""Our own figures: every policy, the cost of certainty, and booking beside a queue."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import groups_of, interval_columns, pick
from coalloc_lib.statistics.weeks import weekly_sums
from studies.online_batch.figures import (
    LOOK,
    by_policy,
    described,
    draw_trend,
    number,
    plain,
    sums_of,
    title_of,
)
from studies.online_batch.model import (
    LENGTHS,
    LOGS,
    ONLINE,
    POLICIES,
    RECORDED,
)
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import BESIDE_QUEUE
from studies.results import Caption

#: The order of policies; the others are read elsewhere alone.
IN_ORDER = (ONLINE, "FCFS", "FPFS(50)", "EASY", "conservative", RECORDED)
VARIANTS = {*POLICIES} - {*IN_ORDER}
#: What is refused: numbers of a run.
REFUSED = ("refused", "refused_work")
REFUSALS = "intervals: 95 %, bootstrap over weeks; in words: share of the work that is refused"


# --- Every policy, and certainty ---


def draw_with_refusals(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw intervals in rows; beside them which share of the work is refused, where any is."""
    words = [f"{100 * work:.2g} % refused" if work > 0 else "" for work in table["refused_work"]]
    return plots.intervals(table.assign(words=words), panel="panel", words="words", **how)


def draw_waits(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the mean wait under every policy, a panel for the lengths that it knows."""
    how: dict[str, Any] = {"x": "mean_wait_h", "row": "log", "series": "policy", "log": True}
    how |= {"look": LOOK, "row_height": 0.75, "xlabel": "mean wait (hours)"}
    return draw_with_refusals(table.assign(panel="lengths " + table["length"]), **how, **titles)


WAITS_CAPTION = Caption(
    f"every policy on the servers of each log's machine; {REFUSALS}",
    finding="Booking is fair where lengths are known, and breaks down where they are guessed",
)


@study.add_figure("waits", WAITS_CAPTION, draw_waits, claims=("OB-13",))
def waits(runs: pd.DataFrame) -> pd.DataFrame:
    """Return waits, attempts, what is refused and what is used under every policy."""
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
    return pd.DataFrame(rows).astype({"refused": "Int64"})


def compared(
    runs: pd.DataFrame, setting: Mapping[str, Any], one: pd.DataFrame, base: pd.DataFrame
) -> dict[str, Any]:
    """Return the columns of a comparison: both mean waits, their ratio in the same weeks."""
    mine, other = sums_of(one, "wait_h"), sums_of(base, "wait_h")
    row = described(runs, setting)
    row |= {"mean_wait_h": mine.mean, "mean_wait_against_h": other.mean}
    row |= interval_columns(over_weeks(runs).ratio(mine, other), "ratio")
    return row | {name: number(one, name) for name in REFUSED}


def draw_ratios(table: pd.DataFrame, **how: Any) -> Figure:
    """Draw ratios of mean waits in rows, and what is refused."""
    return draw_with_refusals(table, x="ratio", row="row", series="series", factors=True, **how)


def draw_certainty(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw policies that promise a start over EASY."""
    return draw_ratios(table, look=LOOK, xlabel="mean wait over that of EASY", **titles)


CERTAINTY_CAPTION = Caption(
    f"policies that tell every job a start at its submission, over EASY; {REFUSALS}",
    finding="A promise costs up to two fifths; on guesses that cannot come forward, far more",
)


@study.add_figure("certainty", CERTAINTY_CAPTION, draw_certainty)
def certainty(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait of policies that promise a start over that of EASY."""
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
    return pd.DataFrame(rows).astype({"refused": "Int64"})


def draw_beside(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the wait of both parts along the share of the jobs that book."""
    how: dict[str, Any] = {"y": "ratio", "scales": ("linear", "log"), "names": "ends", "look": {}}
    axes = {"xlabel": "share of the jobs that book"}
    axes["ylabel"] = "mean wait, over that\nof the same jobs before"
    return draw_trend(table, level=("nobody books", 1.0), **how, **axes, **titles)


BESIDE_CAPTION = Caption(
    "booking beside backfilling: some jobs book up to 3 hours ahead, conservative "
    "backfilling plans the others around them; bands: 95 %, bootstrap over weeks",
    finding="Booking costs those that queue little where lengths are known, else much",
)


@study.add_figure("beside", BESIDE_CAPTION, draw_beside)
def beside(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the delay of both parts of the jobs over that of the same jobs if nobody books."""
    weeks, rows = over_weeks(runs), []
    keys = ["log", "length", "share", "part"]
    for setting, its_runs in groups_of(pick(runs, kind=BESIDE_QUEUE), keys):
        booked, before = (
            weekly_sums(pick(its_runs, some_book=some), "delay_h", "jobs") for some in (1, 0)
        )
        panel = f"{title_of(runs, setting['log'])}, lengths {setting['length']}"
        row = {"panel": panel, "length": setting["length"], "line": setting["part"]}
        row |= {"at": setting["share"]}
        rows.append(row | interval_columns(weeks.ratio(booked, before), "ratio"))
    return pd.DataFrame(rows)
