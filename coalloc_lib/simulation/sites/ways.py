"""Ways to run the jobs of several sites: by themselves, sharing, or spanning them.

Each takes the jobs as so many processors, whatever their request was, and returns a `Schedule` of
the same jobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

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
from coalloc_lib.simulation.run import simulate
from coalloc_lib.workloads.sites import checked_sites


@dataclass(frozen=True)
class AtEachSite(Scheduling):
    """The policy of a schedule of `local` or `dispatch`: each site has a queue of its own."""

    takes_reservations: ClassVar[bool] = True  # the schedule of each site is checked by itself
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

    def verify(self, most_jobs: int = 50_000) -> "LocalSchedule":
        """Check the rules of the model, the schedule of each site, and that both are the same."""
        super().verify(most_jobs=0)  # each site has its own queue
        for number, schedule in self.at.items():
            mine = self.site == number
            try:
                schedule.verify(most_jobs)
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

    @property
    def unchecked(self) -> str:
        """What `verify()` does not check of the schedule of a site, in words."""
        said = (schedule.unchecked for schedule in self.at.values())
        return next(filter(None, said), "")


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
    jobs = requesting("total", jobs)
    site = checked_sites(site, jobs, system)
    empty = np.flatnonzero(np.bincount(site, minlength=len(system)) == 0)
    if len(empty):
        raise InputError(
            f"site gives no job to site {empty[0]} of {len(system)}; give it some, or leave it out "
            "of the system"
        )
    refuse_wide(system, jobs, site)
    columns = at_each_site(system, jobs, site, scheduling, engine)
    return LocalSchedule(system, jobs, AtEachSite(scheduling), None, **columns)


def at_each_site(
    system: Multicluster,
    jobs: JobStream,
    site: NDArray[np.int64],
    scheduling: Scheduling,
    engine: str | None,
) -> dict[str, Any]:
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
    columns: dict[str, Any] = {
        "start": start,
        "end": end,
        "allocation": allocation,
        "promised": promised,
        "refused": refused,
        "site": site,
        "at": at,
    }
    if all(one.servers is not None for one in at.values()):
        first = np.cumsum([0, *system.sizes])
        rows = [row + first[number] for number, one in at.items() for row in one.servers or ()]
        columns |= {"attempts": joined("attempts")}
        columns |= {"servers": Servers.of_rows([rows[row] for row in back])}
    return columns


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
    jobs, placement = _some_staying(system, requesting("total", jobs), home, placement)
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
    jobs = requesting("flexible", jobs).replace(span_penalty=span_penalty)
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
    one, jobs = Multicluster([system.processors]), requesting("total", jobs)
    return simulate(one, jobs, scheduling=scheduling, engine=engine)


def requesting(request: str, jobs: JobStream) -> JobStream:
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
    refuse_wide(system, jobs, site)
    components = np.zeros((len(jobs), len(system) + 1), dtype=np.int64)
    components[np.arange(len(jobs)), site + 1] = jobs.processors
    return jobs.replace(components=components), HomeSite(placement)


def refuse_wide(system: Multicluster, jobs: JobStream, site: NDArray[np.int64]) -> None:
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
