"""Speed of online scheduling: real logs, and from 128 to 131,072 servers beside a flat scan.

Run ``python benchmarks/bench_booking.py``, with ``COALLOC_TRACES`` set for the real logs;
``--quick`` leaves the largest systems out. What counts is the ratios within one run.
"""

import subprocess
import sys
import time

import flat_scan
import measuring
import numpy as np
from bench_engines import seconds
from peak import megabytes

import coalloc_lib as co
from coalloc_lib.calendar import SlotTrees

LOGS = (("KTH-SP2", 100), ("CTC-SP2", 338), ("CTC-SP2", 512), ("HPC2N", 240))
HOUR = 3600.0
LOAD = 0.8
#: Requests that the slower ones are timed on: enough to fill the largest system.
FLAT, TREES = 20_000, 4
CONTENDED = 5_000
MEMORY = "import bench_booking as b; b.memory_of(2**17)"


def warm_up():
    """Compile before anything is measured."""
    jobs = stream(8, 100)
    for rule in ("latest-start", "best-fit"):
        co.simulate(co.Multicluster([64]), jobs, scheduling=co.Online(rule=rule))
    flat_scan.run(jobs, 64, co.Online())


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
            begin = time.process_time()
            start, attempts = flat_scan.run(jobs, size, co.Online())
            flat = f"{1e3 * (time.process_time() - begin):.0f}"
            schedule = co.simulate(system, jobs, scheduling=co.Online())
            np.testing.assert_array_equal(start, schedule.start)
            np.testing.assert_array_equal(attempts, schedule.attempts)
            mean = f"{schedule.attempts.mean():.1f}"
            yield f"{name} ({size})", lengths, f"{len(jobs):,}", mean, *times, flat


def scaling(quick):
    """Compare requests a second at one load a server, and the time that each server costs."""
    for exponent in range(7, 14 if quick else 18):
        servers = 2**exponent
        system, online = co.Multicluster([servers]), co.Online()
        jobs = stream(servers, 100_000)
        whole = seconds(system, jobs, repeats=3, scheduling=online)
        short = jobs[:FLAT]
        fast = seconds(system, short, repeats=3, scheduling=online)
        begin = time.process_time()
        start, _ = flat_scan.run(short, servers, online)
        flat = time.process_time() - begin
        schedule = co.simulate(system, short, scheduling=online)
        np.testing.assert_array_equal(start, schedule.start)
        yield (
            f"2^{exponent}",
            f"{schedule.attempts.mean():.1f}",
            f"{len(jobs) / whole:,.0f}",
            f"{1e9 * whole / jobs.processors.sum():.0f}",
            f"{FLAT / fast:,.0f}",
            f"{FLAT / flat:,.0f}",
            f"{flat / fast:.1f}",
            trees(servers) if exponent < 9 else "",
        )


def contended(quick):
    """Compare where there is more work than servers, of jobs up to a quarter of them wide."""
    for exponent in range(7, 10 if quick else 13):
        servers = 2**exponent
        jobs = stream(servers, CONTENDED, load=1.2, largest=servers // 4)
        fast = seconds(co.Multicluster([servers]), jobs, repeats=1, scheduling=co.Online())
        begin = time.process_time()
        start, attempts = flat_scan.run(jobs, servers, co.Online())
        flat = time.process_time() - begin
        schedule = co.simulate(co.Multicluster([servers]), jobs, scheduling=co.Online())
        np.testing.assert_array_equal(start, schedule.start)
        yield (
            f"2^{exponent}",
            f"{attempts.mean():.1f}",
            f"{CONTENDED / fast:,.0f}",
            f"{1e9 * fast / jobs.processors[schedule.served].sum():.0f}",
            f"{CONTENDED / flat:,.0f}",
            f"{flat / fast:.1f}",
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
    """Peak of a process of its own that books 10^6 requests for the largest system."""
    if not quick:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
        )
        yield "2^17", *done.stdout.split()


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
        "log, lengths, jobs, attempts, latest start ms, best fit ms, flat scan ms",
    ),
    (
        scaling,
        "Servers at one load each: all requests, and the first of them beside a flat scan",
        "servers, attempts, requests/s, ns/server, index/s, flat/s, index is faster, trees/s",
    ),
    (
        contended,
        "More work than servers, jobs up to a quarter of them wide",
        "servers, attempts, index/s, ns/server, flat/s, index is faster",
    ),
    (memory, "Memory for 10^6 requests", "servers, before MB, after MB"),
]


if __name__ == "__main__":
    measuring.run(MEASUREMENTS, __doc__, prepare=warm_up)
