"""Castillo, Rouskas and Harfoush 2009, co-allocation online: Figures 1 to 7, OB-1 to OB-23.

Beside recorded waits stand those of our own schedules of the same jobs: the fair comparison.
`model` has the paper's logs, schedulers and printed numbers, and how they may be read; `settings`
what is run, `runs` what is measured; the others read the runs: `figures` (to Figure 5), `reserved`
(Figures 6 and 7, section 4.3), `busy` (utilization), `readings` (printed numbers), `further` (our
own), and the claims.
"""

from studies.online_batch import (
    busy,
    claims,
    claims_ahead,
    figures,
    further,
    model,
    readings,
    reserved,
    runs,
)
from studies.online_batch.model import logs
from studies.online_batch.runs import simulate, study
from studies.online_batch.settings import Setting

__all__ = [
    "Setting",
    "busy",
    "claims",
    "claims_ahead",
    "figures",
    "further",
    "logs",
    "model",
    "readings",
    "reserved",
    "runs",
    "simulate",
    "study",
]
