"""Exact formulas for ordered requests, flexible requests and one cluster, by convolution.

Here F^(i)(N) is the probability that i random jobs fit together on an idle system with the cluster
sizes N.
"""

from collections.abc import Iterator
from math import log2, prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import CheckedSizes, check_fits
from coalloc_lib.analytic.budget import CALL, Budget, SumOfSizes, as_float, convolutions
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster

#: The largest total probability that is cut off at each tail of a distribution after a convolution.
NEGLIGIBLE = 1e-16
#: A convolution with more multiplications than this number is faster by Fourier transform than
#: directly.
MANY_PRODUCTS = 400_000
#: The cost of a Fourier transform for each array element, in elementary operations.
TRANSFORM = 100


def one_cluster_fits(probabilities: NDArray[np.float64], capacity: int) -> Iterator[float]:
    """Yield the probabilities that 1, 2, ... random jobs fit together on one cluster.

    They are F^(i)(N) for i = 1, 2, ... on a cluster of N = `capacity` processors. The array
    `probabilities` has the probability of each job size, from size 0 on.
    """
    least = int(np.flatnonzero(probabilities)[0])
    step = probabilities[least:]
    low, density = 0, np.ones(1)  # density[s] is the probability that the sum is low + s
    while True:
        low += least
        density = _convolve(density, step)[: max(capacity + 1 - low, 0)]
        low, density = _trimmed(low, density)
        yield float(density.sum())


def one_cluster_cost(sizes: SizeDistribution | SumOfSizes, capacity: int) -> tuple[float, float]:
    """Estimate the number of operations and bytes that the function `one_cluster_fits` needs.

    The estimate assumes that the sums of sizes have a range of ten standard deviations.
    """
    steps = convolutions(sizes, capacity)
    support = sizes.maximum - sizes.minimum + 1
    width = min(capacity + 1, 10 * np.sqrt(sizes.variance * steps) + support)
    products = width * support
    one = products if products <= MANY_PRODUCTS else TRANSFORM * (width + support)
    return steps * (CALL + one), 32 * (width + support)


def _convolve(density, step):
    if len(density) * len(step) <= MANY_PRODUCTS:
        return np.convolve(density, step) if len(density) else density
    from scipy import fft

    count = len(density) + len(step) - 1
    length = fft.next_fast_len(count, real=True)
    product = fft.rfft(density, length) * fft.rfft(step, length)
    return np.maximum(fft.irfft(product, length)[:count], 0)  # rounding can give -1e-19


def _trimmed(low, density):
    if len(density) == 0:
        return low, density
    first = int(np.searchsorted(np.cumsum(density), NEGLIGIBLE))
    last = len(density) - int(np.searchsorted(np.cumsum(density[::-1]), NEGLIGIBLE))
    return low + first, density[first : max(last, first)]


def ordered_case(
    system: Multicluster, sizes: CheckedSizes, components: int, placement: Placement, budget: Budget
) -> tuple[Iterator[float], int, float]:
    """Return the probabilities that 1, 2, ... ordered jobs fit, and the smallest and mean size.

    The probabilities are an iterator of F^(i)(N) for i = 1, 2, ... The size of a job is its
    total number of processors.
    """
    if isinstance(sizes, JointSizes):
        return _joint_case(system, sizes, budget)
    check_fits([part.maximum for part in sizes], system, "ordered")
    columns: dict[tuple[int, int], tuple[SizeDistribution, int]] = {}
    for column, part in enumerate(sizes):
        key = id(part), system.sizes[column]
        columns[key] = part, columns.get(key, (part, 0))[1] + 1
    costs = [one_cluster_cost(part, size) for (_, size), (part, _) in columns.items()]
    budget.check(*map(sum, zip(*costs, strict=True)))
    # The probability F^(i)(N) that i random jobs fit is a product with a factor for each component.
    # Components with the same distribution on clusters of the same size have the same factor, which
    # is computed once and raised to a power.
    factors = [one_cluster_fits(part.probabilities, n) for (_, n), (part, _) in columns.items()]
    powers = [count for _, count in columns.values()]
    fits = (float(np.prod(np.power(row, powers))) for row in zip(*factors, strict=True))
    return fits, sum(part.minimum for part in sizes), sum(part.mean for part in sizes)


def _joint_case(system, joint, budget):
    largest = joint.vectors.max(axis=0)
    check_fits(largest.tolist(), system, "ordered")
    kept = np.flatnonzero(largest)  # clusters that no job uses are left out
    joint = JointSizes(joint.vectors[:, kept], joint.probabilities)
    sizes = system.as_array()[kept]
    steps = convolutions(joint.total(), int(sizes.sum()))
    cells = prod(int(size) + 1 for size in sizes)
    direct = steps * as_float(len(joint) * (CALL + cells)), as_float(24 * cells)
    padded = as_float(prod(int(extent) + 1 for extent in sizes + largest[kept]))
    transformed = 4 * steps * padded * log2(padded), 40 * padded
    if budget.allows(*transformed) and transformed < direct:
        return transform_fits(joint, sizes), joint.total().minimum, joint.mean
    budget.check(*direct)
    return direct_fits(joint, sizes), joint.total().minimum, joint.mean


def direct_fits(joint: JointSizes, sizes: NDArray[np.int64]) -> Iterator[float]:
    """For n = 1, 2, ..., yield the probability that n random ordered jobs fit together.

    The probabilities are calculated by direct convolution, which is fast if there are few different
    jobs. The array `sizes` has the number of processors of each cluster.
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
    """Yield the probabilities that 1, 2, ... random ordered jobs fit, by Fourier transform.

    This is fast if there are many different jobs. The array `sizes` has the number of processors of
    each cluster.
    """
    from scipy import fft

    largest = joint.vectors.max(axis=0)
    # Each axis has room for the size of the cluster plus one more component. A circular convolution
    # wraps larger sums around, but not into the part of the array that is kept.
    shape = [fft.next_fast_len(int(n) + 1, real=True) for n in sizes + largest]
    table = np.zeros(shape)
    table[tuple(joint.vectors.T)] = joint.probabilities
    jobs = fft.rfftn(table)
    inside = tuple(slice(int(size) + 1) for size in sizes)
    density = np.zeros(sizes + 1)
    density.flat[0] = 1
    while True:
        density = fft.irfftn(fft.rfftn(density, shape) * jobs, shape)[inside]
        yield float(density.sum())
