"""The loops that add a job to every state of a system: arrays in, arrays out, nothing checked.

By worst fit only the numbers of idle processors count, and a job is placed alike wherever all
clusters have a processor less: so a state is a sorted vector, largest first, of how much more
each cluster uses than the least used one, and a row of probabilities, one for each *level*, what
that cluster uses. The vectors are numbered in lexicographic order. By first fit every cluster keeps
its place. What is called from Python is kept in Numba's cache, together with the small
functions that it calls.
"""

import numpy as np
from numba import njit


@njit
def insert(vector, length, entry):
    """Insert a number into a non-increasing vector.

    Parameters
    ----------
    vector : ndarray of int64, shape (length + 1,) or longer
        Its first `length` numbers are non-increasing; `length` + 1 of them are written.
    length, entry : int

    Examples
    --------
    5, 3, 1 and the entry 3 become 5, 3, 3, 1.
    """
    i = length
    while i > 0 and vector[i - 1] < entry:
        vector[i] = vector[i - 1]
        i -= 1
    vector[i] = entry


@njit
def place(ways, vector, length, base):
    """Return the lexicographic place of a non-increasing vector among those of its length.

    Parameters
    ----------
    ways : ndarray of int64, shape (length + 1, largest entry + 2) or larger
        ``ways[l, v]`` is how many vectors of l numbers have all numbers below v.
    vector : ndarray of int64, shape (length,) or longer
    length, base : int
        Numbers of the vector; what each of them is counted from.

    Examples
    --------
    Of the vectors 00, 10, 11, 20, 21, 22 of two numbers up to 2, the vector 21 has place 4:
    three vectors begin below 2, and one more begins with 2 and goes on below 1. From base 3, the
    vector 54 has that place.
    """
    total = 0
    for i in range(length):
        total += ways[length - i, vector[i] - base]
    return total


@njit
def advance(vector, length, least):
    """Turn a non-increasing vector into the next one that has no number below `least`.

    Parameters
    ----------
    vector : ndarray of int64, shape (length,) or longer
        Its first `length` numbers are written.
    length, least : int

    Examples
    --------
    With `least` 0, the vector 2, 1, 1 is followed by 2, 2, 0.
    """
    i = length - 1
    while i > 0 and vector[i] == vector[i - 1]:
        vector[i] = least
        i -= 1
    if i >= 0:
        vector[i] += 1


@njit
def first_level(density, state, floor):
    """Return the first level of a state with a probability above `floor`, or how many there are."""
    level = 0
    while level < density.shape[1] and density[state, level] <= floor:
        level += 1
    return level


@njit
def move(density, state, first, out, target, weight, rise, most):
    """Add a share of the levels of one state to another.

    Parameters
    ----------
    density, out : ndarray, shape (states, levels)
        Read, and written.
    state, target : int
        Rows of `density` and of `out`.
    first : int
        Levels below are passed over.
    weight : float
    rise, most : int
        What the level rises by; what the most used cluster then uses above the old level. What
        does not fit is lost.

    Examples
    --------
    In clusters of 2, the row (1, 3, 5) from level 0 on, with weight 1/2, rise 1 and most 1, adds
    (0, 1/2, 3/2).
    """
    for level in range(first, density.shape[1] - most):
        out[target, level + rise] += density[state, level] * weight


@njit(cache=True, nogil=True)
def worst_fit_step(density, out, ways, jobs, weights, floor):
    """Add one unordered job from a table to every state by worst fit: one WF-convolution.

    Parameters
    ----------
    density : ndarray, shape (states, levels)
        Probability of each vector of c - 1 numbers, and of each level.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    ways : ndarray of int64, shape (c + 1, largest difference + 2)
        Those of `place`.
    jobs, weights : ndarray of int64, shape (m, k), and of float, shape (m,)
        Components, each row non-increasing, rows in lexicographic order; the probabilities.
    floor : float
        States of no more than this are passed over.

    Examples
    --------
    Two clusters of two processors that differ by 0, 1 or 2 have three states of three levels. At
    difference 1 and level 0, one processor is used. The job (1, 0), of weight 1/4, puts its 1 on
    the idle cluster: difference 0, level 1. The job (1, 1), of weight 3/4, makes 1 + 1 and 0 + 1:
    difference 1, level 1. At level 1 both are lost, since the one cluster is full and the other
    has a single processor, but for the job (1, 0), which fills the system: difference 0, level 2.
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


@njit(cache=True, nogil=True)
def worst_fit_size(cells, out, offsets, ways, components, spread, value, chance, floor):
    """Place, by worst fit, up to all missing components with one same size.

    Called for every size from the largest to the smallest, it makes one WF-convolution for
    independent components: a job is a multiset, whose sizes are placed in decreasing order.

    Parameters
    ----------
    cells : ndarray, shape (cells, levels)
        From ``offsets[d]`` on, the probabilities where d components of a job are placed: for each
        vector of the clusters not yet served, each vector of those that are, counted from `spread`
        below the least used one of the others, whose use is the level. Written where d is above 0.
    out : ndarray, shape (states, levels)
        Receives the probabilities with all components placed; those of `worst_fit_step`.
    offsets : ndarray of int64, shape (components + 1,)
        Where the cells with d components placed begin.
    ways : ndarray of int64, shape (c + 1, 2 * spread + 2)
        Those of `place`.
    components, spread, value : int
        Components of a job; what two clusters differ by at most, which is the largest component or
        what they differ by at the start; processors of the components placed now.
    chance, floor : float
        Probability of `value`; cells of no more than `floor` are passed over.

    Notes
    -----
    A job in which value v occurs m_v times has probability k! times the product of p_v^m_v / m_v!:
    of the components still missing, any m may be those of this size. Fewest placed comes
    last, so that no cell is met again at the same size. No served cluster uses less than the most
    used other one, less `spread`, and a component, which is larger than `value`.

    Examples
    --------
    Two clusters of two processors, two components, each 1 or 2 with probability 1/2; `spread` is 2.
    With none placed there are the cells of differences 0, 1, 2, with one placed those of a served
    cluster with 0 to 4, counted from 2 below the other. Begin with 1 in the cell of difference 0,
    at level 0. Size 2 is placed once, two ways with chance 1/2, which gives 1 in the served
    cluster's cell 4, and twice, 1/4, which is difference 0 at level 2. Then size 1 finds that
    cell and gives 1 * 1/2 to difference 1 at level 1, and the idle system gives 1 in cell 3 and
    1/4 to difference 0 at level 1.
    """
    clusters = len(ways) - 1
    rest, served, after = np.zeros((3, clusters), dtype=np.int64)
    for placed in range(components - 1, -1, -1):
        left = clusters - placed
        rest[:] = 0
        for row in range(ways[left - 1, spread + 1]):
            begin = offsets[placed] + row * ways[placed, 2 * spread + 1]
            least = rest[0] + value + 1
            served[:] = least
            for _ in range(ways[placed, 2 * spread + 1 - least]):
                cell = begin + place(ways, served, placed, 0)
                first = first_level(cells, cell, floor)
                if first < cells.shape[1]:
                    after[:placed] = served[:placed]
                    weight = 1.0
                    for m in range(1, components - placed + 1):
                        length, other = placed + m, left - m
                        weight *= chance * (components - length + 1) / m
                        insert(after, length - 1, spread + rest[other] + value)
                        most = max(rest[0], after[0] - spread)
                        if length < components:
                            rise = rest[other - 1]
                            target = place(ways, rest, other - 1, rise)
                            target *= ways[length, 2 * spread + 1]
                            target += offsets[length] + place(ways, after, length, rise)
                            move(cells, cell, first, cells, target, weight, rise, most)
                        else:
                            for i in range(other):
                                insert(after, length + i, spread + rest[i])
                            rise = after[clusters - 1]
                            target = place(ways, after, clusters - 1, rise)
                            move(cells, cell, first, out, target, weight, rise - spread, most)
                advance(served, placed, least)
            advance(rest, left - 1, 0)


@njit(cache=True, nogil=True)
def first_fit_step(density, out, sizes, strides, jobs, weights, floor):
    """Add one unordered job from a table to every state by first fit.

    Parameters
    ----------
    density : ndarray, shape (product of sizes + 1,)
        Probability of each vector of used processors, the last cluster fastest.
    out, jobs, weights, floor
        Those of `worst_fit_step`.
    sizes, strides : ndarray of int64, shape (c,)
        Processors of each cluster, in the order in which they are tried; distance in `density` of
        one processor more.

    Examples
    --------
    Two clusters of 2 and 1 have the states 00, 01, 10, 11, 20, 21. From the state 10, the job
    (1, 1) goes on both clusters, which gives 21; the job (2, 1) does not fit and is lost.
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
