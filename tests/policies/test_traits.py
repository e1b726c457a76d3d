"""What engines, checks and commands read from a policy, one of the user's own too."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.schedules.drawing import held_until
from tests.cases import cases
from tests.engines.own_policies import run

SYSTEM = co.Multicluster([4, 4])
JOBS = co.JobStream([0, 0, 1], [4, 2, 1], [[3], [6], [1]], [6, 2, 1], request="flexible")


@dataclass(frozen=True)
class Own(co.Scheduling):
    """A first-come-first-served policy with options that other policies have."""

    max_jumps: int = field()
    min_length: float = 0.0
    release_early: bool = True
    takes_backlog = False

    def start_jobs(self, state):
        while state.queue and state.start(state.queue[0]):
            pass


def test_a_required_option_stays_required():
    for policy in (co.FPFS, Own):
        with pytest.raises(TypeError, match="max_jumps"):
            policy()
    assert co.Scheduling.max_jumps is co.FCFS().max_jumps is None
    assert co.Online(min_length=3.0).min_length == 3.0


def test_the_traits_of_a_policy_of_ones_own_are_heeded():
    rows = [(0, 2, 5, 3), (0, 2, 2, 3)]
    schedule = run([4], rows, Own(1))
    assert held_until(schedule).tolist() == schedule.end.tolist() == [2, 4]
    kept = run([4], rows, Own(1, min_length=3.0, release_early=False))
    assert held_until(kept).tolist() == [kept.start[0] + 5, kept.start[1] + 3]
    with pytest.raises(co.InputError, match=r"^backlog = 2 "):
        run([4], rows, Own(1), backlog=2)


def test_only_a_policy_that_overtakes_needs_more_than_the_head_of_a_held_queue():
    policies = [co.FCFS(), co.FPFS(1), co.EASY(), co.Conservative()]
    assert [policy.overtakes for policy in policies] == [False, True, True, True]
    rows = [(0, 5, 5, 3), (0, 5, 5, 3), (0, 3, 3, 1), (0, 3, 3, 1)]
    for policy in policies:
        held = [run([4], rows, policy, backlog=backlog).start for backlog in (1, 4)]
        assert np.array_equal(*held) is not policy.overtakes


POLICIES = [
    co.FCFS(),
    co.FPFS(2),
    co.EASY(),
    co.Conservative(),
    co.Online(slot=1, step=1, horizon=200),
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_a_policy_says_whether_estimates_change_its_schedule_and_whether_it_promises_every_start(
    policy,
):
    """The same jobs run with exact estimates, and with estimates of at least nine hours."""
    columns = [(0, 4, 3), (1, 8, 4), (2, 2, 1), (3, 9, 1), (3, 4, 2)]
    exact, asked = (
        run([4], [(submit, time, max(time, least), size) for submit, time, size in columns], policy)
        for least in (0, 9)
    )
    assert np.array_equal(exact.start, asked.start) is not policy.uses_estimates
    assert bool(np.isfinite(exact.promised).all()) is policy.promises_all


QUEUED = (*POLICIES[:-1], co.EASY(adaptive=True), co.EASY(order="shortest"))


@given(cases(st.sampled_from(QUEUED), has_reservations=False))
def test_the_unit_of_time_changes_no_decision_of_a_policy_with_a_queue(case):
    """A division by a power of two is exact, so the starts are the same but for this factor."""
    jobs, unit = case.jobs, 256
    scaled = jobs.replace(
        submit=jobs.submit / unit, runtime=jobs.runtime / unit, estimate=jobs.estimate / unit
    )
    found, small = (
        co.simulate(case.system, each, engine="reference", **case.how) for each in (jobs, scaled)
    )
    assert (unit * small.start).tolist() == found.start.tolist()
    assert small.allocation.tolist() == found.allocation.tolist()


@dataclass(frozen=True)
class OneFirst(co.Placement):
    """A user-defined placement that uses several clusters only if no single cluster suffices."""

    one_cluster_first = True

    def place(self, components, request, idle):
        return co.SingleThenSpan().place(components, request, idle)


def test_adaptive_spanning_takes_any_placement_that_goes_to_one_cluster_first():
    adaptive = co.EASY(adaptive=True)
    own, known = (
        co.simulate(SYSTEM, JOBS, scheduling=adaptive, placement=rule, engine="reference")
        for rule in (OneFirst(), co.SingleThenSpan())
    )
    assert own.start.tolist() == known.start.tolist()
    assert own.allocation.tolist() == known.allocation.tolist()
    with pytest.raises(co.InputError, match="SingleThenSpan"):
        co.simulate(SYSTEM, JOBS, scheduling=adaptive, placement=co.WorstFit())


@pytest.mark.parametrize("unit", [0.125, 1.0, 8.0])
def test_no_job_takes_the_single_cluster_for_which_an_adaptive_head_waits(unit):
    """Job 2 is planned on the first cluster, where it ends sooner than on both.

    Job 3 fits now, but it would leave only three of the four processors of this cluster.
    """
    lengths = np.array([1, 20, 2, 20]) * unit
    jobs = co.JobStream(
        [0] * 4, lengths, [[3], [3], [4], [1]], request="flexible", span_penalty=0.5
    )
    placement = co.SingleThenSpan(co.FirstFit())
    how = {"placement": placement, "scheduling": co.EASY(adaptive=True), "engine": "reference"}
    schedule = co.simulate(SYSTEM, jobs, **how)
    assert schedule.start.tolist() == [0, 0, unit, unit]
    assert schedule.allocation[2].tolist() == [4, 0]


@dataclass(frozen=True)
class NeverTwoOfFive(OneFirst):
    """A placement that places no job of two processors while five processors are idle."""

    def place(self, components, request, idle):
        if sum(components) == 2 and sum(idle) == 5:
            return None
        return super().place(components, request, idle)


def test_an_adaptive_job_starts_on_two_clusters_if_its_placement_later_finds_no_place_for_it():
    """Job 2 fits on two clusters at 0. At 2, when job 1 has ended, five processors are idle."""
    columns = [0, 0, 0], [9, 2, 4], [[3], [3], [2]]
    jobs = co.JobStream(*columns, request="flexible", span_penalty=1.0)
    how = {"placement": NeverTwoOfFive(), "engine": "reference"}
    schedule = co.simulate(SYSTEM, jobs, scheduling=co.EASY(adaptive=True), **how)
    assert schedule.start.tolist() == [0, 0, 0]
    assert schedule.allocation[2].tolist() == [1, 1]


@pytest.mark.parametrize(
    "rule",
    [
        co.WorstFit(),
        co.FirstFit(),
        co.FirstFit((1, 0)),
        co.LeastLoaded(SYSTEM),
        co.RandomFit(3),
        co.SingleThenSpan(co.FirstFit((1, 0))),
        co.HomeSite(co.SingleThenSpan(co.LeastLoaded(SYSTEM))),
    ],
)
def test_what_a_rule_knows_of_each_cluster_is_a_whole_number_each(rule):
    numbers = rule.numbers(len(SYSTEM))
    assert len(numbers) == len(SYSTEM)
    assert all(isinstance(number, int) for number in numbers)


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(5), co.EASY(), co.Conservative()])
def test_processors_of_a_job_that_ends_early_become_idle_at_once_under_policies_with_a_queue(
    policy,
):
    assert policy.release_early
    assert not co.Online().release_early


@pytest.mark.parametrize(
    ("policy", "title"), [(co.FPFS(50), "FPFS(50)"), (co.FPFS(0), "FPFS(0)"), (co.EASY(), "EASY")]
)
def test_a_title_has_the_limit_of_a_policy_that_has_one(policy, title):
    assert policy.title == title
