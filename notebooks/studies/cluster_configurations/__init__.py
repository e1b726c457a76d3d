"""Reproduce the paper of Bucur and Epema (2002) on system configurations and job structures.

The study judges the claims CC-1 to CC-23 of the paper. It also computes the penalty at which jobs
that span clusters and jobs that use one cluster carry the same load. The modules are:

- `model`: the clusters, jobs and placements of the paper;
- `divisions`: divisions of 128 processors into clusters, on which general claims are judged;
- `runs`: the settings that are simulated, and what is measured in each;
- `curves`, `figures` and `division_figures`: the tables and figures, made from the runs;
- `claims` and `claims_divisions`: the verdicts on the claims, computed from the runs;
- `lesson`: the figures, exercises and leaderboard of the notebook.
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
