"""Wide jobs in pieces: nothing is lost, and each piece knows its job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co


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
    ("at_most", "words"),
    [
        (0, "at_most = 0; give a whole number of 1 or more"),
        (2.5, "at_most = 2.5"),
        ([2, 2], r"at_most has shape \(2,\) and there are 3 jobs"),
    ],
)
def test_bad_limits(at_most, words):
    with pytest.raises(co.InputError, match=words):
        co.JobStream([0, 0, 0], [1, 1, 1], [5, 1, 4]).chopped(at_most)


def test_ordered_jobs_name_their_clusters_and_stay_whole():
    jobs = co.JobStream([0], [1], [[3, 2]], request="ordered")
    with pytest.raises(co.InputError, match="these are ordered; replace"):
        jobs.chopped(2)
    assert jobs.replace(request="total").chopped(2).pieces.processors.tolist() == [2, 2, 1]


def test_as_many_pieces_as_no_memory_holds_are_refused():
    jobs = co.JobStream([0], [1], [10**12])
    with pytest.raises(co.InputError, match="pieces = 1000000000000; give at most"):
        jobs.chopped(1)
