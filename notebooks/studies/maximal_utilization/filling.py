"""Explain equation (2) in four steps, and show why it fails for equal service times."""

from functools import cache
from typing import Any

import ipywidgets as ipw
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics.checks import one_of
from coalloc_lib.model.distributions import Distribution
from coalloc_lib.statistics import Interval, interval_columns
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import push, slider_with_entry

STEPS = ("1 fill", "2 count", "3 weigh by time", "4 add up")
#: The number of random fillings of a cluster in the first step of `filling_picture`.
PICTURED = 6
#: The function `filling_picture` compares this number of random fillings of a cluster with a
#: formula. It uses COUNTED fillings, or only FEW while the user moves a control.
COUNTED, FEW = 2_000, 200
#: The last step of `filling_picture` simulates this number of jobs. It simulates JOBS jobs, or only
#: COARSE while the user moves a control.
JOBS, COARSE = 40_000, 4_000


def fill(processors: int, sizes: co.SizeDistribution, generator: np.random.Generator) -> list[int]:
    """Sample jobs until one does not fit on the cluster; return all sizes, including the last."""
    jobs = [int(sizes.sample(generator, 1)[0])]
    while sum(jobs) <= processors:
        jobs.append(int(sizes.sample(generator, 1)[0]))
    return jobs


def counted(
    processors: int, sizes: co.SizeDistribution, generator: np.random.Generator, fills: int
) -> np.ndarray:
    """Return how many sampled jobs fit on the cluster, in each of several random fillings."""
    jobs = sizes.sample(generator, fills * (processors + 1)).reshape(fills, -1)
    return (jobs.cumsum(axis=1) <= processors).sum(axis=1)


def exactly(processors: int, sizes: co.SizeDistribution) -> np.ndarray:
    """Return the probability that exactly i random jobs fit on a cluster, for i = 0, 1, 2, ..."""
    fits = [1.0]
    while fits[-1] > 0:
        fits.append(float(sizes.sum_of(len(fits)).probabilities[: processors + 1].sum()))
    return -np.diff([*fits, 0.0])[:-1]


def filling_picture(
    processors: int = 8, largest: int = 4, step: str = STEPS[0], draw: int = 0, coarse: bool = False
) -> plots.Picture:
    """Draw one of the four steps that lead from randomly filled clusters to the capacity loss.

    Parameters
    ----------
    processors : int
        The size of the cluster.
    largest : int
        The largest job; sizes have the distribution U[1, largest].
    step : str
        One of `STEPS`.
    draw : int
        The seed of the jobs.
    coarse : bool
        Sample and simulate fewer jobs, for a quick preview.
    """
    one_of("step", step, STEPS)
    if largest > processors:
        raise co.InputError(
            f"largest = {largest} is more than processors = {processors}; give a smaller value"
        )
    sizes, generator = co.uniform(1, largest), np.random.default_rng(draw)
    if step == STEPS[0]:
        fills = [fill(processors, sizes, generator) for _ in range(PICTURED)]
        return plots.Picture(_draw_fills(fills, processors))
    if step == STEPS[3]:
        return plots.Picture(_draw_sum(processors, largest, COARSE if coarse else JOBS))
    fits = counted(processors, sizes, generator, FEW if coarse else COUNTED)
    return plots.Picture(_draw_counts(exactly(processors, sizes), fits, weighed=step == STEPS[2]))


def _draw_fills(fills: list[list[int]], processors: int) -> Figure:
    figure, axes = plots.new_figure(0.5 + 0.32 * len(fills))
    for row, jobs in enumerate(fills):
        _draw_fill(axes, row, jobs, processors)
    axes.axvline(processors, color="black", linewidth=2)
    axes.set(xlim=(0, max(sum(jobs) for jobs in fills) + 0.2), ylim=(len(fills), 0))
    axes.set_yticks(np.arange(len(fills)) + 0.5, [f"{len(jobs) - 1} fit" for jobs in fills])
    axes.set_xlabel("processors")
    axes.grid(False)
    title = "Jobs start in order until one does not fit; the remaining processors stay idle"
    subtitle = (
        f"{len(fills)} fillings of {processors} processors; dashed: the job that does not fit"
    )
    plots.title_figure(figure, title, f"{subtitle}; hatched: idle")
    return figure


def _draw_fill(axes: Axes, row: int, jobs: list[int], processors: int) -> None:
    waiting = {"facecolor": "none", "edgecolor": plots.LOSS.colour, "linestyle": "--"}
    edges = np.cumsum([0, *jobs])
    for left, size in zip(edges, jobs, strict=False):
        fits = left + size <= processors
        style = {"facecolor": plots.STANDARD.colour} if fits else waiting
        axes.add_patch(Rectangle((left + 0.05, row + 0.1), size - 0.1, 0.8, **style))
        # Write the label of the job that does not fit to the right of the hatched processors.
        label_from = left if fits else max(left, processors)
        axes.text(
            (label_from + left + size) / 2,
            row + 0.5,
            str(size),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if fits else plots.LOSS.colour,
        )
    hatched = {"fill": False, "hatch": "////", "edgecolor": plots.LOSS.colour, "linewidth": 0}
    axes.add_patch(Rectangle((edges[-2], row + 0.1), processors - edges[-2], 0.8, **hatched))


def _draw_counts(chance: np.ndarray, fits: np.ndarray, weighed: bool) -> Figure:
    figure, axes = plots.new_figure(2.4)
    number, colour = np.arange(len(chance)), plots.STANDARD.colour
    if weighed:
        time = chance[1:] / number[1:] / (chance[1:] / number[1:]).sum()
        axes.bar(number - 0.2, chance, 0.4, color=colour, alpha=0.35)
        axes.bar(number[1:] + 0.2, time, 0.4, color=colour)
        title = "A state with fewer jobs lasts longer, so it has more weight"
        subtitle = "pale: probability that exactly i jobs fit; dark: share of time, weighted by 1/i"
    else:
        shares = np.bincount(fits, minlength=len(chance)) / len(fits)
        axes.bar(number, chance, 0.7, color=colour)
        axes.plot(number, shares, "o", color="black", markerfacecolor="white", markersize=5)
        title = "P(exactly i jobs fit) = P(i jobs fit) - P(i + 1 jobs fit)"
        subtitle = f"bars: F(i) - F(i + 1); circles: share of {len(fits):,} random fillings"
    axes.set(xlabel="jobs in service at once, i", ylabel="share", xlim=(0.3, len(chance) - 0.3))
    axes.set_xticks(number[1 :: 1 + len(number) // 17])
    plots.title_figure(figure, title, subtitle)
    return figure


@cache
def _simulated(processors: int, largest: int, jobs: int) -> Interval:
    scenario = co.Scenario(co.Multicluster([processors]), co.JobModel(co.uniform(1, largest)))
    return co.saturated_loss(scenario, jobs=jobs)


def _draw_sum(processors: int, largest: int, jobs: int) -> Figure:
    sizes = co.uniform(1, largest)
    chance = exactly(processors, sizes)[1:]
    in_service = 1 / (chance / np.arange(1, len(chance) + 1)).sum()
    busy = in_service * sizes.mean / processors
    losses = {
        "equation (2)": Interval.exact(1 - busy),
        "simulated": _simulated(processors, largest, jobs),
    }
    return _bars(
        {(f"{processors} processors", name): loss for name, loss in losses.items()},
        title=f"{in_service:.2f} jobs in service on average keep {busy:.0%} busy",
        subtitle=f"M = 1/(sum of P(exactly i)/i) = {in_service:.3f}; loss = 1 - M x mean size "
        f"{sizes.mean:g} / {processors} processors",
    )


def _bars(intervals: dict[tuple[str, str], Interval], **how: Any) -> Figure:
    rows = [
        {"group": group, "series": series} | interval_columns(interval)
        for (group, series), interval in intervals.items()
    ]
    columns: dict[str, Any] = {"value": "estimate", "group": "group", "series": "series"}
    return plots.bars(pd.DataFrame(rows), **columns, **how)


def filling_explorer(state: str = "") -> Explorer:
    """Return interactive controls for `filling_picture`: the step, the cluster and the jobs."""
    processors = slider_with_entry("processors", 8, 2, 32)
    largest = slider_with_entry("largest job", 4, 1, 32)
    push(largest.children[-1], processors.children[-1])
    controls = {
        "step": ipw.ToggleButtons(options=STEPS, description="step"),
        "processors": processors,
        "largest": largest,
        "draw": slider_with_entry("sample again", 0, 0, 99),
    }
    return Explorer(
        controls, filling_picture, state=state, simulates=lambda step, **_: step != STEPS[0]
    )


def waiting_and_oldest(
    processors: int, sizes: co.SizeDistribution, service: Distribution, jobs: int = JOBS
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the first waiting job and the oldest running job at each departure.

    The cluster is saturated. Departures after the start of the last job are left out, because the
    queue is empty then.

    Parameters
    ----------
    processors : int
        The size of the cluster.
    sizes : SizeDistribution
        The sizes of the jobs.
    service : Distribution
        Their service times.
    jobs : int
        The number of jobs in the simulation.

    Returns
    -------
    tuple of two ndarrays
        The sizes of the head of the queue and of the oldest job, one for each departure.
    """
    scenario = co.Scenario(co.Multicluster([processors]), co.JobModel(sizes, service=service))
    schedule = scenario.simulate(jobs, backlog=1)
    departures = np.unique(schedule.end)
    departures = departures[departures < schedule.start[-1]]
    head = np.searchsorted(schedule.start, departures, side="right")
    # Jobs are ordered by their starts, so the first one that ends after the departure is the
    # oldest running job.
    latest_end = np.maximum.accumulate(schedule.end)
    oldest = np.searchsorted(latest_end, departures, side="right")
    size = schedule.jobs.processors
    return size[head], size[oldest]


def held_over_picture() -> plots.Picture:
    """Plot how often the first waiting job is large, and how often the oldest running job is.

    Half of the jobs need 3 and half need 6 of the 8 processors. Service times are exponential, as
    equation (2) assumes, or equal, as equation (4) assumes.
    """
    sizes, shares = co.SizeDistribution(np.array([0, 0, 0, 0.5, 0, 0, 0.5])), {}
    for times, service in (
        ("exponential times", co.Exponential()),
        ("equal times", co.Deterministic()),
    ):
        both = waiting_and_oldest(8, sizes, service)
        for job, seen in zip(("head of the queue", "oldest job"), both, strict=True):
            batches = [part.mean() for part in np.array_split(seen == 6, 20)]
            shares[times, job] = co.student(batches)
    figure = _bars(
        shares,
        title="With exponential times the oldest job has the general size distribution, with "
        "equal times not",
        subtitle="share of jobs of 6 processors, not 3, just after a departure: the job that did "
        "not fit, and the job from which the next filling is counted",
        xlabel="share of jobs of 6 processors",
        threshold=("drawn", dict.fromkeys([times for times, _ in shares], 0.5)),
    )
    return plots.Picture(figure)
