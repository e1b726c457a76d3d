"""What is run and what is measured of it: the settings of all figures and claims."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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

#: Kinds of runs: response times of figures, shorter ones of maps, searches for a threshold of the
#: penalty, and samples of the jobs.
IN_FIGURE, IN_MAP, SEARCH, SAMPLES = "figure", "map", "search", "samples"
#: Samples that are drawn to see how far they stray.
SAMPLE_COUNT = 400


@dataclass(frozen=True)
class Setting:
    """Jobs at a load, of which those `above` a size are split; without `above`, none is.

    `psi` is the penalty of all jobs; with a `spread` each job draws one, from ``psi - spread`` to
    ``psi + spread``. A share of the jobs is `kept_whole`. The words are those of `model`.
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
            raise InputError("above = None splits no job; leave out how jobs are split, or give it")
        refuse_impossible(SYSTEM, self.jobs.of_each_size(), self.scenario.placement)

    @property
    def jobs(self) -> SplitJobs:
        """The jobs, split."""
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
        """The system with these jobs."""
        placement = PLACEMENTS[self.placement]
        return scenario(self.max_jumps, self.jobs, self.counted).with_(placement=placement)

    @property
    def whole(self) -> "Setting":
        """The same jobs, none of which is split."""
        return Setting(self.max_jumps, self.load, counted=self.counted, kind=self.kind)


@dataclass(frozen=True)
class Search:
    """The penalty from which on splitting loses is searched: at a load, with so many jumps."""

    max_jumps: int
    load: float
    counted: str = AT_HEAD
    kind: str = field(default=SEARCH, init=False)

    def __post_init__(self) -> None:
        positive("load", self.load)
        passing(self.max_jumps, self.counted)

    def scenario(self, psi: float | None) -> Scenario:
        """Return the system with the paper's splitting at a penalty, or with whole jobs."""
        if psi is None:
            return scenario(self.max_jumps, WHOLE, self.counted)
        split = WHOLE.with_(above=ABOVE, parts=PARTS, span_penalty=psi)
        return scenario(self.max_jumps, split, self.counted)


@dataclass(frozen=True)
class Samples:
    """Samples of so many jobs, as the paper's parameters make them."""

    jobs: int = ONE_RUN
    kind: str = field(default=SAMPLES, init=False)


# --- one setting ---


def measure(
    setting: Setting | Search | Samples, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield a row for each run and group, or for each sample and share."""
    if isinstance(setting, Samples):
        yield from sample_shares(setting, parent(seed))
    elif isinstance(setting, Search):
        yield from search_thresholds(setting, scale, seed)
    else:
        times = ("response",) if setting.kind == IN_MAP else ("response", "wait")
        yield from rows_of_responses(responses_of(setting, scale, seed), times)


def responses_of(setting: Setting, scale: Scale, seed: np.random.SeedSequence) -> Responses:
    """Return the mean response times of a setting; all settings have the same jobs, run by run."""
    in_map = setting.kind == IN_MAP
    size = (scale.map_jobs, scale.map_runs) if in_map else (scale.jobs, scale.runs)
    is_drawn = setting.above is not None and setting.spread > 0
    respond_as = respond_in_mirrored_pairs if is_drawn else respond
    return respond_as(setting.scenario, setting.load, size, seed)


def search_thresholds(search: Search, scale: Scale, seed: np.random.SeedSequence) -> Iterator[dict]:
    """Yield the responses at every penalty that the search for the thresholds comes to.

    ``psi_tried`` is the penalty of split jobs, missing where all are whole.
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
    """Yield the groups' shares, and the load, of every sample."""
    drawn = WHOLE.sample(SAMPLE_COUNT * setting.jobs, seed, rate=1 / INTERARRIVAL)
    gaps = np.diff(drawn.submit, prepend=0.0)
    size, work, gap = (x.reshape(SAMPLE_COUNT, -1) for x in (drawn.processors, drawn.work, gaps))
    shares = shares_of(size, np.ones_like(work), work)
    shares[LOAD, ALL_JOBS] = work.sum(-1) / gap.sum(-1) / SYSTEM.processors
    for (quantity, group), values in shares.items():
        yield from rows_of(Replications(values), "share", quantity=quantity, group=group)


# --- all runs ---


def settings(scale: Scale) -> Iterator[Setting | Search | Samples]:
    """Yield what the figures and claims read."""
    for jumps in scale.jumps:
        yield from along_penalties(scale, jumps)
    for jumps in scale.spread_jumps:
        yield from along_thresholds(scale, jumps)
        yield from along_thresholds_by_load(scale, jumps)
        yield from drawn_penalties(scale, jumps)
    yield from searches(scale)
    for setting in [*viability(scale), *at_need(scale), *kept_whole(scale)]:
        yield setting
        yield setting.whole
    yield Samples()


def along_penalties(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield whole jobs, and split ones at each penalty: Figure 1."""
    yield Setting(jumps, PRINTED_LOAD)
    for psi in scale.along:
        yield Setting(jumps, PRINTED_LOAD, ABOVE, psi=psi)


def along_thresholds(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield each splitting threshold at several penalties: Figures 2 and 3."""
    yield Setting(jumps, PRINTED_LOAD)
    for psi, above in product((LOW_PENALTY, *scale.penalties), scale.above):
        yield Setting(jumps, PRINTED_LOAD, above, psi=psi)


def along_thresholds_by_load(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield each splitting threshold at several loads: Figure 4."""
    for load in scale.loads:
        yield Setting(jumps, load)
        for above in scale.above:
            yield Setting(jumps, load, above, psi=CONSTANT)


def drawn_penalties(scale: Scale, jumps: int) -> Iterator[Setting]:
    """Yield penalties drawn for each job, and the same for all: Figures 5 and 6."""
    for above in scale.above[:-2]:  # of the jobs above 16 there are few
        for spread in (SPREAD, 0.0):
            yield Setting(jumps, PRINTED_LOAD, above, psi=CONSTANT, spread=spread)


def searches(scale: Scale) -> Iterator[Search]:
    """Yield the searches for the thresholds of the penalty, by MaxJumps and how these count.

    Once also at the load that the printed times make.
    """
    for jumps in scale.search_jumps:
        yield Search(jumps, PRINTED_LOAD)
    yield Search(JUMPS, EXACT_LOAD)
    for jumps in scale.waiting_jumps:
        yield Search(jumps, PRINTED_LOAD, WHOLE_WAIT)


def viability(scale: Scale) -> Iterator[Setting]:
    """Yield maps of penalty and splitting threshold, one at each load."""
    for load, above, psi in product(scale.map_loads, scale.map_above, scale.map_penalties):
        yield Setting(JUMPS, load, above, psi=psi, kind=IN_MAP)


def at_need(scale: Scale) -> Iterator[Setting]:
    """Yield maps of penalty and placement."""
    for jumps, above, psi in product(scale.map_jumps, (ABOVE, 3), scale.map_penalties):
        always = Setting(jumps, PRINTED_LOAD, above, psi=psi, kind=IN_MAP)
        yield always
        yield replace(always, placement=AT_NEED)


def kept_whole(scale: Scale) -> Iterator[Setting]:
    """Yield maps of penalty and of the share of jobs that cannot be split."""
    shares = (0.0, 0.25, 0.5, 0.75)
    for jumps, share, psi in product(scale.spread_jumps, shares, scale.map_penalties):
        yield Setting(jumps, PRINTED_LOAD, ABOVE, psi=psi, kept_whole=share, kind=IN_MAP)


study = Study(
    "communication-penalty",
    "Up to which penalty does it pay to split large jobs over clusters?",
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
        # MaxJumps of Figure 1, and of 2 to 6; the first as far as the printed thresholds tell.
        jumps=((JUMPS, 100), (JUMPS, 20, 100)),
        spread_jumps=((JUMPS,), (JUMPS, 20, 100)),
        search_jumps=((0, JUMPS, 20), (0, 2, 4, 6, 8, 10, 12, 20, 50, NO_LIMIT)),
        # The same, counted over a job's whole wait.
        waiting_jumps=((20,), (2, 4, 6, 8, 10, 12, 20, 50, 100)),
        map_jumps=((0, JUMPS), (0, JUMPS, 100, NO_LIMIT)),
        # Penalties of Figure 1, of Figure 3 (the paper says only that they are four), of maps.
        along=((0.0, 0.1, 0.2, 0.3), (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        penalties=((0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)),
        map_penalties=((0.0, 0.1, 0.2), (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)),
        # Splitting thresholds, of which the last splits none.
        above=((3, 6, 10, 16, 19), (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19)),
        map_above=((3, 10, 16), (3, 5, 7, 10, 13, 16)),
        # Loads of Figure 4, of which the paper prints one, and of maps.
        loads=((0.5, 0.7, PRINTED_LOAD), (0.5, 0.6, 0.7, 0.75, PRINTED_LOAD)),
        map_loads=((0.5, PRINTED_LOAD), (0.5, 0.65, PRINTED_LOAD)),
    ),
    settings=settings,
    measure=measure,
    words={"max_jumps": jumps_label},
)
