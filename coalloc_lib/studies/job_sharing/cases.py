"""What is run: four workloads on four configurations; what the paper fixes, what it leaves open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import sites
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.explain import waits_within
from coalloc_lib.intervals import Interval, Sample, crossing
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import BestFit, FirstFit, LeastLoaded, Placement, RandomFit, WorstFit
from coalloc_lib.schedule import WEIGHTS, Schedule
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.studies.core import Results, Scale
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.jann import shipped_workload
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, least_loaded, modified, round_robin

#: Of the synthetic workload.
SEED = 2002
#: Table 1, but for the one machine of 512 that the others are held against.
CONFIGURATIONS = {name: Multicluster.named(name) for name in ("m64", "m128", "m256", "m384")}
#: That of Figures 4 and 7, and those of equal machines.
STANDARD, EQUAL = "m128", ("m128", "m256")
#: Penalties of jobs that span sites, the paper's overhead p; up to which one it has them win.
PENALTIES = tuple(np.round(np.arange(0, 0.401, 0.05), 2).tolist())
PRINTED_PENALTY = 0.25
#: How jobs run: each at its site, on one machine of any site, on several, or on one large machine.
MODES = LOCAL, SHARING, MULTI_SITE, SINGLE = "local", "sharing", "multi-site", "single machine"
#: What becomes of jobs wider than a machine (section 4.2): pieces of the size of the local machine,
#: pieces of the size of the largest, or nothing. Of our own: they are left out.
OF_SITE, OF_LARGEST, UNCHANGED = MODIFICATIONS
LEFT_OUT = "left out"
#: The paper has EASY alone; adaptive is its authors' idea of a later paper.
ADAPTIVE = "adaptive EASY"
POLICIES = {"EASY": EASY(), "conservative": Conservative(), "FPFS(50)": FPFS(50), "FCFS": FCFS()}
POLICIES[ADAPTIVE] = EASY(adaptive=True)
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
#: What the fields of a case may be.
KNOWN: dict[str, Any] = {
    "configuration": CONFIGURATIONS, "mode": MODES, "policy": POLICIES, "placement": PLACEMENTS,
    "wide": (*MODIFICATIONS, LEFT_OUT), "assignment": ASSIGNMENTS,
}  # fmt: skip
#: The log, and the jobs of a draw.
LOG, JOBS = "CTC-SP2", 10_000
#: The workloads. The paper has three extracts, not saying which, and one synthetic draw.
EXTRACTS, SYNTHETIC = "extracts of the log", "synthetic"


@dataclass(frozen=True, eq=False)
class Work:
    """A workload: its name, and its draws, each with the times that the users requested."""

    name: str
    draws: tuple[JobStream, ...]


def workload_sets(draws: int = 20, seed: Seed = SEED) -> dict[str, Work]:
    """Return by name all extracts of the log that follow one another, if it is here, and draws."""
    (place,) = (each["found"] for each in listing() if each["name"] == LOG)
    return dict(_sets_of(place, draws, seed))


@lru_cache(maxsize=4)
def _sets_of(place: str, draws: int, seed: Seed) -> dict[str, Work]:
    """Make the workloads; `place` is where the log is, which may change while Python runs."""
    sets, model = {}, shipped_workload(LOG)
    if place != "not fetched":
        jobs = load_trace(LOG, missing="error").jobs(request="total")
        ends = range(JOBS, int((jobs.runtime > 0).sum()) + 1, JOBS)
        sets[EXTRACTS] = tuple(extract(jobs, end - JOBS + 1, end) for end in ends)
    sets[SYNTHETIC] = tuple(model.sample(JOBS, each) for each in spawn(seed, draws))
    return {name: Work(name, streams) for name, streams in sets.items()}


@dataclass(frozen=True)
class Runs:
    """What came out, a row a draw."""

    #: By weight, weights times response times and weights, of the users of each site.
    above: dict[str, NDArray[np.float64]]
    below: dict[str, NDArray[np.float64]]
    #: Of the jobs those that spanned, and of the time that in which some job waited.
    spanned: NDArray[np.float64]
    backlog: NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A workload on a configuration; words are those of the tables above.

    The penalty is that on two sites; each further one adds `growth` times as much. With a `load`
    jobs come as many times faster, or slower, as it takes to offer it to all processors.
    """

    work: Work
    configuration: str
    mode: str
    policy: str = "EASY"
    penalty: float = 0.0
    wide: str = OF_LARGEST
    placement: str = "best fit"
    assignment: str = "in turn"
    growth: float = 0.0
    load: float | None = None

    def __post_init__(self) -> None:
        for name, words in KNOWN.items():
            one_of(name, getattr(self, name), tuple(words))
        if self.penalty and self.mode != MULTI_SITE:
            raise InputError(
                f"penalty = {self.penalty} is of jobs that span, and none does with mode = "
                f"{self.mode!r}; leave it out, or give mode = {MULTI_SITE!r}"
            )

    @property
    def system(self) -> Multicluster:
        """The machines."""
        return CONFIGURATIONS[self.configuration]

    @property
    def by_sites(self) -> dict[int, float]:
        """The penalty on 2, 3, ... sites."""
        most = len(self.system) if self.growth else 2
        return {k: self.penalty * (1 + self.growth * (k - 2)) for k in range(2, most + 1)}

    def simulate(self, jobs: JobStream) -> tuple[Schedule, NDArray[np.int64]]:
        """Return the schedule of all pieces, and the site at which each was submitted."""
        system = self.system
        jobs = jobs if self.load is None else jobs.with_load(system, self.load)
        if self.wide == LEFT_OUT:
            jobs = jobs[jobs.processors <= system.largest]
        site = ASSIGNMENTS[self.assignment](jobs, system)
        chopped = modified(jobs, system, site, OF_SITE if self.wide == LEFT_OUT else self.wide)
        site, machine = site[chopped.job], PLACEMENTS[self.placement](system)
        ways: dict[str, tuple[Callable[..., Schedule], dict]] = {
            LOCAL: (sites.local, {"site": site}), SHARING: (sites.sharing, {"placement": machine}),
            MULTI_SITE: (sites.multi_site, {"span_penalty": self.by_sites, "single": machine}),
            SINGLE: (sites.single_machine, {}),
        }  # fmt: skip
        run, how = ways[self.mode]
        return run(system, chopped.pieces, scheduling=POLICIES[self.policy], **how), site

    def measure(self, scale: Scale, seed: Seed) -> Runs:
        """Run every draw; nothing in a case is random."""
        ran, n = [self.simulate(jobs) for jobs in self.work.draws], len(self.system)
        above, below = (
            {
                w: np.array([np.bincount(at, getattr(s.jobs, w) * each(s), n) for s, at in ran])
                for w in WEIGHTS
            }
            for each in (attrgetter("response"), lambda schedule: 1.0)
        )
        of_draws = [(schedule.spans.mean(), share_waiting(schedule)) for schedule, _ in ran]
        return Runs(above, below, *np.array(of_draws).T)


def share_waiting(schedule: Schedule) -> float:
    """Return the share of the time of the submissions in which some job waits."""
    submit = schedule.jobs.submit
    waits = waits_within(schedule, (submit.min(), submit.max()))
    return float(sum(length for _, length in waits) / np.ptp(submit))


def spanning(work: Work, m: str, penalties: Sequence[float], **how: Any) -> list[Case]:
    """Return multi-site execution at each penalty."""
    return [Case(work, m, MULTI_SITE, penalty=p, **how) for p in penalties]


def awrt(results: Results, case: Case, weight: str = "work", mine: Any = slice(None)) -> NDArray:
    """Return the AWRT of a case in each draw, of the users of some sites, in seconds."""
    runs = results[case]
    return runs.above[weight][:, mine].sum(axis=1) / runs.below[weight][:, mine].sum(axis=1)


def over(results: Results, one: Case, other: Case, *of: Any) -> Sample:
    """Return the AWRT of one case over that of another in each draw."""
    return Sample(awrt(results, one, *of) / awrt(results, other, *of))


def sharing_lost(results: Results, line: Sequence[Case], *of: Any) -> NDArray[np.float64]:
    """Return by draw and penalty what spanning has more than sharing, the last case of a line."""
    return np.array([over(results, case, line[-1], *of).values - 1 for case in line[:-3]]).T


def break_evens(results: Results, line: Sequence[Case]) -> tuple[NDArray[np.float64], Sample]:
    """Return by draw the penalty at break-even, infinite beyond those tried, and at most these."""
    values = np.array([break_even(row, along(line)) for row in sharing_lost(results, line)])
    return values, Sample(np.clip(values, 0, along(line)[-1]))


def mean_break_even(results: Results, line: Sequence[Case], *of: Any) -> Interval:
    """Return the penalty at which the mean over the draws breaks even, with its interval."""
    lost, ends = sharing_lost(results, line, *of), along(line)

    def at(p: float) -> Sample:
        return Sample(np.array([np.interp(p, ends, row) for row in lost]))

    return crossing(at, 0.0, ends[-1]).interval


def with_open_ends(found: Interval, below: Any, above: Any) -> Interval:
    """Return an interval with infinite ends: what counted as an end may lie anywhere beyond it."""
    low, high = -np.inf if below else found.low, np.inf if above else found.high
    return replace(found, low=low, high=high)


def of_a_draw(results: Results, line: Sequence[Case], kind: str = "prediction") -> Interval:
    """Return where a draw breaks even, or of ``interval`` the mean; open ends beyond penalties."""
    values, known = break_evens(results, line)
    return with_open_ends(getattr(known, kind), -np.inf in values, np.inf in values)


def less(results: Results, one: Sequence[Case], other: Sequence[Case]) -> Interval:
    """Return the penalty at break-even of one line less that of another, draw by draw if alike."""
    # With a draw beyond the penalties it is known from one side alone: the other end is infinite.
    (ours, first), (theirs, second) = (break_evens(results, each) for each in (one, other))
    alike = one[-1].work is other[-1].work
    found = (first - second).interval if alike else first.less_unpaired(second)
    below, above = -np.inf in ours or np.inf in theirs, np.inf in ours or -np.inf in theirs
    return with_open_ends(found, below, above)


def along(line: Sequence[Case]) -> list[float]:
    """Return the penalties of a line; its last three cases are the other ways to run."""
    return [case.penalty for case in line[:-3]]


def break_even(lost: NDArray[np.float64], penalties: Sequence[float] = PENALTIES) -> float:
    """Return the penalty from which on spanning loses; ``-inf`` at once, ``inf`` never."""
    after = int((lost > 0).argmax())
    if lost[after] <= 0 or after == 0:
        return np.inf if lost[after] <= 0 else -np.inf
    part = -lost[after - 1] / (lost[after] - lost[after - 1])
    return float(penalties[after - 1] + part * (penalties[after] - penalties[after - 1]))
