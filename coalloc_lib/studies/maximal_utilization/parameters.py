"""What the paper fixes, and how much is simulated at each scale."""

from dataclasses import dataclass
from functools import cache

from coalloc_lib.distributions import parse_sizes
from coalloc_lib.studies.loss_tables import TableScale
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
def sizes(name):
    """Return a distribution as the paper means it: 1 is not counted as a power of two."""
    return parse_sizes(name)


@dataclass(frozen=True)
class Scale:
    """How much is simulated.

    Attributes
    ----------
    tables : TableScale
        For the simulated cells of the tables.
    jobs, replications : int
        Jobs and runs of each scenario of the figures.
    bound_arrivals, bound_replications : int
        Arrivals and runs of the paper's own method for FPFS.
    """

    tables: TableScale
    jobs: int
    replications: int
    bound_arrivals: int
    bound_replications: int


SCALES = {
    "quick": Scale(TableScale(400_000, 100_000, 6), 50_000, 10, 20_000, 6),
    "paper": Scale(TableScale(4_000_000, 1_000_000, 8), 400_000, 20, 100_000, 10),
}
