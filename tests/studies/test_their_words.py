"""A claim that only the meaning of one of the paper's words decides is undecided."""

import pytest

from coalloc_lib.statistics import Interval
from studies.cut_offs import Word
from studies.ledger import Decision, judge_claim
from studies.their_words import unless_a_word_decides

MUCH = Word("much", 0.03, "points", 100)


def decided(gain, other=True):
    """Return the judgement of a claim that a gain is much, and of one other part."""

    @unless_a_word_decides
    def judge(runs):
        return Decision(gain, {"much": MUCH.above(Interval.exact(gain)), "other": other}, "so")

    return judge_claim(judge(None))


@pytest.mark.parametrize(
    ("gain", "verdict"),
    [(0.2, "holds"), (0.05, "undecided"), (0.02, "undecided"), (0.01, "does not hold")],
)
def test_a_near_meaning_that_turns_the_verdict_leaves_it_undecided(gain, verdict):
    found = decided(gain)
    assert found.verdict == verdict
    if verdict == "undecided":
        holds = "holds" if gain > MUCH.value else "does not hold"
        assert (
            f"The word 'much' is the paper's: the claim {holds} if it means 3 points" in found.note
        )
        assert found.note.partition(" | ")[0].endswith(f"than {100 * gain:g} points. So.")


def test_another_part_that_fails_decides_whatever_the_word_means():
    assert decided(0.05, other=False).verdict == "does not hold"
    assert decided(0.05, other=None).verdict == "undecided"
