"""The explorers: a capacity loss, and a small schedule, under the reader's hands."""

import ipywidgets as ipw

from coalloc_lib import plots
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.simulate import simulate
from coalloc_lib.widgets.controls import WIDE, choice, explorer, slider_with_entry
from coalloc_lib.widgets.losses import COMPARED, PLACEMENTS, LossQuestion, loss_picture
from coalloc_lib.widgets.picture import Picture


def loss_explorer():
    """Return the controls of a multicluster and its jobs, and the capacity loss at once.

    The chosen request type is drawn beside the two others. The loss is exact or approximate where
    a formula answers quickly, else simulated with its 95 % interval, and says which.
    """
    start = LossQuestion()
    kind = choice("size distribution", ("U", "D(q)"))
    q = slider_with_entry("q", start.q, 0.5, 1.0, 0.01)
    counted = ipw.Checkbox(
        value=False,
        description="1 counts as a power of two",
        style=WIDE,
        layout={"width": "max-content"},
    )
    for widget in (*q.children, counted):
        ipw.dlink((kind, "value"), (widget, "disabled"), lambda value: value == "U")
    request = choice("request type", COMPARED)
    request.value = start.request
    controls = {
        "clusters": slider_with_entry("clusters", start.clusters, 1, 8),
        "cluster_size": slider_with_entry("cluster size", start.cluster_size, 2, 128),
        "components": slider_with_entry("components", start.components, 1, 8),
        "kind": kind,
        "low": slider_with_entry("smallest size", start.low, 1, 128),
        "high": slider_with_entry("largest size", start.high, 1, 128),
        "q": q,
        "one_is_power_of_two": counted,
        "request": request,
        "placement": choice("placement", PLACEMENTS),
    }
    return explorer(controls, lambda **values: loss_picture(LossQuestion(**values)))


def schedule_explorer(system, jobs, unit=None):
    """Return the controls of request type, placement and scheduling, and the schedule they make.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
        A few jobs: the picture has one row a processor.
    unit : str, optional
        Unit of time.
    """
    request = choice("request type", REQUESTS)
    request.value = jobs.request
    scheduling = choice("scheduling", ("FCFS", "FPFS"))
    jumps = slider_with_entry("max_jumps", 1, 0, len(jobs))
    for widget in jumps.children:
        ipw.dlink((scheduling, "value"), (widget, "disabled"), lambda value: value == "FCFS")
    controls = {
        "request": request,
        "placement": choice("placement", PLACEMENTS),
        "scheduling": scheduling,
        "max_jumps": jumps,
    }

    def show(request, placement, scheduling, max_jumps):
        policy, name = FCFS(), "FCFS"
        if scheduling == "FPFS":
            policy, name = FPFS(max_jumps), f"FPFS({max_jumps})"
        schedule = simulate(
            system, jobs.replace(request=request), scheduling=policy,
            placement=None if request == "ordered" else PLACEMENTS[placement], engine="reference",
        )  # fmt: skip
        return schedule_picture(schedule, f"{request} requests, {placement}, {name}", unit)

    return explorer(controls, show)


def schedule_picture(schedule, title="Schedule", unit=None):
    """Draw a small schedule, with the waits and ends of its jobs as the text alternative."""
    jobs = zip(schedule.start, schedule.end, strict=True)
    words = "; ".join(f"job {i} runs {s:g} to {e:g}" for i, (s, e) in enumerate(jobs, start=1))
    caption = (
        f"The last job ends at {schedule.end.max():g}; the mean wait is {schedule.wait.mean():.2f}."
    )
    return Picture(plots.gantt(schedule, title=title, unit=unit), f"{title}: {words}", caption)
