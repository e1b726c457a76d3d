"""Unordered requests placed by first fit or best fit: every cluster in its place.

By these rules clusters are not interchangeable, so a state is the whole vector of used
processors: product of N_i + 1 of them.
"""

from math import comb, factorial, inf, prod

import numpy as np

from coalloc_lib.analytic.effort import PAIRS, Effort, beyond, number, random_multisets, visits
from coalloc_lib.analytic.grid import first_different
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.kernels_in_place import in_place_size, in_place_step
from coalloc_lib.analytic.lines import line_densities
from coalloc_lib.analytic.worst_fit import negligible_state

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: More clusters than this have too many sets of them that may serve a job.
MOST_CLUSTERS = 20
#: Measured: of the states that a total allows, at most so large a share is ever occupied, since
#: both rules fill some clusters before others.
OCCUPIED = 0.2
#: Measured seconds: one cell passed over; one occupied; one cluster tried by a component.
EMPTY, CELL, TRY = 6e-10, 1e-8, 3e-9


def table_fits(joint, sizes, best):
    """Yield F^(i) for unordered requests from a table, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component sizes; their order does not matter.
    sizes : ndarray of int64, shape (c,)
        Processors of the clusters, in the order in which first fit tries them.
    best : bool
        Best fit, not first fit.
    """
    joint = joint.unordered()
    jobs = joint.vectors, joint.probabilities, first_different(joint.vectors)
    strides = _strides(sizes)
    density, out = np.zeros(prod(sizes + 1)), np.zeros(prod(sizes + 1))
    used = np.zeros(len(sizes), dtype=np.int64)
    density[0] = 1
    while True:
        out[:] = 0
        floor = negligible_state(density)
        in_place_step(density, out, used, sizes, strides, best, *jobs, floor)
        density, out = out, density
        yield float(density.sum())


def nested_fits(part, components, sizes, best):
    """Yield F^(i) for unordered requests of independent components, for i = 1, 2, ...

    Parameters
    ----------
    part : SizeDistribution
        Of each component.
    components : int
        Components of a job.
    sizes, best
        Those of `table_fits`.

    Notes
    -----
    A job in which size s occurs m_s times has probability k! times the product of p_s^m_s / m_s!.
    Its components are placed by decreasing size on clusters that have none of them, so the sum
    over all jobs is nested, one size in another; in between, the clusters that have one count.
    """
    strides, (masks, place) = _strides(sizes), _sets(len(sizes), components)
    out = np.zeros(prod(sizes + 1))
    cells = np.zeros((len(masks), len(out)))
    used = np.zeros(len(sizes), dtype=np.int64)
    order = [(int(value), float(part.probabilities[value])) for value in part.sizes[::-1]]
    floor = NEGLIGIBLE / cells.size / len(order)
    out[0] = 1
    while True:
        cells[0] = out * float(factorial(components))
        cells[1:] = 0
        out[:] = 0
        system = used, sizes, strides, best, masks, place
        for value in order:
            in_place_size(cells, out, *system, components, *value, floor)
        yield float(out.sum())


def table_effort(law, components, sizes):
    """Return the estimated `Effort` of `table_fits`.

    Parameters
    ----------
    law : SizeDistribution or JointSizes
        Independent components, whose table need not be built for the estimate, or the table.
    components : int
        Number of columns of the table.
    sizes : ndarray of int64, shape (c,)
        Processors of the clusters.
    """
    rng = np.random.default_rng(0)
    total, states, vectors = _random_pairs(rng, law, components, sizes)
    cells, steps, occupied, added = _visits(total, states, vectors, sizes)
    table = isinstance(law, JointSizes)
    jobs = float(len(law)) if table else number(multisets(len(law.sizes), components))
    one = TRY * len(sizes) * components
    work = occupied * CELL + added * jobs * one
    return Effort(cells * (steps * EMPTY + work), 16 * cells + 40 * jobs * components)


def nested_effort(part, components, sizes):
    """Return the estimated `Effort` of `nested_fits`, whose parameters it takes."""
    if len(sizes) > MOST_CLUSTERS:
        return Effort(inf, inf)
    rng = np.random.default_rng(0)
    total, states, vectors = _random_pairs(rng, part, components, sizes)
    cells, steps, _, added = _visits(total, states, vectors[:, :1], sizes)
    rows, values = sum(comb(len(sizes), n) for n in range(components)), len(part.sizes)
    served = added * (CELL + TRY * len(sizes))
    seconds = cells * rows * values * (steps * EMPTY + served)
    return Effort(seconds, 8 * cells * (rows + 1))


def _random_pairs(rng, law, components, sizes):
    """Return the distribution of a job's processors, random states, and random jobs."""
    states = rng.integers(sizes + 1, size=(PAIRS, len(sizes)))
    if isinstance(law, JointSizes):
        rows = -np.sort(-law.vectors[rng.integers(len(law), size=PAIRS)], axis=1)
        return law.total(), states, rows
    rows = law.sizes[random_multisets(rng, len(law.sizes), components, PAIRS)]
    return law.sum_of(components), states, rows


def _visits(total, states, vectors, sizes):
    """Return the number of states and of steps, and what of `visits` is met."""
    capacity = int(sizes.sum())
    cells = number(prod(int(size) + 1 for size in sizes))
    room = -np.sort(states - sizes, axis=1)[:, : vectors.shape[1]]
    fits = (vectors <= room).all(axis=1)
    most = capacity // total.minimum
    densities = line_densities(total.probabilities, capacity)
    occupied, added = visits(densities, NEGLIGIBLE / cells, states, fits, most)
    steps = min(most, capacity / total.mean + 1)
    longer = OCCUPIED * beyond(steps)
    return cells, steps, occupied * longer, added * longer


def _strides(sizes):
    return np.append(np.cumprod((sizes + 1)[:0:-1])[::-1], 1).astype(np.int64)


def _sets(clusters, components):
    """Return the sets of fewer than `components` clusters, with their sizes, and their places."""
    every = np.arange(1 << clusters)
    counts = np.array([int(mask).bit_count() for mask in every])
    kept = np.flatnonzero(counts < components)
    kept = kept[np.argsort(counts[kept], kind="stable")]
    place = np.full(len(every), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return np.stack([kept, counts[kept]], axis=1), place
