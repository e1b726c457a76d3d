"""Backfilling: jobs pass others in the queue as long as they delay no start that was promised.

How long a job will run is not known, only expected: `Job.expected_length` is the user's estimate,
or the run time where that is longer, times ``1 + span_penalty`` on an allocation that spans. So no
job runs longer than expected, and promises are kept. Many jobs end earlier; then promises improve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import add, sub

from coalloc_lib.profile import Profile, Reservation
from coalloc_lib.scheduling.base import Job, Scheduling, State
from coalloc_lib.system import Multicluster


@dataclass(frozen=True)
class EASY(Scheduling):
    """EASY backfilling: a job passes the head of the queue where it does not delay it.

    Notes
    -----
    While the head of the queue fits, it starts. When it does not, its *promised start* is the
    earliest expected end of running jobs after which it can be placed, all that are expected to end
    by then having left. A job behind it, in order of the queue, starts now if it can be placed now
    and either

    * is expected to end by the promised start, that very instant included, or
    * leaves idle processors, at the promised start, on which the head can still be placed; jobs
      that were let past before and run until later count as running.

    On one cluster the promised start is the textbook's *shadow time*, and what the head leaves idle
    then are its *extra nodes*.

    The promise is worked out anew at every instant, and so comes forward when a job ends early; for
    one head it never moves back. A head that has to wait is always promised a start, and the
    schedule keeps the first; a job that starts as soon as it heads the queue is promised none.

    The queue is gone through again until nothing more starts: on several clusters a job may be
    placed elsewhere, out of the head's way, once others have started. A job that takes no time
    runs until the next round of its instant, so a head that waits for it alone is promised
    this instant. A head that would not fit even when all have left (a placement of one's own may
    say so) is promised nothing and passed by no one.

    References
    ----------
    Lifka: The ANL/IBM SP Scheduling System (1995). Mu'alem, Feitelson: Utilization,
    Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
    Backfilling (2001).
    """

    def start_jobs(self, state: State) -> None:
        """Start the head while it fits, then those behind it that do not delay it."""
        while state.queue and state.start(state.queue[0]):
            pass
        if not state.queue:
            return
        head, *others = state.queue
        promised, then_idle = _promise(state, head)
        if promised is None:
            return
        state.promise(head, promised)
        for job in others:
            allocation = state.place(job)
            if allocation is None:
                continue
            if state.expected_end(job, allocation) > promised:
                left = [*map(sub, then_idle, allocation)]
                if state.place(head, left) is None:
                    continue
                then_idle = left
            state.start(job, allocation)


def _promise(state: State, head: Job) -> tuple[float | None, Sequence[int]]:
    """Return when the head can start at the latest, None for never, and what is idle then."""
    idle = [*state.idle]
    by_end = sorted(state.running, key=state.expected_end)
    for instant, leaving in groupby(by_end, key=state.expected_end):
        for job in leaving:
            idle = [*map(add, idle, job.allocation or ())]
        if state.place(head, idle) is not None:
            return instant, idle
    return None, idle


@dataclass(frozen=True)
class Conservative(Scheduling):
    """Conservative backfilling: a job passes others where it delays none of them.

    Notes
    -----
    On arrival each job gets a reservation: the earliest instant at which it can be placed on what
    stays idle over the whole length that it is expected to run there, given the running jobs until
    their expected ends and every reservation made before, and the processors that it is placed on
    then. Jobs that arrive at one instant reserve in order of submission. The schedule keeps the
    start of this first reservation as the job's promise.

    Whenever jobs end, early or not, and before the arrivals of that instant, the plan is
    compressed: the waiting jobs are taken once, in order of submission. Each gives its reservation
    up and is placed anew; where that starts earlier it is the new reservation, else the job keeps
    the old one, with its processors. So no reservation ever moves back.

    Jobs start at their reserved instant, on their reserved processors.

    A job that is expected to take no time holds its processors at its instant: whoever would run
    across that instant gets only what it leaves of what else is idle then, and whoever starts at
    that instant does so once it has left, in a further round. Among those that are due at one
    instant such jobs therefore go first, and each job waits for those before it. `Profile` says
    which instants are tried: now, and whenever processors come free or such a job has left.
    """

    def begin(self, system: Multicluster) -> "_Plan":
        """Return the plan of one run, which remembers the reservations."""
        return _Plan(system.sizes)


class _Plan:
    """The reservations of one run: of the waiting jobs, and what is left of the running ones'."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.future = Profile(sizes)
        self.waiting: dict[Job, Reservation] = {}  # in order of submission
        self.running: dict[Job, Reservation] = {}

    def start_jobs(self, state: State) -> None:
        """Release what has ended, compress, reserve for the arrivals, and start what is due."""
        self.future.forget(state.now)
        ended = self.running.keys() - set(state.running)
        for job in ended:
            self._release(self.running.pop(job), state.now)
        if ended:
            self._compress(state)
        for job in state.queue:
            if job not in self.waiting:
                self._reserve(job, state)
        self._start_due(state)
        later = [job.start for job in self.waiting.values() if job.start > state.now]
        if later:
            state.wake(min(later))

    def _release(self, reserved, now):
        """Give back what a job leaves unused."""
        if reserved.end > now:
            self.future.take(now, reserved.end, [-taken for taken in reserved.allocation])

    def _compress(self, state):
        """Give every waiting job an earlier reservation where there is one."""
        for job in state.queue:
            old = self.waiting.get(job)
            if old is not None and old.start > state.now:
                self.future.take(old.start, old.end, [-taken for taken in old.allocation])
                new = self.future.earliest(job, state.place, state.now)
                best = new if new is not None and new.start < old.start else old
                self.future.take(*best)
                self.waiting[job] = best

    def _reserve(self, job, state):
        """Give an arrival its first reservation; one that fits nowhere waits without."""
        found = self.future.earliest(job, state.place, state.now)
        if found is not None:
            self.future.take(*found)
            self.waiting[job] = found
            state.promise(job, found.start)

    def _start_due(self, state):
        """Start the jobs whose instant has come, those that take no time first."""
        due = [job for job, reserved in self.waiting.items() if reserved.start <= state.now]
        due.sort(key=lambda job: self.waiting[job].end > state.now)
        for job in due:
            if not state.start(job, self.waiting[job].allocation):
                break  # until what takes no time has left
            self.running[job] = self.waiting.pop(job)
