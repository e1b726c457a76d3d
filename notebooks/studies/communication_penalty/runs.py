"""The settings that are simulated for the figures and claims, and what is measured in each."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

import numpy as np

from coalloc_lib.basics.checks import InputError, one_of, positive
from coalloc_lib.basics.seeds import parent
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import Replications, rows_of
from coalloc_lib.workloads.models import SplitJobs
from studies.communication_penalty.model import (
    ABOVE,
    ALL_JOBS,
    ALWAYS,
    AT_HEAD,
    AT_NEED,
    CONSTANT,
    EXACT_LOAD,
    INTERARRIVAL,
    JUMPS,
    LOAD,
    LOW_PENALTY,
    NO_LIMIT,
    ONE_RUN,
    PARTS,
    PLACEMENTS,
    PRINTED_LOAD,
    SPREAD,
    SYSTEM,
    WHOLE,
    WHOLE_WAIT,
    jumps_label,
    passing,
    penalties,
    scenario,
    shares_of,
)
from studies.communication_penalty.responses import (
    LONGEST,
    Responses,
    respond,
    respond_in_mirrored_pairs,
    rows_of_responses,
)
from studies.communication_penalty.thresholds import GRID, find_thresholds
from studies.study import Scale, Study, scales

#: The kinds of measurements: response times for figures, response times in shorter runs for maps,
#: searches for break-even penalties, and random samples of the jobs.
IN_FIGURE, IN_MAP, SEARCH, SAMPLES = "figure", "map", "search", "samples"
#: The number of random samples of the jobs. The samples show how much a job group's share in one
#: run can differ by chance from its exact share.
SAMPLE_COUNT = 400


@dataclass(frozen=True)
class Setting:
    """A setting in which response times are measured: how jobs are split, placed and scheduled.

    Attributes
    ----------
    max_jumps : int
        The largest number of jumps over a job, or `model.NO_LIMIT`.
    load : float
        The offered load.
    above : int or None
        Jobs with more processors than this are split. No job is split if it is None.
    parts : int
        The number of components of a split job.
    psi : float
        The penalty of split jobs.
    spread : float
        If it is not 0, the penalty of each job is sampled from ``psi - spread`` to
        ``psi + spread``.
    kept_whole : float
        The share of the jobs that cannot be split.
    placement, counted : str
        Names that `model` defines.
    kind : str
        `IN_FIGURE`, or `IN_MAP` for shorter runs.
    """

    max_jumps: int
    load: float
    above: int | None = None
    parts: int = PARTS
    psi: float = 0.0
    spread: float = 0.0
    kept_whole: float = 0.0
    placement: str = ALWAYS
    counted: str = AT_HEAD
    kind: str = IN_FIGURE

    def __post_init__(self) -> None:
        positive("load", self.load)
        passing(self.max_jumps, self.counted)
        one_of("placement", self.placement, tuple(PLACEMENTS))
        one_of("kind", self.kind, (IN_FIGURE, IN_MAP))
        splitting = self.parts, self.psi, self.spread, self.kept_whole, self.placement
        if self.above is None and splitting != (PARTS, 0.0, 0.0, 0.0, ALWAYS):
            raise InputError(
                "above = None, so no job is split, but another argument says how jobs are split; "
                "give above, or leave that argument out"
            )
        if self.jobs is not WHOLE:  # which also checks how the jobs are split
            _check_fits(self.above, self.parts, self.kept_whole, self.placement)

    @property
    def jobs(self) -> SplitJobs:
        """The paper's jobs, split as this setting says."""
        if self.above is None:
            return WHOLE
        return WHOLE.with_(
            above=self.above,
            parts=self.parts,
            span_penalty=penalties(self.psi, self.spread),
            kept_whole=self.kept_whole,
        )

    @property
    def scenario(self) -> Scenario:
        """The scenario that is simulated in this setting."""
        placement = PLACEMENTS[self.placement]
        return scenario(self.max_jumps, self.jobs, self.counted).with_(placement=placement)

    @property
    def whole(self) -> "Setting":
        """The same setting without splitting of jobs."""
        return Setting(self.max_jumps, self.load, counted=self.counted, kind=self.kind)


@cache
def _check_fits(above: int, parts: int, kept_whole: float, placement: str) -> None:
    jobs = WHOLE.with_(above=above, parts=parts, kept_whole=kept_whole)
    refuse_impossible(SYSTEM, jobs.of_each_size(), PLACEMENTS[placement])


@dataclass(frozen=True)
class Search:
    """A search for the highest penalty at which splitting jobs pays."""

    max_jumps: int
    load: float
    counted: str = AT_HEAD
    kind: str = field(default=SEARCH, init=False)

    def __post_init__(self) -> None:
        positive("load", self.load)
        passing(self.max_jumps, self.counted)

    def scenario(self, psi: float | None) -> Scenario:
        """Return the scenario in which split jobs have the penalty `psi`.

        If `psi` is None, no job is split.
        """
        if psi is None:
            return scenario(self.max_jumps, WHOLE, self.counted)
        split = WHOLE.with_(above=ABOVE, parts=PARTS, span_penalty=psi)
        return scenario(self.max_jumps, split, self.counted)


@dataclass(frozen=True)
class Samples:
    """Random samples of the paper's jobs, with `jobs` jobs in each sample."""

    jobs: int = ONE_RUN
    kind: str = field(default=SAMPLES, init=False)


# --- The measurements of one setting ---


def measure(
    setting: Setting | Search | Samples, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Measure one setting, and yield the measurements as rows of the table of runs.

    There is one row for each run and job group, or for each sample and share.
    """
    if isinstance(setting, Samples):
        yield from sample_shares(setting, parent(seed))
    elif isinstance(setting, Search):
        yield from search_thresholds(setting, scale, seed)
    else:
        times = ("response",) if setting.kind == IN_MAP else ("response", "wait")
        yield from rows_of_responses(responses_of(setting, scale, seed), times)


def responses_of(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Responses:
    """Measure the mean response time of each group of jobs in a setting.

    The runs of all settings have the same jobs, so settings can be compared run by run.
    """
    in_map = setting.kind == IN_MAP
    size = (scale.map_jobs, scale.map_runs) if in_map else (scale.jobs, scale.runs)
    has_sampled_penalties = setting.above is not None and setting.spread > 0
    measure_responses = respond_in_mirrored_pairs if has_sampled_penalties else respond
    return measure_responses(setting.scenario, setting.load, size, seed)


def search_thresholds(search: Search, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the response times at each penalty that a search for break-even penalties tries.

    The column ``psi_tried`` is the penalty of split jobs. It is missing in rows without splitting.
    """
    size = scale.search_jobs, scale.search_runs

    def respond_at(psi: float | None) -> Responses:
        return respond(search.scenario(psi), search.load, size, seed, scale.search_longest)

    found = find_thresholds(respond_at, scale.search_budget)
    for psi, responses in found.responses.items():
        times = ("response", "first") if psi is None or psi in GRID else ("response",)
        for row in rows_of_responses(responses, times, psi_tried=psi):
            yield row | {"budget": scale.search_budget}


def sample_shares(setting: Samples, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the job groups' shares and the offered load in each random sample of the jobs."""
    stream = WHOLE.sample(SAMPLE_COUNT * setting.jobs, seed, rate=1 / INTERARRIVAL)
    size = stream.processors.reshape(SAMPLE_COUNT, -1)
    work = stream.work.reshape(SAMPLE_COUNT, -1)
    between_arrivals = np.diff(stream.submit, prepend=0.0).reshape(SAMPLE_COUNT, -1)
    shares = shares_of(size, np.ones_like(work), work)
    shares[LOAD, ALL_JOBS] = work.sum(-1) / between_arrivals.sum(-1) / SYSTEM.processors
    for (quantity, group), values in shares.items():
        yield from rows_of(Replications(values), "share", quantity=quantity, group=group)


# --- All settings ---


def settings(scale: Scale) -> Iterator[Setting | Search | Samples]:
    """Yield all settings that the figures and claims of the study need."""
    for jumps in scale.jumps:
        yield from along_penalties(scale, jumps)
    for jumps in scale.spread_jumps:
        yield from along_thresholds(scale, jumps)
        yield from along_thresholds_by_load(scale, jumps)
        yield from sampled_penalties(scale, jumps)
    yield from searches(scale)
    for setting in [*viability(scale), *at_need(scale), *kept_whole(scale)]:
        yield setting
        yield setting.whole
    yield Samples()


def along_penalties(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield the settings of Figure 1: no splitting, and splitting at each of several penalties."""
    yield Setting(jumps, PRINTED_LOAD)
    for psi in scale.along:
        yield Setting(jumps, PRINTED_LOAD, ABOVE, psi=psi)


def along_thresholds(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield the settings of Figures 2 and 3: each splitting threshold at several penalties."""
    yield Setting(jumps, PRINTED_LOAD)
    for psi, above in product((LOW_PENALTY, *scale.penalties), scale.above):
        yield Setting(jumps, PRINTED_LOAD, above, psi=psi)


def along_thresholds_by_load(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield the settings of Figure 4: each splitting threshold at several loads."""
    for load in scale.loads:
        yield Setting(jumps, load)
        for above in scale.above:
            yield Setting(jumps, load, above, psi=CONSTANT)


def sampled_penalties(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield the settings of Figures 5 and 6: sampled penalties, and one penalty for all jobs."""
    for above in scale.above[:-2]:  # Too few jobs have more than 16 processors.
        for spread in (SPREAD, 0.0):
            yield Setting(jumps, PRINTED_LOAD, above, psi=CONSTANT, spread=spread)


def searches(scale: Scale) -> Iterator[Search]:
    """Yield searches for break-even penalties, by MaxJumps and rule for counting jumps.

    All searches but one use the load printed in the paper. The remaining search uses the load that
    follows from the times printed in the paper.
    """
    for jumps in scale.search_jumps:
        yield Search(jumps, PRINTED_LOAD)
    yield Search(JUMPS, EXACT_LOAD)
    for jumps in scale.waiting_jumps:
        yield Search(jumps, PRINTED_LOAD, WHOLE_WAIT)


def viability(scale: Scale) -> Iterator[Setting]:
    """Yield the settings of the map: each load, splitting threshold and penalty."""
    for load, above, psi in product(scale.map_loads, scale.map_above, scale.map_penalties):
        yield Setting(JUMPS, load, above, psi=psi, kind=IN_MAP)


def at_need(scale: Scale) -> Iterator[Setting]:
    """Yield the settings of the map that compares splitting always with splitting at need."""
    for jumps, above, psi in product(scale.map_jumps, (ABOVE, 3), scale.map_penalties):
        always = Setting(jumps, PRINTED_LOAD, above, psi=psi, kind=IN_MAP)
        yield always
        yield replace(always, placement=AT_NEED)


def kept_whole(scale: Scale) -> Iterator[Setting]:
    """Yield the settings for the maps in which the share of unsplittable jobs varies."""
    shares = (0.0, 0.25, 0.5, 0.75)
    for jumps, share, psi in product(scale.spread_jumps, shares, scale.map_penalties):
        yield Setting(jumps, PRINTED_LOAD, ABOVE, psi=psi, kept_whole=share, kind=IN_MAP)


#: The study of the paper on communication penalties. Each parameter has two values: one for the
#: scale ``quick``, and one for the scale ``paper``.
study = Study(
    "communication-penalty",
    "Up to what penalty does it pay to split large jobs over clusters?",
    seed=2008,
    scales=scales(
        jobs=(10_000, 60_000),
        runs=(8, 20),
        search_jobs=(5_000, 60_000),
        search_runs=(8, 20),
        search_budget=(11, 17),
        search_longest=(40_000, LONGEST),
        map_jobs=(1_000, 10_000),
        map_runs=(6, 12),
        # The values of MaxJumps in Figure 1 (`jumps`) and in Figures 2 to 6 (`spread_jumps`). The
        # first value reproduces the break-even penalties of the paper.
        jumps=((JUMPS, 100), (JUMPS, 20, 100)),
        spread_jumps=((JUMPS,), (JUMPS, 20, 100)),
        # The values of MaxJumps in searches that count a jump only while the overtaken job is at
        # the head of the queue.
        search_jumps=((0, JUMPS, 20), (0, 2, 4, 6, 8, 10, 12, 20, 50, NO_LIMIT)),
        # The values of MaxJumps in searches that count every jump during a job's whole wait.
        waiting_jumps=((20,), (2, 4, 6, 8, 10, 12, 20, 50, 100)),
        map_jumps=((0, JUMPS), (0, JUMPS, 100, NO_LIMIT)),
        # The penalties in Figure 1 (`along`), in Figure 3 (`penalties`) and in the maps
        # (`map_penalties`). The paper says that Figure 3 has four penalties, but not which four.
        along=((0.0, 0.1, 0.2, 0.3), (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        penalties=((0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)),
        map_penalties=((0.0, 0.1, 0.2), (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)),
        # The splitting thresholds in the figures (`above`) and in the maps (`map_above`). The last
        # threshold in the figures is the largest job size, so no job is split.
        above=((3, 6, 10, 16, 19), (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19)),
        map_above=((3, 10, 16), (3, 5, 7, 10, 13, 16)),
        # The loads in Figure 4 (`loads`) and in the maps (`map_loads`). The paper prints only one
        # of the loads in Figure 4.
        loads=((0.5, 0.7, PRINTED_LOAD), (0.5, 0.6, 0.7, 0.75, PRINTED_LOAD)),
        map_loads=((0.5, PRINTED_LOAD), (0.5, 0.65, PRINTED_LOAD)),
    ),
    settings=settings,
    measure=measure,
    words={"max_jumps": jumps_label},
)
