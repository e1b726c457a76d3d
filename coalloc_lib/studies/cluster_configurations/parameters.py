"""What the paper fixes, what it leaves open and how that was chosen, and the sample sizes."""

from coalloc_lib.distributions import power_of_two
from coalloc_lib.studies.measurements import scales
from coalloc_lib.workloads.models import JobModel, Mixture

NAME = "cluster-configurations"
TITLE = "Processor co-allocation for different system configurations and job structures"

#: Of all random numbers, where no other is asked for.
SEED = 2002

#: Component sizes of section 4 and 5; 1 is not counted as a power of two.
SIZES = power_of_two(0.9, 1, 8)
#: Processors of every system. Utilizations are relative to it, also on the cluster of 64 alone.
PROCESSORS = 128

EQUAL = {"4×32": (32,) * 4, "8×16": (16,) * 8}
#: The paper prints one unequal system, the first. Its captions ask for more, of 128 processors in
#: all, with different numbers of clusters. These double the number at about one ratio of sizes,
#: and the fifth is a counterexample: few clusters, but four of them not much smaller than a job's
#: components add up to.
UNEQUAL = {
    "64+32+2×16": (64, 32, 16, 16),
    "64+4×16": (64,) + (16,) * 4,
    "2×32+2×16+4×8": (32,) * 2 + (16,) * 2 + (8,) * 4,
    "4×16+8×8": (16,) * 4 + (8,) * 8,
    "2×40+3×16": (40,) * 2 + (16,) * 3,
}
#: Clusters that are 'few' and 'many' for jobs of four components.
FEW, MANY = 5, 8


def _mixtures(one, two, four):
    """Return the mixtures of jobs of one, two and four components."""
    return {
        "75% 1, 25% 4": Mixture({one: 0.75, four: 0.25}),
        "50% 1, 50% 4": Mixture({one: 0.5, four: 0.5}),
        "25% 1, 75% 4": Mixture({one: 0.25, four: 0.75}),
        "third of each": Mixture({one: 1 / 3, two: 1 / 3, four: 1 / 3}),
    }


FOUR = JobModel(SIZES, 4)
ONE, TWO = (FOUR.with_(merged_into=parts) for parts in (1, 2))
#: Section 5.1: components from one distribution; section 5.2: the same total, job for job.
SAME_SIZE = {str(k): JobModel(SIZES, k) for k in (1, 2, 3, 4)} | _mixtures(
    *(JobModel(SIZES, k) for k in (1, 2, 4))
)
SAME_TOTAL = {"1": ONE, "2": TWO, "4": FOUR} | _mixtures(ONE, TWO, FOUR)

#: Loads at which systems are compared in pairs.
COMPARED = (0.3, 0.6, 0.7, 0.8)

SCALES = scales(
    jobs=(20_000, 200_000),
    replications=(10, 20),
    precision=(0.1, 0.03),
    most_jobs=(40_000, 1_000_000),
    cell_jobs=(400_000, 4_000_000),
    response_jobs=(100_000, 400_000),
    response_replications=(6, 8),
    map_jobs=(10_000, 100_000),
)
