"""Castillo, Rouskas and Harfoush 2009, co-allocation online: Figures 1 to 7, OB-1 to OB-14.

Beside recorded waits stand those of our own schedules of the same jobs: the fair comparison.
`model` has the paper's logs, schedulers and printed numbers; `runs` the settings and what is
measured; `figures`, `further` and `claims` read the runs.
"""

from coalloc_lib.studies.online_batch import claims, figures, further, model, runs
from coalloc_lib.studies.online_batch.model import logs
from coalloc_lib.studies.online_batch.runs import Setting, simulate, study

__all__ = ["Setting", "claims", "figures", "further", "logs", "model", "runs", "simulate", "study"]
