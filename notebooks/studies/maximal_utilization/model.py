"""Define the paper's systems, requests, sizes, service times and policies, by section.

The paper is A. I. D. Bucur and D. H. J. Epema, "The Maximal Utilization of Processor Co-Allocation
in Multicluster Systems" (2003). Comments quote the paper in single quotation marks, and they say
which settings are our own.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from coalloc_lib.analytic import JointSizes
from coalloc_lib.model.distributions import (
    Between,
    Deterministic,
    Distribution,
    Exponential,
    Hyperexponential,
    SizeDistribution,
    parse_sizes,
)
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import FirstFit, Placement, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS, FPFS, Scheduling
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel
from coalloc_lib.workloads.swf import SwfLog
from studies.published import PublishedLoss

# --- Section 2.3: how a job asks for processors ---

#: In an ordered request, the job names the cluster of each component. In an unordered request, the
#: scheduler chooses the clusters. In a total request, the job needs the sum of its components in a
#: single cluster that is as large as all clusters together.
ORDERED, UNORDERED, TOTAL = "ordered", "unordered", "total"
#: Section 7.4: the job needs the sum of its components in one of the four clusters, without
#: co-allocation.
WHOLE = "one component"
REQUESTS = (ORDERED, UNORDERED, TOTAL, WHOLE)

#: Section 2.5: independent components are sampled one by one. For dependent components, the sum of
#: four components is sampled, and split into the smallest possible number of equal components.
INDEPENDENT, DEPENDENT = "independent sizes", "dependent sizes"

# --- Section 2.4: policies ---

#: FCFS, and FPFS, under which a job may be overtaken MaxJumps times (Figure 5). The jumps are
#: counted over the whole waiting time of a job: 'a counter indicating this number for each job
#: [...] non-increasing [...] from head to tail'.
FEW, MANY = "FPFS(5)", "FPFS(50)"
POLICIES: dict[str, Scheduling] = {"FCFS": FCFS(), FEW: FPFS(5), MANY: FPFS(50)}

#: The placement of unordered requests (Figure 6).
WORST, FIRST = "worst fit", "first fit"
PLACEMENTS: dict[str, Placement] = {WORST: WorstFit(), FIRST: FirstFit()}

# --- Section 3: the pathological example ---

#: The numbers of clusters, and the cluster sizes N. They are our own choice; each size after the
#: first is 2N + 1 for the size N before it.
PATHOLOGICAL_CLUSTERS, DOUBLINGS = (2, 3, 4), (15, 31, 63)


def pathological_jobs(clusters: int, size: int) -> JointSizes:
    """Return the jobs of the pathological example on clusters of the same size N.

    Each job is ordered, with ceil((N + 1)/2) processors in cluster 1 and one in each other cluster.
    """
    components = [-(-(size + 1) // 2)] + [1] * (clusters - 1)
    return JointSizes(np.array([components]), np.ones(1))


def pathological_limit(clusters: int) -> float:
    """Return the limit (2C - 1)/(2C) of the pathological example's loss for large clusters."""
    return (2 * clusters - 1) / (2 * clusters)


# --- Sections 4 and 5: methods to determine a capacity loss ---

#: Section 4: equations (2) and (3), for FCFS, exponential service times, and ordered or total
#: requests.
EXACT = "exact"
#: Section 5, simulations of the second type: the queue is never empty. For FPFS, 500 jobs wait all
#: the time, which is our own choice.
HEAVY = "heavy traffic"
#: Section 5, simulations of the second type for FPFS: the load at which the queue length stays
#: between 0 and 1,000 for the longest time, in runs that begin with an empty queue.
POISSON = "Poisson arrivals"
METHODS = (EXACT, HEAVY, POISSON)
#: Equation (4) as the paper prints it, which is used for the settings in `SLOTTED` only.
PRINTED = "equation (4)"
#: Section 5: 'simulate the system for [100,000] arrivals'.
ARRIVALS = 100_000


def is_of_first_type(cell: PublishedLoss) -> bool:
    """Return whether the paper determined a cell by its simulations of the first type.

    These raise the load until the mean response time is 1,500. Section 6 says that they gave 'the
    simulation results for a single cluster in both tables, and those for unordered jobs in the
    multicluster in Table 3'.
    """
    return cell.clusters == 1 or (cell.table == 3 and cell.request == UNORDERED)


# --- Section 7: the standard case ---

#: Four clusters of 32 processors each.
FOUR = Multicluster.equal(4, 32)
#: The single cluster for total requests.
ONE_LARGE = Multicluster([128])
#: The number of components of a job. All of them are larger than zero.
COMPONENTS = 4

# --- Section 7.1, Table 5: sizes and service times ---

#: The five size distributions. In D(q), the powers of two are 2, 4, 8, ... but not 1. The paper
#: does not say so. We chose it because it gives the numbers in Table 4, which are therefore
#: `calibrated on`.
FIVE = ("U[1,7]", "D(0.9)[1,8]", "D(0.768)[1,32]", "U[1,14]", "D(0.894)[1,32]")
#: 'The first three and the latter two have almost identical means.'
ALIKE = (FIVE[:3], FIVE[3:])
#: The one size distribution of the five that the paper excepts. From ordered to unordered requests
#: its loss is not 'cut in half', and with dependent sizes its behaviour 'is reversed'.
EXCEPTION = FIVE[4]

#: 'From deterministic through exponential to hyperexponential with a cv of [3] up to [10]'.
#:
#: There are two interpretations of deterministic service times. Section 5 looks at the queue 'when
#: a job departs'. If jobs that start together depart one by one, the queue is looked at after each
#: departure; `CALM` does this with run times that differ by less than a millionth. In the other
#: one, `AT_ONCE`, all jobs that end at the same instant depart before the queue is looked at.
CALM, AT_ONCE = "deterministic, departures one by one", "deterministic, departures all at once"
EXPONENTIAL, WILD = "exponential", "hyperexponential, cv 10"
SERVICES: dict[str, Distribution] = {
    CALM: Between(1 - 5e-7, 1 + 5e-7),
    AT_ONCE: Deterministic(),
    EXPONENTIAL: Exponential(),
    "hyperexponential, cv 3": Hyperexponential(1.0, 3),
    "hyperexponential, cv 5": Hyperexponential(1.0, 5),
    WILD: Hyperexponential(1.0, 10),
}
#: 'For ordered (unordered) jobs it went from [...] for deterministic to [...] for hyperexponential
#: with a cv of [10]': the requests and service times of the paper's four losses, in its order.
EXAMPLE = ((ORDERED, CALM), (UNORDERED, CALM), (ORDERED, WILD), (UNORDERED, WILD))

#: The setting of all results 'unless otherwise specified', without the sizes. The method is
#: simulation because there is no exact formula for unordered requests.
STANDARD = {
    "request": UNORDERED,
    "method": HEAVY,
    "drawn": INDEPENDENT,
    "service": EXPONENTIAL,
    "policy": "FCFS",
    "placement": WORST,
    "system": str(FOUR),
    "components": COMPONENTS,
}

# --- Section 7.2: policies ---

#: 'The two distributions for which there is the most room for improvement.'
ROOM = FIVE[3:]

# --- Section 7.3, Figure 7: two logs ---

#: The log of the Cornell Theory Center, and the size of the largest jobs that are used.
LOG, LARGEST = "CTC-SP2", 128
#: 'The pairs consisting of the sizes and service times [...] as they appear in the log': the paper
#: does not say whether these pairs are used in the order of the log or sampled at random.
IN_ORDER, DRAWN = "CTC in its order", "CTC, pairs drawn"
CTC = (IN_ORDER, DRAWN)
#: The log of DAS1 is not public, so a stand-in with its published moments is used. Its sizes and
#: service times are sampled independently.
DAS1 = "DAS1"
LOGS = (*CTC, DAS1)


def ctc_log() -> SwfLog:
    """Return the CTC log, or a synthetic stand-in if the log is missing."""
    (place,) = (log["found"] for log in listing() if log["name"] == LOG)
    return _read(place)


@lru_cache(maxsize=2)
def _read(place: Path | None) -> SwfLog:
    """Return the log or its stand-in.

    The argument is only a key of the cache: it changes when the user downloads the log.
    """
    return load_trace(LOG, missing="stand-in")


def ctc_jobs(request: str) -> JobStream:
    """Return the jobs of the CTC log; unordered requests are split into equal components."""
    jobs = ctc_log().jobs(largest=LARGEST)
    return jobs.split(at_most=FOUR.largest) if request == UNORDERED else jobs


def das1_jobs(request: str) -> JobModel:
    """Return a model of the DAS1 jobs; unordered requests are split into equal components."""
    jobs = JobModel(das1_sizes(), service=das1_service_times())
    if request == UNORDERED:
        return jobs.with_(split_at=FOUR.largest)
    return jobs.with_(request=TOTAL)


# --- Section 7.4, Figure 8: with and without co-allocation ---

#: 'The sum of 4 components generated from D(0.9) on [1,8].'
WITH_AND_WITHOUT = "D(0.9)[1,8]"

# --- Section 4.1: equation (4) ---

#: A size distribution of our own: one job in five fills the cluster of 8 processors.
FILLS_IN_FIVE = "1 (0.8) or 8 (0.2)"
#: The single clusters on which equation (4) is tested: the size distribution of the jobs, and the
#: number of processors. The five sizes of Table 5 are tested on a cluster of the paper's size.
SLOTTED = {**dict.fromkeys(FIVE, 32), FILLS_IN_FIVE: 8}


def slotted_sizes(name: str) -> SizeDistribution:
    """Return the size distribution with this name in `SLOTTED`."""
    if name == FILLS_IN_FIVE:
        return SizeDistribution(np.array([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2]))
    return parse_sizes(name)
