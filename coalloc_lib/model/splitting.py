"""Splitting jobs: into components that run at the same time, or into independent subjobs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, one_of, whole, whole_numbers

#: The possible ways to round component sizes if the components of a job cannot be equal.
ROUNDINGS = ("even", "floor", "ceiling")

#: The maximum number of components per job.
_MOST_PARTS = 10**6
#: The maximum number of entries in an array of component sizes, and the maximum number of subjobs
#: in a job stream.
_MOST_ENTRIES = 10**8


def split_into(totals: ArrayLike, parts: ArrayLike, rounding: str = "even") -> NDArray[np.int64]:
    """Split the processors of each job into a given number of components.

    Parameters
    ----------
    totals : int or array_like of int, shape (n,)
        Number of processors of each job.
    parts : int or array_like of int, shape (n,)
        Number of components of each job. A job with fewer processors than this gets fewer
        components.
    rounding : {"even", "floor", "ceiling"}
        What happens if the processors do not divide evenly. With ``"even"`` the components differ
        by at most one processor. With ``"floor"`` and ``"ceiling"`` all components but one have
        the quotient, rounded down or up, and one component has the rest. Rounding up can give fewer
        components than `parts`. With rounding down, a job with fewer processors than `parts` is
        not split.

    Returns
    -------
    ndarray of int, shape (n, k)
        Processors of each component, the largest first, padded with zeros.

    Raises
    ------
    InputError
        If an argument is not a positive whole number, or if the shapes differ.

    Notes
    -----
    Section 3.1 of Ngubiri and van Vliet (2008) rounds either down or up. The text does not show
    which of the two is meant, because the brackets of the formula are not legible.

    Examples
    --------
    >>> [split_into([11], 4, rounding)[0].tolist() for rounding in ROUNDINGS]
    [[3, 3, 3, 2], [5, 2, 2, 2], [3, 3, 3, 2]]
    """
    one_of("rounding", rounding, ROUNDINGS)
    totals = np.atleast_1d(whole_numbers("totals", totals))
    parts = whole_numbers("parts", parts)
    if totals.ndim > 1 or parts.shape not in ((), totals.shape):
        raise InputError(
            f"totals and parts have shapes {totals.shape} and {parts.shape}; give one value for "
            "each job"
        )
    parts = np.broadcast_to(parts, totals.shape)
    most = checks.at_most("parts", int(parts.max()), _MOST_PARTS)
    checks.at_most("jobs times the largest of parts", len(parts) * most, _MOST_ENTRIES)
    column = np.arange(most)
    quotient, rest = (array[:, None] for array in np.divmod(totals, parts))
    if rounding == "even":
        sizes = quotient + (column < rest)
    elif rounding == "floor":
        sizes = quotient + np.where(column == 0, rest, 0)
    else:
        ceiling = quotient + (rest > 0)
        sizes = np.clip(totals[:, None] - column * ceiling, 0, ceiling)
    return np.where(column < parts[:, None], sizes, 0)


def split_smallest(totals: ArrayLike, largest: int) -> NDArray[np.int64]:
    """Split each job into as few components of at most `largest` processors as possible.

    A job of J processors gets ceil(J / `largest`) components, which differ by at most one
    processor.

    Parameters
    ----------
    totals : int or array_like of int, shape (n,)
        Number of processors of each job.
    largest : int
        The largest number of processors of a component.

    Returns
    -------
    ndarray of int, shape (n, k)
        Processors of each component, the largest first, padded with zeros.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems (2003),
    section 2.5: "dependent" component sizes.

    Examples
    --------
    >>> split_smallest([5, 12], 8).tolist()
    [[5, 0], [6, 6]]
    """
    totals = whole_numbers("totals", totals)
    return split_into(totals, -(-totals // whole("largest", largest)))


@dataclass(frozen=True, eq=False, repr=False)
class Chopped:
    """The result of `JobStream.chopped`: the original jobs and their subjobs.

    Parameters
    ----------
    whole : JobStream
        The jobs before they were cut.
    subjobs : JobStream
        The subjobs of all jobs, in the order of the jobs. A job that was not cut is one subjob.
    job : ndarray of int, shape (number of subjobs,)
        Position in `whole` of the job to which each subjob belongs.
    """

    # The fields `whole` and `subjobs` have the type `JobStream`, which cannot be imported here,
    # because its module imports this module.
    whole: Any
    subjobs: Any
    job: NDArray[np.int64]

    def __repr__(self) -> str:
        wide = int((np.bincount(self.job) > 1).sum())
        return f"<Chopped: {wide} of {self.job[-1] + 1} jobs cut, {len(self.job)} subjobs>"

    def last(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the largest value among each job's subjobs, for example the latest end.

        Parameters
        ----------
        values : array_like, shape (number of subjobs,)
            One value for each subjob, such as the `end` of a schedule of the subjobs.

        Returns
        -------
        ndarray, shape (number of jobs,)
            The largest value of each job, or NaN if one of its values is NaN.
        """
        column = np.asarray(values, dtype=float)
        if column.shape != self.job.shape:
            raise InputError(
                f"values has shape {column.shape} and there are {len(self.job)} subjobs; give one "
                "value per subjob, such as the attribute `end` of a schedule of the subjobs"
            )
        return np.maximum.reduceat(column, np.flatnonzero(np.diff(self.job, prepend=-1)))


def chop(jobs: Any, at_most: ArrayLike) -> Chopped:
    """Cut jobs with more than `at_most` processors into subjobs; see `JobStream.chopped`."""
    if jobs.request == "ordered":
        raise InputError(
            "chopped cannot cut jobs with ordered requests; call "
            "jobs.replace(request='total') first"
        )
    most = whole_numbers("at_most", at_most)
    if most.shape not in ((), jobs.submit.shape):
        raise InputError(
            f"at_most has shape {most.shape} and there are {len(jobs)} jobs; give one number, or "
            "one number for each job"
        )
    most = np.broadcast_to(most, jobs.submit.shape)
    count = -(-jobs.processors // most)
    checks.at_most("subjobs", int(count.sum()), _MOST_ENTRIES)
    job = np.repeat(np.arange(len(jobs)), count)
    position = np.arange(len(job)) - np.repeat(np.cumsum(count) - count, count)  # within its job
    sizes = np.minimum(most[job], jobs.processors[job] - position * most[job])
    request = "flexible" if jobs.request == "flexible" else "total"
    return Chopped(jobs, jobs[job].replace(components=sizes, request=request), job)
