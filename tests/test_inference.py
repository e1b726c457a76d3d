"""Intervals, warm-up, batches, pairs and replications."""

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import (
    Sample,
    paired_difference,
    replicate,
    student,
    unpaired_difference,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_student_is_scipys(confidence):
    values = RNG.normal(3, 2, 17)
    interval = student(values, confidence)
    low, high = stats.t.interval(confidence, 16, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.count == 17


def test_student_covers():
    values = RNG.normal(1, 5, (4000, 6))
    share = np.mean([student(row).contains(1) for row in values])
    assert 0.94 < share < 0.96


@pytest.mark.parametrize(
    ("values", "words"),
    [([1.0], "two or more"), ([1.0, np.nan], "values\\[1\\]"), ([[1.0, 2.0]], "shape")],
)
def test_student_refuses(values, words):
    with pytest.raises(co.InputError, match=words):
        student(values)


def test_student_refuses_a_percentage():
    with pytest.raises(co.InputError, match="confidence = 95"):
        student([1.0, 2.0], confidence=95)


def test_interval_arithmetic():
    interval = Interval(0.75, 0.7, 0.8, 10)
    assert interval.complement() == Interval(0.25, pytest.approx(0.2), pytest.approx(0.3), 10)
    assert interval.half_width == pytest.approx(0.05)
    assert str(interval) == "0.7500 ± 0.0500 (95%)"


def test_pairs_see_what_the_parts_hide():
    common = RNG.normal(0, 10, 30)
    one, other = common + 1, common + RNG.normal(0, 0.1, 30)
    assert paired_difference(one, other).low > 0.9
    assert student(one).low < student(other).high
    with pytest.raises(co.InputError, match="pair them"):
        paired_difference(one, other[:5])


def test_unpaired_difference_is_welchs():
    one, other = RNG.normal(5, 1, 12), RNG.normal(3, 4, 7)
    found = unpaired_difference(one, other)
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert unpaired_difference([1.0, 1.0], [0.5, 0.5]).half_width == 0


def test_differences_take_their_confidence():
    one, other = RNG.normal(5, 1, 12), RNG.normal(3, 4, 12)
    assert paired_difference(one, other, 0.99) == student(one - other, 0.99)
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.99)
    found = unpaired_difference(one, other, 0.99)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert found.confidence == 0.99


def test_welchs_count_is_that_of_the_smaller_sample():
    assert unpaired_difference(RNG.normal(size=12), RNG.normal(size=7)).count == 7


def test_samples_are_compared_in_pairs_and_keep_their_doubt():
    one, other = Sample(RNG.normal(5, 1, 9)), Sample(RNG.normal(3, 1, 9), "three jobs")
    assert (one - other).interval == paired_difference(one.values, other.values, doubt="three jobs")
    assert (other - one).doubt == (other / 2.0).doubt == one.less_unpaired(other).doubt
    assert (one / 2.0).interval == student(one.values / 2.0)
    known = Sample(np.array(4.0))
    assert known.interval == Interval.exact(4.0)
    assert (one - known).interval == student(one.values - 4.0)
    with pytest.raises(co.InputError, match="pair their values"):
        one - Sample(np.array([1.0]))


def test_replications_do_not_depend_on_the_number_of_workers():
    def function(seed):
        return np.random.default_rng(seed).random()

    one, two = (replicate(function, 9, seed=3, workers=w) for w in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one)) == 9
    np.testing.assert_array_equal(one[:4], replicate(function, 4, seed=3))
