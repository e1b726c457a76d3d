"""Checks of the arguments that the formulas and the Markov chain share."""

from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.basics.checks import InputError, instance_of, one_of, whole
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import (
    HomeSite,
    Placement,
    WorstFit,
    check_request,
    refuse_for_ordered,
)
from coalloc_lib.model.system import Multicluster

#: The types that a user can pass as the distribution of component sizes.
Sizes = SizeDistribution | list[SizeDistribution] | tuple[SizeDistribution, ...] | JointSizes
#: The types of component sizes that the formulas take: a list with one distribution per component,
#: or a joint distribution.
CheckedSizes = list[SizeDistribution] | JointSizes


def checked_arguments(
    system: Multicluster,
    sizes: Sizes,
    components: int | None,
    request: str,
    placement: Placement | None,
) -> tuple[CheckedSizes, int, Placement]:
    """Check the arguments of `maximal_utilization` or `exact_utilization`.

    Returns
    -------
    tuple
        The component sizes, the number of components, and the placement, which is worst fit if
        none was given.
    """
    instance_of("system", system, Multicluster, "one, e.g. Multicluster([32, 32])")
    if one_of("request", request, REQUESTS) == "ordered":
        refuse_for_ordered(placement)
    placement = WorstFit() if placement is None else placement
    instance_of("placement", placement, Placement, "a placement, for example WorstFit()")
    if request != "ordered":
        check_request(placement, request)
    if isinstance(placement, HomeSite):
        raise InputError(
            f"placement = {placement} is for jobs that must run at their own site, but jobs from a "
            "model have no site; give another placement"
        )
    placement.check(system)
    checked_sizes, components = _one_for_each_component(sizes, components, system)
    if request in ("ordered", "unordered") and components > len(system):
        raise InputError(
            f"components = {components} is more than the {len(system)} clusters; "
            f"each {request} component needs its own cluster"
        )
    return checked_sizes, components, placement


def check_fits(largest: list[int], system: Multicluster, request: str) -> None:
    """Raise `InputError` if the largest jobs do not fit into the idle system.

    Parameters
    ----------
    largest : list of int
        The largest size of each component, or for total and flexible requests the largest sum.
    system : Multicluster
    request : str
        The request type.
    """
    ordered = [(f"cluster {i}", size) for i, size in enumerate(system.sizes)]
    by_size = enumerate(sorted(system.sizes, reverse=True), start=1)
    name = "any cluster" if system.is_equal else "cluster number {} by size"
    places = {
        "ordered": ordered,
        "unordered": [(name.format(i), size) for i, size in by_size],
        "total": [("the largest cluster", system.largest)],
        "flexible": [("the system", system.processors)],
    }[request]
    for size, (where, capacity) in zip(largest, places, strict=False):
        if size > capacity:
            is_sum = request in ("total", "flexible")
            what, kind = (
                ("total sizes reach", "total sizes") if is_sum else ("sizes reach", "sizes")
            )
            raise InputError(
                f"{what} {size} and {where} has {capacity} processors, so such a job never "
                f"starts; give {kind} of at most {capacity}, or a system with more processors"
            )


def _one_for_each_component(sizes, components, system):
    if isinstance(sizes, SizeDistribution):
        count = len(system) if components is None else whole("components", components)
        if count > system.processors:
            raise InputError(
                f"components = {components} is more than all {system.processors} processors; "
                "every component needs at least one processor"
            )
        return [sizes] * count, count
    if isinstance(sizes, JointSizes):
        count = sizes.components
    elif not isinstance(sizes, (list, tuple)) or not sizes:
        raise InputError(
            f"sizes = {sizes!r}; give a SizeDistribution, a list of them, or a JointSizes"
        )
    else:
        for i, part in enumerate(sizes):
            instance_of(f"sizes[{i}]", part, SizeDistribution, "e.g. uniform(1, 16)")
        sizes, count = list(sizes), len(sizes)
    if components is not None and whole("components", components) != count:
        raise InputError(
            f"components = {components}, but sizes has {count} components; leave components out"
        )
    return sizes, count
