"""The comparison behind the playground: two computing centres, A and B, with the same jobs.

`scenario_of` makes a scenario from the values of the controls, `measure` simulates it, and
`by_size`, `over_load` and `break_even` compare two of them. Nothing in this module is a widget.

All times are in mean run times of the jobs, which the playground calls hours.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import BestFit, SingleThenSpan, WorstFit
from coalloc_lib.model.system import parse_clusters
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.schedules.metrics import by_width
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.inference import Replications, crossing, replicate, student
from coalloc_lib.statistics.saturation import replicated_traffic
from coalloc_lib.statistics.settling import halves, is_rising, warm_up_jobs
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: The names of the two centres.
SIDES = ("A", "B")
#: When a job may span clusters.
NEVER, ALWAYS, AT_NEED, ADAPTIVE = SPANS = ("never", "always", "at need", "adaptive")
#: The scheduling policies by name.
POLICIES: dict[str, Scheduling] = {
    "FCFS": FCFS(), "FPFS": FPFS(5), "EASY": EASY(), "conservative": Conservative(),
    "online": Online(slot=1.0, step=0.25, max_attempts=400, horizon=200.0),
}  # fmt: skip
#: The labels of the controls that each centre has, by the names of their values.
CONTROLS = {
    "clusters": "clusters", "policy": "policy", "max_jumps": "MaxJumps", "span": "span",
    "penalty": "penalty", "estimate": "users ask for ×",
}  # fmt: skip
#: The largest number of processors of a centre. In a larger one, the jobs of a run are too few to
#: fill the system before the run ends.
MOST = 512
#: The row of all jobs in a table by job size.
ALL = "all jobs"
#: The seed of all simulations.
SEED = 21
#: The offered loads of A at which a curve of response times has points.
LOADS = (0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
#: The smallest and the largest span penalty.
PENALTIES = (0.0, 1.0)
#: The number of waiting jobs that keep a system saturated, if the policy lets jobs overtake.
BACKLOG = 50
#: The largest load that is measured, as a share of the maximal utilization. The runs are too short
#: for a mean response time at higher loads.
NEAR = 0.95
#: The offered load that saturates a system whose policy books jobs when they are submitted.
OVERLOAD = 1.5
#: The confidence level at which response times must rise during the runs for a system to count as
#: near saturation.
RISING_LEVEL = 0.998


class Effort(NamedTuple):
    """How much is simulated.

    The number of jobs of a run, the number of runs, the number of jobs that saturate a system, the
    largest number of penalties at which the search for the break-even penalty simulates, and the
    number of threads (-1 for one per processor core).
    """

    jobs: int
    runs: int
    full: int
    budget: int
    workers: int


#: The effort while a control is being moved, and when it rests.
EFFORTS = (Effort(300, 4, 1_200, 5, 1), Effort(4_000, 8, 12_000, 14, -1))
#: The same for policies that plan every waiting job, whose simulations take longer.
PLANNED = (Effort(200, 4, 600, 5, 1), Effort(1_500, 8, 6_000, 14, -1))


def scenario_of(values: Mapping[str, Any], side: str) -> Scenario:
    """Return the scenario of one centre.

    Parameters
    ----------
    values : dict of str to object
        The values of the playground's controls, such as ``"sizes"`` and ``"A.clusters"``.
    side : {"A", "B"}
        The centre.

    Raises
    ------
    InputError
        If a text cannot be read, or if the centre has more than `MOST` processors.
    """
    clusters, policy, jumps, span, penalty, estimate = (values[f"{side}.{n}"] for n in CONTROLS)
    system = parse_clusters(clusters, f"{side}.clusters")
    if system.processors > MOST:
        raise InputError(
            f"{side}.clusters = {clusters!r}; give {MOST} processors at most, because a run has "
            "too few jobs for a larger system"
        )
    jobs = JobModel(parse_sizes(values["sizes"]), estimate=estimate)
    scheduling = FPFS(jumps) if policy == "FPFS" else POLICIES[policy]
    if span == NEVER:
        return Scenario(system, jobs.with_(request="total"), scheduling, BestFit())
    if span == ALWAYS:
        options: dict[str, Any] = {"rounding": "even", "span_penalty": penalty}
        split = SplitJobs(jobs, jobs.sizes.minimum - 1, len(system), **options)
        return Scenario(system, split, scheduling, WorstFit())
    scheduling = EASY(adaptive=True) if span == ADAPTIVE else scheduling
    flexible = jobs.with_(request="flexible", span_penalty=penalty)
    return Scenario(system, flexible, scheduling, SingleThenSpan())


@lru_cache(maxsize=512)
def capacity(scenario: Scenario, jobs: int) -> float:
    """Return the maximal utilization of a scenario by simulation.

    The time that the span penalty adds to the jobs does not count as utilization.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    jobs : int
        The number of simulated jobs.
    """
    if not scenario.scheduling.takes_backlog:
        schedule = scenario.simulate(jobs // 2, load=OVERLOAD, seed=SEED)
        last = schedule.jobs.submit[-1]
        return float(schedule.utilization_between([0.3 * last, last], net=True)[0])
    backlog = BACKLOG if scenario.scheduling.overtakes else None
    options: dict[str, Any] = {"jobs": jobs // 4, "replications": 4, "seed": SEED}
    return float(replicated_traffic(scenario, backlog=backlog, **options)[0].mean())


@lru_cache(maxsize=2048)
def measure(scenario: Scenario, load: float, effort: Effort) -> np.ndarray | str:
    """Return the mean waiting times and the mean run times of a scenario by job size.

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
    ndarray of shape (2, effort.runs, 1 + number of size groups), or str
        The mean waiting times and the mean run times of each run: first those of all jobs, then
        those of each size group, NaN if a run has no jobs of these sizes. If the system is
        saturated or nearly so, a text that says why there are no means.
    """
    carried = capacity(scenario, effort.full)
    if load > NEAR * carried:
        return f"{'past' if load > carried else 'near'} saturation: carries {carried:.2f}"
    edges, kept = _edges(scenario), slice(warm_up_jobs(effort.jobs), None)

    def one_run(seed):
        schedule = scenario.simulate(effort.jobs, load=load, seed=seed)
        times = np.column_stack([schedule.wait, schedule.end - schedule.start])[kept]
        group = np.searchsorted(edges, schedule.jobs.processors[kept])
        means = np.full((len(edges), 2), np.nan)
        for i in np.unique(group):
            means[i] = times[group == i].mean(axis=0)
        return np.vstack([halves(schedule.response[kept]), times.mean(axis=0), means])

    runs = replicate(one_run, effort.runs, SEED, workers=effort.workers)
    first_half, second_half = runs[:, 0, 0], runs[:, 0, 1]
    if not np.isfinite(runs[:, 0]).all():
        return "past saturation: jobs are rejected"
    if is_rising(first_half, second_half, RISING_LEVEL):
        return "near saturation: response times still rise"
    return np.moveaxis(runs[:, 1:], 2, 0)


def _edges(scenario):
    """Return the largest job size of each size group: powers of two."""
    return 2 ** np.arange((scenario.workload.sizes.maximum - 1).bit_length() + 1)


def loads_of(one: Scenario, other: Scenario, load: float) -> tuple[float, float]:
    """Return the offered loads of two scenarios when the same jobs arrive at both.

    The load of `one` is `load`. That of `other` is lower if its system is larger.
    """
    return load, load * one.system.processors / other.system.processors


def effort_for(*scenarios: Scenario, coarse: bool = False) -> Effort:
    """Return how much to simulate for scenarios that are compared; less if `coarse`."""
    plans = any(scenario.scheduling.promises_all for scenario in scenarios)
    return (PLANNED if plans else EFFORTS)[not coarse]


def by_size(one: Scenario, other: Scenario, load: float, coarse: bool = False) -> pd.DataFrame:
    """Compare the mean times of two scenarios for all jobs and for each group of job sizes.

    Parameters
    ----------
    one, other : Scenario
        The scenarios of A and of B, with jobs of the same sizes.
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
    pairs = zip((one, other), loads_of(one, other, load), strict=True)
    effort = effort_for(one, other, coarse=coarse)
    both = [measure(scenario, scaled, effort) for scenario, scaled in pairs]
    rows = []
    groups = by_width(one.sample(1), _edges(one)).categories
    for i, size in enumerate([ALL, *groups]):
        responses: list[Any] = [
            None if isinstance(times, str) else times[:, :, i].sum(axis=0) for times in both
        ]
        for side, times, response in zip(SIDES, both, responses, strict=True):
            row = {"load": load, "size": size, "scenario": side, "note": ""}
            if isinstance(times, str):
                rows.append(row | {"note": times})
            elif np.isfinite(response).all():
                row |= dict(zip(("wait", "run"), times[:, :, i].mean(axis=1), strict=True))
                rows.append(row | _columns(student(response), "response", "ci95_low", "ci95_high"))
        if all(response is not None and np.isfinite(response).all() for response in responses):
            change = student(np.log(responses[1] / responses[0])).in_percent()
            rows[-1] |= _columns(change, "change", "change_low", "change_high")
    names = "load size scenario wait run response ci95_low ci95_high change change_low change_high"
    return pd.DataFrame(rows).reindex(columns=[*names.split(), "note"])


def _columns(interval, *names):
    return dict(zip(names, (interval.estimate, interval.low, interval.high), strict=True))


@lru_cache(maxsize=256)
def over_load(one: Scenario, other: Scenario) -> pd.DataFrame:
    """Return the tables of `by_size` at all `LOADS` below each other."""
    return pd.concat([by_size(one, other, load) for load in LOADS])


@lru_cache(maxsize=256)
def break_even(scenario: Scenario, load: float) -> str:
    """Return the span penalty up to which spanning shortens the mean response time, in words.

    The same jobs without spanning are simulated for comparison.

    Parameters
    ----------
    scenario : Scenario
        A scenario whose jobs may span clusters.
    load : float
        The offered load.

    Returns
    -------
    str
        The break-even penalty with its 95 % interval, such as ``"0.21 [0.15, 0.27]"``, or a text
        that says why there is none.
    """
    jobs: Any = scenario.workload
    never_split = getattr(jobs, "model", jobs).with_(request="total", span_penalty=0.0)
    policy = EASY() if scenario.scheduling.adaptive else scenario.scheduling
    effort = effort_for(scenario)
    effort = effort._replace(jobs=effort.jobs // 2)
    try:
        whole = measure(Scenario(scenario.system, never_split, policy, BestFit()), load, effort)
    except InputError:
        return "none, because some jobs must span"

    def difference(penalty: float) -> Replications:
        penalized = scenario.with_(workload=jobs.with_(span_penalty=penalty))
        split = measure(penalized, load, effort)
        if isinstance(split, str):
            return Replications(np.full(effort.runs, np.inf))
        if isinstance(whole, str):
            return Replications(np.full(effort.runs, -np.inf))
        return Replications((split - whole)[:, :, 0].sum(axis=0))

    if isinstance(whole, str) and difference(0.0).mean > 0:
        return "unknown, because the system is saturated"
    found = crossing(difference, *PENALTIES, budget=effort.budget).interval
    if max(found.estimate, found.high) < 0.005:
        return "none: spanning does not pay"
    if np.isinf(found.estimate):
        return f"above {PENALTIES[1]:g}"
    return f"{found.estimate:.2f} [{max(found.low, 0):.2f}, {min(found.high, PENALTIES[1]):.2f}]"


def verdict(table: pd.DataFrame) -> str:
    """Return in words which centre responds sooner, or that the interval contains 0.

    Parameters
    ----------
    table : DataFrame
        The result of `by_size`.
    """
    rows = table[table["size"] == ALL].set_index("scenario")
    if (rows["note"] != "").any():
        return "; ".join(f"{side} is {note}" for side, note in rows["note"].items() if note)
    change, low, high = rows.loc["B", ["change", "change_low", "change_high"]]
    if low == high == 0:
        return "A and B serve these jobs alike"
    if low <= 0 <= high:
        return f"Undecided: B changes the response by {change:+.1f} % [{low:+.1f}, {high:+.1f}]"
    nearer, farther = sorted((abs(low), abs(high)))
    direction = "sooner" if high < 0 else "later"
    return f"B responds {abs(change):.1f} % {direction} than A [{nearer:.1f}, {farther:.1f}]"
