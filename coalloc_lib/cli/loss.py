"""The command ``coalloc loss``, which prints the capacity loss of a system."""

from collections.abc import Callable
from typing import Any, NamedTuple

from coalloc_lib.basics.checks import InputError, number_in
from coalloc_lib.basics.estimates import METHODS, MaxUtilization
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, show
from coalloc_lib.model.distributions import (
    Deterministic,
    Exponential,
    Hyperexponential,
    SizeDistribution,
    parse_sizes,
)
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster, parse_clusters
from coalloc_lib.policies import FCFS

#: The options must have these values for any formula for the capacity loss to be valid.
FORMULA = {"--scheduling": ("fcfs",), "--service": ("exponential",)}
#: The further option values that an approximate formula for the capacity loss requires.
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
    sizes=("DIST", "Distribution of the component sizes: U[a,b] or D(q)[a,b]."),
    components=("K", "Number of components of each job.  [default: one per cluster]", 1),
    method=(
        "METHOD",
        f"One of {', '.join(METHODS)}.  [default: exact if it is fast enough, "
        "otherwise simulation]",
    ),
    one_is_power_of_two=(None, "D(q): treat the size 1 as a power of two, with threefold weight."),
    service=("DIST", "Service times: exponential, deterministic, hyperexponential:CV."),
    backlog=("N", "fpfs: number of waiting jobs that the policy can see.  [default: 500]", 1),
    jobs=("N", "Number of simulated jobs.  [default: 200000]", 1),
)
def loss(
    clusters: str,
    sizes: str,
    request: str,
    components: int | None = None,
    method: str | None = None,
    one_is_power_of_two: bool = False,
    service: str = "exponential",
    placement: str | None = None,
    scheduling: str = "fcfs",
    backlog: int | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    as_json: bool = False,
    **policy_options: Any,
) -> None:
    """Print the capacity loss: the fraction of processors that are idle although jobs wait.

    A simulated loss is printed with its 95 % interval. If no method is given, the method that was
    used is printed too.
    """
    options.chosen("--request", request, REQUESTS)
    if method is not None:
        options.chosen("--method", method, METHODS)
    system = parse_clusters(clusters, "--clusters")
    policy = options.scheduling_of(scheduling, **policy_options)
    if not policy.takes_backlog:
        raise InputError(
            f"--scheduling {scheduling} books jobs when they are submitted, but a capacity loss is "
            "defined for a queue that is never empty; choose another policy"
        )
    rule = options.placement_of(placement, request)
    times = _service(service)
    distribution = parse_sizes(sizes, one_is_power_of_two=one_is_power_of_two)
    sampling: dict[str, Any] = {"jobs": jobs, "seed": seed, "backlog": backlog}
    sampling = {name: number for name, number in sampling.items() if number is not None}
    question = _Question(system, distribution, components, request, rule)
    given = {"--scheduling": scheduling, "--service": service, "--placement": placement}
    answer = None
    if method != "simulation" and _has_formula(question, method, given, sampling):
        answer = _by_formula(question, method, given)
    if answer is None:
        answer = _by_simulation(question, policy, times, sampling)
    estimate, formula = answer
    _print(estimate, formula, as_json, name_method=method is None)


class _Question(NamedTuple):
    """The system and the jobs for which the user asks for the capacity loss."""

    system: Multicluster
    sizes: SizeDistribution
    components: int | None
    request: str
    placement: Placement | None

    @property
    def needs_chain(self) -> bool:
        """Whether a Markov chain is needed to compute the capacity loss exactly."""
        return self.request in ("unordered", "total") and len(self.system) > 1


def _has_formula(question, method, given, sampling):
    obstacle = _obstacle(question, method, given)
    if method is None and (obstacle or (question.needs_chain and sampling)):
        return False
    if obstacle is None and sampling:
        option = next(iter(sampling))
        obstacle = (
            f"--{option} is for --method simulation; leave it out, or add --method simulation"
        )
    if obstacle:
        raise InputError(obstacle)
    return True


def _by_formula(question, method, given):
    from coalloc_lib.analytic import BudgetError, exact_utilization, maximal_utilization

    is_chain = question.needs_chain and method != "approximation"
    calculate: Callable[..., MaxUtilization] = (
        exact_utilization if is_chain else maximal_utilization
    )
    *arguments, placement = question
    try:
        utilization = calculate(*arguments, placement=placement)
    except BudgetError as error:
        if method is None:
            return None
        other = "--method simulation"
        if method == "exact" and not _obstacle(question, "approximation", given):
            other = f"--method approximation or {other}"
        raise InputError(
            f"--method {method} takes too long for this system: {error.cost}; use {other}"
        ) from None
    return utilization.loss, utilization.method


def _by_simulation(question, policy, times, sampling):
    if isinstance(policy, FCFS) and "backlog" in sampling:
        raise InputError(
            "--backlog cannot be used with --scheduling fcfs, which sees only the first "
            "waiting job; leave it out"
        )
    from coalloc_lib.simulation.scenario import Scenario
    from coalloc_lib.statistics.saturation import saturated_loss
    from coalloc_lib.workloads.models import JobModel

    system, sizes, components, request, placement = question
    model = JobModel(sizes, components or len(system), request, times)
    return saturated_loss(Scenario(system, model, policy, placement), **sampling), None


def _obstacle(question, method, given):
    request = question.request
    if method == "approximation" and not question.needs_chain:
        where = f"--request {request}" if request in ("ordered", "flexible") else "one cluster"
        return f"{where} has an exact formula and no approximation; use --method exact"
    required = FORMULA | (APPROXIMATED if method == "approximation" else {})
    for option, values in required.items():
        if given[option] not in (None, *values):
            return (
                f"there is no formula for {option} {given[option]}, only for {' or '.join(values)};"
                " use --method simulation"
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
    simple = {"exponential": Exponential(), "deterministic": Deterministic()}
    return simple[options.chosen("--service", text, [*simple, "hyperexponential:CV"])]


def _print(loss, formula, as_json, *, name_method):
    method = formula or "simulation"
    if as_json:
        estimate = loss.estimate
        answer = {"capacity_loss": estimate, "max_utilization": 1 - estimate, "method": method}
        interval = {"ci95": [loss.low, loss.high], "warning": loss.warning}
        print_json(answer if formula else answer | interval)
        return
    # The format "z" prints 0.000 instead of -0.000.
    text = f"{loss.estimate:z.3f}" if formula else str(loss)
    show(f"{text}, {method}" if name_method else text)
