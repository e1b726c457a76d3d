"""Approximate formulas for unordered and total requests on several clusters.

Here F^(i) is the probability that i random jobs fit on the idle system if they are placed one after
the other. On one cluster the formulas are exact.
"""

from collections import Counter
from collections.abc import Iterator
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import CheckedSizes, check_fits
from coalloc_lib.analytic.budget import Budget, SumOfSizes, as_float, convolutions
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.kernels import first_fit_step, worst_fit_size, worst_fit_step
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.compilation import call
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.placement import FirstFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster

#: The largest total probability of the states that one convolution skips to save time.
SKIPPED = 1e-14
#: The cost of changing a sorted vector, in elementary operations for each of its entries: reading
#: the entry, moving it, and computing the rank of the new vector.
PLACED = 3
#: The cost of building and sorting a table of jobs, in elementary operations for each entry.
SORTED = 2000


def unordered_case(
    system: Multicluster, sizes: CheckedSizes, components: int, placement: Placement, budget: Budget
) -> tuple[Iterator[float], int, float]:
    """Return the probabilities that 1, 2, ... unordered jobs fit, and the smallest and mean size.

    The probabilities are an iterator of F^(i) for i = 1, 2, ... The size of a job is its total
    number of processors.
    """
    if isinstance(sizes, JointSizes):
        table = sizes.unordered()
        check_fits(table.vectors.max(axis=0).tolist(), system, "unordered")
        _check_has_formula(system, placement)
        steps, largest = convolutions(table.total(), system.processors), int(table.vectors.max())
        cost = _table_cost(system, placement, len(table), table.components, largest, steps)
        budget.check(*cost)
        return _table_fits(table, system, placement), table.total().minimum, table.mean
    widest = sorted((part.maximum for part in sizes), reverse=True)
    check_fits(widest, system, "unordered")
    _check_has_formula(system, placement)
    part = sizes[0]
    if any(other is not part for other in sizes):
        entries = components * as_float(prod(len(part.sizes) for part in sizes))
        budget.check(SORTED * entries, 32 * entries)
        return unordered_case(system, JointSizes.product(sizes), components, placement, budget)
    fits = _independent_fits(part, components, system, placement, budget)
    return fits, components * part.minimum, components * part.mean


def _independent_fits(part, components, system, placement, budget):
    steps = convolutions(SumOfSizes.of([part] * components), system.processors)
    jobs = multisets(len(part.sizes), components)
    table = _table_cost(system, placement, jobs, components, part.maximum, steps)
    nested = _nested_cost(system, part, components, steps)
    cost = min(nested, table, key=lambda cost: (cost[1] > budget.bytes, cost[0]))
    cost = cost if _by_worst_fit(system, placement) else table
    budget.check(*cost)
    if cost is nested:
        return nested_fits(part, components, system.largest, _start(system))
    return _table_fits(JointSizes.independent(part, components), system, placement)


def _table_fits(table, system, placement):
    if _by_worst_fit(system, placement):
        return worst_fit_fits(table, system.largest, _start(system))
    order = range(len(system)) if placement.clusters is None else placement.clusters
    return first_fit_fits(table, system.as_array()[list(order)])


def worst_fit_fits(joint: JointSizes, size: int, start: NDArray[np.int64]) -> Iterator[float]:
    """Yield the probabilities that 1, 2, ... random jobs fit if worst fit places them.

    The paper calls the computation a WF-convolution. Clusters of different sizes are treated as
    clusters of the largest size in which some processors are always used.

    Parameters
    ----------
    joint : JointSizes
        The component sizes of a job, the largest first.
    size : int
        Number of processors of the largest cluster.
    start : array of int, shape (clusters,)
        Number of processors of each cluster that are always used, in decreasing order.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems (2003),
    section 4.2.
    """
    difference = max(int(joint.vectors.max()), int(start[0]))
    ways = ways_table(len(start), difference)
    density = _initial(ways, difference, size, start)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    floor = SKIPPED / density.size

    def step(before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        call(worst_fit_step, before, after, ways, *jobs, floor, what="formulas")

    return _fit_probabilities(density, step)


def nested_fits(
    part: SizeDistribution, components: int, size: int, start: NDArray[np.int64]
) -> Iterator[float]:
    """Yield the probabilities that 1, 2, ... jobs with independent components fit under worst fit.

    Worst fit places the components of a job in decreasing order of their sizes. The sum over all
    jobs can therefore be computed size by size, and the work grows with the number of sizes and not
    with the number of different jobs. `worst_fit_fits` describes `size` and `start`.
    """
    difference = max(part.maximum, int(start[0]))
    ways = ways_table(len(start), 2 * difference)
    offsets = np.cumsum([0, *_cells(len(start), difference, components)])
    cells = np.zeros((offsets[-1], size + 1))
    tables = offsets, ways, components, difference
    floor = SKIPPED / cells.size / len(part.sizes)

    def step(before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        cells[: len(before)] = before
        cells[len(before) :] = 0
        for value in part.sizes[::-1]:
            chance = float(part.probabilities[value])
            call(worst_fit_size, cells, after, *tables, int(value), chance, floor, what="formulas")

    return _fit_probabilities(_initial(ways, difference, size, start), step)


def first_fit_fits(joint: JointSizes, sizes: NDArray[np.int64]) -> Iterator[float]:
    """Yield the probabilities that 1, 2, ... random jobs fit if first fit places them.

    The array `sizes` has the sizes of the clusters in the order in which they are tried.
    """
    strides = np.append(np.cumprod((sizes + 1)[:0:-1])[::-1], 1).astype(np.int64)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    density = np.zeros(prod(sizes + 1))
    density[0] = 1
    floor = SKIPPED / len(density)

    def step(before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        call(first_fit_step, before, after, sizes, strides, *jobs, floor, what="formulas")

    return _fit_probabilities(density, step)


def ways_table(length: int, largest: int) -> NDArray[np.int64]:
    """Return a table of the numbers of non-increasing vectors, which the kernels need.

    In the table, entry [l, v] counts the non-increasing vectors with l entries from 0 to v - 1.
    """
    ways = np.ones((length + 1, largest + 2), dtype=np.int64)
    for row in range(1, length + 1):
        ways[row] = np.append(0, np.cumsum(ways[row - 1, 1:]))
    return ways


def _fit_probabilities(density, step):
    # Jobs that do not fit are left out, so the sum of the probabilities decreases with each job.
    while True:
        after = np.zeros_like(density)
        step(density, after)
        density = after
        yield float(density.sum())


def _initial(ways, difference, size, start):
    others = len(start) - 1
    density = np.zeros((ways[others, difference + 1], size + 1))
    density[sum(ways[others - i, used] for i, used in enumerate(start[:-1])), 0] = 1
    return density


def _start(system):
    return system.largest - np.sort(system.as_array())


def _table_cost(system, placement, jobs, components, largest, steps):
    if _by_worst_fit(system, placement):
        states = _cells(len(system), _largest_difference(system, largest), 1)[0]
        numbers = states * (system.largest + 1)
        # The number of possible pairs of a difference vector and a level is at most the number of
        # possible vectors of used processors.
        equal_clusters = Counter(system.sizes).items()
        vectors = prod(comb(size + count, count) for size, count in equal_clusters)
        tried = min(states, vectors) * PLACED * len(system) + min(numbers, vectors)
    else:
        tried = numbers = prod(size + 1 for size in system.sizes)
    memory = as_float(2 * numbers + jobs * (components + 1))
    return steps * as_float(tried * jobs), 8 * memory


def _nested_cost(system, part, components, steps):
    cells = _cells(len(system), _largest_difference(system, part.maximum), components)
    levels = system.largest + 1
    tried = sum(cells) * (PLACED * len(system) + levels)
    memory = as_float((sum(cells) + 2 * cells[0]) * levels)
    return steps * as_float(tried * len(part.sizes)), 8 * memory


def _largest_difference(system, largest):
    return max(largest, system.largest - min(system.sizes))


def _cells(clusters, difference, components):
    return [
        comb(difference + clusters - 1 - placed, difference) * comb(2 * difference + placed, placed)
        for placed in range(components)
    ]


def _check_has_formula(system, placement):
    if len(system) > 1 and type(placement) not in (WorstFit, FirstFit):
        raise InputError(
            f"placement = {placement!r} has no formula; give WorstFit() or FirstFit(), or "
            "use a simulation"
        )


def _by_worst_fit(system, placement):
    # On a single cluster, all placements are equivalent.
    return len(system) == 1 or isinstance(placement, WorstFit)
