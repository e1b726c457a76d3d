"""Simulation of several sites: local execution, job sharing and multi-site execution.

A site is one cluster of a multicluster, with users of its own. Every function uses only the total
number of processors of each job, and not how it is split into components.

References
----------
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import ImpossibleJobError, InputError, instance_of
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import BestFit, HomeSite, Placement, SingleThenSpan
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, Scheduling
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation.run import check_parts, refuse_reservations, simulate
from coalloc_lib.workloads.sites import checked_sites

__all__ = ["AtEachSite", "LocalSchedule", "local", "multi_site", "sharing", "single_machine"]


#: The attributes that the policy `AtEachSite` copies from the scheduling policy of the individual
#: sites: all attributes that describe a policy.
TRAITS = tuple(Scheduling.__annotations__)


@dataclass(frozen=True)
class AtEachSite(Scheduling):
    """The scheduling policy of a system in which each site has its own queue and runs its own jobs.

    The schedules that `local` returns have this policy.

    Parameters
    ----------
    policy : Scheduling
        The policy of every queue.
    """

    policy: Scheduling

    def __post_init__(self) -> None:
        instance_of("policy", self.policy, Scheduling, "FCFS()")
        for trait in TRAITS:
            object.__setattr__(self, trait, getattr(self.policy, trait))

    def __str__(self) -> str:
        return f"{self.policy} at each site"

    @property
    def title(self) -> str:
        """The name of the policy in text, such as ``EASY at each site``."""
        return f"{self.policy.title} at each site"

    def start_jobs(self, state: Any) -> None:
        """Raise `InputError`, because `simulate` supports only one queue for all sites."""
        raise InputError(
            f"scheduling = {self} needs one queue for each site, but simulate() has one queue; "
            "call coalloc_lib.simulation.sites.local instead"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalSchedule(Schedule):
    """A schedule of the whole system in which each site runs only its own jobs.

    Attributes
    ----------
    site : ndarray of int, shape (n,)
        The site of each job.
    at : dict of int to Schedule
        The schedule of each site, with the site's jobs on a system of one cluster.
    """

    site: NDArray[np.int64]
    at: Mapping[int, Schedule]

    @cached_property
    def queues(self) -> list[tuple[NDArray[np.int64], Schedule]]:
        """For each site, the positions of the site's jobs in the stream, and their schedule.

        The schedules are on the whole system. Each job is an ordered request for the cluster of its
        own site.
        """
        return [(np.flatnonzero(self.site == number), self._queue_of(number)) for number in self.at]

    def _queue_of(self, number: int) -> Schedule:
        rows = np.flatnonzero(self.site == number)
        components = np.zeros((len(rows), len(self.system)), dtype=np.int64)
        components[:, number] = self.jobs.processors[rows]
        own = self.at[number]
        return replace(
            own,
            system=self.system,
            jobs=own.jobs.replace(components=components, request="ordered"),
            placement=None,
            allocation=self.allocation[rows],
        )

    def verify(self, most_jobs: int | None = None) -> "LocalSchedule":
        """Verify each site's schedule, and compare it with the schedule of the whole system.

        Parameters
        ----------
        most_jobs : int, optional
            As in `Schedule.verify`, for each site.

        Raises
        ------
        ScheduleError
            If a rule is broken. The message has the first job and instant.
        """
        # The sites have separate queues, so the decisions of the policy cannot be checked for all
        # sites together. ``most_jobs=0`` skips this check. The loop below makes it for each site.
        super().verify(most_jobs=0)
        for number, schedule in self.at.items():
            rows = np.flatnonzero(self.site == number)
            try:
                schedule.verify(most_jobs)
            except ScheduleError as error:
                raise error.renumbered(rows) from None
            self._check_joined(number, schedule, rows)
        return self

    def _check_joined(self, number: int, schedule: Schedule, rows: NDArray[np.int64]) -> None:
        elsewhere = np.delete(self.allocation[rows], number, axis=1).any(axis=1)
        wrong = elsewhere | (self.allocation[rows, number] != schedule.allocation[:, 0])
        for joined, own in ((self.start[rows], schedule.start), (self.end[rows], schedule.end)):
            wrong |= (joined != own) & ~(np.isnan(joined) & np.isnan(own))
        if wrong.any():
            raise ScheduleError(
                f"job {rows[wrong.argmax()]} differs from the schedule of site {number} in its "
                "start, end or allocation"
            )

    @property
    def unchecked(self) -> str:
        """A description of the rules that the method `verify` does not check at the sites."""
        texts = (schedule.unchecked for schedule in self.at.values())
        return next(filter(None, texts), "")


def local(
    system: Multicluster,
    jobs: JobStream,
    site: Any,
    *,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> LocalSchedule:
    """Simulate local execution: each site has its own queue and runs only its own jobs.

    Parameters
    ----------
    system : Multicluster
        The clusters, each of which is a site.
    jobs : JobStream
        The jobs of all sites.
    site : array_like of int, shape (n,)
        The site of each job, for example from `coalloc_lib.workloads.sites.round_robin`. Every site
        needs at least one job, and no job may need more processors than its site has.
    scheduling : Scheduling, optional
        The policy of every site. The default is `FCFS`.
    engine : {"compiled", "reference"}, optional
        As in `simulate`.

    Returns
    -------
    LocalSchedule

    Raises
    ------
    InputError
        If an argument is wrong, or if a site has no job or a job that can never start.

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 1, 2], runtime=[5, 5, 5], components=[4, 4, 4])
    >>> local(Multicluster([4, 4]), jobs, site=[0, 0, 1]).start.tolist()
    [0.0, 5.0, 2.0]
    """
    scheduling = FCFS() if scheduling is None else scheduling
    check_parts(system, scheduling, None, engine)
    jobs = _requesting("total", jobs)
    # The stream is checked as a whole, so that error messages give the position of a job in this
    # stream, and not its position among the jobs of one site.
    refuse_reservations(jobs, scheduling)
    site = checked_sites(site, jobs, system)
    empty = np.flatnonzero(np.bincount(site, minlength=len(system)) == 0)
    if len(empty):
        raise InputError(
            f"site assigns no job to site {empty[0]} of the {len(system)} sites; assign at least "
            "one job to this site, or remove the site from the system"
        )
    _refuse_wide(system, jobs, site)
    at = {
        number: simulate(
            Multicluster(size), jobs[site == number], scheduling=scheduling, engine=engine
        )
        for number, size in enumerate(system.sizes)
    }
    columns = _joined_columns(system, site, at)
    return LocalSchedule(system, jobs, AtEachSite(scheduling), None, site=site, at=at, **columns)


def _joined_columns(system, site, at):
    positions = {number: np.flatnonzero(site == number) for number in at}
    # The results are concatenated site by site, and the indices `back` then sort the results into
    # the order of the job stream.
    back = np.argsort(np.concatenate([*positions.values()]))

    def joined(column):
        return np.concatenate([getattr(one, column) for one in at.values()])[back]

    allocation = np.zeros((len(site), len(system)), dtype=np.int32)
    allocation[np.arange(len(site)), site] = joined("allocation")[:, 0]
    columns = {name: joined(name) for name in ("start", "end", "promised")}
    columns["allocation"] = allocation
    columns["refused"] = {
        int(positions[n][job]): why for n, one in at.items() for job, why in one.refused.items()
    }
    if all(one.servers is not None for one in at.values()):
        columns |= {"attempts": joined("attempts"), "servers": _joined_servers(system, at, back)}
    return columns


def _joined_servers(system, at, back):
    # The processors are numbered consecutively over all sites. The rows are listed site by site.
    # The index `back` brings them into the order of the job stream.
    first = np.cumsum([0, *system.sizes])
    rows = [row + first[number] for number, one in at.items() for row in one.servers]
    return Servers.of_rows([rows[place] for place in back])


def sharing(
    system: Multicluster,
    jobs: JobStream,
    *,
    home: Any = None,
    placement: Placement | None = None,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Simulate job sharing: all sites share one queue, and each job runs at a single site.

    Parameters
    ----------
    system : Multicluster
        The clusters, each of which is a site.
    jobs : JobStream
        The jobs of all sites.
    home : array_like of int, shape (n,), optional
        The only site at which each job may run, or -1 for a job that may run anywhere. By default
        all jobs may run anywhere. `coalloc_lib.workloads.sites.staying` samples such an array.
    placement : Placement, optional
        The rule that chooses the site of a job. The default is `BestFit`, as in the paper.
    scheduling : Scheduling, optional
        The policy of the queue. The default is `FCFS`.
    engine : {"compiled", "reference"}, optional
        As in `simulate`.

    Returns
    -------
    Schedule

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 1], runtime=[5, 5], components=[4, 4])
    >>> sharing(Multicluster([4, 4]), jobs).start.tolist()
    [0.0, 1.0]
    """
    placement = BestFit() if placement is None else placement
    jobs = _requesting("total", jobs)
    if home is not None:
        jobs, placement = _at_home(system, jobs, home), HomeSite(placement)
    return simulate(system, jobs, scheduling=scheduling, placement=placement, engine=engine)


def multi_site(
    system: Multicluster,
    jobs: JobStream,
    span_penalty: Any,
    *,
    single: Placement | None = None,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Simulate multi-site execution: a job runs at several sites if it fits at no single site.

    Parameters
    ----------
    system : Multicluster
        The clusters, each of which is a site.
    jobs : JobStream
        The jobs of all sites, which share one queue.
    span_penalty : float, array_like or dict
        A job on several sites runs for ``runtime * (1 + span_penalty)``. A dict such as
        ``{2: 0.1, 3: 0.2}`` has the penalty on 2 sites, and on 3 sites or more.
    single : Placement, optional
        The rule that chooses among the sites that can hold a job. The default is `BestFit`.
    scheduling : Scheduling, optional
        The policy of the queue. The default is `FCFS`. With ``EASY(adaptive=True)``, a job that
        could start on several sites waits for a single site if it is expected to end no later.
    engine : {"compiled", "reference"}, optional
        As in `simulate`.

    Returns
    -------
    Schedule

    Examples
    --------
    >>> jobs = JobStream(submit=[0], runtime=[10], components=[6])
    >>> multi_site(Multicluster([4, 4]), jobs, span_penalty=0.25).end.tolist()
    [12.5]
    """
    jobs = _requesting("flexible", jobs).replace(span_penalty=span_penalty)
    placement = SingleThenSpan(single=BestFit() if single is None else single)
    return simulate(system, jobs, scheduling=scheduling, placement=placement, engine=engine)


def single_machine(
    system: Multicluster,
    jobs: JobStream,
    *,
    scheduling: Scheduling | None = None,
    engine: str | None = None,
) -> Schedule:
    """Simulate all jobs on a single cluster that has the processors of all sites.

    The result serves as a bound: a division of the processors into sites can give shorter response
    times only by chance.

    Parameters
    ----------
    system : Multicluster
        The sites, whose processors are added.
    jobs : JobStream
        The jobs of all sites.
    scheduling : Scheduling, optional
        The policy of the queue. The default is `FCFS`.
    engine : {"compiled", "reference"}, optional
        As in `simulate`.

    Returns
    -------
    Schedule

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 0], runtime=[5, 5], components=[6, 2])
    >>> single_machine(Multicluster([4, 4]), jobs).start.tolist()
    [0.0, 0.0]
    """
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    one, jobs = Multicluster([system.processors]), _requesting("total", jobs)
    return simulate(one, jobs, scheduling=scheduling, engine=engine)


def _requesting(request, jobs):
    instance_of("jobs", jobs, JobStream, "JobStream(submit=..., runtime=..., components=...)")
    if jobs.request == "ordered":
        raise InputError(
            "jobs are ordered requests, which already specify their clusters; call "
            "jobs.replace(request='total') first"
        )
    return jobs if jobs.request == request else jobs.replace(request=request)


def _at_home(system, jobs, home):
    site = checked_sites(home, jobs, system, name="home", least=-1)
    _refuse_wide(system, jobs, site)
    components = np.zeros((len(jobs), len(system) + 1), dtype=np.int64)
    components[np.arange(len(jobs)), site + 1] = jobs.processors
    return jobs.replace(components=components)


def _refuse_wide(system, jobs, site):
    # A job with site -1 may use every site.
    sizes = system.as_array()[site]
    wide = (site >= 0) & (jobs.processors > sizes)
    if wide.any():
        job = int(wide.argmax())
        raise ImpossibleJobError(
            job,
            f"it needs {jobs.processors[job]} processors, and its site {site[job]} has "
            f"{sizes[job]} (jobs.chopped cuts wide jobs into subjobs)",
        )
