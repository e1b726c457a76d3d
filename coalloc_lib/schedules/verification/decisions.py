"""Verification of the decisions in a schedule, by the readable definition of its policy.

A policy without memory decides from the state that it sees, and a schedule implies this state at
every instant. So `check_decisions` walks through the instants of a schedule, lets the policy decide
in the implied state, and stops at the first decision that differs. No policy needs verification
code of its own.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from coalloc_lib.engines.reference import jobs_of
from coalloc_lib.engines.state import name_of
from coalloc_lib.policies import Job, Refusal
from coalloc_lib.schedules.reading import arrival_order, queue_order
from coalloc_lib.schedules.verification.faults import ScheduleError, promise_in_words, raise_first
from coalloc_lib.schedules.verification.implied import ImpliedState

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule


def has_no_memory(schedule: "Schedule") -> bool:
    """Return whether the policy of a schedule decides only from the state that it sees."""
    # The method `begin` of a policy with memory returns a new object.
    policy = schedule.scheduling
    return policy.begin(schedule.system) is policy


def check_decisions(schedule: "Schedule") -> None:
    """Raise a `ScheduleError` for the first event of a schedule that contradicts its policy.

    The policy of the schedule must be one without memory.
    """
    Walk(schedule).run()


class Walk:
    """A pass through a schedule that asks its policy again at every instant.

    Jobs are numbered in the order of their arrival. Lists with one entry for each job are indexed
    by this number.

    Attributes
    ----------
    row : list of int
        The position of each job in the stream.
    place : list of int
        The position of each job in the order of the queue.
    start, end, left, entered, promised : list of float
        The instants of each job in the schedule. It left the queue at `left`, when it started or
        was rejected.
    state : ImpliedState
        The state at the current instant.
    to_come : list of Job
        The jobs that have not yet entered the queue, the next job last.
    to_leave : list of int
        The jobs that have not yet left the queue, the next job last.
    has_left : list of bool
        Whether the policy has decided that each job leaves the queue.
    departures : list of (float, int, Job)
        The departures of running jobs, as a heap.
    calls : list of float
        The instants at which the policy decides, as a heap.
    """

    def __init__(self, schedule: "Schedule") -> None:
        order = arrival_order(schedule)
        jobs = schedule.jobs[order]
        self.schedule, self.policy = schedule, schedule.scheduling
        self.name = name_of(self.policy)
        self.row, self.place = order.tolist(), np.argsort(queue_order(schedule))[order].tolist()
        self.start, self.end = schedule.start[order].tolist(), schedule.end[order].tolist()
        self.left, self.entered = schedule.left_queue[order].tolist(), jobs.submit.tolist()
        self.promised = schedule.promised[order].tolist()
        self.state = ImpliedState(schedule.system, jobs, schedule.placement)
        self.to_come = jobs_of(jobs, is_held=schedule.backlog is not None)[::-1]
        self.to_leave = np.argsort(self.left, kind="stable")[::-1].tolist()
        self.has_left = [False] * len(jobs)
        self.departures: list[tuple[float, int, Job]] = []
        self.calls = [0.0] if schedule.backlog else [0.0, *self.entered]
        heapify(self.calls)

    def run(self) -> None:
        """Compare the schedule with the policy's decisions until every job has left the queue."""
        for now in self.next_instants():
            self.check_left_before(now)
            self.state.now = now
            self.serve(now)
        self.check_left_before(inf)
        self.check_untold()
        self.check_recorded()

    def next_instants(self) -> Iterator[float]:
        """Yield the instants of the decisions of the policy, until every job has left the queue.

        Instants that are added to `calls` in the meantime are yielded too.
        """
        while self.calls and self.to_leave:
            now = heappop(self.calls)
            while self.calls and self.calls[0] == now:
                heappop(self.calls)
            yield now

    def depart_and_enter(self, now: float) -> None:
        """Process the departures and then the arrivals at an instant.

        With a backlog, no job arrives on its own; see `top_up`.
        """
        while self.ends_by(now):
            self.state.finish(heappop(self.departures)[2])
        if not self.schedule.backlog:
            while self.to_come and self.to_come[-1].submit <= now:
                self.state.enter(self.to_come.pop())

    def ends_by(self, now: float) -> bool:
        """Return whether any running job ends at or before an instant."""
        return bool(self.departures and self.departures[0][0] <= now)

    def add_calls(self, now: float) -> None:
        """Add the later instants at which the policy asked to be called."""
        for instant in self.state.wakes:
            if instant > now:
                heappush(self.calls, instant)

    def serve(self, now: float) -> None:
        """Process departures, arrivals and decisions at an instant until nothing more happens.

        A job that runs for no time ends in a further round of the instant at which it starts.
        """
        again = True
        while again:
            self.depart_and_enter(now)
            self.decide(now)
            has_entered = self.top_up(now)
            again = has_entered or self.ends_by(now)

    def decide(self, now: float) -> None:
        """Let the policy decide until the queue stays the same, and check the decisions."""
        state, waiting = self.state, -1
        while waiting != len(state.queue):
            waiting = len(state.queue)
            self.policy.start_jobs(state)
            for job in state.started:
                self.check_start(job, now)
            for job, why in state.refused.items():
                self.check_refusal(job, Refusal(now, why))
            for number in state.newly_promised:
                self.check_promise(number, now)
            self.add_calls(now)
            state.started, state.refused, state.newly_promised, state.wakes = [], {}, [], []

    def top_up(self, now: float) -> bool:
        """Refill a queue that is kept at a constant length, and return whether any job entered."""
        missing = min((self.schedule.backlog or 0) - len(self.state.queue), len(self.to_come))
        for _ in range(missing):
            job = self.to_come.pop()
            if self.entered[job.number] != now:
                raise self.error(
                    f"would enter the queue now, because the queue is held at "
                    f"{self.schedule.backlog} jobs, but it entered the queue at "
                    f"{self.entered[job.number]:.12g}",
                    job.number,
                    now,
                )
            self.state.enter(job)
        return missing > 0

    def check_start(self, job: Job, now: float) -> None:
        """Raise an error if the policy starts a job now, but the schedule does not."""
        number = job.number
        if self.start[number] != now:
            raise self.late(number, job.allocation, now)
        given = self.schedule.allocation[self.row[number]].tolist()
        if given != job.allocation:
            raise self.misplaced(number, job.allocation, now)
        self.has_left[number] = True
        heappush(self.departures, (self.end[number], number, job))
        heappush(self.calls, self.end[number])

    def check_refusal(self, job: Job, refusal: Refusal) -> None:
        """Raise an error if the policy rejects a job now, but the schedule does not."""
        number = job.number
        if self.schedule.refused.get(self.row[number]) != refusal:
            raise self.kept(number, refusal)
        self.has_left[number] = True

    def check_promise(self, number: int, now: float) -> None:
        """Raise an error if the policy and the schedule promise a job different starts."""
        promised, given = self.state.promised[number], self.promised[number]
        if given != promised:
            heads = "heads the queue and " if self.head() == number else ""
            message = (
                f"{heads}was promised {promise_in_words(given)}, but {self.name} would promise it "
            )
            raise self.error(message + promise_in_words(promised), number, now)

    def check_left_before(self, now: float) -> None:
        """Raise an error if a job left the queue before `now` although the policy kept it."""
        while self.to_leave and self.left[self.to_leave[-1]] < now:
            number = self.to_leave.pop()
            if self.has_left[number]:
                continue
            is_rejected = self.row[number] in self.schedule.refused
            raise self.rejected_early(number) if is_rejected else self.early(number)

    def check_untold(self) -> None:
        """Raise an error if the schedule promises a start to a job but the policy does not."""
        promised = self.schedule.promised
        untold = ~np.isnan(promised)
        untold[[self.row[number] for number in self.state.promised]] = False

        def message(row):
            given = promise_in_words(promised[row])
            return f"was promised {given}, but {self.name} would promise it no start"

        raise_first(untold, self.schedule, message, self.schedule.left_queue)

    def check_recorded(self) -> None:
        """Raise an error if the attempts or processors of a job differ from the policy's record."""
        attempts, servers = self.schedule.attempts, self.schedule.servers
        if attempts is None or servers is None:
            return
        for number, row in enumerate(self.row):
            recorded = self.state.recorded.get(number, (0, []))
            given = int(attempts[row]), servers[row].tolist()
            if recorded != given:
                raise self.error(
                    f"has {given[0]} attempts and the servers {given[1]}, but {self.name} would "
                    f"record {recorded[0]} attempts and the servers {recorded[1]}",
                    number,
                    self.left[number],
                )

    def head(self) -> int | None:
        """Return the number of the job at the head of the queue, or None if no job waits."""
        jobs = self.state.queue
        return min(jobs, key=lambda job: self.place[job.number]).number if jobs else None

    def what_happens_to(self, number: int) -> str:
        """Describe in words when a job starts or is rejected in the schedule."""
        refusal = self.schedule.refused.get(self.row[number])
        if refusal is not None:
            return f"was rejected at {refusal.instant:.12g} for {refusal.why!r}"
        return f"starts only at {self.start[number]:.12g}"

    def late(self, number: int, allocation: Any, now: float) -> ScheduleError:
        """Return the error for a waiting job that the policy would start now."""
        message = f"{self.name} would start it now on {allocation}, but it "
        return self.error(message + self.what_happens_to(number), number, now)

    def early(self, number: int) -> ScheduleError:
        """Return the error for a job that starts although the policy would not start it then."""
        message, head = f"{self.name} would not start it now", self.head()
        if head in (None, number):
            return self.error(message, number, self.start[number])
        row, other = self.row[number], self.row[head]
        message += "; {other} heads the queue"
        return ScheduleError(message, row, self.start[number], other)

    def kept(self, number: int, refusal: Refusal) -> ScheduleError:
        """Return the error for a waiting job that the policy would reject."""
        message = f"{self.name} would reject it now for {refusal.why!r}, but it "
        return self.error(message + self.what_happens_to(number), number, refusal.instant)

    def rejected_early(self, number: int) -> ScheduleError:
        """Return the error for a job that the schedule rejects although the policy would not."""
        refusal = self.schedule.refused[self.row[number]]
        message = f"was rejected for {refusal.why!r}, but {self.name} would not reject it now"
        return self.error(message, number, refusal.instant)

    def misplaced(self, number: int, allocation: Any, now: float) -> ScheduleError:
        """Return the error for a job whose allocation differs from the choice of the policy."""
        given = self.schedule.allocation[self.row[number]].tolist()
        placement = self.schedule.placement or self.name
        message = f"has the allocation {given}, but {placement} would give it {allocation}"
        return self.error(message, number, now)

    def error(self, message: str, number: int, instant: float) -> ScheduleError:
        """Return an error that names a job by its position in the stream."""
        return ScheduleError(message, self.row[number], instant)
