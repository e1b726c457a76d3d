"""The idle periods of all processors in one unsorted list, and the loops that search it.

An idle period is feasible for an interval if it contains the interval. Each search examines all
periods, so its time is proportional to their number.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels import kernel

#: A named tuple of arrays with room for n idle periods of processors.
#:
#: - `begin` and `end`, float64 (n,): when each period begins and ends.
#: - `server` and `cluster`, int64 (n,): the numbers of the processor and of its cluster.
#: - `count`, int64 (1,): the number of periods in the table, which are stored first in the arrays.
IdleTable = namedtuple("IdleTable", "begin end server cluster count")

LATEST_START, BEST_FIT = range(2)
#: A dict from the name of each rule that chooses among idle periods to its code in the kernels.
RULE_CODES = {"latest-start": LATEST_START, "best-fit": BEST_FIT}


@kernel(makes_arrays=True)
def new_table(sizes):
    """Create the table of the idle periods of a system in which all processors are idle."""
    servers = sizes.sum()
    begin, end = np.zeros(2 * servers), np.full(2 * servers, np.inf)
    server, cluster = np.arange(2 * servers), np.zeros(2 * servers, np.int64)
    cluster[:servers] = np.repeat(np.arange(len(sizes)), sizes)
    return IdleTable(begin, end, server, cluster, np.full(1, servers))


@kernel(makes_arrays=True)
def with_room(table, more):
    """Return the given table if it has room for `more` idle periods, otherwise a larger copy."""
    count, size = table.count[0], len(table.begin)
    if count + more <= size:
        return table
    size = 2 * (count + more)
    begin, end = np.empty(size), np.empty(size)
    server, cluster = np.empty(size, np.int64), np.empty(size, np.int64)
    begin[:count], end[:count] = table.begin[:count], table.end[:count]
    server[:count], cluster[:count] = table.server[:count], table.cluster[:count]
    return IdleTable(begin, end, server, cluster, table.count)


@kernel
def add(table, begin, end, server, cluster):
    """Append an idle period to a table that has room for one more period."""
    i = table.count[0]
    table.begin[i], table.end[i] = begin, end
    table.server[i], table.cluster[i] = server, cluster
    table.count[0] = i + 1


@kernel
def forget(table, now):
    """Remove the idle periods that are empty or end by `now` from a table."""
    count, table.count[0] = table.count[0], 0
    for i in range(count):
        if table.end[i] > max(now, table.begin[i]):
            add(table, table.begin[i], table.end[i], table.server[i], table.cluster[i])


@kernel
def count_idle(table, start, end, counts):
    """Count the processors of each cluster that are idle all the time from `start` to `end`.

    The numbers are written into `counts`.
    """
    counts[:] = 0
    for i in range(table.count[0]):
        if table.begin[i] <= start and table.end[i] >= end:
            counts[table.cluster[i]] += 1


@kernel
def count_attempts(table, since, step, length, low, high, counts):
    """Count the idle processors of each cluster for the attempts `low` to ``high - 1``.

    Attempt k asks for an interval of the given length that starts at ``since + k * step``. The
    numbers of idle processors for attempt k are written into row ``k - low`` of `counts`, int64 (n,
    clusters). One further row of `counts` is used as scratch space.
    """
    counts[: high - low + 1] = 0
    earliest, latest = since + low * step, since + (high - 1) * step
    for i in range(table.count[0]):
        begin, end = table.begin[i], table.end[i]
        if begin > latest or max(begin, earliest) + length > end:
            continue  # This test excludes most periods.
        first = low
        if begin > earliest:
            first = first_after(since, step, 0.0, np.nextafter(begin, -np.inf), low, high)
        stop = first_after(since, step, length, end, first, high)
        counts[first - low, table.cluster[i]] += 1
        counts[stop - low, table.cluster[i]] -= 1
    for k in range(1, high - low):
        for c in range(counts.shape[1]):
            counts[k, c] += counts[k - 1, c]


@kernel
def first_after(since, step, length, stop, low, most):
    """Return the first attempt, from `low` to `most`, in which a job would end after `stop`.

    Attempt k starts at ``since + k * step`` and takes `length`.
    """
    if low >= most or since + (most - 1) * step + length <= stop:
        return most
    high = most - 1
    while low < high:
        middle = (low + high) >> 1
        if since + middle * step + length > stop:
            high = middle
        else:
            low = middle + 1
    return low


@kernel(makes_arrays=True)
def choose(table, rule, cluster, start, end, wanted):
    """Return the indices of the `wanted` best idle periods of a cluster for an interval."""
    feasible, found = np.empty(table.count[0], np.int64), 0
    for i in range(table.count[0]):
        if table.cluster[i] == cluster and table.begin[i] <= start and table.end[i] >= end:
            feasible[found] = i
            found += 1
    feasible = feasible[:found]
    if found == wanted:
        return feasible
    key = -table.begin[feasible]
    if rule == BEST_FIT:
        key += table.end[feasible]
    bound = np.partition(key, wanted - 1)[wanted - 1]
    tied = feasible[key == bound]
    tied = tied[np.argsort(table.server[tied])]
    if rule == BEST_FIT:
        tied = tied[np.argsort(-table.begin[tied], kind="mergesort")]
    best = feasible[key < bound]
    return np.concatenate((best, tied[: wanted - len(best)]))


@kernel
def take(table, chosen, start, end):
    """Reserve the interval from `start` to `end` in the idle periods with the given indices.

    A part of a period that is idle before `start` or after `end` stays in the table.
    """
    for i in chosen:
        begin, until = table.begin[i], table.end[i]
        if until > end:
            table.begin[i] = end
            if begin < start:
                add(table, begin, start, table.server[i], table.cluster[i])
        else:
            table.end[i] = start


@kernel(makes_arrays=True)
def give_back(table, cluster, servers, start, end):
    """Mark processors of a cluster as idle from `start` to `end`.

    Returns the table, or a larger copy of it. The interval is merged with an idle period that
    begins at its end. It is never merged with a period before it, because the processors were busy
    until `start`. `servers` has the numbers of the processors, in increasing order.
    """
    table, is_joined = with_room(table, len(servers)), np.zeros(len(servers), np.bool_)
    for i in range(table.count[0]):
        if table.cluster[i] == cluster and table.begin[i] == end < table.end[i]:
            place = np.searchsorted(servers, table.server[i])
            if place < len(servers) and servers[place] == table.server[i]:
                table.begin[i], is_joined[place] = start, True
    for place in range(len(servers)):
        if not is_joined[place]:
            add(table, start, end, servers[place], cluster)
    return table
