"""Compiled loops that place one more random job in every state of a system.

With worst fit, the identity of the clusters does not matter, and a job is placed in the same way if
all clusters have one idle processor less. A state is therefore stored in two parts:

- the *level*, which is the number of used processors of the least used cluster;
- the *differences*, which are the numbers of processors that the other clusters use more than the
  level, sorted with the largest first.

The probabilities of the states are an array with a row for each vector of differences and a column
for each level. The vectors are numbered in lexicographic order. With first fit, a state is simply
the number of used processors of each cluster.

Some kernels are long, because Numba's calls with arrays as arguments take time in inner loops.
"""

from functools import partial
from pathlib import Path

import numpy as np

from coalloc_lib.basics.compilation import compiler

kernel = partial(compiler([Path(__file__)]), makes_arrays=True)


@kernel
def insert(vector, length, entry):
    """Insert a number into a non-increasing vector of `length` entries, and keep the order.

    For example, inserting 3 into 5 3 1 gives 5 3 3 1.
    """
    i = length
    while i > 0 and vector[i - 1] < entry:
        vector[i] = vector[i - 1]
        i -= 1
    vector[i] = entry


@kernel
def rank(ways, vector, length, base):
    """Return the position of a non-increasing vector in the lexicographic order of such vectors.

    These vectors have `length` numbers that are `base` or more. The table `ways` is that of
    `coalloc_lib.analytic.unordered.ways_table`.
    """
    total = 0
    for i in range(length):
        total += ways[length - i, vector[i] - base]
    return total


@kernel
def advance(vector, length, least):
    """Change a non-increasing vector into its lexicographic successor, for example 2 1 1 to 2 2 0.

    No number of the vectors is below `least`, which is 0 in the example.
    """
    i = length - 1
    while i > 0 and vector[i] == vector[i - 1]:
        vector[i] = least
        i -= 1
    if i >= 0:
        vector[i] += 1


@kernel
def first_level(density, state, floor):
    """Return the first column of `density` in which a state has a probability above `floor`.

    The columns are the levels of the states. If there is no such level, return their number.
    """
    level = 0
    while level < density.shape[1] and density[state, level] <= floor:
        level += 1
    return level


@kernel
def move(density, state, first, out, target, weight, rise, most):
    """Add `weight` times the probability of a state to the state after one more placement.

    The state after placing the job is `target`. The levels from `first` on become higher by `rise`.
    Levels at which a cluster would use more processors than it has are left out; `most` is the
    largest difference after placing the job.
    """
    for level in range(first, density.shape[1] - most):
        out[target, level + rise] += density[state, level] * weight


@kernel
def worst_fit_step(density, out, ways, jobs, weights, floor):
    """Compute the probabilities of all states after worst fit has placed one more job.

    The paper calls this a WF-convolution. The job is a random row of the table `jobs`, in which the
    component sizes are non-increasing, and `weights` has the probabilities of the rows. The arrays
    `density` and `out` have the probabilities of the states before and after the job. States with a
    probability of at most `floor` are skipped.
    """
    clusters, components = len(ways) - 1, jobs.shape[1]
    untouched = clusters - components
    used, after = np.zeros((2, clusters), dtype=np.int64)
    for state in range(len(density)):
        first = first_level(density, state, floor)
        if first < density.shape[1]:
            for job in range(len(weights)):
                after[:untouched] = used[:untouched]
                for column in range(components):
                    entry = used[clusters - 1 - column] + jobs[job, column]
                    insert(after, untouched + column, entry)
                rise = after[clusters - 1]
                target = rank(ways, after, clusters - 1, rise)
                move(density, state, first, out, target, weights[job], rise, after[0])
        advance(used, clusters - 1, 0)


@kernel
def worst_fit_size(cells, out, offsets, ways, components, difference, value, chance, floor):
    """Update the state probabilities when worst fit places the components of one size.

    Calls for all sizes, from the largest to the smallest, make one WF-convolution for independent
    components. A job in which size v occurs m_v times has probability k! times the product of
    p_v^m_v / m_v! over all sizes v, where k is the number of components and p_v is the probability
    of size v.

    Parameters
    ----------
    cells : array, shape (number of cells, number of levels)
        Probabilities of the states while a job is placed, with a row (a cell) for each state and a
        column for each level. The rows from ``offsets[d]`` on are the states in which d components
        are placed. Such a state has two vectors of used processors: one for the clusters that have
        no component of the job, and one for the clusters that have a component. The rows are
        ordered by the first vector and then by the second. The level is the use of the least used
        cluster without a component. The first vector is counted from the level on, and the second
        vector from `difference` processors below the level on.
    out : array
        Probabilities of the states in which all components are placed, which are added to it.
    offsets : array, shape (components + 1,)
        The first cell for each number of placed components.
    ways : array
        The table of `coalloc_lib.analytic.unordered.ways_table`.
    components : int
        Number of components of a job.
    difference : int
        The largest possible difference between the used processors of two clusters.
    value, chance : int, float
        The size and its probability.
    floor : float
        Cells with a probability of at most this are skipped.
    """
    clusters = len(ways) - 1
    rest, served, after = np.zeros((3, clusters), dtype=np.int64)
    # A cell has the probability of a state in which some components of the job are already placed.
    # Probability moves only to cells with more placed components. The loop visits these cells
    # first, so that probability moves only once in each call.
    for placed in range(components - 1, -1, -1):
        left = clusters - placed
        rest[:] = 0
        for row in range(ways[left - 1, difference + 1]):
            begin = offsets[placed] + row * ways[placed, 2 * difference + 1]
            # `least` is the smallest possible number of used processors of a cluster that already
            # has a component of the job, counted from `difference` processors below the level.
            # Before the job, any two clusters differed by at most `difference` used processors, and
            # the components placed so far are larger than `value`.
            least = rest[0] + value + 1
            served[:] = least
            for _ in range(ways[placed, 2 * difference + 1 - least]):
                cell = begin + rank(ways, served, placed, 0)
                first = first_level(cells, cell, floor)
                if first < cells.shape[1]:
                    after[:placed] = served[:placed]
                    weight = 1.0
                    for m in range(1, components - placed + 1):
                        length, other = placed + m, left - m
                        weight *= chance * (components - length + 1) / m
                        insert(after, length - 1, difference + rest[other] + value)
                        most = max(rest[0], after[0] - difference)
                        if length < components:
                            rise = rest[other - 1]
                            target = rank(ways, rest, other - 1, rise)
                            target *= ways[length, 2 * difference + 1]
                            target += offsets[length] + rank(ways, after, length, rise)
                            move(cells, cell, first, cells, target, weight, rise, most)
                        else:
                            for i in range(other):
                                insert(after, length + i, difference + rest[i])
                            rise = after[clusters - 1]
                            target = rank(ways, after, clusters - 1, rise)
                            move(cells, cell, first, out, target, weight, rise - difference, most)
                advance(served, placed, least)
            advance(rest, left - 1, 0)


@kernel
def first_fit_step(density, out, sizes, strides, jobs, weights, floor):
    """Compute the probabilities of all states after first fit has placed one more job.

    The job is a random row of the table `jobs`, and `weights` has the probabilities of the rows. A
    state is the number of used processors of each cluster, and its position in the arrays
    `density` and `out` is the sum of these numbers times `strides`. The rows of `jobs` are
    non-increasing, and the jobs are sorted by their largest components. States with a probability
    of at most `floor` are skipped.
    """
    idle, serving = sizes.copy(), np.zeros(len(sizes), dtype=np.bool_)
    for state in range(len(density)):
        if density[state] <= floor:
            continue
        rest = state
        for cluster in range(len(sizes)):
            idle[cluster] = sizes[cluster] - rest // strides[cluster]
            rest %= strides[cluster]
        most = idle.max()
        for job in range(len(weights)):
            if jobs[job, 0] > most:
                break  # the largest component of every later job is at least as large
            serving[:] = False
            target = state
            for value in jobs[job]:
                cluster = 0
                while cluster < len(sizes) and (serving[cluster] or idle[cluster] < value):
                    cluster += 1
                if cluster == len(sizes):
                    target = -1
                    break
                serving[cluster] = True
                target += value * strides[cluster]
            if target >= 0:
                out[target] += density[state] * weights[job]
