"""How far the approximation of the maximal utilization is from the truth.

Equation (5) of Bucur, Epema (2003), for unequal clusters and for first fit too, is compared with
the simulation of heavy traffic, and, on small systems, with the exact solution.
"""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from coalloc_lib.analytic import exact_utilization, maximal_utilization
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.placement import Placement, WorstFit
from coalloc_lib.saturation import saturated_loss
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Seconds that the slowest approximation is given: first fit, four components of U[1,16].
PATIENCE = 600


def simulated_error(
    cases: Sequence[tuple[Multicluster, str, int, Placement]], jobs: int = 200_000, seed: Seed = 0
) -> pd.DataFrame:
    """Return the approximated and the simulated capacity loss of unordered requests.

    Parameters
    ----------
    cases : sequence of (system, sizes, components, placement)
        The sizes as `parse_sizes` takes them.
    jobs : int
        Jobs of each simulation of heavy traffic.
    seed : int
        All cases are given the same one.

    Returns
    -------
    pandas.DataFrame
        One row a case, with the columns `system`, `sizes`, `components`, `placement`, `group`,
        `approximation`, `simulation`, `ci95_low`, `ci95_high` and `error`, the approximation
        minus the simulation.
    """
    rows = []
    for system, name, components, placement in cases:
        model = JobModel(parse_sizes(name), components=components)
        scenario = Scenario(system, model, placement=placement)
        found = saturated_loss(scenario, jobs=jobs, seed=seed)
        truth = {"simulation": found.estimate, "ci95_low": found.low, "ci95_high": found.high}
        rows.append(_row((system, name, components, placement), truth))
    return pd.DataFrame(rows)


def exact_error(
    systems: Sequence[Sequence[int]], sizes: Sequence[str], placements: Sequence[Placement]
) -> pd.DataFrame:
    """Return the approximated and the exact capacity loss of unordered requests.

    Parameters
    ----------
    systems : sequence of sequences of int
        Small clusters; jobs have one component, or one for each cluster.
    sizes : sequence of str
        Component sizes, as `parse_sizes` takes them.
    placements : sequence of Placement

    Returns
    -------
    pandas.DataFrame
        One row a system, size, number of components and placement, with the columns of
        `simulated_error`, but `exact` for `simulation`, and no interval: there is no statistical
        error in it.
    """
    rows = []
    for clusters, name, single, placement in product(systems, sizes, (False, True), placements):
        system = Multicluster(clusters)
        components = 1 if single else len(system)
        exact = exact_utilization(system, parse_sizes(name), components, "unordered", placement)
        truth = {"exact": exact.capacity_loss}
        rows.append(_row((system, name, components, placement), truth))
    return pd.DataFrame(rows)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean and the largest absolute error of each group of a table of errors."""
    errors = table["error"].abs().groupby(table["group"], sort=False)
    return errors.agg(systems="count", mean="mean", largest="max").reset_index()


def _row(case, truth):
    system, sizes, components, placement = case
    how = {"placement": placement, "budget_seconds": PATIENCE}
    bound = maximal_utilization(system, parse_sizes(sizes), components, "unordered", **how)
    rule = "worst fit" if isinstance(placement, WorstFit) else "first fit"
    return {
        "system": str(system),
        "sizes": sizes,
        "components": components,
        "placement": type(placement).__name__,
        "group": f"{rule}, {'equal' if system.is_equal else 'unequal'} clusters",
        "approximation": bound.capacity_loss,
        **truth,
        "error": bound.capacity_loss - next(iter(truth.values())),
    }
