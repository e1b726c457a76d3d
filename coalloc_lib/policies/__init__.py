"""Scheduling policies, which decide what starts now, as short readable Python.

Compiled translations belong in `engines`, the choice of clusters in `model.placement`. Begin with
`base`, then read `in_turn`.
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
