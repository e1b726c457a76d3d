"""One dimension: a single cluster, or a flexible request, whose size is one number."""

import numpy as np
from scipy.signal import fftconvolve

from coalloc_lib.analytic.effort import Effort

#: Tails of less than this are cut off after every convolution.
NEGLIGIBLE = 1e-16
#: From this number of products on, convolution by Fourier transform is the faster.
MANY_PRODUCTS = 400_000
#: Measured seconds: one convolution at least; one product; one element transformed.
CALL, PRODUCT, TRANSFORM = 1.2e-5, 3e-10, 3e-8


def line_densities(probabilities, capacity):
    """Yield the distribution of the sum of i sizes within the capacity, for i = 1, 2, ...

    Parameters
    ----------
    probabilities : ndarray, shape (largest size + 1,)
        Probability of each size.
    capacity : int
        Number of processors; larger sums are dropped.

    Yields
    ------
    low : int
        Sum at which `density` starts.
    density : ndarray
        Probability of each sum from `low` on; cut where the tails are negligible.
    """
    least = int(np.flatnonzero(probabilities)[0])
    step = probabilities[least:]
    low, density = 0, np.ones(1)
    while True:
        low += least
        density = _convolve(density, step)[: max(capacity + 1 - low, 0)]
        low, density = _trimmed(low, density)
        yield low, density


def line_fits(probabilities, capacity):
    """Yield F^(i)(N): the probability that i sizes fit together, for i = 1, 2, ...

    Parameters and method are those of `line_densities`.
    """
    for _, density in line_densities(probabilities, capacity):
        yield float(density.sum())


def line_effort(sizes, capacity):
    """Return the estimated `Effort` of all convolutions of a `SizeDistribution`.

    About capacity/mean jobs fit, give or take seven standard deviations; the sum of i sizes is
    spread over fourteen standard deviations of it.
    """
    jobs = capacity / sizes.mean
    deviation = np.sqrt(sizes.variance)
    steps = min(jobs + 7 * deviation * np.sqrt(jobs) / sizes.mean + 2, capacity / sizes.minimum)
    support = sizes.maximum - sizes.minimum + 1
    width = min(capacity + 1, 10 * deviation * np.sqrt(steps) + support)
    direct = PRODUCT * width * support
    transformed = TRANSFORM * (width + support)
    one = direct if width * support <= MANY_PRODUCTS else transformed
    return Effort(steps * (CALL + one), 32 * (width + support))


def _convolve(density, step):
    if len(density) * len(step) <= MANY_PRODUCTS:
        return np.convolve(density, step) if len(density) else density
    return np.maximum(fftconvolve(density, step), 0)  # rounding can give -1e-19


def _trimmed(low, density):
    if len(density) == 0:
        return low, density
    first = int(np.searchsorted(np.cumsum(density), NEGLIGIBLE))
    last = len(density) - int(np.searchsorted(np.cumsum(density[::-1]), NEGLIGIBLE))
    return low + first, density[first : max(last, first)]
