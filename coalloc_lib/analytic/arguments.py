"""The checks of arguments that the formulas and the Markov chain share."""

from coalloc_lib.analytic.joint import JointSizes, size_distribution
from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.placement import Placement, WorstFit
from coalloc_lib.system import Multicluster


def checked(system, sizes, components, request, placement):
    """Return the component sizes, their number, and the placement, all checked.

    Returns
    -------
    sizes : JointSizes or list of SizeDistribution
        A list has one distribution a component.
    components : int
    placement : Placement
    """
    if not isinstance(system, Multicluster):
        raise InputError(f"system = {system!r}; give a Multicluster, e.g. Multicluster([32, 32])")
    if one_of("request", request, REQUESTS) == "ordered" and placement is not None:
        raise InputError(
            f"placement = {placement} is given for ordered requests, which name their clusters "
            "themselves; leave it out"
        )
    placement = WorstFit() if placement is None else placement
    if not isinstance(placement, Placement):
        raise InputError(f"placement = {placement!r}; give a placement, for example WorstFit()")
    placement.check(system)
    sizes, components = _checked_sizes(sizes, components, system)
    if request in ("ordered", "unordered") and components > len(system):
        raise InputError(
            f"components = {components} is more than the {len(system)} clusters; "
            f"{request} components need a cluster each"
        )
    return sizes, components, placement


def check_fits(size, capacity, where):
    """Raise `InputError` where a component or job of `size` can never start."""
    if size > capacity:
        raise InputError(
            f"sizes reach {size} and {where} has {capacity} processors, so such a job never "
            f"starts; give sizes of at most {capacity} or more processors"
        )


def check_each_fits(rows, system):
    """Raise `InputError` where not every row of components fits on distinct idle clusters.

    Parameters
    ----------
    rows : ndarray of int, shape (m, k)
        Non-increasing.
    system : Multicluster
    """
    for column, size in enumerate(rows.max(axis=0)):
        where = f"cluster number {column + 1} by size"
        capacity = sorted(system.sizes, reverse=True)[column]
        check_fits(int(size), capacity, "any cluster" if system.is_equal else where)


def _checked_sizes(sizes, components, system):
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
