"""Castillo, Rouskas and Harfoush 2009, co-allocation online: Figures 1 to 7, OB-1 to OB-14.

Beside recorded waits stand those of our own schedules of the same jobs: the fair comparison.
"""

from coalloc_lib.studies.online_batch.claims import study
from coalloc_lib.studies.online_batch.runs import Case, logs, standard

__all__ = ["Case", "logs", "standard", "study"]
