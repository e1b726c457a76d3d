"""Speed of EASY and conservative backfilling: real logs, the textbook versions, long queues.

Run ``python benchmarks/bench_backfilling.py`` with ``COALLOC_TRACES`` set; ``--quick`` leaves the
readable engine's long runs out. What counts is the ratios within one run.
"""

import sys
import time
from pathlib import Path

import measuring
import numpy as np
from bench_engines import seconds

import coalloc_lib as co
from coalloc_lib.policies.backfilling import ORDERS

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests import naive_backfilling as naive

LOGS = (("KTH-SP2", 100), ("CTC-SP2", 338))
#: Jobs that the slow versions are timed on, and the compiled engine beside them.
SHORT = 3000


def log_jobs(name, size):
    """Return the jobs of a log, with the estimates that their users gave."""
    return co.load_trace(name, missing="stand-in").jobs("total", "requested", 0.0, size)


def warm_up():
    """Compile before anything is measured."""
    jobs = co.JobStream([0, 0], [1, 1], [1, 1], request="total")
    for scheduling in (co.EASY(), co.Conservative(), co.FPFS(9)):
        co.simulate(co.Multicluster([2]), jobs, scheduling=scheduling)


def logs(_quick):
    """Milliseconds for whole logs, FPFS beside backfilling."""
    for name, size in LOGS:
        jobs, system = log_jobs(name, size), co.Multicluster([size])
        for scheduling in (co.FPFS(len(jobs)), co.EASY(), co.Conservative()):
            spent = seconds(system, jobs, repeats=5, scheduling=scheduling)
            each = f"{1e6 * spent / len(jobs):.2f}"
            yield name, f"{len(jobs):,}", type(scheduling).__name__, f"{1e3 * spent:.1f}", each


def ratios(quick):
    """Compare the readable engine and the textbook versions with the compiled engine."""
    for name, size in LOGS:
        jobs, system = log_jobs(name, size), co.Multicluster([size])
        jobs = jobs[:SHORT] if quick else jobs
        columns = (jobs.submit, jobs.runtime, jobs.estimate, jobs.processors)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        for scheduling, textbook in (
            (co.EASY(), naive.easy),
            (co.Conservative(), naive.conservative),
        ):
            slowest = name == "CTC-SP2" and isinstance(scheduling, co.Conservative)
            most = SHORT if slowest else len(jobs)
            fast = seconds(system, jobs[:most], repeats=5, scheduling=scheduling)
            slow = seconds(system, jobs[:most], scheduling=scheduling, engine="reference")
            begin = time.process_time()
            textbook(size, rows[:most])
            plain = time.process_time() - begin
            times = (f"{1e3 * fast:.1f}", f"{slow / fast:,.0f}", f"{plain / fast:,.0f}")
            yield name, f"{most:,}", type(scheduling).__name__, *times


class OwnEASY(co.EASY):
    """An order that the compiled engine does not know, as all were once."""


class OwnConservative(co.Conservative):
    """The same of conservative backfilling."""


def orders(quick):
    """Compare ordered queues, and an order of one's own, with the queue in order of arrival."""
    rng = np.random.default_rng(1)
    for name, size in LOGS:
        jobs, system = log_jobs(name, size), co.Multicluster([size])
        jobs = jobs[:SHORT] if quick else jobs
        jobs = jobs.replace(priority=rng.integers(0, 3, len(jobs)))
        for policy, own in ((co.EASY, OwnEASY), (co.Conservative, OwnConservative)):
            plain = seconds(system, jobs, repeats=5, scheduling=policy())
            few = seconds(system, jobs[:SHORT], repeats=5, scheduling=policy())
            for order in ORDERS:
                spent = seconds(system, jobs, repeats=5, scheduling=policy(order=order))
                how = {"scheduling": own(order=order), "engine": "reference"}
                slow = seconds(system, jobs[:SHORT], **how) / few
                rate = f"{len(jobs) / spent:,.0f}"
                yield name, policy.__name__, order, rate, f"{spent / plain:.2f}", f"{slow:,.0f}"


def queue(waiting, kind):
    """Return jobs for 100 processors: a blocked head, many `waiting`, small ones that pass.

    *prunes*: the waiting jobs are wide, so that bounds pass whole branches over; *misleads*: by
    turns narrow and long, wide and short, so that every bound might fit and no job does.
    """
    passing = 20_000 if kind == "prunes" else 300
    rows = [(0.0, 1e6, 90), (0.0, 1e6, 100)]
    if kind == "prunes":
        rows += [(0.0, 2e6, 50)] * waiting
    else:
        rows += [(0.0, 2e6, 5), (0.0, 1.0, 50)] * (waiting // 2)
    rows += [(1.0 + i, 0.5, 1) for i in range(passing)]
    submit, runtime, processors = zip(*rows, strict=True)
    jobs = co.JobStream(submit, runtime, np.array(processors), request="total")
    return jobs, passing


def queues(quick):
    """Yield, for several queue lengths, the microseconds for each job that overtakes the queue."""
    system = co.Multicluster([100])
    for exponent in range(2, 5 if quick else 6):
        costs = []
        for kind in ("prunes", "misleads"):
            jobs, passing = queue(10**exponent, kind)
            both = seconds(system, jobs, repeats=3, scheduling=co.EASY())
            alone = seconds(system, jobs[:-passing], repeats=3, scheduling=co.EASY())
            costs.append(f"{1e6 * max(both - alone, 0) / passing:.2f}")
        yield f"1e{exponent}", *costs


def early_ends(quick):
    """Seconds for jobs submitted together, estimates of 1 to 10 times the run time or exact ones.

    With such estimates most of the jobs that wait move whenever one leaves.
    """
    system, before = co.Multicluster([128]), None
    for n in (500, 1000, 2000) if quick else (500, 1000, 2000, 4000):
        rng = np.random.default_rng(1)
        processors, runtime = rng.integers(1, 65, n), rng.exponential(100, n)
        estimate = runtime * rng.uniform(1, 10, n)
        jobs = co.JobStream(np.zeros(n), runtime, processors, estimate, request="total")
        spent = seconds(system, jobs, scheduling=co.Conservative())
        easy = seconds(system, jobs, scheduling=co.EASY())
        exact = seconds(system, jobs.replace(estimate=None), scheduling=co.Conservative())
        growth = "" if before is None else f"{spent / before:.1f}"
        yield f"{n:,}", f"{spent:.2f}", growth, f"{spent / exact:,.0f}", f"{spent / easy:,.0f}"
        before = spent


MEASUREMENTS = [
    (logs, "Whole logs, one cluster, estimates as requested", "log, jobs, policy, ms, µs/job"),
    (
        ratios,
        "Readable engine and textbook versions beside the compiled engine",
        "log, jobs, policy, compiled ms, readable ×, textbook ×",
    ),
    (
        orders,
        "Ordered queues, one cluster, beside the queue in order of arrival",
        "log, policy, order, jobs/s, × of arrival, an order of one's own ×",
    ),
    (queues, "EASY with a long queue", "waiting, bounds prune µs/job, bounds mislead µs/job"),
    (
        early_ends,
        "Conservative, all submitted together, ends before their estimates",
        "jobs, s, × of half as many, × of exact estimates, × of EASY",
    ),
]


if __name__ == "__main__":
    measuring.run(MEASUREMENTS, __doc__, prepare=warm_up)
