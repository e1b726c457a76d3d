"""The settings of the study, and the measurement of a conclusion in each of them.

Each conclusion is run in its own setting, with all pairs of a policy and a workload, and with all
pairs of a policy and a load. The other conditions are changed one at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from coalloc_lib.basics.checks import one_of
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.statistics import student
from coalloc_lib.statistics.settling import WARM_UP, after_warm_up, halves
from studies.log_files import place_of
from studies.study import Scale, Study, scales, six_digits
from studies.weeks import rows_by_week, week_of
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS, Compared, Conclusion
from studies.what_survives.loads import carried_load, drains
from studies.what_survives.ways import Case

#: The columns with the sum of a metric over all jobs, one for each compared simulation. Every
#: conclusion compares two simulations (`one` and `other`), for example with and without spanning.
#: Some conclusions also compare two further simulations (`beside_one` and `beside_other`).
SUMS = ("one", "other", "beside_one", "beside_other")
#: A system counts as saturated if the mean response time in the second half of the runs is more
#: than this number of times that in the first half. The whole 95 % interval of the ratio must be
#: larger than this number.
RISES = 1.2


@dataclass(frozen=True)
class Setting:
    """A conclusion and the condition under which it is tested.

    `share` is the offered load as a share of the largest load that the system serves in both
    compared simulations. A log has its own system. Only the jobs of a log can have ``"requested"``
    estimates.
    """

    conclusion: str
    policy: str
    workload: str = model.EXPONENTIAL
    estimates: str = model.EXACT
    share: float = 0.8
    system: str = model.STANDARD
    placement: str = model.BEST
    unevenness: str = model.MILD

    def __post_init__(self) -> None:
        conclusion = CONCLUSIONS[one_of("conclusion", self.conclusion, tuple(CONCLUSIONS))]
        one_of("policy", self.policy, conclusion.policies)
        one_of("workload", self.workload, model.WORKLOADS)
        one_of("estimates", self.estimates, model.ESTIMATES)
        one_of("system", self.system, tuple(model.SYSTEMS))
        one_of("placement", self.placement, conclusion.placements)
        one_of("unevenness", self.unevenness, tuple(model.UNEVENNESS))


def own(conclusion: Conclusion) -> Setting:
    """Return the setting in which a conclusion is judged as a claim of the study."""
    return Setting(conclusion.item, conclusion.policy, placement=conclusion.placements[0])


def settings(scale: Scale) -> Iterator[Setting]:
    """Yield a setting for each conclusion and each condition under which it is tested."""
    for conclusion in CONCLUSIONS.values():
        first = own(conclusion)
        policies = [name for name in conclusion.policies if name in scale.policies]
        for policy in dict.fromkeys([first.policy, *policies]):
            for workload in scale.workloads:
                yield replace(first, policy=policy, workload=workload)
            for share in scale.shares:
                yield replace(first, policy=policy, share=share)
        for system in scale.systems:
            yield replace(first, system=system)
        for placement in conclusion.placements:
            yield replace(first, placement=placement)
        if conclusion.sites:
            for unevenness in model.UNEVENNESS:
                yield replace(first, unevenness=unevenness)
        for policy in [name for name in policies if name in model.ESTIMATED]:
            yield replace(first, policy=policy, estimates=model.DOUBLED)
            for log in [name for name in scale.workloads if name in model.LOGS]:
                yield replace(first, policy=policy, workload=log, estimates=model.REQUESTED)


# --- The jobs and the load under a condition ---


class Lengths(NamedTuple):
    """The number of sampled jobs in a run, and the largest number of jobs taken from a log."""

    jobs: int
    log_jobs: int


def case_of(setting: Setting, load: float, lengths: Lengths, seed: Seed) -> Case:
    """Return the `Case` of a setting: the system, and the jobs at the given offered load."""
    if setting.workload in model.LOGS:
        jobs = model.of_log(setting.workload, load, setting.estimates, lengths.log_jobs)
    else:
        condition = setting.workload, setting.system, load, setting.estimates
        jobs = model.synthetic(*condition, lengths.jobs, seed)
    return Case(
        model.system_of(setting.system, setting.workload),
        jobs,
        model.policy_of(setting.policy, float(jobs.runtime.mean())),
        seed,
        model.PLACEMENTS.get(setting.placement, model.PLACEMENTS[model.BEST]),
        setting.unevenness,
    )


def load_of(setting: Setting, lengths: Lengths, seed: np.random.SeedSequence) -> float:
    """Return the offered load of a setting: `share` times the largest load that can be served.

    The largest load is the one that the system serves without saturation in both compared
    simulations. It is found with exact estimates, so that settings with worse estimates differ
    only in their estimates.
    """
    exact = replace(setting, share=1.0, estimates=model.EXACT)
    place = place_of(setting.workload) if setting.workload in model.LOGS else None
    carried = _carried(exact, lengths, seed.entropy, seed.spawn_key, place)
    return float(f"{setting.share * carried:.3g}")


@cache
def _carried(
    setting: Setting, lengths: Lengths, entropy: int, spawn_key: tuple[int, ...], place: str | None
) -> float:
    # The argument `place` is used only as part of the cache key, so that the load of a synthetic
    # stand-in is not used for the log itself.
    compare = CONCLUSIONS[setting.conclusion].compare
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)

    def compare_at(load: float) -> Compared:
        return compare(case_of(setting, load, lengths, seed))

    return carried_load(compare_at)


def measure(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the sum of each metric over the jobs of each run, or of each week of a log.

    Each row has a sum for each simulation that the conclusion compares.
    Nothing is yielded for a log if neither the log nor a stand-in is available.
    """
    is_log = setting.workload in model.LOGS
    if is_log and not model.can_be_read(setting.workload):
        return
    lengths = Lengths(scale.jobs, scale.log_jobs)
    *of_runs, of_search = spawn(seed, scale.runs + 1)
    load = load_of(setting, lengths, of_search)
    compare = CONCLUSIONS[setting.conclusion].compare
    if is_log:
        found = compare(case_of(setting, load, lengths, seed))
        yield from weekly_rows(found, load)
        return
    runs = [compare(case_of(setting, load, lengths, of_run)) for of_run in of_runs]
    facts = {"load": load, "saturated": saturated(runs)}
    for metric in model.METRICS:
        for replication, found in enumerate(runs):
            yield {"metric": metric, "replication": replication} | sums(found, metric) | facts


def sums(found: Compared, metric: str) -> dict[str, float]:
    """Return the sum of a metric over the jobs after warm-up, for each compared simulation."""
    row = dict.fromkeys(SUMS[2:], 1.0)
    first = int(WARM_UP * len(found.jobs))
    for name, response, asked in _ways(found):
        values = model.job_values(metric, response, found.jobs, model.LEAST_SHARE)
        row[name] = six_digits(values[first:][asked[first:]].sum())
    return row


def weekly_rows(found: Compared, load: float) -> Iterator[dict]:
    """Yield the sum of each metric over the jobs that are submitted in each week of a log."""
    week = week_of(found.jobs.submit)
    facts = {"load": load, "saturated": saturated_log(found)}
    for metric in model.METRICS:
        values = {}
        for name, response, asked in _ways(found):
            of_jobs = model.job_values(metric, response, found.jobs, model.LEAST_SECONDS)
            values[name] = np.where(asked & np.isfinite(of_jobs), of_jobs, 0.0)
        for row in rows_by_week(week, values, int(week.max()) + 1, metric=metric):
            yield row | {name: six_digits(row[name]) for name in values} | facts


def _ways(found: Compared) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for (one, other), pair in zip((SUMS[:2], SUMS[2:]), found.pairs, strict=False):
        yield one, pair.one, pair.asked
        yield other, pair.other, pair.asked


# --- Finding the simulations in which the system is saturated ---


def saturated(runs: list[Compared]) -> str:
    """Return the names of the compared simulations in which the queue grows without bound.

    The names are those in `SUMS`, in one text with spaces between them.
    """
    responses: dict[str, list[np.ndarray]] = {}
    for found in runs:
        for name, response, _ in _ways(found):
            responses.setdefault(name, []).append(response)
    return " ".join(name for name, of_runs in responses.items() if _rises(of_runs))


def _rises(runs: list[np.ndarray]) -> bool:
    # The response time of a rejected job is NaN. The booking policy rejects a job only if it finds
    # no room within 200 mean run times, so a system that rejects jobs is saturated.
    if any(np.isnan(run).any() for run in runs):
        return True
    first, second = np.array([halves(after_warm_up(run)) for run in runs]).T
    return bool(student(np.log(second / first)).low > np.log(RISES))


def saturated_log(found: Compared) -> str:
    """Return the names of the simulations of a log in which some jobs end too late.

    `drains` says whether all jobs end soon after the last submission. The names are those in
    `SUMS`, in one text with spaces between them.
    """
    return " ".join(name for name, response, _ in _ways(found) if not drains(response, found.jobs))


#: The study of which conclusions survive under other conditions. Each scale of the study sets these
#: values:
#:
#: - `jobs`, `runs`: the number of sampled jobs in a run, and the number of such runs
#: - `log_jobs`: the largest number of jobs that is taken from a log
#: - `policies`, `workloads`: every policy is run with every workload
#: - `shares`: the loads that are run under every policy, as shares of the largest possible load
#: - `systems`: the systems that are run in addition to the standard system
study = Study(
    "what-survives",
    "Which conclusions survive under other policies, jobs and systems?",
    seed=6,
    scales=scales(
        jobs=(5_000, 20_000),
        runs=(6, 16),
        log_jobs=(8_000, 20_000),
        policies=(("FCFS", "FPFS(50)", "EASY", "conservative"), tuple(model.POLICIES)),
        workloads=((model.EXPONENTIAL, "KTH-SP2"), model.WORKLOADS),
        shares=((0.6,), model.SHARES),
        systems=((), tuple(model.SYSTEMS)[1:]),
    ),
    settings=settings,
    measure=measure,
    logs=tuple(model.LOGS),
)
