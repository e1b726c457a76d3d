"""Intervals as columns of a table."""

import pytest

import coalloc_lib as co
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics import interval_columns


def test_columns_have_the_ends_of_an_interval_of_95_percent_only():
    columns = {"wait": 2.0, "ci95_low": 1.0, "ci95_high": 3.0, "warning": ""}
    assert interval_columns(Interval(2.0, 1.0, 3.0, 5), "wait") == columns
    with pytest.raises(co.InputError, match=r"^interval has confidence = 0\.5; give"):
        interval_columns(co.student([1.0, 2.0, 3.0], 0.5))
