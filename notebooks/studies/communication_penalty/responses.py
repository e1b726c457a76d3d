"""Mean response times of a scenario, group by group, and how those of two compare."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, positive
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.model.distributions import Between, Distribution
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import (
    Interval,
    Replications,
    after_warm_up,
    halves,
    interval_columns,
    rising_warning,
    rows_of,
)
from coalloc_lib.statistics.curves import SETTLES
from coalloc_lib.statistics.saturation import HELD, replicated_traffic
from coalloc_lib.workloads.models import SplitJobs
from studies.communication_penalty.model import (
    ALL_SPLIT,
    BY_PENALTY,
    GROUPS,
    ONE_RUN,
    STREAM,
)
from studies.study import six_digits

#: The maximal utilization needs fewer jobs than response times: this part of those of a run.
BOUND_PART, FEWEST = 2, 6_000
#: Where queues need more jobs than this to settle, there is no mean.
LONGEST = 400_000
#: What is measured of each group.
TIMES = ("response", "wait", "first")
#: Whose maximal utilization a row has; the other rows have the times of a group of jobs.
THE_SYSTEM = "the system"
#: Why there is no answer where queues grow.
UNCERTAIN = "the split jobs are not certain to saturate earlier than the whole ones"
NEITHER = "both may be saturated"


@dataclass(frozen=True)
class Responses:
    """Means by group, run by run: of response times, waits, and of the `first` `ONE_RUN` jobs.

    There are none where the load is not certain to be below the maximal utilization.
    """

    max_utilization: Replications
    response: Mapping[str, Replications] = field(default_factory=dict)
    wait: Mapping[str, Replications] = field(default_factory=dict)
    first: Mapping[str, Replications] = field(default_factory=dict)

    @property
    def saturated(self) -> bool:
        """Whether the load is not certain to be below the maximal utilization, or too near it."""
        return not self.response


# --- measured ---


def respond(
    scenario: Scenario, load: float, size: tuple[int, int], seed: Seed, longest: int = LONGEST
) -> Responses:
    """Return mean response times at a load, and the maximal utilization; `size` is (jobs, runs).

    Near saturation runs are as many times longer as `SETTLES` says. A load not below the interval
    of the maximal utilization saturates, and one that needs more than the `longest` is too near.
    """
    jobs, runs = size
    most = max_utilization(scenario, size, seed)
    left = 1 - load / most.mean
    if positive("load", load) >= most.interval.low or longest * left**2 < SETTLES:
        return Responses(most)
    jobs *= int(np.ceil(SETTLES / (jobs * left**2)))
    measured = [
        measure_run(scenario.simulate(jobs, load=load, seed=child), has_drawn_penalties(scenario))
        for child in spawn(seed, runs)
    ]
    first_halves, second_halves = zip(*(run.halves for run in measured), strict=True)
    warning = most.warning or rising_warning(first_halves, second_halves)
    return Responses(
        most,
        _samples([run.response for run in measured], warning),
        _samples([run.wait for run in measured], warning),
        _samples([run.first for run in measured], warning),
    )


def max_utilization(scenario: Scenario, size: tuple[int, int], seed: Seed) -> Replications:
    """Return the maximal utilization, run by run."""
    jobs, runs = size
    known = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    jobs = max(jobs // BOUND_PART, FEWEST)
    return _max_utilization(scenario, jobs, runs, known.entropy, known.spawn_key)


@lru_cache(maxsize=4096)  # it is the same at all loads
def _max_utilization(scenario, jobs, runs, entropy, spawn_key):
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=seed)
    return Replications(rounded(busy.mean(axis=1)), warning)


def _samples(runs, warning):
    """Return samples by group of means by group, a dictionary a run."""
    return {
        group: Replications(rounded([run[group] for run in runs]), warning) for group in runs[0]
    }


def rounded(values: Iterable[float]) -> NDArray[np.float64]:
    """Return numbers with six digits, which a ledger has and a table of runs need not exceed."""
    return np.array([six_digits(value) for value in values])


class Run(NamedTuple):
    """The means of one run by group, without its begin, and those of both its halves."""

    response: dict[str, float]
    wait: dict[str, float]
    first: dict[str, float]
    halves: tuple[float, float]


def measure_run(schedule: Schedule, by_penalty: bool = False) -> Run:
    """Return the means of a run by size and, if wanted, those of split jobs by their penalty."""
    by_size = groups_by_size(schedule)
    groups = by_size | (groups_by_penalty(schedule) if by_penalty else {})
    begin = slice(0, ONE_RUN)
    for name, mine in groups.items():
        if not after_warm_up(mine[begin]).any():
            raise InputError(f"jobs = {len(mine)}, of which none is in {name}; give more")
    first = {name: mine[begin] for name, mine in by_size.items()}
    return Run(
        _means(schedule.response, groups),
        _means(schedule.wait, groups),
        _means(schedule.response[begin], first),
        halves(after_warm_up(schedule.response)),
    )


def has_drawn_penalties(scenario: Scenario) -> bool:
    """Whether each job has a penalty of its own."""
    return isinstance(getattr(scenario.workload, "span_penalty", 0.0), Distribution)


def groups_by_size(schedule: Schedule) -> dict[str, NDArray[np.bool_]]:
    """Return which jobs are in the stream, and in each of the paper's groups by size."""
    size = schedule.jobs.processors
    groups = {name: (size >= low) & (size <= high) for name, (low, high) in GROUPS.items()}
    return {STREAM: size > 0} | groups


def groups_by_penalty(schedule: Schedule) -> dict[str, NDArray[np.bool_]]:
    """Return which jobs are split, and which of these in each of the paper's groups by penalty."""
    psi, split = schedule.jobs.span_penalty, schedule.spans
    groups = {name: split & (psi >= low) & (psi < high) for name, (low, high) in BY_PENALTY.items()}
    return groups | {ALL_SPLIT: split}


def _means(values, groups):
    """Return the mean of the values of each group, without the begin of the run."""
    kept = after_warm_up(values)
    return {name: kept[after_warm_up(mine) > 0].mean() for name, mine in groups.items()}


class Mirrored(Between):
    """The same draws, mirrored at the middle."""

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> np.ndarray:
        return self.low + self.high - super()._sample(rng, shape)


def respond_in_mirrored_pairs(
    scenario: Scenario, load: float, size: tuple[int, int], seed: Seed
) -> Responses:
    """Return the means of two: with penalties as drawn, and mirrored at the middle of their law.

    What chance adds to the penalties of one, the other has less.
    """
    jobs = cast(SplitJobs, scenario.workload)
    drawn = cast(Between, jobs.span_penalty)
    mirrored = jobs.with_(span_penalty=Mirrored(drawn.low, drawn.high))
    one = respond(scenario, load, size, seed)
    if one.saturated:
        return one
    twin = respond(scenario.with_(workload=mirrored), load, size, seed)
    if twin.saturated:
        return twin
    response, wait = _halfway(one.response, twin.response), _halfway(one.wait, twin.wait)
    return replace(one, response=response, wait=wait)


def _halfway(one, other):
    """Return the means of two samples, group by group, with the warning of the first."""
    return {
        group: Replications((sample.values + other[group].values) / 2, sample.warning)
        for group, sample in one.items()
    }


# --- compared ---


def ratio(one: Responses, other: Responses, group: str, to: str = "") -> Replications | None:
    """Return a group's mean response over that of the same or another; None past saturation."""
    if one.saturated or other.saturated:
        return None
    return one.response[group] / other.response[to or group]


@dataclass(frozen=True)
class Change:
    """By how many percent splitting changes a mean response time, and what that says.

    Which side is `saturated`: ``"split"``, ``"whole"``, ``"both"`` or none, ``""``. The `verdict`
    is ``"gains"``, ``"loses"``, ``"undecided"`` or ``"both saturate"``.
    """

    percent: Interval
    saturated: str
    verdict: str

    @property
    def gains(self) -> bool | None:
        """Whether splitting responds sooner; None where that is undecided."""
        return {"gains": True, "loses": False}.get(self.verdict)

    def columns(self) -> dict[str, Any]:
        """Return it as columns of a table."""
        more = {"count": self.percent.count, "saturated": self.saturated, "verdict": self.verdict}
        return interval_columns(self.percent, "change") | more

    def ratio_columns(self) -> dict[str, Any]:
        """Return the ratio as columns of a table, missing past saturation."""
        change, factor = self.percent, np.nan if self.saturated else 0.01
        return interval_columns(change.times(factor).plus(1), "ratio") | {"verdict": self.verdict}


def change(split: Responses, whole: Responses, group: str, to: str = "") -> Change:
    """Return the change of a group's mean response time by splitting.

    It is that of the geometric mean of the runs: near saturation one run would decide. Where a side
    is saturated no more is known than which side saturates first.
    """
    ratios = ratio(split, whole, group, to)
    if ratios is not None:
        logarithm = Replications(np.log(ratios.values), ratios.warning).interval
        return Change(logarithm.in_percent(), "", _verdict(logarithm.above(0), logarithm.below(0)))
    if split.saturated and whole.saturated:
        percent = replace(Interval.exact(np.nan), warning=NEITHER)
        return Change(percent, "both", "both saturate")
    less = (whole.max_utilization - split.max_utilization).interval
    if split.saturated:
        saturated, percent, verdict = (
            "split",
            Interval.exact(np.inf),
            _verdict(less.above(0), False),
        )
    else:
        saturated, percent, verdict = (
            "whole",
            Interval.exact(-100.0),
            _verdict(False, less.below(0)),
        )
    warning = UNCERTAIN if verdict == "undecided" else ""
    return Change(replace(percent, warning=warning), saturated, verdict)


def _verdict(loses: bool | None, gains: bool | None) -> str:
    return "loses" if loses else "gains" if gains else "undecided"


def lost(split: Responses, whole: Responses, group: str) -> Replications:
    """Return what a group loses by splitting, run by run; in utilization if all queues grow."""
    less = whole.max_utilization - split.max_utilization
    if whole.saturated:
        return less
    if split.saturated:
        warning = less.warning or UNCERTAIN * (less.interval.low <= 0)
        return Replications(np.full(len(less.values), np.inf), warning)
    return split.response[group] - whole.response[group]


def break_even(
    split: Scenario, whole: Replications, size: tuple[int, int], seed: Seed
) -> Replications:
    """Return the penalty up to which jobs that are split carry more work, by processor-hours.

    It is (maximum split without a penalty / maximum `whole` - 1) / share of the work that spans,
    run by run. The share is that of a full system, of jobs as they come.
    """
    workload = replace(cast(SplitJobs, split.workload), span_penalty=0.0)
    free = split.with_(workload=workload)
    carried = max_utilization(free, size, seed)
    full = free.simulate(max(size[0] // BOUND_PART, FEWEST), seed=seed, backlog=HELD)
    share = full.jobs.work[full.spans].sum() / full.jobs.work.sum()
    warning = carried.warning or whole.warning
    if not share:
        return Replications(np.full(size[1], np.nan), warning)
    return Replications((carried.values / whole.values - 1) / share, warning)


# --- as rows of a table of runs, and back ---


def rows_of_responses(
    found: Responses, times: Collection[str] = TIMES, **keys: float | None
) -> Iterator[dict[str, Any]]:
    """Yield a row for each run and group, and one for the maximal utilization in each run.

    The rows have those of the `TIMES` that are named. Past saturation there are those of the
    maximal utilization.
    """
    yield from rows_of(found.max_utilization, "max_utilization", **keys, group=THE_SYSTEM)
    for group, response in found.response.items():
        samples = {name: getattr(found, name).get(group) for name in TIMES if name in times}
        for replication in range(len(response.values)):
            row: dict[str, Any] = keys | {"group": group, "replication": replication}
            for name, known in samples.items():
                row[name] = None if known is None else float(known.values[replication])
            yield row | {"warning": response.warning}


def read_responses(runs: pd.DataFrame) -> Responses:
    """Return the responses of the runs of one setting."""
    in_order = runs.sort_values("replication", kind="stable")
    samples: dict[str, dict[str, Replications]] = {name: {} for name in (*TIMES, "max_utilization")}
    for group, rows in in_order.groupby("group", sort=False):
        warning = rows["warning"].iloc[0]
        for name, by_group in samples.items():
            if name not in rows:  # of runs that all saturate
                continue
            values = rows[name].to_numpy(dtype=float)
            if not np.isnan(values).any():
                by_group[str(group)] = Replications(values, warning)
    most = samples.pop("max_utilization")[THE_SYSTEM]
    return Responses(most, **samples)
