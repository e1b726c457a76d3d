"""The study of Bucur and Epema (2003), on the maximal utilization of co-allocation.

It reproduces the paper's Tables 3 and 4 and its figures, and tests the claims MU-1 to MU-21.

- `model` has the paper's systems, jobs and policies.
- `runs` has the settings of the paper's figures, and measures their capacity loss.
- `further` has settings that some claims need in addition.
- `figures`, `further_figures`, `tables` and the modules of `claims` read the runs.
- `filling` and `lesson` are used by the notebook only.
"""

from studies.maximal_utilization import (
    claims,
    claims_further,
    claims_systems,
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
    "claims_systems",
    "figures",
    "further",
    "further_figures",
    "model",
    "pathological_loss",
    "runs",
    "study",
    "tables",
]
