"""The explorers: a capacity loss, and a small schedule, under the reader's hands."""

import ipywidgets as ipw
import numpy as np

from coalloc_lib import plots
from coalloc_lib.checks import instance_of
from coalloc_lib.jobs import REQUESTS, JobStream
from coalloc_lib.names import PLACEMENTS, SCHEDULING, options_of, spoken
from coalloc_lib.schedule import Schedule
from coalloc_lib.simulation import simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.controls import WIDE, Explorer, choice, explorer, slider_with_entry
from coalloc_lib.widgets.losses import COMPARED, LossQuestion, loss_picture
from coalloc_lib.widgets.losses import RULES as LOSS_RULES
from coalloc_lib.widgets.picture import Picture

#: Requests that leave a placement nothing to choose: the job names its clusters, or there is one.
NO_CHOICE = ("ordered", "total")
#: Jobs of a schedule that a picture's text alternative tells of.
MOST_TOLD = 30


def loss_explorer() -> Explorer:
    """Return the controls of a multicluster and its jobs, and the capacity loss at once.

    The chosen request type is drawn beside the two others. The loss is exact or approximate where
    a formula answers quickly, else simulated with its 95 % interval, and says which.
    """
    start = LossQuestion()
    kind = choice("size distribution", ("U", "D(q)"))
    q = slider_with_entry("q", start.q, 0.5, 1.0, 0.01)
    wide = {"style": WIDE, "layout": {"width": "max-content"}}
    counted = ipw.Checkbox(value=False, description="1 counts as a power of two", **wide)
    for widget in (*q.children, counted):
        ipw.dlink((kind, "value"), (widget, "disabled"), lambda value: value == "U")
    controls = {
        "clusters": slider_with_entry("clusters", start.clusters, 1, 8),
        "cluster_size": slider_with_entry("cluster size", start.cluster_size, 2, 128),
        "components": slider_with_entry("components", start.components, 1, 8),
        "kind": kind,
        "low": slider_with_entry("smallest size", start.low, 1, 128),
        "high": slider_with_entry("largest size", start.high, 1, 128),
        "q": q,
        "one_is_power_of_two": counted,
        "request": choice("request type", COMPARED, start.request),
        "placement": choice("placement", LOSS_RULES),
    }
    return explorer(controls, lambda **values: loss_picture(LossQuestion(**values)))


#: Scheduling policies by the names that a reader sees.
POLICIES = {policy.__name__: policy for policy in SCHEDULING.values()}


def takes_no_number(scheduling: str) -> bool:
    """Whether a policy has no limit of overtaking."""
    return "max_jumps" not in options_of(POLICIES[scheduling])


def schedule_explorer(system: Multicluster, jobs: JobStream, unit: str | None = None) -> Explorer:
    """Return the controls of request type, placement and scheduling, and the schedule they make.

    Parameters
    ----------
    system : Multicluster
        For total requests, which no cluster of it may hold, one cluster as large as all of them
        stands in its place, as in the studies; the picture's title says so.
    jobs : JobStream
        A few jobs: the picture has one row a processor.
    unit : str, optional
        Unit of time.
    """
    instance_of("system", system, Multicluster, "co.Multicluster([4, 4])")
    instance_of("jobs", jobs, JobStream, "co.JobStream(submit=..., runtime=..., components=...)")
    request = choice("request type", REQUESTS, jobs.request)
    placement = choice("placement", map(spoken, PLACEMENTS))
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
    return explorer(controls, lambda **chosen: _small_schedule(system, jobs, unit, **chosen))


def _small_schedule(system, jobs, unit, request, placement, scheduling, max_jumps):
    """Simulate a few jobs and draw them; the title says on what and by which policies."""
    policy = (
        POLICIES[scheduling]() if takes_no_number(scheduling) else POLICIES[scheduling](max_jumps)
    )
    words = [f"{request} requests", placement, scheduling]
    if request == "total":
        system = Multicluster([system.processors])
        words[0] += f" on one cluster of {system.processors}"
    if request in NO_CHOICE:
        words.remove(placement)
    rule = None if request in NO_CHOICE else PLACEMENTS[placement.replace(" ", "-")]()
    if not takes_no_number(scheduling):
        words[-1] += f"({max_jumps})"
    jobs = jobs.replace(request=request)
    schedule = simulate(system, jobs, scheduling=policy, placement=rule, engine="reference")
    return schedule_picture(schedule, ", ".join(words), unit)


def schedule_picture(
    schedule: Schedule, title: str = "Schedule", unit: str | None = None
) -> Picture:
    """Draw a schedule, with the waits and ends of its jobs as the text alternative.

    Of a long one the first jobs are drawn, as `plots.gantt` does, and told of in words.
    """
    figure = plots.gantt(schedule, title=title, unit=unit)
    numbers = schedule.jobs.number
    order = np.argsort(schedule.start, kind="stable")[:MOST_TOLD]
    told = [
        f"job {numbers[job]} runs {schedule.start[job]:g} to {schedule.end[job]:g}"
        for job in sorted(order.tolist())
    ]
    if len(schedule) > len(told):
        told.append(f"and {len(schedule) - len(told):,} jobs more")
    caption = (
        f"The last job ends at {schedule.end.max():g}; the mean wait is {schedule.wait.mean():.2f}."
    )
    return Picture(figure, f"{title}: {'; '.join(told)}", caption)
