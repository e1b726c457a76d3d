"""One joint reading of lost parameters: its misfit, and how well random numbers fit."""

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import NotRunError
from studies import load_study
from studies.joint_reading import JointReading

PRINTED = {"a": 10.0, "b": 4.0}


def joint(readings, **how):
    return JointReading(PRINTED, readings, "ours", **how)


def test_a_misfit_is_the_root_mean_square_of_logarithms():
    found = joint({"ours": {"a": 11.0, "b": 4.0}, "other": {"a": 10.0, "b": 8.0}})
    assert found.misfit == pytest.approx(np.log(1.1) / np.sqrt(2))
    assert found.misfits["other"] == pytest.approx(np.log(2) / np.sqrt(2))
    assert found.best == "ours"


def test_a_limit_that_is_passed_is_no_misfit():
    readings = {"ours": {"a": 20.0, "b": 4.0}, "below": {"a": 5.0, "b": 4.0}}
    found = joint(readings, limits=("a",))
    assert found.misfit == 0
    assert found.misfits["below"] == pytest.approx(np.log(2) / np.sqrt(2))


@pytest.mark.parametrize("lost", [{"a": 10.0}, {"a": 10.0, "b": np.nan}, {"a": 10.0, "b": -0.1}])
def test_a_reading_without_a_number_fits_nothing(lost):
    found = joint({"ours": {"a": 11.0, "b": 5.0}, "lost": lost})
    assert found.misfits["lost"] == np.inf
    assert found.best == "ours"


def test_the_share_of_random_numbers_is_that_of_theory():
    """With one number, a misfit of log(1.2) is reached by log(1.2) / log(2) of all numbers."""
    one = JointReading({"a": 10.0}, {"ours": {"a": 12.0}}, "ours")
    assert one.share_as_good == pytest.approx(np.log(1.2) / np.log(2), abs=0.02)
    assert (
        one.share_as_good == JointReading({"a": 10.0}, {"ours": {"a": 12.0}}, "ours").share_as_good
    )


def test_more_readings_fit_more_random_numbers():
    ours = {"a": 12.0, "b": 4.5}
    few = joint({"ours": ours})
    many = joint({"ours": ours} | {f"{k}": {"a": 5.0 + k, "b": 8.0 - k / 3} for k in range(15)})
    assert few.share_as_good < many.share_as_good < 1
    assert joint({"ours": PRINTED}).share_as_good == 0


def test_words_name_the_best_reading_where_it_is_not_ours():
    found = joint({"ours": {"a": 12.0, "b": 4.0}, "other": {"a": 10.5, "b": 4.0}})
    assert found.words().endswith("The best choice (other) has a misfit of 3%.")
    assert "over 2 printed numbers" in found.words()
    assert "The best" not in joint({"ours": PRINTED}).words()
    table = found.table()
    assert table["reading"].tolist() == ["other", "ours"]
    assert table["a (10)"].tolist() == [10.5, 12.0]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"printed": {"a": 0.0}}, "printed.*= 0.0; give a positive number"),
        ({"ours": "mine"}, "^ours = 'mine'"),
        ({"limits": ("c",)}, "^limits = 'c'"),
    ],
)
def test_what_makes_no_sense_is_refused(how, why):
    with pytest.raises(InputError, match=why):
        JointReading(**{"printed": PRINTED, "readings": {"ours": PRINTED}, "ours": "ours"} | how)


def test_a_study_without_a_joint_reading_says_so():
    with pytest.raises(NotRunError, match="what-survives has no joint reading"):
        load_study("what-survives").joint_reading(None)
