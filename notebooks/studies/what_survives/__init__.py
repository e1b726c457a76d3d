"""Which conclusions survive: each asked again under other policies, jobs, loads and systems.

The study is our own. `conclusions` has the sentences, each a comparison of two of the `ways` to run
the same jobs; `model` has the conditions, and `loads` finds what a comparison carries; `runs`
measures a conclusion under a condition; `effects` judges each cell; `survival` counts the cells;
`figures` draws them, and `claims` judges each conclusion at its own setting.
"""

from studies.what_survives import claims, conclusions, figures, model, runs
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.runs import Setting, study

__all__ = ["CONCLUSIONS", "Setting", "claims", "conclusions", "figures", "model", "runs", "study"]
