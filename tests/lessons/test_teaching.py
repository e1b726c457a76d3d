"""Guesses are asked for and answered, exercises are checked, leaderboards are ranked."""

import pandas as pd
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.intervals import Interval
from lessons.teaching import checker, guess, off_by, ranked


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("this", "So the numbers say."),
        (lambda: "that", "The numbers say: that."),
        (lambda: None, "The numbers do not decide it."),
        (None, "</b>. Now run"),
    ],
)
def test_a_guess_is_judged_by_the_numbers(answer, told):
    asked = guess("Which?", "this", "that", answer=answer)
    asked._buttons.value = "this"
    assert told in asked.children[-1].value


def test_an_exercise_is_checked_without_telling_the_answer():
    check = checker({1: lambda number: "" if number + 0 == 4711 else "count again"})
    for answer, words in ((4711, "Right"), (5, "Not yet: count"), ("x", "kind")):
        html = check(1, answer).data
        assert (words in html, "4711" in html) == (True, False)
    with pytest.raises(InputError, match="number"):
        check(2, 5)


def test_a_leaderboard_is_ranked_from_1():
    rows = [{"placement": "first fit", "loss": 0.3}, {"placement": "mine", "loss": 0.2}]
    assert ranked(rows, "loss")["placement"].to_dict() == {1: "mine", 2: "first fit"}
    assert isinstance(ranked(rows, "loss", ascending=False), pd.DataFrame)
    assert off_by(Interval(0.1, 0.05, 0.15, 8)) == "+0.1000 ± 0.0500"
    in_doubt = Interval(-0.1, -0.1, -0.1, 8, warning="few jobs")
    assert off_by(in_doubt, 2) == "-0.10 (no interval: few jobs)"
