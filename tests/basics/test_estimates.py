"""Intervals that answer or say that they cannot, and their text; maximal utilizations."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.plots import format_interval

SIX = Interval(0.6, 0.5, 0.7, 10)


def test_an_interval_decides_where_all_of_it_agrees():
    limits = 0.4, 0.5, 0.6, 0.7, 0.8
    assert [SIX.above(limit) for limit in limits] == [True, None, None, False, False]
    assert [SIX.below(limit) for limit in limits] == [False, False, None, None, True]
    ends = {(0.5, 0.7): True, (0.5, 0.69): None, (0.75, 1): False, (0, 0.45): False, (0.7, 1): None}
    assert {each: SIX.between(*each) for each in ends} == ends


def test_an_interval_with_a_warning_decides_nothing_and_is_not_printed():
    doubtful = Interval(0.6, 0.5, 0.7, 10, warning="three jobs")
    assert doubtful.above(0) is doubtful.below(1) is doubtful.between(0, 1) is None
    assert str(doubtful.complement()) == "0.4000 (no interval: three jobs)"
    assert (
        str(MaxUtilization(doubtful, "simulation"))
        == "0.6000 (no interval: three jobs), simulation"
    )
    assert str(SIX) == "0.6000 ± 0.1000 (95 %)"
    assert format_interval(SIX) == "0.600 ± 0.100"
    assert format_interval(doubtful) == "0.600 (no interval: three jobs)"


def test_a_bound_is_a_utilization_and_a_loss():
    bound = MaxUtilization(SIX, "simulation")
    assert (bound.max_utilization, bound.capacity_loss) == (0.6, 0.4)
    assert bound.loss == Interval(0.4, pytest.approx(0.3), pytest.approx(0.5), 10)
    assert str(MaxUtilization(Interval.exact(0.75), "exact")) == "0.7500, exact"


def test_an_interval_to_one_side_prints_both_of_its_ends():
    """0.1478 ± 0.3627 would reach below 0, although the interval ends at 0.0027."""
    aside = Interval(0.1478, 0.0027, 0.7282, 20)
    assert str(aside) == "0.1478 [0.0027, 0.7282] (95 %)"
    assert aside.text(2, "+") == "+0.15 [+0.00, +0.73]"
    assert Interval(1.0, 0.5, np.inf, 20).text(1) == "1.0 [0.5, inf]"
    assert Interval(-0.00001, -0.1, 0.1, 20).text(2) == "0.00 ± 0.10"
    assert Interval.exact(0.5).text(3) == "0.500"


@given(st.floats(-1e3, 1e3), st.floats(0, 1e3), st.floats(0, 1e3), st.integers(0, 5))
def test_the_ends_of_a_printed_interval_are_right_to_its_digits(middle, down, up, digits):
    interval = Interval(middle, middle - down, middle + up, 20)
    text = interval.text(digits)
    if "<" in text:
        assert interval.half_width < 10.0**-digits / 2
        return
    numbers = [float(x) for x in re.findall(r"-?[\d.]+", text)]
    ends = [numbers[0] - numbers[1], numbers[0] + numbers[1]] if "±" in text else numbers[1:]
    # The printed estimate and half-width (or ends) are rounded, so the printed ends may be wrong by
    # one more half of the last digit.
    assert np.allclose(ends, [interval.low, interval.high], atol=1.5 * 10.0**-digits + 1e-9, rtol=0)


@given(
    st.floats(-5, 5), st.floats(0, 5), st.floats(0, 5), st.floats(0, 5), st.floats(0, 5),
    st.floats(-9, 9),
)  # fmt: skip
def test_an_interval_within_bounds_has_no_value_beyond_them_and_loses_no_other(
    middle, below, above, least, most, value
):
    interval = Interval(middle, middle - below, middle + above, 9)
    bounds = middle - least, middle + most
    clipped = interval.within(*bounds)
    assert bounds[0] <= clipped.low <= clipped.estimate == middle <= clipped.high <= bounds[1]
    inside = bounds[0] <= value <= bounds[1]
    assert clipped.contains(value) == (interval.contains(value) and inside)
    assert interval.within() == interval


def test_infinite_ends_are_kept_by_a_factor():
    unbounded = Interval(1.0, -np.inf, np.inf, 4)
    assert unbounded.times(0) == Interval(0.0, 0.0, 0.0, 4)
    assert unbounded.times(-2) == Interval(-2.0, -np.inf, np.inf, 4)
    assert Interval.exact(np.inf).times(0) == Interval.exact(0.0)
    assert np.isnan(Interval.exact(np.nan).times(0).estimate)
    assert np.isnan(Interval(1.0, np.nan, np.nan, 1).times(0).low)


def test_the_length_of_an_exact_interval_is_0():
    for value in (-np.inf, 0.5, np.inf):
        assert Interval.exact(value).half_width == 0
    assert Interval(1.0, -np.inf, np.inf, 4).half_width == np.inf
