"""Policies that serve the queue in order of arrival: FCFS, and FPFS with limited overtaking."""

from dataclasses import dataclass, field
from typing import ClassVar

from coalloc_lib.basics.checks import one_of, whole
from coalloc_lib.policies.base import Scheduling, State

#: The possible values of `FPFS.counted`.
COUNTED = ("waiting", "head")


@dataclass(frozen=True)
class FCFS(Scheduling):
    """First come, first served: jobs start in order of arrival.

    If the head of the queue does not fit, no other job starts.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2], runtime=[10, 5, 4], components=[3, 4, 1])
    >>> co.simulate(co.Multicluster([4]), jobs, scheduling=co.FCFS()).start.tolist()
    [0.0, 10.0, 15.0]
    """

    overtakes: ClassVar[bool] = False

    def start_jobs(self, state: State) -> None:
        """Start jobs from the head of the queue until the head does not fit."""
        queue = state.queue
        while queue and state.start(queue[0]):
            pass


@dataclass(frozen=True)
class FPFS(Scheduling):
    """Fit processors first served: if the head of the queue does not fit, other jobs may start.

    Parameters
    ----------
    max_jumps : int
        Maximum number of times that a job may be overtaken. With 0, the policy is FCFS.
    counted : {"waiting", "head"}
        Which overtakings of a job count: all during its wait, or only those while it is the head of
        the queue.

    Raises
    ------
    InputError
        If `max_jumps` is not a whole number of 0 or more, or `counted` is another word.

    Notes
    -----
    A job is overtaken when a job behind it in the queue starts. A job that overtakes another one
    also overtakes all jobs ahead of that one. The head of the queue has therefore been overtaken
    most often, and only its count has to be compared with the limit.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), section 2.4: 'the maximal number of times a job can be overtaken'.
    Ngubiri, van Vliet: Co-Allocation with Communication Considerations in Multi-cluster Systems
    (2008), section 4: 'the number of times a job at the head of the queue can be jumped'.

    Examples
    --------
    Job 2 overtakes job 1, which needs all processors. Job 3 may not overtake it a second time.

    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2, 6], runtime=[10, 5, 4, 4], components=[3, 4, 1, 1])
    >>> co.simulate(co.Multicluster([4]), jobs, scheduling=co.FPFS(1)).start.tolist()
    [0.0, 10.0, 2.0, 15.0]
    """

    max_jumps: int = field()  # The field is required, although `Scheduling` has a default.
    counted: str = "waiting"

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_jumps", whole("max_jumps", self.max_jumps, least=0))
        one_of("counted", self.counted, COUNTED)

    def __repr__(self) -> str:
        counted = "" if self.counted == "waiting" else f", counted={self.counted!r}"
        return f"FPFS(max_jumps={self.max_jumps}{counted})"

    def start_jobs(self, state: State) -> None:
        """Start each waiting job that fits and may overtake the jobs ahead of it."""
        queue = state.queue
        for job in queue[:]:
            head = queue[0]
            jumps = head.overtaken if self.counted == "waiting" else head.jumped
            if job is not head and jumps >= self.max_jumps:
                break
            state.start(job)
