"""The number of processors in use over time."""

from typing import Any

import numpy as np


def in_use(begins: Any, ends: Any, processors: Any, share: float = 0.99) -> float:
    """Return a time-weighted quantile of the number of processors in use.

    Parameters
    ----------
    begins, ends : array_like, shape (n,)
        The instants between which each job runs.
    processors : array_like, shape (n,)
        The number of processors of each job.
    share : float
        The fraction of the time from the first start to the last end for which the result is not
        exceeded. With the default, the result is exceeded for 1 % of the time.
    """
    when = np.concatenate([ends, begins])
    order = np.argsort(when, kind="stable")
    changes = np.asarray(processors, dtype=float)  # unsigned integers have no negative values
    used = np.concatenate([-changes, changes])[order].cumsum()[:-1].clip(0)
    least_first = np.argsort(used)
    time = np.diff(when[order])[least_first].cumsum()
    return float(used[least_first][np.searchsorted(time, share * time[-1])])
