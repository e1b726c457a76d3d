"""Every case that is run: a log on so many servers, under a policy, and what is kept of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.bootstrap import Resamples, resample_sums
from coalloc_lib.checks import one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.jobs import JobStream
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import Online, Scheduling
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.simulation import simulate
from coalloc_lib.studies.measurements import run_sweep
from coalloc_lib.studies.online_batch.parameters import (
    AHEAD,
    CHANGES,
    EXACT,
    LENGTHS,
    ONE,
    ONLINE,
    PARTS,
    POLICIES,
    RECORDED,
    SEED,
    SPREADS,
    STANDARD,
)
from coalloc_lib.studies.online_batch.summary import Waited, summed
from coalloc_lib.studies.online_batch.traces import Log
from coalloc_lib.system import Multicluster


@dataclass(frozen=True)
class Case:
    """What is run.

    Attributes
    ----------
    log : Log
    servers : int
    policy : str
        A key of `parameters.POLICIES`, or ``"recorded"``: what the log says.
    length : {"exact", "requested"}
        How long a job is said to take.
    share : float
        Of the jobs that reserve ahead.
    draw : int
        Which drawing of them.
    change : str
        A key of `parameters.CHANGES`, for the online scheduler.
    spread : str
        A key of `parameters.SPREADS`: equal clusters, and how jobs are put on them.
    penalty : float
        What spanning clusters adds to a run time.
    """

    log: Log
    servers: int
    policy: str = ONLINE
    length: str = EXACT
    share: float = 0.0
    draw: int = 0
    change: str = STANDARD
    spread: str = ONE
    penalty: float = 0.0

    def __post_init__(self) -> None:
        """Check the words: one that is unknown would choose something else."""
        one_of("policy", self.policy, (*POLICIES, RECORDED))
        one_of("length", self.length, LENGTHS)
        one_of("change", self.change, tuple(CHANGES))
        one_of("spread", self.spread, (ONE, *SPREADS))

    @property
    def machine(self) -> str:
        """The log and the servers, in words."""
        return f"{self.log.title}, {self.servers} servers"

    @property
    def system(self) -> Multicluster:
        """The servers in their clusters."""
        parts = 1 if self.spread == ONE else PARTS
        return Multicluster([self.servers // parts] * parts)

    @property
    def scheduling(self) -> Scheduling:
        """The policy."""
        policy = POLICIES[self.policy]
        return replace(policy, **CHANGES[self.change]) if isinstance(policy, Online) else policy

    def reserving(self, jobs: JobStream, seed: Seed = SEED) -> JobStream:
        """Return jobs of which a share reserves ahead, by the drawing of this number."""
        if not self.share:
            return jobs
        return jobs.reserved_ahead(self.share, AHEAD, spawn(seed, self.draw + 1)[self.draw])

    def jobs(self, seed: Seed = SEED) -> JobStream:
        """Return the jobs as they are asked for."""
        jobs = self.log.of_length[self.length]
        if self.spread != ONE:
            jobs = jobs.replace(request="flexible", span_penalty=self.penalty)
        return self.reserving(jobs, seed)

    def simulate(self, seed: Seed = SEED) -> Schedule:
        """Return the schedule."""
        how: dict[str, Any] = {"scheduling": self.scheduling, "placement": SPREADS.get(self.spread)}
        return simulate(self.system, self.jobs(seed), **how)

    def waited(self, seed: Seed = SEED) -> Waited:
        """Return what became of each job, simulated or as the log has it."""
        if self.policy != RECORDED:
            return Waited.of(self.simulate(seed))
        return Waited.recorded(self.log.jobs, self.log.recorded)


def standard(log: Log, policy: str = ONLINE, **how: Any) -> Case:
    """Return the case of a log on the servers of its own machine."""
    return Case(log, log.servers, policy, **how)


@dataclass(frozen=True, eq=False)
class Found:
    """What a run gives.

    Attributes
    ----------
    sums : dict of ndarray, shape (weeks,)
        By name: over the jobs of each week; see `summary.summed`.
    longer : ndarray
        How many jobs waited longer than each of `parameters.WAITS`.
    numbers : dict of float
        Of the whole run, such as the longest wait.
    """

    sums: dict[str, NDArray[np.float64]]
    longer: NDArray[np.float64]
    numbers: dict[str, float]

    def number(self, name: str) -> float:
        """Return a number of the whole run; NaN where there is none."""
        return self.numbers.get(name, float("nan"))


def run(case: Case, seed: Seed) -> dict[str, float]:
    """Run a case; return what is kept as numbers."""
    sums, longer, numbers = summed(case.waited(seed), case.log.week)
    columns = {f"number|{name}": value for name, value in numbers.items()}
    columns |= {f"longer|{i}": value for i, value in enumerate(longer.tolist())}
    for name, each in sums.items():
        columns |= {f"{name}|{i}": value for i, value in enumerate(each.tolist())}
    return columns


def found_of(row: Mapping[str, float]) -> Found:
    """Return what `run` has found, from its numbers."""
    parts: dict[str, dict[str, float]] = {}
    for name, value in row.items():
        head, bar, tail = str(name).partition("|")
        if bar and value == value:  # columns of other cases are empty
            parts.setdefault(head, {})[tail] = value
    numbers, longer = parts.pop("number"), parts.pop("longer")
    sums = {name: np.array(list(each.values()), dtype=float) for name, each in parts.items()}
    return Found(sums, np.array(list(longer.values())), numbers)


def run_cases(cases: Iterable[Case], seed: Seed, **how: Any) -> dict[Case, Found]:
    """Run cases, each once; `how` is for `coalloc_lib.sweep.sweep`."""
    found: dict[Case, Found] = {}
    cases = list(dict.fromkeys(cases))
    for log in dict.fromkeys(case.log for case in cases):  # logs have not the same weeks
        of_log = [case for case in cases if case.log is log]
        rows = run_sweep(run, [{"case": case} for case in of_log], seed=seed, **how)
        found |= dict(zip(of_log, map(found_of, rows.to_dict("records")), strict=True))
    return found


def resampled(
    cases: Iterable[Case], found: Mapping[Any, Found], top: str, bottom: str, resamples: int
) -> Resamples:
    """Return means of cases of one log, and what they are when its weeks are drawn anew.

    Parameters
    ----------
    top, bottom : str
        Names of sums, several of one kind with a plus between them; the mean is their ratio.
    """
    cases = list(cases)
    both = [
        np.stack([sum(found[case].sums[each] for each in name.split("+")) for case in cases])
        for name in (top, bottom)
    ]
    return resample_sums(both[0], both[1], 1, resamples=resamples, seed=SEED)


def has_jobs(case: Case, found: Mapping[Any, Found], bottom: str) -> bool:
    """Whether any job counts in a mean."""
    return any(found[case].sums[name].any() for name in bottom.split("+"))


def mean(
    case: Case, found: Mapping[Any, Found], top: str, bottom: str, resamples: int
) -> Interval | None:
    """Return a mean with its interval; None where no job counts."""
    if not has_jobs(case, found, bottom):
        return None
    means = resampled([case], found, top, bottom, resamples)
    return means.interval(lambda values: float(values[0]))


def ratio(
    one: Case, other: Case, found: Mapping[Any, Found], top: str, bottom: str, resamples: int
) -> Interval | None:
    """Return the mean of a case over that of another of the same jobs, in the same weeks."""
    if not (has_jobs(one, found, bottom) and has_jobs(other, found, bottom)):
        return None
    means = resampled([one, other], found, top, bottom, resamples)
    return means.interval(_quotient)


def difference(
    one: Case, other: Case, found: Mapping[Any, Found], top: str, bottom: str, resamples: int
) -> Interval | None:
    """Return the mean of a case less that of another of the same jobs, in the same weeks."""
    if not (has_jobs(one, found, bottom) and has_jobs(other, found, bottom)):
        return None
    means = resampled([one, other], found, top, bottom, resamples)
    return means.interval(lambda values: float(values[0] - values[1]))


def _quotient(means: NDArray[np.float64]) -> float:
    """Return one mean over the other; nothing over nothing is as much as the other."""
    one, other = means
    if other == 0:
        return 1.0 if one == 0 else float("inf")
    return float(one / other)


def group_change(
    case: Case, found: Mapping[Any, Found], sums: tuple[str, str], groups: tuple[int, int],
    resamples: int,
) -> Interval:  # fmt: skip
    """Return the mean of a group of jobs less that of another, of one case, in the same weeks.

    Parameters
    ----------
    sums : (str, str)
        Names of the sums that a mean is the ratio of, ``{}`` standing for the group.
    groups : (int, int)
        The mean of the second less that of the first.
    """
    top, bottom = (
        np.stack([found[case].sums[name.format(group)] for group in groups]) for name in sums
    )
    means = resample_sums(top, bottom, 1, resamples=resamples, seed=SEED)
    return means.interval(lambda values: float(values[1] - values[0]))


def rises(
    case: Case, found: Mapping[Any, Found], sums: tuple[str, str], count: int, resamples: int
) -> list[Interval]:
    """Return by how much a mean changes from each of so many groups that has jobs to the next."""
    groups = [i for i in range(count) if has_jobs(case, found, sums[1].format(i))]
    return [group_change(case, found, sums, pair, resamples) for pair in pairwise(groups)]
