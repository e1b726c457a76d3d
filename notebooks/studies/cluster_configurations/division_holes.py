"""The idle processors of each cluster in a full system, in the division explorer."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from coalloc_lib import plots
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.schedules.reading import idle_after
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import Replications
from coalloc_lib.workloads.models import JobModel

#: The numbers of runs, of jobs in a run, and of instants at which the idle processors are counted.
#: The first and the last `EDGE` jobs of a run are left out.
RUNS, JOBS, INSTANTS, EDGE = 5, 4_000, 2_000, 500
#: The name of the components of a job in the picture.
NEEDED = "components of a job"


@lru_cache(maxsize=256)
def idle_by_rank(
    system: Multicluster, model: JobModel, names: tuple[str, ...]
) -> Mapping[str, tuple[Replications, ...]]:
    """Return the numbers of idle processors, from the cluster with the most to that with the least.

    In each run the queue is never empty, so the system is full. All placements get the same jobs.

    Parameters
    ----------
    system : Multicluster
        The system. The largest job of the model must fit into it.
    model : JobModel
        The model of the jobs.
    names : tuple of str
        The placements, as keys of `coalloc_lib.policies.names.PLACEMENTS`.

    Returns
    -------
    mapping of str to tuple of Replications
        For each placement and each cluster, the mean number over time in each run. At every
        instant, the first cluster is the one that has the most idle processors then.
    """
    found = {}
    for name in names:
        scenario = Scenario(system, model, placement=PLACEMENTS[name]())
        ranked = np.array([_ranked(scenario, seed) for seed in range(1, RUNS + 1)])
        found[display_name(name)] = tuple(Replications(each) for each in ranked.T)
    return found


def _ranked(scenario, seed):
    schedule = scenario.simulate(JOBS, backlog=1, seed=seed)
    instants = np.linspace(schedule.start[EDGE], schedule.start[-EDGE], INSTANTS)
    return np.sort(idle_after(schedule, instants), axis=1)[:, ::-1].mean(axis=0)


def mean_components(model: JobModel, seed: int = 1) -> list[float]:
    """Return the mean sizes of the largest component of a job, of the second largest, and so on."""
    jobs = model.sample(JOBS, seed)
    return np.sort(jobs.components, axis=1)[:, ::-1].mean(axis=0).tolist()


def holes_picture(
    system: Multicluster, model: JobModel, names: tuple[str, ...], setting: str
) -> Picture:
    """Plot the idle processors of each cluster, beside the components of a mean job.

    Parameters
    ----------
    system, model, names
        See `idle_by_rank`.
    setting : str
        The system and the jobs in words, for the subtitle.
    """
    found, needed = idle_by_rank(system, model, names), mean_components(model)
    figure, axes = plots.new_figure(3.0)
    clusters = np.arange(1, len(system) + 1)
    for name, look in plots.signs(found).items():
        style = {"color": look.colour, "marker": look.marker, "capsize": 3, "label": name}
        style["yerr"] = [each.interval.half_width for each in found[name]]
        axes.errorbar(clusters, [each.mean for each in found[name]], **style)
    style = {"width": 0.5, "color": plots.GREY, "alpha": 0.4, "label": NEEDED}
    axes.bar(clusters[: len(needed)], needed, **style)
    axes.set(xlabel="clusters, from the most idle processors to the fewest", ylim=(0, None))
    axes.set(ylabel="processors", xticks=clusters)
    axes.legend()
    subtitle = (
        f"{setting}; the queue is never empty; lines: mean number of idle processors, with 95 % "
        "intervals; grey: the mean components of a job, the largest first"
    )
    plots.title_figure(figure, "Idle processors in a full system", subtitle)
    return Picture(figure, rows=[_in_words(name, each) for name, each in found.items()])


def _in_words(name, found):
    return f"{name} leaves idle {', '.join(each.interval.text(1) for each in found)}"
