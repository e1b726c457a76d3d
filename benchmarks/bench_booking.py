"""Speed of online scheduling: real logs, and 128 to 8,192 servers beside the slot trees.

Run ``python benchmarks/bench_booking.py``, with ``COALLOC_TRACES`` set for the real logs;
``--quick`` leaves the largest systems out. What counts is the ratios within one run.
"""

import subprocess
import sys
import time

import measuring
import numpy as np
from bench_engines import seconds
from peak import megabytes

import coalloc_lib as co
from coalloc_lib.calendar import SlotTrees

LOGS = (("KTH-SP2", 100), ("CTC-SP2", 338), ("CTC-SP2", 512), ("HPC2N", 240))
HOUR = 3600.0
LOAD = 0.8
#: The number of requests of a run, of a run with too much work, and of a run on the slot trees.
REQUESTS, CONTENDED, TREES = 20_000, 5_000, 4
MEMORY = "import bench_booking as b; b.memory_of(2**10)"


def warm_up():
    """Compile before anything is measured."""
    jobs = stream(8, 100)
    for rule in ("latest-start", "best-fit"):
        co.simulate(co.Multicluster([64]), jobs, scheduling=co.Online(rule=rule))


def stream(servers, count, seed=1, load=LOAD, largest=64):
    """Return requests at one load a server: of 1 to 64 servers, half of them up to 3 h ahead."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.uniform(0, np.log(largest + 1), count)).astype(int)
    runtime = rng.lognormal(np.log(HOUR), 1.5, count).clip(60, 5 * 24 * HOUR).round()
    submit = rng.exponential(np.mean(size * runtime) / (load * servers), count).cumsum()
    jobs = co.JobStream(submit, runtime, size, request="total")
    return jobs.reserved_ahead(0.5, 3 * HOUR, seed)


def logs(_quick):
    """Milliseconds for whole logs, by run time and by requested time, under both rules."""
    for name, size in LOGS:
        log = co.load_trace(name, missing="stand-in").jobs("total", "requested", 0.0, size)
        for lengths, jobs in (("run", log.replace(estimate=None)), ("requested", log)):
            system, times = co.Multicluster([size]), []
            for rule in ("latest-start", "best-fit"):
                spent = seconds(system, jobs, repeats=3, scheduling=co.Online(rule=rule))
                times.append(f"{1e3 * spent:.0f}")
            schedule = co.simulate(system, jobs, scheduling=co.Online())
            mean = f"{schedule.attempts.mean():.1f}"
            yield f"{name} ({size})", lengths, f"{len(jobs):,}", mean, *times


def scaling(quick):
    """Count requests a second at one load a server, and the time that each server costs."""
    for exponent in range(7, 11 if quick else 14):
        servers = 2**exponent
        system, online = co.Multicluster([servers]), co.Online()
        jobs = stream(servers, REQUESTS)
        spent = seconds(system, jobs, repeats=1, scheduling=online)
        schedule = co.simulate(system, jobs, scheduling=online)
        yield (
            f"2^{exponent}",
            f"{schedule.attempts.mean():.1f}",
            f"{len(jobs) / spent:,.0f}",
            f"{1e9 * spent / jobs.processors.sum():.0f}",
            trees(servers) if exponent < 9 else "",
        )


def contended(quick):
    """Count requests a second of more work than servers, of jobs up to a quarter of them wide."""
    for exponent in range(7, 10 if quick else 13):
        servers = 2**exponent
        jobs = stream(servers, CONTENDED, load=1.2, largest=servers // 4)
        system = co.Multicluster([servers])
        spent = seconds(system, jobs, repeats=1, scheduling=co.Online())
        schedule = co.simulate(system, jobs, scheduling=co.Online())
        yield (
            f"2^{exponent}",
            f"{schedule.attempts.mean():.1f}",
            f"{CONTENDED / spent:,.0f}",
            f"{1e9 * spent / jobs.processors[schedule.served].sum():.0f}",
        )


def trees(servers):
    """Return requests a second of the slot trees, a day ahead only, on a few requests."""
    online = co.Online(horizon=24 * HOUR)
    book = SlotTrees([servers], online.slot, online.slots)
    jobs = stream(servers, TREES)
    begin = time.process_time()
    columns = (jobs.submit, jobs.earliest_start, jobs.runtime, jobs.processors)
    for now, earliest, length, wanted in zip(*(column.tolist() for column in columns), strict=True):
        book.advance(now)
        for attempt in range(online.most_attempts):
            start = earliest + attempt * online.step
            found = book.search(start, start + length, wanted).found
            if found:
                for period in found:
                    book.take(period, start, start + length)
                break
    return f"{TREES / (time.process_time() - begin):,.1f}"


def memory(quick):
    """Measure the peak of a process of its own that books 10^6 requests."""
    if not quick:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
        )
        yield "2^10", *done.stdout.split()


def memory_of(servers, count=1_000_000):
    """Print the peak of memory before and after a run, in MB."""
    jobs = stream(servers, count)
    before = round(megabytes())
    co.simulate(co.Multicluster([servers]), jobs, scheduling=co.Online())
    after = round(megabytes())
    print(before, after)


MEASUREMENTS = [
    (
        logs,
        "Whole logs, one cluster, steps of 900 s",
        "log, lengths, jobs, attempts, latest start ms, best fit ms",
    ),
    (
        scaling,
        "Servers at one load each",
        "servers, attempts, requests/s, ns/server, trees/s",
    ),
    (
        contended,
        "More work than servers, jobs up to a quarter of them wide",
        "servers, attempts, requests/s, ns/server",
    ),
    (memory, "Memory for 10^6 requests", "servers, before MB, after MB"),
]


if __name__ == "__main__":
    measuring.run(MEASUREMENTS, __doc__, prepare=warm_up)
