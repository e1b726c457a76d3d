"""Further than the paper: every policy, what certainty costs, what else matters, clusters."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.experiments import groups_of, interval_columns, pick
from coalloc_lib.experiments.weeks import weekly_sums
from studies.online_batch.figures import (
    AS_THEY_ASK,
    DESCRIBED,
    LOOK,
    NOBODY_RESERVES,
    WEEKS,
    by_policy,
    described,
    draw_trend,
    number,
    plain,
    point,
    shades_of,
    sums_of,
    title_of,
)
from studies.online_batch.model import (
    ALL,
    CHANGES,
    EXACT,
    FIRST,
    LENGTHS,
    LOGS,
    ONE,
    ONLINE,
    OWN_SERVERS,
    PARTS,
    PENALTIES,
    PLACEMENTS,
    POLICIES,
    RECORDED,
)
from studies.online_batch.runs import over_weeks, study
from studies.online_batch.settings import BESIDE_QUEUE, SCHEDULE
from studies.shown import Caption

#: The order of policies; the others are read elsewhere alone.
IN_ORDER = (ONLINE, "FCFS", "FPFS(50)", "EASY", "conservative", RECORDED)
VARIANTS = {*POLICIES} - {*IN_ORDER}
#: What is refused: numbers of a run.
REFUSED = ("refused", "refused_work")
REFUSALS = "intervals: 95 %, bootstrap over weeks; in words: share of the work that is refused"


# --- Every policy, certainty, promises ---


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


@study.add_figure("waits", WAITS_CAPTION, draw_waits, claims=("OB-12",))
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


def draw_promises(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw promised waits over waits."""
    how: dict[str, Any] = {"x": "ratio", "row": "log", "series": "lengths", "factors": True}
    how |= {"row_height": 0.6, "xlabel": "promised wait over wait"}
    return plots.intervals(table.assign(lengths="lengths " + table["length"]), **how, **titles)


PROMISES_CAPTION = Caption(
    "conservative backfilling: the mean wait that was promised at submission, over the "
    "mean wait; intervals: 95 %, bootstrap over weeks",
    finding="Where lengths are guessed, users are promised starts far later than those they get",
)


@study.add_figure("promises", PROMISES_CAPTION, draw_promises)
def promises(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait that is promised over the mean wait."""
    weeks, rows = over_weeks(runs), []
    for setting, its_runs in by_policy(plain(runs, policy="conservative"), LOGS):
        promised, waited = (sums_of(its_runs, name) for name in ("promised_h", "wait_h"))
        ratio = weeks.mean(sums_of(its_runs, "promised_h", "wait_h"))
        row = {"mean_promised_h": promised.mean, "mean_wait_h": waited.mean}
        rows.append(described(runs, setting) | row | interval_columns(ratio, "ratio"))
    return pd.DataFrame(rows)


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


# --- What else matters, several clusters ---


def draw_sensitivity(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw each change over online without."""
    xlabel = "mean wait over that with none"
    return draw_ratios(table, look=shades_of(table["series"]), xlabel=xlabel, **titles)


SENSITIVITY_CAPTION = Caption(
    f"online with one choice changed, over online without; {REFUSALS}",
    finding="Long steps cost; with requested lengths, releasing early or a shorter horizon helps",
)


@study.add_figure("sensitivity", SENSITIVITY_CAPTION, draw_sensitivity, claims=("OB-13",))
def sensitivity(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait with one choice changed over that without."""
    rows, found = [], plain(runs)
    for length, change, log in product(LENGTHS, CHANGES, LOGS):
        here = pick(found, log=log, length=length)
        changed, base = pick(here, policy=f"{ONLINE}, {change}"), pick(here, policy=ONLINE)
        if not (changed.empty or base.empty):
            title = title_of(runs, log)
            words = {"panel": f"lengths {length}{title.removeprefix(log)}"}
            words |= {"row": change, "series": title}
            ((setting, _),) = by_policy(base, [log])
            rows.append(words | compared(runs, setting, changed, base))
    return pd.DataFrame(rows).astype({"refused": "Int64"})


def draw_clusters(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the mean wait along the penalty, one cluster dashed."""
    how: dict[str, Any] = {"scales": ("linear", "log"), "names": "ends"}
    how |= {"style": plots.LineStyle(dashed=[ONE])}
    axes = {"xlabel": "penalty of spanning", "ylabel": "mean wait (hours)"}
    return draw_trend(table, **how, **axes, **titles)


CLUSTERS_CAPTION = Caption(
    f"the online scheduler on equal clusters; {WEEKS}",
    finding="Where the penalty is large, clusters more than double the wait; spread at once, most",
)


@study.add_figure("clusters", CLUSTERS_CAPTION, draw_clusters)
def clusters(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean wait by way and penalty; `ratio` is over one cluster first, same weeks."""
    usual = {"kind": SCHEDULE, "policy": ONLINE, "length": EXACT}
    found = pick(runs, **usual, **NOBODY_RESERVES, **AS_THEY_ASK, kept=ALL)
    rows = []
    for log, penalty in product(LOGS, PENALTIES):
        servers = OWN_SERVERS[log] // PARTS * PARTS
        here = pick(found, log=log, servers=servers, penalty=(0.0, penalty))
        first = pick(here, spread=FIRST, penalty=penalty)
        if first.empty:
            continue
        panel = f"{title_of(runs, log)}, {PARTS} × {servers // PARTS}"
        for way in PLACEMENTS:
            its_runs = pick(here, spread=way, penalty=0.0 if way == ONE else penalty)
            rows.append(clusters_row(runs, its_runs, first, penalty) | {"panel": panel})
    return pd.DataFrame(rows)


def clusters_row(
    runs: pd.DataFrame, its_runs: pd.DataFrame, first: pd.DataFrame, penalty: float
) -> dict[str, Any]:
    """Return the mean wait of a way to put jobs on clusters, and over one cluster first."""
    weeks = over_weeks(runs)
    ((setting, _),) = groups_of(its_runs, [*DESCRIBED, "spread"])
    mine = sums_of(its_runs, "wait_h")
    ratio = weeks.ratio(mine, sums_of(first, "wait_h"))
    row = point(runs, setting, penalty, weeks.mean(mine), line=setting["spread"])
    row |= {"spans": number(its_runs, "spans"), "ratio": ratio.estimate}
    return row | {"ratio_low": ratio.low, "ratio_high": ratio.high}
