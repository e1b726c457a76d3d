"""Count of all violations in a schedule, by kind, with the checks that `verify` also makes.

A schedule that another tool made, or that was recorded on a machine, usually breaks rules more than
once. `count_violations` goes on after the first violation. It lets a policy without memory decide
at every instant in the state that the schedule implies, and then follows the schedule and not the
policy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from operator import add
from typing import Any

import numpy as np

from coalloc_lib.engines.state import name_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Job
from coalloc_lib.schedules.verification import rules, second_run
from coalloc_lib.schedules.verification.decisions import Walk
from coalloc_lib.schedules.verification.faults import ScheduleError
from coalloc_lib.schedules.verification.implied import ImpliedState

#: The function that finds each kind of violation of the model's rules, in the order in which
#: `verify` calls these functions.
RULES: dict[str, Callable[[Any], None]] = {
    "incomplete": rules._check_complete,
    "submission": rules._check_submissions,
    "length": rules._check_run_times,
    "request": rules._check_requests,
    "capacity": rules._check_capacity,
}
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


def count_violations(schedule: Any, has_decisions: bool = True) -> Violations:
    """Find and count all violations in a schedule of starts, ends and allocations.

    Parameters
    ----------
    schedule : Schedule
        The schedule. Its promised starts, attempts and servers are not checked, because the files
        of other tools do not contain them.
    has_decisions : bool
        Whether the decisions of the policy are checked too.

    Returns
    -------
    Violations
        The first violation, and the numbers of all violations.
    """
    found = Violations()
    for kind, check in RULES.items():
        try:
            check(schedule)
        except ScheduleError as error:
            found.add(kind, error)
            if kind == "incomplete":
                break
    if not has_decisions:
        return found
    broken = [kind for kind in ("incomplete", "submission") if kind in found.counts]
    if broken:
        reason = f"there are {KINDS[broken[0]]}"
        found.unchecked.append(f"the decisions of {name_of(schedule.scheduling)}, because {reason}")
    elif schedule.scheduling.begin(schedule.system) is schedule.scheduling:
        FollowingWalk(schedule, found).run()
    else:
        _compare_second_run(schedule, found)
    return found


def _compare_second_run(schedule: Any, found: Violations) -> None:
    wanted, name = second_run._second_run(schedule), name_of(schedule.scheduling)
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

    def undo(self) -> None:
        """Put all jobs that have started since the last call to `keep` back into the queue."""
        for job, position in reversed(self._decided):
            self.finish(job)
            job.start = job.allocation = None
            if position:
                self.queue[0].jumped -= 1
            self.queue.insert(position, job)
            for other in self.queue[:position]:
                other.overtaken -= 1
        self.keep()

    def keep(self) -> None:
        """Make all starts since the last call to `keep` final."""
        self._decided, self.started = [], []
        self.refused, self.newly_promised, self.wakes = {}, [], []

    def _set_idle(self, idle):
        exact = [free - missing for free, missing in zip(idle, self._debt, strict=True)]
        self._debt = [max(0, -free) for free in exact]
        super()._set_idle(map(add, exact, self._debt))


class FollowingWalk(Walk):
    """A pass through a schedule that counts the decisions that differ from those of its policy.

    At each instant the policy decides first. Its decisions are undone, and the starts of the
    schedule are made in their place.
    """

    def __init__(self, schedule: Any, found: Violations) -> None:
        super().__init__(schedule)
        jobs = schedule.jobs[self.row]
        self.found = found
        self.state: FollowedState = FollowedState(schedule.system, jobs, schedule.placement)
        self.calls = [0.0, *self.entered, *self.start]
        heapify(self.calls)
        self.by_number = {job.number: job for job in self.to_come}
        self.counted: set[int] = set()

    def run(self) -> None:
        """Process all instants until every job has started."""
        while self.calls and self.to_leave:
            now = heappop(self.calls)
            while self.calls and self.calls[0] == now:
                heappop(self.calls)
            self.state.now = now
            self.serve(now)

    def serve(self, now: float) -> None:
        """Process one instant, in several rounds if jobs of length 0 start and end at that time."""
        due: list[int] = []
        while self.to_leave and self.left[self.to_leave[-1]] <= now:
            due.append(self.to_leave.pop())
        while True:
            while self.departures and self.departures[0][0] <= now:
                self.state.finish(heappop(self.departures)[2])
            while self.to_come and self.to_come[-1].submit <= now:
                self.state.enter(self.to_come.pop())
            agreed = self.agreed_starts(due, now)
            if not agreed and not self.ends_by(now):
                agreed, due = due, []
                for number in agreed:
                    self.found.add("started", self.early(number))
            due = [number for number in due if number not in agreed]
            for number in agreed:
                self.follow(number)
            if not agreed and not self.ends_by(now):
                break

    def ends_by(self, now: float) -> bool:
        """Return whether any running job ends at or before an instant."""
        return bool(self.departures and self.departures[0][0] <= now)

    def agreed_starts(self, due: list[int], now: float) -> list[int]:
        """Return the jobs that both the policy and the schedule start now.

        A job that only the policy starts now is counted as a violation.
        """
        state, waiting = self.state, -1
        while waiting != len(state.queue):
            waiting = len(state.queue)
            self.policy.start_jobs(state)
        decided = [(job.number, job.allocation) for job in state.started]
        state.undo()
        agreed, starting = [], set(due)
        for number, allocation in decided:
            if number in starting:
                agreed.append(number)
                if self.schedule.allocation[self.row[number]].tolist() != allocation:
                    self.found.add("placement", self.misplaced(number, allocation, now))
            elif number not in self.counted:
                self.counted.add(number)
                self.found.add("left waiting", self.late(number, allocation, now))
        return agreed

    def follow(self, number: int) -> None:
        """Start a job on the processors that it has in the schedule."""
        job = self.by_number[number]
        self.state.begin(job, self.schedule.allocation[self.row[number]].tolist())
        self.state.keep()
        heappush(self.departures, (self.end[number], number, job))
        heappush(self.calls, self.end[number])
