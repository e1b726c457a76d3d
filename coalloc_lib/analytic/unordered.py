"""Unordered and total requests: random jobs placed one after the other on the idle system.

By worst fit that is the WF-convolution of Bucur, Epema (2003), section 4.2, carried further to
unequal clusters. By first fit the same idea is a bad guide, and shows what it leaves out.
"""

from collections import Counter
from math import comb, prod

import numpy as np

from coalloc_lib.analytic.arguments import check_each_fits
from coalloc_lib.analytic.budget import convolutions, number
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.kernels import first_fit_step, worst_fit_size, worst_fit_step
from coalloc_lib.checks import InputError
from coalloc_lib.placement import FirstFit, WorstFit

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: Operations for each number of a sorted vector: it is read, moved, and counted in the new place.
PLACED = 3


def unordered_case(system, sizes, components, placement, budget):
    """Return F^(i) for i = 1, 2, ..., the smallest and the mean number of processors of a job.

    Parameters
    ----------
    system : Multicluster
    sizes : JointSizes or list of SizeDistribution
        A list has one distribution a component.
    components : int
    placement : WorstFit or FirstFit
        Any on one cluster.
    budget : Budget

    Notes
    -----
    F^(i) is the probability that i random jobs, placed one after the other, fit on the idle
    system.
    """
    if isinstance(sizes, JointSizes):
        table = sizes.unordered()
        check_each_fits(table.vectors, system)
        fits = _of_table(table, system, placement, budget)
        return fits, table.total().minimum, table.mean
    widest = sorted((part.maximum for part in sizes), reverse=True)
    check_each_fits(np.array([widest]), system)
    part = sizes[0]
    if any(other is not part for other in sizes):
        return unordered_case(system, JointSizes.product(sizes), components, placement, budget)
    fits = _of_independent(part, components, system, placement, budget)
    return fits, components * part.minimum, components * part.mean


def _of_table(table, system, placement, budget):
    steps = convolutions(table.total(), system.processors)
    if _by_worst_fit(system, placement):
        start = _start(system)
        jobs, largest = len(table), int(table.vectors.max())
        budget.check(*_table_cost(system, start, jobs, table.components, largest, steps))
        return worst_fit_fits(table, system.largest, start)
    budget.check(*_first_fit_cost(system, len(table), table.components, steps))
    return first_fit_fits(table, _in_order(system, placement))


def _of_independent(part, components, system, placement, budget):
    jobs = multisets(len(part.sizes), components)
    steps = convolutions(part.sum_of(components), system.processors)
    if not _by_worst_fit(system, placement):
        budget.check(*_first_fit_cost(system, jobs, components, steps))
        table = JointSizes.independent(part, components)
        return first_fit_fits(table, _in_order(system, placement))
    start = _start(system)
    cost = nested = _nested_cost(system, start, part, components, steps)
    if not system.is_equal:
        table = _table_cost(system, start, jobs, components, part.maximum, steps)
        cost = min(table, nested, key=lambda cost: (cost[1] > budget.bytes, cost[0]))
    budget.check(*cost)
    if cost is nested:
        return nested_fits(part, components, system.largest, start)
    return worst_fit_fits(JointSizes.independent(part, components), system.largest, start)


def worst_fit_fits(joint, size, start):
    """Yield F^(i) by worst fit for a table of jobs, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component sizes, each row non-increasing.
    size : int
        Processors of the largest cluster.
    start : ndarray of int64, shape (clusters,)
        Used processors of the initial system, non-increasing.

    Notes
    -----
    A state is the vector of used processors, non-increasing. A job's largest component goes to
    the least used cluster, and so on; the new vector is sorted again: h(s) is the sum of
    f(t) g(u) over ord(t + rev(u)) = s. Since worst fit looks at idle processors only, clusters of
    unequal sizes are clusters of the largest size of which a part is used from the start.
    """
    ways = ways_table(size, start)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    density = np.zeros(ways[-1, -1])
    density[0] = 1
    while True:
        out = np.zeros_like(density)
        worst_fit_step(density, out, ways, start, *jobs, NEGLIGIBLE / len(density))
        density = out
        yield float(density.sum())


def nested_fits(part, components, size, start):
    """Yield what `worst_fit_fits` does, for independent components: best where clusters are equal.

    Parameters
    ----------
    part : SizeDistribution
        Size of each component.
    components : int
        Components of a job.
    size, start
        Those of `worst_fit_fits`.

    Notes
    -----
    Worst fit places a job's components by decreasing size, the next one on the least used cluster
    that has none of them, so the sum over all jobs is nested, one size in another. Jobs that begin
    alike are placed together: the work grows with the number of sizes, not of different jobs.
    """
    clusters, spread = len(start), max(part.maximum, int(start[0] - start[-1]))
    ways = ways_table(size, np.zeros_like(start))
    offsets = np.cumsum([0, *_cells(components, clusters, size)])
    order = [(int(value), float(part.probabilities[value])) for value in part.sizes[::-1]]
    floor = NEGLIGIBLE / offsets[-1] / len(order)
    out = np.zeros(offsets[1])
    out[sum(ways[clusters - i, x] for i, x in enumerate(start))] = 1
    cells = np.zeros(offsets[-1])
    while True:
        cells[: len(out)] = out
        cells[len(out) :] = 0
        out[:] = 0
        for job in order:
            worst_fit_size(cells, out, offsets, ways, components, spread, *job, floor)
        yield float(out.sum())


def first_fit_fits(joint, sizes):
    """Yield F^(i) by first fit for a table of jobs, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component sizes, each row non-increasing.
    sizes : ndarray of int64, shape (c,)
        Processors of the clusters, in the order in which they are tried.
    """
    strides = np.append(np.cumprod((sizes + 1)[:0:-1])[::-1], 1).astype(np.int64)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    density = np.zeros(prod(sizes + 1))
    density[0] = 1
    while True:
        out = np.zeros_like(density)
        first_fit_step(density, out, sizes, strides, *jobs, NEGLIGIBLE / len(density))
        density = out
        yield float(density.sum())


def ways_table(size, least):
    """Return w with w[l, v] the number of vectors of l numbers below v.

    Parameters
    ----------
    size : int
        Largest number.
    least : ndarray of int64, shape (c,)
        Non-increasing; the vectors are non-increasing, and nowhere below the last l of it.

    Returns
    -------
    ndarray of int64, shape (c + 1, size + 2)

    Notes
    -----
    A vector v of l numbers has lexicographic place sum of w[l - i, v[i]] over i: before it come,
    for each i, the vectors that agree with it up to i and are smaller there.
    """
    ways = np.ones((len(least) + 1, size + 2), dtype=np.int64)
    for length, bound in enumerate(least[::-1], start=1):
        ending = np.where(np.arange(size + 1) < bound, 0, ways[length - 1, 1:])
        ways[length] = np.append(0, np.cumsum(ending))
    return ways


def _start(system):
    """Return what is used from the start where all clusters are as large as the largest."""
    return system.largest - np.sort(system.as_array())


def _table_cost(system, start, jobs, components, largest, steps):
    """Return about how many operations, and bytes, `worst_fit_fits` takes.

    The most and the least used cluster never differ by more than the largest component, or than
    at the start.
    """
    size, clusters = system.largest, len(system)
    alike = Counter(system.sizes).items()
    states = min(comb(size + clusters, clusters), prod(comb(n + many, many) for n, many in alike))
    spread = min(size, max(largest, int(start[0] - start[-1])))
    reached = min(states, _balanced(clusters, size, spread))
    operations = number(states * clusters + reached * jobs * PLACED * clusters)
    return steps * operations, number(16 * states + 8 * jobs * (components + 1))


def _nested_cost(system, start, part, components, steps):
    """Return about how many operations, and bytes, `nested_fits` takes."""
    size, clusters = system.largest, len(system)
    spread = min(size, max(part.maximum, int(start[0] - start[-1])))
    cells = _cells(components, clusters, size)
    reached = sum(
        _balanced(clusters - placed, size, spread) * comb(min(size, 2 * spread) + placed, placed)
        for placed in range(components)
    )
    operations = number(reached * len(part.sizes) * PLACED * clusters)
    return steps * operations, 8 * number(sum(cells) + cells[0])


def _first_fit_cost(system, jobs, components, steps):
    """Return about how many operations, and bytes, `first_fit_fits` takes."""
    states = number(prod(size + 1 for size in system.sizes))
    return steps * states * number(jobs), 16 * states + 8 * number(jobs * (components + 1))


def _balanced(length, size, spread):
    """Return how many non-increasing vectors of numbers up to `size` differ by `spread` at most."""
    others = length - 1
    return (size - spread + 1) * comb(spread + others, others) + comb(spread + others, length)


def _cells(components, clusters, size):
    """Return the number of states with 0, 1, ..., components - 1 components placed."""
    return [
        comb(size + clusters - placed, clusters - placed) * comb(size + placed, placed)
        for placed in range(components)
    ]


def _by_worst_fit(system, placement):
    """Whether worst fit's convolution serves: every placement is the same on one cluster."""
    if len(system) > 1 and type(placement) not in (WorstFit, FirstFit):
        raise InputError(
            f"placement = {placement!r} has no formula; give WorstFit() or FirstFit(), or "
            "simulate instead"
        )
    return len(system) == 1 or isinstance(placement, WorstFit)


def _in_order(system, placement):
    """Return the cluster sizes in the order in which first fit tries them."""
    order = range(len(system)) if placement.clusters is None else placement.clusters
    return system.as_array()[list(order)]
