"""The maximal utilization of a system: one door to every formula."""

import numpy as np

from coalloc_lib.analytic.arguments import check_fits, checked
from coalloc_lib.analytic.effort import Effort, cheapest
from coalloc_lib.analytic.grid import grid_effort, grid_fits
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.level import LEVELS
from coalloc_lib.analytic.lines import line_effort, line_fits
from coalloc_lib.analytic.transform import transform_effort, transform_fits
from coalloc_lib.analytic.unordered import unordered_case
from coalloc_lib.checks import one_of, positive
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.estimates import Bound, Interval


def maximal_utilization(
    system,
    sizes,
    components=None,
    request="ordered",
    *,
    placement=None,
    service="exponential",
    budget_seconds=60,
    budget_bytes=2**30,
):
    """Return the maximal utilization under first come, first served.

    Parameters
    ----------
    system : Multicluster
        The clusters.
    sizes : SizeDistribution, sequence of SizeDistribution, or JointSizes
        Component sizes in processors: one distribution for all components, one for each, or a
        table of dependent components.
    components : int, optional
        Number of components of a job where `sizes` is one distribution; by default one for each
        cluster. Ordered components are for the first clusters.
    request : {"ordered", "unordered", "flexible", "total"}
        How components are assigned to clusters.
    placement : WorstFit, FirstFit or BestFit, optional
        Of unordered and total requests on several clusters; worst fit where it is not given.
    service : {"exponential", "slotted"}
        Exponential service times, or equal ones where all jobs in service start and end together.
    budget_seconds, budget_bytes : float
        What is estimated to take more is refused before it starts.

    Returns
    -------
    Bound

    Raises
    ------
    InputError
        An argument is wrong, a job can never fit, the placement has no formula, or the budget is
        too small.

    Notes
    -----
    M = 1 / (1 - sum over i >= 2 of F^(i)(N) / (i (i - 1))) with exponential service and
    M = sum over i >= 1 of F^(i)(N) with slotted service, where F^(i)(N) is the probability that
    i random jobs fit together; the utilization is M times the mean number of processors of a job
    over the number of processors.

    With exponential service that is exact for ordered and flexible requests and on a single
    cluster. Two cases are approximations. For unordered and total requests on several clusters,
    F^(i) is the probability that i random jobs fit when they are placed one after the other on the
    idle system: equal clusters by worst fit are the paper's WF-convolution, and other clusters
    and placements are the same idea carried further. It does not know the states that departures
    leave behind; `exact_utilization` does, for small systems. The error is small by worst fit where
    a job has a component for each cluster; with fewer components, and by first fit and best fit,
    it can be larger than the difference between two placements: see
    `coalloc_lib.studies.approximation_error`. With slotted service the jobs of a slot are taken
    for fresh draws, although the first is the one that did not fit before;
    `coalloc_lib.analytic.slotted` does without.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equations (2) to (5).

    Examples
    --------
    >>> from coalloc_lib.distributions import uniform
    >>> from coalloc_lib.system import Multicluster
    >>> bound = maximal_utilization(Multicluster([32]), uniform(1, 4))
    >>> round(bound.capacity_loss, 3)
    0.032
    """
    level = LEVELS[one_of("service", service, tuple(LEVELS))]
    budget = positive("budget_seconds", budget_seconds), positive("budget_bytes", budget_bytes)
    sizes, components, placement = checked(system, sizes, components, request, placement)
    fits, least, mean = _CASES[request](system, sizes, components, placement, budget)
    mean_level = level(fits, system.processors // least)
    by_placement = request in ("unordered", "total") and len(system) > 1
    return Bound(
        Interval.exact(float(mean_level * mean / system.processors)),
        "approximation" if by_placement or service == "slotted" else "exact",
        float(mean_level),
    )


def _ordered(system, sizes, components, placement, budget):
    """Return F^(i)(N) for i = 1, 2, ..., the smallest and the mean total size."""
    if isinstance(sizes, JointSizes):
        return _ordered_dependent(system, sizes, budget)
    columns = {}
    for column, part in enumerate(sizes):
        check_fits(part.maximum, system.sizes[column], f"cluster {column}")
        key = id(part), system.sizes[column]
        columns[key] = part, columns.get(key, (part, 0))[1] + 1
    efforts = [line_effort(part, size) for (_, size), (part, _) in columns.items()]
    _total_effort(efforts).check(*budget)
    # equal columns have equal factors: each is computed once and raised to a power
    factors = [line_fits(part.probabilities, size) for (_, size), (part, _) in columns.items()]
    powers = [count for _, count in columns.values()]
    fits = (np.prod(np.power(row, powers)) for row in zip(*factors, strict=True))
    return fits, sum(part.minimum for part in sizes), sum(part.mean for part in sizes)


def _ordered_dependent(system, joint, budget):
    widest = joint.vectors.max(axis=0)
    for column, size in enumerate(widest):
        check_fits(int(size), system.sizes[column], f"cluster {column}")
    kept = np.flatnonzero(widest)
    joint = JointSizes(joint.vectors[:, kept], joint.probabilities)
    extents = system.as_array()[kept]
    ways = (grid_effort, grid_fits), (transform_effort, transform_fits)
    fits = cheapest(((effort(joint, extents), way) for effort, way in ways), budget)
    return fits(joint, extents), joint.total().minimum, joint.mean


def _flexible(system, sizes, components, placement, budget):
    if not isinstance(sizes, JointSizes):
        check_fits(sum(part.maximum for part in sizes), system.processors, "the system")
    total = sizes.total() if isinstance(sizes, JointSizes) else _sum(sizes)
    check_fits(total.maximum, system.processors, "the system")
    line_effort(total, system.processors).check(*budget)
    return line_fits(total.probabilities, system.processors), total.minimum, total.mean


def _total(system, sizes, components, placement, budget):
    if len(system) == 1:
        return _flexible(system, sizes, components, placement, budget)
    if not isinstance(sizes, JointSizes):
        check_fits(sum(part.maximum for part in sizes), system.largest, "the largest cluster")
    total = sizes.total() if isinstance(sizes, JointSizes) else _sum(sizes)
    check_fits(total.maximum, system.largest, "the largest cluster")
    return unordered_case(system, [total], 1, placement, budget)


_CASES = {
    "ordered": _ordered,
    "unordered": unordered_case,
    "flexible": _flexible,
    "total": _total,
}


def _sum(sizes):
    weights = np.ones(1)
    for part in sizes:
        weights = np.convolve(weights, part.probabilities)
    return SizeDistribution(weights / weights.sum(), "total")


def _total_effort(efforts):
    return Effort(sum(e.seconds for e in efforts), sum(e.bytes for e in efforts))
