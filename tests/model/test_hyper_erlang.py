"""Moments of the hyper-Erlang distribution, against numerical integration of its density."""

import math

import pytest
from scipy import integrate, stats

from coalloc_lib.model.hyper_erlang import HyperErlang


@pytest.mark.parametrize(
    ("share", "rates", "order"), [(0.3, (2.0, 0.5), 1), (0.8, (1.0, 0.25), 3), (1.0, (4.0, 1.0), 2)]
)
def test_moments_are_those_of_the_density(share, rates, order):
    times = HyperErlang(share, rates, order)
    branches = [stats.gamma(order, scale=1 / rate) for rate in rates]

    def density(t):
        return share * branches[0].pdf(t) + (1 - share) * branches[1].pdf(t)

    first, second, third = (
        integrate.quad(lambda t, k=k: t**k * density(t), 0, math.inf)[0] for k in (1, 2, 3)
    )
    assert times.mean == pytest.approx(first)
    assert times.variance == pytest.approx(second - first**2)
    assert times.cv == pytest.approx(math.sqrt(second - first**2) / first)
    assert times.moment(3) == pytest.approx(third)
