"""The conditions under which each conclusion is tested, and the metrics of the comparisons.

A condition is a policy, a workload, estimates, a load, a system, a placement, and the unevenness of
the sites.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.distributions import (
    Distribution,
    Exponential,
    Hyperexponential,
    SizeDistribution,
    parse_sizes,
)
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import BestFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.workloads.catalogue import load_stand_in, load_trace
from coalloc_lib.workloads.das1 import das1_service_times
from coalloc_lib.workloads.models import JobModel
from studies.log_files import has_stand_in, place_of

# --- policies ---

SHORTEST, ONLINE = "EASY, shortest first", "online"
POLICIES: dict[str, Scheduling] = {
    "FCFS": FCFS(),
    "FPFS(5)": FPFS(5),
    "FPFS(5), at the head": FPFS(5, counted="head"),
    "FPFS(50)": FPFS(50),
    "FPFS, no limit": FPFS(10**9),
    "EASY": EASY(),
    SHORTEST: EASY(order="shortest"),
    "conservative": Conservative(),
    ONLINE: Online(),
}
#: The policies that let at most five jobs overtake a waiting job.
FEW_OVERTAKE = ("FCFS", "FPFS(5)", "FPFS(5), at the head")
#: The policies that backfill, so that jobs may start ahead of a job with a promised start.
BACKFILLING = ("EASY", SHORTEST, "conservative")
#: The policies that plan with users' run-time estimates. They are also run with inaccurate
#: estimates.
ESTIMATED = ("EASY", "conservative")
#: The booking policy tries one start time after another until one is feasible. This is the time
#: between two successive start times, as a fraction of the mean run time. A step of 15 minutes is
#: 0.10 of the mean run time in the log of KTH, 0.08 in that of CTC, and 0.05 in that of HPC2N.
STEP = 0.05


def booking(unit: float) -> Online:
    """Return the online booking policy for jobs whose mean run time is `unit`.

    A booking tries starts up to 200 mean run times ahead.
    """
    return Online(slot=unit, step=STEP * unit, max_attempts=round(200 / STEP), horizon=200 * unit)


def policy_of(name: str, unit: float) -> Scheduling:
    """Return the policy with a given name; online booking is scaled to the mean run time `unit`."""
    one_of("policy", name, tuple(POLICIES))
    return booking(unit) if name == ONLINE else POLICIES[name]


# --- placements ---

BEST, WORST, COMPARED = "best fit", "worst fit", "compared"
PLACEMENTS: dict[str, Placement] = {BEST: BestFit(), WORST: WorstFit()}

# --- systems ---

STANDARD = "4×32"
SYSTEMS: dict[str, Multicluster] = {
    STANDARD: Multicluster([32] * 4),
    "5×20": Multicluster([20] * 5),
    "m128": Multicluster.named("m128"),
    "64+32+2×16": Multicluster([64, 32, 16, 16]),
}
#: The sizes of the jobs on each system.
SIZES: dict[str, SizeDistribution] = {
    STANDARD: parse_sizes("D(0.9)[1,32]"),
    "5×20": parse_sizes("D(0.85)[1,20]"),
    "m128": parse_sizes("D(0.97)[1,128]"),
    "64+32+2×16": parse_sizes("D(0.9)[1,32]"),
}
#: The system on which each log is run: four clusters, each with half as many processors as the
#: machine of the log.
LOGS: dict[str, Multicluster] = {
    "KTH-SP2": Multicluster([50] * 4),
    "CTC-SP2": Multicluster([169] * 4),
    "HPC2N": Multicluster([120] * 4),
}

# --- sites ---

MILD, STRONG = "mild", "strong"
#: The offered load of each site, as a multiple of the mean over all sites. The last site has the
#: lowest load.
UNEVENNESS = {MILD: (1.15, 1.05, 0.95, 0.85), STRONG: (1.45, 1.25, 0.97, 0.33)}


def site_weights(unevenness: str, sites: int) -> NDArray[np.float64]:
    """Return each site's offered load, as a multiple of the mean over all sites.

    The last site has the least load.
    """
    busiest, *middle, quietest = UNEVENNESS[one_of("unevenness", unevenness, tuple(UNEVENNESS))]
    inner = np.interp(np.linspace(0, 1, sites - 2), np.linspace(0, 1, len(middle)), middle)
    return np.array([busiest, *inner, quietest])


# --- workloads ---

EXPONENTIAL, DAS1, HEAVY = "exponential", "DAS1", "heavy-tailed"
#: The distributions of run times: exponential as in the papers, measured on the system DAS1, and
#: hyperexponential with a coefficient of variation of 3. All of them are scaled to a mean of 1.
SERVICE: dict[str, Distribution] = {
    EXPONENTIAL: Exponential(),
    DAS1: das1_service_times(),
    HEAVY: Hyperexponential(1.0, 3.0),
}
WORKLOADS = (*SERVICE, *LOGS)
#: The letters that stand for the workloads in the study's matrix of conclusions.
LETTERS = dict(zip(WORKLOADS, "edhKCH", strict=True))

# --- estimates ---

EXACT, DOUBLED, REQUESTED = "exact", "doubled", "requested"
ESTIMATES = (EXACT, DOUBLED, REQUESTED)

# --- loads ---

#: The offered loads at which conclusions are tested, as fractions of the largest load that the
#: system serves in every simulation that a conclusion compares.
SHARES = (0.6, 0.8, 0.95)

# --- metrics ---

RESPONSE, AWRT, SLOWDOWN = "mean response", "AWRT", "bounded slowdown"
METRICS = (RESPONSE, AWRT, SLOWDOWN)
#: The bounded slowdown divides a job's response time by its run time, or by this bound if the run
#: time is shorter. For jobs of a log, the bound is in seconds. For sampled jobs, it is a fraction
#: of the mean run time.
LEAST_SECONDS, LEAST_SHARE = 10.0, 0.001


def job_values(
    metric: str, response: NDArray[np.float64], jobs: JobStream, least: float
) -> NDArray[np.float64]:
    """Return each job's contribution to a metric, such as its response time or slowdown.

    Two simulations of the same jobs are compared by the sums of these values.

    ``"AWRT"`` weights each response time by the work of the job, its processors times its run time.
    The bounded slowdown divides by the run time without a penalty, or by `least` if that is longer.
    The two compared simulations therefore divide by the same run time.
    """
    if metric == AWRT:
        return response * jobs.processors * jobs.runtime
    if metric == SLOWDOWN:
        return np.maximum(response / np.maximum(jobs.runtime, least), 1.0)
    return response


# --- jobs ---


def system_of(name: str, workload: str) -> Multicluster:
    """Return the multicluster on which a workload runs; each log has its own multicluster."""
    return LOGS[workload] if workload in LOGS else SYSTEMS[one_of("system", name, (*SYSTEMS,))]


def synthetic(
    workload: str, system: str, load: float, estimates: str, jobs: int, seed: Seed
) -> JobStream:
    """Sample jobs that fit on one cluster, at the given offered load.

    The unit of time is the mean run time of the jobs.
    """
    service = SERVICE[workload]
    model = JobModel(SIZES[system], request="total", service=service)
    rate = load * SYSTEMS[system].processors / model.mean_work
    sampled = model.sample(jobs, seed, rate)
    mean = service.mean
    sampled = sampled.replace(submit=sampled.submit / mean, runtime=sampled.runtime / mean)
    return estimated(sampled, estimates)


def of_log(workload: str, load: float, estimates: str, jobs: int) -> JobStream:
    """Return the first jobs of a log or of its stand-in that each fit on one cluster.

    The submissions are scaled to the offered load. If the estimates are the requested times, jobs
    without a requested time are left out.
    """
    log = _jobs_of_log(workload, place_of(workload))
    first = _usable(log, workload, estimates)[:jobs]
    return estimated(log[first].with_load(LOGS[workload], load), estimates)


@lru_cache
def jobs_of_stand_in(workload: str, estimates: str, most: int) -> int:
    """Return how many jobs `of_log` takes from the synthetic stand-in of a log, at most `most`."""
    log = load_stand_in(workload).jobs(request="total")
    return len(_usable(log, workload, estimates)[:most])


def _usable(log: JobStream, workload: str, estimates: str) -> NDArray[np.intp]:
    usable = (log.processors <= max(LOGS[workload].sizes)) & (log.runtime > 0)
    if estimates == REQUESTED:
        usable &= log.has_estimate
    return np.flatnonzero(usable)


@lru_cache(maxsize=6)
def _jobs_of_log(workload: str, place: str) -> JobStream:
    return load_trace(workload, missing="stand-in").jobs(request="total")


def can_be_read(log: str) -> bool:
    """Return whether a log or its synthetic stand-in is available."""
    return bool(place_of(log)) or has_stand_in(log)


def estimated(jobs: JobStream, estimates: str) -> JobStream:
    """Return a copy of the jobs with exact, doubled or user-requested run-time estimates.

    The estimates are the run times, twice the run times, or the requested times of the log.
    """
    one_of("estimates", estimates, ESTIMATES)
    if estimates != REQUESTED:
        return jobs.replace(estimate=jobs.runtime * (1 if estimates == EXACT else 2))
    if not jobs.has_estimate.all():
        raise InputError(
            "estimates = 'requested', but some of these jobs have no requested time; choose 'exact'"
        )
    return jobs
