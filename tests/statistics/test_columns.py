"""Intervals as columns of a table, and the extreme ones of several intervals."""

from math import nan

import pytest

import coalloc_lib as co
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics import interval_columns
from coalloc_lib.statistics.columns import NotRunError, furthest, least, most

LOW, HIGH = Interval(-3.0, -4.0, -2.0, 5), Interval(2.0, 1.0, 3.0, 5)
UNKNOWN = Interval(nan, nan, nan, 0, warning="no runs")


def test_columns_have_the_ends_of_an_interval_of_95_percent_only():
    columns = {"wait": 2.0, "ci95_low": 1.0, "ci95_high": 3.0, "warning": ""}
    assert interval_columns(HIGH, "wait") == columns
    with pytest.raises(co.InputError, match=r"^interval has confidence = 0\.5; give"):
        interval_columns(co.student([1.0, 2.0, 3.0], 0.5))


@pytest.mark.parametrize("intervals", [[UNKNOWN, HIGH, LOW], [HIGH, LOW, UNKNOWN]])
def test_an_unknown_estimate_is_neither_the_smallest_nor_the_largest(intervals):
    assert least(intervals) == furthest(intervals) == LOW
    assert most(intervals) == furthest(intervals, from_=-3.0) == HIGH


def test_without_a_known_estimate_the_default_is_given_or_an_error():
    assert most([], default=None) is None
    assert least([UNKNOWN], default=HIGH) == HIGH
    with pytest.raises(NotRunError, match="there are no runs"):
        least([])
