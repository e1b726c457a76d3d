"""What an engine is given and what it gives, in order of arrival."""

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
    """A run to be made: the jobs in order of arrival; no placement for ordered requests.

    With a `backlog` submissions do not count: the queue is topped up to this many jobs.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    placement: Placement | None = None
    backlog: int | None = None


class Servers:
    """Which servers each job has, in ascending order: job i ``ids[first[i]:first[i + 1]]``."""

    def __init__(self, ids: NDArray[np.int32], first: NDArray[np.int64]) -> None:
        self.ids, self.first = ids, first
        for column in (ids, first):
            column.flags.writeable = False

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[int] | NDArray[np.int32]]) -> "Servers":
        """Return these rows as one table."""
        first = np.append(0, np.cumsum([len(row) for row in rows], dtype=np.int64))
        ids = np.concatenate([np.asarray(row, dtype=np.int32) for row in rows])
        return cls(ids, first)

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, job: int) -> NDArray[np.int32]:
        """Return the servers of the job at a position, in ascending order."""
        row = range(len(self))[job]
        return self.ids[self.first[row] : self.first[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[job] for job in range(len(self)))

    def __repr__(self) -> str:
        return f"<Servers of {len(self)} jobs>"


class Outcome(NamedTuple):
    """The columns of a run, one entry a job, as in `coalloc_lib.schedules.schedule.Schedule`.

    `entered` is when a job came into the queue: its submission unless the queue was held.
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
        """Return the outcome of the jobs of which ``order[i]`` was the i-th to arrive."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        columns = [column[place] for column in self[:5]]
        refused = {int(order[job]): refusal for job, refusal in self.refused.items()}
        attempts = None if self.attempts is None else self.attempts[place]
        servers = self.servers and Servers.of_rows([self.servers[row] for row in place])
        return Outcome._make([*columns, refused, attempts, servers])


def left_waiting(policy: str, count: int, first: int) -> InputError:
    """Return the error of a run that came to rest with jobs in its queue."""
    return InputError(
        f"{policy} left {count} jobs waiting in an idle system, job {first} first; let it start "
        "whatever fits"
    )
