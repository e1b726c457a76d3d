"""Simulated means against queueing theory, in the cases where the multicluster is a known queue.

Every case is replicated with independent seeds; the interval is Student's t at 99.9 %. The
theory's value has to lie in it, and the interval has to be narrow: its half-width is below
`WIDTH` of the value, so a mistake of two hundredths cannot hide in it.
"""

import numpy as np
import pytest
from scipy import stats

import coalloc_lib as co

REPLICATIONS = 20
JOBS = 400_000
WARM_UP = 20_000
#: The largest half-width of an interval that is accepted, as a fraction of the theoretical value.
WIDTH = 0.02


def long(*values):
    """Return a test case that only `make test-long` runs."""
    return pytest.param(*values, marks=pytest.mark.long)


def assert_agrees(values, theory):
    """Assert that a confidence interval contains the theoretical value, and that it is narrow."""
    mean, half = np.mean(values), stats.t.ppf(0.9995, len(values) - 1) * stats.sem(values)
    assert half < WIDTH * theory
    assert abs(mean - theory) <= half, f"{mean:.5f} ± {half:.5f} misses {theory:.5f}"


def replicate(seed, system, service, rate, components, measure, **how):
    """Apply `measure` to independent runs of FCFS with Poisson arrivals of equal jobs."""
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
    """Return the mean wait of the jobs after the warm-up."""
    return schedule.wait[WARM_UP:].mean()


def erlang_c(servers, load):
    """Return the probability that a job waits in an M/M/c queue; `load` is the mean number of busy
    servers."""
    blocked = 1.0
    for busy in range(1, servers + 1):
        blocked = load * blocked / (busy + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def wait_mmc(servers, rate, mean):
    """Return the mean wait in an M/M/c queue."""
    return erlang_c(servers, rate * mean) / (servers / mean - rate)


def wait_mg1(rate, service):
    """Return the mean wait in an M/G/1 queue by the formula of Pollaczek and Khinchine."""
    load = rate * service.mean
    return load * service.mean * (1 + service.cv**2) / (2 * (1 - load))


@pytest.mark.parametrize(("servers", "load"), [long(1, 0.3), long(2, 0.6), (8, 0.75)])
def test_an_mmc_queue_and_littles_law(servers, load):
    """By Little's law, the mean numbers of waiting and of running jobs are the arrival rate times
    the mean wait and the mean service time."""
    rng = np.random.default_rng(4)

    def measure(schedule):
        wait, (first, last) = schedule.wait[WARM_UP:], schedule.jobs.submit[[WARM_UP, -1]]
        queue = schedule.queue_length(rng.uniform(first, last, 100_000)).mean()
        running = schedule.utilization(first, last) * servers
        return wait.mean(), (wait > 0).mean(), queue / wait.mean(), running

    system, rate = co.Multicluster([servers]), load * servers / 2.0
    runs = replicate(servers, system, co.Exponential(2.0), rate, [1], measure)
    theory = wait_mmc(servers, rate, 2.0), erlang_c(servers, load * servers), rate, rate * 2.0
    for values, value in zip(zip(*runs, strict=True), theory, strict=True):
        assert_agrees(values, value)


def test_erlang_c_itself():
    """Compare the Erlang C formula with its closed forms for one and for two servers."""
    assert erlang_c(1, 0.4) == pytest.approx(0.4)
    a = 1.2
    closed = (a**2 / 2) / (1 - a / 2) / (1 + a + (a**2 / 2) / (1 - a / 2))
    assert erlang_c(2, a) == pytest.approx(closed)


SKEWED, LONGER = co.Hyperexponential(2.0, 1.5), co.Hyperexponential(2.5, 1.5)
ONE = co.Exponential(1.0)
#: Systems that are known queues: seed, system, service times, load, components and options; and the
#: service times and the number of servers of the queue.
SERVERS = {
    "M/D/1": long(7, [1], co.Deterministic(3.0), 0.75, [1], {}, co.Deterministic(3.0), 1),
    "M/H/1": (7, [1], co.Hyperexponential(3, 2.5), 0.4, [1], {}, co.Hyperexponential(3, 2.5), 1),
    "half the system a job": long(10, [8, 8], ONE, 0.65, [4, 4], {}, ONE, 2),
}
for kind in ("flexible", "ordered", "unordered"):
    # Each job needs the whole system. It spans the clusters, so the penalty lengthens its service.
    case = 8, [8, 4, 4], SKEWED, 0.5, [8, 4, 4], {"request": kind, "span_penalty": 0.25}, LONGER, 1
    SERVERS[f"whole system, {kind}"] = case if kind == "flexible" else long(*case)
for rule in (co.BestFit(), co.FirstFit(), co.WorstFit()):
    # For jobs of one processor, all clusters together are one queue with as many servers as
    # processors.
    case = 9, [2, 1, 3], ONE, 0.75, [1], {"request": "total", "placement": rule}, ONE, 6
    SERVERS[f"small total, {rule}"] = case if rule == co.BestFit() else long(*case)


@pytest.mark.parametrize(
    ("seed", "clusters", "service", "load", "components", "how", "seen", "servers"),
    SERVERS.values(),
    ids=list(SERVERS),
)
def test_the_wait_in_a_known_queue(seed, clusters, service, load, components, how, seen, servers):
    rate = load * servers / seen.mean
    theory = wait_mg1(rate, seen) if servers == 1 else wait_mmc(servers, rate, seen.mean)
    waits = replicate(seed, co.Multicluster(clusters), service, rate, components, mean_wait, **how)
    assert_agrees(waits, theory)
