"""Tables about the logs of several sites, and doubts about the model of their machines."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import LAST_INSTANT, InputError
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.schedules.metrics import by_width
from coalloc_lib.statistics import WEEK
from coalloc_lib.statistics.site_comparison import ALL
from coalloc_lib.workloads.swf import SwfLog
from own_system.comparison import Comparison, Group
from own_system.decision import LEAST_CHANGE
from own_system.options import ALONE
from own_system.usage import in_use
from own_system.words import DAY, duration

#: The columns of a log by which jobs can be grouped.
LABELS = ("partition", "queue", "group", "user")
#: The maximum number of groups of jobs, such as queues, that are shown by name. These are the
#: groups with the most work (processors times run time). All other groups are combined.
MOST_GROUPS = 6
#: The accepted range of the simulated mean wait divided by the recorded mean wait. A simulation is
#: also accepted if the two means differ by less than `LEAST_CHANGE` seconds.
ACCEPTED = (0.5, 2.0)
#: The number of processors that a user gives for a site is doubtful if the largest number in use in
#: the log is more than OVER times this number, or less than UNDER times this number.
OVER, UNDER = 1.05, 0.5
#: The longest time without submissions to a site, in seconds, that causes no warning.
GAP = 14 * DAY


def table_of_jobs(
    logs: Mapping[str, Any], names: list[str], jobs: JobStream, site: NDArray, row: NDArray
) -> pd.DataFrame:
    """Return a table of the jobs of all sites that also has the columns of the sites' logs.

    Parameters
    ----------
    logs : dict of str to SwfLog or JobStream
        The log of each site.
    names : list of str
        The names of the sites.
    jobs : JobStream
        The jobs of all sites.
    site, row : ndarray of int
        The site of each job, and the position of the job in the log of its site.

    Returns
    -------
    DataFrame
        A row for each job. The column ``came`` is the local date and time of the submission at the
        site of the job. Numbers that are not in the log are NaN, and groups that are not in the log
        are -1.

    Raises
    ------
    InputError
        If the last submission of a log is after the year 9998.
    """
    parts = []
    for name in names:
        log = logs[name]
        if isinstance(log, SwfLog):
            part = log.usable.reset_index(drop=True)
            part["came"] = _local_times(log, part["submit"])
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
    most, bounds = jobs.processors.max(), 4 ** np.arange(1, 16) // 2  # The bounds are 2, 8, 32, ...
    width = by_width(jobs, np.unique([1, *bounds[bounds < most], most])).astype(object)
    columns = {"submit": jobs.submit, "runtime": jobs.runtime, "processors": jobs.processors}
    site_names = np.array(names, dtype=object)[site]
    return table.assign(site=site_names, width=width, work=jobs.work, **columns)


def _local_times(log: SwfLog, submit: pd.Series) -> pd.Series:
    moment = (log.epoch or 0) + submit
    if moment.max() >= LAST_INSTANT:
        raise InputError(
            f"{log.title}: its last job is submitted at {moment.max():.15g}, after the year 9998; "
            "give a log with times in seconds"
        )
    times = pd.to_datetime(moment, unit="s", utc=True)
    return times.dt.tz_convert(log.time_zone.info).dt.tz_localize(None)


def groups_of(table: pd.DataFrame, label: str) -> pd.Series:
    """Return the name of the group of each job, such as its queue or partition.

    A name is, for example, ``north queue 1``. Only the groups with the most work have their own
    names. The name is empty for the jobs of a site with only one group.

    Parameters
    ----------
    table : DataFrame
        The result of `table_of_jobs`.
    label : str
        The column: one of `LABELS`.
    """
    known = table[label].where(table[label] >= 0)
    several = known.notna() & (known.groupby(table["site"]).transform("nunique") > 1)
    names = table["site"] + f" {label} " + table[label].astype(str)
    named = table["work"][several].groupby(names[several]).sum().nlargest(MOST_GROUPS).index
    return names.where(names.isin(named), table["site"] + f", other {label}s").where(several, "")


def group_masks(table: pd.DataFrame, sites: list[str]) -> dict[Group, NDArray[np.bool_]]:
    """Return a boolean mask of the jobs in each group for which options are compared.

    The groups are all jobs, the sites, the job widths, and the partitions. If the logs have no
    partitions, queues are used instead.
    """
    widths = table.groupby("width")["processors"].max().sort_values().index
    groupings = {"site": (table["site"], sites), "width": (table["width"], widths)}
    for label in ("partition", "queue"):
        names = groups_of(table, label)
        if names.any():
            groupings["partition"] = names, sorted({*names} - {""})
            break
    masks = {("all", ALL): np.ones(len(table), dtype=bool)}
    for grouping, (names, order) in groupings.items():
        masks |= {(grouping, str(name)): (names == name).to_numpy() for name in order}
    return masks


def facts_of_logs(
    logs: Mapping[str, Any], clusters: Mapping[str, int], table: pd.DataFrame
) -> pd.DataFrame:
    """Return a table of facts about the log and the jobs of each site.

    Parameters
    ----------
    logs : dict of str to SwfLog or JobStream
        The log of each site.
    clusters : dict of str to int
        The number of processors of each site.
    table : DataFrame
        The result of `table_of_jobs`.
    """
    ends = table["submit"].min(), table["submit"].max()
    return pd.DataFrame([
        {"site": site, "processors": size}
        | _facts_of_log(logs[site], table[table["site"] == site])
        | _facts_of_jobs(table[table["site"] == site], size, ends)
        for site, size in clusters.items()
    ])  # fmt: skip


def _facts_of_log(log: Any, jobs: pd.DataFrame) -> dict[str, Any]:
    facts: dict[str, Any] = {"in_file": len(log)}
    usable = len(log)
    if isinstance(log, SwfLog):
        first, last = (f"{end:%Y-%m-%d}" for end in (jobs["came"].min(), jobs["came"].max()))
        facts |= {"log": log.title, "sha256": log.sha256, "from": first, "to": last}
        facts |= {"time_zone": log.time_zone.name, "notes": "; ".join(log.notes)}
        usable = len(log.usable)
    return facts | {"without_run_time": len(log) - usable, "outside": usable - len(jobs)}


def _facts_of_jobs(jobs: pd.DataFrame, size: int, ends: tuple[float, float]) -> dict[str, Any]:
    used, length, span = jobs["used"].dropna(), jobs["runtime"], ends[1] - ends[0]
    submit = np.sort([*jobs["submit"], *ends])
    gap = int(np.diff(submit).argmax())
    return {
        "jobs": len(jobs), "weeks": span / WEEK, "load": jobs["work"].sum() / (span * size),
        "busiest": _processors_in_use(jobs),
        "gap_begins": submit[gap], "gap": submit[gap + 1] - submit[gap],
        "idle_in_nodes": 1 - (jobs["asked"] * length).sum() / jobs["work"].sum(),
        "widest": jobs["processors"].max(),
        **_distribution("processors", jobs["processors"]), **_distribution("runtime", length),
        "without_estimate": jobs["used"].isna().mean(), "past_estimate": (used > 1).mean(),
        "used_of_estimate_median": used.median(),
    }  # fmt: skip


def _processors_in_use(jobs: pd.DataFrame) -> float:
    # Only jobs with a recorded wait have a known start.
    known = jobs[jobs["wait"].notna()]
    if not len(known):
        return np.nan
    begins = known["submit"] + known["wait"]
    return in_use(begins, begins + known["runtime"], known["asked"])


def _distribution(name: str, values: pd.Series) -> dict[str, float]:
    quantiles = {"p10": 0.1, "median": 0.5, "p90": 0.9}
    percentiles = {f"{name}_{mark}": values.quantile(share) for mark, share in quantiles.items()}
    return {f"{name}_mean": values.mean()} | percentiles


def weekly_load(table: pd.DataFrame, clusters: Mapping[str, int]) -> pd.DataFrame:
    """Return a table of the number of jobs and the offered load of each site in each week.

    Parameters
    ----------
    table : DataFrame
        The result of `table_of_jobs`.
    clusters : dict of str to int
        The number of processors of each site.
    """
    since = table["submit"] - table["submit"].min()
    weeks = table.assign(week=(since // WEEK).astype(int)).groupby(["site", "week"], sort=True)
    loads = weeks.agg(jobs=("work", "size"), load=("work", "sum"))
    all_weeks = pd.MultiIndex.from_product(
        [[*clusters], range(int(since.max() // WEEK) + 1)], names=["site", "week"]
    )
    loads = loads.reindex(all_weeks, fill_value=0).reset_index()
    length = np.minimum(since.max() - loads["week"] * WEEK, WEEK)
    loads["load"] /= loads["site"].map(dict(clusters)) * length.clip(lower=1)
    # The last week is left out if the logs cover less than half of that week.
    return loads[length > WEEK / 2]


def cycles(table: pd.DataFrame, sites: Iterable[str]) -> pd.DataFrame:
    """Return the fraction of each site's jobs that arrives in each hour and on each weekday."""
    known, rows = table[table["came"].notna()], []
    order = [site for site in sites if (known["site"] == site).any()]
    periods = {"hour of the day": ("hour", 24), "weekday, 0 is Monday": ("day_of_week", 7)}
    for name, (attribute, count) in periods.items():
        part = getattr(known["came"].dt, attribute)
        shares = pd.crosstab(known["site"], part, normalize="index")
        shares = shares.reindex(order, columns=range(count), fill_value=0.0)
        shares = shares.rename_axis(index="site", columns="at")
        rows.append(shares.stack().rename("share").reset_index().assign(cycle=name))
    return pd.concat(rows, ignore_index=True)


def waits(table: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Return a table of the recorded and the simulated waits of each group of jobs.

    Parameters
    ----------
    table : DataFrame
        The result of `table_of_jobs`.
    comparison : Comparison
        The simulated options.

    Returns
    -------
    DataFrame
        A row for each site, and for each group of its jobs by width, partition, queue, group and
        user.
    """
    jobs, parts = table.assign(all=table["site"], model=comparison.outcomes[ALONE]["wait"]), []
    # If only some jobs of a site have recorded waits, the simulated mean wait is computed over the
    # same jobs, so that the two means are comparable.
    known = jobs["wait"].notna()
    jobs["model"] = jobs["model"].where(known | ~known.groupby(jobs["site"]).transform("any"))
    work = jobs.groupby("site")["work"].sum()
    sites = {group: place for place, (_, group) in enumerate(comparison.groups)}
    for by in ("all", "width", *LABELS):
        names = groups_of(jobs, by) if by in LABELS else jobs[by]
        part = jobs.assign(group=names)[names != ""].groupby(["site", "group"]).agg(
            jobs=("work", "size"), known=("wait", "count"), share_of_work=("work", "sum"),
            widest=("processors", "max"),
            recorded_mean=("wait", "mean"), recorded_median=("wait", "median"),
            model_mean=("model", "mean"), model_median=("model", "median"),
        ).reset_index()  # fmt: skip
        part["share_of_work"] /= work[part["site"]].to_numpy()
        order = {"widest": True} if by == "width" else {"share_of_work": False}
        part = part.sort_values([*order], ascending=[*order.values()])
        part = part.sort_values("site", key=lambda names: names.map(sites), kind="stable")
        parts.append(part.drop(columns="widest").assign(grouping=by))
    return pd.concat(parts, ignore_index=True)


def sites_not_reproduced(rows: pd.DataFrame) -> dict[str, str]:
    """Return the sites whose simulated mean wait is far from the recorded mean wait.

    Parameters
    ----------
    rows : DataFrame
        The result of `waits`.

    Returns
    -------
    dict of str to str
        A text with both mean waits for each of these sites.
    """
    texts = {}
    for row in rows[(rows["grouping"] == "all") & rows["recorded_mean"].notna()].itertuples():
        low, high = (factor * row.recorded_mean for factor in ACCEPTED)
        low = min(low, row.recorded_mean - LEAST_CHANGE)
        high = max(high, row.recorded_mean + LEAST_CHANGE)
        if row.known < row.jobs / 2 or low <= row.model_mean <= high:
            continue
        recorded = duration(row.recorded_mean)
        if np.isnan(row.model_mean):
            texts[row.site] = (
                f"in the model its queue only grows, in its log its jobs wait {recorded}"
            )
            continue
        texts[row.site] = (
            f"in the model its jobs wait {duration(row.model_mean)} on average, in its log "
            f"{recorded}"
        )
        if row.model_mean < LEAST_CHANGE:
            texts[row.site] += ", perhaps for other reasons than a lack of processors"
    return texts


def doubts(rows: pd.DataFrame, facts: pd.DataFrame) -> dict[str, str]:
    """Return the sites whose machines the simulation may misrepresent, with the reasons.

    Parameters
    ----------
    rows : DataFrame
        The result of `waits`.
    facts : DataFrame
        The result of `facts_of_logs`.

    Returns
    -------
    dict of str to str
        The reasons for the doubt, by site.
    """
    facts_of, missed, texts = facts.set_index("site"), sites_not_reproduced(rows), {}
    for row in rows[rows["grouping"] == "all"].itertuples():
        reasons = [_doubt_about_waits(row, missed), *_doubts_about_machine(facts_of.loc[row.site])]
        if any(reasons):
            texts[row.site] = "; ".join(filter(None, reasons))
    return texts


def _doubt_about_waits(row: Any, missed: Mapping[str, str]) -> str:
    if np.isnan(row.recorded_mean):
        return "its log has no recorded waits with which the model can be compared"
    if row.known < row.jobs / 2:
        return f"only {row.known:,} of its {row.jobs:,} jobs have a recorded wait"
    return missed.get(row.site, "")


def _doubts_about_machine(site: Any) -> list[str]:
    reasons = []
    if site["busiest"] > OVER * site["processors"]:
        reasons.append(
            f"according to its log, up to {site['busiest']:,.0f} processors were in use at once, "
            f"but it has {site['processors']:,.0f}: check this number, and give cores if the log "
            "counts cores"
        )
    elif site["busiest"] < UNDER * site["processors"]:
        reasons.append(
            f"according to its log, no more than {site['busiest']:,.0f} of its "
            f"{site['processors']:,.0f} processors are in use 99 % of the time: check their number"
        )
    elif site["load"] > 1:
        reasons.append(
            f"its log offers {site['load']:.2f} times the work that its processors can do"
        )
    if site["gap"] > GAP:
        reasons.append(
            f"its log has no jobs for {duration(site['gap'])}; in the model its machine is idle "
            "during this time, and other sites gain from that"
        )
    return reasons
