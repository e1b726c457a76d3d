"""Backfilling policies: EASY and conservative backfilling.

Under backfilling, a job may start before jobs that were submitted earlier and still wait for
processors. The policies plan with the expected length of each job, `Job.expected_length`: the
user's estimate, or the run time if that is longer, times ``1 + span_penalty`` if the job runs on
several clusters. No job runs longer than expected, and therefore every promised start is kept. If a
job ends early, the promised starts of other jobs can move to earlier instants.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from operator import add, sub
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import boolean, one_of
from coalloc_lib.calendar.search import PAST_LATEST
from coalloc_lib.model.placement import Reservation
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.base import Job, Scheduling, State, spans
from coalloc_lib.policies.profile import Profile

#: A dict from each order of the queue, except "arrival", to the function that returns the sort key
#: of a `Job`, or the sort keys of all jobs of a `JobStream`.
_KEYS: dict[str, Callable[[Any], Any]] = {
    "shortest": lambda jobs: jobs.expected,
    "smallest": lambda jobs: jobs.expected * jobs.processors,
    "priority": lambda jobs: -jobs.priority,
}
#: The orders in which a backfilling policy can consider the waiting jobs.
ORDERS = ("arrival", *_KEYS)


def queue_key(order: str, jobs: Any) -> Any:
    """Return the sort key of a job, or of each job of a stream, for a given order of the queue.

    Parameters
    ----------
    order : str
        One of `ORDERS`.
    jobs : Job or JobStream
        The job, or n jobs.

    Returns
    -------
    float or ndarray of shape (n,)
        The key; the queue is sorted by increasing keys. It is 0 for the order of arrival. In the
        other orders, jobs that ask for a later or a latest start come first, because their
        reservations cannot be moved.
    """
    if order == "arrival":
        return 0.0 * jobs.submit
    return np.where(jobs.is_reserved, -np.inf, _KEYS[order](jobs))[()]


class _Ordered(Scheduling):
    """Base class of the policies that let the user choose the order of the queue."""

    uses_estimates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of("order", self.order, ORDERS)

    def __repr__(self) -> str:
        values = ((field, getattr(self, field.name)) for field in fields(self))  # type: ignore
        given = [f"{field.name}={value!r}" for field, value in values if value != field.default]
        return f"{type(self).__name__}({', '.join(given)})"

    def in_order(self, queue: Sequence[Job]) -> list[Job]:
        """Return the waiting jobs in the order of this policy; ties keep their order of arrival."""
        if self.order == "arrival":
            return [*queue]
        return sorted(queue, key=lambda job: queue_key(self.order, job))


@dataclass(frozen=True, repr=False)
class EASY(_Ordered):
    """EASY backfilling: a job may overtake the head of the queue if it does not delay the head.

    Parameters
    ----------
    adaptive : bool
        Whether a job that fits now on several clusters may wait for a single cluster. The job waits
        if it is expected to end on a single cluster no later than it would end if it started now on
        two clusters. This option requires the placement `SingleThenSpan`. Suppose that the head of
        the queue can start on several clusters at an instant t. It may then wait for a single
        cluster until t plus the time that it saves there, which is then its promised start. If a
        single cluster is expected to be free earlier, that instant is the promised start.
    order : {"arrival", "shortest", "smallest", "priority"}
        The order of the queue: by submission; by increasing expected length on one cluster; by
        increasing product of this length and the number of processors; or by decreasing priority.
        Ties are in order of submission.

    Raises
    ------
    InputError
        If `order` is not one of these words, or `adaptive` is not True or False.

    Notes
    -----
    The head of the queue starts as soon as it fits. If it does not fit, it gets a *promised start*:
    the earliest expected end of a running job after which the head can be placed. All jobs that are
    expected to end by then are assumed to have left. The jobs behind the head are then examined in
    the order of the queue. Such a job starts if it fits now and if at least one of two conditions
    holds:

    1. The job is expected to end by the promised start of the head.
    2. At the promised start, the head can still be placed on the processors that remain idle if the
       job is still running. Jobs that started earlier under this condition count as running too.

    On one cluster, the promised start is called the *shadow time* in the literature, and the
    processors that the head then leaves idle are called the *extra nodes*.

    The promised start is computed again at every instant, and becomes earlier if a job ends early.
    As long as a job remains the head, its promised start never becomes later. In an order other
    than "arrival", a new job can become the head in its place and delay it. The schedule stores the
    first promised start of each job that had to wait as the head. With a user-defined placement,
    the head may not fit even when all jobs have left. Such a head is promised nothing, and no job
    overtakes it.

    The queue is examined repeatedly until no further job starts. On several clusters this matters:
    a job that would have delayed the head may be placed on other clusters after another job has
    started. A job with a length of 0 occupies its processors until the queue is examined again at
    the same instant. A head that waits only for such a job is promised the present instant.

    EASY does not serve jobs that ask for a later or a latest start; `Conservative` and `Online` do.

    References
    ----------
    Lifka: The ANL/IBM SP Scheduling System (1995). Mu'alem, Feitelson: Utilization,
    Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
    Backfilling (2001). Ernemann, Hamscher, Streit, Yahyapour: Enhanced Algorithms for Multi-Site
    Scheduling (2002), for the idea of adaptive spanning.

    Examples
    --------
    Job 1 needs all processors and is promised the instant 10. Job 2 ends before, so it starts. Job
    3 would delay job 1, so it waits.

    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2, 3], runtime=[10, 5, 4, 20], components=[3, 4, 1, 1])
    >>> schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=co.EASY())
    >>> schedule.start.tolist(), schedule.promised.tolist()
    ([0.0, 10.0, 2.0, 15.0], [nan, 10.0, nan, 15.0])
    """

    adaptive: bool = False
    order: str = "arrival"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "adaptive", boolean("adaptive", self.adaptive))

    def start_jobs(self, state: State) -> None:
        """Start jobs from the head of the queue until one must wait, then backfill later jobs."""
        queue = self.in_order(state.queue)
        for position, job in enumerate(queue):
            allocation = self._place(state, job)
            if allocation is None:
                self._backfill(state, job, queue[position + 1 :])
                return
            state.start(job, allocation)

    def _backfill(self, state, head, others):
        # Another job starts only if it does not delay the promised start of the head of the queue.
        plan = self._plan(state, head)
        if plan is None:
            return
        state.promise(head, plan.promised)
        idle = plan.idle
        for job in others:
            allocation = self._place(state, job)
            if allocation is None:
                continue
            if state.expected_end(job, allocation) > plan.start:
                left = [*map(sub, idle, allocation)]
                where = state.place(head, left)
                if where is None or (plan.on_one_cluster and spans(where)):
                    continue
                idle = left
            state.start(job, allocation)

    def _place(self, state, job):
        # An adaptive policy lets a job wait for a single cluster if one is expected to be free
        # soon.
        allocation = state.place(job)
        if self.adaptive and allocation is not None and spans(allocation):
            until = state.now + self._patience(job)
            for instant, idle in _idle_from_now(state):
                if instant > until:
                    break
                where = state.place(job, idle)
                if where is not None and not spans(where):
                    return None
        return allocation

    def _plan(self, state, head):
        # The result is None if the head of the queue never fits. An adaptive policy plans a start
        # on a single cluster if that start is soon enough after the first start on several
        # clusters.
        patience = self._patience(head)
        on_several = None
        if self.adaptive and state.place(head) is not None:
            on_several = _HeadPlan(state.now, state.now + patience, state.idle, False)
        for instant, idle in _idle_from_now(state):
            if on_several and instant > on_several.promised:
                break
            allocation = state.place(head, idle)
            if allocation is not None and not (self.adaptive and spans(allocation)):
                return _HeadPlan(instant, instant, idle, on_one_cluster=patience > 0)
            if allocation is not None and on_several is None:
                on_several = _HeadPlan(instant, instant + patience, idle, False)
        return on_several

    def _patience(self, job):
        # An adaptive policy lets a job wait for a single cluster for at most the time by which the
        # job is expected to run longer on two clusters than on one cluster.
        return (job.expected_length((1, 1)) - job.expected_length(())) if self.adaptive else 0.0


class _HeadPlan(NamedTuple):
    """The planned start and the promised start of the head of the queue under EASY.

    Attributes
    ----------
    start : float
        The planned start.
    promised : float
        The promised start. It is later than the planned start if the head may wait for a single
        cluster.
    idle : sequence of int
        Number of processors of each cluster that are expected to be idle at the planned start.
    on_one_cluster : bool
        Whether the head needs a single cluster to end as early as planned.
    """

    start: float
    promised: float
    idle: Sequence[int]
    on_one_cluster: bool


def _idle_from_now(state: State) -> Iterator[tuple[float, list[int]]]:
    """Yield each expected end of running jobs, in order, and the processors idle from then on."""
    idle = [*state.idle]
    by_end = sorted(state.running, key=state.expected_end)
    for instant, leaving in groupby(by_end, key=state.expected_end):
        for job in leaving:
            idle = [*map(add, idle, job.allocation or ())]
        yield instant, idle


@dataclass(frozen=True, repr=False)
class Conservative(_Ordered):
    """Conservative backfilling: a job may overtake other jobs if it delays none of them.

    Parameters
    ----------
    order : {"arrival", "shortest", "smallest", "priority"}
        The order in which jobs are taken, as in `EASY`. It applies when several jobs arrive at the
        same instant, when waiting jobs are offered an earlier start, and when several jobs start at
        the same instant. No order delays a job that already has a reservation.

    Raises
    ------
    InputError
        If `order` is not one of these words.

    Notes
    -----
    Each job gets a reservation on arrival: an interval as long as its expected length, and the
    processors on which it is placed. The reservation starts at the earliest instant at which these
    processors are free of running jobs, until their expected ends, and of all earlier reservations.
    This start is the promised start of the job.

    When jobs end, the waiting jobs are examined once, in order, before the arrivals of that instant
    are served. Each waiting job is placed again as if it had no reservation. If this gives an
    earlier start, the job gets the new reservation. Otherwise it keeps its old reservation and its
    processors. A reservation therefore never moves to a later start. Each job starts at the instant
    of its reservation, on the reserved processors.

    A job may ask for a later or a latest start. Its reservation is the first one at or after its
    earliest start, and never moves. The job is rejected if this reservation is after its latest
    start.

    A job with an expected length of 0 occupies its processors at one instant. A job that would run
    across this instant cannot use these processors. A job that starts at this instant can use them
    after the job of length 0 has left. Among the jobs that start at the same instant, the jobs of
    length 0 therefore start first, and each job waits for the jobs before it.

    The starts that are tried for a job are the present instant, each instant at which processors
    become idle, and each instant at which a job of length 0 has left; see `Profile.earliest`.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2, 3], runtime=[10, 5, 4, 20], components=[3, 4, 1, 1])
    >>> schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=co.Conservative())
    >>> schedule.start.tolist(), schedule.promised.tolist()
    ([0.0, 10.0, 2.0, 15.0], [0.0, 10.0, 2.0, 15.0])
    """

    takes_reservations: ClassVar[bool] = True
    promises_all: ClassVar[bool] = True
    order: str = "arrival"

    def begin(self, system: Multicluster) -> "_Plan":
        """Return a new object that schedules the jobs of one run and stores their reservations."""
        return _Plan(self, system.sizes)


class _Plan:
    """The reservations that conservative backfilling has made during one run."""

    def __init__(self, policy: Conservative, sizes: Sequence[int]) -> None:
        self.policy, self.future = policy, Profile(sizes)
        self.waiting: dict[Job, Reservation] = {}
        self.running: dict[Job, Reservation] = {}

    def start_jobs(self, state: State) -> None:
        """Update all reservations, and start the jobs whose reservation begins now."""
        self.future.forget(state.now)
        ended = self.running.keys() - set(state.running)
        for job in ended:
            reserved = self.running.pop(job)
            if reserved.end > state.now:
                self.future.give_back(*reserved._replace(start=state.now))
        if ended:
            self._compress(state)
        for job in self.policy.in_order(state.queue):
            if job not in self.waiting:
                self._reserve(job, state)
        self._start_due(state)
        later = [job.start for job in self.waiting.values() if job.start > state.now]
        if later:
            state.wake(min(later))

    def _compress(self, state):
        for job in self.policy.in_order(state.queue):
            old = self.waiting.get(job)
            if old is not None and old.start > state.now and not job.is_reserved:
                self.future.give_back(*old)
                new = self.future.earliest(job, state.place, state.now)
                best = new if new is not None and new.start < old.start else old
                self.future.take(*best)
                self.waiting[job] = best

    def _reserve(self, job, state):
        # A job that never fits stays in the queue without a reservation.
        found = self.future.earliest(job, state.place, max(state.now, job.earliest_start))
        if found is not None and found.start > job.latest_start:
            state.refuse(job, PAST_LATEST)
        elif found is not None:
            self.future.take(*found)
            self.waiting[job] = found
            state.promise(job, found.start)

    def _start_due(self, state):
        # Jobs of length 0 start before the other jobs.
        queue = [job for job in self.policy.in_order(state.queue) if job in self.waiting]
        due = [job for job in queue if self.waiting[job].start <= state.now]
        due.sort(key=lambda job: self.waiting[job].end > state.now)
        for job in due:
            if not state.start(job, self.waiting[job].allocation):
                # The job does not fit yet, because jobs of length 0 that started at this instant
                # still occupy processors. These jobs leave before the engine calls the policy
                # again.
                break
            self.running[job] = self.waiting.pop(job)
