"""Bucur and Epema 2002, system configurations and job structures: CC-1 to CC-23; break-even.

`model` has the paper's clusters, jobs and placements, `divisions` the sets of divisions, and `runs`
the settings and what is measured. `curves`, `figures`, `division_figures`, `claims` and
`claims_divisions` read the runs.
"""

from studies.cluster_configurations import (
    claims,
    claims_divisions,
    division_figures,
    divisions,
    figures,
    model,
    runs,
)
from studies.cluster_configurations.model import FOUR, PROCESSORS, SYSTEMS
from studies.cluster_configurations.runs import BreakEven, Setting, study

__all__ = [
    "FOUR",
    "PROCESSORS",
    "SYSTEMS",
    "BreakEven",
    "Setting",
    "claims",
    "claims_divisions",
    "division_figures",
    "divisions",
    "figures",
    "model",
    "runs",
    "study",
]
