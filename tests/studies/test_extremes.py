"""The smallest, the largest and the furthest of several intervals."""

from math import nan

import pytest

from coalloc_lib.statistics import Interval, NotRunError
from studies.extremes import furthest, least, most

LOW, HIGH = Interval(-3.0, -4.0, -2.0, 5), Interval(2.0, 1.0, 3.0, 5)
UNKNOWN = Interval(nan, nan, nan, 0, warning="no runs")


@pytest.mark.parametrize("intervals", [[UNKNOWN, HIGH, LOW], [HIGH, LOW, UNKNOWN]])
def test_an_unknown_estimate_is_neither_the_smallest_nor_the_largest(intervals):
    assert least(intervals) == furthest(intervals) == LOW
    assert most(intervals) == furthest(intervals, from_=-3.0) == HIGH


def test_without_a_known_estimate_the_default_is_given_or_an_error():
    assert most([], default=None) is None
    assert least([UNKNOWN], default=HIGH) == HIGH
    with pytest.raises(NotRunError, match="there are no runs"):
        least([])
