"""What the paper fixes, what it leaves open and how that was chosen, and the sample sizes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.jobs import JobStream
from coalloc_lib.machines import LeastLoaded, RandomFit
from coalloc_lib.placement import BestFit, FirstFit, Placement, WorstFit
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Scheduling
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.sites import MODIFICATIONS, least_loaded, round_robin

NAME = "job-sharing"
TITLE = "On advantages of grid computing for parallel job scheduling"

#: Of all random numbers, where no other is asked for.
SEED = 2002

CONFIGURATIONS = {n: Multicluster.named(n) for n in ("m64", "m128", "m256", "m384", "m512")}
#: Table 1 but for the one machine of 512, which is what the others are held against.
DIVIDED = ("m64", "m128", "m256", "m384")
SINGLE = "m512"
#: The configurations of equal machines.
EQUAL = ("m128", "m256")
#: That of Figures 4, 6 and 7.
STANDARD = "m128"
#: Processors of every configuration.
PROCESSORS = 512

#: Overheads of jobs that span sites.
OVERHEADS = tuple(np.round(np.arange(0, 0.401, 0.05), 2).tolist())
#: The overhead up to which the paper has multi-site execution win on m128.
PRINTED_OVERHEAD = 0.25

#: How jobs run: each at its site, on one machine of any site, on several, or on one large machine.
LOCAL, SHARING, MULTI_SITE, ONE = "local", "sharing", "multi-site", "single machine"

#: What becomes of jobs wider than a machine (section 4.2): pieces of the size of the local machine,
#: pieces of the size of the largest, or nothing.
OF_SITE, OF_LARGEST, UNCHANGED = MODIFICATIONS

#: Policies, by the names that tables show; the paper has the first.
POLICIES: dict[str, Scheduling] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FPFS(50)": FPFS(50),
    "FCFS": FCFS(),
}

#: What policies may be told of run times.
TOLD_OF = ("exact", "requested", "inflated")
#: How much longer than their run times jobs are said to take where estimates are inflated.
INFLATED = 10.0

#: Overheads, and the times in seconds for which a job waits for one machine before it spans.
TRIED = (0.1, PRINTED_OVERHEAD, 0.4)
PATIENCE = (0.0, 4 * 3_600.0, 16 * 3_600.0)

#: Days of a block of the bootstrap.
WEEK = 7

#: How the machine of a job is chosen, by the names that tables show; the paper has the first.
CHOICES: dict[str, Callable[[Multicluster], Placement]] = {
    "best fit": lambda system: BestFit(),
    "first fit": lambda system: FirstFit(),
    "worst fit": lambda system: WorstFit(),
    "least loaded": LeastLoaded,
    "random": lambda system: RandomFit(SEED),
}

#: At which site jobs are submitted: at each in turn, as in the paper, so that all have as many; or
#: such that all are offered the same load for their size.
IN_TURN, BY_SIZE = "in turn", "by size"
ASSIGNMENTS: dict[str, Callable[[JobStream, Multicluster], NDArray[np.int64]]] = {
    IN_TURN: lambda jobs, system: round_robin(jobs, len(system)),
    BY_SIZE: least_loaded,
}

#: Jobs of a workload, and where the extracts of the log begin, counted from 0.
JOBS = 10_000
BEGINS: tuple[int, ...] = (0, 20_000, 40_000)
LOG = "CTC-SP2"
SYNTHETIC = "synthetic"


@dataclass(frozen=True)
class Scale:
    """How much is simulated.

    Attributes
    ----------
    policies : tuple of str
        Names of `POLICIES`.
    resamples : int
        Of the bootstrap. The intervals of six weeks end at one in 400 of them.
    patient : int
        Workload sets of which patience is asked; only the readable engine has it.
    """

    policies: tuple[str, ...]
    resamples: int
    patient: int = 1


SCALES = {
    "quick": Scale(("EASY", "FCFS"), 1_000),
    "paper": Scale(tuple(POLICIES), 4_000, patient=4),
}
