"""Notebook 03: six jobs that splitting helps or hurts, exercises, and the leaderboard."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd

import coalloc_lib as co
from coalloc_lib.basics.checks import instance_of, one_of, shown
from coalloc_lib.experiments.saturation import replicated_traffic
from coalloc_lib.intervals import Sample, all_of, crossing
from coalloc_lib.model.placement import Placement
from lessons.teaching import ANSWERS, checker, held_against, near, off_by, ranked
from studies.communication_penalty import WHOLE, scenario, study

#: Six jobs on three clusters: when each comes, how long it runs, how many processors it has.
SYSTEM = co.Multicluster([8, 8, 8])
CASES = {
    "helps": ((0, 2, 2, 2, 4, 4), (6, 6, 4, 4, 2, 4), (2, 2, 4, 7, 3, 2)),
    "hurts": ((1, 2, 2, 2, 3, 4), (4, 6, 6, 2, 2, 2), (8, 5, 5, 3, 3, 6)),
}
#: Jobs of more processors are split into three components, and then run a quarter longer.
HALF_A_CLUSTER, PENALTY_OF_SIX = 4, 0.25
#: The penalty of the project.
PENALTY = 0.2
#: Jobs of a run in heavy traffic, and runs; jobs of a run of a response time.
BUSY, RUNS, RESPONDING = 5_000, 10, 10_000
#: Exercise 7: MaxJumps and the load.
HARM = 8, 0.7
AT_NEED = co.SingleThenSpan(co.WorstFit())
#: Rules of the project: above which size jobs come in components, and how they are placed.
KNOWN = {"never split": (19, co.WorstFit()), "always split above 10": (10, co.WorstFit()),
         "at need above 3": (3, AT_NEED)}  # fmt: skip


def _split(above: int = 10, psi: float = 0.0, max_jumps: int = 0, parts: int = 4) -> co.Scenario:
    return scenario(max_jumps, WHOLE.with_(above=above, parts=parts, span_penalty=psi))


@dataclass(frozen=True)
class Case:
    """The same six jobs, whole and with the large ones split, under first come, first served."""

    submit: tuple[int, ...]
    runtime: tuple[int, ...]
    processors: tuple[int, ...]

    @property
    def pair(self) -> list[co.Schedule]:
        """The schedules of the whole jobs and of the split ones."""
        split = [
            (n - 2 * (n // 3), n // 3, n // 3) if n > HALF_A_CLUSTER else (n, 0, 0)
            for n in self.processors
        ]
        whole = co.JobStream(self.submit, self.runtime, [[n] for n in self.processors])
        both = whole, whole.replace(components=split, span_penalty=PENALTY_OF_SIX)
        rules = {"scheduling": co.FCFS(), "placement": co.WorstFit()}
        return [co.simulate(SYSTEM, each, **rules) for each in both]

    @property
    def ratio(self) -> float:
        """Mean response time of the split jobs over that of the whole ones."""
        whole, split = self.pair
        return float(split.response.mean() / whole.response.mean())

    def player(self) -> co.Player:
        """Play both on one clock, whole above, and split below."""
        last = max(each.end.max() for each in self.pair)
        labels = (
            f"{name}: mean response {each.response.mean():.1f} h"
            for name, each in zip(("whole", "split"), self.pair, strict=True)
        )
        shown = dict(zip(labels, self.pair, strict=True))
        return co.Player(shown, unit="h", window=(0, float(last) + 1), now=5.0, idle=0.4)


def splitting_case(kind: str) -> Case:
    """Return the six jobs which splitting ``"helps"``, or ``"hurts"``."""
    return Case(*CASES[one_of("kind", kind, tuple(CASES))])


@lru_cache
def _max_utilization(asked: co.Scenario) -> Sample:
    busy, warning = replicated_traffic(asked, jobs=BUSY, replications=RUNS, seed=study.seed)
    return Sample(busy.mean(axis=1), warning)


def _slowest_link(answer: Any) -> str:
    right = 1 + 0.160 / 0.25
    hint = "the penalty is alpha times lambda; what is asked for is 1 + lambda"
    if abs(float(answer) - right + 1) < 0.011:
        hint = "that is lambda itself; what is asked for is a ratio of times"
    return near(answer, right, 0.011, hint)


def _jobs_of_one_size(answer: Any) -> str:
    sixteen = WHOLE.model.with_(sizes=co.uniform(16, 16))
    ways = (scenario(0, WHOLE.with_(model=sixteen, above=n)) for n in (16, 15))
    whole, split = (_max_utilization(each).mean for each in ways)
    hint = "count how many components fit into a cluster, and so how many jobs run at once"
    if abs(float(answer) - split / whole) < 0.005:
        hint = (
            "that is how much more is done at no penalty, as a ratio; take away what whole jobs do"
        )
    return near(answer, split / whole - 1, 0.005, hint)


def _penalty_alone(answer: Any) -> str:
    hint = "they wait alike, so only what the penalty adds to the run time differs"
    if abs(float(answer) - 0.15) < 0.006:
        hint = "that is the difference of the penalties, a share of the run time; how long is that?"
    return near(answer, 10 * 0.15, 0.06, hint)


def _how_many_components(answer: Any) -> str:
    maxima = {parts: _max_utilization(_split(parts=parts)) for parts in (2, 3, 4, 5)}
    top = max(maxima, key=lambda parts: maxima[parts].mean)
    sure = all((maxima[top] - maxima[n]).interval.above(0) for n in maxima if n != top)
    return "" if sure and answer == top else "give the number that saturates last, without penalty"


@lru_cache
def _later(psi: float) -> Sample:
    how = {"jobs": RESPONDING, "replications": RUNS, "seed": study.seed}
    both = _split(5, psi, 20), scenario(20)
    split, whole = (co.curves.response_times(each, 0.7, **how) for each in both)
    return Sample(split - whole)


def _threshold_of_more_jobs(answer: Any) -> str:
    hint = "split and whole jobs of one seed, their mean response times, and where these are alike"
    return near(answer, crossing(_later, 0.0, 0.4).interval.estimate, 0.025, hint)


def _threshold_at_need(answer: Any) -> str:
    def costs(psi: float) -> Sample:
        at_need = _split(psi=psi).with_(placement=AT_NEED)
        return _max_utilization(scenario(0)) - _max_utilization(at_need)

    hint = "compare the maximal utilization of whole jobs and of split ones, at several penalties"
    return near(answer, crossing(costs, 0.0, 0.6).interval.estimate, 0.02, hint)


@lru_cache
def harm(placement: Placement) -> Sample:
    """Return the ratio of mean response times with and without splitting, where half stay whole.

    Jobs above 10 are split into four without a penalty; the load and MaxJumps are those of `HARM`.
    """
    max_jumps, load = HARM
    how = {"jobs": 4 * RESPONDING, "replications": RUNS, "seed": study.seed}
    both = WHOLE.with_(above=10, kept_whole=0.5), WHOLE
    split, whole = (
        co.curves.response_times(scenario(max_jumps, jobs).with_(placement=placement), load, **how)
        for jobs in both
    )
    return Sample(split / whole)


def _is_it_worst_fit(answer: Any) -> str:
    best, worst = harm(co.BestFit()), harm(co.WorstFit())
    hint = "serve both the split jobs and the whole ones by best fit, and divide their means"
    slips = {
        "that is with worst fit; both sides need placement=co.BestFit()": worst.mean,
        "that is upside down: divide the mean with splitting by the mean without": 1 / best.mean,
        "that is the change; give the ratio": best.mean - 1,
    }
    return near(answer, best.mean, 0.025, hint, slips)


EXERCISES = dict(enumerate((_slowest_link, _jobs_of_one_size, _penalty_alone, _how_many_components,
                            _threshold_of_more_jobs, _threshold_at_need, _is_it_worst_fit),
                           start=1))  # fmt: skip
check = checker(EXERCISES)


def leaderboard(entries: dict[str, Placement]) -> pd.DataFrame:
    """Return placements, and three that are known, in the order of their maximal utilization.

    Jobs of more than three processors come in four components, under FCFS, at a penalty of 0.2; a
    placement with ``keeps_whole`` decides of each whether it is split. 95 % intervals on the same
    jobs say whether one beats the three, or the others of them.
    """
    instance_of("entries", entries, dict, "placements by name")
    rules = {name: _max_utilization(_split(above, PENALTY).with_(placement=rule))
             for name, (above, rule) in KNOWN.items()}  # fmt: skip

    def max_utilization_by(name: str, rule: Placement) -> Sample:
        if not isinstance(rule, Placement):
            raise co.InputError(f"entries[{name!r}] = {shown(rule)}; give an object: co.WorstFit()")
        engine = "compiled" if type(rule) in (co.WorstFit, co.SingleThenSpan) else "reference"
        return _max_utilization.__wrapped__(_split(3, PENALTY).with_(placement=rule, engine=engine))

    never, rows = rules["never split"], []
    for name, maximum, others in held_against(rules, entries, max_utilization_by):
        gain = "" if maximum is never else off_by((maximum - never).interval)
        beats = all_of(*((maximum - other).interval.above(0) for other in others))
        rows.append({"placement": name, "maximal utilization": round(maximum.mean, 4),
                     "more than never split": gain, "beats the three": ANSWERS[beats]})  # fmt: skip
    return ranked(rows, "maximal utilization", ascending=False)
