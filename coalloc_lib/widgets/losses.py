"""The capacity loss of a small system at once: by a formula where one is quick, else simulated."""

from dataclasses import dataclass, replace
from functools import lru_cache

from coalloc_lib import plots
from coalloc_lib.analytic import BudgetError, maximal_utilization
from coalloc_lib.checks import InputError
from coalloc_lib.distributions import SizeDistribution, power_of_two, uniform
from coalloc_lib.estimates import Bound
from coalloc_lib.names import PLACEMENTS, spoken
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.simulation import refuse_impossible
from coalloc_lib.system import Multicluster
from coalloc_lib.widgets.picture import Picture
from coalloc_lib.workloads.models import JobModel

#: Placements by the names that a notebook shows.
RULES = {spoken(name): rule() for name, rule in PLACEMENTS.items() if name != "single-then-span"}
#: What the loss explorer compares; a total request has one cluster as large as all of them.
COMPARED = ("ordered", "unordered", "total")
#: A formula that takes longer, in seconds, gives way to a simulation.
BUDGET = 0.3
#: Jobs of that simulation.
SIMULATED_JOBS = 30_000


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
        A key of `RULES`; it matters to unordered requests only.
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
    def system(self) -> Multicluster:
        """The clusters; for total requests a single one with all processors."""
        system = Multicluster.equal(self.clusters, self.cluster_size)
        return Multicluster([system.processors]) if self.request == "total" else system

    @property
    def sizes(self) -> SizeDistribution:
        """The distribution of the component sizes."""
        if self.kind == "U":
            return uniform(self.low, self.high)
        counted = self.one_is_power_of_two
        return power_of_two(self.q, self.low, self.high, one_is_power_of_two=counted)


@lru_cache(maxsize=1024)
def capacity_loss(question: LossQuestion) -> Bound:
    """Return a `Bound` within a fraction of a second.

    By the formula where there is one that is quick, else by a short simulation.

    Raises
    ------
    InputError
        A job of this question could never start, or the question makes no sense.
    """
    system, sizes, components = question.system, question.sizes, question.components
    model = JobModel(sizes, components, question.request)
    refuse_impossible(system, model.largest())
    # Unordered requests have a formula for worst fit, and a slow one for first fit.
    if question.request != "unordered" or question.placement == "worst fit":
        try:
            return maximal_utilization(
                system, sizes, components, question.request, budget_seconds=BUDGET
            )
        except BudgetError:
            pass
    placement = None if question.request == "ordered" else RULES[question.placement]
    found = saturated_loss(Scenario(system, model, placement=placement), jobs=SIMULATED_JOBS)
    return Bound(found.complement(), "simulation")


def loss_in_words(bound: Bound) -> str:
    """Return the capacity loss of a `Bound`, with its 95 % interval, and how it is known."""
    if bound.method == "simulation":
        half_width = bound.loss.half_width
        return f"{bound.capacity_loss:.3f} ± {half_width:.3f} (95 %), {bound.method}"
    return f"{bound.capacity_loss:.3f}, {bound.method}"


def loss_picture(question: LossQuestion | None = None) -> Picture:
    """Draw the capacity loss of a `LossQuestion` beside that of the other request types."""
    question = LossQuestion() if question is None else question
    chosen = capacity_loss(question)
    answers: dict[str, Bound | None] = {}
    for request in COMPARED:
        try:
            answers[request] = capacity_loss(replace(question, request=request))
        except InputError:
            answers[request] = None
    words = "; ".join(
        f"{name} {loss_in_words(answer) if answer else 'never starts'}"
        for name, answer in answers.items()
    )
    caption = (
        f"Capacity loss {loss_in_words(chosen)}: however many jobs wait, about "
        f"{100 * chosen.capacity_loss:.0f} of every 100 processors stay idle with "
        f"{question.request} requests."
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
        loss = answer.loss
        error = loss.half_width or None
        axes.barh(row, loss.estimate, 0.6, xerr=error, capsize=2, edgecolor="white", **style)
        axes.text(loss.high + 0.015, row, loss_in_words(answer), va="center", weight=weight)
    places = {"total": f"total (1 × {question.clusters * question.cluster_size})"}
    names = [
        ("▶ " if name == question.request else "") + places.get(name, name) for name in answers
    ]
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
