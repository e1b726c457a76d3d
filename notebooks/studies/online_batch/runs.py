"""What is measured of each setting, and the study."""

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
    first_as_busy,
    random_requests,
)
from studies.study import Scale, Study, scales, six_digits

# --- one run ---


def jobs_of(setting: Setting, log: Log, seed: Seed) -> JobStream:
    """Return the jobs of a log that are kept, as they are asked for."""
    jobs = log.keeping(setting.kept).jobs
    if setting.length == EXACT:
        jobs = jobs.replace(estimate=None)
    if setting.share:
        drawing = spawn(seed, setting.draw + 1)[setting.draw]
        jobs = jobs.reserved_ahead(setting.share, AHEAD, drawing)
    return jobs


def simulate(setting: Setting, log: Log, seed: Seed = model.SEED) -> Schedule:
    """Return the schedule of a log."""
    return simulate_jobs(setting.system, jobs_of(setting, log, seed), scheduling=setting.scheduling)


def used_share(jobs: JobStream, start: NDArray, end: NDArray, servers: int) -> float:
    """Return which share of the servers is used until the last submission; NaN did not run."""
    # `Schedule.utilization` has no answer where a job was refused.
    first, last = jobs.submit.min(), jobs.submit.max()
    ran = np.minimum(end, last) - np.minimum(start, last)
    return float(np.nansum(ran * jobs.processors) / (last - first) / servers)


def refused_work(schedule: Schedule) -> float:
    """Return the share of the work that is refused."""
    work = schedule.jobs.work
    return float(work[~schedule.served].sum() / work.sum())


# --- what is measured of it ---


def measure(setting: Any, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the rows of a setting of any kind; none where the log, or its record, is not here."""
    for row in MEASURES[type(setting)](setting, scale, seed):
        keys = [*row][: [*row].index("replication") + 1]
        yield {name: value if name in keys else six_digits(value) for name, value in row.items()}


def measure_schedule(
    setting: Setting, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield sums by week of all jobs and of groups, the distribution of waits, and numbers."""
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
    """Return the log of a setting without the jobs that are not kept; None if it is not here."""
    log = model.logs([setting.log]).get(setting.log)
    return None if log is None else log.keeping(setting.kept)


def recorded(setting: Setting, log: Log) -> tuple[JobStream, dict, dict]:
    """Return the jobs of a log, what it recorded of each, and of all."""
    start = log.jobs.submit + log.recorded
    used = used_share(log.jobs, start, start + log.jobs.runtime, setting.servers)
    return log.jobs, per_job(log.jobs, log.recorded), {"utilization": used}


def scheduled(schedule: Schedule) -> tuple[JobStream, dict, dict]:
    """Return the jobs of a schedule, what is measured of each, and of all."""
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
    """Return seconds in hours; 0 of jobs that were refused, which have NaN."""
    return np.nan_to_num(seconds) / HOUR


def per_job(jobs: JobStream, wait: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return what is added up of each job: a wait in seconds is NaN where it was refused.

    All jobs are ``requests``; those that ran are ``jobs``. The wait over the length is the temporal
    penalty of section 5, where a length is what is booked: `LEAST_LENGTH` at least.
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
    """Return how long each job books, in hours."""
    return np.maximum(jobs.runtime, LEAST_LENGTH) / HOUR


def means_of(values: Mapping[str, NDArray[np.float64]]) -> dict[str, float]:
    """Return means over all jobs that ran, of attempts over all requests."""
    means = dict.fromkeys(("wait_h", "delay_h", "wait_over_length"), "jobs")
    means["attempts"] = "requests"
    return {
        f"mean_{name}": float(values[name].sum() / values[of].sum())
        for name, of in means.items()
        if name in values and values[of].any()
    }


def groupings(setting: Setting) -> dict[str, tuple[str, Sequence[tuple[float, float]]]]:
    """Return what is added up, and between which ends, of groups that figures or claims read."""
    if not setting.is_grouped:
        return {}
    drawn = setting.is_as_read and setting.log != HPC2N
    lengths, servers = SMALL_OR_MIDDLE, NARROW_OR_WIDE[setting.log]
    if drawn:
        servers = [*pairwise(POWERS_OF_TWO)]
    if drawn and setting.log == KTH:
        lengths = [*pairwise(LENGTH_ENDS)]
    tried = " requests attempts" * (setting.policy == LEAST)
    return {
        BY_LENGTH: ("jobs wait_over_length" + tried, lengths),
        BY_SERVERS: ("jobs wait_h", servers),
    }


def rows_of_weeks(
    setting: Setting, jobs: JobStream, values: dict[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield the sums of each week, of all jobs and of each group that has any.

    Where some reserve ahead, and of readings, means of all of the run are enough.
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
            mine = (size[grouping] > above) & (size[grouping] <= up_to)
            if mine.any():
                yield from sums_of_weeks(week, sums, mine, grouping, above, up_to)


def sums_of_weeks(
    week: NDArray[np.int64],
    values: Mapping[str, NDArray[np.float64]],
    mine: NDArray[np.bool_],
    grouping: str,
    above: float | None,
    up_to: float | None,
) -> Iterator[dict]:
    """Yield the sums of some of the jobs, of each week with any, and of the last one."""
    theirs = {name: each[mine] for name, each in values.items()}
    weeks = int(week.max()) + 1
    keys = {"grouping": grouping, "above": above, "up_to": up_to}
    for row in rows_by_week(week[mine], theirs, weeks, **keys):
        if any(row[name] for name in values) or row["replication"] == weeks - 1:
            yield row


def rows_of_fifties(
    setting: Setting, jobs: JobStream, values: Mapping[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield the mean attempts of groups of fifty servers: 1 to 50, 51 to 100 and so on."""
    if "attempts" not in values or setting.share:
        return
    group = (jobs.processors - 1) // FIFTY
    for number in np.unique(group):
        tried = values["attempts"][group == number]
        ends = {"above": float(FIFTY * number), "up_to": float(FIFTY * (number + 1))}
        counted = {"requests": len(tried), "mean_attempts": float(tried.mean())}
        yield row_of(BY_FIFTY, **counted) | ends


def has_distribution(setting: Setting) -> bool:
    """Whether Figure 4(a) or 6 draws the distribution of waits, or a claim asks for it."""
    plain = replace(setting, share=0.0, draw=0)
    return plain.is_plain and setting.is_as_read and setting.share < 1


def rows_of_waits(waits: NDArray[np.float64]) -> Iterator[dict]:
    """Yield the share of the jobs that wait longer, by hours, as far as any does.

    Waits are in order. The classes of Figure 6 have rows in any case.
    """
    if not len(waits):
        return
    longer = 1 - np.searchsorted(waits, WAITS_AT, side="right") / len(waits)
    for above, share in zip(WAITS_AT, longer, strict=True):
        if share > 0 or above <= CLASSES[-1]:
            yield row_of(BY_WAIT, above=above, share_longer=share)


def row_of(grouping: str, above: float | None = None, **values: Any) -> dict[str, Any]:
    """Return a row of what has no weeks."""
    keys = {"grouping": grouping, "above": above, "up_to": None, "replication": None}
    return keys | values


def measure_log(setting: LogItself, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield what a log has, and the share of its jobs that are no longer than some lengths."""
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
    shares = {"no_longer": np.sort(length), "asks_no_longer": np.sort(asked)}
    shares = {
        name: np.searchsorted(each, LENGTHS_AT, side="right") / len(jobs)
        for name, each in shares.items()
    }
    for point, up_to in enumerate(LENGTHS_AT):
        both = {name: share[point] for name, share in shares.items()}
        yield row_of(BY_LENGTH, **both) | {"up_to": up_to}


def measure_overload(
    setting: Overload, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the server-hours that are used in each week, and what is refused of all the work."""
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
    """Return the server-hours that are used in each whole week up to the last submission."""
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
    """Yield the delays of both parts of the jobs, and of the same jobs where nobody books."""
    log = model.logs([setting.log]).get(setting.log)
    if log is None:
        return
    plain = Setting(setting.log, OWN_SERVERS[setting.log], "conservative", setting.length)
    booked, queued = (
        simulate(replace(plain, share=share), log, seed) for share in (setting.share, 0.0)
    )
    books, week = booked.jobs.is_reserved, week_of(log.jobs.submit)
    for part, mine in ((QUEUERS, ~books), (BOOKERS, books)):
        for some_book, schedule in ((True, booked), (False, queued)):
            delay = schedule.delay[mine]
            values = {"jobs": np.isfinite(delay).astype(float), "delay_h": hours(delay)}
            keys = {"part": part, "some_book": some_book}
            yield from rows_by_week(week[mine], values, int(week.max()) + 1, **keys)


def measure_trees(setting: OnTrees, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield operations by phase, and attempts, of requests in a busy part of the log."""
    log = kept_log(setting)
    if log is None:
        return
    plain = Setting(setting.log, setting.servers, LEAST, kept=setting.kept)
    usual = schedule = simulate(plain, log, seed)
    if setting.share:
        schedule = simulate(replace(plain, share=setting.share, draw=setting.draw), log, seed)
    order = np.argsort(usual.jobs.submit, kind="stable")
    first = first_as_busy(usual, order, scale.tree_jobs)
    some = order[first : first + scale.tree_jobs]
    jobs, end = schedule.jobs, booked_end(schedule)
    book = booked_before(schedule, order[:first], float(jobs.submit[some[0]]), setting.servers)
    columns = jobs.submit, jobs.earliest_start, end - schedule.start, jobs.processors
    requests = [column[some] for column in columns]
    _, attempts, done = book_on_trees(requests, book, most=TREE_SLOTS * 96)
    counts = done | {"attempts_a_request": attempts}
    yield {"replication": None} | {name: n / scale.tree_jobs for name, n in counts.items()}


def measure_growth(setting: Growth, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield operations an attempt (phases), a request (update) and a new slot (advance)."""
    warm_up = setting.servers // setting.wanted + 1
    for draw, of_draw in enumerate(spawn(parent(seed), TREE_DRAWS)):
        requests = random_requests(setting.servers, setting.wanted, warm_up + COUNTED, of_draw)
        submit, *_ = requests
        book = SlotTrees([setting.servers], GROWTH_HORIZON / setting.slots, setting.slots)
        starts, tried, done = book_on_trees(requests, book, most=96, counted_from=warm_up)
        made = book.operations.advance
        book.advance(float(submit[-1]) + book.slot)  # one new slot
        done["advance"] = book.operations.advance - made
        started = np.isfinite(starts[warm_up:]).sum()
        times = dict(zip(PHASES, (tried, tried, started, 1), strict=True))
        yield {"replication": draw} | {p: done[p] / max(times[p], 1) for p in PHASES}


MEASURES: dict[type, Any] = {
    Setting: measure_schedule,
    LogItself: measure_log,
    BesideQueue: measure_beside,
    Overload: measure_overload,
    OnTrees: measure_trees,
    Growth: measure_growth,
}


# --- the study ---

#: `logs`, and `dear_logs` for what is beyond Figures 3 to 6; `shares` of reservations, those of
#: booking alone, and `draws` of them; `resamples` of the weeks; of trees, jobs, shares, what grows.
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
    """Return the bootstrap over weeks, with as many resamples as the scale of the runs has."""
    scale, *_ = runs["scale"]
    return Bootstrap(study.scales[scale].resamples, model.SEED)
