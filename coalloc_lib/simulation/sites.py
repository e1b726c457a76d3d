"""Sites that keep to themselves, share their jobs, or let jobs span them; what each of them gains.

A site is one cluster of a multicluster, with its own users. Each way to run takes the jobs as so
many processors, whatever their request was, and returns a `Schedule` of the same jobs. The paper:
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    ImpossibleJobError,
    InputError,
    instance_of,
    not_negative,
    one_of,
    shown,
    whole,
)
from coalloc_lib.basics.display import made_by
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.intervals import WEEK, resample_weeks
from coalloc_lib.model.jobs import JobStream, merge
from coalloc_lib.model.placement import BestFit, HomeSite, Placement, SingleThenSpan
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, Conservative, Scheduling
from coalloc_lib.policies.backfilling import queue_of
from coalloc_lib.policies.dispatching import AtSubmission, Wish, expected_start
from coalloc_lib.schedules.schedule import WEIGHTS, Schedule
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation.run import LONG, refuse_impossible, simulate
from coalloc_lib.workloads.sites import checked_sites
from coalloc_lib.workloads.swf import SwfLog

if TYPE_CHECKING:
    import pandas as pd

#: Jobs of a dispatched schedule whose choice of a site is checked: each means a plan of all sites.
CHOICES = 300
#: The row of all users together.
ALL = "all sites"
#: What tables give of the AWRT alone, sharing and spanning.
_SHARES = {
    "local_h": lambda m: float(m[0] / 3600),
    "sharing": lambda m: float(m[1] / m[0]),
    "spanning": lambda m: float(m[2] / m[1]),
}


@dataclass(frozen=True)
class AtEachSite(Scheduling):
    """What schedules of `local` and `dispatch` name as their policy, each site's own."""

    policy: Any

    def start_jobs(self, state: Any) -> None:
        """Refuse: one queue cannot be served so."""
        raise InputError(
            f"{self} serves a queue for each site and simulate() has one; call "
            "coalloc_lib.simulation.sites.local or dispatch"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalSchedule(Schedule):
    """The schedules of all sites, joined: a `Schedule` of the whole system."""

    #: The site of each job, shape (n,).
    site: NDArray[np.int64]
    #: The schedule of each site's jobs, in the order of the stream, on its one cluster.
    at: Mapping[int, Schedule]

    def verify(self) -> "LocalSchedule":
        """Check the rules of the model, each site's schedule, and that they are well joined."""
        super().verify()
        for number, schedule in self.at.items():
            mine = self.site == number
            try:
                schedule.verify()
            except ScheduleError as error:
                raise error.renumbered(np.flatnonzero(mine)) from None
            elsewhere = np.delete(self.allocation[mine], number, axis=1).any(axis=1)
            wrong = elsewhere | (self.allocation[mine, number] != schedule.allocation[:, 0])
            for joined, own in ((self.start, schedule.start), (self.end, schedule.end)):
                wrong |= (joined[mine] != own) & ~(np.isnan(joined[mine]) & np.isnan(own))
            if wrong.any():
                job = int(np.flatnonzero(mine)[wrong.argmax()])
                raise ScheduleError(f"job {job} is not where and when site {number} runs it")
        return self


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DispatchSchedule(LocalSchedule):
    """A `LocalSchedule` of jobs that were sent to their sites when they were submitted."""

    #: The site of each job that could go to no other, else -1, shape (n,).
    home: NDArray[np.int64]
    #: The site of whose users each job is, else -1, shape (n,); there it goes before all others.
    owner: NDArray[np.int64]

    def verify(self) -> "DispatchSchedule":
        """Check each site, and of up to `CHOICES` jobs, evenly spread, that no site was better."""
        super().verify()
        jobs, wide, at_each = self.jobs, self.jobs.processors, cast(AtEachSite, self.scheduling)
        queues = _queues(self.system, jobs, at_each.policy.order, self.owner)
        came = queue_of("arrival", jobs)
        rank = np.argsort(came)
        length = np.maximum(jobs.estimate, jobs.runtime)
        for job in came[np.unique(np.linspace(0, len(jobs) - 1, CHOICES).astype(int))].tolist():
            now, offers = jobs.submit[job], {}
            runs = (self.start < now) & (self.end > now)
            waits = (rank < rank[job]) & (self.start >= now)
            for number, size in enumerate(self.system.sizes):
                if self.home[job] in (-1, number) and wide[job] <= size:
                    mine, queue = self.site == number, queues[number]
                    ends = zip((self.start + length)[runs & mine], wide[runs & mine], strict=True)
                    ahead = queue[: np.flatnonzero(queue == job)[0]]
                    wishes = [*ahead[(waits & mine)[ahead]], job]
                    planned = map(Wish, wide[wishes], length[wishes])
                    offers[number] = expected_start(size, now, ends, planned)
            best = min(offers, key=lambda number: offers[number])
            if best != self.site[job]:
                raise ScheduleError(
                    f"job {job} at {now:.12g}: was sent to site {self.site[job]}, and can expect "
                    f"to start at site {best} at {offers[best][0]:.12g}"
                )
        return self


def local(
    system: Multicluster,
    jobs: JobStream,
    site: Any,
    *,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> LocalSchedule:
    """Run each site by itself: its own queue, its own machine, its own jobs.

    Parameters
    ----------
    system, jobs, scheduling, engine
        As in `simulate`: one cluster a site, and the policy of every site.
    site : array_like of int, shape (n,)
        The site of each job, such as `coalloc_lib.workloads.sites.round_robin` gives; each has
        some, none of which is wider than its cluster.
    """
    scheduling = FCFS() if scheduling is None else scheduling
    jobs = _requesting("total", jobs)
    site = checked_sites(site, jobs, system)
    empty = np.flatnonzero(np.bincount(site, minlength=len(system)) == 0)
    if len(empty):
        raise InputError(
            f"site gives no job to site {empty[0]} of {len(system)}; give it some, or leave it out "
            "of the system"
        )
    _refuse_wide(system, jobs, site)
    columns = _at_each_site(system, jobs, site, scheduling, engine)
    return LocalSchedule(system, jobs, AtEachSite(scheduling), None, **columns)


def _at_each_site(system, jobs, site, scheduling, engine):
    """Run the jobs of each site, where it has some; return the columns of a `LocalSchedule`."""
    mine = {number: np.flatnonzero(site == number) for number in np.unique(site).tolist()}
    at = {
        number: simulate(
            Multicluster(system.sizes[number]), jobs[rows], scheduling=scheduling, engine=engine
        )
        for number, rows in mine.items()
    }
    back = np.argsort(np.concatenate([*mine.values()]))

    def joined(column):
        return np.concatenate([getattr(one, column) for one in at.values()])[back]

    allocation = np.zeros((len(jobs), len(system)), dtype=np.int32)
    allocation[np.arange(len(jobs)), site] = joined("allocation")[:, 0]
    start, end, promised = map(joined, ("start", "end", "promised"))
    refused = {int(mine[n][job]): why for n, one in at.items() for job, why in one.refused.items()}
    columns = {"start": start, "end": end, "allocation": allocation, "promised": promised}
    columns |= {"refused": refused, "site": site, "at": at}
    if all(one.servers is not None for one in at.values()):
        first = np.cumsum([0, *system.sizes])
        rows = [row + first[number] for number, one in at.items() for row in one.servers or ()]
        columns |= {"attempts": joined("attempts")}
        columns |= {"servers": Servers.of_rows([rows[row] for row in back])}
    return columns


def dispatch(
    system: Multicluster,
    jobs: JobStream,
    *,
    scheduling: EASY | Conservative | None = None,
    home: Any = None,
    owner: Any = None,
    engine: str | None = None,
) -> DispatchSchedule:
    """Send each job, when it is submitted, to the site with the earliest expected start.

    Parameters
    ----------
    system, jobs, home, engine
        As in `sharing`.
    scheduling : EASY or Conservative, optional
        The policy of every site; `EASY` where it is not given.
    owner : array_like of int, shape (n,), optional
        The site of whose users each job is, or -1: in the queue of that site it goes before those
        of others, whatever the order of the policy.

    Notes
    -----
    What a job can expect of a site is what ``sbatch -M`` of Slurm goes by: the jobs that run there
    stay as long as expected, those that wait are planned in the order of their queue, each at the
    first instant from which it has room, and so is the job after those before it. It goes where
    that is the earliest, where several tie to the site that it leaves the fewest processors idle,
    then to the first; and it stays there. Each site serves its own queue.

    Where to is compiled for `EASY`. Under `Conservative` the readable engine says it, and for
    many jobs that is said.
    """
    scheduling = EASY() if scheduling is None else scheduling
    jobs = _requesting("total", jobs)
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    if not isinstance(scheduling, EASY | Conservative):
        raise InputError(
            f"scheduling = {shown(scheduling)} plans no starts; give EASY() or Conservative()"
        )
    if jobs.has_reservations:
        raise InputError(
            "jobs ask for a later or a latest start, which dispatch does not heed; replace("
            "earliest_start=None, latest_start=None) first"
        )
    refuse_impossible(system, jobs)
    home, owned = (
        checked_sites(
            np.full(len(jobs), -1) if of is None else of, jobs, system, name=name, least=-1
        )
        for name, of in (("home", home), ("owner", owner))
    )
    _refuse_wide(system, jobs, home)
    order = np.argsort(jobs.submit, kind="stable")
    queues = _queues(system, jobs, scheduling.order, owned)
    rank = np.argsort(queues, axis=1)
    is_readable = engine == "reference" or type(scheduling) is not EASY
    if len(jobs) > LONG and engine != "reference" and is_readable:
        warnings.warn(
            f"dispatch under {scheduling} has no compiled form; {len(jobs)} jobs take about "
            f"{len(jobs) / 200:.0f} s or more. EASY() has one, engine='reference' says that you "
            "know",
            stacklevel=2,
        )
    if is_readable:
        ranks = tuple(map(tuple, rank[:, order].tolist()))
        sent = AtSubmission(scheduling, tuple(home[order].tolist()), ranks)
        run = simulate(system, jobs, scheduling=sent, engine="reference")
        site = run.allocation.argmax(axis=1)
    else:
        from coalloc_lib.engines.compiled import sites_of

        site = np.empty(len(jobs), dtype=np.int64)
        site[order] = sites_of(system, jobs[order], home[order], rank[:, order])
    at_site, by = jobs, scheduling
    if owner is not None:
        by = replace(scheduling, order="priority")
        at_site = jobs.replace(priority=len(jobs) - rank[site, np.arange(len(jobs))])
    columns = _at_each_site(system, at_site, site, by, engine) | {"home": home, "owner": owned}
    return DispatchSchedule(system, jobs, AtEachSite(scheduling), None, **columns)


def _queues(system, jobs, order, owner):
    """Return for each site the jobs as they would stand in its queue, its own users' first."""
    queue = queue_of(order, jobs)
    own = owner[queue] == np.arange(len(system))[:, None]
    return queue[np.argsort(~own, axis=1, kind="stable")]


def sharing(
    system: Multicluster,
    jobs: JobStream,
    *,
    home: Any = None,
    placement: Placement | None = None,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Run all jobs from one queue, each whole on the machine that the placement chooses.

    Parameters
    ----------
    system, jobs, scheduling, engine
        As in `simulate`.
    home : array_like of int, shape (n,), optional
        The site that each job may not leave, -1 for one that may go anywhere, as all may where it
        is not given; `coalloc_lib.workloads.sites.staying` draws it.
    placement : Placement, optional
        `BestFit`, the paper's, where it is not given.
    """
    placement = BestFit() if placement is None else placement
    jobs, placement = _some_staying(system, _requesting("total", jobs), home, placement)
    return simulate(system, jobs, scheduling=scheduling, placement=placement, engine=engine)


def multi_site(
    system: Multicluster,
    jobs: JobStream,
    span_penalty: Any,
    *,
    home: Any = None,
    single: Placement | None = None,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Run all jobs from one queue, on one machine where one can hold the job now, else on several.

    Parameters
    ----------
    system, jobs, home, scheduling, engine
        As in `sharing`.
    span_penalty : float, array_like or dict
        p: a job on several machines runs ``runtime * (1 + p)``; ``{2: 0.1, 3: 0.2}`` says it of 2,
        and of 3 machines or more. With ``scheduling=EASY(adaptive=True)`` a job spans only if no
        machine is expected free as early as that is worth.
    single : Placement, optional
        Chooses among machines that can hold a job; `BestFit` by default.
    """
    jobs = _requesting("flexible", jobs).replace(span_penalty=span_penalty)
    spanning = SingleThenSpan(single=BestFit() if single is None else single)
    jobs, placement = _some_staying(system, jobs, home, spanning)
    return simulate(system, jobs, scheduling=scheduling, placement=placement, engine=engine)


def single_machine(
    system: Multicluster,
    jobs: JobStream,
    *,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Run all jobs on one machine of as many processors: what no division beats but by luck."""
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    one, jobs = Multicluster([system.processors]), _requesting("total", jobs)
    return simulate(one, jobs, scheduling=scheduling, engine=engine)


def _requesting(request, jobs):
    """Return the jobs as requests of this type for all their processors."""
    instance_of("jobs", jobs, JobStream, "JobStream(submit=..., runtime=..., components=...)")
    if jobs.request == "ordered":
        raise InputError(
            "jobs are ordered requests, which name their clusters themselves; replace(request="
            "'total') first"
        )
    return jobs if jobs.request == request else jobs.replace(request=request)


def _some_staying(system, jobs, home, placement):
    """Return the jobs and their placement, such that those with a home stay there."""
    if home is None:
        return jobs, placement
    site = checked_sites(home, jobs, system, name="home", least=-1)
    _refuse_wide(system, jobs, site)
    components = np.zeros((len(jobs), len(system) + 1), dtype=np.int64)
    components[np.arange(len(jobs)), site + 1] = jobs.processors
    return jobs.replace(components=components), HomeSite(placement)


def _refuse_wide(system, jobs, site):
    """Refuse a job that is wider than its site; one without a site is never too wide."""
    sizes = system.as_array()[site]
    wide = (site >= 0) & (jobs.processors > sizes)
    if wide.any():
        job = int(wide.argmax())
        raise ImpossibleJobError(
            job,
            f"{jobs.processors[job]} processors, and its site {site[job]} has {sizes[job]} "
            "(chopped(at_most) makes pieces of it)",
        )


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
        intervals (from weeks drawn anew) ``local_h``, the AWRT in hours where the site stays alone;
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
    import pandas as pd

    span_penalty = not_negative("span_penalty", span_penalty)
    system, jobs, site, _ = together(clusters, logs, clock, missing, node, largest)
    policy = EASY() if scheduling is None else scheduling
    instance_of("scheduling", policy, Scheduling, "EASY()")
    for name, log in logs.items() if policy.uses_estimates and missing is None else ():
        if isinstance(log, SwfLog) and (unknown := log.without_requested_time):
            warnings.warn(
                f"{name}: {unknown:,} of {len(log.usable):,} jobs have no requested time and are "
                "planned with their run time, better than any user knows it; give missing",
                stacklevel=2,
            )
    how: dict[str, Any] = {"scheduling": policy, "engine": engine}
    ran = [local(system, jobs, site, **how), sharing(system, jobs, **how)]
    ran.append(multi_site(system, jobs, span_penalty, **how))
    if refused := max(len(each.refused) for each in ran):
        raise InputError(
            f"scheduling = {policy} refuses {refused} of {len(jobs)} jobs; give a policy that runs "
            "all, so that the same jobs are compared"
        )
    groups = {name: site == number for number, name in enumerate(clusters)}
    groups[ALL] = np.ones(len(site), dtype=bool)
    count = {n: len(log.usable if isinstance(log, SwfLog) else log) for n, log in logs.items()}
    count[ALL] = sum(count.values())
    ends = [jobs.submit.min(), jobs.submit.max()]
    if clock == "calendar" and all(isinstance(log, SwfLog) for log in logs.values()):
        ends = [*pd.to_datetime(ends, unit="s", utc=True).floor("s")]
    when = dict(zip(("begin", "end"), ends, strict=True))
    table = pd.DataFrame([
        _row(name, mine, weight, ran) | {"of": count[name]} | when
        for name, mine in groups.items() for weight in WEIGHTS
    ])  # fmt: skip
    table.attrs = {"made_by": made_by(None, *logs.values())}
    return table


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
    if odd := [name for name in clusters if clusters[name] % whole("node", node)]:
        raise InputError(
            f"node = {node} does not divide the {clusters[odd[0]]} processors of {odd[0]}; give "
            "clusters of whole nodes"
        )
    one_of("clock", clock, ("calendar", "weeks"))
    streams = _in_common(_on_one_clock(logs, clock, missing, largest), clock, logs)
    # The smallest first: a limit that suits it suits all.
    for size, name in sorted((size, name) for name, size in clusters.items()):
        log, stream, wide = logs[name], streams[name], streams[name].processors
        if count := int((wide > size).sum()):
            numbers = log.usable["job"].to_numpy() if isinstance(log, SwfLog) else log.number
            raise InputError(
                f"{name}: {count:,} of {len(stream):,} jobs are too wide for its cluster of "
                f"{size} processors, as job {numbers[stream.number[wide.argmax()]]} of {wide.max()}"
                f"; give its true size, or leave them out: largest={size} (--largest {size})"
            )
    # In the order of the clusters, as the numbers of the sites are.
    ordered = [streams[name].in_nodes(node) for name in clusters]
    order = np.argsort(np.concatenate([s.submit for s in ordered]), kind="stable")
    site = np.repeat(np.arange(len(ordered)), [len(stream) for stream in ordered])
    row = np.concatenate([stream.number for stream in ordered])
    return system, merge(*ordered), site[order], row[order]


def _system(clusters, logs):
    """Return the clusters as a system; refuse logs that are not of them."""
    for argument, value in (("clusters", clusters), ("logs", logs)):
        if not isinstance(value, Mapping) or len(value) < 2:
            mend = "give a dict of two sites or more, by name"
            raise InputError(f"{argument} = {shown(value)}; {mend}")
    if ALL in clusters:
        raise InputError(f"clusters has a site {ALL!r}, as the row of all is called; rename it")
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
        if isinstance(log, JobStream):
            stream = log
        elif log.epoch is None and clock == "calendar":
            raise InputError(
                f"{name}: {log.source or 'its log'} has no UnixStartTime; give its header one, as "
                "'; UnixStartTime: 1735689600', or clock='weeks' (--clock weeks)"
            )
        else:
            stream = log.jobs(missing=missing)
            stream = stream.replace(submit=stream.submit + (log.epoch or 0))
        if stream.request == "ordered":
            raise InputError(f"logs[{name!r}] has ordered requests; replace(request='total') first")
        if clock == "weeks":
            stream = stream.replace(submit=stream.submit - stream.submit.min() // WEEK * WEEK)
        rows = np.arange(len(stream))
        stream = stream.replace(request="total", components=stream.processors, number=rows)
        fits = stream.processors <= (np.inf if largest is None else whole("largest", largest))
        if not fits.any():
            mend = f"give {stream.processors.min()} or more"
            raise InputError(f"largest = {largest} leaves no job of {name}; {mend}")
        streams[name] = stream[fits]
    return streams


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


def _row(name, mine, weight, ran):
    """Return what the jobs of a site, or of all, have of each way to run."""
    jobs, spanned = ran[0].jobs[mine], float(ran[-1].spans[mine].mean())
    weights = jobs.work if weight == "work" else jobs.processors
    try:
        means = resample_weeks([each.response[mine] for each in ran], weights, jobs.submit)
    except InputError as error:
        raise InputError(f"{name}, in the time that all logs have: {error}") from None
    row = {"site": name, "weight": weight, "jobs": len(jobs), "spanned": spanned}
    doubts = {}
    for column, share in _SHARES.items():
        part = means.interval(share)
        ends = (np.nan, np.nan) if part.warning else (part.low, part.high)
        row |= {column: part.estimate, f"{column}_low": ends[0], f"{column}_high": ends[1]}
        if part.warning:
            doubts.setdefault(part.warning, []).append(column)
    words = (f"{', '.join(columns)}: {why}" for why, columns in doubts.items())
    return row | {"warning": "; ".join(words)}
