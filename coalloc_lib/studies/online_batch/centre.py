"""What a centre would see if it booked its jobs, or queued them: one row a way."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from coalloc_lib.checks import instance_of
from coalloc_lib.jobs import JobStream
from coalloc_lib.scheduling import EASY, Conservative, Online, Scheduling
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.online_batch.parameters import HOUR
from coalloc_lib.system import Multicluster


def book_or_queue(
    jobs: JobStream, machine: Multicluster, limits: Sequence[float] = (6, 12, 24, 48)
) -> pd.DataFrame:
    """Return what jobs wait, what they are told, and what is refused, queued or booked.

    Parameters
    ----------
    jobs : JobStream
        With the times that users asked for.
    machine : Multicluster
    limits : sequence of float
        Hours after which booking refuses: attempts every quarter of an hour, up to there.

    Returns
    -------
    DataFrame
        A row for EASY, for conservative backfilling, for online booking as the paper has it, with
        what is left over released, and so with each limit. Waits in hours, of the jobs that ran;
        wide jobs ask for more than half of the processors. ``told`` is the mean wait up to the
        start that was promised, of those to whom one was, and they start ``early`` by so much;
        ``easy_wait`` is what the jobs that ran wait with EASY, among all others. What is refused
        is a share of the jobs, of their work, and of the wide jobs.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream([0, 0, 60], [7200, 3600, 3600], [3, 2, 1], request="total")
    >>> found = book_or_queue(jobs, co.Multicluster([4]), limits=[1])
    >>> round(100 * float(found.loc["online, released, up to 1 h", "refused"]), 1)
    33.3
    """
    instance_of("jobs", jobs, JobStream, 'co.read_swf("my-log.swf.gz").jobs(request="total")')
    ways: dict[str, Scheduling] = {
        "EASY": EASY(),
        "conservative": Conservative(),
        "online": Online(),
        "online, released": Online(release_early=True),
    }
    for hours in limits:
        attempts = 1 + int(hours * HOUR / Online().step)
        ways[f"online, released, up to {hours:g} h"] = Online(
            max_attempts=attempts, release_early=True
        )
    queued = simulate(machine, jobs, scheduling=EASY()).wait / HOUR
    return pd.DataFrame({name: _seen(jobs, machine, way, queued) for name, way in ways.items()}).T


def _seen(
    jobs: JobStream, machine: Multicluster, way: Scheduling, queued: np.ndarray
) -> dict[str, float]:
    """Return what users see of one way."""
    schedule = simulate(machine, jobs, scheduling=way)
    ran, wait = schedule.served, schedule.wait / HOUR
    wide = jobs.processors > machine.processors / 2
    told = np.asarray(schedule.promised) / HOUR
    known = ran & np.isfinite(told)
    return {
        "mean_wait": _mean(wait[ran]),
        "p99_wait": float(np.quantile(wait[ran], 0.99)) if ran.any() else float("nan"),
        "easy_wait": _mean(queued[ran]),
        "wide_wait": _mean(wait[ran & wide]),
        "told": _mean((told - jobs.submit / HOUR)[known]),
        "early": _mean((told - schedule.start / HOUR)[known]),
        "refused": 1 - float(ran.mean()),
        "refused_work": float(jobs.work[~ran].sum() / jobs.work.sum()),
        "wide_refused": _mean(~ran[wide]),
    }


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
