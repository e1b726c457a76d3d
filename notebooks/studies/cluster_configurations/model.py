"""What the paper has, each with its section: clusters, jobs, placements, loads.

Bucur, Epema: An Evaluation of Processor Co-Allocation for Different System Configurations and Job
Structures (2002). What is our own says so.
"""

from collections.abc import Callable

from coalloc_lib.model.distributions import power_of_two, uniform
from coalloc_lib.model.placement import FirstFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, FPFS, Scheduling
from coalloc_lib.workloads.models import JobModel, Mixture
from studies.cut_offs import Word

# --- Section 2.3: requests ---

UNORDERED, ORDERED, TOTAL = "unordered", "ordered", "total"

# --- Section 2.4: scheduling and placement ---


def _first_fit(system: Multicluster) -> Placement:
    return FirstFit()


def _small_first(system: Multicluster) -> Placement:
    return FirstFit(clusters=tuple(reversed(range(len(system)))))


def _worst_fit(system: Multicluster) -> Placement:
    return WorstFit()


#: First fit takes the clusters in a fixed order: 4.1 from the largest on, 4.2 also in reverse. Of
#: equally idle clusters worst fit takes the first; the paper does not say which.
FIRST_FIT, SMALL_FIRST, WORST_FIT = "first fit", "first fit, small first", "worst fit"
PLACEMENTS: dict[str, Callable[[Multicluster], Placement]] = {
    FIRST_FIT: _first_fit,
    SMALL_FIRST: _small_first,
    WORST_FIT: _worst_fit,
}

#: 'In all the simulations the First Come First Served (FCFS) policy is used.' The other is ours.
IN_ORDER, OVERTAKING = "FCFS", "FPFS(50)"
POLICIES: dict[str, Scheduling] = {IN_ORDER: FCFS(), OVERTAKING: FPFS(50)}

# --- Section 4: systems of 128 processors, largest cluster first ---

#: Of every system. 4.1: utilizations are relative to it, also on the cluster of 64 alone.
PROCESSORS = 128
#: Clusters of one size: 4.1 and, as Figure 4 has them, 4.2.
STANDARD = "4×32"
EQUAL = {
    STANDARD: Multicluster([32] * 4),
    "8×16": Multicluster([16] * 8),
}
#: 4.1: 'only using the largest cluster in the uneven system'.
ALONE = "64 alone"
#: Clusters of several sizes: section 4.1 prints the first. Figures 5 and 7 draw more, and the paper
#: does not say which. Ours double the number of clusters at about one ratio of sizes. The last has
#: few clusters, four of which are not much smaller than equal ones.
PRINTED = "64+32+2×16"
UNEQUAL = {
    PRINTED: Multicluster([64] + [32] + [16] * 2),
    "64+4×16": Multicluster([64] + [16] * 4),
    "2×32+2×16+4×8": Multicluster([32] * 2 + [16] * 2 + [8] * 4),
    "4×16+8×8": Multicluster([16] * 4 + [8] * 8),
    "2×40+3×16": Multicluster([40] * 2 + [16] * 3),
}
SYSTEMS = EQUAL | UNEQUAL | {ALONE: Multicluster([64])}
#: 'Few' clusters and 'many', for jobs of four components.
FEW = [name for name in UNEQUAL if len(UNEQUAL[name]) <= 5]
MANY = [name for name in UNEQUAL if len(UNEQUAL[name]) >= 8]

# --- Sections 4 and 5: the jobs ---

#: The size of a component: D(0.9) on [1, 8]; 1 is not counted as a power of two.
SIZES = power_of_two(0.9, 1, 8)
#: 4.1 has as many components as clusters, 4.2 'unordered requests consisting of 4 components'.
FOUR = JobModel(SIZES, components=4)

#: By their mean number of components, as Figures 9 to 12 name them.
ONE_COMPONENT, TWO_COMPONENTS = "1 component", "2 components"
THREE_COMPONENTS, FOUR_COMPONENTS = "3 components", "4 components"
MOSTLY_ONE, HALF_ONE, MOSTLY_FOUR = "75% 1, 25% 4", "50% 1, 50% 4", "25% 1, 75% 4"
THIRDS = "third of each"
#: Mixtures of jobs of one component and of four, and all.
OF_ONE_AND_FOUR = (MOSTLY_ONE, HALF_ONE, MOSTLY_FOUR)
MIXTURES = (*OF_ONE_AND_FOUR, THIRDS)


def _with_mixtures(pure: dict[str, JobModel]) -> dict[str, JobModel | Mixture]:
    """Return jobs of one kind, and their mixtures."""
    one, two, four = pure[ONE_COMPONENT], pure[TWO_COMPONENTS], pure[FOUR_COMPONENTS]
    return pure | {
        MOSTLY_ONE: Mixture({one: 0.75, four: 0.25}),
        HALF_ONE: Mixture({one: 0.5, four: 0.5}),
        MOSTLY_FOUR: Mixture({one: 0.25, four: 0.75}),
        THIRDS: Mixture({one: 1 / 3, two: 1 / 3, four: 1 / 3}),
    }


#: 5.1: each component from one distribution, so that jobs of fewer components are smaller.
SAME_SIZE = _with_mixtures(
    {
        ONE_COMPONENT: JobModel(SIZES, 1),
        TWO_COMPONENTS: JobModel(SIZES, 2),
        THREE_COMPONENTS: JobModel(SIZES, 3),
        FOUR_COMPONENTS: FOUR,
    }
)
#: 5.2: one total, the sum of four draws; jobs of two components have two sums of two.
SAME_TOTAL = _with_mixtures(
    {
        ONE_COMPONENT: FOUR.with_(merged_into=1),
        TWO_COMPONENTS: FOUR.with_(merged_into=2),
        FOUR_COMPONENTS: FOUR,
    }
)


def of_one_total(jobs: str) -> str:
    """Return what jobs of section 5.2 are called among the runs; of four they are as in 5.1."""
    return jobs if jobs == FOUR_COMPONENTS else f"{jobs}, one total"


JOBS = SAME_SIZE | {of_one_total(name): jobs for name, jobs in SAME_TOTAL.items()}

# --- What is measured, and from where on a difference is one ---

#: Loads at which response times are compared in pairs: low, moderate and high utilization.
LOW, MODERATE, HIGH = 0.3, 0.6, 0.8
COMPARED = (LOW, MODERATE, HIGH)
#: What the paper's words are taken to mean. Differences of maximal utilizations are large from
#: three points on, as in the study of the same authors' paper of 2003, and small below.
LARGE, TINY = 0.03, 0.01
MUCH = Word("much", LARGE, "points", 100)
SIGNIFICANTLY = Word("significantly", LARGE, "points", 100)
VISIBLE = Word("visible", LARGE, "points", 100)
SLIGHTLY = Word("slightly", LARGE, "points", 100)
LITTLE = Word("little", LARGE, "points", 100)
SIMILAR = Word("similar", LARGE, "points", 100)
#: Unequal clusters do well if they carry about as much as equal ones.
GOOD = Word("good", LARGE, "points", 100)
ALMOST_UNCHANGED = Word("almost unchanged", TINY, "points", 100)
#: Of losses, calculated and simulated: those printed side by side differ by up to .002 and .006.
EXTREMELY_WELL = Word("extremely well", 0.005, "points", 100)
VERY_ACCURATE = Word("very accurate", TINY, "points", 100)
#: Of mean response times: relative differences. `LIKE` is also how much slower a line may respond
#: that is called better: a thousandth, which pairs can tell, is no reason to call it worse.
LIKE = 0.05
SIMILAR_TIMES = Word("similar", LIKE, "%", 100)
#: Section 1: all service times longer by a factor. What the rule may be off by: responses are
#: differences of instants some 10^4 times as large.
ALPHAS, EXACT = (1.25, 2.0, 10.0), 1e-6

# --- Section 1: which penalty spanning is worth ---

#: Penalties that are known from elsewhere, by what is written beside them: programs on links a
#: hundred times slower mostly have less (quoted in section 1); up to this one several sites beat
#: one, with backfilling and another log (Ernemann and others).
LEVELS = {"0.4 (Bucur, Epema)": 0.4, "0.25 (Ernemann et al.)": 0.25}
#: Our own: by line, clusters of 32, as many as a job has components, and the sizes of a component.
#: The sum of all, which is the size of the whole job, has at most the processors of a cluster.
SPANNING = {
    "2×32": (2, [uniform(1, most) for most in (4, 8, 12, 14, 16)]),
    "4×32": (4, [uniform(1, most) for most in (2, 4, 6, 8)]),
    "8×32": (8, [uniform(1, most) for most in (2, 3, 4)]),
    "4×32, D(0.9)": (4, [power_of_two(0.9, 1, most) for most in (2, 4, 8)]),
}
