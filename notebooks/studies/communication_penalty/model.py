"""The system, the jobs, the groups of jobs and the printed numbers of the paper.

The paper is "Co-Allocation with Communication Considerations in Multi-cluster Systems" by Ngubiri
and van Vliet (2008). Comments name the section of the paper that a value comes from. A comment
says so if a value is not from the paper.
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

#: The system has 5 clusters of 20 processors each.
SYSTEM = Multicluster.equal(5, 20)
#: Job sizes have the distribution D(0.85) on [1, 19], and 1 counts as a power of two. If 1 did not
#: count as a power of two, the shares of the job groups would differ from those in the paper.
SIZES = power_of_two(0.85, 1, 19, one_is_power_of_two=True)
#: The number of jobs that we assume for one run of the paper, which does not state it. We chose a
#: small number, because the load of a short run can differ by chance from its expected value, as
#: the load printed in the paper does. The paper's break-even penalties are compared with single
#: runs of this length.
ONE_RUN = 2_000
#: The mean execution time and the mean interarrival time of the jobs.
EXECUTION, INTERARRIVAL = 10.0, 0.54
#: The jobs of the paper without splitting.
WHOLE = SplitJobs(JobModel(SIZES, service=Exponential(EXECUTION)), above=SIZES.maximum)
#: The offered load printed in the paper, and the offered load that follows from the job sizes,
#: execution times and interarrival times in the paper.
PRINTED_LOAD = 0.786
EXACT_LOAD = WHOLE.mean_work / (INTERARRIVAL * SYSTEM.processors)

#: The name for all jobs together, and the paper's four job groups. Each group is given by its
#: smallest and its largest job size in processors, and contains about a quarter of the jobs.
STREAM = "stream"
GROUPS = {"S1": (1, 1), "S2": (2, 3), "S3": (4, 6), "S4": (7, 19)}
NAMES = (STREAM, *GROUPS)
#: The shares of the job groups and the offered load, as printed in the paper. The share of the load
#: printed for group S2 must be wrong, because the shares of the four groups sum to more than 1.
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

# --- Sections 3.1 and 6: which jobs are split, and into how many components ---

#: Jobs with more than 10 processors are split into 4 components (section 6). The formula in section
#: 3.1 does not say how component sizes are rounded. We round down, because rounding up would split
#: 5 processors into three components of 2 and one of -1.
ABOVE, PARTS = 10, 4
#: The break-even penalties printed in section 6, which are the highest penalties at which splitting
#: pays. The value for group S1 is a lower limit. For group S4 the paper prints 1.60. This must mean
#: 0.160, because the paper says that large jobs have a lower break-even penalty than all jobs
#: together.
PRINTED = {STREAM: 0.185, "S4": 0.160, "S1": 0.3}
#: Two rules for splitting large jobs. The paper always splits large jobs. In the rule that we
#: added, a large job is split only if no single cluster has room for it now.
ALWAYS, AT_NEED = "always", "at need"
PLACEMENTS: dict[str, Placement] = {ALWAYS: WorstFit(), AT_NEED: SingleThenSpan(WorstFit())}

# --- Section 4: scheduling ---

#: The value of MaxJumps that means no limit. MaxJumps limits how often other jobs may overtake the
#: job at the head of the queue; the paper does not say which value it used.
NO_LIMIT = 10**9
#: The value of MaxJumps in this study: the smallest value at which our break-even penalties agree
#: with the paper (see the figure ``thresholds``).
JUMPS = 8
#: Two rules for counting how often a job is overtaken. In section 4 of the paper, a job is counted
#: as overtaken only while it is at the head of the queue. In papers from 2003, it is counted as
#: overtaken during its whole wait.
AT_HEAD, WHOLE_WAIT = "head", "waiting"

# --- Sections 7 and 8: what is varied ---

#: Three penalties from the paper: the penalty in Figure 2 (section 7.1), the penalty in Figures 4
#: and 5 (sections 7.3 and 8), and the highest penalty in Figure 3.
LOW_PENALTY, CONSTANT, HIGH_PENALTY = 0.05, 0.1, 0.2
#: Half the width of the interval [0.001, 0.199], from which the penalty of each job is sampled in
#: section 8. The mean penalty is `CONSTANT`.
SPREAD = 0.099
#: The name for all split jobs together, and the paper's groups of split jobs by penalty. Each group
#: is given by its lowest and its highest penalty (section 8.2).
ALL_SPLIT = "all split jobs"
BY_PENALTY = {"C1": (0.0, 0.05), "C2": (0.05, 0.10), "C3": (0.10, 0.15), "C4": (0.15, 0.20)}
# --- Other papers ---

#: An upper bound on the penalty of most programs on the DAS system, as measured by Plaat and others
#: (2001).
DAS = 0.4


def passing(max_jumps: int, counted: str = AT_HEAD) -> Scheduling:
    """Return an FPFS policy under which a job is overtaken at most `max_jumps` times.

    If `max_jumps` is 0, the policy is FCFS.
    """
    if max_jumps == "no limit":
        raise InputError("max_jumps = 'no limit' is not a number; give NO_LIMIT from model.py")
    jumps = whole("max_jumps", max_jumps, least=0)
    return FPFS(jumps, counted) if jumps else FCFS()


def jumps_label(max_jumps: float) -> str:
    """Format a value of MaxJumps for labels in figures."""
    return "no limit" if max_jumps == NO_LIMIT else f"{max_jumps:g}"


def scenario(max_jumps: int, workload: SplitJobs = WHOLE, counted: str = AT_HEAD) -> Scenario:
    """Return a scenario with the paper's clusters, FPFS scheduling and worst-fit placement.

    Parameters
    ----------
    max_jumps : int
        The largest number of jumps over a job, or `NO_LIMIT`.
    workload : SplitJobs
        The jobs, by default those of the paper without splitting.
    counted : str
        When jumps are counted: `AT_HEAD` or `WHOLE_WAIT`.
    """
    return Scenario(SYSTEM, workload, passing(max_jumps, counted), WorstFit())


def penalties(psi: float, spread: float) -> float | Distribution:
    """Return the common penalty of all jobs, or the distribution of sampled penalties.

    The distribution is uniform from ``psi - spread`` to ``psi + spread``.
    """
    if not spread:
        return psi
    return Between(round(psi - spread, 9), round(psi + spread, 9))


def shares_of(
    size: np.ndarray, jobs: np.ndarray, work: np.ndarray
) -> dict[tuple[str, str], np.ndarray]:
    """Return each job group's share of all jobs and its share of the total work.

    Parameters
    ----------
    size : ndarray
        The size of each job, in processors.
    jobs, work : ndarray
        The weight of each job in the number of jobs and in the work. If these are two-dimensional,
        there is a share for each row.

    Returns
    -------
    dict
        The shares, by quantity (`JOBS` or `WORK`) and group.
    """
    shares = {}
    for quantity, amount in ((JOBS, jobs), (WORK, work)):
        for group, (low, high) in GROUPS.items():
            in_group = (size >= low) & (size <= high)
            shares[quantity, group] = (amount * in_group).sum(-1) / amount.sum(-1)
    return shares


def exact_shares() -> dict[tuple[str, str], float]:
    """Return each job group's exact shares of jobs and work, and the exact offered load."""
    size = np.arange(len(SIZES.probabilities))
    shares = shares_of(size, SIZES.probabilities, size * SIZES.probabilities)
    exact = {at: float(share) for at, share in shares.items()}
    return exact | {(LOAD, ALL_JOBS): EXACT_LOAD}
