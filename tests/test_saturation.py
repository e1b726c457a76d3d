"""The simulated maximal utilization, against the formulas and against each other."""

from types import SimpleNamespace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import saturation
from coalloc_lib.analytic import slotted_utilization
from coalloc_lib.curves import compare, find_maximum, response_curve, response_times
from coalloc_lib.distributions import Between
from coalloc_lib.intervals.estimates import Interval
from coalloc_lib.intervals.inference import student
from coalloc_lib.saturation import (
    heavy_traffic,
    loss_at_response,
    loss_between_bounds,
    replicated_traffic,
    saturated_loss,
)
from coalloc_lib.seeds import spawn
from coalloc_lib.workloads.models import SplitJobs

SMALL = co.Multicluster([8, 8])
MODEL = co.JobModel(co.uniform(1, 4), 2)
SCENARIO = co.Scenario(SMALL, MODEL)
CASES = [
    (co.Multicluster([32]), co.JobModel(co.uniform(1, 5), 1, "total")),
    (co.Multicluster([16, 8]), co.JobModel(co.power_of_two(0.8, 1, 8), 2, "ordered")),
    (co.Multicluster([16, 8]), co.JobModel(co.uniform(2, 6), 3, "flexible")),
]


@pytest.mark.parametrize(("system", "model"), CASES)
def test_heavy_traffic_is_the_formula(system, model):
    exact = co.maximal_utilization(system, model.sizes, model.components, model.request)
    busy = heavy_traffic(co.Scenario(system, model), model.sample(400_000, seed=1))
    found = student(1 - busy, confidence=0.999)
    assert found.contains(exact.capacity_loss)
    assert found.half_width < 0.004


@pytest.mark.parametrize(("system", "model"), CASES[:2])
def test_response_method_comes_near_the_formula(system, model):
    """A finite response time leaves a little more idle than saturation does."""
    exact = co.maximal_utilization(system, model.sizes, model.components, model.request)
    found = student(loss_at_response(co.Scenario(system, model), jobs=100_000, replications=4))
    assert abs(found.estimate - exact.capacity_loss) < 0.006


def test_a_lower_response_needs_a_lower_load():
    low, high = (
        student(loss_at_response(SCENARIO, response=response, jobs=60_000, replications=3))
        for response in (5, 200)
    )
    assert low.low > high.high


def test_slotted_service_is_not_equation_four():
    """The job that did not fit begins the next slot: large ones are there more often.

    Two sizes that exclude each other make deterministic service slotted. By hand, sizes 3 and 6
    on 8 processors: 6 is first in three slots of five, and the utilization is 5.4 / 8.
    """
    weights = np.zeros(9)
    weights[[3, 6]] = 0.5
    sizes, system = co.SizeDistribution(weights), co.Multicluster([8])
    model = co.JobModel(sizes, 1, "total", co.Deterministic())
    busy = heavy_traffic(co.Scenario(system, model), model.sample(200_000, seed=2))
    found = student(1 - busy, confidence=0.999)
    exact = slotted_utilization(8, sizes)
    assert exact.max_utilization == pytest.approx(5.4 / 8)
    assert found.contains(exact.capacity_loss)
    equation_four = co.maximal_utilization(system, sizes, 1, "total", service="slotted")
    assert equation_four.method == "approximation"
    assert found.low - equation_four.capacity_loss > 0.02


@pytest.mark.parametrize("sizes", [co.uniform(1, 16), co.power_of_two(0.9, 2, 15)])
def test_slotted_chain_is_the_simulated_one(sizes):
    """Simulated slot by slot, as the definition says: fill up, run, start afresh."""
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


def test_bounds_agree_with_a_held_queue():
    scenario = SCENARIO.with_(scheduling=co.FPFS(max_jumps=10))
    held = saturated_loss(scenario, jobs=100_000, backlog=100)
    between = student(
        loss_between_bounds(scenario, bounds=(0, 200), arrivals=20_000, replications=4)
    )
    assert abs(held.estimate - between.estimate) < 0.02


class Recorded:
    """A scenario whose runs are made up, of a model of mean service time 2."""

    workload = co.JobModel(co.uniform(1, 1), 1, "total", co.Exponential(2.0))

    def __init__(self, schedule):
        self.schedule, self.streams, self.load = schedule, [], None

    def rate(self, load):
        return load

    def sample(self, jobs, *, load=None, seed=0):
        self.load = load
        return self.workload.sample(jobs, seed, load)

    def run(self, stream):
        self.streams.append(stream)
        return self.schedule(stream)


def test_the_middle_of_the_loads_that_do_best_is_taken(monkeypatch):
    """From 0.49 to 0.52 the queue has 30 jobs at each arrival, and else it touches a bound."""
    monkeypatch.setattr(saturation, "saturated_loss", lambda *_, **__: Interval.exact(0.5))

    def schedule(stream):
        queue = 30 if 0.4899 < scenario.load < 0.5201 else 10
        return SimpleNamespace(queue_length=lambda instants: np.full(len(instants), queue))

    scenario = Recorded(schedule)
    how = {"bounds": (10, 50), "arrivals": 100, "replications": 1}
    assert loss_between_bounds(scenario, **how) == pytest.approx(1 - 0.505)


def test_the_queue_begins_half_way_between_the_bounds(monkeypatch):
    monkeypatch.setattr(saturation, "saturated_loss", lambda *_, **__: Interval.exact(0.5))
    nothing = SimpleNamespace(queue_length=lambda instants: np.zeros(len(instants)))
    scenario = Recorded(lambda stream: nothing)
    loss_between_bounds(scenario, bounds=(10, 50), arrivals=200, replications=1)
    for stream in scenario.streams:
        assert np.count_nonzero(stream.submit == 0) == 31  # the 31st ends the first interarrival
        assert (np.diff(stream.submit[30:]) > 0).all()


def test_the_response_is_met_and_the_first_tenth_of_the_time_left_out(monkeypatch):
    """Made up: n jobs at a rate of r respond in 5000 r on average and wait for half of that."""
    monkeypatch.setattr(saturation, "saturated_loss", lambda *_, **__: Interval.exact(0.5))

    def schedule(stream):
        response = np.full(3, 5000 * len(stream) / stream.submit[-1])
        return SimpleNamespace(
            jobs=stream,
            response=response,
            wait=response / 2,
            utilization=lambda begin, finish: begin / finish + 10 * (finish != stream.submit[-1]),
        )

    scenario = Recorded(schedule)
    found = loss_at_response(scenario, response=1500, jobs=20_000, replications=1)
    assert found == pytest.approx(1 - 0.1)
    assert schedule(scenario.streams[-1]).response[0] == pytest.approx(1500 * 2, rel=1e-3)


def test_overtaking_gains():
    losses = [
        saturated_loss(SCENARIO.with_(scheduling=co.FPFS(jumps)), backlog=200)
        for jumps in (0, 5, 50)
    ]
    assert losses[0].low > losses[1].high > losses[1].low > losses[2].high


def test_seed_alone_decides():
    one, again, other = (saturated_loss(SCENARIO, jobs=5000, seed=s) for s in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: saturated_loss(SCENARIO, jobs=1), "jobs has 1 entries"),
        (lambda: saturated_loss(SCENARIO, batches=1), "batches = 1"),
        (lambda: loss_at_response(SCENARIO, jobs=3000), "needs [0-9]+ or more"),
        (
            lambda: loss_at_response(SCENARIO.with_(workload=MODEL.sample(10, 1))),
            "has no one distribution of service times",
        ),
        (lambda: loss_at_response(SCENARIO, response=1.0), "no job is done before"),
        (lambda: loss_between_bounds(SCENARIO, bounds=(5,)), "bounds = "),
        (lambda: loss_between_bounds(SCENARIO, bounds=(0, 1)), "with one between them"),
        (lambda: loss_between_bounds(SCENARIO, bounds=(9, 3)), "bounds = "),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(co.InputError, match=words):
        call()


def test_the_first_tenth_does_not_count():
    """The first jobs fill the cluster to the brim, all later ones leave three processors idle."""
    sizes = np.array([8] * 100 + [5] * 2000)
    jobs = co.JobStream(np.zeros(2100), np.ones(2100), sizes, request="total")
    busy = heavy_traffic(co.Scenario(co.Multicluster([8]), jobs), jobs)
    np.testing.assert_allclose(busy, 5 / 8, rtol=1e-9)


def test_a_last_job_that_runs_on_alone_does_not_count():
    """What is left when the queue has run dry is not a saturated system."""
    jobs = co.JobStream(np.zeros(1000), [1.0] * 999 + [500.0], [8] * 999 + [1], request="total")
    busy = heavy_traffic(co.Scenario(co.Multicluster([8]), jobs), jobs)
    np.testing.assert_allclose(busy, 1.0, rtol=1e-9)


def test_what_can_never_start_is_refused_whether_or_not_it_is_drawn():
    rare = np.zeros(10)
    rare[[1, 9]] = 1 - 1e-9, 1e-9
    model = co.JobModel(co.SizeDistribution(rare), 1, "total")
    with pytest.raises(co.InputError, match=r"allow a job that never starts: components \[9\]"):
        saturated_loss(co.Scenario(co.Multicluster([8]), model), jobs=100)


def in_doubt(jobs=20_000, seed=0, **change):
    return saturated_loss(
        SCENARIO.with_(workload=MODEL.with_(**change)), jobs=jobs, seed=seed
    ).warning


def test_a_run_of_a_few_jobs_is_in_doubt():
    assert "5 jobs" in in_doubt(jobs=5) or "jobs end in 30 batches" in in_doubt(jobs=5)
    assert "jobs end in 30 batches" in in_doubt(jobs=250)
    assert "jobs end in 30 batches" in in_doubt(jobs=305)  # 300 end, but some in the warm-up
    assert in_doubt() == ""


@pytest.mark.parametrize("variation", [100, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_tails_that_were_not_drawn_are_in_doubt(variation, seed):
    """Also where no rare long job was drawn at all, and the drawn ones look harmless."""
    warning = in_doubt(seed=seed, service=co.Hyperexponential(1.0, variation))
    assert "carry the work" in warning or "of the work that the workload has" in warning


def test_batches_that_depend_on_one_another_are_in_doubt():
    """Batches of a seventh of a service time: what runs in one runs in the next."""
    found = saturated_loss(SCENARIO, jobs=400, seed=1, batches=500)
    assert "neighbouring batches depend on one another" in found.warning


def test_runs_that_are_long_enough_are_not_in_doubt():
    """Of 400 runs chance alone may throw warning on a few."""
    doubted = sum(bool(in_doubt(jobs=6000, seed=seed)) for seed in range(400))
    assert doubted <= 4


def test_a_policy_that_overtakes_sees_a_queue_without_being_told():
    fpfs = SCENARIO.with_(scheduling=co.FPFS(20))
    assert saturated_loss(fpfs, jobs=5000) == saturated_loss(fpfs, jobs=5000, backlog=500)
    assert saturated_loss(fpfs, jobs=5000).estimate < saturated_loss(SCENARIO, jobs=5000).estimate


def test_few_batches_do_not_tell_whether_they_depend():
    assert "too few to tell" in saturated_loss(SCENARIO, batches=10).warning
    assert saturated_loss(SCENARIO, batches=20).warning == ""


def test_a_log_is_served_as_far_as_it_goes_and_not_replicated():
    log = MODEL.sample(3000, seed=4, rate=1.0)
    scenario = SCENARIO.with_(workload=log)
    found = saturated_loss(scenario)
    assert found == student(1 - heavy_traffic(scenario, log))
    with pytest.raises(co.InputError, match=r"one sequence of jobs.*ResampledJobs"):
        replicated_traffic(scenario, jobs=1000, replications=3)


def test_replications_that_miss_the_tails_are_in_doubt_together():
    heavy = SCENARIO.with_(workload=MODEL.with_(service=co.Hyperexponential(1.0, 1000)))
    how = {"jobs": 5000, "replications": 5}
    assert replicated_traffic(heavy, **how)[1]
    busy, warning = replicated_traffic(SCENARIO, **how)
    assert warning == ""
    singles = [saturated_loss(SCENARIO, jobs=5000, seed=s).estimate for s in spawn(0, 5)]
    np.testing.assert_array_equal((1 - busy).mean(axis=1), singles)


HALVED = SplitJobs(co.JobModel(co.uniform(2, 8)), above=1, parts=2, rounding="even")


def spanning(penalty, **change):
    """Two clusters, across which every job spans."""
    return co.Scenario(SMALL, HALVED.with_(span_penalty=penalty), **change)


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(10)], ids=repr)
@pytest.mark.parametrize("penalty", [0.25, 1.0])
def test_jobs_that_all_span_bear_less_by_what_spanning_adds(penalty, policy):
    """One penalty of all jobs is another unit of time: the net work in it is 1 / (1 + psi)."""
    free, paying = (
        heavy_traffic(scenario, scenario.sample(5000, seed=1))
        for scenario in (spanning(p, scheduling=policy) for p in (0.0, penalty))
    )
    np.testing.assert_allclose(paying, free / (1 + penalty), rtol=1e-9)


def test_penalties_of_their_own_take_away_what_they_add_on_average():
    """Every job has the whole system: of 1 + psi units of time on average one is work."""
    penalty = Between(0.0, 0.8)
    workload = SplitJobs(co.JobModel(co.uniform(2, 2)), 1, 2, span_penalty=penalty)
    alone = co.Scenario(co.Multicluster([1, 1]), workload)
    found = find_maximum(alone).interval
    assert found.half_width < 0.005
    stream = alone.sample(400_000, seed=2)
    assert student(heavy_traffic(alone, stream), 0.999).contains(1 / 1.4)
    busy, warning = replicated_traffic(alone, jobs=20_000, replications=10)
    assert warning == ""
    assert student(busy.mean(axis=1), 0.999).contains(1 / 1.4)


def test_a_load_that_penalties_make_too_high_is_not_averaged():
    """With a penalty of 1 the jobs bear a half at most, although the offered load is below 1."""
    workload = SplitJobs(co.JobModel(co.uniform(2, 2)), 1, 2, span_penalty=1.0)
    alone = co.Scenario(co.Multicluster([1, 1]), workload)
    maximum = find_maximum(alone, jobs=20_000)
    assert maximum.method == "simulation"
    np.testing.assert_allclose(maximum.max_utilization, 0.5, rtol=1e-9)
    how = {"jobs": 2000, "most_jobs": 4000}
    curve = response_curve(alone, [0.2, 0.49, 0.51, 0.8], maximum=None, **how)
    assert [point.saturated for point in curve.points] == [False, False, True, True]
    free = alone.with_(workload=workload.with_(span_penalty=0.0))
    with pytest.raises(co.InputError, match=r"load = 0\.6; the system bears"):
        response_times(alone, 0.6, jobs=2000)
    with pytest.raises(co.InputError, match=r"load = 0\.6; the system bears"):
        compare(alone, free, load=0.6, jobs=2000)
    assert compare(alone, free, load=0.3, jobs=2000).low > 0
    lost = compare(alone, free, jobs=2000)
    assert lost.estimate == pytest.approx(-0.5, rel=1e-9)
