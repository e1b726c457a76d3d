"""Unordered requests: which convolution is made for which placement."""

from functools import partial

import numpy as np

from coalloc_lib.analytic.arguments import check_each_fits
from coalloc_lib.analytic.effort import cheapest
from coalloc_lib.analytic.factorised import factorised_effort, factorised_fits
from coalloc_lib.analytic.in_place import nested_effort, nested_fits, table_effort, table_fits
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.worst_fit import worst_fit_effort, worst_fit_fits
from coalloc_lib.checks import InputError
from coalloc_lib.placement import BestFit, FirstFit, WorstFit


def unordered_case(system, sizes, components, placement, budget):
    """Return F^(i) for i = 1, 2, ..., the smallest and the mean number of processors of a job.

    Parameters
    ----------
    system : Multicluster
    sizes : JointSizes or list of SizeDistribution
        A list has one distribution a component.
    components : int
    placement : WorstFit, FirstFit or BestFit
    budget : (float, float)
        Seconds and bytes.

    Notes
    -----
    F^(i) is the probability that i random jobs, placed one after the other, fit on the idle
    system.
    """
    if isinstance(sizes, JointSizes):
        table = sizes.unordered()
        check_each_fits(table.vectors, system)
        fits = _of_table(table, system, placement, budget)
        return fits, table.total().minimum, table.mean
    widest = sorted((part.maximum for part in sizes), reverse=True)
    check_each_fits(np.array([widest]), system)
    if any(part is not sizes[0] for part in sizes):
        return unordered_case(system, JointSizes.product(sizes), components, placement, budget)
    fits = _of_independent(sizes[0], components, system, placement, budget)
    return fits, components * sizes[0].minimum, components * sizes[0].mean


def _of_table(table, system, placement, budget):
    if _balances(system, placement):
        case = _worst_fit_case(system)
        worst_fit_effort(table, table.components, *case).check(*budget)
        return worst_fit_fits(table, *case)
    clusters = _in_order(system, placement)
    table_effort(table, table.components, clusters).check(*budget)
    return table_fits(table, clusters, isinstance(placement, BestFit))


def _of_independent(part, components, system, placement, budget):
    if _balances(system, placement):
        case = _worst_fit_case(system)
        efforts = worst_fit_effort, factorised_effort
        by_table, nested = worst_fit_fits, partial(factorised_fits, part, components)
    else:
        case = (_in_order(system, placement),)
        efforts = table_effort, nested_effort
        best = isinstance(placement, BestFit)
        by_table = partial(table_fits, best=best)
        nested = partial(nested_fits, part, components, best=best)
    ways = zip((effort(part, components, *case) for effort in efforts), (True, False), strict=True)
    if cheapest(ways, budget):
        return by_table(JointSizes.independent(part, components), *case)
    return nested(*case)


def _balances(system, placement):
    """Whether worst fit's convolution serves: every placement is the same on one cluster."""
    if type(placement) not in (WorstFit, FirstFit, BestFit):
        raise InputError(
            f"placement = {placement!r} has no formula; give WorstFit(), FirstFit() or BestFit(), "
            "or simulate instead"
        )
    return len(system) == 1 or isinstance(placement, WorstFit)


def _worst_fit_case(system):
    """Return the number of clusters, the largest size, and what is used from the start."""
    if system.is_equal:
        return len(system), system.largest
    return len(system), system.largest, system.largest - np.sort(system.as_array())


def _in_order(system, placement):
    """Return the cluster sizes in the order in which the placement tries them."""
    order = placement.clusters if isinstance(placement, FirstFit) else None
    return system.as_array()[list(range(len(system)) if order is None else order)]
