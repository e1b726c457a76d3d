"""Tests of `simulate`: its errors, its defaults, and the order of events at one instant."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.workloads.swf import read_swf
from tests.conftest import placements, policies, systems_and_streams
from tests.engines.test_agreement import both

ONE = co.JobStream([0], [1], [1])


@pytest.mark.parametrize(
    ("request_type", "components", "job", "why"),
    [
        ("ordered", [[4, 8], [5, 1]], 1, "the clusters have 4, 8"),
        ("ordered", [[4, 8], [5, 1], [9, 9]], 1, "the clusters have 4, 8"),
        ("unordered", [[8, 4], [4, 8], [5, 5]], 2, "the clusters have 4, 8"),
        ("unordered", [[8, 0, 4], [1, 1, 1]], 1, "the clusters have 4, 8"),
        ("flexible", [[12, 0], [12, 1]], 1, "the system has 12"),
        ("total", [[5, 3], [8, 1]], 1, "the largest cluster has 8"),
    ],
)
def test_a_job_that_can_never_start_is_named(request_type, components, job, why):
    n = len(components)
    jobs = co.JobStream(np.arange(n), np.ones(n), components, request=request_type)
    wanted = str(components[job]).replace("[", r"\[").replace("]", r"\]")
    message = rf"job {job} can never start: components {wanted} \({request_type}\), but {why};"
    system = co.Multicluster([4, 8])
    with pytest.raises(co.InputError, match=message):
        co.simulate(system, jobs)
    co.simulate(system, jobs[:job]).verify()


def test_a_scenario_samples_the_jobs_of_seed_0_unless_another_seed_is_given():
    model = co.JobModel(co.uniform(1, 4), request="total")
    scenario = co.Scenario(co.Multicluster([8]), model)
    first, same, other = (scenario.sample(30, load=0.5, **how).submit.tolist()
                          for how in ({}, {"seed": 0}, {"seed": 1}))  # fmt: skip
    assert first == same != other


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ([1] * 1_000, "each of the 1,000 clusters has 1;"),
        ([*range(1, 10), 1], "the clusters have 9, 8, 7, 6, 5, 4, 3, 2, …;"),
        ([*range(1, 9)], "the clusters have 8, 7, 6, 5, 4, 3, 2, 1;"),
    ],
)
def test_of_many_clusters_a_few_are_named(sizes, why):
    jobs = co.JobStream([0], [1], [[99, 1]], request="unordered")
    with pytest.raises(co.InputError, match=re.escape(why)):
        co.simulate(co.Multicluster(sorted(sizes, reverse=True)), jobs)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"engine": "fast"}, "engine = 'fast'; choose one of 'compiled', 'reference'"),
        ({"system": [4]}, r"system = \[4\] is not of type Multicluster"),
        ({"jobs": [1]}, r"jobs = \[1\] is not of type JobStream"),
        (
            {"scheduling": co.FPFS},
            "scheduling = <class .*FPFS'> is not of type Scheduling; give FCFS",
        ),
        ({"placement": co.FCFS()}, r"placement = FCFS\(\) is not of type Placement; give WorstFit"),
        ({"backlog": 0}, "backlog = 0; give a whole number of 1 or more"),
    ],
)
def test_bad_arguments_are_named(how, message):
    with pytest.raises(co.InputError, match=message):
        co.simulate(**{"system": co.Multicluster([4]), "jobs": ONE} | how)


@pytest.mark.parametrize(
    ("request_type", "message"),
    [
        ("ordered", r"EASY\(.*\) is given for ordered requests, .* clusters; give EASY\(\)"),
        ("unordered", r"WorstFit\(\) is given for unordered .*; give SingleThenSpan\(\)"),
    ],
)
def test_adaptive_backfilling_says_what_it_serves(request_type, message):
    jobs = co.JobStream([0], [1], [[1, 1]], request=request_type)
    with pytest.raises(co.InputError, match=message):
        co.simulate(co.Multicluster([4, 4]), jobs, scheduling=co.EASY(adaptive=True))


def test_defaults_are_fcfs_and_worst_fit():
    schedule = co.simulate(co.Multicluster([4, 8]), ONE)
    assert (schedule.scheduling, schedule.placement) == (co.FCFS(), co.WorstFit())
    assert schedule.allocation.tolist() == [[0, 1]]


@given(systems_and_streams(), policies, st.data())
def test_unsorted_submissions_give_the_same_schedule_in_their_order(case, scheduling, data):
    """Jobs with different submission times, listed in any order, get the same schedule."""
    system, jobs = case
    ranks = np.argsort(np.argsort(jobs.submit, kind="stable"))
    jobs = jobs.replace(submit=jobs.submit + ranks / 1024)
    order = np.array(data.draw(st.permutations(range(len(jobs)))))
    how = {"scheduling": scheduling, "placement": data.draw(placements(len(system), jobs.request))}
    one, other = co.simulate(system, jobs, **how), co.simulate(system, jobs[order], **how).verify()
    for name in ("start", "end", "allocation", "promised"):
        np.testing.assert_array_equal(getattr(one, name)[order], getattr(other, name))
    np.testing.assert_array_equal(other.jobs.submit, jobs.submit[order])


@pytest.mark.parametrize(
    ("sizes", "submit", "runtime", "components", "policy", "start"),
    [
        # At 5 all processors become idle, and the job that arrives at 5 starts immediately.
        ([4], [0, 5], [5, 2], [4, 4], co.FCFS(), [0, 5]),
        # At 5 both clusters become idle, and worst fit chooses the larger one. Jobs start in the
        # order of their submission, also after a wide job.
        ([4, 6], [0, 0, 1, 2], [1, 5, 4, 1], [6, 4, 6, 3], co.FCFS(), [0, 0, 1, 5]),
        (
            [4, 6],
            [0, 0, 1, 2, 3],
            [1, 5, 4, 1, 1],
            [[6, 0], [4, 0], [6, 0], [4, 4], [3, 0]],
            co.FPFS(1),
            [0, 0, 1, 5, 6],
        ),
        # At 5 one processor becomes idle. A waiting job needs two, so the job that arrives at 5 may
        # use the processor.
        ([4], [0, 0, 1, 5], [9, 5, 1, 1], [3, 1, 2, 1], co.FPFS(1), [0, 0, 9, 5]),
        # Simultaneous arrivals queue by position.
        ([4], [3, 3, 3], [4, 1, 2], [4, 4, 4], co.FCFS(), [3, 7, 8]),
        # Jobs with a run time of 0 start in their turn and end immediately, so that the last job
        # starts at the same instant as the third.
        ([4], [0, 1, 2, 2], [5, 0, 0, 1], [3, 4, 4, 4], co.FCFS(), [0, 5, 5, 5]),
    ],
)
def test_the_order_of_events_at_an_instant(sizes, submit, runtime, components, policy, start):
    jobs = co.JobStream(submit, runtime, components)
    schedule = both(co.Multicluster(sizes), jobs, scheduling=policy)
    assert schedule.start.tolist() == start
    if policy == co.FCFS() and len(sizes) == 2:
        assert schedule.allocation.tolist() == [[0, 6], [4, 0], [0, 6], [0, 3]]


def test_the_span_penalty_is_paid_by_jobs_that_span_and_no_others():
    jobs = co.JobStream(
        [0, 0, 100, 200, 300],
        [8, 8, 8, 8, 8],
        [[2, 1], [3, 0], [5, 0], [4, 0], [6, 0]],
        request="flexible",
        span_penalty=[0.5, 0.5, 0.25, 0.25, 0.0],
    )
    schedule = both(co.Multicluster([4, 4]), jobs)
    assert (schedule.end - schedule.start).tolist() == [8, 8, 10, 8, 8]
    assert schedule.spans.tolist() == [False, False, True, False, True]


def test_a_backlog_ignores_submissions_and_keeps_the_queue_full():
    """Jobs of 2 processors run on 4 processors. The queue always has 2 jobs: a job enters it when
    another job starts."""
    jobs = co.JobStream([70, 60, 50, 40, 30], [4, 6, 5, 1, 1], [2, 2, 2, 2, 2])
    schedule = both(co.Multicluster([4]), jobs, backlog=2)
    assert schedule.start.tolist() == [0, 0, 4, 6, 7]
    assert schedule.jobs.submit.tolist() == [0, 0, 0, 0, 4]
    assert schedule.wait.tolist() == [0, 0, 4, 6, 3]
    assert jobs.submit.tolist() == [70, 60, 50, 40, 30]


class StartsJobZero(co.Scheduling):
    """A policy that starts only the job with the number 0."""

    def start_jobs(self, state):
        if state.queue and state.queue[0].number == 0:
            state.start(state.queue[0])


def test_a_stuck_job_is_numbered_in_order_of_arrival():
    """The job at position 0 arrives after the job at position 1, and never starts."""
    jobs = co.JobStream([5, 0], [1, 1], [1, 1])
    with pytest.raises(co.InputError, match="beginning with job 1 in order of arrival; change"):
        co.simulate(co.Multicluster([4]), jobs, scheduling=StartsJobZero(), engine="reference")


def test_a_real_log(real_logs):
    """The schedule of the KTH log on 100 processors keeps the rules, and both engines make it."""
    jobs = read_swf(next(real_logs.glob("KTH-SP2*"))).jobs(request="total")
    system = co.Multicluster([100])
    assert len(jobs) > 28_000
    schedule = co.simulate(system, jobs).verify()
    assert schedule.wait.mean() > 0
    assert 0.6 < schedule.utilization() < 0.8
    np.testing.assert_array_equal(both(system, jobs[:3000]).start, schedule.start[:3000])


PAIR = co.Scenario(co.Multicluster([6, 2]), co.JobModel(co.uniform(1, 2), 2), name="a pair")


def test_a_changed_scenario_is_another_and_a_name_makes_none():
    assert PAIR.rate(0.5) == pytest.approx(0.5 * 8 / 3)  # eight processors, and jobs of three
    assert PAIR.with_() == PAIR
    assert PAIR.with_(placement=co.FirstFit()) != PAIR
    assert str(PAIR) == "a pair"
    changed = PAIR.with_(scheduling=co.FPFS(5))
    assert changed.name == ""
    assert str(changed) == repr(changed)
    assert PAIR.with_(scheduling=co.FPFS(5), name="jumps").name == "jumps"


def test_the_first_jobs_of_a_stream_have_the_load_that_was_asked_for():
    """The first 100 jobs of the stream have the work 1, and the last 100 have the work 99."""
    work = np.repeat([1.0, 99.0], 100)
    stream = co.JobStream(np.arange(200), work, np.ones(200))
    scenario = co.Scenario(co.Multicluster([10]), stream)
    for count in (2, 100, 150, 200):
        jobs = scenario.sample(count, load=0.5)
        assert jobs.runtime.tolist() == work[:count].tolist()
        assert jobs.offered_load(scenario.system) == pytest.approx(0.5)
    assert scenario.sample(100).submit.tolist() == stream.submit[:100].tolist()
    with pytest.raises(co.InputError, match="load = 0; give a finite number above 0"):
        scenario.sample(100, load=0)


def test_the_first_jobs_of_a_log_have_the_load_that_was_asked_for():
    scenario = co.Scenario(co.Multicluster([128]), co.load_trace("KTH-SP2", missing="stand-in"))
    for count in (100, 500):
        assert scenario.sample(count, load=0.7).offered_load(scenario.system) == pytest.approx(0.7)


def test_the_jobs_of_a_model_have_the_load_on_average():
    jobs = PAIR.sample(100_000, load=0.5, seed=1)
    assert jobs.offered_load(PAIR.system) == pytest.approx(0.5, rel=0.02)


class LastInFirst(co.Placement):
    """A placement without a compiled form, which tries the clusters from the last to the first."""

    def order(self, idle):
        return reversed(range(len(idle)))


@pytest.mark.parametrize(
    "call",
    [
        lambda own: own.simulate(20, load=0.3),
        lambda own: own.run(own.sample(20, load=0.3)),
        lambda own: co.simulate(own.system, own.sample(20, load=0.3), placement=own.placement),
    ],
)
def test_the_warning_of_a_slow_engine_is_at_the_line_outside_the_library(call, monkeypatch):
    monkeypatch.setattr("coalloc_lib.simulation.run.LONG", 3)
    model = co.JobModel(co.uniform(1, 4), components=2, request="unordered")
    own = co.Scenario(co.Multicluster([8, 8]), model, placement=LastInFirst())
    with pytest.warns(UserWarning, match="readable engine") as caught:
        call(own)
    assert {each.filename for each in caught} == {__file__}
