"""The checks of the seven exercises of notebook 06, the playground."""

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
import pandas as pd

import coalloc_lib as co
from coalloc_lib.basics.checks import one_of
from coalloc_lib.statistics import Interval
from coalloc_lib.statistics.scenario_pairs import ALL, PENALTIES, break_even, by_size
from coalloc_lib.widgets.centres import scenario_of
from coalloc_lib.widgets.playground import playground_explorer
from lessons.teaching import checker, near, number_of

#: The largest accepted error of an answer to an exercise: POINTS percentage points if the answer is
#: a change, and PENALTY if the answer is a span penalty.
POINTS, PENALTY = 1.5, 0.03
#: The loads that exercise 5 tries, in this order.
LOADS = 0.3, 0.4, 0.5, 0.6, 0.7
#: The clusters of the centre of exercises 6 and 7, and the policies that exercise 6 compares.
CENTRE = co.Multicluster([8, 8, 8])
FCFS, EASY, ADAPTIVE = co.FCFS(), co.EASY(), co.EASY(adaptive=True)


def _values(**moved: Any) -> dict[str, Any]:
    values = dict(playground_explorer().values)
    names = {name.replace(".", "_"): name for name in values}
    for name in moved:
        one_of("control", name, tuple(names))
    return values | {names[name]: value for name, value in moved.items()}


def pays_up_to(**moved: Any) -> float:
    """Return the highest span penalty at which spanning pays at centre B of notebook 06.

    The result is 0 if the playground shows no such penalty. It is the largest penalty that the
    playground searches if spanning pays at this penalty too.

    Parameters
    ----------
    **moved
        The values of the controls that were moved, such as ``B_policy="EASY"``.

    Raises
    ------
    InputError
        If the playground has no control with one of the names.
    """
    interval = _break_even(**moved)
    if interval is None:
        return 0.0
    return round(min(max(interval.estimate, PENALTIES[0]), PENALTIES[1]), 2)


def _break_even(**moved: Any) -> Interval | None:
    values = _values(**moved)
    return break_even(scenario_of(values, "B"), values["load"]).interval


def changes(**moved: Any) -> pd.DataFrame:
    """Return by what percentage the mean response times at centre B differ from those at A.

    The table has a row for all jobs and one for each group of sizes, by the names of the
    playground's table. The columns ``change``, ``change_low`` and ``change_high`` are the change
    and the ends of its 95 % interval. The parameters and errors are those of `pays_up_to`.
    """
    values = _values(**moved)
    table = by_size(scenario_of(values, "A"), scenario_of(values, "B"), values["load"])
    return table[table["scenario"] == "B"].set_index("size")


def change(**moved: Any) -> pd.Series:
    """Return the row of all jobs of `changes`."""
    return changes(**moved).loc[ALL]


def surely_sooner(**moved: Any) -> list[str]:
    """Return the groups of sizes that respond sooner at B, with intervals that do not contain 0.

    The parameters and errors are those of `pays_up_to`.
    """
    groups = changes(**moved).drop(index=ALL)
    return [*groups.index[groups["change_high"] < 0]]


def surely_later_from(size: str, **moved: Any) -> float:
    """Return the first of `LOADS` at which a group of sizes responds later at B for certain.

    The result is infinite if it does so at no load. The other parameters and the errors are those
    of `pays_up_to`.
    """
    later = (load for load in LOADS if changes(load=load, **moved).loc[size, "change_low"] > 0)
    return next(later, inf)


def shorter_response(**moved: Any) -> str:
    """Return which centre of notebook 06 has the shorter mean response time.

    The result is ``"neither"`` if the 95 % interval of the difference contains 0. The parameters
    and errors are those of `pays_up_to`.
    """
    found = change(**moved)
    if found["change_high"] < 0:
        return "B"
    return "A" if found["change_low"] > 0 else "neither"


def _backfilled(answer: Any) -> str:
    hint = "choose EASY for B, wait for the fine picture, and read its break-even penalty"
    slips = {"give a penalty such as 0.3, not percent": 100 * pays_up_to(B_policy="EASY")}
    interval = _break_even(B_policy="EASY")
    if interval is not None and interval.low - 0.005 <= number_of(answer) <= interval.high + 0.005:
        return ""  # The playground prints the interval with two digits.
    return near(answer, pays_up_to(B_policy="EASY"), PENALTY, hint, slips)


def _both_backfilled(answer: Any) -> str:
    answer = {"a": "A", "b": "B", "Neither": "neither"}.get(str(answer).strip(), answer)
    one_of("answer", answer, ("A", "B", "neither"))
    right = shorter_response(A_policy="EASY", B_policy="EASY")
    hint = "choose EASY for A too, leave the penalty as it is, and read the sentence in bold"
    return "" if answer == right else hint


def _one_cluster(answer: Any) -> str:
    found = change(B_clusters="24", B_span="never")
    slips = {
        "this is the change with its sign; give the percentage without it": found["change"],
        "give the percentage, such as 12, and not the fraction": -found["change"] / 100,
    }
    hint = "set the clusters of B to 24 and its span to never, and read how much sooner B responds"
    return near(answer, -found["change"], POINTS, hint, slips)


#: Two equal centres under EASY, without spanning.
EQUAL = {"A_policy": "EASY", "B_policy": "EASY", "B_span": "never"}


def _long_requests(answer: Any) -> str:
    answer = answer.split(",") if isinstance(answer, str) else answer
    if not isinstance(answer, list | tuple | set):
        return 'give a list of sizes as the table writes them, such as ["1", "5-8"]'
    right = surely_sooner(**EQUAL, B_estimate=5.0)
    hint = "both centres need EASY, and B never spans; look at the ends of each interval"
    given = {str(each).strip().replace("–", "-") for each in answer}  # a dash for a hyphen
    return "" if given == {*right} else hint


def _booked(answer: Any) -> str:
    right = surely_later_from("1", **EQUAL | {"B_policy": "online"})
    hint = "look at the row of the jobs of one processor; its interval must lie above 0"
    if number_of(answer) > right:
        hint = "a lower load is enough; begin at 0.3, and go up in steps of 0.1"
    return near(answer, right, 0.01, hint)


@lru_cache
def _samples() -> list[co.JobStream]:
    """Return the ten samples of jobs of the last figure of notebook 06."""
    model = co.JobModel(co.uniform(1, 8), request="total")
    samples = [model.sample(10_000, seed=seed, rate=1.0) for seed in range(1, 11)]
    return [sample.with_load(system=CENTRE, load=0.6) for sample in samples]


@lru_cache
def _mean_response(policy: co.Scheduling, penalty: float | None = None) -> float:
    how: dict[str, Any] = {"system": CENTRE, "scheduling": policy}
    spanning = {} if penalty is None else {"span_penalty": penalty}
    way = co.sites.sharing if penalty is None else co.sites.multi_site
    return float(
        np.mean([way(jobs=each, **how, **spanning).response.mean() for each in _samples()])
    )


def _adaptive_gain(answer: Any) -> str:
    today, easy = (_mean_response(policy) for policy in (FCFS, EASY))
    adaptive, at_once = (_mean_response(policy, 0.25) for policy in (ADAPTIVE, EASY))
    slips = {
        "this is the mean response itself: give by how much it falls": adaptive,
        "subtract the other way round: today minus the new mean": adaptive - today,
        "this is the gain if a job spans whenever no cluster has room: use adaptive=True":
            today - at_once,
        "this is the gain of EASY without spanning: let jobs span": today - easy,
        "this is the gain over EASY without spanning: compare with today, which is FCFS":
            easy - adaptive,
    }  # fmt: skip
    hint = "subtract ways_mean with co.EASY(adaptive=True) and span_penalty=0.25 from that of FCFS"
    return near(answer, today - adaptive, 0.006, hint, slips)


class _ShortestFirst(co.Scheduling):
    """Start the waiting jobs that fit, the shortest first, and promise nothing."""

    def start_jobs(self, state: Any) -> None:
        for job in sorted(state.queue, key=lambda job: job.runtime):
            state.start(job)


@lru_cache
def _longest_waits(policy: co.Scheduling) -> np.ndarray:
    runs = (co.sites.sharing(CENTRE, jobs, scheduling=policy) for jobs in _samples())
    return np.array([run.wait.max() for run in runs])


#: The policy of exercise 7. It is made only once, because `_longest_waits` keeps its result.
SHORTEST_FIRST = _ShortestFirst()


def _longest_wait(answer: Any) -> str:
    waits = _longest_waits(SHORTEST_FIRST)
    slips = {
        "this is the longest wait of all: take that of each sample, and average": waits.max(),
        "this is the wait under EASY: give that under your policy": _longest_waits(EASY).mean(),
        "this is the wait under FCFS: sort the queue by the run time":
            _longest_waits(FCFS).mean(),
        "this is the mean response: take the longest wait": _mean_response(SHORTEST_FIRST),
    }  # fmt: skip
    hint = "does your policy begin with the shortest job? Then average run.wait.max()"
    return near(answer, waits.mean(), 0.06, hint, slips)


check = checker({
    1: _backfilled, 2: _both_backfilled, 3: _one_cluster, 4: _long_requests, 5: _booked,
    6: _adaptive_gain, 7: _longest_wait,
})  # fmt: skip
