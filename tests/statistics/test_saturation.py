"""The simulated maximal utilization, against the formulas and against each other."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.analytic import slotted_as_printed, slotted_utilization
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.model.distributions import Between
from coalloc_lib.statistics import student
from coalloc_lib.statistics.curves import response_point, response_times
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.statistics.saturation import (
    WARM_UP,
    batch_losses,
    heavy_traffic,
    replicated_traffic,
    saturated_loss,
    utilization_at_overload,
)
from coalloc_lib.workloads.models import SplitJobs

SMALL = co.Multicluster([8, 8])
MODEL = co.JobModel(co.uniform(1, 4), 2)
SCENARIO = co.Scenario(SMALL, MODEL)
CASES = [
    co.Scenario(co.Multicluster([32]), co.JobModel(co.uniform(1, 5), 1, "total")),
    co.Scenario(co.Multicluster([16, 8]), co.JobModel(co.power_of_two(0.8, 1, 8), 2, "ordered")),
    co.Scenario(co.Multicluster([16, 8]), co.JobModel(co.uniform(2, 6), 3, "flexible")),
]


def exact_loss(scenario):
    model = scenario.workload
    question = scenario.system, model.sizes, model.components, model.request
    return co.maximal_utilization(*question).capacity_loss


@pytest.mark.parametrize("scenario", CASES)
def test_heavy_traffic_is_the_formula(scenario):
    found = student(1 - heavy_traffic(scenario, scenario.sample(400_000, seed=1)), 0.999)
    assert found.contains(exact_loss(scenario))
    assert found.half_width < 0.004


@pytest.mark.filterwarnings("ignore:service = 'slotted'")
def test_slotted_service_is_not_equation_four():
    """A job that did not fit begins the next slot, so large jobs are more frequent there.

    Two sizes that exclude each other make deterministic service slotted. By hand, sizes 3 and 6
    on 8 processors: 6 is first in three slots of five, and the utilization is 5.4 / 8.
    """
    sizes, system = co.SizeDistribution(np.isin(np.arange(9), [3, 6]) / 2), co.Multicluster([8])
    model = co.JobModel(sizes, 1, "total", co.Deterministic())
    busy = heavy_traffic(co.Scenario(system, model), model.sample(200_000, seed=2))
    found = student(1 - busy, confidence=0.999)
    exact = slotted_utilization(8, sizes)
    assert exact.max_utilization == pytest.approx(5.4 / 8)
    assert found.contains(exact.capacity_loss)
    assert found.low - (1 - slotted_as_printed(8, sizes)) > 0.02


def test_slotted_chain_is_the_simulated_one():
    """The slots are simulated by their definition: start all jobs that fit, run them, repeat."""
    sizes = co.power_of_two(0.9, 2, 15)
    draws = iter(sizes.sample(np.random.default_rng(3), 400_000).tolist())
    fills, used = [], next(draws)
    for size in draws:
        if used + size > 16:
            fills.append(used)
            used = 0
        used += size
    exact = slotted_utilization(16, sizes)
    assert student(np.array(fills) / 16, confidence=0.999).contains(exact.max_utilization)
    assert exact.multiprogramming_level * sizes.mean / 16 == pytest.approx(exact.max_utilization)


def test_jobs_that_are_booked_can_come_in_any_order():
    scenario = SCENARIO.with_(scheduling=co.Online())
    stream = scenario.sample(2_000, load=1.2, seed=3)
    shuffled = stream[np.random.default_rng(1).permutation(len(stream))]
    assert shuffled.submit[-1] < 0.9 * stream.submit[-1]
    in_order, mixed = (heavy_traffic(scenario, each, batches=3) for each in (stream, shuffled))
    assert mixed == pytest.approx(in_order)


def test_jobs_that_are_booked_at_once_have_no_period_to_measure():
    online = SCENARIO.with_(scheduling=co.Online(slot=1.0, step=1.0, horizon=50.0))
    with pytest.raises(co.InputError, match=r"^jobs has 100 entries .* sample the jobs with load"):
        heavy_traffic(online, online.sample(100))
    with pytest.raises(co.InputError, match=r"backlog = 7 is given for Online.*leave out backlog"):
        saturated_loss(online, jobs=100, backlog=7)


def test_overtaking_gains():
    policies = [SCENARIO.with_(scheduling=co.FPFS(jumps)) for jumps in (0, 5, 50)]
    losses = [saturated_loss(each, backlog=200) for each in policies]
    assert losses[0].low > losses[1].high > losses[1].low > losses[2].high
    fpfs = SCENARIO.with_(scheduling=co.FPFS(20))
    assert saturated_loss(fpfs, jobs=5000) == saturated_loss(fpfs, jobs=5000, backlog=500)


RARE = np.zeros(10)
RARE[[1, 9]] = 1 - 1e-9, 1e-9
TOO_LARGE = co.JobModel(co.SizeDistribution(RARE), 1, "total")


@pytest.mark.parametrize(
    ("call", "workload", "how", "words"),
    [
        (saturated_loss, MODEL, {"jobs": 1}, "jobs has 1 entries"),
        (saturated_loss, MODEL, {"batches": 1}, "batches = 1; give a whole number of 2 or more"),
        (saturated_loss, TOO_LARGE, {"jobs": 100}, r"job that never starts: components \[9\]"),
    ],
)
def test_bad_arguments(call, workload, how, words):
    """A job that can never start is rejected, even if it was not sampled."""
    with pytest.raises(co.InputError, match=words):
        call(SCENARIO.with_(workload=workload), **how)


@pytest.mark.parametrize(
    ("sizes", "last", "expected"), [([8] * 100 + [5] * 2000, 1.0, 5 / 8), ([8] * 999 + [1], 500, 1)]
)
def test_begin_and_end_of_a_run_do_not_count(sizes, last, expected):
    """Not counted are the jobs that first fill the cluster, and the time after the last entry."""
    times = [1.0] * (len(sizes) - 1) + [last]
    jobs = co.JobStream(np.zeros(len(sizes)), times, sizes, request="total")
    busy = heavy_traffic(co.Scenario(co.Multicluster([8]), jobs), jobs)
    np.testing.assert_allclose(busy, expected, rtol=1e-9)


def in_doubt(jobs=20_000, seed=0, **change):
    changed = SCENARIO.with_(workload=MODEL.with_(**change))
    return saturated_loss(changed, jobs=jobs, seed=seed).warning


def test_runs_of_few_jobs_and_batches_have_a_warning():
    assert "5 jobs" in in_doubt(jobs=5) or "jobs end in 30 batches" in in_doubt(jobs=5)
    assert "jobs end in 30 batches" in in_doubt(jobs=250)
    assert "jobs end in 30 batches" in in_doubt(jobs=305)  # 300 end, but some in the warm-up
    assert in_doubt() == ""
    assert "too few to tell" in saturated_loss(SCENARIO, batches=10).warning
    assert saturated_loss(SCENARIO, batches=20).warning == ""
    short = saturated_loss(SCENARIO, jobs=400, seed=1, batches=500)  # a seventh of a service
    assert "neighbouring batches depend" in short.warning


def test_a_warning_counts_the_jobs_that_end_after_the_warm_up():
    """On one processor, jobs run one after another; a job arrives when the job before it starts."""
    scenario = co.Scenario(co.Multicluster([1]), co.JobModel(co.uniform(1, 1), 1, "total"))
    ends = np.cumsum(scenario.sample(40, seed=3).runtime)
    last = ends[-3]  # The last job arrives, and the observation ends.
    count = np.count_nonzero((ends > WARM_UP * last) & (ends <= last))
    found = batch_losses(scenario, jobs=40, seed=3, backlog=1, batches=10)
    assert found.warning.startswith(f"{count} jobs end in 10 batches")


@pytest.mark.parametrize(("variation", "seed"), [(100, 0), (100, 1), (1000, 2), (1000, 3)])
def test_tails_that_were_not_drawn_have_a_warning(variation, seed):
    """There is a warning even if no rare long job was sampled and the others look normal."""
    warning = in_doubt(seed=seed, service=co.Hyperexponential(1.0, variation))
    assert "carry the work" in warning or "of the work that the workload has" in warning


def test_runs_that_are_long_enough_have_no_warning():
    """Only a few of 400 runs may have a warning, by chance."""
    doubted = sum(bool(in_doubt(jobs=6000, seed=seed)) for seed in range(400))
    assert doubted <= 4


@pytest.mark.parametrize(
    ("policy", "jobs", "needed"),
    [(co.EASY(), 5_000, 40_000), (co.FPFS(20), 3_000, 4_000), (co.FCFS(), 1_000, 8)],
)
def test_a_held_queue_that_has_not_settled_has_a_warning(policy, jobs, needed):
    """EASY starts the jobs that fit, so wide jobs gather in a queue of 500 for a long time."""
    scenario = SCENARIO.with_(scheduling=policy)
    words = f"{jobs:,} jobs are too few for the queue to settle; give jobs={needed}"
    for warning in (
        saturated_loss(scenario, jobs=jobs, seed=1).warning,
        replicated_traffic(scenario, jobs=jobs, replications=2)[1],
    ):
        assert (words in warning) == (jobs < needed)
    assert saturated_loss(scenario, jobs=jobs, backlog=20, seed=1).warning == ""


def test_few_jobs_under_easy_are_biased_where_there_is_a_warning():
    """On a cluster of 32, the loss from 3,000 jobs is significantly below that from 40,000."""
    model = co.JobModel(co.uniform(1, 32), request="total")
    easy = co.Scenario(co.Multicluster([32]), model, scheduling=co.EASY())
    few = student([saturated_loss(easy, jobs=3_000, seed=seed).estimate for seed in range(20)])
    many = saturated_loss(easy, jobs=40_000, seed=99)
    assert not many.warning
    assert few.high < many.low


def test_a_log_is_served_as_far_as_it_goes_and_not_replicated():
    log = MODEL.sample(3000, seed=4, rate=1.0)
    scenario = SCENARIO.with_(workload=log)
    found = saturated_loss(scenario)
    assert found == student(1 - heavy_traffic(scenario, log))
    for call in (replicated_traffic, response_times, response_point):
        how = {"replications": 3} if call is replicated_traffic else {"load": 0.3}
        with pytest.raises(co.InputError, match=r"one sequence of jobs.*ResampledJobs"):
            call(scenario, jobs=1000, **how)


def test_replications_that_miss_the_tails_have_one_warning():
    heavy = SCENARIO.with_(workload=MODEL.with_(service=co.Hyperexponential(1.0, 1000)))
    how = {"jobs": 5000, "replications": 5}
    assert replicated_traffic(heavy, **how)[1]
    busy, warning = replicated_traffic(SCENARIO, **how)
    assert warning == ""
    singles = [saturated_loss(SCENARIO, jobs=5000, seed=s).estimate for s in spawn(0, 5)]
    np.testing.assert_array_equal((1 - busy).mean(axis=1), singles)


@pytest.mark.parametrize(("policy", "penalty"), [(co.FCFS(), 0.25), (co.FPFS(10), 1.0)])
def test_jobs_that_all_span_can_use_less_by_what_spanning_adds(penalty, policy):
    """A penalty psi of all jobs only changes the unit of time: the net work is 1 / (1 + psi)."""
    halved = SplitJobs(co.JobModel(co.uniform(2, 8)), above=1, parts=2, rounding="even")
    both = [co.Scenario(SMALL, halved.with_(span_penalty=p), policy) for p in (0.0, penalty)]
    free, paying = (heavy_traffic(each, each.sample(5000, seed=1)) for each in both)
    np.testing.assert_allclose(paying, free / (1 + penalty), rtol=1e-9)


def test_penalties_of_their_own_take_away_what_they_add_on_average():
    """Each job uses the whole system, and only 1 of 1 + mean(psi) units of time is net work."""
    penalty = Between(0.0, 0.8)
    workload = SplitJobs(co.JobModel(co.uniform(2, 2)), 1, 2, span_penalty=penalty)
    alone = co.Scenario(co.Multicluster([1, 1]), workload)
    found = max_utilization_by_simulation(alone).interval
    assert found.half_width < 0.005
    assert student(heavy_traffic(alone, alone.sample(400_000, seed=2)), 0.999).contains(1 / 1.4)
    busy, warning = replicated_traffic(alone, jobs=20_000, replications=10)
    assert warning == ""
    assert student(busy.mean(axis=1), 0.999).contains(1 / 1.4)


def test_the_utilization_at_overload_is_that_of_a_policy_without_a_queue():
    for policy in (co.FCFS(), co.EASY()):
        with pytest.raises(co.InputError, match=r"^scenario has the policy .*; give a policy that"):
            utilization_at_overload(SCENARIO.with_(scheduling=policy), jobs=100)
