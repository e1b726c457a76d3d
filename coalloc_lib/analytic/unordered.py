"""Unordered and total requests: random jobs placed one after the other on the idle system."""

from collections import Counter
from collections.abc import Iterator
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import Checked, check_fits
from coalloc_lib.analytic.budget import Budget, as_float, convolutions
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.kernels import first_fit_step, worst_fit_size, worst_fit_step
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.placement import FirstFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: Operations for each number of a sorted vector: it is read, moved, and counted in the new place.
PLACED = 3


def unordered_case(
    system: Multicluster, sizes: Checked, components: int, placement: Placement, budget: Budget
) -> tuple[Iterator[float], int, float]:
    """Return F^(i) for i = 1, 2, ..., the smallest and the mean number of processors of a job.

    F^(i) is the probability that i random jobs, placed one after the other, fit on the idle system.
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
        return unordered_case(system, JointSizes.product(sizes), components, placement, budget)
    fits = _of_independent(part, components, system, placement, budget)
    return fits, components * part.minimum, components * part.mean


def _of_independent(part, components, system, placement, budget):
    steps = convolutions(part.sum_of(components), system.processors)
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
    """Yield F^(i) by worst fit: the WF-convolution of Bucur, Epema (2003), section 4.2.

    `joint` has its components in non-increasing order. A state is the non-increasing vector of used
    processors, at first `start`: unequal clusters are clusters of the largest `size`, partly used.
    """
    difference = max(int(joint.vectors.max()), int(start[0]))
    ways = ways_table(len(start), difference)
    density = _initial(ways, difference, size, start)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    floor = NEGLIGIBLE / density.size
    return _one_after_the_other(
        density, lambda before, after: worst_fit_step(before, after, ways, *jobs, floor)
    )


def nested_fits(
    part: SizeDistribution, components: int, size: int, start: NDArray[np.int64]
) -> Iterator[float]:
    """Yield what `worst_fit_fits` does, for `components` independent sizes of one distribution.

    Worst fit places the largest first, so the sum over jobs is nested, one size in another: the
    work grows with the number of sizes, not of different jobs.
    """
    difference = max(part.maximum, int(start[0]))
    ways = ways_table(len(start), 2 * difference)
    offsets = np.cumsum([0, *_cells(len(start), difference, components)])
    cells = np.zeros((offsets[-1], size + 1))
    tables = offsets, ways, components, difference
    floor = NEGLIGIBLE / cells.size / len(part.sizes)

    def step(before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        cells[: len(before)] = before
        cells[len(before) :] = 0
        for value in part.sizes[::-1]:
            chance = float(part.probabilities[value])
            worst_fit_size(cells, after, *tables, int(value), chance, floor)

    return _one_after_the_other(_initial(ways, difference, size, start), step)


def first_fit_fits(joint: JointSizes, sizes: NDArray[np.int64]) -> Iterator[float]:
    """Yield F^(i) by first fit for a table of jobs; `sizes` in the order clusters are tried."""
    strides = np.append(np.cumprod((sizes + 1)[:0:-1])[::-1], 1).astype(np.int64)
    jobs = np.array(joint.vectors), np.array(joint.probabilities)
    density = np.zeros(prod(sizes + 1))
    density[0] = 1
    floor = NEGLIGIBLE / len(density)
    return _one_after_the_other(
        density, lambda before, after: first_fit_step(before, after, sizes, strides, *jobs, floor)
    )


def ways_table(length: int, largest: int) -> NDArray[np.int64]:
    """Return w with w[l, v] the number of non-increasing vectors of l numbers below v."""
    ways = np.ones((length + 1, largest + 2), dtype=np.int64)
    for row in range(1, length + 1):
        ways[row] = np.append(0, np.cumsum(ways[row - 1, 1:]))
    return ways


def _one_after_the_other(density, step):
    """Yield the probability that is left after each job that `step` adds, from array to zeros."""
    while True:
        after = np.zeros_like(density)
        step(density, after)
        density = after
        yield float(density.sum())


def _initial(ways, difference, size, start):
    """Return the probabilities of the states of `worst_fit_step` before the first job."""
    others = len(start) - 1
    density = np.zeros((ways[others, difference + 1], size + 1))
    density[sum(ways[others - i, used] for i, used in enumerate(start[:-1])), 0] = 1
    return density


def _start(system):
    """Return what is used from the start where all clusters are as large as the largest."""
    return system.largest - np.sort(system.as_array())


def _table_cost(system, placement, jobs, components, largest, steps):
    """Return about how many operations, and bytes, a table of so many jobs takes."""
    if _by_worst_fit(system, placement):
        states = _cells(len(system), _largest_difference(system, largest), 1)[0]
        numbers = states * (system.largest + 1)
        # No more levels of all states are reached than there are vectors of used processors.
        alike = Counter(system.sizes).items()
        vectors = prod(comb(size + many, many) for size, many in alike)
        tried = min(states, vectors) * PLACED * len(system) + min(numbers, vectors)
    else:
        tried = numbers = prod(size + 1 for size in system.sizes)
    memory = as_float(2 * numbers + jobs * (components + 1))
    return steps * as_float(tried * jobs), 8 * memory


def _nested_cost(system, part, components, steps):
    """Return about how many operations, and bytes, `nested_fits` takes."""
    cells = _cells(len(system), _largest_difference(system, part.maximum), components)
    levels = system.largest + 1
    tried = sum(cells) * (PLACED * len(system) + levels)
    memory = as_float((sum(cells) + 2 * cells[0]) * levels)
    return steps * as_float(tried * len(part.sizes)), 8 * memory


def _largest_difference(system, largest):
    """Return what two clusters differ by at most: the largest component, or what at the start."""
    return max(largest, system.largest - min(system.sizes))


def _cells(clusters, difference, components):
    """Return the number of cells with 0, 1, ..., components - 1 components placed."""
    return [
        comb(difference + clusters - 1 - placed, difference) * comb(2 * difference + placed, placed)
        for placed in range(components)
    ]


def _check_has_formula(system, placement):
    """Raise an error if there is no formula for the placement on several clusters."""
    if len(system) > 1 and type(placement) not in (WorstFit, FirstFit):
        raise InputError(
            f"placement = {placement!r} has no formula; give WorstFit() or FirstFit(), or "
            "simulate instead"
        )


def _by_worst_fit(system, placement):
    """Return whether worst fit's convolution applies: on one cluster all placements are equal."""
    return len(system) == 1 or isinstance(placement, WorstFit)
