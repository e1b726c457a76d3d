"""Bucur and Epema 2003, the maximal utilization of co-allocation: Tables 1 to 5, MU-1 to MU-16.

`model` has the paper's systems, jobs and policies, and `runs` the settings and the measurement of a
capacity loss. `figures`, `tables` and `claims` read the runs.
"""

from studies.maximal_utilization import claims, figures, model, runs, tables
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
    "figures",
    "model",
    "pathological_loss",
    "runs",
    "study",
    "tables",
]
