"""The WF-convolution for independent components: one size at a time, from large to small.

Jobs that begin alike are placed together, so the work grows with the number of sizes and not
with the number of different jobs.
"""

from math import comb, factorial, inf

import numpy as np

from coalloc_lib.analytic.effort import (
    LONGEST,
    PAIRS,
    Effort,
    beyond,
    number,
    random_multisets,
    visits,
)
from coalloc_lib.analytic.kernels import worst_fit_size
from coalloc_lib.analytic.lines import line_densities

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: The factorial of more components than this is no float.
MOST_COMPONENTS = 150
#: Measured seconds: one cell passed over; one in which a component is placed, and a cluster more.
EMPTY, CELL, CLUSTER = 2.5e-9, 1e-8, 3.5e-9


def factorised_fits(sizes, components, clusters, size, start=None):
    """Yield F^(i)(N) for unordered requests by worst fit, for i = 1, 2, ...

    Parameters
    ----------
    sizes : SizeDistribution
        Size of each of the independent components.
    components, clusters, size : int
        Components of a job, number of clusters, and processors of each.
    start : ndarray of int64, shape (clusters,), optional
        Used processors of the initial system, non-increasing; see `worst_fit_fits`.

    Notes
    -----
    A job in which size s occurs m_s times has probability k! times the product of p_s^m_s / m_s!.
    Worst fit places its components by decreasing size, the next one on the least used cluster
    that has none of them, so the sum over all jobs is nested, one size in another.

    References
    ----------
    Bucur, Epema (2003), section 4.2.
    """
    ways = ways_table(clusters, size)
    offsets = np.cumsum([0, *_cell_counts(components, clusters, size)])
    cells, out = np.zeros(offsets[-1]), np.zeros(offsets[1])
    out[0 if start is None else sum(ways[clusters - i, x] for i, x in enumerate(start))] = 1
    order = [(int(value), float(sizes.probabilities[value])) for value in sizes.sizes[::-1]]
    floor = NEGLIGIBLE / len(cells) / len(order)
    work = np.zeros((4, clusters + 1), dtype=np.int64)
    while True:
        cells[: len(out)] = out * float(factorial(components))
        cells[len(out) :] = 0
        out[:] = 0
        for job in order:
            worst_fit_size(cells, out, offsets, ways, work, components, size, *job, floor)
        yield float(out.sum())


def factorised_effort(sizes, components, clusters, size, start=None):
    """Return the estimated `Effort` of `factorised_fits`, whose parameters it takes."""
    if components > MOST_COMPONENTS:
        return Effort(inf, inf)
    rng = np.random.default_rng(0)
    counts = [number(count) for count in _cell_counts(components, clusters, size)]
    values = len(sizes.sizes)
    floor = NEGLIGIBLE / sum(counts) / values
    total = sizes.sum_of(components)
    start = np.zeros(clusters, dtype=np.int64) if start is None else start
    taken = int(start.sum())
    capacity = clusters * size - taken
    most = capacity // total.minimum
    densities = list(_until_negligible(total, capacity, most))
    longer = beyond(capacity / total.mean)
    seconds = 0.0
    for placed, count in enumerate(counts):
        states, reached = _random_cells(rng, sizes, start, placed, size)
        _, served = visits(densities, floor, states, reached, most, taken)
        each = len(densities) * EMPTY + served * (CELL + CLUSTER * clusters)
        seconds += longer * count * values * each
    return Effort(seconds, 8 * (sum(counts) + counts[0]))


def ways_table(clusters, size):
    """Return w with w[l, v] the number of non-increasing vectors of length l with entries below v.

    A vector v has lexicographic place sum of w[l - i, v[i]] over i among those of its length l.

    Returns
    -------
    ndarray of int64, shape (clusters + 1, size + 2)
    """
    rows = [[1] * (size + 2)]
    for length in range(1, clusters + 1):
        rows.append([comb(value + length - 1, length) for value in range(size + 2)])
    return np.array(rows, dtype=np.int64)


def _cell_counts(components, clusters, size):
    """Return the number of states with 0, 1, ..., components - 1 components placed."""
    return [
        comb(size + clusters - placed, clusters - placed) * comb(size + placed, placed)
        for placed in range(components)
    ]


def _until_negligible(total, capacity, most):
    for jobs, (low, density) in enumerate(line_densities(total.probabilities, capacity), start=1):
        if jobs > min(most, LONGEST) or density.sum() < 1e-12:
            return
        yield low, density


def _random_cells(rng, sizes, start, placed, size):
    """Return random states with `placed` components placed, and which can place a random size.

    Used processors before a job differ by no more than the largest size, or than at the start,
    which bounds what can stand in the clusters that are served and in those that are not.
    """
    left = len(start) - placed
    rest = random_multisets(rng, size + 1, left, PAIRS)
    served = random_multisets(rng, size + 1, placed, PAIRS)
    value = rng.choice(sizes.sizes, PAIRS)
    largest, least = sizes.maximum, rest[:, -1]
    spread = max(largest, start[0] - start[-1])
    reached = (rest[:, 0] - least <= spread) & (least + value <= size)
    states = np.concatenate([rest, served], axis=1)
    reached &= (states >= start).all(axis=1)
    if placed:
        reached &= served[:, 0] <= least + largest
        reached &= served[:, -1] >= np.maximum(rest[:, 0] - spread, 0) + value
    return states, reached
