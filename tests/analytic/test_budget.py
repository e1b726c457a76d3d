"""A formula that would take too long raises a `BudgetError` before the computation starts."""

import pickle
from functools import reduce

import numpy as np
import pytest

from coalloc_lib.analytic import BudgetError, JointSizes, maximal_utilization, ordered, unordered
from coalloc_lib.analytic.budget import CALL, Budget, SumOfSizes, sum_cost
from coalloc_lib.model.distributions import SizeDistribution, uniform
from coalloc_lib.model.placement import FirstFit, WorstFit
from coalloc_lib.model.system import Multicluster


@pytest.fixture(scope="module")
def split():
    """Split one total size from 1 to 512 into components of at most 32."""
    return JointSizes.dependent(uniform(1, 512), 32)


@pytest.mark.parametrize(
    ("clusters", "sizes", "components", "request_type", "placement"),
    [
        ([32] * 16, uniform(1, 32), 16, "unordered", None),
        ([32] * 16, "split", None, "ordered", None),
        ([32] * 16, "split", None, "unordered", None),
        ([32] * 400, "split of 12800", None, "ordered", None),
        ([10**9], uniform(1, 2), 1, "total", None),
        ([10**6] * 2, uniform(1, 2), 2, "unordered", None),
        ([10**6] * 2, JointSizes([[1, 2], [2, 1]], [0.5, 0.5]), None, "ordered", None),
        ([16] * 8, uniform(1, 4), 4, "unordered", FirstFit()),
        ([10**6, 10**6, 10**5], uniform(1, 2), 2, "unordered", WorstFit()),
        ([6 * 10**8, 6 * 10**8, 6 * 10**8, 5], uniform(1, 2), 2, "unordered", WorstFit()),
        ([10**6] * 400, uniform(1, 2), 400, "unordered", FirstFit()),
    ],
)
def test_what_is_hopeless_is_refused_with_an_estimate(
    clusters, sizes, components, request_type, placement, monkeypatch, request
):
    if sizes == "split":
        sizes = request.getfixturevalue("split")
    elif sizes == "split of 12800":
        sizes = JointSizes.dependent(uniform(1, 12800), 32)
    # The computation does not begin, because its first steps would fail.
    monkeypatch.setattr("coalloc_lib.analytic.utilization._mean_number_in_service", None)
    monkeypatch.setattr(np, "convolve", None)
    with pytest.raises(BudgetError, match=r"would take about .* and .*iB \(budget_seconds = 60, "):
        maximal_utilization(
            Multicluster(clusters), sizes, components, request_type, placement=placement
        )


def test_the_budget_can_be_lowered_and_raised():
    system, joint = Multicluster.equal(3, 12), JointSizes.product([uniform(1, 6)] * 3)
    with pytest.raises(BudgetError, match="budget_seconds"):
        maximal_utilization(system, joint, budget_seconds=1e-6)
    assert maximal_utilization(system, joint, budget_seconds=1e6)


@pytest.mark.parametrize(
    ("sizes", "request_type"),
    [
        (uniform(1, 20_000), "flexible"),
        (uniform(1, 20_000), "total"),
        (uniform(1, 20_000), "unordered"),
        ([uniform(1, 300), uniform(1, 301), uniform(1, 302)], "unordered"),
    ],
)
def test_the_budget_is_checked_before_sizes_are_summed(sizes, request_type, monkeypatch):
    monkeypatch.setattr(np, "convolve", None)
    monkeypatch.setattr(JointSizes, "product", None)
    with pytest.raises(BudgetError, match="budget_seconds = 1e-06"):
        maximal_utilization(
            Multicluster.equal(4, 80_000), sizes, None, request_type, budget_seconds=1e-6
        )


def test_the_moments_of_a_sum_are_those_of_its_distribution():
    parts = [uniform(1, 4), uniform(3, 7), uniform(2, 2)]
    total = reduce(np.convolve, (part.probabilities for part in parts))
    total, summed = SizeDistribution(total, "total"), SumOfSizes.of(parts)
    assert (summed.minimum, summed.maximum) == (total.minimum, total.maximum) == (6, 13)
    assert (summed.mean, summed.variance) == pytest.approx((total.mean, total.variance))
    operations, _ = sum_cost(parts)
    assert operations == 2 * CALL + 5 * 8 + 12 * 3


def test_a_formula_that_needs_too_much_memory_is_refused_however_long_it_may_take():
    with pytest.raises(BudgetError, match="at most 1 GiB"):
        Budget(1e6).check(1.0, 2.0**31)
    Budget(1e6).check(1.0, 2.0**30)


def test_the_estimate_is_the_bound_over_the_speed():
    with pytest.raises(BudgetError) as refused:
        Budget(60, 2**30).check(7.2e12, 3 * 2**30)
    assert refused.value.cost == "the formula would take about 2 hours and 3 GiB"
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    limit = " (budget_seconds = 60, at most 1 GiB); raise the budget, "
    assert str(refused.value).startswith(refused.value.cost + limit)


def counted(monkeypatch, module, name, work):
    """Replace a function so that each call adds its number of operations to a list, and return the
    list."""
    plain, made = getattr(module, name), []

    def function(*arguments):
        made.append(work(*arguments))
        return plain(*arguments)

    monkeypatch.setattr(module, name, function)
    return made


def tried(density, floor, clusters):
    """Return the operations for one job or size: for each state that is not skipped, and for each
    of its levels."""
    reached = density > floor
    return np.count_nonzero(reached.any(axis=1)) * unordered.PLACED * clusters + reached.sum()


#: The numbers of operations that one call to each kernel makes.
TRIED = {
    "worst_fit_step": lambda density, out, ways, jobs, weights, floor: (
        tried(density, floor, len(ways) - 1) * len(weights)
    ),
    "worst_fit_size": lambda cells, out, offsets, ways, k, difference, value, chance, floor: tried(
        cells, floor, len(ways) - 1
    ),
    "first_fit_step": lambda density, out, sizes, strides, jobs, weights, floor: (
        np.count_nonzero(density > floor) * len(weights)
    ),
}


@pytest.mark.parametrize(
    ("name", "sizes", "placement"),
    [
        ("worst_fit_step", JointSizes.independent(uniform(1, 20), 2), WorstFit()),
        ("worst_fit_size", uniform(1, 20), WorstFit()),
        ("first_fit_step", uniform(1, 20), FirstFit()),
    ],
)
def test_no_more_is_done_than_estimated_nor_much_less(name, sizes, placement, monkeypatch):
    estimated = counted(monkeypatch, Budget, "check", lambda budget, operations, _: operations)
    made = counted(monkeypatch, unordered, name, TRIED[name])
    maximal_utilization(Multicluster([20, 20]), sizes, None, "unordered", placement=placement)
    assert sum(made) <= sum(estimated) <= 5 * sum(made)


@pytest.mark.parametrize(("processors", "most"), [(128, 16), (1000, 100)])
def test_convolutions_cost_about_what_was_estimated(processors, most, monkeypatch):
    estimated = counted(monkeypatch, Budget, "check", lambda budget, operations, _: operations)
    made = counted(monkeypatch, ordered, "_convolve", lambda d, s: CALL + len(d) * len(s))
    maximal_utilization(Multicluster([processors]), uniform(1, most))
    assert sum(made) / 2 <= sum(estimated) <= 2 * sum(made)
