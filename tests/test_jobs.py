"""Job streams: the columns they refuse, and what can be done with them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.jobs import REQUESTS, split_into, split_smallest
from tests.conftest import systems_and_streams

COLUMNS = ("submit", "runtime", "components", "estimate", "span_penalty")
totals = st.lists(st.integers(1, 300), min_size=1, max_size=20)


def stream(**columns):
    """Three good jobs, with some columns exchanged."""
    good = {"submit": [0.0, 1.0, 2.0], "runtime": [5.0, 6.0, 7.0], "components": [1, 2, 3]}
    return co.JobStream(**(good | columns))


def assert_same(one, other):
    """Assert that two streams are equal in every column."""
    assert one.request == other.request
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_defaults():
    jobs = stream()
    assert len(jobs) == 3
    assert jobs.request == "unordered"
    assert jobs.components.shape == (3, 1)
    np.testing.assert_array_equal(jobs.estimate, jobs.runtime)
    np.testing.assert_array_equal(jobs.span_penalty, [0, 0, 0])
    np.testing.assert_array_equal(jobs.work, [5, 12, 21])
    np.testing.assert_array_equal(stream(span_penalty=0.25).span_penalty, [0.25] * 3)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_frozen(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(stream(), name)[0] = 1


@pytest.mark.parametrize("name", ["submit", "runtime", "estimate", "span_penalty"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_bad_time_is_named_with_its_job(name, value):
    with pytest.raises(co.InputError, match=rf"^{name}\[1\] = {value:g}; give a finite"):
        stream(**{name: [0.0, value, math.nan]})


@pytest.mark.parametrize("name", ["runtime", "components", "estimate", "span_penalty"])
def test_a_wrong_length_is_named(name):
    with pytest.raises(co.InputError, match=f"^{name} has 2 entries and submit has 3"):
        stream(**{name: [1, 2]})


def test_an_empty_stream_is_refused():
    with pytest.raises(co.InputError, match=r"^submit is empty"):
        co.JobStream(submit=[], runtime=[], components=[])


def test_a_table_of_times_is_refused():
    with pytest.raises(co.InputError, match=r"^runtime has 2 dimensions"):
        stream(runtime=[[1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ([1, 2.5, 1], r"components\[1\] = \[2.5\]; give whole numbers"),
        ([1.0, 2.0, math.nan], r"components\[2\] = \[nan\]; give whole numbers"),
        ([1.0, 2.0, math.inf], r"components\[2\] = \[inf\]; give whole numbers"),
        ([1, -2, 3], r"components\[1\] = \[-2\]; give no negative"),
        ([[1, 1], [3, -1], [1, 0]], r"components\[1\] = \[3, -1\]; give no negative"),
        ([[1, 1], [1, 0], [0, 0]], r"components\[2\] = \[0, 0\].*at least one processor"),
        (np.zeros((3, 0), int), r"components\[0\] = \[\]"),
        (np.ones((3, 1, 1), int), "components has 3 dimensions"),
    ],
)
def test_bad_components_are_named_with_their_job(components, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        stream(components=components)


def test_an_unknown_request_is_answered_with_all_of_them():
    with pytest.raises(co.InputError, match="request = 'sorted'") as error:
        stream(request="sorted")
    assert all(repr(name) in str(error.value) for name in REQUESTS)


def test_whole_floats_are_good_components():
    assert stream(components=[1.0, 2.0, 3.0]).components.dtype == np.int64


@given(systems_and_streams(), st.data())
def test_selections_take_the_same_rows_of_every_column(case, data):
    _, jobs = case
    n = len(jobs)
    first = data.draw(st.integers(0, n - 1))
    rows = data.draw(st.permutations(range(n)))
    mask = np.zeros(n, bool)
    mask[rows[: first + 1]] = True
    for selection in (slice(first, None), slice(None, None, -1), rows, mask, [first]):
        chosen = jobs[selection]
        assert chosen.request == jobs.request
        for name in COLUMNS:
            wanted = getattr(jobs, name)[selection]
            np.testing.assert_array_equal(getattr(chosen, name), wanted)


def test_replace_keeps_all_else_and_refuses_unknown_columns():
    jobs = stream(estimate=[9, 9, 9], request="total", span_penalty=[0, 1, 2])
    assert_same(jobs.replace(), jobs)
    changed = jobs.replace(runtime=[1, 1, 1])
    np.testing.assert_array_equal(changed.runtime, [1, 1, 1])
    assert_same(changed.replace(runtime=jobs.runtime), jobs)
    with pytest.raises(co.InputError, match=r"no column \['runtimes'\]"):
        jobs.replace(runtimes=[1, 1, 1])


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
    ],
)
def test_bad_splits_are_refused(split, message):
    with pytest.raises(co.InputError, match=message):
        split()


def test_merge_by_hand():
    one = stream(submit=[4, 1, 1], components=[[1, 2], [3, 0], [4, 0]], span_penalty=0.5)
    other = co.JobStream(submit=[1, 2], runtime=[8, 9], components=[7, 8], estimate=[10, 11])
    both = co.merge(one, other)
    assert both.submit.tolist() == [1, 1, 1, 2, 4]
    assert both.runtime.tolist() == [6, 7, 8, 9, 5]
    assert both.estimate.tolist() == [6, 7, 10, 11, 5]
    assert both.components.tolist() == [[3, 0], [4, 0], [7, 0], [8, 0], [1, 2]]
    assert both.span_penalty.tolist() == [0.5, 0.5, 0, 0, 0.5]


@given(systems_and_streams(), st.data())
def test_merging_the_parts_of_a_sorted_stream_gives_it_back(case, data):
    _, jobs = case
    jobs = co.merge(jobs)
    assert (np.diff(jobs.submit) >= 0).all()
    cut = data.draw(st.integers(0, len(jobs)))
    parts = [part for part in (slice(cut), slice(cut, None)) if len(jobs.submit[part])]
    assert_same(co.merge(*(jobs[part] for part in parts)), jobs)


def test_merge_refuses():
    with pytest.raises(co.InputError, match="no stream"):
        co.merge()
    with pytest.raises(co.InputError, match=r"\['total', 'unordered'\]"):
        co.merge(stream(), stream(request="total"))


def test_offered_load_by_hand():
    """Of jobs at 0, 1, 2 on 8 processors, the last brings its work after the window."""
    assert stream().offered_load(co.Multicluster([8])) == (5 + 12) / (2 * 8)
    backward = stream()[::-1]
    assert backward.offered_load(co.Multicluster([4, 4])) == (5 + 12) / (2 * 8)
    with pytest.raises(co.InputError, match="submit spans no time"):
        stream(submit=[3, 3, 3]).offered_load(co.Multicluster([8]))


@given(systems_and_streams(), st.floats(0.01, 5))
def test_with_load_has_that_load_and_keeps_first_instant_and_order(case, load):
    system, jobs = case
    if np.ptp(jobs.submit) == 0 or jobs.offered_load(system) == 0:
        return
    scaled = jobs.with_load(system, load)
    assert scaled.offered_load(system) == pytest.approx(load)
    assert scaled.submit.min() == jobs.submit.min()
    assert (np.diff(scaled.submit[np.argsort(jobs.submit, kind="stable")]) >= 0).all()
    assert_same(scaled.replace(submit=jobs.submit), jobs)


@pytest.mark.parametrize("load", [0, -0.5, math.nan, math.inf])
def test_with_load_refuses(load):
    with pytest.raises(co.InputError, match=f"load = {load}"):
        stream().with_load(co.Multicluster([8]), load)


def test_scaled_runtimes():
    jobs = stream(estimate=[10, 20, 30]).scaled_runtimes(1.5)
    assert jobs.runtime.tolist() == [7.5, 9.0, 10.5]
    assert jobs.estimate.tolist() == [15, 30, 45]
    assert jobs.submit.tolist() == [0, 1, 2]
    with pytest.raises(co.InputError, match="factor = 0"):
        jobs.scaled_runtimes(0)


def test_thinned_keeps_the_fraction_and_whole_jobs():
    n = 40_000
    jobs = co.JobStream(submit=np.arange(n), runtime=np.arange(n) * 2.0, components=np.ones(n, int))
    kept = jobs.thinned(0.3, np.random.default_rng(2))
    assert abs(len(kept) - 0.3 * n) < 4 * math.sqrt(n * 0.3 * 0.7)
    np.testing.assert_array_equal(kept.runtime, kept.submit * 2)
    assert (np.diff(kept.submit) > 0).all()
    assert_same(kept, jobs.thinned(0.3, np.random.default_rng(2)))
    assert_same(jobs.thinned(1, np.random.default_rng(2)), jobs)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, math.nan])
def test_thinned_refuses(fraction):
    with pytest.raises(co.InputError, match=f"fraction = {fraction}"):
        stream().thinned(fraction, np.random.default_rng(0))


def test_thinned_to_nothing_is_refused():
    with pytest.raises(co.InputError, match="kept no job of 3"):
        stream().thinned(1e-9, np.random.default_rng(0))


def test_a_stream_keeps_its_own_columns():
    submit, components = np.array([0.0, 1.0]), np.array([[1], [2]])
    jobs = co.JobStream(submit=submit, runtime=submit, components=components)
    submit[0], components[0] = 99, 99
    assert jobs.submit.tolist() == jobs.runtime.tolist() == [0, 1]
    assert jobs.components.tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="read-only"):
        jobs.submit[0] = 3


def test_columns_of_another_layout_are_the_same_to_the_kernel():
    jobs = co.JobStream(np.arange(6.0)[::2], np.ones(6)[::2], np.ones((2, 3), int).T)
    for column in (jobs.submit, jobs.runtime, jobs.components):
        assert column.flags.c_contiguous


@pytest.mark.parametrize("column", ["submit", "runtime", "components"])
def test_words_are_no_numbers(column):
    with pytest.raises(co.InputError, match=rf"^{column}\[0\] = 'a'; give a number"):
        stream(**{column: ["a", "b", "c"]})
