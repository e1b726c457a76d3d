"""Waiting for one cluster up to a time: by hand, at both ends, and what is promised meanwhile."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.engines.state import State
from coalloc_lib.faults import ScheduleError
from tests.conftest import divisible_streams, policies, systems_and_streams

TWO = co.Multicluster([4, 4])


def multi_site(system, jobs, penalty, policy, **how):
    how = {"engine": "reference", "scheduling": policy} | how
    return co.sites.multi_site(system, jobs, penalty, **how).verify()


def stream(*rows):
    """Jobs of (submit, runtime, processors)."""
    submit, runtime, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, request="flexible")


def test_a_job_spans_at_the_instant_at_which_its_patience_ends():
    """One processor of each cluster is idle from 0 on; one cluster has two from 8 on."""
    jobs = stream((0, 9, 3), (0, 8, 3), (1, 2, 2))
    starts = {0: 1, 3: 4, 6.5: 7.5, 7: 8, 8: 8, np.inf: 8}
    for up_to, start in starts.items():
        ran = multi_site(TWO, jobs, 0.5, co.Patient(co.FCFS(), up_to))
        assert ran.start[2] == start
        assert ran.spans[2] == (start < 8)
        assert ran.end[2] == start + (3 if start < 8 else 2)


def test_a_patient_head_is_promised_one_cluster_and_passed_by_who_is_out_of_its_way():
    """Job 2 has one cluster at 8. Until then 3 may take one of the processors that 2 could span on.

    Job 4, for long, is not let past while 2 is patient only if it is in the way at 8.
    """
    jobs = stream((0, 20, 3), (0, 8, 3), (1, 2, 4), (2, 30, 1))
    patient = multi_site(TWO, jobs, 0.5, co.Patient(co.EASY(), np.inf))
    assert patient.promised[2] == 8
    assert patient.start.tolist() == [0, 0, 8, 2]  # on cluster 0, which 2 does not need


def test_a_job_that_no_cluster_holds_has_nothing_to_wait_for():
    ran = multi_site(TWO, stream((3, 4, 6)), 0.5, co.Patient(co.FCFS(), 100))
    assert (ran.start[0], ran.end[0]) == (3, 9)


def test_a_job_that_would_be_split_in_an_empty_system_is_split_at_once():
    jobs = co.JobStream([0], [4], [[2, 2]], request="unordered")
    how = {"scheduling": co.Patient(co.FCFS(), 9), "engine": "reference"}
    assert co.simulate(TWO, jobs, placement=co.WorstFit(), **how).spans[0]
    assert not co.simulate(TWO, jobs, placement=co.SingleThenSpan(), **how).spans[0]


def test_a_patient_job_waits_until_the_placement_itself_has_it_on_one_cluster():
    """First fit takes what cluster 0 has left, and would span, though cluster 1 is empty."""
    jobs = stream((0, 5, 3), (1, 2, 3))
    how = {"placement": co.FirstFit(), "engine": "reference"}
    patient = co.simulate(TWO, jobs, scheduling=co.Patient(co.FCFS(), 100), **how)
    assert co.simulate(TWO, jobs, scheduling=co.FCFS(), **how).allocation[1].tolist() == [1, 2]
    assert (patient.start[1], patient.allocation[1].tolist()) == (5, [3, 0])


def same(one, other):
    for name in ("start", "end", "allocation", "promised"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@settings(max_examples=60)
@given(divisible_streams(), policies)
def test_without_patience_it_is_the_policy_itself(case, policy):
    system, jobs, placement = case
    how = {"placement": placement, "engine": "reference"}
    patient = co.simulate(system, jobs, scheduling=co.Patient(policy, 0), **how)
    same(patient, co.simulate(system, jobs, scheduling=policy, **how))


@settings(max_examples=60)
@given(systems_and_streams(requests=("total",)), policies)
def test_with_endless_patience_it_is_job_sharing(case, policy):
    system, jobs = case
    endless = multi_site(system, jobs, 0.5, co.Patient(policy, np.inf))
    how = {"engine": "reference", "scheduling": policy}
    same(endless, co.sites.sharing(system, jobs.replace(span_penalty=0.5), **how))


PATIENCE = st.sampled_from([0.5, 1, 3, 7.5])


@settings(max_examples=100)
@given(systems_and_streams(requests=("flexible",)), policies, PATIENCE)
def test_promises_are_kept_and_only_come_forward(case, policy, up_to):
    system, jobs = case
    told, keep = {}, State.promise

    def promise(state, job, instant):
        assert instant <= told.get(job.number, np.inf)
        told[job.number] = instant
        keep(state, job, instant)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(State, "promise", promise)
        ran = multi_site(system, jobs, jobs.span_penalty, co.Patient(policy, up_to))
    assert not (ran.start > ran.promised).any()
    assert bool(told) == bool(np.isfinite(ran.promised).any())


@settings(max_examples=100)
@given(systems_and_streams(requests=("flexible",)), policies, PATIENCE)
def test_no_patient_job_spans_and_no_head_waits_past_its_patience_for_one_cluster(
    case, policy, up_to
):
    system, jobs = case
    ran = multi_site(system, jobs, jobs.span_penalty, co.Patient(policy, up_to))
    over = jobs.submit + up_to
    could_wait = jobs.processors <= system.largest
    assert not (ran.spans & could_wait & (ran.start < over)).any()
    if isinstance(policy, co.Conservative):
        return
    for head in np.flatnonzero(ran.start > over):
        before = (jobs.submit < jobs.submit[head]) | (
            (jobs.submit == jobs.submit[head]) & (np.arange(len(jobs)) < head)
        )
        heads_from = max(over[head], ran.start[before].max(initial=0))
        if ran.start[head] > heads_from:
            runs = (ran.start <= heads_from) & (heads_from < ran.end)
            idle = system.processors - ran.allocation[runs].sum()
            assert idle < jobs.processors[head]


@pytest.mark.parametrize(
    ("policy", "up_to", "words"),
    [
        ("easy", 1, r"^policy = 'easy' is no Scheduling; give a policy, such as"),
        (co.EASY(), -1, "^up_to = -1; give a time of 0 or more"),
        (co.EASY(), np.nan, "^up_to = nan; give"),
        (co.EASY(), "1h", "^up_to = '1h'; give"),
        (co.EASY(), None, "^up_to = None; give"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(policy, up_to, words):
    with pytest.raises(co.InputError, match=words):
        co.Patient(policy, up_to)


def test_what_books_at_once_has_nothing_to_wait_for():
    with pytest.raises(co.InputError, match=r"policy = Online\(.*\) books each job when it is"):
        co.Patient(co.Online(), 5)


def test_a_patient_head_that_starts_later_than_promised_is_noticed():
    jobs = co.JobStream([0, 1], [4, 2], [[3], [4]], request="flexible")
    policy = co.Patient(co.EASY(), 10)
    schedule = co.simulate(
        co.Multicluster([4]), jobs, scheduling=policy, engine="reference"
    ).verify()
    assert schedule.promised[1] == schedule.start[1] == 4
    late = replace(schedule, start=np.array([0.0, 5.0]), end=np.array([4.0, 7.0]))
    with pytest.raises(ScheduleError, match="job 1 at 5: starts later than it was promised"):
        late.verify()
