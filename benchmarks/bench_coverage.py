"""How many intervals of one log hold the truth, where the truth is a formula.

    python benchmarks/bench_coverage.py                 # 400 logs a cell: two minutes
    python benchmarks/bench_coverage.py --quick         # 100 logs a cell
    python benchmarks/bench_coverage.py --simulated     # intervals of simulations, minutes

Each log is of jobs with Poisson arrivals and exponential run times, on average an hour, in the
steady state. Five figures are asked of it: the mean wait and the mean response of one machine, the
mean wait less that on a machine that is a tenth faster (difference), the mean response at one of
two such sites less that at the other (none, in hours), and that of both where they share one queue
over that where they do not (ratio, Erlang's formula). Of each cell: the logs that have an interval,
how many of these hold the truth, how many lie below it, and the median half-width over the truth.
"""

import argparse

import numpy as np
from numba import njit

import coalloc_lib as co
from coalloc_lib.basics.seeds import generators
from coalloc_lib.statistics import Interval, resample_weeks
from coalloc_lib.statistics.curves import compare, response_sample
from coalloc_lib.statistics.saturation import saturated_loss

HOUR, WEEK = 3_600.0, 168.0
LOADS, WEEKS = (0.3, 0.6, 0.8, 0.9, 0.95), (5, 12, 52)
#: The run times on the faster machine.
FASTER = 0.9
#: So many relaxation times of the queue are run before a log begins.
BEFORE = 6


@njit(cache=True)
def waits_for(submit, runtime, servers):
    """Return the wait of each job under first come, first served, on one or two servers."""
    waits, free, other = np.empty(len(submit)), -np.inf, -np.inf
    for i in range(len(submit)):
        start = max(submit[i], free)
        waits[i] = start - submit[i]
        free = start + runtime[i]
        if servers == 2 and other < free:
            free, other = other, free
    return waits


def a_log(load, weeks, seed):
    """Return submissions of two like sites, in hours, and the rows that figures are made of.

    The rows are, job by job: wait, wait on a faster machine, response, response where both share.
    """
    rng, *_ = generators(seed, 1)
    before = BEFORE / (1 - np.sqrt(load)) ** 2
    sites = []
    for _ in range(2):
        count = rng.poisson(load * (before + weeks * WEEK))
        submit = np.sort(rng.uniform(-before, weeks * WEEK, count))
        sites.append((submit, rng.exponential(1.0, count)))
    submit, runtime = map(np.concatenate, zip(*sites, strict=True))
    order = np.argsort(submit)
    shared = np.empty(len(submit))
    shared[order] = waits_for(submit[order], runtime[order], 2)
    wait, fast = (
        np.concatenate([waits_for(at, factor * long, 1) for at, long in sites])
        for factor in (1.0, FASTER)
    )
    rows = np.stack([wait, fast, wait + runtime, shared + runtime])
    first = np.arange(len(submit)) < len(sites[0][0])
    return submit, first, rows


def truths(load):
    """Return the figures, from formulas."""
    wait, faster = load / (1 - load), FASTER * (FASTER * load) / (1 - FASTER * load)
    together = 1 / (1 - load**2)  # the mean response of M/M/2
    return {
        "wait": wait,
        "response": 1 + wait,
        "difference": wait - faster,
        "none": 0.0,
        "ratio": together * (1 - load),
    }


def intervals_of(load, weeks, seed):
    """Return the interval of each figure from one log."""
    submit, first, rows = a_log(load, weeks, seed)
    here = submit >= 0
    one = here & first
    alone = resample_weeks(rows[:3, one], np.ones((3, one.sum())), HOUR * submit[one])
    weights = np.stack([here & first, here & ~first])[:, here].astype(float)
    sites = resample_weeks(rows[[2, 2]][:, here], weights, HOUR * submit[here])
    both = resample_weeks(rows[2:, here], np.ones((2, here.sum())), HOUR * submit[here])
    return {
        "wait": alone.interval(lambda means: means[0], vectorized=True),
        "response": alone.interval(lambda means: means[2], vectorized=True),
        "difference": alone.difference(0, 1),
        "none": sites.difference(0, 1),
        "ratio": both.interval(lambda means: means[1] / means[0], vectorized=True),
    }


def tally(intervals: list[Interval], truth):
    """Return the share with an interval; of these, that holds the truth, that lies below, width."""
    given = [each for each in intervals if not each.warning]
    if not given:
        return 0.0, np.nan, np.nan, np.nan
    holds, below = (
        np.mean([test(each) for each in given])
        for test in (lambda each: each.contains(truth), lambda each: each.high < truth)
    )
    width = np.median([each.half_width for each in given]) / (truth or 1)
    return len(given) / len(intervals), holds, below, width


def coverage(load, weeks, logs, seed=0):
    """Return the tally of each figure over the given number of logs."""
    found = [intervals_of(load, weeks, seed + number) for number in range(logs)]
    return {name: tally([x[name] for x in found], truth) for name, truth in truths(load).items()}


def of_simulations(runs):
    """Print the share that holds the truth, and lies below it, of intervals of simulations."""
    machine = co.Scenario(co.Multicluster([1]), co.JobModel(co.uniform(1, 1), request="total"))
    fast = machine.with_(workload=machine.workload.with_(service=co.Exponential(FASTER)))
    wide = co.JobModel(co.uniform(1, 32), request="total")
    easy = co.Scenario(co.Multicluster([32]), wide, scheduling=co.EASY())
    known = saturated_loss(easy, jobs=2_000_000, seed=10**6).estimate
    print("intervals of simulations: hold the truth, lie below it (per cent); the warning, if any")
    for jobs in (5_000, 20_000, 40_000):
        loss = [saturated_loss(easy, jobs=jobs, seed=seed) for seed in range(runs)]
        _print(f"saturated_loss, EASY, {jobs:,} jobs", loss, known)
    for load, jobs in ((0.9, 8_000), (0.9, 20_000), (0.97, 20_000)):
        how = {"load": load, "jobs": jobs}
        mean = 1 / (1 - load)
        runs_of = [response_sample(machine, **how, seed=seed).interval for seed in range(runs)]
        _print(f"response_times, load {load}, {jobs:,} jobs", runs_of, mean)
        # The load is the same, and all times of the faster machine are shorter.
        less = [compare(machine, fast, **how, seed=seed) for seed in range(runs)]
        _print(f"compare, load {load}, {jobs:,} jobs", less, mean - FASTER / (1 - load))


def _print(name, intervals, truth):
    holds, below = (
        100 * np.mean([test(each) for each in intervals])
        for test in (lambda each: each.contains(truth), lambda each: each.high < truth)
    )
    print(f"{name:45}{holds:6.1f}{below:6.1f}  {intervals[0].warning}", flush=True)


def _shown(found):
    given, holds, below, width = 100 * np.array(found)
    return f"{given:6.1f}{holds:6.1f}{below:5.1f}{width:5.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 logs a cell")
    parser.add_argument("--logs", type=int, default=400)
    parser.add_argument("--simulated", action="store_true", help="intervals of simulations")
    options = parser.parse_args()
    logs = 100 if options.quick else options.logs
    if options.simulated:
        of_simulations(logs)
        return
    print("given, of these: hold the truth, lie below it, half-width over truth (per cent)")
    print(f"load weeks {'':2}" + "".join(f"{name:>22}" for name in truths(0.5)))
    for load in LOADS:
        for weeks in WEEKS:
            cells = coverage(load, weeks, logs, seed=int(1e6 * load) + 1000 * weeks)
            print(f"{load:4} {weeks:5}   " + "".join(map(_shown, cells.values())), flush=True)


if __name__ == "__main__":
    main()
