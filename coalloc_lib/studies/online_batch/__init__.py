"""Resource co-allocation for large-scale distributed environments.

Castillo, Rouskas and Harfoush (2009) book each job when it is submitted, on trees of idle periods,
and compare the waits with those that logs of batch systems recorded: Figures 1 to 7, Tables 1 and
2, the claims OB-1 to OB-11. Beside the recorded waits stand those of our own FCFS, EASY and
conservative schedules of the same jobs on the same servers, which is the fair comparison.

`runs` has the logs, the cases and what is kept of each; `figures` and `claims` read that.
"""

from coalloc_lib.studies.online_batch.claims import study
from coalloc_lib.studies.online_batch.runs import Case, book_or_queue, logs, standard

__all__ = ["Case", "book_or_queue", "logs", "standard", "study"]
