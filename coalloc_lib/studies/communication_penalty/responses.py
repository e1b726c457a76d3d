"""What the paper fixes, and response times of split jobs beside those of the same jobs whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np

from coalloc_lib.checks import InputError, instance_of, positive, whole
from coalloc_lib.curves import RISING
from coalloc_lib.distributions import Distribution, Exponential, power_of_two
from coalloc_lib.intervals import Crossing, Interval, Sample, crossing, student
from coalloc_lib.placement import WorstFit
from coalloc_lib.saturation import WARM_UP, replicated_traffic
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
#: In the middle of those that the printed thresholds leave (figure `thresholds`).
JUMPS = 8
#: Section 6: jobs larger than this are split into so many components. How the paper rounds is lost
#: in print: up, 5 processors in 4 components would leave -1, so it is down.
ABOVE, PARTS = 10, 4
#: Penalties among which a threshold is searched, and where single runs are looked at.
PENALTIES = (0.0, 0.6)
GRID = np.linspace(*PENALTIES, 9).round(9).tolist()
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
    """Return the paper's system: FPFS with this many jumps (or ``"no limit"``), and these jobs.

    Jumps are `counted` at the head of the queue, as in the paper's section 4, or while a job waits.
    """
    return Scenario(SYSTEM, workload, passing(max_jumps, counted), WorstFit())


@dataclass(frozen=True)
class Responses:
    """Mean responses by group, run by run, and waits (``"C1 wait"``); empty past saturation.

    `first` are the means of the first `ONE_RUN` jobs of each run.
    """

    max_utilization: Sample
    means: Mapping[str, Sample]
    first: Mapping[str, Sample] = field(default_factory=dict)

    @property
    def saturated(self) -> bool:
        """Whether the load is not certain to be below the maximal utilization."""
        return not self.means

    def mean(self, group: str) -> float:
        """Return the mean of a group, NaN past saturation."""
        return self.means[group].mean if self.means else np.nan


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

    @property
    def whole(self) -> "LoadedScenario":
        """The same jobs, none of which is split."""
        kept = WHOLE.with_(model=self.jobs.model, above=self.jobs.sizes.maximum)
        return LoadedScenario(self.scenario.with_(workload=kept), self.load, self.cell)

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
        return respond(self.scenario, self.load, size, seed)


def served(max_jumps: int | str, load: float, **split: Any) -> LoadedScenario:
    """Return the paper's jobs at a load; `split` are fields of `SplitJobs`.

    Examples
    --------
    >>> served(20, 0.7, above=10, span_penalty=0.1).jobs.parts
    4
    """
    known = [each.name for each in fields(SplitJobs)]
    if unknown := sorted(split.keys() - set(known)):
        raise InputError(f"no field {unknown[0]!r} of split jobs; give some of {', '.join(known)}")
    return LoadedScenario(scenario(max_jumps, WHOLE.with_(**split)), load)


def respond(scenario: Scenario, load: float, size: tuple[int, int], seed: Seed) -> Responses:
    """Return mean response times at a load, and the maximal utilization; `size` is (jobs, runs).

    A load not below the interval of the maximal utilization saturates.
    """
    jobs, runs = size
    known = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    bound_jobs = max(jobs // BOUND_PART, FEWEST)
    max_utilization = _max_utilization(scenario, bound_jobs, runs, known.entropy, known.spawn_key)
    if positive("load", load) >= max_utilization.interval.low:
        return Responses(max_utilization, {})
    outcomes = [_run_once(scenario, load, jobs, child) for child in spawn(seed, runs)]
    rises = student([second - first for first, second, *_ in outcomes]).low > 0
    warning = max_utilization.warning or RISING * bool(rises)
    *_, means, first = zip(*outcomes, strict=True)
    return Responses(max_utilization, _by_run(means, warning), _by_run(first, warning))


def _by_run(means, warning):
    return {name: Sample([each[name] for each in means], warning) for name in means[0]}


@lru_cache(maxsize=4096)  # it is the same at all loads
def _max_utilization(scenario, jobs, runs, entropy, spawn_key):
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=seed)
    return Sample(busy.mean(axis=1), warning)


def _run_once(scenario, load, jobs, seed):
    """Return the mean response of each half of a run, and the means by group, also of its begin."""
    schedule = scenario.simulate(jobs, load=load, seed=seed)
    kept = slice(int(WARM_UP * jobs), None)
    begin = slice(int(WARM_UP * ONE_RUN), ONE_RUN) if jobs > ONE_RUN else kept
    response, size = schedule.response[kept], schedule.jobs.processors[kept]
    groups = {name: (size >= least) & (size <= most) for name, (least, most) in GROUPS.items()}
    groups, own = {STREAM: size > 0} | groups, {}
    if isinstance(getattr(scenario.workload, "span_penalty", 0.0), Distribution):
        split, psi = schedule.spans[kept], schedule.jobs.span_penalty[kept]
        own = {ALL_SPLIT: split}
        own |= {n: split & (psi >= least) & (psi < most) for n, (least, most) in BY_PENALTY.items()}
    for name, mine in (groups | own).items():
        if not mine.any():
            raise InputError(f"jobs = {jobs}, of which none is in {name}; give more")
    means = {name: response[mine].mean() for name, mine in (groups | own).items()}
    means |= {f"{name} wait": schedule.wait[kept][mine].mean() for name, mine in own.items()}
    first, begun = schedule.response[begin], schedule.jobs.processors[begin]
    first = {STREAM: first.mean()} | {
        name: first[(begun >= least) & (begun <= most)].mean()
        for name, (least, most) in GROUPS.items()
    }
    return *(half.mean() for half in np.array_split(response, 2)), means, first


def ratio(one: Responses, other: Responses, group: str, to: str = "") -> Sample | None:
    """Return a group's mean response over that of the same or another; None past saturation."""
    if one.saturated or other.saturated:
        return None
    mine, theirs = one.means[group], other.means[to or group]
    return Sample(mine.values / theirs.values, mine.warning or theirs.warning)


def mean_of_twins(one: Responses, twin: Responses | None = None) -> Responses:
    """Return responses halfway between two of the same jobs, whose penalties mirror one another."""
    if twin is None or one.saturated or twin.saturated:
        return one
    both = {
        name: Sample((mine.values + twin.means[name].values) / 2, mine.warning)
        for name, mine in one.means.items()
    }
    return replace(one, means=both)


def change(split: Responses, whole: Responses, group: str) -> dict[str, Any]:
    """Return as columns by how many percent splitting changes the mean response of a group.

    It is of the geometric mean over the runs: near saturation one run would decide.
    """
    ratios = ratio(split, whole, group)
    costs = (whole.max_utilization - split.max_utilization).interval
    if ratios is not None:
        log = Sample(np.log(ratios.values), ratios.warning).interval
        middle, low, high = (100 * np.expm1([log.estimate, log.low, log.high])).tolist()
        known, saturated = Interval(middle, low, high, log.count, warning=log.warning), ""
        loses, gains = log.above(0), log.below(0)
    elif split.saturated and whole.saturated:
        known, saturated = Interval(np.nan, np.nan, np.nan, 0, warning=NEITHER), "both"
        loses = gains = None
    elif split.saturated:
        known, saturated, loses, gains = Interval.exact(np.inf), "split", costs.above(0), None
    else:
        known, saturated, loses, gains = Interval.exact(-100.0), "whole", None, costs.below(0)
    undecided = "both saturate" if saturated == "both" else "undecided"
    verdict = "loses" if loses else "gains" if gains else undecided
    more = {"count": known.count, "saturated": saturated, "verdict": verdict}
    return interval_columns(known, "change") | more


def lost(split: Responses, whole: Responses, group: str) -> Sample:
    """Return what a group loses by splitting, in response time, run by run.

    Where the whole jobs saturate, every queue grows: the loss is then in the maximal utilization.
    """
    less = whole.max_utilization - split.max_utilization
    if whole.saturated:
        return less
    if split.saturated:
        warning = less.warning or UNCERTAIN * (less.interval.low <= 0)
        return Sample(np.full(len(less.values), np.inf), warning)
    return split.means[group] - whole.means[group]


@dataclass(frozen=True)
class Thresholds:
    """The penalty from which on splitting loses, by group; one for all past saturation.

    `one_run` is where that of a single short run is expected, and `told` the share of such runs
    that tell the paper's story: S4 below the stream, and S1 above 0.3. `at_stream` is by how much
    the response of a group exceeds that of whole jobs where the stream breaks even.
    """

    by_group: Mapping[str, Crossing]
    saturated: bool
    one_run: Mapping[str, Crossing] = field(default_factory=dict)
    told: float = np.nan
    at_stream: Mapping[str, Sample] = field(default_factory=dict)


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
        size = scale.search_jobs, scale.search_runs
        kept = respond(scenario(self.max_jumps, WHOLE, self.counted), self.load, size, seed)

        @cache
        def paying(psi: float) -> Responses:
            jobs = WHOLE.with_(above=ABOVE, parts=PARTS, span_penalty=psi)
            return respond(scenario(self.max_jumps, jobs, self.counted), self.load, size, seed)

        def searched(difference: Callable, name: str) -> Crossing:
            among = lambda psi: difference(paying(round(psi, 9)), kept, name)  # noqa: E731
            return crossing(among, *PENALTIES, budget=scale.search_budget)

        by_group = {name: searched(lost, name) for name in NAMES}
        if kept.saturated:
            return Thresholds(by_group, True)
        one_run = {name: searched(_one_more_run, name) for name in NAMES}
        stream, largest, smallest = (
            [*map(_first_root, np.transpose([_logs(paying(psi), kept, name) for psi in GRID]))]
            for name in (STREAM, "S4", "S1")
        )
        told = np.less(largest, stream) & np.greater(smallest, OVER)
        even = by_group[STREAM].interval.estimate
        at_stream: dict[str, Any] = {}
        if np.isfinite(even) and not paying(even).saturated:
            here: dict[str, Any] = {name: ratio(paying(even), kept, name) for name in NAMES}
            at_stream = {name: here[name] - here[STREAM] for name in GROUPS}
        return Thresholds(by_group, False, one_run, told.mean(), at_stream)


def _logs(split, whole, name):
    """Return the logarithms of single runs' ratios; infinite where the split jobs saturate."""
    if split.saturated:
        return np.full(whole.first[name].values.shape, np.inf)
    return np.log(split.first[name].values / whole.first[name].values)


def _one_more_run(split, whole, name):
    """Return the same with so wide a spread that its interval is where a further run falls."""
    logs = _logs(split, whole, name)
    middle = logs[0] if np.isinf(logs).all() else logs.mean()
    return Sample(logs if np.isinf(middle) else middle + (logs - middle) * np.sqrt(len(logs) + 1))


def _first_root(line):
    """Return where a line over `GRID` first rises above zero; infinite where it does not."""
    up = int((line > 0).argmax())
    if up == 0:
        return -np.inf if line[0] > 0 else np.inf
    return GRID[up - 1] + GRID[1] * line[up - 1] / (line[up - 1] - line[up])
