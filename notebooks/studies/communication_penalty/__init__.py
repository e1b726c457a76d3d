"""Reproduce the paper of Ngubiri and van Vliet (2008) on co-allocation with communication.

The study has Figures 1 to 6 of the paper and judges its claims CP-2 to CP-21. The modules are:

- `model`: the system, the jobs and the printed numbers of the paper;
- `responses` and `thresholds`: measurements of one scenario, and comparisons of two;
- `runs`: the settings that are simulated, and what is measured in each;
- `figures`, `jumps` and `maps`: the tables and figures, made from the runs;
- `claims` and `claims_thresholds`: the verdicts on the claims, computed from the runs;
- `explorer` and `lesson`: an interactive picture, exercises and a leaderboard for the notebook.
"""

from studies.communication_penalty import (
    claims,
    claims_thresholds,
    figures,
    jumps,
    maps,
    model,
    responses,
    runs,
)
from studies.communication_penalty.model import SYSTEM, WHOLE, scenario
from studies.communication_penalty.runs import Search, Setting, study

__all__ = [
    "SYSTEM",
    "WHOLE",
    "Search",
    "Setting",
    "claims",
    "claims_thresholds",
    "figures",
    "jumps",
    "maps",
    "model",
    "responses",
    "runs",
    "scenario",
    "study",
]
