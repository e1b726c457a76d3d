"""Support the first notebook: the gain of overtaking, the exercises, and the leaderboard."""

from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML
from numpy.typing import NDArray

import coalloc_lib as co
from coalloc_lib.analytic import slotted_as_printed, slotted_utilization
from coalloc_lib.basics.checks import instance_of, shown
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics import paired_difference, pick
from lessons.teaching import (
    ANSWERS,
    checker,
    folded,
    follows,
    near,
    number_of,
    off_by,
    raised,
    ranked,
)
from studies.maximal_utilization import FOUR, pathological_loss, study
from studies.maximal_utilization.figures import FREEDOM_LABELS
from studies.maximal_utilization.model import MANY


def bought_back(freedoms: pd.DataFrame) -> HTML:
    """Return the table `gains_of_fifty` as HTML, in a section that the reader opens."""
    title = "The gain of FPFS(50), in percentage points and in percent of the loss"
    return folded(title, gains_of_fifty(freedoms))


def gains_of_fifty(freedoms: pd.DataFrame) -> pd.DataFrame:
    """Return how much FPFS(50) reduces the capacity loss, for each request type.

    Parameters
    ----------
    freedoms : DataFrame
        The table of the figure ``freedoms``.

    Returns
    -------
    DataFrame
        The reduction of the loss in percentage points of the capacity, and in percent of the loss.
    """
    by_policy = freedoms.pivot(index="request", columns="policy", values="capacity_loss")
    nobody, fifty = by_policy["FCFS"], by_policy[MANY]
    table = pd.DataFrame({"points": 100 * (nobody - fifty), "percent": 100 * (1 - fifty / nobody)})
    return table.loc[list(FREEDOM_LABELS)].rename(FREEDOM_LABELS).round(1)


#: The options of a guess: what part of a gain is left in a very long queue.
PARTS_LEFT = ("less than a tenth", "a tenth to a half", "more than half")


def gain_left(waiting: pd.DataFrame) -> str | None:
    """Return the part of the gain of FPFS(50) over FCFS that is left in a very long queue.

    The argument is the table of the figure ``waiting``. The gain of jobs from U[1,14] with 10,000
    waiting jobs is divided by that with 100. The result is one of `PARTS_LEFT`, or None if the
    intervals of the two gains do not decide it.
    """
    fifty = pick(waiting, policy=MANY, sizes="U[1,14]").set_index("waiting")
    few, many = (fifty.loc[number] for number in (100, 10_000))
    ends = many["ci95_low"] / few["ci95_high"], many["ci95_high"] / few["ci95_low"]
    low, high = (sum(end > edge for edge in (0.1, 0.5)) for end in ends)
    return PARTS_LEFT[low] if low == high else None


#: The values of FPFS's parameter MaxJumps that readers can choose in exercise 4.
JUMPS = (5, 20, 50, 100, 200)
#: Exercise 6 asks for an example in which equation (4) misses the capacity loss by more than this
#: value.
FAR_OFF = 0.20
#: The simulations of exercise 5 and of the leaderboard: the distribution of component sizes, the
#: number of waiting jobs that a policy sees, the number of jobs in a run, and the number of runs.
PROJECT, SEEN, JOBS, RUNS = "U[1,7]", 20, 800, 5


def _two_processors(answer: Any) -> str:
    right = co.maximal_utilization(co.Multicluster([2]), co.uniform(1, 2)).capacity_loss
    hint = "list the four pairs of sizes: in which of them do two jobs fit?"
    return near(answer, right, 0.002, hint, {"that is the share kept busy": 1 - right})


def _pathological_limit(answer: Any) -> str:
    small, large = 7, 15  # extrapolate the limit: the gap to it is proportional to 1/N
    ends = large * pathological_loss(5, large) - small * pathological_loss(5, small)
    hint = "how many jobs run at once, and what part of each cluster does one use?"
    right = ends / (large - small)
    return near(answer, right, 0.003, hint, {"that is the share kept busy": 1 - right})


def _clusters_past_a_quarter(answer: Any) -> str:
    given = number_of(answer)
    clusters, sizes = 1, co.uniform(1, 7)
    many = co.Multicluster.equal
    while co.maximal_utilization(many(clusters, 32), sizes).capacity_loss < 0.25:
        clusters += 1
    if given == clusters:
        return ""
    fewer = "a smaller number of clusters is enough, or your number is not valid"
    return fewer if given > clusters else "the loss grows with every further cluster, so try more"


def _jumps_for_ten_points(answer: Any) -> str:
    given = number_of(answer)
    model = co.JobModel(co.parse_sizes("U[1,14]"), len(FOUR))
    fcfs = co.saturated_loss(co.Scenario(FOUR, model), jobs=60_000).estimate
    for jumps in JUMPS:
        fpfs = co.saturated_loss(co.Scenario(FOUR, model, co.FPFS(jumps)), jobs=60_000).estimate
        if fcfs - fpfs >= 0.10:
            if given == jumps:
                return ""
            return "a lower limit is enough" if given > jumps else "it gains less than ten points"
    return "none of them gains ten points"


class _WidestFirst(co.Scheduling):
    def start_jobs(self, state: Any) -> None:
        for job in sorted(state.queue, key=lambda job: -job.processors):
            state.start(job)


def _widest_first(answer: Any) -> str:
    if not issubclass(answer if isinstance(answer, type) else type(answer), co.Scheduling):
        return "give your policy: a class that derives from co.Scheduling"
    jobs = co.JobModel(co.parse_sizes(PROJECT), len(FOUR)).sample(300, study.seed)
    options: dict[str, Any] = {"engine": "reference", "backlog": SEEN}
    try:
        policy = answer() if isinstance(answer, type) else answer
        own = co.simulate(FOUR, jobs, scheduling=policy, **options).start
    except co.InputError as error:
        return str(error)
    except Exception as error:  # the user's own code may raise any exception
        return raised(error)
    right = co.simulate(FOUR, jobs, scheduling=_WidestFirst(), **options).start
    if np.array_equal(own, right, equal_nan=True):
        return ""
    first = int(np.flatnonzero(own != right)[0]) + 1
    rule = "widest first, then all others that fit"
    return f"job {first} of a test starts at another instant: {rule}"


def _breaks_equation_4(answer: Any) -> str:
    if not isinstance(answer, co.SizeDistribution):
        return "give sizes, such as co.uniform(1, 4)"
    try:
        off = slotted_as_printed(8, answer) - slotted_utilization(8, answer).max_utilization
    except co.InputError as error:
        return str(error)
    return "" if off > FAR_OFF else f"it is off by {off:.3f}; what if one job fills the cluster?"


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 01."""
    result = study.judge(study.archived())
    fits = result.figure("figure6").data().dropna(subset="difference")
    sizes = result.figure("figure4").data().dropna(subset="difference").set_index("sizes")
    gains = pick(result.figure("waiting").data(), sizes="U[1,14]", policy="FPFS(50)")
    gains = gains.set_index("waiting")
    sentences = {
        "a": (
            bool((fits["difference_ci95_low"] <= 0).all()),
            "what is undecided is the meaning of two words; compare the bars of each pair",
        ),
        "b": (
            gains["ci95_low"][100] > gains["ci95_high"].drop(100).max(),
            "look at the intervals of all numbers of waiting jobs",
        ),
        "c": (
            bool((gains["ci95_low"] > 0.1).all()),
            "read the gain at the longest queue of the figure",
        ),
        "d": (
            sizes["difference_ci95_high"]["D(0.894)[1,32]"] < 0,
            "compare the two bars of these sizes",
        ),
        "e": (
            any(row.item == "MU-11" and row.verdict == "does not hold" for row in result.rows),
            "which data would decide it, and are they public?",
        ),
    }
    return follows(answer, sentences)


EXERCISES = {
    1: _two_processors,
    2: _pathological_limit,
    3: _clusters_past_a_quarter,
    4: _jumps_for_ten_points,
    5: _widest_first,
    6: _breaks_equation_4,
    7: _what_follows,
}
check = checker(EXERCISES)


def leaderboard(entries: dict[str, co.Placement | co.Scheduling]) -> pd.DataFrame:
    """Rank policies by their capacity loss on four clusters of 32, and compare them with worst fit.

    Parameters
    ----------
    entries : dict of Placement or Scheduling
        The policies by name. A placement is combined with FCFS, a scheduling policy with worst fit.

    Returns
    -------
    DataFrame
        A row for each policy: its loss; the difference from the loss of worst fit on the same jobs,
        with a 95 % confidence interval; whether it beats worst fit; and the longest waiting time,
        in mean service times.
    """
    instance_of("entries", entries, dict, "placements or scheduling policies by name")
    base, rows = None, []
    for name, entry in [("worst fit, FCFS", co.WorstFit()), *entries.items()]:
        losses, wait = _runs(entry)
        beside = {"minus worst fit": "", "beats it": ""}
        if base is not None:
            off = paired_difference(losses, base)
            beside = {"minus worst fit": off_by(off, digits=3), "beats it": ANSWERS[off.below(0)]}
        base = losses if base is None else base
        row = {"policy": str(name), "loss": round(float(losses.mean()), 3)}
        rows.append(row | beside | {"longest wait": round(wait, 1)})
    return ranked(rows, "loss")


def _runs(entry: Any) -> tuple[NDArray[np.float64], float]:
    kind = "placement" if isinstance(entry, co.Placement) else "scheduling"
    if not isinstance(entry, co.Placement | co.Scheduling):
        raise co.InputError(
            f"entry = {shown(entry)}; give a placement object, such as co.FirstFit()"
        )
    options: dict[str, Any] = {"scheduling": co.FCFS(), kind: entry}
    options |= {"engine": "reference", "backlog": SEEN}
    model = co.JobModel(co.parse_sizes(PROJECT), len(FOUR))
    seeds = spawn(study.seed, RUNS)
    schedules = [co.simulate(FOUR, model.sample(JOBS, seed), **options) for seed in seeds]
    for schedule in schedules:
        schedule.verify()
    losses = np.array([1 - schedule.utilization() for schedule in schedules])
    return losses, max(float(schedule.wait.max()) for schedule in schedules)
