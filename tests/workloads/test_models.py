"""Synthetic streams: moments, common random numbers, bad arguments."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.model.distributions import Between
from coalloc_lib.model.splitting import split_into, split_smallest
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.workloads.models import JobModel, Mixture, ResampledJobs, SplitJobs

MODEL = JobModel(co.uniform(1, 7), 4)
FOUR = JobModel(co.power_of_two(0.9, 1, 8), 4)
WHOLE = JobModel(co.power_of_two(0.85, 1, 19), service=co.Exponential(10.0))
SPLIT = SplitJobs(WHOLE, above=10)


@pytest.mark.parametrize(
    "workload",
    [
        MODEL.with_(service=co.Hyperexponential(2.0, 3.0)),
        Mixture({JobModel(co.uniform(1, 4), 1): 0.2, JobModel(co.uniform(1, 4), 4): 0.8}),
        SPLIT.with_(span_penalty=0.5),
    ],
    ids=["model", "mixture", "split"],
)
def test_the_rate_offers_the_load_whatever_the_penalty(workload):
    system = co.Multicluster.equal(5, 20)
    jobs = co.Scenario(system, workload).sample(200_000, seed=2, load=0.6)
    assert jobs.offered_load(system) == pytest.approx(0.6, rel=0.03)
    assert jobs.work.mean() == pytest.approx(workload.mean_work, rel=0.03)
    faster = co.Scenario(system, workload).sample(200_000, seed=2, load=1.2)
    np.testing.assert_allclose(jobs.submit, 2 * faster.submit, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"sizes": co.uniform(2, 3)}, ("runtime", "submit")),
        ({"components": 2}, ("runtime", "submit")),
        ({"service": co.Deterministic(2.0)}, ("components", "submit")),
    ],
)
def test_changing_one_part_keeps_the_draws_of_the_others(change, kept):
    one, other = (model.sample(50, 3, rate=1.0) for model in (MODEL, MODEL.with_(**change)))
    for column in kept:
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column))


def test_jobs_of_a_mixture_are_those_of_their_models_in_every_column():
    models = MODEL, JobModel(co.uniform(1, 4), 1, span_penalty=0.5, estimate=3.0)
    alone = [model.sample(200, seed=4, rate=1.0) for model in models]
    jobs = Mixture(dict.fromkeys(models, 0.5)).sample(200, seed=4, rate=1.0)
    is_second = jobs.span_penalty == 0.5
    assert 0 < is_second.sum() < 200
    for column in ("submit", "runtime", "processors", "span_penalty", "estimate", "has_estimate"):
        first, second = (getattr(stream, column) for stream in alone)
        expected = np.where(is_second, second, first)
        np.testing.assert_array_equal(getattr(jobs, column), expected)


def test_resampled_jobs_keep_their_pairs():
    jobs = co.JobStream(np.arange(5.0), [1, 2, 3, 4, 5], [2, 4, 6, 8, 10], request="total")
    drawn = ResampledJobs(jobs).sample(4000, seed=6)
    np.testing.assert_array_equal(drawn.processors, 2 * drawn.runtime)
    assert drawn.runtime.mean() == pytest.approx(3, rel=0.03)
    assert not drawn.submit.any()
    assert drawn.number.tolist() == list(range(1, 4001))
    np.testing.assert_array_equal(drawn.runtime, ResampledJobs(jobs).sample(4000, seed=6).runtime)


def test_splitting_and_merging_keep_the_total_of_every_job():
    plain = FOUR.with_(sizes=co.uniform(1, 30))
    dependent = plain.with_(split_at=32).sample(500, seed=5)
    used = (dependent.components > 0).sum(axis=1)
    np.testing.assert_array_equal(used, -(-dependent.processors // 32))
    for parts in (1, 2, 4):
        merged = plain.with_(merged_into=parts).sample(500, seed=5)
        assert merged.components.shape == (500, parts)
        for jobs in (dependent, merged):
            np.testing.assert_array_equal(jobs.processors, plain.sample(500, 5).processors)


def test_a_mixture_shares_the_jobs_of_its_parts():
    one, four = FOUR.with_(merged_into=1), FOUR
    mixture = Mixture({one: 0.25, four: 0.75})
    assert mixture.service == one.service  # by which `loss_at_response` counts
    jobs = mixture.sample(20_000, seed=8, rate=1.0)
    alone = {part: part.sample(20_000, seed=8, rate=1.0) for part in (one, four)}
    single = (jobs.components > 0).sum(axis=1) == 1
    assert single.mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_array_equal(jobs.components[single, :1], alone[one].components[single])
    np.testing.assert_array_equal(jobs.components[~single], alone[four].components[~single])
    np.testing.assert_array_equal(jobs.runtime, alone[one].runtime)
    np.testing.assert_array_equal(jobs.submit, alone[four].submit)
    assert mixture.mean_work == pytest.approx(FOUR.mean_work)


def drawn(seed=3, rate=2.0, **change):
    return SPLIT.with_(**change).sample(2000, seed=seed, rate=rate)


@pytest.mark.parametrize(
    "change",
    [
        {"above": 0},
        {"above": 19},
        {"rounding": "ceiling"},
        {"rounding": "even", "span_penalty": 0.3},
        {"kept_whole": 1},
        {"above": 3, "parts": 5, "span_penalty": Between(0, 1), "kept_whole": 0.5},
    ],
    ids=str,
)
def test_the_jobs_are_those_of_the_model_however_they_are_split(change):
    jobs, model = drawn(**change), WHOLE.sample(2000, seed=3, rate=2.0)
    for column in ("submit", "runtime", "estimate", "processors", "number"):
        np.testing.assert_array_equal(getattr(jobs, column), getattr(model, column))
    assert jobs.request == "unordered"
    assert SPLIT.with_(**change).mean_work == pytest.approx(10 * WHOLE.sizes.mean)


@pytest.mark.parametrize("rounding", ["even", "floor", "ceiling"])
def test_jobs_above_the_threshold_are_split_and_no_others(rounding):
    jobs = drawn(rounding=rounding)
    large = jobs.processors > 10
    assert large.any() > large.all()
    np.testing.assert_array_equal((jobs.components > 0).sum(axis=1) > 1, large)
    expected = split_into(jobs.processors[large], 4, rounding)
    np.testing.assert_array_equal(jobs.components[large], expected)
    np.testing.assert_array_equal(drawn(above=19).components, WHOLE.sample(2000, 3).components)
    everything = drawn(above=0, rounding="even")
    np.testing.assert_array_equal(
        (everything.components > 0).sum(axis=1), np.minimum(4, everything.processors)
    )


def test_penalties_are_drawn_by_a_generator_of_their_own():
    """The sampled penalties do not depend on the sizes, the splitting and the whole jobs."""
    law = Between(0.1, 0.5)
    jobs, kept = drawn(span_penalty=law), drawn(kept_whole=0.5)
    np.testing.assert_array_equal(drawn(span_penalty=0.3).span_penalty, np.full(2000, 0.3))
    assert stats.kstest(jobs.span_penalty, stats.uniform(0.1, 0.4).cdf).pvalue > 0.001
    others = WHOLE.with_(sizes=co.uniform(1, 12), service=co.Deterministic(3.0))
    split = {"above": 2, "parts": 3, "rounding": "even"}
    for change in ({"model": others}, split, {"kept_whole": 0.5}, {"rate": None}):
        again = drawn(span_penalty=law, **change)
        np.testing.assert_array_equal(again.span_penalty, jobs.span_penalty)
    again = drawn(kept_whole=0.5, span_penalty=law)
    np.testing.assert_array_equal(kept.components, again.components)


@pytest.mark.parametrize(
    ("sizes", "clusters", "how", "words"),
    [
        # In the first case, a job has more components than there are clusters. In the second case,
        # a whole job has more processors than a cluster.
        ((1, 19), [20] * 3, {"above": 10}, r"\[5, 2, 2, 2\] \(unordered\), but the clusters have"),
        ((1, 40), [20] * 5, {"above": 30}, r"components \[21, 0, 0, 0\]"),
        # The largest job, of 16 processors, has four components of 4. A job of 15 processors,
        # rounded down, has a component of 6.
        ((15, 16), [5] * 4, {"above": 14}, r"components \[6, 3, 3, 3\]"),
        ((1, 8), [4, 4], {"above": 4, "parts": 2, "kept_whole": 1e-9}, r"components \[5, 0\]"),
    ],
)
def test_what_can_never_start_is_refused_drawn_or_not(sizes, clusters, how, words):
    workload = SplitJobs(JobModel(co.uniform(*sizes)), **how)
    scenario = co.Scenario(co.Multicluster(clusters), workload)
    with pytest.raises(co.InputError, match=f"allow a job that never starts: .*{words}"):
        co.max_utilization_by_simulation(scenario, jobs=100)
    if "kept_whole" not in how:
        with pytest.raises(co.InputError, match=r"job .* can never start: components") as caught:
            scenario.simulate(500, load=0.5, seed=1)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sizes", [co.uniform(1, 8), co.uniform(5, 8), co.power_of_two(0.9, 2, 8)])
@pytest.mark.parametrize("split_at", [3, 8, 18, 20, 40])
def test_a_split_model_is_refused_if_and_only_if_one_of_its_jobs_never_starts(sizes, split_at):
    """The jobs of four sizes are listed. The clusters are equal or differ in size."""
    totals = {sum(four) for four in product(sizes.sizes, repeat=4)}
    largest = JobModel(sizes, components=4, split_at=split_at).largest()
    for clusters in ([16, 16], [20, 16], [10, 10, 10, 10], [20, 2, 2], [3] * 11):
        system, never = co.Multicluster(clusters), []
        for total in totals:
            row = split_smallest([total], split_at)
            never.append(is_refused(system, co.JobStream([0], [0], row)))
        assert is_refused(system, largest) == any(never)


def is_refused(system, jobs):
    """Return whether a job of a stream can never start on a system."""
    try:
        refuse_impossible(system, jobs)
    except co.InputError:
        return True
    return False


def test_the_largest_component_of_a_split_model_can_belong_to_a_smaller_job():
    largest = JobModel(co.uniform(1, 8), components=4, split_at=20).largest()
    assert largest.components.tolist() == [[16, 16], [20, 0]]


def test_the_draws_of_one_seed_are_independent():
    """All quantities that are sampled with one seed are uncorrelated."""
    mixture = Mixture({WHOLE: 0.5, WHOLE.with_(components=2): 0.5})
    kind = (mixture.sample(2000, seed=3).components > 0).sum(axis=1)
    jobs = drawn(above=0, rounding="even", kept_whole=0.5, span_penalty=Between(0, 1))
    kept = (jobs.components > 0).sum(axis=1) == 1
    gaps = np.diff(jobs.submit, prepend=0)
    columns = np.array([jobs.processors, jobs.runtime, gaps, jobs.span_penalty, kind, kept])
    found = np.corrcoef(columns[:, jobs.processors > 1]) - np.eye(len(columns))
    assert np.abs(found).max() < 4 / np.sqrt((jobs.processors > 1).sum())


def test_more_kept_whole_are_the_same_jobs_and_others():
    few, many, all_ = (
        (drawn(above=1, rounding="even", kept_whole=share).components > 0).sum(axis=1) == 1
        for share in (0.2, 0.6, 1)
    )
    assert all_.all()
    assert many[few].all()
    divisible = drawn().processors > 1
    for whole, share in ((few, 0.2), (many, 0.6)):
        deviation = np.sqrt(share * (1 - share) / divisible.sum())
        assert abs(whole[divisible].mean() - share) < 4 * deviation


def test_split_jobs_that_fit_are_not_refused():
    workload = SplitJobs(JobModel(co.uniform(1, 8)), above=4, parts=2, rounding="even")
    result = co.max_utilization_by_simulation(
        co.Scenario(co.Multicluster([4, 4]), workload), jobs=2000
    )
    assert 0.5 < result.max_utilization < 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MODEL.with_(request="any"), "request = 'any'"),
        (lambda: MODEL.with_(split_at=8, request="total"), "not possible with split_at; give"),
        (lambda: MODEL.with_(sizes="U[1,4]"), r"sizes = 'U\[1,4\]'"),
        (lambda: FOUR.with_(merged_into=3), "merged_into = 3; give a divisor"),
        (lambda: MODEL.sample(5, seed=1, rate=-1), "rate = -1"),
        (lambda: Mixture({FOUR: 0.5}), "sum to 1"),
        (lambda: Mixture([FOUR]), "give a dict from each JobModel"),
        (lambda: Mixture({FOUR: "x"}), "parts"),
        (lambda: Mixture({FOUR: 0.5, FOUR.with_(request="total"): 0.5}), "differ in request"),
        (
            lambda: SPLIT.with_(model=MODEL),
            "in which each job has a single component and an unordered request",
        ),
        (
            lambda: SPLIT.with_(model=WHOLE.with_(request="total")),
            "each job has a single component and an unordered",
        ),
        (
            lambda: SPLIT.with_(above=20),
            r"above = 20, but the job sizes are D\(0.85\)\[1,19\].* from 0 .* 19",
        ),
        (lambda: SplitJobs(JobModel(co.uniform(5, 9)), 3), "above = 3, .* from 4 .* to 9"),
        (lambda: SPLIT.with_(parts=10**7), "parts = 10000000; give at most"),
        (lambda: SPLIT.with_(rounding="up"), "rounding = 'up'; choose one of"),
        (lambda: SPLIT.with_(span_penalty=-0.1), "span_penalty = -0.1; give a finite number of 0"),
        (lambda: SPLIT.with_(kept_whole=1.1), "kept_whole = 1.1; give a fraction from 0 to 1"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(make, words):
    with pytest.raises(co.InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("workload", "same"),
    [
        (FOUR, JobModel(FOUR.sizes, components=4.0)),
        (FOUR.with_(merged_into=2), FOUR.with_(merged_into=2.0)),
        (FOUR.with_(split_at=8), FOUR.with_(split_at=8.0)),
        (Mixture({FOUR: 0.5, MODEL: 0.5}), None),
        (SPLIT.with_(kept_whole=0.5), SPLIT.with_(kept_whole=0.5, above=10.0, parts=4.0)),
        (ResampledJobs(MODEL.sample(9, seed=1)), None),
    ],
    ids=["model", "merged", "split at", "mixture", "split", "resampled"],
)
def test_a_whole_number_may_be_given_as_a_float(workload, same):
    expected, jobs = workload.sample(5, seed=1), (same or workload).sample(5.0, seed=1)
    assert jobs.components.tolist() == expected.components.tolist()
    assert jobs.runtime.tolist() == expected.runtime.tolist()
    assert str(same or workload) == str(workload)
