"""Each rule is checked: break one and the job and the instant are named."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar.search import BEYOND_HORIZON, NO_LENGTH, NO_ROOM, PAST_LATEST
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.engines.reference import jobs_of
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules import verification
from coalloc_lib.schedules.verification import MOST_JOBS, ScheduleError
from coalloc_lib.schedules.verification.implied import ImpliedState
from tests.conftest import (
    asking,
    backfilling,
    in_turn,
    onlines,
    ordered,
    placements,
    systems_and_streams,
)
from tests.naive_booking import online

SYSTEM = co.Multicluster([4, 3])


def right(request="unordered", scheduling=None):
    """A right schedule: job 0 to 10, job 1 (spans) waits for it, jobs 2 and 3 may overtake."""
    jobs = co.JobStream(
        submit=[0, 1, 2, 3],
        runtime=[10, 5, 2, 2],
        components=[[3, 0], [3, 2], [1, 0], [1, 0]],
        request=request,
        span_penalty=0.5,
    )
    scheduling = co.FPFS(2) if scheduling is None else scheduling
    return co.simulate(SYSTEM, jobs, scheduling=scheduling, engine="reference")


def broken(schedule, column, job, value):
    """The schedule with one entry changed."""
    changed = getattr(schedule, column).copy()
    changed[job] = value
    return replace(schedule, **{column: changed})


def moved(schedule, job, start):
    """The schedule with one job moved to another instant, its length kept."""
    length = schedule.end[job] - schedule.start[job]
    return broken(broken(schedule, "start", job, start), "end", job, start + length)


def assert_fails(schedule, message):
    """Assert that verify() raises and that its message is this."""
    with pytest.raises(ScheduleError, match=message):
        schedule.verify()


def test_the_right_schedule_is_as_the_tests_below_take_it():
    schedule = right().verify()
    assert schedule.start.tolist() == [0, 10, 2, 3]
    assert schedule.end.tolist() == [10, 17.5, 4, 5]
    assert schedule.allocation.tolist() == [[3, 0], [3, 2], [0, 1], [0, 1]]
    right(scheduling=co.FCFS()).verify()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s: broken(s, "start", 2, np.nan), "job 2 has no start$"),
        (lambda s: broken(s, "end", 3, np.inf), "job 3 has no end$"),
        (lambda s: moved(s, 2, 1.5), "job 2 at 1.5: starts before its submission at 2$"),
        # Job 1 spans: 5 units of run time and half as much again; job 3 pays no penalty.
        (lambda s: broken(s, "end", 1, 15), "job 1 at 10: ends at 15, its time .* is 7.5$"),
        (lambda s: broken(s, "end", 3, 6), "job 3 at 3: ends at 6, its time .* is 2$"),
        (lambda s: broken(s, "end", 1, np.nextafter(17.5, 0)), "job 1 at 10: ends at 17.5, its"),
        (lambda s: broken(s, "end", 0, np.nextafter(10, 99)), "job 0 at 0: ends at 10, its"),
        (lambda s: moved(s, 1, 3), "job 1 at 3: cluster 0 runs 6 processors and has 4$"),
        (lambda s: moved(s, 1, np.nextafter(10, 0)), "job 1 at 10: cluster 0 runs 6"),
        (
            lambda s: moved(s, 1, 11),
            r"job 1 at 10: FPFS\(max_jumps=2\) starts it then, on .*, and it starts only at 11$",
        ),
        (
            lambda s: replace(s, scheduling=co.FPFS(1)),
            r"job 3 at 3: FPFS\(max_jumps=1\) does not start it then; job 1 heads the queue$",
        ),
        (
            lambda s: replace(s, scheduling=co.FCFS()),
            r"job 2 at 2: FCFS\(\) does not start it then; job 1 heads the queue$",
        ),
        # Of two faults the earlier one is named.
        (lambda s: broken(broken(s, "end", 1, 99), "end", 3, 99), "job 3 at 3: ends at 99"),
        (lambda s: replace(s, refused={2: Refusal(2.0, "")}), "job 2 was refused and has a start"),
    ],
)
def test_a_broken_rule_is_noticed(wrong, message):
    assert_fails(wrong(right()), f"^{message}")


@pytest.mark.parametrize(
    ("request_type", "job", "allocation"),
    [
        ("unordered", 2, [0, 2]),
        ("unordered", 2, [0, 0]),
        ("unordered", 1, [4, 1]),
        ("unordered", 0, [4, -1]),
        ("ordered", 2, [0, 1]),
        ("ordered", 1, [2, 3]),
        ("flexible", 1, [4, 2]),
        ("flexible", 1, [2, 2]),
        ("total", 2, [2, -1]),
        ("total", 1, [2, 2]),
    ],
)
def test_jobs_have_what_they_asked_for(request_type, job, allocation):
    jobs = right().jobs
    if request_type == "total":
        jobs = jobs.replace(components=np.array([3, 4, 1, 1])[:, None])
    schedule = co.simulate(
        SYSTEM, jobs.replace(request=request_type, span_penalty=0), scheduling=co.FPFS(2)
    ).verify()
    message = f"^job {job} at {schedule.start[job]:g}: has .* for components .*{request_type}"
    assert_fails(broken(schedule, "allocation", job, allocation), message)


def test_a_job_that_may_stay_whole_is_whole_or_in_its_components():
    jobs = co.JobStream([0], [4], [[2, 1]], span_penalty=0)
    schedule = co.simulate(SYSTEM, jobs, placement=co.SingleThenSpan()).verify()
    assert schedule.allocation.tolist() == [[0, 3]]
    for other in ([3, 0], [2, 1], [1, 2]):
        message = r"^job 0 at 0: has .*, and SingleThenSpan.* gives it \[0, 3\]$"
        assert_fails(broken(schedule, "allocation", 0, other), message)
        broken(schedule, "allocation", 0, other).verify(most_jobs=0)
    for wrong in ([0, 2], [4, -1], [2, 2]):
        message = r"^job 0 at 0: has .* for components \[2, 1\] \(unordered\)$"
        assert_fails(broken(schedule, "allocation", 0, wrong), message)
    assert_fails(replace(schedule, placement=co.BestFit()), "^job 0 at 0: has")


@pytest.mark.parametrize(
    ("request_type", "components", "placement", "fits"),
    [
        ("flexible", [4, 0], None, True),
        ("flexible", [2, 2], None, True),
        ("total", [4, 0], None, True),
        ("unordered", [4, 0], None, True),
        ("unordered", [2, 2], None, False),
        ("unordered", [2, 2], co.SingleThenSpan(), True),
        ("unordered", [3, 1], co.SingleThenSpan(), True),
        ("unordered", [4, 0], co.SingleThenSpan(), True),
        ("flexible", [5, 0], None, False),
    ],
)
def test_a_head_that_fills_all_that_is_idle_is_noticed(request_type, components, placement, fits):
    """Job 0 has cluster 0 until 5, job 1 the rest until 9; at 5 exactly 4 processors are idle."""
    jobs = co.JobStream([0, 0, 1], [5, 9, 1], [[4, 0], [3, 0], components], request=request_type)
    schedule = co.simulate(SYSTEM, jobs, placement=placement).verify()
    assert schedule.start[2] == (5 if fits else 9)
    if fits:
        lazy = moved(schedule, 2, 9)
        assert_fails(lazy, r"^job 2 at 5: FCFS\(\) starts it then, .* and it starts only at 9$")
        lazy.verify(most_jobs=0)


def test_a_placement_that_chose_another_cluster_is_noticed():
    """Two jobs of 2 on clusters of 4 and 3: first fit puts both on the first, best fit neither."""
    jobs = co.JobStream([0, 1], [5, 5], [2, 2], request="total")
    schedule = co.simulate(SYSTEM, jobs, placement=co.FirstFit()).verify()
    assert schedule.allocation.tolist() == [[2, 0], [2, 0]]
    assert_fails(
        replace(schedule, placement=co.BestFit()), r"^job 0 at 0: has \[2, 0\], and BestFit"
    )
    wrong = broken(schedule, "allocation", 1, [0, 2])
    assert_fails(wrong, r"^job 1 at 1: has \[0, 2\], and FirstFit.* gives it \[2, 0\]$")
    own = type("Own", (co.FirstFit,), {})()
    assert replace(schedule, placement=own).verify().unchecked == ""
    assert_fails(replace(wrong, placement=own), r"^job 1 at 1: has \[0, 2\], and Own.* \[2, 0\]$")


def test_who_runs_for_no_time_fits_beside_those_that_run_across_its_instant():
    jobs = co.JobStream([0, 0, 0], [4, 0, 5], [[3, 0], [3, 0], [0, 1]], request="ordered")
    schedule = co.simulate(SYSTEM, jobs).verify()
    assert schedule.start.tolist() == [0, 4, 4]
    early = broken(broken(schedule, "start", 1, 2), "end", 1, 2)
    message = "^job 1 at 2: cluster 0 runs 6 processors and has 4$"
    with pytest.raises(ScheduleError, match=message):
        early.verify(most_jobs=0)


def test_a_held_queue_is_replayed_as_it_was_held():
    """With a queue of two, job 2 is known only when job 0 starts, and job 3 when job 1 does."""
    jobs = co.JobStream([0, 0, 0, 0], [5, 5, 1, 1], [4, 2, 4, 1], request="total")
    policy = co.FPFS(9)
    schedule = co.simulate(co.Multicluster([5]), jobs, scheduling=policy, backlog=2).verify()
    assert schedule.start.tolist() == [0, 5, 10, 5]
    assert schedule.jobs.submit.tolist() == [0, 0, 0, 5]
    assert_fails(replace(schedule, backlog=3), "^job 3 at 0: enters a queue that is held at 3 jobs")


@given(systems_and_streams(), st.one_of(in_turn, backfilling, ordered), st.data())
def test_any_other_start_is_noticed(case, policy, data):
    """What the policies of the library do follows from what they see: no other start is right."""
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    schedule = co.simulate(system, jobs, scheduling=policy, placement=placement).verify()
    job = data.draw(st.integers(0, len(jobs) - 1))
    instants = np.concatenate([schedule.jobs.submit, schedule.end, schedule.end + 1])
    start = data.draw(st.sampled_from(np.unique(instants).tolist()))
    assume(start != schedule.start[job])
    length = schedule.end[job] - schedule.start[job]
    changed = broken(broken(schedule, "start", job, start), "end", job, start + length)
    assert_fails(changed, "^job ")


@given(systems_and_streams(), st.one_of(in_turn, backfilling, ordered), st.data())
def test_any_other_allocation_is_noticed(case, policy, data):
    system, jobs = case
    jobs = jobs.replace(span_penalty=0)
    placement = data.draw(placements(len(system), jobs.request))
    schedule = co.simulate(system, jobs, scheduling=policy, placement=placement)
    job = data.draw(st.integers(0, len(jobs) - 1))
    row = schedule.allocation[job]
    mixed = np.array(data.draw(st.permutations(row.tolist())))
    assume((mixed != row).any())
    assert_fails(broken(schedule, "allocation", job, mixed), "^job ")


@given(systems_and_streams(), st.one_of(backfilling, ordered), st.data())
def test_any_other_promise_is_noticed(case, policy, data):
    system, jobs = case
    schedule = co.simulate(system, jobs, scheduling=policy)
    job = data.draw(st.integers(0, len(jobs) - 1))
    instants = [np.nan, *schedule.jobs.submit.tolist(), *schedule.end.tolist()]
    promise = data.draw(st.sampled_from(instants))
    was = schedule.promised[job]
    assume(promise != was and not (np.isnan(promise) and np.isnan(was)))
    assert_fails(broken(schedule, "promised", job, promise), "^job ")


# Promises of backfilling.

#: On 4 processors: 0 has 2 to 4, 1 has 1 to 6; 2 wants 4, at 6; 3 has 1 from 5 to 6.
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
        replace(schedule, jobs=schedule.jobs.replace(**wish)), "asks for a later or a latest start"
    )


def test_a_backfilled_job_that_delays_the_head_is_noticed():
    """Job 3, run for 4, ends at 9, and the head starts then."""
    lazy = replace(planned(co.EASY()), jobs=PLANNED.replace(runtime=[4, 6, 5, 4]))
    assert lazy.start.tolist() == [0, 0, 6, 5]
    lazy = moved(broken(lazy, "end", 3, 9), 2, 9)
    assert_fails(lazy, r"^job 3 at 5: EASY\(\) does not start it then; job 2 heads the queue$")
    lazy = replace(lazy, scheduling=co.Conservative(), promised=np.array([0, 0, 9, 5]))
    assert_fails(lazy, "^job 3 at 5: was promised a start at 5, by Conservative.* a start at 11$")


def test_a_head_that_keeps_its_first_promise_after_an_early_end_is_noticed():
    """Job 0 asked for 10 and ends at 4; job 3, of 4, starts at 5 as if the head still had 10."""
    rows = ([0, 0, 1, 5], [4, 6, 5, 4], [2, 1, 4, 1], [10, 6, 5, 4])
    schedule = planned(co.EASY(), co.JobStream(*rows, request="total"))
    assert schedule.start.tolist() == [0, 0, 6, 11]
    assert schedule.promised[2] == 10
    wrong = broken(moved(moved(schedule, 3, 5), 2, 9), "promised", 3, np.nan)
    assert_fails(wrong, r"^job 3 at 5: EASY\(\) does not start it then; job 2 heads the queue$")


#: On 4 processors 0 has 3, until 12 as it says; 1, 2 and 4 want all, and the shorter is the first.
IN_ORDER = co.JobStream(
    [0, 1, 2, 3, 4], [10, 5, 4, 10, 1], [3, 4, 4, 1, 4], [12, 5, 4, 10, 1], request="total"
)


def test_a_head_of_an_ordered_queue_is_delayed_by_those_alone_that_come_before_it():
    schedule = planned(co.EASY(order="shortest"), IN_ORDER)
    assert schedule.start.tolist() == [0, 15, 11, 20, 10]
    np.testing.assert_array_equal(schedule.promised, [np.nan, 12, 12, 20, 12])
    late = moved(moved(schedule, 4, 14), 2, 10)  # 2 first, and 4 came before it
    assert_fails(late, r"^job 4 at 10: EASY\(order='shortest'\) starts it then, .* only at 14$")
    for job, right, promise in ((4, 12, 11), (4, 12, 13), (2, 12, 11)):
        message = (
            f"^job {job} at .*: heads the queue, was promised a start at {promise}, .* {right}$"
        )
        assert_fails(broken(schedule, "promised", job, promise), message)
    untold = broken(schedule, "promised", 1, np.nan)
    assert_fails(untold, "^job 1 at 1: heads the queue, was promised no start, .* a start at 12$")


@pytest.mark.parametrize(
    ("policy", "job", "promise", "message"),
    [
        (co.EASY(), 2, 4, "job 2 at 1: heads the queue, was promised a start at 4, and EASY"),
        (co.EASY(), 2, 7, "job 2 at 1: heads the queue, was promised a start at 7, and EASY"),
        (co.EASY(), 2, np.nan, "job 2 at 1: heads the queue, was promised no start, and EASY"),
        (
            co.EASY(),
            3,
            5,
            "job 3 at 5: was promised a start at 5, and EASY.* promises it nothing",
        ),
        (co.Conservative(), 2, 4, "job 2 at 6: starts later than promised: .* a start at 4$"),
        (co.Conservative(), 2, 7, "job 2 at 6: was promised a start at 7, by Conservative.* at 6"),
        (co.Conservative(), 0, 1, "job 0 at 0: was promised a start at 1, by Conservative.* at 0"),
        (co.Conservative(), 2, np.nan, "job 2 at 6: was promised no start, by Conservative"),
    ],
)
def test_another_promise_of_backfilling_is_noticed(policy, job, promise, message):
    assert_fails(broken(planned(policy), "promised", job, promise), f"^{message}")


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(2)])
def test_a_promise_of_a_policy_that_makes_none_is_noticed(policy):
    schedule = replace(planned(policy), promised=np.array([np.nan, np.nan, 6, np.nan]))
    assert_fails(schedule, "^job 2 at .*: was promised a start at 6, and .* promises it nothing$")


#: Reservations of no length: name -> sizes, submissions, run times, processors, wanted, starts.
MOMENTS = {
    # Both run at 10, one after the other: beside job 2 there is room for either.
    "two beside a long job": ([5], [0, 0, 1], [0, 0, 20], [3, 2, 2], [10, 10, 1], [10, 10, 1]),
    # The first has left when the second starts, at the same instant.
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


# Online bookings.

#: Job 0 has servers 0 and 1 until 20, expected until 30; job 1, tried at 1 and 21, servers 2 and 3
#: of the other cluster; job 2, of three processors there, starts at 42; job 3 has no length.
ASKED = co.JobStream(
    submit=[0, 1, 2, 3],
    runtime=[20, 20, 5, 0],
    components=[[2, 0], [0, 2], [0, 3], [1, 0]],
    estimate=[30, 40, 5, 0],
    request="ordered",
    latest_start=[np.inf, np.inf, 50, np.inf],
)
TERMS = co.Online(slot=10, step=20, max_attempts=5, horizon=100)


def booked():
    how = {"scheduling": TERMS, "engine": "reference"}
    return co.simulate(co.Multicluster([2, 3]), ASKED, **how).verify()


def with_servers(schedule, job, servers):
    rows = [*schedule.servers]
    rows[job] = np.array(servers, dtype=np.int32)
    return replace(schedule, servers=Servers.of_rows(rows))


def attempt(schedule, job, number, start):
    """The schedule with a job at another attempt, as it was promised."""
    wrong = broken(moved(schedule, job, start), "attempts", job, number)
    return broken(wrong, "promised", job, start)


def test_the_right_bookings_are_as_the_tests_below_take_them():
    schedule = booked()
    assert schedule.start[:3].tolist() == [0, 1, 42]
    assert schedule.attempts.tolist() == [1, 1, 3, 0]
    assert [servers.tolist() for servers in schedule.servers] == [[0, 1], [2, 3], [2, 3, 4], []]
    assert schedule.refused == {3: (3, "no length")}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s: moved(s, 2, 43), "job 2 at 43: attempt 3 is at 42$"),
        (lambda s: broken(s, "attempts", 2, 4), "job 2 at 42: attempt 4 is at 62$"),
        (
            lambda s: replace(s, scheduling=replace(TERMS, max_attempts=2)),
            "job 2 has 3 attempts, and at most 2 are made$",
        ),
        (lambda s: broken(s, "attempts", 3, 6), "job 3 has 6 attempts, and at most 5 are"),
        (lambda s: replace(s, attempts=None), "the schedule does not tell the attempts"),
        (lambda s: broken(s, "promised", 2, 22), "job 2 at 42: was promised 22$"),
        (lambda s: broken(s, "promised", 2, np.nan), "job 2 at 42: was promised nan$"),
        (
            lambda s: replace(s, jobs=ASKED.replace(latest_start=[np.inf, np.inf, 41, np.inf])),
            "job 2 at 42: starts after its latest start, 41$",
        ),
        (
            lambda s: replace(s, scheduling=replace(TERMS, horizon=40)),
            "job 1 at 1: is booked until 41, beyond the horizon, which ended at 40$",
        ),
    ],
)
def test_a_broken_rule_of_bookings_is_noticed(wrong, message):
    assert_fails(wrong(booked()), f"^{message}")


def test_wrong_refusals_and_servers_are_noticed():
    for refusal in (Refusal(3.0, "full"), Refusal(4.0, "no length")):
        wrong = replace(booked(), refused={3: refusal})
        assert_fails(wrong, r"^job 3 was refused at \d for .*; it is told at its submission, at 3")
    rows = {0: ([0], [0, 0], [1, 0], [1, 2], [-1, 0]), 1: ([2, 3, 4],), 2: ([3, 4, 5],), 3: ([0],)}
    for job, choices in rows.items():
        for servers in choices:
            message = rf"^job {job} at \w+: has servers .* for \[.*\] processors of each cluster$"
            assert_fails(with_servers(booked(), job, servers), message)


def test_a_server_with_two_bookings_at_once_is_noticed():
    """Job 1 ended at 21, and is booked until 41."""
    early = attempt(booked(), 2, 2, 22)
    assert_fails(early, "^job 2 at 22: server 2 is booked for job 1$")
    released = replace(early, scheduling=replace(TERMS, release_early=True))
    assert_fails(released, "^job 2 at 22: server 2 is booked for job 1$")  # it came at 2
    jobs = replace(released, jobs=ASKED.replace(submit=[0, 1, 22, 22]))
    jobs = broken(broken(jobs, "attempts", 2, 1), "refused", 3, Refusal(22.0, "no length"))
    jobs.verify()
    # With a placement of one's own too, whatever it may answer the second time.
    mine = replace(early, placement=type("Mine", (co.WorstFit,), {})())
    assert_fails(mine, "^job 2 at 22: server 2 is booked for job 1$")


def test_a_booking_within_the_freed_time_of_another_hides_no_third():
    """Job 0 is booked until 30 and leaves at 2; job 1 follows until 4, and job 2, which came
    at 1, may not have 5."""
    jobs = co.JobStream([0, 1, 3], [2, 9, 1], [1, 1, 1], [30, 9, 1], request="total")
    policy = co.Online(1, 1, 50, 60, release_early=True)
    schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=policy, engine="reference")
    assert schedule.verify().start.tolist() == [0, 30, 3]
    assert_fails(attempt(schedule, 1, 5, 5), "^job 1 at 5: server 0 is booked for job 0$")


#: On one server job 0 runs until 20, job 1 until 39, and job 2 from 40 on; job 3 finds no room, job
#: 4 none by its latest start, and job 5 is longer than the horizon.
LINE = co.JobStream(
    submit=[0, 1, 2, 3, 4, 5],
    runtime=[20, 19, 30, 20, 5, 101],
    components=[1] * 6,
    request="total",
    latest_start=[np.inf] * 4 + [9, np.inf],
)
FEW = co.Online(slot=10, step=19, max_attempts=3, horizon=90)
WHY = {3: NO_ROOM, 4: PAST_LATEST, 5: BEYOND_HORIZON}


def test_another_reason_and_other_attempts_of_a_refused_job_are_noticed():
    schedule = co.simulate(co.Multicluster([1]), LINE, scheduling=FEW, engine="reference").verify()
    assert schedule.attempts.tolist() == [1, 2, 3, 3, 1, 0]
    assert {job: why for job, (_, why) in schedule.refused.items()} == WHY
    for job, true in WHY.items():
        for why in {NO_LENGTH, NO_ROOM, PAST_LATEST, BEYOND_HORIZON} - {true}:
            refused = schedule.refused | {job: schedule.refused[job]._replace(why=why)}
            message = f"^job {job} was refused .* for '{why}' after .* these: '{true}'$"
            assert_fails(replace(schedule, refused=refused), message)
    for job, tried in ((3, 2), (4, 0), (4, 2), (5, 3), (5, 1)):
        assert_fails(broken(schedule, "attempts", job, tried), f"^job {job} was refused at")


def test_an_earlier_attempt_that_had_room_is_noticed():
    patient = replace(FEW, max_attempts=4)
    schedule = co.simulate(co.Multicluster([2]), LINE[[0, 1, 3]], scheduling=patient).verify()
    late = attempt(schedule, 2, 3, 41)
    assert_fails(late, "^job 2 has attempt 3, but there was room at attempt 2$")


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
def test_servers_that_the_rule_would_not_choose_are_noticed(rule):
    jobs = co.JobStream([0, 1, 11], [10, 5, 5], [1, 1, 1], request="total")
    schedule = co.simulate(co.Multicluster([3]), jobs, scheduling=replace(TERMS, rule=rule))
    mine = schedule.verify().servers[2].tolist()
    wrong = with_servers(schedule, 2, [(mine[0] + 1) % 3])
    assert_fails(wrong, rf"^job 2 at 11: has servers .* by the rule {rule} these are \[{mine[0]}\]")


def test_a_job_that_was_refused_though_there_was_room_is_noticed():
    jobs = co.JobStream([0, 1], [5, 5], [1, 1], request="total")
    system, policy = co.Multicluster([1]), co.Online(10, 5, 2, 50)
    wide = co.simulate(system, jobs.replace(runtime=[20, 5]), scheduling=policy).verify()
    assert wide.refused[1].why == NO_ROOM
    wrong = broken(replace(wide, jobs=jobs), "end", 0, 5)
    assert_fails(wrong, "^job 1 has attempt 2, and was refused, but there was room at attempt 2$")


@given(systems_and_streams(most_jobs=20), onlines(), st.data())
def test_bookings_pass_exactly_where_a_second_simulation_comes_to_them(case, policy, data):
    """A job given other servers, or a later attempt, is what the naive bookings are not."""
    system, jobs = case
    jobs = data.draw(asking(jobs)) if data.draw(st.booleans()) else jobs
    schedule = co.simulate(system, jobs, scheduling=policy).verify()
    assert [servers.tolist() for servers in schedule.servers] == [
        wanted.servers for wanted in online(system, jobs, policy)
    ]
    served = np.flatnonzero(schedule.served)
    assume(len(served))
    job = int(data.draw(st.sampled_from(served.tolist())))
    if data.draw(st.booleans()):
        number = int(schedule.attempts[job]) + data.draw(st.integers(1, 3))
        start = jobs.earliest_start[job] + (number - 1) * policy.step
        changed = attempt(schedule, job, number, start)
        length = jobs.runtime[job] * (1 + jobs.span_penalty[job] * schedule.spans[job])
        changed = broken(changed, "end", job, start + length)
    else:
        others = data.draw(st.permutations(range(system.processors)))
        changed = sorted(others[: len(schedule.servers[job])])
        assume(changed != schedule.servers[job].tolist())
        changed = with_servers(schedule, job, changed)
    assert_fails(changed, "^job ")


# Policies of one's own.


class Shortest(co.Scheduling):
    """The shortest job first; it overtakes nobody, and rejects jobs of more than 5 processors."""

    def start_jobs(self, state):
        for job in state.queue:
            if job.processors > 5:
                state.refuse(job, "too wide")
        for job in sorted(state.queue, key=lambda job: job.estimate):
            if not state.start(job):
                state.promise(job, state.now + 1)
                break


class Waiting(co.Scheduling):
    """Each job waits for 3 time units; the policy asks to be called then."""

    def start_jobs(self, state):
        for job in state.queue:
            if state.now < job.submit + 3:
                state.wake(job.submit + 3)
            elif not state.start(job):
                break


class Alternating(co.Scheduling):
    """A policy with memory: it takes the last job of the queue after each first job."""

    takes_backlog = False

    def begin(self, system):
        return Turns()


class Turns:
    def __init__(self):
        self.started = 0

    def start_jobs(self, state):
        while state.queue and state.start(state.queue[-(self.started % 2)]):
            self.started += 1


OWN = [Shortest(), Waiting(), Alternating()]


@pytest.mark.parametrize("policy", OWN, ids=lambda policy: type(policy).__name__)
@given(case=systems_and_streams(), data=st.data())
def test_any_other_start_under_a_policy_of_ones_own_is_noticed(policy, case, data):
    system, jobs = case
    backlog = data.draw(st.sampled_from([None, 2])) if type(policy) is Shortest else None
    schedule = co.simulate(system, jobs, scheduling=policy, engine="reference", backlog=backlog)
    assert schedule.verify().unchecked == ""
    served = np.flatnonzero(schedule.served)
    assume(len(served))
    job = int(data.draw(st.sampled_from(served.tolist())))
    ends = schedule.end[served]
    instants = np.concatenate([schedule.jobs.submit, ends, ends + 1, schedule.jobs.submit + 0.5])
    start = data.draw(st.sampled_from(np.unique(instants).tolist()))
    assume(start != schedule.start[job])
    length = schedule.end[job] - schedule.start[job]
    changed = broken(broken(schedule, "start", job, start), "end", job, start + length)
    assert_fails(changed, "^job ")


def test_another_rejection_or_promise_of_a_policy_of_ones_own_is_noticed():
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 6, 4], request="total")
    schedule = co.simulate(co.Multicluster([6]), jobs, scheduling=Shortest(), engine="reference")
    assert schedule.verify().refused == {1: Refusal(1.0, "too wide")}
    assert schedule.promised[2] == 3
    for refusal in (Refusal(1.0, "other"), Refusal(2.0, "too wide")):
        wrong = replace(schedule, refused={1: refusal})
        assert_fails(wrong, r"^job 1 at 1: Shortest.* refuses it then for 'too wide', and it was")
    assert_fails(broken(schedule, "promised", 2, 4), "^job 2 at 2: heads the queue, was promised a")
    assert_fails(broken(schedule, "promised", 0, 4), "^job 0 at 0: was promised .* it nothing$")
    served = replace(broken(moved(schedule, 1, 0), "start", 1, 10), refused={})
    served = broken(broken(served, "end", 1, 15), "allocation", 1, [6])
    assert_fails(served, "^job 1 at 1: Shortest.* refuses it then .*, and it starts only at 10$")
    rejected = replace(schedule, refused=schedule.refused | {2: Refusal(4.0, "late")})
    rejected = broken(broken(rejected, "start", 2, np.nan), "end", 2, np.nan)
    rejected = broken(rejected, "allocation", 2, [0])
    assert_fails(rejected, "^job 2 at 4: was refused for 'late', and Shortest.* does not refuse it")


class Widest(Shortest):
    """A policy whose order has a name of its own."""

    order = "widest"


def test_an_order_that_the_library_does_not_know_is_no_obstacle():
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 4, 4], request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=Widest(), engine="reference")
    schedule.verify()
    assert_fails(moved(moved(schedule, 1, 10), 2, 5), "^job 1 at 5: Widest.* starts it then")
    assert_fails(broken(schedule, "promised", 1, 9), "^job 1 at 1: heads the queue, was promised")


class Reserving(co.Scheduling):
    """A policy that serves reservations and promises nothing: it keeps the limits, and no more."""

    takes_reservations = True

    def start_jobs(self, state):
        for job in state.queue:
            if state.now < job.earliest_start:
                state.wake(job.earliest_start)
            else:
                state.start(job)


def test_a_policy_of_ones_own_may_serve_reservations_without_promises():
    jobs = co.JobStream([0, 0], [4, 2], [2, 4], request="total", earliest_start=[0, 3])
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=Reserving(), engine="reference")
    assert schedule.verify().start.tolist() == [0, 4]
    early = replace(moved(schedule, 1, 2), start=np.array([7.0, 2]), end=np.array([11.0, 4]))
    with pytest.raises(ScheduleError, match=r"^job 1 at 2: starts before its earliest start, 3$"):
        early.verify(most_jobs=0)


# The state in which a policy decides again.


@given(systems_and_streams(most_jobs=30), st.data())
def test_the_implied_state_places_jobs_as_the_placement_does(case, data):
    """It keeps answers while the same processors are idle, and no longer."""
    system, stream = case
    placement = data.draw(placements(len(system), stream.request))
    rule = co.WorstFit() if placement is None else placement
    state = ImpliedState(system, stream, placement)
    coming = jobs_of(stream)
    for _ in range(data.draw(st.integers(1, 8))):
        for job in [coming.pop() for _ in coming[:20]]:
            state.enter(job)
        for job in state.queue:
            wanted = rule.place(job.components, stream.request, state.idle)
            for answer in (state.place(job), state.place(job), state.place(job, state.idle)):
                assert (answer and list(answer)) == (wanted and list(wanted))
        if state.running and data.draw(st.booleans()):
            state.finish(state.running[0])
        for job in state.queue:
            wanted = rule.place(job.components, stream.request, state.idle)
            assert state.start(job) == (wanted is not None)


def test_a_policy_may_change_the_allocation_that_it_was_told():
    stream = co.JobStream([0], [1], [2], request="total")
    state = ImpliedState(co.Multicluster([4]), stream, None)
    (job,) = jobs_of(stream)
    state.enter(job)
    for idle in (None, [3]):
        state.place(job, idle)[0] = 9
        assert state.place(job, idle) == [2]


def test_above_a_number_of_jobs_only_the_rules_of_the_model_are_checked():
    late = moved(right(), 1, 11)
    assert late.verify(most_jobs=3) is late
    with pytest.raises(ScheduleError, match="job 1 at 10"):
        late.verify(most_jobs=4)
    with pytest.raises(co.InputError, match="most_jobs = -1"):
        late.verify(most_jobs=-1)
    count = MOST_JOBS + 1
    jobs = co.JobStream(np.arange(count), np.ones(count), np.ones(count, int), request="total")
    schedule = co.simulate(co.Multicluster([1]), jobs)
    delayed = moved(schedule, count - 1, count + 5.0)
    assert "verify(most_jobs=50001) checks it" in delayed.verify().unchecked
    with pytest.raises(ScheduleError, match="job 50000 at 50000"):
        delayed.verify(most_jobs=count)


def test_decisions_are_not_checked_by_default_where_so_many_jobs_wait_that_it_takes_minutes(
    monkeypatch,
):
    """The last of 50 jobs starts late. Under FCFS a long queue costs little."""
    count = 50
    jobs = co.JobStream(np.zeros(count), np.ones(count), np.ones(count, int), request="total")
    monkeypatch.setattr(verification, "MOST_WAITING", count**2 // 2 - 1)
    for policy, is_checked in ((co.FCFS(), True), (co.EASY(), False), (co.FPFS(3), False)):
        schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=policy)
        late = moved(schedule, count - 1, count + 5.0)
        assert ("jobs wait on average" in late.unchecked) is not is_checked
        if is_checked:
            with pytest.raises(ScheduleError):
                late.verify()
        else:
            assert late.verify() is late
        with pytest.raises(ScheduleError):
            late.verify(most_jobs=count)
    monkeypatch.setattr(verification, "MOST_WAITING", count * (count + 1))
    assert late.unchecked == ""
    with pytest.raises(ScheduleError):
        late.verify()


def long_queue(jobs, clusters=40):
    """A schedule of EASY in which ever more jobs wait: three times what the clusters can do."""
    rng = np.random.default_rng(5)
    components, runtime = rng.integers(1, 17, (jobs, 4)), rng.exponential(1000, jobs)
    span = (components.sum(axis=1) * runtime).sum() / (16 * clusters)
    stream = co.JobStream(
        np.sort(rng.uniform(0, span / 3, jobs)), runtime, components,
        runtime * rng.uniform(1, 5, jobs),
    )  # fmt: skip
    return co.simulate(co.Multicluster([16] * clusters), stream, scheduling=co.EASY())


def test_a_long_check_can_be_interrupted():
    schedule = long_queue(500)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            schedule.verify()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    schedule.verify()


@pytest.mark.long
def test_a_long_queue_on_many_clusters_is_checked_in_reasonable_time():
    """A job that does not fit costs little, so twice the jobs take about four times as long."""
    seconds = []
    for jobs in (1_000, 2_000):
        schedule = long_queue(jobs, clusters=200)
        begin = time.process_time()
        schedule.verify()
        seconds.append(time.process_time() - begin)
    assert seconds[1] < 6 * seconds[0]
