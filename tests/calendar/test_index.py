"""The index: the answers of the plain book, whatever is asked, and rows that keep their order."""

import os
import subprocess
import sys
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar import IdlePeriod, PlainBook, SlotTrees
from coalloc_lib.calendar.index import Index
from coalloc_lib.calendar.kernels import rows

ROW = st.sampled_from(["latest-start", "best-fit"])
INSTANT = st.integers(0, 20)
STEP = st.tuples(st.sampled_from("bbbbgaa"), INSTANT, st.integers(1, 9), st.integers(0, 99), ROW)


def told(book, start, end):
    """What a book answers, now and about an interval; what is past may be forgotten or not."""
    servers = range(sum(book.sizes))
    feasible = [period for period in book.feasible(start, end) if period.end > book.now]
    return feasible, [book.periods(server) for server in servers]


def sound(book):
    """Assert that every row is sorted, and that no bound of its directory is too tight."""
    blocks, directory, counts, spare = book
    used = [int(b) for row in range(len(counts)) for b in where(book, row)]
    assert sorted(used + spare[1 : 1 + spare[0]].tolist()) == list(range(len(blocks)))
    for row in range(len(counts)):
        found = []
        for position, block in enumerate(where(book, row)):
            held = int(directory[row, rows.HELD, position])
            mine = blocks[int(block), :, :held].T.tolist()
            found += mine
            for start, end, server in mine:
                assert start < end
                assert (end == inf) == bool(row % 2)
                assert end <= directory[row, rows.LATEST, position]
                assert end - start <= directory[row, rows.LONGEST, position]
                bounds = -directory[row, rows.BEGIN, position], directory[row, rows.FIRST, position]
                assert position == 0 or bounds <= (-start, server)
        assert len(found) == counts[row, rows.COUNT]
        keys = [(-start, server) for start, _, server in found]
        assert keys == sorted(set(keys))


def where(book, row):
    return book.directory[row, rows.WHERE, : book.rows[row, rows.WIDTH]]


@settings(max_examples=200)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.lists(STEP, max_size=40))
def test_its_answers_are_those_of_the_plain_book(sizes, steps):
    """Steps book, give back or advance, each as often as there is something to."""
    plain, index = PlainBook(sizes), Index(sizes)
    books, taken = (plain, index), []
    for what, ahead, length, pick, rule in steps:
        start, end = plain.now + ahead, plain.now + ahead + length
        if what == "b":
            counts = plain.counts(start, end)
            assert index.counts(start, end) == counts
            wanted = [(pick // 7**c) % (count + 1) for c, count in enumerate(counts)]
            chosen, same = (book.choose(start, end, wanted, rule) for book in books)
            assert chosen == same
            for period in chosen:
                for book in books:
                    book.take(period, start, end)
                taken.append((period.server, start, end))
        elif what == "g" and taken:
            server, start, end = taken.pop(pick % len(taken))
            start = max(start, plain.now)
            for book in books:
                if start < end:
                    book.give_back(server, start, end)
        else:
            now = plain.now + length
            for book in books:
                book.advance(now)
        assert told(plain, start, end) == told(index, start, end)
        sound(index._book)


def trees(sizes):
    return SlotTrees(sizes, 5.0, 4)


@pytest.mark.parametrize("kind", [PlainBook, trees, Index])
@pytest.mark.parametrize(
    "wrong",
    [
        lambda book: book.take(IdlePeriod(0, 0.0, inf), 1.0, 2.0),
        lambda book: book.take(IdlePeriod(0, 0.0, 4.0), 3.0, 5.0),
        lambda book: book.take(IdlePeriod(1, 0.0, inf), 3.0, 3.0),
        lambda book: book.give_back(0, 3.0, 9.0),
        lambda book: book.give_back(0, 4.0, 9.5),
        lambda book: book.give_back(1, 4.0, 9.0),
        lambda book: book.give_back(0, 5.0, 5.0),
        lambda book: book.choose(0.0, 5.0, [2, 0], "best-fit"),
        lambda book: book.choose(0.0, 5.0, [1, 0], "last-found"),
        lambda book: book.choose(0.0, 5.0, [1] * 43, "latest-start"),
        lambda book: book.choose(0.0, 5.0, [1], "best-fit"),
        lambda book: book.choose(0.0, 5.0, [1, -1], "best-fit"),
        lambda book: book.choose(0.0, 5.0, [0.5, 1], "latest-start"),
        lambda book: book.choose(0.0, 5.0, 1, "latest-start"),
        lambda book: book.advance(-1.0),
        lambda book: book.advance(np.nan),
        lambda book: book.advance(inf),
        lambda book: book.give_back(-3, 4.0, 9.0),
        lambda book: book.give_back(3, 4.0, 9.0),
        lambda book: book.give_back(0.0, 4.0, 9.0),
        lambda book: book.take(IdlePeriod(-3, 0.0, 4.0), 1.0, 2.0),
        lambda book: book.take(IdlePeriod(3, 0.0, 4.0), 1.0, 2.0),
    ],
)
def test_a_refused_call_leaves_every_answer_as_it_was(kind, wrong):
    book = kind([2, 1])
    book.take(IdlePeriod(0, 0.0, inf), 4.0, 9.0)
    before = told(book, 1, 3)
    with pytest.raises(co.InputError):
        wrong(book)
    assert told(book, 1, 3) == before


@pytest.mark.parametrize("kind", [PlainBook, trees, Index])
def test_a_server_that_is_not_there_is_refused_and_so_is_a_book_of_none(kind):
    for server in (-1, 3):
        with pytest.raises(co.InputError, match=rf"^server = {server}; there are 3, numbered"):
            kind([2, 1]).periods(server)
    for sizes in ([], [0], [2, -1], [1.5]):
        with pytest.raises(co.InputError, match=r"^sizes"):
            kind(sizes)


def test_what_is_past_is_forgotten():
    """A server is booked every other instant, years on end; a few periods are held of it."""
    index = Index([1])
    for k in range(2000):
        index.advance(2.0 * k)
        index.take(index.periods(0)[-1], 2.0 * k + 1, 2.0 * k + 2)
    assert index._book.rows[:, rows.COUNT].sum() < 6 * rows.BLOCK
    assert len(index._book.blocks) < 100
    sound(index._book)


#: The tests above with blocks of four periods, so that they split and are packed all the time.
SMALL = """
import sys, pytest
from coalloc_lib.calendar.kernels import rows
rows.BLOCK = 4
sys.exit(pytest.main(["-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def test_blocks_of_four_give_the_same_answers(tmp_path):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    books = f"{__file__}::{test_its_answers_are_those_of_the_plain_book.__name__}"
    agreement = f"{co.__path__[0]}/../tests/engines/test_agreement.py::test_same_bookings"
    run = subprocess.run(
        [sys.executable, "-c", SMALL, books, agreement],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    assert "2 passed" in run.stdout


def test_many_servers_are_kept_in_order():
    """A thousand servers, booked at random and given back: blocks split, and rows are packed."""
    rng, index, plain = np.random.default_rng(1), Index([600, 400]), PlainBook([600, 400])
    taken = []
    for _ in range(400):
        now = index.now + rng.integers(0, 3)
        for book in (index, plain):
            book.advance(now)
        start = now + rng.integers(0, 30)
        end = start + rng.integers(1, 60)
        wanted = [min(count, rng.integers(0, 9)) for count in plain.counts(start, end)]
        rule = ("latest-start", "best-fit")[rng.integers(2)]
        chosen = index.choose(start, end, wanted, rule)
        assert chosen == plain.choose(start, end, wanted, rule)
        for period in chosen:
            taken.append((period.server, start, end))
            for book in (index, plain):
                book.take(period, start, end)
        if taken and rng.random() < 0.3:
            server, start, end = taken.pop(rng.integers(len(taken)))
            for book in (index, plain):
                if max(start, now) < end:
                    book.give_back(server, max(start, now), end)
    sound(index._book)
    assert told(index, now + 5, now + 9) == told(plain, now + 5, now + 9)
