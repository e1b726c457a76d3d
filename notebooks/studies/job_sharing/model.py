"""The paper's machines, ways of running jobs, policies and workloads, with their sections.

The paper is Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing
for Parallel Job Scheduling (2002). Comments mark everything that the paper does not have as ours.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import (
    BestFit,
    LeastLoaded,
    Placement,
    RandomFit,
)
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Scheduling
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.jann import shipped_workload
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, least_loaded, round_robin
from studies.inputs import first_fit, worst_fit
from studies.log_files import place_of

# --- Section 3: local execution, job sharing, multi-site execution, and a single machine ---

#: Three ways of running jobs. Local execution (section 3.1): each job runs at its own site. Job
#: sharing (section 3.2): each job runs on a single machine, which may be at any site. Multi-site
#: execution (section 3.3): a job runs on several machines if no single machine has room for it.
#: Section 3.2 of the paper backfills 'for the single machines', but section 2.4 describes one
#: central scheduler. We use one queue for all machines.
LOCAL, SHARING, MULTI_SITE = "local", "sharing", "multi-site"
#: A fourth way of running jobs (section 4.1): one machine with all 512 processors, which the paper
#: calls m512.
SINGLE = "single machine"
WAYS = (LOCAL, SHARING, MULTI_SITE, SINGLE)

#: The scheduling policies. The paper uses only EASY backfilling (section 3.1), and says that
#: conservative backfilling is less effective. Adaptive spanning comes from a later paper by the
#: same authors. We added FPFS and FCFS.
ADAPTIVE = "adaptive EASY"
POLICIES: dict[str, Scheduling] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FPFS(50)": FPFS(50),
    "FCFS": FCFS(),
    ADAPTIVE: EASY(adaptive=True),
}

#: The seed of the synthetic workload.
SEED = 2002


def _best_fit(system: Multicluster) -> Placement:
    return BestFit()


def _random_fit(system: Multicluster) -> Placement:
    return RandomFit(SEED)


#: The rules for choosing the machine that runs a job. The paper uses best fit (section 3.2). We
#: added the other rules.
BEST_FIT = "best fit"
PLACEMENTS: dict[str, Callable[[Multicluster], Placement]] = {
    BEST_FIT: _best_fit,
    "first fit": first_fit,
    "worst fit": worst_fit,
    "least loaded": LeastLoaded,
    "random": _random_fit,
}

#: The communication penalties of section 3.3. A job that spans several machines runs 1 + penalty
#: times as long.
PENALTIES = tuple(np.round(np.arange(0, 0.401, 0.05), 2).tolist())
#: Higher penalties that we added, because spanning breaks even beyond 40 % under some policies.
HIGHER_PENALTIES = (0.5, 0.6, 0.8, 1.0, 1.25, 1.5)
#: The largest penalty at which it still pays to span several machines, according to section 4.3 of
#: the paper.
PRINTED_PENALTY = 0.25

# --- Section 4.1, Table 1: the machines ---

CONFIGURATIONS = {name: Multicluster.named(name) for name in ("m64", "m128", "m256", "m384")}
#: The configuration of machines in Figures 4 and 7, and the configurations with machines of equal
#: size.
STANDARD, EQUAL = "m128", ("m128", "m256")

# --- Section 4.2: the workloads ---

#: The job log that the paper uses, and the number of jobs in each workload of the paper.
LOG, JOBS = "CTC-SP2", 10_000
#: The paper uses one synthetic workload and three extracts of the log, but does not say which jobs
#: the extracts contain. We divide the log into extracts and run all of them, and several samples
#: of a synthetic workload. For the synthetic workload the paper cites its reference [11]. The
#: references are sorted by author, so [11] comes between Hotovy [10] and Lifka [12]. The reference
#: may be Krallmann, Schwiegelshohn and Yahyapour (1999) or Jann and others (1997). We use the
#: model of Jann and others.
EXTRACTS, SYNTHETIC = "extracts of the log", "synthetic"
WORKLOADS = (EXTRACTS, SYNTHETIC)
#: Two numbers printed in the paper: a workload spans 'more than three months', which are 90 days
#: here, and 'the widest job [...] requests 336 processing nodes'.
PRINTED_DAYS, PRINTED_WIDEST = 90.0, 336

#: Three treatments of jobs that request more processors than a machine has. The paper divides these
#: jobs into subjobs as large as the machine at their own site (modification 1), or as large as the
#: largest machine (modification 2), or does not divide them (modification 3).
OF_SITE, OF_LARGEST, UNCHANGED = MODIFICATIONS


def _in_turn(jobs: JobStream, system: Multicluster) -> NDArray[np.int64]:
    return round_robin(jobs, len(system))


#: Two rules that choose the site at which each job is submitted. The paper assigns jobs to the
#: sites in turn. The rule that we added offers about the same load to each site.
IN_TURN, BY_SIZE = "in turn", "by size"
ASSIGNMENTS: dict[str, Callable[[JobStream, Multicluster], NDArray[np.int64]]] = {
    IN_TURN: _in_turn,
    BY_SIZE: least_loaded,
}


def workloads(draws: int = 20, seed: Seed = SEED) -> dict[str, tuple[JobStream, ...]]:
    """Return the extracts of the log, if it is available, and samples of the synthetic workload.

    Parameters
    ----------
    draws : int
        The number of samples of the synthetic workload.
    seed : Seed
        The seed of these samples.

    Returns
    -------
    dict
        The workloads of each kind, by ``"extracts of the log"`` and ``"synthetic"``.
    """
    found = {}
    place = place_of(LOG)
    if place:
        found[EXTRACTS] = _extracts(place, JOBS)
    seeds = spawn(seed, draws)
    parts = tuple((each.entropy, each.spawn_key) for each in seeds)
    found[SYNTHETIC] = _synthetic(parts, JOBS)
    return found


@lru_cache(maxsize=2)
def _extracts(place: str, count: int) -> tuple[JobStream, ...]:
    # The argument `place` is only a part of the cache key, because the log file may be fetched or
    # replaced while Python runs.
    jobs = load_trace(LOG, missing="error").jobs(request="total")
    ends = range(count, int((jobs.runtime > 0).sum()) + 1, count)
    return tuple(extract(jobs, end - count + 1, end) for end in ends)


@lru_cache(maxsize=4)
def _synthetic(seeds: tuple[tuple[Any, Any], ...], count: int) -> tuple[JobStream, ...]:
    # A SeedSequence cannot be a cache key, so each seed is given as its entropy and its spawn key.
    model = shipped_workload(LOG)
    spawned = (np.random.SeedSequence(entropy, spawn_key=key) for entropy, key in seeds)
    return tuple(model.sample(count, seed) for seed in spawned)
