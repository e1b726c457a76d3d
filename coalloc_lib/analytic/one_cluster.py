"""One cluster, or a flexible request: how many random sizes fit together."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.budget import CALL, convolutions
from coalloc_lib.distributions import SizeDistribution

#: Tails of less than this are cut off after every convolution.
NEGLIGIBLE = 1e-16
#: From this number of products on, convolution by Fourier transform is the faster.
MANY_PRODUCTS = 400_000
#: Operations that transforming one element costs.
TRANSFORM = 100


def one_cluster_fits(probabilities: NDArray[np.float64], capacity: int) -> Iterator[float]:
    """Yield F^(i)(N): the probability that i sizes fit together, for i = 1, 2, ...

    Parameters
    ----------
    probabilities : ndarray, shape (largest size + 1,)
        Probability of each size.
    capacity : int
        Number of processors, N; larger sums are dropped.
    """
    least = int(np.flatnonzero(probabilities)[0])
    step = probabilities[least:]
    low, density = 0, np.ones(1)  # of the sums from `low` on
    while True:
        low += least
        density = _convolve(density, step)[: max(capacity + 1 - low, 0)]
        low, density = _trimmed(low, density)
        yield float(density.sum())


def one_cluster_cost(sizes: SizeDistribution, capacity: int) -> tuple[float, float]:
    """Return the operations and bytes that all convolutions of a `SizeDistribution` take.

    The sum of i sizes is spread over fourteen standard deviations of it at most, and over ten on
    the average.
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
