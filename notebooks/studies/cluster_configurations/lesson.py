"""The second notebook: its folded figures, the checks of its exercises, and the leaderboard."""

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.experiments import interval_columns, pick, sample
from coalloc_lib.experiments.saturation import replicated_traffic
from coalloc_lib.intervals import Interval, Sample, all_of
from coalloc_lib.plots import Picture
from lessons.teaching import ANSWERS, checker, held_against, near, off_by, ranked
from studies.cluster_configurations import (
    FOUR,
    PROCESSORS,
    SYSTEMS,
    BreakEven,
    figures,
    model,
    study,
)
from studies.cluster_configurations.claims import compare_jobs
from studies.cluster_configurations.runs import SATURATED
from studies.pages import MARKS
from studies.shown import StudyResult

STANDARD = co.Scenario(co.Multicluster([32] * 4), FOUR)
#: Exercise 3: processors moved from each of two clusters to the other two, and what may be lost.
MOVED, LOST = (4, 8, 12, 16), 0.05
#: Exercise 4 and the project: divisions of 128 processors; the project: jobs of a run, and runs.
DIVIDED, JOBS, RUNS = (4, 8, 16), 2_000, 5
RULES = {"first fit": co.FirstFit(), "worst fit": co.WorstFit(), "best fit": co.BestFit()}


#: Of each figure of the paper: what it asks, and why it comes out as it does.
ASKED = {
    "figure3": (
        "Figure 3: equal or unequal clusters?",
        "A job of four components needs all four clusters, so the two small ones set the limit.",
    ),
    "figure4": (
        "Figure 4: four clusters or eight, under first fit?",
        "First fit keeps whole clusters free, and with eight there are more to keep free.",
    ),
    "figure5a": (
        "Figure 5, top: which unequal clusters, the large ones filled first?",
        "What counts is whether four clusters of sufficient size remain, not how many there are.",
    ),
    "figure5b": (
        "Figure 5, bottom: the same, the small ones filled first?",
        "Small components take the small clusters, and wide jobs miss them.",
    ),
    "figure6": (
        "Figure 6: four clusters or eight, under worst fit?",
        "With more clusters than components, worst fit leaves a little room everywhere and enough "
        "nowhere.",
    ),
    "figure7": (
        "Figure 7: which unequal clusters, under worst fit?",
        "Where all clusters are needed, worst fit keeps room in each; where there is a choice, "
        "sparing some wins.",
    ),
    "figure8": (
        "Figure 8: first fit or worst fit on many unequal clusters?",
        "As on eight equal ones: filling some clusters and sparing others wins.",
    ),
    "figure9": (
        "Figure 9: fewer components, and so smaller jobs, under first fit?",
        "A job of fewer components needs fewer clusters to have room at once.",
    ),
    "figure10": (
        "Figure 10: the same under worst fit?",
        "The few wide jobs decide: one at the head of the queue holds up all jobs behind it.",
    ),
    "figure11": (
        "Figure 11: the same processors in one, two or four components, under first fit?",
        "A component of up to 32 rarely finds another beside it. Mixed with jobs of four it is "
        "worse still: each kind spoils the room that the other needs.",
    ),
    "figure12": (
        "Figure 12: the same under worst fit?",
        "Only jobs that need every cluster gain from keeping room in each.",
    ),
}


def folded(result: StudyResult, asked: Mapping[str, tuple[str, str]]) -> HTML:
    """Return figures by name, each under its question and its verdicts; a click opens it."""
    parts = []
    for name, (question, why) in asked.items():
        figure = result.figure(name)
        verdicts = ", ".join(f"{MARKS[row.verdict][1]} {row.item}" for row in figure.verdicts)
        shown = figure._repr_mimebundle_()["text/html"]
        parts.append(
            f"<details><summary><b>{escape(question)}</b> {verdicts}</summary>"
            f"{shown}<p>{escape(why)}</p></details>"
        )
    return HTML("".join(parts))


def dividing(result: StudyResult) -> HTML:
    """Return Figures 3 to 8, on how to divide, each behind a click."""
    return folded(result, dict(list(ASKED.items())[:7]))


def components(result: StudyResult) -> HTML:
    """Return Figures 9 to 12, on the number of components, each behind a click."""
    return folded(result, dict(list(ASKED.items())[7:]))


#: The jobs of one total, by their number of components.
OF_ONE_TOTAL = {
    "one": model.of_one_total(model.ONE_COMPONENT),
    "two": model.of_one_total(model.TWO_COMPONENTS),
    "four": model.FOUR_COMPONENTS,
}
BOTH = (model.FIRST_FIT, model.WORST_FIT)


def _on_standard(result: StudyResult, placement: str) -> pd.DataFrame:
    """Return the runs on 4×32 under a placement."""
    in_order = pick(result.runs, policy=model.IN_ORDER)
    return pick(figures.unordered(in_order, placement), system=model.STANDARD)


def most_of_one_total(result: StudyResult, placement: str = model.FIRST_FIT) -> str | None:
    """Return which of one, two and four components of one total for certain carry most."""
    runs = _on_standard(result, placement)
    for words, jobs in OF_ONE_TOTAL.items():
        others = [other for other in OF_ONE_TOTAL.values() if other != jobs]
        if all(compare_jobs(runs, jobs, other).max_utilization.above(0) for other in others):
            return words
    return None


def parts_picture(result: StudyResult) -> Picture:
    """Draw what 4 x 32 can carry of jobs of one total, by their components and the placement."""
    rows = []
    for jobs in OF_ONE_TOTAL.values():
        for placement in BOTH:
            runs = pick(_on_standard(result, placement), measured=SATURATED, jobs=jobs)
            row = {"jobs": jobs.removesuffix(", one total"), "placement": placement}
            rows.append(row | interval_columns(sample(runs, "max_utilization").interval))
    shows = "maximal utilization of 4×32 with jobs of one total, by their number of components"
    best = {placement: most_of_one_total(result, placement) for placement in BOTH}
    notice = ", ".join(f"{words} under {rule}" for rule, words in best.items() if words)
    title, subtitle = (
        (f"The number of components that carries most: {notice}", shows) if notice else (shows, "")
    )
    drawn = plots.bars(
        pd.DataFrame(rows), value="estimate", group="jobs", series="placement",
        xlabel="maximal utilization", look=plots.MEANINGS, title=title, subtitle=subtitle,
    )  # fmt: skip
    return plots.Picture(drawn, f"{title}. {subtitle}")


def _loss(scenario: co.Scenario, jobs: int, runs: int) -> Sample:
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=study.seed)
    return Sample(1 - busy.mean(axis=1), warning)


@lru_cache
def _more(one: co.Scenario, other: co.Scenario, backlog: int | None = None) -> Interval:
    return co.compare(one, other, seed=study.seed, backlog=backlog)


def _break_even(system: co.Multicluster, jobs: co.JobModel, placement: str) -> float:
    setting = BreakEven("exercise", system, jobs, placement=placement)
    runs = study.run("quick", settings=[setting], workers=1)
    return float(figures.break_even(runs)["penalty"].item())


def _divided(clusters: int, rule: co.Placement) -> co.Scenario:
    system = co.Multicluster.equal(clusters, PROCESSORS // clusters)
    return STANDARD.with_(system=system, placement=rule)


def _slow_links(answer: Any) -> str:
    carried = 1 - _loss(STANDARD, 20_000, 5).mean
    slips = {
        "that is all of the load, with what the penalty adds": carried,
        "that is more than without a penalty": 1.4 * carried,
        "that takes the penalty off the load, but jobs run longer by a factor": carried - 0.4,
    }
    hint = "a job holds its processors longer, for the same work"
    return near(answer, carried / 1.4, 0.005, hint, slips)


def _jobs_of_one_size(answer: Any) -> str:
    jobs = co.JobModel(co.parse_sizes("U[6,6]"), 3)
    right = _break_even(co.Multicluster([32] * 3), jobs, model.WORST_FIT)
    return _penalty(answer, right, 0.01, "count how many jobs run at once: spanning, and whole")


def _penalty(answer: Any, right: float, within: float, hint: str) -> str:
    factor = "that is how many times as long they may run; the penalty is what exceeds 1"
    other = "that is whole over spanning; turn it round"
    return near(answer, right, within, hint, {factor: 1 + right, other: 1 / (1 + right)})


def _unequal(moved: int) -> co.Scenario:
    system = co.Multicluster([32 + moved, 32 + moved, 32 - moved, 32 - moved])
    return STANDARD.with_(system=system)


def _how_unequal(answer: Any) -> str:
    little = [m for m in MOVED if _more(STANDARD, _unequal(m)).below(LOST)]
    if answer not in MOVED:
        return "give one of the four that are named"
    wrong = "it loses five points or more" if answer > max(little) else "a larger one does, too"
    return "" if answer == max(little) else wrong


def _where_best_fit_is_best(answer: Any) -> str:
    best = {n: _divided(n, co.BestFit()) for n in DIVIDED}
    others = co.FirstFit(), co.WorstFit()
    won = [n for n in best if all(_more(best[n], _divided(n, o)).above(0) for o in others)]
    hint = "give the number of clusters where both others saturate earlier for certain"
    return "" if [answer] == won else hint


def _penalty_under_first_fit(answer: Any) -> str:
    right = _break_even(STANDARD.system, FOUR, model.FIRST_FIT)
    hint = "four components, or their sum in one, both under first fit"
    return _penalty(answer, right, 0.02, hint)


def _gap_that_overtaking_leaves(answer: Any) -> str:
    equal = STANDARD.with_(scheduling=co.FPFS(10))
    unequal = equal.with_(system=SYSTEMS[model.PRINTED])
    right = _more(equal, unequal, backlog=50).estimate
    hint = "the maximal utilization of 4 × 32 less that of 64+32+2×16, both with jobs that overtake"
    slips = {"that is in points; give a share": 100 * right, "subtract the other way round": -right}
    return near(answer, right, 0.015, hint, slips)


EXERCISES = {
    1: _slow_links,
    2: _jobs_of_one_size,
    3: _how_unequal,
    4: _where_best_fit_is_best,
    5: _penalty_under_first_fit,
    6: _gap_that_overtaking_leaves,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, co.Placement]) -> pd.DataFrame:
    """Return placements, by name, in order of their mean capacity loss over three divisions of 128.

    The three of the library are among them. Each has the mean loss; that less the mean loss of
    first fit on the same jobs, with its 95 % interval; and whether it beats the library's three
    (the others of them) by such intervals, on average and on each division, with the loss there.
    """
    instance_of("entries", entries, dict, "placements by name")
    known = {name: _runs(name, rule) for name, rule in RULES.items()}
    rows = []
    for name, runs, others in held_against(known, entries, _runs):
        off = (runs["mean"] - known["first fit"]["mean"]).interval
        row: dict[str, Any] = {"placement": name, "mean loss": round(runs["mean"].mean, 4)}
        row["less first fit"] = "" if name == "first fit" else off_by(off)
        for where, loss in runs.items():
            beats = ANSWERS[all_of(*((loss - each[where]).interval.below(0) for each in others))]
            if where == "mean":
                row["beats the three"] = beats
            else:
                row |= {where: round(loss.mean, 3), f"beats them on {where}": beats}
        rows.append(row)
    return ranked(rows, "mean loss")


def _runs(name: str, rule: co.Placement) -> dict[str, Sample]:
    """Return the loss of each run on each division, and on average."""
    if not isinstance(rule, co.Placement):
        raise InputError(f"entries[{name!r}] = {shown(rule)}; give an object, such as FirstFit()")
    engine = "compiled" if rule in RULES.values() else "reference"
    losses = {}
    for clusters in DIVIDED:
        scenario = _divided(clusters, rule).with_(engine=engine)
        losses[f"{clusters} × {PROCESSORS // clusters}"] = _loss(scenario, JOBS, RUNS)
    mean = np.mean([loss.values for loss in losses.values()], axis=0)
    reasons = (loss.warning for loss in losses.values() if loss.warning)
    return {"mean": Sample(mean, next(reasons, ""))} | losses
