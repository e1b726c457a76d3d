"""Ernemann and others 2002, advantages of grid computing: Figures 4 to 7, JS-1 to JS-19.

`model` has the paper's machines, ways to run and workloads; `runs` the settings and what is
measured; `figures` and `claims` read the runs.
"""

from studies.job_sharing import claims, figures, model, runs
from studies.job_sharing.model import workloads
from studies.job_sharing.runs import Setting, simulate, study

__all__ = ["Setting", "claims", "figures", "model", "runs", "simulate", "study", "workloads"]
