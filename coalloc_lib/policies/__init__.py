"""Scheduling policies, which decide when each job starts, in readable Python.

Begin with `base`, which has the interface of a policy, and then read `fcfs`, which has the simplest
policies. The choice of clusters is not part of a policy: see `coalloc_lib.model.placement`.
Compiled versions of these policies are in `coalloc_lib.engines`.
"""

from coalloc_lib.policies.backfilling import EASY, Conservative
from coalloc_lib.policies.base import Job, Refusal, Scheduling, State
from coalloc_lib.policies.booking import Online
from coalloc_lib.policies.fcfs import FCFS, FPFS
from coalloc_lib.policies.profile import Profile

__all__ = [
    "EASY",
    "FCFS",
    "FPFS",
    "Conservative",
    "Job",
    "Online",
    "Profile",
    "Refusal",
    "Scheduling",
    "State",
]
