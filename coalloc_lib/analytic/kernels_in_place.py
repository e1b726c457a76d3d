"""The loops of first fit and best fit: arrays in, arrays out, nothing checked.

A state is the vector of used processors with every cluster in its place; its number has the
digits of the vector, the last cluster fastest. Clusters that serve the job are bits of a mask.
The search for a cluster stands in both loops: as a function of its own it cost 40 % more time.
"""

from numba import njit


@njit(cache=True, nogil=True)
def in_place_step(density, out, used, sizes, strides, best, vectors, weights, skip, floor):
    """Add one unordered job, from a table, to every state.

    Parameters
    ----------
    density : ndarray, shape (product of sizes + 1,)
        Probability of each state.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    used : ndarray of int64, shape (c,)
        Work space.
    sizes, strides : ndarray of int64, shape (c,)
        Processors of each cluster, in the order in which they are tried; distance in `density` of
        one processor more.
    best : bool
        Best fit, not first fit.
    vectors, weights : ndarray, shapes (m, k) and (m,)
        The jobs in lexicographic order, components non-increasing, and their probabilities.
    skip : ndarray of int64, shape (m, k)
        ``skip[j, d]`` is the first job after j whose first d components differ from j's.
    floor : float
        States of no more than this are passed over.
    """
    clusters, (jobs, columns) = len(sizes), vectors.shape
    for state in range(len(density)):
        mass = density[state]
        if mass <= floor:
            continue
        rest = state
        for cluster in range(clusters):
            used[cluster], rest = rest // strides[cluster], rest % strides[cluster]
        job = 0
        while job < jobs:
            serving, target, column = 0, state, 0
            while column < columns and vectors[job, column] > 0:
                value = vectors[job, column]
                chosen, least = -1, 0
                for cluster in range(clusters):
                    room = sizes[cluster] - used[cluster]
                    free = (serving >> cluster) & 1 == 0
                    if free and value <= room and (chosen < 0 or room < least):
                        chosen, least = cluster, room
                        if not best:
                            break
                if chosen < 0:
                    break
                serving |= 1 << chosen
                target += value * strides[chosen]
                column += 1
            if column < columns and vectors[job, column] > 0:
                job = skip[job, column]
            else:
                out[target] += mass * weights[job]
                job += 1


@njit(cache=True, nogil=True)
def in_place_size(
    cells, out, used, sizes, strides, best, masks, place, count, value, chance, floor
):
    """Place up to all missing components with one same size: for independent components.

    Called for every size from the largest to the smallest, it adds one job to every state: a job
    is a multiset, whose sizes are placed in decreasing order.

    Parameters
    ----------
    cells : ndarray, shape (masks, product of sizes + 1)
        Probability of each set of serving clusters and state, while a job is being placed.
    out : ndarray, shape (product of sizes + 1,)
        Receives the probabilities of the states with all components placed.
    used, sizes, strides, best
        Those of `in_place_step`.
    masks : ndarray of int64, shape (masks, 2)
        Sets of fewer than `count` clusters, the smallest sets first, and how many clusters.
    place : ndarray of int64, shape (2^c,)
        Row of `cells` of each set.
    count, value : int
        Components of a job; processors of the components placed now.
    chance, floor : float
        Probability of `value`; cells of no more than `floor` are passed over.

    Notes
    -----
    m components of one size have weight chance^m / m!. The smallest sets come last, so that no
    cell is met again at the same size.
    """
    clusters, states = len(sizes), len(out)
    for row in range(len(masks) - 1, -1, -1):
        missing = count - masks[row, 1]
        for state in range(states):
            mass = cells[row, state]
            if mass <= floor:
                continue
            rest = state
            for cluster in range(clusters):
                used[cluster], rest = rest // strides[cluster], rest % strides[cluster]
            serving, target = masks[row, 0], state
            for m in range(1, missing + 1):
                chosen, least = -1, 0
                for cluster in range(clusters):
                    room = sizes[cluster] - used[cluster]
                    free = (serving >> cluster) & 1 == 0
                    if free and value <= room and (chosen < 0 or room < least):
                        chosen, least = cluster, room
                        if not best:
                            break
                if chosen < 0:
                    break
                serving |= 1 << chosen
                target += value * strides[chosen]
                mass *= chance / m
                if m == missing:
                    out[target] += mass
                else:
                    cells[place[serving], target] += mass
