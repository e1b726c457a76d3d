"""Backfilling: jobs pass others in the queue as long as they delay no start that was promised.

How long a job will run is not known, only expected: `Job.expected_length` is the user's estimate,
or the run time where that is longer, times ``1 + span_penalty`` on an allocation that spans. So no
job runs longer than expected, and promises are kept. Many jobs end earlier; then promises improve.

Jobs that ask for a later or a latest start are *fixed blocks*: each is told its start when it is
submitted, the first from its earliest start on at which it has room, or is refused where that is
past its latest start. It starts at that instant, on those processors; all others plan around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby, takewhile
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
    """Return what an order of `ORDERS` goes by, of a `Job` or of all of a stream: least first.

    They are lengths expected on one cluster, these times processors, or priorities, highest first.
    Reservations come first; they cannot be delayed.
    """
    expected = np.maximum(jobs.estimate, jobs.runtime)
    keys = (0 * expected, expected, expected * jobs.processors, -jobs.priority)
    key = keys[ORDERS.index(order)]
    return key if order == "arrival" else np.where(jobs.is_reserved, -np.inf, key)


def queue_of(order: str, jobs: Any) -> np.ndarray:
    """Return the positions of the jobs of a stream as they stand in a queue, ties by submission."""
    arrival = np.argsort(jobs.submit, kind="stable")
    return arrival[np.argsort(queue_key(order, jobs)[arrival], kind="stable")]


class _Ordered(Scheduling):
    """A policy that takes the waiting jobs in an order."""

    takes_reservations: ClassVar[bool] = True
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
    """EASY backfilling: a job passes the head of the queue where it does not delay it.

    Parameters
    ----------
    adaptive : bool
        A job that would span clusters now waits where one cluster is expected to hold it whole by
        as much later as spanning two would prolong it: it then ends no later. The placement is
        `SingleThenSpan`. The promise to the head is the start on one cluster with which it would
        end as early as planned, and it is kept.
    order : {"arrival", "shortest", "smallest", "priority"}
        How the queue is ordered: by submission, by the length expected on one cluster, by this
        times the processors, or by the priority of the stream, highest first; ties by submission.

    Notes
    -----
    While the head of the queue fits, it starts. When it does not, its *promised start* is the
    earliest expected end of running jobs after which it can be placed, all that are expected to end
    by then having left. A job behind it, in order of the queue, starts now if it can be placed now
    and either is expected to end by the promised start, that very instant included, or leaves idle
    processors, at the promised start, on which the head can still be placed; jobs that were let
    past before and run until later count as running. On one cluster the promised start is the
    textbook's *shadow time*, and what the head leaves idle then are its *extra nodes*.

    The promise is worked out again at every instant, and comes forward when a job ends early; for
    one head it never moves back, as long as no new job comes before it in the order. A head that
    has to wait is always promised a start, and the schedule keeps the first. One that would not fit
    even when all have left (a placement of one's own may say so) is promised nothing and passed by
    no one.

    The queue is gone through again until nothing more starts: on several clusters a job may be
    placed elsewhere, out of the head's way, once others have started. A job that takes no time runs
    until the next round of its instant, so a head that waits for it alone is promised this instant.

    Around fixed blocks a job fits where it does so for as long as it is expected to run, and the
    promised start is the first at which the head does. A new block leaves it that. One that is
    expected to take no time is a moment of its instant, as under `Conservative`.

    References
    ----------
    Lifka: The ANL/IBM SP Scheduling System (1995). Mu'alem, Feitelson: Utilization,
    Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
    Backfilling (2001). Ernemann, Hamscher, Streit, Yahyapour: Enhanced Algorithms for Multi-Site
    Scheduling (2002), for the idea of adaptive spanning.
    """

    adaptive: bool = False
    order: str = "arrival"

    def begin(self, system: Multicluster) -> "_AroundBlocks":
        """Return what makes the decisions of one run, which remembers fixed blocks."""
        return _AroundBlocks(self, system.sizes)

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


class _AroundBlocks:
    """EASY around the fixed blocks of one run; without any, EASY itself.

    All that starts or is booked after the head has its reservation leaves it that. Planned again,
    the head may still seem to fit later only: a block may start at the very instant at which a head
    without length is to start, or at which a moment is that the head runs across. Then the head
    keeps its reservation, and who starts at one instant does so in further rounds of it.
    """

    def __init__(self, policy: EASY, sizes: Sequence[int]) -> None:
        self.policy, self.sizes = policy, sizes
        self.blocks: dict[Job, Reservation] = {}  # in the order in which they came
        self.head: Job | None = None  # with what it was promised
        self.reserved: Reservation | None = None

    def start_jobs(self, state: State) -> None:
        """Start what is due, then the head while it fits, then those that do not delay it."""
        if not state.has_reservations:
            self.policy.start_jobs(state)
            return
        future = self._future(state)
        for job in takewhile(lambda job: job.is_reserved, state.queue):
            if job not in self.blocks:  # none waits that came before it
                self._fix(job, state, future)
        if self._waiting(state)[:1] != [self.head]:
            self.head = None  # another came before it: what it was promised may be lost
        if self._start_due(state):
            self._start_waiting(state, future)
        starts = [block.start for block in self.blocks.values()]
        if self.head is not None and self.reserved is not None:  # those before may have left early
            starts.append(self.reserved.start)
        later = [start for start in starts if start > state.now]
        if later:
            state.wake(min(later))

    def _waiting(self, state):
        """Return the waiting jobs without a reservation, in the order of the policy."""
        return [job for job in self.policy.in_order(state.queue) if not job.is_reserved]

    def _start_waiting(self, state, future):
        """Start the head while it fits, tell new blocks, then start those behind the head."""
        waiting, planned = self._waiting(state), None
        while waiting and (planned := self._plan(waiting[0], state, future)) is not None:
            if planned.start > state.now or not state.start(waiting[0], planned.allocation):
                break
            future.take(*planned)
            del waiting[0]
        if waiting and planned is not None:
            state.promise(waiting[0], planned.start)
            self.head, self.reserved = waiting[0], planned
            future.take(*planned)  # new blocks leave it alone
        for job in state.queue:
            if job.is_reserved and job not in self.blocks:
                self._fix(job, state, future)
        if self._start_due(state) and waiting and planned is not None:
            self._pass(waiting[1:], state, future)

    def _future(self, state):
        """Return what the running jobs and the blocks leave idle."""
        future = Profile(self.sizes, state.now)
        for job in state.running:
            future.take(state.now, state.expected_end(job), job.allocation)
        for block in self.blocks.values():
            future.take(max(block.start, state.now), block.end, block.allocation)
        return future

    def _plan(self, head, state, future):
        """Return the first reservation for the head, or the one that it has if none is as early."""
        found = future.earliest(head, state.place)
        if head is self.head and (found is None or found.start > self.reserved.start):
            return self.reserved
        return found

    def _fix(self, job, state, future):
        """Promise a job that reserves its start, or refuse it."""
        found = future.earliest(job, state.place, max(state.now, job.earliest_start))
        if found is None or found.start > job.latest_start:
            state.refuse(job, PAST_LATEST)
        else:
            self.blocks[job] = found
            future.take(*found)
            state.promise(job, found.start)

    def _start_due(self, state):
        """Start the blocks whose instant has come; return whether all could.

        Those that take no time go first, then the head if it takes none. Who comes after them waits
        for a further round of this instant, in which they have left, and nobody else starts before.
        """
        due = {job: block for job, block in self.blocks.items() if block.start <= state.now}
        if self.head is not None and self.reserved.end <= state.now:
            due[self.head] = self.reserved
        lasts = {job: block.end > state.now for job, block in due.items()}
        for job in sorted(due, key=lasts.get):
            if not state.start(job, due[job].allocation):
                return False
            if job is self.head:
                self.head = None
            else:
                del self.blocks[job]
        return True

    def _pass(self, others, state, future):
        """Start those behind the head that leave it the start that it was promised."""
        for job in others:
            _give_back(future, self.reserved)
            found, left = self._beside_head(job, state, future)
            if found is not None and state.start(job, found.allocation):
                future.take(*found)
                self.reserved = left
            future.take(*self.reserved)

    def _beside_head(self, job, state, future):
        """Return the reservation of a job that starts now and what it leaves the head, or None."""
        instant = self.reserved.start
        if future.starting(self.head, state.place, instant) is None:  # it keeps what it has
            future.take(*self.reserved)
            found = future.starting(job, state.place, state.now)
            _give_back(future, self.reserved)
            return found, self.reserved
        found = future.starting(job, state.place, state.now)
        if found is None:
            return None, None
        future.take(*found)
        left = future.starting(self.head, state.place, instant)
        _give_back(future, found)
        return (found, left) if left is not None else (None, None)


def _give_back(future: Profile, taken: Reservation) -> None:
    """Undo ``future.take(*taken)``."""
    future.take(taken.start, taken.end, [-each for each in taken.allocation])


@dataclass(frozen=True, repr=False)
class Conservative(_Ordered):
    """Conservative backfilling: a job passes others where it delays none of them.

    Parameters
    ----------
    order : {"arrival", "shortest", "smallest", "priority"}
        As in `EASY`: of jobs that reserve, are offered an earlier start, or start at one instant.
        No order delays a job that has its reservation.

    Notes
    -----
    On arrival each job gets a reservation: the earliest instant at which it can be placed on what
    stays idle over the whole length that it is expected to run there, given the running jobs until
    their expected ends and every reservation made before, and the processors that it is placed on
    then. Its start is the job's promise in the schedule.

    Whenever jobs end, early or not, and before the arrivals of that instant, the waiting jobs are
    taken once, in their order. Each gives its reservation up and is placed again; where that starts
    earlier it is the new reservation, else the job keeps the old one, with its processors. So no
    reservation ever moves back. Jobs start at their reserved instant, on their processors.

    A job that is expected to take no time holds its processors at its instant: whoever would run
    across that instant gets only what it leaves of what else is idle then, and whoever starts at
    that instant does so once it has left, in a further round. Among those that are due at one
    instant such jobs therefore go first, and each job waits for those before it. `Profile` says
    which instants are tried: now, and whenever processors come free or such a job has left. Fixed
    blocks never move.
    """

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
