"""The shape of a study: cases measured once, figures that show themselves, claims that read."""

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from tests.studies.toy import Draw, toy


@pytest.fixture
def seen():
    return []


@pytest.fixture
def measure(seen):
    """Return a measure that keeps what it has seen."""
    return lambda case, scale, seed: seen.append(case) or case.measure(scale, seed)


def test_each_case_is_measured_once_with_one_seed(seen, measure):
    result = toy(measure=measure).reproduce(workers=1)
    assert sorted(case.mean for case in seen) == [0.0, 1.0, 5.0, 9.0]
    draws = [result.results[Draw(mean)] - mean for mean in (0.0, 9.0)]
    assert np.allclose(*draws)


def test_the_rows_are_numbers_then_claims_in_their_order():
    rows = toy().reproduce().rows
    assert [row.item for row in rows] == ["Table 1 a", "MU-12", "MU-1"]
    assert [row.verdict for row in rows[1:]] == ["holds", "does not hold"]
    assert rows[2].ci95_low < rows[2].reproduced < rows[2].ci95_high
    assert rows[2].note.endswith("Drawn. | fails: above 100")
    assert rows[2].published == "(2C-1)/(2C)"


def test_a_figure_takes_a_case_more_and_measures_only_that(seen, measure):
    figure = toy(measure=measure).figure("means")
    with pytest.raises(InputError, match=r"means has not run 'm0' yet; call its run\(\)"):
        figure.data()
    assert "not run" in figure._repr_mimebundle_()["text/html"]
    assert figure.run().title == "The last is largest"
    seen.clear()
    figure.add("mine", Draw(-50.0)).add("mine", Draw(-50.0))  # a cell that is run twice
    with pytest.raises(InputError, match="not run 'mine'"):
        figure.data()
    assert figure.run().title == "Means of a few draws"
    assert seen == [Draw(-50.0)]
    assert figure.data()["label"].tolist() == ["m0", "m1", "mine"]
    assert figure.run("paper").data()["label"].tolist() == ["m0", "m1", "m2", "m3", "mine"]


def test_what_cannot_be_added_is_refused():
    figure = toy().figure("means")
    for label, case, words in (
        ("mine", 3, "case = 3; give a Draw"),
        ("m1", Draw(2.0), "label = 'm1' is taken in means"),
        (["m"], Draw(2.0), "a part that can change"),
    ):
        with pytest.raises(InputError, match=words):
            figure.add(label, case)
    with pytest.raises(InputError, match="bare takes no case of your own"):
        toy().figure("bare").add("m", Draw(1.0))
    with pytest.raises(InputError, match="choose one of 'means', 'bare'"):
        toy().figure("x")


def test_what_was_not_measured_and_claims_that_nobody_knows_are_named(seen, measure):
    result = toy().reproduce()
    with pytest.raises(InputError, match=r"Draw\(mean=3.0\) was not measured; name it in"):
        result.results[Draw(3.0)]
    study = toy(measure=measure)
    study.add_claim("MU-99", "mean")(lambda results: (0.0, {"a": True}))
    with pytest.raises(InputError, match="MU-99"):
        study.reproduce()
    assert not seen


def test_a_figure_shows_itself_with_its_verdicts():
    result = toy().reproduce()
    shown = result.figure("means")._repr_mimebundle_()
    assert 'alt="The last is largest. Means, less that of zero."' in shown["text/html"]
    assert "MU-12 holds." in shown["text/html"]
    assert shown["text/plain"].endswith("MU-12 holds.")
    assert "<table" in result.figure("bare")._repr_mimebundle_()["text/html"]
    page = result.claims()._repr_html_()
    assert "<style" not in page
    assert "Table 1" not in page
