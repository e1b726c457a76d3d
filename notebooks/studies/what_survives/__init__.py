"""Study of which conclusions survive under other policies, jobs, loads and systems.

This study is ours, and reproduces no paper. It tests each conclusion under many conditions. A cell
is one conclusion, under one condition, by one metric.

- `conclusions` has the conclusions. Each compares two simulations of the same jobs.
- `ways` has the functions that simulate the jobs, for example with spanning; `model` has the
  conditions.
- `loads` finds the largest load that the system serves in both simulations of a comparison.
- `runs` lists the settings, and measures a conclusion under a condition.
- `effects` judges each cell, `survival` counts the cells, and `figures` draws them.
- `claims` judges each conclusion in its own setting.
"""

from studies.what_survives import claims, conclusions, figures, model, runs
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.runs import Setting, study

__all__ = ["CONCLUSIONS", "Setting", "claims", "conclusions", "figures", "model", "runs", "study"]
