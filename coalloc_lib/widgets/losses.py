"""The loss explorer: a capacity loss by a formula where one is quick, else simulated."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import ipywidgets as ipw
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.analytic import BudgetError, maximal_utilization
from coalloc_lib.basics.checks import InputError, instance_of, one_of, whole
from coalloc_lib.basics.estimates import MaxUtilization
from coalloc_lib.model.distributions import SizeDistribution, power_of_two, uniform
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import interval_columns
from coalloc_lib.statistics.saturation import saturated_loss
from coalloc_lib.widgets.controls import Explorer, choice, disable, push, slider_with_entry
from coalloc_lib.workloads.models import JobModel

#: Placements by the names that a notebook shows.
RULES = {
    display_name(name): rule() for name, rule in PLACEMENTS.items() if name != "single-then-span"
}
#: What the loss explorer compares; a total request has one cluster as large as all of them.
COMPARED, KINDS = ("ordered", "unordered", "total"), ("U", "D(q)")
#: A formula that is estimated to take longer, in seconds, gives way to a simulation.
BUDGET = 0.3
#: Where the axis ends: few systems lose more.
UNTIL = 0.8
#: Jobs of that simulation, and of one that is to follow a moving hand.
SIMULATED_JOBS, COARSE_JOBS = 30_000, 4_000


@dataclass(frozen=True)
class LossQuestion:
    """Which capacity loss is asked for.

    A job has so many components of `low` to `high` processors, whose distribution is of the `kind`
    ``"U"`` or ``"D(q)"``; `request` is one of `COMPARED`, `placement` a key of `RULES`.
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

    def __post_init__(self) -> None:
        for name in ("clusters", "cluster_size", "low", "high", "components"):
            whole(name, getattr(self, name))
        for name, known in (("kind", KINDS), ("request", COMPARED), ("placement", tuple(RULES))):
            one_of(name, getattr(self, name), known)

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
def capacity_loss(question: LossQuestion, jobs: int = SIMULATED_JOBS) -> MaxUtilization:
    """Return the maximal utilization: by a quick formula, else by so many simulated jobs."""
    system, sizes, components = question.system, question.sizes, question.components
    model = JobModel(sizes, components, question.request)
    refuse_impossible(system, model.largest())
    # Unordered requests have a formula for worst fit, and a slow one for first fit. It is far too
    # high if jobs have fewer components than there are clusters, so these are simulated.
    is_accurate = question.placement == "worst fit" and components == len(system)
    if question.request != "unordered" or is_accurate:
        with suppress(BudgetError):
            given = system, sizes, components, question.request
            return maximal_utilization(*given, budget_seconds=BUDGET)
    placement = None if question.request == "ordered" else RULES[question.placement]
    loss = saturated_loss(Scenario(system, model, placement=placement), jobs=jobs)
    return MaxUtilization(loss.complement(), "simulation")


def loss_picture(
    question: LossQuestion | None = None, jobs: int = SIMULATED_JOBS,
    before: LossQuestion | None = None,
) -> Picture:  # fmt: skip
    """Draw the capacity loss of a question beside that of the other request types.

    Dashed lines are the losses of another question, asked `before`.
    """
    given = LossQuestion() if question is None else question
    question = instance_of("question", given, LossQuestion, "a LossQuestion")
    bounds = _compared(question, whole("jobs", jobs))
    if question.request not in bounds:
        capacity_loss(question, jobs)  # tells why
    earlier = {} if before is None else _compared(before, jobs)
    one = f" (1 x {question.clusters * question.cluster_size})"
    system = f"{question.clusters} x {question.cluster_size} processors"
    rows = [
        {"system": system, "request": f"{request}{one * (request == 'total')}, {bound.method}"}
        | {"words": plots.format_interval(bound.loss)}
        | {"before": earlier[request].capacity_loss if request in earlier else None}
        | interval_columns(bound.loss, "loss")
        for request, bound in bounds.items()
    ]
    share = 100 * bounds[question.request].capacity_loss
    figure = plots.bars(
        pd.DataFrame(rows).astype({"before": float}), value="loss", group="system",
        series="request", words="words", before="before", until=UNTIL,
        title=f"{question.request.capitalize()} requests leave {share:.0f} of every 100 processors "
        "idle, however many jobs wait",
        subtitle=f"capacity loss of {question.components} components {question.sizes}, "
        f"{question.placement}" + "; dashed: before" * bool(earlier),
    )  # fmt: skip
    missing = [f"{request} never starts" for request in COMPARED if request not in bounds]
    return Picture(figure, rows=[f"{row['request']} {row['words']}" for row in rows] + missing)


def _compared(question: LossQuestion, jobs: int) -> dict[str, MaxUtilization]:
    """Return the loss of each request type whose jobs can start."""
    bounds = {}
    for request in COMPARED:
        with suppress(InputError):
            bounds[request] = capacity_loss(replace(question, request=request), jobs)
    return bounds


def loss_explorer(state: str = "") -> Explorer:
    """Return controls of clusters and jobs, and the loss; `state` is a line to recreate."""
    start = LossQuestion()
    kind = choice("size distribution", KINDS)
    q = slider_with_entry("q", start.q, 0.5, 1.0, 0.01)
    counted = ipw.Checkbox(value=False, description="1 counts as a power of two", indent=False)
    for control in (q, counted):
        disable(control, kind, lambda value: value == "U")
    numbers = {
        "clusters": slider_with_entry("clusters", start.clusters, 1, 8),
        "cluster_size": slider_with_entry("cluster size", start.cluster_size, 2, 128),
        "components": slider_with_entry("components", start.components, 1, 8),
        "low": slider_with_entry("smallest size", start.low, 1, 128),
        "high": slider_with_entry("largest size", start.high, 1, 128),
    }
    # A component fits a cluster, and a job has one cluster for each: the others follow.
    for lower, upper in (("components", "clusters"), ("low", "high"), ("high", "cluster_size")):
        push(numbers[lower], numbers[upper])
    controls = numbers | {
        "kind": kind, "q": q, "one_is_power_of_two": counted,
        "request": choice("request type", COMPARED, start.request),
        "placement": choice("placement", RULES),
    }  # fmt: skip

    def draw(coarse: bool, before: dict[str, Any] | None, **values: Any) -> Picture:
        jobs = COARSE_JOBS if coarse else SIMULATED_JOBS
        earlier = None if before is None else LossQuestion(**before)
        return loss_picture(LossQuestion(**values), jobs, earlier)

    def simulates(**values: Any) -> bool:
        bounds = _compared(LossQuestion(**values), COARSE_JOBS)
        return any(bound.method == "simulation" for bound in bounds.values())

    return Explorer(controls, draw, state=state, simulates=simulates)
