"""Ngubiri and van Vliet 2008, communication considerations: Figures 1 to 6, CP-2 to CP-21.

`model` has the paper's system and jobs; `responses` and `thresholds` measure a scenario and compare
two; `runs` has the settings; `figures`, `jumps`, `maps` and `claims` read the runs.
"""

from studies.communication_penalty import (
    claims,
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
    "figures",
    "jumps",
    "maps",
    "model",
    "responses",
    "runs",
    "scenario",
    "study",
]
