"""Response-time curves: theory, precision, saturation, scaling."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.curves import (
    Curve,
    Point,
    best_method,
    find_maximum,
    response_curve,
    response_point,
    response_times,
)
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.inference import paired_difference, student

ONE = co.Multicluster([1])
SERIAL = co.JobModel(co.uniform(1, 1), 1, "total")


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_one_processor_is_mm1(load):
    values = response_times(ONE, SERIAL, load, jobs=200_000, replications=8)
    interval = student(values, confidence=0.999)
    assert interval.contains(1 / (1 - load))
    assert interval.half_width < 0.1 / (1 - load)


def test_the_run_grows_until_it_is_precise():
    curve = response_curve(ONE, SERIAL, [0.2, 0.8], precision=0.05, jobs=1000, replications=5)
    calm, busy = curve.points
    for point in curve.points:
        assert point.response.half_width <= 0.05 * point.response.estimate
    assert calm.jobs < busy.jobs


def test_a_run_that_may_not_grow_says_so():
    curve = response_curve(
        ONE, SERIAL, [0.2, 0.9], precision=0.1, jobs=1000, most_jobs=3000, replications=5
    )
    calm, busy = curve.points
    assert busy.jobs == 2000
    assert busy.response.half_width > 0.1 * busy.response.estimate
    assert not busy.precise
    assert calm.precise


def test_a_run_that_still_slows_down_is_too_short():
    """At 99 % of what a processor bears, 8000 jobs from an empty queue are far too few: M/M/1."""
    how = {"precision": 10, "jobs": 8000, "replications": 100, "seed": 4}
    short = response_point(ONE, SERIAL, 0.99, most_jobs=8000, **how)
    assert short.response.high < 100
    assert not short.precise
    assert response_point(ONE, SERIAL, 0.5, most_jobs=8000, **how).precise


def test_intervals_of_points_cover_the_truth():
    """Chosen by its own narrowness, a point covers in 79 of 100 cases; in 95 it should: M/M/1."""
    how = {"precision": 0.2, "jobs": 1000}
    points = [response_point(ONE, SERIAL, 0.9, seed=seed, **how) for seed in range(100)]
    assert sum(point.response.contains(10) for point in points) >= 88
    assert sum(point.precise for point in points) > 50


def test_past_saturation_nothing_is_averaged():
    system, model = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2)
    curve = response_curve(system, model, [0.5, 0.95, 1.2], jobs=2000, most_jobs=2000)
    assert [point.saturated for point in curve.points] == [False, True, True]
    assert curve.responses[1:] == [None, None]
    assert curve.utilizations == [0.5, 0.95, 1.2]
    assert 0.5 < curve.maximum.interval.low < curve.maximum.max_utilization < 0.95
    assert curve.maximum.method == "simulation"


def test_a_load_just_below_an_exact_maximum_is_not_saturated():
    curve = response_curve(ONE, SERIAL, [0.999, 1.0], jobs=100, most_jobs=100)
    assert curve.maximum.interval == Interval(1.0, 1.0, 1.0, 0)
    assert curve.maximum.method == "exact"
    assert [point.saturated for point in curve.points] == [False, True]


PAIR = co.Multicluster([8, 8])
ORDERED = co.JobModel(co.uniform(1, 4), 2, "ordered")


@pytest.mark.parametrize(
    ("system", "change", "method"),
    [
        (PAIR, {}, "exact"),
        (PAIR, {"request": "flexible"}, "exact"),
        (co.Multicluster([8]), {"request": "total"}, "exact"),
        (PAIR, {"request": "unordered"}, "simulation"),
        (PAIR, {"service": co.Deterministic(1.0)}, "simulation"),
        (PAIR, {"merged_into": 1}, "simulation"),
    ],
)
def test_the_best_method_is_found(system, change, method):
    assert best_method(system, ORDERED.with_(**change)) == method
    assert find_maximum(system, ORDERED.with_(**change), jobs=5000).method == method


def test_the_methods_agree():
    exact, simulated = (find_maximum(PAIR, ORDERED, method=m) for m in ("exact", "simulation"))
    assert exact.max_utilization == co.maximal_utilization(PAIR, ORDERED.sizes, 2).max_utilization
    assert simulated.interval.low < exact.max_utilization < simulated.interval.high
    unordered = ORDERED.with_(request="unordered")
    about = find_maximum(PAIR, unordered, method="approximation", placement=co.WorstFit())
    simulated = find_maximum(PAIR, unordered, placement=co.WorstFit())
    assert about.method == "approximation"
    assert about.max_utilization == pytest.approx(simulated.max_utilization, abs=0.01)
    overtaking = find_maximum(PAIR, ORDERED, scheduling=co.FPFS(20))
    assert overtaking.method == "simulation"
    assert overtaking.interval.low > exact.max_utilization


@pytest.mark.parametrize(
    ("model", "how", "words"),
    [
        (ORDERED, {"method": "guess"}, "method = 'guess'"),
        (ORDERED, {"method": "approximation"}, "is exact; use simulation"),
        (ORDERED.with_(request="unordered"), {"method": "exact"}, "an approximation"),
        (ORDERED, {"method": "exact", "scheduling": co.FPFS(5)}, "does not exist"),
    ],
)
def test_a_method_that_there_is_not(model, how, words):
    with pytest.raises(co.InputError, match=words):
        find_maximum(PAIR, model, **how)


def test_a_stretched_curve_moves_its_points_and_its_maximum():
    maximum = Bound(Interval(0.8, 0.7, 0.9, 5), "simulation")
    point = Point(0.6, Interval(3.0, 2.0, 4.0, 8), 100, False)
    slow = Curve([point, Point(1.0)], maximum).stretched(2.0)
    assert slow.points == [Point(0.3, Interval(6.0, 4.0, 8.0, 8), 100, False), Point(0.5)]
    assert slow.maximum == Bound(Interval(0.4, 0.35, 0.45, 5), "simulation")
    assert str(slow.maximum) == "0.4000 ± 0.0500 (95%), simulation"


def test_longer_service_stretches_the_curve_exactly():
    """Twice the service time at half the rate: the same schedule, in units twice as long."""
    system, model = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2)
    slow = model.with_(service=co.Exponential(2.0))
    one, two = (response_times(system, m, 0.6, jobs=3000) for m in (model, slow))
    np.testing.assert_allclose(two, 2 * one, rtol=1e-12)


def test_systems_are_compared_in_pairs():
    model = co.JobModel(co.uniform(1, 4), 2)
    equal, unequal = (
        response_times(co.Multicluster(sizes), model, 0.5, jobs=3000) for sizes in ([8, 8], [12, 4])
    )
    assert paired_difference(unequal, equal).low > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"precision": 0}, "precision = 0"),
        ({"replications": 1}, "replications = 1"),
        ({"utilizations": [0.5, np.nan]}, "utilization = nan"),
        ({"jobs": 5}, "jobs = 5"),
        ({"jobs": 2000, "most_jobs": 1000}, "most_jobs = 1000 is below"),
    ],
)
def test_bad_arguments(change, words):
    with pytest.raises(co.InputError, match=words):
        response_curve(ONE, SERIAL, **{"utilizations": [0.5]} | change)


def test_policies_of_ones_own_run_in_the_readable_engine():
    class LastFit(co.Placement):
        """The last cluster on which the component fits."""

        def order(self, idle):
            return reversed(range(len(idle)))

    backwards = co.FirstFit(clusters=(1, 0))
    unordered, how = ORDERED.with_(request="unordered"), {"jobs": 500, "seed": 1}
    losses, curves = [], []
    for placement, engine in ((LastFit(), "reference"), (backwards, "compiled")):
        policy = {"placement": placement, "engine": engine}
        losses.append(co.saturated_loss(PAIR, unordered, **policy, **how))
        how_long = {"jobs": 200, "most_jobs": 400, "maximum": find_maximum(PAIR, unordered)}
        curves.append(response_curve(PAIR, unordered, [0.5], **policy, **how_long))
    assert losses[0] == losses[1]
    assert curves[0] == curves[1]


def test_bad_utilization():
    with pytest.raises(co.InputError, match=r"utilization = 1.5; give a load below 1"):
        response_point(ONE, SERIAL, 1.5)
    with pytest.raises(co.InputError, match="utilization = -1"):
        response_times(ONE, SERIAL, -1)
