"""The published model of Lublin and Feitelson: against its own description, drawn step by step."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import coalloc_lib as co
from coalloc_lib.workloads import Workload
from coalloc_lib.workloads.lublin import DAY, to_cycle_clock
from coalloc_lib.workloads.lublin_feitelson import LublinFeitelson, daily_cycle

MODEL = LublinFeitelson(128)


@pytest.fixture(scope="module")
def sample():
    return MODEL.sample(40_000, 3)


def size_by_steps(rng):
    """A size as the authors describe it: serial, or of two stages, and perhaps a power of two."""
    u = rng.random()
    if u <= 0.244:
        return 1
    low, high = (0.8, 4.5) if rng.random() <= 0.86 else (4.5, 7)
    x = rng.uniform(low, high)
    if u <= 0.244 + 0.576:
        x = math.floor(x + 0.5)
    return math.floor(2**x + 0.5)


def log_of_runtime_by_steps(rng, size):
    """The logarithm of a run time: of one of two gammas, until it is not too long."""
    p = min(max(-0.0054 * size + 0.78, 0), 1)
    while True:
        g = rng.gamma(4.2, 0.94) if rng.random() <= p else rng.gamma(312, 0.03)
        if g <= 12:
            return g


def test_sizes_and_run_times_are_drawn_as_the_authors_do(sample):
    rng = np.random.default_rng(5)
    sizes = np.array([size_by_steps(rng) for _ in range(20_000)])
    expected = MODEL.sizes.probabilities
    seen = np.bincount(sizes, minlength=129)
    often = expected * len(sizes) >= 5
    assert seen[expected == 0].sum() == 0
    assert (
        stats.chisquare(seen[often], expected[often] / expected[often].sum() * seen[often].sum())[1]
        > 0.001
    )
    for size in (1, 16, 128):
        mine = np.log(sample.runtime[sample.processors == size])
        other = [log_of_runtime_by_steps(rng, size) for _ in range(3000)]
        assert stats.ks_2samp(mine, other).pvalue > 0.001


def arrivals_by_steps(gaps, weights):
    """Each gap buys half hours, of which busy ones cost more points than their length."""
    bucket = passed = 0
    points, instants = 0.0, []
    for gap in gaps:
        points += gap / 1800
        while points > weights[bucket % 48]:
            points -= weights[bucket % 48]
            bucket += 1
            passed += 1800
        instants.append(passed + 1800 * points / weights[bucket % 48])
    return instants


def test_arrivals_follow_the_daily_cycle(sample):
    weights = daily_cycle()
    assert len(weights) == 48
    assert weights.mean() == pytest.approx(1)
    below = stats.gamma(8.1737, scale=3.9631).cdf
    # The half hours from 15:30 and from 5:00 on, with which the model's day begins.
    assert weights[31] / weights[10] == pytest.approx(
        (below(32.5) - below(31.5)) / (below(11.5) - below(10.5))
    )
    assert weights.argmax() == 27
    assert weights.argmin() == 10
    hours = np.bincount((sample.submit % DAY // 3600).astype(int), minlength=24) / len(sample)
    np.testing.assert_allclose(hours, weights.reshape(24, 2).mean(axis=1) / 24, atol=0.012)
    gaps = np.random.default_rng(1).exponential(4000, 500)
    found = to_cycle_clock(np.cumsum(gaps), weights, back=True)
    np.testing.assert_allclose(found, arrivals_by_steps(gaps, weights), rtol=1e-9)


def test_the_rate_and_the_mean_work_are_those_of_the_densities():
    def mean_of_exp(shape, scale, top):
        pdf = stats.gamma(shape, scale=scale).pdf
        points = [top / 4, top / 2, 3 * top / 4]
        whole, share = (
            integrate.quad(f, 0, top, points=points, limit=400)[0]
            for f in (lambda x: math.exp(x) * pdf(x), pdf)
        )
        return whole, share

    whole, share = mean_of_exp(10.2303 * 1.0225, 0.4871, 13)
    assert 1 / MODEL.rate == pytest.approx(whole / share, rel=1e-6)
    one, two = (mean_of_exp(*gamma, 12) for gamma in ((4.2, 0.94), (312, 0.03)))
    total = 0.0
    for size, probability in enumerate(MODEL.sizes.probabilities):
        p = -0.0054 * size + 0.78
        mean = (p * one[0] + (1 - p) * two[0]) / (p * one[1] + (1 - p) * two[1])
        total += probability * size * mean
    assert MODEL.mean_work == pytest.approx(total, rel=1e-6)


def test_samples_have_these_means():
    jobs = [MODEL.sample(4000, seed) for seed in range(30)]
    for values, mean in (
        ([one.mean_work for one in jobs], MODEL.mean_work),
        ([one.submit[-1] / 4000 for one in jobs], 1 / MODEL.rate),
    ):
        low, high = stats.t.interval(0.999, 29, np.mean(values), stats.sem(values))
        assert low < mean < high


def test_a_rate_stretches_the_arrivals_and_nothing_else():
    own, fast = MODEL.sample(50, 7), MODEL.sample(50, 7, rate=2 * MODEL.rate)
    np.testing.assert_allclose(fast.submit, own.submit / 2, rtol=1e-12)
    np.testing.assert_array_equal(fast.runtime, own.runtime)
    np.testing.assert_array_equal(fast.processors, own.processors)
    assert isinstance(MODEL, Workload)


def test_jobs_fit_the_machine_and_its_size_is_checked():
    for processors in (10, 100, 512):
        assert LublinFeitelson(processors).sample(2000, 1).processors.max() <= processors
    with pytest.raises(co.InputError, match="processors = 9; the model is for larger machines"):
        LublinFeitelson(9)
    with pytest.raises(co.InputError, match="processors = 0"):
        LublinFeitelson(0)
