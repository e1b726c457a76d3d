"""Ernemann and others 2002, advantages of grid computing: Figures 4 to 7, JS-1 to JS-12."""

from coalloc_lib.studies.job_sharing import claims
from coalloc_lib.studies.job_sharing.cases import Case, over, workload_sets
from coalloc_lib.studies.job_sharing.figures import LOOK, study

__all__ = ["LOOK", "Case", "claims", "over", "study", "workload_sets"]
