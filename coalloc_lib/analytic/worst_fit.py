"""Unordered requests placed by worst fit: the WF-convolution, for clusters of any sizes."""

from math import comb, inf

import numpy as np

from coalloc_lib.analytic.effort import (
    PAIRS,
    Effort,
    balanced_states,
    beyond,
    number,
    random_multisets,
    states_above,
    visits,
)
from coalloc_lib.analytic.grid import first_different
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.kernels import worst_fit_step
from coalloc_lib.analytic.lines import line_densities

#: Probability that is passed over in one convolution, all states together.
NEGLIGIBLE = 1e-14
#: The states of unequal clusters are counted one entry at a time, of so many at most.
MOST_ENTRIES = 10_000_000
#: Measured seconds: one state passed over, one occupied state, one job, one head and cluster.
EMPTY, STATE, JOB, HEAD = 1.2e-8, 5e-8, 1.4e-9, 2.8e-9


def worst_fit_fits(joint, clusters, size, start=None):
    """Yield F^(i)(N) for unordered requests by worst fit, for i = 1, 2, ...

    Parameters
    ----------
    joint : JointSizes
        Component sizes; their order does not matter.
    clusters, size : int
        Number of clusters and processors of each.
    start : ndarray of int64, shape (clusters,), optional
        Used processors of the initial system, non-increasing; none where it is not given.

    Notes
    -----
    A state is the vector of used processors, non-increasing. A job's largest component goes to
    the least used cluster, and so on; the new vector is sorted again: h(s) is the sum of
    f(t) g(u) over ord(t + rev(u)) = s. Since worst fit looks at idle processors only, clusters of
    unequal sizes are clusters of the largest size of which a part is used from the start.

    References
    ----------
    Bucur, Epema (2003), section 4.2.
    """
    least = np.zeros(clusters, dtype=np.int64) if start is None else start
    rank = rank_table(clusters, size, least)
    jobs = job_tables(joint.unordered())
    states = 1 + int(rank[range(clusters), size].sum())
    density, out = np.zeros(states), np.zeros(states)
    density[0] = 1
    while True:
        out[:] = 0
        work = np.zeros((joint.components + 3, clusters + 1), dtype=np.int64)
        worst_fit_step(density, out, rank, least, work, *jobs, negligible_state(density))
        density, out = out, density
        yield float(density.sum())


def worst_fit_effort(sizes, components, clusters, size, start=None):
    """Return the estimated `Effort` of `worst_fit_fits`.

    Parameters
    ----------
    sizes : SizeDistribution or JointSizes
        Independent components, whose table need not be built for the estimate, or the table.
    components : int
        Number of columns of the table.
    clusters, size, start
        Those of `worst_fit_fits`.
    """
    if start is not None and clusters * size > MOST_ENTRIES:
        return Effort(inf, inf)
    rng = np.random.default_rng(0)
    vectors, jobs, total, largest = _random_jobs(rng, sizes, components)
    if start is None:
        states, reached = balanced_states(rng, clusters, size, largest, PAIRS)
        lattice, taken = number(comb(size + clusters, clusters)), 0
    else:
        states, lattice, reached = states_above(rng, start, size, largest, PAIRS)
        taken = int(start.sum())
    capacity = clusters * size - taken
    fits = (states[:, ::-1][:, :components] + vectors[: len(states)] <= size).all(axis=1)
    most = capacity // total.minimum
    densities = line_densities(total.probabilities, capacity)
    occupied, added = visits(densities, NEGLIGIBLE / lattice, states, fits, most, taken)
    steps = min(most, capacity / total.mean + 1)
    reached *= beyond(steps)
    heads = _heads(sizes, components) / jobs
    one = JOB + HEAD * clusters * heads
    seconds = lattice * steps * EMPTY + reached * (occupied * STATE + added * jobs * one)
    return Effort(seconds, 16 * lattice + 40 * jobs * components)


def rank_table(clusters, size, least=None):
    """Return r so that a non-increasing vector v has lexicographic place sum of r[i, v[i]].

    Parameters
    ----------
    clusters, size : int
        Length of the vectors, and their largest entry.
    least : sequence of int, optional
        Non-increasing; only the vectors that are nowhere below it count.

    Returns
    -------
    ndarray of int64, shape (clusters, size + 1)

    Notes
    -----
    Before v come, for each i, the vectors that agree with it up to i and are smaller there: where
    `least` is zero, binom(v_i + c - 1 - i, c - i) of them.
    """
    table = np.zeros((clusters, size + 1), dtype=np.int64)
    following = np.ones(size + 1, dtype=np.int64)
    for i in range(clusters - 1, -1, -1):
        following[: 0 if least is None else least[i]] = 0
        following = np.cumsum(following)
        table[i, 1:] = following[:-1]
    return table


def job_tables(joint):
    """Return the kernel's view of a table of jobs: heads, shared, skip, starts, lasts, weights."""
    heads, lasts = joint.vectors[:, :-1], joint.vectors[:, -1]
    new = np.append(True, (heads[1:] != heads[:-1]).any(axis=1))
    starts = np.append(np.flatnonzero(new), len(joint))
    heads = np.array(heads[new])
    shared = np.zeros(len(heads), dtype=np.int64)
    shared[1:] = np.cumprod(heads[1:] == heads[:-1], axis=1).sum(axis=1)
    skip = first_different(np.pad(heads, ((0, 0), (0, 1))))
    return heads, shared, skip, starts, np.array(lasts), np.array(joint.probabilities)


def negligible_state(density):
    """Return a floor below which the states hold `NEGLIGIBLE` probability together.

    The states of tiny probability are the emptiest, on which most jobs fit: they cost most.
    """
    occupied = np.sort(density[density > 0])
    count = int(np.searchsorted(np.cumsum(occupied), NEGLIGIBLE))
    return float(occupied[count - 1]) if count else 0.0


def _random_jobs(rng, sizes, components):
    """Return random jobs (each of the table as likely), their number, total and largest size."""
    if isinstance(sizes, JointSizes):
        rows = sizes.vectors[rng.integers(len(sizes), size=PAIRS)]
        return rows, float(len(sizes)), sizes.total(), int(sizes.vectors.max())
    support = sizes.sizes
    rows = support[random_multisets(rng, len(support), components, PAIRS)]
    jobs = number(multisets(len(support), components))
    return rows, jobs, sizes.sum_of(components), sizes.maximum


def _heads(sizes, components):
    if isinstance(sizes, JointSizes):
        return float(len(np.unique(sizes.vectors[:, :-1], axis=0)))
    return number(multisets(len(sizes.sizes), components - 1))
