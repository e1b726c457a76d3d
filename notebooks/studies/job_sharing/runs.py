"""What is run and what is measured of it: the settings of all figures and claims."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, not_negative, one_of, positive
from coalloc_lib.basics.seeds import parent
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Scheduling
from coalloc_lib.schedules.explain import waits_within
from coalloc_lib.schedules.schedule import WEIGHTS, Schedule
from coalloc_lib.simulation import sites
from coalloc_lib.statistics import DAY
from coalloc_lib.workloads.sites import MODIFICATIONS, modified
from studies.job_sharing import model
from studies.job_sharing.model import (
    ADAPTIVE,
    ASSIGNMENTS,
    BEST_FIT,
    CONFIGURATIONS,
    EQUAL,
    IN_TURN,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PENALTIES,
    PLACEMENTS,
    POLICIES,
    PRINTED_PENALTY,
    SHARING,
    SINGLE,
    STANDARD,
    UNCHANGED,
    WAYS,
    WORKLOADS,
)
from studies.study import Scale, Study, scales, six_digits

#: Users of all sites together, and those of their jobs that no machine had to take in pieces.
ALL_USERS, NOT_WIDE = "all users", "jobs that are not wide"
#: Some penalties, where no break-even is asked or near.
DOTS = (0.0, 0.1, PRINTED_PENALTY, 0.4)
#: Policies and penalties that are asked at each load.
AT_LOADS = (("EASY", 0.0), ("EASY", PRINTED_PENALTY), (ADAPTIVE, PRINTED_PENALTY))


@dataclass(frozen=True)
class Setting:
    """One way to run one workload on one configuration.

    The words are those of `model`; a configuration may be a `Multicluster` of your own, and a
    policy any `Scheduling`. With a `load`, the arrivals are sped up or slowed down until the jobs
    offer this load to all processors. By default wide jobs are pieces of the largest machine, and
    one machine of all processors holds them whole.
    """

    workload: str
    configuration: str | Multicluster
    way: str
    penalty: float = 0.0
    policy: str | Scheduling = "EASY"
    wide: str = ""
    placement: str = BEST_FIT
    assignment: str = IN_TURN
    load: float | None = None

    def __post_init__(self) -> None:
        one_of("workload", self.workload, WORKLOADS)
        one_of("way", self.way, WAYS)
        if not self.wide:
            object.__setattr__(self, "wide", UNCHANGED if self.way == SINGLE else OF_LARGEST)
        one_of("wide", self.wide, MODIFICATIONS)
        one_of("placement", self.placement, tuple(PLACEMENTS))
        one_of("assignment", self.assignment, tuple(ASSIGNMENTS))
        if not isinstance(self.configuration, Multicluster):
            one_of("configuration", self.configuration, tuple(CONFIGURATIONS))
        if not isinstance(self.policy, Scheduling):
            one_of("policy", self.policy, tuple(POLICIES))
        not_negative("penalty", self.penalty)
        if self.load is not None:
            positive("load", self.load)
        if self.penalty and self.way != MULTI_SITE:
            raise InputError(
                f"penalty = {self.penalty} is of jobs that span, and none does with way = "
                f"{self.way!r}; leave it out, or give way = {MULTI_SITE!r}"
            )

    @property
    def system(self) -> Multicluster:
        """The machines."""
        if isinstance(self.configuration, Multicluster):
            return self.configuration
        return CONFIGURATIONS[self.configuration]

    @property
    def scheduling(self) -> Scheduling:
        """The policy."""
        return self.policy if isinstance(self.policy, Scheduling) else POLICIES[self.policy]


# --- one run ---


class Run(NamedTuple):
    """A schedule of jobs and pieces: where each was submitted, and whether it is a piece."""

    schedule: Schedule
    site: NDArray[np.int64]
    is_piece: NDArray[np.bool_]


def simulate(setting: Setting, jobs: JobStream) -> Run:
    """Run jobs, wide ones in pieces, in the way of a setting."""
    system = setting.system
    if setting.load is not None:
        jobs = jobs.with_load(system, setting.load)
    site = ASSIGNMENTS[setting.assignment](jobs, system)
    chopped = modified(jobs, system, site, setting.wide)
    site = site[chopped.job]
    is_piece = np.bincount(chopped.job)[chopped.job] > 1
    return Run(schedule_of(setting, chopped.subjobs, site), site, is_piece)


def schedule_of(setting: Setting, pieces: JobStream, site: NDArray[np.int64]) -> Schedule:
    """Run the pieces in the way of a setting."""
    system = setting.system
    how: dict[str, Any] = {"scheduling": setting.scheduling}
    machine = PLACEMENTS[setting.placement](system)
    if setting.way == LOCAL:
        return sites.local(system, pieces, site, **how)
    if setting.way == SHARING:
        return sites.sharing(system, pieces, placement=machine, **how)
    if setting.way == SINGLE:
        return sites.single_machine(system, pieces, **how)
    return sites.multi_site(system, pieces, setting.penalty, single=machine, **how)


def measure(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield a row for each draw, group of users and weight; none where the log is not here."""
    draws = model.workloads(scale.draws, parent(seed)).get(setting.workload, ())
    for replication, jobs in enumerate(draws):
        run = simulate(setting, jobs)
        of_all = {
            "spanned": six_digits(run.schedule.spans.mean()),
            "share_waiting": six_digits(share_waiting(run.schedule)),
            "days": six_digits(np.ptp(jobs.submit) / DAY),
            "widest": int(jobs.processors.max()),
        }
        for users, theirs in groups_of_users(setting, run).items():
            for weight in WEIGHTS:
                row: dict[str, Any] = {"users": users, "weight": weight}
                found = awrt(run.schedule, theirs, weight)
                yield row | {"replication": replication, "awrt": six_digits(found)} | of_all


def groups_of_users(setting: Setting, run: Run) -> dict[str, NDArray[np.bool_]]:
    """Return whose jobs are looked at, by name.

    Where wide jobs are in pieces of their own site's machine, these are also the jobs that are not
    wide, and those of the users of the sites of each size.
    """
    groups = {ALL_USERS: np.full(len(run.site), True)}
    if setting.wide != OF_SITE:
        return groups
    groups[NOT_WIDE] = ~run.is_piece
    sizes = setting.system.as_array()
    for size in np.unique(sizes)[::-1]:
        groups[f"{(sizes == size).sum()} of {size}"] = sizes[run.site] == size
    return groups


def awrt(schedule: Schedule, theirs: NDArray[np.bool_], weight: str) -> float:
    """Return the AWRT of some jobs, in seconds.

    Section 4.3: response times weighted by work, as its prose has it, and by processors, as its
    formula has it.
    """
    weights = getattr(schedule.jobs, weight)[theirs]
    return float(np.average(schedule.response[theirs], weights=weights))


def share_waiting(schedule: Schedule) -> float:
    """Return the share of the time of the submissions in which some job waits."""
    submit = schedule.jobs.submit
    waits = waits_within(schedule, (submit.min(), submit.max()))
    return float(sum(length for _, length in waits) / np.ptp(submit))


# --- all runs ---


def settings(scale: Scale) -> Iterator[Setting]:
    """Yield what the figures and claims read, one workload after the other."""
    for workload in WORKLOADS:
        yield from break_evens(scale, workload)
        yield from wide_jobs(scale, workload)
        yield from joining(scale, workload)
        yield from adaptive(scale, workload)
        yield from loads(scale, workload)
        yield from other_policies(scale, workload)


def break_evens(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield every way to run, spanning at each penalty: Figures 4 to 6, break-evens by policy."""
    for configuration in CONFIGURATIONS:
        for policy in scale.policies:
            if policy != "EASY" and configuration not in scale.elsewhere:
                continue
            for penalty in scale.few if policy == "FCFS" else scale.penalties:
                yield Setting(workload, configuration, MULTI_SITE, penalty, policy)
            yield Setting(workload, configuration, LOCAL, policy=policy, wide=OF_SITE)
            yield Setting(workload, configuration, SINGLE, policy=policy)
            yield Setting(workload, configuration, SHARING, policy=policy)


def wide_jobs(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield what becomes of wide jobs: Figure 7."""
    for penalty in scale.few:
        for wide in (UNCHANGED, OF_LARGEST):
            yield Setting(workload, STANDARD, MULTI_SITE, penalty, wide=wide)


def joining(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield sites alone and sharing, by where jobs are submitted."""
    for configuration in scale.joined:
        for assignment in ASSIGNMENTS:
            for way in (SHARING, LOCAL):
                yield Setting(workload, configuration, way, wide=OF_SITE, assignment=assignment)


def adaptive(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield spanning at once, and only where it is sooner."""
    for configuration in ("m64", STANDARD):
        for policy in ("EASY", ADAPTIVE):
            for penalty in scale.few:
                yield Setting(workload, configuration, MULTI_SITE, penalty, policy)


def loads(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield the same jobs at other loads."""
    for load in scale.loads:
        yield Setting(workload, STANDARD, SHARING, load=load)
        for policy, penalty in AT_LOADS:
            yield Setting(workload, STANDARD, MULTI_SITE, penalty, policy, load=load)


def other_policies(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield conservative backfilling (JS-7), and other rules for choosing a machine (JS-8)."""
    for configuration in EQUAL if "conservative" in scale.policies else (STANDARD,):
        for policy in ("conservative", "EASY"):
            yield Setting(workload, configuration, LOCAL, policy=policy, wide=OF_SITE)
            for way in (SHARING, MULTI_SITE):
                yield Setting(workload, configuration, way, policy=policy)
    for placement in PLACEMENTS:
        yield Setting(workload, STANDARD, SHARING, placement=placement)


#: `draws` of the synthetic workload; `penalties`, and `few` where no break-even is asked or near;
#: `policies` whose break-even is asked, beside EASY on `elsewhere` only; configurations that are
#: `joined`; `loads` that jobs come at.
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span them?",
    seed=model.SEED,
    scales=scales(
        draws=(12, 20),
        penalties=((0.0, 0.1, 0.2, PRINTED_PENALTY, 0.3, 0.4), PENALTIES),
        few=(DOTS, PENALTIES),
        policies=(("EASY", "FCFS"), ("EASY", "conservative", "FPFS(50)", "FCFS")),
        elsewhere=(("m64", STANDARD), tuple(CONFIGURATIONS)),
        joined=((STANDARD, "m384"), tuple(CONFIGURATIONS)),
        loads=((0.4, 0.6, 0.8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    ),
    settings=settings,
    measure=measure,
    logs=(model.LOG,),
)
