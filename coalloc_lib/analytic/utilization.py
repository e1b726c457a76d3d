"""The maximal utilization of a system: one door to every formula."""

import numpy as np

from coalloc_lib.analytic.effort import Effort
from coalloc_lib.analytic.factorised import factorised_effort, factorised_fits
from coalloc_lib.analytic.grid import grid_effort, grid_fits
from coalloc_lib.analytic.joint import JointSizes, size_distribution
from coalloc_lib.analytic.level import LEVELS, Bound
from coalloc_lib.analytic.lines import line_effort, line_fits
from coalloc_lib.analytic.transform import transform_effort, transform_fits
from coalloc_lib.analytic.worst_fit import worst_fit_effort, worst_fit_fits
from coalloc_lib.checks import InputError, one_of, positive, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.system import Multicluster


def maximal_utilization(
    system,
    sizes,
    components=None,
    request="ordered",
    *,
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
        How components are assigned to clusters; unordered ones by worst fit.
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
        An argument is wrong, a job can never fit, the case has no formula (total requests on
        several clusters, unordered requests on unequal ones), or the budget is too small.

    Notes
    -----
    M = 1 / (1 - sum over i >= 2 of F^(i)(N) / (i (i - 1))) with exponential service and
    M = sum over i >= 1 of F^(i)(N) with slotted service, where F^(i)(N) is the probability that
    i random jobs fit together; the utilization is M times the mean number of processors of a job
    over the number of processors. Two cases are approximations. For unordered requests on several
    clusters F^(i) is the WF-convolution, which does not know the states that departures leave
    behind. With slotted service the jobs of a slot are taken for fresh draws, although the first
    is the one that did not fit before; `coalloc_lib.analytic.slotted` does without.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equations (2) to (5).

    Examples
    --------
    >>> from coalloc_lib.distributions import uniform
    >>> bound = maximal_utilization(Multicluster([32]), uniform(1, 4))
    >>> round(bound.capacity_loss, 3)
    0.032
    """
    if not isinstance(system, Multicluster):
        raise InputError(f"system = {system!r}; give a Multicluster, e.g. Multicluster([32, 32])")
    one_of("request", request, REQUESTS)
    level = LEVELS[one_of("service", service, tuple(LEVELS))]
    budget = positive("budget_seconds", budget_seconds), positive("budget_bytes", budget_bytes)
    sizes, components = _checked_sizes(sizes, components, system)
    if request in ("ordered", "unordered") and components > len(system):
        raise InputError(
            f"components = {components} is more than the {len(system)} clusters; "
            f"{request} components need a cluster each"
        )
    fits, least, mean = _CASES[request](system, sizes, components, budget)
    mean_level = level(fits, system.processors // least)
    approximate = service == "slotted" or (request == "unordered" and len(system) > 1)
    return Bound(
        float(mean_level * mean / system.processors),
        float(mean_level),
        "approximation" if approximate else "exact",
    )


def _checked_sizes(sizes, components, system):
    """Return a JointSizes or a list of distributions, one a component, and their number."""
    if isinstance(sizes, SizeDistribution):
        count = len(system) if components is None else whole("components", components)
        if count > system.processors:
            raise InputError(
                f"components = {components} is more than all {system.processors} processors; "
                "every component needs one"
            )
        return [sizes] * count, count
    if not isinstance(sizes, JointSizes):
        if not isinstance(sizes, (list, tuple)) or not sizes:
            raise InputError(
                f"sizes = {sizes!r}; give a SizeDistribution, a list of them, or a JointSizes"
            )
        sizes = [size_distribution(f"sizes[{i}]", part) for i, part in enumerate(sizes)]
    count = sizes.components if isinstance(sizes, JointSizes) else len(sizes)
    if components is not None and whole("components", components) != count:
        raise InputError(f"components = {components} but sizes has {count}; leave components out")
    return sizes, count


def _ordered(system, sizes, components, budget):
    """Return F^(i)(N) for i = 1, 2, ..., the smallest and the mean total size."""
    if isinstance(sizes, JointSizes):
        return _ordered_dependent(system, sizes, budget)
    columns = {}
    for column, part in enumerate(sizes):
        _check_fits(part.maximum, system.sizes[column], f"cluster {column}")
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
        _check_fits(int(size), system.sizes[column], f"cluster {column}")
    kept = np.flatnonzero(widest)
    joint = JointSizes(joint.vectors[:, kept], joint.probabilities)
    extents = system.as_array()[kept]
    ways = (grid_effort, grid_fits), (transform_effort, transform_fits)
    fits = _cheapest(((effort(joint, extents), way) for effort, way in ways), budget)
    return fits(joint, extents), joint.total().minimum, joint.mean


def _cheapest(choices, budget):
    """Return the quickest of the (effort, way) whose memory the budget allows; check its time."""
    choices = sorted(choices, key=lambda choice: choice[0].seconds)
    affordable = [choice for choice in choices if choice[0].bytes <= budget[1]]
    effort, way = (affordable or choices)[0]
    effort.check(*budget)
    return way


def _unordered(system, sizes, components, budget):
    if not system.is_equal:
        raise InputError(
            f"system = {system} has clusters of different sizes and request = 'unordered'; "
            "the formula is for equal clusters, so simulate instead"
        )
    size, count = system.sizes[0], len(system)
    if isinstance(sizes, JointSizes):
        _check_fits(int(sizes.vectors.max()), size, "any cluster")
        joint = sizes.unordered()
        worst_fit_effort(joint, components, count, size).check(*budget)
        return worst_fit_fits(joint, count, size), joint.total().minimum, joint.mean
    _check_fits(max(part.maximum for part in sizes), size, "any cluster")
    if any(part is not sizes[0] for part in sizes):
        return _unordered(system, JointSizes.product(sizes), components, budget)
    fits = _independent_fits(sizes[0], components, count, size, budget)
    return fits, components * sizes[0].minimum, components * sizes[0].mean


def _independent_fits(part, components, clusters, size, budget):
    case = part, components, clusters, size
    ways = (worst_fit_effort(*case), worst_fit_fits), (factorised_effort(*case), factorised_fits)
    if _cheapest(ways, budget) is factorised_fits:
        return factorised_fits(*case)
    return worst_fit_fits(JointSizes.independent(part, components), clusters, size)


def _flexible(system, sizes, components, budget):
    if not isinstance(sizes, JointSizes):
        _check_fits(sum(part.maximum for part in sizes), system.processors, "the system")
    total = sizes.total() if isinstance(sizes, JointSizes) else _sum(sizes)
    _check_fits(total.maximum, system.processors, "the system")
    line_effort(total, system.processors).check(*budget)
    return line_fits(total.probabilities, system.processors), total.minimum, total.mean


def _total(system, sizes, components, budget):
    if len(system) > 1:
        raise InputError(
            f"system = {system} has {len(system)} clusters and request = 'total'; the formula is "
            "for one cluster, so simulate instead, or ask for flexible requests"
        )
    return _flexible(system, sizes, components, budget)


_CASES = {
    "ordered": _ordered,
    "unordered": _unordered,
    "flexible": _flexible,
    "total": _total,
}


def _check_fits(size, capacity, where):
    if size > capacity:
        raise InputError(
            f"sizes reach {size} and {where} has {capacity} processors, so such a job never "
            f"starts; give sizes of at most {capacity} or more processors"
        )


def _sum(sizes):
    weights = np.ones(1)
    for part in sizes:
        weights = np.convolve(weights, part.probabilities)
    return SizeDistribution(weights / weights.sum(), "total")


def _total_effort(efforts):
    return Effort(sum(e.seconds for e in efforts), sum(e.bytes for e in efforts))
