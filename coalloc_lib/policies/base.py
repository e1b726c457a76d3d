"""What a scheduling policy is, and what it sees: for all who write one.

The readable engine calls `start_jobs(state)` at every instant at which jobs were submitted or left,
again and again until nothing more changes, and at the instants that the policy asked for. The
policy looks at the `State` and starts, promises or refuses jobs by its methods.

>>> class Shortest(Scheduling):
...     def start_jobs(self, state):
...         for job in sorted(state.queue, key=lambda job: job.estimate):
...             if not state.start(job):
...                 break
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple, Protocol

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.placement import time_on_processors
from coalloc_lib.model.system import Multicluster


@dataclass(eq=False)
class Job:
    """One job as the policies see it; they read it and change nothing.

    Attributes
    ----------
    number : int
        Position in the stream in order of arrival, from 0.
    submit : float
        Submission; with a backlog, when it entered the queue.
    components : tuple of int
        Processors of each component; `processors` is their sum.
    runtime, estimate : float
        Run time on one cluster, and what the user said it would be.
    span_penalty : float or list of float
        On several clusters, or on 2, 3, ...
    earliest_start, latest_start, priority
        What it asks for, as in `JobStream`.
    overtaken, jumped : int
        Jobs behind it that have started, and those that did while it headed the queue.
    start, allocation
        When it started, and its processors of each cluster; None until it runs.
    """

    number: int
    submit: float
    runtime: float
    estimate: float
    components: tuple[int, ...]
    span_penalty: float | Sequence[float]
    earliest_start: float = 0.0
    latest_start: float = inf
    priority: float = 0.0
    overtaken: int = 0
    jumped: int = 0
    start: float | None = None
    allocation: Sequence[int] | None = None

    @property
    def is_reserved(self) -> bool:
        """Whether it asks to start later than it is submitted, or no later than some instant."""
        return self.earliest_start > self.submit or self.latest_start < inf

    @property
    def processors(self) -> int:
        """Processors of all components together."""
        return sum(self.components)

    def length(self, allocation: Sequence[int]) -> float:
        """Return how long it runs on an allocation."""
        return time_on_processors(self.runtime, self.span_penalty, clusters_used(allocation))

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return how long it is expected to run there: its estimate, or its run time if longer."""
        expected = max(self.estimate, self.runtime)
        return time_on_processors(expected, self.span_penalty, clusters_used(allocation))


def clusters_used(allocation: Sequence[int]) -> int:
    """Return the number of clusters on which an allocation has processors."""
    return len([*filter(None, allocation)])


def spans(allocation: Sequence[int]) -> bool:
    """Whether an allocation has processors of several clusters."""
    return clusters_used(allocation) > 1


class Refusal(NamedTuple):
    """When and why a job left the queue unserved."""

    instant: float
    why: str


class State(Protocol):
    """What a policy sees and may do; `coalloc_lib.engines.state` keeps this protocol."""

    @property
    def now(self) -> float:
        """The present instant."""

    @property
    def idle(self) -> Sequence[int]:
        """Idle processors of each cluster."""

    @property
    def queue(self) -> Sequence[Job]:
        """The waiting jobs in order of arrival, to be read only; starts show in it at once."""

    @property
    def running(self) -> Sequence[Job]:
        """The jobs in service, in order of their starts, to be read only."""

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return the allocation that a job would get, or None where it does not fit.

        It is placed on `idle`, or on what is idle now.
        """

    def expected_end(self, job: Job, allocation: Sequence[int] | None = None) -> float:
        """Return when a running job is expected to end, or a waiting one that started now.

        A waiting job needs the `allocation` that it would have.
        """

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job if it fits; return whether it did.

        It is placed by the placement or, where given, on `allocation`.
        """

    def promise(self, job: Job, instant: float) -> None:
        """Tell a waiting job when it will start at the latest; the schedule keeps the first."""

    def record(self, job: Job, attempts: int, servers: Sequence[int] = ()) -> None:
        """Keep, for the schedule, how many starts were tried for a job and which servers it has.

        Servers are processors by number, from 0, cluster by cluster.
        """

    def wake(self, instant: float) -> None:
        """Ask to be called at a later instant too, whatever happens until then."""

    def refuse(self, job: Job, why: str) -> None:
        """Take a waiting job out of the queue unserved; the schedule says why."""


class Scheduling:
    """A rule that chooses the waiting jobs that start: one writes `start_jobs`, or `begin`.

    The class attributes are its traits, which engines, checks and commands read. The second half
    are options of some policies: fields of their dataclasses, and for all others what is here. A
    dataclass in which such a field is required writes it as ``max_jumps: int = field()``.
    """

    #: Whether it heeds the earliest and the latest start that jobs ask for; `simulate` gives jobs
    #: that ask for one to no other policy.
    takes_reservations: ClassVar[bool] = False
    #: Whether it serves a held queue, in which submissions do not count (``simulate(backlog=)``).
    takes_backlog: ClassVar[bool] = True
    #: Whether it plans with the expected lengths of jobs, so that the users' estimates matter.
    uses_estimates: ClassVar[bool] = False
    #: Whether it promises each job a start when it is submitted.
    promises_all: ClassVar[bool] = False
    #: Whether a job may start before the head of the queue; if not, a backlog of 1 is enough.
    overtakes: ClassVar[bool] = True

    #: In which order of `coalloc_lib.policies.backfilling.ORDERS` it takes the waiting jobs.
    order: str = "arrival"
    #: Whether a job that fits on several clusters may wait for one instead.
    adaptive: bool = False
    #: How many times a job may be overtaken; None where this is no option.
    max_jumps: int | None = None

    @property
    def title(self) -> str:
        """How sentences and pictures call it: ``FPFS(50)``."""
        limit = "" if self.max_jumps is None else f"({self.max_jumps})"
        return f"{type(self).__name__}{limit}"

    #: When a job's overtakings count: during its whole wait ("waiting"), or as the "head" alone.
    counted: str = "waiting"
    #: The least length that it plans with, also for jobs that are expected to run for less.
    min_length: float = 0.0
    #: Whether processors are idle again when a job ends before it was expected to.
    release_early: bool = True

    def begin(self, system: Multicluster) -> Any:
        """Return what makes the decisions of one run: an object with `start_jobs`.

        A policy that remembers nothing is that object itself. One that remembers returns a new
        object here, so that no run sees what another left.
        """
        return self

    def start_jobs(self, state: State) -> None:
        """Start those of ``state.queue`` that this policy lets start now."""
        raise InputError(
            f"{type(self).__name__} has no start_jobs; write start_jobs(self, state), or a begin"
            "(self, system) that returns an object with it"
        )
