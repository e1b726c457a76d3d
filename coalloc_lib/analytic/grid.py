"""Several dimensions: ordered requests whose components depend on one another."""

from math import prod

import numpy as np

from coalloc_lib.analytic.effort import LONGEST, PAIRS, Effort, beyond, number
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
    cells = number(prod(int(size) + 1 for size in sizes))
    states = rng.integers(sizes + 1, size=(PAIRS, len(sizes)))
    vectors = joint.vectors[rng.integers(len(joint), size=PAIRS)]
    fits = (states + vectors <= sizes).all(axis=1)
    total = joint.total()
    most = int(sizes.sum() // total.minimum)
    convolutions = min(most, sizes.sum() / total.mean + 1)
    steps = _steps_occupied(joint, sizes, states, most) * beyond(convolutions)
    one = JOB + COLUMN * len(sizes)
    per_state = convolutions * EMPTY + steps.mean() * STATE
    seconds = cells * (per_state + (steps * fits).mean() * len(joint) * one)
    return Effort(seconds, 16 * cells + 8.0 * joint.vectors.size * 3)


def _steps_occupied(joint, sizes, states, most):
    """Return after how many numbers of jobs each state can be occupied, shape (n,).

    Occupied is what lies, in every cluster, in all together and in the difference of each two
    neighbours, where the distribution of that one number is not negligible.
    """
    lines = [_line(joint, sizes, states, weights) for weights in _projections(len(sizes))]
    steps = np.zeros(len(states))
    for jobs in range(1, min(most, LONGEST)):
        inside, least = np.ones(len(states), dtype=bool), 1.0
        for place, shift, densities in lines:
            low, density = next(densities)
            offset = place - jobs * shift - low
            inside &= (offset >= 0) & (offset < len(density))
            least = min(least, density.sum())
        if least < 1e-12:
            break
        steps += inside
    return steps


def _projections(columns):
    identity = np.eye(columns, dtype=np.int64)
    together = np.ones((1, columns), dtype=np.int64)
    return np.concatenate([identity, together, np.roll(identity, 1, axis=1) - identity])


def _line(joint, sizes, states, weights):
    """Return the states' values of one projection, its least value in a job, and its sums."""
    values = joint.vectors @ weights
    negative = weights.min() < 0  # such a sum has no capacity that it must not exceed
    shift = values.min() if negative else 0
    capacity = 10**9 if negative else int(sizes @ weights)
    chances = np.bincount(values - shift, joint.probabilities)
    return states @ weights, shift, line_densities(chances, capacity)


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
