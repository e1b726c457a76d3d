"""Several sites alone, sharing their jobs, and spanned by them: what each of them gains."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, instance_of, not_negative, one_of, shown, whole
from coalloc_lib.basics.display import made_by
from coalloc_lib.basics.text import CONTROLS
from coalloc_lib.model.jobs import JobStream, merge
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Scheduling
from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics.bootstrap import WEEK, resample_weeks
from coalloc_lib.workloads.swf import SwfLog

if TYPE_CHECKING:
    import pandas as pd

#: The row of all users together.
ALL = "all sites"
#: The columns of a table, each from the AWRT alone, sharing and spanning.
_SHARES = {
    "local_h": lambda m: float(m[0] / 3600),
    "sharing": lambda m: float(m[1] / m[0]),
    "spanning": lambda m: float(m[2] / m[1]),
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
    """Run the logs of several sites by themselves, sharing, and spanning; compare for each site.

    Parameters
    ----------
    clusters : dict of str to int
        The processors of each site's cluster, by the site's name.
    logs : dict of str to SwfLog or JobStream
        The jobs of each site's users, by the same names: logs, or streams on one clock in seconds.
    span_penalty : float
        p: a job that spans sites runs ``1 + p`` times as long.
    scheduling, engine
        As in `simulate`; the policy of every queue, `EASY` where it is not given.
    clock : {"calendar", "weeks"}
        ``calendar``: a log counts from the ``UnixStartTime`` of its header. ``weeks``, for logs of
        different years: each (from 0 without one) is moved by whole weeks, to begin in the same.
    missing : float, optional
        The estimate, in seconds, of jobs of a log that have none. Where it is not given they are
        planned with their run time, better than any user knows it, and a warning says how many.
    node : int
        Jobs get whole nodes of so many processors, which all clusters are made of.
    largest : int, optional
        Leave out jobs of more processors than this, at every site.

    Returns
    -------
    pandas.DataFrame
        A row for each site, and for all, and each weight (``work`` or ``processors``): ``jobs``,
        of so many (``of``), from ``begin`` to ``end``, the time that all logs have (in UTC for logs
        on the calendar, else in seconds); ``spanned``, the share that spanned sites, and with 95 %
        intervals (bootstrap over weeks) ``local_h``, the AWRT in hours where the site stays alone;
        ``sharing``, that with job sharing over it; ``spanning``, that of spanning over sharing.
        ``warning`` says which of them have no interval, and why.

    Raises
    ------
    InputError
        A site has fewer than four weeks, a job is wider than its site's cluster, the logs have no
        time in common, or the policy refuses a job.

    Notes
    -----
    Only jobs of the time in which all logs have some are run: before and after, those who share
    would have the machines of the others for nothing.
    """
    span_penalty = not_negative("span_penalty", span_penalty)
    system, jobs, site, _ = together(clusters, logs, clock, missing, node, largest)
    policy = EASY() if scheduling is None else scheduling
    instance_of("scheduling", policy, Scheduling, "EASY()")
    if policy.uses_estimates and missing is None:
        _warn_of_run_times(logs)
    ran = _in_three_ways(system, jobs, site, span_penalty, {"scheduling": policy, "engine": engine})
    table = _table(ran, _users(clusters, site), _counts(logs), _ends(jobs, clock, logs))
    table.attrs = {"made_by": made_by(None, *logs.values())}
    return table


def _warn_of_run_times(logs):
    """Warn, in the name of `compare_sites`, of jobs that are planned with their run time."""
    for name, log in logs.items():
        unknown = log.without_requested_time if isinstance(log, SwfLog) else 0
        if unknown:
            warnings.warn(
                f"{name}: {unknown:,} of {len(log.usable):,} jobs have no requested time and are "
                "planned with their run time, better than any user knows it; give missing",
                stacklevel=3,
            )


def _in_three_ways(system, jobs, site, span_penalty, options):
    """Return the schedules of the jobs alone, sharing and spanning, in which all jobs ran."""
    ran = [
        local(system, jobs, site, **options),
        sharing(system, jobs, **options),
        multi_site(system, jobs, span_penalty, **options),
    ]
    refused = max(len(schedule.refused) for schedule in ran)
    if refused:
        raise InputError(
            f"scheduling = {options['scheduling']} refuses {refused} of {len(jobs)} jobs; give a "
            "policy that runs all, so that the same jobs are compared"
        )
    return ran


def _users(clusters, site):
    """Return which jobs are those of each site's users, and of all."""
    users = {name: site == number for number, name in enumerate(clusters)}
    return users | {ALL: np.ones(len(site), dtype=bool)}


def _counts(logs):
    """Return the number of usable jobs of each log, and of all."""
    count = {n: len(log.usable if isinstance(log, SwfLog) else log) for n, log in logs.items()}
    return count | {ALL: sum(count.values())}


def _ends(jobs, clock, logs):
    """Return the first and the last submission: dates for logs on the calendar, else seconds."""
    import pandas as pd

    ends = [jobs.submit.min(), jobs.submit.max()]
    if clock == "calendar" and all(isinstance(log, SwfLog) for log in logs.values()):
        ends = [*pd.to_datetime(ends, unit="s", utc=True).floor("s")]
    return dict(zip(("begin", "end"), ends, strict=True))


def _table(ran, users, count, ends):
    """Return a row for each site's users, and for all, and each weight."""
    import pandas as pd

    return pd.DataFrame(
        [
            _row(name, chosen, weight, ran) | {"of": count[name]} | ends
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
    """Return the clusters as a system, all jobs of the common time, and where each came from.

    That is its site and its row in `SwfLog.usable`, or in the stream. Arguments and errors are
    those of `compare_sites`.
    """
    system = _system(clusters, logs)
    node = whole("node", node)
    odd = [name for name in clusters if clusters[name] % node]
    if odd:
        raise InputError(
            f"node = {node} does not divide the {clusters[odd[0]]} processors of {odd[0]}; give "
            "clusters of whole nodes"
        )
    one_of("clock", clock, ("calendar", "weeks"))
    streams = _in_common(_on_one_clock(logs, clock, missing, largest), clock, logs)
    _refuse_wide(clusters, logs, streams)
    # The streams follow the order of the clusters, as the numbers of the sites do.
    ordered = [streams[name].in_nodes(node) for name in clusters]
    order = np.argsort(np.concatenate([s.submit for s in ordered]), kind="stable")
    site = np.repeat(np.arange(len(ordered)), [len(stream) for stream in ordered])
    row = np.concatenate([stream.number for stream in ordered])
    return system, merge(*ordered), site[order], row[order]


def _refuse_wide(clusters, logs, streams):
    """Refuse jobs that are wider than the cluster of their site."""
    # The smallest cluster comes first, because a limit that suits it suits all.
    for size, name in sorted((size, name) for name, size in clusters.items()):
        log, stream, wide = logs[name], streams[name], streams[name].processors
        count = int((wide > size).sum())
        if count:
            numbers = log.usable["job"].to_numpy() if isinstance(log, SwfLog) else log.number
            raise InputError(
                f"{name}: {count:,} of {len(stream):,} jobs are too wide for its cluster of "
                f"{size} processors, as job {numbers[stream.number[wide.argmax()]]} of {wide.max()}"
                f"; give its true size, or leave them out: largest={size} (--largest {size})"
            )


def _system(clusters, logs):
    """Return the clusters as a system, or raise an error if the logs are not of these clusters."""
    for argument, value in (("clusters", clusters), ("logs", logs)):
        if not isinstance(value, Mapping) or len(value) < 2:
            mend = "give a dict of two sites or more, by name"
            raise InputError(f"{argument} = {shown(value)}; {mend}")
    if ALL in clusters:
        raise InputError(f"clusters has a site {ALL!r}, as the row of all is called; rename it")
    for name in clusters:
        if CONTROLS.search(str(name)):
            raise InputError(
                f"clusters has a site {name!r}, a name with characters that cannot be printed or "
                "written as UTF-8; rename it"
            )
    odd = [repr(name) for name in [*clusters, *logs] if (name in clusters) != (name in logs)]
    if odd:
        differ = ", ".join(odd)
        raise InputError(f"clusters and logs differ in {differ}; give both a site of each name")
    return Multicluster([*clusters.values()])


def _on_one_clock(logs, clock, missing=None, largest=None):
    """Return the jobs of each site with instants on one clock."""
    streams = {}
    kinds = {type(log) for log in logs.values()}
    for name, log in logs.items():
        if not isinstance(log, SwfLog | JobStream) or len(kinds) > 1:
            raise InputError(
                f"logs[{name!r}] is a {type(log).__name__}; give all as read_swf(...), or all as "
                "streams on one clock"
            )
        stream = _stream_of(name, log, clock, missing)
        if stream.request == "ordered":
            raise InputError(f"logs[{name!r}] has ordered requests; replace(request='total') first")
        if clock == "weeks":
            stream = stream.replace(submit=stream.submit - stream.submit.min() // WEEK * WEEK)
        rows = np.arange(len(stream))
        stream = stream.replace(request="total", components=stream.processors, number=rows)
        streams[name] = _up_to(largest, stream, name)
    return streams


def _stream_of(name, log, clock, missing):
    """Return the jobs of a log with the instants of its own clock."""
    if isinstance(log, JobStream):
        return log
    if log.epoch is None and clock == "calendar":
        raise InputError(
            f"{name}: {log.source or 'its log'} has no UnixStartTime; give its header one, as "
            "'; UnixStartTime: 1735689600', or clock='weeks' (--clock weeks)"
        )
    stream = log.jobs(missing=missing)
    return stream.replace(submit=stream.submit + (log.epoch or 0))


def _up_to(largest, stream, name):
    """Return the jobs of at most this number of processors; None sets no limit."""
    fits = stream.processors <= (np.inf if largest is None else whole("largest", largest))
    if not fits.any():
        mend = f"give {stream.processors.min()} or more"
        raise InputError(f"largest = {largest} leaves no job of {name}; {mend}")
    return stream[fits]


def _in_common(streams, clock, logs):
    """Return the jobs of the time in which every site has some."""
    begin = max(stream.submit.min() for stream in streams.values())
    end = min(stream.submit.max() for stream in streams.values())
    inside = {name: (s.submit >= begin) & (s.submit <= end) for name, s in streams.items()}
    if not all(mask.any() for mask in inside.values()):
        mend = "clock='weeks' (--clock weeks)" if clock == "calendar" else "longer ones"
        dated, have = clock == "calendar" and SwfLog in map(type, logs.values()), ""
        for name, s in streams.items():
            ends = np.array([s.submit.min(), s.submit.max()]).astype("M8[s]" if dated else "m8[s]")
            have += f" {name} has {len(s):,} from {ends[0]} to {ends[1]};"
        raise InputError(f"logs have no time in common:{have} give logs of one time, or {mend}")
    return {name: stream[inside[name]] for name, stream in streams.items()}


def _row(name, chosen, weight, ran):
    """Return the row of the chosen jobs: their number, and the AWRT of each way to run them."""
    jobs, spanned = ran[0].jobs[chosen], float(ran[-1].spans[chosen].mean())
    weights = jobs.work if weight == "work" else jobs.processors
    try:
        means = resample_weeks([each.response[chosen] for each in ran], weights, jobs.submit)
    except InputError as error:
        raise InputError(f"{name}, in the time that all logs have: {error}") from None
    # Alone, no job responds before it has run.
    least = float(np.average((ran[0].end - ran[0].start)[chosen], weights=weights)) / 3600
    row = {"site": name, "weight": weight, "jobs": len(jobs), "spanned": spanned}
    return row | _shares(means, least)


def _shares(means, least):
    """Return the columns of `_SHARES` with their intervals, and a warning if any is in doubt."""
    row, doubts = {}, {}
    for column, share in _SHARES.items():
        part = means.interval(share).within(least if column == "local_h" else 0.0)
        ends = (np.nan, np.nan) if part.warning else (part.low, part.high)
        row |= {column: part.estimate, f"{column}_low": ends[0], f"{column}_high": ends[1]}
        if part.warning:
            doubts.setdefault(part.warning, []).append(column)
    words = (f"{', '.join(columns)}: {why}" for why, columns in doubts.items())
    return row | {"warning": "; ".join(words)}
