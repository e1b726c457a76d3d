"""What the logs of several sites are like, and how well the model stands for their machines."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.intervals import WEEK
from coalloc_lib.jobs import JobStream
from coalloc_lib.metrics import by_width
from coalloc_lib.report.options import ALONE, Comparison, Group
from coalloc_lib.report.words import duration
from coalloc_lib.sites import ALL
from coalloc_lib.workloads.swf import SwfLog

#: What a job may be grouped by, besides its site and width.
LABELS = ("partition", "queue", "group", "user")
#: Groups of a label that are shown; all others are one.
MOST_GROUPS = 6
#: Within these factors of the recorded mean wait the model stands for a machine.
STANDS = (0.5, 2.0)


def table_of_jobs(
    logs: Mapping[str, SwfLog | JobStream], names: list[str], jobs: JobStream, site: NDArray,
    row: NDArray,
) -> pd.DataFrame:  # fmt: skip
    """Return a row for each job that is compared, with what its log says of it (else NaN, -1).

    ``came`` is its submission by the calendar and the clock of its site.
    """
    parts = []
    for name in names:
        log = logs[name]
        if isinstance(log, SwfLog):
            part = log.usable.reset_index(drop=True)
            came = pd.to_datetime((log.epoch or 0) + part["submit"], unit="s", utc=True)
            part = part.assign(came=came.dt.tz_convert(_zone(log)).dt.tz_localize(None))
        else:
            part = pd.DataFrame({"requested_time": log.estimate, "came": pd.NaT})
        parts.append(part.reindex(columns=["came", "wait", "requested_time", *LABELS]))
    begins = np.cumsum([0, *map(len, parts)])
    table = pd.concat(parts, ignore_index=True).iloc[begins[site] + row].reset_index(drop=True)
    known = table[["wait", "requested_time"]]
    table[["wait", "requested_time"]] = known.where(known >= [0, 1e-9])
    table[[*LABELS]] = table[[*LABELS]].fillna(-1).astype(int)
    bounds = 4 ** np.arange(1, 16) // 2  # 2, 8, 32, ...
    most = jobs.processors.max()
    width = by_width(jobs, np.unique([1, *bounds[bounds < most], most]))
    shown = {"site": np.array(names, dtype=object)[site], "width": width.astype(object)}
    columns = {"processors": jobs.processors, "runtime": jobs.runtime, "work": jobs.work}
    return table.assign(**shown, **columns, submit=jobs.submit)


def _zone(log: SwfLog) -> Any:
    """Return the time zone of a log, UTC where it names none that is known."""
    words = re.match(r"[\w/+-]+", log.header.get("TimeZoneString", ""))
    try:
        return ZoneInfo(words[0] if words else "UTC")
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def groups_of(table: pd.DataFrame, label: str) -> pd.Series:
    """Return the group of each job by a column of its log, such as ``north queue 1``; few of them.

    Those with most work are named. It is empty for jobs of a site that has but one group.
    """
    known = table[label] >= 0
    several = known & (table[label].where(known).groupby(table["site"]).transform("nunique") > 1)
    names = table["site"] + f" {label} " + table[label].astype(str)
    work = table["work"][several].groupby(names[several]).sum().nlargest(MOST_GROUPS)
    named = names.where(names.isin(work.index), table["site"] + f", other {label}s")
    return named.where(several, "")


def facts(
    logs: Mapping[str, SwfLog | JobStream], clusters: Mapping[str, int], table: pd.DataFrame
) -> pd.DataFrame:
    """Return a row for each site: what its log holds, what is compared, and the load of that."""
    rows, span = [], np.ptp(table["submit"])
    for name, mine in table.groupby("site", sort=False):
        log, known = logs[str(name)], mine["requested_time"].notna()
        share = (mine["runtime"] / mine["requested_time"])[known]
        row: dict[str, Any] = {"site": name, "processors": clusters[str(name)]}
        if isinstance(log, SwfLog):
            days = [f"{end:%Y-%m-%d}" for end in (mine["came"].min(), mine["came"].max())]
            file, usable = len(log), len(log.usable)
            row |= {"log": log.title, "sha256": _hash(log.source), "from": days[0], "to": days[1]}
        else:
            file = usable = len(log)
        row |= {
            "in_file": file, "without_run_time": file - usable, "jobs": len(mine),
            "weeks": span / WEEK, "load": mine["work"].sum() / (span * row["processors"]),
            "widest": mine["processors"].max(), "processors_mean": mine["processors"].mean(),
            "runtime_median": mine["runtime"].median(), "runtime_mean": mine["runtime"].mean(),
            "without_estimate": 1 - known.mean(), "over_estimate": (share > 1).mean(),
            "used_of_estimate_median": share.median(),
            "with_recorded_wait": mine["wait"].notna().mean(),
        }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows).set_index("site").loc[[*clusters]].reset_index()


def _hash(source: str) -> str:
    """Return the SHA-256 of a file, nothing where it is gone."""
    try:
        with Path(source).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def weekly_load(table: pd.DataFrame, clusters: Mapping[str, int]) -> pd.DataFrame:
    """Return the load that each site is offered in each week of the common time, and its jobs."""
    since = table["submit"] - table["submit"].min()
    weeks = table.assign(week=(since // WEEK).astype(int)).groupby(["site", "week"], sort=False)
    loads = weeks.agg(jobs=("work", "size"), work=("work", "sum")).reset_index()
    size = loads["site"].map(dict(clusters))
    length = np.minimum(since.max() - loads["week"] * WEEK, WEEK).clip(lower=1)
    loads["load"] = loads.pop("work") / (size * length)
    # The last days are a week only where they are most of one.
    return loads[length > WEEK / 2].sort_values(["site", "week"])


def cycles(table: pd.DataFrame) -> pd.DataFrame:
    """Return which share of a site's jobs come in each hour of the day, and on each weekday."""
    known = table[table["came"].notna()]
    rows = []
    for cycle, at, count in (
        ("hour", known["came"].dt.hour, 24), ("weekday", known["came"].dt.weekday, 7),
    ):  # fmt: skip
        shares = pd.crosstab(known["site"], at, normalize="index")
        shares = shares.reindex(columns=range(count), fill_value=0)
        long = shares.rename_axis(columns="at").stack().rename("share").reset_index()
        rows.append(long.assign(cycle=cycle))
    return pd.concat(rows, ignore_index=True)[["cycle", "site", "at", "share"]]


def waits(table: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Return who waits: recorded in the log, and in the model where each site stays alone.

    A row for each site and group of its jobs by width, partition, queue, group and user.
    """
    every = table.assign(model=comparison.outcomes[ALONE].wait)
    parts = []
    for grouping in ("all", "width", *LABELS):
        if grouping in ("all", "width"):
            names = every["site"] if grouping == "all" else every["width"]
        else:
            names = groups_of(every, grouping)
        kept = names != ""
        if not kept.any():
            continue
        grouped = every[kept].groupby(["site", names[kept].rename("jobs_of")], sort=False)
        part = grouped.agg(
            jobs=("work", "size"), work=("work", "sum"), recorded_mean=("wait", "mean"),
            recorded_median=("wait", "median"), model_mean=("model", "mean"),
            model_median=("model", "median"), widest=("processors", "max"),
        ).reset_index()  # fmt: skip
        part["share_of_work"] = part["work"] / part.groupby("site")["work"].transform("sum")
        order = ["site", "widest"] if grouping == "width" else ["site", "work"]
        part = part.sort_values(order, ascending=grouping == "width")
        parts.append(part.drop(columns=["work", "widest"]).assign(grouping=grouping))
    order = {group: place for place, (_, group) in enumerate(comparison.groups)}
    rows = pd.concat(parts, ignore_index=True).rename(columns={"jobs_of": "group"})
    rows = rows.sort_values("site", key=lambda each: each.map(order), kind="stable")
    return rows[["site", "grouping", "group", *rows.columns.difference(
        ["site", "grouping", "group"], sort=False)]]  # fmt: skip


def stands(rows: pd.DataFrame) -> dict[str, str]:
    """Return for each site why the model does not stand for it; nothing where it does.

    `rows` are those of `waits`. A difference of less than a minute is none.
    """
    found = {}
    for row in rows[rows["grouping"] == "all"].itertuples():
        ratio = row.model_mean / row.recorded_mean if row.recorded_mean else np.inf
        if np.isnan(row.recorded_mean):
            found[row.site] = "its log has no recorded waits to hold the model against"
        elif abs(row.model_mean - row.recorded_mean) > 60 and not STANDS[0] <= ratio <= STANDS[1]:
            found[row.site] = (
                f"in the model its jobs wait {duration(row.model_mean)} on average, in its log "
                f"{duration(row.recorded_mean)}"
            )
    return found


def group_masks(table: pd.DataFrame, sites: list[str]) -> dict[Group, NDArray[np.bool_]]:
    """Return the groups over which options are compared: all, sites, widths, partitions."""
    masks = {("all", ALL): np.ones(len(table), dtype=bool)}
    queued = groups_of(table, "partition")
    if not (queued != "").any():
        queued = groups_of(table, "queue")
    widths = table.groupby("width")["processors"].max().sort_values().index
    for grouping, names, order in (
        ("site", table["site"], sites), ("width", table["width"], widths),
        ("partition", queued, sorted(set(queued) - {""})),
    ):  # fmt: skip
        masks |= {(grouping, str(name)): (names == name).to_numpy() for name in order}
    return masks
