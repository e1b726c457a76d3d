"""How the processors of a job are divided into components."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, in_memory, one_of, whole
from coalloc_lib.columns import whole_numbers

#: Components of a job; far more than any system has clusters.
_MOST_PARTS = 10**6
#: What becomes of what does not divide evenly; see `split_into`.
ROUNDINGS = ("even", "floor", "ceiling")


def split_into(totals: ArrayLike, parts: ArrayLike, rounding: str = "even") -> NDArray[np.int64]:
    """Split each total into `parts` components, larger ones first.

    Parameters
    ----------
    totals : array_like of int, shape (n,)
        Processors of each job.
    parts : int or array_like of int, shape (n,)
        Number of components of each job. A total below it gives components of 1 and zeros.
    rounding : {"even", "floor", "ceiling"}
        ``"even"``: components equal up to one. Else all but one are the total over the parts,
        rounded down or up, and one has the rest; where there is less than that left, rounded up,
        there are fewer components, and a total below the parts, rounded down, stays whole.

    Returns
    -------
    ndarray of int, shape (n, largest number of parts)

    References
    ----------
    Ngubiri, van Vliet: Co-Allocation with Communication Considerations in Multi-cluster Systems
    (2008), section 3.1, for ``"floor"`` or ``"ceiling"``: which brackets it prints is not known.

    Examples
    --------
    >>> [split_into([11], 4, rounding)[0].tolist() for rounding in ROUNDINGS]
    [[3, 3, 3, 2], [5, 2, 2, 2], [3, 3, 3, 2]]
    >>> [split_into([9], 4, rounding)[0].tolist() for rounding in ROUNDINGS]
    [[3, 2, 2, 2], [3, 2, 2, 2], [3, 3, 3, 0]]
    """
    one_of("rounding", rounding, ROUNDINGS)
    totals = np.atleast_1d(whole_numbers("totals", totals))
    parts = whole_numbers("parts", parts)
    if totals.ndim > 1 or parts.shape not in ((), totals.shape):
        raise InputError(
            f"totals and parts have shapes {totals.shape} and {parts.shape}; give one value a job"
        )
    parts = np.broadcast_to(parts, totals.shape)
    column = np.arange(in_memory("parts", int(parts.max()), _MOST_PARTS))
    share, rest = (each[:, None] for each in np.divmod(totals, parts))
    if rounding == "even":
        sizes = share + (column < rest)
    elif rounding == "floor":
        sizes = share + np.where(column == 0, rest, 0)
    else:
        most = share + (rest > 0)
        sizes = np.clip(totals[:, None] - column * most, 0, most)
    return np.where(column < parts[:, None], sizes, 0)


def split_smallest(totals: ArrayLike, largest: int) -> NDArray[np.int64]:
    """Split each total into the fewest equal components, up to one, of at most `largest`.

    That is ceil(J/N) components for a total J and clusters of N.

    References
    ----------
    Bucur, Epema (2003), section 2.5: dependent component sizes.
    """
    totals = whole_numbers("totals", totals)
    return split_into(totals, -(-totals // whole("largest", largest)))
