"""The state of a run on the readable engine, which checks all requests of a policy."""

from collections.abc import Callable, Iterator, Sequence
from functools import partialmethod
from math import inf, nan
from operator import add, gt, sub

import simpy

from coalloc_lib import policies
from coalloc_lib.basics.checks import InputError, float_of, kind_of, shown, whole
from coalloc_lib.engines.outcome import Task
from coalloc_lib.model.answers import (
    allocation_of,
    answered_numbers,
    checked_allocation,
    not_allowed,
)
from coalloc_lib.model.placement import Placement, WorstFit, is_of_library, serves
from coalloc_lib.policies import Job, Refusal


def name_of(policy: object) -> str:
    """Return the name of a policy or a placement for error messages."""
    plain = type(policy).__repr__ is object.__repr__
    return f"{type(policy).__name__}()" if plain else str(policy)


class View(list):
    """A list of jobs that a policy can read but not change.

    The methods that change a list raise an error. The engine changes the list by calling the
    methods of the class `list` directly.
    """

    def __init__(self, name: str, policy: str) -> None:
        super().__init__()
        self.name, self.policy = name, policy

    def __iter__(self) -> Iterator[Job]:
        """Iterate over a copy of the list, so that a loop that starts jobs skips none of them."""
        return iter(self[:])


def _raise_read_only(self, method, *_arguments, **_keywords):
    raise InputError(
        f"{self.policy} used state.{self.name}.{method}, but this list is read-only; call "
        f"state.start(job) or state.refuse(job, why), and change a copy: list(state.{self.name})"
    )


for _method in (
    "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort",
    "__delitem__", "__iadd__", "__imul__", "__setitem__",
):  # fmt: skip
    setattr(View, _method, partialmethod(_raise_read_only, _method))


class State(policies.State):
    """The state of one simulation on the readable engine; it checks every action of the policy."""

    def __init__(
        self, environment: simpy.Environment, task: Task, call_at: Callable[[float], None]
    ) -> None:
        self.promised: dict[int, float] = {}
        self.refused: dict[int, Refusal] = {}
        self.attempts: dict[int, int] = {}
        self.servers: dict[int, list[int]] = {}
        self._environment, self._request, self._call_at = environment, task.jobs.request, call_at
        self._idle: tuple[int, ...] = task.system.sizes
        self._processors = task.system.processors
        self._policy = name_of(task.scheduling)
        # For ordered requests, all placements give the same allocation, so any one can be used.
        self._placement = WorstFit() if task.placement is None else task.placement
        self._placement_name = name_of(self._placement)
        # The method `place` of the base class needs no check: it checks the order of the clusters.
        has_plain_place = type(self._placement).place is Placement.place
        self._is_trusted = has_plain_place or is_of_library(self._placement)
        self._queue = View("queue", self._policy)
        self._running = View("running", self._policy)
        self._turns: dict[Job, simpy.Event] = {}

    @property
    def now(self) -> float:
        """The current simulated time."""
        return self._environment.now

    @property
    def idle(self) -> tuple[int, ...]:
        """Number of idle processors of each cluster."""
        return self._idle

    @property
    def queue(self) -> View:
        """The waiting jobs, in order of arrival."""
        return self._queue

    @property
    def running(self) -> View:
        """The running jobs, in the order in which they started."""
        return self._running

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return the allocation that a job would get, or None if it does not fit."""
        room = self._idle if idle is None else idle
        answer = self._placement.place(job.components, self._request, room)
        return None if answer is None else self._placed(job, answer, room)

    def expected_end(self, job: Job, allocation: Sequence[int] | None = None) -> float:
        """Return the expected end of a job, on the assumption that a waiting job starts now."""
        where = job.allocation if allocation is None else allocation
        if where is None:
            raise InputError(
                f"{self._policy} asked for the end of job {job.number}, which has not started; "
                "give the allocation that it would have"
            )
        return (self.now if job.start is None else job.start) + job.expected_length(where)

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job if it fits; by default, the placement chooses its processors."""
        turn = self._turn(job, "started")
        if allocation is None:
            # The same as the method `place`, but faster in the most frequent case: the job does not
            # fit.
            taken = self._placement.place(job.components, self._request, self._idle)
            if taken is None:
                return False
            if not self._is_trusted:
                taken = self._placed(job, taken, self._idle)
        else:
            taken = self._given(job, allocation)
            if any(map(gt, taken, self._idle)):
                return False
        self._idle = tuple(map(sub, self._idle, taken))
        jobs_ahead = self._queue[: self._leave(job)]
        for other in jobs_ahead:
            other.overtaken += 1
        for head in jobs_ahead[:1]:
            head.jumped += 1
        list.append(self._running, job)
        job.start, job.allocation = self._environment.now, taken
        turn.succeed(True)
        return True

    def promise(self, job: Job, instant: float) -> None:
        """Store the promised start of a waiting job, unless the job already has one."""
        self._turn(job, "promised a start to")
        start = _instant(instant)
        if not self.now <= start < inf:
            raise InputError(
                f"{self._policy} promised job {job.number} a start at {shown(instant)}; "
                f"promise a finite instant at or after the current time {self.now:g}"
            )
        self.promised.setdefault(job.number, start)

    def record(self, job: Job, attempts: int, servers: Sequence[int] = ()) -> None:
        """Store how many start times were tried for a waiting job, and which processors it gets."""
        self._turn(job, "recorded the attempts of")
        numbers, last = answered_numbers(servers), self._processors - 1
        is_in_system = numbers is not None and all(0 <= number <= last for number in numbers)
        if numbers is None or not is_in_system or len({*numbers}) < len(numbers):
            raise InputError(
                f"{self._policy} recorded servers {shown(servers)} of job {job.number}; give "
                f"different whole numbers from 0 to {last}"
            )
        self.attempts[job.number] = whole("attempts", attempts, least=0)
        self.servers[job.number] = sorted(numbers)

    def wake(self, instant: float) -> None:
        """Make the engine call the policy at a later instant."""
        later = _instant(instant)
        if not self.now < later < inf:
            raise InputError(
                f"{self._policy} asked to be called at {shown(instant)}; ask for a finite "
                f"instant after the current time {self.now:g}"
            )
        self._call_at(later)

    def refuse(self, job: Job, why: str) -> None:
        """Reject a waiting job: remove it from the queue and store the reason."""
        turn = self._turn(job, "rejected")
        self._leave(job)
        self.refused[job.number] = Refusal(self.now, str(why))
        turn.succeed(False)

    def enter(self, job: Job) -> simpy.Event:
        """Add a job to the queue, and return the SimPy event for which the job waits.

        The event occurs when the job starts (value True) or is rejected (value False).
        """
        job.submit = self._environment.now
        list.append(self._queue, job)
        turn = self._turns[job] = self._environment.event()
        return turn

    def finish(self, job: Job) -> None:
        """Remove a job that has ended from the list of running jobs, and release its processors."""
        list.remove(self._running, job)
        assert job.allocation is not None
        self._idle = tuple(map(add, self._idle, job.allocation))

    def _given(self, job, allocation):
        # An allocation of a placement that is not trusted was checked when the placement chose it,
        # and a second check would take too much time.
        taken = allocation_of(allocation, sum(job.components), len(self._idle))
        if taken is None:
            raise InputError(
                f"{self._policy} started job {job.number}, of {job.processors} processors, on "
                f"{shown(allocation)}; give the number of processors from each cluster, or "
                "no allocation"
            )
        if self._is_trusted and not self._serves(job, taken):
            mend = "give what state.place(job) returns, or no allocation"
            raise self._not_served(f"{self._policy} started", job, "on", taken, mend)
        return taken

    def _placed(self, job, answer, room):
        name, processors = self._placement_name, job.processors
        what = f"job {job.number}, of {processors} processors,"
        taken = checked_allocation(name, answer, processors, room, what)
        if not self._is_trusted and not self._serves(job, taken):
            mend = "return None, or an allocation that the request allows"
            raise self._not_served(f"{name} placed", job, "as", taken, mend)
        return taken

    def _serves(self, job, taken):
        return serves(taken, job.components, self._request, self._placement)

    def _not_served(self, did, job, preposition, taken, mend):
        what = f"job {job.number}, with the components {shown([*job.components])},"
        return not_allowed(f"{did} {what} {preposition}", taken, self._request, mend)

    def _turn(self, job, did):
        try:
            return self._turns[job]
        except (KeyError, TypeError):  # An object that is not hashable raises TypeError.
            which = f"job {job.number}" if isinstance(job, Job) else shown(job)
            raise InputError(
                f"{self._policy} {did} {which}, which is not waiting; choose jobs from "
                "state.queue, and each job only once"
            ) from None

    def _leave(self, job):
        del self._turns[job]
        position = self._queue.index(job)
        list.__delitem__(self._queue, position)
        return position


def _instant(value):
    return float_of(value) if kind_of(type(value)) == "numbers" else nan
