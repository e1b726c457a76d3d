"""Study of Ernemann and others (2002) on grid computing: Figures 4 to 7, claims JS-1 to JS-19.

- `model` has the paper's machines, workloads and ways of running jobs.
- `runs` lists the settings and measures each of them.
- `figures`, `claims` and `claims_workloads` make the figures and the verdicts from the table of
  runs.
- `lesson` and `explorer` serve the notebook on job sharing.
"""

from studies.job_sharing import claims, claims_workloads, figures, model, runs
from studies.job_sharing.model import workloads
from studies.job_sharing.runs import Setting, simulate, study

__all__ = [
    "Setting", "claims", "claims_workloads", "figures", "model", "runs", "simulate", "study",
    "workloads",
]  # fmt: skip
