"""The capacity loss of a scenario, by formula where that is exact and else by simulation."""

import numpy as np

from coalloc_lib.basics.seeds import Seed
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.curves import best_method, max_utilization_by_simulation
from coalloc_lib.statistics.inference import Replications
from coalloc_lib.statistics.saturation import replicated_traffic


def capacity_loss(
    scenario: Scenario,
    *,
    jobs: int,
    replications: int,
    seed: Seed = 0,
    method: str | None = None,
    backlog: int | None = None,
) -> Replications:
    """Return the capacity loss: a value of each replication, or the known one of a formula.

    Parameters
    ----------
    jobs, replications, seed, backlog
        Of the simulation in heavy traffic, as in `saturation.replicated_traffic`.
    method : {"exact", "approximation", "simulation"}, optional
        By default `best_method`: the formula where it is exact under its assumptions.
    """
    if (method or best_method(scenario)) != "simulation":
        return Replications(
            np.array(max_utilization_by_simulation(scenario, method=method).capacity_loss)
        )
    busy, warning = replicated_traffic(
        scenario, jobs=jobs, replications=replications, seed=seed, backlog=backlog
    )
    return Replications((1 - busy).mean(axis=1), warning, least=0.0, most=1.0)
