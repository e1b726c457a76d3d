"""Dispatch at submission: each job goes to one site for good; each site serves its own queue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, nextafter
from typing import Any, NamedTuple

from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.backfilling import EASY, Conservative
from coalloc_lib.policies.base import Job, Scheduling, State
from coalloc_lib.policies.profile import Profile


class Wish(NamedTuple):
    """So many processors of one cluster for so long."""

    processors: int
    length: float

    def expected_length(self, _allocation: Sequence[int]) -> float:
        """Return how long it is expected to run."""
        return self.length


def expected_start(
    size: int, now: float, running: Iterable[tuple[float, int]], wishes: Iterable[Wish]
) -> tuple[float, int]:
    """Return when the last wish can expect to start on a cluster, and what it then leaves idle.

    `running` has the expected end and the processors of each job that runs now. The wishes are
    planned in turn, each at the first instant from which it has room as long as it lasts.
    """
    future = Profile([size], now)
    for until, processors in running:
        future.take(now, until, [processors])
    for wish in wishes:
        found = future.earliest(
            wish, lambda wish, idle: [wish.processors] if wish.processors <= idle[0] else None
        )
        assert found is not None  # a wish is no wider than the cluster
        planned = _lasting(found)
        left = future.between(planned.start, planned.end)[0] - wish.processors
        future.take(*planned)
    return planned.start, left


@dataclass(frozen=True)
class AtSubmission(Scheduling):
    """Send each job to a site when it is submitted; `policy` serves the queue of each site.

    A job goes where its `expected_start` is the first, after the jobs that run there and those
    before it in the queue there; where that ties, to the site that it leaves the fewest processors
    idle, then to the first. What else starts at that instant does so afterwards. `home` has the
    site of each job, in order of arrival, or -1 for one that may go anywhere; `rank` its place in
    the queue of each site, whatever the order of the policy.
    """

    policy: EASY | Conservative
    home: tuple[int, ...]
    rank: tuple[tuple[int, ...], ...]

    def begin(self, system: Multicluster) -> "_Sites":
        """Return what makes the decisions of one run, which remembers where jobs are."""
        return _Sites(self, system)


class _Site:
    """A site's part of a `State`: jobs that are all sent to one cluster."""

    def __init__(self, number: int, runner: Any, rank: Sequence[int]) -> None:
        self.number, self.runner, self.rank = number, runner, rank
        self.jobs: set[Job] = set()
        self.state: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    @property
    def queue(self) -> list[Job]:
        """The waiting jobs of the site, in the order of its queue."""
        return self.in_order(job for job in self.state.queue if job in self.jobs)

    @property
    def running(self) -> list[Job]:
        """The jobs in service at the site."""
        return [job for job in self.state.running if job in self.jobs]

    def in_order(self, jobs: Iterable[Job]) -> list[Job]:
        """Return jobs as they stand in the queue."""
        return sorted(jobs, key=lambda job: self.rank[job.number])

    def place(self, job: Job, idle: Sequence[int] | None = None) -> list[int] | None:
        """Return the allocation of a job: all on the cluster of the site."""
        room = self.state.idle if idle is None else idle
        taken = [job.processors * (cluster == self.number) for cluster in range(len(room))]
        return taken if job.processors <= room[self.number] else None


class _Sites:
    """The sites of one run."""

    def __init__(self, dispatch: AtSubmission, system: Multicluster) -> None:
        self.dispatch, self.sizes = dispatch, system.sizes
        serve = replace(dispatch.policy, order="arrival")  # a queue comes to it in order
        self.sites = [_Site(c, serve.begin(system), rank) for c, rank in enumerate(dispatch.rank)]
        self.sent: set[Job] = set()

    def start_jobs(self, state: State) -> None:
        """Send the arrivals to their sites, then let each site start jobs."""
        for site in self.sites:
            site.state = state
        for job in state.queue:
            if job not in self.sent:
                home = self.dispatch.home[job.number]
                may = [s for s in self.sites if home in (-1, s.number)]
                wide_enough = [s for s in may if job.processors <= self.sizes[s.number]]
                min(wide_enough, key=lambda site: self._expected(site, job)).jobs.add(job)
                self.sent.add(job)
        for site in self.sites:
            site.runner.start_jobs(site)

    def _expected(self, site, job):
        """Return the start that a job can expect at a site, and what it leaves idle."""
        queue = site.in_order([*site.queue, job])
        before = queue[: queue.index(job) + 1]
        running = [(site.expected_end(each), each.processors) for each in site.running]
        wishes = (Wish(each.processors, each.expected_length(())) for each in before)
        return expected_start(self.sizes[site.number], site.now, running, wishes)


def _lasting(found):
    """Return a reservation that keeps others off its start, also where it takes no time."""
    return found._replace(end=max(found.end, nextafter(found.start, inf)))
