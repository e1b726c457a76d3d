"""The search on the slot trees, step by step: what it says and what the trees' own search finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar import SlotTrees
from studies.online_batch.tree_search import TreeWalk, tree_search_picture


@st.composite
def booked_trees(draw):
    """Draw slot trees after some reservations, in the order in which they were made."""
    servers = draw(st.integers(1, 6))
    book = SlotTrees([servers], slot=10.0, slots=5)
    for _ in range(draw(st.integers(0, 12))):
        start, length = draw(st.integers(0, 45)), draw(st.integers(1, 15))
        feasible = book.feasible(start, start + length)
        if feasible:
            book.take(draw(st.sampled_from(feasible)), float(start), float(start + length))
    return book


@given(booked_trees(), st.integers(0, 49), st.integers(1, 30), st.integers(1, 6))
def test_the_steps_come_to_what_the_search_of_the_trees_finds(book, start, length, count):
    names = {p: str(p) for server in range(*book.sizes) for p in book.periods(server)}
    search = TreeWalk(book, start, start + length, count, names)
    (*_, (words, marks)) = search.steps()
    found = book.search(start, start + length, count)
    assert search.candidates == marks.order == found.candidates
    assert search.feasible == found.feasible
    assert search.taken == marks.taken == found.found
    assert words.startswith("Accepted") == bool(found.found)
    feasible = {p for node in search.feasible for p in names if p.start <= start}
    assert {*search.taken} <= feasible


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((40, 30, 2), "^start = 40 with length = 30 is not within"),
        ((17, 2, 5), "^servers = 5, but "),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, words):
    with pytest.raises(co.InputError, match=words):
        tree_search_picture(*asked)
