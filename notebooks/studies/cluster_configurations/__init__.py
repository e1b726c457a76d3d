"""Bucur and Epema 2002, system configurations and job structures: CC-1 to CC-14; break-even.

`model` has the paper's clusters, jobs and placements; `runs` the settings and what is measured;
`curves`, `figures` and `claims` read the runs.
"""

from studies.cluster_configurations import claims, figures, model, runs
from studies.cluster_configurations.model import FOUR, PROCESSORS, SYSTEMS
from studies.cluster_configurations.runs import BreakEven, Setting, study

__all__ = [
    "FOUR",
    "PROCESSORS",
    "SYSTEMS",
    "BreakEven",
    "Setting",
    "claims",
    "figures",
    "model",
    "runs",
    "study",
]
