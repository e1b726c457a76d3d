"""The formulas, compared with published numbers, known limits and each other; bad arguments."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.analytic import (
    JointSizes,
    maximal_utilization,
    slotted_as_printed,
    slotted_utilization,
)
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import SizeDistribution, parse_sizes, uniform
from coalloc_lib.model.placement import BestFit, FirstFit, HomeSite, WorstFit
from coalloc_lib.model.system import Multicluster
from tests.conftest import ROOT

REQUESTS = ("ordered", "unordered", "flexible")
PUBLISHED = pd.read_csv(ROOT / "data" / "published" / "published.csv").query(
    "method != 'simulation'"
)
CELLS = [*PUBLISHED.groupby(["clusters", "cluster_size", "component_sizes", "request"])]


@pytest.mark.parametrize(("cell", "rows"), CELLS, ids=lambda cell: "-".join(map(str, cell))[:40])
def test_published_cells_come_out(cell, rows):
    clusters, size, sizes, request = cell
    one_cluster = Multicluster([clusters * size])
    system = one_cluster if request == "total" else Multicluster.equal(clusters, size)
    bound = maximal_utilization(system, parse_sizes(sizes), clusters, request)
    assert bound.capacity_loss == pytest.approx(rows["published"].to_numpy(), abs=0.0006)
    assert {*rows["method"]} == {bound.method}


def test_on_one_cluster_every_request_and_placement_is_the_same():
    cases = [(request, None) for request in (*REQUESTS, "total")]
    cases += [("unordered", rule) for rule in (WorstFit(), FirstFit(), BestFit())]
    bounds = [
        maximal_utilization(Multicluster([16]), uniform(1, 6), 1, request, placement=rule)
        for request, rule in cases
    ]
    assert [b.loss.estimate for b in bounds] == pytest.approx([bounds[0].loss.estimate] * 7)
    assert {b.method for b in bounds} == {"exact"}


def loss(*arguments, **keywords):
    return maximal_utilization(*arguments, **keywords).capacity_loss


@pytest.mark.parametrize("request_type", REQUESTS)
@pytest.mark.parametrize("size", [1, 8])
def test_equal_jobs_that_fill_the_clusters_lose_nothing(request_type, size):
    found = loss(Multicluster.equal(3, 8), uniform(size, size), request=request_type)
    assert found == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("size", [1, 8])
def test_equal_jobs_that_fill_the_slots_lose_nothing(size):
    assert slotted_as_printed(24, uniform(size, size)) == pytest.approx(1, abs=1e-12)
    exact = slotted_utilization(24, uniform(size, size))
    assert exact.max_utilization == pytest.approx(1, abs=1e-12)


def test_pathological_ordered_jobs_tend_to_the_published_limit():
    clusters = 3
    previous = 0.0
    for size in (8, 32, 128):
        joint = JointSizes([[size // 2 + 1] + [1] * (clusters - 1)], [1])
        found = loss(Multicluster.equal(clusters, size), joint)
        assert previous < found < (2 * clusters - 1) / (2 * clusters)
        previous = found
    assert found == pytest.approx((2 * clusters - 1) / (2 * clusters), abs=0.02)


@given(st.data())
def test_ordered_table_of_a_product_equals_independent_columns(data):
    sizes = data.draw(st.lists(st.integers(2, 8), min_size=1, max_size=3))
    parts = [uniform(1, data.draw(st.integers(1, size))) for size in sizes]
    columns = maximal_utilization(Multicluster(sizes), parts)
    table = maximal_utilization(Multicluster(sizes), JointSizes.product(parts))
    assert table.max_utilization == pytest.approx(columns.max_utilization, abs=1e-10)
    assert columns.method == table.method == "exact"


def test_the_sums_end_where_nothing_is_left_of_them():
    """Compare with the equations as they are printed, which also sum all negligible terms."""
    sizes, capacity = uniform(1, 16), 400
    density, fitting = np.ones(1), []
    for _ in range(capacity):
        density = np.convolve(density, sizes.probabilities)[: capacity + 1]
        fitting.append(density.sum())
    i = np.arange(2, capacity + 1)
    level = 1 / (1 - (fitting[1:] / (i * (i - 1))).sum())
    bound = maximal_utilization(Multicluster([capacity]), sizes)
    assert bound.multiprogramming_level == pytest.approx(level, rel=1e-11)
    printed = sum(fitting) * sizes.mean / capacity
    assert slotted_as_printed(capacity, sizes) == pytest.approx(printed, rel=1e-11)


@pytest.mark.parametrize("sizes", ["U[1,8]", "D(0.9)[1,8]", "U[3,8]"])
def test_equation_four_gives_too_high_a_utilization(sizes):
    sizes = parse_sizes(sizes)
    exact = slotted_utilization(8, sizes).max_utilization
    assert slotted_as_printed(8, sizes) > exact + 0.02


def test_equation_four_can_give_a_utilization_above_one():
    sizes = SizeDistribution([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2])
    assert slotted_as_printed(8, sizes) == pytest.approx(1.0587, abs=1e-4)


@pytest.mark.parametrize("function", [slotted_as_printed, slotted_utilization])
def test_bad_arguments_of_slotted_service_are_named(function):
    assert function(2.0, uniform(1, 2)) == function(2, uniform(1, 2))
    for arguments, words in (
        ((2, "U[1,2]"), "sizes = 'U.1,2.' is not of type SizeDistribution"),
        ((0, uniform(1, 2)), "processors = 0; give a whole number"),
        ((2, uniform(1, 4)), "sizes reach 4 and processors = 2"),
        ((2, uniform(4, 8)), "sizes reach 8 and processors = 2"),
    ):
        with pytest.raises(InputError, match=words):
            function(*arguments)


def test_missing_columns_leave_their_clusters_idle():
    wide = maximal_utilization(Multicluster([8, 8]), uniform(1, 4), 1)
    narrow = maximal_utilization(Multicluster([8]), uniform(1, 4), 1)
    assert wide.max_utilization == pytest.approx(narrow.max_utilization / 2)
    assert wide.multiprogramming_level == pytest.approx(narrow.multiprogramming_level)


FOUR = Multicluster.equal(4, 32)
HALF = SizeDistribution([0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        (([32], HALF), {}, "Multicluster"),
        ((FOUR, "U[1,4]"), {}, "SizeDistribution"),
        ((FOUR, []), {}, "SizeDistribution"),
        ((FOUR, [HALF, 3]), {}, r"sizes\[1\]"),
        ((FOUR, HALF, 5), {}, "components = 5"),
        ((FOUR, HALF, 0), {}, "components = 0"),
        ((FOUR, HALF, 10**12), {"request": "flexible"}, "more than all 128"),
        ((FOUR, [HALF, HALF], 3), {}, "components = 3"),
        ((FOUR, HALF), {"request": "any"}, "request"),
        ((FOUR, HALF), {"budget_seconds": 0}, "budget_seconds"),
        ((FOUR, HALF), {"request": "unordered", "placement": "worst-fit"}, "placement"),
        ((FOUR, HALF), {"request": "flexible", "placement": HomeSite(BestFit())}, "have no site"),
        ((FOUR, HALF), {"request": "unordered", "placement": HomeSite(BestFit())}, "is for flex"),
        ((Multicluster([1, 5]), HALF), {"request": "unordered"}, "number 2 by size has 1"),
        ((Multicluster([4, 4]), uniform(1, 5)), {"request": "flexible"}, "reach 10"),
        ((Multicluster([4, 3]), JointSizes([[1, 4]], [1])), {}, "cluster 1"),
    ],
)
def test_mistakes_are_refused(arguments, keywords, words):
    with pytest.raises(InputError, match=words):
        maximal_utilization(*arguments, **keywords)
