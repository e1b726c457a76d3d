"""Intervals of means and differences; pairs, replications and crossings."""

import re

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.cli import main
from coalloc_lib.statistics import (
    Interval,
    Replications,
    crossing,
    paired_difference,
    replicate,
    student,
    unpaired_difference,
)
from coalloc_lib.statistics.inference import lag_correlation

RNG = np.random.default_rng(0)


def test_the_command_line_prints_no_interval_with_a_warning(capsys):
    asked = ["loss", "--clusters", "8,8", "--sizes", "U[1,4]", "--request", "unordered"]
    assert main([*asked, "--jobs", "250", "--seed", "1"]) == 0
    captured = capsys.readouterr()
    words = r"0\.\d{4} \(no interval: \d+ jobs end in 30 batches.*\), simulation\n"
    assert re.fullmatch(words, captured.out)
    assert not captured.err


def test_a_constant_series_has_no_lag_correlation():
    assert lag_correlation(np.zeros(4)) == 0
    assert lag_correlation(np.array([1.0, -1.0, 1.0, -1.0])) == -3 / 4


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_intervals_are_scipys(confidence):
    """Student's interval of a mean and Welch's interval of a difference agree with SciPy."""
    one, other = RNG.normal(5, 1, 12), RNG.normal(3, 4, 7)
    interval = student(one, confidence)
    low, high = stats.t.interval(confidence, 11, one.mean(), stats.sem(one))
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.estimate == pytest.approx(one.mean())
    assert (interval.count, interval.confidence) == (12, confidence)
    found = unpaired_difference(one, other, confidence)
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert (found.count, found.confidence) == (7, confidence)
    assert unpaired_difference([1.0, 1.0], [0.5, 0.5]).half_width == 0
    assert paired_difference(one[:7], other, confidence) == student(one[:7] - other, confidence)


@pytest.mark.parametrize(
    ("call", "given", "words"),
    [
        (student, ([1.0],), "two or more"),
        (student, ([1.0, np.nan],), r"values\[1\]"),
        (student, ([[1.0, 2.0]],), "shape"),
        (student, ([1.0, 2.0], 95), "confidence = 95"),
        (student, ([1.0, 2.0], 1), "confidence = 1"),
        (student, ([1.0, 2.0], 0), "confidence = 0"),
        (student, (["a"],), r"values\[0\] = 'a'; give a number"),
        (paired_difference, ([1.0], ["a"]), r"other\[0\] = 'a'; give a number"),
        (unpaired_difference, (["a"], [1.0]), r"one\[0\] = 'a'; give a number"),
        (Replications([1.0, 2.0]).prediction_of, (0,), "length = 0; give a finite number above 0"),
        (paired_difference, ([1.0, 2.0], [1.0]), "because they are compared in pairs"),
        (
            Replications.__sub__,
            (Replications([1.0, 2.0]), Replications([1.0])),
            "give both the same number of",
        ),
    ],
)
def test_what_has_no_interval_is_refused(call, given, words):
    with pytest.raises(co.InputError, match=words):
        call(*given)


def test_samples_are_compared_in_pairs_and_keep_their_warning():
    one, other = Replications(RNG.normal(5, 1, 9)), Replications(RNG.normal(3, 1, 9), "three jobs")
    pairs = one.values, other.values
    assert (one - other).interval == paired_difference(*pairs, warning="three jobs")
    assert (other - one).warning == (other / 2.0).warning == one.less_unpaired(other).warning
    assert (one / 2.0).interval == student(one.values / 2.0)
    known = Replications(np.array(4.0))
    assert known.interval == Interval.exact(4.0)
    assert (one - known).interval == student(one.values - 4.0)


def test_replications_do_not_depend_on_the_number_of_workers():
    def function(seed):
        return np.random.default_rng(seed).random()

    one, two = (replicate(function, 9, seed=3, workers=w) for w in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one)) == 9
    np.testing.assert_array_equal(one[:4], replicate(function, 4, seed=3))


class Asked:
    """A function of x plus noise that is the same for all x; it counts its calls."""

    def __init__(self, function, noise=(-0.1, 0.0, 0.1), warning=lambda x: ""):
        self.function, self.noise, self.warning = function, np.array(noise), warning
        self.calls = []

    def __call__(self, x):
        self.calls.append(x)
        return Replications(self.function(x) + self.noise, self.warning(x))


def test_a_crossing_is_the_root_and_its_ends_those_of_the_interval():
    """Straight lines have exact roots; if the noise grows with x, the ends are those of Fieller."""
    half = student([-0.1, 0.0, 0.1]).half_width
    found = crossing(Asked(lambda x: 2 * x - 0.7), 0, 1)
    assert found.answer == "crossing"
    interval = found.interval
    assert interval.estimate == pytest.approx(0.35)
    assert (interval.low, interval.high) == pytest.approx((0.35 - half / 2, 0.35 + half / 2))
    assert (interval.count, interval.confidence, interval.warning) == (3, 0.95, "")
    noise = np.array([-0.1, 0.0, 0.1])
    found = crossing(lambda x: Replications(x - 0.4 + x * noise), 0, 2).interval
    ends = 0.4 / (1 + half), 0.4 / (1 - half)
    assert (found.low, found.estimate, found.high) == pytest.approx((ends[0], 0.4, ends[1]))


@pytest.mark.parametrize("root", [0.003, 0.31, 0.5, 0.999])
@pytest.mark.parametrize(("budget", "error"), [(20, 5e-4), (40, 1e-6)])
def test_a_curved_difference_is_found_within_a_part_of_the_range(root, budget, error):
    known = crossing(lambda x: Replications(np.exp(3 * x) - np.exp(3 * root)), 0, 1, budget=budget)
    assert known.interval.estimate == pytest.approx(root, abs=error)
    assert known.interval.half_width == known.interval.count == 0


@pytest.mark.parametrize(
    ("function", "answer", "infinite"),
    [
        (lambda x: x - 5.0, "below throughout", (np.inf, np.inf, np.inf)),
        (lambda x: x + 5.0, "above throughout", (-np.inf, -np.inf, -np.inf)),
        (lambda x: 0.01 * (x - 0.5), "undecided", (-np.inf, None, np.inf)),
        (lambda x: 0.01 * (x - 2), "undecided", (-np.inf, np.inf, np.inf)),
        (lambda x: 0.01 * (x + 1), "undecided", (-np.inf, -np.inf, np.inf)),
        (lambda x: 0.01 * (0.5 - x), "undecided", (-np.inf, -np.inf, np.inf)),
        (lambda x: x - 0.1, "undecided", (-np.inf, None, None)),
        (lambda x: x - 0.9, "undecided", (None, None, np.inf)),
        (lambda x: -np.inf, "below throughout", (np.inf, np.inf, np.inf)),
        (lambda x: np.inf, "above throughout", (-np.inf, -np.inf, -np.inf)),
    ],
)
def test_what_lies_outside_of_the_range_is_infinite(function, answer, infinite):
    found = crossing(Asked(function), 0, 1)
    assert found.answer == answer
    ends = found.interval.low, found.interval.estimate, found.interval.high
    assert tuple(None if 0 < end < 1 else end for end in ends) == infinite


def test_where_a_side_has_no_mean_the_difference_has_crossed():
    """The difference jumps to infinity; the interval is the last step of the bisection."""
    found = crossing(Asked(lambda x: np.inf if x > 0.3 else -1.0), 0, 1)
    assert found.answer == "crossing"
    low, high = found.interval.low, found.interval.high
    assert found.interval.contains(0.3)
    assert (high - low, found.interval.estimate) == (1 / 2**6, (low + high) / 2)

    def one_run_without(x):
        return Replications(np.array([x, x, np.inf if x > 0.5 else x]) - 0.7, "rare")

    found = crossing(one_run_without, 0, 1).interval
    assert (found.low, found.high) == pytest.approx((0.5, 0.5 + 1 / 2**6))
    assert found.warning == "rare"


def test_a_difference_that_is_zero_for_a_while_crosses_all_along():
    found = crossing(Asked(lambda x: max(x - 0.4, 0.0), noise=[0.0] * 3), 0, 1)
    assert (found.answer, found.interval.low) == ("crossing", 0)
    assert found.interval.high == pytest.approx(0.4, abs=1 / 2**6)
    throughout = crossing(Asked(lambda x: 0.0, noise=[0.0] * 3), 0, 1)
    assert throughout.answer == "undecided"
    assert (throughout.interval.low, throughout.interval.high) == (0, np.inf)


def test_the_crossing_of_a_difference_that_first_falls_is_found():
    """The difference first falls and then rises through zero; one crossing is found."""
    found = crossing(Asked(lambda x: (x - 0.35) * (x + 0.3), noise=[-0.001, 0.001]), 0, 1)
    assert found.interval.contains(0.35)
    assert found.answer == "crossing"
    waves = crossing(Asked(lambda x: -np.cos(5 * np.pi * x), noise=[-0.01, 0.01]), 0, 1).interval
    assert waves.low <= waves.estimate <= waves.high
    assert np.abs(np.array([0.1, 0.5, 0.9]) - waves.estimate).min() < 0.01


@pytest.mark.parametrize("budget", [5, 8, 20, 50])
def test_no_more_evaluations_than_the_budget_has(budget):
    """Each x is evaluated once; with growing noise the three searches need different x."""
    asked = Asked(lambda x: x - 0.43, noise=np.linspace(-0.5, 0.5, 9))
    found = crossing(asked, 0, 1, budget=budget)
    assert len(asked.calls) == len(set(asked.calls)) == found.evaluations <= budget
    assert found.evaluations >= 2 + (budget - 2) // 3
    assert all(0 <= x <= 1 for x in asked.calls)


@pytest.mark.parametrize(
    ("root", "doubtful", "answer"),
    [
        (0.43, lambda x: abs(x - 0.43) < 1 / 2**6, "undecided"),
        (0.43, lambda x: x > 0.43, "undecided"),
        (0.43, lambda x: x < 0.43, "undecided"),
        (0.43, lambda x: abs(x - 0.43) > 0.2, "crossing"),
        (-5, lambda x: x == 0, "undecided"),
        (-5, lambda x: x == 1, "above throughout"),
        (5, lambda x: x == 1, "undecided"),
        (5, lambda x: x == 0, "below throughout"),
    ],
)
def test_a_crossing_has_the_warning_of_a_difference_beside_it(root, doubtful, answer):
    """If the crossing is outside the range of x, the warning at the nearest end counts."""
    narrow = [-1e-6, 1e-6]  # so that the interval holds no number that was asked for
    found = crossing(Asked(lambda x: x - root, narrow, lambda x: "short" * doubtful(x)), 0, 1)
    assert found.interval.warning == "short" * (answer == "undecided")
    assert found.answer == answer


@pytest.mark.parametrize(
    ("function", "how", "words"),
    [
        (Asked(lambda x: x), (1, 1), "low = 1.0 and high = 1.0; give two finite numbers"),
        (Asked(lambda x: x), (0, np.inf), "low = 0.0 and high = inf"),
        (Asked(lambda x: x), (0, 1, 4), "budget = 4; give a whole number of 5 or more"),
        (Asked(lambda x: np.nan if x == 0.75 else x - 0.7), (0, 1), r"\(0.75\) holds NaN"),
        (lambda x: Replications(np.array([np.inf, -np.inf])), (0, 1), "both inf and -inf"),
        (
            lambda x: x - 0.5,
            (0, 1),
            r"difference\(0\) = -0.5 is not of type Replications; give Replications\(values\)",
        ),
        (Asked(lambda x: 0.5 - x), (0, 1), r"falls from 0.5 at low to -0.5 at high"),
        (Asked(lambda x: np.inf if x < 0.5 else -1), (0, 1), "falls from inf at low to -1 at high"),
    ],
)
def test_bad_ranges_and_differences_are_named(function, how, words):
    low, high, *budget = how
    with pytest.raises(co.InputError, match=words) as caught:
        crossing(function, low, high, budget=(*budget, 20)[0])
    assert "\n" not in str(caught.value)


def test_a_prediction_has_95_of_100_further_runs():
    draws = np.random.default_rng(1).exponential(1.0, (4_000, 9)) ** 0.25
    ranges = [Replications(row[:8]).prediction for row in draws]
    inside = sum(each.contains(row[8]) for each, row in zip(ranges, draws, strict=True))
    assert 0.94 < inside / len(draws) < 0.96
    assert Replications(np.array(0.5)).prediction.half_width == 0


def test_a_sample_of_a_bounded_figure_has_bounded_intervals():
    busy = Replications(np.array([0.999, 0.97, 0.9999]), least=0.0, most=1.0)
    assert student(busy.values).high > 1
    for interval in (busy.interval, busy.prediction, busy.prediction_of(0.1)):
        assert 0 <= interval.low < interval.high == 1
    assert busy.prediction.low < busy.interval.low
    assert (busy - Replications(busy.values * 0.5)).interval.low < 0.6, (
        "a difference has other bounds"
    )


def test_an_exact_value_keeps_its_warning():
    assert Replications(np.array(0.5), "doubt").interval == Interval(
        0.5, 0.5, 0.5, 0, 0.95, "doubt"
    )


def test_an_exact_value_has_no_variance_in_an_unpaired_difference():
    sample, exact = Replications([3.0, 4.0, 6.0]), Replications(np.array(2.0))
    assert sample.less_unpaired(exact) == student(sample.values - 2)
    assert exact.less_unpaired(sample) == student(2 - sample.values)
    assert exact.less_unpaired(exact) == Interval.exact(0.0)
