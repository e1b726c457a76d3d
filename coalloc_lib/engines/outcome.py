"""The input and the output of an engine; the jobs in both are in order of arrival."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Refusal, Scheduling


class Task(NamedTuple):
    """The input of a simulation engine for one run.

    Attributes
    ----------
    system : Multicluster
        The clusters.
    jobs : JobStream
        The jobs, in order of arrival.
    scheduling : Scheduling
        The policy that chooses the jobs that start.
    placement : Placement, optional
        The rule that chooses the clusters of a job; None for ordered requests.
    backlog : int, optional
        The constant number of jobs in the queue. New jobs enter the queue whenever it is shorter,
        and the instants of submission do not matter. By default, jobs enter when they are
        submitted.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    placement: Placement | None = None
    backlog: int | None = None


class Servers:
    """The numbers of the processors on which each job of a run is executed.

    Parameters
    ----------
    ids : ndarray of int32
        The numbers of the processors of all jobs, job by job, in increasing order for each job.
    first : ndarray of int64, shape (n + 1,)
        The processors of job i are ``ids[first[i]:first[i + 1]]``.

    Examples
    --------
    >>> servers = Servers.of_rows([[0, 1], [], [1, 3]])
    >>> len(servers), servers[2].tolist()
    (3, [1, 3])
    """

    def __init__(self, ids: NDArray[np.int32], first: NDArray[np.int64]) -> None:
        self.ids, self.first = ids, first
        for column in (ids, first):
            column.flags.writeable = False

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int] | NDArray[np.int32]]) -> "Servers":
        """Create a `Servers` object from one sequence of processor numbers per job."""
        first = np.append(0, np.cumsum([len(row) for row in rows], dtype=np.int64))
        ids = np.concatenate([np.asarray(row, dtype=np.int32) for row in rows])
        return cls(ids, first)

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, job: int) -> NDArray[np.int32]:
        """Return the processor numbers of the job at position `job`, in increasing order."""
        row = range(len(self))[job]
        return self.ids[self.first[row] : self.first[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[job] for job in range(len(self)))

    def __repr__(self) -> str:
        return f"<Servers of {len(self)} jobs>"


class Outcome(NamedTuple):
    """The output of a simulation engine for n jobs on c clusters.

    Attributes
    ----------
    start, end : ndarray of float64, shape (n,)
        Start and end of each job; NaN if it was rejected.
    entered : ndarray of float64, shape (n,)
        When each job entered the queue. Without a backlog, this is its submission.
    allocation : ndarray of int32, shape (n, c)
        Number of processors of each job in each cluster.
    promised : ndarray of float64, shape (n,)
        The first promised start of each job; NaN if it was promised nothing.
    refused : dict of int to Refusal
        The rejected jobs.
    attempts : ndarray of int64, shape (n,), optional
        Number of starts that were tried for each job, if the policy recorded it.
    servers : Servers, optional
        The numbers of the processors of each job, if the policy recorded them.
    """

    start: np.ndarray
    end: np.ndarray
    entered: np.ndarray
    allocation: np.ndarray
    promised: np.ndarray
    refused: Mapping[int, Refusal]
    attempts: np.ndarray | None = None
    servers: Servers | None = None

    def in_stream_order(self, order: np.ndarray) -> "Outcome":
        """Return a copy in which the results of job i are moved to position ``order[i]``."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        columns = [column[place] for column in self[:5]]
        refused = {int(order[job]): refusal for job, refusal in self.refused.items()}
        attempts = None if self.attempts is None else self.attempts[place]
        servers = self.servers and Servers.of_rows([self.servers[row] for row in place])
        return Outcome._make([*columns, refused, attempts, servers])


def left_waiting(policy: str, count: int, first: int) -> InputError:
    """Create the error for a run that got stuck: jobs wait, but no job will start or leave.

    The number `first` is that of the first waiting job in order of arrival, from 0.
    """
    return InputError(
        f"{policy} left {count} jobs waiting in an idle system, beginning with job {first} "
        "in order of arrival; change the policy so that it starts jobs that fit"
    )
