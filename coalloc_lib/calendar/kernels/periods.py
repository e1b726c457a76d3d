"""The idle periods of all processors in one unsorted list, and the loops that search it.

An idle period is feasible for an interval if it contains the interval. Each search examines all
periods, so its time is proportional to their number.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels import kernel

#: The idle periods, one column for each of their properties. `begin` and `end`, float64 (n,), are
#: the interval. `server`, int64 (n,), is the number of the processor, and `cluster`, int64 (n,),
#: its cluster. Only the first ``count[0]`` entries are in use; `count` is int64 (1,).
Book = namedtuple("Book", "begin end server cluster count")

LATEST_START, BEST_FIT = range(2)
#: The code of each rule that chooses among feasible periods.
RULE_CODES = {"latest-start": LATEST_START, "best-fit": BEST_FIT}


@kernel(makes_arrays=True)
def new_book(sizes):
    """Return a book in which every processor of clusters of these sizes is idle from 0 on."""
    servers = sizes.sum()
    begin, end = np.zeros(2 * servers), np.full(2 * servers, np.inf)
    server, cluster = np.arange(2 * servers), np.zeros(2 * servers, np.int64)
    cluster[:servers] = np.repeat(np.arange(len(sizes)), sizes)
    return Book(begin, end, server, cluster, np.full(1, servers))


@kernel(makes_arrays=True)
def with_room(book, more):
    """Return the book, or a larger copy of it if it has no room for `more` further periods."""
    count, size = book.count[0], len(book.begin)
    if count + more <= size:
        return book
    size = 2 * (count + more)
    begin, end = np.empty(size), np.empty(size)
    server, cluster = np.empty(size, np.int64), np.empty(size, np.int64)
    begin[:count], end[:count] = book.begin[:count], book.end[:count]
    server[:count], cluster[:count] = book.server[:count], book.cluster[:count]
    return Book(begin, end, server, cluster, book.count)


@kernel
def add(book, begin, end, server, cluster):
    """Append an idle period to the book, which must have room for it."""
    i = book.count[0]
    book.begin[i], book.end[i] = begin, end
    book.server[i], book.cluster[i] = server, cluster
    book.count[0] = i + 1


@kernel
def forget(book, now):
    """Remove the idle periods that are empty or end at or before `now`."""
    count, book.count[0] = book.count[0], 0
    for i in range(count):
        if book.end[i] > max(now, book.begin[i]):
            add(book, book.begin[i], book.end[i], book.server[i], book.cluster[i])


@kernel
def count_idle(book, start, end, counts):
    """Write into `counts` the number of processors of each cluster that are idle in an interval."""
    counts[:] = 0
    for i in range(book.count[0]):
        if book.begin[i] <= start and book.end[i] >= end:
            counts[book.cluster[i]] += 1


@kernel
def count_attempts(book, since, step, length, low, high, counts):
    """Write the number of idle processors for each of the attempts `low` to ``high - 1``.

    Attempt k asks for an interval of this length that starts at ``since + k * step``. The numbers
    of processors of each cluster for attempt k are written into row ``k - low`` of `counts`, int64
    (n, clusters). The row after that of the last attempt is overwritten too.
    """
    counts[: high - low + 1] = 0
    earliest, latest = since + low * step, since + (high - 1) * step
    for i in range(book.count[0]):
        begin, end = book.begin[i], book.end[i]
        if begin > latest or max(begin, earliest) + length > end:
            continue  # This test excludes most periods.
        first = low
        if begin > earliest:
            first = first_after(since, step, 0.0, np.nextafter(begin, -np.inf), low, high)
        stop = first_after(since, step, length, end, first, high)
        counts[first - low, book.cluster[i]] += 1
        counts[stop - low, book.cluster[i]] -= 1
    for k in range(1, high - low):
        for c in range(counts.shape[1]):
            counts[k, c] += counts[k - 1, c]


@kernel
def first_after(since, step, length, stop, low, most):
    """Return the first attempt that ends after `stop`, at least `low` and at most `most`.

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
def choose(book, rule, cluster, start, end, wanted):
    """Return the indices of `wanted` feasible periods of a cluster, chosen by a rule."""
    feasible, found = np.empty(book.count[0], np.int64), 0
    for i in range(book.count[0]):
        if book.cluster[i] == cluster and book.begin[i] <= start and book.end[i] >= end:
            feasible[found] = i
            found += 1
    feasible = feasible[:found]
    if found == wanted:
        return feasible
    key = -book.begin[feasible]
    if rule == BEST_FIT:
        key += book.end[feasible]
    bound = np.partition(key, wanted - 1)[wanted - 1]
    tied = feasible[key == bound]
    tied = tied[np.argsort(book.server[tied])]
    if rule == BEST_FIT:
        tied = tied[np.argsort(-book.begin[tied], kind="mergesort")]
    best = feasible[key < bound]
    return np.concatenate((best, tied[: wanted - len(best)]))


@kernel
def take(book, chosen, start, end):
    """Remove the time from `start` to `end` from the idle periods with the indices `chosen`.

    A part of a period that is idle before `start` or after `end` stays in the book.
    """
    for i in chosen:
        begin, until = book.begin[i], book.end[i]
        if until > end:
            book.begin[i] = end
            if begin < start:
                add(book, begin, start, book.server[i], book.cluster[i])
        else:
            book.end[i] = start


@kernel(makes_arrays=True)
def give_back(book, cluster, servers, start, end):
    """Add an idle interval of processors of a cluster; return the book, or a larger copy of it.

    The interval is merged with an idle period that begins at its end. `servers` are the numbers of
    the processors, in increasing order.
    """
    book, is_joined = with_room(book, len(servers)), np.zeros(len(servers), np.bool_)
    for i in range(book.count[0]):
        if book.cluster[i] == cluster and book.begin[i] == end < book.end[i]:
            place = np.searchsorted(servers, book.server[i])
            if place < len(servers) and servers[place] == book.server[i]:
                book.begin[i], is_joined[place] = start, True
    for place in range(len(servers)):
        if not is_joined[place]:
            add(book, start, end, servers[place], cluster)
    return book
