"""The checks of arguments that the formulas and the Markov chain share."""

from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.checks import InputError, instance_of, one_of, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.placement import Placement, WorstFit
from coalloc_lib.system import Multicluster

#: What users give for the sizes of components, and what the formulas take.
Sizes = SizeDistribution | list[SizeDistribution] | tuple[SizeDistribution, ...] | JointSizes
Checked = list[SizeDistribution] | JointSizes


def checked(
    system: Multicluster,
    sizes: Sizes,
    components: int | None,
    request: str,
    placement: Placement | None,
) -> tuple[Checked, int, Placement]:
    """Return the component sizes, their number, and the placement, all checked.

    Returns
    -------
    sizes : JointSizes or list of SizeDistribution
        A list has one distribution a component.
    components : int
    placement : Placement
    """
    instance_of("system", system, Multicluster, "one, e.g. Multicluster([32, 32])")
    if one_of("request", request, REQUESTS) == "ordered" and placement is not None:
        raise InputError(
            f"placement = {placement} is given for ordered requests, which name their clusters "
            "themselves; leave it out"
        )
    placement = WorstFit() if placement is None else placement
    instance_of("placement", placement, Placement, "a placement, for example WorstFit()")
    placement.check(system)
    checked_sizes, components = _checked_sizes(sizes, components, system)
    if request in ("ordered", "unordered") and components > len(system):
        raise InputError(
            f"components = {components} is more than the {len(system)} clusters; "
            f"{request} components need a cluster each"
        )
    return checked_sizes, components, placement


def check_fits(widest: list[int], system: Multicluster, request: str) -> None:
    """Raise `InputError` where the largest jobs can never start.

    Parameters
    ----------
    widest : list of int
        The largest size of each component, non-increasing for unordered ones; the largest
        number of processors of a job for flexible and total requests.
    """
    if request == "ordered":
        places = [(f"cluster {i}", size) for i, size in enumerate(system.sizes)]
    elif request == "unordered":
        by_size = enumerate(sorted(system.sizes, reverse=True), start=1)
        alike = system.is_equal
        places = [
            ("any cluster" if alike else f"cluster number {i} by size", n) for i, n in by_size
        ]
    elif request == "total":
        places = [("the largest cluster", system.largest)]
    else:
        places = [("the system", system.processors)]
    for size, (where, capacity) in zip(widest, places, strict=False):
        if size > capacity:
            raise InputError(
                f"sizes reach {size} and {where} has {capacity} processors, so such a job never "
                f"starts; give sizes of at most {capacity} or more processors"
            )


def _checked_sizes(sizes, components, system):
    if isinstance(sizes, SizeDistribution):
        count = len(system) if components is None else whole("components", components)
        if count > system.processors:
            raise InputError(
                f"components = {components} is more than all {system.processors} processors; "
                "every component needs one"
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
        raise InputError(f"components = {components} but sizes has {count}; leave components out")
    return sizes, count
