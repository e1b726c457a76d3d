"""Several dimensions: ordered requests whose components depend on one another."""

import numpy as np

from coalloc_lib.analytic.effort import PAIRS, Effort, visits
from coalloc_lib.analytic.kernels import grid_step
from coalloc_lib.analytic.lines import line_densities

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: Measured seconds: one state passed over, one occupied state, one job added, a column more.
EMPTY, STATE, JOB, COLUMN = 1.5e-9, 2e-8, 1.5e-9, 1e-9


def grid_fits(joint, sizes):
    """Yield F^(i)(N) for ordered requests from a table, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component i is for cluster i.
    sizes : ndarray of int64, shape (k,)
        Processors of the clusters of the components.

    Notes
    -----
    The i-th convolution is cut at the system after every job: a vector outside it never comes
    back, and so only prod(N_i + 1) cells are kept.
    """
    extents = sizes + 1
    strides = np.append(np.cumprod(extents[:0:-1])[::-1], 1).astype(np.int64)
    jobs = joint.vectors, joint.probabilities, first_different(joint.vectors)
    cells = int(np.prod(extents))
    density, out = np.zeros(cells), np.zeros(cells)
    density[0] = 1
    while True:
        out[:] = 0
        used = np.zeros(len(sizes), dtype=np.int64)
        grid_step(density, out, used, sizes, strides, *jobs, NEGLIGIBLE / cells)
        density, out = out, density
        yield float(density.sum())


def grid_effort(joint, sizes):
    """Return the estimated `Effort` of `grid_fits`."""
    rng = np.random.default_rng(0)
    cells = float(np.prod(sizes + 1.0))
    states = rng.integers(sizes + 1, size=(PAIRS, len(sizes)))
    vectors = joint.vectors[rng.integers(len(joint), size=PAIRS)]
    fits = (states + vectors <= sizes).all(axis=1)
    total = joint.total()
    most = int(sizes.sum() // total.minimum)
    densities = line_densities(total.probabilities, int(sizes.sum()))
    occupied, added = visits(densities, NEGLIGIBLE / cells, states, fits, most)
    steps = min(most, sizes.sum() / total.mean + 1)
    one = JOB + COLUMN * len(sizes)
    seconds = cells * (steps * EMPTY + occupied * STATE + added * len(joint) * one)
    return Effort(seconds, 16 * cells + 8.0 * joint.vectors.size * 3)


def first_different(rows):
    """Return, for each row and d, the first row after it whose first d entries differ.

    Parameters
    ----------
    rows : ndarray of int, shape (m, k)
        In lexicographic order.

    Returns
    -------
    ndarray of int64, shape (m, k), for d from 0 to k - 1; m where there is none.
    """
    count, width = rows.shape
    skip = np.full((count, width), count, dtype=np.int64)
    for columns in range(1, width):
        changed = np.flatnonzero((rows[1:, :columns] != rows[:-1, :columns]).any(axis=1)) + 1
        following = np.append(changed, count)
        skip[:, columns] = following[np.searchsorted(changed, np.arange(count), side="right")]
    return skip
