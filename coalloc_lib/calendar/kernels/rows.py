"""Sorted rows of idle periods, in blocks.

A period here is that of one server or of several that follow one another, where it is the same: so
many machines that are alike cost what one does. A cluster c has two rows: row 2 c for periods that
end, and row 2 c + 1 for the *open* ones, which do not; of these each server has one, always. A row
is sorted by decreasing start, and for one start by server, and cut into blocks of at most `BLOCK`
periods. A directory knows of each block what decides whether a search has to look into it, so that
most are passed over unread:

    row 0    starts  [9 9 7 | 6 4 | 2]        directory   BEGIN    9  6  2
             ends     12 14 8  20 5   3                   LATEST  14 20  3
                                                          LONGEST  5 14  1

Who looks for a period that starts by 7 and ends no sooner than 15 begins in the first block, after
the starts above 7, skips the rest of it, since its latest end is 14, and finds (6, 20).

A block that is full is split in halves. What becomes empty, and periods that are past, stay until
the row is *swept*: packed into half-full blocks, without what has ended. That happens when as
many periods have come in as the last sweep left, and so bounds how many blocks a row has.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels import kernel

#: All rows of some clusters. `blocks`, float64 (b, 4, BLOCK): START, END, first SERVER and
#: SIZE, how many servers, of each period; `directory`, float64 (rows, 7, w): for each block of a
#: row BEGIN and FIRST, the start and server that no period in it comes before (those of the row's
#: first block do not count), LATEST, no less than any end, LONGEST, no less than any length, how
#: many periods it HELD, of how many servers in ALL, and WHERE they are;
#: `rows`, int64 (rows, 4): WIDTH, blocks in use, COUNT, periods held, FRESH, periods that came
#: since the last sweep, and LIMIT, when it is swept; `spare`, int64 (b + 1,): how many blocks are
#: free, then which.
Rows = namedtuple("Rows", "blocks directory rows spare")
START, END, SERVER, SIZE = range(4)
BEGIN, FIRST, LATEST, LONGEST, HELD, ALL, WHERE = range(7)
WIDTH, COUNT, FRESH, LIMIT = range(4)

#: Periods in a full block.
BLOCK = 64


@kernel(makes_arrays=True)
def new_rows(count, capacity):
    """Return `count` empty rows that take `capacity` periods in all, at least; see `sweep`."""
    width, total = 4 * capacity // BLOCK + 9, 4 * capacity // BLOCK + 9 * count
    directory, spare = np.empty((count, 7, width)), np.arange(total + 1)[::-1].copy()
    book = Rows(np.empty((total, 4, BLOCK)), directory, np.zeros((count, 4), np.int64), spare)
    spare[0] = total
    for row in range(count):
        sweep(book, row, 0.0)
    return book


@kernel(makes_arrays=True)
def with_room(book, more, now):
    """Return rows that take so many periods more: these, swept at most, or larger ones."""
    capacity = (book.directory.shape[2] - 9) * BLOCK // 4
    if book.rows[:, COUNT].sum() + more <= capacity:
        return book
    for row in range(len(book.rows)):
        sweep(book, row, now)
    needed = 2 * (book.rows[:, COUNT].sum() + more)
    if needed <= capacity:
        return book
    larger = new_rows(len(book.rows), needed)
    for row in range(len(book.rows)):
        for position in range(book.rows[row, WIDTH]):
            block, held = block_at(book, row, position)
            insert_all(larger, row, book.blocks[block], held, now)
    return larger


@kernel
def block_at(book, row, position):
    """Return which block is at a position of a row, and how many periods it holds."""
    directory = book.directory
    return int(directory[row, WHERE, position]), int(directory[row, HELD, position])


@kernel
def comes_before(start, server, other_start, other_server):
    """Whether one period comes before another in a row."""
    return start > other_start or (start == other_start and server < other_server)


@kernel
def move(blocks, block, i, target, j):
    """Copy a period to another place."""
    for field in range(4):
        blocks[target, field, j] = blocks[block, field, i]


@kernel
def length_of(start, end):
    """Return no less than the length of what fits in a period, however sums are rounded."""
    return end - start + end * 2.0**-50


@kernel
def find_block(book, row, start, server):
    """Return the position of the block that a period belongs into."""
    begin, first = book.directory[row, BEGIN], book.directory[row, FIRST]
    low, high = 0, book.rows[row, WIDTH]
    while high - low > 1:
        middle = (low + high) >> 1
        if comes_before(start, server, begin[middle], first[middle]):
            high = middle
        else:
            low = middle
    return low


@kernel
def find_in(book, block, held, start, server):
    """Return where in a block a period is, or belongs."""
    blocks = book.blocks
    low, high = 0, held
    while low < high:
        middle = (low + high) >> 1
        if comes_before(blocks[block, START, middle], blocks[block, SERVER, middle], start, server):
            low = middle + 1
        else:
            high = middle
    return low


@kernel(makes_arrays=True)
def insert_all(book, row, periods, count, now):
    """Put the first `count` periods, float64 (4, n) and in its order, into a row."""
    blocks, directory, rows, _ = book
    k = 0
    while k < count:
        if rows[row, FRESH] >= rows[row, LIMIT]:
            sweep(book, row, now)
        position = find_block(book, row, periods[START, k], periods[SERVER, k])
        block, held = block_at(book, row, position)
        if held == BLOCK:
            split(book, row, position)
            continue
        stop = last_before(book, row, position + 1, periods, k, min(count, k + BLOCK - held))
        latest, longest = directory[row, LATEST, position], directory[row, LONGEST, position]
        old, new = held - 1, stop - 1
        for place in range(held + stop - k - 1, -1, -1):  # merged from the back
            if new < k:
                break
            start, end, server = periods[START, new], periods[END, new], periods[SERVER, new]
            if old >= 0 and comes_before(
                start, server, blocks[block, START, old], blocks[block, SERVER, old]
            ):
                move(blocks, block, old, block, place)
                old -= 1
            else:
                blocks[block, START, place], blocks[block, END, place] = start, end
                blocks[block, SERVER, place], blocks[block, SIZE, place] = (
                    server,
                    periods[SIZE, new],
                )
                directory[row, ALL, position] += periods[SIZE, new]
                latest, longest = max(latest, end), max(longest, length_of(start, end))
                new -= 1
        directory[row, LATEST, position], directory[row, LONGEST, position] = latest, longest
        directory[row, HELD, position] = held + stop - k
        rows[row, COUNT] += stop - k
        rows[row, FRESH] += stop - k
        k = stop


@kernel
def last_before(book, row, position, periods, first, stop):
    """Return where the periods from `first` on end that come before a block, or `stop`."""
    if position == book.rows[row, WIDTH]:
        return stop
    begin, server = book.directory[row, BEGIN, position], book.directory[row, FIRST, position]
    k = first
    while k < stop and comes_before(periods[START, k], periods[SERVER, k], begin, server):
        k += 1
    return k


@kernel
def remove_all(book, row, asked, count, found):
    """Take out what a row has of `count` periods, which ends anywhere; write it into `found`.

    Both are float64 (4, n) and in order, and may be one where each is a period of the row or the
    first servers of one. No period of the row begins with a server before those that are asked for
    and reaches into them. Returns how many were found.
    """
    blocks, directory, rows, _ = book
    k, n, server = 0, 0, asked[SERVER, 0]
    while k < count:
        position = find_block(book, row, asked[START, k], server)
        block, held = block_at(book, row, position)
        stop = last_before(book, row, position + 1, asked, k, count)
        place = kept = find_in(book, block, held, asked[START, k], server)
        latest = longest = -np.inf
        while k < stop:
            start, last = asked[START, k], asked[SERVER, k] + asked[SIZE, k]
            while place < held and comes_before(
                blocks[block, START, place], blocks[block, SERVER, place], start, server
            ):
                move(blocks, block, place, block, kept)
                place, kept = place + 1, kept + 1
            while place < held and comes_before(
                blocks[block, START, place], blocks[block, SERVER, place], start, last
            ):
                end, first = blocks[block, END, place], blocks[block, SERVER, place]
                size = min(blocks[block, SIZE, place], last - first)
                found[START, n], found[END, n] = start, end
                found[SERVER, n], found[SIZE, n] = first, size
                n += 1
                directory[row, ALL, position] -= size
                if size < blocks[block, SIZE, place]:  # the other servers stay
                    blocks[block, SERVER, place] += size
                    blocks[block, SIZE, place] -= size
                    break
                latest, longest = max(latest, end), max(longest, length_of(start, end))
                place += 1
            k += 1
            server = asked[SERVER, k] if k < count else np.inf
        if place > kept:
            for i in range(held - place):
                move(blocks, block, place + i, block, kept + i)
            directory[row, HELD, position] = held - (place - kept)
            rows[row, COUNT] -= place - kept
            if latest < np.inf and (
                latest == directory[row, LATEST, position]
                or longest == directory[row, LONGEST, position]
            ):
                summarise(book, row, position)
        position += 1
        if position < rows[row, WIDTH] and comes_before(
            directory[row, BEGIN, position], directory[row, FIRST, position], start, last
        ):
            k, server = k - 1, directory[row, FIRST, position]  # it goes on in the next block
    return n


@kernel
def summarise(book, row, position):
    """Write down the latest end and the longest length in a block, and of how many servers."""
    (block, held), latest, longest, servers = block_at(book, row, position), -np.inf, -np.inf, 0.0
    for i in range(held):
        servers += book.blocks[block, SIZE, i]
        start, end = book.blocks[block, START, i], book.blocks[block, END, i]
        latest, longest = max(latest, end), max(longest, length_of(start, end))
    book.directory[row, LATEST, position] = latest
    book.directory[row, LONGEST, position] = longest
    book.directory[row, ALL, position] = servers


@kernel(makes_arrays=True)
def add_block(book, row, position):
    """Put an empty block into a row, as the one of a position; return where its periods go."""
    directory, rows, spare = book.directory, book.rows, book.spare
    block = spare[spare[0]]
    spare[0] -= 1
    for i in range(rows[row, WIDTH], position, -1):
        directory[row, :, i] = directory[row, :, i - 1]
    directory[row, WHERE, position], directory[row, HELD, position] = block, 0
    rows[row, WIDTH] += 1
    return block


@kernel
def close_block(book, row, position, held, begin, first):
    """Write down what the directory knows of a new block."""
    directory = book.directory
    directory[row, HELD, position] = held
    directory[row, BEGIN, position], directory[row, FIRST, position] = begin, first
    summarise(book, row, position)


@kernel(makes_arrays=True)
def split(book, row, position):
    """Move the second half of a full block into a new one behind it."""
    blocks, half = book.blocks, BLOCK // 2
    new, (old, _) = add_block(book, row, position + 1), block_at(book, row, position)
    blocks[new, :, :half] = blocks[old, :, half:]
    book.directory[row, HELD, position] = half
    summarise(book, row, position)
    close_block(book, row, position + 1, half, blocks[new, START, 0], blocks[new, SERVER, 0])


@kernel(makes_arrays=True)
def sweep(book, row, now):
    """Pack a row into half-full blocks, without what ended by `now`.

    It leaves n periods in at most 2 n / BLOCK + 1 blocks. A block is split when half as many
    periods as it takes have come, and the next sweep is due when n have, or 2 BLOCK of them: until
    then there are no more than 4 n / BLOCK + 8 blocks.
    """
    blocks, rows, spare = book.blocks, book.rows, book.spare
    left, count, half = np.empty((4, rows[row, COUNT])), 0, BLOCK // 2
    for position in range(rows[row, WIDTH]):
        block, held = block_at(book, row, position)
        for i in range(held):
            if blocks[block, END, i] > now:
                left[:, count] = blocks[block, :, i]
                count += 1
        spare[0] += 1
        spare[spare[0]] = block
    rows[row, WIDTH], rows[row, COUNT], rows[row, FRESH] = 0, count, 0
    rows[row, LIMIT] = max(count, 2 * BLOCK)
    for position in range(max(1, (count + half - 1) // half)):
        block, first = add_block(book, row, position), position * half
        held = min(half, count - first)
        blocks[block, :, :held] = left[:, first : first + held]
        begin, server = (left[START, first], left[SERVER, first]) if held else (np.inf, 0.0)
        close_block(book, row, position, held, begin, server)
