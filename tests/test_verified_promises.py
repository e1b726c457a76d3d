"""Promises are checked: move a job past its promise, or make another promise, and it is named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from tests.conftest import backfilling, placements, systems_and_streams
from tests.test_verification import assert_fails, broken, moved

#: On 4 processors: 0 has 2 to 4, 1 has 1 to 6; 2 wants 4, at 6; 3 has 1 from 5 to 6.
JOBS = co.JobStream([0, 0, 1, 5], [4, 6, 5, 1], [2, 1, 4, 1], request="total")


def right(policy, jobs=JOBS):
    return co.simulate(co.Multicluster([4]), jobs, scheduling=policy).verify()


def test_the_right_schedules_are_as_the_tests_below_take_them():
    for policy in (co.EASY(), co.Conservative()):
        assert right(policy).start.tolist() == [0, 0, 6, 5]


def test_a_backfilled_job_that_delays_the_head_is_noticed():
    """Job 3, run for 4, ends at 9, and the head starts then."""
    jobs = JOBS.replace(runtime=[4, 6, 5, 4])
    lazy = replace(right(co.EASY()), jobs=jobs)
    lazy = moved(broken(lazy, "end", 3, 9), 2, 9)
    assert_fails(lazy, "^job 2 at 9: starts later than the running jobs promised it at 1$")
    planned = replace(lazy, scheduling=co.Conservative(), promised=np.array([0, 0, 6, 5]))
    assert_fails(planned, "^job 2 at 9: starts later than it was promised, a start at 6$")


def test_a_head_that_keeps_its_first_promise_after_an_early_end_is_noticed():
    """Job 0 asked for 10 and ends at 4; job 3, of 4, starts at 5 as if the head still had 10."""
    rows = ([0, 0, 1, 5], [4, 6, 5, 4], [2, 1, 4, 1], [10, 6, 5, 4])
    jobs = co.JobStream(*rows, request="total")
    schedule = right(co.EASY(), jobs)
    assert schedule.start.tolist() == [0, 0, 6, 11]
    assert schedule.promised[2] == 10
    wrong = moved(moved(schedule, 3, 5), 2, 9)
    wrong = broken(wrong, "promised", 3, np.nan)
    assert_fails(wrong, "^job 2 at 9: starts later than the running jobs promised it at 4$")


@pytest.mark.parametrize(
    ("policy", "job", "promise", "message"),
    [
        (co.EASY(), 2, 4, "job 2 at 1: was promised a start at 4, which is not when the running"),
        (co.EASY(), 2, 7, "job 2 at 1: was promised a start at 7, which is not when the running"),
        (co.EASY(), 2, np.nan, "job 2 at 6: was promised no start, as no head should"),
        (co.EASY(), 3, 5, "job 3 at 5: was promised a start at 5, as no head should"),
        (co.Conservative(), 2, 4, "job 2 at 6: starts later than it was promised, a start at 4"),
        (co.Conservative(), 2, 7, "job 2 at 1: was promised a start at 7, which is not when the"),
        (co.Conservative(), 0, 1, "job 0 at 0: was promised a start at 1, which is not when the"),
        (co.Conservative(), 2, np.nan, "job 2 at 6: was promised no start$"),
    ],
)
def test_another_promise_is_noticed(policy, job, promise, message):
    assert_fails(broken(right(policy), "promised", job, promise), f"^{message}")


@given(systems_and_streams(), backfilling, st.data())
def test_a_job_that_starts_after_its_promise_is_noticed(case, policy, data):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    schedule = co.simulate(system, jobs, scheduling=policy, placement=placement).verify()
    told = np.flatnonzero(np.isfinite(schedule.promised))
    assume(len(told))
    job = data.draw(st.sampled_from(told.tolist()))
    late = schedule.promised[job] + data.draw(st.sampled_from([1.0, 100.0]))
    assert_fails(moved(schedule, job, late), "^job ")


@given(systems_and_streams(), backfilling, st.data())
def test_a_promise_made_earlier_than_the_start_is_noticed(case, policy, data):
    system, jobs = case
    jobs = jobs.replace(runtime=jobs.runtime + 0.5)  # in one round of an instant
    schedule = co.simulate(system, jobs, scheduling=policy).verify()
    waited = np.flatnonzero(schedule.promised > schedule.jobs.submit)
    assume(len(waited))
    job = data.draw(st.sampled_from(waited.tolist()))
    early = np.nextafter(schedule.promised[job], -np.inf)
    assume(isinstance(policy, co.EASY) or early < schedule.start[job])  # else none may know
    assert_fails(broken(schedule, "promised", job, early), "^job ")
