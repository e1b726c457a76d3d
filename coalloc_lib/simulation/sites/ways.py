"""Ways to run the jobs of several sites: by themselves, sharing, or spanning them.

Each function uses only the total number of processors of a job, whatever its request was, and
returns a `Schedule` of the same jobs.
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
    """The policy of a schedule of `local`: each site has a queue of its own."""

    takes_reservations: ClassVar[bool] = True  # the schedule of each site is checked by itself
    policy: Any

    def start_jobs(self, state: Any) -> None:
        """Raise an error, because `simulate` has one queue for all sites."""
        raise InputError(
            f"scheduling = {self} has a queue for each site, and simulate() has only one queue; "
            "call coalloc_lib.simulation.sites.local"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalSchedule(Schedule):
    """The schedules of all sites, joined: a `Schedule` of the whole system."""

    #: The site of each job, shape (n,).
    site: NDArray[np.int64]
    #: The schedule of each site's jobs, in the order of the stream, on its one cluster.
    at: Mapping[int, Schedule]

    def verify(self, most_jobs: int | None = None) -> "LocalSchedule":
        """Check the rules of the model, the schedule of each site, and that both are the same."""
        super().verify(most_jobs=0)  # each site has its own queue
        for number, schedule in self.at.items():
            of_site = self.site == number
            try:
                schedule.verify(most_jobs)
            except ScheduleError as error:
                raise error.renumbered(np.flatnonzero(of_site)) from None
            elsewhere = np.delete(self.allocation[of_site], number, axis=1).any(axis=1)
            wrong = elsewhere | (self.allocation[of_site, number] != schedule.allocation[:, 0])
            for joined, own in ((self.start, schedule.start), (self.end, schedule.end)):
                wrong |= (joined[of_site] != own) & ~(np.isnan(joined[of_site]) & np.isnan(own))
            if wrong.any():
                job = int(np.flatnonzero(of_site)[wrong.argmax()])
                raise ScheduleError(f"job {job} is not where and when site {number} runs it")
        return self

    @property
    def unchecked(self) -> str:
        """What `verify()` does not check of the sites' schedules, in words."""
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
    """Run each site by itself: its own queue, its own machine, its own jobs.

    Parameters
    ----------
    system, jobs, scheduling, engine
        As in `simulate`. Each cluster is a site, and every site uses the policy.
    site : array_like of int, shape (n,)
        The site of each job. `coalloc_lib.workloads.sites.round_robin` returns such an array. Every
        site needs at least one job, and no job may be wider than the cluster of its site.
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
    """Run the jobs of each site, and return the columns of a `LocalSchedule`."""
    positions = {number: np.flatnonzero(site == number) for number in np.unique(site).tolist()}
    at = {
        number: simulate(
            Multicluster(system.sizes[number]), jobs[rows], scheduling=scheduling, engine=engine
        )
        for number, rows in positions.items()
    }
    back = np.argsort(np.concatenate([*positions.values()]))

    def joined(column):
        return np.concatenate([getattr(one, column) for one in at.values()])[back]

    allocation = np.zeros((len(jobs), len(system)), dtype=np.int32)
    allocation[np.arange(len(jobs)), site] = joined("allocation")[:, 0]
    start, end, promised = map(joined, ("start", "end", "promised"))
    refused = {
        int(positions[n][job]): why for n, one in at.items() for job, why in one.refused.items()
    }
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
        The only site at which each job may run, or -1 for a job that may run anywhere. By default
        all jobs may run anywhere. `coalloc_lib.workloads.sites.staying` samples such an array.
    placement : Placement, optional
        The rule that chooses the machine. The default is `BestFit`, as in the paper.
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
    """Run all jobs from one queue, each on one machine if one can hold it now, else on several.

    Parameters
    ----------
    system, jobs, scheduling, engine
        As in `simulate`. With ``scheduling=EASY(adaptive=True)`` a job waits for one machine
        if it is then expected to end no later than by spanning now.
    span_penalty : float, array_like or dict
        A job on several machines runs for ``runtime * (1 + span_penalty)``. A dict such as
        ``{2: 0.1, 3: 0.2}`` has the penalty on 2 machines, and on 3 machines or more.
    single : Placement, optional
        The rule that chooses among the machines that can hold a job. The default is `BestFit`.
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
    """Run all jobs on one machine with the processors of all sites.

    The result is a bound for any division of the machine into sites, except for chance.
    """
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


def _at_home(system, jobs, home):
    """Return the jobs with the components that `HomeSite` reads."""
    site = checked_sites(home, jobs, system, name="home", least=-1)
    _refuse_wide(system, jobs, site)
    components = np.zeros((len(jobs), len(system) + 1), dtype=np.int64)
    components[np.arange(len(jobs)), site + 1] = jobs.processors
    return jobs.replace(components=components)


def _refuse_wide(system, jobs, site):
    """Raise an error if a job is wider than its site; the site -1 stands for any site."""
    sizes = system.as_array()[site]
    wide = (site >= 0) & (jobs.processors > sizes)
    if wide.any():
        job = int(wide.argmax())
        raise ImpossibleJobError(
            job,
            f"{jobs.processors[job]} processors, and its site {site[job]} has {sizes[job]} "
            "(chopped(at_most) makes subjobs of it)",
        )
