"""Moments of the hyper-Erlang distribution, and its fit to the moments of a sample."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import integrate, stats

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.hyper_erlang import HyperErlang

#: A mixture of two Erlang distributions of three stages.
MIXED = HyperErlang(0.8, (2.0, 0.1), 3)


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


def moments_of(sample):
    """Return the first three moments of a sample as exact fractions."""
    return [sum(Fraction(float(value)) ** k for value in sample) / len(sample) for k in (1, 2, 3)]


def is_possible(order, sample, *, clearly=0.0):
    """Return whether a mixture of two Erlang distributions of one order can have these moments.

    This is so if the moments of the mean stage lengths, which are positive numbers, have positive
    definite Hankel matrices.
    """
    first, second, third = moments_of(sample)
    m1, m2 = first / order, second / order / (order + 1)
    m3 = third / order / (order + 1) / (order + 2)
    more = 1 + clearly
    return m2 > m1**2 * more and m1 * m3 > m2**2 * more


samples = st.lists(st.integers(0, 1000), min_size=3, max_size=12).filter(lambda s: len({*s, 0}) > 2)


@given(samples)
@example([0, 50, 55])
def test_a_fit_has_the_first_three_moments_and_the_least_order(sample):
    above = [value for value in sample if value]
    # Otherwise the order is so high that the fit is refused, or not precise.
    assume(np.std(above) > 0.05 * np.mean(above))
    fitted = HyperErlang.fit(sample)
    for k, moment in enumerate(moments_of(sample), start=1):
        assert fitted.moment(k) == pytest.approx(float(moment), rel=1e-6)
    assert 0 <= fitted.share <= 1
    assert is_possible(fitted.order, sample)
    assert fitted.order == 1 or not is_possible(fitted.order - 1, sample, clearly=1e-6)
    assert fitted.variance == pytest.approx(np.var(sample), rel=1e-5)


def of_mixed(function, t):
    """Return a function of Erlang distributions, such as `pdf`, for the mixture `MIXED`."""
    first, second = (getattr(stats.erlang(3, scale=1 / rate), function)(t) for rate in MIXED.rates)
    return 0.8 * first + 0.2 * second


def test_moments_draws_and_residual_times_are_those_of_the_density():
    for k in (1, 2, 3):
        moment = integrate.quad(
            lambda t, k=k: t**k * of_mixed("pdf", t), 0, 400, limit=400, points=[2, 30]
        )
        assert MIXED.moment(k) == pytest.approx(moment[0], rel=1e-8)
    drawn = MIXED.sample(np.random.default_rng(3), 20_000)
    assert stats.kstest(drawn, lambda t: of_mixed("cdf", t)).pvalue > 0.001

    def residual_below(t):
        """Return the integral of P(T > x) for x from 0 to t, divided by the mean of T."""
        beyond = np.linspace(0, t, 200)
        return integrate.simpson(of_mixed("sf", beyond), x=beyond, axis=0) / MIXED.mean

    rng = np.random.default_rng(4)
    drawn = [MIXED.residual(rng) for _ in range(20_000)]
    assert stats.kstest(drawn, residual_below).pvalue > 0.001


def test_a_sample_that_needs_too_high_an_order_is_refused():
    with pytest.raises(InputError, match=r"sample = \[0, 50, 51\].* above 0 are too similar"):
        HyperErlang.fit([0, 50, 51])
