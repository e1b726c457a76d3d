"""What is run: each conclusion in its own setting, and with conditions changed.

All pairs of a policy with a workload and of a policy with a load are run; the other conditions are
changed one at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from coalloc_lib.basics.checks import one_of
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.experiments.settling import WARM_UP, after_warm_up, halves
from coalloc_lib.experiments.weeks import rows_by_week, week_of
from coalloc_lib.intervals import student
from studies.study import Scale, Study, scales
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS, Compared, Conclusion
from studies.what_survives.loads import carried_load, drains
from studies.what_survives.ways import Case

#: The sums over jobs that are stored: of the first pair and of the second, one way and the other.
SUMS = ("one", "other", "beside_one", "beside_other")
#: A way is saturated if the second halves of its runs are surely slower than the first by this.
RISES = 1.2


@dataclass(frozen=True)
class Setting:
    """A conclusion, and the condition under which it is asked.

    `share` is the offered load as a share of what the worse way carries. A log has its own system;
    ``"requested"`` estimates are those of a log.
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
        """Check every part."""
        conclusion = CONCLUSIONS[one_of("conclusion", self.conclusion, tuple(CONCLUSIONS))]
        one_of("policy", self.policy, conclusion.policies)
        one_of("workload", self.workload, model.WORKLOADS)
        one_of("estimates", self.estimates, model.ESTIMATES)
        one_of("system", self.system, tuple(model.SYSTEMS))
        one_of("placement", self.placement, conclusion.placements)
        one_of("unevenness", self.unevenness, tuple(model.UNEVENNESS))


def own(conclusion: Conclusion) -> Setting:
    """Return the setting in which a conclusion is first asked."""
    return Setting(conclusion.item, conclusion.policy, placement=conclusion.placements[0])


def settings(scale: Scale) -> Iterator[Setting]:
    """Yield every conclusion under every condition of a scale."""
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


# --- what is compared under a condition ---


class Lengths(NamedTuple):
    """How many jobs a run has, and how many jobs of a log are taken."""

    jobs: int
    log_jobs: int


def case_of(setting: Setting, load: float, lengths: Lengths, seed: Seed) -> Case:
    """Return the jobs of a condition at an offered load, and what serves them."""
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
    """Return the offered load of a setting: its share of what the worse way carries.

    With worse estimates it is the load of exact ones, so that only the estimates change.
    """
    exact = replace(setting, share=1.0, estimates=model.EXACT)
    place = model.place_of(setting.workload) if setting.workload in model.LOGS else ""
    carried = _carried(exact, lengths, seed.entropy, seed.spawn_key, place)
    return float(f"{setting.share * carried:.3g}")


@cache  # one number for each setting
def _carried(
    setting: Setting, lengths: Lengths, entropy: int, spawn_key: tuple[int, ...], place: str
) -> float:
    """Return what the worse way carries, from runs on the same random numbers.

    The place of a log is an argument so that its stand-in's load is not taken for the log's.
    """
    compare = CONCLUSIONS[setting.conclusion].compare
    seed = np.random.SeedSequence(entropy, spawn_key=spawn_key)

    def compare_at(load: float) -> Compared:
        return compare(case_of(setting, load, lengths, seed))

    return carried_load(compare_at)


def measure(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the sums of both ways by each metric, over the jobs of each run or of each week.

    Nothing is yielded for a log if neither it nor a stand-in is at hand.
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
    """Return the sums of a metric over the jobs that are asked, without the warm-up of the run."""
    row = dict.fromkeys(SUMS[2:], 1.0)
    first = int(WARM_UP * len(found.jobs))
    for names, pair in zip((SUMS[:2], SUMS[2:]), found.pairs, strict=False):
        for name, response in zip(names, (pair.one, pair.other), strict=True):
            values = model.job_values(metric, response, found.jobs, model.LEAST_SHARE)
            row[name] = _six(values[first:][pair.asked[first:]].sum())
    return row


def weekly_rows(found: Compared, load: float) -> Iterator[dict]:
    """Yield the sums of each metric over the jobs of each week of a log."""
    week = week_of(found.jobs.submit)
    facts = {"load": load, "saturated": saturated_log(found)}
    for metric in model.METRICS:
        values = {}
        for names, pair in zip((SUMS[:2], SUMS[2:]), found.pairs, strict=False):
            for name, response in zip(names, (pair.one, pair.other), strict=True):
                of_jobs = model.job_values(metric, response, found.jobs, model.LEAST_SECONDS)
                values[name] = np.where(pair.asked & np.isfinite(of_jobs), of_jobs, 0.0)
        for row in rows_by_week(week, values, int(week.max()) + 1, metric=metric):
            yield row | {name: _six(row[name]) for name in values} | facts


def _six(value: float) -> float:
    """Return a number with six digits, which are more than a comparison needs."""
    return float(f"{value:.6g}")


# --- ways that have no finite response ---


def _ways(found: Compared) -> dict[str, np.ndarray]:
    """Return the responses in each way, by the name of its sum."""
    names = zip((SUMS[:2], SUMS[2:]), found.pairs, strict=False)
    return {
        name: response
        for both, pair in names
        for name, response in zip(both, (pair.one, pair.other), strict=True)
    }


def saturated(runs: list[Compared]) -> str:
    """Return the ways whose queue only grows, as words of `SUMS`."""
    by_run = [_ways(found) for found in runs]
    return " ".join(name for name in by_run[0] if _rises([ways[name] for ways in by_run]))


def _rises(runs: list[np.ndarray]) -> bool:
    """Return whether the second halves of runs are surely slower than the first.

    A job is rejected only if booking finds no room within 200 mean run times, so a run that rejects
    jobs rises too.
    """
    if any(np.isnan(run).any() for run in runs):
        return True
    first, second = np.array([halves(after_warm_up(run)) for run in runs]).T
    return bool(student(np.log(second / first)).low > np.log(RISES))


def saturated_log(found: Compared) -> str:
    """Return the ways that are far from done when the last job of the log is submitted."""
    ways = _ways(found)
    return " ".join(name for name in ways if not drains(ways[name], found.jobs))


#: Jobs of a run, and runs; jobs of a log; policies and workloads, of which all pairs are asked;
#: loads, of which each is asked under every policy; and systems other than the standard one.
study = Study(
    "what-survives",
    "Which conclusions survive other policies, jobs and systems?",
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
