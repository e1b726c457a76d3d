"""Sorted rows of idle periods, in blocks.

A cluster c has two rows: row 2 c for periods that end, and row 2 c + 1 for the *open* ones, which
do not; of these each server has one, always. A row is sorted by decreasing start, and for one start
by server, and cut into blocks of at most `BLOCK` periods. A directory knows of each block what
decides whether a search has to look into it, so that most are passed over unread:

    row 0    starts  [9 9 7 | 6 4 | 2]        directory   BEGIN    9  6  2
             ends     12 14 8  20 5   3                   LATEST  14 20  3
                                                          LONGEST  5 14  1

Who looks for a period that starts by 7 and ends no sooner than 15 begins in the first block, after
the starts above 7, skips the rest of it, since its latest end is 14, and finds (6, 20).

A block that is full is split in halves. What becomes empty, and periods that are past, stay where
they are until the row is *swept*: packed anew, into half-full blocks, without what has ended. That
happens when as many periods have come in as the last sweep left, and so costs little for each; and
it bounds how many blocks a row has.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels import kernel

#: All rows of a book. `blocks`, float64 (b, 3, BLOCK): START, END and SERVER of each period;
#: `directory`, float64 (rows, 6, w): for each block of a row BEGIN and FIRST, the start and server
#: that no period in it comes before (those of the row's first block do not count), LATEST, no less
#: than any end, LONGEST, no less than any length, how many it HELD, and WHERE its periods are;
#: `rows`, int64 (rows, 4): WIDTH, blocks in use, COUNT, periods held, FRESH, periods that came
#: since the last sweep, and LIMIT, when it is swept; `spare`, int64 (b + 1,): how many blocks are
#: free, then which.
Book = namedtuple("Book", "blocks directory rows spare")
START, END, SERVER = range(3)
BEGIN, FIRST, LATEST, LONGEST, HELD, WHERE = range(6)
WIDTH, COUNT, FRESH, LIMIT = range(4)

#: Periods in a full block.
BLOCK = 64


@kernel
def new_rows(count, capacity):
    """Return `count` empty rows that take `capacity` periods in all, at least."""
    width = blocks_for(capacity, 1)
    total = blocks_for(capacity, count)
    book = Book(
        np.empty((total, 3, BLOCK)),
        np.empty((count, 6, width)),
        np.zeros((count, 4), np.int64),
        np.arange(total + 1)[::-1].copy(),
    )
    book.spare[0] = total
    for row in range(count):
        sweep(book, row, 0.0)
    return book


@kernel
def blocks_for(periods, rows):
    """Return how many blocks so many periods take at most; see `sweep`."""
    return 4 * periods // BLOCK + 9 * rows


@kernel
def capacity_of(book):
    """Return how many periods may be held in all."""
    return (book.directory.shape[2] - 9) * BLOCK // 4


@kernel
def held_in(book):
    """Return how many periods are held in all, those that are past among them."""
    return book.rows[:, COUNT].sum()


@kernel
def with_room(book, more, now):
    """Return a book that takes so many periods more: this one, swept at most, or a larger one."""
    if held_in(book) + more <= capacity_of(book):
        return book
    for row in range(len(book.rows)):
        sweep(book, row, now)
    if 2 * (held_in(book) + more) <= capacity_of(book):
        return book
    larger = new_rows(len(book.rows), 2 * (held_in(book) + more))
    for row in range(len(book.rows)):
        for position in range(book.rows[row, WIDTH]):
            block = int(book.directory[row, WHERE, position])
            held = int(book.directory[row, HELD, position])
            insert_all(larger, row, book.blocks[block], held, now)
    return larger


@kernel
def length_of(start, end):
    """Return no less than the length of anything that fits in a period, however sums are rounded.

    Where ``start + length <= end`` as rounded, the length is at most half a unit in the last place
    of `end` more than it is exactly.
    """
    return end - start + end * 2.0**-50


@kernel
def find_block(book, row, start, server):
    """Return the position of the block that a period belongs into."""
    directory = book.directory
    low, high = 0, book.rows[row, WIDTH]
    while high - low > 1:
        middle = (low + high) >> 1
        begin = directory[row, BEGIN, middle]
        if begin > start or (begin == start and directory[row, FIRST, middle] <= server):
            low = middle
        else:
            high = middle
    return low


@kernel
def find_in(book, block, held, start, server):
    """Return where in a block a period is, or belongs."""
    blocks = book.blocks
    low, high = 0, held
    while low < high:
        middle = (low + high) >> 1
        other = blocks[block, START, middle]
        if other > start or (other == start and blocks[block, SERVER, middle] < server):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def insert_all(book, row, periods, count, now):
    """Put the first `count` periods, float64 (3, n), into a row; they are in its order.

    `now` is what a sweep goes by.
    """
    blocks, directory, rows, _ = book
    k = 0
    while k < count:
        if rows[row, FRESH] >= rows[row, LIMIT]:
            sweep(book, row, now)
        position = find_block(book, row, periods[START, k], periods[SERVER, k])
        block, held = int(directory[row, WHERE, position]), int(directory[row, HELD, position])
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
            if old >= 0 and (
                blocks[block, START, old] < start
                or (blocks[block, START, old] == start and blocks[block, SERVER, old] > server)
            ):
                for field in range(3):
                    blocks[block, field, place] = blocks[block, field, old]
                old -= 1
            else:
                blocks[block, START, place], blocks[block, END, place] = start, end
                blocks[block, SERVER, place] = server
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
    directory = book.directory
    if position == book.rows[row, WIDTH]:
        return stop
    begin, server = directory[row, BEGIN, position], directory[row, FIRST, position]
    k = first
    while k < stop and (
        periods[START, k] > begin or (periods[START, k] == begin and periods[SERVER, k] < server)
    ):
        k += 1
    return k


@kernel
def remove_all(book, row, periods, count):
    """Take the first `count` periods, float64 (3, n) and in the row's order, out of it.

    They are known by START and SERVER; writes the END of each, NaN of one that is not there.
    """
    blocks, directory, rows, _ = book
    k = 0
    while k < count:
        position = find_block(book, row, periods[START, k], periods[SERVER, k])
        block, held = int(directory[row, WHERE, position]), int(directory[row, HELD, position])
        stop = last_before(book, row, position + 1, periods, k, count)
        place = kept = find_in(book, block, held, periods[START, k], periods[SERVER, k])
        latest = longest = -np.inf
        while k < stop:
            start, server = periods[START, k], periods[SERVER, k]
            while place < held and (
                blocks[block, START, place] > start
                or (blocks[block, START, place] == start and blocks[block, SERVER, place] < server)
            ):
                for field in range(3):
                    blocks[block, field, kept] = blocks[block, field, place]
                place, kept = place + 1, kept + 1
            end = np.nan
            if (
                place < held
                and blocks[block, START, place] == start
                and blocks[block, SERVER, place] == server
            ):
                end = blocks[block, END, place]
                latest, longest = max(latest, end), max(longest, length_of(start, end))
                place += 1
            periods[END, k] = end
            k += 1
        if place > kept:
            for field in range(3):
                for i in range(held - place):
                    blocks[block, field, kept + i] = blocks[block, field, place + i]
            directory[row, HELD, position] = held - (place - kept)
            rows[row, COUNT] -= place - kept
            if latest < np.inf and (
                latest == directory[row, LATEST, position]
                or longest == directory[row, LONGEST, position]
            ):
                summarise(book, row, position)


@kernel
def summarise(book, row, position):
    """Write down anew the latest end and the longest length in a block."""
    blocks, directory = book.blocks, book.directory
    block, latest, longest = int(directory[row, WHERE, position]), -np.inf, -np.inf
    for i in range(int(directory[row, HELD, position])):
        latest = max(latest, blocks[block, END, i])
        longest = max(longest, length_of(blocks[block, START, i], blocks[block, END, i]))
    directory[row, LATEST, position], directory[row, LONGEST, position] = latest, longest


@kernel
def add_block(book, row, position):
    """Put an empty block into a row, as the one of a position; return where its periods go."""
    directory, rows, spare = book.directory, book.rows, book.spare
    block = spare[spare[0]]
    spare[0] -= 1
    for field in range(6):
        for i in range(rows[row, WIDTH], position, -1):
            directory[row, field, i] = directory[row, field, i - 1]
    directory[row, WHERE, position], directory[row, HELD, position] = block, 0
    rows[row, WIDTH] += 1
    return block


@kernel
def split(book, row, position):
    """Move the second half of a full block into a new one behind it."""
    blocks, directory = book.blocks, book.directory
    new, old = add_block(book, row, position + 1), int(directory[row, WHERE, position])
    half = BLOCK // 2
    for field in range(3):
        for i in range(half):
            blocks[new, field, i] = blocks[old, field, half + i]
    directory[row, BEGIN, position + 1] = blocks[new, START, 0]
    directory[row, FIRST, position + 1] = blocks[new, SERVER, 0]
    directory[row, HELD, position] = directory[row, HELD, position + 1] = half
    summarise(book, row, position)
    summarise(book, row, position + 1)


@kernel
def sweep(book, row, now):
    """Pack a row into half-full blocks, without what ended by `now`.

    It leaves n periods in at most 2 n / BLOCK + 1 blocks. A block is split when half as many
    periods as it takes have come, and the next sweep is due when n have, or 2 BLOCK of them: until
    then there are no more than 4 n / BLOCK + 8 blocks.
    """
    blocks, directory, rows, spare = book
    left = np.empty((3, rows[row, COUNT]))
    count = 0
    for position in range(rows[row, WIDTH]):
        block = int(directory[row, WHERE, position])
        for i in range(int(directory[row, HELD, position])):
            if blocks[block, END, i] > now:
                for field in range(3):
                    left[field, count] = blocks[block, field, i]
                count += 1
        spare[0] += 1
        spare[spare[0]] = block
    half = BLOCK // 2
    rows[row, WIDTH], rows[row, COUNT], rows[row, FRESH] = 0, count, 0
    rows[row, LIMIT] = max(count, 2 * BLOCK)
    for position in range(max(1, (count + half - 1) // half)):
        block = add_block(book, row, position)
        held = min(half, count - position * half)
        for field in range(3):
            for i in range(held):
                blocks[block, field, i] = left[field, position * half + i]
        directory[row, HELD, position] = held
        directory[row, BEGIN, position] = blocks[block, START, 0] if held else np.inf
        directory[row, FIRST, position] = blocks[block, SERVER, 0] if held else 0.0
        summarise(book, row, position)
