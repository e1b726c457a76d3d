"""What the paper has, each with its section: machines, ways to run jobs, policies, workloads.

Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002). What is our own says so.
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
    FirstFit,
    LeastLoaded,
    Placement,
    RandomFit,
    WorstFit,
)
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Scheduling
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.jann import shipped_workload
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, least_loaded, round_robin

# --- Section 3: three ways to run jobs, and the bound that they are held against ---

#: 3.1: Each job runs at its own site. 3.2: Each job runs on one machine of any site. Section 3.2
#: backfills 'for the single machines', and Section 2.4 has a central scheduler; here one queue
#: serves all machines. 3.3: A job runs on several machines if no single one has room for it.
LOCAL, SHARING, MULTI_SITE = "local", "sharing", "multi-site"
#: 4.1: one large machine of all 512 processors, the configuration m512.
SINGLE = "single machine"
WAYS = (LOCAL, SHARING, MULTI_SITE, SINGLE)

#: 3.1: the paper has EASY alone, and says that conservative backfilling does worse. Adaptive
#: spanning is its authors' idea of a later paper; the rest is ours.
ADAPTIVE = "adaptive EASY"
POLICIES: dict[str, Scheduling] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FPFS(50)": FPFS(50),
    "FCFS": FCFS(),
    ADAPTIVE: EASY(adaptive=True),
}

#: Of the synthetic workload.
SEED = 2002


def _best_fit(system: Multicluster) -> Placement:
    return BestFit()


def _first_fit(system: Multicluster) -> Placement:
    return FirstFit()


def _worst_fit(system: Multicluster) -> Placement:
    return WorstFit()


def _random_fit(system: Multicluster) -> Placement:
    return RandomFit(SEED)


#: 3.2: the machine of a job is chosen by best fit; the other rules are ours.
BEST_FIT = "best fit"
PLACEMENTS: dict[str, Callable[[Multicluster], Placement]] = {
    BEST_FIT: _best_fit,
    "first fit": _first_fit,
    "worst fit": _worst_fit,
    "least loaded": LeastLoaded,
    "random": _random_fit,
}

#: 3.3: what a job that spans runs longer, as a share of its run time: 0 to 40 % in steps of 5 %.
PENALTIES = tuple(np.round(np.arange(0, 0.401, 0.05), 2).tolist())
#: 4.3: the penalty up to which spanning is beneficial, about.
PRINTED_PENALTY = 0.25

# --- Section 4.1, Table 1: the machines ---

CONFIGURATIONS = {name: Multicluster.named(name) for name in ("m64", "m128", "m256", "m384")}
#: The configuration of Figures 4 and 7, and those of equal machines.
STANDARD, EQUAL = "m128", ("m128", "m256")

# --- Section 4.2: the workloads ---

#: The log, and the jobs of a workload.
LOG, JOBS = "CTC-SP2", 10_000
#: The paper has three extracts of the log, not saying which, and one synthetic workload. Here all
#: extracts that follow one another are run, and several draws of a synthetic one.
EXTRACTS, SYNTHETIC = "extracts of the log", "synthetic"
WORKLOADS = (EXTRACTS, SYNTHETIC)
#: The synthetic one is from [11], between Hotovy [10] and Lifka [12] in a list by names: Krallmann,
#: Schwiegelshohn and Yahyapour (1999) as well as Jann and others (1997), whose model is ours.
#: 'More than three months', in days; 'the widest job [...] requests 336 processing nodes'.
PRINTED_DAYS, PRINTED_WIDEST = 90.0, 336

#: What becomes of jobs wider than a machine: pieces of the size of their own site's machine
#: (modification 1), of the largest machine (2), or nothing (3).
OF_SITE, OF_LARGEST, UNCHANGED = MODIFICATIONS


def _in_turn(jobs: JobStream, system: Multicluster) -> NDArray[np.int64]:
    return round_robin(jobs, len(system))


#: At which site each job is submitted: in turn. Of our own: such that all are offered one load.
IN_TURN, BY_SIZE = "in turn", "by size"
ASSIGNMENTS: dict[str, Callable[[JobStream, Multicluster], NDArray[np.int64]]] = {
    IN_TURN: _in_turn,
    BY_SIZE: least_loaded,
}


def workloads(draws: int = 20, seed: Seed = SEED) -> dict[str, tuple[JobStream, ...]]:
    """Return by name the extracts of the log, if it is here, and draws of a synthetic workload."""
    found = {}
    (place,) = (each["found"] for each in listing() if each["name"] == LOG)
    if place != "not fetched":
        found[EXTRACTS] = _extracts(place, JOBS)
    seeds = spawn(seed, draws)
    parts = tuple((each.entropy, each.spawn_key) for each in seeds)
    found[SYNTHETIC] = _synthetic(parts, JOBS)
    return found


@lru_cache(maxsize=2)
def _extracts(place: str, count: int) -> tuple[JobStream, ...]:
    """Return the extracts of the log; `place` is where it is, which may change meanwhile."""
    jobs = load_trace(LOG, missing="error").jobs(request="total")
    ends = range(count, int((jobs.runtime > 0).sum()) + 1, count)
    return tuple(extract(jobs, end - count + 1, end) for end in ends)


@lru_cache(maxsize=4)
def _synthetic(seeds: tuple[tuple[Any, Any], ...], count: int) -> tuple[JobStream, ...]:
    """Return a draw for each seed, given as its entropy and its key."""
    model = shipped_workload(LOG)
    spawned = (np.random.SeedSequence(entropy, spawn_key=key) for entropy, key in seeds)
    return tuple(model.sample(count, seed) for seed in spawned)
