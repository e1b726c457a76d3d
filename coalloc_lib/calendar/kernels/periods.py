"""The idle periods of all servers: which are feasible, which are chosen, what is left of them.

A period is feasible for an interval where it starts no later and ends no sooner. A place in a row
is a position in its directory and a number within the block.
"""

import numpy as np

from coalloc_lib.calendar.kernels import kernel
from coalloc_lib.calendar.kernels.rows import (
    BEGIN,
    COUNT,
    END,
    HELD,
    LATEST,
    LONGEST,
    SERVER,
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
)

LATEST_START, BEST_FIT = range(2)
#: Rule -> its code.
RULE_CODES = {"latest-start": LATEST_START, "best-fit": BEST_FIT}


@kernel
def new_book(sizes, capacity, now):
    """Return a book in which every server of clusters of these sizes is idle."""
    book = new_rows(2 * len(sizes), max(capacity, 2 * sizes.sum()))
    server = 0
    for c in range(len(sizes)):
        idle = np.empty((3, sizes[c]))
        idle[START], idle[END] = now, np.inf
        for k in range(sizes[c]):
            idle[SERVER, k] = server + k
        insert_all(book, 2 * c + 1, idle, sizes[c], now)
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
    """Return how many periods of a cluster are feasible; stops where these are `most`, or more."""
    blocks, directory = book.blocks, book.directory
    row = 2 * cluster + 1
    position, i = seek(book, row, start)
    found = -i
    while position < book.rows[row, WIDTH] and found < most:
        found += int(directory[row, HELD, position])
        position += 1
    row = 2 * cluster
    position, i = seek(book, row, start)
    while position < book.rows[row, WIDTH] and found < most:
        if directory[row, LATEST, position] >= end:
            block = int(directory[row, WHERE, position])
            for j in range(i, int(directory[row, HELD, position])):
                found += blocks[block, END, j] >= end
        position, i = position + 1, 0
    return found


@kernel
def nth_start(book, cluster, after, length, wanted):
    """Return the start, the `wanted`-th after an instant, of a period so long; or infinity."""
    blocks, directory = book.blocks, book.directory
    ending, free = 2 * cluster, 2 * cluster + 1
    p, i = seek(book, ending, after)
    q, j = seek(book, free, after)
    p, i = previous_long(book, ending, p, i, length)
    q, j = previous_long(book, free, q, j, length)
    start = np.inf
    for _ in range(wanted):
        one = blocks[int(directory[ending, WHERE, p]), START, i] if p >= 0 else np.inf
        other = blocks[int(directory[free, WHERE, q]), START, j] if q >= 0 else np.inf
        start = min(one, other)
        if start == np.inf:
            break
        if one <= other:
            p, i = previous_long(book, ending, p, i, length)
        else:
            q, j = previous_long(book, free, q, j, length)
    return start


@kernel
def choose(book, rule, cluster, start, end, wanted, chosen):
    """Write the periods that a rule chooses of a cluster into `chosen`, float64 (2, 3, n).

    `chosen[0]` takes those that end, `chosen[1]` the open ones, each in the order of its row.
    Returns how many each are.
    """
    ending, free = 2 * cluster, 2 * cluster + 1
    most, since = list_feasible(book, free, start, end, -np.inf, wanted, chosen[1]), -np.inf
    if rule == BEST_FIT:
        found = np.empty((3, book.rows[ending, COUNT]))
        n = list_feasible(book, ending, start, end, since, found.shape[1], found)
        order = np.argsort(found[END, :n] - found[START, :n], kind="mergesort")[:wanted]
        order.sort()  # back in the order of the row
        chosen[0, :, : len(order)] = found[:, order]
        return len(order), min(most, wanted - len(order))
    if most == wanted:
        since = chosen[1, START, most - 1]
    n = list_feasible(book, ending, start, end, since, wanted, chosen[0])
    one, other, ended, opened = chosen[0], chosen[1], 0, 0
    while ended + opened < wanted and (ended < n or opened < most):
        if opened == most or (
            ended < n
            and comes_before(
                one[START, ended], one[SERVER, ended], other[START, opened], other[SERVER, opened]
            )
        ):
            ended += 1
        else:
            opened += 1
    return ended, opened


@kernel
def list_feasible(book, row, start, end, since, most, found):
    """Write the first feasible periods of a row into `found`, float64 (3, n); return how many."""
    position, i = seek(book, row, start)
    for k in range(most):
        position, i = next_feasible(book, row, position, i, end, since)
        if i < 0:
            return k
        block = int(book.directory[row, WHERE, position])
        for field in range(3):
            found[field, k] = book.blocks[block, field, i]
        i += 1
    return most


@kernel
def take(book, cluster, chosen, ended, opened, start, end, now, pieces):
    """Replace periods that `choose` wrote by what is left of them beside an interval, and not past.

    Writes into `chosen`, and `pieces`, float64 (3, n), as it goes.
    """
    for kind in range(2):
        remove_all(book, 2 * cluster + kind, chosen[kind], opened if kind else ended)
    for kind in range(2):
        periods, among = chosen[kind], opened if kind else ended
        if start > now:
            count = 0
            for k in range(among):
                if periods[START, k] < start:
                    count = add(pieces, count, periods[START, k], start, periods[SERVER, k])
            insert_all(book, 2 * cluster, pieces, count, now)
        count = 0
        for k in range(among):
            if periods[END, k] > end:
                count = add(pieces, count, end, periods[END, k], periods[SERVER, k])
        sort_by_server(pieces, count)
        insert_all(book, 2 * cluster + kind, pieces, count, now)


@kernel
def add(periods, count, start, end, server):
    """Write a period behind the first `count`, float64 (3, n); return how many there are now."""
    periods[START, count], periods[END, count], periods[SERVER, count] = start, end, server
    return count + 1


@kernel
def sort_by_server(pieces, count):
    """Sort the first `count` periods, which have one start, as a row does."""
    if count > 1:
        pieces[:, :count] = pieces[:, np.argsort(pieces[SERVER, :count])]


@kernel
def give_back(book, cluster, servers, start, end, now, pieces):
    """Let servers, ascending, be idle in an interval, joined to what is idle after it."""
    behind, others = pieces
    count = missing = 0
    for server in servers:
        count = add(behind, count, end, np.nan, server)
    remove_all(book, 2 * cluster, behind, count)
    for k in range(count):
        if np.isnan(behind[END, k]):
            missing = add(others, missing, end, np.nan, behind[SERVER, k])
    remove_all(book, 2 * cluster + 1, others, missing)
    ended = opened = looked = 0
    for k in range(count):
        until, server = behind[END, k], behind[SERVER, k]
        if np.isnan(until):
            until, looked = others[END, looked], looked + 1
        if until == np.inf:
            opened = add(others, opened, start, until, server)
        else:
            ended = add(behind, ended, start, end if np.isnan(until) else until, server)
    insert_all(book, 2 * cluster, behind, ended, now)
    insert_all(book, 2 * cluster + 1, others, opened, now)
