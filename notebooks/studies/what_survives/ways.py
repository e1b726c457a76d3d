"""Simulations of the jobs of one condition; each returns the response time of every job."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import BestFit, Placement, SingleThenSpan
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Online, Scheduling
from coalloc_lib.simulation import sites
from coalloc_lib.simulation.run import simulate
from studies.what_survives import model

#: The number of components into which large jobs are split. Every system has more clusters than
#: this number.
PARTS = 2


@dataclass(frozen=True, eq=False)
class Case:
    """A test case: jobs, with the system and the scheduling policy that serve them.

    Each method that runs the jobs returns their response times. A rejected job has NaN.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    seed: Seed = 0
    placement: Placement = BestFit()  # noqa: RUF009 (placements are frozen)
    unevenness: str = model.MILD

    @cached_property
    def all_jobs(self) -> NDArray[np.bool_]:
        """A boolean mask that selects all jobs."""
        return np.ones(len(self.jobs), bool)

    @cached_property
    def large(self) -> NDArray[np.bool_]:
        """A boolean mask of the jobs that need more than half of the smallest cluster."""
        return self.jobs.processors > min(self.system.sizes) // 2

    @property
    def booking(self) -> Online:
        """The online booking policy, scaled to the mean run time of the jobs."""
        return model.booking(float(self.jobs.runtime.mean()))

    def under(self, scheduling: Scheduling) -> "Case":
        """Return a copy of the case with another scheduling policy."""
        return replace(self, scheduling=scheduling)

    def whole(self, system: Multicluster | None = None) -> NDArray[np.float64]:
        """Simulate each job in one cluster, and return the response times."""
        return self._run(self.jobs, self.placement, system=system)

    def spanning(self, penalty: float, adaptive: bool = False) -> NDArray[np.float64]:
        """Simulate jobs that span clusters if no single cluster has room; return response times.

        `penalty` is how much longer a job runs if it spans clusters, as a share of its run time. If
        `adaptive` is true, a job waits for one cluster if it is expected to end no later there.
        """
        jobs = self.jobs.replace(request="flexible", span_penalty=penalty)
        scheduling = EASY(adaptive=True, order=self.scheduling.order) if adaptive else None
        return self._run(jobs, SingleThenSpan(single=self.placement), scheduling=scheduling)

    def split(self, penalty: float = 0.0) -> NDArray[np.float64]:
        """Simulate each large job in two nearly equal components, and return response times."""
        jobs = self.jobs.split(into=PARTS, above=min(self.system.sizes) // 2)
        return self._run(jobs.replace(span_penalty=penalty), self.placement)

    def in_components(
        self, request: str, placement: Placement | None = None
    ) -> NDArray[np.float64]:
        """Simulate all jobs with one type of request, and return their response times."""
        placement = placement or self.placement
        if request == "flexible":
            return self._run(self.jobs.replace(request="flexible"), placement)
        components = self.jobs.split(into=PARTS).components
        if request == "unordered":
            jobs = self.jobs.replace(components=components, request="unordered")
            return self._run(jobs, placement)
        columns = np.zeros((len(self.jobs), len(self.system)), dtype=np.int64)
        columns[:, : components.shape[1]] = components
        named = self._generators[0].permuted(columns, axis=1)
        return self._run(self.jobs.replace(components=named, request="ordered"), None)

    def at_home(self) -> NDArray[np.float64]:
        """Simulate each job at its own site, with one queue per site; return the response times."""
        alone = sites.local(
            self.system, self.jobs, self.home, scheduling=self.scheduling, engine="compiled"
        )
        return alone.response

    @cached_property
    def home(self) -> NDArray[np.int64]:
        """The site that owns each job, sampled so that some sites are busier than others.

        A job that is wider than its site belongs to the largest site.
        """
        sizes = np.array(self.system.sizes)
        weights = model.site_weights(self.unevenness, len(sizes)) * sizes
        shares = weights / weights.sum()
        sampled = self._generators[1].choice(len(sizes), len(self.jobs), p=shares)
        fits = self.jobs.processors <= sizes[sampled]
        return np.where(fits, sampled, sizes.argmax())

    @property
    def at_quietest_site(self) -> NDArray[np.bool_]:
        """A boolean mask of the jobs of the least busy site, which gains least by sharing."""
        return self.home == len(self.system) - 1

    @property
    def _generators(self):
        # These random generators are independent of the generators that sampled the jobs.
        return generators(self.seed, 12)[-2:]

    def _run(self, jobs, placement, *, system=None, scheduling=None):
        return simulate(
            system or self.system,
            jobs,
            scheduling=scheduling or self.scheduling,
            placement=placement,
            engine="compiled",
        ).response
