"""``coalloc loss``: the capacity loss of a system, by formula or by simulation."""

from typing import Any

from coalloc_lib.basics.checks import InputError, number_in
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, show
from coalloc_lib.intervals import METHODS
from coalloc_lib.model.distributions import (
    Deterministic,
    Exponential,
    Hyperexponential,
    parse_sizes,
)
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.policies.names import parse_clusters

#: What the formulas are for, and what the approximation is for.
FORMULA = {"--scheduling": ("fcfs",), "--service": ("exponential",)}
APPROXIMATED = {"--placement": ("worst-fit", "first-fit")}

EXAMPLES = """\b
Examples:
  coalloc loss --clusters 32,32,32,32 --sizes "U[1,16]" --components 4 --request ordered
  coalloc loss --clusters 32,32 --sizes "D(0.95)[1,32]" --request unordered \\
      --method approximation
  coalloc loss --clusters 4x32 --sizes "U[1,16]" --request unordered --method simulation \\
      --scheduling fpfs --max-jumps 50 --json
"""


@options.command(
    planning=False,
    sizes=("DIST", "Component sizes: U[a,b] or D(q)[a,b]."),
    components=("K", "Components of a job; one a cluster if not given.", 1),
    method=("METHOD", f"One of {', '.join(METHODS)}; if not given, exact where that is affordable, "
            "else simulation, and the answer says which."),
    one_is_power_of_two=(None, "D(q): give size 1 the threefold weight too."),
    service=("DIST", "Service times: exponential, deterministic, hyperexponential:CV."),
    backlog=("N", "fpfs: waiting jobs seen.  [default: 500]", 1),
    jobs=("N", "Jobs of the simulation.  [default: 200000]", 1),
)  # fmt: skip
def loss(
    clusters: str, sizes: str, request: str, components: int | None = None,
    method: str | None = None, one_is_power_of_two: bool = False, service: str = "exponential",
    placement: str | None = None, scheduling: str = "fcfs", backlog: int | None = None,
    jobs: int | None = None, seed: int | None = None, as_json: bool = False, **policy_options: Any,
) -> None:  # fmt: skip
    """Print the capacity loss: the share of the processors that stays idle however many jobs wait.

    A simulated loss comes with its 95 % interval. Where no method is given, the answer names it.
    """
    options.chosen("--request", request, REQUESTS)
    if method is not None:
        options.chosen("--method", method, METHODS)
    system = parse_clusters(clusters, "--clusters")
    policy = options.scheduling_of(scheduling, **policy_options)
    if not policy.takes_backlog:
        raise InputError(
            f"--scheduling {scheduling} books jobs when they are submitted, and the loss is that "
            "of a queue that never empties; choose another policy"
        )
    rule = options.placement_of(placement, request)
    times = _service(service)
    distribution = parse_sizes(sizes, one_is_power_of_two=one_is_power_of_two)
    sampling: dict[str, Any] = {"jobs": jobs, "seed": seed, "backlog": backlog}
    sampling = {name: number for name, number in sampling.items() if number is not None}
    question = system, distribution, components, request, rule
    given = {"--scheduling": scheduling, "--service": service, "--placement": placement}
    answer: Any = None
    if method == "simulation" or not (answer := _by_formula(question, method, given, sampling)):
        if scheduling == "fcfs" and backlog is not None:
            raise InputError("--backlog is not for --scheduling fcfs, which sees one job; drop it")
        from coalloc_lib.experiments.saturation import saturated_loss
        from coalloc_lib.simulation.scenario import Scenario
        from coalloc_lib.workloads.models import JobModel

        model = JobModel(distribution, components or len(system), request, times)
        answer = saturated_loss(Scenario(system, model, policy, rule), **sampling), None
    _print(answer[0], answer[1], as_json, name_method=method is None)


def _by_formula(question, method, given, sampling):
    """Return the loss and its method; None where it was not asked for and cannot be afforded."""
    from coalloc_lib.analytic import BudgetError, exact_utilization, maximal_utilization

    system, *sizes, request, placement = question
    by_chain = request in ("unordered", "total") and len(system) > 1
    obstacle = _obstacle(request, by_chain, method, given)
    if method is None and (obstacle or (by_chain and sampling)):
        return None
    for name in sampling:
        obstacle = obstacle or f"--{name} is for --method simulation; leave it out, or simulate"
    if obstacle:
        raise InputError(obstacle)
    calculate = exact_utilization if by_chain and method != "approximation" else maximal_utilization
    try:
        bound = calculate(system, *sizes, request, placement=placement)
    except BudgetError as error:
        if method is None:
            return None
        other = "--method simulation"
        if method == "exact" and not _obstacle(request, by_chain, "approximation", given):
            other = f"--method approximation or {other}"
        raise InputError(f"--method {method} is too much here: {error.cost}; use {other}") from None
    return bound.loss, bound.method


def _obstacle(request, by_chain, method, given):
    """Return why a method cannot answer and what can, or None."""
    if method == "approximation" and not by_chain:
        where = f"--request {request}" if request in ("ordered", "flexible") else "one cluster"
        return f"{where} has an exact formula and no approximation; use --method exact"
    for option, served in (FORMULA | (APPROXIMATED if method == "approximation" else {})).items():
        if given[option] not in (None, *served):
            return (
                f"{option} {given[option]} has no formula, which is for {' or '.join(served)}; "
                "use --method simulation"
            )
    return None


def _service(text):
    name, _, variation = text.partition(":")
    if name == "hyperexponential":
        try:
            return Hyperexponential(1.0, number_in(variation))
        except ValueError:
            raise InputError(
                f"--service = {text!r}; give hyperexponential:CV with a coefficient of variation "
                "of 1 or more, such as hyperexponential:3"
            ) from None
    known = {"exponential": Exponential(), "deterministic": Deterministic()}
    return known[options.chosen("--service", text, [*known, "hyperexponential:CV"])]


def _print(loss, formula, as_json, *, name_method):
    estimate = 0.0 if abs(loss.estimate) < 5e-5 else loss.estimate  # no "-0.000"
    method = formula or "simulation"
    if as_json:
        answer = {"capacity_loss": estimate, "max_utilization": 1 - estimate, "method": method}
        interval = {"ci95": [loss.low, loss.high], "warning": loss.warning}
        print_json(answer if formula else answer | interval)
        return
    text = f"{estimate:.3f}" if formula else str(loss)
    show(f"{text}, {method}" if name_method else text)
