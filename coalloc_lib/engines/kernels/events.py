"""The departures to come: a binary heap, the earliest end first.

It is two arrays as long as there can be running jobs, `ends` (float64) and `numbers` (int64), of
which the first `count` entries are in use: entry i ends no later than entries 2 i + 1 and 2 i + 2.
Jobs that end at one instant leave in any order; all leave before anything starts.
"""

from coalloc_lib.engines.kernels import kernel


@kernel
def push(ends, numbers, count, end, number):
    """Add a job to the heap of `count` jobs: writes into `ends` and `numbers`."""
    i = count
    while i > 0:
        parent = (i - 1) >> 1
        if ends[parent] <= end:
            break
        ends[i], numbers[i] = ends[parent], numbers[parent]
        i = parent
    ends[i], numbers[i] = end, number


@kernel
def pop(ends, numbers, count):
    """Remove the first departure from the heap of `count` jobs; return its job."""
    first = numbers[0]
    last = count - 1
    end, number = ends[last], numbers[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and ends[child + 1] < ends[child]:
            child += 1
        if ends[child] >= end:
            break
        ends[i], numbers[i] = ends[child], numbers[child]
        i = child
    ends[i], numbers[i] = end, number
    return first
