"""What the paper fixes, what it leaves open and how that was chosen, and the sample sizes."""

from dataclasses import dataclass

from coalloc_lib.distributions import power_of_two
from coalloc_lib.placement import FirstFit, Placement, WorstFit
from coalloc_lib.studies.loss_tables import TableScale
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel, Mixture

NAME = "cluster-configurations"
TITLE = "Processor co-allocation for different system configurations and job structures"

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

FOUR = JobModel(SIZES, 4)
ONE, TWO = (FOUR.with_(merged_into=parts) for parts in (1, 2))
#: Section 5.1: components from one distribution; section 5.2: the same total, job for job.
SAME_SIZE = {str(k): JobModel(SIZES, k) for k in (1, 2, 3, 4)} | {
    "75% 1, 25% 4": Mixture({JobModel(SIZES, 1): 0.75, JobModel(SIZES, 4): 0.25}),
    "50% 1, 50% 4": Mixture({JobModel(SIZES, 1): 0.5, JobModel(SIZES, 4): 0.5}),
    "25% 1, 75% 4": Mixture({JobModel(SIZES, 1): 0.25, JobModel(SIZES, 4): 0.75}),
    "third of each": Mixture({JobModel(SIZES, k): 1 / 3 for k in (1, 2, 4)}),
}
SAME_TOTAL = {"1": ONE, "2": TWO, "4": FOUR} | {
    "75% 1, 25% 4": Mixture({ONE: 0.75, FOUR: 0.25}),
    "50% 1, 50% 4": Mixture({ONE: 0.5, FOUR: 0.5}),
    "25% 1, 75% 4": Mixture({ONE: 0.25, FOUR: 0.75}),
    "third of each": Mixture({ONE: 1 / 3, TWO: 1 / 3, FOUR: 1 / 3}),
}

#: Loads at which curves are drawn, and those at which systems are compared in pairs.
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.84, 0.88, 0.92)
COMPARED = (0.3, 0.6, 0.7, 0.8)


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of a figure: a system, its jobs, and how they are placed."""

    name: str
    system: Multicluster
    model: JobModel | Mixture
    placement: Placement | None

    @property
    def share(self):
        """Processors of the system over the 128 that utilization is relative to."""
        return self.system.processors / PROCESSORS

    def __str__(self):
        return self.name


def _lines():
    for name, clusters in (EQUAL | UNEQUAL).items():
        system = Multicluster(clusters)
        backwards = FirstFit(clusters=tuple(range(len(clusters)))[::-1])
        yield Line(f"{name} first fit", system, FOUR, FirstFit())
        yield Line(f"{name} worst fit", system, FOUR, WorstFit())
        if name in UNEQUAL:
            yield Line(f"{name} first fit, small first", system, FOUR, backwards)
    ordered, total = FOUR.with_(request="ordered"), FOUR.with_(request="total")
    for name in ("4×32", "64+32+2×16"):
        system = Multicluster((EQUAL | UNEQUAL)[name])
        yield Line(f"{name} ordered", system, ordered, None)
    yield Line("64 alone, total", Multicluster([64]), total, WorstFit())
    system = Multicluster(EQUAL["4×32"])
    for kind, models in (("size", SAME_SIZE), ("total", SAME_TOTAL)):
        for name, model in models.items():
            yield Line(f"same {kind}: {name}, first fit", system, model, FirstFit())
            yield Line(f"same {kind}: {name}, worst fit", system, model, WorstFit())


def _by_name(lines):
    """Return the lines by name; those of one system, jobs and placement are one object."""
    first = {}
    return {n.name: first.setdefault((n.system, n.model, n.placement), n) for n in lines}


#: Every curve of Figures 3 to 12, by name. A line that several figures have is simulated once.
LINES = _by_name(_lines())


@dataclass(frozen=True)
class Scale:
    """How much is simulated.

    Attributes
    ----------
    tables : TableScale
        For the simulated cells of the tables.
    precision : float
        Relative half-width that the points of a curve aim at.
    most_jobs : int
        Jobs of a replication of such a point, at most.
    jobs, replications : int
        Jobs and runs of what is compared in pairs.
    map_jobs : int
        Jobs of a run of the map.
    """

    tables: TableScale
    precision: float
    most_jobs: int
    jobs: int
    replications: int
    map_jobs: int


SCALES = {
    "quick": Scale(TableScale(400_000, 100_000, 6), 0.1, 40_000, 20_000, 10, 10_000),
    "paper": Scale(TableScale(4_000_000, 400_000, 8), 0.03, 1_000_000, 200_000, 20, 100_000),
}
