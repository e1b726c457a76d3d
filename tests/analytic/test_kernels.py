"""The compiled and the uncompiled kernels, compared with plain implementations of the formulas."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes, kernels
from coalloc_lib.analytic.ordered import direct_fits, one_cluster_fits, transform_fits
from coalloc_lib.analytic.unordered import first_fit_fits, nested_fits, worst_fit_fits
from coalloc_lib.model.distributions import SizeDistribution, power_of_two
from coalloc_lib.model.placement import WorstFit
from tests.analytic import naive
from tests.analytic.naive import distributions, tables

STEPS = 6


@given(st.data())
def test_ordered_tables(data):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    joint = data.draw(tables(sizes))
    jobs = naive.table(joint.vectors, joint.probabilities, len(sizes))
    expected = naive.placed_fits(jobs, sizes, WorstFit(), STEPS, "ordered")
    for way in (direct_fits, transform_fits):
        assert list(islice(way(joint, np.array(sizes)), STEPS)) == pytest.approx(
            expected, abs=1e-12
        )


@given(st.data())
def test_one_cluster(data):
    size = data.draw(st.integers(1, 12))
    sizes = data.draw(distributions(size))
    jobs = naive.independent(sizes.probabilities, 1, 1)
    expected = naive.placed_fits(jobs, [size], WorstFit(), STEPS, "total")
    assert list(islice(one_cluster_fits(sizes.probabilities, size), STEPS)) == pytest.approx(
        expected, abs=1e-12
    )


def test_one_cluster_by_fourier_transform_equals_direct_convolution(monkeypatch):
    sizes = SizeDistribution(np.append(0, np.full(50, 0.02)))
    direct = list(islice(one_cluster_fits(sizes.probabilities, 300), 20))
    monkeypatch.setattr("coalloc_lib.analytic.ordered.MANY_PRODUCTS", 0)
    assert list(islice(one_cluster_fits(sizes.probabilities, 300), 20)) == pytest.approx(
        direct, abs=1e-12
    )


def test_compiled_equals_uncompiled(monkeypatch):
    sizes, start = power_of_two(0.9, 1, 4), np.array([2, 0, 0])
    joint = JointSizes.independent(sizes, 2)

    def run():
        ways = (
            worst_fit_fits(joint, 6, start),
            nested_fits(sizes, 2, 6, start),
            first_fit_fits(joint, np.array([4, 6, 6])),
        )
        return [list(islice(fits, 5)) for fits in ways]

    compiled = run()
    for name in ("worst_fit_step", "worst_fit_size", "first_fit_step"):
        made = getattr(kernels, name).py_func
        monkeypatch.setattr(f"coalloc_lib.analytic.unordered.{name}", made)
    assert run() == pytest.approx(np.array(compiled), abs=1e-14)
