"""Sites that keep to themselves, share their jobs, or let jobs span them.

A site is one cluster of a multicluster, with its own users. `local` gives each site its own queue,
and jobs never leave theirs. `sharing` has one queue, and a placement chooses the machine of each
job. `multi_site` lets a job that no machine can hold now run on several, for longer. And
`single_machine` is the bound: all processors in one cluster.

Each takes the jobs as so many processors, whatever their request was, and returns a `Schedule` of
the same jobs, so that they can be compared job for job.

References
----------
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import ImpossibleJobError, InputError, instance_of
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.faults import ScheduleError
from coalloc_lib.jobs import JobStream
from coalloc_lib.machines import HomeSite
from coalloc_lib.placement import BestFit, Placement, SingleThenSpan
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import FCFS, Refusal, Scheduling
from coalloc_lib.simulation import simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.sites import checked_sites


@dataclass(frozen=True)
class AtEachSite(Scheduling):
    """What schedules of `local` name as their policy: the same one at each site, by itself.

    Parameters
    ----------
    policy : Scheduling
    """

    policy: Scheduling

    def start_jobs(self, state: Any) -> None:
        """Refuse: one queue cannot be served so."""
        raise InputError(
            f"{self} serves a queue for each site and simulate() has one; call "
            "coalloc_lib.sites.local"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalSchedule(Schedule):
    """The schedules of all sites, joined: a `Schedule` of the whole system.

    Attributes
    ----------
    site : ndarray of int, shape (n,)
        The site of each job.
    at : dict of int to Schedule
        The schedule of each site, a system of one cluster; its jobs are those of the site, in the
        order of the stream.
    """

    site: NDArray[np.int64]
    at: Mapping[int, Schedule] = field(default_factory=dict)

    def verify(self) -> "LocalSchedule":
        """Check the schedule of each site against all rules, and that they are well joined.

        The joined schedule keeps the rules of the model (submissions, run times, requests, sizes of
        clusters); who may overtake whom is a matter of each site's queue, and checked there. And
        every job is where and when its site has it.
        """
        super().verify()
        for number, schedule in self.at.items():
            schedule.verify()
            mine = self.site == number
            elsewhere = np.delete(self.allocation[mine], number, axis=1).any(axis=1)
            wrong = elsewhere | (self.allocation[mine, number] != schedule.allocation[:, 0])
            for joined, own in ((self.start, schedule.start), (self.end, schedule.end)):
                wrong |= (joined[mine] != own) & ~(np.isnan(joined[mine]) & np.isnan(own))
            if wrong.any():
                job = int(np.flatnonzero(mine)[wrong.argmax()])
                raise ScheduleError(f"job {job} is not where and when site {number} runs it")
        return self


def local(
    system: Multicluster,
    jobs: JobStream,
    site: Any,
    *,
    scheduling: Scheduling | None = None,
    engine: str = "compiled",
) -> LocalSchedule:
    """Run each site by itself: its own queue, its own machine, its own jobs.

    Parameters
    ----------
    system : Multicluster
        One cluster a site.
    jobs : JobStream
        Each runs whole on its site's cluster.
    site : array_like of int, shape (n,)
        The site of each job, such as `coalloc_lib.workloads.sites.round_robin` gives.
    scheduling : Scheduling, optional
        The policy of every site; `FCFS` where it is not given.
    engine : {"compiled", "reference"}

    Returns
    -------
    LocalSchedule
        A `Schedule` over the whole system, with that of each site in `at`.

    Raises
    ------
    InputError
        A number is no site, a site has no job, or a job is wider than its site.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2], runtime=[9, 9, 9], components=[3, 3, 3])
    >>> apart = local(co.Multicluster([4, 4]), jobs, [0, 1, 0]).verify()
    >>> apart.start.tolist(), apart.allocation.tolist()
    ([0.0, 1.0, 9.0], [[3, 0], [0, 3], [3, 0]])
    """
    scheduling = FCFS() if scheduling is None else scheduling
    jobs = _requesting("total", jobs)
    site = checked_sites(site, jobs, system)
    _refuse_empty(system, site)
    _refuse_wide(system, jobs, site)
    start, end, promised = (np.full(len(jobs), np.nan) for _ in range(3))
    allocation = np.zeros((len(jobs), len(system)), dtype=np.int32)
    refused: dict[int, Refusal] = {}
    at: dict[int, Schedule] = {}
    for number, size in enumerate(system.sizes):
        mine = np.flatnonzero(site == number)
        one = simulate(Multicluster([size]), jobs[mine], scheduling=scheduling, engine=engine)
        start[mine], end[mine], promised[mine] = one.start, one.end, one.promised
        allocation[mine, number] = one.allocation[:, 0]
        refused |= {int(mine[job]): refusal for job, refusal in one.refused.items()}
        at[number] = one
    columns = (start, end, allocation, promised, refused, *_booked(site, at))
    return LocalSchedule(system, jobs, AtEachSite(scheduling), None, *columns, site=site, at=at)


def _booked(site, at):
    """Return the attempts and the servers of all sites, or None of a policy that tells none."""
    if any(one.attempts is None for one in at.values()):
        return None, None
    attempts = np.empty(len(site), dtype=np.int64)
    rows: list[Any] = [()] * len(site)
    first = 0
    for number, one in at.items():
        mine = np.flatnonzero(site == number)
        attempts[mine] = one.attempts
        for job, servers in zip(mine, one.servers, strict=True):
            rows[job] = servers + first
        first += one.system.processors
    return attempts, Servers.of_rows(rows)


def sharing(
    system: Multicluster,
    jobs: JobStream,
    *,
    home: Any = None,
    placement: Placement | None = None,
    scheduling: Scheduling | None = None,
    engine: str = "compiled",
) -> Schedule:
    """Run all jobs from one queue, each whole on the machine that the placement chooses.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
    home : array_like of int, shape (n,), optional
        The site that each job may not leave, -1 for one that may go anywhere, as all may where it
        is not given; `coalloc_lib.workloads.sites.staying` draws it.
    placement : Placement, optional
        `BestFit`, the paper's, where it is not given.
    scheduling : Scheduling, optional
        `FCFS` where it is not given.
    engine : {"compiled", "reference"}

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2], runtime=[9, 9, 9], components=[3, 2, 2])
    >>> sharing(co.Multicluster([4, 4]), jobs).start.tolist()
    [0.0, 1.0, 2.0]
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
    engine: str = "compiled",
) -> Schedule:
    """Run all jobs from one queue, on one machine where one can hold the job now, else on several.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
    span_penalty : float or array_like, shape (n,)
        p: a job on several machines runs ``runtime * (1 + p)``.
    home : array_like of int, shape (n,), optional
        As in `sharing`.
    single : Placement, optional
        Chooses among the machines that can hold a job; `BestFit` where it is not given.
    scheduling : Scheduling, optional
        `FCFS` where it is not given.
    engine : {"compiled", "reference"}

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[8, 8], components=[3, 5])
    >>> multi_site(co.Multicluster([4, 4]), jobs, 0.25).end.tolist()
    [8.0, 11.0]
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
    engine: str = "compiled",
) -> Schedule:
    """Run all jobs on one machine of as many processors: what no division of it should beat.

    It is no strict bound: with few jobs, luck may make one of several queues the better order.
    """
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    whole, jobs = Multicluster([system.processors]), _requesting("total", jobs)
    return simulate(whole, jobs, scheduling=scheduling, engine=engine)


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


def _refuse_empty(system, site):
    empty = np.flatnonzero(np.bincount(site, minlength=len(system)) == 0)
    if len(empty):
        raise InputError(
            f"site gives no job to site {empty[0]} of {len(system)}; give it some, or leave it out "
            "of the system"
        )


def _refuse_wide(system, jobs, site):
    sizes = system.as_array()[site]
    wide = (site >= 0) & (jobs.processors > sizes)
    if wide.any():
        job = int(wide.argmax())
        raise ImpossibleJobError(
            job,
            f"{jobs.processors[job]} processors, and its site {site[job]} has {sizes[job]} "
            "(chopped(at_most) makes pieces of it)",
        )
