"""Scheduling policies: which waiting jobs start now. The readable definitions."""

from coalloc_lib.policies.backfilling import EASY, Conservative
from coalloc_lib.policies.base import Job, Refusal, Scheduling, State
from coalloc_lib.policies.booking import Online
from coalloc_lib.policies.in_turn import FCFS, FPFS

__all__ = [
    "EASY",
    "FCFS",
    "FPFS",
    "Conservative",
    "Job",
    "Online",
    "Refusal",
    "Scheduling",
    "State",
]
