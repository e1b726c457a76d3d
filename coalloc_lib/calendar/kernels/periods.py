"""One plain list of the idle periods of all processors, and passes over it.

A period is feasible for an interval if it starts no later and ends no sooner. The list is in no
order. Each search looks at all periods, so its time grows with their number.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels import kernel

#: The idle periods, as columns with spare places at their end: `begin` and `end`, float64 (n,);
#: `server`, the processor that is idle, and `cluster`, int64 (n,); `count`, int64 (1,), the number
#: of places in use.
Book = namedtuple("Book", "begin end server cluster count")

LATEST_START, BEST_FIT = range(2)
#: Rule -> its code.
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
    """Return a book that has room for this number of further periods: this one or a larger one."""
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
    """Write a period behind the last one."""
    i = book.count[0]
    book.begin[i], book.end[i] = begin, end
    book.server[i], book.cluster[i] = server, cluster
    book.count[0] = i + 1


@kernel
def forget(book, now):
    """Remove the periods that are empty or have ended by `now`."""
    count, book.count[0] = book.count[0], 0
    for i in range(count):
        if book.end[i] > max(now, book.begin[i]):
            add(book, book.begin[i], book.end[i], book.server[i], book.cluster[i])


@kernel
def count_idle(book, start, end, counts):
    """Write the number of processors of each cluster that are idle over an interval."""
    counts[:] = 0
    for i in range(book.count[0]):
        if book.begin[i] <= start and book.end[i] >= end:
            counts[book.cluster[i]] += 1


@kernel
def count_attempts(book, since, step, length, low, high, counts):
    """Write the number of idle processors for each attempt from `low` to before `high`.

    Attempt k asks for the interval from ``since + k * step`` on. Row k - low of `counts`, int64
    (n, clusters), is written for attempt k; the row behind the last attempt is scratch space.
    """
    counts[: high - low + 1] = 0
    earliest, latest = since + low * step, since + (high - 1) * step
    for i in range(book.count[0]):
        begin, end = book.begin[i], book.end[i]
        if begin > latest or max(begin, earliest) + length > end:
            continue  # Most periods are passed over here.
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
    """Return the first attempt from `low` on, or `most`, whose `length` ends after `stop`."""
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
    """Return the places of `wanted` feasible periods of a cluster, the first by the rule."""
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
    """Replace the periods at these places by what is left of them beside an interval."""
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
    """Let processors of a cluster be idle in an interval, joined to what is idle after it.

    `servers` are the numbers of the processors, ascending. Returns the book or a larger one.
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
