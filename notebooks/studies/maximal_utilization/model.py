"""What the paper has, each with its section: systems, requests, sizes, service times, policies.

Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems (2003).
What is our own says so.
"""

from functools import lru_cache

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

#: Each component names its cluster; or the scheduler chooses one for each; or the sum of all
#: components is asked of one cluster as large as all.
ORDERED, UNORDERED, TOTAL = "ordered", "unordered", "total"
#: 7.4: the sum of all components in one of the four clusters, without co-allocation.
WHOLE = "one component"
REQUESTS = (ORDERED, UNORDERED, TOTAL, WHOLE)

#: 2.5: components are drawn one by one, or a total is drawn, the sum of four of them, and split
#: into the smallest possible number of equal components.
INDEPENDENT, DEPENDENT = "independent sizes", "dependent sizes"

# --- Section 2.4: policies ---

#: First come, first served; or a job may be overtaken MaxJumps times (Figure 5), counted over its
#: whole wait: 'a counter indicating this number for each job [...] non-increasing [...] from head
#: to tail'.
FEW, MANY = "FPFS(5)", "FPFS(50)"
POLICIES: dict[str, Scheduling] = {"FCFS": FCFS(), FEW: FPFS(5), MANY: FPFS(50)}

#: The clusters that an unordered request is given (Figure 6).
WORST, FIRST = "worst fit", "first fit"
PLACEMENTS: dict[str, Placement] = {WORST: WorstFit(), FIRST: FirstFit()}

# --- Section 3: the pathological example ---

#: Numbers of clusters, and their sizes N: our own, each double the one before and one.
PATHOLOGICAL_CLUSTERS, DOUBLINGS = (2, 3, 4), (15, 31, 63)


def pathological_jobs(clusters: int, size: int) -> JointSizes:
    """Return ordered jobs with ceil((N + 1)/2) tasks in cluster 1, and one in each other."""
    components = [-(-(size + 1) // 2)] + [1] * (clusters - 1)
    return JointSizes(np.array([components]), np.ones(1))


def pathological_limit(clusters: int) -> float:
    """Return what the loss tends to for large clusters: (2C - 1)/(2C)."""
    return (2 * clusters - 1) / (2 * clusters)


# --- Sections 4 and 5: how a capacity loss is found ---

#: 4: equations (2) and (3), for FCFS, exponential service times, and ordered or total requests.
EXACT = "exact"
#: 5, second type: the queue never ends. Under FPFS, ours: 500 waiting jobs are seen all the time.
HEAVY = "heavy traffic"
#: 5, second type for FPFS: the load at which a queue stays longest between 0 and 1,000 jobs, in
#: runs that begin with an empty queue.
POISSON = "Poisson arrivals"
METHODS = (EXACT, HEAVY, POISSON)
#: Equation (4) as it is printed, which is asked of `SLOTTED` alone.
PRINTED = "equation (4)"
#: 5: 'simulate the system for [100,000] arrivals'.
ARRIVALS = 100_000


def is_of_first_type(cell: PublishedLoss) -> bool:
    """Whether the paper simulated a cell by its first type: until the mean response is 1,500.

    Section 6: 'the simulation results for a single cluster in both tables, and those for unordered
    jobs in the multicluster in Table 3'.
    """
    return cell.clusters == 1 or (cell.table == 3 and cell.request == UNORDERED)


# --- Section 7: the standard case ---

#: 4 clusters of 32 processors each; for total requests, a single cluster of size 128.
#: Section 4.1, equation (4): sizes and processors of the single clusters on which it is asked. The
#: five sizes of Table 5 are asked on one cluster of the paper's; the last has one job in five that
#: fills its cluster.
FILLS_IN_FIVE = "1 (0.8) or 8 (0.2)"
SLOTTED = {
    "U[1,7]": 32,
    "D(0.9)[1,8]": 32,
    "D(0.768)[1,32]": 32,
    "U[1,14]": 32,
    "D(0.894)[1,32]": 32,
    FILLS_IN_FIVE: 8,
}
FOUR = Multicluster.equal(4, 32)
ONE_LARGE = Multicluster([128])
#: All of the four components of a job are non-zero.
COMPONENTS = 4

# --- Section 7.1, Table 5: sizes; and service times ---

#: D(q) counts 2, 4, 8, ... as powers of two, and not 1: the paper does not say, its Table 4 does.
FIVE = ("U[1,7]", "D(0.9)[1,8]", "D(0.768)[1,32]", "U[1,14]", "D(0.894)[1,32]")
#: 'The first three and the latter two have almost identical means.'
ALIKE = (FIVE[:3], FIVE[3:])
#: The one whose loss is not 'cut in half', and whose behaviour 'is reversed'.
EXCEPTION = FIVE[4]

#: 'From deterministic through exponential to hyperexponential with a cv of [3] up to [10]'.
#: Section 5 looks at the queue 'when a job departs'. So jobs that start together and run equally
#: long depart one by one, as in a program that handles one event after another: their run times
#: differ by less than a millionth. In the other reading all departures of an instant come first.
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
#: with a cv of [10]': the requests and service times of the four losses, as the paper orders them.
EXAMPLE = ((ORDERED, CALM), (UNORDERED, CALM), (ORDERED, WILD), (UNORDERED, WILD))

# --- Section 7 once more ---

#: What all results are for 'unless otherwise specified', beside the sizes. For unordered requests
#: there is no exact formula.
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

#: The log of the Cornell Theory Center; jobs of at most 128 processors are used.
LOG, LARGEST = "CTC-SP2", 128
#: 'The pairs consisting of the sizes and service times [...] as they appear in the log': in the
#: order of the log, or sampled at random. The paper does not say which.
IN_ORDER, DRAWN = "CTC in its order", "CTC, pairs drawn"
CTC = (IN_ORDER, DRAWN)
#: Sizes and service times of DAS1 are sampled independently. The log is not public; a stand-in has
#: its published moments.
DAS1 = "DAS1"
LOGS = (*CTC, DAS1)


def ctc_log() -> SwfLog:
    """Return the log, or a synthetic stand-in where it is not here."""
    (place,) = (each["found"] for each in listing() if each["name"] == LOG)
    return _read(place)


@lru_cache(maxsize=2)
def _read(place: str) -> SwfLog:
    """Return the log; `place` is where it is, which may change meanwhile."""
    return load_trace(LOG, missing="stand-in")


def ctc_jobs(request: str) -> JobStream:
    """Return the jobs of the log, whole, or for unordered requests split into equal components."""
    jobs = ctc_log().jobs(largest=LARGEST)
    return jobs.split(at_most=FOUR.largest) if request == UNORDERED else jobs


def das1_jobs(request: str) -> JobModel:
    """Return the model of the jobs of DAS1, whole or split into equal components."""
    jobs = JobModel(das1_sizes(), service=das1_service_times())
    if request == UNORDERED:
        return jobs.with_(split_at=FOUR.largest)
    return jobs.with_(request=TOTAL)


# --- Section 7.4, Figure 8: with co-allocation or without ---

#: 'The sum of 4 components generated from D(0.9) on [1,8].'
WITH_AND_WITHOUT = "D(0.9)[1,8]"


def slotted_sizes(name: str) -> SizeDistribution:
    """Return the sizes of a key of `SLOTTED`."""
    if name == FILLS_IN_FIVE:
        return SizeDistribution(np.array([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2]))
    return parse_sizes(name)
