"""Distributions: exact moments, samples that follow them, and what they refuse."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import coalloc_lib as co
from coalloc_lib.model.distributions import Between
from coalloc_lib.model.hyper_erlang import HyperErlang

#: Distributions of component sizes in the paper on maximal utilization, with the mean that its
#: Table 5 prints for each.
TABLE_5 = {
    "U[1,7]": 4.00,
    "D(0.9)[1,8]": 4.00,
    "D(0.768)[1,32]": 4.00,
    "U[1,14]": 7.50,
    "D(0.894)[1,32]": 7.48,
}
TIMES = [
    co.Deterministic(2.5),
    co.Exponential(3.0),
    co.Hyperexponential(2.0, 1.0),
    co.Hyperexponential(2.0, 4.0),
    co.Empirical([0.0, 1.0, 1.0, 7.5]),
    Between(0, 0.6),
    Between(3.0, 5.0),
]


@pytest.mark.parametrize(("name", "mean"), TABLE_5.items())
def test_published_means_which_count_one_as_no_power_of_two(name, mean):
    assert round(co.parse_sizes(name).mean, 2) == mean
    other = co.parse_sizes(name, one_is_power_of_two=True)
    assert other.mean < mean - 0.1 or name.startswith("U")


@given(st.integers(1, 50), st.integers(0, 50))
def test_uniform_moments(low, extra):
    sizes = co.uniform(low, low + extra)
    count = extra + 1
    assert sizes.mean == pytest.approx(low + extra / 2, rel=1e-12)
    assert sizes.variance == pytest.approx((count**2 - 1) / 12, rel=1e-9, abs=1e-9)
    assert (sizes.minimum, sizes.maximum) == (low, low + extra)
    assert str(sizes) == f"U[{low},{low + extra}]"


@pytest.mark.parametrize("q", ["0.5", "0.768", "0.9", "1"])
@pytest.mark.parametrize(("low", "high"), [(1, 8), (1, 32), (3, 20), (5, 7)])
@pytest.mark.parametrize("one", [False, True])
def test_power_of_two_moments(q, low, high, one):
    sizes = co.power_of_two(float(q), low, high, one_is_power_of_two=one)
    powers = {2, 4, 8, 16, 32} | ({1} if one else set())
    weight = {s: (3 if s in powers else 1) * Fraction(q) ** s for s in range(low, high + 1)}
    total = sum(weight.values())
    mean = sum(size * w for size, w in weight.items()) / total
    variance = float(sum((size - mean) ** 2 * w for size, w in weight.items()) / total)
    assert sizes.mean == pytest.approx(float(mean), rel=1e-12)
    assert sizes.variance == pytest.approx(variance, rel=1e-10)
    assert sizes.cv == pytest.approx(math.sqrt(variance) / float(mean), rel=1e-10)


@pytest.mark.parametrize(
    "sizes", [co.uniform(1, 7), co.power_of_two(0.9, 1, 8), co.uniform(2, 5).sum_of(4)], ids=str
)
def test_samples_of_sizes_follow_the_probabilities(sizes):
    """The count of each size is binomial: with a fixed seed, no z-score is above 4.5."""
    n = 400_000
    sample = sizes.sample(np.random.default_rng(5), n)
    p = sizes.probabilities
    counts = np.bincount(sample, minlength=len(p))
    possible = p > 0
    assert counts[~possible].sum() == 0
    z = (counts - n * p)[possible] / np.sqrt(n * p * (1 - p))[possible]
    assert abs(z).max() < 4.5


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_samples_of_times_have_the_stated_moments(time):
    n = 400_000
    sample = time.sample(np.random.default_rng(11), n)
    assert sample.shape == (n,)
    assert sample.min() >= 0
    assert abs(sample.mean() - time.mean) <= 4 * math.sqrt(time.variance / n)
    squares = (sample - time.mean) ** 2
    assert abs(squares.mean() - time.variance) <= 4 * squares.std() / math.sqrt(n)
    assert time.cv == pytest.approx(math.sqrt(time.variance) / time.mean)


@given(st.floats(0.01, 1e6), st.floats(1, 50))
def test_hyperexponential_has_balanced_means(mean, variation):
    """Both phases contribute half of the mean, and the variance is the one that was given."""
    time = co.Hyperexponential(mean, variation)
    p = time.short_probability
    assert 0.5 <= p < 1
    fast, slow = mean / (2 * p), mean / (2 * (1 - p))
    assert p * fast == pytest.approx((1 - p) * slow)
    assert p * fast + (1 - p) * slow == pytest.approx(time.mean)
    second = 2 * (p * fast**2 + (1 - p) * slow**2)
    assert second - mean**2 == pytest.approx(time.variance, rel=1e-6)
    assert time.cv == pytest.approx(variation)


@pytest.mark.parametrize("mean", [1e-200, 1.0, 1e200])
def test_the_coefficient_of_variation_is_exact_for_tiny_and_huge_times(mean):
    assert co.Deterministic(mean).cv == 0
    assert co.Exponential(mean).cv == 1
    assert co.Hyperexponential(mean, 3).cv == 3


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (co.Deterministic, 1.5),
        (co.Exponential, 1.5),
        (lambda number: co.Hyperexponential(number, number), 1.5),
        (lambda number: Between(number - 1, number), 1.5),
        (co.PoissonArrivals, 1.5),
        (lambda number: co.power_of_two(number, 1, 8), 0.75),
        (lambda number: co.uniform(1, 2).sum_of(number), 2),
        (co.RandomFit, 3),
    ],
)
def test_any_kind_of_number_is_stored_as_a_plain_one(make, value):
    plain = make(value)
    for number in (Fraction(value), np.float32(value), np.array(value)):
        other = make(number)
        assert (other, hash(other), repr(other)) == (plain, hash(plain), repr(plain))
        assert repr(getattr(other, "cv", 0)) == repr(getattr(plain, "cv", 0))


def test_a_scalar_shape_gives_a_scalar():
    rng = np.random.default_rng(0)
    for time in TIMES:
        assert np.ndim(time.sample(rng)) == 0
    assert np.ndim(co.uniform(1, 4).sample(rng)) == 0
    assert co.uniform(1, 4).sample(rng, (2, 3)).shape == (2, 3)


@pytest.mark.parametrize(("draw", "size"), [(0.0, 3), (1 - 2**-53, 7)])
def test_the_outermost_draws_are_possible_sizes(draw, size):
    class Fixed(np.random.Generator):
        def random(self, shape):
            return np.full(shape, draw)

    fixed = Fixed(np.random.PCG64())
    assert co.uniform(3, 7).sample(fixed, 2).tolist() == [size, size]
    assert co.power_of_two(0.3, 3, 7).sample(fixed, 1).tolist() == [size]


def test_poisson_arrivals():
    instants = co.PoissonArrivals(4.0).sample(np.random.default_rng(3), 200_000)
    gaps = np.diff(instants, prepend=0.0)
    assert (gaps > 0).all()
    assert stats.kstest(gaps, stats.expon(scale=0.25).cdf).pvalue > 0.001


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6).filter(any), st.integers(1, 4))
def test_sum_of_is_the_distribution_of_the_sum(counts, copies):
    """The probabilities are compared with sums over all tuples of sizes."""
    one = co.SizeDistribution(np.array([0, *counts]) / sum(counts))
    naive = np.zeros(copies * one.maximum + 1)
    for tuple_ in product(one.sizes, repeat=copies):
        naive[sum(tuple_)] += math.prod(one.probabilities[list(tuple_)])
    total = one.sum_of(copies)
    np.testing.assert_allclose(total.probabilities, naive, atol=1e-12)
    assert total.mean == pytest.approx(copies * one.mean)
    assert total.variance == pytest.approx(copies * one.variance, abs=1e-9)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_empirical_sizes_have_the_moments_of_the_sample(sample):
    sizes = co.SizeDistribution.empirical(sample)
    assert sizes.mean == pytest.approx(np.mean(sample))
    assert sizes.variance == pytest.approx(np.var(sample), abs=1e-9)
    np.testing.assert_array_equal(sizes.sizes, np.unique(sample))


def test_probabilities_cannot_be_changed():
    for column in (co.uniform(1, 4).probabilities, co.Empirical([1.0, 2.0]).values):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


@pytest.mark.parametrize(
    ("text", "name", "mean"),
    [
        ("U[1,16]", "U[1,16]", 8.5),
        (" U [ 2 , 4 ] ", "U[2,4]", 3.0),
        ("D(1)[2,4]", "D(1)[2,4]", (3 * 2 + 3 + 3 * 4) / 7),
        ("D(0.5) on [1,2]", "D(0.5)[1,2]", (0.5 + 2 * 0.75) / 1.25),
    ],
)
def test_parse_sizes(text, name, mean):
    sizes = co.parse_sizes(text)
    assert str(sizes) == name
    assert sizes.mean == pytest.approx(mean)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: co.SizeDistribution([0, np.nan, 1]), r"probabilities\[1\] = nan"),
        (lambda: co.SizeDistribution([0, 1.5, -0.5]), r"probabilities\[2\] = -0.5"),
        (lambda: co.SizeDistribution([0.5, 0.5]), r"probabilities\[0\] = 0.5"),
        (lambda: co.SizeDistribution([1.0]), "probabilities is not a list"),
        (lambda: co.SizeDistribution.empirical([3, 0]), r"sizes\[1\] = 0"),
        (lambda: co.power_of_two(0, 1, 8), "q = 0;"),
        (lambda: co.uniform(5, 4), "low = 5 is above high = 4"),
        (lambda: co.uniform(1, 4).sum_of(0), "copies = 0"),
        (lambda: co.Deterministic(0), "mean = 0"),
        (lambda: co.Hyperexponential(1, 0.99), "variation = 0.99"),
        (lambda: co.Empirical([0.0, 0.0]), "values contains no time above 0"),
        (lambda: co.PoissonArrivals(0), "rate = 0"),
        (lambda: Between(1, 1), "low = 1.0 is not below high = 1.0"),
        (lambda: co.parse_sizes(None), "sizes = None is not of type str; give"),
        (lambda: co.parse_sizes("U(1,16)"), r"sizes = 'U\(1,16\)'; write U\[a,b\]"),
        (lambda: co.parse_sizes("D(.)[1,8]"), "give q as a number"),
        (lambda: co.uniform(1, 4).sample(3), "rng = 3 is not of type Generator; give numpy.random"),
    ],
)
def test_bad_arguments_are_named_with_their_value(make, message):
    with pytest.raises(co.InputError, match=message):
        make()


def test_distributions_are_equal_by_what_they_say():
    assert co.uniform(1, 4) == co.parse_sizes("U[1,4]")
    assert len({co.uniform(1, 4), co.parse_sizes("U[1,4]")}) == 1
    assert co.uniform(1, 4) != co.uniform(1, 5)
    assert co.uniform(1, 2) != co.SizeDistribution([0, 0.5, 0.5], "other")
    assert co.uniform(1, 4) != "U[1,4]"
    assert co.JobModel(co.uniform(1, 4), 2) == co.JobModel(co.uniform(1, 4), 2)


def test_the_order_of_erlang_times_may_be_a_float():
    times = HyperErlang(0.5, (1, 2), 2.0)
    assert (times.mean, times) == (1.5, HyperErlang(0.5, (1, 2), 2))


def test_empirical_distributions_of_the_same_times_are_equal():
    first, same, other = (co.Empirical(values) for values in ([1, 2], [1.0, 2.0], [1, 3]))
    assert first == same
    assert hash(first) == hash(same)
    assert first != other
    assert first != "Empirical()"
