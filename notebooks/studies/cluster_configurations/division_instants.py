"""An instant at which a job waits, in the division explorer, beside enough idle processors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from coalloc_lib import plots
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.schedules.explain import instants_of, requested_sizes
from coalloc_lib.schedules.reading import heads, idle_after
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.workloads.models import JobModel

#: The offered load, as a fraction of the maximal utilization of the placement that carries less,
#: and the seed of the jobs.
SHARE, SEED = 0.95, 1
#: Numbers of jobs: in a run, before the instant that is drawn, and in a simulation of the maximal
#: utilization.
JOBS, WARM_UP, SATURATED_JOBS = 3_000, 1_000, 4_000
#: The colour of busy processors, and the style of idle ones.
BUSY = plots.STANDARD.colour
IDLE: dict[str, Any] = {"facecolor": "white", "edgecolor": plots.LOSS.colour, "hatch": "////"}


@dataclass(frozen=True)
class WaitingHead:
    """The first waiting job at a given instant, and the processors that are idle then.

    Parameters
    ----------
    instant : float
        The instant, in mean service times after the first submission.
    wanted : list of int
        The sizes of the components of the job, the largest first.
    idle : list of int
        The number of idle processors of each cluster.
    """

    instant: float
    wanted: list[int]
    idle: list[int]


def first_waiting_head(schedule: Schedule, warm_up: int = WARM_UP) -> WaitingHead | None:
    """Return the first instant at which the head of the queue waits for want of a placement.

    At this instant, enough processors are idle in total, but not in the clusters in which the job
    needs them. Instants before the submission of the first `warm_up` jobs are left out, and so are
    those after the last submission, when the system empties. The result is None if there is no such
    instant.
    """
    instants, submit = instants_of(schedule), schedule.jobs.submit
    instants = instants[(submit[warm_up] <= instants) & (instants <= submit.max())]
    head, idle = heads(schedule, instants), idle_after(schedule, instants)
    waits = (head >= 0) & (idle.sum(axis=1) >= schedule.jobs.processors[head])
    if not waits.any():
        return None
    first = int(np.argmax(waits))
    wanted = sorted(requested_sizes(schedule.jobs, int(head[first])), reverse=True)
    return WaitingHead(float(instants[first]), wanted, idle[first].tolist())


@lru_cache(maxsize=256)
def waiting_heads(
    system: Multicluster, model: JobModel, names: tuple[str, ...]
) -> tuple[float, Mapping[str, WaitingHead | None]]:
    """Return the offered load, and for each placement the first head that waits.

    All placements get the same jobs. `names` are keys of `PLACEMENTS`.
    """
    scenarios = {name: Scenario(system, model, placement=PLACEMENTS[name]()) for name in names}
    maxima = [
        max_utilization_by_simulation(scenario, jobs=SATURATED_JOBS).interval.low
        for scenario in scenarios.values()
    ]
    load = round(SHARE * min(maxima), 3)
    found = {
        display_name(name): first_waiting_head(scenario.simulate(JOBS, load=load, seed=SEED))
        for name, scenario in scenarios.items()
    }
    return load, found


def instant_picture(
    system: Multicluster, model: JobModel, names: tuple[str, ...], setting: str
) -> Picture:
    """Draw the busy and the idle processors of each cluster while the head of the queue waits.

    Parameters
    ----------
    system : Multicluster
        The system. The largest job of the model must fit into it.
    model : JobModel
        The model of the jobs, with unordered requests.
    names : tuple of str
        The placements to compare, as keys of `PLACEMENTS`.
    setting : str
        The system and the jobs in words, for the subtitle.
    """
    load, found = waiting_heads(system, model, names)
    largest = max([1, *(max(each.wanted) for each in found.values() if each)])
    ratios = [largest, max(system.sizes)]
    figure, grid = plots.new_figure(
        3.3, 2, len(found), sharey="row", squeeze=False, height_ratios=ratios
    )
    for (upper, lower), (name, waiting) in zip(grid.T, found.items(), strict=True):
        _draw_wanted(upper, name, waiting, largest)
        _draw_clusters(lower, system, waiting)
        upper.set_xlim(0.4, len(system) + 0.6)
        lower.set_xlim(upper.get_xlim())
    grid[0][0].set_ylabel("head", rotation=0, ha="right", va="center")
    grid[1][0].set_ylabel("processors")
    subtitle = (
        f"{setting}; filled: busy, hatched: idle; above: the components of the head, which may go "
        f"to any clusters; load {load:g}, the first such instant after {WARM_UP:,} jobs"
    )
    plots.title_figure(figure, _title(found), subtitle)
    return Picture(figure, rows=[_in_words(name, each) for name, each in found.items()])


def _draw_wanted(axes: Axes, name: str, waiting: WaitingHead | None, largest: int) -> None:
    sizes = waiting.wanted if waiting else []
    for place, size in enumerate(sizes, 1):
        axes.bar(place, size, color=plots.GREY)
        axes.annotate(f"{size}", (place, size), (0, 2), textcoords="offset points", ha="center")
    heading = f"{name}: the head needs {_listed(sizes)}" if waiting else f"{name}: no such instant"
    axes.set_title(heading, fontsize=9, loc="left", pad=14)
    axes.set(ylim=(0, largest), xticks=[], yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)


def _draw_clusters(axes: Axes, system: Multicluster, waiting: WaitingHead | None) -> None:
    places = range(1, len(system) + 1)
    axes.set(xlabel="idle processors of each cluster", ylim=(0, max(system.sizes)))
    if waiting is None:
        axes.set_xticks([])
        return
    busy = system.as_array() - waiting.idle
    axes.bar(places, busy, color=BUSY)
    axes.bar(places, waiting.idle, bottom=busy, **IDLE)
    axes.set_xticks(places, [f"{count}" for count in waiting.idle])


def _title(found: Mapping[str, WaitingHead | None]) -> str:
    missing = [name for name, waiting in found.items() if waiting is None]
    if not missing:
        return "The head of the queue does not fit, although enough processors are idle in total"
    return f"Under {' and '.join(missing)}, no head waits while enough processors are idle in total"


def _in_words(name: str, waiting: WaitingHead | None) -> str:
    if waiting is None:
        return f"{name}: no such instant"
    return f"{name}: the head needs {_listed(waiting.wanted)}; idle are {_listed(waiting.idle)}"


def _listed(numbers: Sequence[int]) -> str:
    return " + ".join(map(str, numbers))
