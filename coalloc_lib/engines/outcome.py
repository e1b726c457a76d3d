"""What an engine is given and what it gives, in order of arrival."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import Placement
from coalloc_lib.scheduling import Refusal, Scheduling
from coalloc_lib.system import Multicluster


class Task(NamedTuple):
    """A run to be made.

    Attributes
    ----------
    system : Multicluster
    jobs : JobStream
        In order of arrival.
    scheduling : Scheduling
    placement : Placement or None
        None for ordered requests.
    backlog : int or None
        Where given, submissions do not count: the queue is topped up to this many jobs.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    placement: Placement | None = None
    backlog: int | None = None


class Outcome(NamedTuple):
    """The columns of a run, one entry a job.

    Attributes
    ----------
    start, end : ndarray, shape (n,)
        Instants; NaN for a refused job.
    entered : ndarray, shape (n,)
        When the job came into the queue: its submission unless the queue was held.
    allocation : ndarray of int32, shape (n, clusters)
    promised : ndarray, shape (n,)
        The first start that the policy promised, NaN where it promised none.
    refused : dict of int to Refusal
        Jobs that left the queue unserved.
    """

    start: np.ndarray
    end: np.ndarray
    entered: np.ndarray
    allocation: np.ndarray
    promised: np.ndarray
    refused: Mapping[int, Refusal]

    def in_stream_order(self, order: np.ndarray) -> "Outcome":
        """Return the outcome of the jobs of which ``order[i]`` was the i-th to arrive."""

        def moved(column: np.ndarray) -> np.ndarray:
            rows = np.empty_like(column)
            rows[order] = column
            return rows

        refused = {int(order[job]): refusal for job, refusal in self.refused.items()}
        return Outcome._make([*map(moved, self[:-1]), refused])


def no_promises(count: int) -> np.ndarray:
    """Return the column `promised` of a run without promises; it takes no memory."""
    return np.broadcast_to(np.nan, count)


def left_waiting(policy: str, count: int, first: int) -> InputError:
    """Return the error of a run that came to rest with jobs in its queue."""
    return InputError(
        f"{policy} left {count} jobs waiting in an idle system, job {first} first; let it start "
        "whatever fits"
    )
