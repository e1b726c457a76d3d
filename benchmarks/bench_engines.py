"""Speed of the engines: compiled beside readable, long streams, many clusters, long queues.

Run ``python benchmarks/bench_engines.py``; ``--quick`` leaves the largest sizes out. What counts
is the ratios within one run: they carry over to another computer, seconds do not.
"""

import os
import subprocess
import sys
import tempfile
import time

import measuring
import numpy as np

import coalloc_lib as co

LOAD = 0.76
SYSTEM = co.Multicluster.equal(4, 32)
FIRST_CALL = """
import time
begin = time.perf_counter()
import coalloc_lib as co
imported = time.perf_counter()
jobs = co.JobStream(submit=[0.0], runtime=[1.0], components=[[1, 1]])
co.simulate(co.Multicluster([2, 2]), jobs)
print(imported - begin, time.perf_counter() - imported)
"""


def stream(n, clusters=4, seed=1):
    """Poisson arrivals, exponential times, one component of U[1,8] for each of 4 clusters."""
    rng = np.random.default_rng(seed)
    jobs = co.JobStream(
        submit=co.PoissonArrivals(1.0).sample(rng, n),
        runtime=co.Exponential(1.0).sample(rng, n),
        components=co.uniform(1, 8).sample(rng, (n, min(clusters, 4))),
    )
    return jobs.with_load(co.Multicluster.equal(clusters, 32), LOAD)


def seconds(system, jobs, repeats=1, **how):
    """Best time of some runs: of the processor, so that other work beside it does not count."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        co.simulate(system, jobs, **how)
        times.append(time.process_time() - begin)
    return min(times)


def warm_up():
    """Compile before anything is measured."""
    for scheduling in (co.FCFS(), co.FPFS(5)):
        co.simulate(SYSTEM, stream(100), scheduling=scheduling)


def engines(_quick):
    """Compiled beside readable on the same 100,000 jobs."""
    jobs = stream(100_000)
    for scheduling in (co.FCFS(), co.FPFS(50)):
        fast = seconds(SYSTEM, jobs, repeats=3, scheduling=scheduling)
        slow = seconds(SYSTEM, jobs, scheduling=scheduling, engine="reference")
        rates = (f"{len(jobs) / slow:,.0f}", f"{len(jobs) / fast:,.0f}")
        yield str(scheduling), *rates, f"{slow / fast:,.0f}"


def lengths(quick):
    """Jobs a second as the stream grows."""
    first = None
    for exponent in range(4, 7 if quick else 8):
        jobs = stream(10**exponent)
        rates = [
            len(jobs) / seconds(SYSTEM, jobs, repeats=3, scheduling=scheduling)
            for scheduling in (co.FCFS(), co.FPFS(50))
        ]
        first = first or rates
        ratios = [f"{rate / at_first:.2f}" for rate, at_first in zip(rates, first, strict=True)]
        yield f"1e{exponent}", *(f"{rate:,.0f}" for rate in rates), *ratios


def widths(quick):
    """Jobs a second as clusters are added, at one load."""
    n = 100_000 if quick else 300_000
    for clusters in (1, 4, 16, 64, 256):
        system, jobs = co.Multicluster.equal(clusters, 32), stream(n, clusters)
        rates = [
            n / seconds(system, jobs, repeats=3, scheduling=scheduling)
            for scheduling in (co.FCFS(), co.FPFS(50))
        ]
        yield str(clusters), *(f"{rate:,.0f}" for rate in rates)


def held_queue(waiting, engine="compiled", scheduling=None):
    """Return the microseconds per started job while `waiting` jobs wait, which it may overtake."""
    started = {"compiled": max(2 * waiting, 50_000), "reference": 3000}[engine]
    jobs = stream(waiting + started)
    how = {"scheduling": scheduling or co.FPFS(10**9), "engine": engine, "backlog": waiting}
    return 1e6 * seconds(SYSTEM, jobs, **how) / len(jobs)


def queues(quick):
    """Time a started job with a held queue, beside the readable engine, which looks at all."""
    readable = {waiting: held_queue(waiting, "reference") for waiting in (30, 100, 300)}
    slope = (readable[300] - readable[100]) / 200
    first = held_queue(100)
    for exponent in range(2, 5 if quick else 6):
        waiting = 10**exponent
        few = held_queue(waiting, scheduling=co.FPFS(50))
        many = first if waiting == 100 else held_queue(waiting)
        rescan = readable[100] + slope * (waiting - 100)
        mark = "" if waiting == 100 else "extrapolated"
        costs = (f"{few:.2f}", f"{many:.2f}", f"{many / first:.1f}")
        yield f"1e{exponent}", *costs, f"{rescan / many:,.0f}", mark


def worst_queues(quick):
    """Time a departure with a queue in which every bound fits and no job does.

    Ordered jobs of [3, 1] and [1, 3] by turns wait while [2, 2] is idle: the smallest components
    of two neighbours fit, and so does the smallest total.
    """
    system = co.Multicluster([4, 4])
    for exponent in range(3, 5 if quick else 6):
        waiting, small = 10**exponent, 200
        parts = np.vstack([[[2, 2]], np.tile([[3, 1], [1, 3]], (waiting // 2, 1))])
        late = np.tile([[1, 1]], (small, 1))
        submit = np.concatenate([np.zeros(len(parts)), 1 + np.arange(small)])
        runtime = np.concatenate([[small + 2.0], np.ones(waiting), np.full(small, 0.5)])
        jobs = co.JobStream(submit, runtime, np.vstack([parts, late]), request="ordered")
        policy = {"scheduling": co.FPFS(10**9)}
        both = seconds(system, jobs, repeats=2, **policy)
        alone = seconds(system, jobs[: len(parts)], repeats=2, **policy)
        yield f"1e{exponent}", f"{1e6 * max(both - alone, 0) / small:.1f}"


def first_calls(_quick):
    """Import and first call, with nothing compiled yet and with the cache of that run."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for state in ("cold cache", "warm cache"):
            run = subprocess.run(
                [sys.executable, "-c", FIRST_CALL],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            imported, called = map(float, run.stdout.split())
            yield state, f"{imported:.2f}", f"{called:.2f}"


MEASUREMENTS = [
    (engines, "Compiled beside readable, 1e5 jobs", "policy, readable jobs/s, compiled jobs/s, ×"),
    (lengths, "Length of the stream", "jobs, FCFS jobs/s, FPFS(50) jobs/s, FCFS ×, FPFS ×"),
    (widths, "Number of clusters", "clusters, FCFS jobs/s, FPFS(50) jobs/s"),
    (
        queues,
        "Length of the held queue",
        "waiting, FPFS(50) µs/job, unlimited µs/job, × of 1e2, readable ×, ",
    ),
    (worst_queues, "A queue made to mislead the bounds", "waiting, µs a departure"),
    (first_calls, "Import and first call", "state, import s, first call s"),
]


if __name__ == "__main__":
    measuring.run(MEASUREMENTS, __doc__, prepare=warm_up)
