"""Equation (2) in four steps: fill one cluster, count, weigh by time, add up."""

from functools import lru_cache

import ipywidgets as ipw
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.distributions import (
    Deterministic,
    Distribution,
    Exponential,
    SizeDistribution,
    uniform,
)
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.controls import Explorer, push, slider_with_entry
from coalloc_lib.widgets.picture import Picture
from coalloc_lib.workloads.models import JobModel

STEPS = ("1 fill", "2 count", "3 weigh by time", "4 add up")
#: Fills that are drawn; that are counted beside the formula, and while a control is moved.
DRAWN, COUNTED, FEW = 6, 2_000, 200
#: Jobs of the simulation beside the result, and while a control is moved.
JOBS, COARSE = 40_000, 4_000


def fill(processors: int, sizes: SizeDistribution, generator: np.random.Generator) -> list[int]:
    """Return the sizes of jobs in the order drawn; the last is the first that does not fit."""
    jobs = [int(sizes.sample(generator, 1)[0])]
    while sum(jobs) <= processors:
        jobs.append(int(sizes.sample(generator, 1)[0]))
    return jobs


def counted(processors: int, sizes: SizeDistribution, generator: np.random.Generator,
            fills: int) -> np.ndarray:  # fmt: skip
    """Return how many jobs fit in each of several fills."""
    jobs = sizes.sample(generator, fills * (processors + 1)).reshape(fills, -1)
    return (jobs.cumsum(axis=1) <= processors).sum(axis=1)


def exactly(processors: int, sizes: SizeDistribution) -> np.ndarray:
    """Return the probability that exactly i random jobs fit: F(i) - F(i + 1), from i = 0 on."""
    fits = [1.0]
    while fits[-1] > 0:
        fits.append(float(sizes.sum_of(len(fits)).probabilities[: processors + 1].sum()))
    return -np.diff([*fits, 0.0])[:-1]


def filling_picture(
    processors: int = 8,
    largest: int = 4,
    step: str = STEPS[0],
    draw: int = 0,
    coarse: bool = False,
) -> Picture:
    """Draw one of the `STEPS` from a cluster and sizes U[1, largest] to its capacity loss.

    Parameters
    ----------
    processors, largest : int
        Of the cluster; of a job, as many at most.
    step : str
        One of `STEPS`.
    draw : int
        Seed of the jobs.
    coarse : bool
        Draw and simulate less, for a quick look.

    Raises
    ------
    InputError
        The largest job does not fit on the cluster, or there is no such step.
    """
    one_of("step", step, STEPS)
    if largest > processors:
        raise InputError(f"largest = {largest}; give at most processors, which is {processors}")
    sizes = uniform(1, largest)
    one = np.random.default_rng(draw)
    if step == STEPS[0]:
        figure = _draw_fills([fill(processors, sizes, one) for _ in range(DRAWN)], processors)
    elif step == STEPS[3]:
        figure = _draw_sum(processors, sizes, COARSE if coarse else JOBS)
    else:
        fits = counted(processors, sizes, one, FEW if coarse else COUNTED)
        figure = _draw_counts(exactly(processors, sizes), fits, weighed=step == STEPS[2])
    return Picture(figure)


def _draw_fills(fills: list[list[int]], processors: int) -> Figure:
    figure, axes = plots.new_figure(0.5 + 0.32 * len(fills))
    for row, jobs in enumerate(fills):
        edges = np.cumsum([0, *jobs])
        for number, (left, size) in enumerate(zip(edges, jobs, strict=False)):
            fits = number < len(jobs) - 1
            look = {"facecolor": plots.STANDARD.colour} if fits else {
                "facecolor": "none", "edgecolor": plots.LOSS.colour, "linestyle": "--"
            }  # fmt: skip
            axes.add_patch(Rectangle((left + 0.05, row + 0.1), size - 0.1, 0.8, **look))
            colour = "white" if fits else plots.LOSS.colour
            style = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
            middle = (max(left, 0 if fits else processors) + left + size) / 2
            axes.text(middle, row + 0.5, str(size), **style)
        idle = Rectangle((edges[-2], row + 0.1), processors - edges[-2], 0.8, fill=False,
                         hatch="////", edgecolor=plots.LOSS.colour, linewidth=0)  # fmt: skip
        axes.add_patch(idle)
    axes.axvline(processors, color="black", linewidth=2)
    axes.set(xlim=(0, max(sum(jobs) for jobs in fills) + 0.2), ylim=(len(fills), 0))
    axes.set_yticks(np.arange(len(fills)) + 0.5, [f"{len(jobs) - 1} fit" for jobs in fills])
    axes.set_xlabel("processors")
    axes.grid(False)
    title = _fills_title(fills, processors)
    subtitle = f"{len(fills)} fills of {processors} processors in the order of the queue; dashed: "
    plots.title_figure(figure, title, subtitle + "the job that fits no more; hatched: idle")
    return figure


def _fills_title(fills: list[list[int]], processors: int) -> str:
    least, most = (pick(len(jobs) - 1 for jobs in fills) for pick in (min, max))
    fit = _jobs_fit(f"{least}") if least == most else f"Between {least} and {most} jobs fit"
    full = all(sum(jobs[:-1]) == processors for jobs in fills)
    return f"{fit}, and " + ("nothing is left over" if full else "what is left over stays idle")


def _jobs_fit(number: str) -> str:
    return f"{number} job fits" if number == "1" else f"{number} jobs fit"


def _counts_title(chance: np.ndarray, weighed: bool) -> str:
    possible = np.flatnonzero(chance > 0)
    if len(possible) == 1:
        always = _jobs_fit(f"{possible[0]}")
        return f"Always {always}: there is nothing to weigh" if weighed else f"Always {always}"
    if weighed:
        return "Fewer jobs at once last longer, and weigh more"
    most = np.flatnonzero(np.isclose(chance, chance.max()))
    return "Most often exactly " + _jobs_fit(" or ".join(map(str, most)))


def _draw_counts(chance: np.ndarray, fits: np.ndarray, weighed: bool) -> Figure:
    figure, axes = plots.new_figure(2.4)
    number = np.arange(len(chance))
    pale = {"alpha": 0.35} if weighed else {}
    axes.bar(number - 0.2 * weighed, chance, 0.4 if weighed else 0.7,
             color=plots.STANDARD.colour, **pale)  # fmt: skip
    subtitle = "bars: F(i) - F(i + 1), the chance that i jobs fit and i + 1 do not; circles: "
    if weighed:
        time = chance[1:] / number[1:] / (chance[1:] / number[1:]).sum()
        axes.bar(number[1:] + 0.2, time, 0.4, color=plots.STANDARD.colour)
        subtitle = "pale: chance that exactly i jobs fit; dark: share of time, weighed by 1/i"
    else:
        shares = np.bincount(fits, minlength=len(chance)) / len(fits)
        axes.plot(number, shares, "o", color="black", markerfacecolor="white", markersize=5)
        subtitle += f"share of {len(fits):,} fills"
    axes.set(xlabel="jobs in service at once, i", ylabel="share", xlim=(0.3, len(chance) - 0.3))
    axes.set_xticks(number[1 :: 1 + len(number) // 17])
    plots.title_figure(figure, _counts_title(chance, weighed), subtitle)
    return figure


@lru_cache(maxsize=128)
def _simulated(processors: int, largest: int, jobs: int) -> Interval:
    scenario = Scenario(Multicluster([processors]), JobModel(uniform(1, largest)))
    return saturated_loss(scenario, jobs=jobs)


def _draw_sum(processors: int, sizes: SizeDistribution, jobs: int) -> Figure:
    chance = exactly(processors, sizes)
    number = np.arange(1, len(chance))
    in_service = 1 / (chance[1:] / number).sum()
    loss = 1 - in_service * sizes.mean / processors
    found = {
        "equation (2)": loss,
        "simulated": _simulated(processors, len(sizes.probabilities) - 1, jobs),
    }
    title = f"{in_service:.2f} jobs in service on average keep {1 - loss:.0%} busy"
    subtitle = (
        f"M = 1/(sum of P(exactly i)/i) = {in_service:.3f}; loss = 1 - M x mean size "
        f"{sizes.mean:g} / {processors} processors"
    )
    return plots.bars({f"{processors} processors": found}, title=title, subtitle=subtitle)


def filling_explorer(state: str = "") -> Explorer:
    """Return the controls of a cluster and its jobs, and the four steps to its capacity loss."""
    step = ipw.ToggleButtons(options=STEPS, description="step")
    processors = slider_with_entry("processors", 8, 2, 32)
    largest = slider_with_entry("largest job", 4, 1, 32)
    push(largest.children[-1], processors.children[-1])
    return Explorer(
        {
            "step": step,
            "processors": processors,
            "largest": largest,
            "draw": slider_with_entry("draw again", 0, 0, 99),
        },
        filling_picture,
        state=state,
    )


#: Jobs of the simulations behind `held_over_picture`, and batches of each.
HELD_JOBS, BATCHES = 40_000, 20
#: A share so near to the one drawn is called the same.
SAME = 0.02


def waiting_and_oldest(
    processors: int, sizes: SizeDistribution, service: Distribution, jobs: int = HELD_JOBS
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the head of the queue and of the oldest job, just after each departure.

    Parameters
    ----------
    processors : int
        Of one saturated cluster.
    sizes, service
        Of its jobs.
    jobs : int
        To simulate; the departures after the last of them has started do not count.
    """
    scenario = Scenario(Multicluster([processors]), JobModel(sizes, service=service))
    schedule = scenario.simulate(jobs, backlog=1)
    departures = np.unique(schedule.end)
    departures = departures[departures < schedule.start[-1]]
    head = np.searchsorted(schedule.start, departures, side="right")
    latest_end = np.maximum.accumulate(schedule.end)  # the oldest: all before it have ended
    oldest = np.searchsorted(latest_end, departures, side="right")
    size = schedule.jobs.processors
    return size[head], size[oldest]


def held_over_picture(processors: int = 8, small: int = 3, large: int = 6) -> Picture:
    """Draw how often the head of the queue and the oldest job are large, beside how many are.

    Half of all jobs are `small` and half `large`. Service times are exponential, as equation (2)
    has them, or equal, as equation (4) has them.
    """
    chances = np.zeros(max(small, large) + 1)
    chances[[small, large]] = 0.5
    sizes = SizeDistribution(chances)
    found: dict[str, dict[str, Interval]] = {}
    for label, service in (("exponential", Exponential()), ("equal", Deterministic())):
        places = waiting_and_oldest(processors, sizes, service)
        found[f"{label} times"] = {
            name: student([part.mean() for part in np.array_split(seen == large, BATCHES)])
            for name, seen in zip(("head of the queue", "oldest job"), places, strict=True)
        }
    figure = plots.bars(
        found,
        title=_held_over_title({label: row["oldest job"] for label, row in found.items()}),
        subtitle=f"share of jobs of {large} processors, not {small}, just after a departure: the "
        "job that did not fit, and the job from which the next filling is counted",
        xlabel=f"share of jobs of {large} processors",
        threshold=("drawn", dict.fromkeys(found, 0.5)),
    )
    return Picture(figure)


def _held_over_title(oldest: dict[str, Interval]) -> str:
    drawn = {label: abs(share.estimate - 0.5) < SAME for label, share in oldest.items()}
    if len({*drawn.values()}) == 1:
        same = "as drawn" if all(drawn.values()) else "not as drawn"
        return f"The oldest job is {same}, whatever the service times"
    here, there = sorted(drawn, key=lambda label: not drawn[label])
    return f"The oldest job is as drawn with {here}, but not with {there}"
