"""The convolutions of `grid` by Fourier transform, for tables of many jobs."""

from math import prod

import numpy as np
from scipy import fft

from coalloc_lib.analytic.effort import Effort, number

#: Measured seconds of a transform and its inverse: one element and power of two.
ELEMENT = 1e-9


def transform_fits(joint, sizes):
    """Yield F^(i)(N) for ordered requests from a table, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component i is for cluster i.
    sizes : ndarray of int64, shape (k,)
        Processors of the clusters of the components.

    Notes
    -----
    The distribution is cut at the system after every job, so an axis needs room for a full
    cluster and one component more: what is longer would wrap around into cells that are cut.
    The rounding errors, about 1e-17 a cell, have either sign and are left alone.
    """
    shape = _padded_shape(joint, sizes)
    table = np.zeros(shape)
    table[tuple(joint.vectors.T)] = joint.probabilities
    jobs = fft.rfftn(table)
    inside = tuple(slice(int(size) + 1) for size in sizes)
    density = np.zeros(sizes + 1)
    density.flat[0] = 1
    while True:
        density = fft.irfftn(fft.rfftn(density, shape) * jobs, shape)[inside]
        yield float(density.sum())


def transform_effort(joint, sizes):
    """Return the estimated `Effort` of `transform_fits`."""
    elements = number(prod(_padded_shape(joint, sizes)))
    total = joint.total()
    jobs = sizes.sum() / total.mean
    deviations = 5 * np.sqrt(total.variance * jobs) / total.mean
    steps = min(sizes.sum() // total.minimum, jobs + deviations + 1)
    return Effort(steps * elements * ELEMENT * np.log2(elements), 40 * elements)


def _padded_shape(joint, sizes):
    return [
        fft.next_fast_len(int(size + largest) + 1, real=True)
        for size, largest in zip(sizes, joint.vectors.max(axis=0), strict=True)
    ]
