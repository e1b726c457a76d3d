"""The loss explorer: the capacity losses of the request types on a system of equal clusters.

A loss is calculated by a formula if that is fast enough, and otherwise simulated.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import ipywidgets as ipw
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.analytic import BudgetError, maximal_utilization
from coalloc_lib.basics.checks import (
    InputError,
    boolean,
    instance_of,
    one_of,
    positive,
    whole,
)
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.estimates import MaxUtilization
from coalloc_lib.model.distributions import SizeDistribution, power_of_two, uniform
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import interval_columns
from coalloc_lib.statistics.saturation import saturated_loss
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, disable, push, slider_with_entry
from coalloc_lib.workloads.models import JobModel

#: The placement policies, by the names that notebooks show.
RULES = {
    display_name(name): rule() for name, rule in PLACEMENTS.items() if name != "single-then-span"
}
#: The request types that the loss explorer compares. Total requests run on a single cluster with as
#: many processors as all clusters have together.
COMPARED_REQUESTS = ("ordered", "unordered", "total")
#: The distributions of component sizes: uniform (U), or D(q), which favours powers of two.
KINDS = ("U", "D(q)")
#: The maximum estimated time for evaluating a formula, in seconds. If a formula would take longer,
#: the capacity loss is simulated instead.
BUDGET = 0.3
#: The upper end of the axis of capacity losses. Few systems lose more.
UNTIL = 0.8
#: The number of simulated jobs when no control is being moved, and the number of simulated jobs
#: while a control is being moved.
SIMULATED_JOBS, COARSE_JOBS = 30_000, 4_000


@dataclass(frozen=True)
class LossQuestion:
    """A system and a job model, for which the capacity loss is to be computed.

    Parameters
    ----------
    clusters, cluster_size : int
        The number of clusters, and the number of processors of each.
    kind : {"U", "D(q)"}
        The distribution of the component sizes, from `low` to `high` processors: uniform, or
        the distribution of `coalloc_lib.power_of_two`.
    low, high : int
        The smallest and the largest component size in processors.
    q : float
        The parameter of the distribution D(q), above 0 and at most 1.
    one_is_power_of_two : bool
        Whether the distribution D(q) treats the size 1 as a power of two.
    components : int
        The number of components of each job.
    request : {"ordered", "unordered", "total"}
        The request type.
    placement : str
        The placement policy: a key of `RULES`, such as ``"worst fit"``.

    Raises
    ------
    InputError
        If a value has the wrong type, is out of its range, or is not one of the listed values.
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
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        object.__setattr__(self, "q", positive("q", self.q))
        if self.q > 1:
            raise InputError(f"q = {self.q}; give a number above 0 and at most 1")
        counted = boolean("one_is_power_of_two", self.one_is_power_of_two)
        object.__setattr__(self, "one_is_power_of_two", counted)
        choices = {"kind": KINDS, "request": COMPARED_REQUESTS, "placement": tuple(RULES)}
        for name, allowed in choices.items():
            one_of(name, getattr(self, name), allowed)

    @property
    def system(self) -> Multicluster:
        """The system; for total requests, a single cluster with all processors of the system."""
        system = Multicluster.equal(self.clusters, self.cluster_size)
        return Multicluster([system.processors]) if self.request == "total" else system

    @property
    def sizes(self) -> SizeDistribution:
        """The distribution of the component sizes, in processors."""
        if self.kind == "U":
            return uniform(self.low, self.high)
        counted = self.one_is_power_of_two
        return power_of_two(self.q, self.low, self.high, one_is_power_of_two=counted)


def max_utilization_of(question: LossQuestion, jobs: int = SIMULATED_JOBS) -> MaxUtilization:
    """Return the maximal utilization of a system, which is 1 minus its capacity loss.

    Parameters
    ----------
    question : LossQuestion
        The system and the jobs.
    jobs : int
        The number of jobs to simulate if no formula is fast and accurate enough.

    Returns
    -------
    MaxUtilization
        The maximal utilization and the method that found it.

    Raises
    ------
    InputError
        If an argument has the wrong type, or if the largest job does not fit into the system.

    Examples
    --------
    >>> found = max_utilization_of(LossQuestion(clusters=2, components=2))
    >>> found.method, round(found.capacity_loss, 2)
    ('approximation', 0.08)
    """
    question = instance_of("question", question, LossQuestion, "a LossQuestion")
    return _max_utilization_of(question, whole("jobs", jobs))


@lru_cache(maxsize=1024)
def _max_utilization_of(question: LossQuestion, jobs: int) -> MaxUtilization:
    system, sizes, components = question.system, question.sizes, question.components
    model = JobModel(sizes, components, question.request)
    refuse_impossible(system, model.largest())
    # For unordered requests, the formula for first fit is slow, and the formula for worst fit is
    # far too high if jobs have fewer components than there are clusters. Both cases are simulated.
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
    """Draw a bar chart of the capacity loss of a system for each request type.

    Parameters
    ----------
    question : LossQuestion, optional
        The system and its jobs, by default ``LossQuestion()``. The losses of all request types are
        drawn.
    jobs : int
        The number of jobs of a simulation.
    before : LossQuestion, optional
        Another system, whose losses are drawn as dashed lines.

    Returns
    -------
    Picture
        The picture.

    Raises
    ------
    InputError
        If the largest job of the question does not fit into the system.
    """
    given = LossQuestion() if question is None else question
    question = instance_of("question", given, LossQuestion, "a LossQuestion")
    jobs = whole("jobs", jobs)
    maxima = _compared(question, jobs)
    if question.request not in maxima:
        max_utilization_of(question, jobs)  # This raises the error that `_compared` suppressed.
    earlier = {}
    if before is not None:
        earlier = _compared(instance_of("before", before, LossQuestion, "a LossQuestion"), jobs)
    rows = _rows(question, maxima, earlier)
    idle = listed(_idle_of_100(request, maximum) for request, maximum in maxima.items())
    figure = plots.bars(
        pd.DataFrame(rows).astype({"before": float}),
        value="loss",
        group="system",
        series="request",
        words="words",
        before="before",
        until=UNTIL,
        title=f"Under FCFS, {idle} of 100 processors stay idle",
        subtitle=f"capacity loss of {question.components} components {question.sizes}, "
        f"{question.placement}" + "; dashed: before" * bool(earlier),
    )
    missing = [f"{request} never starts" for request in COMPARED_REQUESTS if request not in maxima]
    return Picture(figure, rows=[f"{row['request']} {row['words']}" for row in rows] + missing)


def _idle_of_100(request: str, maximum: MaxUtilization) -> str:
    about = "" if maximum.method == "exact" else "about "
    return f"{about}{100 * maximum.capacity_loss:.0f} ({request})"


def _rows(
    question: LossQuestion, maxima: dict[str, MaxUtilization], earlier: dict[str, MaxUtilization]
) -> list[dict[str, Any]]:
    one_cluster = f" (1 x {question.clusters * question.cluster_size})"
    rows = []
    for request, maximum in maxima.items():
        name = request + one_cluster * (request == "total")
        rows.append(
            {
                "system": f"{question.clusters} x {question.cluster_size} processors",
                "request": f"{name}, {maximum.method}",
                "words": plots.format_interval(maximum.loss),
                "before": earlier[request].capacity_loss if request in earlier else None,
                **interval_columns(maximum.loss, "loss"),
            }
        )
    return rows


def _compared(question: LossQuestion, jobs: int) -> dict[str, MaxUtilization]:
    maxima = {}
    for request in COMPARED_REQUESTS:
        # Request types whose jobs do not fit into the system are left out.
        with suppress(InputError):
            maxima[request] = max_utilization_of(replace(question, request=request), jobs)
    return maxima


def loss_explorer(state: str = "") -> Explorer:
    """Return a widget that shows capacity losses, with controls for the system and the jobs.

    Parameters
    ----------
    state : str
        The initial values of the controls, as a line from the text field of such an explorer.

    Returns
    -------
    Explorer
        The widget.
    """
    controls = _loss_controls()

    def draw(coarse: bool, before: dict[str, Any] | None, **values: Any) -> Picture:
        jobs = COARSE_JOBS if coarse else SIMULATED_JOBS
        earlier = None if before is None else LossQuestion(**before)
        return loss_picture(LossQuestion(**values), jobs, earlier)

    def simulates(**values: Any) -> bool:
        maxima = _compared(LossQuestion(**values), COARSE_JOBS)
        return any(maximum.method == "simulation" for maximum in maxima.values())

    more = ("low", "kind", "q", "one_is_power_of_two", "placement")
    return Explorer(controls, draw, state=state, simulates=simulates, more=more)


def _loss_controls() -> dict[str, ipw.Widget]:
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
    # A component must fit into a cluster, and the components of a job run in different clusters.
    for lower, upper in (("components", "clusters"), ("low", "high"), ("high", "cluster_size")):
        push(numbers[lower], numbers[upper])
    return numbers | {
        "kind": kind, "q": q, "one_is_power_of_two": counted,
        "placement": choice("placement", RULES),
    }  # fmt: skip
