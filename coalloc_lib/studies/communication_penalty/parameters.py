"""What the paper fixes, what it leaves open and how that was chosen, and the sample sizes."""

from coalloc_lib.checks import one_of, whole
from coalloc_lib.distributions import Exponential, power_of_two
from coalloc_lib.placement import WorstFit
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.studies.measurements import scales
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel, SplitJobs

NAME = "communication-penalty"
TITLE = "Co-allocation with communication considerations in multicluster systems"

#: Of all random numbers, where no other is asked for.
SEED = 2008

SYSTEM = Multicluster.equal(5, 20)
#: Here 1 counts as a power of two: so the printed shares of the groups come out.
SIZES = power_of_two(0.85, 1, 19, one_is_power_of_two=True)
#: Mean times of execution and between arrivals.
EXECUTION, INTERARRIVAL = 10.0, 0.54
#: The jobs, none of which is split.
WHOLE = SplitJobs(JobModel(SIZES, service=Exponential(EXECUTION)), above=SIZES.maximum)

#: The load that the paper prints, and the one that its other numbers make.
PRINTED_LOAD = 0.786
EXACT_LOAD = WHOLE.mean_work / (INTERARRIVAL * SYSTEM.processors)
LOADS = (PRINTED_LOAD, EXACT_LOAD)
#: How often a job may be passed; the paper does not say. The last is without limit.
NO_LIMIT = 10**9
MAX_JUMPS = (0, 5, 10, 20, 50, 100, 200, NO_LIMIT)
#: The paper's brackets are lost in print; floor is read, and ceiling tried.
SPLITTINGS = ("floor", "ceiling")
#: Section 6: jobs larger than this are split into so many components.
ABOVE, PARTS = 10, 4
#: Penalties among which a threshold is searched.
PENALTIES = (0.0, 0.6)
#: Thresholds that the paper prints in section 6, by group; that of S1 is a lower limit.
PRINTED = {"stream": 0.185, "S4": 0.160, "S1": 0.3}

#: What the other figures are made with: the printed load, at which every policy here is stable.
BASE_JUMPS = 20
#: Settings in which every claim about a direction is asked: the paper gives no MaxJumps.
JUMPS_ASKED = (5, 20, 100)

SCALES = scales(jobs=(10_000, 60_000), replications=(10, 12), search_runs=(10, 27))


def passing(max_jumps: int | str) -> Scheduling:
    """Return FPFS(x), which is FCFS where no job may be passed; ``"no limit"`` is a number too."""
    if isinstance(max_jumps, str):
        one_of("max_jumps", max_jumps, (said(NO_LIMIT),))
        max_jumps = NO_LIMIT
    return FPFS(max_jumps) if whole("max_jumps", max_jumps, least=0) else FCFS()


def scenario(max_jumps: int | str, workload: SplitJobs = WHOLE) -> Scenario:
    """Return the paper's system with this many jumps and these jobs.

    Parameters
    ----------
    max_jumps : int or "no limit"
        How often a job may be passed: FPFS, or FCFS where it is 0.
    workload : SplitJobs
        ``WHOLE.with_(above=..., parts=..., span_penalty=...)``; nobody is split where it is not
        given.
    """
    return Scenario(SYSTEM, workload, passing(max_jumps), WorstFit())


def said(max_jumps: int) -> str:
    """Return a number of jumps as figures name it."""
    return "no limit" if max_jumps == NO_LIMIT else str(max_jumps)
