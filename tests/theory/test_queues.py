"""Simulated means against queueing theory, in the cases where the multicluster is a known queue.

Every case is replicated with independent seeds; the interval is Student's t at 99.9 %. The
theory's value has to lie in it, and the interval has to be narrow: its half-width is below
`WIDTH` of the value, so a mistake of two hundredths cannot hide in it.
"""

import math

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co

REPLICATIONS = 20
JOBS = 400_000
WARM_UP = 20_000
#: Largest half-width of an interval, as a fraction of the theory's value.
WIDTH = 0.02


def long(*values):
    """A case of `make test-long`."""
    return pytest.param(*values, marks=pytest.mark.long)


def assert_agrees(values, theory):
    """Assert that the theory's value lies in the interval, and that the interval is narrow."""
    mean, half = np.mean(values), stats.t.ppf(0.9995, len(values) - 1) * stats.sem(values)
    assert half < WIDTH * theory
    assert abs(mean - theory) <= half, f"{mean:.5f} ± {half:.5f} misses {theory:.5f}"


def replicate(seed, system, service, rate, components, measure, **how):
    """Apply `measure` to independent runs: Poisson arrivals, one kind of job, FCFS."""
    request = {name: how.pop(name) for name in ("request", "span_penalty") if name in how}
    results = []
    for child in np.random.SeedSequence(seed).spawn(REPLICATIONS):
        rng = np.random.default_rng(child)
        jobs = co.JobStream(
            submit=co.PoissonArrivals(rate).sample(rng, JOBS),
            runtime=service.sample(rng, JOBS),
            components=np.tile(components, (JOBS, 1)),
            **request,
        )
        results.append(measure(co.simulate(system, jobs, **how)))
    return results


def mean_wait(schedule):
    """Mean wait after the warm-up."""
    return schedule.wait[WARM_UP:].mean()


def erlang_c(servers, load):
    """Probability that a job waits in an M/M/c queue that is offered `load` busy servers."""
    blocked = 1.0
    for busy in range(1, servers + 1):
        blocked = load * blocked / (busy + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def wait_mmc(servers, rate, mean):
    """Mean wait in an M/M/c queue."""
    return erlang_c(servers, rate * mean) / (servers / mean - rate)


def wait_mg1(rate, service):
    """Mean wait in an M/G/1 queue, by Pollaczek and Khinchine."""
    load = rate * service.mean
    return load * service.mean * (1 + service.cv**2) / (2 * (1 - load))


@pytest.mark.parametrize(("servers", "load"), [long(1, 0.3), long(2, 0.6), (8, 0.75)])
def test_wait_and_probability_of_waiting_of_mmc(servers, load):
    def measure(schedule):
        wait = schedule.wait[WARM_UP:]
        return wait.mean(), (wait > 0).mean()

    system, rate = co.Multicluster([servers]), load * servers / 2.0
    runs = replicate(servers, system, co.Exponential(2.0), rate, [1], measure)
    waits, waiting = zip(*runs, strict=True)
    assert_agrees(waits, wait_mmc(servers, rate, 2.0))
    assert_agrees(waiting, erlang_c(servers, load * servers))


def test_erlang_c_itself():
    """Against the closed forms for one server and for two."""
    assert erlang_c(1, 0.4) == pytest.approx(0.4)
    a = 1.2
    closed = (a**2 / 2) / (1 - a / 2) / (1 + a + (a**2 / 2) / (1 - a / 2))
    assert erlang_c(2, a) == pytest.approx(closed)


@pytest.mark.parametrize(
    ("service", "load"),
    [
        long(co.Deterministic(3.0), 0.75),
        (co.Hyperexponential(3.0, 2.5), 0.4),
    ],
    ids=str,
)
def test_mg1_wait(service, load):
    rate = load / service.mean
    waits = replicate(7, co.Multicluster([1]), service, rate, [1], mean_wait)
    assert_agrees(waits, wait_mg1(rate, service))


@pytest.mark.parametrize("request_type", [long("ordered"), long("unordered"), "flexible"])
def test_jobs_of_the_whole_system_make_it_one_server(request_type):
    """They span, so that the penalty lengthens the service."""
    service, penalty, load = co.Hyperexponential(2.0, 1.5), 0.25, 0.5
    longer = co.Hyperexponential(2.0 * (1 + penalty), 1.5)
    rate = load / longer.mean
    system, how = co.Multicluster([8, 4, 4]), {"request": request_type, "span_penalty": penalty}
    waits = replicate(8, system, service, rate, [8, 4, 4], mean_wait, **how)
    assert_agrees(waits, wait_mg1(rate, longer))


@pytest.mark.parametrize(
    "placement", [long(co.FirstFit()), long(co.WorstFit()), co.BestFit()], ids=repr
)
def test_small_total_requests_see_all_clusters_as_one(placement):
    system, rate = co.Multicluster([2, 1, 3]), 0.75 * 6
    how = {"request": "total", "placement": placement}
    waits = replicate(9, system, co.Exponential(1.0), rate, [1], mean_wait, **how)
    assert_agrees(waits, wait_mmc(6, rate, 1.0))


@pytest.mark.long
def test_half_the_system_a_job_makes_it_two_servers():
    """Two clusters of 8, every job with components (4, 4): two of them run at once."""
    waits = replicate(10, co.Multicluster([8, 8]), co.Exponential(1.0), 1.3, [4, 4], mean_wait)
    assert_agrees(waits, wait_mmc(2, 1.3, 1.0))


@pytest.mark.long
def test_littles_law_and_arrivals_that_see_time_averages():
    """Jobs in queue and in service, over time, are the rate times wait and service time."""
    servers, load = 3, 0.7
    rate = load * servers / 2.0
    rng = np.random.default_rng(4)

    def measure(schedule):
        first, last = schedule.jobs.submit[[WARM_UP, -1]]
        instants = rng.uniform(first, last, 100_000)
        running = schedule.jobs_in_service_between([first, last])[0]
        return schedule.queue_length(instants).mean(), running

    system, service = co.Multicluster([servers]), co.Exponential(2.0)
    queues, running = zip(*replicate(12, system, service, rate, [1], measure), strict=True)
    assert_agrees(queues, rate * wait_mmc(servers, rate, 2.0))
    assert_agrees(running, rate * 2.0)
    assert math.isclose(np.mean(running) / servers, load, rel_tol=0.01)
