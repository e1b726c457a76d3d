"""How far the approximation of the maximal utilization is from the truth.

Equation (5) of Bucur, Epema (2003), for unequal clusters and for first fit too, is compared with
the simulation of heavy traffic, and, on small systems, with the exact solution.
"""

from itertools import product

import pandas as pd

from coalloc_lib.analytic import exact_utilization, maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Equal clusters, and the component sizes and numbers of components that they are given.
EQUAL = {
    (32, 32): (("D(0.9)[1,8]", 1), ("D(0.9)[1,8]", 2), ("U[1,16]", 2)),
    (64, 64): (("U[1,7]", 2), ("U[1,16]", 1)),
    (24, 24, 24): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,7]", 4)),
    (32, 32, 32, 32): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3), ("U[1,16]", 4)),
    (16, 16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3)),
    (8, 8, 8, 8, 8, 8, 8, 8): (("U[1,7]", 2), ("D(0.9)[1,8]", 4)),
}
#: Unequal clusters, in the order in which first fit tries them.
UNEQUAL = {
    (48, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,16]", 2)),
    (40, 24): (("D(0.9)[1,8]", 1), ("U[1,16]", 2)),
    (32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 32): (("D(0.9)[1,8]", 2), ("U[1,16]", 1)),
    (32, 24, 16, 8): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3)),
    (64, 32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 4), ("U[1,16]", 4)),
    (24, 16, 16, 8, 8): (("D(0.9)[1,8]", 3), ("U[1,7]", 2)),
    (16, 16, 8, 8, 8, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 4)),
    (56, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 2)),
    (96, 32): (("U[1,7]", 2), ("U[1,16]", 2)),
    (64, 32, 32): (("D(0.9)[1,8]", 3), ("U[1,16]", 2)),
    (40, 40, 16, 16, 16): (("U[1,7]", 1), ("U[1,16]", 1)),
    (48, 32, 32, 16): (("D(0.9)[1,8]", 4), ("U[1,7]", 3)),
}
#: Small systems that the Markov chain is solved for.
SMALL = ((4, 4), (6, 6), (4, 4, 4), (8, 8), (6, 4), (8, 4))
SMALL_SIZES = ("U[1,2]", "U[1,3]", "U[1,4]", "D(0.8)[1,4]")
#: Seconds that the slowest approximation is given: first fit, four components of U[1,16].
PATIENCE = 600
#: First fit has more states than this study waits for from this number of clusters on.
TOO_MANY = 6


def cases():
    """Return (system, sizes, components, placement) of each comparison."""
    return [
        (Multicluster(clusters), sizes, components, placement)
        for clusters, jobs in (EQUAL | UNEQUAL).items()
        for sizes, components in jobs
        for placement in (WorstFit(), FirstFit())
        if len(clusters) < TOO_MANY or isinstance(placement, WorstFit)
    ]


def simulated_error(jobs=200_000, seed=0, only=None):
    """Return the approximated and the simulated capacity loss of unordered requests.

    Parameters
    ----------
    jobs : int
        Jobs of each simulation of heavy traffic.
    seed : int
        Worst fit and first fit are given the same jobs.
    only : sequence of cases, optional
        Some of those that `cases` returns; all of them where it is not given.

    Returns
    -------
    pandas.DataFrame
        One row a system and placement, with the columns `system`, `sizes`, `components`,
        `placement`, `group`, `approximation`, `simulation`, `ci95_low`, `ci95_high` and `error`,
        the approximation minus the simulation.
    """
    rows = []
    for system, name, components, placement in cases() if only is None else only:
        sizes = parse_sizes(name)
        how = {"placement": placement, "budget_seconds": PATIENCE}
        bound = maximal_utilization(system, sizes, components, "unordered", **how)
        model = JobModel(sizes, components=components)
        scenario = Scenario(system, model, placement=placement)
        interval = saturated_loss(scenario, jobs=jobs, seed=seed)
        rows.append(
            {
                **_names(system, name, components, placement),
                "group": _group(system, placement),
                "approximation": bound.capacity_loss,
                "simulation": interval.estimate,
                "ci95_low": interval.low,
                "ci95_high": interval.high,
                "error": bound.capacity_loss - interval.estimate,
            }
        )
    return pd.DataFrame(rows)


def exact_error(systems=SMALL, sizes=SMALL_SIZES, placements=None):
    """Return the approximated and the exact capacity loss of unordered requests.

    Parameters
    ----------
    systems : sequence of sequences of int
        Small clusters; jobs have one component, or one for each cluster.
    sizes : sequence of str
        Component sizes, as `parse_sizes` takes them.
    placements : sequence of Placement, optional
        Worst fit and first fit where it is not given.

    Returns
    -------
    pandas.DataFrame
        One row a system, size, number of components and placement, with the columns `system`,
        `sizes`, `components`, `placement`, `group`, `approximation`, `exact` and `error`, the
        approximation minus the exact loss. There is no statistical error in it.
    """
    placements = (WorstFit(), FirstFit()) if placements is None else placements
    rows = []
    each = product(systems, sizes, (False, True), placements)
    for clusters, name, single, placement in each:
        system, law = Multicluster(clusters), parse_sizes(name)
        components = 1 if single else len(system)
        bound = maximal_utilization(system, law, components, "unordered", placement=placement)
        exact = exact_utilization(system, law, components, "unordered", placement)
        rows.append(
            {
                **_names(system, name, components, placement),
                "group": _group(system, placement),
                "approximation": bound.capacity_loss,
                "exact": exact.capacity_loss,
                "error": bound.capacity_loss - exact.capacity_loss,
            }
        )
    return pd.DataFrame(rows)


def summary(table):
    """Return the mean and the largest absolute error of each group of a table of errors."""
    errors = table["error"].abs().groupby(table["group"], sort=False)
    return errors.agg(systems="count", mean="mean", largest="max").reset_index()


def _names(system, sizes, components, placement):
    return {
        "system": str(system),
        "sizes": sizes,
        "components": components,
        "placement": type(placement).__name__,
    }


def _group(system, placement):
    rule = "worst fit" if isinstance(placement, WorstFit) else "first fit"
    return f"{rule}, {'equal' if system.is_equal else 'unequal'} clusters"
