"""A plain count of the jobs that overtake other jobs, which tests compare with the policies."""

import numpy as np

from coalloc_lib.schedules.reading import arrival_order


def times_overtaken(schedule):
    """Return how many later jobs of the queue started before each job, shape (n,)."""
    order = arrival_order(schedule)
    result = np.zeros(len(order), dtype=np.int64)
    for place, job in enumerate(order):
        result[job] = (schedule.start[order[place + 1 :]] < schedule.start[job]).sum()
    return result
