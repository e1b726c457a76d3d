"""``coalloc loss``: the capacity loss of a system, by formula or by simulation."""

from typing import Annotated

import typer

from coalloc_lib.checks import InputError
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json
from coalloc_lib.distributions import Deterministic, Exponential, Hyperexponential, parse_sizes
from coalloc_lib.intervals import METHODS
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.names import parse_clusters

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


def loss(
    clusters: options.Clusters,
    sizes: Annotated[
        str, typer.Option(metavar="DIST", help="Component sizes: U[a,b] or D(q)[a,b].")
    ],
    request: options.Request,
    components: Annotated[
        int | None,
        typer.Option(metavar="K", min=1, help="Components of a job; one a cluster if not given."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help=f"One of {', '.join(METHODS)}; if not given, exact where that is affordable, "
            "else simulation, and the answer says which.",
        ),
    ] = None,
    one_is_power_of_two: Annotated[
        bool,
        typer.Option("--one-is-power-of-two", help="D(q): give size 1 the threefold weight too."),
    ] = False,
    service: Annotated[
        str,
        typer.Option(
            metavar="DIST", help="Service times: exponential, deterministic, hyperexponential:CV."
        ),
    ] = "exponential",
    placement: options.Placement = None,
    scheduling: options.SchedulingPolicy = "fcfs",
    max_jumps: options.MaxJumps = None,
    backlog: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="fpfs: waiting jobs seen.  [default: 500]"),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Jobs of the simulation.  [default: 200000]"),
    ] = None,
    seed: options.Seed = None,
    as_json: options.Json = False,
) -> None:
    """Print the capacity loss: the share of the processors that stays idle however many jobs wait.

    A simulated loss comes with its 95 % interval. Where no method is given, the answer names it.
    """
    options.chosen("--request", request, REQUESTS)
    if method is not None:
        options.chosen("--method", method, METHODS)
    system = parse_clusters(clusters, "--clusters")
    policy = options.scheduling_of(scheduling, max_jumps=max_jumps)
    if policy.takes_reservations:
        raise InputError(
            f"--scheduling {scheduling} books jobs when they are submitted, and the loss is that "
            "of a queue that never empties; choose another policy"
        )
    rule = options.placement_of(placement, request)
    times = _service(service)
    distribution = parse_sizes(sizes, one_is_power_of_two=one_is_power_of_two)
    sampling = {"jobs": jobs, "seed": seed, "backlog": backlog}
    sampling = {name: value for name, value in sampling.items() if value is not None}
    question = system, distribution, components, request, rule
    answer = None
    if method != "simulation":
        asked = {"--scheduling": scheduling, "--service": service, "--placement": placement}
        answer = _by_formula(question, method, asked, sampling)
    if answer is None:
        if scheduling == "fcfs" and backlog is not None:
            raise InputError("--backlog is not for --scheduling fcfs, which sees one job; drop it")
        answer = _simulated(question, times, policy, sampling), "simulation"
    found, known = answer
    _print(found, known, as_json, say_method=method is None)


def _by_formula(question, method, asked, sampling):
    """Return the loss and how it is known; None where it was not asked for and cannot be afforded.

    Where the request has no exact formula, exact means the Markov chain.
    """
    from coalloc_lib.analytic import BudgetError, exact_utilization, maximal_utilization

    system, *sizes, request, placement = question
    by_chain = request in ("unordered", "total") and len(system) > 1
    obstacle = _obstacle(request, by_chain, method, asked)
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
        near = by_chain and method == "exact"
        near = near and not _obstacle(request, by_chain, "approximation", asked)
        other = "--method approximation or --method simulation" if near else "--method simulation"
        raise InputError(f"--method {method} is too much here: {error.cost}; use {other}") from None
    return bound.loss, bound.method


def _obstacle(request, by_chain, method, asked):
    """Return why a method cannot answer and what can, or None."""
    if method == "approximation" and not by_chain:
        where = f"--request {request}" if request in ("ordered", "flexible") else "one cluster"
        return f"{where} has an exact formula and no approximation; use --method exact"
    for option, served in (FORMULA | (APPROXIMATED if method == "approximation" else {})).items():
        if asked[option] not in (None, *served):
            return (
                f"{option} {asked[option]} has no formula, which is for {' or '.join(served)}; "
                "use --method simulation"
            )
    return None


def _simulated(question, service, scheduling, sampling):
    from coalloc_lib.saturation import saturated_loss
    from coalloc_lib.scenario import Scenario
    from coalloc_lib.workloads.models import JobModel

    system, sizes, components, request, placement = question
    model = JobModel(sizes, components or len(system), request, service)
    engine = options.engine_for(scheduling, placement)
    return saturated_loss(Scenario(system, model, scheduling, placement, engine), **sampling)


def _service(text):
    name, _, variation = text.partition(":")
    if name == "hyperexponential":
        try:
            return Hyperexponential(1.0, float(variation))
        except ValueError:
            raise InputError(
                f"--service = {text!r}; give hyperexponential:CV with a coefficient of variation "
                "of 1 or more, such as hyperexponential:3"
            ) from None
    known = {"exponential": Exponential(), "deterministic": Deterministic()}
    return known[options.chosen("--service", text, [*known, "hyperexponential:CV"])]


def _print(loss, method, as_json, *, say_method):
    estimate = 0.0 if abs(loss.estimate) < 5e-5 else loss.estimate  # no "-0.000"
    simulated = method == "simulation"
    if as_json:
        answer = {"capacity_loss": estimate, "max_utilization": 1 - estimate, "method": method}
        interval = {"ci95": [loss.low, loss.high], "warning": loss.warning} if simulated else {}
        print_json(answer | interval)
        return
    interval = f"± {loss.half_width:.4f} (95 %)"
    if loss.warning:
        interval = f"(no interval: {loss.warning})"
    text = f"{estimate:.4f} {interval}" if simulated else f"{estimate:.3f}"
    print(f"{text}, {method}" if say_method else text)
