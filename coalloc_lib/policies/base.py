"""The interface between a scheduling policy and the engine that runs it.

A policy is a subclass of `Scheduling`. The readable engine calls its `start_jobs(state)` at every
instant at which a job is submitted or leaves, and at the instants that the policy asked for with
`State.wake`. It repeats the call until the policy changes nothing more. In `start_jobs`, the policy
reads the `State` and calls its methods to start, promise or reject jobs.

This policy serves the job with the shortest estimate first:

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
from coalloc_lib.model.placement import clusters_used, time_on_processors
from coalloc_lib.model.system import Multicluster


@dataclass(eq=False)
class Job:
    """A job with the attributes that a scheduling policy can read.

    A policy reads these attributes and must not change them. All times are in the unit of the job
    stream.

    Attributes
    ----------
    number : int
        Number of the job in order of arrival, starting at 0. If the stream is sorted by submission,
        it is the position of the job in the stream.
    submit : float
        Instant of submission. With a backlog, this is the instant at which the job entered the
        queue.
    components : tuple of int
        Number of processors of each component.
    runtime : float
        Run time on one cluster.
    estimate : float
        The user's estimate of the run time on one cluster.
    span_penalty : float or list of float
        Relative increase of the run time on several clusters. A list has one value for 2 clusters,
        one for 3 clusters, and so on.
    earliest_start, latest_start : float
        The interval in which the job asks to start, as in `JobStream`.
    priority : float
        Priority of the job, as in `JobStream`.
    overtaken : int
        Number of jobs behind this one in the queue that have started.
    jumped : int
        Number of jobs behind this one that started while this job was the head of the queue.
    start : float or None
        Instant at which the job started; None while it waits.
    allocation : sequence of int, or None
        Number of processors that the job has in each cluster; None while it waits.

    Examples
    --------
    >>> job = Job(0, 0.0, 10.0, 12.0, components=(4, 2), span_penalty=0.5)
    >>> job.processors, job.length([6, 0]), job.length([4, 2]), job.expected_length([4, 2])
    (6, 10.0, 15.0, 18.0)
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
        """Whether the job requests an advance reservation: an earliest or a latest start."""
        return self.earliest_start > self.submit or self.latest_start < inf

    @property
    def processors(self) -> int:
        """Total number of processors that the job needs."""
        return sum(self.components)

    @property
    def expected(self) -> float:
        """Expected run time on one cluster: the larger of the user's estimate and the run time."""
        return max(self.estimate, self.runtime)

    def length(self, allocation: Sequence[int]) -> float:
        """Return the run time of the job on an allocation, including the span penalty.

        Parameters
        ----------
        allocation : sequence of int
            Number of processors in each cluster. Only the number of clusters used matters.

        Returns
        -------
        float
            The run time, times ``1 + span_penalty`` if the allocation uses several clusters.
        """
        return time_on_processors(self.runtime, self.span_penalty, clusters_used(allocation))

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return the expected run time of the job on an allocation, including the span penalty.

        Parameters
        ----------
        allocation : sequence of int
            Number of processors in each cluster. Only the number of clusters used matters.

        Returns
        -------
        float
            The estimate, or the run time if that is longer, times ``1 + span_penalty`` if the
            allocation uses several clusters.
        """
        return time_on_processors(self.expected, self.span_penalty, clusters_used(allocation))


def spans(allocation: Sequence[int]) -> bool:
    """Return whether an allocation has processors in more than one cluster."""
    return clusters_used(allocation) > 1


class Refusal(NamedTuple):
    """The rejection of a job: when and why the job left the queue without a start.

    Parameters
    ----------
    instant : float
        When the job was rejected.
    why : str
        The reason that the policy gave.

    Examples
    --------
    >>> Refusal(3.0, "past its latest start").why
    'past its latest start'
    """

    instant: float
    why: str


class State(Protocol):
    """The state of a running simulation, with the methods that a scheduling policy can call.

    The engine passes this object to `Scheduling.start_jobs`. The attributes describe the system at
    the present instant; the methods are what a policy can do. `coalloc_lib.engines.state`
    implements this protocol.

    Examples
    --------
    >>> class Largest(Scheduling):
    ...     def start_jobs(self, state):
    ...         for job in sorted(state.queue, key=lambda job: -job.processors):
    ...             state.start(job)
    """

    @property
    def now(self) -> float:
        """The current time of the simulation."""

    @property
    def idle(self) -> Sequence[int]:
        """Number of idle processors of each cluster."""

    @property
    def queue(self) -> Sequence[Job]:
        """The waiting jobs, in order of arrival.

        The sequence is read-only. A job that is started disappears from it immediately.
        """

    @property
    def running(self) -> Sequence[Job]:
        """The running jobs, in the order in which they started, as a read-only sequence."""

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return how many processors in each cluster the placement would give to a job.

        Parameters
        ----------
        job : Job
            The job to place. It is not started.
        idle : sequence of int, optional
            Number of idle processors of each cluster. By default, the processors that are idle now.

        Returns
        -------
        sequence of int, or None
            Number of processors in each cluster, or None if the job does not fit.
        """

    def expected_end(self, job: Job, allocation: Sequence[int] | None = None) -> float:
        """Return the expected end of a job, on the assumption that a waiting job starts now.

        Parameters
        ----------
        job : Job
            A running job, or a waiting job that is assumed to start now.
        allocation : sequence of int, optional
            The allocation that a waiting job would have; it is required for a waiting job.

        Returns
        -------
        float
            The instant of the expected end.

        Raises
        ------
        InputError
            If the job is not running and no allocation is given.
        """

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job now, if it fits.

        Parameters
        ----------
        job : Job
            A job of the queue.
        allocation : sequence of int, optional
            Number of processors in each cluster. By default, the placement chooses them.

        Returns
        -------
        bool
            Whether the job was started.

        Raises
        ------
        InputError
            If the job is not waiting, or if the allocation does not have its number of processors.
            Also if the request of the job does not allow the allocation, unless the user defined
            the method `place` of the placement.
        """

    def promise(self, job: Job, instant: float) -> None:
        """Promise a waiting job a start by a given instant; only the first promise is stored.

        Raises `InputError` if the instant has passed or is infinite.
        """

    def record(self, job: Job, attempts: int, servers: Sequence[int] = ()) -> None:
        """Store how many start times were tried for a waiting job, and which processors it gets.

        Parameters
        ----------
        job : Job
            A job of the queue.
        attempts : int
            Number of start times that were tried for the job.
        servers : sequence of int, optional
            Numbers of the processors that the job gets. The processors are numbered from 0, cluster
            by cluster.
        """

    def wake(self, instant: float) -> None:
        """Make the engine call the policy at a later instant, even if no job arrives or leaves."""

    def refuse(self, job: Job, why: str) -> None:
        """Reject a waiting job: remove it from the queue and store the reason in the schedule."""


class Scheduling:
    """Base class of scheduling policies, which decide when waiting jobs start.

    A subclass defines `start_jobs`, or `begin` if it must remember something during a run. It may
    override the class attributes, which describe the policy to the engines, checks and commands.

    The attributes `order`, `adaptive`, `max_jumps`, `min_length` and `release_early` are options
    of some policies. A policy that has such an option declares it as a field of a dataclass; for
    other policies the value here applies. If the field is required, the dataclass must write it as
    ``max_jumps: int = field()``.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> class LastComeFirstServed(co.Scheduling):
    ...     def start_jobs(self, state):
    ...         while state.queue and state.start(state.queue[-1]):
    ...             pass
    >>> jobs = co.JobStream(submit=[0, 1, 2], runtime=[5, 5, 5], components=[4, 4, 4])
    >>> how = {"scheduling": LastComeFirstServed(), "engine": "reference"}
    >>> co.simulate(co.Multicluster([4]), jobs, **how).start.tolist()
    [0.0, 10.0, 5.0]
    """

    #: Whether the policy supports advance reservations: jobs that ask for an earliest or a latest
    #: start. If not, `simulate` raises an error for a stream with advance reservations.
    takes_reservations: ClassVar[bool] = False
    #: Whether the policy can be simulated with a backlog. In a simulation with a backlog, the
    #: number of waiting jobs is constant, and the submission times do not matter.
    takes_backlog: ClassVar[bool] = True
    #: Whether the decisions of the policy depend on the users' estimates of run times.
    uses_estimates: ClassVar[bool] = False
    #: Whether the policy promises every job a start when the job is submitted.
    promises_all: ClassVar[bool] = False
    #: Whether a job can start before the head of the queue does. If not, a simulation with a
    #: backlog of one job is enough to measure the maximal utilization.
    overtakes: ClassVar[bool] = True

    #: The order in which the policy considers the waiting jobs, one of
    #: `coalloc_lib.policies.backfilling.ORDERS`.
    order: str = "arrival"
    #: Whether the policy can let a job wait for a single cluster although the job fits on several
    #: clusters now.
    adaptive: bool = False
    #: The maximum number of times that a job can be overtaken; None if there is no limit.
    max_jumps: int | None = None
    #: The minimum length of a reservation, in the time unit of the jobs. A job with a shorter
    #: expected length gets a reservation of this length.
    min_length: float = 0.0
    #: Whether the processors of a job that ends early become available to other jobs immediately.
    release_early: bool = True

    @property
    def title(self) -> str:
        """Name of the policy in text and figures, such as ``FPFS(50)``."""
        limit = "" if self.max_jumps is None else f"({self.max_jumps})"
        return f"{type(self).__name__}{limit}"

    def begin(self, system: Multicluster) -> Any:
        """Return the object that makes the scheduling decisions during one run.

        A policy without memory returns itself. A policy that remembers something must return a new
        object for each run, because otherwise a run would depend on the runs before it.

        Parameters
        ----------
        system : Multicluster
            The system on which the jobs run.

        Returns
        -------
        object
            Any object with a method `start_jobs`.
        """
        return self

    def start_jobs(self, state: State) -> None:
        """Start the waiting jobs that may start at the present instant.

        Parameters
        ----------
        state : State
            The state of the simulation, whose methods start, promise and reject jobs.
        """
        raise InputError(
            f"{type(self).__name__} has no method start_jobs; define start_jobs(self, state), or "
            "define begin(self, system) so that it returns an object with a method start_jobs"
        )
