"""The value at which a verdict turns is found by asking the claim itself."""

import numpy as np
import pytest

from coalloc_lib.statistics import Interval
from studies.cut_offs import FURTHEST, Asked, Turn, Word, answers, turn_of, verdict_of

LITTLE = Word("little", 0.03, "points", 100)


def interval(low, high, warning=""):
    return Interval((low + high) / 2, low, high, 30, warning=warning)


@pytest.mark.parametrize(
    ("part", "verdict", "turn", "then"),
    [
        (LITTLE.within(interval(-0.02, 0.01)), "holds", 0.02, "undecided"),
        (LITTLE.within(interval(0.02, 0.04)), "undecided", 0.04, "holds"),
        (LITTLE.within(interval(0.04, 0.05)), "does not hold", 0.04, "undecided"),
        (LITTLE.within(interval(0.49, 0.52), 0.5), "holds", 0.02, "undecided"),
        (LITTLE.beyond(interval(0.04, 0.05)), "holds", 0.04, "undecided"),
        (LITTLE.below(interval(0.01, 0.02)), "holds", 0.02, "undecided"),
        (LITTLE.below(interval(0.04, 0.05)), "does not hold", 0.04, "undecided"),
        (LITTLE.above(interval(0.04, 0.05)), "holds", 0.04, "undecided"),
        (LITTLE.within(Interval.exact(0.01)), "holds", 0.01, "does not hold"),
    ],
)
def test_a_verdict_turns_at_an_end_of_the_interval(part, verdict, turn, then):
    assert verdict_of(answers({"a": part}).values()) == verdict
    found = turn_of({"a": part})
    assert found.value == pytest.approx(turn, rel=1e-5)
    assert found.verdict == then
    beyond = turn * (1.0001 if turn > LITTLE.value else 0.9999)
    assert verdict_of([part.question(beyond)]) == then


def test_of_several_parts_the_one_that_fails_first_decides():
    parts = {"a": LITTLE.below(interval(0.001, 0.002)), "b": LITTLE.below(interval(0.01, 0.025))}
    assert turn_of(parts).value == pytest.approx(0.025)
    parts["c"] = False
    found = turn_of(parts)
    assert found == Turn(LITTLE, None)  # another part fails, whatever the word means
    assert found.words() == ""


def test_of_several_words_it_is_the_one_whose_meaning_changes_least():
    much = Word("much", 10.0)
    parts = {"a": LITTLE.below(interval(0.001, 0.01)), "b": much.above(interval(14.0, 15.0))}
    assert turn_of(parts).word == much
    assert turn_of(parts).value == pytest.approx(14.0)
    assert turn_of({"a": True}) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_a_meaning_is_looked_for_only_so_far(sign):
    far = (0.9 * FURTHEST) ** sign
    near = Word("about", 1.0).above(Interval.exact(far))
    assert turn_of({"a": near}).value == pytest.approx(far)
    beyond = Word("about", 1.0).above(Interval.exact(1.5 * FURTHEST if sign > 0 else 0.001))
    assert turn_of({"a": beyond}).value is None


def test_a_doubtful_interval_turns_nothing():
    assert turn_of({"a": LITTLE.within(interval(0.0, 0.01, "three jobs"))}).value is None


def test_a_turn_says_what_would_be_otherwise():
    said = turn_of({"a": LITTLE.within(interval(0.04, 0.05))}).words()
    assert said == "with a limit above 4 points, the claim would be undecided"
    said = turn_of({"a": LITTLE.within(Interval.exact(0.0125))}).words()
    assert said == "with a limit below 1.25 points, the claim would not hold"
    factor = Word("much longer", 2.0)
    asked = Asked(factor, lambda limit: bool(np.log(5.0) > limit))
    assert turn_of({"a": asked}).words() == "with a limit below 1.61, the claim would hold"
