"""What the logs of several sites are like, and how well the model stands for their machines."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import LAST_INSTANT, InputError
from coalloc_lib.intervals import WEEK
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.schedules.metrics import by_width
from coalloc_lib.simulation.sites import ALL
from coalloc_lib.workloads.swf import SwfLog, in_use
from own_system.decision import LEAST_CHANGE
from own_system.options import ALONE, Comparison, Group
from own_system.words import DAY, duration

#: What a log may group its jobs by, and how many groups of each are named.
LABELS, MOST_GROUPS = ("partition", "queue", "group", "user"), 6
#: The model stands for a machine whose recorded mean wait it meets within these factors, or a
#: minute.
STANDS = (0.5, 2.0)
#: What is doubted: more, or less, than so many times the processors in use; so long without a job.
OVER, UNDER, GAP = 1.05, 0.5, 14 * DAY


def table_of_jobs(
    logs: Mapping[str, Any], names: list[str], jobs: JobStream, site: NDArray, row: NDArray
) -> pd.DataFrame:
    """Return a row for each job that is compared, with what its log says of it (else NaN, -1).

    ``came`` is its submission by the calendar and the clock of its site.
    """
    parts = []
    for name in names:
        log = logs[name]
        if isinstance(log, SwfLog):
            part = log.usable.reset_index(drop=True)
            moment = (log.epoch or 0) + part["submit"]
            if moment.max() >= LAST_INSTANT:
                why = f"its last job is submitted at {moment.max():.15g}, after the year 9998"
                raise InputError(f"{log.title}: {why}; give a log in seconds")
            came = pd.to_datetime(moment, unit="s", utc=True)
            part["came"] = came.dt.tz_convert(log.time_zone.info).dt.tz_localize(None)
        else:
            known = np.where(log.has_estimate, log.estimate, np.nan)
            part = pd.DataFrame({"requested_time": known, "came": pd.NaT})
        part["asked"] = part.get("processors", log.processors)
        parts.append(part.reindex(columns=["came", "wait", "asked", "requested_time", *LABELS]))
    begins = np.cumsum([0, *map(len, parts)])
    table = pd.concat(parts, ignore_index=True).iloc[begins[site] + row].reset_index(drop=True)
    table["wait"] = table["wait"].where(table["wait"] >= 0)
    table["used"] = jobs.runtime / table.pop("requested_time").where(lambda time: time > 0)
    table[[*LABELS]] = table[[*LABELS]].fillna(-1).astype(int)
    most, bounds = jobs.processors.max(), 4 ** np.arange(1, 16) // 2  # 2, 8, 32, ...
    width = by_width(jobs, np.unique([1, *bounds[bounds < most], most])).astype(object)
    columns = {"submit": jobs.submit, "runtime": jobs.runtime, "processors": jobs.processors}
    names_of = np.array(names, dtype=object)[site]
    return table.assign(site=names_of, width=width, work=jobs.work, **columns)


def groups_of(table: pd.DataFrame, label: str) -> pd.Series:
    """Return the group of each job by a column of its log, such as ``north queue 1``.

    Those with most work are named. It is empty for jobs of a site that has but one group.
    """
    known = table[label].where(table[label] >= 0)
    several = known.notna() & (known.groupby(table["site"]).transform("nunique") > 1)
    names = table["site"] + f" {label} " + table[label].astype(str)
    named = table["work"][several].groupby(names[several]).sum().nlargest(MOST_GROUPS).index
    return names.where(names.isin(named), table["site"] + f", other {label}s").where(several, "")


def group_masks(table: pd.DataFrame, sites: list[str]) -> dict[Group, NDArray[np.bool_]]:
    """Return the groups over which options are compared: all, sites, widths, partitions."""
    queue = next((q for label in LABELS[:2] if (q := groups_of(table, label)).any()), None)
    widths = table.groupby("width")["processors"].max().sort_values().index
    by = {"site": (table["site"], sites), "width": (table["width"], widths)}
    by |= {} if queue is None else {"partition": (queue, sorted({*queue} - {""}))}
    masks = {("all", ALL): np.ones(len(table), dtype=bool)}
    for grouping, (names, order) in by.items():
        masks |= {(grouping, str(name)): (names == name).to_numpy() for name in order}
    return masks


def facts(
    logs: Mapping[str, Any], clusters: Mapping[str, int], table: pd.DataFrame
) -> pd.DataFrame:
    """Return a row for each site: what its log holds, what is compared, and the load of that."""
    rows, span = [], np.ptp(table["submit"])
    for site, size in clusters.items():
        log, mine = logs[site], table[table["site"] == site]
        row: dict[str, Any] = {"site": site, "processors": size, "in_file": len(log)}
        if isinstance(log, SwfLog):
            first, last = (f"{end:%Y-%m-%d}" for end in (mine["came"].min(), mine["came"].max()))
            row |= {"log": log.title, "sha256": log.sha256, "from": first, "to": last}
            row |= {"time_zone": log.time_zone.name, "notes": "; ".join(log.notes)}
        usable = len(log.usable) if isinstance(log, SwfLog) else len(log)
        used, length, wide = mine["used"].dropna(), mine["runtime"], mine["processors"]
        came = np.sort([*mine["submit"], table["submit"].min(), table["submit"].max()])
        gap, known, busiest = int(np.diff(came).argmax()), mine[mine["wait"].notna()], np.nan
        if len(known):
            begins = known["submit"] + known["wait"]
            busiest = in_use(begins, begins + known["runtime"], known["asked"])
        rows.append(row | {
            "without_run_time": len(log) - usable, "outside": usable - len(mine),
            "jobs": len(mine), "weeks": span / WEEK, "load": mine["work"].sum() / (span * size),
            "busiest": busiest, "gap_begins": came[gap], "gap": came[gap + 1] - came[gap],
            "idle_in_nodes": 1 - (mine["asked"] * length).sum() / mine["work"].sum(),
            "widest": wide.max(),
            **_spread("processors", wide), **_spread("runtime", length),
            "without_estimate": mine["used"].isna().mean(), "past_estimate": (used > 1).mean(),
            "used_of_estimate_median": used.median(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _spread(name: str, values: pd.Series) -> dict[str, float]:
    """Return the mean, and the 10th, 50th and 90th percentile, of a column."""
    marks = {"p10": 0.1, "median": 0.5, "p90": 0.9}
    spread = {f"{name}_{mark}": values.quantile(share) for mark, share in marks.items()}
    return {f"{name}_mean": values.mean()} | spread


def weekly_load(table: pd.DataFrame, clusters: Mapping[str, int]) -> pd.DataFrame:
    """Return the load that each site is offered in each week of the common time, and its jobs."""
    since = table["submit"] - table["submit"].min()
    weeks = table.assign(week=(since // WEEK).astype(int)).groupby(["site", "week"], sort=True)
    loads = weeks.agg(jobs=("work", "size"), load=("work", "sum"))
    all_weeks = pd.MultiIndex.from_product(
        [[*clusters], range(int(since.max() // WEEK) + 1)], names=["site", "week"]
    )
    loads = loads.reindex(all_weeks, fill_value=0).reset_index()
    length = np.minimum(since.max() - loads["week"] * WEEK, WEEK)
    loads["load"] /= loads["site"].map(dict(clusters)) * length.clip(lower=1)
    return loads[length > WEEK / 2]  # the last days are a week only where they are most of one


def cycles(table: pd.DataFrame, sites: Iterable[str]) -> pd.DataFrame:
    """Return which share of a site's jobs come in each hour of the day, and on each weekday."""
    known, rows = table[table["came"].notna()], []
    order = [site for site in sites if (known["site"] == site).any()]
    days = {"hour of the day": ("hour", 24), "weekday, 0 is Monday": ("day_of_week", 7)}
    for name, (at, count) in days.items():
        shares = pd.crosstab(known["site"], getattr(known["came"].dt, at), normalize="index")
        shares = shares.reindex(order, columns=range(count), fill_value=0.0)
        shares = shares.rename_axis(index="site", columns="at")
        rows.append(shares.stack().rename("share").reset_index().assign(cycle=name))
    return pd.concat(rows, ignore_index=True)


def waits(table: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Return who waits: recorded in the log, and in the model where each site stays alone.

    A row for each site and group of its jobs by width, partition, queue, group and user.
    """
    every, parts = table.assign(all=table["site"], model=comparison.outcomes[ALONE]["wait"]), []
    # Both of the same jobs: those with a recorded wait, where the site has some.
    known = every["wait"].notna()
    every["model"] = every["model"].where(known | ~known.groupby(every["site"]).transform("any"))
    work = every.groupby("site")["work"].sum()
    sites = {group: place for place, (_, group) in enumerate(comparison.groups)}
    for by in ("all", "width", *LABELS):
        names = groups_of(every, by) if by in LABELS else every[by]
        part = every.assign(group=names)[names != ""].groupby(["site", "group"]).agg(
            jobs=("work", "size"), known=("wait", "count"), share_of_work=("work", "sum"),
            widest=("processors", "max"),
            recorded_mean=("wait", "mean"), recorded_median=("wait", "median"),
            model_mean=("model", "mean"), model_median=("model", "median"),
        ).reset_index()  # fmt: skip
        part["share_of_work"] /= work[part["site"]].to_numpy()
        order = {"widest": True} if by == "width" else {"share_of_work": False}
        part = part.sort_values([*order], ascending=[*order.values()])
        part = part.sort_values("site", key=lambda each: each.map(sites), kind="stable")
        parts.append(part.drop(columns="widest").assign(grouping=by))
    return pd.concat(parts, ignore_index=True)


def misses(rows: pd.DataFrame) -> dict[str, str]:
    """Return for each site, by `waits`, how its recorded mean wait is missed, if it is."""
    found = {}
    for row in rows[(rows["grouping"] == "all") & rows["recorded_mean"].notna()].itertuples():
        low, high = (factor * row.recorded_mean for factor in STANDS)
        low = min(low, row.recorded_mean - LEAST_CHANGE)
        high = max(high, row.recorded_mean + LEAST_CHANGE)
        if row.known >= row.jobs / 2 and not low <= row.model_mean <= high:
            recorded = duration(row.recorded_mean)
            if np.isnan(row.model_mean):
                told = f"in the model its queue only grows, in its log its jobs wait {recorded}"
                found[row.site] = told
                continue
            found[row.site] = (
                f"in the model its jobs wait {duration(row.model_mean)} on average, in its log "
                f"{recorded}"
                + ", for something else than processors"
                * (row.model_mean < LEAST_CHANGE)
            )
    return found


def doubts(rows: pd.DataFrame, facts: pd.DataFrame) -> dict[str, str]:
    """Return for each site why the model does not stand for it, by `waits` and `facts`, if so."""
    known, missed, found = facts.set_index("site"), misses(rows), {}
    for row in rows[rows["grouping"] == "all"].itertuples():
        mine, why = known.loc[row.site], []
        if np.isnan(row.recorded_mean):
            why.append("its log has no recorded waits to hold the model against")
        elif row.known < row.jobs / 2:
            why.append(f"only {row.known:,} of its {row.jobs:,} jobs have a recorded wait")
        elif row.site in missed:
            why.append(missed[row.site])
        if mine["busiest"] > OVER * mine["processors"]:
            why.append(
                f"by its log up to {mine['busiest']:,.0f} processors were in use at once, of "
                f"{mine['processors']:,.0f}: check their number, in cores if the log counts cores"
            )
        elif mine["busiest"] < UNDER * mine["processors"]:
            why.append(
                f"by its log no more than {mine['busiest']:,.0f} of its {mine['processors']:,.0f} "
                "processors are in use 99 % of the time: check their number"
            )
        elif mine["load"] > 1:
            why.append(f"its log offers {mine['load']:.2f} times what its processors can do")
        if mine["gap"] > GAP:
            why.append(
                f"its log has no jobs for {duration(mine['gap'])}, while its machine stands idle "
                "in the model, to the gain of the others"
            )
        if why:
            found[row.site] = "; ".join(why)
    return found
