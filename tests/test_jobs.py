"""Job streams: the columns they refuse, and what can be done with them."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.jobs import REQUESTS, split_into, split_smallest
from tests.conftest import systems_and_streams

COLUMNS = ("submit", "runtime", "components", "estimate", "span_penalty", "number")


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
    assert jobs.mean_work == 38 / 3
    np.testing.assert_array_equal(jobs.number, [1, 2, 3])
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


@pytest.mark.parametrize("name", COLUMNS[1:])
def test_a_wrong_length_is_named(name):
    with pytest.raises(co.InputError, match=f"^{name} has 2 entries and submit has 3"):
        stream(**{name: [1, 2]})


def test_an_empty_stream_is_refused():
    with pytest.raises(co.InputError, match=r"^submit is empty"):
        co.JobStream(submit=[], runtime=[], components=[])


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ([1, 2.5, 1], r"components\[1\] = 2.5; give a whole number of 0 or more"),
        ([1.0, 2.0, math.nan], r"components\[2\] = nan; give a whole number of 0 or more"),
        ([1.0, 2.0, math.inf], r"components\[2\] = inf; give a whole number of 0 or more"),
        ([1, -2, 3], r"components\[1\] = -2; give a whole number of 0 or more"),
        ([[1, 1], [3, -1], [1, 0]], r"components\[1, 1\] = -1; give a whole number of 0 or more"),
        ([[1, 1], [1, 0], [0, 0]], r"components\[2\] = \[0, 0\].*at least one processor"),
        (np.zeros((3, 0), int), "components is empty"),
        (np.ones((3, 1, 1), int), "components has 3 dimensions"),
        (np.full((3, 1000), 2.5), r"components\[0, 0\] = 2.5; give"),
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
    assert jobs[1:].number.tolist() == [10, 20]
    for same in (jobs.split(into=2), jobs.with_load(co.Multicluster([8]), 0.5), jobs.replace()):
        assert same.number.tolist() == [30, 10, 20]
    assert jobs.replace(number=None).number.tolist() == [1, 2, 3]
    assert stream()[[2, 0]].number.tolist() == [3, 1]


def test_merged_jobs_keep_their_numbers_where_these_tell_them_apart():
    early, late = stream(number=[5, 6, 7]), stream(submit=[0.5, 9, 9], number=[1, 2, 3])
    assert co.merge(early, late).number.tolist() == [5, 1, 6, 7, 2, 3]
    assert co.merge(stream(), stream()).number.tolist() == [1, 2, 3, 4, 5, 6]


def test_columns_of_pandas_go_by_position_and_must_agree_on_it():
    table = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01 08:00", "2020-01-01 07:00", "2020-01-01 09:00"]),
            "took": pd.to_timedelta([60, 3600, 30], unit="s"),
            "cpus": [4, 8, 16],
        },
        index=[7, 8, 9],
    )
    jobs = co.JobStream(table["when"], table["took"], table["cpus"])
    assert jobs.submit.tolist() == [3600, 0, 7200]
    assert jobs.runtime.tolist() == [60, 3600, 30]
    with pytest.raises(co.InputError, match=r"^submit and runtime have different indexes"):
        co.JobStream(table["when"], table["took"].sort_values(), table["cpus"])
    with pytest.raises(co.InputError, match=r"^submit and components have different indexes"):
        co.JobStream(table["when"], [1, 2, 3], table[["cpus"]].reset_index())
    with pytest.raises(co.InputError, match=r"^submit and runtime have different indexes"):
        jobs.replace(submit=table["when"], runtime=table["took"].sort_values())
    assert jobs.replace(submit=table["when"], runtime=table["took"]).runtime[2] == 30
    with pytest.raises(co.InputError, match=r"^runtime holds datetimes"):
        jobs.replace(runtime=table["when"])


@pytest.mark.parametrize("name", ["runtime", "estimate"])
def test_lengths_of_time_are_seconds(name):
    lengths = pd.to_timedelta([1, 2, 3], unit="h")
    assert getattr(stream(**{name: lengths}), name).tolist() == [3600, 7200, 10800]
    with pytest.raises(co.InputError, match=r"^span_penalty holds timedeltas; give numbers"):
        stream(span_penalty=lengths)


def test_what_stays_in_a_replaced_stream_is_not_copied():
    jobs = stream(estimate=[8, 8, 8])
    changed = jobs.replace(runtime=[1, 2, 3])
    for name in ("submit", "components", "span_penalty", "number"):
        assert getattr(changed, name) is getattr(jobs, name)
    assert jobs.runtime.tolist() == [5, 6, 7]
    with pytest.raises(co.InputError):
        jobs.replace(runtime=[1, 2])
    assert_same(jobs, stream(estimate=[8, 8, 8]))


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (1, r"jobs\[1\] is one job; give a slice: jobs\[1:2\]"),
        (-1, r"jobs\[-1\] is one job; give a slice: jobs\[2:3\]"),
        (5, r"jobs\[5\] of 3 jobs: index 5 is out of bounds"),
        ("x", r"jobs\['x'\] of 3 jobs"),
        (None, r"jobs\[None\] selects no jobs"),
        ([True], r"jobs\[\[True\]\] of 3 jobs"),
        (slice(3, None), "selects no jobs"),
        ([], "selects no jobs"),
        (np.zeros(3, bool), "selects no jobs"),
        ([[0, 1]], "selects no jobs"),
        (1.5, r"jobs\[1.5\] of 3 jobs"),
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
    assert_same(scaled.replace(submit=jobs.submit), jobs)


@pytest.mark.parametrize("load", [0, -0.5, math.nan, math.inf])
def test_with_load_refuses(load):
    with pytest.raises(co.InputError, match=f"load = {load}"):
        stream().with_load(co.Multicluster([8]), load)


@pytest.mark.parametrize(
    "call",
    [
        lambda jobs, junk: jobs.offered_load(junk),
        lambda jobs, junk: jobs.with_load(junk, 0.5),
        lambda jobs, junk: jobs.with_load(co.Multicluster([8]), junk),
        lambda jobs, junk: jobs.split(at_most=junk, into=None if junk is not None else junk),
        lambda jobs, junk: jobs.replace(request=junk),
        lambda jobs, junk: jobs.replace(components=junk),
        lambda jobs, junk: jobs.replace(submit=junk),
        lambda jobs, junk: jobs.sample(junk, 1),
        lambda jobs, junk: split_into(junk, 2),
        lambda jobs, junk: split_smallest([3], junk),
        lambda jobs, junk: co.merge(jobs, junk),
        lambda jobs, junk: co.JobStream(junk, junk, junk),
        lambda jobs, junk: co.simulate(co.Multicluster(junk), jobs),
    ],
)
@pytest.mark.parametrize(
    "junk", [None, "x", "3", [[1, 2], [3]], {}, object(), b"3", (i for i in [1])]
)
def test_wrong_objects_are_refused_in_one_line(call, junk):
    with pytest.raises(co.InputError) as caught:
        call(stream(), junk)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


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
