"""The maximal utilization and the capacity loss of a scenario, by formula or by simulation."""

import numpy as np

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.estimates import METHODS, MaxUtilization
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.distributions import Exponential
from coalloc_lib.model.placement import may_stay_whole
from coalloc_lib.policies import FCFS
from coalloc_lib.simulation.scenario import Scenario, check_scenario
from coalloc_lib.statistics import saturation
from coalloc_lib.statistics.inference import Replications
from coalloc_lib.workloads.models import JobModel


def max_utilization_by_simulation(
    scenario: Scenario, *, method: str | None = None, jobs: int = 200_000, seed: Seed = 0
) -> MaxUtilization:
    """Return the maximal utilization by an exact formula if there is one, else by simulation.

    The simulation is that of `saturation.saturated_loss`.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    method : {"exact", "approximation", "simulation"}, optional
        The method, by default that of `best_method`: an exact formula if there is one, otherwise
        simulation in heavy traffic.
    jobs : int
        The number of simulated jobs.
    seed : int or SeedSequence
        The seed of the simulation.

    Raises
    ------
    InputError
        If the scenario has no formula of the given kind.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([2]), co.JobModel(co.uniform(1, 2), request="total"))
    >>> print(co.max_utilization_by_simulation(scenario))
    0.8571, exact
    """
    check_scenario("scenario", scenario)
    method = best_method(scenario) if method is None else method
    if one_of("method", method, METHODS) == "simulation":
        loss = saturation.saturated_loss(scenario, jobs=jobs, seed=seed)
        return MaxUtilization(loss.complement(), method)
    formula = _formula(scenario)
    if method != formula:
        has = {"exact": "is exact", None: "does not exist"}.get(formula, f"is an {formula}")
        raise InputError(
            f"method = {method!r}, but for this scenario the formula {has}; use simulation"
        )
    system, model = scenario.system, scenario.workload
    assert isinstance(model, JobModel)  # `_formula` finds no formula for other workloads
    placement = None if len(system) == 1 else scenario.placement
    question = system, model.sizes, model.components, model.request
    return maximal_utilization(*question, placement=placement)


def capacity_loss(
    scenario: Scenario,
    *,
    jobs: int,
    replications: int,
    seed: Seed = 0,
    method: str | None = None,
    backlog: int | None = None,
) -> Replications:
    """Return the capacity loss of a scenario, by simulation if it has no exact formula.

    Parameters
    ----------
    scenario : Scenario
        The system, its workload and its policies.
    jobs, replications, seed, backlog
        The options of the simulation in heavy traffic, as in `saturation.replicated_traffic`.
    method : {"exact", "approximation", "simulation"}, optional
        The method, by default that of `best_method`.

    Returns
    -------
    Replications
        The fraction of processors that are idle in heavy traffic: one value for each run, or a
        single value without a dimension if it is known from a formula.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> scenario = co.Scenario(co.Multicluster([2]), co.JobModel(co.uniform(1, 2), request="total"))
    >>> round(capacity_loss(scenario, jobs=1000, replications=2).mean, 4)
    0.1429
    """
    check_scenario("scenario", scenario)
    if (method or best_method(scenario)) != "simulation":
        return Replications(
            np.array(max_utilization_by_simulation(scenario, method=method).capacity_loss)
        )
    busy, warning = saturation.replicated_traffic(
        scenario, jobs=jobs, replications=replications, seed=seed, backlog=backlog
    )
    return Replications((1 - busy).mean(axis=1), warning, least=0.0, most=1.0)


def best_method(scenario: Scenario) -> str:
    """Return ``"exact"`` if an exact formula gives the maximal utilization, else ``"simulation"``.

    The formula is exact under its assumptions: FCFS, independent component sizes and exponential
    service times.
    """
    check_scenario("scenario", scenario)
    return "exact" if _formula(scenario) == "exact" else "simulation"


def _formula(scenario):
    # The formulas assume FCFS, independent component sizes, exponential service times, and that
    # every job is split into its components.
    model, system = scenario.workload, scenario.system
    if type(scenario.scheduling) is not FCFS or type(model) is not JobModel:
        return None
    simplest = JobModel(model.sizes, model.components, model.request, model.service)
    may_be_whole = may_stay_whole(scenario.placement, model.request)
    if may_be_whole or model != simplest or type(model.service) is not Exponential:
        return None
    is_exact = len(system) == 1 or model.request in ("ordered", "flexible")
    return "exact" if is_exact else "approximation"
