"""The schedule of a setting, and the rows that are measured of a schedule or of recorded waits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate as simulate_jobs
from studies.online_batch import model
from studies.online_batch.model import (
    AHEAD,
    CLASSES,
    EXACT,
    FIFTY,
    HOUR,
    HPC2N,
    KTH,
    LEAST,
    LEAST_LENGTH,
    LENGTH_ENDS,
    NARROW_OR_WIDE,
    POWERS_OF_TWO,
    RECORDED,
    SMALL_OR_MIDDLE,
    WAITS_AT,
    WITHIN,
    Log,
)
from studies.online_batch.settings import (
    ALL_JOBS,
    BY_FIFTY,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    WHOLE,
    Setting,
)
from studies.study import Scale
from studies.weeks import rows_by_week, week_of

# --- a schedule ---


def jobs_of(setting: Setting, log: Log, seed: Seed) -> JobStream:
    """Return the jobs of a setting, with the estimates of their lengths that the policy knows.

    The `seed` samples the jobs that reserve ahead.
    """
    jobs = log.keeping(setting.kept).jobs
    if setting.length == EXACT:
        jobs = jobs.replace(estimate=None)
    if setting.share:
        of_sample = spawn(seed, setting.draw + 1)[setting.draw]
        jobs = jobs.reserved_ahead(setting.share, AHEAD, of_sample)
    return jobs


def simulate(setting: Setting, log: Log, seed: Seed = model.SEED) -> Schedule:
    """Simulate the jobs of a log in a setting, and return the schedule.

    Parameters
    ----------
    setting : Setting
        The servers, the policy, and the jobs that are kept. It must not be the recorded waits.
    log : Log
        The log.
    seed : Seed
        The seed that samples the jobs that reserve ahead.
    """
    return simulate_jobs(setting.system, jobs_of(setting, log, seed), scheduling=setting.scheduling)


def used_share(jobs: JobStream, start: NDArray, end: NDArray, servers: int) -> float:
    """Return the utilization of the servers up to the last submission.

    Jobs that did not run have NaN as their start and end. `Schedule.utilization` cannot be used,
    because it is not defined if a job was rejected.
    """
    first, last = jobs.submit.min(), jobs.submit.max()
    ran = np.minimum(end, last) - np.minimum(start, last)
    return float(np.nansum(ran * jobs.processors) / (last - first) / servers)


def refused_work(schedule: Schedule) -> float:
    """Return the rejected fraction of the total work."""
    work = schedule.jobs.work
    return float(work[~schedule.served].sum() / work.sum())


# --- the measurements ---


def measure_schedule(
    setting: Setting, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Measure a simulated schedule, or recorded waits, and yield rows for the table of runs.

    The rows have weekly sums over all jobs and over groups, attempts by group of servers, the
    distribution of waits, and values of the whole run.
    """
    log = kept_log(setting)
    if log is None or (setting.policy == RECORDED and not log.has_waits):
        return
    if setting.policy == RECORDED:
        jobs, values, numbers = recorded(setting, log)
    else:
        jobs, values, numbers = scheduled(simulate(setting, log, seed))
    yield from rows_of_weeks(setting, jobs, values)
    yield from rows_of_fifties(setting, jobs, values)
    waits = np.sort(values["wait_h"][values["jobs"] > 0])
    if has_distribution(setting):
        yield from rows_of_waits(waits)
    if len(waits):
        numbers |= {"p95_wait_h": float(np.quantile(waits, 0.95)), "longest_wait_h": waits[-1]}
    yield row_of(WHOLE, **numbers | means_of(values))


def kept_log(setting: Any) -> Log | None:
    """Return a setting's log, reduced to the selected jobs, or None if it is unavailable."""
    log = model.logs([setting.log]).get(setting.log)
    return None if log is None else log.keeping(setting.kept)


def recorded(setting: Setting, log: Log) -> tuple[JobStream, dict, dict]:
    """Return a log's jobs, a dict of arrays with one value per job, and the utilization."""
    start = log.jobs.submit + log.recorded
    used = used_share(log.jobs, start, start + log.jobs.runtime, setting.servers)
    return log.jobs, per_job(log.jobs, log.recorded), {"utilization": used}


def scheduled(schedule: Schedule) -> tuple[JobStream, dict, dict]:
    """Return a schedule's jobs, a dict of arrays with one value per job, and run-wide values."""
    jobs = schedule.jobs
    values = per_job(jobs, schedule.wait)
    values["delay_h"] = hours(schedule.delay)
    if schedule.attempts is not None:
        values["attempts"] = schedule.attempts.astype(float)
    numbers = {
        "refused": len(schedule.refused),
        "refused_work": refused_work(schedule),
        "utilization": used_share(jobs, schedule.start, schedule.end, schedule.system.processors),
    }
    return jobs, values, numbers


def hours(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert times from seconds to hours; NaN, the time of a rejected job, becomes 0."""
    return np.nan_to_num(seconds) / HOUR


def per_job(jobs: JobStream, wait: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return a dict from names such as ``"wait_h"`` to arrays with one value per job.

    `wait` is in seconds, and NaN if a job was rejected. Every job counts as one of the
    ``"requests"``, and every job that ran as one of the ``"jobs"``. The wait over the length is the
    temporal penalty of section 5. The length is the booked time, which is at least `LEAST_LENGTH`.
    """
    ran, wait_h = np.isfinite(wait), hours(wait)
    values = {
        "requests": np.ones(len(wait)),
        "jobs": ran.astype(float),
        "wait_h": wait_h,
        "wait_over_length": wait_h / length_h(jobs),
    }
    within = {f"within_{limit}h": (ran & (wait_h <= limit)).astype(float) for limit in WITHIN}
    return values | within


def length_h(jobs: JobStream) -> NDArray[np.float64]:
    """Return the length of each job's booking, in hours."""
    return np.maximum(jobs.runtime, LEAST_LENGTH) / HOUR


def means_of(values: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
    """Return means per job that ran, such as the mean wait, and mean attempts per request."""
    means = dict.fromkeys(("wait_h", "delay_h", "wait_over_length"), "jobs")
    means["attempts"] = "requests"
    return {
        f"mean_{name}": float(values[name].sum() / values[of].sum())
        for name, of in means.items()
        if name in values and values[of].any()
    }


def groupings(setting: Setting) -> dict[str, tuple[str, Sequence[tuple[float, float]]]]:
    """Return the groups of jobs by length and by servers that figures or claims need.

    Each entry has the names of the columns that are added up, separated by spaces, and the limits
    of the groups.
    """
    if not setting.is_grouped:
        return {}
    in_a_figure = setting.is_as_read and setting.log != HPC2N
    lengths, servers = SMALL_OR_MIDDLE, NARROW_OR_WIDE[setting.log]
    if in_a_figure:
        servers = [*pairwise(POWERS_OF_TWO)]
    if in_a_figure and setting.log == KTH:
        lengths = [*pairwise(LENGTH_ENDS)]
    columns = "jobs wait_over_length"
    if setting.policy == LEAST:
        columns += " requests attempts"
    return {
        BY_LENGTH: (columns, lengths),
        BY_SERVERS: ("jobs wait_h", servers),
    }


def rows_of_weeks(
    setting: Setting, jobs: JobStream, values: dict[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield weekly sums over all jobs, and over each group of jobs that is not empty.

    Nothing is yielded for settings with advance reservations, and for minimum lengths of bookings
    that are only tried, because they only need means of the whole run.
    """
    if setting.share or setting.is_a_reading:
        return
    week = week_of(jobs.submit)
    added = ["jobs", "wait_h"]
    added += [f"within_{limit}h" for limit in WITHIN if setting.is_plain]
    of_all = {name: values[name] for name in added}
    yield from sums_of_weeks(week, of_all, np.ones(len(jobs), bool), ALL_JOBS, None, None)
    size = {BY_LENGTH: length_h(jobs), BY_SERVERS: jobs.processors}
    for grouping, (names, ends) in groupings(setting).items():
        sums = {name: values[name] for name in names.split() if name in values}
        for above, up_to in ends:
            in_group = (size[grouping] > above) & (size[grouping] <= up_to)
            if in_group.any():
                yield from sums_of_weeks(week, sums, in_group, grouping, above, up_to)


def sums_of_weeks(
    week: NDArray[np.int64],
    values: Mapping[str, NDArray[np.float64]],
    in_group: NDArray[np.bool_],
    grouping: str,
    above: float | None,
    up_to: float | None,
) -> Iterator[dict]:
    """Yield the weekly sums over one group of jobs.

    Weeks whose sums are all 0 are left out, except the last, which tells the number of weeks.
    """
    of_group = {name: of_jobs[in_group] for name, of_jobs in values.items()}
    weeks = int(week.max()) + 1
    keys = {"grouping": grouping, "above": above, "up_to": up_to}
    for row in rows_by_week(week[in_group], of_group, weeks, **keys):
        if any(row[name] for name in values) or row["replication"] == weeks - 1:
            yield row


def rows_of_fifties(
    setting: Setting, jobs: JobStream, values: Mapping[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield mean attempts per job, grouped as 1 to 50 requested servers, 51 to 100, and so on."""
    if "attempts" not in values or setting.share:
        return
    group = (jobs.processors - 1) // FIFTY
    for number in np.unique(group):
        tried = values["attempts"][group == number]
        ends = {"above": float(FIFTY * number), "up_to": float(FIFTY * (number + 1))}
        counted = {"requests": len(tried), "mean_attempts": float(tried.mean())}
        yield row_of(BY_FIFTY, **counted) | ends


def has_distribution(setting: Setting) -> bool:
    """Return whether a figure or a claim needs the distribution of the waits of a setting."""
    plain = replace(setting, share=0.0, draw=0)
    return plain.is_plain and setting.is_as_read and setting.share < 1


def rows_of_waits(waits: NDArray[np.float64]) -> Iterator[dict]:
    """Yield the share of jobs that wait longer than each number of hours in `WAITS_AT`.

    `waits` is sorted and in hours. Rows beyond the longest wait are left out, except those that the
    classes of Figure 6 need.
    """
    if not len(waits):
        return
    longer = 1 - np.searchsorted(waits, WAITS_AT, side="right") / len(waits)
    for above, share in zip(WAITS_AT, longer, strict=True):
        if share > 0 or above <= CLASSES[-1]:
            yield row_of(BY_WAIT, above=above, share_longer=share)


def row_of(grouping: str, above: float | None = None, **values: Any) -> dict[str, Any]:
    """Return the row of the table of runs for a whole run, not for one of its weeks."""
    keys = {"grouping": grouping, "above": above, "up_to": None, "replication": None}
    return keys | values
