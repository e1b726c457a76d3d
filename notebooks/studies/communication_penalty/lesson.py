"""Parts of notebook 03: two small examples, the checks of the exercises, and the leaderboard."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
from scipy import stats

import coalloc_lib as co
from coalloc_lib.basics.checks import instance_of, one_of, shown
from coalloc_lib.model.placement import Placement
from coalloc_lib.statistics import Replications, crossing
from coalloc_lib.statistics.saturation import replicated_traffic
from lessons.teaching import (
    ANSWERS,
    checker,
    follows,
    held_against,
    near,
    number_of,
    off_by,
    ranked,
)
from studies.communication_penalty import WHOLE, scenario, study
from studies.logic import all_of

#: Two examples, each with six jobs on three clusters: the submit times, the run times and the
#: numbers of processors of the jobs. Splitting large jobs shortens the mean response time in one
#: example and lengthens it in the other.
SYSTEM = co.Multicluster([8, 8, 8])
CASES = {
    "helps": ((0, 2, 2, 2, 4, 4), (6, 6, 4, 4, 2, 4), (2, 2, 4, 7, 3, 2)),
    "hurts": ((1, 2, 2, 2, 3, 4), (4, 6, 6, 2, 2, 2), (8, 5, 5, 3, 3, 6)),
}
#: In the two examples with six jobs, each job with more than four processors is split into three
#: components, and the penalty is 0.25.
HALF_A_CLUSTER, PENALTY_OF_SIX = 4, 0.25
#: The penalty of the project.
PENALTY = 0.2
#: The sizes of the simulations: `BUSY` is the number of jobs in a run that measures the maximal
#: utilization, `RUNS` is the number of runs, and `RESPONDING` is the number of jobs in a run that
#: measures response times.
BUSY, RUNS, RESPONDING = 5_000, 10, 10_000
#: MaxJumps and the load in exercise 7.
HARM = 8, 0.7
AT_NEED = co.SingleThenSpan(co.WorstFit())
#: The three splitting rules that readers get at the start of the notebook's project. Each rule has
#: a size in processors and a placement policy; only jobs larger than this size may be split.
KNOWN = {
    "never split": (19, co.WorstFit()),
    "always split above 10": (10, co.WorstFit()),
    "at need above 3": (3, AT_NEED),
}


def _split(above: int = 10, psi: float = 0.0, max_jumps: int = 0, parts: int = 4) -> co.Scenario:
    return scenario(max_jumps, WHOLE.with_(above=above, parts=parts, span_penalty=psi))


@dataclass(frozen=True)
class Case:
    """An example with six jobs under FCFS, simulated with and without splitting large jobs.

    `submit`, `runtime` and `processors` have a value for each job. Times are in hours.
    """

    submit: tuple[int, ...]
    runtime: tuple[int, ...]
    processors: tuple[int, ...]

    @property
    def pair(self) -> list[co.Schedule]:
        """Two schedules of the six jobs: without splitting, and with large jobs split."""
        split = [
            (n - 2 * (n // 3), n // 3, n // 3) if n > HALF_A_CLUSTER else (n, 0, 0)
            for n in self.processors
        ]
        whole = co.JobStream(self.submit, self.runtime, [[n] for n in self.processors])
        both = whole, whole.replace(components=split, span_penalty=PENALTY_OF_SIX)
        rules = {"scheduling": co.FCFS(), "placement": co.WorstFit()}
        return [co.simulate(SYSTEM, jobs, **rules) for jobs in both]

    @property
    def ratio(self) -> float:
        """The mean response time with splitting, divided by that without splitting."""
        whole, split = self.pair
        return float(split.response.mean() / whole.response.mean())

    def player(self) -> co.Player:
        """Return a player that animates two schedules: without splitting above, with splitting
        below.
        """
        last = max(schedule.end.max() for schedule in self.pair)
        schedules = {
            f"{name}: mean response {schedule.response.mean():.1f} h": schedule
            for name, schedule in zip(("whole", "split"), self.pair, strict=True)
        }
        return co.Player(schedules, unit="h", window=(0, float(last) + 1), now=1.9, idle=0)


def splitting_case(kind: str) -> Case:
    """Return the example in which splitting large jobs helps, or the one in which it hurts.

    `kind` is ``"helps"`` or ``"hurts"``.

    Raises
    ------
    InputError
        If `kind` is neither of the two.
    """
    return Case(*CASES[one_of("kind", kind, tuple(CASES))])


@lru_cache
def _max_utilization(scenario: co.Scenario) -> Replications:
    busy, warning = replicated_traffic(scenario, jobs=BUSY, replications=RUNS, seed=study.seed)
    return Replications(busy.mean(axis=1), warning)


def _slowest_link(answer: Any) -> str:
    right = 1 + 0.160 / 0.25
    hint = "the penalty is alpha times lambda; the question asks for 1 + lambda"
    if abs(number_of(answer) - right + 1) < 0.011:
        hint = "that is lambda itself; the question asks for a ratio of times"
    return near(answer, right, 0.011, hint)


def _jobs_of_one_size(answer: Any) -> str:
    sixteen = WHOLE.model.with_(sizes=co.uniform(16, 16))
    scenarios = (scenario(0, WHOLE.with_(model=sixteen, above=above)) for above in (16, 15))
    whole, split = (_max_utilization(each).mean for each in scenarios)
    hint = "count how many components fit into a cluster; this tells how many jobs run at once"
    if abs(number_of(answer) - split / whole) < 0.005:
        hint = "that is the ratio of the work done with and without splitting; subtract 1 from it"
    return near(answer, split / whole - 1, 0.005, hint)


def _penalty_alone(answer: Any) -> str:
    hint = "the jobs wait equally long, so only the time that the penalty adds to a run differs"
    if abs(number_of(answer) - 0.15) < 0.006:
        hint = "that is the difference of the penalties, a share of the run time; how long is that?"
    return near(answer, 10 * 0.15, 0.06, hint)


def _how_many_components(answer: Any) -> str:
    number = number_of(answer)
    maxima = {parts: _max_utilization(_split(parts=parts)) for parts in (2, 3, 4, 5)}
    best = max(maxima, key=lambda parts: maxima[parts].mean)
    others = [maximum for parts, maximum in maxima.items() if parts != best]
    is_sure = all((maxima[best] - other).interval.above(0) for other in others)
    hint = "compare carries(0, above=10, parts=parts) for each number of parts"
    return "" if is_sure and number == best else hint


@lru_cache
def _delay(psi: float) -> Replications:
    options = {"jobs": 2 * RESPONDING, "replications": RUNS, "seed": study.seed}
    both = _split(5, psi, 20), scenario(20)
    split, whole = (co.curves.response_times(each, 0.7, **options) for each in both)
    return Replications(split - whole)


def _threshold_of_more_jobs(answer: Any) -> str:
    hint = (
        "simulate split and whole jobs with the same seed, and find the penalty at which their "
        "mean response times are equal"
    )
    return near(answer, crossing(_delay, 0.0, 0.4).interval.estimate, 0.01, hint)


@lru_cache
def _pays_up_to(placement: Placement | None) -> float:
    def costs(psi: float) -> Replications:
        split = _split(psi=psi) if placement is None else _split(psi=psi).with_(placement=placement)
        return _max_utilization(scenario(0)) - _max_utilization(split)

    return crossing(costs, 0.0, 0.6).interval.estimate


def _threshold_at_need(answer: Any) -> str:
    hint = "compare the maximal utilizations with and without splitting, at several penalties"
    slips = {"that is the penalty if these jobs are always split; split at need": _pays_up_to(None)}
    return near(answer, _pays_up_to(AT_NEED), 0.02, hint, slips)


@lru_cache
def harm(placement: Placement) -> Replications:
    """Return the ratio of the mean response time with splitting to that without (exercise 7).

    Half of the jobs with more than 10 processors are split into four components, without a penalty.
    The other half cannot be split. `HARM` has MaxJumps and the load.
    """
    max_jumps, load = HARM
    options = {"jobs": 4 * RESPONDING, "replications": RUNS, "seed": study.seed}
    both = WHOLE.with_(above=10, kept_whole=0.5), WHOLE
    split, whole = (
        co.curves.response_times(
            scenario(max_jumps, jobs).with_(placement=placement), load, **options
        )
        for jobs in both
    )
    return Replications(split / whole)


def _is_it_worst_fit(answer: Any) -> str:
    best, worst = harm(co.BestFit()), harm(co.WorstFit())
    hint = "place the jobs by best fit, with and without splitting, and divide the two means"
    slips = {
        "that is the answer for worst fit; both sides need placement=co.BestFit()": worst.mean,
        "that is the inverse: divide the mean with splitting by the mean without": 1 / best.mean,
        "that is the relative change; give the ratio": best.mean - 1,
    }
    return near(answer, best.mean, 0.025, hint, slips)


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 03."""
    result = study.judge(study.archived())
    ratios = result.figure("figure1-ratios").data().query("parts == 4")
    spread, groups = (result.figure(name).data() for name in ("figure5", "figure6"))
    excluded = int(((spread["ci95_low"] > 1) | (spread["ci95_high"] < 1)).sum())
    waits = groups.pivot_table(index=["max_jumps", "above"], columns="group", values="wait")
    ends = ratios.query("group == 'stream' and psi == 0.15").set_index("max_jumps")
    sentences = {
        "a": (
            excluded > stats.binom.ppf(0.95, len(spread), 0.05),
            f"how many of {len(spread)} intervals would exclude the true value by chance?",
        ),
        "b": (
            bool((ratios.query("group == 'S1' and psi == 0.2")["ci95_high"] < 1).all()),
            "look at the line of S1 at this penalty in each panel",
        ),
        "c": (
            bool((waits["C4"] > 1.02 * waits["C1"]).any()),
            "a response is a wait and a run; which of the two differs?",
        ),
        "d": (
            bool(
                (groups.query("group == 'C1'")["ci95_high"] < 1).all()
                and (groups.query("group == 'C4'")["ci95_low"] > 1).all()
            ),
            "compare the lines of both groups with the dashed line",
        ),
        "e": (
            ends["ci95_high"][8] < 1 < ends["ci95_low"][100],
            "look at the line of all jobs at this penalty in both panels",
        ),
    }
    return follows(answer, sentences)


EXERCISES = {
    1: _slowest_link,
    2: _jobs_of_one_size,
    3: _penalty_alone,
    4: _how_many_components,
    5: _threshold_of_more_jobs,
    6: _threshold_at_need,
    7: _is_it_worst_fit,
    8: _what_follows,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, Placement], penalty: float = PENALTY) -> pd.DataFrame:
    """Rank placement policies by their maximal utilization.

    Jobs with more than three processors have four components. The policy is FCFS. A placement with
    the attribute ``keeps_whole`` decides for each job whether it is split.

    Parameters
    ----------
    entries : dict of str to Placement
        Your placements, by name. The three rules in `KNOWN` are added.
    penalty : float
        The penalty of a split job.

    Returns
    -------
    DataFrame
        A row for each placement, with its maximal utilization and the difference to that without
        splitting. For your placements, the last column says whether the 95 % intervals show a
        higher maximal utilization than that of every rule in `KNOWN`. All placements serve the same
        jobs.

    Raises
    ------
    InputError
        If `entries` is not a dictionary, or if a value in it is not a placement.
    """
    instance_of("entries", entries, dict, "placements by name")
    rules = {
        name: _max_utilization(_split(above, penalty).with_(placement=rule))
        for name, (above, rule) in KNOWN.items()
    }

    def max_utilization_by(name: str, rule: Placement) -> Replications:
        if not isinstance(rule, Placement):
            raise co.InputError(
                f"entries[{name!r}] = {shown(rule)} is not a placement; give an object such as "
                "co.WorstFit()"
            )
        engine = "compiled" if type(rule) in (co.WorstFit, co.SingleThenSpan) else "reference"
        # Call the uncached function, because a placement class written by the user may change or
        # may not be hashable.
        return _max_utilization.__wrapped__(_split(3, penalty).with_(placement=rule, engine=engine))

    never = rules["never split"]
    rows = []
    for name, maximum, others in held_against(rules, entries, max_utilization_by):
        gain = "" if maximum is never else off_by((maximum - never).interval)
        beats = all_of(*((maximum - other).interval.above(0) for other in others))
        row = {
            "placement": name,
            "maximal utilization": round(maximum.mean, 4),
            "more than never split": gain,
            "beats every rule of the notebook": ANSWERS[beats] if name in entries else "",
        }
        rows.append(row)
    return ranked(rows, "maximal utilization", ascending=False)
