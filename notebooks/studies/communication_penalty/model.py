"""What the paper has, each with its section: system, jobs, groups of jobs, printed numbers.

Ngubiri, van Vliet: Co-Allocation with Communication Considerations in Multi-cluster Systems (2008).
What is our own says so.
"""

import numpy as np

from coalloc_lib.basics.checks import InputError, whole
from coalloc_lib.model.distributions import Between, Distribution, Exponential, power_of_two
from coalloc_lib.model.placement import Placement, SingleThenSpan, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, FPFS, Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.workloads.models import JobModel, SplitJobs

# --- Section 5: the system and the jobs ---

#: 5 clusters of 20 nodes each.
SYSTEM = Multicluster.equal(5, 20)
#: D(0.85) over [1, 19]. Here 1 counts as a power of two: so the printed shares come out.
SIZES = power_of_two(0.85, 1, 19, one_is_power_of_two=True)
#: Jobs of one run of the paper, which does not say: so few that its load may be the printed one,
#: and its thresholds are judged as those of runs as long.
ONE_RUN = 2_000
#: Mean times of execution and between arrivals.
EXECUTION, INTERARRIVAL = 10.0, 0.54
#: The jobs, none of which is split.
WHOLE = SplitJobs(JobModel(SIZES, service=Exponential(EXECUTION)), above=SIZES.maximum)
#: The load that the paper prints, and the one that its other numbers make.
PRINTED_LOAD = 0.786
EXACT_LOAD = WHOLE.mean_work / (INTERARRIVAL * SYSTEM.processors)

#: All jobs, and the paper's groups, from which size to which: quarters of the jobs, nearly.
STREAM = "stream"
GROUPS = {"S1": (1, 1), "S2": (2, 3), "S3": (4, 6), "S4": (7, 19)}
NAMES = (STREAM, *GROUPS)
#: What the paper prints of them. The load share of S2 is a slip: the four are above one.
JOBS, WORK, LOAD = "share of the jobs", "share of the load", "offered load"
ALL_JOBS = "all jobs"
PRINTED_SHARES = {
    (JOBS, "S1"): 0.253,
    (JOBS, "S2"): 0.277,
    (JOBS, "S3"): 0.229,
    (JOBS, "S4"): 0.241,
    (WORK, "S1"): 0.060,
    (WORK, "S2"): 0.277,
    (WORK, "S3"): 0.231,
    (WORK, "S4"): 0.576,
    (LOAD, ALL_JOBS): PRINTED_LOAD,
}

# --- Sections 3.1 and 6: who is split, into how many components ---

#: 6: jobs larger than this are split into so many components. How section 3.1 rounds is lost in
#: print: up, 5 processors in 4 components would leave -1, so it is down.
ABOVE, PARTS = 10, 4
#: Thresholds of the penalty that the paper prints in section 6; that of S1 is a lower limit. It
#: prints 1.60 for S4, and says that large jobs have a lower one than the stream.
PRINTED = {STREAM: 0.185, "S4": 0.160, "S1": 0.3}
#: Of our own: a job is split whatever is idle, as in the paper, or only if it cannot start whole.
ALWAYS, AT_NEED = "always", "at need"
PLACEMENTS: dict[str, Placement] = {ALWAYS: WorstFit(), AT_NEED: SingleThenSpan(WorstFit())}

# --- Section 4: scheduling ---

#: How often the head of the queue may be jumped, the paper does not say; here, without limit.
NO_LIMIT = 10**9
#: The least of those that the printed thresholds leave (figure `thresholds`).
JUMPS = 8
#: Jumps are counted while a job is at the head of the queue, as section 4 says. The papers of 2003
#: count those of a job's whole wait.
AT_HEAD, WHOLE_WAIT = "head", "waiting"

# --- Sections 7 and 8: what is varied ---

#: 7.1 and 7.3: the penalties of Figures 2 and 4; 8: that of Figure 5.
LOW_PENALTY, CONSTANT, HIGH_PENALTY = 0.05, 0.1, 0.2
#: 8: penalties that are drawn for each job, from U[0.001, 0.199]: of the same mean, and so wide.
SPREAD = 0.099
#: 8.2: all jobs that are split, and the paper's groups of them, from which penalty to which.
ALL_SPLIT = "all split jobs"
BY_PENALTY = {"C1": (0.0, 0.05), "C2": (0.05, 0.10), "C3": (0.10, 0.15), "C4": (0.15, 0.20)}
# --- Other papers ---

#: Measured on the DAS (Plaat and others 2001): what most programs lost by spanning was less.
DAS = 0.4


def passing(max_jumps: int, counted: str = AT_HEAD) -> Scheduling:
    """Return FPFS(x), which is FCFS where no job may be passed; `NO_LIMIT` is a number, too."""
    if max_jumps == "no limit":
        raise InputError("max_jumps = 'no limit' is the word for a number; give NO_LIMIT of model")
    jumps = whole("max_jumps", max_jumps, least=0)
    return FPFS(jumps, counted) if jumps else FCFS()


def jumps_label(max_jumps: float) -> str:
    """Return a number of jumps as figures name it."""
    return "no limit" if max_jumps == NO_LIMIT else f"{max_jumps:g}"


def scenario(max_jumps: int, workload: SplitJobs = WHOLE, counted: str = AT_HEAD) -> Scenario:
    """Return the paper's system: FPFS with this many jumps (or `NO_LIMIT`), and these jobs."""
    return Scenario(SYSTEM, workload, passing(max_jumps, counted), WorstFit())


def penalties(psi: float, spread: float) -> float | Distribution:
    """Return the penalty of all jobs, or the law that it is drawn from for each."""
    if not spread:
        return psi
    return Between(round(psi - spread, 9), round(psi + spread, 9))


def shares_of(
    size: np.ndarray, jobs: np.ndarray, work: np.ndarray
) -> dict[tuple[str, str], np.ndarray]:
    """Return the groups' shares of jobs and of work, by quantity and group, along the last axis."""
    shares = {}
    for quantity, amount in ((JOBS, jobs), (WORK, work)):
        for group, (low, high) in GROUPS.items():
            mine = (size >= low) & (size <= high)
            shares[quantity, group] = (amount * mine).sum(-1) / amount.sum(-1)
    return shares


def exact_shares() -> dict[tuple[str, str], float]:
    """Return the shares and the load by the law of the sizes."""
    size = np.arange(len(SIZES.probabilities))
    shares = shares_of(size, SIZES.probabilities, size * SIZES.probabilities)
    exact = {at: float(share) for at, share in shares.items()}
    return exact | {(LOAD, ALL_JOBS): EXACT_LOAD}
