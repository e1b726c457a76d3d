"""The maximal utilization of a system: one door to every formula."""

import warnings
from functools import reduce

import numpy as np

from coalloc_lib.analytic.arguments import Sizes, check_fits, checked
from coalloc_lib.analytic.budget import Budget
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.ordered import one_cluster_cost, one_cluster_fits, ordered_case
from coalloc_lib.analytic.unordered import unordered_case
from coalloc_lib.basics.checks import InputError, one_of, positive, whole
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.placement import Placement
from coalloc_lib.model.system import Multicluster

#: The sums stop where what is left of them is no more than this share of the result.
PRECISION = 1e-12


def maximal_utilization(
    system: Multicluster,
    sizes: Sizes,
    components: int | None = None,
    request: str = "ordered",
    *,
    placement: Placement | None = None,
    service: str = "exponential",
    budget_seconds: float = 60,
) -> MaxUtilization:
    """Return the maximal utilization under first come, first served.

    Parameters
    ----------
    sizes : SizeDistribution, sequence of SizeDistribution, or JointSizes
        Component sizes in processors: one distribution for all components, one for each, or a
        table of dependent components.
    components : int, optional
        Number of components of a job where `sizes` is one distribution; by default one for each
        cluster. Ordered components are for the first clusters.
    request : {"ordered", "unordered", "flexible", "total"}
    placement : WorstFit or FirstFit, optional
        Of unordered and total requests on several clusters; worst fit where it is not given.
    service : {"exponential", "slotted"}
        Exponential service times, or equal ones where all jobs in service start and end together.
    budget_seconds : float
        What is estimated to take longer, or more than a gibibyte, raises `BudgetError` before it
        starts.

    Returns
    -------
    MaxUtilization
        The maximal utilization, with the mean number of jobs in service.

    Raises
    ------
    InputError
        If an argument is wrong, a job can never start, or equation (4) gives more than 100 %.

    Warns
    -----
    UserWarning
        If `service` is ``"slotted"`` and jobs have more than one size: equation (4) is then wrong.

    Notes
    -----
    M = 1 / (1 - sum over i >= 2 of F^(i)(N) / (i (i - 1))) with exponential service and
    M = sum over i >= 1 of F^(i)(N) with slotted service, where F^(i)(N) is the probability that
    i random jobs fit together; the utilization is M times the mean number of processors of a job
    over the number of processors.

    With exponential service that is exact for ordered and flexible requests and on one cluster. It
    is an approximation for unordered and total requests on several clusters, where F^(i) is of jobs
    placed one after the other on the idle system (the WF-convolution, by worst fit), which leaves
    out the states after departures; `exact_utilization` has them. The error is small by worst fit
    where a job has a component for each cluster, and can else be larger than the difference between
    two placements.

    With slotted service the formula takes all jobs of a slot for random ones. The first job of a
    slot is not random: it is the job that did not fit into the slot before, so it is large. The
    formula therefore promises too much, and even more than 100 % for some sizes.
    `slotted_utilization` is exact on one cluster.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equations (2) to (5).
    """
    level = _LEVELS[one_of("service", service, tuple(_LEVELS))]
    budget = Budget(positive("budget_seconds", budget_seconds))
    question = checked(system, sizes, components, request, placement)
    fits, least, mean = _CASES[request](system, *question, budget)
    mean_level = level(fits, system.processors // least)
    by_placement = request in ("unordered", "total") and len(system) > 1
    utilization = float(mean_level * mean / system.processors)
    if service == "slotted":
        _distrust_slots(utilization, question[0], len(system))
    return MaxUtilization(
        Interval.exact(utilization),
        "approximation" if by_placement or service == "slotted" else "exact",
        float(mean_level),
    )


def _distrust_slots(utilization, sizes, clusters):
    """Warn that equation (4) is wrong if sizes differ; refuse a utilization above 1."""
    better = (
        "coalloc_lib.analytic.slotted_utilization is exact on one cluster"
        if clusters == 1
        else "simulate with equal run times instead"
    )
    why = (
        "the first job of a slot is the one that did not fit before, and so it is not a random one"
    )
    if utilization > 1 + PRECISION:
        raise InputError(
            f"service = 'slotted': equation (4) gives a utilization of {utilization:.4f}, which is "
            f"more than 1, since {why}; {better}"
        )
    parts = [sizes.total()] if isinstance(sizes, JointSizes) else sizes
    if any(len(part.sizes) > 1 for part in parts):
        warnings.warn(
            f"service = 'slotted': equation (4) promises too high a utilization for these sizes, "
            f"since {why}; {better}",
            stacklevel=3,
        )


def _flexible(system, sizes, components, placement, budget):
    total = _total_size(system, sizes, "flexible")
    budget.check(*one_cluster_cost(total, system.processors))
    return one_cluster_fits(total.probabilities, system.processors), total.minimum, total.mean


def _total(system, sizes, components, placement, budget):
    if len(system) == 1:
        return _flexible(system, sizes, components, placement, budget)
    total = _total_size(system, sizes, "total")
    return unordered_case(system, [total], 1, placement, budget)


def _total_size(system, sizes, request):
    """Return the distribution of the number of processors of a job, none of which is too large."""
    if isinstance(sizes, JointSizes):
        total = sizes.total()
        check_fits([total.maximum], system, request)
        return total
    check_fits([sum(part.maximum for part in sizes)], system, request)
    weights = reduce(np.convolve, (part.probabilities for part in sizes))
    return SizeDistribution(weights / weights.sum(), "total")


_CASES = {
    "ordered": ordered_case,
    "unordered": unordered_case,
    "flexible": _flexible,
    "total": _total,
}


def _exponential_level(fits, most):
    """Return M of equation (2) from F^(i)(N), i = 1, 2, ..., of which at most `most` jobs fit."""
    # 1/M = sum of (F^(i)(N) - F^(i+1)(N)) / i is 1 - sum of F^(i)(N) / (i(i-1)), so that nothing
    # cancels. What is left at i lies between F^(i)(N)/B and F^(i)(N)/i, with B = `most`.
    inverse, previous, jobs = 0.0, 1.0, 0
    for jobs, fit in enumerate(fits, start=1):
        if jobs > 1:
            inverse += (previous - fit) / (jobs - 1)
        previous = fit
        if jobs == most or fit / jobs <= PRECISION * inverse:
            break
    return 1 / (inverse + previous / jobs)


def _slotted_level(fits, most):
    """Return M of equation (4), the sum of F^(i)(N), as if all jobs of a slot were random."""
    level = 0.0
    for jobs, fit in enumerate(fits, start=1):
        level += fit
        if jobs == most or fit * (most - jobs) <= PRECISION * level:
            break
    return level


_LEVELS = {"exponential": _exponential_level, "slotted": _slotted_level}


def slotted_as_printed(processors: int, sizes: SizeDistribution) -> float:
    """Return the utilization of one cluster by equation (4), even if it is more than 1.

    It is wrong unless all jobs have one size; see `maximal_utilization` for the reason.
    """
    fits = one_cluster_fits(sizes.probabilities, whole("processors", processors))
    return float(_slotted_level(fits, processors // sizes.minimum) * sizes.mean / processors)


def slotted_utilization(processors: int, sizes: SizeDistribution) -> MaxUtilization:
    """Return the maximal utilization of one cluster where all jobs in service end together.

    The first job of a slot is the one that did not fit before, so first sizes are a Markov chain.
    With f the density of the sizes and r(u) = sum over s of f(s) r(u - s), r(0) = 1, the
    probability that some number of jobs add up to u, a slot that begins with s fills up to u and is
    followed by t with probability r(u - s) f(t) where u + t > N; the utilization is the mean of u
    over N.
    """
    if sizes.maximum > whole("processors", processors):
        raise InputError(f"sizes reach {sizes.maximum}; give at least as many processors")
    f = np.zeros(processors + 1)
    f[: len(sizes.probabilities)] = sizes.probabilities
    renewal = np.zeros(processors + 1)
    renewal[0] = 1.0
    for used in range(1, processors + 1):
        renewal[used] = f[1 : used + 1] @ renewal[used - 1 :: -1][:used]
    support = sizes.sizes
    tail = np.array([f[processors - used + 1 :].sum() for used in range(processors + 1)])
    step = np.zeros((len(support), len(support)))
    filled = np.zeros(len(support))
    for row, first in enumerate(support):
        reached = np.concatenate([np.zeros(first), renewal[: processors + 1 - first]])
        filled[row] = (reached * tail) @ np.arange(processors + 1)
        step[row] = [f[t] * reached[processors - t + 1 :].sum() for t in support]
    balance = np.vstack([step.T - np.eye(len(support)), np.ones(len(support))])
    first_sizes = np.linalg.lstsq(balance, np.append(np.zeros(len(support)), 1.0), rcond=None)[0]
    utilization = float(first_sizes @ filled / processors)
    level = utilization * processors / sizes.mean
    return MaxUtilization(Interval.exact(utilization), "exact", level)
