"""The tour: twenty jobs under six schedulers, and the law behind what they show."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import ipywidgets as ipw
import joblib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import one_of
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.placement import Placement
from coalloc_lib.simulation.sites import local
from coalloc_lib.statistics import Interval, MaxUtilization, student
from coalloc_lib.statistics.curves import max_utilization_by_simulation, response_sample
from lessons.teaching import checker, near
from studies import load_study
from studies.archive import ARCHIVE
from studies.what_survives.effects import effects
from studies.what_survives.survival import survival

SYSTEM = co.Multicluster([8, 8, 8])
#: When each of the twenty jobs comes, how long it runs (hours), how many processors it asks for.
SUBMIT = (1, 2, 2, 3, 3, 4, 4, 4, 6, 6, 6, 6, 7, 7, 7, 9, 9, 10, 10, 13)
RUNTIME = (2, 8, 4, 2, 5, 6, 6, 2, 2, 4, 2, 3, 2, 1, 3, 4, 8, 3, 2, 2)
PROCESSORS = (5, 4, 4, 6, 4, 1, 4, 8, 2, 6, 2, 2, 1, 2, 6, 8, 3, 3, 2, 8)
#: The cluster whose users submit each job, counted from 0.
HOME = (0, 1, 0, 0, 2, 0, 0, 1, 2, 0, 1, 0, 0, 2, 0, 0, 1, 0, 2, 1)
#: A full system of jobs of one size, which all wait at the start; a job that is cut has two parts.
FIVES, PARTS_OF_FIVE = 20_000, (3, 2)
#: What a job that spans clusters runs longer.
PENALTY = 0.25
WINDOW = (1, 29)
JOBS = co.JobStream(SUBMIT, RUNTIME, PROCESSORS, request="total")
WHOLE, SPANNING = co.BestFit(), co.SingleThenSpan()
JOBS_OF_FIVE = co.JobStream(
    np.zeros(FIVES), np.random.default_rng(5).exponential(size=FIVES), np.full(FIVES, 5)
)
BOOKED = co.Online(slot=1, step=1, max_attempts=48, horizon=72)


def run(scheduling: co.Scheduling, penalty: float | None = None) -> co.Schedule:
    """Serve the twenty jobs from one queue, each on one cluster, or spanning at need."""
    how = {} if penalty is None else {"request": "flexible", "span_penalty": penalty}
    placement = WHOLE if penalty is None else SPANNING
    return co.simulate(SYSTEM, JOBS.replace(**how), scheduling=scheduling, placement=placement)


def jobs_table() -> pd.DataFrame:
    """Return the twenty jobs, to place them by hand: hours, processors, and their users."""
    columns = {"comes": SUBMIT, "runs": RUNTIME, "processors": PROCESSORS}
    table = pd.DataFrame(columns, index=JOBS.number).rename_axis("job")
    return table.assign(home=[f"cluster {cluster + 1}" for cluster in HOME])


#: By name: how the twenty jobs are served; what spans has a penalty.
SCHEDULERS = {
    "whole": lambda _: run(co.FCFS()),
    "split": lambda penalty: run(co.FCFS(), penalty),
    "overtaking": lambda _: run(co.FPFS(5)),
    "backfilling": lambda _: run(co.EASY()),
    "at home": lambda _: local(SYSTEM, JOBS, HOME, scheduling=co.FCFS()),
    "booked": lambda _: run(BOOKED),
    "overtaking, split": lambda penalty: run(co.FPFS(5), penalty),
    "backfilling, split": lambda penalty: run(co.EASY(), penalty),
}
LABELS = {
    "whole": "whole, first come, first served",
    "split": "split where no cluster has room",
    "overtaking": "whole, and others may overtake",
    "backfilling": "whole, with backfilling",
    "booked": "whole, each booked when it comes",
}
#: The ledger of all studies at the papers' scale: `make front-door` writes it.
LEDGER = ARCHIVE / "ledger.csv"
#: The players that were shown, which have one clock.
_players: list[co.Player] = []


@cache
def schedule(name: str, penalty: float = PENALTY) -> co.Schedule:
    """Return the schedule of the twenty jobs by one of `SCHEDULERS`."""
    return SCHEDULERS[name](penalty).verify()


def player(name: str, penalty: float = PENALTY) -> co.Player:
    """Play a schedule; all players of the tour have one clock and one axis, and halt together."""
    one = schedule(one_of("name", name, tuple(SCHEDULERS)), penalty)
    shown, against = {LABELS.get(name, name): one}, None if name == "whole" else schedule("whole")
    if name == "at home":  # three queues, each by itself
        shown, against = {f"cluster {c + 1}, for its own users": one.at[c] for c in one.at}, None
    playing = co.Player(shown, unit="h", window=WINDOW, now=9, against=against, idle=0.5)
    begin, finish = WINDOW
    axis = {"begin": begin, "finish": finish, "view": finish - begin}
    playing.data = playing.data | {"axis": axis}
    for other in _players[-1:]:
        for trait in ("now", "playing"):
            ipw.jslink((other, trait), (playing, trait))
    _players.append(playing)
    return playing


def what_is_left() -> str:
    """Return the answer to the first guess, from the mean responses of the twenty jobs."""
    saved = [
        schedule(name).response.mean() - schedule(split).response.mean()
        for name, split in (("whole", "split"), ("overtaking", "overtaking, split"))
    ]
    return OPTIONS[2] if saved[1] <= 0.5 * saved[0] else OPTIONS[saved[1] > saved[0]]


OPTIONS = ("as much", "more", "less, or nothing at all")


def _gain_nothing(answer: Any) -> str:
    right = {size for size in range(1, 9) if 24 // size == 3 * (8 // size)}
    given = {*answer}
    if given == right:
        return ""
    if not given <= {*range(1, 9)}:
        return "give a list of sizes from 1 to 8, as numbers"
    if given - right:
        return f"jobs of {min(given - right)} do gain: how many fit into 24 processors?"
    return "right as far as it goes, but there are more: try every size from 1 to 8"


def _ends_no_sooner(answer: Any) -> str:
    whole, split = schedule("whole").end[7], schedule("split", float(answer)).end[7]
    if split < whole:
        return f"with this penalty job 8 ends at {split:g}, and whole at {whole:g}: too low"
    return "" if split == whole else "with this penalty job 8 ends later than whole: too high"


def _two_clusters(answer: Any) -> str:
    slips = {
        "so many times as many run; a penalty is what is above 1": 1.5,
        "that is so with three clusters of eight; how many fit into one of twelve?": 0.0,
        "that divides by the jobs that run if all are cut; divide by the whole ones": 1 / 3,
    }
    return near(
        answer,
        0.5,
        0.005,
        "how many jobs run at once whole, and how many if every job is cut?",
        slips,
    )


def _by_the_law(answer: Any) -> str:
    slips = {
        "that would be so if all work paid the penalty": 0.15,
        "divide what is carried by what whole jobs carry; do not subtract": 0.2,
        "divide by the share of the work that spans; do not multiply": 0.09,
        "subtract 1 from the ratio, then divide by the share": 1.15 / 0.6,
        "give a share, not percent": 25.0,
    }
    return near(answer, 0.25, 0.005, "put the three numbers into the formula of the law", slips)


check = checker({1: _gain_nothing, 2: _ends_no_sooner, 3: _two_clusters, 4: _by_the_law})


def twenty_picture() -> plots.Picture:
    """Draw the mean response of the twenty jobs, whole and split, as wait and run."""
    pairs = {"first come, first served": ("whole", "split")}
    pairs |= {name: (name, f"{name}, split") for name in ("overtaking", "backfilling")}
    figure, axes = plots.new_figure(2.2)
    for place, names in enumerate(pairs.values()):
        for shift, name in zip((-0.2, 0.2), names, strict=True):
            one = schedule(name)
            wait, run = one.wait.mean(), (one.end - one.start).mean()
            colour = (plots.STANDARD if shift < 0 else plots.LOSS).colour
            axes.barh(place + shift, run, 0.34, color=colour)
            axes.barh(place + shift, wait, 0.34, left=run, color=colour, alpha=0.45)
            words = f"{'may span' if shift > 0 else 'whole'}: {run + wait:.2f} h"
            axes.text(run + wait + 0.05, place + shift, words, va="center", fontsize=8)
    axes.set(yticks=range(len(pairs)), yticklabels=pairs, ylim=(2.5, -0.5), xlim=(0, 7.4))
    axes.set_xlabel("mean response, hours; dark: running, pale: waiting")
    axes.grid(False)
    title = "Where the holes are filled already, spanning makes these twenty jobs respond later"
    plots.title_figure(figure, title, "the twenty jobs; those that span run a quarter longer")
    told = (
        f"{name} {schedule(name).response.mean():.2f} h" for pair in pairs.values() for name in pair
    )
    return plots.Picture(figure, rows=told)


def one_size(penalties: Iterable[float] = (0.0, 0.2, 1 / 3, 0.5, 1.0, 1.5)) -> pd.DataFrame:
    """Return the work that a full system of jobs of five processors does, in jobs at once.

    The jobs are all whole, all cut in two parts, or cut at need. The penalty does not count as
    work. The last column is the share of the jobs that span at need.
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
    """Return the work done in a unit of time, in jobs of five, and the share that spans.

    All jobs wait at the start. The last hundredth of the jobs is left out, since the system empties
    while they run.
    """
    full = co.simulate(SYSTEM, jobs, scheduling=co.FCFS(), placement=placement)
    last = np.quantile(full.end, 0.99)
    done = full.end <= last
    return JOBS_OF_FIVE.runtime[done].sum() / last, full.spans[done].mean()


def law(policies: Iterable[str] = ("FCFS", "FPFS(5)", "EASY")) -> pd.DataFrame:
    """Return what the system carries at most, whole and spanning at no cost, and psi*."""
    rows = []
    for policy in policies:
        whole, split = (limit(policy, penalty).max_utilization for penalty in (None, 0.0))
        full = scenario(policy, 0.0).simulate(20_000, seed=SEED, backlog=500)
        work = full.jobs.work
        share = work[full.spans].sum() / work.sum()
        rows.append((policy, whole, split, share, (split / whole - 1) / share))
    columns = [
        "policy", "carries, whole: ρ whole", "carries, spanning: ρ span",
        "work that spans: f", "break-even: ψ*",
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).set_index("policy").round(3)


@dataclass(frozen=True)
class Spanning:
    """Jobs of one component that may span clusters, and then run longer."""

    penalty: float | None = None
    model: co.JobModel = field(default_factory=lambda: co.JobModel(co.uniform(1, 8)))

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, without the penalty."""
        return self.model.mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> co.JobStream:
        """Draw a stream; see `Workload.sample`."""
        jobs = self.model.sample(count, seed, rate)
        if self.penalty is None:
            return jobs.replace(request="total")
        return jobs.replace(request="flexible", span_penalty=self.penalty)


POLICIES = {
    "FCFS": co.FCFS(), "FPFS(5)": co.FPFS(5), "EASY": co.EASY(),
    "EASY, adaptive": co.EASY(adaptive=True),
}  # fmt: skip
LOADS, PENALTIES = (0.3, 0.5, 0.6, 0.7), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
#: A load this near to what a system can carry would need longer runs than these.
NEAR, RUNS, LENGTH, SEED = 0.95, 8, 10_000, 21


def scenario(policy: str, penalty: float | None = None) -> co.Scenario:
    """Return the system of the tour under a policy; without a penalty all jobs stay whole."""
    placement = WHOLE if penalty is None else SPANNING
    return co.Scenario(SYSTEM, Spanning(penalty), POLICIES[policy], placement)


@cache
def limit(policy: str, penalty: float | None = None) -> MaxUtilization:
    """Return the maximal utilization; what spanning adds to the run times does not count."""
    return max_utilization_by_simulation(scenario(policy, penalty), jobs=40_000, seed=SEED)


@cache
def responses(policy: str, load: float, penalty: float | None = None) -> Any:
    """Return the mean response times of several runs, or None where the load is too near."""
    if load > NEAR * limit(policy, penalty).interval.low:
        return None
    how = {"jobs": LENGTH, "replications": RUNS, "seed": SEED, "maximum": limit(policy, penalty)}
    return response_sample(scenario(policy, penalty), load, **how).values


def where_spanning_pays() -> pd.DataFrame:
    """Return by how many percent spanning changes the mean response: a row per cell of the map."""
    cells = [*product(POLICIES, LOADS, (None, *PENALTIES))]
    joblib.Parallel(n_jobs=-1, prefer="threads")(joblib.delayed(responses)(*each) for each in cells)
    rows = []
    for policy, load, penalty in product(POLICIES, LOADS, PENALTIES):
        whole, split = responses(policy, load), responses(policy, load, penalty)
        where = {"policy": policy, "load": f"{load:g}", "penalty": f"{penalty:g}"}
        rows.append(where | _change(whole, split))
    return pd.DataFrame(rows)


def map_picture(table: pd.DataFrame) -> plots.Picture:
    """Draw where spanning pays; in words, up to which penalty at each load."""
    where = table[["policy", "load"]].drop_duplicates().itertuples(index=False)
    told = (
        f"{policy} at load {load}: pays up to {_up_to(policy, float(load))}"
        for policy, load in where
    )
    return plots.Picture(draw_map(table), rows=told)


def pays_up_to() -> pd.DataFrame:
    """Return up to which penalty spanning pays, by policy and load, in words."""
    rows = {
        policy: {f"load {load:g}": _up_to(policy, load) for load in LOADS} for policy in POLICIES
    }
    return pd.DataFrame(rows).T.rename_axis("spanning pays up to")


#: The conclusions of the study what-survives that the tour comes to.
OF_THE_TOUR = ("WS-14", "WS-15", "WS-2", "WS-3", "WS-13")


def elsewhere() -> pd.DataFrame:
    """Return how often the tour's conclusions hold elsewhere, from the archive."""
    runs = load_study("what-survives").archived()
    table = survival(effects(runs[runs["conclusion"].isin(OF_THE_TOUR)]))
    table["cells that decide"] = table["holds"] + table["turns"]
    columns = {"name": "conclusion", "holds": "holds in", "sentence": "what becomes of it"}
    table = table.drop(columns="conclusion").rename(columns=columns)
    return table[["conclusion", "holds in", "cells that decide", "what becomes of it"]].set_index(
        "conclusion"
    )


def draw_map(table: pd.DataFrame) -> Figure:
    """Draw where spanning pays, a panel per policy."""
    return plots.maps(
        table, x="penalty", y="load", value="change", panel="policy", mark="mark",
        xlabel="penalty of spanning", ylabel="load", values="change of the mean response, %",
        title="The better the queue is served, the less is left for spanning to gain",
        subtitle="three clusters of 8; line: gain turns to loss; hatched: undecided; "
        "∞: more than can be carried",
    )  # fmt: skip


def _changes(policy: str, load: float) -> tuple[list[float], np.ndarray]:
    """Return the penalties at which both have a mean, and the log ratio there, a column per run."""
    whole = responses(policy, load)
    known = {p: responses(policy, load, p) for p in PENALTIES}
    ratios = {p: np.log(split / whole) for p, split in known.items() if split is not None}
    return [*ratios], np.array([*ratios.values()])


def break_even(policy: str, load: float) -> Interval:
    """Return up to which penalty spanning pays at a load, from lines between cells of the map.

    It is not a number where some run gains at the highest penalty that has a mean, or where whole
    jobs have none.
    """
    if responses(policy, load) is None:
        return Interval.exact(np.nan)
    penalties, changes = _changes(policy, load)
    if not len(penalties) or changes[-1].min() <= 0 or changes[0].max() >= 0:
        return Interval.exact(np.nan)
    rising = np.maximum.accumulate(changes)  # what a line between them needs
    return student([np.interp(0.0, run, penalties) for run in rising.T])


def _change(whole, split):
    """Return one cell: the change in percent with its interval, or which side has no mean."""
    if whole is None or split is None:
        both = whole is None and split is None
        mark = "neither" if both else "shorter" if whole is None else "longer"
        return dict.fromkeys(("change", "ci95_low", "ci95_high"), np.nan) | {"mark": mark}
    found = student(np.log(split / whole)).in_percent()
    ends = zip(
        ("change", "ci95_low", "ci95_high"), (found.estimate, found.low, found.high), strict=True
    )
    return {**dict(ends), "mark": ""}


def _told(item: str, words: str, digits: int = 2) -> str:
    """Return the deciding number of a claim in words, with its interval."""
    row = ledger().loc[item]
    low, high = row["ci95_low"], row["ci95_high"]
    interval = f" [{low:.{digits}f}, {high:.{digits}f}]" if low < high else ""
    return words.format(f"{row['reproduced']:.{digits}f}{interval}")


@cache
def booked_over_easy(length: str) -> Interval:
    """Return the mean wait of KTH's jobs if booked over that under EASY, on the archive's runs.

    `length` is what is booked: `exact` is what the jobs took, `requested` what users asked for.
    """
    study = load_study("online-batch")
    ratios = study.judge(study.archived()).figure("certainty").data()
    wanted = {"log": "KTH-SP2", "policy": "online", "length": length}
    row = ratios.loc[(ratios[list(wanted)] == pd.Series(wanted)).all(axis=1)].iloc[0]
    return Interval(row["ratio"], row["ci95_low"], row["ci95_high"], 0)


@cache
def ledger() -> pd.DataFrame:
    """Return the ledger of the archive, by item; only claims."""
    rows = pd.read_csv(LEDGER)
    rows = rows[rows["item"].str.fullmatch(r"[A-Z]{2}-\d+")].set_index("item")
    columns = ["reproduced", "ci95_low", "ci95_high"]
    return rows.assign(**{name: pd.to_numeric(rows[name], "coerce") for name in columns})


def _change_at(policy: str, load: float, penalty: float) -> str:
    """Return by how much spanning changes the mean response, in words."""
    cell = _change(responses(policy, load), responses(policy, load, penalty))
    low, high = cell["ci95_low"], cell["ci95_high"]
    return f"{cell['change']:+.1f} % [{low:+.1f}, {high:+.1f}]".replace("-", "\u2212")


def _up_to(policy: str, load: float) -> str:
    """Return the break-even of spanning, in words."""
    found = break_even(policy, load)
    if np.isnan(found.estimate):
        if responses(policy, load) is None:
            return "any that can be carried, since whole jobs cannot"
        gains = [
            p for p, runs in zip(*_changes(policy, load), strict=True) if student(runs).high < 0
        ]
        return f"{max(gains):g} at least" if gains else "none that is certain"
    return f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"


def questions() -> list[tuple[str, str, str, str]]:
    """Return the decision chart: question, the answer that ends it, advice, and its number."""
    best = _change_at("EASY, adaptive", 0.7, 0.2)
    free = _change_at("EASY", 0.3, 0.0)
    exact, requested = map(booked_over_easy, ("exact", "requested"))
    times = f"{exact.estimate:.2f} [{exact.low:.2f}, {exact.high:.2f}] times"
    return [
        ("Is a job wider than\nevery cluster?", "yes", "It has to span.",
         _told("JS-6", "4×128, response weighted by work: {} times that if cut up (04).")),
        ("Is the load light?", "yes", "Do nothing: few jobs wait.",
         f"3×8, load 0.3, no penalty: spanning changes the response by {free} (map)."),
        ("May a job overtake\none that waits?", "no", "Span, while the penalty is small.",
         f"3×8, load 0.7: it pays up to a penalty of {_up_to('FCFS', 0.7)} (map)."),
        ("Is it known how long\njobs will run?", "no", "Let jobs overtake; span less.",
         _told("CP-2", "5×20, large jobs in four parts: it pays up to a penalty of {} (03).")),
        ("Must users know their\nstart at once?", "yes", "Book, if the lengths are exact.",
         f"KTH log, mean wait: {times} that under EASY;\n"
         f"by the times that users requested, {requested.estimate:.0f} times (05)."),
        ("", "", "Share, backfill, span where that ends sooner.",
         _told("JS-1", "Sharing, 4×128, response weighted by work: {} times that at home (04).")
         + f"\nSpanning so, 3×8, mean response at load 0.7, penalty 0.2: {best} (map)."),
    ]  # fmt: skip


def decision_picture() -> plots.Picture:
    """Draw the answers of all notebooks on one page: five questions, six ends."""
    asked = questions()
    figure, axes = plots.new_figure(0.72 * len(asked) + 0.3)
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#EAF3FA", "edgecolor": plots.STANDARD.colour}
    arrow = {"arrowstyle": "-|>", "color": plots.style.GREY}
    for row, (question, answer, advice, number) in enumerate(asked):
        begin = (0.3, -row) if question else (0.15, -row)
        axes.annotate("", (0.39, -row), begin, arrowprops=arrow)
        axes.text(0.345, 0.1 - row, answer, ha="center", fontsize=8.5)
        axes.text(0.4, 0.17 - row, advice, va="center", fontsize=9.5, weight="bold")
        axes.text(0.4, -0.17 - row, number, va="center", fontsize=8)
        if question:
            axes.text(0.15, -row, question, ha="center", va="center", fontsize=8.5, bbox=box)
        is_last = not asked[min(row + 1, len(asked) - 1)][0]
        if question:
            axes.annotate("", (0.15, -(1.0 if is_last else 0.68) - row), (0.15, -0.32 - row),
                          arrowprops=arrow | {"arrowstyle": "-"} if is_last else arrow)  # fmt: skip
            axes.text(0.165, -0.55 - row, "no" if answer == "yes" else "yes", fontsize=8.5)
    axes.set(xlim=(0, 1), ylim=(0.6 - len(asked), 0.6))
    axes.set_axis_off()
    plots.title_figure(figure, "Should jobs span clusters?")
    words = [f"{q} {a}: {advice} {number}".replace("\n", " ") for q, a, advice, number in asked]
    return plots.Picture(figure, rows=words)
