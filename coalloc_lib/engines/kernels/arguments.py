"""The arguments that several simulation kernels have in common.

The kernels of EASY and of conservative backfilling number the jobs in the order of the queue. If
this is not the order of arrival, the array `coming` has the numbers of the jobs in order of
arrival, and the submissions in the `Stream` are in order of arrival too.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.basics.compilation import takes_fixed

#: A named tuple of arrays with the n jobs of a run.
#:
#: - `submit`, float64 (n,): the submission times, in order of arrival.
#: - `runtime`, float64 (n,): the run times on one cluster.
#: - `spanning`, float64 (n, k): the run times on 2, 3, ..., k + 1 clusters; the last column is also
#:   for more clusters.
#: - `parts`, int32 (n, width), and `keys`, int32 (n, k): the sizes of the jobs, in two forms that
#:   the module `placing` defines.
Stream = namedtuple("Stream", "submit runtime spanning parts keys")
#: A named tuple of arrays with the expected lengths of n jobs.
#:
#: - `alone`, float64 (n,): the lengths on one cluster.
#: - `spanning`, float64 (n, k): the lengths on 2, 3, ..., k + 1 clusters.
#: - `least`, float64 (n, 1): the shortest length that each job can have on any allocation.
Expected = namedtuple("Expected", "alone spanning least")
#: A named tuple of arrays for the results of n jobs on c clusters.
#:
#: - `start`, `end` and `entered`, float64 (n,): when each job started, ended and entered the queue.
#: - `promised`, float64 (n,): the first promised start of each job.
#: - `allocation`, int32 (n, c): the number of processors of each job in each cluster.
Columns = namedtuple("Columns", "start end entered allocation promised")
#: A named tuple with the options of EASY and of conservative backfilling.
#:
#: - `backlog`: the constant number of waiting jobs, or 0 if jobs arrive at their submission times.
#: - `has_choice`: whether the clusters of a job can depend on earlier starts of other jobs.
#: - `is_fixed`: whether no job's length depends on its allocation.
#: - `is_adaptive`: whether EASY lets a job that fits on several clusters wait for a single cluster.
#: - `is_in_turn`: whether the queue is in order of arrival.
BackfillingOptions = namedtuple(
    "BackfillingOptions", "backlog has_choice is_fixed is_adaptive is_in_turn"
)
takes_fixed(BackfillingOptions)


def new_state(times: str, numbers: str, flags: str) -> np.recarray:
    """Return a record array of shape (1,) whose fields are variables shared by several kernels.

    Parameters
    ----------
    times, numbers, flags : str
        The names of the fields of the types float64, int64 and bool, separated by spaces.

    Returns
    -------
    recarray of shape (1,)
        The record, in which all fields are 0 or False.
    """
    fields: list[tuple[str, type]] = [(name, np.float64) for name in times.split()]
    fields += [(name, np.int64) for name in numbers.split()]
    fields += [(name, np.bool_) for name in flags.split()]
    return np.zeros(1, np.dtype(fields, align=True)).view(np.recarray)
