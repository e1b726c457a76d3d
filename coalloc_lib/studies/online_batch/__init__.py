"""Resource co-allocation for large-scale distributed environments.

Castillo, Rouskas and Harfoush (2009): Figures 1 to 7, Tables 1 and 2, the claims OB-1 to OB-14.
Beside the waits that logs recorded stand those of our own FCFS, EASY and conservative schedules of
the same jobs on the same servers, which is the fair comparison.
"""

from coalloc_lib.studies.online_batch.claims import study
from coalloc_lib.studies.online_batch.runs import Case, logs, standard

__all__ = ["Case", "logs", "standard", "study"]
