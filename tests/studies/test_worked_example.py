"""The worked example of the slot trees, step by step."""

from coalloc_lib.calendar import IdlePeriod
from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.calendar.trees import leaves
from studies.online_batch.worked_example import worked_example


def named(nodes, periods):
    names = {period: name for name, period in periods.items()}
    return [[names[period] for period in leaves(node)] for node in nodes]


def test_the_periods_of_the_worked_example_are_as_the_paper_tells():
    book, periods, _ = worked_example()
    assert periods["X"] == IdlePeriod(0, 4, 25)
    overlapped = {
        name: [k for k in book.trees if period in leaves(book.trees[k].root)]
        for name, period in periods.items()
    }
    assert overlapped["V"] == [0, 1]
    assert all(1 in slots for slots in overlapped.values())
    assert len(book.trees) == 5
    root = book.trees[1].root
    assert root.size == root.secondary.root.size == 4
    assert (root.median, root.secondary.root.median) == (7, 25)


def test_the_worked_example_is_searched_step_by_step_as_the_paper_tells():
    """Phase 1 of the search marks X and V, then Z, then Y; phase 2 marks Y, then Z, and ends."""
    book, periods, (submit, start, length, servers) = worked_example()
    assert (submit, start, length, servers) == (17, 17, 12, 2)
    search = book.search(start, start + length, servers)
    assert search.slot == 1
    assert named(search.candidates, periods) == [["X", "V"], ["Z"], ["Y"]]
    assert named(search.feasible, periods) == [["Y"], ["Z"]]
    assert search.found == [periods["Y"], periods["Z"]]
    # Phase 1 visits the root, its child B, and Y. Phase 2 visits Y and Z, and retrieves both.
    assert (book.operations.phase1, book.operations.phase2) == (3, 4)
    assert book.choose(start, start + length, [2], FIRST_FOUND) == search.found


def test_all_servers_of_the_worked_example_are_not_to_be_had():
    """A search for three processors of the worked example finds none.

    The periods X and V end too early, at 25 and 16, so phase 2 marks only two of four candidates.
    """
    book, periods, (_, start, length, _) = worked_example()
    assert book.search(start, start + length, 3).found == []
    assert book.search(start, start + length, 5).feasible == []
    assert book.search(start, start + length).found == [periods["Y"], periods["Z"]]
    assert book.feasible(17, 25) == [periods["X"], periods["Y"], periods["Z"]]
