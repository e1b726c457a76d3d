"""The capacity loss of a scenario, by formula where that is exact and else by simulation."""

import numpy as np

from coalloc_lib.basics.seeds import Seed
from coalloc_lib.experiments.curves import best_method, find_maximum
from coalloc_lib.experiments.saturation import replicated_traffic
from coalloc_lib.intervals import Sample
from coalloc_lib.simulation.scenario import Scenario


def capacity_loss(
    scenario: Scenario,
    *,
    jobs: int,
    replications: int,
    seed: Seed = 0,
    method: str | None = None,
    backlog: int | None = None,
) -> Sample:
    """Return the capacity loss: a value of each replication, or the known one of a formula.

    Parameters
    ----------
    jobs, replications, seed, backlog
        Of the simulation in heavy traffic, as in `saturation.replicated_traffic`.
    method : {"exact", "approximation", "simulation"}, optional
        By default `best_method`: the formula where it is exact under its assumptions.
    """
    if (method or best_method(scenario)) != "simulation":
        return Sample(np.array(find_maximum(scenario, method=method).capacity_loss))
    busy, warning = replicated_traffic(
        scenario, jobs=jobs, replications=replications, seed=seed, backlog=backlog
    )
    return Sample((1 - busy).mean(axis=1), warning, least=0.0, most=1.0)
