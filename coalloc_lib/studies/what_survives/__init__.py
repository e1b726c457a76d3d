"""Which conclusions survive: each asked again under other policies, jobs, loads and systems.

The study is our own. `conclusions` has the sentences, each a comparison of two ways to run the same
jobs; `model` the conditions; `runs` measures a conclusion under a condition; `figures` has the
matrix of both, `claims` judges each conclusion at its own setting and everywhere else.
"""

from coalloc_lib.studies.what_survives import claims, conclusions, figures, model, runs
from coalloc_lib.studies.what_survives.conclusions import CONCLUSIONS
from coalloc_lib.studies.what_survives.runs import Setting, study

__all__ = ["CONCLUSIONS", "Setting", "claims", "conclusions", "figures", "model", "runs", "study"]
