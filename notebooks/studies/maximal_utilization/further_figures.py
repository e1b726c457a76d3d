"""Make the figures of our own that answer open questions about the paper.

They show the loss in two readings of constant service times, the gain of overtaking by the number
of waiting jobs, and the utilization of each cluster.
"""

from functools import lru_cache
from typing import Any

import ipywidgets as ipw
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.statistics import NotRunError, groups_of, pick, sample
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import slider_with_entry
from studies.maximal_utilization.figures import MUCH, OVERTAKING, draw_bars, losses, standard
from studies.maximal_utilization.further import BALANCE, WAITING, Held
from studies.maximal_utilization.model import (
    AT_ONCE,
    CALM,
    HEAVY,
    MANY,
    ROOM,
)
from studies.maximal_utilization.runs import study
from studies.results import Caption

# --- Section 7.1: constant service ---


def draw_constant(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the loss with constant service times if jobs depart one by one, or all at once."""
    labelled = table.assign(series=table["service"].str.partition(", ")[2])
    return draw_bars(labelled, "series", **titles)


CONSTANT = Caption(
    "capacity loss of unordered requests with constant service times, 4 × 32: departures at "
    "one instant happen one by one, each followed by placing jobs, or all at once",
    finding="Departures one by one instead of all at once change the loss by up to two points",
)


@study.add_figure("constant-service", CONSTANT, draw_constant)
def constant_service(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity loss with constant service times, for two readings of the paper.

    In one reading, jobs that end at the same instant depart one by one; in the other, all at once.
    """
    both = pick(standard(runs, "service"), service=(CALM, AT_ONCE))
    return losses(both, ["sizes", "service"], against={"service": AT_ONCE})


# --- Section 7.2: the gain of overtaking as a function of the number of waiting jobs ---


def draw_waiting(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the capacity that FPFS gains over FCFS against the number of waiting jobs."""
    points = table.assign(gain=100 * table["gain"])
    for end in ("ci95_low", "ci95_high"):
        points[end] = 100 * table[end]
    return plots.lines(
        points,
        x="waiting",
        y="gain",
        line="policy",
        panel="sizes",
        scales=("log", "linear"),
        xlabel="jobs waiting",
        ylabel="gain over FCFS (points)",
        level=(f"'much': {100 * MUCH.value:.0f} points", 100 * MUCH.value),
        look=OVERTAKING,
        **titles,
    )


WAITING_JOBS = Caption(
    "capacity loss under FCFS minus that under FPFS, by the constant number of waiting "
    "jobs, unordered, 4 × 32",
    finding="Overtaking gains less if more jobs wait, once many jobs wait",
)


@study.add_figure("waiting", WAITING_JOBS, draw_waiting, claims=("MU-9",))
def gains_by_waiting(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the capacity that FPFS gains over FCFS, for each number of waiting jobs."""
    rows = []
    of_fcfs = standard(runs, "policy")
    for keys, held in groups_of(pick(runs, kind=WAITING), ["sizes", "policy", "waiting"]):
        fcfs = sample(of_fcfs, "capacity_loss", sizes=keys["sizes"], policy="FCFS", method=HEAVY)
        gain = fcfs.less_unpaired(sample(held, "capacity_loss"))
        ends = {"ci95_low": gain.low, "ci95_high": gain.high, "warning": gain.warning}
        rows.append({**keys, "gain": gain.estimate} | ends)
    if not rows:
        raise NotRunError("no run has a constant number of waiting jobs")
    return pd.DataFrame(rows)


#: The number of jobs that arrive in a run of `two_starts_picture`. It is ARRIVING, or COARSE while
#: the user moves a control. Each curve has POINTS points.
ARRIVING, COARSE, POINTS = 60_000, 10_000, 150


@lru_cache(maxsize=64)
def _queue(load: float, waiting: int, arriving: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    scenario = Held(ROOM[0], MANY, 1).scenario
    stream = scenario.sample(waiting + arriving, load=load, seed=study.seed)
    # Shift the arrivals so that the first `waiting` jobs are all in the queue at time 0.
    start = stream.submit[waiting - 1] if waiting else 0.0
    submit = np.maximum(stream.submit - start, 0.0)
    schedule = scenario.run(stream.replace(submit=submit))
    instants = np.linspace(0, submit[-1], POINTS)
    length = schedule.queue_length(instants)
    return tuple(instants / 1000), tuple(int(jobs) for jobs in length)


def two_starts_picture(
    load: float = 0.84, waiting: int = 1_500, coarse: bool = False
) -> plots.Picture:
    """Plot the queue length under FPFS(50) against time, for an empty and a long initial queue.

    Parameters
    ----------
    load : float
        The offered load, the same for both runs.
    waiting : int
        The number of jobs in the long initial queue.
    coarse : bool
        Simulate fewer arrivals, for a quick preview.
    """
    rows = []
    last = {}
    for begin in (0, waiting):
        name = "starts with an empty queue" if begin == 0 else f"starts with {begin:,} waiting jobs"
        instants, length = _queue(load, begin, COARSE if coarse else ARRIVING)
        last[name] = length[-1]
        both = zip(instants, length, strict=True)
        rows += [{"start": name, "time": instant, "queue": jobs} for instant, jobs in both]
    lengths = " and ".join(f"{length:,}" for length in last.values())
    title = f"From an empty and a long queue, at the load {load:g}: {lengths} jobs wait at the end"
    shows = f"jobs waiting under FPFS(50), unordered {ROOM[0]}, 4 × 32, the same arrivals"
    shows += "; the axis is logarithmic, and instants without a waiting job are left out"
    drawn = plots.lines(
        pd.DataFrame(rows), x="time", y="queue", line="start", xlabel="thousands of service times",
        ylabel="jobs waiting", names="legend", title=title, subtitle=shows,
        scales=("linear", "log"),
    )  # fmt: skip
    ends = "; ".join(f"{name}: {length:,} jobs at the end" for name, length in last.items())
    return plots.Picture(drawn, f"{title}. {shows}. {ends}.")


def two_starts_explorer(state: str = "") -> Explorer:
    """Return interactive controls for `two_starts_picture`: the load and the initial queue."""
    controls: dict[str, ipw.Widget] = {
        "load": slider_with_entry("load", 0.84, 0.7, 0.9, 0.01),
        "waiting": slider_with_entry("initial queue", 1_500, 100, 3_000, 100),
    }
    return Explorer(controls, two_starts_picture, state=state, simulates=lambda **_: True)


# --- Section 7.2: balance ---


def draw_balance(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the utilization of each cluster, with one panel per placement."""
    return plots.lines(
        table,
        x="cluster",
        y="busy",
        line="sizes",
        panel="placement",
        names="legend",
        xlabel="cluster, in the order of first fit",
        ylabel="utilization",
        **titles,
    )


BALANCE_OF_CLUSTERS = Caption(
    "utilization of each cluster of a saturated 4 × 32, unordered requests, FCFS",
    finding="First fit keeps the first cluster far busier than the last",
)


@study.add_figure("balance", BALANCE_OF_CLUSTERS, draw_balance, claims=("MU-20",))
def balance(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the utilization of each cluster for each size distribution and placement."""
    rows = []
    for keys, of_one in groups_of(pick(runs, kind=BALANCE), ["sizes", "placement", "cluster"]):
        busy = sample(of_one, "busy").interval
        ends = {"ci95_low": busy.low, "ci95_high": busy.high, "warning": busy.warning}
        rows.append({**keys, "busy": busy.estimate} | ends)
    if not rows:
        raise NotRunError("no run measured the utilization of each cluster")
    return pd.DataFrame(rows)
