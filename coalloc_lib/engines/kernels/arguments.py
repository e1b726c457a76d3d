"""The arguments that several simulation kernels have in common.

The kernels of EASY and of conservative backfilling number the jobs in the order of the queue. If
this is not the order of arrival, the array `coming` has the numbers of the jobs in order of
arrival, and the submissions in the `Stream` are in order of arrival too.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.basics.compilation import takes_fixed

#: The n jobs of a run. `submit`, float64 (n,): the instants of submission, in order of arrival.
#: `runtime`, float64 (n,): the run times on one cluster. `spanning`, float64 (n, k): the run times
#: on 2, 3, ..., k + 1 clusters; a job on more clusters has the last run time. `parts`, int32 (n,
#: width), and `keys`, int32 (n, k): the sizes that the module `placing` explains.
Stream = namedtuple("Stream", "submit runtime spanning parts keys")
#: The expected lengths of n jobs. `alone`, float64 (n,): the lengths on one cluster. `spanning`,
#: float64 (n, k): the lengths on 2, 3, ..., k + 1 clusters. `least`, float64 (n, 1): the shortest
#: length of each job on any allocation.
Expected = namedtuple("Expected", "alone spanning least")
#: The results that a kernel writes for n jobs on c clusters. `start`, `end` and `entered`, float64
#: (n,): when each job started, ended and entered the queue. `promised`, float64 (n,): the first
#: start that it was promised. `allocation`, int32 (n, c): its processors in each cluster.
Columns = namedtuple("Columns", "start end entered allocation promised")
#: The options of EASY and of conservative backfilling. `backlog`: the constant number of waiting
#: jobs, or 0 if jobs arrive when they are submitted. `has_choice`: whether the clusters that a job
#: gets may depend on the jobs that started before it. `is_fixed`: whether the length of a job is
#: the same on all its possible allocations. `is_adaptive`: whether a job that fits on several
#: clusters may wait for a single cluster (EASY only). `is_in_turn`: whether the queue is in order
#: of arrival.
BackfillingOptions = namedtuple(
    "BackfillingOptions", "backlog has_choice is_fixed is_adaptive is_in_turn"
)
takes_fixed(BackfillingOptions)


def new_state(times: str, numbers: str, flags: str) -> np.recarray:
    """Return an array with one record. Its fields are variables that several kernels change.

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
