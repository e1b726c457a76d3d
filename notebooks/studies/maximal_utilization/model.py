"""Define the paper's systems, requests, sizes, service times and policies, by section.

The paper is A. I. D. Bucur and D. H. J. Epema, "The Maximal Utilization of Processor Co-Allocation
in Multicluster Systems" (2003). Comments quote the paper in single quotation marks, and they say
which settings are our own.
"""

from functools import lru_cache

import numpy as np

from coalloc_lib.analytic import JointSizes
from coalloc_lib.model.distributions import (
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
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from coalloc_lib.workloads.models import JobModel
from coalloc_lib.workloads.swf import SwfLog
from studies.inputs import ALMOST_CONSTANT
from studies.log_files import place_of
from studies.published import PublishedLoss

# --- Section 2.3: how a job asks for processors ---

#: Three types of requests. In an ordered request, the job names the cluster of each component. In
#: an unordered request, the scheduler chooses the clusters. A total request asks for the sum of the
#: components in a single cluster that is as large as the whole system.
ORDERED, UNORDERED, TOTAL = "ordered", "unordered", "total"
#: The request type without co-allocation in section 7.4: a job needs the sum of its component sizes
#: in one of the four clusters.
WHOLE = "one component"
REQUESTS = (ORDERED, UNORDERED, TOTAL, WHOLE)

#: Section 2.5 has two methods of sampling the component sizes of a job. Independent sizes are
#: sampled one by one. For dependent sizes, the sum of four sizes is sampled and then split into as
#: few equal components as possible.
INDEPENDENT, DEPENDENT = "independent sizes", "dependent sizes"

# --- Section 2.4: policies ---

#: The policies of Figure 5: FCFS and FPFS. Under FPFS, other jobs may overtake a waiting job at
#: most MaxJumps times. All jumps during the job's wait count, because the paper has 'a counter
#: indicating this number for each job [...] non-increasing [...] from head to tail'.
FEW, MANY = "FPFS(5)", "FPFS(50)"
POLICIES: dict[str, Scheduling] = {"FCFS": FCFS(), FEW: FPFS(5), MANY: FPFS(50)}

#: The placement policies for unordered requests (Figure 6).
WORST, FIRST = "worst fit", "first fit"
PLACEMENTS: dict[str, Placement] = {WORST: WorstFit(), FIRST: FirstFit()}

# --- Section 3: the pathological example ---

#: The numbers of clusters and the cluster sizes for which the pathological example is computed. We
#: chose the sizes: each size is twice the previous one plus 1.
PATHOLOGICAL_CLUSTERS, DOUBLINGS = (2, 3, 4), (15, 31, 63)


def pathological_jobs(clusters: int, size: int) -> JointSizes:
    """Return the jobs of the pathological example on clusters of N processors.

    Each job is ordered, with ceil((N + 1)/2) processors in cluster 1 and one in each other cluster.
    """
    components = [-(-(size + 1) // 2)] + [1] * (clusters - 1)
    return JointSizes(np.array([components]), np.ones(1))


def pathological_limit(clusters: int) -> float:
    """Return the capacity loss of the pathological example in the limit of large clusters."""
    return (2 * clusters - 1) / (2 * clusters)


# --- Sections 4 and 5: methods to determine a capacity loss ---

#: The exact method of section 4, which uses equations (2) and (3). It needs FCFS, exponential
#: service times, and ordered or total requests.
EXACT = "exact"
#: A simulation method of section 5, in which the queue is never empty. For FPFS, we chose to keep
#: 500 jobs waiting at all times.
HEAVY = "heavy traffic"
#: A simulation method of section 5 for FPFS. It finds the load at which the queue length stays
#: between 0 and 1,000 for the longest time. Each run begins with an empty queue.
POISSON = "Poisson arrivals"
METHODS = (EXACT, HEAVY, POISSON)
#: The method that applies equation (4) exactly as the paper prints it. Only the settings in
#: `SLOTTED` use this method.
PRINTED = "equation (4)"
#: The number of arrivals in a run of the paper: 'simulate the system for [100,000] arrivals'
#: (section 5).
ARRIVALS = 100_000


def is_of_first_type(cell: PublishedLoss) -> bool:
    """Return whether the paper chose the load of a table cell for a mean response time of 1,500.

    This type of simulation raises the load until the mean response time is 1,500. Section 6 says
    that it gave 'the simulation results for a single cluster in both tables, and those for
    unordered jobs in the multicluster in Table 3'.
    """
    return cell.clusters == 1 or (cell.table == 3 and cell.request == UNORDERED)


# --- Section 7: the standard case ---

#: Four clusters of 32 processors each.
FOUR = Multicluster.equal(4, 32)
#: The single cluster for total requests.
ONE_LARGE = Multicluster([128])
#: The number of components of a job. Every component needs at least one processor.
COMPONENTS = 4

# --- Section 7.1, Table 5: sizes and service times ---

#: The five distributions of component sizes in Table 5. We assume that D(q) does not count 1 as a
#: power of two. The paper does not say so, but the assumption reproduces the numbers in Table 4.
#: These numbers therefore have the verdict `calibrated on`.
FIVE = ("U[1,7]", "D(0.9)[1,8]", "D(0.768)[1,32]", "U[1,14]", "D(0.894)[1,32]")
#: Two groups of the five size distributions. The paper says that 'the first three and the latter
#: two have almost identical means'.
ALIKE = (FIVE[:3], FIVE[3:])
#: The size distribution that the paper names as an exception: unordered requests do not cut the
#: loss of ordered ones 'in half', and with dependent sizes the behaviour 'is reversed'.
EXCEPTION = FIVE[4]

#: The service-time distributions of section 7.1: 'from deterministic through exponential to
#: hyperexponential with a cv of [3] up to [10]'.
#:
#: Two interpretations of constant service times. They are needed because section 5 says only that
#: jobs may start 'when a job departs'. With `CALM`, service times are `ALMOST_CONSTANT`. With
#: `AT_ONCE`, all jobs that end at the same instant depart before waiting jobs are placed.
CALM, AT_ONCE = "deterministic, departures one by one", "deterministic, departures all at once"
EXPONENTIAL, WILD = "exponential", "hyperexponential, cv 10"
SERVICES: dict[str, Distribution] = {
    CALM: ALMOST_CONSTANT,
    AT_ONCE: Deterministic(),
    EXPONENTIAL: Exponential(),
    "hyperexponential, cv 3": Hyperexponential(1.0, 3),
    "hyperexponential, cv 5": Hyperexponential(1.0, 5),
    WILD: Hyperexponential(1.0, 10),
}
#: The request type and the service times of each of the four losses in the paper's example: 'for
#: ordered (unordered) jobs it went from [...] for deterministic to [...] for hyperexponential with
#: a cv of [10]'.
EXAMPLE = ((ORDERED, CALM), (UNORDERED, CALM), (ORDERED, WILD), (UNORDERED, WILD))

#: The paper's setting 'unless otherwise specified', apart from the size distribution. The method is
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

#: The size distributions in section 7.2, 'the two distributions for which there is the most room
#: for improvement'.
ROOM = FIVE[3:]

# --- Section 7.3, Figure 7: two logs ---

#: The name of the log of the Cornell Theory Center, and the number of processors of the largest
#: jobs that are kept.
LOG, LARGEST = "CTC-SP2", 128
#: Two orders in which jobs of the CTC log are simulated. The paper uses 'the pairs consisting of
#: the sizes and service times [...] as they appear in the log'. It does not say whether it keeps
#: the order of the jobs or samples them at random.
IN_ORDER, DRAWN = "CTC in its order", "CTC, pairs drawn"
CTC = (IN_ORDER, DRAWN)
#: The name of the synthetic log of DAS1. It has the published moments of the DAS1 log, which is not
#: public. Its job sizes and service times are sampled independently.
DAS1 = "DAS1"
LOGS = (*CTC, DAS1)


def ctc_log() -> SwfLog:
    """Return the CTC log, or its synthetic stand-in if the log is missing."""
    return _read(place_of(LOG))


@lru_cache(maxsize=2)
def _read(place: str) -> SwfLog:
    # The argument `place` is used only as part of the cache key. It changes when the user downloads
    # the log, and then the log is read again.
    return load_trace(LOG, missing="stand-in")


def ctc_jobs(request: str) -> JobStream:
    """Return the jobs of the CTC log; as unordered requests, large jobs get equal components."""
    jobs = ctc_log().jobs(largest=LARGEST)
    return jobs.split(at_most=FOUR.largest) if request == UNORDERED else jobs


def das1_jobs(request: str) -> JobModel:
    """Return a model of the DAS1 jobs; as unordered requests, large jobs get equal components."""
    jobs = JobModel(das1_sizes(), service=das1_service_times())
    if request == UNORDERED:
        return jobs.with_(split_at=FOUR.largest)
    return jobs.with_(request=TOTAL)


# --- Section 7.4, Figure 8: with and without co-allocation ---

#: The distribution of component sizes in section 7.4: 'the sum of 4 components generated from
#: D(0.9) on [1,8]'.
WITH_AND_WITHOUT = "D(0.9)[1,8]"

# --- Section 4.1: equation (4) ---

#: The name of our own distribution of job sizes: four jobs in five need 1 processor, and one job in
#: five needs all 8 processors of the cluster.
FILLS_IN_FIVE = "1 (0.8) or 8 (0.2)"
#: The tests of equation (4) on a single cluster: for each distribution of job sizes, the number of
#: processors of the cluster. The distributions of Table 5 are tested on a cluster of the paper's
#: size.
SLOTTED = {**dict.fromkeys(FIVE, 32), FILLS_IN_FIVE: 8}


def slotted_sizes(name: str) -> SizeDistribution:
    """Return the job-size distribution with the given name, which is a key of `SLOTTED`."""
    if name == FILLS_IN_FIVE:
        return SizeDistribution(np.array([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2]))
    return parse_sizes(name)
