"""Scheduling policies: which waiting jobs start now. The readable definitions."""

from coalloc_lib.scheduling.backfilling import EASY, Conservative
from coalloc_lib.scheduling.base import Job, Refusal, Scheduling, State
from coalloc_lib.scheduling.booking import Online
from coalloc_lib.scheduling.in_turn import FCFS, FPFS

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
