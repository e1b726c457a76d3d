"""Synthetic streams: moments, common random numbers, bad arguments."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.workloads.models import JobModel, Mixture, ResampledJobs

MODEL = JobModel(co.uniform(1, 7), 4)


def test_moments_of_a_sample():
    model = JobModel(co.uniform(1, 7), 4, service=co.Hyperexponential(2.0, 3.0))
    jobs = model.sample(200_000, seed=1, rate=0.5)
    assert jobs.processors.mean() == pytest.approx(model.mean_processors, rel=0.01)
    assert jobs.work.mean() == pytest.approx(model.mean_work, rel=0.04)
    assert np.diff(jobs.submit).mean() == pytest.approx(2.0, rel=0.01)


def test_rate_offers_the_load():
    system = co.Multicluster.equal(4, 32)
    jobs = co.Scenario(system, MODEL).sample(200_000, seed=2, load=0.6)
    assert jobs.offered_load(system) == pytest.approx(0.6, rel=0.02)


def test_changing_one_part_keeps_the_draws_of_the_others():
    base = MODEL.sample(50, seed=3, rate=1.0)
    other_sizes = MODEL.with_(sizes=co.uniform(2, 3)).sample(50, seed=3, rate=1.0)
    np.testing.assert_array_equal(base.runtime, other_sizes.runtime)
    np.testing.assert_array_equal(base.submit, other_sizes.submit)
    other_service = MODEL.with_(service=co.Deterministic(2.0)).sample(50, seed=3, rate=1.0)
    np.testing.assert_array_equal(base.components, other_service.components)
    np.testing.assert_array_equal(base.submit, other_service.submit)
    fewer = MODEL.with_(components=2).sample(50, seed=3, rate=1.0)
    np.testing.assert_array_equal(base.runtime, fewer.runtime)


def test_rates_stretch_one_arrival_process():
    slow, fast = (MODEL.sample(50, seed=4, rate=rate).submit for rate in (1.0, 2.0))
    np.testing.assert_allclose(slow, 2 * fast, rtol=1e-12)


def test_dependent_components_keep_the_total():
    independent = MODEL.with_(sizes=co.uniform(1, 30)).sample(500, seed=5)
    dependent = MODEL.with_(sizes=co.uniform(1, 30), split_at=32).sample(500, seed=5)
    np.testing.assert_array_equal(independent.processors, dependent.processors)
    used = (dependent.components > 0).sum(axis=1)
    np.testing.assert_array_equal(used, -(-dependent.processors // 32))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"components": 0}, "components = 0"),
        ({"request": "any"}, "request = 'any'"),
        ({"split_at": 0}, "split_at = 0"),
        ({"split_at": 8, "request": "total"}, "split_at makes unordered"),
        ({"sizes": "U[1,4]"}, "sizes = 'U\\[1,4\\]'"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(co.InputError, match=words):
        JobModel(**({"sizes": co.uniform(1, 4)} | arguments))


def test_bad_count_and_rate():
    with pytest.raises(co.InputError, match="count = 0"):
        MODEL.sample(0, seed=1)
    with pytest.raises(co.InputError, match="rate = -1"):
        MODEL.sample(5, seed=1, rate=-1)


def test_resampled_jobs_keep_their_pairs():
    jobs = co.JobStream(np.arange(5.0), [1, 2, 3, 4, 5], [2, 4, 6, 8, 10], request="total")
    drawn = ResampledJobs(jobs).sample(4000, seed=6)
    np.testing.assert_array_equal(drawn.processors, 2 * drawn.runtime)
    assert drawn.runtime.mean() == pytest.approx(3, rel=0.03)
    assert not drawn.submit.any()
    assert drawn.number.tolist() == list(range(1, 4001))
    np.testing.assert_array_equal(drawn.runtime, ResampledJobs(jobs).sample(4000, seed=6).runtime)


FOUR = JobModel(co.power_of_two(0.9, 1, 8), 4)


def test_merging_keeps_the_total_of_every_job():
    plain = FOUR.sample(300, seed=7)
    for parts in (1, 2, 4):
        merged = FOUR.with_(merged_into=parts).sample(300, seed=7)
        assert merged.components.shape == (300, parts)
        np.testing.assert_array_equal(merged.processors, plain.processors)
    with pytest.raises(co.InputError, match="merged_into = 3; give a divisor"):
        FOUR.with_(merged_into=3)


def test_a_mixture_shares_the_jobs_of_its_parts():
    one, four = FOUR.with_(merged_into=1), FOUR
    mixture = Mixture({one: 0.25, four: 0.75})
    jobs = mixture.sample(20_000, seed=8, rate=1.0)
    alone = {part: part.sample(20_000, seed=8, rate=1.0) for part in (one, four)}
    single = (jobs.components > 0).sum(axis=1) == 1
    assert single.mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_array_equal(jobs.components[single, :1], alone[one].components[single])
    np.testing.assert_array_equal(jobs.components[~single], alone[four].components[~single])
    np.testing.assert_array_equal(jobs.runtime, alone[one].runtime)
    np.testing.assert_array_equal(jobs.submit, alone[four].submit)
    assert mixture.mean_work == pytest.approx(FOUR.mean_work)


def test_a_mixture_of_unequal_works():
    system = co.Multicluster.equal(4, 32)
    mixture = Mixture({JobModel(co.uniform(1, 4), 1): 0.2, JobModel(co.uniform(1, 4), 4): 0.8})
    assert mixture.mean_work == pytest.approx(0.2 * 2.5 + 0.8 * 10)
    jobs = co.Scenario(system, mixture).sample(100_000, seed=9, load=0.5)
    assert jobs.offered_load(system) == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({FOUR: 0.5}, "sum to 1"),
        ({FOUR: 1.5, FOUR.with_(components=2): -0.5}, "sum to 1"),
        ({}, "sum to 1"),
        ({FOUR: 0.5, FOUR.with_(request="total"): 0.5}, "differ in request"),
    ],
)
def test_bad_mixtures(parts, words):
    with pytest.raises(co.InputError, match=words):
        Mixture(parts)
