"""What the paper fixes, and response times of split jobs beside those of the same jobs whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from typing import Any, cast

import numpy as np

from coalloc_lib.checks import InputError, instance_of, positive, whole
from coalloc_lib.curves import RISING, SETTLES
from coalloc_lib.distributions import Between, Distribution, Exponential, power_of_two
from coalloc_lib.intervals import Crossing, Interval, Sample, crossing, student
from coalloc_lib.placement import WorstFit
from coalloc_lib.saturation import HELD, WARM_UP, replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.simulation import refuse_impossible
from coalloc_lib.studies.core import Scale, interval_columns
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel, SplitJobs

SYSTEM = Multicluster.equal(5, 20)
#: Here 1 counts as a power of two: so the printed shares of the groups come out.
SIZES = power_of_two(0.85, 1, 19, one_is_power_of_two=True)
#: Mean times of execution and between arrivals.
EXECUTION, INTERARRIVAL = 10.0, 0.54
#: The jobs, none of which is split.
WHOLE = SplitJobs(JobModel(SIZES, service=Exponential(EXECUTION)), above=SIZES.maximum)
#: The load that the paper prints, and the one that its other numbers make.
PRINTED_LOAD = 0.786
EXACT_LOAD = WHOLE.mean_work / (INTERARRIVAL * SYSTEM.processors)
#: How often the head of the queue may be jumped, the paper does not say; here, without limit.
NO_LIMIT = 10**9
#: The least of those that the printed thresholds leave (figure `thresholds`).
JUMPS = 8
#: Section 6: jobs larger than this are split into so many components. How the paper rounds is lost
#: in print: up, 5 processors in 4 components would leave -1, so it is down.
ABOVE, PARTS = 10, 4
#: Penalties among which a threshold is searched, and where single runs are looked at.
PENALTIES = (0.0, 0.6)
GRID = np.linspace(*PENALTIES, 9).tolist()
#: Jobs of one run as those that the paper's figures probably show.
ONE_RUN = 5_000

#: All jobs, and the paper's groups, from which size to which: quarters of the jobs, nearly.
STREAM = "stream"
#: What the paper says that the threshold of S1 is over.
OVER = 0.3
GROUPS = {"S1": (1, 1), "S2": (2, 3), "S3": (4, 6), "S4": (7, 19)}
NAMES = (STREAM, *GROUPS)
#: All jobs that are split, and the paper's groups of them, from which penalty to which.
ALL_SPLIT = "all split jobs"
BY_PENALTY = {"C1": (0.0, 0.05), "C2": (0.05, 0.10), "C3": (0.10, 0.15), "C4": (0.15, 0.20)}

#: The maximal utilization needs fewer jobs than response times: this part of those of a run.
BOUND_PART, FEWEST = 2, 6_000
#: Where queues need more jobs than this to settle, there is no mean.
LONGEST = 400_000
#: Why there is no answer where queues grow.
UNCERTAIN = "the split jobs are not certain to saturate earlier than the whole ones"
NEITHER = "both may be saturated"


def passing(max_jumps: int | str, counted: str = "head") -> Scheduling:
    """Return FPFS(x), which is FCFS where no job may be passed; ``"no limit"`` is a number too."""
    jumps = NO_LIMIT if max_jumps == "no limit" else whole("max_jumps", max_jumps, least=0)
    return FPFS(jumps, counted) if jumps else FCFS()


def jumps_label(max_jumps: int | str) -> str:
    """Return a number of jumps as figures name it."""
    return "no limit" if max_jumps == NO_LIMIT else str(max_jumps)


def scenario(max_jumps: int | str, workload: SplitJobs = WHOLE, counted: str = "head") -> Scenario:
    """Return the paper's system: FPFS with this many jumps (or ``"no limit"``), and these jobs."""
    return Scenario(SYSTEM, workload, passing(max_jumps, counted), WorstFit())


@dataclass(frozen=True)
class Responses:
    """Mean responses and waits by group, run by run, `first` of `ONE_RUN` jobs; or `saturated`."""

    max_utilization: Sample
    means: Mapping[str, Sample]
    first: Mapping[str, Sample] = field(default_factory=dict)

    @property
    def saturated(self) -> bool:
        """Whether the load is not certain to be below the maximal utilization, or too near it."""
        return not self.means

    def mean(self, group: str) -> float:
        """Return the mean of a group, NaN past saturation."""
        return self.means[group].mean if self.means else np.nan


class Mirrored(Between):
    """The same draws, mirrored at the middle."""

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> np.ndarray:
        return self.low + self.high - super()._draw(rng, shape)


@dataclass(frozen=True)
class LoadedScenario:
    """A case: a scenario of split jobs, offered a load; less is simulated of a cell of a map."""

    scenario: Scenario
    load: float
    cell: bool = False

    def __post_init__(self) -> None:
        asked = instance_of("scenario", self.scenario, Scenario, "scenario(max_jumps)")
        instance_of("workload", self.jobs, SplitJobs, "jobs that could be held against whole ones")
        positive("load", self.load)
        refuse_impossible(asked.system, self.jobs.of_each_size(), asked.placement)

    @property
    def jobs(self) -> SplitJobs:
        """The jobs, split."""
        return cast(SplitJobs, self.scenario.workload)

    def with_jobs(self, **fields: Any) -> "LoadedScenario":
        """Return it with other fields of the jobs."""
        return replace(self, scenario=self.scenario.with_(workload=self.jobs.with_(**fields)))

    @property
    def whole(self) -> "LoadedScenario":
        """The same jobs, none of which is split."""
        kept = WHOLE.with_(model=self.jobs.model, above=self.jobs.sizes.maximum)
        placement = getattr(self.scenario.placement, "single", self.scenario.placement)
        return replace(self, scenario=self.scenario.with_(workload=kept, placement=placement))

    def columns(self) -> dict[str, Any]:
        """Return what it is as columns of a table."""
        jobs = self.jobs
        return {
            "max_jumps": jumps_label(getattr(self.scenario.scheduling, "max_jumps", 0)),
            "load": self.load, "above": jobs.above, "parts": jobs.parts, "psi": jobs.span_penalty,
            "kept_whole": jobs.kept_whole, "placement": str(self.scenario.placement),
        }  # fmt: skip

    def measure(self, scale: Scale, seed: Seed) -> Responses:
        """Return its mean response times; all cases have the same jobs, run by run."""
        size = (scale.map_jobs, scale.map_runs) if self.cell else (scale.jobs, scale.runs)
        one, psi = respond(self.scenario, self.load, size, seed), self.jobs.span_penalty
        if not isinstance(psi, Between) or one.saturated:
            return one
        # What chance adds to one of two mirrored draws, the other has less.
        mirrored = self.with_jobs(span_penalty=Mirrored(psi.low, psi.high)).scenario
        twin = respond(mirrored, self.load, size, seed)
        if twin.saturated:
            return twin
        pairs = ((name, mine, twin.means[name].values) for name, mine in one.means.items())
        return replace(one, means={n: Sample((x.values + y) / 2, x.warning) for n, x, y in pairs})


def served(max_jumps: int | str, load: float, **split: Any) -> LoadedScenario:
    """Return the paper's jobs at a load; `split` are fields of `SplitJobs`."""
    known = [each.name for each in fields(SplitJobs)]
    if unknown := sorted(split.keys() - set(known)):
        raise InputError(f"no field {unknown[0]!r} of split jobs; give some of {', '.join(known)}")
    return LoadedScenario(scenario(max_jumps, WHOLE.with_(**split)), load)


def respond(
    scenario: Scenario, load: float, size: tuple[int, int], seed: Seed, longest: int = LONGEST
) -> Responses:
    """Return mean response times at a load, and the maximal utilization; `size` is (jobs, runs).

    Near saturation runs are as many times longer as `SETTLES` says. A load not below the interval
    of the maximal utilization saturates, and one that needs more than the `longest` is too near.
    """
    jobs, runs = size
    known = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    bound_jobs = max(jobs // BOUND_PART, FEWEST)
    max_utilization = _max_utilization(scenario, bound_jobs, runs, known.entropy, known.spawn_key)
    left = 1 - load / max_utilization.mean
    if positive("load", load) >= max_utilization.interval.low or longest * left**2 < SETTLES:
        return Responses(max_utilization, {})
    jobs *= int(np.ceil(SETTLES / (jobs * left**2)))
    outcomes = [_run_once(scenario, load, jobs, child) for child in spawn(seed, runs)]
    rises = student([second - first for first, second, *_ in outcomes]).low > 0
    warning = max_utilization.warning or RISING * bool(rises)
    means, first = (
        {name: Sample(np.array([each[name] for each in runs]), warning) for name in runs[0]}
        for runs in list(zip(*outcomes, strict=True))[2:]
    )
    return Responses(max_utilization, means, first)


@lru_cache(maxsize=4096)  # it is the same at all loads
def _max_utilization(scenario, jobs, runs, entropy, spawn_key):
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=seed)
    return Sample(busy.mean(axis=1), warning)


def _run_once(scenario, load, jobs, seed):
    """Return the mean response of each half of a run, and the means by group, also of its begin."""
    schedule = scenario.simulate(jobs, load=load, seed=seed)
    size, psi = schedule.jobs.processors, schedule.jobs.span_penalty
    groups = {STREAM: size > 0} | {n: (size >= x) & (size <= y) for n, (x, y) in GROUPS.items()}
    own = {}
    if isinstance(getattr(scenario.workload, "span_penalty", 0.0), Distribution):
        split = schedule.spans
        own = {n: split & (psi >= x) & (psi < y) for n, (x, y) in BY_PENALTY.items()}
        own[ALL_SPLIT] = split
    kept, begin = (slice(int(WARM_UP * n), n) for n in (jobs, min(jobs, ONE_RUN)))

    def means(values, of, part):
        return {name: values[part][mine[part]].mean() for name, mine in of.items()}

    for name, mine in (groups | own).items():
        if not mine[begin].any():
            raise InputError(f"jobs = {jobs}, of which none is in {name}; give more")
    waits = means(schedule.wait, groups | own, kept).items()
    by_group = means(schedule.response, groups | own, kept) | {f"{n} wait": w for n, w in waits}
    halves = (half.mean() for half in np.array_split(schedule.response[kept], 2))
    return *halves, by_group, means(schedule.response, groups, begin)


def ratio(one: Responses, other: Responses, group: str, to: str = "") -> Sample | None:
    """Return a group's mean response over that of the same or another; None past saturation."""
    if one.saturated or other.saturated:
        return None
    mine, theirs = one.means[group], other.means[to or group]
    return Sample(mine.values / theirs.values, mine.warning or theirs.warning)


def change(split: Responses, whole: Responses, group: str, to: str = "") -> dict[str, Any]:
    """Return as columns by how many percent splitting changes the mean response of a group."""
    ratios = ratio(split, whole, group, to)
    saturated = ("", "split", "whole", "both")[split.saturated + 2 * whole.saturated]
    if ratios is not None:
        # The geometric mean over the runs: near saturation one run would decide.
        sign = Sample(np.log(ratios.values), ratios.warning).interval
        middle, low, high = (100 * np.expm1([sign.estimate, sign.low, sign.high])).tolist()
        known = Interval(middle, low, high, sign.count, warning=sign.warning)
    else:  # no more is known than who saturates first
        sign = (whole.max_utilization - split.max_utilization).interval
        known = Interval.exact({"split": np.inf, "whole": -100.0}.get(saturated, np.nan))
    loses = saturated in ("", "split") and sign.above(0)
    gains = saturated in ("", "whole") and sign.below(0)
    verdict = "loses" if loses else "gains" if gains else "undecided"
    if saturated == "both":
        verdict, known = "both saturate", replace(known, warning=NEITHER)
    elif saturated and verdict == "undecided":
        known = replace(known, warning=UNCERTAIN)
    more = {"count": known.count, "saturated": saturated, "verdict": verdict}
    return interval_columns(known, "change") | more


def break_even(split: Scenario, whole: Sample, size: tuple[int, int], seed: Seed) -> Sample:
    """Return the penalty up to which jobs that are split carry more work, by processor-hours.

    It is (maximum split without a penalty / maximum `whole` - 1) / share of the work that spans,
    run by run. The share is that of a full system, of jobs as they come.
    """
    jobs, runs = max(size[0] // BOUND_PART, FEWEST), size[1]
    workload = replace(cast(SplitJobs, split.workload), span_penalty=0.0)
    free = split.with_(workload=workload)
    known = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    carried = _max_utilization(free, jobs, runs, known.entropy, known.spawn_key)
    full = free.simulate(jobs, seed=seed, backlog=HELD)
    share = full.jobs.work[full.spans].sum() / full.jobs.work.sum()
    gains = (carried.values / whole.values - 1) / share if share else np.full(runs, np.nan)
    return Sample(gains, carried.warning or whole.warning)


def lost(split: Responses, whole: Responses, group: str) -> Sample:
    """Return what a group loses by splitting, run by run; in utilization if all queues grow."""
    less = whole.max_utilization - split.max_utilization
    if whole.saturated:
        return less
    if split.saturated:
        warning = less.warning or UNCERTAIN * (less.interval.low <= 0)
        return Sample(np.full(len(less.values), np.inf), warning)
    return split.means[group] - whole.means[group]


@dataclass(frozen=True)
class Thresholds:
    """The penalty from which on splitting loses, by group, and in single short runs, `one_run`.

    `at_stream` is by how much the response of a group exceeds that of whole jobs where the stream
    breaks even. From the penalty `full` on split jobs saturate: an end that lies there is a bound.
    """

    by_group: Mapping[str, Crossing]
    one_run: Mapping[str, Sample] = field(default_factory=dict)
    at_stream: Mapping[str, Sample] = field(default_factory=dict)
    full: float = np.inf

    @property
    def told(self) -> float:
        """The share of single runs that tell the paper's story: S4 below the stream, S1 above."""
        of = {name: sample.values for name, sample in self.one_run.items()}
        return np.mean((of["S4"] < of[STREAM]) & (of["S1"] > OVER)).item() if of else np.nan


@dataclass(frozen=True)
class BreakEven:
    """A case: the load, the jumps and how they count, at which thresholds are searched."""

    load: float
    max_jumps: int
    counted: str = "head"

    def __post_init__(self) -> None:
        positive("load", self.load)
        passing(self.max_jumps, self.counted)

    def measure(self, scale: Scale, seed: Seed) -> Thresholds:
        """Return the penalty at which splitting breaks even, of all jobs and of each group."""
        how = (scale.search_jobs, scale.search_runs), seed, scale.search_longest
        kept = respond(scenario(self.max_jumps, WHOLE, self.counted), self.load, *how)
        known: dict[float, Responses] = {}

        def paying(psi: float) -> Responses:
            psi = round(psi, 9)
            if psi not in known:
                jobs = WHOLE.with_(above=ABOVE, parts=PARTS, span_penalty=psi)
                asked = scenario(self.max_jumps, jobs, self.counted)
                known[psi] = respond(asked, self.load, *how)
            return known[psi]

        def loss(name: str, psi: float) -> Sample:
            return lost(paying(psi), kept, name)

        search = partial(crossing, low=PENALTIES[0], high=PENALTIES[1], budget=scale.search_budget)
        by_group = {n: search(partial(loss, n)) for n in NAMES}
        if kept.saturated:
            return Thresholds(by_group)
        one_run = {name: _roots([paying(psi) for psi in GRID], kept, name) for name in NAMES}
        even = by_group[STREAM].interval.estimate
        at_stream: dict[str, Any] = {}
        if np.isfinite(even) and not paying(even).saturated:
            here: dict[str, Any] = {name: ratio(paying(even), kept, name) for name in NAMES}
            at_stream = {name: here[name] - here[STREAM] for name in GROUPS}
        full = min((psi for psi, each in known.items() if each.saturated), default=np.inf)
        return Thresholds(by_group, one_run, at_stream, full)


def _roots(split, whole, name):
    """Return where single runs over `GRID` first lose by splitting, else the end of the grid."""
    kept = whole.first[name].values
    lines = [each.first[name].values / kept - 1 if each.first else kept + np.inf for each in split]
    return Sample(np.array([_first_root(line) for line in np.transpose(lines)]))


def _first_root(line):
    """Return where a line over `GRID` first rises above zero, else the end of the grid."""
    up = int((line > 0).argmax())
    if up == 0:
        return GRID[0 if line[0] > 0 else -1]
    return GRID[up - 1] + GRID[1] * line[up - 1] / (line[up - 1] - line[up])
