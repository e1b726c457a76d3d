"""The state of the system that a schedule implies, in which a policy decides again.

The engines keep a state of their own. A mistake in it is therefore not repeated here.
"""

from collections.abc import Iterator, Sequence
from itertools import compress
from operator import add, gt, sub

import numpy as np

from coalloc_lib.model.fitting import fits_by
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Job

#: After this number of calls to `place` with the same idle processors, all waiting jobs are tested
#: at once, because a single test of all jobs is faster than further calls.
MANY = 10


class Jobs(list):
    """A list of jobs that may change while a loop iterates over it."""

    def __iter__(self) -> Iterator[Job]:
        """Iterate over the jobs that are in the list when the loop begins."""
        return iter(self[:])


class ImpliedState:
    """A simulation state that records a policy's decisions for comparison with a schedule.

    Parameters
    ----------
    system : Multicluster
        The clusters, which are idle at the beginning.
    jobs : JobStream
        The jobs in order of arrival.
    placement : Placement or None
        The rule that chooses clusters; None for ordered requests.

    Attributes
    ----------
    started : list of Job
        The jobs that the policy started since the list was last emptied.
    refused : dict of Job to str
        The jobs that the policy rejected since the dict was last emptied, and why.
    promised : dict of int to float
        The first start that the policy promised to each job, by its number.
    newly_promised : list of int
        The numbers of the jobs that were promised their first start since the list was last
        emptied.
    recorded : dict of int to (int, list of int)
        The attempts and the servers that the policy recorded for each job, by its number.
    wakes : list of float
        The instants at which the policy asked to be called since the list was last emptied.
    """

    def __init__(self, system: Multicluster, jobs: JobStream, placement: Placement | None) -> None:
        self.now = 0.0
        self.idle: Sequence[int] = system.sizes
        self.queue, self.running = Jobs(), Jobs()
        self.started: list[Job] = []
        self.refused: dict[Job, str] = {}
        self.promised: dict[int, float] = {}
        self.newly_promised: list[int] = []
        self.recorded: dict[int, tuple[int, list[int]]] = {}
        self.wakes: list[float] = []
        self._placement = WorstFit() if placement is None else placement
        self._request, self._components = jobs.request, jobs.components
        self._expected_end: dict[Job, float] = {}
        # Three collections store the results of the placement until the idle processors change.
        # `_unfit` has the numbers of the jobs that do not fit. `_answers` has the allocations on
        # the currently idle processors, by job number. `_answers_on` has the allocations on other,
        # hypothetical idle processors, by job number and number of idle processors on each cluster.
        self._unfit: set[int] = set()
        self._answers: dict[int, Sequence[int] | None] = {}
        self._answers_on: dict[tuple[int, ...], Sequence[int] | None] = {}

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return the allocation that a job would get on `idle`, or None if the job does not fit.

        Answers are kept until the idle processors change, because policies that examine a long
        queue ask for the same jobs again and again.
        """
        if idle is None:
            return None if job.number in self._unfit else self._place_now(job)
        key = (job.number, *idle)
        if key not in self._answers_on:
            self._answers_on[key] = self._placement.place(job.components, self._request, idle)
        answer = self._answers_on[key]
        return None if answer is None else [*answer]

    def _place_now(self, job):
        if job.number not in self._answers:
            if len(self._answers) == MANY:
                self._unfit = self._find_unfit()
            self._answers[job.number] = self._placement.place(
                job.components, self._request, self.idle
            )
        answer = self._answers[job.number]
        return None if answer is None else [*answer]

    def expected_end(self, job: Job, allocation: Sequence[int] | None = None) -> float:
        """Return when a running job is expected to end.

        For a waiting job, return when it would be expected to end if it started now.
        """
        if job.start is None:
            assert allocation is not None
            return self.now + job.expected_length(allocation)
        if allocation is None or allocation is job.allocation:
            return self._expected_end[job]
        return job.start + job.expected_length(allocation)

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job if it fits, and return whether it was started."""
        if allocation is None and job.number in self._unfit:  # saves a call to `place`
            return False
        taken = self.place(job) if allocation is None else allocation
        if taken is None or any(map(gt, taken, self.idle)):
            return False
        self.begin(job, taken)
        return True

    def begin(self, job: Job, taken: Sequence[int]) -> None:
        """Move a job from the queue to the running jobs, and allocate its processors."""
        position = self.queue.index(job)
        for other in self.queue[:position]:
            other.overtaken += 1
        if position:
            self.queue[0].jumped += 1
        del self.queue[position]
        self._set_idle(map(sub, self.idle, taken))
        job.start, job.allocation = self.now, [*map(int, taken)]
        self._expected_end[job] = self.now + job.expected_length(job.allocation)
        self.running.append(job)
        self.started.append(job)

    def promise(self, job: Job, instant: float) -> None:
        """Record the promised start of a job, unless an earlier promise was recorded."""
        if job.number not in self.promised:
            self.promised[job.number] = instant
            self.newly_promised.append(job.number)

    def record(self, job: Job, attempts: int, servers: Sequence[int] = ()) -> None:
        """Record the number of attempts and the servers of a job."""
        self.recorded[job.number] = int(attempts), sorted(map(int, servers))

    def wake(self, instant: float) -> None:
        """Record an instant at which the policy asks to be called."""
        self.wakes.append(instant)

    def refuse(self, job: Job, why: str) -> None:
        """Reject a waiting job, and remove it from the queue."""
        self.queue.remove(job)
        self.refused[job] = str(why)

    def enter(self, job: Job) -> None:
        """Add a job to the end of the queue."""
        self.queue.append(job)

    def finish(self, job: Job) -> None:
        """End a running job and release its processors."""
        self.running.remove(job)
        del self._expected_end[job]
        assert job.allocation is not None
        self._set_idle(map(add, self.idle, job.allocation))

    def _set_idle(self, idle):
        self.idle, self._unfit, self._answers, self._answers_on = tuple(idle), set(), {}, {}

    def _find_unfit(self):
        numbers, idle = [job.number for job in self.queue], [*self.idle]
        if self._request == "unordered":
            # The components of an unordered job fit if they fit on the clusters with the most idle
            # processors, so the other clusters need not be tested.
            idle = sorted(idle, reverse=True)[: self._components.shape[1]]
        rows = self._components[numbers], np.array([idle])
        fits = fits_by(self._placement, self._request, *rows)
        return {*compress(numbers, (~fits).tolist())}
