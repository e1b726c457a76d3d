"""Guesses are asked for and answered, exercises are checked, leaderboards are ranked."""

import pandas as pd
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.intervals import Interval
from lessons.teaching import checker, guess, held_against, near, off_by, ranked


def test_a_guess_is_kept_and_answered():
    asked = guess("Which?", "this <one>", "that")
    assert asked.choice is None
    asked._buttons.value = "this <one>"
    assert asked.choice == "this <one>"
    assert "this &lt;one&gt;" in asked.children[-1].value


@pytest.mark.parametrize(
    "options", [(), ("this",), ("this", "this"), ("this", 4), ("this", None), (["this", "that"],)]
)
def test_what_can_be_guessed_are_two_texts_or_more(options):
    with pytest.raises(InputError, match=r"^options = .*; give two texts or more that differ"):
        guess("Which?", *options)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("this", "So the numbers say."),
        (lambda: "that", "The numbers say: that."),
        (lambda: None, "The numbers do not decide it."),
        (lambda: "else", "answer = "),
        (None, "</b>. Now run"),
    ],
)
def test_a_guess_is_judged_by_the_numbers(answer, told):
    asked = guess("Which?", "this", "that", answer=answer)
    asked._buttons.value = "this"
    assert told in asked.children[-1].value


def test_no_answer_is_sought_before_a_guess():
    asked = guess("Which?", "this", "that", answer=lambda: 1 / 0)
    assert "this" in asked._repr_mimebundle_()["text/html"]
    with pytest.raises(InputError, match="answer"):
        guess("Which?", "this", "that", answer="else")


@pytest.mark.parametrize(("answer", "said"), [(1.1, ""), (0.85, "look"), (float("nan"), "look")])
def test_a_number_is_near(answer, said):
    assert near(answer, 1, 0.12, "look") == said


def test_a_guess_can_be_read_where_nothing_runs():
    bundle = guess("Which?", "this", "that")._repr_mimebundle_()
    assert "<li>that</li>" in bundle["text/html"]
    assert bundle["text/plain"] == "Which? this / that"


@pytest.mark.parametrize(
    ("answer", "said"), [(4711, "Right"), (5, "Not yet: count"), ("x", "kind")]
)
def test_an_exercise_is_checked_without_telling_the_answer(answer, said):
    check = checker({1: lambda number: "" if number + 0 == 4711 else "count again"})
    html = check(1, answer).data
    assert said in html
    assert "4711" not in html
    with pytest.raises(InputError, match="number"):
        check(2, answer)


def test_rules_and_entries_are_held_against_the_known_rules():
    found = list(held_against({"a": 1, "b": 2}, {"mine": 3}, lambda name, entry: 10 * entry))
    assert found == [("a", 1, [2]), ("b", 2, [1]), ("mine", 30, [1, 2])]


def test_a_leaderboard_is_ranked_from_1():
    rows = [{"placement": "first fit", "loss": 0.3}, {"placement": "mine", "loss": 0.2}]
    assert ranked(rows, "loss")["placement"].to_dict() == {1: "mine", 2: "first fit"}
    assert isinstance(ranked(rows, "loss", ascending=False), pd.DataFrame)
    assert off_by(Interval(0.1, 0.05, 0.15, 8)) == "+0.1000 ± 0.0500"
