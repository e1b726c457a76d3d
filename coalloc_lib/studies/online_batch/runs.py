"""What the paper fixes and leaves open, the logs, the cases, and what is kept of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, product
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.checks import one_of
from coalloc_lib.intervals import Interval, Resamples, block_of, resample_sums
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import BestFit, Placement, SingleThenSpan, WorstFit
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.core import Scale, Study, scales
from coalloc_lib.system import Multicluster
from coalloc_lib.verification import booked_end
from coalloc_lib.workloads.catalogue import listing, load_trace

HOUR, DAY = 3600.0, 86_400.0
KTH, CTC, HPC2N = "KTH-SP2", "CTC-SP2", "HPC2N"
#: How many servers each log is scheduled on: its machine's own number, and then the printed one.
#: The paper's CTC log is not the public one; 338 of its 512 processors ran batch jobs.
SERVERS: dict[str, tuple[int, ...]] = {KTH: (100, 128), CTC: (338, 512), HPC2N: (240,)}
#: The servers that we read the paper's runs with, since its numbers fit them best: those of the
#: machine, or of CTC those for batch jobs when the paper's log was made.
READ = {KTH: 100, CTC: 430, HPC2N: 240}
#: How long a job is said to take: as long as it does, or as long as its user asked for.
EXACT, REQUESTED = LENGTHS = "exact", "requested"
#: Policies by the names that tables show. What a log has recorded is never simulated.
ONLINE, RECORDED, OWN_BATCH = "online", "recorded", ("EASY", "conservative", "FCFS")
LEAST = "online, least 5 min"  # as we read the paper: section 4.1 has a least length, of no value
POLICIES = {
    ONLINE: Online(), LEAST: Online(min_length=300.0), "FCFS": FCFS(), "FPFS(50)": FPFS(50),
    "EASY": EASY(), "conservative": Conservative(),
}  # fmt: skip
#: Ways to read the paper's runs: which lengths are told and booked, and how wide jobs are.
READINGS: dict[str, dict[str, Any]] = {
    "run times as they are": {},
    "5 min at least": {"policy": LEAST},
    "10 min at least": {"scheduling": Online(min_length=600.0)},
    "15 min at least": {"scheduling": Online(min_length=900.0)},
    "rounded up to 15 min": {"rounded": 900.0},
    "requested, rounded up, released early": {
        "length": REQUESTED, "rounded": 900.0, "scheduling": Online(release_early=True),
    },
    "128 for each 100 servers asked for": {"wider": 1.28},
}  # fmt: skip
#: Shares of reservations, and how far ahead they ask to start, at most (section 5.2).
SHARES, AHEAD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 3 * HOUR
#: Ends of groups, each above its first end: of servers in powers of two for figures, in fifties as
#: in Table 2, and of lengths in hours.
ENDS = {
    "size": np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]), "fifty": np.arange(0, 551, 50),
    "length": np.array([0, 1/60, 1/12, 1/4, 1/2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf]),
}  # fmt: skip
#: Shares of the jobs that book while the others queue, and the two parts by name.
BESIDE, OTHERS, BOOKERS = (0.1, 0.3, 0.5, 0.8), "those that queue", "those that book"
#: Waits in hours at which shares of jobs are looked at, and at which a distribution is drawn.
WITHIN = (1, 2, 3, 12)
WAITS = np.unique(np.round([*np.arange(0, 12.01, 0.25), *np.geomspace(12, 3000, 60)], 4))
#: Changes of the online scheduler; attempts reach two weeks, half of our horizon.
CHANGES = {
    "step 5 min": Online(step=300.0, max_attempts=4032),
    "step 1 h": Online(step=3600.0, max_attempts=336),
    "horizon 1 week": Online(horizon=7 * DAY, max_attempts=1344),
    "best fit": Online(rule="best-fit"),
    "release early": Online(release_early=True),
}
#: Into how many clusters servers are divided, what spanning adds to a run time, and placements.
PARTS, PENALTIES, ONE = 4, (0.0, 0.1, 0.25, 0.5), "one cluster"
FIRST = SingleThenSpan(BestFit())
SPREADS = {ONE: None, "one cluster first": FIRST, "spread at once": WorstFit()}
#: The readable trees are small: slots of a horizon of a week, and drawings.
TREE_SLOTS, TREE_DRAWS = 7, 3
#: Growth: what is kept while one number varies, the horizon, and the requests that are counted.
GROWTH_AT, GROWTH_HORIZON, COUNTED = {"servers": 64, "slots": 8, "wanted": 4}, 2 * DAY, 30
#: The last of the numbers that the work on the trees grows with.
ASKED = "servers asked for n"
#: What is known of no job at all.
NOTHING = Interval(np.nan, np.nan, np.nan, 0, warning="nothing to go by")
#: What operations are counted of.
PHASES = ("phase 1", "phase 2", "update", "advance")

study = Study(
    "online-batch",
    "Do jobs wait less when each is booked as it is submitted than in a batch system's queue?",
    seed=2009,
    scales=scales(
        logs=((KTH, CTC), tuple(SERVERS)), shares=((0.0, 0.8, 1.0), SHARES), draws=(3, 10),
        resamples=(1_000, 4_000),
        readings=(("5 min at least",), tuple(READINGS)),  # of CTC
        dear_logs=((KTH,), tuple(SERVERS)),  # for Figures 6 and 7, and beyond
        tree_jobs=(20, 100), tree_shares=((0.0, 0.8), SHARES),
        tree_servers=((16, 32, 64), (16, 64, 256, 1024, 8192)),
        tree_slots=((4, 8), (4, 8, 16, 32)), tree_wanted=((1, 2, 4), (1, 2, 4, 8)),
    ),
    logs=tuple(SERVERS),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Log:
    """A log of a machine with one queue: its jobs, and their recorded waits in seconds, or NaN."""

    name: str
    jobs: JobStream
    recorded: NDArray[np.float64]
    is_stand_in: bool = False

    @property
    def title(self) -> str:
        """The name, with the words that a figure made from a stand-in must carry."""
        return self.name + " (synthetic stand-in)" * self.is_stand_in

    @property
    def servers(self) -> int:
        """Processors of the machine on which the log was made."""
        return SERVERS[self.name][0]

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log knows how long jobs waited."""
        return bool(np.isfinite(self.recorded).any())

    @cached_property
    def day(self) -> NDArray[np.int64]:
        """The day on which each job is submitted, from 0."""
        return day_of(self.jobs)


def day_of(jobs: JobStream) -> NDArray[np.int64]:
    """Return the day on which each job is submitted, from 0."""
    return ((jobs.submit - jobs.submit.min()) // DAY).astype(np.int64)


def logs(names: Iterable[str] = SERVERS) -> dict[str, Log]:
    """Return the logs by name, stand-ins in place of those that are not there; HPC2N has none."""
    places = {each["name"]: each["found"] for each in listing()}
    there = [name for name in names if name != HPC2N or places[name] != "not fetched"]
    return {name: _log(name, places[name]) for name in there}


@lru_cache(maxsize=8)
def _log(name: str, places: str) -> Log:
    """Read a log; `places` is where it is, which may change while Python runs."""
    log = load_trace(name, missing="stand-in")
    jobs = log.jobs(request="total")
    waits = log.usable.set_index("job")["wait"].loc[jobs.number].to_numpy(dtype=float)
    # A synthetic log has no machine on which its jobs could have waited.
    known = np.where((waits < 0) | log.is_stand_in, np.nan, waits)
    return Log(log.name, jobs, known, log.is_stand_in)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is kept of a run: sums by day, numbers, and `longer`, the share beyond each of `WAITS`.

    ``wait`` is in hours, ``requests`` has refused ones; ``by size`` is a row for each of `ENDS`.
    """

    sums: Mapping[str, NDArray[np.float64]]
    longer: NDArray[np.float64]
    numbers: Mapping[str, float]
    resamples: int

    def part(self, top: str, bottom: str = "jobs", of: Any = None) -> tuple[NDArray, NDArray]:
        """Return the sums by day whose ratio is a mean, of all jobs or of some groups."""
        sums = self.sums[top], self.sums[bottom]
        one, other = sums if of is None else (np.atleast_2d(each[of]).sum(0) for each in sums)
        return one, other

    def mean(self, top: str, bottom: str = "jobs") -> float:
        """Return a mean over all days."""
        return float(self.sums[top].sum() / self.sums[bottom].sum())

    def _resampled(self, *parts: tuple[NDArray, NDArray]) -> Resamples | None:
        """Return means with weeks drawn anew; None if one has no job."""
        top, bottom = (np.stack(sums) for sums in zip(*parts, strict=True))
        if not bottom.any(axis=1).all():
            return None
        block = round(block_of([0, top.shape[-1] * DAY]) / DAY)
        return resample_sums(top, bottom, block, resamples=self.resamples, seed=study.seed)

    def drawn(self, *of: Any) -> Interval:
        """Return a mean, weeks drawn anew; in doubt if no job has it."""
        means = self._resampled(self.part(*of))
        return NOTHING if means is None else means.interval(itemgetter(0), vectorized=True)

    def by_group(self, top: str, bottom: str) -> Iterator[tuple[float, float, Interval]]:
        """Yield the ends of each group that has jobs, and its mean."""
        for i, ends in enumerate(pairwise(ENDS[top.rpartition(" ")[2]].tolist())):
            if self.sums[bottom][i].any():
                yield *ends, self.drawn(top, bottom, i)

    def rise(self, one: tuple[NDArray, NDArray], other: tuple[NDArray, NDArray]) -> Interval:
        """Return the mean of the second of two parts less that of the first."""
        means = self._resampled(one, other)
        return NOTHING if means is None else means.difference(1, 0)

    def over(self, other: "Outcome", *of: Any) -> Interval:
        """Return a mean over that of another case of the same jobs, in the same weeks."""
        means = self._resampled(self.part(*of), other.part(*of))

        def ratio(means: NDArray) -> NDArray:
            known = means[1] != 0  # nothing over nothing is as much as the other
            out = np.where(means[0] != 0, np.inf, 1.0)
            return np.divide(means[0], means[1], out=out, where=known)

        return NOTHING if means is None else means.interval(ratio, vectorized=True)


@dataclass(frozen=True)
class Case:
    """A log on so many servers, under one of `POLICIES` or as it was ``"recorded"``.

    A `share` of the jobs reserves ahead; with a `placement` the servers are equal clusters.
    """

    log: Log
    servers: int
    policy: str = ONLINE
    length: str = EXACT
    share: float = 0.0
    draw: int = 0
    scheduling: Scheduling | None = None
    placement: Placement | None = None
    penalty: float = 0.0
    rounded: float = 0.0
    wider: float = 1.0

    def __post_init__(self) -> None:
        one_of("length", self.length, LENGTHS)
        if self.scheduling is None:
            one_of("policy", self.policy, (*POLICIES, RECORDED))

    @property
    def machine(self) -> str:
        """The log and the servers, in words."""
        return f"{self.log.title}, {self.servers}"

    def jobs(self, seed: Seed = study.seed) -> JobStream:
        """Return the jobs as they are asked for."""
        jobs = self.log.jobs
        if self.length == EXACT:
            jobs = jobs.replace(estimate=None)
        if self.rounded:
            told = np.maximum(jobs.estimate, jobs.runtime) / self.rounded
            jobs = jobs.replace(estimate=np.ceil(told) * self.rounded)
        if self.wider > 1:
            jobs = jobs.replace(components=np.ceil(jobs.components * self.wider).astype(int))
        if self.placement is not None:
            jobs = jobs.replace(request="flexible", span_penalty=self.penalty)
        if not self.share:
            return jobs
        return jobs.reserved_ahead(self.share, AHEAD, spawn(seed, self.draw + 1)[self.draw])

    def simulate(self, seed: Seed = study.seed) -> Schedule:
        """Return the schedule."""
        parts = 1 if self.placement is None else PARTS
        policy = self.scheduling or POLICIES[self.policy]
        system, jobs = Multicluster([self.servers // parts] * parts), self.jobs(seed)
        return simulate(system, jobs, scheduling=policy, placement=self.placement)

    def measure(self, scale: Scale, seed: Seed) -> Outcome:
        """Run the case, or read what the log recorded, and return what is kept of it."""
        log, size = self.log, scale.resamples
        if self.policy == RECORDED:
            start = log.jobs.submit + log.recorded
            used = used_share(log.jobs, start, start + log.jobs.runtime, self.servers)
            return kept(log.jobs, log.recorded, log.day, size, utilization=used)
        schedule = self.simulate(seed)
        promise = None if schedule.promised is None else schedule.promised - schedule.jobs.submit
        columns = schedule.attempts, schedule.delay, promise
        numbers: dict[str, Any] = numbers_of(schedule)
        return kept(schedule.jobs, schedule.wait, log.day, size, *columns, **numbers)


def standard(log: Log, policy: str = ONLINE, **how: Any) -> Case:
    """Return the case of a log on the servers of its own machine."""
    return Case(log, log.servers, policy, **how)


def everywhere(scale: Scale, seed: Seed) -> dict[Any, Case]:
    """Return each log on all numbers of servers, booked as we read the paper, and recorded."""
    return {
        (name, servers, policy): Case(log, servers, policy)
        for name, log in logs(scale.logs).items()
        for servers in sorted({*SERVERS[name], READ[name]})
        for policy in (LEAST, RECORDED)
        if policy != RECORDED or log.has_waits
    }


def replayed(outcome: Outcome) -> dict[str, float]:
    """Return the longest wait in hours and the attempts a request, by group of servers."""
    names = "attempts by fifty", "requests by fifty"
    top, bottom = (outcome.sums[name].sum(axis=1) for name in names)
    groups = zip(pairwise(ENDS["fifty"].tolist()), top, bottom, strict=True)
    means = {f"attempts ({low}:{high}]": t / b for (low, high), t, b in groups if b}
    return {"longest wait": outcome.numbers["longest"]} | means


def numbers_of(schedule: Schedule) -> dict[str, float]:
    """Return the numbers of a schedule that have no weeks."""
    jobs, system = schedule.jobs, schedule.system
    return {
        "refused": float(len(schedule.refused)),
        "refused_work": float(jobs.work[~schedule.served].sum() / jobs.work.sum()),
        "spans": float(schedule.spans.mean()),
        "utilization": used_share(jobs, schedule.start, schedule.end, system.processors),
    }


def used_share(jobs: JobStream, start: NDArray, end: NDArray, servers: int) -> float:
    """Return which share of the servers is used until the last submission; NaN did not run."""
    # `Schedule.utilization` has no answer where a job was refused.
    first, last = jobs.submit.min(), jobs.submit.max()
    ran = np.minimum(end, last) - np.minimum(start, last)
    return float(np.nansum(ran * jobs.processors) / (last - first) / servers)


def kept(
    jobs: JobStream, wait: NDArray[np.float64], day: NDArray[np.int64], resamples: int,
    attempts: NDArray[np.int64] | None = None, delay: NDArray[np.float64] | None = None,
    promise: NDArray[np.float64] | None = None, **numbers: float,
) -> Outcome:  # fmt: skip
    """Return what is kept of a run; waits in seconds, NaN of jobs that were refused.

    A `delay` is a wait from the start that was asked for, a `promise` the wait that was promised.
    """
    known, days, length = np.isfinite(wait), int(day.max()) + 1, jobs.runtime / HOUR
    late, told = (
        np.where(known, wait if each is None else each, 0.0) / HOUR for each in (delay, promise)
    )
    one, wait = known.astype(float), np.where(known, wait, 0.0) / HOUR
    tried = np.zeros(len(wait)) if attempts is None else attempts.astype(float)

    def total(values: NDArray, of: Any = 0, ends: Any = (-1, 1)) -> NDArray:
        group, groups = np.searchsorted(ends, of, side="left") - 1, len(ends) - 1
        at = np.where(group < groups, group * days + day, groups * days)
        sums = np.bincount(at, weights=values, minlength=groups * days)[: groups * days]
        return sums.reshape(groups, days) if groups > 1 else sums

    each = {"jobs": one, "wait": wait, "penalty": wait / length}
    each |= {"requests": np.ones(len(wait)), "attempts": tried, "delay": late}
    each |= {"told": told}
    each |= {f"within {h}": one * (wait <= h) for h in WITHIN}
    each |= {f"over {h}": one * (wait > h) for h in WITHIN}
    sums = {name: total(values) for name, values in each.items()}
    for by, of, names in (
        ("length", length, ("jobs", "penalty")),
        ("size", jobs.processors, ("jobs", "wait")),
        ("fifty", jobs.processors, ("requests", "attempts")),
    ):
        sums |= {f"{name} by {by}": total(each[name], of, ENDS[by]) for name in names}
    longer, waits = np.zeros(len(WAITS)), np.sort(wait[known])
    if len(waits):
        longer = 1 - np.searchsorted(waits, WAITS, side="right") / len(waits)
        numbers |= {"p95": float(np.quantile(waits, 0.95)), "longest": float(waits[-1])}
    return Outcome(sums, longer, numbers, resamples)


def book_on_trees(
    columns: Sequence[NDArray], book: SlotTrees, *, most: int, step: float = 900.0,
    counted_from: int = 0,
) -> tuple[list[float], int, dict[str, int]]:  # fmt: skip
    """Return each start, or NaN, and attempts and operations from request `counted_from` on."""
    starts: list[float] = []
    attempts, before = 0, astuple(book.operations)
    requests = zip(*(column.tolist() for column in columns), strict=True)
    for number, (submit, earliest, length, servers) in enumerate(requests):
        if number == counted_from:
            attempts, before = 0, astuple(book.operations)
        book.advance(submit)
        until = (max(book.trees) + 1) * book.slot
        starts.append(float("nan"))
        for start in (earliest + k * step for k in range(most)):
            if start + length > until:
                break
            attempts += 1
            periods = book.search(start, start + length, servers).found
            if len(periods) == servers:
                for period in periods:
                    book.take(period, start, start + length)
                starts[-1] = start
                break
    done = np.subtract(astuple(book.operations), before)[: len(PHASES)]
    return starts, attempts, dict(zip(PHASES, done.tolist(), strict=True))


@dataclass(frozen=True)
class Beside:
    """A log under conservative backfilling, where a share of the jobs books ahead."""

    log: Log
    length: str

    def measure(self, scale: Scale, seed: Seed) -> dict[tuple[str, float], Interval]:
        """Return the wait of both parts, over that of the same jobs where nobody books."""
        case, ratios = standard(self.log, "conservative", length=self.length), {}
        queued = case.simulate(seed)
        for share in BESIDE:
            beside = replace(case, share=share).simulate(seed)
            books = beside.jobs.is_reserved
            for part, mine in ((OTHERS, ~books), (BOOKERS, books)):
                one, other = (
                    kept(its.jobs[mine], its.delay[mine], self.log.day[mine], scale.resamples)
                    for its in (beside, queued)
                )
                ratios[part, share] = one.over(other, "wait")
        return ratios


@dataclass(frozen=True)
class OnTrees:
    """Jobs of the log of a case, booked on trees in which those before them stand."""

    case: Case

    def measure(self, scale: Scale, seed: Seed) -> dict[str, float]:
        """Return operations a request by phase, and attempts a request."""
        usual = replace(self.case, share=0.0).simulate(seed)
        assert usual.attempts is not None
        order, count = np.argsort(usual.jobs.submit, kind="stable"), scale.tree_jobs
        # The first jobs in a row that need as many attempts as all do: an idle machine needs one.
        tried = np.convolve(usual.attempts[order], np.full(count, 1 / count), "valid")
        first = int(np.abs(tried - usual.attempts.mean()).argmin())
        schedule = self.case.simulate(seed) if self.case.share else usual
        some = order[first : first + count]
        assert schedule.servers is not None
        jobs, end = schedule.jobs, booked_end(schedule)
        book = SlotTrees([self.case.servers], 7 * DAY / TREE_SLOTS, TREE_SLOTS)
        book.advance(now := float(jobs.submit[some[0]]))
        for job in order[:first][end[order[:first]] > now].tolist():
            begin, stop = max(float(schedule.start[job]), now), float(end[job])
            for server in schedule.servers[job].tolist():
                periods = book.periods(server)
                (period,) = (p for p in periods if p.start <= begin and stop <= p.end)
                book.take(period, begin, stop)
        columns = jobs.submit, jobs.earliest_start, end - schedule.start, jobs.processors
        requests = [column[some] for column in columns]
        _, attempts, done = book_on_trees(requests, book, most=TREE_SLOTS * 96)
        return {name: n / count for name, n in (done | {"attempts": attempts}).items()}


@dataclass(frozen=True)
class Growth:
    """Random requests of `wanted` servers, which load each server alike whatever their number."""

    servers: int
    slots: int
    wanted: int

    def measure(self, scale: Scale, seed: np.random.SeedSequence) -> dict[str, list[float]]:
        """Return operations an attempt (phases), a request (update) and a new slot (advance)."""
        counts, before = [], self.servers // self.wanted + 1
        for draw in range(TREE_DRAWS):  # each has a sibling of the seed, which is the first one's
            key = (*seed.spawn_key[:-1], draw, 0)
            rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))
            count, length = before + COUNTED, 4 * HOUR
            submit = np.cumsum(rng.exponential(self.wanted * length / (0.6 * self.servers), count))
            ahead = np.where(rng.random(count) < 0.5, rng.uniform(0, AHEAD, count), 0.0)
            lengths = np.minimum(rng.exponential(length, count) + 60, GROWTH_HORIZON / 4)
            requests = submit, submit + ahead, lengths, np.full(count, self.wanted)
            book = SlotTrees([self.servers], GROWTH_HORIZON / self.slots, self.slots)
            starts, tried, done = book_on_trees(requests, book, most=96, counted_from=before)
            made = book.operations.advance
            book.advance(float(submit[-1]) + book.slot)  # one new slot
            done["advance"] = book.operations.advance - made
            per = [tried, tried, np.isfinite(starts[before:]).sum(), 1]
            counts.append([*done.values()] / np.maximum(per, 1))
        return dict(zip(PHASES, np.transpose(counts).tolist(), strict=True))


def read_so(scale: Scale, seed: Seed) -> dict[Any, Any]:
    """Return what is printed of KTH, and so of CTC, by servers and reading."""
    cases = {}
    for name, log in logs((KTH, CTC)).items():
        for servers in sorted({*SERVERS[name], READ[name]}):
            for reading, how in READINGS.items():
                fits = log.jobs.processors.max() * how.get("wider", 1.0) <= servers
                # No machine of its own size has room for what is requested: see `policies`.
                fits = fits and (servers > log.servers or "length" not in how)
                if fits and (name == KTH or reading in scale.readings):
                    cases[name, servers, reading] = Case(log, servers, **how)
    return cases


def growing(scale: Scale, seed: Seed) -> dict[Any, Any]:
    """Return random requests, along each number that is varied."""
    varied = {"servers N": ("servers", scale.tree_servers), "slots Q": ("slots", scale.tree_slots)}
    varied[ASKED] = "wanted", scale.tree_wanted
    return {
        (panel, at): Growth(**GROWTH_AT | {name: at})
        for panel, (name, values) in varied.items()
        for at in values
    }


def on_clusters(scale: Scale, seed: Seed) -> dict[Any, Any]:
    """Return ways to put jobs on equal clusters, each beside one cluster first."""
    entries = {}
    for log in logs(scale.dear_logs).values():
        servers = log.servers // PARTS * PARTS
        panel = f"{log.title}, {PARTS} × {servers // PARTS}"
        for penalty, (line, rule) in product(PENALTIES, SPREADS.items()):
            case = Case(log, servers, placement=rule, penalty=penalty * (rule is not None))
            first = replace(case, placement=FIRST, penalty=penalty)
            entries[panel, line, penalty] = case, first
    return entries
