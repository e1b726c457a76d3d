"""The function `maximal_utilization`, which chooses and evaluates the formula for a system.

The maximal utilization is the utilization of a saturated system, in which a job is always waiting.
The documentation of the package `coalloc_lib.analytic` relates this to the multiserver-job model of
queueing theory.
"""

from coalloc_lib.analytic.arguments import Sizes, check_fits, checked_arguments
from coalloc_lib.analytic.budget import PRECISION, Budget, SumOfSizes, sum_cost
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.ordered import one_cluster_cost, one_cluster_fits, ordered_case
from coalloc_lib.analytic.unordered import unordered_case
from coalloc_lib.basics.checks import positive
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.model.distributions import sum_of_sizes
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster


def maximal_utilization(
    system: Multicluster,
    sizes: Sizes,
    components: int | None = None,
    request: str = "ordered",
    *,
    placement: Placement | None = None,
    budget_seconds: float = 60,
) -> MaxUtilization:
    """Return the maximal utilization of a system under first come, first served, by a formula.

    Parameters
    ----------
    system : Multicluster
        The clusters and their numbers of processors.
    sizes : SizeDistribution, sequence of SizeDistribution, or JointSizes
        Component sizes in processors: one distribution for all components, one distribution for
        each component, or a joint distribution of dependent components.
    components : int, optional
        Number of components of a job if `sizes` is one distribution. The default is the number of
        clusters. Ordered components use the first clusters.
    request : {"ordered", "unordered", "flexible", "total"}
        The request type, see `JobStream`.
    placement : WorstFit or FirstFit, optional
        The placement of unordered and total requests on several clusters. The default is
        `WorstFit`.
    budget_seconds : float
        The largest time that the formula may take, in seconds.

    Returns
    -------
    MaxUtilization
        The maximal utilization, and the mean number of jobs in service.

    Raises
    ------
    BudgetError
        If the formula is estimated to take more than `budget_seconds`, or more than 1 GiB of
        memory. It is raised before the computation starts.
    InputError
        If an argument is wrong, or if a job can never start.

    Notes
    -----
    Service times are exponential. Let F^(i)(N) be the probability that i random jobs fit together
    on the idle system with the cluster sizes N. The mean number of jobs in service, M, is

        M = 1 / (1 - sum over i >= 2 of F^(i)(N) / (i (i - 1))).

    The maximal utilization is M times the mean number of processors of a job, divided by the number
    of processors of the system.

    The formula is exact for ordered and flexible requests, and on one
    cluster for all requests. It is an approximation for unordered and total requests on several
    clusters. There, F^(i)(N) is computed for jobs that are placed one after the other on the idle
    system, which neglects that departures leave other states. `exact_utilization` takes them into
    account. The error is small with worst fit if a job has a component for each cluster. In
    other cases it can be larger than the difference between two placements.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equations (2), (3) and (5).

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> result = maximal_utilization(Multicluster([8, 8]), uniform(1, 4))
    >>> round(result.max_utilization, 3), result.method
    (0.752, 'exact')
    """
    budget = Budget(positive("budget_seconds", budget_seconds))
    arguments = checked_arguments(system, sizes, components, request, placement)
    fits, least, mean = _CASES[request](system, *arguments, budget)
    mean_number = _mean_number_in_service(fits, system.processors // least)
    by_placement = request in ("unordered", "total") and len(system) > 1
    return MaxUtilization(
        Interval.exact(float(mean_number * mean / system.processors)),
        "approximation" if by_placement else "exact",
        float(mean_number),
    )


def _flexible(system, sizes, components, placement, budget):
    parts = _checked_parts(system, sizes, "flexible")
    costs = sum_cost(parts), one_cluster_cost(SumOfSizes.of(parts), system.processors)
    budget.check(*map(sum, zip(*costs, strict=True)))
    total = _total_size(sizes, parts)
    return one_cluster_fits(total.probabilities, system.processors), total.minimum, total.mean


def _total(system, sizes, components, placement, budget):
    if len(system) == 1:
        return _flexible(system, sizes, components, placement, budget)
    parts = _checked_parts(system, sizes, "total")
    budget.check(*sum_cost(parts))
    return unordered_case(system, [_total_size(sizes, parts)], 1, placement, budget)


def _checked_parts(system, sizes, request):
    parts = [sizes.total()] if isinstance(sizes, JointSizes) else sizes
    check_fits([sum(part.maximum for part in parts)], system, request)
    return parts


def _total_size(sizes, parts):
    if isinstance(sizes, JointSizes):
        return parts[0]
    return sum_of_sizes(parts, "total")


#: The function that evaluates each request type. It returns the probabilities F^(i)(N) that i = 1,
#: 2, ... random jobs fit, the smallest job size and the mean job size, in processors.
_CASES = {
    "ordered": ordered_case,
    "unordered": unordered_case,
    "flexible": _flexible,
    "total": _total,
}


def _mean_number_in_service(fits, most):
    # Equation (2) is evaluated in the equivalent form 1/M = sum of (F^(i)(N) - F^(i+1)(N)) / i, in
    # which no digits cancel. The sum of all terms from index i on is between F^(i)(N)/most and
    # F^(i)(N)/i.
    inverse, previous, jobs = 0.0, 1.0, 0
    for jobs, fit in enumerate(fits, start=1):
        if jobs > 1:
            inverse += (previous - fit) / (jobs - 1)
        previous = fit
        if jobs == most or fit / jobs <= PRECISION * inverse:
            break
    return 1 / (inverse + previous / jobs)
