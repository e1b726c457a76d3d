"""Response-time curves: theory, precision, saturation, scaling."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.curves import maximal_utilization_by_simulation, response_curve, response_times
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


def test_a_run_that_may_not_grow_says_so_by_its_interval():
    curve = response_curve(
        ONE, SERIAL, [0.9], precision=0.001, jobs=1000, most_jobs=3000, replications=3
    )
    assert curve.points[0].jobs == 2000
    assert curve.points[0].response.half_width > 0.001 * curve.points[0].response.estimate


def test_past_saturation_nothing_is_averaged():
    system, model = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2)
    curve = response_curve(system, model, [0.5, 0.95, 1.2], jobs=2000, most_jobs=2000)
    assert [point.saturated for point in curve.points] == [False, True, True]
    assert curve.responses[1:] == [None, None]
    assert curve.utilizations == [0.5, 0.95, 1.2]
    assert 0.5 < curve.bound.low < curve.bound.high < 0.95


def test_the_bound_is_the_maximal_utilization():
    system, model = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2, "ordered")
    exact = co.maximal_utilization(system, model.sizes, 2).max_utilization
    assert maximal_utilization_by_simulation(system, model).low < exact
    assert maximal_utilization_by_simulation(system, model).high > exact
    fpfs = maximal_utilization_by_simulation(system, model, scheduling=co.FPFS(20))
    assert fpfs.low > exact


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
        ({"jobs": 5}, "jobs = 5"),
        ({"jobs": 2000, "most_jobs": 1000}, "most_jobs = 1000 is below"),
    ],
)
def test_bad_arguments(change, words):
    with pytest.raises(co.InputError, match=words):
        response_curve(ONE, SERIAL, [0.5], **change)


def test_bad_utilization():
    with pytest.raises(co.InputError, match="utilization = -1"):
        response_times(ONE, SERIAL, -1)
