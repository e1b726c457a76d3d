"""Guesses are asked for and answered, exercises are checked."""

import pytest

from coalloc_lib.checks import InputError
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


def test_an_exercise_is_checked_without_telling_the_answer():
    check = checker({1: lambda number: "" if number + 0 == 4711 else "count again"})
    for answer, words in ((4711, "Right"), (5, "Not yet: count"), ("x", "kind")):
        html = check(1, answer).data
        assert (words in html, "4711" in html) == (True, False)
    with pytest.raises(InputError, match="number"):
        check(2, 5)
