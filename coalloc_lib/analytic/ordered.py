"""Ordered requests: every component has its cluster."""

from collections.abc import Iterator
from math import log2, prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import Checked, check_fits
from coalloc_lib.analytic.budget import CALL, Budget, convolutions, number
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.one_cluster import one_cluster_cost, one_cluster_fits
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.placement import Placement
from coalloc_lib.system import Multicluster


def ordered_case(
    system: Multicluster, sizes: Checked, components: int, placement: Placement, budget: Budget
) -> tuple[Iterator[float], int, float]:
    """Return what `unordered_case` does, of its arguments, where component i is for cluster i."""
    if isinstance(sizes, JointSizes):
        return _dependent(system, sizes, budget)
    check_fits([part.maximum for part in sizes], system, "ordered")
    columns: dict[tuple[int, int], tuple[SizeDistribution, int]] = {}
    for column, part in enumerate(sizes):
        key = id(part), system.sizes[column]
        columns[key] = part, columns.get(key, (part, 0))[1] + 1
    costs = [one_cluster_cost(part, size) for (_, size), (part, _) in columns.items()]
    budget.check(*map(sum, zip(*costs, strict=True)))
    # equal columns have equal factors: each is computed once and raised to a power
    factors = [
        one_cluster_fits(part.probabilities, size) for (_, size), (part, _) in columns.items()
    ]
    powers = [count for _, count in columns.values()]
    fits = (float(np.prod(np.power(row, powers))) for row in zip(*factors, strict=True))
    return fits, sum(part.minimum for part in sizes), sum(part.mean for part in sizes)


def _dependent(system, joint, budget):
    widest = joint.vectors.max(axis=0)
    check_fits(widest.tolist(), system, "ordered")
    kept = np.flatnonzero(widest)
    joint = JointSizes(joint.vectors[:, kept], joint.probabilities)
    sizes = system.as_array()[kept]
    steps = convolutions(joint.total(), int(sizes.sum()))
    cells = prod(int(size) + 1 for size in sizes)
    direct = steps * number(len(joint) * (CALL + cells)), number(24 * cells)
    padded = number(prod(int(extent) + 1 for extent in sizes + widest[kept]))
    transformed = 4 * steps * padded * log2(padded), 40 * padded
    if budget.allows(*transformed) and transformed < direct:
        return transform_fits(joint, sizes), joint.total().minimum, joint.mean
    budget.check(*direct)
    return direct_fits(joint, sizes), joint.total().minimum, joint.mean


def direct_fits(joint: JointSizes, sizes: NDArray[np.int64]) -> Iterator[float]:
    """Yield F^(i)(N) for ordered requests from a table of few jobs, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component i is for cluster i.
    sizes : ndarray of int64, shape (k,)
        Processors of the clusters of the components.

    Notes
    -----
    Each job moves the distribution of the vector of used processors by itself. It is cut at the
    system after every job: a vector outside never comes back.
    """
    density = np.zeros(sizes + 1)
    density.flat[0] = 1
    while True:
        out = np.zeros_like(density)
        for job, p in zip(joint.vectors, joint.probabilities, strict=True):
            before = tuple(slice(end) for end in sizes + 1 - job)
            after = tuple(slice(begin, None) for begin in job)
            out[after] += p * density[before]
        density = out
        yield float(density.sum())


def transform_fits(joint: JointSizes, sizes: NDArray[np.int64]) -> Iterator[float]:
    """Yield what `direct_fits` does, for a table of many jobs, by Fourier transform.

    Notes
    -----
    An axis needs room for a full cluster and one component more: what is longer would wrap around
    into cells that are cut. The rounding errors, about 1e-17 a cell, have either sign and are left
    alone.
    """
    from scipy import fft

    widest = joint.vectors.max(axis=0)
    shape = [fft.next_fast_len(int(n) + 1, real=True) for n in sizes + widest]
    table = np.zeros(shape)
    table[tuple(joint.vectors.T)] = joint.probabilities
    jobs = fft.rfftn(table)
    inside = tuple(slice(int(size) + 1) for size in sizes)
    density = np.zeros(sizes + 1)
    density.flat[0] = 1
    while True:
        density = fft.irfftn(fft.rfftn(density, shape) * jobs, shape)[inside]
        yield float(density.sum())
