"""Starts that jobs ask for: kept with the jobs, moved with them, refused where they are none."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from tests.conftest import asking, systems_and_streams


def stream(**more):
    return co.JobStream([4, 0, 2], [5, 6, 7], [1, 2, 3], **more)


WISHES = {"earliest_start": [4, 3, 9], "latest_start": [np.inf, 3, 12]}


def test_where_none_is_given_each_job_asks_to_start_at_once_and_waits_for_ever():
    jobs = stream()
    assert jobs.earliest_start.tolist() == jobs.submit.tolist()
    assert jobs.latest_start.tolist() == [np.inf] * 3
    assert not jobs.has_reservations
    assert not jobs.replace(submit=[7, 8, 9]).has_reservations
    assert stream(earliest_start=[4, 0, 3]).has_reservations
    assert stream(latest_start=[9, 9, 9]).has_reservations
    asked = stream(**WISHES)
    assert not asked.replace(earliest_start=None, latest_start=None).has_reservations


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
        ({"earliest_start": [4, 3]}, "earliest_start has 2 entries and submit has 3"),
        ({"latest_start": [4, 3]}, "latest_start has 2 entries and submit has 3"),
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
        stream(**more)
    with pytest.raises(co.InputError, match=f"^{message}"):
        stream().replace(**more)


def test_lengths_of_time_and_whole_numbers_are_instants():
    ahead = [timedelta(seconds=9)] * 3
    jobs = stream(earliest_start=ahead, latest_start=np.array([9, 10, 11]))
    assert jobs.earliest_start.tolist() == [9] * 3
    assert jobs.latest_start.tolist() == [9, 10, 11]
    assert stream(latest_start=ahead).latest_start.tolist() == [9] * 3


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
