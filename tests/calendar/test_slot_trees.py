"""The slot trees: their shape, and the answers of lists."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar import IdlePeriod, IdlePeriods, SlotTrees
from coalloc_lib.calendar.periods import slot_of
from coalloc_lib.calendar.trees import BALANCE, Leaf, Steps, Tree, leaves


def check(tree, node, depth=0):
    """Assert that a subtree is sorted and balanced and has the right sizes; return its depth."""
    if isinstance(node, Leaf):
        return depth
    here = [*leaves(node)]
    assert here == sorted(here, key=tree.key)
    assert node.size == len(here) == node.left.size + node.right.size
    assert max(node.left.size, node.right.size) <= BALANCE * node.size
    values = [[p.start if tree.is_primary else p.end for p in leaves(half)]
              for half in (node.left, node.right)]  # fmt: skip
    if tree.is_primary:
        assert min(values[0]) >= node.median >= max(values[1])
        assert sorted(leaves(node.secondary.root)) == sorted(here)
        check(node.secondary, node.secondary.root)
    else:
        assert max(values[0]) <= node.median <= min(values[1])
    return max(check(tree, half, depth + 1) for half in (node.left, node.right))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=60),
       st.data())  # fmt: skip
def test_trees_stay_sorted_balanced_and_counted(rows, data):
    periods = [IdlePeriod(server, start, start + more) for server, (start, more) in enumerate(rows)]
    order = data.draw(st.sampled_from([sorted, list, lambda rows: rows[::-1]]))
    tree = Tree((), Steps())
    for period in order(periods):
        tree.insert(period)
        depth = check(tree, tree.root)
        assert depth <= max(log(len(tree)) / -log(BALANCE), 1)
    for period in data.draw(st.permutations(periods)):
        assert period in leaves(tree.root)
        tree.remove(period)
        assert tree.root is None or check(tree, tree.root) >= 0
    assert len(tree) == 0


WHAT = st.sampled_from(["take", "take", "take", "back", "shorten", "advance"])
STEP = st.tuples(WHAT, st.integers(0, 30), st.integers(1, 20), st.integers(0, 99))
#: Sampled histories of idle periods: the number of processors, the length of a slot, the number of
#: slots, and steps that reserve, give back or advance; see `apply`.
histories = st.tuples(
    st.lists(st.integers(1, 9), min_size=1, max_size=1),
    st.sampled_from([1.0, 2.0, 0.1, 1 / 3, 7.0]),
    st.integers(1, 9),
    st.lists(STEP, max_size=40),
)


def apply(books, taken, now, slot, what, first, more, pick):
    """Apply one step of a history to several stores of idle periods; return the present instant."""
    start = now + first * slot / 4
    end = start + more * slot / 3
    if what == "take":
        found = books[0].feasible(start, end)
        if found:
            period = found[pick % len(found)]
            for book in books:
                book.take(period, start, end)
            taken.append((period.server, start, end))
    elif what in ("back", "shorten") and taken:
        server, start, end = taken.pop(pick % len(taken))
        start = max(start, now) if what == "back" else max((start + end) / 2, now)
        for book in books:
            if start < end:
                book.give_back(server, start, end)
    elif what == "advance":
        now += first * slot / 2
        for book in books:
            book.advance(now)
    return now


@settings(max_examples=60)
@given(histories)
def test_trees_give_the_answers_of_the_lists_whatever_is_done(history):
    sizes, slot, slots, steps = history
    plain, trees = IdlePeriods(sizes), SlotTrees(sizes, slot, slots)
    taken, now = [], 0.0
    for step in steps:
        now = apply((plain, trees), taken, now, slot, *step)
        for ahead, length in ((0, 1), (0.3, 0.5), (2, 4), (slots, 1), (slots + 3, 2)):
            start = now + ahead * slot
            end = start + length * slot
            assert trees.feasible(start, end) == plain.feasible(start, end)
            assert trees.counts(start, end) == plain.counts(start, end)
            for rule in plain.rules:
                how = (start, end, plain.counts(start, end), rule)
                assert trees.choose(*how) == plain.choose(*how)
    first = slot_of(now, slot)
    assert [*trees.trees] == [*range(first, first + slots)]
    for number, tree in trees.trees.items():
        assert sorted(p for p in leaves(tree.root) if p.end > now) == sorted(
            period
            for server in range(sum(sizes))
            for period in plain.periods(server)
            if slot_of(period.start, slot) <= number
            and (period.end == inf or slot_of(np.nextafter(period.end, 0), slot) >= number)
        )


@settings(max_examples=60)
@given(histories, st.integers(0, 12))
def test_a_search_ends_with_the_first_of_all_that_it_would_find(history, count):
    sizes, slot, slots, steps = history
    trees, taken, now = SlotTrees(sizes, slot, slots), [], 0.0
    for step in steps:
        now = apply((trees,), taken, now, slot, *step)
    every = trees.search(now, now + slot).found
    some = trees.search(now, now + slot, count).found
    assert some == (every[:count] if count <= len(every) else [])
    candidates = reversed(trees.search(now, now + slot).candidates)
    starts = [max(p.start for p in leaves(node)) for node in candidates]
    assert starts == sorted(starts, reverse=True)  # The periods that start last are first.


def test_the_operations_of_updates_and_of_new_slots_are_counted():
    """The operations of updates and of trees for new slots are counted separately.

    Each of the 4 trees has the idle periods of all 8 processors, because they have no end.
    """
    book = SlotTrees([8], 10.0, 4)
    assert vars(book.operations) == {"phase1": 0, "phase2": 0, "update": 0, "advance": 0}
    book.take(book.feasible(0, 10)[0], 0.0, 10.0)
    by_update = book.operations.update
    assert by_update > 0
    two = SlotTrees([2], 10.0, 4)
    two.take(two.feasible(0, 10)[0], 0.0, 10.0)
    # In each of 4 trees of two leaves, the removal visits a root and a leaf, and as many nodes of
    # the secondary tree. In the last three, the new period makes one node into trees of three.
    assert two.operations.update == 4 * 4 + 3 * (1 + 3 + 3)
    assert len(book.trees[0]) == 7
    book.advance(10.0)
    # A tree of 8 leaves has 15 nodes. Building it also builds a secondary tree for each inner node:
    # one of 15 nodes, two of 7 and four of 3.
    assert book.operations.advance == (2 * 8 - 1) + (15 + 2 * 7 + 4 * 3)
    assert book.operations.update == by_update
    book.advance(19.0)
    assert book.operations.advance == 15 + 15 + 14 + 12


def test_the_operations_of_a_search_are_counted():
    """Phase 1 goes from the root to a leaf of a tree of 8 leaves, which has four levels.

    For one processor, phase 2 visits the node that phase 1 marked last, and retrieves its period.
    """
    book = SlotTrees([8], 10.0, 4)
    assert len(book.search(0, 10, 1).found) == 1
    assert (book.operations.phase1, book.operations.phase2) == (4, 2)
    book.search(0, 10, 1)
    assert (book.operations.phase1, book.operations.phase2) == (8, 4)


def test_an_instant_may_be_a_number_of_numpy():
    trees = SlotTrees([4], 10.0, 5)
    start, end = np.float64(1), np.float64(4)
    trees.take(trees.feasible(start, end)[0], start, end)
    assert [period.server for period in trees.feasible(start, end)] == [1, 2, 3]
    assert trees.choose(start, end, [1], "first-found") == trees.search(1, 4, 1).found
    assert all(type(edge) is float for _, *edges in trees.periods(0) for edge in edges)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda trees: trees.search(50, 51), "start = 50 is not in a slot of the horizon; give"),
        (lambda trees: trees.search(0.1, 4, -1), "count = -1; give a whole number of 0 or more"),
        (lambda trees: trees.advance(1.7e308), r"the instant 1.7e\+308 is more than"),
        (lambda _: SlotTrees([430], 900.0, 2688), "slot = 900: slot trees for 2,688 slots of"),
        (lambda _: SlotTrees([4], 10.0, 0), "slots = 0; give a whole number of 1 or more"),
    ],
)
def test_a_wrong_question_to_the_trees_is_refused(wrong, words):
    trees = SlotTrees([4], 0.1, 5)
    before = trees.now, [*trees.trees], trees.periods(0)
    with pytest.raises(co.InputError, match=f"^{words}"):
        wrong(trees)
    assert (trees.now, [*trees.trees], trees.periods(0)) == before


def test_a_reservation_far_beyond_the_trees_is_taken():
    trees = SlotTrees([1], 0.01, 5)
    trees.take(trees.periods(0)[0], 1e308, 1.1e308)
    assert trees.periods(0) == [(0, 0, 1e308), (0, 1.1e308, inf)]
    assert [len(tree) for tree in trees.trees.values()] == [1] * 5
