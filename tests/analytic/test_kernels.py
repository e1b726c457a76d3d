"""The kernels equal the naive definitions, compiled or not."""

import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes, kernels
from coalloc_lib.analytic.one_cluster import one_cluster_fits
from coalloc_lib.analytic.ordered import direct_fits, transform_fits
from coalloc_lib.analytic.unordered import nested_fits, ways_table, worst_fit_fits
from coalloc_lib.distributions import SizeDistribution
from tests.analytic import naive
from tests.analytic.drawn import distributions, tables

STEPS = 6
few = settings(deadline=None, max_examples=60)


@few
@given(st.data())
def test_ordered_tables(data):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    joint = data.draw(tables(sizes))
    density = naive.table(joint.vectors, joint.probabilities, len(sizes))
    expected = naive.fits(density, lambda f, g: naive.ordered_convolution(f, g, sizes), STEPS)
    for way in (direct_fits, transform_fits):
        assert list(islice(way(joint, np.array(sizes)), STEPS)) == pytest.approx(
            expected, abs=1e-12
        )


@few
@given(st.data())
def test_both_worst_fits_of_independent_components(data):
    clusters, size = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    components = data.draw(st.integers(1, min(clusters, 3)))
    sizes = data.draw(distributions(min(size, 4)))
    density = naive.unordered(naive.independent(sizes.probabilities, components, clusters))
    expected = naive.fits(density, lambda f, g: naive.worst_fit_convolution(f, g, size), STEPS)
    start = np.zeros(clusters, dtype=np.int64)
    joint = JointSizes.independent(sizes, components).unordered()
    direct = list(islice(worst_fit_fits(joint, size, start), STEPS))
    nested = list(islice(nested_fits(sizes, components, size, start), STEPS))
    assert direct == pytest.approx(expected, abs=1e-12)
    assert nested == pytest.approx(expected, abs=1e-12)


@few
@given(st.data())
def test_one_cluster(data):
    size = data.draw(st.integers(1, 12))
    sizes = data.draw(distributions(size))
    density = naive.independent(sizes.probabilities, 1, 1)
    expected = naive.fits(density, lambda f, g: naive.ordered_convolution(f, g, [size]), STEPS)
    assert list(islice(one_cluster_fits(sizes.probabilities, size), STEPS)) == pytest.approx(
        expected, abs=1e-12
    )


def test_one_cluster_by_fourier_transform_equals_direct_convolution(monkeypatch):
    sizes = SizeDistribution(np.append(0, np.full(50, 0.02)))
    direct = list(islice(one_cluster_fits(sizes.probabilities, 300), 20))
    monkeypatch.setattr("coalloc_lib.analytic.one_cluster.MANY_PRODUCTS", 0)
    assert list(islice(one_cluster_fits(sizes.probabilities, 300), 20)) == pytest.approx(
        direct, abs=1e-12
    )


def test_ways_number_the_sorted_vectors():
    vectors = [(a, b, c) for a in range(5) for b in range(a + 1) for c in range(b + 1)]
    ways = ways_table(3, 4)
    assert [kernels.place(ways, np.array(v), 3, 0) for v in vectors] == list(range(len(vectors)))
    assert ways[3, 5] == len(vectors)
    for least in (0, 2):
        found = np.full(3, least)
        for following in [v for v in vectors if v[2] >= least][1:]:
            kernels.advance(found, 3, least)
            assert tuple(found) == following


#: The vectors of two numbers up to 2 are 00, 10, 11, 20, 21, 22.
WAYS = ways_table(2, 2)


def test_the_worked_examples_of_sorted_vectors():
    vector = np.array([5, 3, 1, 9])
    kernels.insert(vector, 3, 3)
    assert vector.tolist() == [5, 3, 3, 1]
    assert kernels.place(WAYS, np.array([2, 1]), 2, 0) == 4
    assert kernels.place(WAYS, np.array([5, 4]), 2, 3) == 4
    vector = np.array([2, 1, 1])
    kernels.advance(vector, 3, 0)
    assert vector.tolist() == [2, 2, 0]


def test_the_worked_example_of_moving_levels():
    density, out = np.array([[0, 0, 0], [1.0, 3, 5]]), np.zeros((2, 3))
    assert [kernels.first_level(density, state, 2.0) for state in (0, 1)] == [3, 1]
    kernels.move(density, 1, 0, out, 0, 0.5, 1, 1)
    assert out.tolist() == [[0, 0.5, 1.5], [0, 0, 0]]


def test_the_worked_example_of_a_step():
    """The two clusters differ by 0, 1 or 2, a row each; a column is what the other uses."""
    jobs, weights = np.array([[1, 0], [1, 1]]), np.array([0.25, 0.75])
    for level, expected in (
        (0, [[0, 0.25, 0], [0, 0.75, 0], [0, 0, 0]]),
        (1, [[0, 0, 0.25], [0, 0, 0], [0, 0, 0]]),
    ):
        density, out = np.zeros((2, 3, 3))
        density[1, level] = 1
        kernels.worst_fit_step(density, out, WAYS, jobs, weights, 0.0)
        assert out.tolist() == expected


def test_the_worked_example_of_one_size_after_the_other():
    offsets, ways = np.array([0, 3, 8]), ways_table(2, 4)
    cells, out = np.zeros((8, 3)), np.zeros((3, 3))
    cells[0, 0] = 1
    kernels.worst_fit_size(cells, out, offsets, ways, 2, 2, 2, 0.5, 0.0)
    expected = np.zeros((3, 3))
    expected[0, 2] = 0.25
    assert out.tolist() == expected.tolist()
    assert np.argwhere(cells[3:]).tolist() == [[4, 0]]
    kernels.worst_fit_size(cells, out, offsets, ways, 2, 2, 1, 0.5, 0.0)
    expected[[1, 0], 1] = 0.5, 0.25
    assert out.tolist() == expected.tolist()
    assert np.argwhere(cells[3:]).tolist() == [[3, 0], [4, 0]]
    assert cells[[6, 7], 0].tolist() == [1, 1]


def test_the_worked_example_of_first_fit():
    density, out = np.array([0, 0, 1.0, 0, 0, 0]), np.zeros(6)
    jobs, weights = np.array([[1, 1], [2, 1]]), np.array([0.25, 0.75])
    kernels.first_fit_step(density, out, np.array([2, 1]), np.array([2, 1]), jobs, weights, 0.0)
    assert out.tolist() == [0, 0, 0, 0, 0, 0.25]


SCRIPT = """
from itertools import islice
import numpy as np
from coalloc_lib.analytic import JointSizes
from coalloc_lib.analytic.unordered import first_fit_fits, nested_fits, worst_fit_fits
from coalloc_lib.distributions import power_of_two
sizes, start = power_of_two(0.9, 1, 4), np.array([2, 0, 0])
joint = JointSizes.independent(sizes, 2)
for fits in (
    worst_fit_fits(joint, 6, start),
    nested_fits(sizes, 2, 6, start),
    first_fit_fits(joint, np.array([4, 6, 6])),
):
    print([value.hex() for value in islice(fits, 5)])
"""


def _run(**variables):
    command = [sys.executable, "-c", SCRIPT]
    environment = os.environ | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


def test_compiled_equals_uncompiled():
    compiled = [float.fromhex(x) for x in _run().stdout.replace("'", " ").split() if "0x" in x]
    plain = _run(NUMBA_DISABLE_JIT="1").stdout.replace("'", " ").split()
    plain = [float.fromhex(x) for x in plain if "0x" in x]
    assert len(compiled) == 15
    assert compiled == pytest.approx(plain, abs=1e-14)
