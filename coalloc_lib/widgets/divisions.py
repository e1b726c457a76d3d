"""The division explorer: how a system is cut into clusters, and the response times it gives."""

from collections.abc import Sequence
from functools import lru_cache

import ipywidgets as ipw

from coalloc_lib import plots
from coalloc_lib.checks import InputError, positive
from coalloc_lib.curves import Curve, find_maximum, response_curve
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.names import PLACEMENTS, parse_clusters, spoken
from coalloc_lib.scenario import Scenario
from coalloc_lib.simulation import refuse_impossible
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.controls import WIDE, Explorer, explorer, slider_with_entry
from coalloc_lib.widgets.picture import Picture
from coalloc_lib.workloads.models import JobModel

#: The placements that are compared.
COMPARED = ("first-fit", "worst-fit")
#: Processors that the sliders divide, and clusters that they make at most.
PROCESSORS, MOST_CLUSTERS = 128, 8
#: Loads of the points, as shares of what each placement bears.
SHARES = (0.2, 0.4, 0.6, 0.75, 0.85, 0.92)
#: Relative half-width from which on a point counts as precise.
PRECISION = 0.1
#: Where the vertical axis ends, in mean service times.
TOP = 15.0


#: Jobs behind the maximal utilization; jobs and runs behind each point.
COARSE, FINE = (10_000, 2_500, 4), (100_000, 20_000, 8)


@lru_cache(maxsize=256)
def division_curves(
    clusters: tuple[int, ...], components: int, component_sizes: str, effort: tuple = COARSE
) -> dict[str, Curve]:
    """Return the `Curve` of each placement, on the same jobs; `effort` is `COARSE` or `FINE`."""
    system, model = Multicluster(clusters), JobModel(parse_sizes(component_sizes), components)
    refuse_impossible(system, model.largest())
    return {
        spoken(name): _curve(Scenario(system, model, placement=PLACEMENTS[name]()), effort)
        for name in COMPARED
    }


def _curve(scenario, effort):
    bound_jobs, jobs, replications = effort
    maximum = find_maximum(scenario, jobs=bound_jobs)
    loads = [round(share * maximum.interval.low, 3) for share in SHARES]
    length = {"jobs": jobs, "most_jobs": jobs, "replications": replications}
    return response_curve(scenario, loads, maximum=maximum, precision=PRECISION, **length)


def division_picture(
    sizes: Sequence[int] | str = (32, 32, 32, 32), components: int = 4,
    component_sizes: str = "D(0.9)[1,8]", alpha: float = 1.0, refine: bool = False,
) -> Picture:  # fmt: skip
    """Draw the response times of first fit and worst fit on one division into clusters.

    Parameters
    ----------
    sizes : sequence of int or str
        Processors of each cluster, or the same as a text such as ``"64,32,16,16"``.
    components : int
        Components of a job.
    component_sizes : str
        Distribution of their sizes, as `parse_sizes` takes it.
    alpha : float
        By how much slow communication lengthens every service time. The horizontal axis is the
        net utilization, without what communication takes.
    refine : bool
        Simulate more: runs eight times as long and twice as many.

    Notes
    -----
    With `alpha`, nothing is simulated again: net utilizations are divided by it, response times
    multiplied.
    """
    clusters = _clusters(sizes)
    if not positive("alpha", alpha) >= 1:
        raise InputError(f"alpha = {alpha}; communication lengthens service, give 1 or more")
    slow = alpha > 1
    gross = division_curves(clusters, components, component_sizes, FINE if refine else COARSE)
    net = {name: curve.stretched(alpha) for name, curve in gross.items()}
    bears = "; ".join(f"{name} {curve.maximum}" for name, curve in net.items())
    caption = (
        f"Of {sum(clusters)} processors, these shares can be kept busy with "
        f"{'work other than slow communication' if slow else 'work'}: {bears}."
    )
    system = f"{Multicluster(clusters)} processors, {components} components {component_sizes}"
    title = f"{system}, alpha = {alpha:g}"
    words = "; ".join(
        f"{name} "
        + ", ".join(
            f"{p.response.estimate:.2f} at {p.utilization:.2f}" for p in c.points if p.response
        )
        for name, c in net.items()
    )
    figure = _draw(
        net, gross if slow else {}, f"{title}; pale lines: alpha = 1" if slow else system
    )
    return Picture(figure, f"{title}. Mean response times: {words}", caption)


def _draw(net, gross, title):
    """Draw the curves over net utilization, and pale those without slow communication."""
    figure = plots.curve(
        net,
        title=title,
        xlabel="net utilization" if gross else "utilization",
        ylabel="mean response time (mean service times)",
        top=TOP,
        logarithmic=True,
    )
    figure.axes[0].set_xlim(0, 1)
    for number, curve in enumerate(gross.values()):
        times = [response.estimate for response in curve.responses]
        style = {"color": plots.look(number)[0], "linewidth": 1.2, "alpha": 0.45}
        figure.axes[0].plot(curve.utilizations, times, **style)
    return figure


def _clusters(sizes):
    """Return the processors of each cluster, from a text or a sequence of them."""
    return (parse_clusters(sizes) if isinstance(sizes, str) else Multicluster(sizes)).sizes


class _Division:
    """Sliders that divide the processors, and the text of sizes that they write.

    The last cluster has what the others leave. A text that divides the same processors moves the
    sliders; any other leaves them.
    """

    def __init__(self, sizes):
        self.text = _text("sizes", ",".join(map(str, sizes)))
        self.count = slider_with_entry("clusters", len(sizes), 1, MOST_CLUSTERS)
        self.rows = [
            slider_with_entry(f"cluster {number}", 1, 1, PROCESSORS)
            for number in range(1, MOST_CLUSTERS + 1)
        ]
        self.entries = [row.children[-1] for row in self.rows]
        self.follows = False
        self._follow()
        self.text.observe(self._follow, "value")
        self.count.children[-1].observe(self._recount, "value")
        for entry in self.entries:
            entry.observe(self._resize, "value")

    def _recount(self, change):
        """Divide the processors as equally as can be."""
        each, more = divmod(PROCESSORS, change["new"])
        self._write([each + (i < more) for i in range(change["new"])])

    def _resize(self, _change):
        """Give the last cluster what is left."""
        others = [entry.value for entry in self.entries[: self.count.children[-1].value - 1]]
        self._write([*others, PROCESSORS - sum(others)])

    def _write(self, sizes):
        if not self.follows:
            self.text.value = ",".join(map(str, sizes))

    def _follow(self, _change=None):
        """Set the sliders to the text, where they can say the same."""
        try:
            sizes = parse_clusters(self.text.value).sizes
        except InputError:
            return
        if sum(sizes) != PROCESSORS or len(sizes) > MOST_CLUSTERS:
            return
        self.follows = True
        self.count.children[-1].value = len(sizes)
        for number, row in enumerate(self.rows):
            row.layout.display = "" if number < len(sizes) else "none"
            for widget in row.children:
                widget.disabled = number >= len(sizes) - 1
            self.entries[number].value = sizes[number] if number < len(sizes) else 1
        self.follows = False


def _text(label, value):
    return ipw.Text(value=value, description=label, style=WIDE, continuous_update=False)


def division_explorer(sizes: Sequence[int] | str = (32, 32, 32, 32)) -> Explorer:
    """Return the controls of a division into clusters, and the response times it gives at once.

    First a short simulation answers; *refine* simulates sixteen times as many jobs.

    Parameters
    ----------
    sizes : sequence of int or str
        The division to begin with, as `division_picture` takes it.
    """
    division = _Division(_clusters(sizes))
    refine = ipw.ToggleButton(value=False, description="refine", tooltip="simulate longer")
    jobs = _text("component sizes", "D(0.9)[1,8]")
    components = slider_with_entry("components", 4, 1, MOST_CLUSTERS)
    for widget in (division.text, jobs, components.children[-1]):
        widget.observe(lambda _change: setattr(refine, "value", False), "value")
    controls = {
        "sizes": division.text,
        "components": components,
        "component_sizes": jobs,
        "alpha": slider_with_entry("alpha", 1.0, 1.0, 2.0, 0.05),
        "refine": refine,
    }
    box = explorer(controls, division_picture)
    style, *others = box.children
    box.children = (style, division.count, *division.rows, *others)
    return box
