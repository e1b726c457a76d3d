"""Placement: worked examples, and the rules that every placement keeps."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import coalloc_lib as co
from coalloc_lib.engines.kernel_arguments import PLACEMENT_CODES
from coalloc_lib.engines.kernels import placing
from coalloc_lib.model.placement import (
    FACTOR,
    PRIME,
    HomeSite,
    check_request,
    is_of_library,
    serves,
)
from tests.conftest import placements, policies, systems_and_streams
from tests.engines.test_agreement import both

idle_lists = st.lists(st.integers(0, 12), min_size=1, max_size=5)


def place_all(placement, jobs, sizes):
    """Place jobs one by one until a job does not fit; return the allocations."""
    idle, placed = list(sizes), []
    for components in jobs:
        taken = placement.place(components, "unordered", idle)
        if taken is None:
            break
        idle = [free - took for free, took in zip(idle, taken, strict=True)]
        placed.append(list(taken))
    return placed


def test_worst_fit_depends_on_the_order_of_arrival():
    """Three jobs on two clusters of 5: all fit in one order of arrival, and only two in the other.

    The example of the maximal-utilization study, section 4.2; in the first order both jobs of
    size (2, 1) have their larger component in cluster 0, which filling an empty system with
    them never gives.
    """
    fill = place_all(co.WorstFit(), [(2, 1), (3, 1), (2, 1)], [5, 5])
    assert fill == [[2, 1], [1, 3], [2, 1]]
    assert place_all(co.WorstFit(), [(2, 1), (2, 1), (3, 1)], [5, 5]) == [[2, 1], [1, 2]]


@pytest.mark.parametrize(
    ("placement", "unordered", "flexible"),
    [
        (co.FirstFit(), [2, 4, 0, 0], [3, 1, 7, 0]),
        (co.FirstFit(clusters=[3, 2, 1, 0]), [0, 0, 2, 4], [0, 1, 7, 3]),
        (co.WorstFit(), [0, 2, 0, 4], [3, 0, 7, 1]),
        (co.BestFit(), [2, 0, 4, 0], [3, 1, 4, 3]),
        (co.SingleThenSpan(), [0, 6, 0, 0], [3, 0, 7, 1]),
        (co.SingleThenSpan(single=co.WorstFit()), [0, 0, 0, 6], [3, 0, 7, 1]),
    ],
)
def test_each_rule_by_hand(placement, unordered, flexible):
    """The component of 4 is placed before that of 2; ties go to the cluster of lowest number."""
    assert list(placement.place([2, 0, 4], "unordered", [3, 6, 4, 9])) == unordered
    if not placement.keeps_whole:
        total = [size if size == 4 else 0 for size in unordered]
        assert list(placement.place([1, 3], "total", [3, 6, 4, 9])) == total
        two = [0, 0, 2, 2] if getattr(placement, "clusters", None) else [2, 2, 0, 0]
        assert list(placement.place([2, 2], "unordered", [5] * 4)) == two
    assert list(placement.place([8, 3], "flexible", [3, 1, 7, 3])) == flexible
    assert list(placement.place([14], "flexible", [3, 1, 7, 3])) == [3, 1, 7, 3]
    assert placement.place([15], "flexible", [3, 1, 7, 3]) is None
    assert list(placement.place([3, 0, 2], "ordered", [3, 1, 2, 9])) == [3, 0, 2, 0]
    assert placement.place([3, 2], "ordered", [9, 1, 9]) is None


def test_a_component_beyond_the_last_cluster_does_not_fit():
    for placement in (co.FirstFit(), co.SingleThenSpan()):
        assert placement.place([1, 1, 5], "ordered", [4, 4]) is None
        assert placement.place([1, 1, 0], "ordered", [4, 4]) == [1, 1]
    assert HomeSite(co.BestFit()).place([0, 0, 0, 5], "total", [4, 4]) is None


@pytest.mark.parametrize(
    ("idle", "expected"),
    [
        ([19, 0, 0, 0, 0], [19, 0, 0, 0, 0]),
        ([18, 4, 4, 0, 0], None),
        ([4, 7, 4, 4, 3], [4, 7, 4, 4, 0]),
        ([4, 6, 4, 4, 18], [4, 4, 4, 0, 7]),
        ([19, 7, 25, 7, 7], [19, 0, 0, 0, 0]),
        ([6, 6, 6, 6, 6], None),
    ],
    ids=str,
)
def test_a_job_is_split_only_where_no_cluster_can_hold_it_whole(idle, expected):
    """A whole job is placed by best fit, and a split job by worst fit."""
    taken = co.SingleThenSpan().place([4, 7, 4, 4], "unordered", idle)
    assert (taken if taken is None else list(taken)) == expected


def one_job(placement, components=(2, 1), request="unordered"):
    """Simulate one job on clusters of 9 and 4 processors."""
    jobs = co.JobStream([0], [1], [components], request=request)
    return co.simulate(co.Multicluster([9, 4]), jobs, placement=placement).verify()


def test_a_job_that_may_stay_whole_or_be_split_can_start_in_either_way():
    for components in ([5, 4], [6, 4], [3, 3, 3]):
        assert one_job(co.SingleThenSpan(), components).start[0] == 0


MINE = type("Mine", (co.Placement,), {"requests": ("flexible", "total")})
OTHERS = co.LeastLoaded(co.Multicluster([4, 8]))


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda: one_job(co.SingleThenSpan(), [5, 5]), "job 0 can never start"),
        (lambda: co.SingleThenSpan(single="best"), "single = 'best' is not of type Placement"),
        (lambda: one_job(co.SingleThenSpan(single=co.FirstFit([0]))), "name each of the 2 clus"),
        (lambda: one_job(co.FirstFit([0, 0])), r"clusters = \[0, 0\]; name each of the 2 clusters"),
        (lambda: co.FirstFit([-1, 0]), r"^clusters\[0\] = "),
        (lambda: one_job(co.WorstFit(), request="ordered"), "is given for ordered requests.*leave"),
        (lambda: one_job(MINE()), r"is for flexible and total .* have unordered requests"),
        (
            lambda: MINE().place([1], "total", [2]),
            r"Mine does not define the order .* define its method",
        ),
        (
            lambda: one_job(OTHERS),
            r"LeastLoaded was made for the clusters 4,8, and the system has 9,4",
        ),
        (lambda: one_job(co.SingleThenSpan(OTHERS)), r"LeastLoaded was made for the clusters 4,8"),
        (lambda: co.LeastLoaded([4, 8]), r"system = \[4, 8\] is not of type Multicluster"),
        (lambda: co.RandomFit(-1), "seed = -1"),
    ],
)
def test_what_cannot_place_a_job_is_named(run, words):
    with pytest.raises(co.InputError, match=words):
        run()


@pytest.mark.parametrize(
    "answer",
    [None, [0, 0], [1, 2], [0.0, 1.0], {0: 1, 1: 0}, {0, 1}, "01"],
    ids=repr,
)
def test_an_order_that_is_none_is_the_placements_fault(answer):
    mine = type("Mine", (co.Placement,), {"order": lambda self, idle: answer})()
    for request_type in ("unordered", "flexible", "total"):
        with pytest.raises(co.InputError, match=r"^Mine.order returned .* from 0 to 1 once$"):
            mine.place([3, 2], request_type, [5, 4])


@given(idle_lists, st.data())
def test_a_placement_takes_what_was_asked_and_no_more_than_is_idle(idle, data):
    components = data.draw(st.lists(st.integers(0, 12), max_size=len(idle), min_size=1))
    request = data.draw(st.sampled_from(["unordered", "flexible", "total"]))
    placement = data.draw(placements(len(idle), request))
    before = list(idle)
    taken = placement.place(components, request, idle)
    assert idle == before
    if taken is None:
        return
    assert all(0 <= took <= free for took, free in zip(taken, idle, strict=True))
    assert sum(taken) == sum(components)
    assert not sum(components) or serves(taken, components, request, placement)
    if request == "unordered" and not (placement.keeps_whole and max(taken) == sum(taken)):
        assert sorted(t for t in taken if t) == sorted(c for c in components if c)


@pytest.mark.parametrize(
    ("request_type", "components", "placement", "allowed", "forbidden"),
    [
        ("ordered", (2, 0, 1), None, [[2, 0, 1]], [[1, 0, 2], [2, 1, 0], [3, 0, 0]]),
        ("unordered", (2, 0, 1), co.FirstFit(), [[2, 0, 1], [0, 1, 2]], [[3, 0, 0], [1, 1, 1]]),
        ("unordered", (2, 1), co.SingleThenSpan(), [[1, 2, 0], [0, 3, 0]], [[1, 1, 1]]),
        ("flexible", (2, 1), co.FirstFit(), [[1, 1, 1], [3, 0, 0]], []),
        ("total", (2, 1), co.FirstFit(), [[0, 3, 0]], [[2, 1, 0]]),
        ("flexible", (0, 0, 3, 0), HomeSite(co.BestFit()), [[0, 3, 0]], [[0, 0, 3], [0, 2, 1]]),
        ("flexible", (3, 0, 0, 0), HomeSite(co.BestFit()), [[0, 3, 0], [1, 2, 0]], []),
        ("total", (3, 0, 0, 0), HomeSite(co.BestFit()), [[0, 3, 0]], [[1, 2, 0]]),
    ],
)
def test_a_request_allows_some_allocations(request_type, components, placement, allowed, forbidden):
    answers = [serves(each, components, request_type, placement) for each in allowed + forbidden]
    assert answers == [True] * len(allowed) + [False] * len(forbidden)


@given(idle_lists, st.data())
def test_components_fit_exactly_when_some_choice_of_clusters_holds_them(idle, data):
    placement = data.draw(placements(len(idle)))
    components = data.draw(st.lists(st.integers(1, 12), max_size=len(idle), min_size=1))
    possible = any(
        all(size <= idle[c] for size, c in zip(components, chosen, strict=True))
        for chosen in itertools.permutations(range(len(idle)), len(components))
    ) or (placement.keeps_whole and sum(components) <= max(idle))
    assert (placement.place(components, "unordered", idle) is not None) == possible


@given(st.lists(st.integers(1, 12), min_size=2, max_size=5), st.integers(1, 12))
def test_worst_fit_leaves_the_most_and_best_fit_the_least(idle, size):
    """The idle processors left on the chosen cluster are compared with those of all others."""
    left = [free - size for free in idle if free >= size]
    for placement, choose in ((co.WorstFit(), max), (co.BestFit(), min)):
        taken = placement.place([size], "unordered", idle)
        if not left:
            assert taken is None
            continue
        cluster = int(np.argmax(taken))
        assert idle[cluster] - size == choose(left)
        assert cluster == idle.index(idle[cluster])


@given(
    systems_and_streams(requests=("total", "flexible", "unordered")),
    policies,
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
)
def test_both_engines_choose_the_same_machine(case, scheduling, seed, is_random, is_single):
    system, jobs = case
    rule = co.RandomFit(seed) if is_random else co.LeastLoaded(system)
    placement = co.SingleThenSpan(rule) if is_single else rule
    both(system, jobs, scheduling=scheduling, placement=placement)
    both(system, jobs, placement=placement, backlog=3)


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
    """With one more idle processor in a cluster, `RandomFit` makes an independent choice."""
    assert co.RandomFit() == co.RandomFit(0)
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
    # Two independent random orders of five clusters are equal with probability 1/120.
    assert sum(a == b for a, b in zip(chosen[0], chosen[2], strict=True)) < 12


def test_fifth_powers_of_remainders_differ():
    """2^31 - 1 is prime, 5 does not divide 2^31 - 2, and the factor is a primitive root."""
    divisors = (2, 3, 7, 11, 31, 151, 331)
    assert np.prod([2, 3, 3, 7, 11, 31, 151, 331]) == PRIME - 1
    assert all(pow(FACTOR, (PRIME - 1) // d, PRIME) != 1 for d in divisors)
    assert pow(FACTOR, PRIME - 1, PRIME) == 1


class Own(co.Placement):
    """A placement that a user wrote."""

    def order(self, idle):
        return range(len(idle))


@dataclass(frozen=True)
class Split(Own):
    """A placement that a user wrote for unordered requests only."""

    requests = ("unordered",)


def test_a_placement_inside_another_must_serve_the_requests_too():
    check_request(HomeSite(Own()), "total")
    with pytest.raises(
        co.InputError, match=r"placement = Split\(\) is for unordered requests, but"
    ):
        check_request(HomeSite(Split()), "total")
    with pytest.raises(co.InputError, match=r"single = Split\(\) is for unordered requests, but"):
        co.SingleThenSpan(Split())


@pytest.mark.parametrize("code", PLACEMENT_CODES)
def test_placements_of_the_library_are_recognized_also_inside_others(code):
    placement = code(co.Multicluster([2])) if code is co.LeastLoaded else code()
    for outer in (placement, co.SingleThenSpan(placement), HomeSite(placement)):
        assert is_of_library(outer)
    assert is_of_library(HomeSite(co.SingleThenSpan(placement)))


def test_placements_of_users_are_not_of_the_library():
    assert is_of_library(None)
    for outer in (Own(), co.SingleThenSpan(Own()), HomeSite(Own())):
        assert not is_of_library(outer)
