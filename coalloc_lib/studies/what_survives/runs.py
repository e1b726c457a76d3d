"""What is run: each conclusion in its own setting, with one condition changed at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from coalloc_lib.basics.checks import one_of
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.experiments.settling import WARM_UP, after_warm_up, halves
from coalloc_lib.experiments.weeks import rows_by_week, week_of
from coalloc_lib.intervals import student
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.studies.study import Scale, Study, scales
from coalloc_lib.studies.what_survives import model
from coalloc_lib.studies.what_survives.conclusions import (
    CONCLUSIONS,
    Case,
    Compared,
    Conclusion,
    Pair,
)
from coalloc_lib.workloads.catalogue import listing

#: What is summed up over jobs: of the first pair, and of the second, one way and the other.
SUMS = ("one", "other", "beside_one", "beside_other")
#: Why a comparison has no answer.
REFUSED, RISING, PILED_UP = "jobs are refused", "responses still rise", "the queue only grows"
#: Runs whose second halves are surely slower than the first by this factor are not served.
RISES = 1.2
#: A log is not served where what waits at its last submission takes such a share of its time.
DRAINS = 0.05


@dataclass(frozen=True)
class Setting:
    """A conclusion, and the condition under which it is asked.

    A log has its own system; ``"requested"`` estimates are those of a log.
    """

    conclusion: str
    policy: str
    workload: str = model.EXPONENTIAL
    estimates: str = model.EXACT
    load: float = 0.7
    system: str = model.STANDARD

    def __post_init__(self) -> None:
        """Check every part."""
        one_of("conclusion", self.conclusion, (*CONCLUSIONS,))
        one_of("policy", self.policy, CONCLUSIONS[self.conclusion].policies)
        one_of("workload", self.workload, model.WORKLOADS)
        one_of("estimates", self.estimates, model.ESTIMATES)
        one_of("system", self.system, (*model.SYSTEMS,))


def own(conclusion: Conclusion) -> Setting:
    """Return the setting in which a conclusion is first asked."""
    return Setting(conclusion.item, conclusion.policy, load=conclusion.load)


def can_be_read(log: str) -> bool:
    """Return whether a log, or a stand-in for it, is at hand."""
    found = {each["name"] for each in listing() if each["found"] != "not fetched"}
    return log in found or log in model.STAND_INS


def settings(scale: Scale) -> Iterator[Setting]:
    """Yield every conclusion under every condition of a scale."""
    for conclusion in CONCLUSIONS.values():
        first = own(conclusion)
        policies = [name for name in conclusion.policies if name in scale.policies]
        for policy in dict.fromkeys([first.policy, *policies]):
            for workload in scale.workloads:
                yield replace(first, policy=policy, workload=workload)
        for load in scale.loads:
            yield replace(first, load=load)
        for system in scale.systems:
            yield replace(first, system=system)
        for policy in [name for name in policies if name in model.ESTIMATED]:
            yield replace(first, policy=policy, estimates=model.DOUBLED)
            for log in [name for name in scale.workloads if name in model.LOGS]:
                yield replace(first, policy=policy, workload=log, estimates=model.REQUESTED)


def measure(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the responses of both ways, summed over the jobs of each run, or of each week."""
    if setting.workload in model.LOGS:
        yield from of_log(setting, scale, seed)
        return
    compare = CONCLUSIONS[setting.conclusion].compare
    system = model.SYSTEMS[setting.system]
    drawn = setting.workload, setting.system, setting.load, setting.estimates
    found = []
    for of_run in spawn(seed, scale.runs):
        jobs = model.synthetic(*drawn, scale.jobs, of_run)
        scheduling = model.policy_of(setting.policy, setting.workload)
        found.append(compare(Case(system, jobs, scheduling, of_run)))
    warning = doubt(found)
    for replication, each in enumerate(found):
        yield {"replication": replication, **sums(each), "warning": warning}


def of_log(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the sums of each week of a log, or nothing if neither it nor a stand-in is at hand."""
    if not can_be_read(setting.workload):
        return
    how = setting.load, setting.estimates, scale.log_jobs
    jobs = model.of_log(setting.workload, *how)
    scheduling = model.policy_of(setting.policy, setting.workload)
    booking = model.policy_of(model.ONLINE, setting.workload)
    case = Case(model.LOGS[setting.workload], jobs, scheduling, seed, booking)
    found = CONCLUSIONS[setting.conclusion].compare(case)
    asked = [pair for pair in found if pair is not None]
    week = week_of(jobs.submit)
    values = {
        name: np.where(pair.mine & np.isfinite(values), values, 0.0)
        for names, pair in zip((SUMS[:2], SUMS[2:]), asked, strict=False)
        for name, values in zip(names, pair[:2], strict=True)
    }
    warning = doubt_of_log(jobs, asked)
    for row in rows_by_week(week, values, int(week.max()) + 1, warning=warning):
        yield row | {name: _six(row[name]) for name in values}


def sums(found: Compared) -> dict[str, float]:
    """Return the sums over the jobs that are asked, without the begin of the run."""
    row = dict.fromkeys(SUMS[2:], 1.0)
    for names, pair in zip((SUMS[:2], SUMS[2:]), found, strict=True):
        if pair is not None:
            kept = pair.mine.copy()
            kept[: int(WARM_UP * len(kept))] = False
            row |= {name: _six(each[kept].sum()) for name, each in zip(names, pair, strict=False)}
    return row


def _six(value: float) -> float:
    """Return a number with six digits, which are more than a comparison needs."""
    return float(f"{value:.6g}")


def doubt(found: list[Compared]) -> str:
    """Return why runs of one condition have no answer, or nothing."""
    ways = [[values for pair in each if pair is not None for values in pair[:2]] for each in found]
    for runs in zip(*ways, strict=True):
        if any(np.isnan(run).any() for run in runs):
            return REFUSED
        first, second = np.array([halves(after_warm_up(run)) for run in runs]).T
        if student(np.log(second / first)).low > np.log(RISES):
            return RISING
    return ""


def doubt_of_log(jobs: JobStream, pairs: list[Pair]) -> str:
    """Return why a log has no answer, or nothing."""
    span, longest = np.ptp(jobs.submit), jobs.runtime.max()
    for values in (each for pair in pairs for each in pair[:2]):
        if np.isnan(values).any():
            return REFUSED
        late = (jobs.submit + values).max() - jobs.submit.max()
        if late > DRAINS * span + 2 * longest:
            return PILED_UP
    return ""


#: Jobs of a run and runs; jobs of a log; policies and workloads of which all pairs are asked; other
#: loads and systems.
study = Study(
    "what-survives",
    "Which conclusions survive other policies, jobs and systems?",
    seed=6,
    scales=scales(
        jobs=(5_000, 20_000),
        runs=(6, 16),
        log_jobs=(8_000, 30_000),
        policies=(("FCFS", "FPFS(50)", "EASY", "conservative"), tuple(model.POLICIES)),
        workloads=((model.EXPONENTIAL, model.HEAVY, "KTH-SP2"), model.WORKLOADS),
        loads=((0.5,), model.LOADS),
        systems=(("5×20",), tuple(model.SYSTEMS)[1:]),
    ),
    settings=settings,
    measure=measure,
    logs=tuple(model.LOGS),
)
