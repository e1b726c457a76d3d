"""Dispatch at submission: each job goes at once to the site where it can expect to start first."""

import warnings
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Conservative
from coalloc_lib.policies.backfilling import queue_of
from coalloc_lib.policies.dispatching import AtSubmission, Wish, expected_start
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation.run import LONG, refuse_impossible, simulate
from coalloc_lib.simulation.sites.ways import (
    AtEachSite,
    LocalSchedule,
    at_each_site,
    refuse_wide,
    requesting,
)
from coalloc_lib.workloads.sites import checked_sites

#: Jobs of a dispatched schedule whose choice of a site is checked: each means a plan of all sites.
CHOICES = 300


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DispatchSchedule(LocalSchedule):
    """A `LocalSchedule` of jobs that were sent to their sites when they were submitted."""

    #: The site of each job that could go to no other, else -1, shape (n,).
    home: NDArray[np.int64]
    #: The site of whose users each job is, else -1, shape (n,); there it goes before all others.
    owner: NDArray[np.int64]

    def verify(self, most_jobs: int = 50_000) -> "DispatchSchedule":
        """Check each site, and of up to `CHOICES` jobs, evenly spread, that no site was better."""
        super().verify(most_jobs)
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
    jobs = requesting("total", jobs)
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
    refuse_wide(system, jobs, home)
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
    columns = at_each_site(system, at_site, site, by, engine) | {"home": home, "owner": owned}
    return DispatchSchedule(system, jobs, AtEachSite(scheduling), None, **columns)


def _queues(system, jobs, order, owner):
    """Return for each site the jobs as they would stand in its queue, its own users' first."""
    queue = queue_of(order, jobs)
    own = owner[queue] == np.arange(len(system))[:, None]
    return queue[np.argsort(~own, axis=1, kind="stable")]
