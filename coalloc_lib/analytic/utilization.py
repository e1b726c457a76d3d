"""The function `maximal_utilization`, which chooses and evaluates the formula for a system.

The maximal utilization is the utilization of a saturated system, in which a job is always waiting.
The documentation of the package `coalloc_lib.analytic` relates this to the multiserver-job model of
queueing theory.
"""

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

#: The relative precision of the result: sums stop when the remaining terms are smaller than this.
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
    service : {"exponential", "slotted"}
        The service times: exponential, or constant and synchronized, so that all jobs in service
        start and end at the same time.
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
        If an argument is wrong, if a job can never start, or if equation (4) gives more than 100 %.

    Warns
    -----
    UserWarning
        If `service` is ``"slotted"`` and jobs have more than one size, because equation (4) is
        then wrong.

    Notes
    -----
    Let F^(i)(N) be the probability that i random jobs fit together on the idle system with the
    cluster sizes N. The mean number of jobs in service, M, is

    - M = 1 / (1 - sum over i >= 2 of F^(i)(N) / (i (i - 1))) with exponential service, and
    - M = sum over i >= 1 of F^(i)(N) with slotted service.

    The maximal utilization is M times the mean number of processors of a job, divided by the number
    of processors of the system.

    With exponential service, the formula is exact for ordered and flexible requests, and on one
    cluster for all requests. It is an approximation for unordered and total requests on several
    clusters. There, F^(i)(N) is computed for jobs that are placed one after the other on the idle
    system, which neglects that departures leave other states. `exact_utilization` takes them into
    account. The error is small with worst fit if a job has a component for each cluster. In
    other cases it can be larger than the difference between two placements.

    With slotted service, the formula assumes that all jobs of a slot are random. The first job of a
    slot is not random, because it is the job that did not fit into the slot before, so it is large.
    The formula is therefore too high, and for some sizes even above 100 %. `slotted_utilization`
    is exact on one cluster.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equations (2) to (5).

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> result = maximal_utilization(Multicluster([8, 8]), uniform(1, 4))
    >>> round(result.max_utilization, 3), result.method
    (0.752, 'exact')
    """
    level = _LEVELS[one_of("service", service, tuple(_LEVELS))]
    budget = Budget(positive("budget_seconds", budget_seconds))
    arguments = checked(system, sizes, components, request, placement)
    fits, least, mean = _CASES[request](system, *arguments, budget)
    mean_level = level(fits, system.processors // least)
    by_placement = request in ("unordered", "total") and len(system) > 1
    utilization = float(mean_level * mean / system.processors)
    if service == "slotted":
        _check_slotted(utilization, arguments[0], len(system))
    return MaxUtilization(
        Interval.exact(utilization),
        "approximation" if by_placement or service == "slotted" else "exact",
        float(mean_level),
    )


def _check_slotted(utilization, sizes, clusters):
    """Warn that equation (4) is wrong if sizes differ, and raise an error if it gives above 1."""
    advice = (
        "use coalloc_lib.analytic.slotted_utilization, which is exact on one cluster"
        if clusters == 1
        else "simulate with equal run times instead"
    )
    reason = (
        "the formula assumes a random first job in each slot, but it is the job that did not fit "
        "into the slot before"
    )
    if utilization > 1 + PRECISION:
        raise InputError(
            f"service = 'slotted': equation (4) gives a utilization of {utilization:.4f}, which is "
            f"more than 1, because {reason}; {advice}"
        )
    parts = [sizes.total()] if isinstance(sizes, JointSizes) else sizes
    if any(len(part.sizes) > 1 for part in parts):
        warnings.warn(
            "service = 'slotted': equation (4) gives too high a utilization for these sizes, "
            f"because {reason}; {advice}",
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
    """Return the distribution of a job's total size, after a check that all jobs fit."""
    if isinstance(sizes, JointSizes):
        total = sizes.total()
        check_fits([total.maximum], system, request)
        return total
    check_fits([sum(part.maximum for part in sizes)], system, request)
    weights = reduce(np.convolve, (part.probabilities for part in sizes))
    return SizeDistribution(weights / weights.sum(), "total")


#: For each request type, the function that returns the fit probabilities F^(i)(N), i = 1, 2, ...,
#: and the smallest and the mean number of processors of a job.
_CASES = {
    "ordered": ordered_case,
    "unordered": unordered_case,
    "flexible": _flexible,
    "total": _total,
}


def _exponential_level(fits, most):
    """Return the mean number of jobs in service, M, with exponential service: equation (2).

    The iterator `fits` yields F^(i)(N) for i = 1, 2, ..., and at most `most` jobs fit.
    """
    # The equation is evaluated in the equivalent form 1/M = sum of (F^(i)(N) - F^(i+1)(N)) / i,
    # in which no digits cancel. The terms from i on sum to between F^(i)(N)/most and F^(i)(N)/i.
    inverse, previous, jobs = 0.0, 1.0, 0
    for jobs, fit in enumerate(fits, start=1):
        if jobs > 1:
            inverse += (previous - fit) / (jobs - 1)
        previous = fit
        if jobs == most or fit / jobs <= PRECISION * inverse:
            break
    return 1 / (inverse + previous / jobs)


def _slotted_level(fits, most):
    """Return the mean number of jobs in service, M, with slotted service: equation (4).

    The iterator `fits` yields F^(i)(N) for i = 1, 2, ..., and at most `most` jobs fit.
    """
    level = 0.0
    for jobs, fit in enumerate(fits, start=1):
        level += fit
        if jobs == most or fit * (most - jobs) <= PRECISION * level:
            break
    return level


_LEVELS = {"exponential": _exponential_level, "slotted": _slotted_level}


def slotted_as_printed(processors: int, sizes: SizeDistribution) -> float:
    """Return the utilization of one cluster with slotted service by equation (4) of the paper.

    The result is too high, and can be above 1, unless all jobs have the same size. The notes of
    `maximal_utilization` give the reason.

    Parameters
    ----------
    processors : int
        Number of processors of the cluster.
    sizes : SizeDistribution
        Number of processors of a job.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equation (4).
    """
    fits = one_cluster_fits(sizes.probabilities, whole("processors", processors))
    return float(_slotted_level(fits, processors // sizes.minimum) * sizes.mean / processors)


def slotted_utilization(processors: int, sizes: SizeDistribution) -> MaxUtilization:
    """Return the exact maximal utilization of one cluster with slotted service.

    With slotted service, all jobs in service start and end at the same time.

    Parameters
    ----------
    processors : int
        Number of processors of the cluster, N.
    sizes : SizeDistribution
        Number of processors of a job.

    Returns
    -------
    MaxUtilization
        The maximal utilization, and the mean number of jobs in service.

    Notes
    -----
    The first job of a slot is the job that did not fit into the slot before. The sizes of the first
    jobs of the slots are therefore a Markov chain. Let f(s) be the probability of size s, and let
    r(u) be the probability that some number of random jobs have u processors in total, which is
    r(0) = 1 and r(u) = sum over s of f(s) r(u - s). A slot whose first job has size s uses u
    processors and is followed by a first job of size t > N - u with probability r(u - s) f(t). The
    utilization is the mean of u divided by N.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> round(slotted_utilization(2, uniform(1, 2)).max_utilization, 3)
    0.9
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
