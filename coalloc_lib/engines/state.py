"""The state of the readable engine: anyone's policies use it, so what they ask for is checked."""

from collections.abc import Callable, Iterator, Sequence
from functools import partialmethod
from math import inf, nan
from operator import add, gt, sub

import simpy

from coalloc_lib import policies
from coalloc_lib.basics.checks import InputError, float_of, kind_of, shown, whole
from coalloc_lib.engines.outcome import Task
from coalloc_lib.model.placement import TRUSTED, WorstFit, allocation_of, answered_numbers, fitting
from coalloc_lib.policies import Job, Refusal


def name_of(policy: object) -> str:
    """Return what a policy is called in an error."""
    plain = type(policy).__repr__ is object.__repr__
    return f"{type(policy).__name__}()" if plain else str(policy)


class View(list):
    """Jobs that a policy may look at; the engine changes it by the methods of `list` itself."""

    def __init__(self, name: str, policy: str) -> None:
        super().__init__()
        self.name, self.policy = name, policy

    def __iter__(self) -> Iterator[Job]:
        """Go through the jobs of this moment: those that start meanwhile are not skipped over."""
        return iter(self[:])


def _refuse(self, method, *_arguments, **_keywords):
    raise InputError(
        f"{self.policy} used state.{self.name}.{method}, and policies only read it; call "
        f"state.start(job) or state.refuse(job, why), and change a copy: list(state.{self.name})"
    )


for _method in (
    "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort",
    "__delitem__", "__iadd__", "__imul__", "__setitem__",
):  # fmt: skip
    setattr(View, _method, partialmethod(_refuse, _method))


class State(policies.State):
    """The queue, the running jobs and the idle processors of one run."""

    def __init__(
        self, environment: simpy.Environment, task: Task, call_at: Callable[[float], None]
    ) -> None:
        self.promised: dict[int, float] = {}
        self.refused: dict[int, Refusal] = {}
        self.attempts: dict[int, int] = {}
        self.servers: dict[int, list[int]] = {}
        self._environment, self._request, self._call_at = environment, task.jobs.request, call_at
        self._idle: tuple[int, ...] = task.system.sizes
        self._policy = name_of(task.scheduling)
        # Ordered requests go where they say under every rule.
        self._placement = WorstFit() if task.placement is None else task.placement
        self._is_trusted = type(self._placement) in TRUSTED
        self._queue = View("queue", self._policy)
        self._running = View("running", self._policy)
        self._turns: dict[Job, simpy.Event] = {}

    @property
    def now(self) -> float:
        """The present instant."""
        return self._environment.now

    @property
    def idle(self) -> tuple[int, ...]:
        """Idle processors of each cluster."""
        return self._idle

    @property
    def queue(self) -> View:
        """The waiting jobs in order of arrival."""
        return self._queue

    @property
    def running(self) -> View:
        """The jobs in service, in order of their starts."""
        return self._running

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return the allocation that a job would get on `idle`, or None where it does not fit."""
        room = self._idle if idle is None else idle
        answer = self._placement.place(job.components, self._request, room)
        return None if answer is None else self._placed(job, answer, room)

    def expected_end(self, job: Job, allocation: Sequence[int] | None = None) -> float:
        """Return when a running job is expected to end, or a waiting one that started now."""
        where = job.allocation if allocation is None else allocation
        if where is None:
            raise InputError(
                f"{self._policy} asked for the end of job {job.number}, which does not run yet; "
                "give the allocation that it would have"
            )
        return (self.now if job.start is None else job.start) + job.expected_length(where)

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job, where the placement says or on `allocation`, if it fits."""
        turn = self._turn(job, "started")
        if allocation is None:  # as in `place`, but one call less: most answers are None
            taken = self._placement.place(job.components, self._request, self._idle)
            if taken is None:
                return False
            if not self._is_trusted:
                taken = self._placed(job, taken, self._idle)
        else:
            taken = allocation_of(allocation, sum(job.components), len(self._idle))
            if taken is None:
                raise InputError(
                    f"{self._policy} started job {job.number}, of {job.processors} processors, on "
                    f"{shown(allocation)}; give the processors of each cluster, or leave it out"
                )
            if any(map(gt, taken, self._idle)):
                return False
        self._idle = tuple(map(sub, self._idle, taken))
        passed = self._queue[: self._leave(job)]
        for each in passed:
            each.overtaken += 1
        for head in passed[:1]:
            head.jumped += 1
        list.append(self._running, job)
        job.start, job.allocation = self._environment.now, taken
        turn.succeed(True)
        return True

    def promise(self, job: Job, instant: float) -> None:
        """Keep the first start that a waiting job was promised."""
        self._turn(job, "promised a start to")
        start = _instant(instant)
        if not self.now <= start < inf:
            raise InputError(
                f"{self._policy} promised job {job.number} a start at {shown(instant)}, at "
                f"{self.now:g}; promise an instant that is still to come, and not infinity"
            )
        self.promised.setdefault(job.number, start)

    def record(self, job: Job, attempts: int, servers: Sequence[int] = ()) -> None:
        """Keep how many starts were tried for a waiting job, and which servers it has."""
        self._turn(job, "recorded the attempts of")
        numbers = answered_numbers(servers)
        if numbers is None or len({*numbers}) != len(numbers) or min(numbers, default=0) < 0:
            raise InputError(
                f"{self._policy} recorded servers {shown(servers)} of job {job.number}; give "
                "numbers of 0 or more, each once"
            )
        self.attempts[job.number] = whole("attempts", attempts, least=0)
        self.servers[job.number] = sorted(numbers)

    def wake(self, instant: float) -> None:
        """Have the policy called at a later instant."""
        later = _instant(instant)
        if not self.now < later < inf:
            raise InputError(
                f"{self._policy} asked to be called at {shown(instant)}, at {self.now:g}; ask for "
                "an instant that is still to come, and not infinity"
            )
        self._call_at(later)

    def refuse(self, job: Job, why: str) -> None:
        """Take a waiting job out of the queue unserved."""
        turn = self._turn(job, "refused")
        self._leave(job)
        self.refused[job.number] = Refusal(self.now, str(why))
        turn.succeed(False)

    def enter(self, job: Job) -> simpy.Event:
        """Let a job into the queue; return the event of its turn, which says whether it runs."""
        job.submit = self._environment.now
        list.append(self._queue, job)
        turn = self._turns[job] = self._environment.event()
        return turn

    def finish(self, job: Job) -> None:
        """Take a job that has run off its processors."""
        list.remove(self._running, job)
        assert job.allocation is not None
        self._idle = tuple(map(add, self._idle, job.allocation))

    def _placed(self, job, answer, room):
        """Return the answer of the placement as an allocation, or raise if it is not one."""
        taken = fitting(answer, sum(job.components), room)
        if taken is None:
            raise InputError(
                f"{name_of(self._placement)} placed job {job.number}, of {job.processors} "
                f"processors, as {shown(answer)} with {shown(list(room))} idle; return the "
                "processors of each cluster, no more than are idle, or None"
            )
        return taken

    def _turn(self, job, did):
        """Return the event that ends the wait of a job; refuse what does not wait."""
        try:
            return self._turns[job]
        except (KeyError, TypeError):  # a TypeError of what cannot be a key
            which = f"job {job.number}" if isinstance(job, Job) else shown(job)
            raise InputError(
                f"{self._policy} {did} {which}, which is not waiting; take jobs from state.queue, "
                "each once"
            ) from None

    def _leave(self, job):
        """Take a job out of the queue; return the position that it had."""
        del self._turns[job]
        position = self._queue.index(job)
        list.__delitem__(self._queue, position)
        return position


def _instant(value):
    """Return what a policy gave as an instant; NaN where it is no number."""
    return float_of(value) if kind_of(type(value)) == "numbers" else nan
