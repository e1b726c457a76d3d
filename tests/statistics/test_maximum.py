"""The maximal utilization of scenarios: the best method, and the formulas against simulation."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.statistics import student
from coalloc_lib.statistics.maximum import (
    best_method,
    capacity_loss,
    max_utilization_by_simulation,
)

PAIR = co.Multicluster([8, 8])
MODEL = co.JobModel(co.uniform(1, 4), 2)
ORDERED = co.Scenario(PAIR, MODEL.with_(request="ordered"))
UNORDERED = co.Scenario(PAIR, MODEL)


@pytest.mark.parametrize(
    ("system", "change", "method"),
    [
        (PAIR, {}, "exact"),
        (PAIR, {"request": "flexible"}, "exact"),
        (co.Multicluster([8]), {"request": "total"}, "exact"),
        (PAIR, {"request": "unordered"}, "simulation"),
        (PAIR, {"merged_into": 1}, "simulation"),
    ],
)
def test_the_best_method_is_found(system, change, method):
    scenario = co.Scenario(system, ORDERED.workload.with_(**change))
    assert best_method(scenario) == method
    assert max_utilization_by_simulation(scenario, jobs=5000).method == method


def test_what_a_formula_does_not_know_takes_it_away():
    """There is no formula for jobs that may stay whole, nor for other models and policies."""
    for system in (PAIR, co.Multicluster([8])):
        scenario = co.Scenario(system, MODEL, placement=co.SingleThenSpan())
        with pytest.raises(co.InputError, match="the formula does not exist"):
            max_utilization_by_simulation(scenario, method="approximation")
        assert max_utilization_by_simulation(scenario, jobs=5000).method == "simulation"

    @dataclass(frozen=True)
    class Penalised(co.JobModel):
        span_penalty: float = 0.0

    model = Penalised(co.uniform(1, 4), 2, "ordered", span_penalty=0.5)
    assert best_method(ORDERED.with_(workload=model)) == "simulation"

    class Impatient(co.FCFS):
        """A variant of FCFS, for which there is no formula."""

    assert best_method(ORDERED.with_(scheduling=Impatient())) == "simulation"


def test_the_methods_agree():
    exact, simulated = (
        max_utilization_by_simulation(ORDERED, method=m) for m in ("exact", "simulation")
    )
    assert simulated.interval.contains(exact.max_utilization)
    about = max_utilization_by_simulation(UNORDERED, method="approximation")
    simulated = max_utilization_by_simulation(UNORDERED)
    assert about.method == "approximation"
    assert about.max_utilization == pytest.approx(simulated.max_utilization, abs=0.01)
    overtaking = max_utilization_by_simulation(ORDERED.with_(scheduling=co.FPFS(20)))
    assert overtaking.method == "simulation"
    assert overtaking.interval.low > exact.max_utilization


def test_the_interval_of_a_loss_lies_between_0_and_1():
    loss = capacity_loss(UNORDERED, jobs=2000, replications=4)
    interval = student(loss.values)
    assert 0 < interval.low < interval.high < 1
    assert loss.interval == interval
    assert (loss.least, loss.most) == (0, 1)


@pytest.mark.parametrize(
    ("scenario", "method", "words"),
    [
        (ORDERED, "approximation", "is exact; use simulation"),
        (UNORDERED, "exact", "an approximation"),
        (UNORDERED.with_(scheduling=co.FPFS(20)), "exact", "does not exist"),
    ],
)
def test_a_method_without_a_formula_is_rejected(scenario, method, words):
    with pytest.raises(co.InputError, match=words):
        max_utilization_by_simulation(scenario, method=method)


@pytest.mark.parametrize(
    "call",
    [
        best_method,
        max_utilization_by_simulation,
        lambda given: capacity_loss(given, jobs=1000, replications=2),
    ],
)
def test_what_is_not_a_scenario_is_rejected_at_once(call):
    with pytest.raises(co.InputError, match=r"= 3 is not of type Scenario; give Scenario\(system"):
        call(3)
