"""Two scenarios on the same jobs: mean times by job size, over the load, and by span penalty.

`by_size`, `over_load` and `break_even` compare two scenarios with paired runs; `mean_times` has the
times of one scenario. All times are in the time unit of the workload, which by default is the mean
run time of the jobs.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    ImpossibleJobError,
    InputError,
    instance_of,
    offered_load,
    shown,
    whole,
)
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.model.placement import BestFit
from coalloc_lib.policies import EASY
from coalloc_lib.schedules.metrics import width_edges, width_names
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario, check_scenario
from coalloc_lib.statistics.inference import Replications, crossing, replicate, student
from coalloc_lib.statistics.saturation import replicated_traffic, utilization_at_overload
from coalloc_lib.statistics.settling import halves, is_rising, warm_up_jobs
from coalloc_lib.workloads.models import JobModel

#: The names of the two scenarios in tables that compare them.
SIDES = ("A", "B")
#: The row label for all jobs together, in a table with one row per group of job sizes.
ALL = "all jobs"
#: The seed of all simulations.
SEED = 21
#: The offered loads at which the response times of two scenarios are compared. They refer to the
#: first scenario (A).
LOADS = (0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
#: The range of span penalties in which the break-even penalty is searched.
PENALTIES = (0.0, 1.0)
#: The constant number of waiting jobs in a simulation of a saturated system, if the policy lets
#: jobs overtake other jobs. It is smaller than `saturation.HELD`, because the runs are short and a
#: longer queue needs more jobs to settle. On 4 × 32 under EASY, FPFS(50) and conservative
#: backfilling, runs of 3,000 and of 200,000 jobs gave the same maximal utilization to within 0.001.
#: A queue of `HELD` jobs instead changed the maximal utilization by up to 0.02.
BACKLOG = 50
#: The largest offered load that is simulated, as a fraction of the maximal utilization. At higher
#: loads, the runs are too short to estimate a mean response time.
NEAR = 0.95
#: The confidence level of the test whether response times rise during the runs. If they rise, the
#: system counts as nearly saturated.
RISING_LEVEL = 0.998


class Effort(NamedTuple):
    """How many jobs and runs are simulated to compare two scenarios.

    Attributes
    ----------
    jobs, runs : int
        The number of jobs of a run, and the number of runs.
    full : int
        The number of jobs that are simulated to find the maximal utilization.
    budget : int
        The largest number of penalties at which the search for the break-even penalty simulates.
    workers : int
        The number of threads, or -1 for one per processor core.
    """

    jobs: int
    runs: int
    full: int
    budget: int
    workers: int


#: The numbers of jobs and runs that are simulated for a coarse and for a precise comparison of two
#: scenarios.
EFFORTS = (Effort(300, 4, 1_200, 5, 1), Effort(4_000, 8, 12_000, 14, -1))
#: The numbers of jobs and runs for a coarse and for a precise comparison of two scenarios, if a
#: policy plans a start for every waiting job. The numbers are lower than those for other policies,
#: because such planning is slow to simulate.
PLANNED = (Effort(200, 4, 600, 5, 1), Effort(1_500, 8, 6_000, 14, -1))


class MeanTimes(NamedTuple):
    """The mean waiting and run times of a scenario's jobs, or the reason why they are unknown.

    `runs` has the mean waiting times and the mean run times of each run: first those of all jobs,
    then those of each size group, which are NaN if the run has no jobs of these sizes. Its shape is
    (2, number of runs, 1 + number of size groups). If there are no means, it is None, and `note`
    says why.
    """

    runs: NDArray[np.float64] | None
    note: str = ""

    def responses(self, group: int) -> NDArray[np.float64] | None:
        """Return the mean response time of one group of job sizes in each run, or None.

        The result is None if a run has no mean response time for this group.
        """
        if self.runs is None or not np.isfinite(self.runs[:, :, group]).all():
            return None
        return self.runs[:, :, group].sum(axis=0)


class BreakEven(NamedTuple):
    """The break-even span penalty of two scenarios, or the reason why it is unknown.

    Up to the break-even penalty, spanning shortens the mean response time.

    The interval has infinite values if spanning pays up to the largest penalty that is searched.
    """

    interval: Interval | None
    note: str = ""


def capacity(scenario: Scenario, jobs: int) -> float:
    """Estimate the maximal utilization of a scenario by simulation.

    The time that the span penalty adds to the jobs does not count as utilization.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    jobs : int
        The number of simulated jobs.
    """
    check_scenario("scenario", scenario)
    return _capacity(scenario, whole("jobs", jobs, least=8))


@lru_cache(maxsize=512)
def _capacity(scenario: Scenario, jobs: int) -> float:
    if not scenario.scheduling.takes_backlog:
        return utilization_at_overload(scenario, jobs=jobs // 2, seed=SEED)
    backlog = BACKLOG if scenario.scheduling.overtakes else None
    options: dict[str, Any] = {"jobs": jobs // 4, "replications": 4, "seed": SEED}
    return float(replicated_traffic(scenario, backlog=backlog, **options)[0].mean())


def mean_times(scenario: Scenario, load: float, effort: Effort) -> MeanTimes:
    """Simulate a scenario, and return the mean waiting and run times of its jobs by job size.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    load : float
        The offered load.
    effort : Effort
        How much is simulated.

    Returns
    -------
    MeanTimes
        The times, or a note if the system is saturated or nearly so.
    """
    _check_sizes("scenario", scenario)
    offered_load(load)
    instance_of("effort", effort, Effort, "effort_for(scenario)")
    return _mean_times(scenario, load, effort)


@lru_cache(maxsize=2048)
def _mean_times(scenario: Scenario, load: float, effort: Effort) -> MeanTimes:
    carried = capacity(scenario, effort.full)
    if load > NEAR * carried:
        side = "past" if load > carried else "near"
        return MeanTimes(None, f"{side} saturation: carries {carried:.2f}")
    runs = replicate(
        _one_run(scenario, load, effort.jobs), effort.runs, SEED, workers=effort.workers
    )
    first_half, second_half = runs[:, 0, 0], runs[:, 0, 1]
    if not np.isfinite(runs[:, 0]).all():
        return MeanTimes(None, "past saturation: jobs are rejected")
    if is_rising(first_half, second_half, RISING_LEVEL):
        return MeanTimes(None, "near saturation: response times still rise")
    runs.setflags(write=False)  # The result is cached.
    return MeanTimes(np.moveaxis(runs[:, 1:], 2, 0))


def _one_run(scenario, load, jobs):
    edges, kept = width_edges(scenario.workload.sizes.maximum), slice(warm_up_jobs(jobs), None)

    def one_run(seed):
        schedule = scenario.simulate(jobs, load=load, seed=seed)
        times = np.column_stack([schedule.wait, schedule.end - schedule.start])[kept]
        group = np.searchsorted(edges, schedule.jobs.processors[kept])
        means = np.full((len(edges), 2), np.nan)
        for i in np.unique(group):
            means[i] = times[group == i].mean(axis=0)
        return np.vstack([halves(schedule.response[kept]), times.mean(axis=0), means])

    return one_run


def loads_of(one: Scenario, other: Scenario, load: float) -> tuple[float, float]:
    """Return the offered loads that the same jobs cause in two systems of different sizes.

    The load of `one` is `load`. That of `other` is lower if its system is larger.
    """
    check_scenario("one", one)
    check_scenario("other", other)
    offered_load(load)
    return load, load * one.system.processors / other.system.processors


def effort_for(*scenarios: Scenario, coarse: bool = False) -> Effort:
    """Return how many jobs and runs to simulate in a comparison of the given scenarios.

    If `coarse` is true, the numbers are lower.
    """
    for scenario in scenarios:
        check_scenario("scenarios", scenario)
    plans = any(scenario.scheduling.promises_all for scenario in scenarios)
    return (PLANNED if plans else EFFORTS)[not coarse]


def by_size(one: Scenario, other: Scenario, load: float, coarse: bool = False) -> pd.DataFrame:
    """Compare the mean waiting, run and response times of two scenarios by job size.

    Parameters
    ----------
    one, other : Scenario
        The scenarios A and B, with jobs of the same sizes.
    load : float
        The offered load of `one`. The same jobs arrive at `other`.
    coarse : bool
        Whether to simulate less, which is faster and less precise.

    Returns
    -------
    DataFrame
        A row for each group of sizes and each scenario: the mean waiting, run and response times,
        the 95 % interval of the response time and, in the rows of B, the change from A to B in
        percent with its interval. The column ``note`` says why a system has no mean times.
    """
    _check_same_jobs(one, other)
    pairs = zip((one, other), loads_of(one, other, load), strict=True)
    effort = effort_for(one, other, coarse=coarse)
    both = [mean_times(scenario, scaled, effort) for scenario, scaled in pairs]
    largest: int = one.workload.sizes.maximum  # type: ignore[attr-defined]
    groups = width_names(width_edges(largest))
    rows = []
    for i, size in enumerate([ALL, *groups]):
        of_group = [
            {"load": load, "size": size, "scenario": side, **_row(times, i)}
            for side, times in zip(SIDES, both, strict=True)
            if times.note or times.responses(i) is not None
        ]
        first, second = (times.responses(i) for times in both)
        if first is not None and second is not None:
            change = student(np.log(second / first)).in_percent()
            of_group[-1] |= _columns(change, "change", "change_low", "change_high")
        rows += of_group
    names = "load size scenario wait run response ci95_low ci95_high change change_low change_high"
    return pd.DataFrame(rows).reindex(columns=[*names.split(), "note"])


def _check_sizes(name, scenario):
    check_scenario(name, scenario)
    if not hasattr(scenario.workload, "sizes"):
        raise InputError(
            f"{name} has the workload {shown(scenario.workload)}, which has no distribution of job "
            "sizes; give a scenario with a JobModel"
        )
    if isinstance(scenario.workload, JobModel) and scenario.workload.components > 1:
        # The distribution is that of one component, and jobs are grouped by their processors.
        raise InputError(
            f"{name} has jobs of {scenario.workload.components} components; give a JobModel whose "
            "jobs have one component"
        )


def _check_same_jobs(one, other):
    _check_sizes("one", one)
    _check_sizes("other", other)
    largest, others = (each.workload.sizes.maximum for each in (one, other))
    if largest != others:
        raise InputError(
            f"other has jobs of up to {others} processors, and one has jobs of up to {largest}; "
            "give two scenarios with jobs of the same sizes"
        )
    sizes = (each.workload.sizes.probabilities for each in (one, other))
    models = (getattr(each.workload, "model", each.workload) for each in (one, other))
    service = [getattr(model, "service", None) for model in models]
    for what, is_same in (
        ("job sizes", np.array_equal(*sizes)),
        ("service times", service[0] == service[1]),
    ):
        if not is_same:
            raise InputError(
                f"other has another distribution of {what} than one; give two scenarios with the "
                "same jobs"
            )


def _row(times, group):
    response = times.responses(group)
    if response is None:
        return {"note": times.note}
    wait, run = times.runs[:, :, group].mean(axis=1)
    ends = _columns(student(response), "response", "ci95_low", "ci95_high")
    return {"note": "", "wait": wait, "run": run, **ends}


def _columns(interval, *names):
    return dict(zip(names, (interval.estimate, interval.low, interval.high), strict=True))


def over_load(one: Scenario, other: Scenario) -> pd.DataFrame:
    """Compare the mean times of two scenarios at each load in `LOADS`, and return one table."""
    _check_same_jobs(one, other)
    return _over_load(one, other).copy()


@lru_cache(maxsize=256)
def _over_load(one: Scenario, other: Scenario) -> pd.DataFrame:
    return pd.concat([by_size(one, other, load) for load in LOADS], ignore_index=True)


def break_even(scenario: Scenario, load: float) -> BreakEven:
    """Find the highest span penalty at which spanning shortens the mean response time.

    The mean response time is compared with that of the same jobs without spanning.

    Parameters
    ----------
    scenario : Scenario
        A scenario whose jobs may span clusters.
    load : float
        The offered load.
    """
    _check_sizes("scenario", scenario)
    offered_load(load)
    return _break_even(scenario, load)


@lru_cache(maxsize=256)
def _break_even(scenario: Scenario, load: float) -> BreakEven:
    jobs: Any = scenario.workload
    never_split = getattr(jobs, "model", jobs).with_(request="total", span_penalty=0.0)
    policy = scenario.scheduling
    if isinstance(policy, EASY):
        policy = replace(policy, adaptive=False)
    try:
        refuse_impossible(scenario.system, never_split.largest(), BestFit())
    except ImpossibleJobError:
        return BreakEven(None, "none, because some jobs must span")
    effort = effort_for(scenario)
    effort = effort._replace(jobs=effort.jobs // 2)
    unsplit = mean_times(Scenario(scenario.system, never_split, policy, BestFit()), load, effort)

    def difference(penalty: float) -> Replications:
        penalized = scenario.with_(workload=jobs.with_(span_penalty=penalty))
        return _difference(mean_times(penalized, load, effort), unsplit, effort.runs)

    if unsplit.note and difference(0.0).mean > 0:
        return BreakEven(None, "unknown, because the system is saturated")
    return BreakEven(crossing(difference, *PENALTIES, budget=effort.budget).interval)


def _difference(split, unsplit, runs):
    if split.runs is None:
        return Replications(np.full(runs, np.inf))
    if unsplit.runs is None:
        return Replications(np.full(runs, -np.inf))
    return Replications((split.runs - unsplit.runs)[:, :, 0].sum(axis=0))
