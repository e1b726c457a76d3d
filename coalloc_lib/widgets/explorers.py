"""The explorers: a capacity loss, and a small schedule, under the reader's hands."""

from typing import Any

import ipywidgets as ipw

from coalloc_lib.checks import instance_of
from coalloc_lib.jobs import REQUESTS, JobStream
from coalloc_lib.names import PLACEMENTS, SCHEDULING, display_name, options_of
from coalloc_lib.plots import Picture
from coalloc_lib.schedule import Schedule
from coalloc_lib.simulation import simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.controls import Explorer, choice, push, slider_with_entry
from coalloc_lib.widgets.losses import (
    COARSE_JOBS,
    COMPARED,
    SIMULATED_JOBS,
    LossQuestion,
    loss_picture,
)
from coalloc_lib.widgets.losses import RULES as LOSS_RULES
from coalloc_lib.widgets.player import Player

#: Requests that leave a placement nothing to choose: the job names its clusters, or there is one.
NO_CHOICE = ("ordered", "total")


def loss_explorer(state: str = "") -> Explorer:
    """Return the controls of a multicluster and its jobs, and the capacity loss at once.

    The chosen request type is drawn beside the two others. The loss is exact or approximate where
    a formula answers quickly, else simulated with its 95 % interval, and says which.

    Parameters
    ----------
    state : str, optional
        The line of a scenario that was copied.
    """
    start = LossQuestion()
    kind = choice("size distribution", ("U", "D(q)"))
    q = slider_with_entry("q", start.q, 0.5, 1.0, 0.01)
    counted = ipw.Checkbox(value=False, description="1 counts as a power of two", indent=False)
    for widget in (*q.children, counted):
        ipw.dlink((kind, "value"), (widget, "disabled"), lambda value: value == "U")
    numbers = {
        "clusters": slider_with_entry("clusters", start.clusters, 1, 8),
        "cluster_size": slider_with_entry("cluster size", start.cluster_size, 2, 128),
        "components": slider_with_entry("components", start.components, 1, 8),
        "low": slider_with_entry("smallest size", start.low, 1, 128),
        "high": slider_with_entry("largest size", start.high, 1, 128),
    }
    # A component fits a cluster, and a job has one cluster for each: the others follow.
    for lower, upper in (("components", "clusters"), ("low", "high"), ("high", "cluster_size")):
        push(numbers[lower].children[-1], numbers[upper].children[-1])
    controls = {
        **numbers,
        "kind": kind,
        "q": q,
        "one_is_power_of_two": counted,
        "request": choice("request type", COMPARED, start.request),
        "placement": choice("placement", LOSS_RULES),
    }

    def draw(coarse: bool, **values: Any) -> Picture:
        jobs = COARSE_JOBS if coarse else SIMULATED_JOBS
        return loss_picture(LossQuestion(**values), jobs)

    return Explorer(controls, draw, state=state)


#: Scheduling policies by the names that a reader sees: those that take no number but one.
POLICIES = {
    policy.__name__: policy
    for policy in SCHEDULING.values()
    if {*options_of(policy)} <= {"max_jumps"}
}


def takes_no_number(scheduling: str) -> bool:
    """Whether a policy has no limit of overtaking."""
    return "max_jumps" not in options_of(POLICIES[scheduling])


def schedule_explorer(
    system: Multicluster, jobs: JobStream, unit: str = "", state: str = ""
) -> Explorer:
    """Return the controls of request type, placement and scheduling, and a player of the schedule.

    The time axis stays the same when an option changes, so that schedules can be compared.

    Parameters
    ----------
    system : Multicluster
        For total requests, which no cluster of it may hold, one cluster as large as all of them
        stands in its place, as in the studies; the player's title says so.
    jobs : JobStream
    unit : str, optional
        Unit of time.
    state : str, optional
        The line of a scenario that was copied.
    """
    instance_of("system", system, Multicluster, "co.Multicluster([4, 4])")
    instance_of("jobs", jobs, JobStream, "co.JobStream(submit=..., runtime=..., components=...)")
    request = choice("request type", REQUESTS, jobs.request)
    placement = choice("placement", map(display_name, PLACEMENTS))
    ipw.dlink((request, "value"), (placement, "disabled"), lambda value: value in NO_CHOICE)
    scheduling = choice("scheduling", POLICIES)
    jumps = slider_with_entry("max_jumps", 1, 0, len(jobs))
    for widget in jumps.children:
        ipw.dlink((scheduling, "value"), (widget, "disabled"), takes_no_number)
    controls = {
        "request": request,
        "placement": placement,
        "scheduling": scheduling,
        "max_jumps": jumps,
    }
    start = {name: row.value for name, row in controls.items() if name != "max_jumps"}
    player = Player(_small_schedule(system, jobs, **start, max_jumps=1), unit=unit)

    def draw(coarse: bool, **chosen: Any) -> None:
        player.show(_small_schedule(system, jobs, **chosen))

    return Explorer(controls, draw, player, state)


def _small_schedule(
    system: Multicluster, jobs: JobStream, request: str, placement: str, scheduling: str,
    max_jumps: int,
) -> dict[str, Schedule]:  # fmt: skip
    """Simulate a few jobs; return their schedule by what it is of: the request and the policies."""
    limit = () if takes_no_number(scheduling) else (max_jumps,)
    words = [f"{request} requests", placement, scheduling + f"({max_jumps})" * len(limit)]
    if request == "total":
        system = Multicluster([system.processors])
        words[0] += f" on one cluster of {system.processors}"
    if request in NO_CHOICE:
        words.remove(placement)
    rule = None if request in NO_CHOICE else PLACEMENTS[placement.replace(" ", "-")]()
    policy, stream = POLICIES[scheduling](*limit), jobs.replace(request=request)
    schedule = simulate(system, stream, scheduling=policy, placement=rule, engine="reference")
    return {", ".join(words): schedule}
