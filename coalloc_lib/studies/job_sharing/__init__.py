"""On advantages of grid computing for parallel job scheduling (Ernemann and others, 2002).

Figures 4 to 7 and the claims JS-1 to JS-12; further, who gains by joining, when a job should span,
at which load, and penalties at break-even by policy.
"""

from coalloc_lib.studies.job_sharing import claims
from coalloc_lib.studies.job_sharing.cases import Case, over, workload_sets
from coalloc_lib.studies.job_sharing.figures import LOOK, study

__all__ = ["LOOK", "Case", "claims", "over", "study", "workload_sets"]
