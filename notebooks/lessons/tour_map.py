"""The map of the tour: at which loads and penalties spanning shortens the mean response time.

Jobs of three clusters either stay whole, or span clusters if no cluster has room for them. All
times are in mean run times of the jobs.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import product

import joblib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.statistics import Interval, MaxUtilization, student
from coalloc_lib.statistics.curves import response_sample
from coalloc_lib.statistics.maximum import max_utilization_by_simulation

SYSTEM = co.Multicluster([8, 8, 8])
#: The placement policies for jobs that stay in one cluster, and for jobs that may span clusters.
WHOLE, SPANNING = co.BestFit(), co.SingleThenSpan()
POLICIES = {
    "FCFS": co.FCFS(), "FPFS(5)": co.FPFS(5), "EASY": co.EASY(),
    "EASY, adaptive": co.EASY(adaptive=True),
}  # fmt: skip
#: The policy under which a job spans clusters only if it then ends earlier than it would whole.
ADAPTIVE = "EASY, adaptive"
#: The options of the question under which policies spanning pays, by the names of the policies.
PAYS_UNDER = {
    (): "under none of them", ("FCFS",): "under FCFS only",
    ("FCFS", "FPFS(5)"): "under FCFS and FPFS(5)",
    ("FCFS", "FPFS(5)", "EASY"): "under all three",
}  # fmt: skip
#: The offered loads and the span penalties that are simulated for the map of spanning.
LOADS, PENALTIES = (0.3, 0.5, 0.6, 0.7), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
#: The largest offered load that is simulated, as a fraction of the maximal utilization. Higher
#: loads would need longer runs.
NEAR = 0.95
#: How each combination of policy, load and penalty is simulated: the number of runs, the number of
#: jobs in a run, and the seed.
RUNS, LENGTH, SEED = 8, 10_000, 21


@dataclass(frozen=True)
class Spanning:
    """A workload of random jobs that request only a number of processors and may span clusters.

    Parameters
    ----------
    penalty : float, optional
        A job that spans clusters runs ``1 + penalty`` times as long. Without a penalty, no job
        spans clusters.
    model : JobModel
        The model of the sizes and the run times.
    """

    penalty: float | None = None
    model: co.JobModel = field(default_factory=lambda: co.JobModel(co.uniform(1, 8)))

    @property
    def mean_work(self) -> float:
        """The mean work of a job: processors times run time, without the span penalty."""
        return self.model.mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> co.JobStream:
        """Sample random jobs; `coalloc_lib.JobModel.sample` explains the parameters."""
        jobs = self.model.sample(count, seed, rate)
        if self.penalty is None:
            return jobs.replace(request="total")
        return jobs.replace(request="flexible", span_penalty=self.penalty)


def scenario(policy: str, penalty: float | None = None) -> co.Scenario:
    """Return a scenario with three clusters and a scheduling policy, with or without spanning.

    No job spans clusters if there is no penalty.
    """
    placement = WHOLE if penalty is None else SPANNING
    return co.Scenario(SYSTEM, Spanning(penalty), POLICIES[policy], placement)


@cache
def limit(policy: str, penalty: float | None = None) -> MaxUtilization:
    """Return the maximal utilization of three clusters under a scheduling policy.

    The time that the penalty adds to the run times does not count as utilization.
    """
    return max_utilization_by_simulation(scenario(policy, penalty), jobs=40_000, seed=SEED)


@cache
def responses(policy: str, load: float, penalty: float | None = None) -> NDArray[np.float64] | None:
    """Return the mean response time in each simulation run, or None if the load is too high."""
    maximum = limit(policy, penalty)
    if load > NEAR * maximum.interval.low:
        return None
    options = {"jobs": LENGTH, "replications": RUNS, "seed": SEED}
    return response_sample(scenario(policy, penalty), load, maximum=maximum, **options).values


def where_spanning_pays() -> pd.DataFrame:
    """Return a table of the percentage change in mean response time if jobs may span clusters.

    It has a row for each cell of the map: a policy, a load and a penalty.
    """
    penalties = None, *PENALTIES
    parallel = joblib.Parallel(n_jobs=-1, prefer="threads")
    # Compute the maximal utilizations before the mean response times. Several loads need the same
    # maximal utilization, and two threads would both compute it, because `cache` does not wait for
    # a call in another thread.
    parallel(joblib.delayed(limit)(*case) for case in product(POLICIES, penalties))
    parallel(joblib.delayed(responses)(*cell) for cell in product(POLICIES, LOADS, penalties))
    rows = []
    for policy, load, penalty in product(POLICIES, LOADS, PENALTIES):
        whole, split = responses(policy, load), responses(policy, load, penalty)
        cell = {"policy": policy, "load": f"{load:g}", "penalty": f"{penalty:g}"}
        rows.append(cell | _change(whole, split))
    return pd.DataFrame(rows)


def pays_under(table: pd.DataFrame, load: float, penalty: float) -> str | None:
    """Find in the map under which policies spanning surely shortens the mean response time.

    Adaptive spanning is left out. `table` is made by `where_spanning_pays`. The result is one of
    `PAYS_UNDER`, or None if none of them fits.
    """
    here = table[(table["load"] == f"{load:g}") & (table["penalty"] == f"{penalty:g}")]
    gains = here[(here["ci95_high"] < 0) & (here["policy"] != ADAPTIVE)]
    return PAYS_UNDER.get(tuple(gains["policy"]))


def map_picture(table: pd.DataFrame) -> plots.Picture:
    """Draw the map of loads and span penalties at which spanning pays, with a text version."""
    cells = table[["policy", "load"]].drop_duplicates().itertuples(index=False)
    rows = (
        f"{policy} at load {load}: pays up to {pays_up_to_in_words(policy, float(load))}"
        for policy, load in cells
    )
    return plots.Picture(draw_map(table), rows=rows)


def draw_map(table: pd.DataFrame) -> Figure:
    """Draw the map of loads and span penalties at which spanning pays, with a panel per policy."""
    return plots.maps(
        table, x="penalty", y="load", value="change", panel="policy", mark="mark",
        xlabel="penalty of spanning", ylabel="load", values="change of the mean response, %",
        title="The better the queue is served, the less is left for spanning to gain",
        subtitle="three clusters of 8; line: gain turns to loss; hatched: undecided; "
        "∞: too much to do",
    )  # fmt: skip


def pays_up_to() -> pd.DataFrame:
    """Return a table of break-even span penalties, as strings, by policy and load."""
    rows = {
        policy: {f"load {load:g}": pays_up_to_in_words(policy, load) for load in LOADS}
        for policy in POLICIES
    }
    return pd.DataFrame(rows).T.rename_axis("spanning pays up to")


def break_even(policy: str, load: float) -> Interval:
    """Return the largest span penalty at which spanning shortens the mean response time.

    The change is interpolated linearly between the cells of the map. The result is NaN if whole
    jobs have no mean response time, or if the map does not contain the change from gain to loss.
    """
    if responses(policy, load) is None:
        return Interval.exact(np.nan)
    penalties, changes = _changes(policy, load)
    if not len(penalties) or changes[-1].min() <= 0 or changes[0].max() >= 0:
        return Interval.exact(np.nan)
    # The function `np.interp` needs values that increase with the penalty, but random errors can
    # make some of them decrease.
    rising = np.maximum.accumulate(changes)
    return student([np.interp(0.0, run, penalties) for run in rising.T])


def _changes(policy: str, load: float) -> tuple[list[float], np.ndarray]:
    whole = responses(policy, load)
    split = {penalty: responses(policy, load, penalty) for penalty in PENALTIES}
    ratios = {p: np.log(runs / whole) for p, runs in split.items() if runs is not None}
    return [*ratios], np.array([*ratios.values()])


def _change(whole, split):
    if whole is None or split is None:
        both = whole is None and split is None
        mark = "neither" if both else "shorter" if whole is None else "longer"
        return dict.fromkeys(("change", "ci95_low", "ci95_high"), np.nan) | {"mark": mark}
    found = student(np.log(split / whole)).in_percent()
    return {"change": found.estimate, "ci95_low": found.low, "ci95_high": found.high, "mark": ""}


def change_in_words(policy: str, load: float, penalty: float) -> str:
    """Return how much spanning changes the mean response time, as a string with an interval."""
    cell = _change(responses(policy, load), responses(policy, load, penalty))
    low, high = cell["ci95_low"], cell["ci95_high"]
    return f"{cell['change']:+.1f} % [{low:+.1f}, {high:+.1f}]".replace("-", "\u2212")


def pays_up_to_in_words(policy: str, load: float) -> str:
    """Return the break-even span penalty as a string with an interval.

    If the simulated penalties do not contain it, the text says what is known.
    """
    found = break_even(policy, load)
    if not np.isnan(found.estimate):
        return f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"
    if responses(policy, load) is None:
        return "every penalty at which the system can carry the load, since whole jobs cannot"
    penalties, changes = _changes(policy, load)
    gains = [p for p, runs in zip(penalties, changes, strict=True) if student(runs).high < 0]
    return f"{max(gains):g} at least" if gains else "no penalty for certain"
