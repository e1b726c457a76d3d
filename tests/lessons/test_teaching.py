"""Guesses are asked for and answered; checks name their exercise."""

import re
from html import unescape

import pytest

import coalloc_lib as co
from lessons.teaching import checker, guess


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


def text_of(shown):
    """Return the words of a check without their tags."""
    return re.sub("<[^>]*>", "", shown.data)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (2.5, "✓ Exercise 7. Right: 2.5."),
        (3, "✗ Exercise 7. Not yet: too <large>."),
        ("text", "✗ Exercise 7. Not yet: the answer has another type than the exercise asks for."),
        (..., "Exercise 7. Put your answer in place of the dots."),
    ],
)
def test_a_check_names_the_exercise_and_not_the_answer(answer, told):
    check = checker({2: lambda x: "another exercise", 7: lambda x: "too <large>" * (x > 2.5)})
    assert unescape(text_of(check(7, answer))) == told


def test_a_right_answer_that_is_no_number_is_not_repeated():
    assert text_of(checker({4: lambda x: ""})(4, ["a", "list"])) == "✓ Exercise 4. Right."


def test_a_check_refuses_a_number_without_exercise():
    with pytest.raises(co.InputError, match="number = 3"):
        checker({1: lambda x: "", 2: lambda x: ""})(3, 0)
