"""The clusters, jobs, placements and loads of the paper, and the meanings given to its words.

The paper is "An Evaluation of Processor Co-Allocation for Different System Configurations and Job
Structures" by Bucur and Epema (2002). Comments name the section of the paper that a value comes
from. A comment says so if a value is not from the paper.
"""

from collections.abc import Callable

from coalloc_lib.model.distributions import power_of_two, uniform
from coalloc_lib.model.placement import FirstFit, Placement
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, FPFS, Scheduling
from coalloc_lib.workloads.models import JobModel, Mixture
from studies.cut_offs import Word
from studies.inputs import first_fit, worst_fit
from studies.printed_losses import ACCURATE

# --- Section 2.3: requests ---

UNORDERED, ORDERED, TOTAL = "unordered", "ordered", "total"

# --- Section 2.4: scheduling and placement ---


def _small_first(system: Multicluster) -> Placement:
    return FirstFit(clusters=tuple(reversed(range(len(system)))))


#: First fit tries the clusters in a fixed order. Section 4.1 tries the largest cluster first;
#: section 4.2 also tries the smallest first. If several clusters have the most idle processors, our
#: worst fit takes the first of them, because the paper does not say which one to take.
FIRST_FIT, SMALL_FIRST, WORST_FIT = "first fit", "first fit, small first", "worst fit"
PLACEMENTS: dict[str, Callable[[Multicluster], Placement]] = {
    FIRST_FIT: first_fit,
    SMALL_FIRST: _small_first,
    WORST_FIT: worst_fit,
}

#: The paper says: 'In all the simulations the First Come First Served (FCFS) policy is used.' We
#: added FPFS, under which up to 50 jobs may overtake a waiting job.
IN_ORDER, OVERTAKING = "FCFS", "FPFS(50)"
POLICIES: dict[str, Scheduling] = {IN_ORDER: FCFS(), OVERTAKING: FPFS(50)}

# --- Section 4: systems of 128 processors, largest cluster first ---

#: Every system has this number of processors, except the single cluster of 64. Section 4.1 gives
#: all utilizations as fractions of this number, even for the single cluster.
PROCESSORS = 128
#: The systems with equal clusters: section 4.1 has four clusters, and Figure 4 has four and eight.
STANDARD = "4×32"
EQUAL = {
    STANDARD: Multicluster([32] * 4),
    "8×16": Multicluster([16] * 8),
}
#: The largest cluster of the system 64+32+2×16, without the other clusters (section 4.1: 'only
#: using the largest cluster in the uneven system').
ALONE = "64 alone"
#: The systems with unequal clusters. The paper prints the cluster sizes of the first system only
#: (section 4.1). Figures 5 and 7 show more systems without their sizes, so we chose the other four.
#: Three of them have 5, 8 or 12 clusters, and their largest clusters are two to four times as large
#: as the smallest. The last system has five clusters, and two of them are larger than 32.
PRINTED = "64+32+2×16"
UNEQUAL = {
    PRINTED: Multicluster([64] + [32] + [16] * 2),
    "64+4×16": Multicluster([64] + [16] * 4),
    "2×32+2×16+4×8": Multicluster([32] * 2 + [16] * 2 + [8] * 4),
    "4×16+8×8": Multicluster([16] * 4 + [8] * 8),
    "2×40+3×16": Multicluster([40] * 2 + [16] * 3),
}
SYSTEMS = EQUAL | UNEQUAL | {ALONE: Multicluster([64])}
#: The unequal systems with few clusters, and those with many. Jobs have four components.
FEW = [name for name in UNEQUAL if len(UNEQUAL[name]) <= 5]
MANY = [name for name in UNEQUAL if len(UNEQUAL[name]) >= 8]

# --- Sections 4 and 5: the jobs ---

#: The distribution of component sizes, D(0.9) on [1, 8]. It does not count the size 1 as a power of
#: two.
SIZES = power_of_two(0.9, 1, 8)
#: Jobs with four components. In section 4.1, jobs have one component for each cluster. In section
#: 4.2, there are 'unordered requests consisting of 4 components'.
FOUR = JobModel(SIZES, components=4)

#: The names of the workloads in Figures 9 to 12, which differ in the number of components of a job.
ONE_COMPONENT, TWO_COMPONENTS = "1 component", "2 components"
THREE_COMPONENTS, FOUR_COMPONENTS = "3 components", "4 components"
MOSTLY_ONE, HALF_ONE, MOSTLY_FOUR = "75% 1, 25% 4", "50% 1, 50% 4", "25% 1, 75% 4"
THIRDS = "third of each"
#: Mixtures of jobs with different numbers of components. `OF_ONE_AND_FOUR` has the mixtures of jobs
#: with one component and jobs with four. `MIXTURES` has all mixtures of section 5.
OF_ONE_AND_FOUR = (MOSTLY_ONE, HALF_ONE, MOSTLY_FOUR)
MIXTURES = (*OF_ONE_AND_FOUR, THIRDS)


def _with_mixtures(pure: dict[str, JobModel]) -> dict[str, JobModel | Mixture]:
    one, two, four = pure[ONE_COMPONENT], pure[TWO_COMPONENTS], pure[FOUR_COMPONENTS]
    return pure | {
        MOSTLY_ONE: Mixture({one: 0.75, four: 0.25}),
        HALF_ONE: Mixture({one: 0.5, four: 0.5}),
        MOSTLY_FOUR: Mixture({one: 0.25, four: 0.75}),
        THIRDS: Mixture({one: 1 / 3, two: 1 / 3, four: 1 / 3}),
    }


#: The jobs of section 5.1. All components have the same size distribution, so a job with fewer
#: components is smaller.
SAME_SIZE = _with_mixtures(
    {
        ONE_COMPONENT: JobModel(SIZES, 1),
        TWO_COMPONENTS: JobModel(SIZES, 2),
        THREE_COMPONENTS: JobModel(SIZES, 3),
        FOUR_COMPONENTS: FOUR,
    }
)
#: The jobs of section 5.2. The total size of every job is the sum of four sampled sizes. For
#: example, each of two components has the sum of two sampled sizes.
SAME_TOTAL = _with_mixtures(
    {
        ONE_COMPONENT: FOUR.with_(merged_into=1),
        TWO_COMPONENTS: FOUR.with_(merged_into=2),
        FOUR_COMPONENTS: FOUR,
    }
)


def of_one_total(jobs: str) -> str:
    """Return the name of a workload whose jobs have the total size of four-component jobs.

    Jobs with four components are the same in sections 5.1 and 5.2, and keep their name.
    """
    return jobs if jobs == FOUR_COMPONENTS else f"{jobs}, one total"


JOBS = SAME_SIZE | {of_one_total(name): jobs for name, jobs in SAME_TOTAL.items()}

# --- The loads that are compared, and the meanings of the paper's words ---

#: The loads at which two settings are compared by the mean response times of the same jobs.
LOW, MODERATE, HIGH = 0.3, 0.6, 0.8
COMPARED = (LOW, MODERATE, HIGH)
#: Limits for differences between maximal utilizations. A difference of at least LARGE (three
#: percentage points) counts as large; the study of the paper of 2003 uses the same limit.
LARGE, TINY = 0.03, 0.01
MUCH = Word("much", LARGE, "points", 100)
SIGNIFICANTLY = Word("significantly", LARGE, "points", 100)
VISIBLE = Word("visible", LARGE, "points", 100)
SLIGHTLY = Word("slightly", LARGE, "points", 100)
LITTLE = Word("little", LARGE, "points", 100)
SIMILAR = Word("similar", LARGE, "points", 100)
#: The cut-off for 'good' performance: the maximal utilization of unequal clusters is less than
#: three percentage points below that of equal clusters.
GOOD = Word("good", LARGE, "points", 100)
ALMOST_UNCHANGED = Word("almost unchanged", TINY, "points", 100)
#: Cut-offs for the difference between a calculated and a simulated capacity loss. In the paper's
#: tables, the two losses differ by up to 0.002 for one cluster, where the calculation is exact, and
#: by up to 0.006 where it is an approximation.
EXTREMELY_WELL = Word("extremely well", 0.005, "points", 100)
VERY_ACCURATE = Word("very accurate", ACCURATE, "points", 100)
#: Two mean response times count as similar if their relative difference is at most this number. A
#: setting with a higher maximal utilization still counts as better if its mean response times are
#: longer by at most this fraction. Simulations of the same jobs can detect much smaller
#: differences, but such differences should not decide a claim.
LIKE = 0.05
SIMILAR_TIMES = Word("similar", LIKE, "%", 100)
#: A test of the rule in section 1 about multiplying all service times by a factor alpha: the
#: factors that are tried (ALPHAS), and the largest relative error that is accepted (EXACT). The
#: error is not zero because a response time is the difference between two instants that are about
#: 10^4 times larger.
ALPHAS, EXACT = (1.25, 2.0, 10.0), 1e-6

# --- Section 1: the highest penalty at which spanning several clusters pays ---

#: Penalties for spanning several clusters, from the literature, by their labels in a figure.
#: Section 1 quotes measurements on links that were a hundred times slower, in which most programs
#: had a penalty below 0.4. Ernemann and others found, with backfilling and another log, that using
#: several sites pays up to a penalty of 0.25.
LEVELS = {"0.4 (Bucur, Epema)": 0.4, "0.25 (Ernemann et al.)": 0.25}
#: The settings of the break-even figure, which is not in the paper. Each curve has one number of
#: clusters and several distributions of component sizes. Each cluster has 32 processors. Jobs have
#: one component for each cluster, and at most 32 processors in total, so that they can also run on
#: one cluster.
SPANNING = {
    "2×32": (2, [uniform(1, most) for most in (4, 8, 12, 14, 16)]),
    "4×32": (4, [uniform(1, most) for most in (2, 4, 6, 8)]),
    "8×32": (8, [uniform(1, most) for most in (2, 3, 4)]),
    "4×32, D(0.9)": (4, [power_of_two(0.9, 1, most) for most in (2, 4, 8)]),
}
