"""What each of several sites gains or loses by sharing its jobs, and by letting jobs span sites."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import sites
from coalloc_lib.checks import InputError, not_negative, one_of, shown
from coalloc_lib.intervals import WEEK, resample_weeks
from coalloc_lib.jobs import JobStream
from coalloc_lib.merging import merge
from coalloc_lib.schedule import WEIGHTS, Schedule
from coalloc_lib.scheduling import EASY, Scheduling
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.swf import SwfLog

if TYPE_CHECKING:
    import pandas as pd

#: How the clocks of logs are read.
CLOCKS = ("calendar", "weeks")
#: The row of all users together.
ALL = "all sites"


def compare_sites(
    clusters: Mapping[str, int],
    logs: Mapping[str, SwfLog | JobStream],
    overhead: float,
    *,
    scheduling: Scheduling | None = None,
    engine: str = "compiled",
    clock: str = "calendar",
) -> "pd.DataFrame":
    """Run the logs of several sites by themselves, sharing, and spanning; compare for each site.

    Parameters
    ----------
    clusters : dict of str to int
        The processors of each site's cluster, by the site's name.
    logs : dict of str to SwfLog or JobStream
        The jobs of each site's users, by the same names: logs, or streams on one clock in seconds.
    overhead : float
        p: a job that spans sites runs ``1 + p`` times as long.
    scheduling : Scheduling, optional
        The policy of every queue. `EASY`, where it is not given: what centres run.
    engine : {"compiled", "reference"}
        Policies of one's own need the second.
    clock : {"calendar", "weeks"}
        What is simultaneous. ``calendar``: jobs of one instant, where a log counts from the
        ``UnixStartTime`` of its header. ``weeks``: each log is moved by whole weeks, so that all
        begin in the same one; days of the week and hours stay. It is for logs of different years.

    Returns
    -------
    pandas.DataFrame
        For each site, and for all, and for each weight (``work`` or ``processors``) a row with
        ``jobs``, the share of them that spanned sites, and three numbers, each with its 95 %
        interval: ``local_h``, the AWRT in hours where the site stays alone; ``sharing``, that with
        job sharing over it; ``spanning``, that of multi-site execution over job sharing. Below 1 a
        site gains.

    Raises
    ------
    InputError
        Names differ, a site has no job or fewer than four weeks, a job is wider than its site's
        cluster, the overhead is negative, the logs have no time in common, or the policy refuses a
        job, for then those that are left could not be compared.

    Notes
    -----
    Only jobs of the time in which all logs have some are run, from the latest first submission to
    the earliest last one: before and after, those who share would have the machines of the others
    for nothing. Sharing takes the machine with the fewest processors left (`BestFit`), and a job
    spans only where no machine can hold it now (`SingleThenSpan`). The intervals are from weeks
    drawn anew, the same ones for all three ways to run; see `coalloc_lib.intervals`.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> day = co.JobStream(np.arange(0, 3e6, 86_400), [3600] * 35, [4] * 35, request="total")
    >>> table = compare_sites({"A": 4, "B": 4}, {"A": day, "B": day}, 0.25)
    >>> table.query("weight == 'work'")[["site", "jobs", "local_h", "sharing", "spanning"]]
            site  jobs  local_h  sharing  spanning
    0          A    35      1.0      1.0       1.0
    2          B    35      1.0      1.0       1.0
    4  all sites    70      1.0      1.0       1.0
    """
    import pandas as pd

    overhead = not_negative("overhead", overhead)
    system = _system(clusters, logs)
    streams = _in_common(_on_one_clock(logs, one_of("clock", clock, CLOCKS)))
    for name, stream in streams.items():
        _refuse_wide(name, stream, clusters[name])
    # In the order of the clusters, as the numbers of the sites are.
    ordered = [streams[name] for name in clusters]
    jobs = merge(*ordered)
    number = np.repeat(np.arange(len(ordered)), [len(stream) for stream in ordered])
    site = number[np.argsort(np.concatenate([s.submit for s in ordered]), kind="stable")]
    policy = EASY() if scheduling is None else scheduling
    how: dict[str, Any] = {"scheduling": policy, "engine": engine}
    ran = [
        sites.local(system, jobs, site, **how),
        sites.sharing(system, jobs, **how),
        sites.multi_site(system, jobs, overhead, **how),
    ]
    if refused := max(len(each.refused) for each in ran):
        raise InputError(
            f"scheduling = {policy} refuses {refused} of {len(jobs)} jobs; give a policy that runs "
            "all, so that the same jobs are compared"
        )
    return pd.DataFrame(list(_rows([*clusters], site, ran)))


def _system(clusters: Any, logs: Any) -> Multicluster:
    """Return the clusters as a system; refuse logs that are not of them."""
    for argument, value in (("clusters", clusters), ("logs", logs)):
        if not isinstance(value, Mapping) or len(value) < 2:
            raise InputError(
                f"{argument} = {shown(value)}; give a dict of two sites or more, by name"
            )
    if ALL in clusters:
        raise InputError(f"clusters has a site {ALL!r}, as the row of all is called; rename it")
    odd = [repr(name) for name in [*clusters, *logs] if (name in clusters) != (name in logs)]
    if odd:
        raise InputError(
            f"clusters and logs differ in {', '.join(odd)}; give both a site of each name"
        )
    return Multicluster([*clusters.values()])


def _on_one_clock(logs: Mapping[str, Any], clock: str) -> dict[str, JobStream]:
    """Return the jobs of each site with instants that all understand alike."""
    streams = {}
    kinds = {type(log) for log in logs.values()}
    for name, log in logs.items():
        if not isinstance(log, SwfLog | JobStream) or len(kinds) > 1:
            raise InputError(
                f"logs[{name!r}] is a {type(log).__name__}; give all as read_swf(...), or all as "
                "streams on one clock"
            )
        stream = _counted_from_epoch(name, log) if isinstance(log, SwfLog) else log
        if stream.request == "ordered":
            raise InputError(f"logs[{name!r}] has ordered requests; replace(request='total') first")
        if clock == "weeks":
            stream = stream.replace(submit=stream.submit - stream.submit.min() // WEEK * WEEK)
        streams[name] = stream.replace(request="total")
    return streams


def _counted_from_epoch(name: str, log: SwfLog) -> JobStream:
    if log.epoch is None:
        raise InputError(
            f"logs[{name!r}] has no UnixStartTime in its header; give all logs as streams, "
            "log.jobs(), on one clock"
        )
    jobs = log.jobs()
    return jobs.replace(submit=jobs.submit + log.epoch)


def _in_common(streams: Mapping[str, JobStream]) -> dict[str, JobStream]:
    """Return the jobs of the time in which every site has some."""
    begin = max(stream.submit.min() for stream in streams.values())
    end = min(stream.submit.max() for stream in streams.values())
    common = {}
    for name, stream in streams.items():
        inside = (stream.submit >= begin) & (stream.submit <= end)
        if not inside.any():
            raise InputError(
                f"logs[{name!r}] has no job in the time of the others; give logs of one time, or "
                "clock='weeks'"
            )
        common[name] = stream[inside]
    return common


def _refuse_wide(name: str, stream: JobStream, size: int) -> None:
    widest = int(stream.processors.max())
    if widest > size:
        raise InputError(
            f"logs[{name!r}] has a job of {widest} processors and its cluster {size}; give the "
            "size of the machine of the log, or log.jobs().chopped(at_most).pieces"
        )


def _rows(
    names: list[str], site: NDArray[np.int64], ran: list[Schedule]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of each site and of all."""
    groups = {name: site == number for number, name in enumerate(names)}
    for name, mine in (groups | {ALL: np.ones(len(site), dtype=bool)}).items():
        jobs, spanned = ran[0].jobs[mine], float(ran[-1].spans[mine].mean())
        for weight in WEIGHTS:
            weights = jobs.work if weight == "work" else jobs.processors
            try:
                means = resample_weeks([each.response[mine] for each in ran], weights, jobs.submit)
            except InputError as error:
                raise InputError(f"{name}, in the time that all logs have: {error}") from None
            found = {
                "local_h": means.interval(lambda m: float(m[0] / 3600)),
                "sharing": means.interval(lambda m: float(m[1] / m[0])),
                "spanning": means.interval(lambda m: float(m[2] / m[1])),
            }
            row = {"site": name, "weight": weight, "jobs": int(mine.sum()), "spanned": spanned}
            for number, each in found.items():
                row |= {
                    number: each.estimate,
                    f"{number}_low": each.low,
                    f"{number}_high": each.high,
                }
            yield row
