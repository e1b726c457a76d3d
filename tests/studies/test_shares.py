"""A sentence without a quantifier is answered by the share of the settings that agree."""

import pytest

from coalloc_lib.statistics import NotRunError
from studies.shares import Share, agreed, answer_in_words, in_words, share_answers


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        ([True, True], True),
        ([True, None], None),
        ([True, False], None),  # exactly half
        ([True, True, False], None),
        ([True, False, False], False),
        ([False, None, None], None),  # the undecided may be more than half
        ([False, False, False, None], False),
        ([False], False),
    ],
)
def test_all_agree_or_fewer_than_half_or_neither(found, answer):
    assert Share.of(found).answer is answer


def test_a_share_of_no_comparisons_is_refused():
    with pytest.raises(NotRunError, match="no comparison"):
        Share.of([])


def test_a_share_is_told_with_what_is_undecided():
    share = Share.of([True, False, None])
    assert (share, str(share)) == ((1, 1, 3), "1 of 3, undecided 1")
    assert share.told("divisions") == "1 of 3 divisions agree, 1 are undecided"
    assert in_words({"first fit": Share.of([True])}, "pairs") == "first fit: 1 of 1 pairs agree"
    assert share_answers({"first fit": share}) == {"first fit: 1 of 3, undecided 1": None}


def test_readings_that_differ_have_no_common_answer():
    assert agreed([True, True]) is True
    assert agreed([False]) is False
    assert agreed([True, False]) is None
    assert agreed([True, None]) is None
    assert [answer_in_words(each) for each in (True, False, None)] == [
        "holds", "does not hold", "undecided",
    ]  # fmt: skip
