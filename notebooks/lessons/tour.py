"""The tour: twenty jobs under six schedulers, and the law that explains their schedules.

The map of the tour is made by `tour_map`, and its decision chart by `tour_decision`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import ipywidgets as ipw
import numpy as np
import pandas as pd

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import one_of
from coalloc_lib.basics.display import listed
from coalloc_lib.model.placement import Placement
from coalloc_lib.simulation.sites import local
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import slider_with_entry
from lessons.teaching import checker, follows, near, share_of
from lessons.tour_decision import elsewhere
from lessons.tour_map import LOADS, SEED, SPANNING, SYSTEM, WHOLE, break_even, limit, scenario

#: For each of the twenty example jobs: the submission time in hours, the run time in hours, and the
#: number of processors.
SUBMIT = (1, 2, 2, 3, 3, 4, 4, 4, 6, 6, 6, 6, 7, 7, 7, 9, 9, 10, 10, 13)
RUNTIME = (2, 8, 4, 2, 5, 6, 6, 2, 2, 4, 2, 3, 2, 1, 3, 4, 8, 3, 2, 2)
PROCESSORS = (5, 4, 4, 6, 4, 1, 4, 8, 2, 6, 2, 2, 1, 2, 6, 8, 3, 3, 2, 8)
#: For each of the twenty example jobs: the cluster whose users submit it. Clusters are numbered
#: from 0.
HOME = (0, 1, 0, 0, 2, 0, 0, 1, 2, 0, 1, 0, 0, 2, 0, 0, 1, 0, 2, 1)
#: An example of a saturated system in which each job needs five processors: the number of jobs, and
#: the sizes of the two components into which a job can be split.
FIVES, PARTS_OF_FIVE = 20_000, (3, 2)
#: The span penalty: a job that spans clusters runs 1.25 times as long.
PENALTY = 0.25
#: The first and the last hour on the time axis of animated schedules.
WINDOW = (1, 29)
JOBS = co.JobStream(SUBMIT, RUNTIME, PROCESSORS, request="total")
JOBS_OF_FIVE = co.JobStream(
    np.zeros(FIVES), np.random.default_rng(5).exponential(size=FIVES), np.full(FIVES, 5)
)
BOOKED = co.Online(slot=1, step=1, max_attempts=48, horizon=72)


def jobs_table() -> pd.DataFrame:
    """Return a table of the twenty example jobs, which readers can schedule by hand."""
    columns = {"submitted": SUBMIT, "run_time": RUNTIME, "processors": PROCESSORS}
    table = pd.DataFrame(columns, index=JOBS.number).rename_axis("job")
    return table.assign(home=[f"cluster {cluster + 1}" for cluster in HOME])


@dataclass(frozen=True)
class Scheduler:
    """A scheduler for the twenty example jobs of notebook 00, with or without spanning.

    Parameters
    ----------
    label : str
        The name of the schedule in its player.
    scheduling : Scheduling
        The scheduling policy.
    spans : bool
        Whether a job spans clusters if no cluster has room for it. Otherwise each job runs in one
        cluster.
    """

    label: str
    scheduling: co.Scheduling
    spans: bool = False

    def run(self, penalty: float) -> co.Schedule:
        """Simulate the twenty example jobs with one queue for three clusters.

        A job that spans clusters runs ``1 + penalty`` times as long.
        """
        jobs, placement = JOBS, WHOLE
        if self.spans:
            jobs, placement = JOBS.replace(request="flexible", span_penalty=penalty), SPANNING
        return co.simulate(SYSTEM, jobs, scheduling=self.scheduling, placement=placement)


#: The schedulers of notebook 00 that use one queue for all clusters, by name.
SCHEDULERS = {
    "whole": Scheduler("whole, first come, first served", co.FCFS()),
    "split": Scheduler("split where no cluster has room", co.FCFS(), spans=True),
    "overtaking": Scheduler("whole, and others may overtake", co.FPFS(5)),
    "backfilling": Scheduler("whole, with backfilling", co.EASY()),
    "booked": Scheduler("whole, each booked when it comes", BOOKED),
    "overtaking, split": Scheduler("overtaking, split", co.FPFS(5), spans=True),
    "backfilling, split": Scheduler("backfilling, split", co.EASY(), spans=True),
}
#: The name of the scheduler that gives each cluster its own queue, for jobs of its own users.
AT_HOME = "at home"
#: The names of all schedulers.
NAMES = (*SCHEDULERS, AT_HOME)
#: The animated schedule that `player` made last, or None before the first call.
_last_player: co.Player | None = None


@cache
def schedule(name: str, penalty: float = PENALTY) -> co.Schedule:
    """Schedule the twenty example jobs of notebook 00 with the scheduler `name`."""
    if name == AT_HOME:
        return local(SYSTEM, JOBS, HOME, scheduling=co.FCFS()).verify()
    return SCHEDULERS[name].run(penalty).verify()


def player(name: str, penalty: float = PENALTY) -> co.Player:
    """Schedule the example jobs of notebook 00 with the scheduler `name`, and animate the result.

    All players of the tour have the same clock and the same time axis, and they start and stop
    together.

    Parameters
    ----------
    name : str
        The name of the scheduler, one of the `NAMES`.
    penalty : float
        The span penalty.
    """
    made = schedule(one_of("name", name, NAMES), penalty)
    against = None if name in ("whole", AT_HOME) else schedule("whole")
    if name == AT_HOME:
        # With the scheduler `AT_HOME`, each cluster has its own queue, and therefore its own
        # schedule.
        schedules = {f"cluster {c + 1}, for its own users": made.at[c] for c in made.at}
    else:
        schedules = {SCHEDULERS[name].label: made}
    new = co.Player(schedules, unit="h", window=WINDOW, now=9, against=against, idle=0.5)
    begin, finish = WINDOW
    new.data = new.data | {"axis": {"begin": begin, "finish": finish, "view": finish - begin}}
    _follow_the_last_player(new)
    return new


def six_schedulers() -> pd.DataFrame:
    """Return the mean wait, the mean response and the end of the last job under each scheduler.

    Times are in hours. The schedulers are those of the players in notebook 00.
    """
    rows = {}
    labels = "FCFS", "spanning", "overtaking", "backfilling", "separate clusters", "booking"
    names = "whole", "split", "overtaking", "backfilling", AT_HOME, "booked"
    for name, label in zip(names, labels, strict=True):
        made = schedule(name)
        rows[label] = made.wait.mean(), made.response.mean(), made.end.max()
    columns = ["mean wait (h)", "mean response (h)", "last job ends at (h)"]
    return pd.DataFrame(rows, columns).T.rename_axis("scheduler").round(2)


def separate_or_shared() -> pd.DataFrame:
    """Return the mean response of the users of each cluster, in hours.

    The clusters are separate in one column. In the other, they share one queue, in which all jobs
    stay whole and start in order of arrival.
    """
    means = {"separate": schedule(AT_HOME).response, "shared": schedule("whole").response}
    numbers = np.array(HOME) + 1
    return pd.DataFrame(means).groupby(numbers).mean().rename_axis("cluster").round(2)


def _follow_the_last_player(new: co.Player) -> None:
    # Link each animated schedule to the one that was made before it, so that all of them show the
    # same instant.
    global _last_player
    if _last_player is not None:
        for trait in ("now", "playing"):
            ipw.jslink((_last_player, trait), (new, trait))
    _last_player = new


#: The possible answers to the first question in notebook 00: does spanning shorten the mean
#: response time if jobs start in the order in which they came, and if they may overtake each other?
OPTIONS = ("in both cases", "only in the first case", "only in the second case", "in neither case")


def where_spanning_helps() -> str:
    """Find by simulation the right answer to the first question in notebook 00."""
    in_order, overtaking = (
        schedule(split).response.mean() < schedule(name).response.mean()
        for name, split in (("whole", "split"), ("overtaking", "overtaking, split"))
    )
    return OPTIONS[2 * (not in_order) + (not overtaking)]


def _gain_nothing(answer: Any) -> str:
    right = {size for size in range(1, 9) if 24 // size == 3 * (8 // size)}
    try:
        given = {*answer}
    except TypeError:
        return "give a list of sizes from 1 to 8, as numbers"
    if given == right:
        return ""
    if not given <= {*range(1, 9)}:
        return "give a list of sizes from 1 to 8, as numbers"
    if given - right:
        return (
            f"jobs of {min(given - right)} processors gain: how many of them fit into 24 "
            "processors?"
        )
    return "all of these sizes are right, but some are missing: try every size from 1 to 8"


def _ends_no_sooner(answer: Any) -> str:
    penalty = share_of(answer)
    if not 0 <= penalty < np.inf:
        return "give a penalty of at least 0, such as 0.5"
    whole, split = schedule("whole").end[7], schedule("split", penalty).end[7]
    if split < whole:
        return (
            f"this penalty is too low: with it job 8 ends at hour {split:g} if it is split, and at "
            f"hour {whole:g} if it stays whole"
        )
    if split > whole:
        return "this penalty is too high: with it job 8 ends later than if it stays whole"
    return ""


def _two_clusters(answer: Any) -> str:
    slips = {
        "this is the ratio of the two numbers of jobs; subtract 1 to get the penalty": 1.5,
        "this is right for three clusters of 8; how many jobs fit into one of 12?": 0.0,
        "you divided by the number of split jobs; divide by the number of whole jobs": 1 / 3,
    }
    hint = "how many jobs run at the same time if all are whole, and how many if all are split?"
    return near(answer, 0.5, 0.005, hint, slips)


def _by_the_law(answer: Any) -> str:
    slips = {
        "this would be right if all work paid the penalty": 0.15,
        "divide the two fractions, 92 % and 80 %; do not subtract them": 0.2,
        "divide by the share of the work that spans; do not multiply by it": 0.09,
        "subtract 1 from the ratio before you divide by the share": 1.15 / 0.6,
        "give a share, not percent": 25.0,
    }
    return near(answer, 0.25, 0.005, "put the three numbers into the formula of the law", slips)


def _what_follows(answer: Any) -> str:
    """Check the last exercise with sentences, by their letters in notebook 00."""
    fcfs, easy = ([break_even(policy, load) for load in LOADS] for policy in ("FCFS", "EASY"))
    in_order, backfilled = (
        limit(policy, 0.0).max_utilization / limit(policy).max_utilization
        for policy in ("FCFS", "EASY")
    )
    cells = elsewhere().loc["adaptive spanning loses at most 1 %"]
    sentences = {
        "a": (
            max(each.low for each in easy) <= 0,
            "what does the map say about thousands of other jobs?",
        ),
        "b": (
            all(one.low > other.high for one, other in zip(fcfs, easy, strict=True)),
            "compare the intervals of the two rows",
        ),
        "c": (
            bool(cells["holds in"] == cells["clear comparisons"]),
            "look at the table of other systems",
        ),
        "d": (
            break_even("FPFS(5)", LOADS[0]).low > easy[0].high,
            "do the two intervals overlap?",
        ),
        "e": (backfilled < in_order, "compare the ratios of the two utilizations"),
    }
    return follows(answer, sentences)


check = checker(
    {1: _gain_nothing, 2: _ends_no_sooner, 3: _two_clusters, 4: _by_the_law, 5: _what_follows}
)


def twenty_picture(penalty: float = PENALTY) -> plots.Picture:
    """Draw the mean waiting and run times of the twenty example jobs, with and without spanning."""
    pairs = {"FCFS": ("whole", "split")}
    pairs |= {name: (name, f"{name}, split") for name in ("overtaking", "backfilling")}
    figure, axes = plots.new_figure(2.2)
    for place, names in enumerate(pairs.values()):
        for shift, name in zip((-0.2, 0.2), names, strict=True):
            made = schedule(name, penalty)
            wait, length = made.wait.mean(), (made.end - made.start).mean()
            colour = plots.GREY if shift < 0 else plots.MEANINGS["at once"].colour
            axes.barh(place + shift, length, 0.34, color=colour)
            axes.barh(place + shift, wait, 0.34, left=length, color=colour, alpha=0.45)
            words = f"{'may span' if shift > 0 else 'whole'}: {length + wait:.2f} h"
            axes.text(length + wait + 0.05, place + shift, words, va="center", fontsize=8)
    axes.set(yticks=range(len(pairs)), yticklabels=pairs, ylim=(2.5, -0.5), xlim=(0, 7.4))
    axes.set_xlabel("mean response, hours; dark: running, pale: waiting")
    axes.grid(False)
    means = {
        policy: [schedule(name, penalty).response.mean() for name in names]
        for policy, names in pairs.items()
    }
    shorter = [policy for policy, (whole, spans) in means.items() if spans < whole]
    where = f"only under {listed(shorter)}" if 0 < len(shorter) < len(pairs) else ""
    title = f"Spanning shortens the mean response of these jobs {where or 'under every policy'}"
    if not shorter:
        title = "Spanning shortens the mean response of these jobs under no policy"
    words = f"the twenty jobs; those that span run {1 + penalty:g} times as long"
    plots.title_figure(figure, title, words)
    rows = (
        f"{policy}, {way}: {mean:.2f} h"
        for policy, both in means.items()
        for way, mean in zip(("whole", "may span"), both, strict=True)
    )
    return plots.Picture(figure, rows=rows)


def twenty_explorer(state: str = "") -> Explorer:
    """Return a slider for the penalty, with the mean responses of the twenty jobs below it.

    `state` has the value of the slider at first, as a line such as ``"penalty=0.4"``.
    """
    slider = slider_with_entry("penalty", PENALTY, 0.0, 1.0, 0.05)
    return Explorer({"penalty": slider}, twenty_picture, state=state)


def jobs_served_at_once(
    penalties: Iterable[float] = (0.0, 0.2, 1 / 3, 0.5, 1.0, 1.5),
) -> pd.DataFrame:
    """Return how many five-processor jobs run at once in a saturated system, by span penalty.

    The three columns of numbers are for jobs that all stay whole, that are all split into two
    components, and that are split only if no cluster has room. The time that the penalty adds does
    not count. The last column is the share of the jobs that span in the third case.
    """
    whole, _ = _work_at_once(JOBS_OF_FIVE.replace(request="total"), WHOLE)
    rows = []
    for penalty in penalties:
        parts = np.tile(PARTS_OF_FIVE, (len(JOBS_OF_FIVE), 1))
        cut = JOBS_OF_FIVE.replace(components=parts, request="unordered", span_penalty=penalty)
        at_need = JOBS_OF_FIVE.replace(request="flexible", span_penalty=penalty)
        all_cut, _ = _work_at_once(cut, co.WorstFit())
        some_cut, spanning = _work_at_once(at_need, SPANNING)
        rows.append((f"{penalty:.2f}", whole, all_cut, some_cut, spanning))
    columns = ["penalty", "all whole", "all cut", "cut at need", "share that spans at need"]
    return pd.DataFrame(rows, columns=columns).set_index("penalty").round(2)


def _work_at_once(jobs: co.JobStream, placement: Placement) -> tuple[float, float]:
    # All jobs wait at the start. The last hundredth of the jobs is left out of the mean number of
    # running jobs, because the system is not full while they run.
    saturated = co.simulate(SYSTEM, jobs, scheduling=co.FCFS(), placement=placement)
    last = np.quantile(saturated.end, 0.99)
    done = saturated.end <= last
    return JOBS_OF_FIVE.runtime[done].sum() / last, saturated.spans[done].mean()


def law(policies: Iterable[str] = ("FCFS", "FPFS(5)", "EASY")) -> pd.DataFrame:
    """Return a table of maximal utilizations with and without spanning, and break-even penalties.

    Spanning has no penalty in the two utilizations. The break-even penalty of the law is
    psi* = (ρ span / ρ whole - 1) / f. The last column has the penalty at which a simulation with
    spanning has the maximal utilization of whole jobs, or NaN if it is more than 0.04 away from
    that of the law.
    """
    rows = []
    for policy in policies:
        whole, split = (limit(policy, penalty).max_utilization for penalty in (None, 0.0))
        saturated = scenario(policy, 0.0).simulate(20_000, seed=SEED, backlog=500)
        work = saturated.jobs.work
        share = work[saturated.spans].sum() / work.sum()
        by_law = (split / whole - 1) / share
        near = np.maximum(by_law + np.array([0.04, 0.0, -0.04]), 0.0)
        gains = [limit(policy, penalty).max_utilization - whole for penalty in near]
        # Outside the simulated penalties, nothing is known.
        found = np.interp(0, gains, near, left=np.nan, right=np.nan)
        rows.append((policy, whole, split, share, by_law, found))
    columns = [
        "policy", "busy, whole: ρ whole", "busy, spanning: ρ span",
        "work that spans: f", "law: ψ*", "simulated: ψ*",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).set_index("policy").round(3)
