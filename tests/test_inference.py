"""Intervals, warm-up, batches, pairs and replications."""

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.inference import (
    Interval,
    batch_means,
    paired_difference,
    replicate,
    student,
    unpaired_difference,
    warm_up,
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


def autoregressive(count, start=0.0, memory=0.9):
    noise = RNG.normal(size=count)
    values = np.empty(count)
    values[0] = start
    for i in range(1, count):
        values[i] = memory * values[i - 1] + noise[i]
    return values


def test_batch_means_of_a_correlated_sequence_cover_where_single_values_do_not():
    runs = [autoregressive(6000)[500:] for _ in range(200)]
    batched = np.mean([batch_means(run, 20).contains(0) for run in runs])
    naive = np.mean([student(run).contains(0) for run in runs])
    assert batched > 0.88
    assert naive < 0.6


def test_batch_means_leave_out_the_first_values():
    values = np.concatenate([[1e9], np.tile([1.0, 3.0], 10)])
    assert batch_means(values, 10).estimate == 2.0
    with pytest.raises(co.InputError, match="5 entries"):
        batch_means(np.ones(5), 6)


def test_warm_up_finds_the_transient():
    cuts = [warm_up(autoregressive(4000, start=60)) for _ in range(20)]
    # 60 · 0.9^i is below one after 39 values; what is cut is that, and not much of the rest.
    assert 25 <= np.median(cuts) <= 200


def test_warm_up_is_mser5():
    values = autoregressive(203, start=20)
    means = values[:200].reshape(40, 5).mean(axis=1)
    error = [means[d:].var() / (40 - d) for d in range(21)]
    assert warm_up(values) == 5 * int(np.argmin(error))
    with pytest.raises(co.InputError, match="19 entries"):
        warm_up(np.ones(19))


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


def test_batch_means_take_their_confidence():
    values = RNG.normal(size=600)
    means = values.reshape(30, 20).mean(axis=1)
    assert batch_means(values, 30, 0.99) == student(means, 0.99)


def test_replications_do_not_depend_on_the_number_of_workers():
    def function(seed):
        return np.random.default_rng(seed).random()

    one, two = (replicate(function, 9, seed=3, workers=w) for w in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one)) == 9
    np.testing.assert_array_equal(one[:4], replicate(function, 4, seed=3))
