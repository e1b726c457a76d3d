"""The study of online scheduling, and the functions that measure its settings."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.seeds import parent, spawn
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.reading import booked_end
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate as simulate_jobs
from coalloc_lib.statistics.bootstrap import WEEK
from studies.online_batch import model
from studies.online_batch.model import (
    BOOKERS,
    COUNTED,
    CTC,
    GROWTH_HORIZON,
    HOUR,
    KTH,
    LEAST,
    LENGTHS_AT,
    LOGS,
    OWN_SERVERS,
    PHASES,
    POLICIES,
    QUEUERS,
    REQUESTED,
    SHARES,
    SHORT,
    TREE_DRAWS,
    TREE_SLOTS,
)
from studies.online_batch.schedules import (
    hours,
    kept_log,
    measure_schedule,
    refused_work,
    row_of,
    simulate,
)
from studies.online_batch.settings import (
    BUSY,
    BY_LENGTH,
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
from studies.weeks import Bootstrap, rows_by_week, week_of

# --- Measurements of settings; the module `schedules` measures single schedules ---


def measure_log(setting: LogItself, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Summarize a log by several statistics and by its distributions of run times and requests."""
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
    """Measure the server-hours used in each week, and the number and the work of rejected jobs."""
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
            f"the first and the last job are submitted {np.ptp(jobs.submit) / WEEK:.2g} weeks "
            "apart; give jobs that are submitted over one week or more"
        )
    done = [(jobs.processors[ran] * np.clip(edge - start, 0, end - start)).sum() for edge in edges]
    return np.diff(done) / HOUR


def measure_beside(
    setting: BesideQueue, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Measure the weekly delays of jobs that book and of jobs that queue.

    A second set of rows has the delays of the same jobs if no job books.
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
    """Measure the attempts and operations per request on trees, for typical jobs of a log."""
    log = kept_log(setting)
    if log is None:
        return
    plain = Setting(setting.log, setting.servers, LEAST, kept=setting.kept)
    usual = schedule = simulate(plain, log, seed)
    if setting.share:
        # The typical jobs are chosen from the schedule without reservations, so they are the same
        # for every share of reservations.
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
    """Measure the mean number of operations of random requests, for each random sample.

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


def measure(setting: Any, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Simulate a setting, whatever its Python class, and yield rows of the table of runs.

    Nothing is yielded if the log of the setting is not available, or if the setting needs recorded
    waits that the log does not have.
    """
    for row in MEASURES[type(setting)](setting, scale, seed):
        # The columns up to ``replication`` identify the run and are not rounded. The columns after
        # it have measured values.
        columns = [*row]
        keys = columns[: columns.index("replication") + 1]
        yield {name: value if name in keys else six_digits(value) for name, value in row.items()}


MEASURES: dict[type, Any] = {
    Setting: measure_schedule,
    LogItself: measure_log,
    BesideQueue: measure_beside,
    Overload: measure_overload,
    OnTrees: measure_trees,
    Growth: measure_growth,
}


# --- the study ---

#: The study of online scheduling. Each scale of the study sets these values:
#:
#: - `logs`: the logs whose jobs are scheduled
#: - `dear_logs`: the logs for which slow settings are also run
#: - `shares`: the shares of jobs that reserve ahead
#: - `online_shares`: further shares of jobs that reserve ahead, for online scheduling only
#: - `draws`: the number of samples of the jobs that reserve ahead
#: - `resamples`: the number of bootstrap resamples of the weeks
#: - `tree_jobs`, `tree_shares`: the number of jobs, and the shares of jobs that reserve ahead, in
#:   runs on trees
#: - `tree_servers`, `tree_slots`, `tree_wanted`: the numbers of servers, of slots and of requested
#:   servers in the runs that show how the work of a request grows
study = Study(
    "online-batch",
    "Do jobs wait less if each is booked at its submission than in the queue of a batch system?",
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
    """Return a bootstrap over weeks, which resamples more often at a larger scale of the runs."""
    scale, *_ = runs["scale"]
    return Bootstrap(study.scales[scale].resamples, model.SEED)
