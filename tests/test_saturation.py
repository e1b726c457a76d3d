"""The simulated maximal utilization, against the formulas and against each other."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.analytic.slotted import slotted_utilization
from coalloc_lib.inference import student
from coalloc_lib.saturation import (
    heavy_traffic,
    loss_at_response,
    loss_between_bounds,
    saturated_loss,
)

SMALL = co.Multicluster([8, 8])
MODEL = co.JobModel(co.uniform(1, 4), 2)
CASES = [
    (co.Multicluster([32]), co.JobModel(co.uniform(1, 5), 1, "total")),
    (co.Multicluster([16, 8]), co.JobModel(co.power_of_two(0.8, 1, 8), 2, "ordered")),
    (co.Multicluster([16, 8]), co.JobModel(co.uniform(2, 6), 3, "flexible")),
]


@pytest.mark.parametrize(("system", "model"), CASES)
def test_heavy_traffic_is_the_formula(system, model):
    exact = co.maximal_utilization(system, model.sizes, model.components, model.request)
    found = student(1 - heavy_traffic(system, model.sample(400_000, seed=1)), confidence=0.999)
    assert found.contains(exact.capacity_loss)
    assert found.half_width < 0.004


@pytest.mark.parametrize(("system", "model"), CASES[:2])
def test_response_method_comes_near_the_formula(system, model):
    """A finite response time leaves a little more idle than saturation does."""
    exact = co.maximal_utilization(system, model.sizes, model.components, model.request)
    found = student(loss_at_response(system, model, jobs=100_000, replications=4))
    assert abs(found.estimate - exact.capacity_loss) < 0.006


def test_a_lower_response_needs_a_lower_load():
    low, high = (
        student(loss_at_response(SMALL, MODEL, response=response, jobs=60_000, replications=3))
        for response in (5, 200)
    )
    assert low.low > high.high


def test_slotted_service_is_not_equation_four():
    """The job that did not fit begins the next slot: large ones are there more often.

    Two sizes that exclude each other make deterministic service slotted. By hand, sizes 3 and 6
    on 8 processors: 6 is first in three slots of five, and the utilization is 5.4 / 8.
    """
    weights = np.zeros(9)
    weights[[3, 6]] = 0.5
    sizes, system = co.SizeDistribution(weights), co.Multicluster([8])
    model = co.JobModel(sizes, 1, "total", co.Deterministic())
    found = student(1 - heavy_traffic(system, model.sample(200_000, seed=2)), confidence=0.999)
    exact = slotted_utilization(8, sizes)
    assert exact.max_utilization == pytest.approx(5.4 / 8)
    assert found.contains(exact.capacity_loss)
    equation_four = co.maximal_utilization(system, sizes, 1, "total", service="slotted")
    assert equation_four.method == "approximation"
    assert found.low - equation_four.capacity_loss > 0.02


@pytest.mark.parametrize("sizes", [co.uniform(1, 16), co.power_of_two(0.9, 2, 15)])
def test_slotted_chain_is_the_simulated_one(sizes):
    """Simulated slot by slot, as the definition says: fill up, run, start afresh."""
    draws = iter(sizes.sample(np.random.default_rng(3), 400_000).tolist())
    fills, used = [], next(draws)
    for size in draws:
        if used + size > 16:
            fills.append(used)
            used = 0
        used += size
    exact = slotted_utilization(16, sizes)
    assert student(np.array(fills) / 16, confidence=0.999).contains(exact.max_utilization)
    assert exact.multiprogramming_level * sizes.mean / 16 == pytest.approx(exact.max_utilization)


def test_bounds_agree_with_a_held_queue():
    policy = co.FPFS(max_jumps=10)
    held = saturated_loss(SMALL, MODEL, jobs=100_000, scheduling=policy, backlog=100)
    between = student(
        loss_between_bounds(SMALL, MODEL, policy, bounds=(0, 200), arrivals=20_000, replications=4)
    )
    assert abs(held.estimate - between.estimate) < 0.02


def test_overtaking_gains():
    losses = [
        saturated_loss(SMALL, MODEL, scheduling=co.FPFS(jumps), backlog=200) for jumps in (0, 5, 50)
    ]
    assert losses[0].low > losses[1].high > losses[1].low > losses[2].high


def test_seed_alone_decides():
    one, again, other = (saturated_loss(SMALL, MODEL, jobs=5000, seed=s) for s in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: saturated_loss(SMALL, MODEL, scheduling=co.FPFS(5)), "backlog is not given"),
        (lambda: saturated_loss(SMALL, MODEL, jobs=1), "jobs has 1 entries"),
        (lambda: saturated_loss(SMALL, MODEL, batches=1), "batches = 1"),
        (lambda: loss_at_response(SMALL, MODEL, jobs=3000), "needs [0-9]+ or more"),
        (lambda: loss_between_bounds(SMALL, MODEL, co.FPFS(5), bounds=(9, 3)), "bounds = "),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(co.InputError, match=words):
        call()
