"""Bucur and Epema 2003, the maximal utilization of co-allocation: Tables 3 to 5, MU-1 to MU-12.

`model` has the paper's systems, jobs and policies; `runs` the settings and how a capacity loss is
found; `figures` and `claims` read the runs.
"""

from coalloc_lib.studies.maximal_utilization import claims, figures, model, runs
from coalloc_lib.studies.maximal_utilization.model import DEPENDENT, FOUR
from coalloc_lib.studies.maximal_utilization.runs import (
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
]
