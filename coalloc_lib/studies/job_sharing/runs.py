"""Every case that is run: a workload on a configuration, in a mode, under a policy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import sites
from coalloc_lib.bootstrap import DAY
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import Placement, SingleThenSpan
from coalloc_lib.scenario import Scenario
from coalloc_lib.schedule import WEIGHTS, Schedule
from coalloc_lib.scheduling import Patient, Scheduling
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.job_sharing.parameters import (
    ASSIGNMENTS,
    CHOICES,
    CONFIGURATIONS,
    IN_TURN,
    INFLATED,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    ONE,
    OVERHEADS,
    POLICIES,
    SHARING,
    TOLD_OF,
)
from coalloc_lib.studies.measurements import run_sweep
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.sites import MODIFICATIONS, modified

#: What figures say under their titles: the policy, where it is that of all, and the rest.
TOLD = "EASY with requested times"
COMMON = "weighted by processors × run time; intervals: 95 %, weeks drawn anew"


@dataclass(frozen=True, eq=False)
class Work:
    """A workload set.

    Attributes
    ----------
    name : str
    jobs : JobStream
        As the log has them, with the estimates that were requested.
    is_stand_in : bool
        Whether they come from a synthetic log in the place of the real one.
    """

    name: str
    jobs: JobStream
    is_stand_in: bool = False

    def __str__(self) -> str:
        return self.name

    @cached_property
    def days(self) -> NDArray[np.int64]:
        """The day on which each job is submitted, from 0."""
        return ((self.jobs.submit - self.jobs.submit.min()) // DAY).astype(np.int64)

    def weights(self, weight: str) -> NDArray[np.float64]:
        """Return the weights of all jobs of each day; chopping jobs does not change them."""
        each = self.jobs.work if weight == "work" else self.jobs.processors
        return np.bincount(self.days, weights=each).astype(float)


@dataclass(frozen=True)
class Case:
    """What is run.

    Attributes
    ----------
    work : Work
    configuration : str
        A key of `parameters.CONFIGURATIONS`.
    mode : {"local", "sharing", "multi-site", "single machine"}
    policy : str
        A key of `parameters.POLICIES`.
    overhead : float
        The share that spanning sites adds to a job's run time.
    wide : {"local", "largest", "unchanged"}
        What becomes of jobs wider than a machine.
    estimates : {"requested", "exact", "inflated"}
        What the policy is told: the users' words, the run time, or a multiple of it.
    choice : str
        A key of `parameters.CHOICES`: how the machine of a job is chosen.
    assignment : str
        A key of `parameters.ASSIGNMENTS`: at which site a job is submitted.
    patience : float
        Seconds for which a job waits for one machine before it spans several. What waits for ever
        is job sharing.
    """

    work: Work
    configuration: str
    mode: str
    policy: str = "EASY"
    overhead: float = 0.0
    wide: str = OF_LARGEST
    estimates: str = "requested"
    choice: str = "best fit"
    assignment: str = IN_TURN
    patience: float = 0.0

    def __post_init__(self) -> None:
        """Check the words, and that nothing is asked for that would choose nothing."""
        one_of("configuration", self.configuration, tuple(CONFIGURATIONS))
        one_of("mode", self.mode, (LOCAL, SHARING, MULTI_SITE, ONE))
        one_of("policy", self.policy, tuple(POLICIES))
        one_of("wide", self.wide, MODIFICATIONS)
        one_of("estimates", self.estimates, TOLD_OF)
        one_of("choice", self.choice, tuple(CHOICES))
        one_of("assignment", self.assignment, tuple(ASSIGNMENTS))
        for name in ("overhead", "patience"):
            value = getattr(self, name)
            if value and self.mode != MULTI_SITE:
                raise InputError(
                    f"{name} = {value} says how jobs span, and none does with mode = "
                    f"{self.mode!r}; leave it out, or give mode = {MULTI_SITE!r}"
                )

    @property
    def system(self) -> Multicluster:
        """The machines."""
        return CONFIGURATIONS[self.configuration]

    @property
    def scheduling(self) -> Scheduling:
        """The policy, with the patience that it has before jobs span."""
        policy = POLICIES[self.policy]
        return Patient(policy, self.patience) if self.patience else policy

    @property
    def placement(self) -> Placement:
        """How machines are chosen, and several of them where a job may span."""
        rule = self.machine
        return SingleThenSpan(rule) if self.mode == MULTI_SITE else rule

    @property
    def machine(self) -> Placement:
        """How the machine of a job is chosen that runs on one."""
        return CHOICES[self.choice](self.system)

    @property
    def scenario(self) -> Scenario:
        """The case as a scenario, as far as it is one queue."""
        system = Multicluster([self.system.processors]) if self.mode == ONE else self.system
        return Scenario(system, self.work.jobs, self.scheduling, self.placement)

    @property
    def site(self) -> NDArray[np.int64]:
        """The site at which each job is submitted."""
        return ASSIGNMENTS[self.assignment](self.work.jobs, self.system)

    def by_site(self, values: NDArray[np.float64], job: Any = slice(None)) -> NDArray[np.float64]:
        """Return the sums of what each job has, or each piece, shape (sites, days).

        `job` are the positions of the jobs that pieces are of.
        """
        days = int(self.work.days.max()) + 1
        at = (self.site * days + self.work.days)[job]
        size = len(self.system) * days
        sums = np.bincount(at, weights=values, minlength=size).astype(float)
        return sums.reshape(-1, days)

    def simulate(self) -> tuple[Schedule, NDArray[np.int64]]:
        """Return the schedule of all pieces, and the position of the job that each is of."""
        chopped = modified(_told(self.work.jobs, self.estimates), self.system, self.site, self.wide)
        how: dict[str, Any] = {"scheduling": self.scheduling}
        pieces: Schedule
        if self.mode == LOCAL:
            pieces = sites.local(self.system, chopped.pieces, self.site[chopped.job], **how)
        elif self.mode == SHARING:
            how["placement"] = self.placement
            pieces = sites.sharing(self.system, chopped.pieces, **how)
        elif self.mode == MULTI_SITE:
            how |= {"single": self.machine, "engine": "reference" if self.patience else "compiled"}
            pieces = sites.multi_site(self.system, chopped.pieces, self.overhead, **how)
        else:
            pieces = sites.single_machine(self.system, chopped.pieces, **how)
        return pieces, chopped.job


def _told(jobs: JobStream, estimates: str) -> JobStream:
    if estimates == "requested":
        return jobs
    return jobs.replace(estimate=INFLATED * jobs.runtime if estimates == "inflated" else None)


@dataclass(frozen=True)
class Found:
    """What a run gives.

    Attributes
    ----------
    sums : dict of ndarray, shape (days,)
        By weight: of the jobs of each day, weights times response times.
    spanned : float
        Share of the jobs that ran on several machines.
    of_site : ndarray, shape (sites, days)
        Of the jobs of each site and day, work times response times. No rows where wide jobs are not
        in pieces of their site, which alone could run there too.
    """

    sums: dict[str, NDArray[np.float64]]
    spanned: float
    of_site: NDArray[np.float64]


def run(case: Case, seed: Seed) -> dict[str, float]:
    """Simulate a case; return its sums as numbers. Nothing in it is random."""
    return measured(case, *case.simulate())


def measured(case: Case, schedule: Schedule, job: NDArray[np.int64]) -> dict[str, float]:
    """Return the sums of a case that `Case.simulate` has run, as numbers."""
    columns: dict[str, float] = {"spanned": float(schedule.spans.mean())}
    day = case.work.days[job]
    for weight in WEIGHTS:
        each = schedule.jobs.work if weight == "work" else schedule.jobs.processors
        top = np.bincount(day, weights=each * schedule.response)
        columns |= {f"{weight} {i}": value for i, value in enumerate(top)}
    if case.wide == OF_SITE:
        of_sites = case.by_site(schedule.jobs.work * schedule.response, job)
        columns |= {f"site {at}": float(value) for at, value in enumerate(of_sites.ravel())}
    return columns


def run_cases(cases: Iterable[Case], seed: Seed, **how: Any) -> dict[Case, Found]:
    """Run cases, each once; `how` is for `coalloc_lib.sweep.sweep`."""
    cases = list(dict.fromkeys(cases))
    rows = run_sweep(run, [{"case": case} for case in cases], seed=seed, **how).to_dict("records")
    return {case: found_of(case, row) for case, row in zip(cases, rows, strict=True)}


def found_of(case: Case, row: Mapping[Any, float]) -> Found:
    """Return what `run` has found of a case, from its numbers."""
    days = range(int(case.work.days.max()) + 1)
    sums = {weight: np.array([row[f"{weight} {i}"] for i in days]) for weight in WEIGHTS}
    sites = len(case.system) if case.wide == OF_SITE else 0
    of_site = np.array([row[f"site {at}"] for at in range(sites * len(days))])
    return Found(sums, row["spanned"], of_site.reshape(sites, len(days)))


def awrt(case: Case, found: Mapping[Any, Found], weight: str) -> float:
    """Return the AWRT of a case, in seconds."""
    return float(found[case].sums[weight].sum() / case.work.weights(weight).sum())


def spanning(work: Work, configuration: str, policy: str = "EASY", **how: Any) -> dict[float, Case]:
    """Return multi-site execution at each overhead."""
    return {p: Case(work, configuration, MULTI_SITE, policy, p, **how) for p in OVERHEADS}


def titled(works: Iterable[Work]) -> str:
    """Return the words that a figure from a stand-in must carry."""
    stand_in = any(work.is_stand_in for work in works)
    return f"{COMMON}; CTC-SP2 (synthetic stand-in)" if stand_in else f"{COMMON}; CTC-SP2"
