"""Lessons: a guess is asked for and answered, verdicts are told, exercises are checked."""

import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.studies.ledger import VERDICTS, Row
from coalloc_lib.studies.published import load_claims
from coalloc_lib.widgets.lessons import MARKS, checker, guess, near, verdict_lines

CLAIMS = load_claims("cluster-configurations")


def row(verdict="holds", note=""):
    return Row("cluster-configurations", "CC-3", "what", None, 0.01, 0.005, 0.015, verdict, note)


def test_every_verdict_has_a_mark_and_those_of_one_colour_mean_alike():
    assert set(MARKS) == set(VERDICTS)
    assert MARKS["holds"] != MARKS["does not hold"]


def test_a_verdict_line_tells_claim_interval_reason_and_threshold():
    html = verdict_lines([row("holds in part", "fails: <x>")], CLAIMS, "4×32 ± 3 points")
    for part in ("CC-3 holds in part", "0.010", "0.005 to 0.015", "fails: &lt;x&gt;", "± 3 points"):
        assert part in html
    assert verdict_lines([], CLAIMS, "4×32 ± 3 points") == ""


def test_systems_are_count_by_size_also_in_what_papers_say():
    html = verdict_lines([row(note="two parts.")], CLAIMS)
    assert f"<i>{CLAIMS['CC-3'].words}.</i> What: 0.010" in html
    assert html.endswith("two parts.</p>")
    assert "8×16 is like 4×32" in html
    assert "in the paper 16x8, 32x4" in html
    assert CLAIMS["CC-4"].words == CLAIMS["CC-4"].claim


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
        (None, "</b>.  Now run"),
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
