"""The spanning explorer: the same jobs, whole and spanning two clusters, in a schedule player."""

from collections.abc import Sequence
from typing import Any

from coalloc_lib.basics.checks import not_negative, one_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, slider_with_entry
from coalloc_lib.widgets.player import Player

#: The ways to divide a spanning job between two clusters. A whole job has the sum of both parts.
DIVISIONS = {"2 + 1": (2, 1), "2 + 2": (2, 2), "3 + 1": (3, 1)}
#: The sizes of the two clusters, in processors.
CLUSTERS = {
    "5 and 5": (5, 5), "6 and 6": (6, 6), "4 and 4": (4, 4), "7 and 3": (7, 3),
}  # fmt: skip
#: The largest penalty that the user can choose.
MOST = 1.0


def whole_and_spanning(
    runtimes: Sequence[float], penalty: float, division: str, clusters: str
) -> dict[str, Schedule]:
    """Schedule the same jobs twice, first whole and then spanning two clusters.

    Parameters
    ----------
    runtimes : sequence of float
        The run time of each job without a penalty. All jobs are submitted at time 0.
    penalty : float
        A job that spans runs ``1 + penalty`` times as long.
    division : str
        A key of `DIVISIONS`: the two components of a spanning job.
    clusters : str
        A key of `CLUSTERS`: the sizes of the two clusters.

    Returns
    -------
    dict of str to Schedule
        The schedules ``whole`` and ``spanning``.

    Raises
    ------
    InputError
        If an argument is wrong.
    """
    not_negative("penalty", penalty)
    parts = DIVISIONS[one_of("division", division, tuple(DIVISIONS))]
    system = Multicluster(CLUSTERS[one_of("clusters", clusters, tuple(CLUSTERS))])
    count = len(runtimes)
    whole = JobStream([0] * count, runtimes, components=[[sum(parts), 0]] * count)
    spans = whole.replace(components=[parts] * count, span_penalty=penalty)
    jobs = {"whole": whole, "spanning": spans}
    return {name: simulate(system, each, engine="reference") for name, each in jobs.items()}


def spanning_explorer(runtimes: Sequence[float], state: str = "") -> Explorer:
    """Return controls for the jobs and the clusters, with a player of both schedules.

    `runtimes` has the run time of each job. `state` has the values of the controls at first, as a
    line such as ``"penalty=0.5"``.
    """
    controls = {
        "penalty": slider_with_entry("penalty", 0.25, 0.0, MOST, 0.05),
        "division": choice("spanning job", DIVISIONS),
        "clusters": choice("clusters of", CLUSTERS),
    }
    at_first = whole_and_spanning(runtimes, 0.25, *map(_first, (DIVISIONS, CLUSTERS)))
    player = Player(_with_ends(at_first), idle=0)

    def draw(**values: Any) -> None:
        player.show(_with_ends(whole_and_spanning(runtimes, **values)))

    return Explorer(controls, draw, player, state, shows_scenario=False)


def _with_ends(schedules: dict[str, Schedule]) -> dict[str, Schedule]:
    return {f"{name}: ends at {each.end.max():g}": each for name, each in schedules.items()}


def _first(options: dict[str, tuple[int, int]]) -> str:
    return next(iter(options))
