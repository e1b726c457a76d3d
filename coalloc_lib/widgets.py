"""Controls for notebooks: what a reader moves, and the picture that follows.

Each slider has a text entry beside it, since a slider has no name that a screen reader could read
out. Pictures come with a text alternative, and no figure is left behind in matplotlib's state.
"""

from base64 import b64encode
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape
from io import BytesIO

import ipywidgets as ipw
from matplotlib.container import BarContainer
from PIL import Image

from coalloc_lib import plots
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.checks import InputError
from coalloc_lib.distributions import power_of_two, uniform
from coalloc_lib.jobs import REQUESTS, JobStream
from coalloc_lib.placement import BestFit, FirstFit, WorstFit
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.simulate import refuse_impossible, simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

PLACEMENTS = {"worst fit": WorstFit(), "first fit": FirstFit(), "best fit": BestFit()}
#: What the loss explorer compares; a total request has one cluster as large as all of them.
COMPARED = ("ordered", "unordered", "total")
#: A formula that is estimated to take longer, in seconds, gives way to a simulation.
BUDGET = 0.2
#: Jobs of that simulation.
SIMULATED_JOBS = 30_000
#: Hides the name of a text entry from the eye, which has the slider's, but not from readers.
STYLE = (
    "<style>.coalloc-entry > .widget-label {position: absolute; width: 1px; height: 1px; "
    "overflow: hidden; clip-path: inset(50%)}</style>"
)
WIDE = {"description_width": "9em"}


class Picture:
    """A figure as a PNG image with a text alternative.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    alt : str, optional
        What it shows, in words; its title and the heights of its bars where it is not given.
    caption : str, optional
        A sentence to show above it.
    """

    def __init__(self, figure, alt=None, caption=""):
        buffer = BytesIO()
        figure.savefig(buffer, dpi=110)
        self.alt = describe(figure) if alt is None else alt
        self.caption = caption
        self.png = _fewer_colours(buffer)

    @property
    def html(self):
        """The caption and the image."""
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        source = f"data:image/png;base64,{self._code}"
        return f'{caption}<img alt="{escape(self.alt)}" src="{source}" style="max-width: 100%">'

    @cached_property
    def _code(self):
        return b64encode(self.png).decode("ascii")

    def _repr_mimebundle_(self, include=None, exclude=None):
        text = f"{self.caption} {self.alt}".strip()
        return {"text/html": self.html, "image/png": self._code, "text/plain": text}


def _fewer_colours(buffer):
    """Return the image with a palette of 128 colours: drawings need no more, and files shrink."""
    small = BytesIO()
    Image.open(buffer).convert("RGB").quantize(128).save(small, "png", optimize=True)
    return small.getvalue()


def describe(figure, most=30):
    """Return a figure's title, and the heights of its bars unless they are more than `most`."""
    parts = [figure.get_suptitle()]
    for axes in figure.axes:
        names = [label.get_text().replace("\n", " ") for label in axes.get_xticklabels()]
        groups = [group for group in axes.containers if isinstance(group, BarContainer)]
        if sum(map(len, groups)) > most:
            continue
        for group in groups:
            bars = zip(names, group, strict=False)
            heights = ", ".join(f"{name} {bar.get_height():.3f}" for name, bar in bars)
            parts.append(f"{group.get_label()}: {heights}")
    return "; ".join(parts)


@dataclass(frozen=True)
class LossQuestion:
    """Which capacity loss is asked for.

    Parameters
    ----------
    clusters, cluster_size : int
        The system: so many clusters of so many processors.
    kind : {"U", "D(q)"}
        Distribution of the component sizes.
    low, high : int
        Smallest and largest component, in processors.
    q : float
        Parameter of D(q).
    one_is_power_of_two : bool
        Whether D(q) favours size 1 too.
    components : int
        Components of a job.
    request : {"ordered", "unordered", "total"}
    placement : str
        A key of `PLACEMENTS`; it matters to unordered requests only.
    """

    clusters: int = 4
    cluster_size: int = 32
    kind: str = "U"
    low: int = 1
    high: int = 7
    q: float = 0.9
    one_is_power_of_two: bool = False
    components: int = 4
    request: str = "unordered"
    placement: str = "worst fit"

    @property
    def system(self):
        """The clusters; for total requests a single one with all processors."""
        system = Multicluster.equal(self.clusters, self.cluster_size)
        return Multicluster([system.processors]) if self.request == "total" else system

    @property
    def sizes(self):
        """The distribution of the component sizes."""
        if self.kind == "U":
            return uniform(self.low, self.high)
        counted = self.one_is_power_of_two
        return power_of_two(self.q, self.low, self.high, one_is_power_of_two=counted)

    @property
    def has_formula(self):
        """Whether there is a formula: unordered requests have one for worst fit only."""
        return self.request != "unordered" or self.placement == "worst fit"


@dataclass(frozen=True)
class LossAnswer:
    """A capacity loss and where it comes from.

    Parameters
    ----------
    loss : float
    how : {"exact", "approximation", "simulated"}
    half_width : float
        Of the 95 % interval, 0 for a formula.
    """

    loss: float
    how: str
    half_width: float = 0.0

    def __str__(self):
        if self.how == "simulated":
            return f"{self.loss:.3f} ± {self.half_width:.3f} (simulated, 95 %)"
        return f"{self.loss:.3f} ({self.how})"


@lru_cache(maxsize=1024)
def capacity_loss(question):
    """Return a `LossAnswer` within a fraction of a second.

    By the formula where there is one that is quick, else by a short simulation.

    Raises
    ------
    InputError
        A job of this question could never start, or the question makes no sense.
    """
    system, sizes, components = question.system, question.sizes, question.components
    budget = BUDGET if question.has_formula else 1e-12
    try:
        bound = maximal_utilization(
            system, sizes, components, question.request, budget_seconds=budget
        )
        return LossAnswer(bound.capacity_loss, bound.method)
    except InputError as error:
        widest = JobStream([0], [1], [[sizes.maximum] * components], request=question.request)
        if not _can_start(system, widest):
            raise error from None
    model = JobModel(sizes, components, question.request)
    placement = PLACEMENTS[question.placement]
    found = saturated_loss(system, model, jobs=SIMULATED_JOBS, placement=placement)
    return LossAnswer(found.estimate, "simulated", found.half_width)


def _can_start(system, jobs):
    try:
        refuse_impossible(system, jobs)
    except InputError:
        return False
    return True


def loss_picture(question=None):
    """Draw the capacity loss of a `LossQuestion` beside that of the other request types.

    Raises
    ------
    InputError
        A job of this question could never start, or the question makes no sense.
    """
    question = LossQuestion() if question is None else question
    chosen = capacity_loss(question)
    answers = {}
    for request in COMPARED:
        try:
            answers[request] = capacity_loss(replace(question, request=request))
        except InputError:
            answers[request] = None
    words = "; ".join(f"{name} {answer or 'never starts'}" for name, answer in answers.items())
    caption = (
        f"Capacity loss {chosen}: however many jobs wait, about {100 * chosen.loss:.0f} of every "
        f"100 processors stay idle with {question.request} requests."
    )
    return Picture(_loss_bars(question, answers), f"Capacity loss: {words}", caption)


def _loss_bars(question, answers):
    figure, axes = plots.new_figure(7.0, 2.4)
    for row, (request, answer) in enumerate(answers.items()):
        chosen = request == question.request
        style = {"color": plots.COLOURS[0], "hatch": "//"} if chosen else {"color": "0.72"}
        weight = "bold" if chosen else "normal"
        if answer is None:
            axes.text(0.01, row, "such a job never starts", va="center")
            continue
        error = answer.half_width or None
        axes.barh(row, answer.loss, 0.6, xerr=error, capsize=2, edgecolor="white", **style)
        edge = answer.loss + answer.half_width + 0.015
        axes.text(edge, row, str(answer), va="center", weight=weight)
    names = [("▶ " if name == question.request else "") + name for name in answers]
    axes.set_yticks(range(len(names)), names)
    axes.set_xticks([i / 10 for i in range(11)])
    axes.set(xlim=(0, 1.42), ylim=(len(names) - 0.5, -0.5), xlabel="capacity loss")
    axes.grid(False, axis="y")
    plots.title_figure(
        figure,
        f"{question.clusters} × {question.cluster_size} processors, "
        f"{question.components} components {question.sizes}, {question.placement}",
    )
    return figure


def slider_with_entry(label, value, low, high, step=1):
    """Return a slider and a text entry that hold the same number, in a row.

    Both are called `label`; the entry, last in the row, shows it to screen readers only. Numbers
    are whole where `step` is.
    """
    is_whole = isinstance(step, int)
    slider = (ipw.IntSlider if is_whole else ipw.FloatSlider)(
        value=value, min=low, max=high, step=step, description=label, style=WIDE,
        readout=False, continuous_update=False,
    )  # fmt: skip
    entry = (ipw.BoundedIntText if is_whole else ipw.BoundedFloatText)(
        value=value, min=low, max=high, step=step, description=label, tooltip=label,
        layout={"width": "6em"},
    )  # fmt: skip
    entry.add_class("coalloc-entry")
    ipw.link((slider, "value"), (entry, "value"))
    return ipw.HBox([slider, entry])


def explorer(controls, show):
    """Return controls above the picture that they make.

    Parameters
    ----------
    controls : dict of Widget
        By the name of the argument of `show` that each sets: a widget with a value, or a row
        from `slider_with_entry`.
    show : callable
        Takes the values, returns a `Picture`. An `InputError` is shown as its one line.
    """
    holders = {name: row.children[-1] if isinstance(row, ipw.HBox) else row
               for name, row in controls.items()}  # fmt: skip
    output = ipw.Output()

    def redraw(_change=None):
        values = {name: holder.value for name, holder in holders.items()}
        # What an Output captures in a callback can get lost; what it is given is always shown.
        output.outputs = (_shown(show, values),)

    for holder in holders.values():
        holder.observe(redraw, "value")
    redraw()
    return ipw.VBox([ipw.HTML(STYLE), *controls.values(), output])


def _shown(show, values):
    try:
        data = show(**values)._repr_mimebundle_()
        del data["image/png"]
    except InputError as error:
        data = {
            "text/html": f'<p role="alert"><b>Not possible:</b> {escape(str(error))}</p>',
            "text/plain": f"Not possible: {error}",
        }
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _choice(label, options):
    return ipw.Dropdown(options=list(options), description=label, style=WIDE)


def loss_explorer():
    """Return the controls of a multicluster and its jobs, and the capacity loss at once.

    The chosen request type is drawn beside the two others. The loss is exact or approximate where
    a formula answers quickly, else simulated with its 95 % interval, and says which.
    """
    start = LossQuestion()
    kind = _choice("size distribution", ("U", "D(q)"))
    q = slider_with_entry("q", start.q, 0.5, 1.0, 0.01)
    counted = ipw.Checkbox(value=False, description="1 counts as a power of two", style=WIDE)
    for widget in (*q.children, counted):
        ipw.dlink((kind, "value"), (widget, "disabled"), lambda value: value == "U")
    request = _choice("request type", COMPARED)
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
        "placement": _choice("placement", PLACEMENTS),
    }
    return explorer(controls, lambda **values: loss_picture(LossQuestion(**values)))


def schedule_explorer(system, jobs):
    """Return the controls of request type, placement and scheduling, and the schedule they make.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
        A few jobs: the picture has one row a processor.
    """
    request = _choice("request type", REQUESTS)
    request.value = jobs.request
    scheduling = _choice("scheduling", ("FCFS", "FPFS"))
    jumps = slider_with_entry("max_jumps", 1, 0, len(jobs))
    for widget in jumps.children:
        ipw.dlink((scheduling, "value"), (widget, "disabled"), lambda value: value == "FCFS")
    controls = {
        "request": request,
        "placement": _choice("placement", PLACEMENTS),
        "scheduling": scheduling,
        "max_jumps": jumps,
    }

    def show(request, placement, scheduling, max_jumps):
        policy = FPFS(max_jumps) if scheduling == "FPFS" else FCFS()
        schedule = simulate(
            system, jobs.replace(request=request), scheduling=policy,
            placement=PLACEMENTS[placement], engine="reference",
        )  # fmt: skip
        return schedule_picture(schedule, f"{request} requests, {placement}, {policy}")

    return explorer(controls, show)


def schedule_picture(schedule, title="Schedule"):
    """Draw a small schedule, with the waits and ends of its jobs as the text alternative."""
    jobs = zip(schedule.start, schedule.end, strict=True)
    words = "; ".join(f"job {i} runs {s:g} to {e:g}" for i, (s, e) in enumerate(jobs, start=1))
    caption = (
        f"The last job ends at {schedule.end.max():g}; the mean wait is {schedule.wait.mean():.2f}."
    )
    return Picture(plots.gantt(schedule, title=title), f"{title}: {words}", caption)
