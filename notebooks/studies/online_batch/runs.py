"""The measurement of each kind of setting, and the study of online scheduling."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.seeds import Seed, parent, spawn
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import booked_end
from coalloc_lib.simulation.run import simulate as simulate_jobs
from coalloc_lib.statistics.bootstrap import WEEK
from coalloc_lib.statistics.weeks import Bootstrap, rows_by_week, week_of
from studies.online_batch import model
from studies.online_batch.model import (
    AHEAD,
    BOOKERS,
    CLASSES,
    COUNTED,
    CTC,
    EXACT,
    FIFTY,
    GROWTH_HORIZON,
    HOUR,
    HPC2N,
    KTH,
    LEAST,
    LEAST_LENGTH,
    LENGTH_ENDS,
    LENGTHS_AT,
    LOGS,
    NARROW_OR_WIDE,
    OWN_SERVERS,
    PHASES,
    POLICIES,
    POWERS_OF_TWO,
    QUEUERS,
    RECORDED,
    REQUESTED,
    SHARES,
    SHORT,
    SMALL_OR_MIDDLE,
    TREE_DRAWS,
    TREE_SLOTS,
    WAITS_AT,
    WITHIN,
    Log,
)
from studies.online_batch.settings import (
    ALL_JOBS,
    BUSY,
    BY_FIFTY,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    WHOLE,
    BesideQueue,
    Growth,
    LogItself,
    OnTrees,
    Overload,
    Setting,
    settings,
)
from studies.online_batch.trees import (
    book_on_trees,
    booked_before,
    first_of_typical_jobs,
    random_requests,
)
from studies.study import Scale, Study, scales, six_digits

# --- one run ---


def jobs_of(setting: Setting, log: Log, seed: Seed) -> JobStream:
    """Return the jobs that a setting submits: those that it keeps, with the lengths it knows.

    A share of the jobs reserves ahead; `seed` samples these jobs.
    """
    jobs = log.keeping(setting.kept).jobs
    if setting.length == EXACT:
        jobs = jobs.replace(estimate=None)
    if setting.share:
        of_sample = spawn(seed, setting.draw + 1)[setting.draw]
        jobs = jobs.reserved_ahead(setting.share, AHEAD, of_sample)
    return jobs


def simulate(setting: Setting, log: Log, seed: Seed = model.SEED) -> Schedule:
    """Return the schedule of the jobs of a log in a setting.

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
    """Return the share of the servers that is used up to the last submission.

    Jobs that did not run have NaN as their start and end. `Schedule.utilization` cannot be used,
    because it is not defined if a job was rejected.
    """
    first, last = jobs.submit.min(), jobs.submit.max()
    ran = np.minimum(end, last) - np.minimum(start, last)
    return float(np.nansum(ran * jobs.processors) / (last - first) / servers)


def refused_work(schedule: Schedule) -> float:
    """Return the share of the work of all jobs that was rejected."""
    work = schedule.jobs.work
    return float(work[~schedule.served].sum() / work.sum())


# --- the measurements of a schedule ---


def measure(setting: Any, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the rows of a setting of any kind.

    Nothing is yielded if the log of the setting is not available, or if the setting needs recorded
    waits that the log does not have.
    """
    for row in MEASURES[type(setting)](setting, scale, seed):
        # Values come after the replication; the columns up to it are keys and are not rounded.
        columns = [*row]
        keys = columns[: columns.index("replication") + 1]
        yield {name: value if name in keys else six_digits(value) for name, value in row.items()}


def measure_schedule(
    setting: Setting, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the rows of a schedule or of recorded waits.

    They are weekly sums over all jobs and over groups, attempts by group of servers, the
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
    """Return the log of a setting with only the kept jobs, or None if it is not available."""
    log = model.logs([setting.log]).get(setting.log)
    return None if log is None else log.keeping(setting.kept)


def recorded(setting: Setting, log: Log) -> tuple[JobStream, dict, dict]:
    """Return the jobs of a log, the recorded values of each job, and values of the whole log."""
    start = log.jobs.submit + log.recorded
    used = used_share(log.jobs, start, start + log.jobs.runtime, setting.servers)
    return log.jobs, per_job(log.jobs, log.recorded), {"utilization": used}


def scheduled(schedule: Schedule) -> tuple[JobStream, dict, dict]:
    """Return the jobs of a schedule, the values of each job, and values of the whole run."""
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
    """Return times in hours; a rejected job has NaN seconds, and gets 0 hours."""
    return np.nan_to_num(seconds) / HOUR


def per_job(jobs: JobStream, wait: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return the values of each job that are added up, by name.

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
    """Return the booked time of each job, in hours."""
    return np.maximum(jobs.runtime, LEAST_LENGTH) / HOUR


def means_of(values: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
    """Return the means of some values over all jobs that ran, and of attempts over all requests."""
    means = dict.fromkeys(("wait_h", "delay_h", "wait_over_length"), "jobs")
    means["attempts"] = "requests"
    return {
        f"mean_{name}": float(values[name].sum() / values[of].sum())
        for name, of in means.items()
        if name in values and values[of].any()
    }


def groupings(setting: Setting) -> dict[str, tuple[str, Sequence[tuple[float, float]]]]:
    """Return the groups of jobs that figures or claims need in a setting, by grouping.

    Each grouping has the names of the values that are added up, separated by spaces, and the ends
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
    tried = " requests attempts" * (setting.policy == LEAST)
    return {
        BY_LENGTH: ("jobs wait_over_length" + tried, lengths),
        BY_SERVERS: ("jobs wait_h", servers),
    }


def rows_of_weeks(
    setting: Setting, jobs: JobStream, values: dict[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield the sums of each week over all jobs, and over each group that has jobs.

    Nothing is yielded for settings with advance reservations and for least lengths that are only
    tried, because they only need means of the whole run.
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
    """Yield the weekly sums over a group of jobs.

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
    """Yield the mean attempts of jobs that ask for 1 to 50 servers, for 51 to 100, and so on."""
    if "attempts" not in values or setting.share:
        return
    group = (jobs.processors - 1) // FIFTY
    for number in np.unique(group):
        tried = values["attempts"][group == number]
        ends = {"above": float(FIFTY * number), "up_to": float(FIFTY * (number + 1))}
        counted = {"requests": len(tried), "mean_attempts": float(tried.mean())}
        yield row_of(BY_FIFTY, **counted) | ends


def has_distribution(setting: Setting) -> bool:
    """Return whether Figure 4(a), Figure 6 or a claim needs the distribution of waits."""
    plain = replace(setting, share=0.0, draw=0)
    return plain.is_plain and setting.is_as_read and setting.share < 1


def rows_of_waits(waits: NDArray[np.float64]) -> Iterator[dict]:
    """Yield the share of the jobs that wait longer than each of `WAITS_AT`.

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
    """Return a row of values of the whole run, which has no week."""
    keys = {"grouping": grouping, "above": above, "up_to": None, "replication": None}
    return keys | values


def measure_log(setting: LogItself, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield values of a log, and the distributions of its run times and requested times."""
    log = kept_log(setting)
    if log is None:
        return
    jobs, length, asked = log.jobs, log.jobs.runtime / HOUR, log.jobs.estimate / HOUR
    numbers: dict[str, float] = {"job_count": len(jobs), "widest": jobs.processors.max()}
    numbers |= {"mean_length_h": length.mean(), "mean_requested_h": asked.mean()}
    numbers |= {"short": (length < SHORT).mean(), "asks_for_short": (asked < SHORT).mean()}
    if log.has_waits:
        numbers["longest_wait_h"] = np.nanmax(log.recorded) / HOUR
    yield row_of(WHOLE, **numbers, **log.header)
    no_longer, asks_no_longer = (
        np.searchsorted(np.sort(values), LENGTHS_AT, side="right") / len(jobs)
        for values in (length, asked)
    )
    for up_to, took, asked_for in zip(LENGTHS_AT, no_longer, asks_no_longer, strict=True):
        yield row_of(BY_LENGTH, no_longer=took, asks_no_longer=asked_for) | {"up_to": up_to}


def measure_overload(
    setting: Overload, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the used server-hours of each week, and the rejected jobs and work of the whole run."""
    log = kept_log(setting)
    if log is None:
        return
    system = Multicluster([setting.servers])
    jobs = log.jobs if setting.length == REQUESTED else log.jobs.replace(estimate=None)
    jobs = jobs.with_load(system, setting.load)
    schedule = simulate_jobs(system, jobs, scheduling=POLICIES[setting.policy])
    used = hours_used_by_week(schedule)
    for week, busy in enumerate(used):
        keys = {"grouping": BUSY, "above": None, "up_to": None, "replication": week}
        yield keys | {"used_h": busy, "server_h": setting.servers * WEEK / HOUR}
    yield row_of(WHOLE, refused=len(schedule.refused), refused_work=refused_work(schedule))


def hours_used_by_week(schedule: Schedule) -> NDArray[np.float64]:
    """Return the server-hours used in each whole week up to the last submission."""
    jobs, ran = schedule.jobs, schedule.served
    start, end = schedule.start[ran], schedule.end[ran]
    edges = jobs.submit.min() + WEEK * np.arange(1 + np.ptp(jobs.submit) // WEEK)
    if len(edges) < 2:
        raise InputError(
            f"the jobs are submitted within {np.ptp(jobs.submit) / WEEK:.2g} weeks; give jobs of "
            "one week or more"
        )
    done = [(jobs.processors[ran] * np.clip(edge - start, 0, end - start)).sum() for edge in edges]
    return np.diff(done) / HOUR


def measure_beside(
    setting: BesideQueue, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield weekly delays of the jobs that book and of those that queue.

    The delays of the same jobs if no job books are yielded too.
    """
    log = model.logs([setting.log]).get(setting.log)
    if log is None:
        return
    plain = Setting(setting.log, OWN_SERVERS[setting.log], "conservative", setting.length)
    booked, queued = (
        simulate(replace(plain, share=share), log, seed) for share in (setting.share, 0.0)
    )
    books, week = booked.jobs.is_reserved, week_of(log.jobs.submit)
    for part, in_part in ((QUEUERS, ~books), (BOOKERS, books)):
        for some_book, schedule in ((True, booked), (False, queued)):
            delay = schedule.delay[in_part]
            values = {"jobs": np.isfinite(delay).astype(float), "delay_h": hours(delay)}
            keys = {"part": part, "some_book": some_book}
            yield from rows_by_week(week[in_part], values, int(week.max()) + 1, **keys)


def measure_trees(setting: OnTrees, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the mean attempts and operations per request in a typically busy part of the log."""
    log = kept_log(setting)
    if log is None:
        return
    plain = Setting(setting.log, setting.servers, LEAST, kept=setting.kept)
    usual = schedule = simulate(plain, log, seed)
    if setting.share:
        # The same jobs are booked at every share, so they are chosen without reservations.
        schedule = simulate(replace(plain, share=setting.share, draw=setting.draw), log, seed)
    order = np.argsort(usual.jobs.submit, kind="stable")
    first = first_of_typical_jobs(usual, order, scale.tree_jobs)
    chosen = order[first : first + scale.tree_jobs]
    jobs, end = schedule.jobs, booked_end(schedule)
    book = booked_before(schedule, order[:first], float(jobs.submit[chosen[0]]), setting.servers)
    columns = jobs.submit, jobs.earliest_start, end - schedule.start, jobs.processors
    requests = [column[chosen] for column in columns]
    _, attempts, done = book_on_trees(requests, book, most=TREE_SLOTS * 96)
    counts = done | {"attempts_a_request": attempts}
    yield {"replication": None} | {name: n / scale.tree_jobs for name, n in counts.items()}


def measure_growth(setting: Growth, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the mean operations of random requests, for each sample of them.

    The operations of the two phases are per attempt, those of an update per booked request, and
    those of an advance per new slot.
    """
    warm_up = setting.servers // setting.wanted + 1
    for draw, of_draw in enumerate(spawn(parent(seed), TREE_DRAWS)):
        requests = random_requests(setting.servers, setting.wanted, warm_up + COUNTED, of_draw)
        submit, *_ = requests
        book = SlotTrees([setting.servers], GROWTH_HORIZON / setting.slots, setting.slots)
        starts, tried, done = book_on_trees(requests, book, most=96, counted_from=warm_up)
        made = book.operations.advance
        book.advance(float(submit[-1]) + book.slot)  # this begins one new slot
        done["advance"] = book.operations.advance - made
        started = np.isfinite(starts[warm_up:]).sum()
        times = dict(zip(PHASES, (tried, tried, started, 1), strict=True))
        yield {"replication": draw} | {part: done[part] / max(times[part], 1) for part in PHASES}


MEASURES: dict[type, Any] = {
    Setting: measure_schedule,
    LogItself: measure_log,
    BesideQueue: measure_beside,
    Overload: measure_overload,
    OnTrees: measure_trees,
    Growth: measure_growth,
}


# --- the study ---

#: The study of online scheduling. Its scales have these names:
#:
#: - `logs`, and `dear_logs`, which also have the settings that take long
#: - `shares` of advance reservations; `online_shares` for online scheduling alone
#: - `draws`: the number of samples of the jobs that reserve ahead
#: - `resamples` of the weeks in the bootstrap
#: - `tree_jobs` and `tree_shares`: the jobs and the shares of reservations that are run on trees
#: - `tree_servers`, `tree_slots` and `tree_wanted`: the numbers with which the work grows
study = Study(
    "online-batch",
    "Do jobs wait less when each is booked as it is submitted than in a batch system's queue?",
    seed=model.SEED,
    scales=scales(
        logs=((KTH, CTC), LOGS),
        dear_logs=((KTH,), LOGS),
        shares=((0.0, 0.8, 1.0), SHARES),
        online_shares=(SHARES, SHARES),
        draws=(3, 5),
        resamples=(1_000, 4_000),
        tree_jobs=(20, 100),
        tree_shares=((0.0, 0.8), SHARES),
        tree_servers=((16, 32, 64), (16, 64, 256, 1024, 8192)),
        tree_slots=((4, 8), (4, 8, 16, 32)),
        tree_wanted=((1, 2, 4), (1, 2, 4, 8)),
    ),
    settings=settings,
    measure=measure,
    logs=LOGS,
)


def over_weeks(runs: pd.DataFrame) -> Bootstrap:
    """Return the bootstrap over weeks, with the number of resamples of the runs' scale."""
    scale, *_ = runs["scale"]
    return Bootstrap(study.scales[scale].resamples, model.SEED)
