"""Study of Castillo, Rouskas and Harfoush (2009) on co-allocation: Figures 1 to 7, OB-1 to OB-25.

The paper compares online scheduling with the waits that the logs recorded. The study also compares
it with our own batch schedules of the same jobs, which is the fair comparison.

- `model` has the paper's logs, schedulers and printed numbers, and the ways to read the paper.
- `settings` lists what is run. `schedules` measures schedules and recorded waits, and `runs` has
  all other measurements and the study itself.
- `trees` books requests on the paper's trees; `tree_search` draws this search step by step.
- `figures` has Table 1 and Figures 1 to 5; `reserved` has Figures 6 and 7 and section 4.3.
- `busy` has the utilization, `readings` the printed numbers, and `further` figures of our own.
- `claims` and `claims_ahead` judge the claims of the paper.
- `lesson` serves the notebook on online and batch scheduling.
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
    schedules,
)
from studies.online_batch.model import logs
from studies.online_batch.runs import study
from studies.online_batch.schedules import simulate
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
    "schedules",
    "simulate",
    "study",
]
