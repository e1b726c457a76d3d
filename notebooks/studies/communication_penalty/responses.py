"""Mean response times of the groups of jobs in a scenario, and comparisons of two scenarios."""

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
from coalloc_lib.statistics.saturation import HELD, replicated_traffic
from coalloc_lib.statistics.settling import SETTLES
from coalloc_lib.workloads.models import SplitJobs
from studies.communication_penalty.model import (
    ALL_SPLIT,
    BY_PENALTY,
    GROUPS,
    ONE_RUN,
    STREAM,
)
from studies.study import six_digits

#: A run that measures the maximal utilization needs fewer jobs than a run that measures response
#: times, so the number of jobs is divided by `BOUND_DIVISOR`, but is at least `FEWEST`.
BOUND_DIVISOR, FEWEST = 2, 6_000
#: The largest number of jobs in a run. If the queue needs more jobs than this to settle, no mean
#: response time is computed.
LONGEST = 400_000
#: The mean times that are measured for each job group: the response time, the waiting time, and the
#: response time of the first `ONE_RUN` jobs.
TIMES = ("response", "wait", "first")
#: The entry in the column ``group`` of rows with the maximal utilization. All other rows are about
#: a group of jobs.
THE_SYSTEM = "the system"
#: Warnings for comparisons of two settings in which a queue grows without limit, so that the
#: response times cannot be compared.
UNCERTAIN = "it is not certain that the system saturates earlier with split jobs"
NEITHER = "both may be saturated"


@dataclass(frozen=True)
class Responses:
    """The maximal utilization of a scenario, and each job group's mean response and waiting times.

    The mean times are empty if the load is not certain to be below the maximal utilization.

    Attributes
    ----------
    max_utilization : Replications
        The maximal utilization in each run.
    response, wait : mapping of str to Replications
        The mean response time and the mean waiting time in each run, for each group.
    first : mapping of str to Replications
        The mean response time of the first `ONE_RUN` jobs of each run, for each group.
    """

    max_utilization: Replications
    response: Mapping[str, Replications] = field(default_factory=dict)
    wait: Mapping[str, Replications] = field(default_factory=dict)
    first: Mapping[str, Replications] = field(default_factory=dict)

    @property
    def saturated(self) -> bool:
        """Whether the load is too high to measure mean response times.

        The load is then not certain to be below the maximal utilization, or it is too close to it.
        """
        return not self.response


# --- Measurements ---


def respond(
    scenario: Scenario, load: float, size: tuple[int, int], seed: Seed, longest: int = LONGEST
) -> Responses:
    """Measure the maximal utilization of a scenario, and its mean response times at one load.

    Parameters
    ----------
    scenario : Scenario
        The system, the jobs and the policies.
    load : float
        The offered load. There are no response times if it is not below the confidence interval of
        the maximal utilization.
    size : tuple of int
        The number of jobs in a run, and the number of runs. Near saturation a run has a multiple of
        this number of jobs, so that the queue can settle (see `SETTLES`).
    seed : int or SeedSequence
        The seed of the runs.
    longest : int
        The largest number of jobs in a run. There are no response times if the queue needs more
        jobs to settle.
    """
    jobs, runs = size
    maximum = max_utilization(scenario, size, seed)
    unused = 1 - load / maximum.mean
    if positive("load", load) >= maximum.interval.low or longest * unused**2 < SETTLES:
        return Responses(maximum)
    jobs *= int(np.ceil(SETTLES / (jobs * unused**2)))
    measured = [
        measure_run(scenario.simulate(jobs, load=load, seed=child), samples_penalties(scenario))
        for child in spawn(seed, runs)
    ]
    first_halves, second_halves = zip(*(run.halves for run in measured), strict=True)
    warning = maximum.warning or rising_warning(first_halves, second_halves)
    return Responses(
        maximum,
        _samples([run.response for run in measured], warning),
        _samples([run.wait for run in measured], warning),
        _samples([run.first for run in measured], warning),
    )


def max_utilization(scenario: Scenario, size: tuple[int, int], seed: Seed) -> Replications:
    """Measure the maximal utilization in each of several runs.

    `size` has the number of jobs and the number of runs.
    """
    jobs, runs = size
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    jobs = max(jobs // BOUND_DIVISOR, FEWEST)
    return _max_utilization(scenario, jobs, runs, sequence.entropy, sequence.spawn_key)


@lru_cache(maxsize=4096)  # The maximal utilization does not depend on the load.
def _max_utilization(scenario, jobs, runs, entropy, spawn_key):
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=seed)
    return Replications(rounded(busy.mean(axis=1)), warning)


def _samples(runs, warning):
    return {
        group: Replications(rounded([run[group] for run in runs]), warning) for group in runs[0]
    }


def rounded(values: Iterable[float]) -> NDArray[np.float64]:
    """Round numbers to six significant digits, as in the stored runs."""
    return np.array([six_digits(value) for value in values])


class Run(NamedTuple):
    """The mean response and waiting times of each job group in one run, without the warm-up."""

    response: dict[str, float]
    wait: dict[str, float]
    first: dict[str, float]
    halves: tuple[float, float]


def measure_run(schedule: Schedule, by_penalty: bool = False) -> Run:
    """Return each job group's mean response and waiting times in one run.

    If `by_penalty` is true, the split jobs are also grouped by penalty.
    """
    by_size = groups_by_size(schedule)
    groups = by_size | (groups_by_penalty(schedule) if by_penalty else {})
    first = slice(0, ONE_RUN)
    for name, in_group in groups.items():
        if not after_warm_up(in_group[first]).any():
            raise InputError(
                f"jobs = {len(in_group)} is too small: after the warm-up, none of the jobs is in "
                f"the group {name}; give more jobs"
            )
    first_by_size = {name: in_group[first] for name, in_group in by_size.items()}
    return Run(
        _means(schedule.response, groups),
        _means(schedule.wait, groups),
        _means(schedule.response[first], first_by_size),
        halves(after_warm_up(schedule.response)),
    )


def samples_penalties(scenario: Scenario) -> bool:
    """Return whether the penalty of each job is sampled from a distribution."""
    return isinstance(getattr(scenario.workload, "span_penalty", 0.0), Distribution)


def groups_by_size(schedule: Schedule) -> dict[str, NDArray[np.bool_]]:
    """Return boolean masks of all jobs and of each of the paper's groups by job size."""
    size = schedule.jobs.processors
    groups = {name: (size >= low) & (size <= high) for name, (low, high) in GROUPS.items()}
    return {STREAM: size > 0} | groups


def groups_by_penalty(schedule: Schedule) -> dict[str, NDArray[np.bool_]]:
    """Return boolean masks of all split jobs and of each group of split jobs by penalty."""
    psi, split = schedule.jobs.span_penalty, schedule.spans
    groups = {name: split & (psi >= low) & (psi < high) for name, (low, high) in BY_PENALTY.items()}
    return groups | {ALL_SPLIT: split}


def _means(values, groups):
    kept = after_warm_up(values)
    return {name: kept[after_warm_up(in_group) > 0].mean() for name, in_group in groups.items()}


class Mirrored(Between):
    """A uniform distribution that mirrors each sample of `Between` at the mean.

    Such samples are called antithetic variates.
    """

    def _sample(self, rng: np.random.Generator, shape: tuple[int, ...] | None) -> np.ndarray:
        return self.low + self.high - super()._sample(rng, shape)


def respond_in_mirrored_pairs(
    scenario: Scenario, load: float, size: tuple[int, int], seed: Seed
) -> Responses:
    """Estimate response and waiting times under random penalties, by antithetic variates.

    One run has the penalties as they are sampled. In the other run each penalty is mirrored at the
    mean of its distribution. If the penalties of one run are too high by chance, those of the
    other are too low by the same amount, so the average has a smaller variance. The arguments are
    those of `respond`.
    """
    jobs = cast(SplitJobs, scenario.workload)
    law = cast(Between, jobs.span_penalty)
    mirrored = jobs.with_(span_penalty=Mirrored(law.low, law.high))
    one = respond(scenario, load, size, seed)
    if one.saturated:
        return one
    other = respond(scenario.with_(workload=mirrored), load, size, seed)
    if other.saturated:
        return other
    response, wait = _averages(one.response, other.response), _averages(one.wait, other.wait)
    return replace(one, response=response, wait=wait)


def _averages(one, other):
    return {
        group: Replications(
            (sample.values + other[group].values) / 2, sample.warning or other[group].warning
        )
        for group, sample in one.items()
    }


# --- Comparisons ---


def ratio(one: Responses, other: Responses, group: str, to: str = "") -> Replications | None:
    """Return the ratio of a job group's mean response times in two scenarios, for each run.

    If `to` is given, the denominator is the response time of the group `to`. The ratio is None if
    one of the two scenarios is saturated.
    """
    if one.saturated or other.saturated:
        return None
    return one.response[group] / other.response[to or group]


@dataclass(frozen=True)
class Change:
    """How much splitting jobs changes a mean response time.

    Attributes
    ----------
    percent : Interval
        The change in percent.
    saturated : str
        The jobs that saturate the system: ``"split"``, ``"whole"``, ``"both"``, or an empty string.
    verdict : str
        What splitting does: ``"gains"``, ``"loses"``, ``"undecided"`` or ``"both saturate"``.
    """

    percent: Interval
    saturated: str
    verdict: str

    @property
    def gains(self) -> bool | None:
        """Whether splitting shortens the mean response time; None if that is undecided."""
        return {"gains": True, "loses": False}.get(self.verdict)

    def columns(self) -> dict[str, Any]:
        """Return the change in percent, its interval and the verdict, as columns of a table."""
        more = {"count": self.percent.count, "saturated": self.saturated, "verdict": self.verdict}
        return interval_columns(self.percent, "change") | more

    def ratio_columns(self) -> dict[str, Any]:
        """Return the ratio of two mean response times and its interval, as columns of a table.

        The ratio is missing if one of the two scenarios is saturated.
        """
        factor = np.nan if self.saturated else 0.01
        ratio = self.percent.times(factor).plus(1)
        return interval_columns(ratio, "ratio") | {"verdict": self.verdict}


def change(split: Responses, whole: Responses, group: str, to: str = "") -> Change:
    """Return the change of the mean response time of a group if jobs are split.

    The ratios of the runs are averaged by their geometric mean, because near saturation a single
    run would dominate an arithmetic mean. If `to` is given, the response time is compared with that
    of the group `to`. If one of the two scenarios is saturated, the verdict says only which of them
    saturates first.
    """
    ratios = ratio(split, whole, group, to)
    if ratios is not None:
        logarithm = Replications(np.log(ratios.values), ratios.warning).interval
        return Change(logarithm.in_percent(), "", _verdict(logarithm.above(0), logarithm.below(0)))
    return _change_past_saturation(split, whole)


def _change_past_saturation(split: Responses, whole: Responses) -> Change:
    if split.saturated and whole.saturated:
        percent = replace(Interval.exact(np.nan), warning=NEITHER)
        return Change(percent, "both", "both saturate")
    less = (whole.max_utilization - split.max_utilization).interval
    if split.saturated:
        saturated, percent = "split", Interval.exact(np.inf)
        verdict = _verdict(less.above(0), False)
    else:
        saturated, percent = "whole", Interval.exact(-100.0)
        verdict = _verdict(False, less.below(0))
    warning = UNCERTAIN if verdict == "undecided" else ""
    return Change(replace(percent, warning=warning), saturated, verdict)


def _verdict(loses: bool | None, gains: bool | None) -> str:
    if loses:
        return "loses"
    return "gains" if gains else "undecided"


def lost(split: Responses, whole: Responses, group: str) -> Replications:
    """Return how much splitting increases a job group's mean response time in each run.

    The loss is the increase of the mean response time. It is infinite if only the split jobs are
    saturated. If the jobs are saturated without splitting, the loss is the decrease of the maximal
    utilization.
    """
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
    """Return the penalty at which splitting neither saves nor costs processor-hours, by run.

    Let ``s`` be the maximal utilization with split jobs and no penalty, ``w`` that without
    splitting, and ``f`` the share of the work in jobs that span clusters. The penalty is
    ``(s / w - 1) / f``. It is missing if no job spans clusters.

    Parameters
    ----------
    split : Scenario
        The scenario with split jobs.
    whole : Replications
        The maximal utilization without splitting, in each run.
    size : tuple of int
        The number of jobs in a run, and the number of runs.
    seed : int or SeedSequence
        The seed of the runs.
    """
    workload = replace(cast(SplitJobs, split.workload), span_penalty=0.0)
    without_penalty = split.with_(workload=workload)
    maximum = max_utilization(without_penalty, size, seed)
    jobs = max(size[0] // BOUND_DIVISOR, FEWEST)
    # Measure the share of the work in jobs that span clusters in a system whose queue is never
    # empty.
    full = without_penalty.simulate(jobs, seed=seed, backlog=HELD)
    share = full.jobs.work[full.spans].sum() / full.jobs.work.sum()
    warning = maximum.warning or whole.warning
    if not share:
        return Replications(np.full(size[1], np.nan), warning)
    return Replications((maximum.values / whole.values - 1) / share, warning)


# --- Conversion to and from rows of a table of runs ---


def rows_of_responses(
    found: Responses, times: Collection[str] = TIMES, **keys: float | None
) -> Iterator[dict[str, Any]]:
    """Yield table rows with the maximal utilization and the mean times of each job group.

    The rows of a job group have the mean times that `times` names. A saturated scenario has no rows
    of job groups. The `keys` are added to every row as columns.
    """
    yield from rows_of(found.max_utilization, "max_utilization", **keys, group=THE_SYSTEM)
    for group, response in found.response.items():
        samples = {name: getattr(found, name).get(group) for name in TIMES if name in times}
        for replication in range(len(response.values)):
            row: dict[str, Any] = keys | {"group": group, "replication": replication}
            for name, sample in samples.items():
                row[name] = None if sample is None else float(sample.values[replication])
            yield row | {"warning": response.warning}


def read_responses(runs: pd.DataFrame) -> Responses:
    """Read the maximal utilization and the mean response and waiting times from stored runs."""
    in_order = runs.sort_values("replication", kind="stable")
    samples: dict[str, dict[str, Replications]] = {name: {} for name in (*TIMES, "max_utilization")}
    for group, rows in in_order.groupby("group", sort=False):
        warning = rows["warning"].iloc[0]
        for name, by_group in samples.items():
            if name not in rows:  # The column is missing if all settings saturate.
                continue
            values = rows[name].to_numpy(dtype=float)
            if not np.isnan(values).any():
                by_group[str(group)] = Replications(values, warning)
    maximum = samples.pop("max_utilization")[THE_SYSTEM]
    return Responses(maximum, **samples)
