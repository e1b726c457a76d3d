"""Jobs split into components of nearly one size."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.jobs import split_into, split_smallest
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


READINGS = {"floor": math.floor, "ceiling": math.ceil}


@pytest.mark.parametrize("rounding", READINGS)
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 7])
def test_split_into_is_the_printed_formula_where_that_is_a_split(rounding, parts):
    """One component of s - (k - 1) [s/k], the others of [s/k], for all s where none is negative."""
    sizes = np.arange(1, 200)
    table = split_into(sizes, parts, rounding)
    assert table.shape == (len(sizes), parts)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    for size, row in zip(sizes.tolist(), table.tolist(), strict=True):
        share = READINGS[rounding](Fraction(size, parts))
        rest = size - (parts - 1) * share
        if rest >= 0:
            assert row == sorted([rest, *[share] * (parts - 1)], reverse=True)
        else:  # as many such shares as there are, and what is left; of few processors only
            assert rounding == "ceiling"
            assert size < (parts - 1) ** 2
            assert row == sorted(row, reverse=True)
            assert row[: size // share] == [share] * (size // share)
            assert share > max(row[size // share :])


@pytest.mark.parametrize(
    ("size", "rounding", "row"),
    [
        (11, "even", [3, 3, 3, 2]),
        (11, "floor", [5, 2, 2, 2]),
        (11, "ceiling", [3, 3, 3, 2]),
        (12, "floor", [3, 3, 3, 3]),
        (12, "ceiling", [3, 3, 3, 3]),
        (3, "floor", [3, 0, 0, 0]),
        (3, "ceiling", [1, 1, 1, 0]),
        (3, "even", [1, 1, 1, 0]),
        (5, "ceiling", [2, 2, 1, 0]),
        (6, "ceiling", [2, 2, 2, 0]),
        (2**53, "ceiling", [2**51] * 4),
    ],
)
def test_four_components_by_hand(size, rounding, row):
    assert split_into(size, 4, rounding).tolist() == [row]


@pytest.mark.parametrize("rounding", READINGS)
def test_each_job_has_its_own_parts_also_rounded(rounding):
    table = split_into([11, 11, 11], [1, 4, 2], rounding)
    for row, parts in zip(table, (1, 4, 2), strict=True):
        alone = split_into([11], parts, rounding)[0]
        assert row.tolist() == [*alone, *[0] * (4 - parts)]


def test_jobs_up_to_a_size_stay_whole():
    jobs = stream(components=[[4, 3], [8, 0], [6, 5]], request="flexible")
    split = jobs.split(into=4, above=8, rounding="floor")
    assert split.components.tolist() == [[7, 0, 0, 0], [8, 0, 0, 0], [5, 2, 2, 2]]
    assert split.request == "unordered"
    assert jobs.split(into=4, above=11).components.tolist() == [[7], [8], [11]]
    everything = jobs.split(into=4, above=0).components
    np.testing.assert_array_equal(everything, jobs.split(into=4).components)


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
        (lambda: split_into([3], 2, "nearest"), "rounding = 'nearest'; choose one of 'even'"),
        (lambda: stream().split(into=2, rounding=None), "rounding = None"),
        (lambda: stream().split(into=2, above=-1), "above = -1"),
        (lambda: stream().split(into=2, above=math.nan), "above = nan"),
        (lambda: stream().split(at_most=2, above=3), "above and rounding go with into"),
        (lambda: stream().split(at_most=2, rounding="floor"), "above and rounding go with into"),
    ],
)
def test_bad_splits_are_refused(split, message):
    with pytest.raises(co.InputError, match=message):
        split()
