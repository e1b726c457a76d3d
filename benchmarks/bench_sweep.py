"""Speed of sweeps: what a point costs beside the function, and what a second worker gives.

Run ``python benchmarks/bench_sweep.py``; ``--quick`` leaves the largest sizes out. What counts
is the shares and ratios within one run: they carry over to another computer, seconds do not.
"""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import measuring
import numpy as np

import coalloc_lib as co
from coalloc_lib.statistics.sweep import sweep

MILLISECOND = 1e-3


def nothing(x, seed):
    """Costs nothing, so that what is measured is the bookkeeping."""
    return x


def one_millisecond(x, seed):
    """Keep the processor for a millisecond."""
    end = time.process_time() + MILLISECOND
    while time.process_time() < end:
        pass
    return x


def loss(load, replica, seed):
    """Simulate a small system in heavy traffic."""
    scenario = co.Scenario(
        co.Multicluster.equal(4, 32), co.JobModel(co.uniform(1, 4), components=4)
    )
    return co.saturated_loss(scenario, jobs=100_000, seed=seed).estimate


def seconds(function, grid, clock=time.process_time, **how):
    """Time of one sweep: of the processor, so that other work beside it does not count."""
    begin = clock()
    sweep(function, grid, **how)
    return clock() - begin


def sizes(quick):
    """Points a second, and the share of bookkeeping, as the grid grows, with a cache and again."""
    for exponent in range(2, 5 if quick else 6):
        grid = {"x": range(10**exponent)}
        with tempfile.TemporaryDirectory() as cache:
            free = seconds(nothing, grid)
            kept = seconds(nothing, grid, cache=cache)
            again = seconds(nothing, grid, cache=cache)
            busy = seconds(one_millisecond, grid, cache=cache)
        points = 10**exponent
        costs = (f"{1e6 * cost / points:.1f}" for cost in (free, kept, again))
        share = 1 - MILLISECOND * points / busy
        yield (
            f"1e{exponent}",
            f"{points / kept:,.0f}",
            *costs,
            f"{points / busy:,.0f}",
            f"{share:.1%}",
        )


def lanes(quick):
    """Cost of a point by the clock, with a cache, where two workers hand in what they finish."""
    points = 10**4 if quick else 10**5
    for name, count in (("serial", 1), ("threading", 2), ("loky", 2)):
        with joblib.parallel_config("threading" if count == 1 else name, n_jobs=count):
            sweep(nothing, {"x": range(100)})  # starts the processes
            with tempfile.TemporaryDirectory() as cache:
                cost = seconds(nothing, {"x": range(points)}, time.perf_counter, cache=cache)
        yield name, f"{1e6 * cost / points:.1f}", f"{cost / points / MILLISECOND:.1%}"


def bare(grid, workers):
    """Time of the same calls without a sweep: what the processors give at the moment."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda i: loss(0, i, np.random.SeedSequence(0)), grid["replica"]))
    return time.perf_counter() - begin


def swept(name):
    """Return the same as `bare`, by a sweep with this backend."""

    def run(grid, workers):
        with joblib.parallel_config(name, n_jobs=workers):
            return seconds(loss, grid, time.perf_counter)

    return run


def workers(quick):
    """One worker beside two, in turns, on the same simulations; processes are started before."""
    grid = {"load": [0], "replica": range(20 if quick else 60)}
    ways = {"no sweep": bare, "threading": swept("threading"), "loky": swept("loky")}
    rounds = [[(run(grid, 1), run(grid, 2)) for run in ways.values()] for _ in range(4)]
    for name, times in zip(ways, zip(*rounds[1:], strict=True), strict=True):
        one, two = map(min, zip(*times, strict=True))
        yield name, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}", f"{one / two / 2:.0%}"


MEASUREMENTS = [
    (
        sizes,
        "Size of the grid, serial",
        "points, points/s, µs/point, with cache, from cache, points/s at 1 ms, bookkeeping",
    ),
    (lanes, "Cost of a point by the clock, with a cache", "workers, µs, of 1 ms"),
    (workers, "Two workers on two processors", "workers, one s, two s, ×, efficiency"),
]


if __name__ == "__main__":
    measuring.run(MEASUREMENTS, __doc__)
