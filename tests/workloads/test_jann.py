"""Hyper-Erlang distributions have the moments asked for, fitted workloads those of a log."""

import numpy as np
import pytest
from fit_classes import QUANTILES, fit_workload, parameters
from scipy import stats

import coalloc_lib as co
from coalloc_lib.model.hyper_erlang import HyperErlang
from coalloc_lib.workloads.jann import HyperErlangWorkload, JobClass, shipped_workload
from coalloc_lib.workloads.swf import read_swf
from tests.conftest import ROOT
from tests.model.test_hyper_erlang import MIXED, moments_of

LOG = ROOT / "data" / "traces" / "KTH-SP2-synthetic.swf.gz"


ALIKE = co.JobStream(np.arange(40) ** 2, [5.0] * 40, [8] * 40)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HyperErlang.fit([4.0] * 3), "no hyper-Erlang distribution has its"),
        (lambda: HyperErlang.fit([0.0, 5.0, 5.0]), "no hyper-Erlang distribution has its"),
        (lambda: HyperErlang.fit([0, 0, 0]), "sample contains no time above 0"),
        (lambda: HyperErlang(1.5, (1, 1), 1), "share = 1.5; give a number from 0 to 1"),
        (lambda: HyperErlang(0.5, (1, 2, 3), 1), "rates has 3 entries; give the rates"),
        (lambda: shipped_workload("KTH"), "log = 'KTH'; the library has models for CTC-SP2"),
        (lambda: shipped_workload(3), "log = 3; the library has models for CTC-SP2"),
        (lambda: fit_workload(ALIKE, least=50), "jobs are 40, fewer than least = 50; give more"),
        (lambda: fit_workload(ALIKE, least=20), "the run times of the 40 jobs of 1 to 8 proc"),
    ],
)
def test_what_has_no_distribution_is_named(make, words):
    with pytest.raises(co.InputError, match=words):
        make()


def holds_its_log(jobs, workload):
    """Check that each class has the moments of its jobs in the log, and that no job is lost."""
    assert sum(one.jobs for one in workload.classes) == len(jobs)
    for one in workload.classes:
        mine = jobs[(jobs.processors >= one.low) & (jobs.processors <= one.high)]
        assert one.jobs == len(mine)
        gaps = np.diff(np.sort(mine.submit))
        for fitted, values in ((one.gaps, gaps), (one.runtimes, mine.runtime)):
            for k, moment in enumerate(moments_of(values), start=1):
                assert fitted.moment(k) == pytest.approx(float(moment), rel=1e-6)
        assert set(one.sizes.sizes) == set(mine.processors)


def test_a_fitted_workload_has_the_moments_of_its_log():
    jobs = read_swf(LOG).jobs()
    workload = fit_workload(jobs)
    holds_its_log(jobs, workload)
    assert [one.high for one in workload.classes[:4]] == [1, 2, 4, 8]


@pytest.mark.long
def test_a_fit_to_a_real_log(real_logs):
    jobs = co.load_trace("CTC-SP2").jobs()
    workload = fit_workload(jobs)
    holds_its_log(jobs, workload)
    assert workload.rate == pytest.approx((len(jobs) - 1) / np.ptp(jobs.submit), rel=0.02)


def test_the_shipped_workload_is_that_of_the_real_log(real_logs, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    shipped, fitted = shipped_workload(), fit_workload(co.load_trace("CTC-SP2").jobs())
    assert shipped.longest_estimate == fitted.longest_estimate
    for one, other in zip(shipped.classes, fitted.classes, strict=True):
        assert (str(one), one.jobs) == (str(other), other.jobs)
        np.testing.assert_allclose(one.sizes.probabilities, other.sizes.probabilities, rtol=1e-5)
        np.testing.assert_allclose(one.ratios, other.ratios, rtol=1e-5)
        assert len(one.ratios) <= QUANTILES
        for law in ("gaps", "runtimes"):
            first, second = (getattr(each, law) for each in (one, other))
            assert first.mean == pytest.approx(second.mean, rel=1e-4)
            assert first.variance == pytest.approx(second.variance, rel=1e-4)


def test_a_class_comes_back_from_its_parameters():
    one = fit_workload(read_swf(LOG).jobs()).classes[-1]
    again = JobClass.from_dict(parameters(one))
    assert (again.gaps, again.runtimes, again.sizes) == (one.gaps, one.runtimes, one.sizes)
    np.testing.assert_array_equal(again.ratios, one.ratios)


def two_classes(**how):
    """Return a workload with jobs of size 1 and rarer, longer jobs of size 3 in bursts."""
    one, three = (co.SizeDistribution.empirical([size]) for size in (1, 3))
    small = JobClass(1, 1, 5, one, HyperErlang(0.5, (1, 2), 1), MIXED, np.array([1.0, 4.0]))
    bursts = HyperErlang(0.95, (5.0, 0.02), 1)
    large = JobClass(2, 4, 5, three, bursts, HyperErlang(0.3, (0.1, 0.2), 2), np.array([0.5]))
    return HyperErlangWorkload((small, large), **how)


def test_samples_have_the_means_of_the_workload():
    workload = two_classes()
    expected = [1 / one.gaps.mean for one in workload.classes]
    assert workload.rate == pytest.approx(sum(expected))
    jobs = [workload.sample(4000, seed) for seed in range(40)]
    for values, mean in (
        ([np.ptp(one.submit) / 3999 for one in jobs], 1 / workload.rate),
        ([(one.processors == 3).mean() for one in jobs], expected[1] / workload.rate),
        ([one.mean_work for one in jobs], workload.mean_work),
    ):
        low, high = stats.t.interval(0.999, 39, np.mean(values), stats.sem(values))
        assert low < mean < high


def test_the_number_of_jobs_may_be_a_float_without_a_fraction():
    jobs, expected = (shipped_workload().sample(count, seed=1) for count in (5.0, 5))
    assert jobs.submit.tolist() == expected.submit.tolist()


@pytest.mark.long
def test_arrivals_begin_in_the_steady_state():
    """The first unit of time has on average as many arrivals as any other."""
    workload = two_classes()
    counts = [np.count_nonzero(workload.sample(60, seed).submit <= 1.0) for seed in range(3000)]
    low, high = stats.t.interval(0.999, 2999, np.mean(counts), stats.sem(counts))
    assert low < workload.rate < high


def test_a_sample_can_begin_with_an_arrival():
    """Of 40 samples, one has its first arrival in the first tenth of a mean gap (P > 0.95)."""
    workload = two_classes()
    firsts = [workload.sample(1, seed).submit[0] for seed in range(40)]
    assert 0 <= min(firsts) < 0.1 / workload.rate
    assert max(firsts) > 1 / workload.rate


def test_a_rate_stretches_the_arrivals_and_nothing_else():
    workload = two_classes()
    own, fast = workload.sample(50, 7), workload.sample(50, 7, rate=2 * workload.rate)
    np.testing.assert_allclose(fast.submit, own.submit / 2, rtol=1e-12)
    np.testing.assert_array_equal(fast.runtime, own.runtime)
    np.testing.assert_array_equal(fast.components, own.components)
    assert (np.diff(own.submit) >= 0).all()
    assert not np.array_equal(workload.sample(50, 8).runtime, own.runtime)


def test_estimates_are_ratios_of_the_class_and_not_above_the_logs_longest():
    jobs = two_classes().sample(500, 1)
    ratio = jobs.estimate / jobs.runtime
    is_small = jobs.processors == 1
    np.testing.assert_allclose(np.unique(ratio[is_small].round(9)), [1.0, 4.0])
    np.testing.assert_allclose(ratio[~is_small], 0.5)
    limited = two_classes(longest_estimate=6.0).sample(500, 1)
    np.testing.assert_array_equal(limited.runtime, jobs.runtime)
    most = np.maximum(limited.runtime, 6.0)
    np.testing.assert_array_equal(limited.estimate, np.minimum(jobs.estimate, most))


def test_small_classes_are_joined_with_the_next():
    rng = np.random.default_rng(1)
    sizes = [*[1] * 5, *[2] * 30, *[4] * 40, *[8] * 3]
    jobs = co.JobStream(rng.exponential(9, 78).cumsum(), rng.exponential(5, 78), sizes)
    finest = {"1-1": 5, "2-2": 30, "3-4": 40, "5-8": 3}
    for least, wanted in ((20, {"1-2": 35, "3-8": 43}), (3, finest)):
        classes = fit_workload(jobs, least=least).classes
        assert {str(one): one.jobs for one in classes} == wanted
