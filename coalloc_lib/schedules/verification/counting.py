"""Count of all violations in a schedule, by kind, with the checks that `verify` also makes.

A schedule that another tool made, or that was recorded on a machine, usually breaks rules more than
once. `count_violations` goes on after the first violation. It lets a policy without memory decide
at every instant in the state that the schedule implies, and then follows the schedule and not the
policy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappush
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.engines.state import name_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Job, Refusal
from coalloc_lib.schedules.verification.decisions import Walk, has_no_memory
from coalloc_lib.schedules.verification.faults import ScheduleError
from coalloc_lib.schedules.verification.implied import ImpliedState
from coalloc_lib.schedules.verification.rules import RULES
from coalloc_lib.schedules.verification.second_run import run_again

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule

#: A description in words of each kind of violation.
KINDS = {
    "incomplete": "jobs without a start or an end",
    "submission": "jobs that start before their submission",
    "length": "jobs that do not run for their run time",
    "request": "jobs whose processors do not match their request",
    "capacity": "starts on a cluster that is then overfull",
    "started": "jobs that start although the policy would not start them",
    "left waiting": "jobs that wait although the policy would start them",
    "placement": "jobs whose processors differ from the choice of the placement",
    "second run": "jobs that start at another instant in a run of the policy",
    "rejection": "jobs that are rejected only here or only in a run of the policy",
}


@dataclass
class Violations:
    """The violations that were found in a schedule, counted by kind.

    Attributes
    ----------
    counts : dict of str to int
        The number of jobs at fault for each kind of violation that occurs. `KINDS` explains them.
    first : ScheduleError or None
        The first violation. The rules of the model are checked first, in the order of `RULES`.
    kind : str
        The kind of the first violation.
    unchecked : list of str
        What was not checked, and why.
    """

    counts: dict[str, int] = field(default_factory=dict)
    first: ScheduleError | None = None
    kind: str = ""
    unchecked: list[str] = field(default_factory=list)

    def add(self, kind: str, error: ScheduleError) -> None:
        """Add the jobs that an error reports to the count of violations of the given kind."""
        self.counts[kind] = self.counts.get(kind, 0) + error.count
        if self.first is None:
            self.first, self.kind = error, kind

    def add_queue(self, queue: "Violations", rows: NDArray[np.int64]) -> None:
        """Add the violations in one queue, whose jobs have the positions `rows` in the stream."""
        for kind, count in queue.counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + count
        if self.first is None and queue.first is not None:
            self.first, self.kind = queue.first.renumbered(rows), queue.kind
        self.unchecked += [reason for reason in queue.unchecked if reason not in self.unchecked]


def count_violations(schedule: "Schedule", has_decisions: bool = True) -> Violations:
    """Find and count all violations in a schedule of starts, ends and allocations.

    Parameters
    ----------
    schedule : Schedule
        The schedule. Its promised starts, attempts, servers and reasons for rejections are not
        checked, because the files of other tools do not contain them.
    has_decisions : bool
        Whether the decisions of the policy are checked too.

    Returns
    -------
    Violations
        The first violation, and the numbers of all violations.

    Raises
    ------
    InputError
        The schedule has a backlog, and the decisions of the policy are to be checked.
    """
    if has_decisions and schedule.backlog is not None:
        raise InputError(
            f"schedule has a backlog of {schedule.backlog} jobs, and wrong decisions are counted "
            "only without a backlog; call schedule.verify(), or give has_decisions=False"
        )
    found = Violations()
    for kind, check in RULES.items():
        try:
            check(schedule)
        except ScheduleError as error:
            found.add(kind, error)
            if kind == "incomplete":
                break
    if has_decisions:
        _count_decisions(schedule, found)
    return found


def _count_decisions(schedule: "Schedule", found: Violations) -> None:
    broken = [kind for kind in ("incomplete", "submission") if kind in found.counts]
    if broken:
        reason = f"there are {KINDS[broken[0]]}"
        found.unchecked.append(f"the decisions of {name_of(schedule.scheduling)}, because {reason}")
        return
    for rows, queue in _queues_of(schedule):
        in_queue = Violations()
        if has_no_memory(queue):
            FollowingWalk(queue, in_queue).run()
        else:
            _compare_second_run(queue, in_queue)
        found.add_queue(in_queue, rows)


def _queues_of(schedule: "Schedule") -> "Iterator[tuple[NDArray[np.int64], Schedule]]":
    for rows, queue in schedule.queues:
        # The schedules of the sites of a `LocalSchedule` are stored twice. The instants that count
        # here are those of the whole system.
        refused = {
            job: schedule.refused[row]
            for job, row in enumerate(rows.tolist())
            if row in schedule.refused
        }
        columns = {"start": schedule.start[rows], "end": schedule.end[rows], "refused": refused}
        yield rows, queue if queue is schedule else replace(queue, **columns)


def _compare_second_run(schedule: "Schedule", found: Violations) -> None:
    wanted, name = run_again(schedule), name_of(schedule.scheduling)
    rejected = ~schedule.served
    differs = {
        "rejection": np.isnan(wanted.start) != rejected,
        "second run": ~rejected & np.isfinite(wanted.start) & (wanted.start != schedule.start),
        "placement": (wanted.start == schedule.start)
        & (wanted.allocation != schedule.allocation).any(axis=1),
    }
    messages = {
        "rejection": lambda job: f"is served or rejected otherwise in a run of {name}",
        "second run": lambda job: f"starts at {wanted.start[job]:.12g} in a run of {name}",
        "placement": lambda job: f"gets {wanted.allocation[job].tolist()} in a run of {name}",
    }
    when = np.fmin(np.fmin(schedule.start, wanted.start), np.inf)
    when = np.where(np.isnan(when), schedule.jobs.submit, when)
    # Differences are reported in the order in which they first occur, because later differences can
    # follow from earlier ones.
    kinds = [kind for kind, bad in differs.items() if bad.any()]
    for kind in sorted(kinds, key=lambda kind: when[differs[kind]].min()):
        jobs = np.flatnonzero(differs[kind])
        job = int(jobs[np.argmin(when[jobs])])
        error = ScheduleError(messages[kind](job), job, float(when[job]), count=len(jobs))
        found.add(kind, error)
    if kinds:
        found.unchecked.append(
            f"each decision of {name} alone: it remembers reservations, which the file does not "
            "contain, so the jobs were simulated again, and one difference can cause others"
        )


class FollowedState(ImpliedState):
    """A simulation state in which the decisions of a policy can be undone.

    A schedule may use more processors than there are. The policy then sees no idle processor, and
    `debt` has the number of processors that are missing on each cluster.
    """

    def __init__(self, system: Multicluster, jobs: JobStream, placement: Placement | None) -> None:
        super().__init__(system, jobs, placement)
        self._decided: list[tuple[Job, int]] = []
        self._debt = [0] * len(system)

    def begin(self, job: Job, taken: Sequence[int]) -> None:
        """Start a job, and remember its position in the queue."""
        self._decided.append((job, self.queue.index(job)))
        super().begin(job, taken)

    def refuse(self, job: Job, why: str) -> None:
        """Reject a job, and remember its position in the queue."""
        self._decided.append((job, self.queue.index(job)))
        super().refuse(job, why)

    def undo(self) -> None:
        """Put all jobs that have left the queue since the last call to `keep` back into it."""
        for job, position in reversed(self._decided):
            if job.start is not None:
                self._undo_start(job, position)
            self.queue.insert(position, job)
        self.keep()

    def _undo_start(self, job, position):
        self.finish(job)
        job.start = job.allocation = None
        if position:
            self.queue[0].jumped -= 1
        for other in self.queue[:position]:
            other.overtaken -= 1

    def keep(self) -> None:
        """Make all starts and rejections since the last call to `keep` final."""
        self._decided, self.started = [], []
        self.refused, self.newly_promised, self.wakes = {}, [], []

    def _set_idle(self, idle):
        exact = [free - missing for free, missing in zip(idle, self._debt, strict=True)]
        self._debt = [max(0, -free) for free in exact]
        super()._set_idle(map(add, exact, self._debt))


class FollowingWalk(Walk):
    """A pass through a schedule that counts the decisions that differ from those of its policy.

    At each instant the policy decides first. Its decisions are undone, and the starts and the
    rejections of the schedule are made in their place.
    """

    def __init__(self, schedule: "Schedule", found: Violations) -> None:
        super().__init__(schedule)
        jobs = schedule.jobs[self.row]
        self.found = found
        self.state: FollowedState = FollowedState(schedule.system, jobs, schedule.placement)
        self.calls = [0.0, *self.entered, *self.left]
        heapify(self.calls)
        self.by_number = {job.number: job for job in self.to_come}
        # The jobs whose wrong decision by the schedule has been counted.
        self.counted: set[int] = set()
        self.rejected_only_by_policy: set[int] = set()

    def run(self) -> None:
        """Process all instants until every job has left the queue."""
        for now in self.next_instants():
            self.state.now = now
            self.serve(now)

    def serve(self, now: float) -> None:
        """Process one instant, in several rounds if jobs of length 0 start and end at that time."""
        due: list[int] = []
        while self.to_leave and self.left[self.to_leave[-1]] <= now:
            due.append(self.to_leave.pop())
        while True:
            self.depart_and_enter(now)
            agreed = self.agreed_jobs(due, now)
            if not agreed and not self.ends_by(now):
                # Rejections come first, because the policy may then start other jobs that are due.
                agreed = [number for number in due if self.is_rejected(number)] or due
                for number in agreed:
                    self.count_unwanted(number)
            due = [number for number in due if number not in agreed]
            for number in agreed:
                self.follow(number)
            if not agreed and not self.ends_by(now):
                break

    def agreed_jobs(self, due: list[int], now: float) -> list[int]:
        """Return the jobs that both the policy and the schedule start now, or both reject now.

        A job that only the policy starts or rejects now is counted as a violation.
        """
        state, waiting = self.state, -1
        while waiting != len(state.queue):
            waiting = len(state.queue)
            self.policy.start_jobs(state)
        started = [(job.number, job.allocation) for job in state.started]
        refused = [(job.number, Refusal(now, why)) for job, why in state.refused.items()]
        self.add_calls(now)
        state.undo()
        starting = {number for number in due if not self.is_rejected(number)}
        rejected = {*due} - starting
        agreed = [number for number, _ in started if number in starting]
        agreed += [number for number, _ in refused if number in rejected]
        for number, allocation in started:
            self.compare_start(number, allocation, now, number in starting)
        for number, refusal in refused:
            if number not in rejected:
                self.count_kept(number, refusal)
        return agreed

    def is_rejected(self, number: int) -> bool:
        """Return whether a job is rejected in the schedule."""
        return self.row[number] in self.schedule.refused

    def compare_start(self, number: int, allocation: Any, now: float, starts: bool) -> None:
        """Count a job that the policy starts now, if the schedule does not do the same."""
        if starts:
            if self.schedule.allocation[self.row[number]].tolist() != allocation:
                self.found.add("placement", self.misplaced(number, allocation, now))
        elif number not in self.counted:
            self.counted.add(number)
            self.found.add("left waiting", self.late(number, allocation, now))

    def count_kept(self, number: int, refusal: Refusal) -> None:
        """Count a job that the policy rejects and the schedule keeps, unless it was counted."""
        if number not in self.rejected_only_by_policy | self.counted:
            self.rejected_only_by_policy.add(number)
            self.found.add("rejection", self.kept(number, refusal))

    def count_unwanted(self, number: int) -> None:
        """Count a job that leaves the queue now in the schedule although the policy keeps it.

        A job that the policy would reject, or a rejected job that the policy would start, has been
        counted already.
        """
        if self.is_rejected(number):
            if number not in self.rejected_only_by_policy | self.counted:
                self.found.add("rejection", self.rejected_early(number))
        elif number not in self.rejected_only_by_policy:
            self.found.add("started", self.early(number))

    def follow(self, number: int) -> None:
        """Start a job on the processors that the schedule gives it, or reject the job."""
        job = self.by_number[number]
        if self.is_rejected(number):
            self.state.refuse(job, self.schedule.refused[self.row[number]].why)
            self.state.keep()
            return
        self.state.begin(job, self.schedule.allocation[self.row[number]].tolist())
        self.state.keep()
        heappush(self.departures, (self.end[number], number, job))
        heappush(self.calls, self.end[number])
