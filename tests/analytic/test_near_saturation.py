"""Break-even and response near saturation: known queues, an independent formula, and simulation."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.analytic import exact_break_even, exact_utilization, response_near_saturation
from coalloc_lib.analytic.chain import SaturatedChain

ONE = co.uniform(1, 1)
LOADS = np.array([0.3, 0.8, 0.95])


@pytest.mark.parametrize("mean", [1.0, 2.5])
def test_the_leading_term_is_exact_for_one_processor(mean):
    """M/M/1: the mean response is 1 / (service rate - arrival rate)."""
    found = response_near_saturation(co.Multicluster([1]), ONE, LOADS, mean_service=mean)
    np.testing.assert_allclose(found, mean / (1 - LOADS), rtol=1e-12)


@pytest.mark.parametrize("servers", [2, 5])
def test_the_error_for_several_processors_is_bounded(servers):
    """When an M/M/k system is busy, its queue is that of an M/M/1 system with k times the service
    rate."""
    found = response_near_saturation(co.Multicluster([servers]), ONE, LOADS, request="total")
    np.testing.assert_allclose(found, 1 / (servers * (1 - LOADS)), rtol=1e-12)


@pytest.mark.parametrize("means", [{3: 0.5, 4: 2.0}, {3: 4.0, 4: 0.1}, {3: 1.0, 4: 1.0}])
def test_the_numerator_is_half_of_one_plus_the_squared_variation(means):
    """M/H2/1: only one job fits at a time, and its mean service time depends on its size."""
    shares = {3: 0.3, 4: 0.7}
    first = sum(share * means[size] for size, share in shares.items())
    second = sum(share * 2 * means[size] ** 2 for size, share in shares.items())
    sizes = co.SizeDistribution([0, 0, 0, shares[3], shares[4]])
    chain = SaturatedChain(co.Multicluster([4]), sizes, 1, "total").solve(mean_service=means)
    assert chain.throughput == pytest.approx(1 / first, rel=1e-12)
    assert chain.relative_completions() + 1 == pytest.approx(second / first**2 / 2, rel=1e-10)


@pytest.mark.parametrize("size", [4, 9])
@pytest.mark.parametrize("sizes", [co.uniform(1, 4), co.parse_sizes("D(0.8)[1,3]")], ids=str)
def test_the_throughput_of_one_cluster_is_that_of_the_stability_condition(size, sizes):
    """The stability condition of Rumyantsev and Morozov (2017) has the probability that i jobs need
    j processors and that the next job does not fit."""
    weights = np.zeros(size + 1)
    weights[sizes.sizes] = sizes.probabilities[sizes.sizes]
    wider = np.array([weights[left + 1 :].sum() for left in range(size + 1)])
    sums, expected = np.eye(size + 1)[0], 0.0
    for jobs in range(1, size + 1):
        sums = np.convolve(sums, weights)[: size + 1]
        expected += sums @ wider[size - np.arange(size + 1)] / jobs
    chain = SaturatedChain(co.Multicluster([size]), sizes, 1, "total").solve()
    assert chain.throughput == pytest.approx(1 / expected, rel=1e-10)


def test_the_unit_of_time_and_a_penalty_that_nobody_pays_change_nothing():
    system, sizes = co.Multicluster([3, 4]), co.uniform(1, 3)
    plain = exact_utilization(system, sizes, 1, "total")
    for how in ({"mean_service": 7.0}, {"span_penalty": 0.5}):
        other = exact_utilization(system, sizes, 1, "total", **how)
        assert other.max_utilization == pytest.approx(plain.max_utilization)
    spanning = [exact_utilization(system, sizes, span_penalty=x).max_utilization
                for x in (0.0, 1.0)]  # fmt: skip
    assert spanning[1] == pytest.approx(spanning[0] / 2)  # every job has a part on both clusters


def test_mean_service_by_size_agrees_with_simulation():
    """Jobs with more processors run longer, and a job of three processors fills its cluster."""
    system, sizes, jobs = co.Multicluster([3, 3]), co.uniform(1, 3), 60_000
    means = {1: 0.5, 2: 1.0, 3: 3.0}
    exact = exact_utilization(system, sizes, 1, "total", mean_service=means)
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        size = sizes.sample(rng, jobs)
        runtime = rng.exponential([means[each] for each in size])
        stream = co.JobStream(np.zeros(jobs), runtime, size, request="total")
        schedule = co.simulate(system, stream, placement=co.WorstFit())
        shares.append((size * runtime).sum() / (system.processors * schedule.end.max()))
    half = 4 * np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert half < 0.01
    assert exact.max_utilization == pytest.approx(np.mean(shares), abs=half)
    alike = exact_utilization(system, sizes, 1, "total").max_utilization
    assert exact.max_utilization > alike + 5 * half


SYSTEMS = [
    ([4, 4], co.uniform(1, 4)),
    *(
        pytest.param(clusters, sizes, marks=pytest.mark.long)
        for clusters, sizes in [
            ([3, 3], co.uniform(1, 3)), ([3, 3], co.uniform(2, 3)), ([4, 4], co.uniform(2, 4)),
            ([3, 5], co.uniform(1, 5)), ([3, 3, 3], co.uniform(1, 3)),
            ([2, 2, 2], co.uniform(1, 2)), ([5, 5], co.uniform(1, 5)), ([4, 6], co.uniform(2, 6)),
        ]
    ),
]  # fmt: skip


def test_where_spanning_never_runs_one_more_job_it_pays_at_no_penalty():
    """Two jobs of 3 or 4 processors fill two clusters of 4, and a third job never fits."""
    assert exact_break_even(co.Multicluster([4, 4]), co.uniform(3, 4)) == 0


@pytest.mark.parametrize(("clusters", "sizes"), SYSTEMS, ids=str)
def test_at_the_break_even_both_ways_simulated_do_the_same_work(clusters, sizes):
    system, penalty = co.Multicluster(clusters), exact_break_even(co.Multicluster(clusters), sizes)
    assert 0 < penalty < 1
    model = co.JobModel(sizes)
    whole = co.Scenario(system, model, placement=co.WorstFit())
    spans = co.Scenario(
        system,
        model.with_(request="flexible", span_penalty=penalty),
        placement=co.SingleThenSpan(co.WorstFit()),
    )
    ratio = []
    for seed in range(12):
        ends = [
            each.simulate(jobs=20_000, load=5.0, seed=seed).end.max() for each in (whole, spans)
        ]
        ratio.append(ends[1] / ends[0])
    half = 4 * np.std(ratio, ddof=1) / np.sqrt(len(ratio))
    assert half < 0.01
    assert np.mean(ratio) == pytest.approx(1, abs=half)


def test_near_saturation_the_break_even_is_that_of_the_full_system():
    system, sizes = co.Multicluster([4, 4]), co.uniform(1, 4)
    whole = exact_utilization(system, sizes, 1, "total").max_utilization
    full = exact_break_even(system, sizes)
    found = [exact_break_even(system, sizes, load=share * whole) for share in (0.8, 0.99, 0.9999)]
    assert abs(found[2] - full) < 1e-3 < abs(found[0] - full)
    assert abs(found[1] - full) < abs(found[0] - full)


@pytest.mark.parametrize("load", [None, 0.7])
def test_the_break_even_does_not_depend_on_the_unit_of_time(load):
    system, sizes = co.Multicluster([4, 4]), co.uniform(1, 4)
    short, long = (
        exact_break_even(system, sizes, load=load, mean_service=mean) for mean in (1, 3.6e12)
    )
    assert long == pytest.approx(short, rel=1e-6)
    assert short > 0.1


def test_spanning_that_gains_nothing_or_costs_nothing_has_no_break_even():
    system = co.Multicluster([4, 4])
    assert exact_break_even(system, co.uniform(1, 1)) == 0  # no job needs to span
    for load, words in ((0.99, "give a lower load"), (0, "load = 0"), ("x", "load = 'x'")):
        with pytest.raises(co.InputError, match=words):
            exact_break_even(system, co.uniform(1, 4), load=load)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"mean_service": 0}, "mean_service = 0"),
        ({"mean_service": {1: 1.0}}, "mean_service has no value for jobs of 2 processors"),
        ({"mean_service": {1: 1.0, 2: -1.0}}, r"mean_service\[2\] = -1"),
        ({"span_penalty": -0.1}, "span_penalty = -0.1"),
        ({"load": [0.5, 0.0]}, r"load = \[0.5, 0.0\]; give positive numbers"),
    ],
)
def test_wrong_rates_are_rejected(how, words):
    how = {"load": 0.5} | how
    with pytest.raises(co.InputError, match=words):
        response_near_saturation(co.Multicluster([2]), co.uniform(1, 2), request="total", **how)
