"""The kernels equal the naive definitions, compiled or not."""

import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes
from coalloc_lib.analytic.factorised import factorised_fits, ways_table
from coalloc_lib.analytic.grid import first_different, grid_fits
from coalloc_lib.analytic.lines import line_fits
from coalloc_lib.analytic.transform import transform_fits
from coalloc_lib.analytic.worst_fit import rank_table, worst_fit_fits
from coalloc_lib.distributions import SizeDistribution
from tests.analytic import naive

STEPS = 6
few = settings(deadline=None, max_examples=60)


@st.composite
def distributions(draw, largest):
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=largest).filter(any))
    return SizeDistribution(np.array([0, *weights]) / sum(weights))


@st.composite
def tables(draw, sizes):
    row = st.tuples(*(st.integers(0, n) for n in sizes)).filter(any)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    weights = np.array(draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))
    return JointSizes(rows, weights / weights.sum())


@few
@given(st.data())
def test_grid(data):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    joint = data.draw(tables(sizes))
    density = naive.table(joint.vectors, joint.probabilities, len(sizes))
    expected = naive.fits(density, lambda f, g: naive.ordered_convolution(f, g, sizes), STEPS)
    for way in (grid_fits, transform_fits):
        assert list(islice(way(joint, np.array(sizes)), STEPS)) == pytest.approx(
            expected, abs=1e-12
        )


@few
@given(st.data())
def test_worst_fit_of_a_table(data):
    clusters, size = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    joint = data.draw(tables([size] * data.draw(st.integers(1, clusters))))
    density = naive.unordered(naive.table(joint.vectors, joint.probabilities, clusters))
    expected = naive.fits(density, lambda f, g: naive.worst_fit_convolution(f, g, size), STEPS)
    found = list(islice(worst_fit_fits(joint, clusters, size), STEPS))
    assert found == pytest.approx(expected, abs=1e-12)


@few
@given(st.data())
def test_both_worst_fits_of_independent_components(data):
    clusters, size = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 7))
    components = data.draw(st.integers(1, min(clusters, 3)))
    sizes = data.draw(distributions(min(size, 4)))
    density = naive.unordered(naive.independent(sizes.probabilities, components, clusters))
    expected = naive.fits(density, lambda f, g: naive.worst_fit_convolution(f, g, size), STEPS)
    joint = JointSizes.independent(sizes, components)
    direct = list(islice(worst_fit_fits(joint, clusters, size), STEPS))
    nested = list(islice(factorised_fits(sizes, components, clusters, size), STEPS))
    assert direct == pytest.approx(expected, abs=1e-12)
    assert nested == pytest.approx(expected, abs=1e-12)


@few
@given(st.data())
def test_line(data):
    size = data.draw(st.integers(1, 12))
    sizes = data.draw(distributions(size))
    density = naive.independent(sizes.probabilities, 1, 1)
    expected = naive.fits(density, lambda f, g: naive.ordered_convolution(f, g, [size]), STEPS)
    assert list(islice(line_fits(sizes.probabilities, size), STEPS)) == pytest.approx(
        expected, abs=1e-12
    )


def test_line_by_fourier_transform_equals_direct_convolution(monkeypatch):
    sizes = SizeDistribution(np.append(0, np.full(50, 0.02)))
    direct = list(islice(line_fits(sizes.probabilities, 300), 20))
    monkeypatch.setattr("coalloc_lib.analytic.lines.MANY_PRODUCTS", 0)
    assert list(islice(line_fits(sizes.probabilities, 300), 20)) == pytest.approx(direct, abs=1e-12)


def test_ranks_number_the_sorted_vectors():
    vectors = [(a, b, c) for a in range(5) for b in range(a + 1) for c in range(b + 1)]
    rank, ways = rank_table(3, 4), ways_table(3, 4)
    assert [sum(rank[i, x] for i, x in enumerate(v)) for v in vectors] == list(range(35))
    assert [sum(ways[3 - i, x] for i, x in enumerate(v)) for v in vectors] == list(range(35))


def test_first_different_row():
    rows = np.array([[1, 1, 2], [1, 1, 3], [1, 2, 1], [4, 1, 1]])
    assert first_different(rows).tolist() == [[4, 3, 2], [4, 3, 2], [4, 3, 3], [4, 4, 4]]


SCRIPT = """
from itertools import islice
import numpy as np
from coalloc_lib.analytic import JointSizes
from coalloc_lib.analytic.factorised import factorised_fits
from coalloc_lib.analytic.grid import grid_fits
from coalloc_lib.analytic.transform import transform_fits
from coalloc_lib.analytic.worst_fit import worst_fit_fits
from coalloc_lib.distributions import power_of_two
sizes = power_of_two(0.9, 1, 4)
joint = JointSizes.independent(sizes, 2)
for fits in (
    worst_fit_fits(joint, 3, 6), factorised_fits(sizes, 2, 3, 6), grid_fits(joint, np.array([6, 5]))
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
