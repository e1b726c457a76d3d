"""Wide jobs chopped into pieces that are submitted together, and which job a piece belongs to."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, in_memory
from coalloc_lib.columns import whole_numbers

#: Pieces of all jobs together; more than that is a limit in the wrong unit.
_MOST_PIECES = 10**8

#: The streams before and after; streams are made of chopped jobs, so this module knows none.
Stream = TypeVar("Stream")


@dataclass(frozen=True, eq=False, repr=False)
class Chopped(Generic[Stream]):
    """A stream whose wide jobs are pieces, each a job of its own.

    Attributes
    ----------
    whole : JobStream
        The jobs as they were.
    pieces : JobStream
        The pieces: those of a job side by side, in the order of the jobs. Each has its job's
        submission, run time, estimate, span penalty and number, and one component.
    job : ndarray of int, shape (pieces,)
        The position in `whole` of the job that each piece belongs to.

    Notes
    -----
    Work and processors are the same before and after; only who waits for whom is not.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 5], runtime=[60, 10], components=[10, 4], request="total")
    >>> chopped = jobs.chopped(4)
    >>> chopped.pieces.processors.tolist(), chopped.job.tolist()
    ([4, 4, 2, 4], [0, 0, 0, 1])
    >>> chopped.last([60, 60, 120, 70]).tolist()
    [120.0, 70.0]
    """

    whole: Stream
    pieces: Stream
    job: NDArray[np.int64]

    def __repr__(self) -> str:
        wide = int((np.bincount(self.job) > 1).sum())
        return f"<Chopped: {wide} of {self.job[-1] + 1} jobs in pieces, {len(self.job)} pieces>"

    def first(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the least of each job's pieces' values, shape (jobs,): NaN where one is NaN."""
        return self._of_jobs(np.minimum, values)

    def last(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the largest of each job's pieces' values, shape (jobs,): NaN where one is NaN.

        A job ends when its last piece does.
        """
        return self._of_jobs(np.maximum, values)

    def _of_jobs(self, rule: np.ufunc, values: ArrayLike) -> NDArray[np.float64]:
        column = np.asarray(values, dtype=float)
        if column.shape != self.job.shape:
            raise InputError(
                f"values has shape {column.shape} and there are {len(self.job)} pieces; give one "
                "value a piece, such as the end of a schedule of `pieces`"
            )
        first = np.flatnonzero(np.diff(self.job, prepend=-1))
        return rule.reduceat(column, first)


def chop(processors: NDArray[np.int64], at_most: Any) -> tuple[NDArray[np.int64], ...]:
    """Return the processors of every piece, and the position of the job that it is of.

    Parameters
    ----------
    processors : ndarray of int, shape (n,)
    at_most : int or array_like of int, shape (n,)
        The largest piece, of all jobs or of each.

    Returns
    -------
    sizes, job : ndarray of int, shape (pieces,)
        Pieces of `at_most` processors, and one of what is left.

    Examples
    --------
    >>> [column.tolist() for column in chop(np.array([10, 4, 3]), [4, 4, 2])]
    [[4, 4, 2, 4, 2, 1], [0, 0, 0, 1, 2, 2]]
    """
    most = whole_numbers("at_most", at_most)
    if most.shape not in ((), processors.shape):
        raise InputError(
            f"at_most has shape {most.shape} and there are {len(processors)} jobs; give one "
            "number, or one a job"
        )
    most = np.broadcast_to(most, processors.shape)
    count = -(-processors // most)
    in_memory("pieces", int(count.sum()), _MOST_PIECES)
    job = np.repeat(np.arange(len(processors)), count)
    before = np.arange(len(job)) - np.repeat(np.cumsum(count) - count, count)
    return np.minimum(most[job], processors[job] - before * most[job]), job
