"""What is run: four workloads on four configurations; what the paper fixes, what it leaves open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import sites
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.intervals import DAY, Resamples, resample_sums
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import BestFit, FirstFit, LeastLoaded, Placement, RandomFit, WorstFit
from coalloc_lib.schedule import WEIGHTS, Schedule
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.core import Results, Scale
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.jann import fit_workload
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, least_loaded, modified, round_robin

#: Of the synthetic workload, and of the weeks that are drawn anew.
SEED = 2002
#: Table 1, but for the one machine of 512 that the others are held against.
CONFIGURATIONS = {name: Multicluster.named(name) for name in ("m64", "m128", "m256", "m384")}
#: That of Figures 4 and 7, and those of equal machines.
STANDARD, EQUAL = "m128", ("m128", "m256")
#: Overheads of jobs that span sites, and the one up to which the paper has spanning win on m128.
OVERHEADS = tuple(np.round(np.arange(0, 0.401, 0.05), 2).tolist())
PRINTED_OVERHEAD = 0.25
#: How jobs run: each at its site, on one machine of any site, on several, or on one large machine.
MODES = LOCAL, SHARING, MULTI_SITE, SINGLE = "local", "sharing", "multi-site", "single machine"
#: What becomes of jobs wider than a machine (section 4.2): pieces of the size of the local machine,
#: pieces of the size of the largest, or nothing.
OF_SITE, OF_LARGEST, UNCHANGED = MODIFICATIONS
#: The paper has EASY alone.
POLICIES = {"EASY": EASY(), "conservative": Conservative(), "FPFS(50)": FPFS(50), "FCFS": FCFS()}
#: How the machine of a job is chosen; the paper has best fit.
PLACEMENTS: dict[str, Callable[[Multicluster], Placement]] = {
    "best fit": lambda system: BestFit(), "first fit": lambda system: FirstFit(),
    "worst fit": lambda system: WorstFit(), "least loaded": LeastLoaded,
    "random": lambda system: RandomFit(SEED),
}  # fmt: skip
#: Where jobs are submitted: in turn, as in the paper, or such that all sites are offered one load.
ASSIGNMENTS: dict[str, Callable[[JobStream, Multicluster], NDArray[np.int64]]] = {
    "in turn": lambda jobs, system: round_robin(jobs, len(system)),
    "by size": least_loaded,
}
#: The log, jobs of a workload, and where extracts begin: the paper does not say which it took.
LOG, JOBS, BEGINS = "CTC-SP2", 10_000, (0, 20_000, 40_000)
SYNTHETIC = "synthetic"
WEEK = 7  # days of a block of the bootstrap


@dataclass(frozen=True, eq=False)
class Work:
    """A workload set: its name, and its jobs with the times that their users requested."""

    name: str
    jobs: JobStream

    @cached_property
    def day(self) -> NDArray[np.int64]:
        """The day on which each job is submitted, from 0."""
        return ((self.jobs.submit - self.jobs.submit.min()) // DAY).astype(np.int64)


def workload_sets(seed: Seed = SEED) -> dict[str, Work]:
    """Return the workload sets by name: extracts of the log or stand-in, and a synthetic one."""
    (place,) = (each["found"] for each in listing() if each["name"] == LOG)
    return dict(_sets_of(place, seed))


@lru_cache(maxsize=4)
def _sets_of(place: str, seed: Seed) -> dict[str, Work]:
    """Make the workload sets; `place` is where the log is, which may change while Python runs."""
    log = load_trace(LOG, missing="stand-in")
    jobs, which = log.jobs(request="total"), " (stand-in)" * log.is_stand_in
    sets = {
        f"jobs {begin + 1:,}–{begin + JOBS:,}{which}": extract(jobs, begin + 1, begin + JOBS)
        for begin in BEGINS
        if begin + JOBS <= len(jobs)
    }
    sets[SYNTHETIC] = fit_workload(jobs).sample(JOBS, seed)
    return {name: Work(name, each) for name, each in sets.items()}


@dataclass(frozen=True)
class Sums:
    """By weight, site and day: weights times response times, and weights; share that spanned."""

    above: dict[str, NDArray[np.float64]]
    below: dict[str, NDArray[np.float64]]
    spanned: float


@dataclass(frozen=True)
class Case:
    """A workload on a configuration; words are keys of the tables above."""

    work: Work
    configuration: str
    mode: str
    policy: str = "EASY"
    overhead: float = 0.0
    wide: str = OF_LARGEST
    placement: str = "best fit"
    assignment: str = "in turn"

    def __post_init__(self) -> None:
        known = {"configuration": CONFIGURATIONS, "mode": MODES, "policy": POLICIES}
        known |= {"wide": MODIFICATIONS, "placement": PLACEMENTS, "assignment": ASSIGNMENTS}
        for name, words in known.items():
            one_of(name, getattr(self, name), tuple(words))
        if self.overhead and self.mode != MULTI_SITE:
            raise InputError(
                f"overhead = {self.overhead} is of jobs that span, and none does with mode = "
                f"{self.mode!r}; leave it out, or give mode = {MULTI_SITE!r}"
            )

    @property
    def system(self) -> Multicluster:
        """The machines."""
        return CONFIGURATIONS[self.configuration]

    @property
    def site(self) -> NDArray[np.int64]:
        """The site at which each job is submitted."""
        return ASSIGNMENTS[self.assignment](self.work.jobs, self.system)

    def simulate(self) -> tuple[Schedule, NDArray[np.int64]]:
        """Return the schedule of all pieces, and the position of the job that each is of."""
        system, site = self.system, self.site
        chopped = modified(self.work.jobs, system, site, self.wide)
        machine = PLACEMENTS[self.placement](system)
        ways: dict[str, Callable[..., Schedule]] = {
            LOCAL: partial(sites.local, site=site[chopped.job]),
            SHARING: partial(sites.sharing, placement=machine),
            MULTI_SITE: partial(sites.multi_site, span_penalty=self.overhead, single=machine),
            SINGLE: sites.single_machine,
        }
        schedule = ways[self.mode](system, chopped.pieces, scheduling=POLICIES[self.policy])
        return schedule, chopped.job

    def sums(self, schedule: Schedule, job: NDArray[np.int64]) -> Sums:
        """Return the sums of what `simulate` has returned."""
        day, shape = self.work.day, (len(self.system), int(self.work.day.max()) + 1)
        at = self.site * shape[1] + day

        def by_site(values: NDArray[Any], at: NDArray[np.int64]) -> NDArray[Any]:
            return np.bincount(at, values, minlength=shape[0] * shape[1]).reshape(shape)

        return Sums(
            {w: by_site(getattr(schedule.jobs, w) * schedule.response, at[job]) for w in WEIGHTS},
            {w: by_site(getattr(self.work.jobs, w), at) for w in WEIGHTS},
            float(schedule.spans.mean()),
        )

    def measure(self, scale: Scale, seed: Seed) -> Sums:
        """Return the sums; nothing in a case is random."""
        return self.sums(*self.simulate())


def spanning(work: Work, configuration: str, policy: str = "EASY") -> list[Case]:
    """Return multi-site execution at each overhead."""
    return [Case(work, configuration, MULTI_SITE, policy, p) for p in OVERHEADS]


def resampled(
    results: Results, cases: Sequence[Case], weight: str = "work", mine: Any = slice(None)
) -> Resamples:
    """Return the AWRT of cases of one workload, of users of some sites, with weeks drawn anew."""
    sums = [results[case] for case in cases]
    above = np.stack([each.above[weight][mine].sum(axis=0) for each in sums])
    below = np.stack([each.below[weight][mine].sum(axis=0) for each in sums])
    return resample_sums(above, below, WEEK, resamples=results.scale.resamples, seed=SEED)


def ratio(means: NDArray[np.float64]) -> float:
    """Return the AWRT of the first of two cases over that of the second."""
    return float(means[0] / means[1])


def break_even(means: NDArray[np.float64]) -> float:
    """Return the overhead from which on spanning loses, from AWRTs at each and of job sharing.

    ``-inf`` where it loses at once, ``inf`` where it never does; linear in between.
    """
    more = means[:-1] - means[-1]
    after = int((more > 0).argmax())
    if more[after] <= 0 or after == 0:
        return np.inf if more[after] <= 0 else -np.inf
    part = -more[after - 1] / (more[after] - more[after - 1])
    return float(OVERHEADS[after - 1] + part * (OVERHEADS[after] - OVERHEADS[after - 1]))
