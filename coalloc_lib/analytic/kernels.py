"""The loops that add a job to every state of a system: arrays in, arrays out, nothing checked.

By worst fit only the numbers of idle processors count, and a job is placed alike wherever all
clusters have a processor less: so a state is a sorted vector, largest first, of how much more
each cluster uses than the least used one, and a row of probabilities, one for each *level*, what
that cluster uses. The vectors are numbered in lexicographic order. By first fit every cluster keeps
its place.
"""

from functools import partial
from pathlib import Path

import numpy as np

from coalloc_lib.basics.compilation import compiler

kernel = partial(compiler([Path(__file__)]), makes_arrays=True)


@kernel
def insert(vector, length, entry):
    """Insert a number into the first `length` of a non-increasing vector: 5 3 1 and 3, 5 3 3 1."""
    i = length
    while i > 0 and vector[i - 1] < entry:
        vector[i] = vector[i - 1]
        i -= 1
    vector[i] = entry


@kernel
def place(ways, vector, length, base):
    """Return the lexicographic place of a non-increasing vector of numbers from `base` on."""
    total = 0
    for i in range(length):
        total += ways[length - i, vector[i] - base]
    return total


@kernel
def advance(vector, length, least):
    """Turn a non-increasing vector into the next with none below `least`: 2 1 1 into 2 2 0."""
    i = length - 1
    while i > 0 and vector[i] == vector[i - 1]:
        vector[i] = least
        i -= 1
    if i >= 0:
        vector[i] += 1


@kernel
def first_level(density, state, floor):
    """Return the first level of a state with a probability above `floor`, or how many there are."""
    level = 0
    while level < density.shape[1] and density[state, level] <= floor:
        level += 1
    return level


@kernel
def move(density, state, first, out, target, weight, rise, most):
    """Add a share of the levels from `first` on, raised by `rise`; above `most` is lost."""
    for level in range(first, density.shape[1] - most):
        out[target, level + rise] += density[state, level] * weight


@kernel
def worst_fit_step(density, out, ways, jobs, weights, floor):
    """Add one job of a table, rows non-increasing, to every state by worst fit: one WF-convolution.

    `density` and `out` have a row for each vector of c - 1 differences and a column for each level.
    States of no more than `floor` are passed over.
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
                target = place(ways, after, clusters - 1, rise)
                move(density, state, first, out, target, weights[job], rise, after[0])
        advance(used, clusters - 1, 0)


@kernel
def worst_fit_size(cells, out, offsets, ways, components, difference, value, chance, floor):
    """Place, by worst fit, up to all missing components with one same size, `value`.

    Called for every size from the largest down, it makes one WF-convolution of independent
    components: a job in which value v occurs m_v times has probability k! times the product of
    p_v^m_v / m_v!.

    `cells` has from ``offsets[d]`` on the probabilities where d components are placed: for each
    vector of the clusters not yet served, each vector of those that are, counted from `difference`
    (what two clusters differ by at most) below the least used one of the others, whose use is the
    level. `out` receives the probabilities with all components placed.
    """
    clusters = len(ways) - 1
    rest, served, after = np.zeros((3, clusters), dtype=np.int64)
    # fewest placed last, so that no cell is met again at the same size
    for placed in range(components - 1, -1, -1):
        left = clusters - placed
        rest[:] = 0
        for row in range(ways[left - 1, difference + 1]):
            begin = offsets[placed] + row * ways[placed, 2 * difference + 1]
            # No served cluster uses less than the most used other one, less the difference and a
            # component.
            least = rest[0] + value + 1
            served[:] = least
            for _ in range(ways[placed, 2 * difference + 1 - least]):
                cell = begin + place(ways, served, placed, 0)
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
                            target = place(ways, rest, other - 1, rise)
                            target *= ways[length, 2 * difference + 1]
                            target += offsets[length] + place(ways, after, length, rise)
                            move(cells, cell, first, cells, target, weight, rise, most)
                        else:
                            for i in range(other):
                                insert(after, length + i, difference + rest[i])
                            rise = after[clusters - 1]
                            target = place(ways, after, clusters - 1, rise)
                            move(cells, cell, first, out, target, weight, rise - difference, most)
                advance(served, placed, least)
            advance(rest, left - 1, 0)


@kernel
def first_fit_step(density, out, sizes, strides, jobs, weights, floor):
    """Add one unordered job from a table to every state, used processors, by first fit.

    ``strides`` is how far apart states are that differ by a processor of a cluster.
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
                break  # nor does any that follows fit
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
