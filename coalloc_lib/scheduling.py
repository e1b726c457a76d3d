"""Scheduling policies: which waiting jobs start now. The readable definitions.

The engine calls `start_jobs(state)` at every instant at which something happened, again and again
until nothing more starts. The policy looks at ``state.queue`` (the waiting jobs in order of
arrival), at ``state.now``, ``state.idle`` (processors of each cluster) and ``state.running``, and
calls ``state.start(job)``, which starts the job and returns True if it fits, and otherwise does
nothing and returns False. A job has ``number`` (from 0), ``submit``, ``runtime``, ``estimate``,
``components``, ``processors``, ``overtaken`` and, once it runs, ``start`` and ``allocation``.

To try a policy of your own, derive from `Scheduling` and write `start_jobs`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from coalloc_lib.checks import whole


class Scheduling(ABC):
    """A rule that chooses the waiting jobs that start."""

    @abstractmethod
    def start_jobs(self, state):
        """Start those of ``state.queue`` that this policy lets start now.

        Parameters
        ----------
        state : coalloc_lib.engines.reference.State
            ``queue``, ``running``, ``idle``, ``now`` and ``start(job)``; see this module.
        """


@dataclass(frozen=True)
class FCFS(Scheduling):
    """First come, first served: a head of the queue that does not fit holds up all others."""

    def start_jobs(self, state):
        """Start jobs from the head of the queue until one does not fit."""
        while state.queue and state.start(state.queue[0]):
            pass


@dataclass(frozen=True)
class FPFS(Scheduling):
    """Fit processors, first served: where the head does not fit, others that do may start.

    Parameters
    ----------
    max_jumps : int
        How many times a job may be overtaken; 0 makes it FCFS.

    Notes
    -----
    A job is overtaken when a job behind it in the queue starts. Whoever overtakes a job
    overtakes all before it too, so the head has been overtaken the most and its count alone
    decides.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), section 2.4.
    """

    max_jumps: int

    def __post_init__(self):
        """Check the limit."""
        object.__setattr__(self, "max_jumps", whole("max_jumps", self.max_jumps, least=0))

    def start_jobs(self, state):
        """Start, from head to tail, every job that fits and may overtake those before it."""
        for job in list(state.queue):
            head = state.queue[0]
            if job is not head and head.overtaken >= self.max_jumps:
                break
            state.start(job)
