"""What is run and what is measured of it: the settings of all figures and claims."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.seeds import Seed, parent, spawn
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.experiments.weeks import Bootstrap, rows_by_week, week_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import booked_end
from coalloc_lib.simulation.run import simulate as simulate_jobs
from coalloc_lib.studies.online_batch import model
from coalloc_lib.studies.online_batch.model import (
    AHEAD,
    BESIDE,
    BOOKERS,
    CHANGES,
    COUNTED,
    CTC,
    EXACT,
    FIFTIES,
    FIRST,
    GROWTH_HORIZON,
    HOUR,
    KTH,
    LEAST,
    LENGTH_ENDS,
    LENGTHS,
    LENGTHS_AT,
    LOGS,
    ONE,
    ONLINE,
    OWN_BATCH,
    OWN_SERVERS,
    PARTS,
    PENALTIES,
    PHASES,
    PLACEMENTS,
    POLICIES,
    POWERS_OF_TWO,
    QUEUERS,
    READINGS,
    RECORDED,
    REQUESTED,
    SHARES,
    SPREAD,
    TABLE1,
    TREE_DRAWS,
    TREE_SLOTS,
    WAITS_AT,
    WITHIN,
    Log,
)
from coalloc_lib.studies.online_batch.trees import (
    book_on_trees,
    booked_before,
    first_as_busy,
    random_requests,
)
from coalloc_lib.studies.study import Scale, Study, scales

#: Kinds of runs, a dataclass each.
SCHEDULE, LOG, BESIDE_QUEUE = "schedule", "log", "booking beside a queue"
TREES, GROWTH = "trees", "growth"
#: What a row is of: sums over all jobs of a week, or over a group of them by length in hours or by
#: servers asked for; the share of the jobs that wait longer; numbers of all of the run.
ALL_JOBS, BY_LENGTH, BY_SERVERS, BY_FIFTY = "all jobs", "by length", "by servers", "by fifty"
BY_WAIT, WHOLE = "by wait", "whole"


@dataclass(frozen=True)
class Setting:
    """A log on so many servers, under a policy of `POLICIES`, one of your own, or as recorded.

    The words are those of `model`. A `share` of the jobs reserves ahead, drawn again with each
    `draw`; where jobs are `spread`, the servers are equal clusters, and those that span run longer
    by the `penalty`. Of readings: estimates are `rounded` up to so many seconds, and jobs so many
    times `wider`.
    """

    log: str
    servers: int
    policy: str | Scheduling = ONLINE
    length: str = EXACT
    share: float = 0.0
    draw: int = 0
    spread: str = ONE
    penalty: float = 0.0
    rounded: float = 0.0
    wider: float = 1.0
    kind: str = field(default=SCHEDULE, init=False)

    def __post_init__(self) -> None:
        one_of("log", self.log, LOGS)
        one_of("length", self.length, LENGTHS)
        one_of("spread", self.spread, tuple(PLACEMENTS))
        if not isinstance(self.policy, Scheduling):
            one_of("policy", self.policy, (*POLICIES, RECORDED))
        if self.penalty and self.spread == ONE:
            raise InputError(
                f"penalty = {self.penalty} is of jobs that span clusters, and there is one; leave "
                f"it out, or give spread = {FIRST!r}"
            )

    @property
    def system(self) -> Multicluster:
        """The servers."""
        parts = 1 if self.spread == ONE else PARTS
        return Multicluster([self.servers // parts] * parts)

    @property
    def scheduling(self) -> Scheduling:
        """The policy."""
        return self.policy if isinstance(self.policy, Scheduling) else POLICIES[self.policy]

    @property
    def is_plain(self) -> bool:
        """Whether jobs ask for what they take, at once, on one cluster."""
        plain = Setting(self.log, self.servers, self.policy)
        return self == plain


@dataclass(frozen=True)
class LogItself:
    """What Table 1 and Figure 4(b) have of a log, whose jobs are not scheduled."""

    log: str
    kind: str = field(default=LOG, init=False)


@dataclass(frozen=True)
class BesideQueue:
    """A share of the jobs books ahead, conservative backfilling plans the others around them."""

    log: str
    length: str
    share: float
    kind: str = field(default=BESIDE_QUEUE, init=False)


@dataclass(frozen=True)
class OnTrees:
    """Some jobs of a log, booked on trees in which those before them stand."""

    log: str
    servers: int
    share: float
    draw: int = 0
    kind: str = field(default=TREES, init=False)


@dataclass(frozen=True)
class Growth:
    """Random requests of `wanted` servers, which load each server alike whatever their number."""

    servers: int
    slots: int
    wanted: int
    kind: str = field(default=GROWTH, init=False)


# --- one run ---


def jobs_of(setting: Setting, log: Log, seed: Seed) -> JobStream:
    """Return the jobs of a log as they are asked for."""
    jobs = log.jobs
    if setting.length == EXACT:
        jobs = jobs.replace(estimate=None)
    if setting.rounded:
        periods = np.ceil(np.maximum(jobs.estimate, jobs.runtime) / setting.rounded)
        jobs = jobs.replace(estimate=periods * setting.rounded)
    if setting.wider > 1:
        jobs = jobs.replace(components=np.ceil(jobs.components * setting.wider).astype(int))
    if setting.spread != ONE:
        jobs = jobs.replace(request="flexible", span_penalty=setting.penalty)
    if setting.share:
        drawing = spawn(seed, setting.draw + 1)[setting.draw]
        jobs = jobs.reserved_ahead(setting.share, AHEAD, drawing)
    return jobs


def simulate(setting: Setting, log: Log, seed: Seed = model.SEED) -> Schedule:
    """Return the schedule of a log."""
    jobs, placement = jobs_of(setting, log, seed), PLACEMENTS[setting.spread]
    return simulate_jobs(setting.system, jobs, scheduling=setting.scheduling, placement=placement)


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
    yield from MEASURES[type(setting)](setting, scale, seed)


def measure_schedule(
    setting: Setting, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield sums by week of all jobs and of groups, the distribution of waits, and numbers."""
    log = model.logs([setting.log]).get(setting.log)
    if log is None or (setting.policy == RECORDED and not log.has_waits):
        return
    if setting.policy == RECORDED:
        jobs, values, numbers = recorded(setting, log)
    else:
        jobs, values, numbers = scheduled(simulate(setting, log, seed))
    waits = np.sort(values["wait_h"][values["jobs"] > 0])
    yield from rows_of_weeks(setting, jobs, values)
    yield from rows_of_waits(waits)
    if len(waits):
        numbers |= {"p95_wait_h": float(np.quantile(waits, 0.95)), "longest_wait_h": waits[-1]}
    yield row_of(WHOLE, **numbers)


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
    if schedule.promised is not None:
        values["promised_h"] = hours(schedule.promised - jobs.submit)
    numbers = {
        "refused": len(schedule.refused),
        "refused_work": refused_work(schedule),
        "spans": float(schedule.spans.mean()),
        "utilization": used_share(jobs, schedule.start, schedule.end, schedule.system.processors),
    }
    return jobs, values, numbers


def hours(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return seconds in hours; 0 of jobs that were refused, which have NaN."""
    return np.nan_to_num(seconds) / HOUR


def per_job(jobs: JobStream, wait: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return what is added up of each job: a wait in seconds is NaN where it was refused.

    All jobs are ``requests``; those that ran are ``jobs``. The wait over the length is the temporal
    penalty of section 5.
    """
    ran, wait_h = np.isfinite(wait), hours(wait)
    values = {
        "requests": np.ones(len(wait)),
        "jobs": ran.astype(float),
        "wait_h": wait_h,
        "wait_over_length": wait_h / (jobs.runtime / HOUR),
    }
    within = {f"within_{limit}h": (ran & (wait_h <= limit)).astype(float) for limit in WITHIN}
    return values | within


def groupings(setting: Setting, values: Mapping[str, Any]) -> dict[str, Sequence[float]]:
    """Return by which ends jobs are grouped: where the paper does, or may be read to."""
    ends: dict[str, Any] = {}
    if setting.is_plain:
        ends |= {BY_LENGTH: LENGTH_ENDS, BY_SERVERS: POWERS_OF_TWO}
    if "attempts" in values and not setting.share and setting.spread == ONE:
        ends |= {BY_FIFTY: FIFTIES}
    return ends


def rows_of_weeks(
    setting: Setting, jobs: JobStream, values: dict[str, NDArray[np.float64]]
) -> Iterator[dict]:
    """Yield the sums of each week, of all jobs and of each group that has any."""
    week = week_of(jobs.submit)
    weeks = int(week.max()) + 1
    size = {BY_LENGTH: jobs.runtime / HOUR}
    yield from rows_by_week(week, values, weeks, grouping=ALL_JOBS, above=None, up_to=None)
    for grouping, ends in groupings(setting, values).items():
        size_of_job = size.get(grouping, jobs.processors)
        for above, up_to in pairwise(ends):
            mine = (size_of_job > above) & (size_of_job <= up_to)
            theirs = {name: each[mine] for name, each in values.items()}
            group = {"grouping": grouping, "above": above, "up_to": up_to}
            if mine.any():
                yield from rows_by_week(week[mine], theirs, weeks, **group)


def rows_of_waits(waits: NDArray[np.float64]) -> Iterator[dict]:
    """Yield the share of the jobs that wait longer, by hours; waits are in order."""
    if not len(waits):
        return
    longer = 1 - np.searchsorted(waits, WAITS_AT, side="right") / len(waits)
    for above, share in zip(WAITS_AT, longer, strict=True):
        yield row_of(BY_WAIT, above=above, share_longer=share)


def row_of(grouping: str, above: float | None = None, **values: Any) -> dict[str, Any]:
    """Return a row of what has no weeks."""
    keys = {"grouping": grouping, "above": above, "up_to": None, "replication": None}
    return keys | values


def measure_log(setting: LogItself, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the means of a log, and the share of its jobs that are no longer than some lengths."""
    log = model.logs([setting.log]).get(setting.log)
    if log is None:
        return
    jobs = log.jobs
    means = {"mean_length_h": jobs.runtime.mean(), "mean_requested_h": jobs.estimate.mean()}
    yield row_of(WHOLE, job_count=len(jobs)) | {name: x / HOUR for name, x in means.items()}
    lengths = np.sort(jobs.runtime) / HOUR
    shares = np.searchsorted(lengths, LENGTHS_AT, side="right") / len(lengths)
    for up_to, share in zip(LENGTHS_AT, shares, strict=True):
        yield row_of(BY_LENGTH, share_no_longer=share) | {"up_to": up_to}


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
    """Yield operations a request by phase, and attempts a request, in a busy part of the log."""
    log = model.logs([setting.log]).get(setting.log)
    if log is None:
        return
    plain = Setting(setting.log, setting.servers, LEAST)
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
    OnTrees: measure_trees,
    Growth: measure_growth,
}


# --- all runs ---


def settings(scale: Scale) -> Iterator[Any]:
    """Yield what the figures and claims read."""
    for log in LOGS:
        yield LogItself(log)
    for log in (CTC, KTH):
        yield from online_and_batch(log)
    for log in scale.logs:
        yield from other_servers(log)
        yield from all_policies(log)
    for log in (KTH, CTC):
        yield from readings(scale, log)
    for log in scale.dear_logs:
        yield from reservations(scale, log)
        yield from beside_a_queue(log)
        yield from changes(log)
        yield from clusters(log)
        yield from on_trees(scale, log)
    yield from growth(scale)


def online_and_batch(log: str) -> Iterator[Setting]:
    """Yield booking, the record and batch schedules of our own: Figures 3 to 5."""
    for policy in (LEAST, RECORDED, *OWN_BATCH):
        yield Setting(log, OWN_SERVERS[log], policy)


def other_servers(log: str) -> Iterator[Setting]:
    """Yield booking and the record on all numbers of servers that the log may have had."""
    for servers in model.servers_of(log):
        for policy in (LEAST, RECORDED):
            yield Setting(log, servers, policy)


def all_policies(log: str) -> Iterator[Setting]:
    """Yield every policy with the true lengths, or with the requested ones."""
    for length in LENGTHS:
        for policy in (ONLINE, "FCFS", "FPFS(50)", "EASY", "conservative", RECORDED):
            yield Setting(log, OWN_SERVERS[log], policy, length)


def readings(scale: Scale, log: str) -> Iterator[Setting]:
    """Yield the ways to read the paper: appendix A of the notebook, Table 2."""
    for servers in model.servers_of(log):
        for reading in READINGS if log == KTH else scale.readings:
            if is_possible(reading, log, servers):
                yield Setting(log, servers, **READINGS[reading])


def is_possible(reading: str, log: str, servers: int) -> bool:
    """Whether there is room: no machine of its own size has any for what is requested."""
    printed, *_ = TABLE1[log]
    if "wider" in READINGS[reading]:
        return servers == printed
    return servers > OWN_SERVERS[log] or "length" not in READINGS[reading]


def reservations(scale: Scale, log: str) -> Iterator[Setting]:
    """Yield booking and conservative backfilling with reservations: Figures 6 and 7(a)."""
    for policy in (LEAST, "conservative"):
        for share in scale.shares:
            for draw in range(scale.draws if share else 1):
                yield Setting(log, OWN_SERVERS[log], policy, share=share, draw=draw)


def beside_a_queue(log: str) -> Iterator[BesideQueue]:
    """Yield booking beside backfilling."""
    for length in LENGTHS:
        for share in BESIDE:
            yield BesideQueue(log, length, share)


def changes(log: str) -> Iterator[Setting]:
    """Yield the online scheduler with one choice changed."""
    for length in LENGTHS:
        for change in CHANGES:
            if length == REQUESTED or change != "release early":  # else nothing is left over
                yield Setting(log, OWN_SERVERS[log], f"{ONLINE}, {change}", length)


def clusters(log: str) -> Iterator[Setting]:
    """Yield the ways to put jobs on equal clusters, and one cluster of as many servers."""
    servers = OWN_SERVERS[log] // PARTS * PARTS
    yield Setting(log, servers)
    for penalty in PENALTIES:
        for spread in (FIRST, SPREAD):
            yield Setting(log, servers, spread=spread, penalty=penalty)


def on_trees(scale: Scale, log: str) -> Iterator[OnTrees]:
    """Yield the paper's trees by share of reservations: Figure 7(b)."""
    for share in scale.tree_shares:
        for draw in range(TREE_DRAWS if share else 1):
            yield OnTrees(log, OWN_SERVERS[log], share, draw)


def growth(scale: Scale) -> Iterator[Growth]:
    """Yield random requests on the trees, one number varied: section 4.3."""
    for servers in scale.tree_servers:
        yield Growth(**model.GROWTH_AT | {"servers": servers})
    for slots in scale.tree_slots:
        yield Growth(**model.GROWTH_AT | {"slots": slots})
    for wanted in scale.tree_wanted:
        yield Growth(**model.GROWTH_AT | {"wanted": wanted})


#: `logs`, and `dear_logs` for Figures 6 and 7 and beyond; `shares` of reservations and `draws` of
#: them; `resamples` of the weeks; `readings` of CTC; of trees, jobs, shares, and what grows.
study = Study(
    "online-batch",
    "Do jobs wait less when each is booked as it is submitted than in a batch system's queue?",
    seed=model.SEED,
    scales=scales(
        logs=((KTH, CTC), LOGS),
        dear_logs=((KTH,), LOGS),
        shares=((0.0, 0.8, 1.0), SHARES),
        draws=(3, 10),
        resamples=(1_000, 4_000),
        readings=(("5 min at least",), tuple(READINGS)),
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
