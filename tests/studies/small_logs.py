"""Logs that are made up, few jobs of some weeks: for the studies of sharing and of booking."""

import numpy as np

import coalloc_lib as co
from coalloc_lib.intervals import WEEK
from studies.job_sharing.model import EXTRACTS, SYNTHETIC
from studies.online_batch.model import LOGS, OWN_SERVERS, Log

WEEKS = 6


def made_up(name, seed, count=300, stand_in=False):
    """Return a log that keeps its machine busy, with jobs of all widths, some very short."""
    rng = np.random.default_rng([seed, len(name)])
    servers = OWN_SERVERS[name]
    runtime = np.maximum(rng.gamma(0.4, 40_000, count), 30).round()
    widths = [1, 2, 8, servers // 3, servers // 2 + 1, servers * 3 // 4]
    jobs = co.JobStream(
        np.sort(rng.uniform(0, WEEKS * WEEK, count)).round(), runtime, rng.choice(widths, count),
        runtime * rng.uniform(1, 3, count), request="total",
    )  # fmt: skip
    waits = np.full(count, np.nan) if stand_in else rng.gamma(0.3, 60_000, count).round()
    return Log(name, jobs, waits, stand_in)


def small_logs(stand_in=False, without=()):
    """Return what stands in for `model.logs`."""
    made = {name: made_up(name, 1, stand_in=stand_in) for name in LOGS if name not in without}
    return lambda names=LOGS: {name: made[name] for name in names if name in made}


def made_up_jobs(seed, count=240):
    """Return jobs of six weeks that fill 512 processors well, some of them wide."""
    rng = np.random.default_rng(seed)
    runtime = rng.gamma(0.5, 70_000, count)
    return co.JobStream(
        np.sort(rng.uniform(0, WEEKS * WEEK, count)), runtime,
        rng.choice([1, 8, 60, 128, 256, 330], count), runtime * rng.uniform(1, 4, count),
        request="total",
    )  # fmt: skip


WORKS = {
    name: tuple(made_up_jobs([1, i, draw], 120) for draw in range(4))
    for i, name in enumerate((EXTRACTS, SYNTHETIC))
}
