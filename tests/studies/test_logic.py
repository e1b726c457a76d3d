"""Answers that can be undecided, and what follows from them."""

from studies.logic import all_of, not_


def test_an_undecided_answer_leaves_the_result_undecided_unless_another_answer_decides_it():
    answers = all_of(True, True), all_of(True, None), all_of(False, None)
    assert answers == (True, None, False)
    assert [not_(True), not_(False), not_(None)] == [False, True, None]
