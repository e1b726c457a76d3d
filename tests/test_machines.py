"""Placements that choose a machine: what they choose, and that both engines choose the same."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import coalloc_lib as co
from coalloc_lib.engines.kernels import placing
from coalloc_lib.machines import FACTOR, PRIME
from tests.conftest import policies, systems_and_streams
from tests.engines.test_agreement import both

CASES = systems_and_streams(requests=("total", "flexible", "unordered"))


@settings(max_examples=200)
@given(CASES, policies, st.integers(0, 3), st.booleans(), st.booleans())
def test_both_engines_choose_the_same(case, scheduling, seed, is_random, is_single):
    system, jobs = case
    rule = co.RandomFit(seed) if is_random else co.LeastLoaded(system)
    both(
        system,
        jobs,
        scheduling=scheduling,
        placement=co.SingleThenSpan(rule) if is_single else rule,
    )


@settings(max_examples=100)
@given(CASES, st.integers(0, 3))
def test_both_engines_choose_the_same_with_a_backlog(case, seed):
    system, jobs = case
    for rule in (co.RandomFit(seed), co.LeastLoaded(system)):
        both(system, jobs, placement=rule, backlog=3)


@pytest.mark.parametrize(
    ("sizes", "idle", "cluster"),
    [
        ([64, 8], [32, 6], 1),
        ([64, 8], [48, 6], 0),  # a tie
        ([64, 8], [49, 6], 0),
        ([8, 64, 8], [3, 24, 4], 2),
        ([3, 10**9], [1, 333_333_334], 1),  # a third, and a little more
        ([3, 10**9], [1, 333_333_333], 0),
        ([2**30 - 1, 2**30], [2**30 - 3, 2**30 - 2], 1),  # products of more than 53 bits
    ],
)
def test_the_least_loaded_has_the_largest_share_idle(sizes, idle, cluster):
    placement = co.LeastLoaded(co.Multicluster(sizes))
    assert np.flatnonzero(placement.place([1], "total", idle)).tolist() == [cluster]
    taken = np.zeros(len(sizes), dtype=np.int32)
    how = (placing.TOTAL, placing.LEAST_LOADED, placing.NONE, np.array(sizes), np.array(idle))
    placing.place(np.ones(1, dtype=np.int32), *how, taken)
    assert np.flatnonzero(taken).tolist() == [cluster]


def test_least_loaded_is_for_one_system():
    jobs = co.JobStream([0], [1], [1], request="total")
    placement = co.LeastLoaded(co.Multicluster([4, 8]))
    with pytest.raises(
        co.InputError, match=r"LeastLoaded for clusters 4,8, and the system has 8,4"
    ):
        co.simulate(co.Multicluster([8, 4]), jobs, placement=placement)
    with pytest.raises(co.InputError, match=r"LeastLoaded for clusters 4,8"):
        co.simulate(co.Multicluster([8, 4]), jobs, placement=co.SingleThenSpan(placement))
    with pytest.raises(co.InputError, match=r"system = \[4, 8\] is no Multicluster"):
        co.LeastLoaded([4, 8])


def test_least_loaded_evens_out_what_worst_fit_does_not():
    """A large machine is given most jobs by worst fit, as it has most idle processors."""
    system = co.Multicluster([48, 16])
    jobs = co.JobModel(co.uniform(1, 2), request="total").sample(4000, 1, rate=20)
    for placement, low, high in ((co.WorstFit(), 0.0, 0.5), (co.LeastLoaded(system), 0.85, 1.15)):
        schedule = co.simulate(system, jobs, placement=placement)
        busy = (schedule.end - schedule.start) @ schedule.allocation / system.as_array()
        assert low <= busy[1] / busy[0] <= high


def test_a_random_choice_is_even_among_clusters_that_fit():
    rng = np.random.default_rng(7)
    counts = np.zeros(4)
    for _ in range(8000):
        idle = rng.integers(4, 30, 4)
        idle[rng.integers(4)] = 3
        taken = co.RandomFit(5).place([4], "total", idle.tolist())
        assert idle[np.argmax(taken)] >= 4
        counts[np.argmax(taken)] += 1
    assert stats.chisquare(counts).pvalue > 0.001


def test_neighbouring_states_have_choices_that_know_nothing_of_each_other():
    """One processor more or less on a cluster, and the choice is a new one."""
    rule, table = co.RandomFit(), np.zeros((3, 3))
    for idle in itertools.product(range(5, 25), repeat=3):
        one = int(np.argmax(rule.place([1], "total", idle)))
        other = int(np.argmax(rule.place([1], "total", (idle[0], idle[1] + 1, idle[2]))))
        table[one, other] += 1
    assert stats.chi2_contingency(table).pvalue > 0.001
    assert stats.chisquare(table.sum(axis=1)).pvalue > 0.001


def test_seeds_choose_differently_and_each_the_same_again():
    idle = [tuple(row) for row in np.random.default_rng(1).integers(1, 40, (200, 5)).tolist()]
    chosen = [[tuple(co.RandomFit(seed).order(row)) for row in idle] for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1]
    # Of two independent orders of five, one in 120 is the same.
    assert sum(a == b for a, b in zip(chosen[0], chosen[2], strict=True)) < 12
    with pytest.raises(co.InputError, match="seed = -1"):
        co.RandomFit(-1)


def test_fifth_powers_of_remainders_differ():
    """2^31 - 1 is prime, 5 does not divide 2^31 - 2, and the factor is a primitive root."""
    divisors = (2, 3, 7, 11, 31, 151, 331)
    assert np.prod([2, 3, 3, 7, 11, 31, 151, 331]) == PRIME - 1
    assert all(pow(FACTOR, (PRIME - 1) // d, PRIME) != 1 for d in divisors)
    assert pow(FACTOR, PRIME - 1, PRIME) == 1
