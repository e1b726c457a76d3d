"""How the processors of a job are divided into components."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, in_memory, whole
from coalloc_lib.columns import whole_numbers

#: Components of a job; far more than any system has clusters.
_MOST_PARTS = 10**6


def split_into(totals: ArrayLike, parts: ArrayLike) -> NDArray[np.int64]:
    """Split each total into `parts` components equal up to one, larger ones first.

    Parameters
    ----------
    totals : array_like of int, shape (n,)
        Processors of each job.
    parts : int or array_like of int, shape (n,)
        Number of components of each job. A total below it gives components of 1 and zeros.

    Returns
    -------
    ndarray of int, shape (n, largest number of parts)
    """
    totals = np.atleast_1d(whole_numbers("totals", totals))
    parts = whole_numbers("parts", parts)
    if totals.ndim > 1 or parts.shape not in ((), totals.shape):
        raise InputError(
            f"totals and parts have shapes {totals.shape} and {parts.shape}; give one value a job"
        )
    parts = np.broadcast_to(parts, totals.shape)
    column = np.arange(in_memory("parts", int(parts.max()), _MOST_PARTS))
    share, rest = np.divmod(totals, parts)
    sizes = share[:, None] + (column < rest[:, None])
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
