"""A changed promised start or reservation in a schedule is noticed by `verify()`."""

from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.schedules.verification import ScheduleError
from tests.schedules.damage import assert_fails, broken, moved

# Promises of backfilling.

#: On 4 processors, job 0 has 2 until 4, and job 1 has 1 until 6. Job 2 needs 4 and starts at 6. Job
#: 3 has 1 from 5 to 6.
PLANNED = co.JobStream([0, 0, 1, 5], [4, 6, 5, 1], [2, 1, 4, 1], request="total")


def planned(policy, jobs=PLANNED):
    return co.simulate(co.Multicluster([4]), jobs, scheduling=policy).verify()


def test_a_reservation_that_moves_is_noticed():
    jobs = co.JobStream([0, 0], [4, 2], [2, 4], request="total", earliest_start=[0, 5])
    schedule = planned(co.Conservative(), jobs).verify()
    assert schedule.start.tolist() == [0, 5]
    early = broken(moved(schedule, 1, 4.0), "promised", 1, 4.0)
    late = moved(schedule, 1, 7.0)
    limited = replace(late, jobs=jobs.replace(latest_start=[np.inf, 6]))
    for wrong, message in (
        (moved(schedule, 1, 4.0), "job 1 at 4: starts before its earliest start, 5"),
        (early, "job 1 at 4: starts before its earliest start, 5"),
        (late, "job 1 at 7: starts later than promised: it was promised a start at 5"),
        (limited, "job 1 at 7: starts after its latest start, 6"),
    ):
        with pytest.raises(ScheduleError, match=f"^{message}$"):
            wrong.verify(most_jobs=0)


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(2), co.EASY()])
@pytest.mark.parametrize("wish", [{"earliest_start": [0, 0, 1, 6]}, {"latest_start": [9, 9, 9, 9]}])
def test_a_reservation_under_a_policy_that_serves_none_is_noticed(policy, wish):
    schedule = planned(policy)
    assert_fails(
        replace(schedule, jobs=schedule.jobs.replace(**wish)),
        "asks for an earliest or latest start",
    )


def test_a_backfilled_job_that_delays_the_head_is_noticed():
    """Job 3 runs for 4 time units and ends at 9, and delays the head of the queue until then."""
    lazy = replace(planned(co.EASY()), jobs=PLANNED.replace(runtime=[4, 6, 5, 4]))
    assert lazy.start.tolist() == [0, 0, 6, 5]
    lazy = moved(broken(lazy, "end", 3, 9), 2, 9)
    assert_fails(lazy, r"^job 3 at 5: EASY\(\) would not start it now; job 2 heads the queue$")
    lazy = replace(lazy, scheduling=co.Conservative(), promised=np.array([0, 0, 9, 5]))
    assert_fails(
        lazy, "^job 3 at 5: was promised a start at 5, but a start at 11 in .* Conservative"
    )


def test_a_head_that_keeps_its_first_promise_after_an_early_end_is_noticed():
    """Job 0 has the estimate 10 and ends at 4. Job 3 runs for 4 time units from 5 on, as if the
    head of the queue were still promised a start at 10."""
    rows = ([0, 0, 1, 5], [4, 6, 5, 4], [2, 1, 4, 1], [10, 6, 5, 4])
    schedule = planned(co.EASY(), co.JobStream(*rows, request="total"))
    assert schedule.start.tolist() == [0, 0, 6, 11]
    assert schedule.promised[2] == 10
    wrong = broken(moved(moved(schedule, 3, 5), 2, 9), "promised", 3, np.nan)
    assert_fails(wrong, r"^job 3 at 5: EASY\(\) would not start it now; job 2 heads the queue$")


#: On 4 processors, job 0 has 3 processors and is expected to end at 12. Jobs 1, 2 and 4 need all
#: processors, and shorter jobs are first in the queue.
IN_ORDER = co.JobStream(
    [0, 1, 2, 3, 4], [10, 5, 4, 10, 1], [3, 4, 4, 1, 4], [12, 5, 4, 10, 1], request="total"
)


def test_a_head_of_an_ordered_queue_is_delayed_by_those_alone_that_come_before_it():
    schedule = planned(co.EASY(order="shortest"), IN_ORDER)
    assert schedule.start.tolist() == [0, 15, 11, 20, 10]
    np.testing.assert_array_equal(schedule.promised, [np.nan, 12, 12, 20, 12])
    late = moved(moved(schedule, 4, 14), 2, 10)  # 2 first, and 4 came before it
    assert_fails(late, r"^job 4 at 10: EASY\(order='shortest'\) would start it now .* only at 14$")
    for job, right, promise in ((4, 12, 11), (4, 12, 13), (2, 12, 11)):
        message = (
            f"^job {job} at .*: heads the queue and was promised a start at {promise}, .* {right}$"
        )
        assert_fails(broken(schedule, "promised", job, promise), message)
    untold = broken(schedule, "promised", 1, np.nan)
    assert_fails(
        untold, "^job 1 at 1: heads the queue and was promised no start, .* a start at 12$"
    )


@pytest.mark.parametrize(
    ("policy", "job", "promise", "message"),
    [
        (co.EASY(), 2, 4, "job 2 at 1: heads the queue and was promised a start at 4, but EASY"),
        (co.EASY(), 2, 7, "job 2 at 1: heads the queue and was promised a start at 7, but EASY"),
        (co.EASY(), 2, np.nan, "job 2 at 1: heads the queue and was promised no start, but EASY"),
        (
            co.EASY(),
            3,
            5,
            "job 3 at 5: was promised a start at 5, but EASY.* would promise it no start",
        ),
        (co.Conservative(), 2, 4, "job 2 at 6: starts later than promised: .* a start at 4$"),
        (co.Conservative(), 2, 7, "job 2 at 6: was promised a start at 7, but a start at 6 in"),
        (co.Conservative(), 0, 1, "job 0 at 0: was promised a start at 1, but a start at 0 in"),
        (
            co.Conservative(),
            2,
            np.nan,
            "job 2 at 6: was promised no start, but a start at .* Conservative",
        ),
    ],
)
def test_another_promise_of_backfilling_is_noticed(policy, job, promise, message):
    assert_fails(broken(planned(policy), "promised", job, promise), f"^{message}")


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(2)])
def test_a_promise_of_a_policy_that_makes_none_is_noticed(policy):
    schedule = replace(planned(policy), promised=np.array([np.nan, np.nan, 6, np.nan]))
    assert_fails(
        schedule, "^job 2 at .*: was promised a start at 6, but .* would promise it no start$"
    )


#: Cases with jobs that run for a time of 0, by name: cluster sizes, submissions, run times,
#: processors, earliest starts, and the resulting starts.
MOMENTS = {
    # Jobs 0 and 1 both run at 10, one after the other, because either of them fits beside job 2.
    "two beside a long job": ([5], [0, 0, 1], [0, 0, 20], [3, 2, 2], [10, 10, 1], [10, 10, 1]),
    # The first job has ended when the second starts, although both start at the same instant.
    "one before a block": ([3], [0, 0], [0, 5], [2, 2], [4, 4], [4, 4]),
    "a block before one": ([3], [0, 0], [5, 0], [2, 2], [4, 4], [4, 9]),
}


@pytest.mark.parametrize("policy", [co.Conservative(), co.Conservative(order="shortest")])
@pytest.mark.parametrize("case", MOMENTS)
def test_a_reservation_of_no_length_is_a_moment(case, policy):
    sizes, submit, runtime, processors, wanted, starts = MOMENTS[case]
    jobs = co.JobStream(submit, runtime, processors, request="total", earliest_start=wanted)
    schedule = co.simulate(co.Multicluster(sizes), jobs, scheduling=policy).verify()
    assert schedule.start.tolist() == starts
