"""Policies that serve the queue in turn, with or without overtaking."""

from dataclasses import dataclass, field
from typing import ClassVar

from coalloc_lib.basics.checks import one_of, whole
from coalloc_lib.policies.base import Scheduling, State

#: From when on a job's overtakings may count.
COUNTED = ("waiting", "head")


@dataclass(frozen=True)
class FCFS(Scheduling):
    """First come, first served: a head of the queue that does not fit holds up all others."""

    overtakes: ClassVar[bool] = False

    def start_jobs(self, state: State) -> None:
        """Start jobs from the head of the queue until one does not fit."""
        queue = state.queue
        while queue and state.start(queue[0]):
            pass


@dataclass(frozen=True)
class FPFS(Scheduling):
    """Fit processors, first served: where the head does not fit, others that do may start.

    Parameters
    ----------
    max_jumps : int
        How many times a job may be overtaken; 0 makes it FCFS.
    counted : {"waiting", "head"}
        Whether a job's overtakings count over its whole wait, or only while it heads the queue.

    Notes
    -----
    A job is overtaken when a job behind it in the queue starts. Whoever overtakes a job overtakes
    all before it too, so the head has been overtaken the most and its count alone decides.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), section 2.4: 'the maximal number of times a job can be overtaken'.
    Ngubiri, van Vliet: Co-Allocation with Communication Considerations in Multi-cluster Systems
    (2008), section 4: 'the number of times a job at the head of the queue can be jumped'.
    """

    max_jumps: int = field()  # required, though `Scheduling` has a default
    counted: str = "waiting"

    def __post_init__(self) -> None:
        """Check the limit."""
        object.__setattr__(self, "max_jumps", whole("max_jumps", self.max_jumps, least=0))
        one_of("counted", self.counted, COUNTED)

    def __repr__(self) -> str:
        """Return the call that makes it, as short as it can be."""
        counted = "" if self.counted == "waiting" else f", counted={self.counted!r}"
        return f"FPFS(max_jumps={self.max_jumps}{counted})"

    def start_jobs(self, state: State) -> None:
        """Start, from head to tail, every job that fits and may overtake those before it."""
        queue = state.queue
        for job in queue[:]:
            head = queue[0]
            jumps = head.overtaken if self.counted == "waiting" else head.jumped
            if job is not head and jumps >= self.max_jumps:
                break
            state.start(job)
