"""The decisions of a schedule, compared with those of its policy's own readable definition.

A policy without memory decides from the state that it sees, and a schedule implies that state at
every instant. So `check_decisions` walks through the instants of a schedule, lets the policy decide
in the implied state, and stops at the first decision that differs. No policy needs code of its own.
"""

from heapq import heapify, heappop, heappush
from math import inf
from typing import Any

import numpy as np

from coalloc_lib.engines.reference import jobs_of
from coalloc_lib.engines.state import name_of
from coalloc_lib.policies import Job, Refusal
from coalloc_lib.policies.backfilling import ORDERS, queue_key
from coalloc_lib.schedules.reading import arrival_order
from coalloc_lib.schedules.verification.faults import ScheduleError, refuse, told
from coalloc_lib.schedules.verification.implied import ImpliedState


def check_decisions(schedule: Any) -> None:
    """Raise for the first decision of a policy without memory that the schedule does not follow."""
    _Walk(schedule).run()


class _Walk:
    """A walk through the instants of a schedule, with the state that it implies so far."""

    def __init__(self, schedule: Any) -> None:
        order = arrival_order(schedule)
        jobs = schedule.jobs[order]
        self.schedule, self.policy = schedule, schedule.scheduling
        self.name = name_of(self.policy)
        self.row = order.tolist()  # the position in the stream of each job, by its number
        self.start, self.end, self.left, self.entered, self.promised = (
            column[order].tolist()
            for column in (
                schedule.start,
                schedule.end,
                schedule.left_queue,
                schedule.jobs.submit,
                schedule.promised,
            )
        )
        self.state = ImpliedState(schedule.system, jobs, schedule.placement)
        self.to_come = jobs_of(jobs, is_held=schedule.backlog is not None)[::-1]  # the next is last
        self.to_leave = np.argsort(self.left, kind="stable")[::-1].tolist()  # the first is last
        self.has_left = [False] * len(jobs)
        self.departures: list[tuple[float, int, Job]] = []  # a heap
        self.calls = [0.0] if schedule.backlog else [0.0, *self.entered]  # a heap of instants
        heapify(self.calls)

    def run(self) -> None:
        """Walk until every job has left the queue."""
        while self.calls and self.to_leave:
            now = heappop(self.calls)
            while self.calls and self.calls[0] == now:
                heappop(self.calls)
            self.check_left_before(now)
            self.state.now = now
            self.serve(now)
        self.check_left_before(inf)
        self.check_untold()
        self.check_recorded()

    def serve(self, now: float) -> None:
        """Let jobs end and enter, and the policy decide, until nothing more happens at an instant.

        A job without length ends in a further round of the instant at which it starts.
        """
        again = True
        while again:
            while self.departures and self.departures[0][0] <= now:
                self.state.finish(heappop(self.departures)[2])
            if not self.schedule.backlog:
                while self.to_come and self.to_come[-1].submit <= now:
                    self.state.enter(self.to_come.pop())
            self.decide(now)
            has_entered = self.top_up(now)
            again = has_entered or bool(self.departures and self.departures[0][0] <= now)

    def decide(self, now: float) -> None:
        """Let the policy decide until nothing more changes, and compare what it did."""
        state, waiting = self.state, -1
        while waiting != len(state.queue):
            waiting = len(state.queue)
            self.policy.start_jobs(state)
            for job in state.started:
                self.check_start(job, now)
            for job, why in state.refused.items():
                self.check_refusal(job, Refusal(now, why))
            for number in state.told:
                self.check_promise(number, now)
            for instant in state.wakes:
                heappush(self.calls, instant)
            state.started, state.refused, state.told, state.wakes = [], {}, [], []

    def top_up(self, now: float) -> bool:
        """Let jobs into a queue that is held at a length, and return whether any entered."""
        missing = min((self.schedule.backlog or 0) - len(self.state.queue), len(self.to_come))
        for _ in range(missing):
            job = self.to_come.pop()
            if self.entered[job.number] != now:
                raise self.error(
                    f"enters a queue that is held at {self.schedule.backlog} jobs, and entered it "
                    f"at {self.entered[job.number]:.12g}",
                    job.number,
                    now,
                )
            self.state.enter(job)
        return missing > 0

    def check_start(self, job: Job, now: float) -> None:
        """Raise if the schedule does not start a job now, where the policy starts it."""
        number = job.number
        if self.start[number] != now:
            message = f"{self.name} starts it then, on {job.allocation}, and it {{}}"
            raise self.error(message.format(self.what_happens_to(number)), number, now)
        given = self.schedule.allocation[self.row[number]].tolist()
        if given != job.allocation:
            placement = self.schedule.placement or self.name
            message = f"has {given}, and {placement} gives it {job.allocation}"
            raise self.error(message, number, now)
        self.has_left[number] = True
        heappush(self.departures, (self.end[number], number, job))
        heappush(self.calls, self.end[number])

    def check_refusal(self, job: Job, refusal: Refusal) -> None:
        """Raise if the schedule does not have a refusal that the policy makes."""
        number = job.number
        if self.schedule.refused.get(self.row[number]) != refusal:
            message = f"{self.name} refuses it then for {refusal.why!r}, and it {{}}"
            message = message.format(self.what_happens_to(number))
            raise self.error(message, number, refusal.instant)
        self.has_left[number] = True

    def check_promise(self, number: int, now: float) -> None:
        """Raise if the first start promised to a job is not the one in the schedule."""
        promised, given = self.state.promised[number], self.promised[number]
        if given != promised:
            heads = "heads the queue, " if self.head() == number else ""
            message = f"{heads}was promised {told(given)}, and {self.name} promises it "
            raise self.error(message + told(promised), number, now)

    def check_left_before(self, now: float) -> None:
        """Raise for a job that left the queue before an instant without the policy's decision."""
        while self.to_leave and self.left[self.to_leave[-1]] < now:
            number = self.to_leave.pop()
            if self.has_left[number]:
                continue
            refusal, head = self.schedule.refused.get(self.row[number]), self.head()
            if refusal is not None:
                message = f"was refused for {refusal.why!r}, and {self.name} does not refuse it"
                raise self.error(f"{message} then", number, refusal.instant)
            message = f"{self.name} does not start it then"
            if head in (None, number):
                raise self.error(message, number, self.start[number])
            row, other = self.row[number], self.row[head]
            message += "; {other} heads the queue"
            raise ScheduleError(message, row, self.start[number], other)

    def check_untold(self) -> None:
        """Raise for a job that was promised a start of which the policy says nothing."""
        untold = ~np.isnan(self.schedule.promised)
        untold[[self.row[number] for number in self.state.promised]] = False
        message = "was promised {}, and {} promises it nothing"
        promised = self.schedule.promised
        refuse(
            untold,
            self.schedule,
            lambda row: message.format(told(promised[row]), self.name),
            self.schedule.left_queue,
        )

    def check_recorded(self) -> None:
        """Raise for a job with other attempts or servers than the policy recorded."""
        attempts, servers = self.schedule.attempts, self.schedule.servers
        if attempts is None or servers is None:
            return
        for number, row in enumerate(self.row):
            recorded = self.state.recorded.get(number, (0, []))
            given = int(attempts[row]), servers[row].tolist()
            if recorded != given:
                message = "has {} attempts and servers {}, and {} records {} and {}"
                message = message.format(*given, self.name, *recorded)
                raise self.error(message, number, self.left[number])

    def head(self) -> int | None:
        """Return the number of the job that heads the queue in the policy's order, if any waits."""
        order = self.policy.order if self.policy.order in ORDERS else "arrival"
        jobs = self.state.queue
        return min(jobs, key=lambda job: queue_key(order, job)).number if jobs else None

    def what_happens_to(self, number: int) -> str:
        """Say when the schedule starts or refuses a job."""
        refusal = self.schedule.refused.get(self.row[number])
        if refusal is not None:
            return f"was refused at {refusal.instant:.12g} for {refusal.why!r}"
        return f"starts only at {self.start[number]:.12g}"

    def error(self, message: str, number: int, instant: float) -> ScheduleError:
        """Return the error of a job."""
        return ScheduleError(message, self.row[number], instant)
