"""The loops of ordered requests and of worst fit: arrays in, arrays out, nothing checked.

Each adds jobs to every state of a system. A state that holds less than `floor` is passed
over. Jobs are in lexicographic order, so where a component is too large for its cluster, so are
those of every following job that begins alike: `skip` leads past them.
"""

from numba import njit


@njit(cache=True, nogil=True)
def grid_step(density, out, used, sizes, strides, vectors, weights, skip, floor):
    """Add one ordered job to every state: one multi-dimensional convolution, cut at the system.

    Parameters
    ----------
    density : ndarray, shape (product of sizes + 1,)
        Probability of each vector of used processors, the last cluster fastest.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    used : ndarray of int64, shape (c,)
        Work space, zeros.
    sizes, strides : ndarray of int64, shape (c,)
        Processors of each cluster; distance in `density` of one processor more.
    vectors, weights : ndarray, shapes (m, c) and (m,)
        The jobs in lexicographic order and their probabilities.
    skip : ndarray of int64, shape (m, c)
        ``skip[j, d]`` is the first job after j whose first d components differ from j's.
    floor : float
        States of no more than this are passed over.
    """
    clusters, jobs = len(sizes), len(weights)
    for state in range(len(density)):
        mass = density[state]
        job = 0 if mass > floor else jobs
        while job < jobs:
            target = state
            column = 0
            while column < clusters and used[column] + vectors[job, column] <= sizes[column]:
                target += vectors[job, column] * strides[column]
                column += 1
            if column < clusters:
                job = skip[job, column]
            else:
                out[target] += mass * weights[job]
                job += 1
        column = clusters - 1
        while column >= 0 and used[column] == sizes[column]:
            used[column] = 0
            column -= 1
        if column >= 0:
            used[column] += 1


@njit(cache=True, nogil=True)
def worst_fit_step(
    density, out, rank, least, work, heads, shared, skip, starts, lasts, weights, floor
):
    """Add one unordered job by worst fit to every state: one WF-convolution.

    Parameters
    ----------
    density : ndarray, shape (states,)
        Probability of each non-increasing vector of used processors that is nowhere below
        `least`, in lexicographic order.
    out : ndarray, same shape
        Zeros; receives the probabilities after the job.
    rank : ndarray of int64, shape (c, size + 1)
        The place of a vector v in `density` is the sum of ``rank[i, v[i]]``.
    least : ndarray of int64, shape (c,)
        The vector of the initial system.
    work : ndarray of int64, shape (k + 3, c + 1)
        Work space, zeros.
    heads : ndarray of int64, shape (g, k - 1)
        The jobs' components but the last, non-increasing, each head once, in lexicographic order.
    shared : ndarray of int64, shape (g,)
        How many leading components a head has in common with the one before it.
    skip : ndarray of int64, shape (g, k)
        ``skip[h, d]`` is the first head after h whose first d components differ from h's.
    starts : ndarray of int64, shape (g + 1,)
        The jobs with head h are those from ``starts[h]`` to before ``starts[h + 1]``.
    lasts, weights : ndarray, shape (m,)
        The jobs' last components, increasing for each head, and the jobs' probabilities.
    floor : float
        States of no more than this are passed over.

    Notes
    -----
    Row d of `placed` is the vector without the clusters still to be served, after d components;
    rows up to `shared` are still right from an earlier head. With a head placed, the last
    component moves one entry of a sorted vector only. `before` and `after` hold the
    rank's parts left and right of it, so each job costs a single addition.
    """
    clusters, size, groups = rank.shape[0], rank.shape[1] - 1, len(heads)
    used, before, after, placed = work[0], work[1], work[2], work[3:]
    untouched = clusters - 1 - heads.shape[1]
    used[:clusters] = least
    for state in range(len(density)):
        mass = density[state]
        group = 0 if mass > floor else groups
        placed[0, :untouched] = used[:untouched]
        while group < groups:
            column = shared[group]
            while column < heads.shape[1]:
                value = used[clusters - 1 - column] + heads[group, column]
                if value > size:
                    break
                i = untouched + column
                while i > 0 and placed[column, i - 1] < value:
                    placed[column + 1, i] = placed[column, i - 1]
                    i -= 1
                placed[column + 1, i] = value
                while i > 0:
                    i -= 1
                    placed[column + 1, i] = placed[column, i]
                column += 1
            if column < heads.shape[1]:
                group = skip[group, column]
                continue
            after[clusters - 1] = 0
            for i in range(clusters - 1):
                before[i + 1] = before[i] + rank[i, placed[column, i]]
                j = clusters - 2 - i
                after[j] = after[j + 1] + rank[j + 1, placed[column, j]]
            i = clusters - 1
            for job in range(starts[group], starts[group + 1]):
                value = used[untouched] + lasts[job]
                if value > size:
                    break
                while i > 0 and placed[column, i - 1] < value:
                    i -= 1
                out[before[i] + rank[i, value] + after[i]] += mass * weights[job]
            group += 1
        column = clusters - 1
        while column > 0 and used[column] == used[column - 1]:
            used[column] = least[column]
            column -= 1
        used[column] += 1


@njit(cache=True, nogil=True)
def worst_fit_size(cells, out, offsets, ways, work, components, size, value, chance, floor):
    """Place, by worst fit, up to all missing components with one same size.

    Called for every size from the largest to the smallest, it makes one WF-convolution for
    independent components: a job is a multiset, whose sizes are placed in decreasing order.

    Parameters
    ----------
    cells : ndarray, flat
        From ``offsets[d]`` on, the probabilities of the states in which d components of a job are
        placed: row by the clusters not yet served, column by those that are, both non-increasing
        vectors of used processors in lexicographic order.
    out : ndarray
        Receives the probabilities of the states with all components placed.
    offsets : ndarray of int64, shape (components,)
        Where the states with d components placed begin.
    ways : ndarray of int64, shape (c + 1, size + 2)
        ``ways[l, v]`` is how many non-increasing vectors of length l have entries below v.
    work : ndarray of int64, shape (4, c + 1)
        Work space.
    components, size, value : int
        Components of a job, processors of a cluster, processors of the components placed now.
    chance, floor : float
        Probability of `value`; cells of no more than `floor` are passed over.

    Notes
    -----
    m components of one size have weight chance^m / m!. Fewest placed comes last, so that no state
    is met again at the same size.
    """
    clusters, top = len(ways) - 1, size + 1
    rest, shorter, served, merged = work
    for placed in range(components - 1, -1, -1):
        left = clusters - placed
        columns = ways[placed, top]
        rest[:] = 0
        for row in range(ways[left, top]):
            for m in range(1, min(components - placed, left) + 1):
                shorter[m] = 0
                for i in range(left - m):
                    shorter[m] += ways[left - m - i, rest[i]]
            served[:] = 0
            start = offsets[placed] + row * columns
            for column in range(columns if rest[left - 1] + value <= size else 0):
                mass = cells[start + column]
                if mass > floor:
                    merged[:placed] = served[:placed]
                    for m in range(1, components - placed + 1):
                        entry = rest[left - m] + value
                        if entry > size:
                            break
                        mass *= chance / m
                        length = placed + m
                        i = length - 1
                        while i > 0 and merged[i - 1] < entry:
                            merged[i] = merged[i - 1]
                            i -= 1
                        merged[i] = entry
                        target = 0
                        if length < components:
                            for i in range(length):
                                target += ways[length - i, merged[i]]
                            target += offsets[length] + shorter[m] * ways[length, top]
                            cells[target] += mass
                        else:
                            i = j = 0
                            while i + j < clusters:
                                own = j < length and (i == left - m or merged[j] > rest[i])
                                entry = merged[j] if own else rest[i]
                                target += ways[clusters - i - j, entry]
                                i, j = (i, j + 1) if own else (i + 1, j)
                            out[target] += mass
                i = placed - 1
                while i > 0 and served[i] == served[i - 1]:
                    served[i] = 0
                    i -= 1
                served[max(i, 0)] += 1
            i = left - 1
            while i > 0 and rest[i] == rest[i - 1]:
                rest[i] = 0
                i -= 1
            rest[i] += 1
