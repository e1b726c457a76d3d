"""The two simulation procedures of the paper, against formulas, each other and invented queues."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import Interval, student
from coalloc_lib.statistics.saturation import saturated_loss
from studies import loss_procedures
from studies.loss_procedures import loss_at_response, loss_between_bounds
from tests.statistics.test_saturation import CASES, MODEL, SCENARIO, exact_loss


@pytest.mark.long
@pytest.mark.parametrize("scenario", CASES[:2])
def test_response_method_comes_near_the_formula(scenario):
    """A finite mean response time leaves slightly more capacity idle than saturation does."""
    found = student(loss_at_response(scenario, jobs=100_000, replications=4))
    assert abs(found.estimate - exact_loss(scenario)) < 0.006


@pytest.mark.long
def test_bounds_agree_with_a_held_queue():
    scenario = SCENARIO.with_(scheduling=co.FPFS(max_jumps=10))
    held = saturated_loss(scenario, jobs=100_000, backlog=100)
    between = loss_between_bounds(scenario, bounds=(0, 200), arrivals=20_000, replications=4)
    assert abs(held.estimate - between.mean()) < 0.02


def test_too_few_arrivals_tell_no_load_between_bounds():
    """No queue leaves the bounds, so that all loads would tie."""
    scenario = SCENARIO.with_(scheduling=co.FPFS(max_jumps=5))
    with pytest.raises(co.InputError, match="arrivals = 700; the queue stays between bounds"):
        loss_between_bounds(scenario, bounds=(0, 1000), arrivals=700, replications=2)


class Recorded:
    """A scenario with invented results, for a model whose mean service time is 2."""

    workload = co.JobModel(co.uniform(1, 1), 1, "total", co.Exponential(2.0))
    scheduling = co.FCFS()

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
    """For loads from 0.49 to 0.52 the queue has 30 jobs, and otherwise it reaches a bound."""
    monkeypatch.setattr(loss_procedures, "saturated_loss", lambda *_, **__: Interval.exact(0.5))

    def schedule(stream):
        queue = 30 if 0.4899 < scenario.load < 0.5201 else 10
        return SimpleNamespace(queue_length=lambda instants: np.full(len(instants), queue))

    scenario = Recorded(schedule)
    how = {"bounds": (10, 50), "arrivals": 100, "replications": 1}
    assert loss_between_bounds(scenario, **how) == pytest.approx(1 - 0.505)
    for stream in scenario.streams:  # the queue begins half-way between the bounds
        assert np.count_nonzero(stream.submit == 0) == 31  # the 31st ends the first interarrival
        assert (np.diff(stream.submit[30:]) > 0).all()
    scenario.streams.clear()
    assert loss_between_bounds(scenario, begin=0, **how) == pytest.approx(1 - 0.505)
    for stream in scenario.streams:  # the first job comes to an empty system
        assert np.count_nonzero(stream.submit == 0) == 1


def test_the_bounds_are_by_default_those_of_the_paper():
    """Section 5 of the paper: the queue is to stay between 0 and 1000 jobs."""
    assert inspect.signature(loss_between_bounds).parameters["bounds"].default == (0, 1000)


@pytest.mark.parametrize(("best", "shown"), [(0.6, 0.6), (0.42, 0.42), (0.8, None), (0.1, None)])
def test_loads_beyond_ten_percent_are_tried_where_an_end_does_best(best, shown, monkeypatch):
    """The queue stays longer between the bounds, the nearer the load is to the best one."""
    monkeypatch.setattr(loss_procedures, "saturated_loss", lambda *_, **__: Interval.exact(0.5))

    def schedule(stream):
        lengths = np.zeros(len(stream))
        lengths[: int(1e5 * (1 - abs(scenario.load - best)))] = 20
        return SimpleNamespace(queue_length=lambda instants: lengths)

    scenario = Recorded(schedule)
    how = {"bounds": (10, 50), "begin": 0, "arrivals": 100_000, "replications": 1}
    if shown is None:
        with pytest.raises(co.InputError, match="give more arrivals"):
            loss_between_bounds(scenario, **how)
    else:
        assert loss_between_bounds(scenario, **how) == pytest.approx(1 - shown)


def test_the_response_is_met_and_the_first_tenth_of_the_time_left_out(monkeypatch):
    """The invented mean response time at rate r is 5000 r, half of which is waiting."""
    monkeypatch.setattr(loss_procedures, "saturated_loss", lambda *_, **__: Interval.exact(0.5))

    def schedule(stream):
        last = stream.submit[-1]
        response = np.full(3, 5000 * len(stream) / last)
        busy = lambda edges, net: [edges[0] / edges[1] + 10 * (edges[1] != last)]  # noqa: E731
        return SimpleNamespace(jobs=stream, response=response, refused={}, utilization_between=busy)

    scenario = Recorded(schedule)
    found = loss_at_response(scenario, response=1500, jobs=20_000, replications=1)
    assert found == pytest.approx(1 - 0.1)
    assert schedule(scenario.streams[-1]).response[0] == pytest.approx(1500 * 2, rel=1e-3)


def test_the_loss_at_a_response_counts_the_span_penalty_as_lost():
    """Near saturation the loss is that of heavy traffic, which also leaves out the penalty."""
    paying = SCENARIO.with_(workload=MODEL.with_(span_penalty=0.5))
    at_response = student(loss_at_response(paying, jobs=20_000, replications=3))
    assert at_response.estimate == pytest.approx(saturated_loss(paying).estimate, abs=0.02)


def test_a_response_that_no_load_reaches_is_rejected(monkeypatch):
    """The sampled jobs always have a short response time, although the estimate of the total time
    that they need is long enough."""
    short = SimpleNamespace(response=np.array([1.0]), refused={})
    monkeypatch.setattr(co.Scenario, "run", lambda *_arguments: short)
    monkeypatch.setattr(
        loss_procedures, "saturated_loss", lambda *_arguments, **_options: Interval.exact(0.1)
    )
    with pytest.raises(co.InputError, match="shorter mean response time at every load; give a sm"):
        loss_at_response(SCENARIO, response=50, jobs=20_000, replications=1)


def test_a_policy_that_rejects_jobs_or_has_no_queue_is_named():
    """The first has no response time of the rejected jobs, the second no length of its queue."""
    short = co.Online(slot=1.0, step=1.0, horizon=20.0, min_length=0.1)
    scenario = co.Scenario(co.Multicluster([8]), co.JobModel(co.uniform(1, 4)), short)
    words = (
        r"^scheduling = Online\(.* rejected \d+ of 2000 jobs.* give a policy that rejects no job"
    )
    with pytest.raises(co.InputError, match=words):
        loss_at_response(scenario, response=5, jobs=2000, replications=2)
    words = r"^scheduling = Online\(.* books each job .* give a policy with a queue"
    with pytest.raises(co.InputError, match=words):
        loss_between_bounds(scenario, bounds=(0, 10), arrivals=1000, replications=2)


@pytest.mark.parametrize(
    ("call", "workload", "how", "words"),
    [
        (loss_at_response, MODEL, {"jobs": 3000}, "give [0-9]+ or more"),
        (loss_at_response, MODEL.sample(10, 1), {}, "no single distribution"),
        (loss_at_response, MODEL, {"response": 1.0}, "a response time includes the service time"),
        (
            loss_at_response,
            MODEL,
            {"response": 1.001, "jobs": 60},
            r"response = 1\.001 .* longer mean response time even if they hardly wait; give a larg",
        ),
        (loss_between_bounds, MODEL, {"bounds": (5,)}, "bounds = "),
        (loss_between_bounds, MODEL, {"bounds": (0, 1)}, "with at least one length"),
        (loss_between_bounds, MODEL, {"bounds": 5}, "bounds = 5; give a lower and a higher"),
        (loss_between_bounds, MODEL, {"bounds": (0, "9")}, r"bounds\[1\] = '9'; give a number"),
        (loss_at_response, MODEL, {"jobs": "9"}, "jobs = '9'; give a number"),
        (
            loss_between_bounds,
            MODEL,
            {"begin": 500, "arrivals": 400},
            "arrivals = 400, of which",
        ),
    ],
)
def test_wrong_arguments_are_named(call, workload, how, words):
    with pytest.raises(co.InputError, match=words):
        call(SCENARIO.with_(workload=workload), **how)
