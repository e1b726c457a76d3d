"""The two engines make the same schedule, job for job, and it keeps the rules."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from tests.cases import cases
from tests.conftest import POLICIES
from tests.schedules.overtaking import times_overtaken


def same(one, other):
    """Assert that two schedules are equal, bit for bit."""
    np.testing.assert_array_equal(one.start, other.start)
    np.testing.assert_array_equal(one.end, other.end)
    np.testing.assert_array_equal(one.allocation, other.allocation)
    np.testing.assert_array_equal(one.jobs.submit, other.jobs.submit)
    np.testing.assert_array_equal(one.promised, other.promised)
    assert one.refused == other.refused
    assert (one.attempts is None) == (other.attempts is None)
    if one.attempts is not None:
        np.testing.assert_array_equal(one.attempts, other.attempts)
        np.testing.assert_array_equal(one.servers.first, other.servers.first)
        np.testing.assert_array_equal(one.servers.ids, other.servers.ids)


def both(system, jobs, **how):
    """Run both engines, assert that their schedules are equal, and return one, verified."""
    one, other = (
        co.simulate(system, jobs, engine=engine, **how) for engine in ("compiled", "reference")
    )
    same(one, other)
    return one.verify(most_jobs=0)  # The readable engine has made the decisions again.


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=3 * settings.default.max_examples)
@given(data=st.data())
def test_both_engines_agree(name, data):
    """Both engines make the same schedule of sampled cases; `tests/cases.py` samples them."""
    system, jobs, how = data.draw(cases(POLICIES[name]))
    both(system, jobs, **how)


@pytest.mark.parametrize(
    ("sizes", "processors"),
    [
        ([7, 8], [1, 1, 1, 1, 1, 1, 8, 1, 8, 1, 1, 6]),
        ([4, 5], [1, 1, 1, 1, 1, 1, 5, 1, 5, 1, 1, 1]),
    ],
)
def test_a_head_that_has_lost_its_hope_starts_after_the_whole_queue_was_examined(sizes, processors):
    """A head that waits for a single cluster in vain starts after the rest of the queue.

    Job 8 waits for the cluster of job 7, which has a length of 0. Job 9, which is longer, overtakes
    job 8 and takes this cluster. Job 8 then starts on several clusters, but the jobs behind job 9
    are examined before it starts.
    """
    number, processors = np.arange(12), np.array(processors)
    home = np.isin(number, [7, 9]).astype(int)
    home[processors > np.array(sizes)[home]] = -1
    components = np.zeros((12, 3), dtype=int)
    components[number, home + 1] = processors
    runtime = (number == 9).astype(float)
    jobs = co.JobStream(np.zeros(12), runtime, components, request="flexible")
    placement = co.HomeSite(co.SingleThenSpan(single=co.BestFit()))
    both(co.Multicluster(sizes), jobs, scheduling=co.EASY(adaptive=True), placement=placement)


def test_same_schedule_of_jobs_of_one_instant_where_spanning_is_adaptive():
    """Most jobs have a length of 0, so processors become idle and busy again at one instant."""
    for seed in range(1000):
        random = np.random.default_rng(seed)
        sizes = random.integers(2, 9, random.integers(2, 4))
        n = random.integers(5, 14)
        runtime, estimate = random.choice([0, 0, 1, 2], n), random.choice([0, 0, 1, 3], n)
        rows = random.integers(0, 2, n), runtime, random.integers(1, sizes.sum() // 2 + 2, n)
        penalty = random.choice([0, 0, 0.5])
        jobs = co.JobStream(*rows, estimate, request="flexible", span_penalty=penalty)
        placement = co.SingleThenSpan(single=random.choice([co.BestFit(), co.WorstFit()]))
        how = {"scheduling": co.EASY(adaptive=True), "placement": placement}
        both(co.Multicluster(sizes.tolist()), jobs, **how)


@given(cases(POLICIES["EASY-adaptive"]))
def test_adaptive_spanning_that_costs_nothing_is_plain(case):
    system, jobs, how = case
    jobs = jobs.replace(span_penalty=0.0, runtime=jobs.runtime + 1, estimate=None)
    plain = replace(how["scheduling"], adaptive=False)
    one, other = (
        co.simulate(system, jobs, **how | {"scheduling": easy})
        for easy in (plain, how["scheduling"])
    )
    same(one, other)


@pytest.mark.parametrize("policy", [co.EASY, co.Conservative])
@pytest.mark.parametrize("order", ["shortest", "smallest", "priority"])
def test_same_schedule_of_a_long_ordered_queue(policy, order):
    """The queue is long enough for trees of several levels, and many new jobs become the head."""
    rng, n = np.random.default_rng(5), 600 if policy is co.EASY else 150
    runtime = rng.exponential(2, n)
    columns = {"estimate": runtime * rng.choice([1, 3], n), "priority": rng.integers(0, 5, n)}
    jobs = co.JobStream(
        np.sort(rng.integers(0, n // 10, n)), runtime, rng.integers(1, 13, n), **columns
    )
    system = co.Multicluster([12, 12, 9])
    schedule = both(system, jobs.replace(request="total"), scheduling=policy(order=order))
    assert times_overtaken(schedule).max() > n / 12


@given(cases(POLICIES["EASY"] | POLICIES["Conservative"], has_reservations=False))
def test_priorities_that_fall_from_job_to_job_are_the_order_of_arrival(case):
    system, jobs, how = case
    order = np.argsort(jobs.submit, kind="stable") if how["backlog"] is None else range(len(jobs))
    priority = np.empty(len(jobs))
    priority[order] = np.arange(len(jobs), 0, -1)
    plain = co.simulate(system, jobs, **how)
    how["scheduling"] = type(how["scheduling"])(order="priority")
    same(plain, co.simulate(system, jobs.replace(priority=priority), **how).verify())


@given(cases(POLICIES["Conservative"], most_jobs=25, has_reservations=False))
def test_a_reservation_far_ahead_changes_nothing(case):
    system, jobs, how = case
    how = how | {"backlog": None}
    jobs = jobs.replace(runtime=jobs.runtime + 1, estimate=jobs.estimate + 1)
    longer = jobs[np.append(0, np.arange(len(jobs)))]
    longer = longer.replace(earliest_start=np.append(1e6, longer.submit[1:]))
    alone = co.simulate(system, jobs, **how)
    beside = both(system, longer, **how)
    np.testing.assert_array_equal(beside.start[1:], alone.start)
    np.testing.assert_array_equal(beside.allocation[1:], alone.allocation)


def test_a_job_that_need_not_span_in_the_longer_window_is_booked_for_the_shorter_time():
    """A job that fits on two clusters may get a single cluster in the second placement.

    On both clusters, job 1 would run until 15. From 10 to 15 it fits only on the second cluster, on
    which it ends at 10.
    """
    jobs = co.JobStream([0, 0, 0], [5, 10, 2], [2, 5, 8], request="flexible")
    jobs = jobs.replace(span_penalty=[0, 0.5, 0], earliest_start=[12, 0, 10])
    how = {"scheduling": co.Online(10, 5, 8, 100), "placement": co.BestFit()}
    schedule = both(co.Multicluster([2, 6]), jobs, **how)
    assert schedule.allocation[1].tolist() == [0, 5]
    assert schedule.start.tolist() == [12, 0, 10]


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
@pytest.mark.parametrize("request_type", ["flexible", "unordered", "total"])
def test_same_bookings_on_many_servers(request_type, rule):
    """Both engines book the same on many processors, with failed attempts and early ends."""
    rng, n = np.random.default_rng(3), 700
    runtime = rng.exponential(30, n).round(1)
    jobs = co.JobStream(
        np.sort(rng.uniform(0, 900, n)),
        runtime,
        rng.integers(0, 17, (n, 1 if request_type == "total" else 2)) + 1,
        estimate=runtime * rng.choice([1, 1.5, 4], n),
        request=request_type,
        span_penalty=rng.choice([0, 0.3], n),
    ).reserved_ahead(0.3, 40.0, 1)
    policy = co.Online(10, 3, 40, 400, rule, release_early=True)
    schedule = both(co.Multicluster([109, 69]), jobs, scheduling=policy)
    assert schedule.attempts.max() == 40
    assert 20 < len(schedule.refused) < n / 2


@pytest.mark.parametrize("max_jumps", [1, 20, 10_000])
@pytest.mark.parametrize("request_type", ["ordered", "unordered", "flexible", "total", "whole"])
def test_same_schedule_with_a_long_queue(max_jumps, request_type):
    """The queue is long enough for a tree of several levels, with rows lower than necessary."""
    rng, n, how = np.random.default_rng(max_jumps), 800, {"request": request_type}
    submit, runtime, sizes = np.sort(rng.integers(0, 60, n)), rng.exponential(2, n), [12, 9, 8]
    components, placement = rng.integers(1, 8, (n, 3)), None
    if request_type == "total":
        components = rng.integers(1, 13, n)
    elif request_type == "whole":  # unordered jobs that may stay so
        components, how, sizes = rng.integers([1, 0, 0], [9, 8, 8], (n, 3)), {}, [22, 9, 8]
        placement = co.SingleThenSpan()
    jobs = co.JobStream(submit, runtime, components, span_penalty=0.3, **how)
    policy = co.FPFS(max_jumps=max_jumps)
    schedule = both(co.Multicluster(sizes), jobs, scheduling=policy, placement=placement)
    assert times_overtaken(schedule).max() > 0
    wide = np.count_nonzero(jobs.components, axis=1) > 1
    assert request_type != "whole" or 0 < schedule.spans.sum() < wide.sum()


@settings(max_examples=60)
@given(cases(POLICIES["FCFS"]))
def test_one_waiting_job_saturates_fcfs(case):
    """Under FCFS, a longer queue of constant length changes no start and no allocation."""
    system, jobs, how = case
    jobs = jobs.replace(runtime=jobs.runtime + 0.5)  # A job of length 0 leaves between two starts.
    one, many = (
        co.simulate(system, jobs, **how | {"backlog": backlog}) for backlog in (1, len(jobs))
    )
    np.testing.assert_array_equal(one.start, many.start)
    np.testing.assert_array_equal(one.allocation, many.allocation)


def uncompiled(tmp_path, code, *arguments):
    """Return what Python code prints if it runs without compilation."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code, *arguments]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return run.stdout


#: A program that runs the agreement test of one policy.
AGAIN = f"""
import sys, pytest
test = "{__file__}::test_both_engines_agree[" + sys.argv[1] + "]"
sys.exit(pytest.main(["-p", "no:cacheprovider", test]))
"""


@pytest.mark.parametrize(
    "policy",
    [
        "EASY",
        pytest.param("Online-latest-start", marks=pytest.mark.long),
        pytest.param("Online-best-fit", marks=pytest.mark.long),
    ],
)
def test_kernels_uncompiled_as_compiled(tmp_path, policy):
    assert "1 passed" in uncompiled(tmp_path, AGAIN, policy)
