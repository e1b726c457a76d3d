"""Response-time curves: theory, precision, saturation, scaling."""

import importlib
import re
from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics import Interval, MaxUtilization, curves, settling, student
from coalloc_lib.statistics.curves import (
    compare,
    response_curve,
    response_point,
    response_sample,
    response_times,
)
from tests.conftest import ROOT

PAIR = co.Multicluster([8, 8])
MODEL = co.JobModel(co.uniform(1, 4), 2)
ORDERED = co.Scenario(PAIR, MODEL.with_(request="ordered"))
UNORDERED = co.Scenario(PAIR, MODEL)
OVERTAKING = UNORDERED.with_(scheduling=co.FPFS(20))
SURE = Interval(0.8, 0.7, 0.9, 5)
SERIAL = co.Scenario(co.Multicluster([1]), co.JobModel(co.uniform(1, 1), 1, "total"))


def test_the_first_tenth_of_the_jobs_does_not_count():
    how = {"jobs": 100, "replications": 3, "seed": 1}
    schedules = [SERIAL.simulate(100, load=0.7, seed=child) for child in spawn(1, 3)]
    by_hand = [schedule.response[10:].mean() for schedule in schedules]
    with pytest.warns(UserWarning, match="100 jobs are too few for the queue to settle"):
        found = response_times(SERIAL, 0.7, **how)
    np.testing.assert_allclose(found, by_hand)


@pytest.mark.parametrize(
    ("load", "precision", "most", "precise"), [(0.8, 0.05, 10**6, True), (0.9, 0.1, 3000, False)]
)
def test_the_run_grows_until_it_is_precise_or_has_most_jobs(load, precision, most, precise):
    how = {"precision": precision, "jobs": 1000, "most_jobs": most, "replications": 5}
    calm, busy = response_curve(SERIAL, [0.2, load], **how).points
    assert busy.jobs > calm.jobs if precise else busy.jobs == 2000
    assert [calm.precise, busy.precise] == [True, precise]
    for point in (calm, busy):
        narrow = point.response.half_width <= precision * point.response.estimate
        assert narrow == point.precise
        assert student(point.means, warning=point.response.warning) == point.response


def test_a_run_that_still_slows_down_is_too_short():
    """In an M/M/1 queue at load 0.99, 8000 jobs from an empty start are far too few."""
    how = {"precision": 10, "jobs": 8000, "replications": 100, "seed": 4}
    short = response_point(SERIAL, 0.99, most_jobs=8000, **how)
    assert short.response.high < 100
    assert not short.precise
    assert response_point(SERIAL, 0.5, most_jobs=8000, **how).precise


@pytest.mark.long
def test_intervals_of_points_cover_the_truth():
    """In an M/M/1 queue, 95 % of the intervals should contain the mean response time."""
    how = {"precision": 0.2, "jobs": 1000}
    points = [response_point(SERIAL, 0.9, seed=seed, **how) for seed in range(100)]
    assert sum(point.response.contains(10) for point in points) >= 88
    assert sum(point.precise for point in points) > 50


def test_a_point_has_other_random_numbers_than_its_pilots(monkeypatch):
    seeds, plain = [], curves._runs
    monkeypatch.setattr(curves, "_runs", lambda *a: seeds.append(str(a[-1])) or plain(*a))
    response_point(SERIAL, 0.5, precision=0.01, jobs=100, most_jobs=400, replications=3)
    first, second, last = seeds
    assert first == second != last


def test_past_saturation_nothing_is_averaged():
    curve = response_curve(UNORDERED, [0.5, 0.95, 1.2], jobs=2000, most_jobs=2000)
    at = {point.utilization: point.saturated for point in curve.points}
    assert at == {0.5: False, 0.95: True, 1.2: True}
    assert 0.5 < curve.maximum.interval.low < curve.maximum.max_utilization < 0.95
    assert curve.maximum.method == "simulation"
    curve = response_curve(SERIAL, [0.999, 1.0], jobs=100, most_jobs=100)
    assert curve.maximum == MaxUtilization(Interval.exact(1.0), "exact", 1.0)
    assert [point.saturated for point in curve.points] == [False, True]


def test_systems_are_compared_in_pairs():
    unequal = UNORDERED.with_(system=co.Multicluster([12, 4]))
    slower = compare(unequal, UNORDERED, load=0.5, jobs=30_000)
    assert slower.above(0)
    assert slower.count == 10
    assert compare(unequal, UNORDERED, jobs=20_000).below(0)
    assert compare(OVERTAKING, UNORDERED, jobs=5000).above(0.03)


@pytest.mark.parametrize(("load", "jobs", "enough"), [(0.97, 20_000, False), (0.9, 20_000, True)])
def test_runs_in_which_queues_do_not_settle_are_in_doubt(load, jobs, enough):
    """At load 0.97, a tenth of 20,000 jobs takes only half the relaxation time of M/M/1."""
    times = response_sample(SERIAL, load, jobs=jobs, seed=1)
    faster = SERIAL.with_(workload=SERIAL.workload.with_(service=co.Exponential(0.9)))
    less = compare(SERIAL, faster, load=load, jobs=jobs, replications=4)
    assert (times.warning == "") == enough
    assert (less.warning == "") == enough
    if not enough:
        assert "20,000 jobs are too few for the queue to settle; give jobs=88889" in times.warning
        with pytest.warns(UserWarning, match="too few for the queue"):
            response_times(SERIAL, load, jobs=jobs, replications=2)


def test_without_a_warning_intervals_hold_the_truth(monkeypatch):
    """With the fewest jobs without a warning, 93 % of M/M/1 intervals contain the mean."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    waits_for = importlib.import_module("bench_coverage").waits_for
    rng, load, held = np.random.default_rng(3), 0.9, {}
    for part in (1, 8):
        jobs, held[part] = int(settling.SETTLES / (1 - load) ** 2 / part), 0
        for _ in range(200):
            means = []
            for _ in range(8):
                submit = np.cumsum(rng.exponential(1 / load, jobs))
                runtime = rng.exponential(1.0, jobs)
                response = waits_for(submit, runtime, 1) + runtime
                means.append(response[jobs // 10 :].mean())
            held[part] += student(means).contains(1 / (1 - load))
    assert held[1] / 200 > 0.89  # 93 of 100, by two standard errors
    assert held[8] < held[1] - 10


def test_a_load_that_is_too_high_has_no_mean():
    with pytest.raises(co.InputError, match=r"load = 0\.95; the system can carry at most 0\.\d+ ±"):
        response_times(UNORDERED, 0.95, jobs=2000)
    limit = MaxUtilization(Interval(0.4, 0.39, 0.41, 30), "simulation")
    with pytest.raises(co.InputError, match=r"load = 0\.4; the system can carry at most 0\.4000"):
        response_times(UNORDERED, 0.4, jobs=2000, maximum=limit)
    how = {"maximum": limit, "jobs": 200, "most_jobs": 200}
    points = response_curve(UNORDERED, [0.3, 0.39, 0.4], **how).points
    assert [point.saturated for point in points] == [False, True, True]


@pytest.mark.parametrize(
    ("call", "scenario", "how", "words"),
    [
        (response_times, SERIAL, {"load": 0.5, "jobs": 5}, "jobs = 5; give .* 20 or more"),
        (response_curve, SERIAL, {"loads": 0.5, "jobs": 5}, "jobs = 5"),
        (response_curve, SERIAL, {"loads": 0.5, "jobs": 2000, "most_jobs": 1000}, "1000 is below"),
        (response_point, SERIAL, {"load": 1.5}, r"load = 1\.5; no system can serve a load of 1"),
        (response_point, SERIAL, {"load": 0.5, "jobs": 1000.5}, r"jobs = 1000\.5; give a whole"),
    ],
)
def test_bad_arguments(call, scenario, how, words):
    with pytest.raises(co.InputError, match=words):
        call(scenario, **how)


@pytest.mark.parametrize(
    "call",
    [
        lambda given: compare(given, SERIAL),
        lambda given: compare(SERIAL, given, load=0.5),
        lambda given: response_curve(given, [0.5]),
        lambda given: response_point(given, 0.5),
        lambda given: response_sample(given, 0.5),
        lambda given: response_times(given, 0.5, maximum=MaxUtilization(SURE, "simulation")),
    ],
)
def test_what_is_not_a_scenario_is_rejected_at_once(call):
    with pytest.raises(co.InputError, match=r"= 3 is not of type Scenario; give Scenario\(system"):
        call(3)


@pytest.mark.parametrize("load", [None, 0.5])
def test_one_replication_is_rejected_before_the_runs(load, monkeypatch):
    monkeypatch.setattr(co.Scenario, "run", None)
    with pytest.raises(co.InputError, match=r"^replications = 1; give a whole number of 2 or more"):
        compare(SERIAL, SERIAL, load=load, replications=1)


def test_a_whole_number_of_jobs_may_be_a_float():
    how = {"precision": 0.001, "most_jobs": 400, "replications": 3}
    one, other = (response_point(SERIAL, 0.5, jobs=jobs, **how) for jobs in (200.0, 200))
    assert one == other
    assert repr(one) == repr(other)


def test_a_backlog_and_a_load_cannot_be_given_together():
    with pytest.raises(co.InputError, match=r"backlog = -7 is given with load = 0\.3.*leave out"):
        compare(SERIAL, SERIAL, load=0.3, backlog=-7)


def test_short_runs_have_a_warning():
    """Runs beyond saturation have a warning, and so do runs in which a few jobs carry the work."""
    point = response_point(UNORDERED, 0.95, jobs=2000, most_jobs=8000, precision=10)
    assert "still rise" in point.response.warning
    assert not point.precise
    heavy = UNORDERED.with_(workload=MODEL.with_(service=co.Hyperexponential(1.0, 1000)))
    point = response_point(heavy, 0.3, precision=10, jobs=1000, most_jobs=1000)
    words = "the sampled jobs bring 50% of the work that the workload has on average"
    assert point.response.warning == words
    assert not point.precise
    assert compare(heavy, UNORDERED, jobs=2000, replications=3).warning
    assert not compare(UNORDERED, UNORDERED, jobs=2000, replications=3).warning


def test_a_mean_response_of_rare_long_jobs_has_a_warning():
    """Nearly all of the work comes from one job in hundreds."""
    rare = co.JobModel(co.uniform(1, 4), service=co.Hyperexponential(1.0, 30.0))
    scenario = co.Scenario(co.Multicluster([16]), rare)
    limit = MaxUtilization(Interval.exact(0.8), "exact")
    how = {"jobs": 2000, "replications": 4, "maximum": limit}
    words = "^a few jobs carry the work: 8000 jobs are worth"
    assert re.match(words, response_sample(scenario, 0.4, **how).warning)
    with pytest.warns(UserWarning, match=words):
        response_times(scenario, 0.4, **how)
    easy = scenario.with_(scheduling=co.EASY())
    found = compare(scenario, easy, load=0.4, jobs=2000, replications=4)
    assert re.match(words, found.warning)


def test_the_mean_response_is_at_least_the_mean_service_time():
    """In short runs of jobs that hardly wait, Student's interval reaches below the bound."""
    sample = response_sample(SERIAL, 0.01, jobs=100, replications=3, seed=0)
    plain = student(sample.values)
    assert plain.low < 1.0 < plain.estimate
    assert (sample.interval.low, sample.interval.high) == (1.0, plain.high)


def test_a_policy_without_a_queue_is_compared_below_its_maximal_utilization():
    """`Online` books each job at its submission, so its maximum is measured at an overload."""
    online = UNORDERED.with_(scheduling=co.Online(slot=0.5, step=0.5, horizon=500.0))
    curve = response_curve(online, [0.4, 0.99], jobs=2000, most_jobs=2000)
    assert [point.saturated for point in curve.points] == [False, True]
    busy = online.simulate(20_000, load=1.5, seed=7).utilization_between([2000, 4000], net=True)
    assert curve.maximum.max_utilization == pytest.approx(float(busy[0]), abs=0.02)
    how = {"jobs": 2000, "replications": 4}
    assert compare(online, UNORDERED, load=0.4, **how).below(2.0)
    assert compare(online, online, **how).estimate == 0


def test_a_policy_that_refuses_jobs_is_named():
    refusing = replace(SERIAL, scheduling=co.Online(horizon=900))
    with pytest.raises(co.InputError, match=r"^scheduling = Online.* rejected \d+ of 100 jobs"):
        response_point(refusing, 0.5, jobs=100, most_jobs=400)


def test_a_curve_gives_its_points_enough_jobs_to_settle_or_warns():
    """At a load of 0.95, the mean response of this queue is 20, and short runs find too little."""
    queue = co.Scenario(co.Multicluster([1]), co.JobModel(co.uniform(1, 1)))
    how = {"jobs": 4000, "precision": 0.5}
    settled, short = co.response_curve(queue, [0.5, 0.95], most_jobs=4000, **how).points
    assert settled.precise
    assert not short.precise
    assert (
        "4,000 jobs are too few for the queue to settle; give jobs=32000" in short.response.warning
    )
    alone = response_point(queue, 0.95, most_jobs=4000, **how)
    assert short.response.estimate == alone.response.estimate
    (longer,) = co.response_curve(queue, [0.95], most_jobs=64_000, **how).points
    assert longer.jobs >= 32_000
    assert longer.precise


def test_a_point_is_not_at_or_beyond_the_maximal_utilization():
    maximum = co.max_utilization_by_simulation(SERIAL, jobs=2000)
    with pytest.raises(co.InputError, match=r"^load = 0\.999 is not below the maximal utilization"):
        response_point(UNORDERED, 0.999, maximum=co.max_utilization_by_simulation(UNORDERED))
    assert response_point(SERIAL, 0.3, jobs=2000, maximum=maximum).precise
