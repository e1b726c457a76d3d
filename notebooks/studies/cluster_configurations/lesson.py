"""Parts of notebook 02: folded figures, the checks of the exercises, and the leaderboard."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.plots import Picture
from coalloc_lib.statistics import Interval, Replications, interval_columns, pick, sample
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
from studies.cluster_configurations.divisions import TWO_AND_TWO
from studies.cluster_configurations.runs import SATURATED
from studies.logic import all_of
from studies.results import StudyResult

STANDARD = co.Scenario(co.Multicluster([32] * 4), FOUR)
#: In exercise 3, processors are moved from each of two clusters to the other two. `MOVED` has the
#: numbers of processors that can be moved. The maximal utilization must fall by less than `LOST`.
MOVED, LOST = (4, 8, 12, 16), 0.05
#: Exercise 4 and the project divide 128 processors into four, eight or sixteen equal clusters.
DIVIDED = (4, 8, 16)
#: The number of jobs in each run of the project, and the number of runs.
JOBS, RUNS = 2_000, 5
RULES = {"first fit": co.FirstFit(), "worst fit": co.WorstFit(), "best fit": co.BestFit()}


#: For each figure of the paper: the question that the figure answers, and the reason for the
#: answer.
QUESTIONS = {
    "figure3": (
        "Figure 3: equal or unequal clusters?",
        "A job with four components needs all four clusters, so the two small clusters set "
        "the limit.",
    ),
    "figure4": (
        "Figure 4: four clusters or eight, under first fit?",
        "First fit keeps whole clusters free, and eight clusters give it more choice than four.",
    ),
    "figure5a": (
        "Figure 5, top: which unequal clusters are best if the large ones are filled first?",
        "The number of clusters matters less than whether four sufficiently large ones remain.",
    ),
    "figure5b": (
        "Figure 5, bottom: which unequal clusters are best if the small ones are filled first?",
        "Small components occupy the small clusters, and then wide jobs do not fit.",
    ),
    "figure6": (
        "Figure 6: four clusters or eight, under worst fit?",
        "With more clusters than components, worst fit leaves a little room everywhere and enough "
        "nowhere.",
    ),
    "figure7": (
        "Figure 7: first fit or worst fit on few unequal clusters?",
        "If a job needs all clusters, it helps to keep room in each, as worst fit does. If "
        "there is a "
        "choice, it is better to keep some clusters free.",
    ),
    "figure8": (
        "Figure 8: first fit or worst fit on many unequal clusters?",
        "As on eight equal clusters, it is better to fill some clusters and keep others free.",
    ),
    "figure9": (
        "Figure 9: do fewer components, and therefore smaller jobs, help under first fit?",
        "A job with fewer components needs room in fewer clusters at the same time.",
    ),
    "figure10": (
        "Figure 10: do fewer components help under worst fit?",
        "The few wide jobs decide, because one at the head of the queue delays all jobs behind it.",
    ),
    "figure11": (
        "Figure 11: the same processors in one, two or four components, under first fit?",
        "A component of up to 32 processors rarely leaves room for another in its cluster. "
        "Mixtures "
        "with jobs of four components are worse: each kind occupies the room that the other needs.",
    ),
    "figure12": (
        "Figure 12: the same processors in one, two or four components, under worst fit?",
        "Only jobs that need every cluster gain if room is kept in each cluster.",
    ),
}


def folded(result: StudyResult, names: Iterable[str]) -> HTML:
    """Return figures as HTML, each collapsed below the question that it answers.

    The claims are named without their verdicts, so that a reader can guess first.
    """
    parts = []
    for name in names:
        question, why = QUESTIONS[name]
        figure = result.figure(name)
        claims = ", ".join(row.item for row in figure.verdicts)
        shown = figure._repr_mimebundle_()["text/html"]
        parts.append(
            f"<details><summary><b>{escape(question)}</b> {claims}</summary>"
            f"{shown}<p>{escape(why)}</p></details>"
        )
    return HTML("".join(parts))


def dividing(result: StudyResult) -> HTML:
    """Return the paper's Figures 3 to 8, on dividing processors into clusters, as HTML."""
    return folded(result, [*QUESTIONS][:7])


def components(result: StudyResult) -> HTML:
    """Return our Figures 9 to 12, which vary the number of components of a job, as HTML."""
    return folded(result, [*QUESTIONS][7:])


#: For each number of components, the workload in which every job has this number of components. The
#: total size of the jobs is the same in all these workloads.
OF_ONE_TOTAL = {
    "one": model.of_one_total(model.ONE_COMPONENT),
    "two": model.of_one_total(model.TWO_COMPONENTS),
    "four": model.FOUR_COMPONENTS,
}
BOTH = (model.FIRST_FIT, model.WORST_FIT)


def _on_standard(result: StudyResult, placement: str) -> pd.DataFrame:
    in_order = pick(result.runs, policy=model.IN_ORDER)
    return pick(figures.unordered(in_order, placement), system=model.STANDARD)


def most_of_one_total(result: StudyResult, placement: str = model.FIRST_FIT) -> str | None:
    """Return the number of components, as a word, that gives the highest maximal utilization.

    All jobs have the same total size. The answer is None if no number is certain to be the best.
    """
    runs = _on_standard(result, placement)
    for words, jobs in OF_ONE_TOTAL.items():
        others = [other for other in OF_ONE_TOTAL.values() if other != jobs]
        if all(compare_jobs(runs, jobs, other).max_utilization.above(0) for other in others):
            return words
    return None


def parts_picture(result: StudyResult) -> Picture:
    """Draw the maximal utilization of 4×32 by number of components and by placement.

    All jobs have the same total size.
    """
    rows = []
    for jobs in OF_ONE_TOTAL.values():
        for placement in BOTH:
            runs = pick(_on_standard(result, placement), measured=SATURATED, jobs=jobs)
            row = {"jobs": jobs.removesuffix(", one total"), "placement": placement}
            rows.append(row | interval_columns(sample(runs, "max_utilization").interval))
    shows = "maximal utilization of 4×32 with jobs of the same total size, by number of components"
    best = {placement: most_of_one_total(result, placement) for placement in BOTH}
    notice = ", ".join(f"{words} under {rule}" for rule, words in best.items() if words)
    title, subtitle = (
        (f"Number of components with the highest maximal utilization: {notice}", shows)
        if notice
        else (shows, "")
    )
    drawn = plots.bars(
        pd.DataFrame(rows), value="estimate", group="jobs", series="placement",
        xlabel="maximal utilization", look=plots.MEANINGS, title=title, subtitle=subtitle,
    )  # fmt: skip
    return plots.Picture(drawn, f"{title}. {subtitle}")


def _loss(scenario: co.Scenario, jobs: int, runs: int) -> Replications:
    busy, warning = replicated_traffic(scenario, jobs=jobs, replications=runs, seed=study.seed)
    return Replications(1 - busy.mean(axis=1), warning)


@lru_cache
def _gain(one: co.Scenario, other: co.Scenario, backlog: int | None = None) -> Interval:
    return co.compare(one, other, seed=study.seed, backlog=backlog)


def _break_even(system: co.Multicluster, jobs: co.JobModel, placement: str) -> float:
    setting = BreakEven("exercise", system, jobs, placement=placement)
    runs = study.run("quick", settings=[setting], workers=1)
    return float(figures.break_even(runs)["penalty"].item())


def _divided(clusters: int, rule: co.Placement) -> co.Scenario:
    system = co.Multicluster.equal(clusters, PROCESSORS // clusters)
    return STANDARD.with_(system=system, placement=rule)


def _slow_links(answer: Any) -> str:
    maximum = 1 - _loss(STANDARD, 20_000, 5).mean
    slips = {
        "that is the whole load, including the time that the penalty adds": maximum,
        "that is more than the load without a penalty": 1.4 * maximum,
        "you subtract the penalty from the load, but the penalty multiplies run times": maximum
        - 0.4,
        "give the fraction, and not percent": 100 * maximum / 1.4,
    }
    hint = "a job holds its processors for a longer time, but does the same work"
    return near(answer, maximum / 1.4, 0.005, hint, slips)


def _jobs_of_one_size(answer: Any) -> str:
    jobs = co.JobModel(co.parse_sizes("U[6,6]"), 3)
    right = _break_even(co.Multicluster([32] * 3), jobs, model.WORST_FIT)
    return _penalty(
        answer, right, 0.01, "count how many jobs run at once, with and without spanning"
    )


def _penalty(answer: Any, right: float, within: float, hint: str) -> str:
    slips = {
        "that is the ratio of spanning to whole jobs; the penalty is this ratio minus 1": 1 + right,
        "that is the ratio of whole to spanning jobs; take its inverse": 1 / (1 + right),
    }
    return near(answer, right, within, hint, slips)


def _unequal(moved: int) -> co.Scenario:
    system = co.Multicluster([32 + moved, 32 + moved, 32 - moved, 32 - moved])
    return STANDARD.with_(system=system)


def _how_unequal(answer: Any) -> str:
    answer = number_of(str(answer).rpartition("=")[2])
    if answer not in MOVED:
        return "give one of the four numbers in the question, such as 4"
    little = [m for m in MOVED if _gain(STANDARD, _unequal(m)).below(LOST)]
    if answer == max(little):
        return ""
    if answer > max(little):
        return "with this number the maximal utilization falls by five points or more"
    return "a larger number also loses less than five points"


def _where_best_fit_is_best(answer: Any) -> str:
    number = number_of(answer)
    best_fit_wins = []
    for clusters in DIVIDED:
        best = _divided(clusters, co.BestFit())
        others = [_divided(clusters, rule) for rule in (co.FirstFit(), co.WorstFit())]
        if all(_gain(best, other).above(0) for other in others):
            best_fit_wins.append(clusters)
    if number not in DIVIDED:
        return "give the number of clusters of one of the three systems"
    if [number] == best_fit_wins:
        return ""
    best = _divided(int(number), co.BestFit())
    rules = {"first fit": co.FirstFit(), "worst fit": co.WorstFit()}
    better = {
        name: _gain(best, _divided(int(number), rule)).above(0) for name, rule in rules.items()
    }
    found = " and ".join(name for name, is_better in better.items() if not is_better)
    return f"on {number:g} clusters, best fit is not surely better than {found}"


def _penalty_under_first_fit(answer: Any) -> str:
    right = _break_even(STANDARD.system, FOUR, model.FIRST_FIT)
    hint = "compare jobs of four components with the same jobs in one component, under first fit"
    worst_fit = _break_even(STANDARD.system, FOUR, model.WORST_FIT)
    is_worst_fit = near(answer, worst_fit, 0.01, "no") == ""
    hint = "that is the penalty under worst fit" if is_worst_fit else hint
    return _penalty(answer, right, 0.02, hint)


def _gap_that_overtaking_leaves(answer: Any) -> str:
    unequal = STANDARD.with_(system=SYSTEMS[model.PRINTED])
    overtaking = unequal.with_(scheduling=co.FPFS(50))
    right = _gain(STANDARD, overtaking, backlog=50).estimate
    hint = (
        "subtract the maximal utilization of 64+32+2×16 with jobs that overtake from that of "
        "4 × 32 without"
    )
    slips = {
        "that is in percentage points; give a share": 100 * right,
        "subtract the other way round": -right,
        # If jobs overtake on both systems or on neither, the difference is nearly the same.
        "only on the unequal clusters may jobs overtake":
            _gain(STANDARD, unequal, backlog=50).estimate,
    }  # fmt: skip
    return near(answer, right, 0.015, hint, slips)


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 02."""
    result = study.judge(study.archived())
    divided = pick(result.figure("divisions").data(), family=TWO_AND_TWO)
    worst, first = (pick(divided, way=way).set_index("m") for way in ("worst fit", "first fit"))
    ends = result.figure("break-even").data().query("policy == 'FCFS'").set_index("sizes")
    grows = [
        bool(part["penalty"].is_monotonic_increasing)
        for _, part in ends.sort_values("share").groupby("line")
    ]
    eight = pick(ends.reset_index(), line="8×32", sizes="U[1,4]")
    sentences = {
        "a": (
            worst["ci95_high"][4] < worst["ci95_low"][0] - 0.01,
            "certain and large are two questions; how many points is the difference?",
        ),
        "b": (all(grows), "follow each line from left to right"),
        "c": (
            first["ci95_low"].drop(0).max() > first["ci95_high"][0],
            "find the highest point of the line of first fit",
        ),
        "d": (bool((eight["ci95_low"] > 0.4).all()), "read the end of the line of eight clusters"),
        "e": (
            worst["ci95_low"][0] <= first["ci95_high"][0],
            "what is undecided is whether the claim means all divisions; look at equal clusters",
        ),
    }
    return follows(answer, sentences)


EXERCISES = {
    1: _slow_links,
    2: _jobs_of_one_size,
    3: _how_unequal,
    4: _where_best_fit_is_best,
    5: _penalty_under_first_fit,
    6: _gap_that_overtaking_leaves,
    7: _what_follows,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, co.Placement]) -> pd.DataFrame:
    """Rank placement policies by mean capacity loss over three divisions of 128 processors.

    Parameters
    ----------
    entries : dict of str to Placement
        Your placements, by name. The library's first fit, worst fit and best fit are added.

    Returns
    -------
    DataFrame
        A row for each placement, with its mean loss, the difference to the mean loss of first fit
        with its 95 % interval, and the loss on each division. Other columns say whether the 95 %
        intervals show a smaller loss of your placements than that of each of the library's, on
        average and on each division. All placements serve the same jobs.

    Raises
    ------
    InputError
        If `entries` is not a dictionary, or if a value in it is not a placement.
    """
    instance_of("entries", entries, dict, "placements by name")
    known = {name: _runs(name, rule) for name, rule in RULES.items()}
    rows = []
    for name, runs, others in held_against(known, entries, _runs):
        excess = (runs["mean"] - known["first fit"]["mean"]).interval
        row: dict[str, Any] = {"placement": name, "mean loss": round(runs["mean"].mean, 4)}
        row["minus first fit"] = "" if name == "first fit" else off_by(excess)
        for where, loss in runs.items():
            is_smaller = [(loss - other[where]).interval.below(0) for other in others]
            beats = ANSWERS[all_of(*is_smaller)] if name in entries else ""
            if where == "mean":
                row["beats the three"] = beats
            else:
                row |= {where: round(loss.mean, 3), f"beats them on {where}": beats}
        rows.append(row)
    return ranked(rows, "mean loss")


def _runs(name: str, rule: co.Placement) -> dict[str, Replications]:
    if not isinstance(rule, co.Placement):
        raise InputError(
            f"entries[{name!r}] = {shown(rule)} is not a placement; give an object such as "
            "FirstFit()"
        )
    engine = "compiled" if rule in RULES.values() else "reference"
    losses = {}
    for clusters in DIVIDED:
        scenario = _divided(clusters, rule).with_(engine=engine)
        losses[f"{clusters} × {PROCESSORS // clusters}"] = _loss(scenario, JOBS, RUNS)
    mean = np.mean([loss.values for loss in losses.values()], axis=0)
    reasons = (loss.warning for loss in losses.values() if loss.warning)
    return {"mean": Replications(mean, next(reasons, ""))} | losses
