"""The studies of the notebooks with a few jobs and runs, in the place of their quick scale."""

from coalloc_lib.studies import (
    cluster_configurations,
    communication_penalty,
    job_sharing,
    maximal_utilization,
)
from coalloc_lib.studies.communication_penalty import change_maps, figures, threshold_figure
from coalloc_lib.studies.measurements import Scale

FEW = Scale(
    jobs=1_000,
    replications=3,
    precision=0.5,
    most_jobs=1_000,
    cell_jobs=2_000,
    response_jobs=100_000,  # a mean response of 1,500 takes nearly as many
    response_replications=2,
    bound_arrivals=1_000,
    bound_replications=2,
    map_jobs=1_500,
    search_runs=3,
)


def shrink():
    """Make ``reproduce("quick")`` of this process small."""
    studies = (maximal_utilization, cluster_configurations, communication_penalty, change_maps)
    for each in studies:
        each.SCALES["quick"] = FEW
    figures.JUMPS_ASKED, threshold_figure.MAX_JUMPS = (5, 20), (0, 20)
    few = job_sharing.SCALES["quick"]
    job_sharing.SCALES["quick"] = type(few)(few.policies, resamples=40)
