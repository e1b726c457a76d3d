"""The Markov chain, compared with the formulas, a plain implementation, and simulations."""

import numpy as np
import pytest

from coalloc_lib.analytic import JointSizes, exact_utilization, maximal_utilization
from coalloc_lib.analytic.stationary import stationary_flow
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import power_of_two, uniform
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    Placement,
    SingleThenSpan,
    WorstFit,
)
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import student
from coalloc_lib.statistics.saturation import heavy_traffic
from coalloc_lib.workloads.models import JobModel
from tests.analytic import naive


class Reversed(Placement):
    """A placement that a user could write: the last cluster on which a component fits."""

    def order(self, idle):
        return range(len(idle))[::-1]

    def __str__(self):
        return "Reversed()"


@pytest.mark.parametrize("request_type", ["ordered", "flexible"])
@pytest.mark.parametrize("sizes", [(5,), (4, 4), (7, 5), (3, 3, 4)])
@pytest.mark.parametrize("law", [uniform(1, 3), power_of_two(0.8, 1, 3)])
def test_the_chain_equals_the_exact_formulas(sizes, law, request_type):
    system = Multicluster(sizes)
    formula = maximal_utilization(system, law, request=request_type)
    chain = exact_utilization(system, law, request=request_type)
    assert chain.max_utilization == pytest.approx(formula.max_utilization, abs=1e-10)
    assert chain.multiprogramming_level == pytest.approx(formula.multiprogramming_level, abs=1e-9)
    assert chain.method == formula.method == "exact"


PLACEMENTS = [WorstFit(), FirstFit((1, 0)), BestFit(), SingleThenSpan(), Reversed()]


@pytest.mark.parametrize("placement", PLACEMENTS, ids=str)
@pytest.mark.parametrize(
    ("sizes", "jobs", "request_type"),
    [
        ((3, 3), {(1, 1): 0.25, (2, 1): 0.5, (2, 2): 0.25}, "unordered"),
        ((4, 2), {(1, 0): 0.4, (2, 1): 0.5, (3, 2): 0.1}, "unordered"),
        ((4, 2), {(1,): 0.1, (2,): 0.3, (4,): 0.6}, "total"),
    ],
)
def test_the_chain_equals_its_twin(sizes, jobs, request_type, placement):
    joint = JointSizes(list(jobs), list(jobs.values()))
    found = exact_utilization(Multicluster(sizes), joint, None, request_type, placement)
    expected = naive.chain_utilization(jobs, sizes, placement, request_type)
    assert found.max_utilization == pytest.approx(expected, abs=1e-10)
    mean = joint.mean / sum(sizes)
    assert found.max_utilization == pytest.approx(found.multiprogramming_level * mean, abs=1e-12)


def agrees_with_heavy_traffic(system, law, components, request, placement, jobs):
    exact = exact_utilization(system, law, components, request, placement).max_utilization
    model = JobModel(law, components=components, request=request)
    scenario = Scenario(system, model, placement=placement)
    values = heavy_traffic(scenario, scenario.sample(jobs, seed=7))
    interval = student(values, 0.999)
    assert interval.half_width < 0.01
    return interval.contains(exact)


@pytest.mark.parametrize(
    "placement", [WorstFit(), FirstFit((1, 0)), BestFit(), SingleThenSpan()], ids=str
)
@pytest.mark.parametrize(
    ("sizes", "law", "components", "request_type"),
    [
        ((8, 8), uniform(1, 2), 2, "unordered"),
        ((6, 4), uniform(1, 4), 1, "unordered"),
        ((7, 5), uniform(1, 3), 2, "total"),
    ],
)
def test_heavy_traffic_agrees(sizes, law, components, request_type, placement):
    case = Multicluster(sizes), law, components, request_type, placement
    assert agrees_with_heavy_traffic(*case, 100_000)


def test_heavy_traffic_agrees_where_the_largest_job_only_fits_whole():
    case = Multicluster([8, 2]), uniform(1, 4), 2, "unordered"
    assert agrees_with_heavy_traffic(*case, SingleThenSpan(), 100_000)
    with pytest.raises(InputError, match="never starts"):
        exact_utilization(*case, WorstFit())


def test_many_states_are_solved_by_iteration(monkeypatch):
    case = Multicluster([6, 6]), uniform(1, 3), None, "unordered", FirstFit()
    iterated = exact_utilization(*case)
    monkeypatch.setattr("coalloc_lib.analytic.stationary.DIRECT", 10**6)
    assert iterated.max_utilization == pytest.approx(
        exact_utilization(*case).max_utilization, abs=1e-12
    )


@pytest.mark.parametrize("direct", [0, 300])
def test_visits_of_a_ring_with_a_passing_state(direct, monkeypatch):
    monkeypatch.setattr("coalloc_lib.analytic.stationary.DIRECT", direct)
    count = 40  # a transient state, a ring that never rests, and a short way through the last one
    source = np.array([count + 1, *range(count), *([count] * 2)])
    target = np.array([0, *range(1, count + 1), 0, 5])
    chance = np.array([1.0] * (count + 1) + [0.25, 0.75])
    lasting = np.arange(count + 2) != count
    flow = stationary_flow(chance, source, target, lasting, np.zeros(count + 2))
    expected = np.where(np.arange(count + 2) < 5, 0.25, 1.0) * lasting
    expected[count + 1] = 0
    assert flow == pytest.approx(expected / expected.sum(), abs=1e-12)


def test_iteration_comes_to_rest_where_the_visits_go_round_in_circles(monkeypatch):
    start = np.array([0.7, 0.2, 0.1])
    monkeypatch.setattr("coalloc_lib.analytic.stationary.DIRECT", 0)
    monkeypatch.setattr("coalloc_lib.analytic.stationary.ITERATIONS", 500)
    monkeypatch.setattr("coalloc_lib.analytic.stationary._dominant_eigenvector", lambda *_: start)
    ring = np.array([1, 2, 0]), np.array([True] * 3), np.zeros(3)
    flow = stationary_flow(np.ones(3), np.arange(3), *ring)
    assert flow == pytest.approx(np.full(3, 1 / 3), abs=1e-12)


def test_several_ends_are_refused():
    jumps = np.array([0.5, 0.5, 1.0, 1.0]), np.array([0, 0, 1, 2]), np.array([1, 2, 1, 2])
    with pytest.raises(InputError, match="any of 2 separate sets"):
        stationary_flow(*jumps, np.ones(3, dtype=bool), np.zeros(3))


SMALL = Multicluster([4, 3])


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((SMALL, uniform(1, 2)), {"budget_states": 0}, "budget_states"),
        ((SMALL, uniform(1, 4)), {}, "reach 4 and cluster number 2 by size has 3"),
        ((SMALL, uniform(1, 4), 2, "flexible"), {}, "reach 8 and the system has 7"),
        ((SMALL, uniform(1, 2), 2, "unordered", HomeSite(BestFit())), {}, "is for flexible and"),
        ((SMALL, uniform(1, 2), 2, "total", HomeSite(BestFit())), {}, "a model have no site"),
        ((Multicluster([10**9]), uniform(1, 2)), {}, "up to 1000000000 of these jobs"),
        ((Multicluster([40] * 8), uniform(2, 40)), {}, "different jobs"),
    ],
)
def test_mistakes_are_refused(arguments, keywords, words):
    with pytest.raises(InputError, match=words):
        exact_utilization(*arguments, **keywords)


def test_what_has_too_many_states_is_refused_and_says_how_far_it_came():
    words = r"has 50\d\d states or more, .* after the first \d+ states .*budget_states = 5000"
    with pytest.raises(InputError, match=words):
        exact_utilization(Multicluster([8, 8]), uniform(1, 4), budget_states=5_000)
    assert exact_utilization(Multicluster([8, 8]), uniform(1, 4), budget_states=10_000)


class Answer(Placement):
    """A placement with an error: it calls a function that a user wrote."""

    def __init__(self, answer):
        self.answer = answer

    def place(self, components, request, idle):
        return self.answer(sum(components), idle)

    def __str__(self):
        return "Answer()"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda size, idle: [min(idle[0], 1), 0], r"placed .* components \[2\] as \[1, 0\] with"),
        (lambda size, idle: [size, 0], r"with \[0, 2\] idle processors|with \[1, 2\] idle"),
        (
            lambda size, idle: [1, size - 1],
            r"as \[1, 1\], which a request of type 'total' does not",
        ),
        (lambda size, idle: None, r"Answer\(\) does not place .* on the idle system"),
    ],
)
def test_a_wrong_answer_of_a_placement_is_refused(answer, words):
    with pytest.raises(InputError, match=words):
        exact_utilization(Multicluster([2, 2]), uniform(1, 2), 1, "total", Answer(answer))
