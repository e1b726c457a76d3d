"""Job streams: the columns they refuse, and what can be done with them."""

import math
from datetime import timedelta
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.jobs import COLUMNS, REQUESTS, split_into, split_smallest
from tests.conftest import asking, systems_and_streams


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
    assert (len(jobs), jobs.request, jobs.components.shape) == (3, "unordered", (3, 1))
    assert jobs.estimate.tolist() == jobs.runtime.tolist()
    assert jobs.span_penalty.tolist() == [0, 0, 0]
    assert jobs.work.tolist() == [5, 12, 21]
    assert jobs.mean_work == 38 / 3
    assert jobs.number.tolist() == [1, 2, 3]
    assert jobs.earliest_start.tolist() == jobs.submit.tolist()
    assert jobs.latest_start.tolist() == [np.inf] * 3
    assert stream(span_penalty=0.25).span_penalty.tolist() == [0.25] * 3
    assert stream(components=[1.0, 2.0, 3.0]).components.dtype == np.int64


@pytest.mark.parametrize("name", ["submit", "runtime", "estimate", "span_penalty"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_bad_time_is_named_with_its_job(name, value):
    with pytest.raises(co.InputError, match=rf"^{name}\[1\] = {value:g}; give a finite"):
        stream(**{name: [0.0, value, math.nan]})


@pytest.mark.parametrize("name", COLUMNS[1:])
def test_a_wrong_length_is_named(name):
    with pytest.raises(co.InputError, match=f"^{name} has 2 entries and submit has 3"):
        stream(**{name: [1, 2]})


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ([1, 2.5, 1], r"components\[1\] = 2.5; give a whole number of 0 or more"),
        ([1.0, 2.0, math.nan], r"components\[2\] = nan; give a whole number of 0 or more"),
        ([1, -2, 3], r"components\[1\] = -2; give a whole number of 0 or more"),
        ([[1, 1], [3, -1], [1, 0]], r"components\[1, 1\] = -1; give a whole number of 0 or more"),
        ([[1, 1], [1, 0], [0, 0]], r"components\[2\] = \[0, 0\].*at least one processor"),
        (np.zeros((3, 0), int), "components is empty"),
        (np.ones((3, 1, 1), int), "components has 3 dimensions"),
    ],
)
def test_bad_components_are_named_with_their_job(components, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        stream(components=components)


def test_empty_streams_unknown_requests_and_endless_times_are_refused():
    with pytest.raises(co.InputError, match=r"^submit is empty"):
        co.JobStream(submit=[], runtime=[], components=[])
    with pytest.raises(co.InputError, match="request = 'sorted'") as error:
        stream(request="sorted")
    assert all(repr(name) in str(error.value) for name in REQUESTS)
    with pytest.raises(co.InputError, match=r"^runtime\[1\] = 1e\+300; the jobs would end past"):
        stream(runtime=[1, 1e300, 2])


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
    for name in ("submit", "components", "span_penalty", "number"):  # no copies
        assert getattr(changed, name) is getattr(jobs, name)
    with pytest.raises(co.InputError):
        jobs.replace(runtime=[1, 2])
    assert jobs.runtime.tolist() == [5, 6, 7]


def test_where_no_estimate_was_given_it_is_the_run_time_for_good():
    jobs = stream()
    longer = [7.0, 8.0, 9.0]
    for same in (jobs, jobs[:], jobs.split(into=2)):
        assert same.replace(runtime=longer).estimate.tolist() == longer
    assert co.merge(jobs).replace(runtime=longer).estimate.tolist() == longer
    given = jobs.replace(estimate=[8, 8, 8])
    assert given.replace(runtime=longer).estimate.tolist() == [8, 8, 8]
    assert given.replace(estimate=None).estimate.tolist() == [5, 6, 7]
    assert given.replace(estimate=None, runtime=longer).estimate.tolist() == longer


def test_some_jobs_may_have_an_estimate_and_others_none():
    jobs = stream(estimate=np.ma.array([8.0, 9.0, 10.0], mask=[0, 1, 0]))
    assert jobs.estimate.tolist() == [8, 6, 10]
    longer = jobs.replace(runtime=[20.0, 20, 20])
    assert longer.estimate.tolist() == [8, 20, 10]
    assert longer[::-1].replace(runtime=[1.0, 2, 3]).estimate.tolist() == [10, 2, 8]
    both = co.merge(stream(submit=[9, 9, 9]), jobs).replace(runtime=[1.0] * 6)
    assert both.estimate.tolist() == [8, 1, 10, 1, 1, 1]


def test_jobs_keep_their_numbers():
    jobs = stream(number=[30, 10, 20])
    for same in (jobs.split(into=2), jobs.with_load(co.Multicluster([8]), 0.5), jobs.replace()):
        assert same.number.tolist() == [30, 10, 20]
    assert jobs.replace(number=None).number.tolist() == [1, 2, 3]
    assert stream()[[2, 0]].number.tolist() == [3, 1]
    late = stream(submit=[0.5, 9, 9], number=[1, 2, 3])
    assert co.merge(stream(number=[5, 6, 7]), late).number.tolist() == [5, 1, 6, 7, 2, 3]
    assert co.merge(stream(), stream()).number.tolist() == [1, 2, 3, 4, 5, 6]


def test_columns_of_pandas_go_by_position_and_must_agree_on_it():
    when = pd.to_datetime(["2020-01-01 08:00", "2020-01-01 07:00", "2020-01-01 09:00"])
    took = pd.to_timedelta([60, 3600, 30], unit="s")
    table = pd.DataFrame({"when": when, "took": took, "cpus": [4, 8, 16]}, index=[7, 8, 9])
    jobs = co.JobStream(table["when"], table["took"], table["cpus"])
    assert jobs.submit.tolist() == [3600, 0, 7200]
    assert jobs.runtime.tolist() == [60, 3600, 30]
    backward = table["took"].sort_values()
    with pytest.raises(co.InputError, match=r"^submit and runtime have different indexes"):
        co.JobStream(table["when"], backward, table["cpus"])
    with pytest.raises(co.InputError, match=r"^submit and components have different indexes"):
        co.JobStream(table["when"], [1, 2, 3], table[["cpus"]].reset_index())
    with pytest.raises(co.InputError, match=r"^submit and runtime have different indexes"):
        jobs.replace(submit=table["when"], runtime=backward)
    for name in ("runtime", "estimate"):
        assert getattr(jobs.replace(**{name: took}), name).tolist() == [60, 3600, 30]
        with pytest.raises(co.InputError, match=rf"^{name} holds datetimes"):
            jobs.replace(**{name: table["when"]})
    with pytest.raises(co.InputError, match=r"^span_penalty holds timedeltas; give numbers"):
        stream(span_penalty=took)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (1, r"jobs\[1\] is one job; give a slice: jobs\[1:2\]"),
        (-1, r"jobs\[-1\] is one job; give a slice: jobs\[2:3\]"),
        (5, r"jobs\[5\] of 3 jobs: index 5 is out of bounds"),
        ("x", r"jobs\['x'\] of 3 jobs"),
        (None, r"jobs\[None\] selects no jobs"),
        (np.zeros(3, bool), "selects no jobs"),
        ([[0, 1]], "selects no jobs"),
    ],
)
def test_what_selects_no_jobs_is_refused(selection, message):
    with pytest.raises(co.InputError, match=message):
        stream()[selection]


def test_the_first_jobs_of_a_stream():
    jobs = stream(submit=[12.0, 10.0, 14.0])
    assert jobs.sample(2, seed=1).number.tolist() == [2, 1]
    assert jobs.sample(3, seed=1).submit.tolist() == [10, 12, 14]
    faster = jobs.sample(3, seed=1, rate=2.0)
    assert faster.submit.tolist() == [10, 10.5, 11]
    assert faster.runtime.tolist() == [6, 5, 7]
    for count, rate, message in ((4, None, "there are 3"), (1, 1.0, "at one instant"), (0, 1, "0")):
        with pytest.raises(co.InputError, match=message):
            jobs.sample(count, 1, rate)
    with pytest.raises(co.InputError, match="rate = 0"):
        jobs.sample(3, 1, 0)


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
    with pytest.raises(
        co.InputError, match=r"streams\[0\] = .* is no JobStream; .*merge\(\*list\)"
    ):
        co.merge([stream(), stream()])
    with pytest.raises(co.InputError, match=r"streams\[1\] = None is no JobStream"):
        co.merge(stream(), None)
    with pytest.raises(co.InputError, match=r"\['total', 'unordered'\]"):
        co.merge(stream(), stream(request="total"))


def test_offered_load_by_hand():
    """Of jobs at 0, 1, 2 on 8 processors, the last brings its work after the window."""
    assert stream().offered_load(co.Multicluster([8])) == (5 + 12) / (2 * 8)
    backward = stream()[::-1]
    assert backward.offered_load(co.Multicluster([4, 4])) == (5 + 12) / (2 * 8)
    with pytest.raises(co.InputError, match="submit spans no time"):
        stream(submit=[3, 3, 3]).offered_load(co.Multicluster([8]))
    for load in (0, -0.5, math.nan, math.inf):
        with pytest.raises(co.InputError, match=f"load = {load}"):
            stream().with_load(co.Multicluster([8]), load)


@given(systems_and_streams(), st.floats(0.01, 5))
def test_with_load_has_that_load_and_keeps_first_instant_and_order(case, load):
    system, jobs = case
    if np.ptp(jobs.submit) == 0 or jobs.offered_load(system) == 0:
        return
    # Which job is the last, and does not count, rounding decides where two are that close.
    late = np.unique(jobs.submit)[-2:]
    assume(np.diff(late) > 1e-9 * np.ptp(jobs.submit))
    scaled = jobs.with_load(system, load)
    assert scaled.offered_load(system) == pytest.approx(load)
    assert scaled.submit.min() == jobs.submit.min()
    assert (np.diff(scaled.submit[np.argsort(jobs.submit, kind="stable")]) >= 0).all()
    assert_same(scaled.replace(submit=jobs.submit, earliest_start=jobs.submit), jobs)


@pytest.mark.parametrize("junk", [None, "3", [[1, 2], [3]], {}, object(), (i for i in [1])])
def test_wrong_objects_are_refused_in_one_line(junk):
    for call in (
        lambda jobs: jobs.offered_load(junk),
        lambda jobs: jobs.with_load(junk, 0.5),
        lambda jobs: jobs.split(at_most=junk, into=None if junk is not None else junk),
        lambda jobs: jobs.replace(request=junk),
        lambda jobs: jobs.replace(components=junk),
        lambda jobs: split_into(junk, 2),
        lambda jobs: co.merge(jobs, junk),
        lambda jobs: co.JobStream(junk, junk, junk),
        lambda jobs: co.simulate(co.Multicluster(junk), jobs),
    ):
        with pytest.raises(co.InputError) as caught:
            call(stream())
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 250


def test_a_stream_keeps_its_own_columns_frozen_and_contiguous():
    submit, components = np.arange(6.0)[::2], np.ones((2, 3), int).T
    jobs = co.JobStream(submit, submit, components)
    submit[0], components[0] = 99, 99
    assert jobs.submit.tolist() == jobs.runtime.tolist() == [0, 2, 4]
    assert jobs.components.tolist() == [[1, 1]] * 3
    for name in COLUMNS:
        assert getattr(jobs, name).flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            getattr(jobs, name)[0] = 1


totals = st.lists(st.integers(1, 300), min_size=1, max_size=20)


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 40)), min_size=1, max_size=20))
def test_split_into_is_even(pairs):
    sizes, parts = (np.array(column) for column in zip(*pairs, strict=True))
    table = split_into(sizes, parts)
    assert table.shape == (len(sizes), parts.max())
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    for total, count, row in zip(sizes, parts, table, strict=True):
        used = row[row > 0]
        assert len(used) == min(count, total)
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
        (3, "floor", [3, 0, 0, 0]),
        (3, "ceiling", [1, 1, 1, 0]),
        (3, "even", [1, 1, 1, 0]),
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


def test_splits_of_streams_by_hand():
    jobs = stream(components=[[4, 3], [1, 0], [16, 17]], request="flexible", estimate=[8, 8, 8])
    split = jobs.split(at_most=16)
    assert split.components.tolist() == [[7, 0, 0], [1, 0, 0], [11, 11, 11]]
    assert (split.request, split.estimate.tolist()) == ("unordered", [8, 8, 8])
    assert jobs.split(into=2).components.tolist() == [[4, 3], [1, 0], [17, 16]]
    above = jobs.split(into=4, above=7, rounding="floor")
    assert above.components.tolist() == [[7, 0, 0, 0], [1, 0, 0, 0], [9, 8, 8, 8]]
    assert jobs.split(into=4, above=33).components.tolist() == [[7], [1], [33]]


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
        (lambda: stream().split(into=2.5), "into = 2.5"),
        (lambda: split_into([3, 3], [1, 2, 3]), "totals and parts have shapes"),
        (lambda: split_into([[3, 3]], 1), "totals and parts have shapes"),
        (lambda: split_into([3], 10**9), "parts = 1000000000; give at most"),
        (lambda: split_into([3], 2, "nearest"), "rounding = 'nearest'; choose one of 'even'"),
        (lambda: stream().split(into=2, rounding=None), "rounding = None"),
        (lambda: stream().split(into=2, above=-1), "above = -1"),
        (lambda: stream().split(at_most=2, above=3), "above and rounding go with into"),
        (lambda: stream().split(at_most=2, rounding="floor"), "above and rounding go with into"),
    ],
)
def test_bad_splits_are_refused(split, message):
    with pytest.raises(co.InputError, match=message):
        split()


def chopped_by_hand(processors, at_most):
    """Take pieces off each job, one after another."""
    sizes, job = [], []
    for number, left in enumerate(processors):
        while left > 0:
            sizes.append(min(left, at_most[number]))
            job.append(number)
            left -= sizes[-1]
    return sizes, job


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 12)), min_size=1, max_size=20))
def test_pieces_are_as_large_as_they_may_be(rows):
    processors, at_most = map(list, zip(*rows, strict=True))
    count = len(rows)
    jobs = co.JobStream(range(count), range(count), processors, request="total")
    chopped = jobs.chopped(at_most)
    sizes, job = chopped_by_hand(processors, at_most)
    assert chopped.pieces.processors.tolist() == sizes
    assert chopped.job.tolist() == job
    assert chopped.whole is jobs


def test_pieces_have_all_but_the_processors_of_their_job():
    jobs = co.JobStream(
        submit=[3, 1],
        runtime=[5, 7],
        components=[[4, 3], [2, 0]],
        estimate=np.ma.masked_less([6, -1], 0),
        span_penalty=[0.1, 0.2],
        number=[70, 50],
    )
    pieces = jobs.chopped(3).pieces
    assert pieces.request == "total"
    assert pieces.processors.tolist() == [3, 3, 1, 2]
    for name in ("submit", "runtime", "estimate", "span_penalty", "number"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(jobs, name)[[0, 0, 0, 1]])
    # An estimate that was not given goes on being the run time.
    assert pieces.replace(runtime=[9] * 4).estimate.tolist() == [6, 6, 6, 9]
    assert jobs.replace(request="flexible").chopped(3).pieces.request == "flexible"


def test_values_of_pieces_by_job():
    chopped = co.JobStream([0, 0, 0], [1, 1, 1], [5, 1, 4]).chopped(2)
    assert chopped.job.tolist() == [0, 0, 0, 1, 2, 2]
    assert chopped.last([3, 9, 4, 1, 6, 5]).tolist() == [9, 1, 6]
    assert chopped.first([3, 9, 4, 1, 6, 5]).tolist() == [3, 1, 5]
    np.testing.assert_array_equal(chopped.last([3, np.nan, 4, 1, 6, 5]), [np.nan, 1, 6])
    assert repr(chopped) == "<Chopped: 2 of 3 jobs in pieces, 6 pieces>"
    with pytest.raises(co.InputError, match=r"there are 6 pieces; give one value a piece"):
        chopped.last([1, 2, 3])


@pytest.mark.parametrize(
    ("at_most", "message"),
    [
        (0, "at_most = 0; give a whole number of 1 or more"),
        (2.5, "at_most = 2.5"),
        ([2, 2], r"at_most has shape \(2,\) and there are 3 jobs"),
    ],
)
def test_bad_pieces_are_refused(at_most, message):
    with pytest.raises(co.InputError, match=message):
        stream().chopped(at_most)
    with pytest.raises(co.InputError, match="pieces = 1000000000000; give at most"):
        co.JobStream([0], [1], [10**12]).chopped(1)
    with pytest.raises(co.InputError, match="these are ordered; replace"):
        stream(request="ordered").chopped(2)


WISHES = {"submit": [4, 0, 2], "earliest_start": [4, 3, 9], "latest_start": [np.inf, 3, 12]}


def test_which_streams_have_reservations():
    jobs = stream(submit=[4, 0, 2])
    assert not jobs.has_reservations
    assert not jobs.replace(submit=[7, 8, 9]).has_reservations
    assert jobs.replace(earliest_start=[4, 0, 3]).has_reservations
    assert jobs.replace(latest_start=[9, 9, 9]).has_reservations
    asked = stream(**WISHES)
    assert not asked.replace(earliest_start=None, latest_start=None).has_reservations
    ahead = [timedelta(seconds=9)] * 3
    asked = stream(earliest_start=ahead, latest_start=np.array([9, 10, 11]))
    assert asked.earliest_start.tolist() == [9] * 3
    assert asked.latest_start.tolist() == [9, 10, 11]
    assert stream(latest_start=ahead).latest_start.tolist() == [9] * 3


@given(systems_and_streams(), st.data())
def test_selections_and_merges_keep_what_each_job_asks_for(case, data):
    jobs = data.draw(asking(case[1]))
    rows = data.draw(st.permutations(range(len(jobs))))
    kept = {
        number: (jobs.earliest_start[job], jobs.latest_start[job])
        for job, number in enumerate(jobs.number.tolist())
    }
    for same in (jobs[rows], co.merge(jobs[rows]), jobs.replace(runtime=jobs.runtime + 1)):
        for job, number in enumerate(same.number.tolist()):
            assert (same.earliest_start[job], same.latest_start[job]) == kept[number]


def test_a_wish_stays_as_far_ahead_where_submissions_move():
    """What is asked for 3 ahead, and within 7 more, stays so at any load."""
    jobs = stream(**WISHES)
    moved = jobs.replace(submit=[10, 20, 30])
    assert moved.earliest_start.tolist() == [10, 23, 37]
    assert moved.latest_start.tolist() == [np.inf, 23, 40]
    for scaled in (jobs.with_load(co.Multicluster([8]), 0.5), jobs.sample(3, 1, rate=0.1)):
        assert (scaled.earliest_start - scaled.submit).max() == pytest.approx(7)
    both = jobs.replace(submit=[0, 0, 0], earliest_start=[1, 2, 3])
    assert both.earliest_start.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"earliest_start": [4, 3, 1]}, r"earliest_start\[2\] = 1 comes before submit\[2\] = 2"),
        (
            {"latest_start": [3, 9, 9]},
            r"latest_start\[0\] = 3 comes before earliest_start\[0\] = 4",
        ),
        ({"earliest_start": [4, 3, np.inf]}, r"earliest_start\[2\] = inf; give a finite number"),
        ({"latest_start": [4, 3, np.nan]}, r"latest_start\[2\] = nan; give a finite number"),
        ({"latest_start": [np.inf, 3, -np.inf]}, r"latest_start\[2\] = -inf; give a finite"),
        ({"latest_start": [np.inf, 3, -1]}, r"latest_start\[2\] = -1; give a finite"),
        ({"latest_start": ["a", 3, 1]}, r"latest_start\[0\] = 'a'; give a number"),
        ({"earliest_start": np.array(["2020"] * 3, "M8[D]")}, "earliest_start holds datetimes"),
        ({"latest_start": np.array(["2020"] * 3, "M8[D]")}, "latest_start holds datetimes"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(more, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        stream(submit=[4, 0, 2], **more)
    with pytest.raises(co.InputError, match=f"^{message}"):
        stream(submit=[4, 0, 2]).replace(**more)


JOBS = co.JobStream(np.arange(4000.0), np.ones(4000), np.ones(4000, dtype=int))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_the_jobs_reserves_ahead(share):
    ahead = JOBS.reserved_ahead(share, up_to=10.0, seed=3)
    time = ahead.earliest_start - ahead.submit
    asks = time[time > 0]
    assert asks.size == pytest.approx(share * 4000, abs=4 * np.sqrt(4000) / 2)
    assert (time < 10).all()
    if share:
        assert asks.mean() == pytest.approx(5, abs=4 * 10 / np.sqrt(12 * asks.size))
        thirds = np.histogram(asks, 3, (0, 10))[0] / asks.size
        assert thirds == pytest.approx([1 / 3] * 3, abs=4 * np.sqrt(2 / 9 / asks.size))
    assert ahead.has_reservations == (share > 0)


def test_who_reserves_at_one_share_does_so_at_every_larger_one():
    few, more = (JOBS.reserved_ahead(share, 10.0, seed=3) for share in (0.2, 0.6))
    asks = few.earliest_start > few.submit
    assert (few.earliest_start[asks] == more.earliest_start[asks]).all()
    other = JOBS.reserved_ahead(0.2, 10.0, seed=4)
    assert (other.earliest_start != few.earliest_start).any()


@pytest.mark.parametrize(
    ("share", "up_to", "message"),
    [
        (1.1, 1, "share = 1.1; give a number from 0 to 1"),
        (-0.1, 1, "share = -0.1; give a finite number of 0 or more"),
        (0.5, -1, "up_to = -1; give a finite number of 0 or more"),
        (0.5, np.inf, "up_to = inf; give a finite number of 0 or more"),
    ],
)
def test_a_share_or_a_time_that_makes_no_sense_is_refused(share, up_to, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        JOBS.reserved_ahead(share, up_to, 1)
