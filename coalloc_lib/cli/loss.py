"""``coalloc loss``: the capacity loss of a system, by formula or by simulation."""

from typing import Annotated

import typer

from coalloc_lib.checks import InputError, positive
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json
from coalloc_lib.distributions import Deterministic, Exponential, Hyperexponential, parse_sizes
from coalloc_lib.jobs import REQUESTS

METHODS = ("exact", "approximation", "simulation")

#: Waiting jobs that fpfs sees in a saturated system where ``--backlog`` is not given.
BACKLOG = 500
#: Jobs of a simulation where ``--jobs`` is not given.
JOBS = 200_000

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
        typer.Option(metavar="K", help="Components of a job; one a cluster if not given."),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD", help=f"One of {', '.join(METHODS)}.")
    ] = "exact",
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
        typer.Option(metavar="N", help=f"fpfs: waiting jobs that it sees.  [default: {BACKLOG}]"),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Jobs of the simulation.  [default: {JOBS}]"),
    ] = None,
    seed: options.Seed = None,
    as_json: options.Json = False,
):
    """Print the capacity loss: the share of the processors that stays idle however many jobs wait.

    A simulated loss comes with its 95 % interval.
    """
    options.chosen("--request", request, REQUESTS)
    options.chosen("--method", method, METHODS)
    options.at_least("--components", components, 1)
    options.at_least("--seed", seed, 0)
    system = options.system_of(clusters)
    policies = {
        "scheduling": options.scheduling_of(scheduling, max_jumps=max_jumps),
        "placement": None if placement is None else options.placement_of(placement),
    }
    times = _service(service)
    distribution = parse_sizes(sizes, one_is_power_of_two=one_is_power_of_two)
    if method == "simulation":
        policies |= _backlog(scheduling, backlog)
        jobs = JOBS if jobs is None else options.at_least("--jobs", jobs, 1)
        sampling = {"jobs": jobs} | _given(seed=seed)
        interval = _simulated(
            system, distribution, components, request, times, **policies, **sampling
        )
        _print(interval.estimate, method, (interval.low, interval.high), as_json)
        return
    _refuse_what_has_no_formula(scheduling, service)
    _refuse_what_is_for_simulation(jobs=jobs, seed=seed)
    placement = policies["placement"]
    bound = _calculated(system, distribution, components, request, placement, method)
    _print(bound.capacity_loss, method, None, as_json)


def _simulated(system, sizes, components, request, service, **how):
    from coalloc_lib.saturation import saturated_loss
    from coalloc_lib.workloads.models import JobModel

    count = len(system) if components is None else components
    model = JobModel(sizes, components=count, request=request, service=service)
    return saturated_loss(system, model, **how)


def _calculated(system, sizes, components, request, placement, method):
    """Return the bound by formula or, where only that is exact, by the Markov chain."""
    from coalloc_lib.analytic import exact_utilization, maximal_utilization

    has_exact_formula = request in ("ordered", "flexible") or len(system) == 1
    if method == "approximation" and has_exact_formula:
        where = f"--request {request}" if request in ("ordered", "flexible") else "one cluster"
        raise InputError(f"{where} has an exact formula and no approximation; use --method exact")
    calculate = maximal_utilization
    if method == "exact" and not has_exact_formula:
        calculate = exact_utilization
    return calculate(system, sizes, components, request, placement=placement)


def _service(text):
    name, _, variation = text.partition(":")
    if name == "hyperexponential":
        try:
            return Hyperexponential(1.0, positive("CV", variation))
        except ValueError:
            raise InputError(
                f"--service = {text!r}; give hyperexponential:CV with a coefficient of variation "
                "of 1 or more, such as hyperexponential:3"
            ) from None
    known = {"exponential": Exponential(), "deterministic": Deterministic()}
    return known[options.chosen("--service", text, [*known, "hyperexponential:CV"])]


def _backlog(scheduling, backlog):
    if scheduling == "fcfs":
        if backlog is not None:
            raise InputError("--backlog is not for --scheduling fcfs, which sees one job; drop it")
        return {}
    return {"backlog": options.at_least("--backlog", BACKLOG if backlog is None else backlog, 1)}


def _refuse_what_has_no_formula(scheduling, service):
    formula = {"--scheduling": "fcfs", "--service": "exponential"}
    asked = {"--scheduling": scheduling, "--service": service}
    for option, value in asked.items():
        if value != formula[option]:
            raise InputError(
                f"{option} {value} has no formula, only {formula[option]} has; "
                "use --method simulation"
            )


def _refuse_what_is_for_simulation(**values):
    for name in _given(**values):
        raise InputError(f"--{name} is for --method simulation; leave it out, or simulate")


def _given(**values):
    return {name: value for name, value in values.items() if value is not None}


def _print(estimate, method, interval, as_json):
    estimate = 0.0 if abs(estimate) < 5e-5 else estimate  # no "-0.000"
    if as_json:
        answer = {
            "capacity_loss": estimate,
            "max_utilization": 1 - estimate,
            "method": method,
        }
        print_json(answer if interval is None else answer | {"ci95": list(interval)})
    elif interval is None:
        print(f"{estimate:.3f}")
    else:
        low, high = interval
        print(f"{estimate:.4f} ± {(high - low) / 2:.4f} (95 %)")
