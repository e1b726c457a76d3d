"""Jobs split into components of nearly one size."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.splitting import split_into, split_smallest
from tests.test_jobs import stream

totals = st.lists(st.integers(1, 300), min_size=1, max_size=20)


@given(totals, st.integers(1, 40))
def test_split_into_is_even(sizes, parts):
    table = split_into(sizes, parts)
    assert table.shape == (len(sizes), parts)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    for total, row in zip(sizes, table, strict=True):
        used = row[row > 0]
        assert len(used) == min(parts, total)
        assert np.ptp(used) <= 1
        assert (np.diff(row) <= 0).all()


@given(totals, st.integers(1, 40))
def test_split_smallest_uses_as_few_components_as_fit(sizes, largest):
    table = split_smallest(sizes, largest)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    assert table.max() <= largest
    for total, row in zip(sizes, table, strict=True):
        count = (row > 0).sum()
        assert np.ptp(row[:count]) <= 1
        assert (count - 1) * largest < total <= count * largest


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 9)), min_size=1, max_size=20))
def test_split_into_takes_a_number_of_parts_a_job(pairs):
    sizes, parts = (np.array(column) for column in zip(*pairs, strict=True))
    table = split_into(sizes, parts)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    np.testing.assert_array_equal((table > 0).sum(axis=1), np.minimum(parts, sizes))


def test_split_by_hand():
    jobs = stream(components=[[4, 3], [1, 0], [16, 17]], request="flexible", estimate=[8, 8, 8])
    split = jobs.split(at_most=16)
    assert split.components.tolist() == [[7, 0, 0], [1, 0, 0], [11, 11, 11]]
    assert split.request == "unordered"
    np.testing.assert_array_equal(split.estimate, [8, 8, 8])
    assert jobs.split(into=2).components.tolist() == [[4, 3], [1, 0], [17, 16]]


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (lambda: stream().split(), "exactly one"),
        (lambda: stream().split(at_most=2, into=2), "exactly one"),
        (lambda: stream().split(at_most=0), "largest = 0"),
        (lambda: stream().split(into=0), "into = 0"),
        (lambda: split_into([], 2), "totals"),
        (lambda: split_into([3, 0], 2), "totals"),
        (lambda: split_into([3, 2.7], 2), "totals"),
        (lambda: split_into([3, math.nan], 2), "totals"),
        (lambda: stream().split(into=2.5), "into = 2.5"),
        (lambda: split_into([3, 3], [1, 2, 3]), "totals and parts have shapes"),
        (lambda: split_into([[3, 3]], 1), "totals and parts have shapes"),
        (lambda: split_into([3], 10**9), "parts = 1000000000; give at most"),
    ],
)
def test_bad_splits_are_refused(split, message):
    with pytest.raises(co.InputError, match=message):
        split()
