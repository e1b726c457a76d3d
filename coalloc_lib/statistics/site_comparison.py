"""Compare three ways of running the jobs of several sites, for the users of each site.

The sites stay alone (*local*), send each job to one of their clusters (*sharing*), or also let jobs
span clusters (*spanning*).
"""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    InputError,
    instance_of,
    not_negative,
    one_of,
    positive,
    shown,
    whole,
)
from coalloc_lib.basics.text import CONTROLS
from coalloc_lib.basics.times import HOUR
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.merging import merge, order_of
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Scheduling
from coalloc_lib.schedules.schedule import WEIGHTS, weights_of
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics.bootstrap import WEEK, resample_weeks
from coalloc_lib.statistics.provenance import made_by
from coalloc_lib.workloads.swf import SwfLog

if TYPE_CHECKING:
    import pandas as pd

#: The row label for the users of all sites together.
ALL = "all sites"
#: The result columns of a comparison of sites. Each column is computed from three average weighted
#: response times (AWRT) in seconds: without sharing, with job sharing, and with jobs that span
#: sites.
_COLUMNS = {
    "local_h": lambda awrt: float(awrt[0] / HOUR),
    "sharing": lambda awrt: float(awrt[1] / awrt[0]),
    "spanning": lambda awrt: float(awrt[2] / awrt[1]),
}


def compare_sites(
    clusters: Mapping[str, int],
    logs: Mapping[str, SwfLog | JobStream],
    span_penalty: float,
    *,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
    clock: str = "calendar",
    missing: float | None = None,
    node: int = 1,
    largest: int | None = None,
) -> "pd.DataFrame":
    """Compare the response times if sites stay alone, share jobs, or let jobs span sites.

    Parameters
    ----------
    clusters : dict of str to int
        The number of processors of each site's cluster, by the name of the site.
    logs : dict of str to SwfLog or JobStream
        The jobs of each site's users, by the same names: logs, or job streams whose times are
        seconds on a common clock.
    span_penalty : float
        The span penalty p: a job that spans sites runs ``1 + p`` times as long.
    scheduling : Scheduling, optional
        The policy of every queue, by default `EASY`.
    engine : str, optional
        As in `simulate`.
    clock : {"calendar", "weeks"}
        How the times of the logs are combined. With ``"calendar"``, the times of a log count from
        the ``UnixStartTime`` in its header. With ``"weeks"``, for logs of different years, each log
        is moved by whole weeks so that all begin in the same week.
    missing : float, optional
        The estimated run time, in seconds, of jobs without an estimate. By default such jobs are
        planned with their exact run time, which no user knows, and for logs a warning gives their
        number.
    node : int
        The number of processors of a node. Jobs get whole nodes.
    largest : int, optional
        Jobs of more processors than this are left out at every site.

    Returns
    -------
    pandas.DataFrame
        Two rows for each site and for all sites, one for each weight of the average weighted
        response time (AWRT). The columns are:

        - ``site``, ``weight`` (``work`` or ``processors``);
        - ``jobs`` and ``of``, the number of compared jobs and of usable jobs in the log;
        - ``begin`` and ``end`` of the time that all logs have in common, in UTC for logs on the
          calendar and otherwise in seconds;
        - ``spanned``, the share of the jobs that span sites;
        - ``local_h``, the AWRT in hours if the sites stay alone;
        - ``sharing``, the AWRT with job sharing over the local AWRT;
        - ``spanning``, the AWRT with spanning over that with job sharing;
        - the ends of their 95 % intervals (bootstrap over weeks), such as ``sharing_low``;
        - ``warning``, which names the columns that have no interval, and the reason.

    Raises
    ------
    InputError
        If a site has fewer than four weeks, a job is wider than the cluster of its site, the logs
        have no time in common, or the policy rejects a job.

    Notes
    -----
    Only the time that all logs have in common is run. Before and after it, the users of some sites
    would have the clusters of the others to themselves.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> sites = {"north": 4, "south": 4}
    >>> logs = {
    ...     name: co.JobStream(np.arange(35.0) * 86_400, np.full(35, 3_600.0), np.full(35, 2))
    ...     for name in sites
    ... }
    >>> co.compare_sites(sites, logs, span_penalty=0.25)["local_h"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    span_penalty = not_negative("span_penalty", span_penalty)
    system, jobs, site, _ = together(clusters, logs, clock, missing, node, largest)
    policy = EASY() if scheduling is None else scheduling
    instance_of("scheduling", policy, Scheduling, "EASY()")
    if policy.uses_estimates and missing is None:
        _warn_of_run_times(logs)
    options = {"scheduling": policy, "engine": engine}
    schedules = _in_three_ways(system, jobs, site, span_penalty, options)
    table = _table(schedules, _users(clusters, site), _counts(logs), _ends(jobs, clock, logs))
    table.attrs = {"made_by": made_by(None, *logs.values())}
    return table


def _warn_of_run_times(logs):
    for name, log in logs.items():
        unknown = log.without_requested_time if isinstance(log, SwfLog) else 0
        if unknown:
            warnings.warn(
                f"{name}: {unknown:,} of {len(log.usable):,} jobs have no requested time and are "
                "planned with their exact run time, which no user knows; give an estimate: missing",
                stacklevel=3,  # the caller of `compare_sites`
            )


def _in_three_ways(system, jobs, site, span_penalty, options):
    schedules = [
        local(system, jobs, site, **options),
        sharing(system, jobs, **options),
        multi_site(system, jobs, span_penalty, **options),
    ]
    rejected = max(len(schedule.refused) for schedule in schedules)
    if rejected:
        raise InputError(
            f"scheduling = {options['scheduling']} rejects {rejected} of {len(jobs)} jobs; give a "
            "policy that runs all jobs, so that the same jobs are compared"
        )
    return schedules


def _users(clusters, site):
    users = {name: site == number for number, name in enumerate(clusters)}
    return users | {ALL: np.ones(len(site), dtype=bool)}


def _counts(logs):
    counts = {
        name: len(log.usable if isinstance(log, SwfLog) else log) for name, log in logs.items()
    }
    return counts | {ALL: sum(counts.values())}


def _ends(jobs, clock, logs):
    import pandas as pd

    ends = [jobs.submit.min(), jobs.submit.max()]
    if clock == "calendar" and all(isinstance(log, SwfLog) for log in logs.values()):
        ends = [*pd.to_datetime(ends, unit="s", utc=True).floor("s")]
    return dict(zip(("begin", "end"), ends, strict=True))


def _table(schedules, users, counts, ends):
    import pandas as pd

    return pd.DataFrame(
        [
            _row(name, chosen, weight, schedules) | {"of": counts[name]} | ends
            for name, chosen in users.items()
            for weight in WEIGHTS
        ]
    )


def together(
    clusters: Mapping[str, int],
    logs: Mapping[str, SwfLog | JobStream],
    clock: str = "calendar",
    missing: float | None = None,
    node: int = 1,
    largest: int | None = None,
) -> tuple[Multicluster, JobStream, NDArray[np.int64], NDArray[np.int64]]:
    """Combine the clusters of several sites into one system, and their logs into one job stream.

    The parameters and errors are those of `compare_sites`.

    Returns
    -------
    system : Multicluster
        The clusters of the sites, in their order.
    jobs : JobStream
        The jobs of the time that all logs have in common, in order of submission.
    site : ndarray of shape (jobs,)
        The position of the site that each job comes from.
    row : ndarray of shape (jobs,)
        The position of each job in ``SwfLog.usable``, or in the job stream of its site.
    """
    system = _system(clusters, logs)
    node = whole("node", node)
    for name, size in clusters.items():
        if size % node:
            raise InputError(
                f"node = {node} does not divide the {size} processors of {name}; give clusters of "
                "whole nodes"
            )
    one_of("clock", clock, ("calendar", "weeks"))
    streams = _in_common(_on_one_clock(logs, clock, missing, largest), clock, logs)
    _refuse_wide(clusters, logs, streams)
    # The sites are numbered in the order of `clusters`, regardless of the order of the logs.
    ordered = [streams[name].in_nodes(node) for name in clusters]
    order = order_of(*ordered)
    site = np.repeat(np.arange(len(ordered)), [len(stream) for stream in ordered])
    row = np.concatenate([stream.number for stream in ordered])
    return system, merge(*ordered), site[order], row[order]


def _refuse_wide(clusters, logs, streams):
    # The smallest clusters are checked first, so that the limit that the error proposes is low
    # enough for all sites.
    for size, name in sorted((size, name) for name, size in clusters.items()):
        log, stream, wide = logs[name], streams[name], streams[name].processors
        count = int((wide > size).sum())
        if count:
            numbers = log.usable["job"].to_numpy() if isinstance(log, SwfLog) else log.number
            raise InputError(
                f"{name}: {count:,} of {len(stream):,} jobs are too wide for a cluster of {size} "
                f"processors; job {numbers[stream.number[wide.argmax()]]} needs {wide.max()}; give "
                f"the true size of the cluster, or leave these jobs out: largest={size}"
            )


def _system(clusters, logs):
    for argument, value in (("clusters", clusters), ("logs", logs)):
        if not isinstance(value, Mapping) or len(value) < 2:
            raise InputError(
                f"{argument} = {shown(value)}; give a dict of two sites or more, by name"
            )
    if ALL in clusters:
        raise InputError(
            f"clusters has a site {ALL!r}, but the table has a row of this name; rename the site"
        )
    for name in clusters:
        if CONTROLS.search(str(name)):
            raise InputError(
                f"clusters has a site {name!r}, a name with characters that cannot be printed or "
                "written as UTF-8; rename it"
            )
    unmatched = [repr(n) for n in [*clusters, *logs] if (n in clusters) != (n in logs)]
    if unmatched:
        raise InputError(
            f"clusters and logs differ in {', '.join(unmatched)}; give both the same site names"
        )
    return Multicluster([*clusters.values()])


def _on_one_clock(logs, clock, missing=None, largest=None):
    streams = {}
    kinds = {type(log) for log in logs.values()}
    for name, log in logs.items():
        if not isinstance(log, SwfLog | JobStream) or len(kinds) > 1:
            raise InputError(
                f"logs[{name!r}] is a {type(log).__name__}; give all logs as read_swf(...), or "
                "all as job streams whose times count from the same instant"
            )
        stream = _stream_of(name, log, clock, missing)
        if stream.request == "ordered":
            raise InputError(
                f"logs[{name!r}] has ordered requests; convert them to total requests with "
                ".replace(request='total')"
            )
        if clock == "weeks":
            stream = stream.replace(submit=stream.submit - stream.submit.min() // WEEK * WEEK)
        rows = np.arange(len(stream))
        stream = stream.replace(request="total", components=stream.processors, number=rows)
        streams[name] = _up_to(largest, stream, name)
    return streams


def _stream_of(name, log, clock, missing):
    if isinstance(log, JobStream):
        return log if missing is None else _with_estimates(log, positive("missing", missing))
    if log.epoch is None and clock == "calendar":
        raise InputError(
            f"{name}: {log.source or 'its log'} has no UnixStartTime; add it to the header, such "
            "as '; UnixStartTime: 1735689600', or give clock='weeks'"
        )
    stream = log.jobs(missing=missing)
    return stream.replace(submit=stream.submit + (log.epoch or 0))


def _with_estimates(stream, missing):
    return stream.replace(estimate=np.where(stream.has_estimate, stream.estimate, missing))


def _up_to(largest, stream, name):
    fits = stream.processors <= (np.inf if largest is None else whole("largest", largest))
    if not fits.any():
        raise InputError(
            f"largest = {largest} leaves no job of {name}; give {stream.processors.min()} or more"
        )
    return stream[fits]


def _in_common(streams, clock, logs):
    begin = max(stream.submit.min() for stream in streams.values())
    end = min(stream.submit.max() for stream in streams.values())
    inside = {name: (s.submit >= begin) & (s.submit <= end) for name, s in streams.items()}
    if all(mask.any() for mask in inside.values()):
        return {name: stream[inside[name]] for name, stream in streams.items()}
    mend = "clock='weeks'" if clock == "calendar" else "longer ones"
    has_dates = clock == "calendar" and SwfLog in map(type, logs.values())
    spans = "".join(
        f" {name} has {_span_of(stream, has_dates)};" for name, stream in streams.items()
    )
    raise InputError(f"logs have no time in common:{spans} give logs of the same period, or {mend}")


def _span_of(stream, has_dates):
    ends = np.array([stream.submit.min(), stream.submit.max()])
    first, last = ends.astype("M8[s]" if has_dates else "m8[s]")
    return f"{len(stream):,} from {first} to {last}"


def _row(name, chosen, weight, schedules):
    jobs, spanned = schedules[0].jobs[chosen], float(schedules[-1].spans[chosen].mean())
    weights = weights_of(jobs, weight)
    responses = [schedule.response[chosen] for schedule in schedules]
    try:
        means = resample_weeks(responses, weights, jobs.submit)
    except InputError as error:
        raise InputError(f"{name}, in the period that all logs cover: {error}") from None
    # No job responds faster than it runs. The mean run time would be a closer bound, but other
    # weeks have jobs with other run times.
    least = float((schedules[0].end - schedules[0].start)[chosen].min()) / HOUR
    row = {"site": name, "weight": weight, "jobs": len(jobs), "spanned": spanned}
    return row | _intervals(means, least)


def _intervals(means, least):
    row: dict[str, object] = {}
    doubts: dict[str, list[str]] = {}
    for column, statistic in _COLUMNS.items():
        found = means.interval(statistic).within(least if column == "local_h" else 0.0)
        ends = (np.nan, np.nan) if found.warning else (found.low, found.high)
        row |= {column: found.estimate, f"{column}_low": ends[0], f"{column}_high": ends[1]}
        if found.warning:
            doubts.setdefault(found.warning, []).append(column)
    words = (f"{', '.join(columns)}: {why}" for why, columns in doubts.items())
    return row | {"warning": "; ".join(words)}
