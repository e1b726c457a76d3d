"""Job streams: the columns they refuse, and what can be done with them."""

import math
from datetime import datetime, timedelta
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.model.columns import COLUMNS
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.merging import merge
from coalloc_lib.model.placement import time_on_processors
from coalloc_lib.model.splitting import split_into, split_smallest
from tests.conftest import asking, systems_and_streams


def stream(**columns):
    """Return a stream of three valid jobs, with some of its columns replaced."""
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


@given(systems_and_streams(), st.data())
def test_selections_take_the_same_rows_of_every_column(case, data):
    jobs = data.draw(asking(case[1]))
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
    jobs = stream(estimate=[9, 9, 9], request="total", span_penalty=[0, 1, 2], **WISHES)
    assert_same(jobs.replace(), jobs)
    changed = jobs.replace(runtime=[1, 1, 1])
    np.testing.assert_array_equal(changed.runtime, [1, 1, 1])
    assert_same(changed.replace(runtime=jobs.runtime), jobs)
    with pytest.raises(co.InputError, match=r"no column \['runtimes'\]"):
        jobs.replace(runtimes=[1, 1, 1])
    for name in ("submit", "components", "span_penalty", "number"):  # no copies
        assert getattr(changed, name) is getattr(jobs, name)
    with pytest.raises(co.InputError, match="runtime has 2 entries"):
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
    jobs = co.JobStream(table["when"], table["took"], table["cpus"], table["took"])
    assert jobs.submit.tolist() == [3600, 0, 7200]
    assert jobs.runtime.tolist() == jobs.estimate.tolist() == [60, 3600, 30]
    for call in (stream, jobs.replace):
        with pytest.raises(co.InputError, match=r"^submit and runtime have different indexes"):
            call(submit=table["when"], runtime=table["took"].sort_values())
    for name, wrong in {"runtime": when, "estimate": when, "span_penalty": took}.items():
        with pytest.raises(co.InputError, match=rf"^{name} holds (datetimes|timedeltas); give"):
            jobs.replace(**{name: wrong})


def test_the_first_jobs_of_a_stream():
    jobs = stream(submit=[12.0, 10.0, 14.0])
    assert jobs.sample(2, seed=1).number.tolist() == [2, 1]
    assert jobs.sample(3, seed=1).submit.tolist() == [10, 12, 14]
    faster = jobs.sample(3, seed=1, rate=2.0)
    assert faster.submit.tolist() == [10, 10.5, 11]
    assert faster.runtime.tolist() == [6, 5, 7]


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
    given = data.draw(asking(case[1]))
    jobs = co.merge(given)
    assert_same(jobs, given[np.argsort(given.submit, kind="stable")])
    cut = data.draw(st.integers(0, len(jobs)))
    parts = [part for part in (slice(cut), slice(cut, None)) if len(jobs.submit[part])]
    assert_same(co.merge(*(jobs[part] for part in parts)), jobs)


def test_offered_load_by_hand():
    """Three jobs come at 0, 1 and 2; the work of the last job does not count."""
    assert stream().offered_load(co.Multicluster([8])) == (5 + 12) / (2 * 8)
    backward = stream()[::-1]
    assert backward.offered_load(co.Multicluster([4, 4])) == (5 + 12) / (2 * 8)


def test_a_percentage_is_refused_as_a_load():
    scenario = co.Scenario(co.Multicluster([8]), co.JobModel(co.uniform(1, 4)))
    words = r"load = 70 is more than 10 times the capacity; give a fraction of it, such as 0\.7"
    for refused in (
        lambda: stream().with_load(co.Multicluster([8]), 70),
        lambda: scenario.simulate(jobs=10, load=70),
        lambda: co.response_curve(scenario, [0.3, 70]),
    ):
        with pytest.raises(co.InputError, match=words):
            refused()


@given(systems_and_streams(), st.floats(0.01, 5))
def test_with_load_has_that_load_and_keeps_first_instant_and_order(case, load):
    system, jobs = case
    if np.ptp(jobs.submit) == 0 or jobs.offered_load(system) == 0:
        return
    # If two jobs are submitted at nearly the same time, rounding decides which of them is the last,
    # whose work does not count.
    late = np.unique(jobs.submit)[-2:]
    assume(np.diff(late) > 1e-9 * np.ptp(jobs.submit))
    scaled = jobs.with_load(system, load)
    assert scaled.offered_load(system) == pytest.approx(load)
    assert scaled.submit.min() == jobs.submit.min()
    assert (np.diff(scaled.submit[np.argsort(jobs.submit, kind="stable")]) >= 0).all()
    assert_same(scaled.replace(submit=jobs.submit, earliest_start=jobs.submit), jobs)


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


@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), st.integers(1, 40))
def test_split_smallest_uses_as_few_components_as_fit(sizes, largest):
    table = split_smallest(sizes, largest)
    np.testing.assert_array_equal(table.sum(axis=1), sizes)
    assert table.max() <= largest
    for total, row in zip(sizes, table, strict=True):
        count = (row > 0).sum()
        assert np.ptp(row[:count]) <= 1
        assert (count - 1) * largest < total <= count * largest


READINGS = {"floor": math.floor, "ceiling": math.ceil}


@given(
    st.lists(st.tuples(st.integers(1, 300), st.integers(1, 40)), min_size=1, max_size=20),
    st.sampled_from(["even", *READINGS]),
)
def test_split_into_is_even_or_the_printed_formula_where_that_is_a_split(pairs, rounding):
    """The printed formula has one component of s - (k - 1) [s/k], and k - 1 components of [s/k]."""
    sizes, parts = (np.array(column) for column in zip(*pairs, strict=True))
    table = split_into(sizes, parts, rounding)
    assert table.shape == (len(sizes), parts.max())
    for (size, count), row in zip(pairs, table.tolist(), strict=True):
        assert sum(row) == size
        assert row == sorted(row, reverse=True)
        if rounding == "even":
            assert row[count:] == [0] * (parts.max() - count)
            used = row[: min(count, size)]
            assert max(used) - min(used) <= 1
            continue
        share = READINGS[rounding](Fraction(size, count))
        rest = size - (count - 1) * share
        if rest >= 0:
            wanted = sorted([rest, *[share] * (count - 1)], reverse=True)
            assert row == wanted + [0] * (parts.max() - count)
        else:  # as many such shares as there are, and what is left; of few processors only
            assert rounding == "ceiling"
            assert size < (count - 1) ** 2
            full, left = divmod(size, share)
            assert row == ([share] * full + [left] + [0] * len(row))[: len(row)]


def test_splits_of_streams_by_hand():
    jobs = stream(components=[[4, 3], [1, 0], [16, 17]], request="flexible", estimate=[8, 8, 8])
    split = jobs.split(at_most=16)
    assert split.components.tolist() == [[7, 0, 0], [1, 0, 0], [11, 11, 11]]
    assert (split.request, split.estimate.tolist()) == ("unordered", [8, 8, 8])
    assert jobs.split(into=2).components.tolist() == [[4, 3], [1, 0], [17, 16]]
    above = jobs.split(into=4, above=7, rounding="floor")
    assert above.components.tolist() == [[7, 0, 0, 0], [1, 0, 0, 0], [9, 8, 8, 8]]
    assert jobs.split(into=4, above=33).components.tolist() == [[7], [1], [33]]
    assert split_into(2**53, 4, "ceiling").tolist() == [[2**51] * 4]


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 12)), min_size=1, max_size=20))
def test_subjobs_are_as_large_as_they_may_be(rows):
    subjobs = []
    for job, (left, at_most) in enumerate(rows):
        while left > 0:
            subjobs.append((min(left, at_most), job))
            left -= at_most
    processors, at_most = map(list, zip(*rows, strict=True))
    column = np.arange(len(rows))
    how = {"span_penalty": column, "number": column[::-1], "estimate": column + 1}
    jobs = co.JobStream(column, column, processors, request="total", **how)
    chopped = jobs.chopped(at_most)
    assert list(zip(chopped.subjobs.processors, chopped.job, strict=True)) == subjobs
    assert chopped.whole is jobs
    assert_same(chopped.subjobs.replace(components=jobs.components[chopped.job]), jobs[chopped.job])
    for request, wanted in (("flexible", "flexible"), ("unordered", "total")):
        assert jobs.replace(request=request).chopped(at_most).subjobs.request == wanted


def test_values_of_subjobs_by_job():
    assert SUBJOBS.job.tolist() == [0, 0, 0, 1, 2, 2]
    assert SUBJOBS.last([3, 9, 4, 1, 6, 5]).tolist() == [9, 1, 6]
    np.testing.assert_array_equal(SUBJOBS.last([3, np.nan, 4, 1, 6, 5]), [np.nan, 1, 6])
    assert repr(SUBJOBS) == "<Chopped: 2 of 3 jobs cut, 6 subjobs>"


WISHES = {"submit": [4, 0, 2], "earliest_start": [4, 3, 9], "latest_start": [np.inf, 3, 12]}


def test_a_wish_stays_as_far_ahead_where_submissions_move():
    """Reserved starts keep their distance to the submissions if the load is changed."""
    jobs = stream(**WISHES)
    assert jobs.has_reservations
    assert not jobs.replace(earliest_start=None, latest_start=None).has_reservations
    assert stream(latest_start=[timedelta(seconds=9)] * 3).latest_start.tolist() == [9] * 3
    moved = jobs.replace(submit=[10, 20, 30])
    assert moved.earliest_start.tolist() == [10, 23, 37]
    assert moved.latest_start.tolist() == [np.inf, 23, 40]
    for scaled in (jobs.with_load(co.Multicluster([8]), 0.5), jobs.sample(3, 1, rate=0.1)):
        assert (scaled.earliest_start - scaled.submit).max() == pytest.approx(7)
    both = jobs.replace(submit=[0, 0, 0], earliest_start=[1, 2, 3])
    assert both.earliest_start.tolist() == [1, 2, 3]


JOBS = co.JobStream(np.arange(4000.0), np.ones(4000), np.ones(4000, dtype=int))


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_share_of_the_jobs_reserves_ahead(share):
    ahead = JOBS.reserved_ahead(share, up_to=10.0, seed=3)
    time = ahead.earliest_start - ahead.submit
    asks = time[time > 0]
    assert asks.size == pytest.approx(share * 4000, abs=4 * np.sqrt(4000) / 2)
    assert (time < 10).all()
    thirds = np.histogram(asks, 3, (0, 10))[0] / asks.size
    assert thirds == pytest.approx([1 / 3] * 3, abs=4 * np.sqrt(2 / 9 / asks.size))
    assert not JOBS.reserved_ahead(0, up_to=10.0, seed=3).has_reservations


def test_who_reserves_at_one_share_does_so_at_every_larger_one():
    few, more = (JOBS.reserved_ahead(share, 10.0, seed=3) for share in (0.2, 0.6))
    asks = few.earliest_start > few.submit
    assert (few.earliest_start[asks] == more.earliest_start[asks]).all()
    other = JOBS.reserved_ahead(0.2, 10.0, seed=4)
    assert (other.earliest_start != few.earliest_start).any()


SYSTEM = co.Multicluster([8])
SUBJOBS = co.JobStream([0, 0, 0], [1, 1, 1], [5, 1, 4]).chopped(2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: stream(components=[1, 2.5, 1]),
            r"components\[1\] = 2.5; give a whole number of 0",
        ),
        (lambda: stream(components=[[1], [1], [0]]), r"components\[2\] = \[0\].*at least one proc"),
        (lambda: stream(components=np.ones((3, 1, 1), int)), "components has 3 dimensions"),
        (lambda: co.JobStream(submit=[], runtime=[], components=[]), "submit is empty"),
        (lambda: stream(request="x"), f"request = 'x'; .*{', '.join(map(repr, REQUESTS))}"),
        (lambda: stream(runtime=[1, 1e300, 2]), r"runtime\[1\] = 1e\+300; the jobs would end past"),
        (lambda: stream()[1], r"jobs\[1\] is one job; give a slice: jobs\[1:2\]"),
        (lambda: stream()[None], r"jobs\[None\] selects no jobs"),
        (lambda: stream()[5], r"cannot select jobs\[5\] from 3 jobs: index 5 is out of"),
        (lambda: stream().sample(4, 1), "count = 4, and there are 3"),
        (lambda: stream().sample(1, 1, 1.0), "all jobs are submitted at one instant"),
        (lambda: stream().sample(3, 1, 0), "rate = 0"),
        (lambda: co.merge(), "merge was given no stream"),
        (
            lambda: co.merge([stream()]),
            r"streams\[0\] = .* is not of type JobStream; .*merge\(\*list\)",
        ),
        (lambda: co.merge(stream(), stream(request="total")), r".*\['total', 'unordered'\]"),
        (
            lambda: stream(submit=[3, 3, 3]).offered_load(SYSTEM),
            "all jobs are submitted at one inst",
        ),
        (lambda: stream().offered_load(None), "system = None is not of type Multicluster"),
        (lambda: stream().with_load(SYSTEM, 0), "load = 0"),
        (
            lambda: co.JobStream([0, 1, 2], [0, 0, 5], [1] * 3).with_load(SYSTEM, 0.5),
            "all jobs before the last one have a run time of 0",
        ),
        (lambda: stream().split(), "split takes .* exactly one"),
        (lambda: stream().split(at_most=2, into=2), "split takes .* exactly one"),
        (lambda: stream().split(at_most=0), "largest = 0"),
        (lambda: stream().split(into=2.5), "into = 2.5"),
        (lambda: stream().split(into=2, above=-1), "above = -1"),
        (
            lambda: stream().split(at_most=2, rounding="floor"),
            "the options `above` and `rounding` apply only with `into`",
        ),
        (lambda: split_into([3, 2.7], 2), "totals"),
        (lambda: split_into([3, 3], [1, 2, 3]), "totals and parts have shapes"),
        (lambda: split_into([3], 10**9), "parts = 1000000000; give at most"),
        (lambda: split_into([3], 2, "nearest"), "rounding = 'nearest'; choose one of 'even'"),
        (lambda: stream().chopped(0), "at_most = 0; give a whole number of 1 or more"),
        (lambda: stream().chopped([2, 2]), r"at_most has shape \(2,\) and there are 3 jobs"),
        (lambda: co.JobStream([0], [1], [10**12]).chopped(1), "subjobs = 1000000000000; give at"),
        (lambda: stream(request="ordered").chopped(2), "chopped .* ordered requests; call"),
        (lambda: SUBJOBS.last([1, 2, 3]), "values has .* there are 6 subjobs; give one value"),
        (lambda: stream(earliest_start=[0, 0, 2]), r"earliest_start\[1\] = 0 comes before submit"),
        (lambda: stream(latest_start=[9, 0.5, 9]), r"latest_start\[1\] = 0.5 comes before earlies"),
        (lambda: stream(latest_start=[9, 9, math.nan]), r"latest_start\[2\] = nan; give a finite"),
        (lambda: stream(earliest_start=[datetime.max] * 3), "earliest_start holds datetimes"),
        (lambda: JOBS.reserved_ahead(1.1, 1, 1), "share = 1.1; give a number from 0 to 1"),
        (lambda: JOBS.reserved_ahead(0.5, -1, 1), "up_to = -1; give a finite number of 0 or more"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        call()


def test_a_penalty_may_depend_on_the_number_of_clusters():
    table = {2: 0.1, 3: 0.2}
    jobs = stream(span_penalty=table)
    assert jobs.span_penalty.tolist() == [[0.1, 0.2]] * 3
    assert jobs[1:].span_penalty.shape == (2, 2)
    both = merge(stream(span_penalty=0.5), jobs)
    assert sorted(both.span_penalty.tolist()) == [[0.1, 0.2]] * 3 + [[0.5, 0.5]] * 3
    for wrong in ({}, {3: 0.1}, {2: 0.1, 4: 0.2}):
        with pytest.raises(co.InputError, match=r"^span_penalty = .*; give the penalty on 2, 3"):
            stream(span_penalty=wrong)
    for wrong in ({2: -0.1}, [[0.1, -0.2]] * 3):
        with pytest.raises(co.InputError, match="give a finite number of 0 or more"):
            stream(span_penalty=wrong)
    with pytest.raises(co.InputError, match="span_penalty has 2 entries and submit has 3"):
        stream(span_penalty=[[0.1, 0.2]] * 2)


@pytest.mark.parametrize(("clusters", "length"), [(1, 10), (2, 11), (3, 12), (4, 12)])
def test_the_time_on_so_many_clusters_by_hand(clusters, length):
    assert time_on_processors(10, [0.1, 0.2], clusters) == pytest.approx(length)
    rows, alike = np.array([[0.1, 0.2]] * 2), np.array([clusters] * 2)
    np.testing.assert_allclose(time_on_processors(np.full(2, 10), rows, alike), length)
    assert time_on_processors(10, 0.5, clusters) == (15 if clusters > 1 else 10)


@pytest.mark.parametrize("wrong", [True, 5, [[True, False, True]]])
def test_failures_are_a_list_with_an_entry_for_each_job(wrong):
    with pytest.raises(co.InputError, match=r"^failed = .*; give True or False for each job"):
        stream(failed=wrong)


@pytest.mark.parametrize("wrong", [5, "abc", b"abc", {"a", "b", "c"}, np.array("abc")])
def test_labels_are_a_list_with_an_entry_for_each_job(wrong):
    with pytest.raises(co.InputError, match=r"^label = .*; give a list with the name of each job"):
        stream(label=wrong)


def test_a_wrong_entry_of_a_table_of_penalties_is_named_by_its_row_and_column():
    with pytest.raises(co.InputError, match=r"^span_penalty\[1, 1\] = -0.2; give a finite number"):
        stream(span_penalty=[[0.1, 0.2], [0.1, -0.2], [0.1, 0.2]])
    with pytest.raises(co.InputError, match=r"^span_penalty.*; give rows of one length"):
        stream(span_penalty=[[0.1, 0.2], [0.1], [0.1, 0.2]])


def test_a_number_of_jobs_may_be_a_float():
    assert len(stream().sample(2.0, 0)) == 2


def test_job_numbers_may_repeat():
    jobs = stream(number=[7, 7, 8])
    assert jobs[[0, 0, 1]].number.tolist() == [7, 7, 7]


def test_a_table_of_components_has_a_largest_number_of_entries():
    with pytest.raises(co.InputError, match=r"^jobs times the largest of parts = 1000000000; give"):
        split_into(np.ones(1000, int), 10**6)


def test_the_expected_run_time_is_never_shorter_than_the_run_time():
    assert stream(estimate=[1.0, 9.0, 7.0]).expected.tolist() == [5.0, 9.0, 7.0]
