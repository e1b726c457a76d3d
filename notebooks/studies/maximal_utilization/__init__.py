"""Bucur and Epema 2003, the maximal utilization of co-allocation: Tables 3 and 4, MU-1 to MU-20.

`model` has the paper's systems, jobs and policies, and `runs` the settings and the measurement of a
capacity loss. `further` has the settings that go beyond the paper's figures. `figures`,
`further_figures`, `tables`, `claims` and `claims_further` read the runs.
"""

from studies.maximal_utilization import (
    claims,
    claims_further,
    figures,
    further,
    further_figures,
    model,
    runs,
    tables,
)
from studies.maximal_utilization.model import DEPENDENT, FOUR
from studies.maximal_utilization.runs import (
    Setting,
    by_drawing,
    by_placement,
    by_policy,
    by_request,
    by_service,
    pathological_loss,
    study,
)

__all__ = [
    "DEPENDENT",
    "FOUR",
    "Setting",
    "by_drawing",
    "by_placement",
    "by_policy",
    "by_request",
    "by_service",
    "claims",
    "claims_further",
    "figures",
    "further",
    "further_figures",
    "model",
    "pathological_loss",
    "runs",
    "study",
    "tables",
]
