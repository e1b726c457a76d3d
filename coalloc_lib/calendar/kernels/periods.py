"""The idle periods of all servers: which are feasible, which are chosen, what is left of them.

A period is feasible for an interval where it starts no later and ends no sooner. A place in a row
is a position in its directory and a number within the block. Servers that come idle together have
one period (`joined`), and keep it until some of them are taken: so those that a job leaves behind
are all in periods of servers of its own.
"""

import numpy as np

from coalloc_lib.calendar.kernels import kernel
from coalloc_lib.calendar.kernels.rows import (
    ALL,
    BEGIN,
    BLOCK,
    COUNT,
    END,
    HELD,
    LATEST,
    LONGEST,
    SERVER,
    SIZE,
    START,
    WHERE,
    WIDTH,
    block_at,
    comes_before,
    find_block,
    find_in,
    insert_all,
    new_rows,
    remove_all,
    with_room,
)

LATEST_START, BEST_FIT = range(2)
#: Rule -> its code.
RULE_CODES = {"latest-start": LATEST_START, "best-fit": BEST_FIT}


@kernel(makes_arrays=True)
def new_book(sizes, capacity, now):
    """Return a book in which every server of clusters of these sizes is idle."""
    book = new_rows(2 * len(sizes), max(capacity, BLOCK * len(sizes)))
    server, idle = 0, np.empty((4, 1))
    for c in range(len(sizes)):
        add(idle, 0, now, np.inf, server, sizes[c])
        insert_all(book, 2 * c + 1, idle, 1, now)
        server += sizes[c]
    return book


@kernel
def seek(book, row, start):
    """Return the place from which on no period starts later than `start`."""
    position = find_block(book, row, start, -1)
    block, held = block_at(book, row, position)
    return position, find_in(book, block, held, start, -1)


@kernel
def next_feasible(book, row, position, i, end, since):
    """Return the first place from this one on of a period that ends no sooner than `end`.

    The number within the block is -1 if no block that may have a start of `since` or later has one.
    """
    blocks, directory = book.blocks, book.directory
    while position < book.rows[row, WIDTH]:
        if position > 0 and directory[row, BEGIN, position] < since:
            break
        if directory[row, LATEST, position] >= end:
            block, held = block_at(book, row, position)
            for k in range(i, held):
                if blocks[block, END, k] >= end:
                    return position, k
        position, i = position + 1, 0
    return position, -1


@kernel
def previous_long(book, row, position, i, length):
    """Return the last place before this one of a period of at least this length, or position -1.

    A number of -1 within the block is behind its last.
    """
    blocks, directory = book.blocks, book.directory
    while position >= 0:
        if i < 0:
            i = int(directory[row, HELD, position])
        if directory[row, LONGEST, position] >= length:
            block = int(directory[row, WHERE, position])
            while i > 0:
                i -= 1
                if blocks[block, START, i] + length <= blocks[block, END, i]:
                    return position, i
        position, i = position - 1, -1
    return -1, 0


@kernel
def count(book, cluster, start, end, most):
    """Return how many servers of a cluster have a feasible period; stops at `most`, or more."""
    blocks, directory = book.blocks, book.directory
    row = 2 * cluster + 1
    position, i = seek(book, row, start)
    found, block = 0.0, int(directory[row, WHERE, position])
    for j in range(i):
        found -= blocks[block, SIZE, j]
    while position < book.rows[row, WIDTH] and found < most:
        found += directory[row, ALL, position]
        position += 1
    row = 2 * cluster
    position, i = seek(book, row, start)
    while position < book.rows[row, WIDTH] and found < most:
        if directory[row, LATEST, position] >= end:
            block = int(directory[row, WHERE, position])
            for j in range(i, int(directory[row, HELD, position])):
                if blocks[block, END, j] >= end:
                    found += blocks[block, SIZE, j]
        position, i = position + 1, 0
    return int(found)


@kernel
def nth_start(book, cluster, after, length, wanted):
    """Return when, after an instant, periods so long of `wanted` servers have started; or never."""
    blocks, directory = book.blocks, book.directory
    ending, free = 2 * cluster, 2 * cluster + 1
    p, i = seek(book, ending, after)
    q, j = seek(book, free, after)
    p, i = previous_long(book, ending, p, i, length)
    q, j = previous_long(book, free, q, j, length)
    found = 0.0
    while p >= 0 or q >= 0:
        one = blocks[int(directory[ending, WHERE, p]), START, i] if p >= 0 else np.inf
        other = blocks[int(directory[free, WHERE, q]), START, j] if q >= 0 else np.inf
        if one <= other:
            found += blocks[int(directory[ending, WHERE, p]), SIZE, i]
            p, i = previous_long(book, ending, p, i, length)
        else:
            found += blocks[int(directory[free, WHERE, q]), SIZE, j]
            q, j = previous_long(book, free, q, j, length)
        if found >= wanted:
            return min(one, other)
    return np.inf


@kernel(makes_arrays=True)
def choose(book, rule, cluster, start, end, wanted, chosen):
    """Write periods of `wanted` servers, by a rule, into `chosen`, float64 (2, 4, n).

    `chosen[0]` takes those that end, `chosen[1]` the open ones, each in the order of its row; of a
    period of more servers than are wanted the first. Returns how many periods each are.
    """
    ending, free = 2 * cluster, 2 * cluster + 1
    most, left = list_feasible(book, free, start, end, -np.inf, wanted, chosen[1])
    if rule == BEST_FIT:
        found = np.empty((4, book.rows[ending, COUNT]))
        n, _ = list_feasible(book, ending, start, end, -np.inf, np.inf, found)
        order = np.argsort(found[END, :n] - found[START, :n], kind="mergesort")
        ended, left = 0, float(wanted)
        while ended < n and left > 0:
            left = cut(found, order[ended], left)
            ended += 1
        order = np.sort(order[:ended])  # back in the order of the row
        for field in range(4):
            for k in range(ended):
                chosen[0, field, k] = found[field, order[k]]
        opened = 0
        while left > 0 and opened < most:
            left = cut(chosen[1], opened, left)
            opened += 1
        return ended, opened
    since = -np.inf if left > 0 else chosen[1, START, most - 1]
    n, _ = list_feasible(book, ending, start, end, since, wanted, chosen[0])
    one, other, ended, opened, left = chosen[0], chosen[1], 0, 0, float(wanted)
    while left > 0 and (ended < n or opened < most):
        if opened == most or (
            ended < n
            and comes_before(
                one[START, ended], one[SERVER, ended], other[START, opened], other[SERVER, opened]
            )
        ):
            left = cut(one, ended, left)
            ended += 1
        else:
            left = cut(other, opened, left)
            opened += 1
    return ended, opened


@kernel
def cut(periods, k, most):
    """Leave the period at a place no more servers than `most`; return how many more may follow."""
    periods[SIZE, k] = min(periods[SIZE, k], most)
    return most - periods[SIZE, k]


@kernel
def list_feasible(book, row, start, end, since, wanted, found):
    """Write the first feasible periods of a row into `found`, float64 (4, n), `wanted` servers.

    Returns how many periods these are, and how many servers are lacking.
    """
    position, i = seek(book, row, start)
    n, left = 0, float(wanted)
    while left > 0:
        position, i = next_feasible(book, row, position, i, end, since)
        if i < 0:
            break
        block = int(book.directory[row, WHERE, position])
        for field in range(4):
            found[field, n] = book.blocks[block, field, i]
        left = cut(found, n, left)
        n, i = n + 1, i + 1
    return n, left


@kernel(makes_arrays=True)
def write_servers(chosen, ended, opened, pieces, servers, first):
    """Write the servers of the periods that `choose` wrote from a place on, ascending."""
    count = 0
    for kind in range(2):
        for k in range(opened if kind else ended):
            count = add(pieces, count, 0.0, 0.0, chosen[kind, SERVER, k], chosen[kind, SIZE, k])
    sort_by_server(pieces, count)
    for k in range(count):
        server, size = int(pieces[SERVER, k]), int(pieces[SIZE, k])
        for i in range(size):
            servers[first + i] = server + i
        first += size


@kernel(makes_arrays=True)
def take(book, cluster, chosen, ended, opened, start, end, now, pieces):
    """Replace periods that `choose` wrote by what is left of them beside an interval, and not past.

    Writes into `chosen`, and `pieces`, float64 (4, n), as it goes; returns the book, perhaps a
    larger one.
    """
    book = with_room(book, 2 * (ended + opened), now)
    for kind in range(2):
        remove_all(book, 2 * cluster + kind, chosen[kind], opened if kind else ended, chosen[kind])
    for kind in range(2):
        periods, among = chosen[kind], opened if kind else ended
        if start > now:
            count = 0
            for k in range(among):
                since, size = periods[START, k], periods[SIZE, k]
                if since < start:
                    count = add(pieces, count, since, start, periods[SERVER, k], size)
            insert_all(book, 2 * cluster, pieces, count, now)
        count = 0
        for k in range(among):
            until, size = periods[END, k], periods[SIZE, k]
            if until > end:
                count = add(pieces, count, end, until, periods[SERVER, k], size)
        sort_by_server(pieces, count)
        insert_all(book, 2 * cluster + kind, pieces, joined(pieces, count), now)
    return book


@kernel
def add(periods, count, start, end, server, size):
    """Write a period behind the first `count`, float64 (4, n); return how many there are now."""
    periods[START, count], periods[END, count] = start, end
    periods[SERVER, count], periods[SIZE, count] = server, size
    return count + 1


@kernel
def joined(periods, count):
    """Make one of periods alike whose servers follow one another; return how many are left."""
    left = 0
    for k in range(count):
        last, server = left - 1, periods[SERVER, k]
        if (
            left
            and periods[END, last] == periods[END, k]
            and periods[SERVER, last] + periods[SIZE, last] == server
        ):
            periods[SIZE, last] += periods[SIZE, k]
        else:
            left = add(periods, left, periods[START, k], periods[END, k], server, periods[SIZE, k])
    return left


@kernel(makes_arrays=True)
def sort_by_server(pieces, count):
    """Sort the first `count` periods, which have one start, as a row does; often they are."""
    if count > BLOCK:
        pieces[:, :count] = pieces[:, np.argsort(pieces[SERVER, :count])]
        return
    for k in range(1, count):
        start, end, server, size = pieces[0, k], pieces[1, k], pieces[2, k], pieces[3, k]
        while k > 0 and pieces[SERVER, k - 1] > server:
            for field in range(4):
                pieces[field, k] = pieces[field, k - 1]
            k -= 1
        add(pieces, k, start, end, server, size)


@kernel(makes_arrays=True)
def give_back(book, cluster, servers, start, end, now, ranges, pieces):
    """Let servers, ascending, be idle in an interval, joined to what is idle after it.

    Writes into `ranges`, float64 (2, 4, n), and `pieces`, as it goes; returns the book, perhaps a
    larger one.
    """
    behind, others = ranges
    count = ranges_of(servers, end, pieces)
    ended = remove_all(book, 2 * cluster, pieces, count, behind)
    lacking = without(pieces, count, behind, ended, others, 0)
    opened = remove_all(book, 2 * cluster + 1, others, lacking, pieces)
    ended = without(others, lacking, pieces, opened, behind, ended)
    behind[START, :ended] = start
    pieces[START, :opened] = start
    sort_by_server(behind, ended)
    book = with_room(book, ended + opened, now)
    insert_all(book, 2 * cluster, behind, ended, now)
    insert_all(book, 2 * cluster + 1, pieces, opened, now)
    return book


@kernel
def ranges_of(servers, instant, pieces):
    """Write servers, ascending, as periods of one instant; return how many these are."""
    count = 0
    for server in servers:
        if count and pieces[SERVER, count - 1] + pieces[SIZE, count - 1] == server:
            pieces[SIZE, count - 1] += 1
        else:
            count = add(pieces, count, instant, instant, server, 1)
    return count


@kernel
def without(asked, count, found, among, others, first):
    """Write the servers of periods that others have not into `others`, from a place on.

    All are float64 (4, n) and sorted by servers. Returns where that ends.
    """
    i = 0
    for k in range(count):
        start, end, server = asked[START, k], asked[END, k], asked[SERVER, k]
        last = server + asked[SIZE, k]
        while i < among and found[SERVER, i] < last:
            if server < found[SERVER, i]:
                first = add(others, first, start, end, server, found[SERVER, i] - server)
            server = found[SERVER, i] + found[SIZE, i]
            i += 1
        if server < last:
            first = add(others, first, start, end, server, last - server)
    return first
