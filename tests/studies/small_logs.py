"""Logs that are made up: few jobs of some weeks, with waits, for the study of online scheduling."""

import numpy as np

import coalloc_lib as co
from coalloc_lib.bootstrap import WEEK
from coalloc_lib.studies.online_batch.parameters import CTC, HPC2N, KTH, SERVERS, Scale
from coalloc_lib.studies.online_batch.traces import Log

WEEKS = 6
#: Few draws and resamples, and trees that are quickly done.
TINY = Scale(2, (KTH, CTC), (KTH,), 40, 4, (0.0, 0.8), 2, (4, 8), (4, 8))


def made_up(name, seed, count=300, stand_in=False):
    """Return a log that keeps its machine busy, with jobs of all widths, some very short."""
    rng = np.random.default_rng([seed, len(name)])
    servers = SERVERS[name][0]
    runtime = np.maximum(rng.gamma(0.4, 40_000, count), 30).round()
    widths = [1, 2, 8, servers // 3, servers // 2 + 1, servers * 3 // 4]
    jobs = co.JobStream(
        np.sort(rng.uniform(0, WEEKS * WEEK, count)).round(), runtime, rng.choice(widths, count),
        runtime * rng.uniform(1, 3, count), request="total",
    )  # fmt: skip
    waits = np.full(count, np.nan) if stand_in else rng.gamma(0.3, 60_000, count).round()
    return Log(name, jobs, waits, stand_in)


def small_logs(seed=1, stand_in=False, names=(KTH, CTC, HPC2N)):
    return {name: made_up(name, seed, stand_in=stand_in) for name in names}
