"""What the paper fixes, and how much is simulated at each scale."""

from functools import cache

from coalloc_lib.distributions import SizeDistribution, parse_sizes
from coalloc_lib.studies.measurements import scales
from coalloc_lib.system import Multicluster

NAME = "maximal-utilization"
TITLE = "The maximal utilization of processor co-allocation in multicluster systems"

#: Of all random numbers, where no other is asked for.
SEED = 2003

FOUR = Multicluster.equal(4, 32)
#: Total requests have one cluster as large as the four together.
ONE_LARGE = Multicluster([128])

#: The five component sizes of Table 5, for Figures 3 to 6.
FIVE = ("U[1,7]", "D(0.9)[1,8]", "D(0.768)[1,32]", "U[1,14]", "D(0.894)[1,32]")
#: The two with the most room for improvement, for Figure 5.
ROOM = FIVE[3:]
#: Waiting jobs that FPFS sees where the queue is held: half-way between the paper's bounds.
HELD = 500
#: Coefficients of variation of the hyperexponential service times.
VARIATIONS = (2, 5, 10)


@cache
def sizes(name: str) -> SizeDistribution:
    """Return a distribution as the paper means it: 1 is not counted as a power of two."""
    return parse_sizes(name)


SCALES = scales(
    jobs=(50_000, 400_000),
    replications=(10, 20),
    cell_jobs=(400_000, 4_000_000),
    response_jobs=(100_000, 1_000_000),
    response_replications=(6, 8),
    bound_arrivals=(20_000, 100_000),
    bound_replications=(6, 10),
)
