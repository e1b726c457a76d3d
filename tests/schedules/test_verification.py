"""Each rule of the model is checked: an error names the first job at fault and the instant."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.schedules.verification.faults import raise_first
from tests.conftest import (
    backfilling,
    in_turn,
    ordered,
    placements,
    systems_and_streams,
)
from tests.schedules.damage import SYSTEM, assert_fails, broken, moved, right


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
        # Job 1 spans clusters and therefore runs half as long again as its run time of 5. Job 3 has
        # no penalty.
        (lambda s: broken(s, "end", 1, 15), "job 1 at 10: ends at 15, but its time .* is 7.5$"),
        (lambda s: broken(s, "end", 3, 6), "job 3 at 3: ends at 6, but its time .* is 2$"),
        (
            lambda s: broken(s, "end", 1, np.nextafter(17.5, 0)),
            "job 1 at 10: ends at 17.5, but its",
        ),
        (lambda s: broken(s, "end", 0, np.nextafter(10, 99)), "job 0 at 0: ends at 10, but its"),
        (lambda s: moved(s, 1, 3), "job 1 at 3: cluster 0 has 4 processors, but 6 are in use$"),
        (
            lambda s: moved(s, 1, np.nextafter(10, 0)),
            "job 1 at 10: cluster 0 has 4 processors, but 6",
        ),
        (
            lambda s: moved(s, 1, 11),
            r"job 1 at 10: FPFS\(max_jumps=2\) would start it now on .*, but it starts only at 11$",
        ),
        (
            lambda s: replace(s, scheduling=co.FPFS(1)),
            r"job 3 at 3: FPFS\(max_jumps=1\) would not start it now; job 1 heads the queue$",
        ),
        (
            lambda s: replace(s, scheduling=co.FCFS()),
            r"job 2 at 2: FCFS\(\) would not start it now; job 1 heads the queue$",
        ),
        # Of two faults the earlier one is named.
        (lambda s: broken(broken(s, "end", 1, 99), "end", 3, 99), "job 3 at 3: ends at 99"),
        (lambda s: replace(s, refused={2: Refusal(2.0, "")}), "job 2 was rejected but has a start"),
    ],
)
def test_a_broken_rule_is_noticed(wrong, message):
    assert_fails(wrong(right()), f"^{message}")


@pytest.mark.parametrize("column", ["start", "end", "promised", "allocation"])
def test_an_array_without_an_entry_for_every_job_is_noticed(column):
    schedule = right()
    values = getattr(schedule, column)
    shape = str(values.shape)
    message = rf"^{column} has the shape \(3,.*; give an array of shape {re.escape(shape)}$"
    assert_fails(replace(schedule, **{column: values[:-1]}), message)


def test_an_allocation_without_a_column_for_every_cluster_is_noticed():
    schedule = right()
    message = r"^allocation has the shape \(4, 1\); give an array of shape \(4, 2\)$"
    assert_fails(replace(schedule, allocation=schedule.allocation[:, :1]), message)


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
    message = f"^job {job} at {schedule.start[job]:g}: has .* for the components .*{request_type}"
    assert_fails(broken(schedule, "allocation", job, allocation), message)


def test_a_job_that_may_stay_whole_is_whole_or_in_its_components():
    jobs = co.JobStream([0], [4], [[2, 1]], span_penalty=0)
    schedule = co.simulate(SYSTEM, jobs, placement=co.SingleThenSpan()).verify()
    assert schedule.allocation.tolist() == [[0, 3]]
    for other in ([3, 0], [2, 1], [1, 2]):
        message = r"^job 0 at 0: has .*, but SingleThenSpan.* would give it \[0, 3\]$"
        assert_fails(broken(schedule, "allocation", 0, other), message)
        broken(schedule, "allocation", 0, other).verify(most_jobs=0)
    for wrong in ([0, 2], [4, -1], [2, 2]):
        message = r"^job 0 at 0: has .* for the components \[2, 1\] \(unordered\)$"
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
    """Job 0 has cluster 0 until 5, and job 1 has the other processors until 9. At 5 exactly 4
    processors are idle."""
    jobs = co.JobStream([0, 0, 1], [5, 9, 1], [[4, 0], [3, 0], components], request=request_type)
    schedule = co.simulate(SYSTEM, jobs, placement=placement).verify()
    assert schedule.start[2] == (5 if fits else 9)
    if fits:
        lazy = moved(schedule, 2, 9)
        assert_fails(lazy, r"^job 2 at 5: FCFS\(\) would start it now .* but it starts only at 9$")
        lazy.verify(most_jobs=0)


def test_a_placement_that_chose_another_cluster_is_noticed():
    """Two jobs of 2 processors run on clusters of 4 and 3. First fit puts both jobs on the first
    cluster, and best fit puts job 0 on the second one."""
    jobs = co.JobStream([0, 1], [5, 5], [2, 2], request="total")
    schedule = co.simulate(SYSTEM, jobs, placement=co.FirstFit()).verify()
    assert schedule.allocation.tolist() == [[2, 0], [2, 0]]
    assert_fails(
        replace(schedule, placement=co.BestFit()),
        r"^job 0 at 0: has the allocation \[2, 0\], but BestFit",
    )
    wrong = broken(schedule, "allocation", 1, [0, 2])
    assert_fails(
        wrong, r"^job 1 at 1: has the allocation \[0, 2\], but FirstFit.* would give it \[2, 0\]$"
    )
    own = type("Own", (co.FirstFit,), {})()
    assert replace(schedule, placement=own).verify().unchecked == ""
    assert_fails(
        replace(wrong, placement=own),
        r"^job 1 at 1: has the allocation \[0, 2\], but Own.* \[2, 0\]$",
    )


def test_who_runs_for_no_time_fits_beside_those_that_run_across_its_instant():
    jobs = co.JobStream([0, 0, 0], [4, 0, 5], [[3, 0], [3, 0], [0, 1]], request="ordered")
    schedule = co.simulate(SYSTEM, jobs).verify()
    assert schedule.start.tolist() == [0, 4, 4]
    early = broken(broken(schedule, "start", 1, 2), "end", 1, 2)
    message = "^job 1 at 2: cluster 0 has 4 processors, but 6 are in use$"
    with pytest.raises(ScheduleError, match=message):
        early.verify(most_jobs=0)


def test_a_held_queue_is_replayed_as_it_was_held():
    """With a constant queue of two jobs, job 2 enters only when job 0 starts, and job 3 only when
    job 1 starts."""
    jobs = co.JobStream([0, 0, 0, 0], [5, 5, 1, 1], [4, 2, 4, 1], request="total")
    policy = co.FPFS(9)
    schedule = co.simulate(co.Multicluster([5]), jobs, scheduling=policy, backlog=2).verify()
    assert schedule.start.tolist() == [0, 5, 10, 5]
    assert schedule.jobs.submit.tolist() == [0, 0, 0, 5]
    assert_fails(replace(schedule, backlog=3), "^job 3 at 0: would enter the queue now")


@given(systems_and_streams(), st.one_of(in_turn, backfilling, ordered), st.data())
def test_any_other_start_is_noticed(case, policy, data):
    """The policies of the library decide by the state alone, so every other start of a job is
    wrong."""
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


def test_a_rejected_job_at_fault_has_no_instant_and_comes_last():
    schedule = right()
    schedule = broken(broken(schedule, "start", 0, np.nan), "start", 2, np.nan)
    every, words = np.ones(4, dtype=bool), "is at fault"
    with pytest.raises(ScheduleError, match=r"^job 3 at 3: is at fault$"):
        raise_first(every, schedule, lambda _job: words)
    with pytest.raises(ScheduleError, match=r"^job 0 is at fault$"):
        raise_first(np.array([True, False, True, False]), schedule, lambda _job: words)
