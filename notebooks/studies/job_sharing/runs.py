"""The settings that the figures and claims of the study need, and the measurement of each."""

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
from coalloc_lib.schedules.schedule import WEIGHTS, Schedule, weighted_mean, weights_of
from coalloc_lib.simulation import sites
from coalloc_lib.statistics import DAY
from coalloc_lib.workloads.sites import MODIFICATIONS, modified
from studies.inputs import named
from studies.job_sharing import model
from studies.job_sharing.model import (
    ADAPTIVE,
    ASSIGNMENTS,
    BEST_FIT,
    CONFIGURATIONS,
    EQUAL,
    HIGHER_PENALTIES,
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

#: The names of two groups of jobs whose average weighted response time (AWRT) is measured: all
#: jobs, and the jobs that were not divided into subjobs.
ALL_USERS, NOT_WIDE = "all users", "jobs that are not wide"
#: The communication penalties that are simulated if no break-even penalty is computed from the
#: runs.
DOTS = (0.0, 0.1, PRINTED_PENALTY, 0.4)
#: The pairs (policy, communication penalty) that are simulated at each offered load.
AT_LOADS = (("EASY", 0.0), ("EASY", PRINTED_PENALTY), (ADAPTIVE, PRINTED_PENALTY))


@dataclass(frozen=True)
class Setting:
    """The parameters of one simulation: a workload, machines, a policy and a penalty.

    Parameters
    ----------
    workload, way, wide, placement, assignment : str
        Names that are defined in `model`. By default, wide jobs are divided into subjobs of the
        size of the largest machine, except on a single machine, which runs them whole.
    configuration : str or Multicluster
        A configuration of the paper, or any other multicluster.
    penalty : float
        How much longer a job runs if it spans machines, as a share of its run time.
    policy : str or Scheduling
        A policy of `model.POLICIES`, or any other policy.
    load : float, optional
        The offered load. The times between submissions are scaled until the jobs offer this load to
        all processors. By default the submissions stay as they are.
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
                f"penalty = {self.penalty} has no effect, because no job spans machines if way is "
                f"{self.way!r}; leave the penalty out, or give way = {MULTI_SITE!r}"
            )

    @property
    def system(self) -> Multicluster:
        """The machines of all sites as one multicluster."""
        if isinstance(self.configuration, Multicluster):
            return self.configuration
        return CONFIGURATIONS[self.configuration]

    @property
    def scheduling(self) -> Scheduling:
        """The policy object, which is looked up if `policy` is a name."""
        return named(self.policy, POLICIES)


# --- one run ---


class Run(NamedTuple):
    """A simulated schedule, with the site of each job and a mask of the subjobs of wide jobs.

    `site` has the site at which each job was submitted, and `is_piece` says whether a job is a
    subjob.
    """

    schedule: Schedule
    site: NDArray[np.int64]
    is_piece: NDArray[np.bool_]


def simulate(setting: Setting, jobs: JobStream) -> Run:
    """Divide the wide jobs of a workload into subjobs, and simulate the workload in a setting."""
    system = setting.system
    if setting.load is not None:
        jobs = jobs.with_load(system, setting.load)
    site = ASSIGNMENTS[setting.assignment](jobs, system)
    chopped = modified(jobs, system, site, setting.wide)
    site = site[chopped.job]
    is_piece = np.bincount(chopped.job)[chopped.job] > 1
    return Run(schedule_of(setting, chopped.subjobs, site), site, is_piece)


def schedule_of(setting: Setting, subjobs: JobStream, site: NDArray[np.int64]) -> Schedule:
    """Simulate jobs that are already divided into subjobs, and return their schedule.

    `site` has the site at which each job was submitted.
    """
    system, scheduling = setting.system, setting.scheduling
    placement = PLACEMENTS[setting.placement](system)
    if setting.way == LOCAL:
        return sites.local(system, subjobs, site, scheduling=scheduling)
    if setting.way == SHARING:
        return sites.sharing(system, subjobs, placement=placement, scheduling=scheduling)
    if setting.way == SINGLE:
        return sites.single_machine(system, subjobs, scheduling=scheduling)
    return sites.multi_site(
        system, subjobs, setting.penalty, single=placement, scheduling=scheduling
    )


def measure(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Measure weighted response times by sampled workload, group of jobs and weight.

    Each combination is one row. Nothing is yielded if the setting needs a log that was not fetched.
    """
    draws = model.workloads(scale.draws, parent(seed)).get(setting.workload, ())
    for replication, jobs in enumerate(draws):
        run = simulate(setting, jobs)
        of_all = {
            "spanned": six_digits(run.schedule.spans.mean()),
            "share_waiting": six_digits(share_waiting(run.schedule)),
            "days": six_digits(np.ptp(jobs.submit) / DAY),
            "widest": int(jobs.processors.max()),
        }
        for users, in_group in groups_of_users(setting, run).items():
            for weight in WEIGHTS:
                row: dict[str, Any] = {"users": users, "weight": weight}
                found = awrt(run.schedule, in_group, weight)
                yield row | {"replication": replication, "awrt": six_digits(found)} | of_all


def groups_of_users(setting: Setting, run: Run) -> dict[str, NDArray[np.bool_]]:
    """Return boolean masks of the groups of jobs whose weighted response time is measured.

    One group has all jobs. If wide jobs are divided into subjobs of the size of their own site's
    machine, there is also a group of the jobs that were not divided, and a group of the jobs from
    all sites of the same size.
    """
    groups = {ALL_USERS: np.full(len(run.site), True)}
    if setting.wide != OF_SITE:
        return groups
    groups[NOT_WIDE] = ~run.is_piece
    sizes = setting.system.as_array()
    for size in np.unique(sizes)[::-1]:
        groups[name_of_sites((sizes == size).sum(), size)] = sizes[run.site] == size
    return groups


def name_of_sites(count: int, size: int) -> str:
    """Return the name of the group of the jobs from all sites of one size, such as ``4 of 16``."""
    return f"{count} of {size}"


def awrt(schedule: Schedule, in_group: NDArray[np.bool_], weight: str) -> float:
    """Return the average weighted response time (AWRT) of a group of jobs, in seconds.

    The prose of section 4.3 weights each response time by the work of the job, and its formula by
    the processors of the job.
    """
    weights = weights_of(schedule.jobs, weight)[in_group]
    return weighted_mean(schedule.response[in_group], weights)


def share_waiting(schedule: Schedule) -> float:
    """Return the fraction of the submission period in which at least one job waits.

    The submission period lasts from the first to the last submission.
    """
    submit = schedule.jobs.submit
    waits = waits_within(schedule, (submit.min(), submit.max()))
    return float(sum(length for _, length in waits) / np.ptp(submit))


# --- all runs ---


def settings(scale: Scale) -> Iterator[Setting]:
    """Yield all settings that the figures and claims need, one workload after the other."""
    for workload in WORKLOADS:
        yield from break_evens(scale, workload)
        yield from wide_jobs(scale, workload)
        yield from joining(scale, workload)
        yield from adaptive(scale, workload)
        yield from loads(scale, workload)
        yield from other_policies(scale, workload)


def break_evens(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield the settings for Figures 4 to 6, and for the break-even penalties of spanning."""
    for configuration in CONFIGURATIONS:
        for policy in scale.policies:
            if policy != "EASY" and configuration not in scale.elsewhere:
                continue
            for penalty in scale.penalties:
                yield Setting(workload, configuration, MULTI_SITE, penalty, policy)
            yield Setting(workload, configuration, LOCAL, policy=policy, wide=OF_SITE)
            yield Setting(workload, configuration, SINGLE, policy=policy)
            yield Setting(workload, configuration, SHARING, policy=policy)


def wide_jobs(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield the settings for Figure 7: spanning with undivided and with divided wide jobs."""
    for penalty in scale.few:
        for wide in (UNCHANGED, OF_LARGEST):
            yield Setting(workload, STANDARD, MULTI_SITE, penalty, wide=wide)


def joining(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield settings that compare sharing with local execution, for each assignment to sites."""
    for configuration in scale.joined:
        for assignment in ASSIGNMENTS:
            for way in (SHARING, LOCAL):
                yield Setting(workload, configuration, way, wide=OF_SITE, assignment=assignment)


def adaptive(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield settings that compare immediate spanning with adaptive spanning."""
    for configuration in ("m64", STANDARD):
        for policy in ("EASY", ADAPTIVE):
            for penalty in scale.few:
                yield Setting(workload, configuration, MULTI_SITE, penalty, policy)


def loads(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield settings that compare job sharing with spanning at several offered loads."""
    for load in scale.loads:
        yield Setting(workload, STANDARD, SHARING, load=load)
        for policy, penalty in AT_LOADS:
            yield Setting(workload, STANDARD, MULTI_SITE, penalty, policy, load=load)


def other_policies(scale: Scale, workload: str) -> Iterator[Setting]:
    """Yield settings with conservative backfilling, and then with other placements."""
    for configuration in EQUAL if "conservative" in scale.policies else (STANDARD,):
        for policy in ("conservative", "EASY"):
            yield Setting(workload, configuration, LOCAL, policy=policy, wide=OF_SITE)
            for way in (SHARING, MULTI_SITE):
                yield Setting(workload, configuration, way, policy=policy)
    for placement in PLACEMENTS:
        yield Setting(workload, STANDARD, SHARING, placement=placement)


#: The study of job sharing. Each scale of the study sets these values:
#:
#: - `draws`: the number of samples of the synthetic workload
#: - `penalties`: the penalties of spanning if a break-even penalty is computed
#: - `few`: the penalties of spanning if no break-even penalty is computed
#: - `policies`: the policies for which a break-even penalty is computed
#: - `elsewhere`: the configurations on which policies other than EASY are run
#: - `joined`: the configurations on which local execution is compared with job sharing
#: - `loads`: the offered loads at which job sharing is compared with spanning
study = Study(
    "job-sharing",
    "What do sites gain by sharing their jobs, and by letting jobs span several sites?",
    seed=model.SEED,
    scales=scales(
        draws=(12, 20),
        penalties=(
            (0.0, 0.1, 0.2, PRINTED_PENALTY, 0.3, 0.4, 0.6, 1.0),
            (*PENALTIES, *HIGHER_PENALTIES),
        ),
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
