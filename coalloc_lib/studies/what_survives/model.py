"""The conditions: policies, workloads, estimates, loads and systems.

One condition of a conclusion's own setting is changed at a time, but for policies and workloads, of
which all pairs are run.
"""

from functools import lru_cache

import numpy as np

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
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.das1 import das1_service_times
from coalloc_lib.workloads.models import JobModel

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
#: Policies that fill holes before a start that they promise.
BACKFILLING = ("EASY", SHORTEST, "conservative")
#: Policies that plan with what users say that their jobs need, and are asked of worse estimates.
ESTIMATED = ("EASY", "conservative")
#: Of booking: its units of time are mean run times, which in logs are seconds.
BOOKED = Online(slot=1.0, step=0.25, max_attempts=400, horizon=200.0)


def policy_of(name: str, workload: str) -> Scheduling:
    """Return a policy for a workload, whose unit of time decides how booking counts."""
    one_of("policy", name, tuple(POLICIES))
    return BOOKED if name == ONLINE and workload not in LOGS else POLICIES[name]


# --- systems ---

STANDARD = "4×32"
SYSTEMS: dict[str, Multicluster] = {
    STANDARD: Multicluster([32] * 4),
    "5×20": Multicluster([20] * 5),
    "m128": Multicluster.named("m128"),
    "64+32+2×16": Multicluster([64, 32, 16, 16]),
}
#: Sizes of jobs on each, up to a cluster that half of the processors are on.
SIZES: dict[str, SizeDistribution] = {
    STANDARD: parse_sizes("D(0.9)[1,32]"),
    "5×20": parse_sizes("D(0.85)[1,20]"),
    "m128": parse_sizes("D(0.97)[1,128]"),
    "64+32+2×16": parse_sizes("D(0.9)[1,32]"),
}
#: Each log is on a system of its own, two or four clusters for the machine that it is of.
LOGS: dict[str, Multicluster] = {
    "KTH-SP2": Multicluster([50, 50]),
    "CTC-SP2": Multicluster([128] * 4),
    "HPC2N": Multicluster([120, 120]),
}

#: The logs for which a synthetic stand-in comes with the library.
STAND_INS = ("KTH-SP2", "CTC-SP2")

# --- workloads ---

EXPONENTIAL, DAS1, HEAVY = "exponential", "DAS1", "heavy-tailed"
#: Run times as in the papers; as DAS1's; and with three times the variation of the first. They are
#: divided by their mean.
SERVICE: dict[str, Distribution] = {
    EXPONENTIAL: Exponential(),
    DAS1: das1_service_times(),
    HEAVY: Hyperexponential(1.0, 3.0),
}
WORKLOADS = (*SERVICE, *LOGS)
#: By what a narrow column calls each.
LETTERS = dict(zip(WORKLOADS, "edhKCH", strict=True))

# --- estimates ---

EXACT, DOUBLED, REQUESTED = "exact", "doubled", "requested"
ESTIMATES = (EXACT, DOUBLED, REQUESTED)

LOADS = (0.5, 0.7, 0.85)


def system_of(name: str, workload: str) -> Multicluster:
    """Return the clusters; a log has its own."""
    return LOGS[workload] if workload in LOGS else SYSTEMS[one_of("system", name, (*SYSTEMS,))]


def synthetic(
    workload: str, system: str, load: float, estimates: str, jobs: int, seed: Seed
) -> JobStream:
    """Return jobs for whole clusters, whose mean run time is 1."""
    service = SERVICE[workload]
    model = JobModel(SIZES[system], request="total", service=service)
    rate = load * SYSTEMS[system].processors / model.mean_work
    drawn = model.sample(jobs, seed, rate)
    mean = service.mean
    drawn = drawn.replace(submit=drawn.submit / mean, runtime=drawn.runtime / mean)
    return estimated(drawn, estimates)


def of_log(workload: str, load: float, estimates: str, jobs: int) -> JobStream:
    """Return the first jobs of a log, or of its stand-in, that fit on a cluster, at a load.

    If the estimates are the requested ones, jobs without a requested time are left out.
    """
    # A log may be fetched while Python runs: jobs of its stand-in must not be remembered then.
    (place,) = (each["found"] for each in listing() if each["name"] == workload)
    return _of_log(place, workload, load, estimates, jobs)


@lru_cache(maxsize=16)
def _of_log(place: str, workload: str, load: float, estimates: str, jobs: int) -> JobStream:
    """Return the jobs of `of_log`; the place of the file tells a log from its stand-in."""
    system = LOGS[workload]
    log = load_trace(workload, missing="stand-in").jobs(request="total")
    usable = (log.processors <= max(system.sizes)) & (log.runtime > 0)
    if estimates == REQUESTED:
        usable &= log.has_estimate
    first = np.flatnonzero(usable)[:jobs]
    return estimated(log[first].with_load(system, load), estimates)


def estimated(jobs: JobStream, estimates: str) -> JobStream:
    """Return jobs whose users say how long they run, twice that, or what their log has."""
    one_of("estimates", estimates, ESTIMATES)
    if estimates != REQUESTED:
        return jobs.replace(estimate=jobs.runtime * (1 if estimates == EXACT else 2))
    if not jobs.has_estimate.all():
        raise InputError("estimates = 'requested'; these jobs have none, choose 'exact'")
    return jobs
