"""The loops that add a job to every state of a system: arrays in, arrays out, nothing checked.

By worst fit only the numbers of idle processors count, so a state is the vector of used
processors sorted, largest first; by first fit every cluster keeps its place. What is called from
Python is kept in Numba's cache, together with the small functions that it calls.
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
def place(ways, vector, length):
    """Return the lexicographic place of a non-increasing vector among those of its length.

    Parameters
    ----------
    ways : ndarray of int64, shape (length + 1, largest entry + 2) or more rows
        ``ways[l, v]`` is how many of the last l numbers' vectors have all numbers below v.
    vector : ndarray of int64, shape (length,) or longer
    length : int

    Examples
    --------
    Of the vectors 00, 10, 11, 20, 21, 22 of two numbers up to 2, the vector 21 has place 4:
    three vectors begin below 2, and one more begins with 2 and goes on below 1.
    """
    total = 0
    for i in range(length):
        total += ways[length - i, vector[i]]
    return total


@njit
def advance(vector, length, least):
    """Turn a non-increasing vector into the lexicographically next one.

    Parameters
    ----------
    vector : ndarray of int64, shape (length,) or longer
        Its first `length` numbers are written.
    length : int
    least : ndarray of int64, shape (length,) or longer
        Non-increasing; no number of a vector is below it.

    Examples
    --------
    With `least` 0, 0, 0, the vector 2, 1, 1 is followed by 2, 2, 0.
    """
    i = length - 1
    while i > 0 and vector[i] == vector[i - 1]:
        vector[i] = least[i]
        i -= 1
    if i >= 0:
        vector[i] += 1


@njit
def serve_by_worst_fit(used, job, size, after):
    """Put a job on a sorted state by worst fit; return whether it fits.

    Parameters
    ----------
    used : ndarray of int64, shape (c,)
        Used processors, non-increasing.
    job : ndarray of int64, shape (k,)
        Components, non-increasing; at most c.
    size : int
        Processors of a cluster.
    after : ndarray of int64, shape (c,)
        Receives the sorted state with the job, where it fits.

    Examples
    --------
    With 3, 2, 0 of 4 processors used, the job 2, 1 puts its 2 on the cluster where 0 are used,
    and its 1 on that where 2 are: 3, 2 + 1, 0 + 2, sorted 3, 3, 2. The job 2, 2, 2 does not fit.
    """
    clusters = len(used)
    for column in range(len(job)):
        if used[clusters - 1 - column] + job[column] > size:
            return False
    untouched = clusters - len(job)
    after[:untouched] = used[:untouched]
    for column in range(len(job)):
        insert(after, untouched + column, used[clusters - 1 - column] + job[column])
    return True


@njit(cache=True, nogil=True)
def worst_fit_step(density, out, ways, least, jobs, weights, floor):
    """Add one unordered job from a table to every state by worst fit: one WF-convolution.

    Parameters
    ----------
    density : ndarray, shape (states,)
        Probability of each non-increasing vector of used processors that is nowhere below
        `least`, in lexicographic order.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    ways : ndarray of int64, shape (c + 1, size + 2)
        Those of `place`, for the vectors that are nowhere below `least`.
    least : ndarray of int64, shape (c,)
        The vector of the initial system, non-increasing.
    jobs, weights : ndarray of int64, shape (m, k), and of float, shape (m,)
        Components, each row non-increasing, rows in lexicographic order; the probabilities.
    floor : float
        States of no more than this are passed over.

    Examples
    --------
    Two clusters of two processors have the states 00, 10, 11, 20, 21, 22. With the density
    (0, 1, 0, 0, 0, 0), one processor is used. The job (1, 0), of weight 1/4, puts its 1 on the
    idle cluster, which gives 11; the job (1, 1), of weight 3/4, gives 1 + 1 and 0 + 1, so 21. Then
    `out` is (0, 0, 1/4, 0, 3/4, 0).
    """
    clusters, size = len(least), ways.shape[1] - 2
    used, after = least.copy(), least.copy()
    for state in range(len(density)):
        if density[state] > floor:
            for job in range(len(weights)):
                if used[clusters - 1] + jobs[job, 0] > size:
                    break  # nor does any that follows fit
                if serve_by_worst_fit(used, jobs[job], size, after):
                    out[place(ways, after, clusters)] += density[state] * weights[job]
        advance(used, clusters, least)


@njit
def merged_place(ways, one, count, other, length):
    """Return the place of the vector that two non-increasing vectors make together.

    Parameters
    ----------
    ways : ndarray of int64
        That of `place`.
    one, other : ndarray of int64, shape (count,) and (length,) or longer
    count, length : int

    Examples
    --------
    2 and 1 together are 21, which has place 4 among the vectors of two numbers up to 2.
    """
    total = i = j = 0
    while i + j < count + length:
        if j < length and (i == count or other[j] > one[i]):
            entry = other[j]
            j += 1
        else:
            entry = one[i]
            i += 1
        total += ways[count + length - i - j + 1, entry]
    return total


@njit(cache=True, nogil=True)
def worst_fit_size(cells, out, offsets, ways, components, spread, value, chance, floor):
    """Place, by worst fit, up to all missing components with one same size.

    Called for every size from the largest to the smallest, it makes one WF-convolution for
    independent components: a job is a multiset, whose sizes are placed in decreasing order.

    Parameters
    ----------
    cells : ndarray, flat
        From ``offsets[d]`` on, the probabilities of the states in which d components of a job are
        placed: row by the clusters not yet served, column by those that are, both non-increasing
        vectors of used processors in lexicographic order. Written where d is above 0.
    out : ndarray, shape (states,)
        Receives the probabilities of the states with all components placed.
    offsets : ndarray of int64, shape (components + 1,)
        Where the states with d components placed begin.
    ways : ndarray of int64, shape (c + 1, size + 2)
        Those of `place`.
    components, spread, value : int
        Components of a job; what the most and the least used cluster differ by at most, which is
        the largest component or what they differ by at the start; processors of the components
        placed now.
    chance, floor : float
        Probability of `value`; cells of no more than `floor` are passed over.

    Notes
    -----
    A job in which value v occurs m_v times has probability k! times the product of p_v^m_v / m_v!:
    of the components still missing, any m may be those of this size. Fewest placed comes
    last, so that no state is met again at the same size. Rows that differ by more than `spread`,
    and the columns before the first and after the last that it allows, are passed over.

    Examples
    --------
    Two clusters of two processors, two components, each 1 or 2 with probability 1/2. With none
    placed the rows are 00, 10, 11, 20, 21, 22, with one placed the rows and columns are 0, 1, 2.
    Begin with 1 in cell (0 placed, row 00). Size 2 is placed once, two ways with chance 1/2, which
    gives 1 in cell (1 placed, row 0, column 2), and twice, 1/4, which is state 22. Then
    size 1 finds that cell and gives 1 * 1/2 to state 21, and row 00 gives 1 in cell
    (1 placed, row 0, column 1) and 1/4 to state 11. So `out` is (0, 0, 1/4, 0, 1/2, 1/4).
    """
    clusters, size = len(ways) - 1, ways.shape[1] - 2
    rest, served, merged, shorter, zeros = np.zeros((5, clusters + 1), dtype=np.int64)
    for placed in range(components - 1, -1, -1):
        left, width = clusters - placed, ways[placed, size + 1]
        rest[:] = 0
        for row in range(ways[left, size + 1]):
            most, least = rest[0], rest[left - 1]
            if most - least <= spread and least + value <= size:
                for m in range(1, min(components - placed, left) + 1):
                    shorter[m] = place(ways, rest, left - m)
                start = offsets[placed] + row * width
                served[:placed] = max(most - spread, 0) + value
                first = place(ways, served, placed)
                for column in range(first, ways[placed, min(size, least + spread) + 1]):
                    mass = cells[start + column]
                    if mass > floor:
                        merged[:placed] = served[:placed]
                        for m in range(1, components - placed + 1):
                            entry, length = rest[left - m] + value, placed + m
                            if entry > size:
                                break
                            mass *= chance * (components - length + 1) / m
                            insert(merged, length - 1, entry)
                            if length == components:
                                out[merged_place(ways, rest, left - m, merged, length)] += mass
                            else:
                                target = offsets[length] + shorter[m] * ways[length, size + 1]
                                cells[target + place(ways, merged, length)] += mass
                    advance(served, placed, zeros)
            advance(rest, left, zeros)


@njit(cache=True, nogil=True)
def first_fit_step(density, out, sizes, strides, jobs, weights, floor):
    """Add one unordered job from a table to every state by first fit.

    Parameters
    ----------
    density : ndarray, shape (product of sizes + 1,)
        Probability of each vector of used processors, the last cluster fastest.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    sizes, strides : ndarray of int64, shape (c,)
        Processors of each cluster, in the order in which they are tried; distance in `density` of
        one processor more.
    jobs, weights : ndarray of int64, shape (m, k), and of float, shape (m,)
        Components, each row non-increasing, rows in lexicographic order; the probabilities.
    floor : float
        States of no more than this are passed over.

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
