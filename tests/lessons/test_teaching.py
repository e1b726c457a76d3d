"""Guesses are asked for and answered; checks name their exercise."""

import re
from html import unescape

import ipywidgets as ipw
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.basics.checks import one_of
from lessons import playground
from lessons.teaching import checker, folded, follows, guess, near, number_of


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("this", "The numbers agree."),
        (lambda: "that", "The numbers say: that."),
        (lambda: None, "The numbers do not decide it."),
        (None, "</b>. Now run"),
    ],
)
def test_a_guess_is_judged_by_the_numbers(answer, told):
    asked = guess("Which?", "this", "that", answer=answer)
    asked._buttons.value = "this"
    assert told in asked.children[-1].value


def test_the_figure_of_a_guess_appears_with_the_answer_and_is_folded_without_a_kernel():
    figure, _ = co.plots.new_figure()
    asked = guess("Which?", "this", "that", then=co.plots.Picture(figure, "the figure"))
    assert "<img" not in asked.children[-1].value
    still = asked._repr_mimebundle_()["text/html"]
    before, folded = still.split("<details>")
    assert "<img" not in before
    assert "the figure" in folded
    asked._buttons.value = "that"
    assert "<img" in asked.children[-1].value


def test_the_player_of_a_guess_appears_with_the_answer_and_only_once():
    jobs = co.JobStream(submit=[0], runtime=[1], components=[1])
    player = co.Player({"one": co.simulate(co.Multicluster([1]), jobs)})
    asked = guess("Which?", "this", "that", answer="this", then=player)
    assert player not in asked.children
    before, folded = asked._repr_mimebundle_()["text/html"].split("<details>", 1)
    assert "<img" not in before
    assert "<img" in folded
    for chosen, told in (("this", "The numbers agree."), ("that", "The numbers say: this.")):
        asked._buttons.value = chosen
        *_, reaction, shown = asked.children
        assert shown is player
        assert told in reaction.value
        assert asked.children.count(player) == 1


def test_the_table_of_a_guess_is_below_its_figure():
    figure, _ = co.plots.new_figure()
    table = folded("Numbers", pd.DataFrame({"wait": [1.5]}))
    asked = guess("Which?", "this", "that", then=[co.plots.Picture(figure, "the figure"), table])
    before, answer = asked._repr_mimebundle_()["text/html"].split("<details>", 1)
    assert "1.5" not in before
    assert answer.index("<img") < answer.index("Numbers") < answer.index("1.5")
    assert "1.5" not in asked.children[-1].value
    for choice in ("this", "that"):
        asked._buttons.value = choice
        shown = asked.children[-1].value
        assert shown.index("<img") < shown.index("1.5")


def test_the_table_of_a_guess_is_below_its_player():
    player = ipw.HTML("a player")
    asked = guess("Which?", "this", "that", then=[player, folded("Numbers", pd.DataFrame([1.5]))])
    for choice in ("this", "that"):
        asked._buttons.value = choice
        *_, reaction, shown, table = asked.children
        assert shown is player
        assert "1.5" in table.value
        assert "1.5" not in reaction.value
    assert asked.children.count(player) == 1


def text_of(shown):
    """Return what the check of an exercise shows, without HTML tags."""
    return re.sub("<[^>]*>", "", shown.data)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (2.5, "✓ Exercise 7. Right: 2.5."),
        (3, "✗ Exercise 7. Not yet: too <large>."),
        ("text", "✗ Exercise 7. Not yet: the exercise asks for a number, such as 0.25."),
        (..., "Exercise 7. Put your answer in place of the dots."),
    ],
)
def test_a_check_names_the_exercise_and_not_the_answer(answer, told):
    check = checker(
        {2: lambda x: "another exercise", 7: lambda x: "too <large>" * (number_of(x) > 2.5)}
    )
    assert unescape(text_of(check(7, answer))) == told


def test_a_right_answer_that_is_no_number_is_not_repeated():
    assert text_of(checker({4: lambda x: ""})(4, ["a", "list"])) == "✓ Exercise 4. Right."


@pytest.mark.parametrize("answer", ["many", None, [1, 2], 10**400, True])
def test_an_answer_of_a_different_type_is_told(answer):
    check = checker({1: lambda x: near(x, 1.0, 0.1, "count again")})
    shown = unescape(text_of(check(1, answer)))
    assert shown.endswith("Not yet: the exercise asks for a number, such as 0.25.")


@pytest.mark.parametrize(
    ("answer", "number"), [("1/4", 0.25), (" 3 / -4", -0.75), ("2.5", 2.5), ("42 %", 42)]
)
def test_a_fraction_in_quotes_is_a_number(answer, number):
    assert number_of(answer) == number


def test_percent_in_quotes_are_right_for_a_share_and_for_a_number_of_percent():
    assert near("42 %", 0.42, 0.001, "no") == near("42 %", 42, 0.1, "no") == ""
    assert near("42 %", 0.43, 0.001, "no") == near(42, 0.42, 0.001, "no") == "no"
    assert near("42 %", 0.43, 0.005, "no") == "no (your number is a little too small)"


@pytest.mark.parametrize("answer", ["1/0", "1/2/3", "/2", "1/x"])
def test_what_is_no_fraction_is_refused(answer):
    with pytest.raises(co.InputError, match="asks for a number"):
        number_of(answer)


def test_an_error_in_an_exercise_is_not_blamed_on_the_answer():
    check = checker({1: lambda x: {}["an error in the exercise"]})
    with pytest.raises(KeyError, match="an error in the exercise"):
        check(1, 3.0)


def test_a_check_refuses_a_number_without_exercise():
    with pytest.raises(co.InputError, match="number = 3"):
        checker({1: lambda x: "", 2: lambda x: ""})(3, 0)


def test_a_decimal_comma_is_told_and_is_no_attempt():
    check = checker({1: lambda x: pytest.fail("an answer was checked")})
    assert "with a point, such as 1.64" in text_of(check(1, 1, 64))


def test_an_answer_that_an_exercise_rejects_gets_the_words_of_the_exercise():
    check = checker({1: lambda x: "" if one_of("answer", x, ("A", "B")) == "A" else "look again"})
    assert "Not yet: answer = 'b'; choose one of 'A', 'B'." in unescape(text_of(check(1, "b")))
    shown = unescape(text_of(playground.check(2, "centre B")))
    assert "choose one of 'A', 'B', 'neither'" in shown


@pytest.mark.parametrize(
    ("answer", "right", "told"),
    [
        (0.05, 0.0, ""),
        (0.5, 0.0, "hint"),
        (0.95, 0.0, "one"),
        (0.02, 0.25, "none"),  # a slip of 0 has the accepted error of the right number
        (25.9, 0.25, "percent"),  # 100 times as large as the right number, as is its error
        (0.15, 0.25, "hint (your number is a little too small)"),
        (0.35, 0.25, "hint (your number is a little too large)"),
        (0.45, 0.25, "hint"),
    ],
)
def test_a_number_near_a_typical_mistake_gets_its_hint(answer, right, told):
    slips = {"one": 1.0, "none": 0.0, "percent": 25.0}
    assert near(answer, right, 0.06, "hint", slips) == told


SENTENCES = {"a": (True, "not needed"), "b": (False, "look again"), "c": (True, "not needed")}


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("ac", ""), ("C, a", ""), ("aac", ""), (["a", "c"], ""),
        ("a", "what you chose follows, but it is not all that follows"),
        ("abc", "sentence b does not follow: look again"),
    ],
)  # fmt: skip
def test_an_answer_names_all_sentences_that_follow_and_no_other(answer, hint):
    assert follows(answer, SENTENCES) == hint


@pytest.mark.parametrize("answer", ["", "d", "a and c", 3, None, [], [1], True])
def test_an_answer_that_names_no_sentences_is_refused(answer):
    with pytest.raises(co.InputError, match=r"^give letters from a to c in quotes$"):
        follows(answer, SENTENCES)


def test_a_folded_table_hides_behind_its_summary():
    html = folded("a < b", pd.DataFrame({"wait": [1.5]})).data
    assert html.startswith("<details><summary>a &lt; b</summary><table")
    assert "1.5" in html
