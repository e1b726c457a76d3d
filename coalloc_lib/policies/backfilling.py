"""EASY and conservative backfilling: a job may start before others that wait for processors.

The length of a job is not known, only expected. `Job.expected_length` is the user's estimate, or
the run time if that is longer, times ``1 + span_penalty`` on an allocation that spans. So no job
runs longer than expected, and promised starts are kept. Many jobs end earlier; then the promised
starts of other jobs improve.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from operator import add, sub
from typing import Any, ClassVar

import numpy as np

from coalloc_lib.basics.checks import one_of
from coalloc_lib.calendar.search import PAST_LATEST
from coalloc_lib.model.placement import Reservation
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.base import Job, Scheduling, State, spans
from coalloc_lib.policies.profile import Profile

#: In which the waiting jobs can be taken.
ORDERS = ("arrival", "shortest", "smallest", "priority")


def queue_key(order: str, jobs: Any) -> Any:
    """Return the sort key of an order of `ORDERS`, for one `Job` or for each job of a stream.

    The queue is sorted by increasing key. Jobs that ask for a later or a latest start come first,
    because their starts cannot be moved.
    """
    expected = np.maximum(jobs.estimate, jobs.runtime)
    keys = (0 * expected, expected, expected * jobs.processors, -jobs.priority)
    key = keys[ORDERS.index(order)]
    return key if order == "arrival" else np.where(jobs.is_reserved, -np.inf, key)


class _Ordered(Scheduling):
    """A policy that takes the waiting jobs in an order."""

    uses_estimates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the order."""
        one_of("order", self.order, ORDERS)

    def __repr__(self) -> str:
        """Return the call that makes it, as short as it can be."""
        values = ((field, getattr(self, field.name)) for field in fields(self))  # type: ignore
        given = [f"{field.name}={value!r}" for field, value in values if value != field.default]
        return f"{type(self).__name__}({', '.join(given)})"

    def in_order(self, queue: Sequence[Job]) -> list[Job]:
        """Return the waiting jobs in the order of this policy, ties in order of arrival."""
        if self.order == "arrival":
            return [*queue]
        return sorted(queue, key=lambda job: queue_key(self.order, job))


@dataclass(frozen=True, repr=False)
class EASY(_Ordered):
    """EASY backfilling: a job passes the head of the queue if it does not delay the head.

    Parameters
    ----------
    adaptive : bool
        Whether a job that could start now on several clusters may wait for one cluster. It waits
        if one cluster is expected to hold it so soon that it ends no later than it would on two
        clusters now. The placement is `SingleThenSpan`. The head is promised the start on one
        cluster with which it would end as early as planned.
    order : {"arrival", "shortest", "smallest", "priority"}
        How the queue is ordered: by submission, by the length expected on one cluster, by this
        length times the processors, or by the priority of the stream, highest first. Ties are in
        order of submission.

    Notes
    -----
    If the head of the queue fits, it starts. If it does not fit, its *promised start* is the
    earliest expected end of running jobs after which it can be placed; all jobs that are expected
    to end by then are released. A job behind the head, in order of the queue, starts now if it can
    be placed now and one of two conditions holds: it is expected to end by the promised start, or
    the head can still be placed, at the promised start, on the processors that the job leaves
    idle. Jobs that passed the head before and run beyond the promised start count as running. On
    one cluster the promised start is the textbook's *shadow time*, and the processors that the
    head leaves idle then are its *extra nodes*.

    The promised start is computed again at every instant and becomes earlier if a job ends early.
    For the same head it never becomes later, unless a new job comes before it in the order. The
    schedule contains the first promised start of each head that had to wait. A head that would not
    fit even after all jobs have left (a user's own placement may say so) is promised nothing, and
    no job passes it.

    The queue is examined again until nothing more starts, because on several clusters a job may be
    placed elsewhere, and leave the head its processors, after other jobs have started. A job that
    takes no time runs until the next round of its instant, so a head that waits only for such a
    job is promised the present instant.

    EASY does not serve jobs that ask for a later or a latest start; `Conservative` and `Online` do.

    References
    ----------
    Lifka: The ANL/IBM SP Scheduling System (1995). Mu'alem, Feitelson: Utilization,
    Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
    Backfilling (2001). Ernemann, Hamscher, Streit, Yahyapour: Enhanced Algorithms for Multi-Site
    Scheduling (2002), for the idea of adaptive spanning.
    """

    adaptive: bool = False
    order: str = "arrival"

    def start_jobs(self, state: State) -> None:
        """Start the head while it fits, then those behind it that do not delay it."""
        queue = self.in_order(state.queue)
        while queue and (allocation := self._place(state, queue[0])) is not None:
            state.start(queue.pop(0), allocation)
        if not queue:
            return
        head, *others = queue
        found = self._plan(state, head)
        if found is None:
            return
        planned, then_idle, may_span = found
        state.promise(head, planned + self._patience(head) * may_span)
        for job in others:
            allocation = self._place(state, job)
            if allocation is None:
                continue
            if state.expected_end(job, allocation) > planned:
                left = [*map(sub, then_idle, allocation)]
                where = state.place(head, left)
                if where is None or (not may_span and spans(where)):
                    continue
                then_idle = left
            state.start(job, allocation)

    def _place(self, state, job):
        """Return where a job starts now, None if nowhere, or if it rather waits for one cluster."""
        allocation = state.place(job)
        if self.adaptive and allocation is not None and spans(allocation):
            until = state.now + self._patience(job)
            for instant, idle in _idle_from_now(state):
                if instant <= until and not spans(state.place(job, idle)):
                    return None
        return allocation

    def _plan(self, state, head):
        """Return when the head is to start, what is idle then, and whether it may span; or None."""
        spanning = None
        if self.adaptive and state.place(head) is not None:
            spanning = state.now, state.idle, True
        for instant, idle in _idle_from_now(state):
            if spanning and instant > spanning[0] + self._patience(head):
                break
            allocation = state.place(head, idle)
            if allocation is not None and not (self.adaptive and spans(allocation)):
                return instant, idle, self._patience(head) == 0
            if allocation is not None and spanning is None:
                spanning = instant, idle, True
        return spanning

    def _patience(self, job):
        """Return how much longer a job is expected to run on two clusters than on one."""
        return (job.expected_length((1, 1)) - job.expected_length(())) if self.adaptive else 0.0


def _idle_from_now(state: State) -> Iterator[tuple[float, list[int]]]:
    """Yield when running jobs are expected to end, and what is idle then."""
    idle = [*state.idle]
    by_end = sorted(state.running, key=state.expected_end)
    for instant, leaving in groupby(by_end, key=state.expected_end):
        for job in leaving:
            idle = [*map(add, idle, job.allocation or ())]
        yield instant, idle


def _give_back(future: Profile, taken: Reservation) -> None:
    """Undo ``future.take(*taken)``."""
    future.take(taken.start, taken.end, [-each for each in taken.allocation])


@dataclass(frozen=True, repr=False)
class Conservative(_Ordered):
    """Conservative backfilling: a job passes other jobs if it delays none of them.

    Parameters
    ----------
    order : {"arrival", "shortest", "smallest", "priority"}
        The order, as in `EASY`, in which jobs that arrive at one instant get their reservations,
        in which waiting jobs are offered an earlier start, and in which jobs start at one instant.
        No order delays a job that has its reservation.

    Notes
    -----
    On arrival each job gets a reservation: the earliest instant at which it can be placed for the
    whole length that it is expected to run, given the running jobs until their expected ends and
    all earlier reservations, and the processors that it is placed on then. The start of the
    reservation is the job's promised start.

    When jobs end (early or on time), and before the arrivals of that instant, the waiting jobs are
    taken once, in order. Each gives up its reservation and is placed again. If the new start is
    earlier, it becomes the reservation; otherwise the job keeps the old one, with its processors.
    So no reservation ever moves later. Jobs start at their reserved instant, on their processors.

    A job may ask for a later or a latest start. Its reservation is the first one from its earliest
    start on, and never moves. The job is rejected if that reservation is past its latest start.

    A job that is expected to take no time holds its processors at its instant. A job that would
    run across that instant gets only processors that are also idle then; a job that starts at that
    instant does so in a further round, after the first has left. Among the jobs that are due at
    one instant those without length therefore go first, and each job waits for those before it.
    `Profile` says which instants are tried: the present one, each instant at which processors come
    free, and each instant at which a job without length has left.
    """

    takes_reservations: ClassVar[bool] = True
    promises_all: ClassVar[bool] = True
    order: str = "arrival"

    def begin(self, system: Multicluster) -> "_Plan":
        """Return the plan of one run, which remembers the reservations."""
        return _Plan(self, system.sizes)


class _Plan:
    """The reservations of one run: of the waiting jobs, and what is left of the running ones'."""

    def __init__(self, policy: Conservative, sizes: Sequence[int]) -> None:
        self.policy, self.future = policy, Profile(sizes)
        self.waiting: dict[Job, Reservation] = {}
        self.running: dict[Job, Reservation] = {}

    def start_jobs(self, state: State) -> None:
        """Release what has ended, compress, reserve for the arrivals, and start what is due."""
        self.future.forget(state.now)
        ended = self.running.keys() - set(state.running)
        for job in ended:
            reserved = self.running.pop(job)
            if reserved.end > state.now:
                _give_back(self.future, reserved._replace(start=state.now))
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
        """Give every waiting job an earlier reservation where there is one."""
        for job in self.policy.in_order(state.queue):
            old = self.waiting.get(job)
            if old is not None and old.start > state.now and not job.is_reserved:
                _give_back(self.future, old)
                new = self.future.earliest(job, state.place, state.now)
                best = new if new is not None and new.start < old.start else old
                self.future.take(*best)
                self.waiting[job] = best

    def _reserve(self, job, state):
        """Give an arrival its first reservation; one that fits nowhere waits without."""
        found = self.future.earliest(job, state.place, max(state.now, job.earliest_start))
        if found is not None and found.start > job.latest_start:
            state.refuse(job, PAST_LATEST)
        elif found is not None:
            self.future.take(*found)
            self.waiting[job] = found
            state.promise(job, found.start)

    def _start_due(self, state):
        """Start the jobs whose instant has come, those that take no time first."""
        queue = [job for job in self.policy.in_order(state.queue) if job in self.waiting]
        due = [job for job in queue if self.waiting[job].start <= state.now]
        due.sort(key=lambda job: self.waiting[job].end > state.now)
        for job in due:
            if not state.start(job, self.waiting[job].allocation):
                break  # until what takes no time has left
            self.running[job] = self.waiting.pop(job)
