"""The two engines make the same schedule, job for job, and it keeps the rules."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies.backfilling import ORDERS
from tests.conftest import (
    asking,
    divisible_streams,
    onlines,
    ordered,
    placements,
    policies,
    systems_and_streams,
)


def same(one, other):
    """Assert that two schedules agree to the last bit."""
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
    """Run both engines, compare their schedules, verify one; return it."""
    one, other = (
        co.simulate(system, jobs, engine=engine, **how) for engine in ("compiled", "reference")
    )
    same(one, other)
    return one.verify()


BACKLOGS = st.sampled_from([None, None, None, 1, 2, 7, 1000])


@settings(max_examples=2 * settings.default.max_examples)
@given(systems_and_streams(), policies, st.data(), BACKLOGS)
def test_same_schedule(case, scheduling, data, backlog):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    both(system, jobs, scheduling=scheduling, placement=placement, backlog=backlog)


@settings(max_examples=3 * settings.default.max_examples)
@given(divisible_streams(), policies | onlines(), BACKLOGS)
def test_same_schedule_of_jobs_that_may_stay_whole(case, scheduling, backlog):
    system, jobs, placement = case
    backlog = None if isinstance(scheduling, co.Online) else backlog
    both(system, jobs, scheduling=scheduling, placement=placement, backlog=backlog)


def with_a_table(jobs, data):
    """Jobs with a penalty of each for 2, 3, ... clusters: whole quarters, so that no sum rounds."""
    share = st.integers(0, 8).map(lambda n: n / 4)
    width = data.draw(st.integers(1, 4))
    row = st.lists(share, min_size=width, max_size=width)
    table = data.draw(st.lists(row, min_size=len(jobs), max_size=len(jobs)))
    return jobs.replace(span_penalty=np.sort(table, axis=1))


SPREAD = systems_and_streams(requests=("flexible", "unordered", "total"))


@given(SPREAD, policies | onlines(), st.data(), BACKLOGS)
def test_same_schedule_where_penalties_grow_with_the_clusters(case, scheduling, data, backlog):
    system, jobs = case
    backlog = backlog if scheduling.takes_backlog else None
    placement = data.draw(placements(len(system), jobs.request))
    jobs = with_a_table(jobs, data)
    both(system, jobs, scheduling=scheduling, placement=placement, backlog=backlog)


@settings(max_examples=3 * settings.default.max_examples)
@given(SPREAD | divisible_streams(), st.data(), BACKLOGS)
def test_same_schedule_where_spanning_is_adaptive(case, data, backlog):
    system, jobs, placement = (*case, co.SingleThenSpan())[:3]
    jobs = with_a_table(jobs, data) if data.draw(st.booleans()) else jobs
    how = {"placement": placement, "backlog": backlog}
    both(system, jobs, scheduling=co.EASY(adaptive=True), **how)


@pytest.mark.parametrize(
    ("sizes", "processors"),
    [
        ([7, 8], [1, 1, 1, 1, 1, 1, 8, 1, 8, 1, 1, 6]),
        ([4, 5], [1, 1, 1, 1, 1, 1, 5, 1, 5, 1, 1, 1]),
    ],
)
def test_a_head_that_has_lost_its_hope_starts_after_the_whole_queue_was_examined(sizes, processors):
    """Job 8 would wait for job 7, which takes no time; then job 9, which takes some, passes it.

    Only now would job 8 span the clusters. The jobs behind job 9 are examined before it does.
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
    """Most take no time, so that what a job waits for comes and goes within the instant."""
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


@given(SPREAD, st.data())
def test_adaptive_spanning_that_costs_nothing_is_plain(case, data):
    system, jobs = case
    jobs = jobs.replace(span_penalty=0.0, runtime=jobs.runtime + 1, estimate=None)
    plain, other = (
        co.simulate(system, jobs, scheduling=easy, placement=co.SingleThenSpan())
        for easy in (co.EASY(), co.EASY(adaptive=True))
    )
    same(plain, other)


@st.composite
def with_priorities(draw, cases):
    """The case, with a priority of each job."""
    system, jobs, *more = draw(cases)
    number = st.integers(0, 3)
    priority = draw(st.lists(number, min_size=len(jobs), max_size=len(jobs)))
    return system, jobs.replace(priority=priority), *more


@settings(max_examples=4 * settings.default.max_examples)
@given(with_priorities(systems_and_streams() | divisible_streams()), ordered, st.data(), BACKLOGS)
def test_same_schedule_of_an_ordered_queue(case, scheduling, data, backlog):
    system, jobs, *rule = case
    placement = rule[0] if rule else data.draw(placements(len(system), jobs.request))
    both(system, jobs, scheduling=scheduling, placement=placement, backlog=backlog)


@given(with_priorities(SPREAD), st.sampled_from(["shortest", "priority"]))
def test_same_schedule_of_an_ordered_queue_where_spanning_is_adaptive(case, order):
    how = {"scheduling": co.EASY(adaptive=True, order=order), "placement": co.SingleThenSpan()}
    both(*case, **how)


@pytest.mark.parametrize("policy", [co.EASY, co.Conservative])
@pytest.mark.parametrize("order", ["shortest", "smallest", "priority"])
def test_same_schedule_of_a_long_ordered_queue(policy, order):
    """The trees over the queue have several levels here, and many a job comes before the head."""
    rng, n = np.random.default_rng(5), 600 if policy is co.EASY else 150
    runtime = rng.exponential(2, n)
    columns = {"estimate": runtime * rng.choice([1, 3], n), "priority": rng.integers(0, 5, n)}
    jobs = co.JobStream(
        np.sort(rng.integers(0, n // 10, n)), runtime, rng.integers(1, 13, n), **columns
    )
    system = co.Multicluster([12, 12, 9])
    schedule = both(system, jobs.replace(request="total"), scheduling=policy(order=order))
    assert schedule.overtaken.max() > n / 12


@given(systems_and_streams(), st.sampled_from([co.EASY, co.Conservative]), st.data(), BACKLOGS)
def test_priorities_that_fall_from_job_to_job_are_the_order_of_arrival(case, policy, data, backlog):
    system, jobs = case
    rank = (
        np.argsort(np.argsort(jobs.submit, kind="stable"))
        if backlog is None
        else np.arange(len(jobs))
    )
    how = {"placement": data.draw(placements(len(system), jobs.request)), "backlog": backlog}
    plain = co.simulate(system, jobs, scheduling=policy(), **how)
    jobs = jobs.replace(priority=len(jobs) - rank)
    same(plain, co.simulate(system, jobs, scheduling=policy(order="priority"), **how).verify())


@given(systems_and_streams(), onlines(), st.data())
def test_same_bookings(case, scheduling, data):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    jobs = data.draw(asking(jobs)) if data.draw(st.booleans()) else jobs
    both(system, jobs, scheduling=scheduling, placement=placement)


@given(systems_and_streams(most_jobs=25), st.data())
def test_same_schedule_around_reservations(case, data):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    asked = data.draw(asking(jobs))
    both(system, asked, scheduling=co.Conservative(), placement=placement)
    both(system, asked, scheduling=co.Conservative(order="shortest"), placement=placement)


@st.composite
def crowds_at_few_instants(draw):
    """Up to three clusters, and short jobs, many without length, many with a reservation."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    request = draw(st.sampled_from(["ordered", "flexible", "total", "unordered"]))
    width = len(sizes) if request == "ordered" else 1
    most = {"ordered": min(sizes), "flexible": sum(sizes)}.get(request, max(sizes))
    parts = st.lists(st.integers(1, most), min_size=width, max_size=width)
    submit, length, more = st.integers(0, 4), st.sampled_from([0, 0, 1, 2, 3]), st.integers(0, 1)
    row = st.tuples(submit, length, more, parts, length, st.sampled_from([0, 1, np.inf, np.inf]))
    rows = draw(st.lists(row, min_size=3, max_size=12))
    submit, runtime, more, parts, ahead, within = map(np.array, zip(*rows, strict=True))
    jobs = co.JobStream(
        submit,
        runtime,
        parts,
        runtime + more,
        request,
        draw(st.sampled_from([0.0, 0.5])) if request != "ordered" else 0.0,
        earliest_start=submit + ahead,
        latest_start=submit + ahead + within,
    )
    return co.Multicluster(sizes), jobs


conservative = st.builds(co.Conservative, order=st.sampled_from(ORDERS))


@settings(max_examples=5 * settings.default.max_examples)
@given(with_priorities(crowds_at_few_instants()), conservative)
def test_same_schedule_where_much_happens_at_one_instant(case, scheduling):
    """Reservations clash, and jobs of no length leave in further rounds of an instant."""
    both(*case, scheduling=scheduling)


@given(systems_and_streams(most_jobs=25), st.data())
def test_a_reservation_far_ahead_changes_nothing(case, data):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    jobs = jobs.replace(runtime=jobs.runtime + 1, estimate=jobs.estimate + 1)
    longer = jobs[np.append(0, np.arange(len(jobs)))]
    longer = longer.replace(earliest_start=np.append(1e6, longer.submit[1:]))
    how = {"scheduling": co.Conservative(), "placement": placement}
    alone = co.simulate(system, jobs, **how)
    beside = both(system, longer, **how)
    np.testing.assert_array_equal(beside.start[1:], alone.start)
    np.testing.assert_array_equal(beside.allocation[1:], alone.allocation)


def test_a_job_that_need_not_span_in_the_longer_window_is_booked_for_the_shorter_time():
    """On both clusters job 1 would run until 15, but then only the second is idle: until 10."""
    jobs = co.JobStream([0, 0, 0], [5, 10, 2], [2, 5, 8], request="flexible")
    jobs = jobs.replace(span_penalty=[0, 0.5, 0], earliest_start=[12, 0, 10])
    how = {"scheduling": co.Online(10, 5, 8, 100), "placement": co.BestFit()}
    schedule = both(co.Multicluster([2, 6]), jobs, **how)
    assert schedule.allocation[1].tolist() == [0, 5]
    assert schedule.start.tolist() == [12, 0, 10]


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
@pytest.mark.parametrize("request_type", ["flexible", "unordered", "total"])
def test_same_bookings_on_many_servers(request_type, rule):
    """The list of idle periods grows, attempts fail, and jobs end early."""
    rng, n = np.random.default_rng(3), 700
    runtime = rng.exponential(30, n).round(1)
    jobs = co.JobStream(
        np.sort(rng.uniform(0, 900, n)),
        runtime,
        rng.integers(0, 30, (n, 1 if request_type == "total" else 2)) + 1,
        estimate=runtime * rng.choice([1, 1.5, 4], n),
        request=request_type,
        span_penalty=rng.choice([0, 0.3], n),
    ).reserved_ahead(0.3, 40.0, 1)
    policy = co.Online(10, 3, 40, 400, rule, release_early=True)
    schedule = both(co.Multicluster([190, 120]), jobs, scheduling=policy)
    assert schedule.attempts.max() == 40
    assert 20 < len(schedule.refused) < n / 2


@pytest.mark.parametrize("max_jumps", [1, 20, 10_000])
@pytest.mark.parametrize("request_type", ["ordered", "unordered", "flexible", "total", "whole"])
def test_same_schedule_with_a_long_queue(max_jumps, request_type):
    """The tree over the queue has several levels here, and stale bounds."""
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
    assert schedule.overtaken.max() > 0
    wide = np.count_nonzero(jobs.components, axis=1) > 1
    assert request_type != "whole" or 0 < schedule.spans.sum() < wide.sum()


@settings(max_examples=60)
@given(systems_and_streams(), st.data())
def test_one_waiting_job_saturates_fcfs(case, data):
    """Heavy traffic under FCFS needs a queue of one: more changes no start and no allocation."""
    system, jobs = case
    jobs = jobs.replace(runtime=jobs.runtime + 0.5)  # jobs of no length leave between two starts
    placement = data.draw(placements(len(system), jobs.request))
    one, many = (
        co.simulate(system, jobs, placement=placement, backlog=backlog)
        for backlog in (1, len(jobs))
    )
    np.testing.assert_array_equal(one.start, many.start)
    np.testing.assert_array_equal(one.allocation, many.allocation)


def uncompiled(tmp_path, code, *arguments):
    """What Python code prints with compilation switched off."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code, *arguments]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return run.stdout


#: Runs one of the tests above.
AGAIN = f"""
import sys, pytest
sys.exit(pytest.main(["-p", "no:cacheprovider", f"{__file__}::{{sys.argv[1]}}"]))
"""


@pytest.mark.parametrize("test", ["test_same_schedule", "test_same_bookings"])
def test_kernels_uncompiled_as_compiled(tmp_path, test):
    assert "1 passed" in uncompiled(tmp_path, AGAIN, test)
