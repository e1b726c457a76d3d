"""Divisions of 128 processors into clusters, and their maximal utilizations.

The paper makes several claims about systems with unequal clusters in general, but it prints the
sizes of only one such system. These claims are judged on the sets of divisions defined here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.seeds import parent
from coalloc_lib.model.distributions import Distribution, Exponential
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import NotRunError, Replications, groups_of, pick, rows_of, sample
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.statistics.saturation import replicated_traffic
from studies.cluster_configurations.model import (
    FIRST_FIT,
    FOUR,
    ORDERED,
    PLACEMENTS,
    PROCESSORS,
    SMALL_FIRST,
    UNORDERED,
    WORST_FIT,
)
from studies.inputs import ALMOST_CONSTANT
from studies.study import Scale

#: The value of the column `kind` for settings that divide 128 processors into clusters.
DIVISION = "division"
#: The service-time distributions: exponential, as in section 4 of the paper, and almost constant,
#: which we added.
EXPONENTIAL, CONSTANT = "exponential", "constant, departures one by one"
SERVICES: dict[str, Distribution] = {
    EXPONENTIAL: Exponential(),
    CONSTANT: ALMOST_CONSTANT,
}
#: For each label in a figure: the request type and the placement policy of the jobs.
ORDERED_WAY = "ordered requests"
WAYS: dict[str, tuple[str, str | None]] = {
    FIRST_FIT: (UNORDERED, FIRST_FIT),
    WORST_FIT: (UNORDERED, WORST_FIT),
    ORDERED_WAY: (ORDERED, None),
}
#: The numbers m of processors that are moved from one cluster to another.
MOVED = range(0, 25, 4)
#: Two families of divisions of 128 processors into four clusters. Each division starts from four
#: clusters of 32. Then m processors are moved from one cluster of a pair to the other, either in
#: both pairs of clusters or in only one pair.
TWO_AND_TWO, ONE_AND_ONE = "32+m, 32+m, 32−m, 32−m", "32+m, 32, 32, 32−m"

#: The sizes of the clusters of a division.
Sizes = tuple[int, ...]


def name_of(sizes: Sizes) -> str:
    """Return the name of a division of processors into clusters, such as 64+32+16+16."""
    return "+".join(map(str, sizes))


def sizes_of(name: str) -> Sizes:
    """Return the cluster sizes in the name of a division, such as 64+32+16+16."""
    try:
        sizes = tuple(int(size) for size in name.split("+"))
    except ValueError:
        raise InputError(
            f"division = {name!r} is not a sum of cluster sizes; give a sum such as '64+32+16+16'"
        ) from None
    if sum(sizes) != PROCESSORS:
        raise InputError(
            f"division = {name!r} has {sum(sizes)} processors; give cluster sizes that sum to "
            f"{PROCESSORS}"
        )
    return sizes


def into_four() -> list[Sizes]:
    """Return all ways to divide 128 processors into four clusters of 8, 16, …, or 64."""
    eighths = combinations_with_replacement(range(8, 0, -1), 4)
    return [tuple(8 * part for part in parts) for parts in eighths if sum(parts) == 16]


def into_powers_of_two() -> list[Sizes]:
    """Return all divisions of 128 processors into at least four clusters of 8, 16, 32 or 64."""
    found = []
    for count in range(4, PROCESSORS // 8 + 1):
        for sizes in combinations_with_replacement((64, 32, 16, 8), count):
            if sum(sizes) == PROCESSORS:
                found.append(sizes)
    return found


def moved(family: str, m: int) -> Sizes:
    """Return the sizes of four clusters of 32 if one or two clusters give `m` to as many others."""
    one_of("family", family, (TWO_AND_TWO, ONE_AND_ONE))
    if not 0 <= m < 32:
        raise InputError(f"m = {m}; give the number of processors to move, from 0 to 31")
    middle = (32 + m, 32 - m) if family == TWO_AND_TWO else (32, 32)
    return 32 + m, *middle, 32 - m


def is_unequal(sizes: Sizes) -> bool:
    """Return whether the clusters of a division have different sizes."""
    return len({*sizes}) > 1


@dataclass(frozen=True)
class Division:
    """A setting that runs jobs of four components on 128 processors, divided in one way.

    For ordered requests `placement` is None, because they leave nothing to choose.
    """

    division: str
    placement: str | None = FIRST_FIT
    request: str = UNORDERED
    service: str = EXPONENTIAL
    kind: str = DIVISION

    def __post_init__(self) -> None:
        sizes_of(self.division)
        one_of("service", self.service, tuple(SERVICES))
        if self.request == UNORDERED:
            one_of("placement", self.placement, tuple(PLACEMENTS))
        elif (self.request, self.placement) != (ORDERED, None):
            raise InputError(
                f"request = {self.request!r} excludes placement = {self.placement!r}; give "
                f"{UNORDERED!r} with a placement, or {ORDERED!r} with None"
            )

    @property
    def scenario(self) -> Scenario:
        """The scenario to simulate: the system, the jobs and the placement."""
        system = Multicluster(sizes_of(self.division))
        jobs = FOUR.with_(request=self.request, service=SERVICES[self.service])
        placement = PLACEMENTS[self.placement](system) if self.placement else None
        return Scenario(system, jobs, placement=placement)


def measure_division(
    setting: Division, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Measure the maximal utilization of a division of 128 processors, and yield table rows.

    There is one row with the exact value for ordered requests with exponential service times, and
    otherwise one row for each simulated run.
    """
    scenario = setting.scenario
    if setting.request == ORDERED and setting.service == EXPONENTIAL:
        exact = max_utilization_by_simulation(scenario, method="exact").max_utilization
        found = Replications(np.array(exact))
    else:
        # All divisions use the same seed and therefore serve the same jobs, so that they can be
        # compared in pairs.
        busy, warning = replicated_traffic(
            scenario,
            jobs=scale.division_jobs,
            replications=scale.replications,
            seed=parent(seed),
        )
        found = Replications(busy.mean(axis=1), warning)
    yield from rows_of(found, "max_utilization")


def divisions() -> Iterator[Division]:
    """Yield the settings for all divisions of 128 processors that the study measures."""
    families = [moved(family, m) for family in (TWO_AND_TWO, ONE_AND_ONE) for m in MOVED]
    for sizes in dict.fromkeys([*into_four(), *families]):
        for request, placement in WAYS.values():
            yield Division(name_of(sizes), placement, request)
    for sizes in into_powers_of_two():
        for placement in (FIRST_FIT, WORST_FIT):
            yield Division(name_of(sizes), placement)
        if is_unequal(sizes):
            yield Division(name_of(sizes), SMALL_FIRST)
    for placement in (FIRST_FIT, WORST_FIT):
        yield Division(name_of((16,) * 8), placement, service=CONSTANT)


class MaxUtilizations:
    """The maximal utilization of each way to divide the processors, from a table of runs."""

    def __init__(self, runs: pd.DataFrame, service: str = EXPONENTIAL) -> None:
        here = pick(runs, kind=DIVISION, service=service)
        self._found = {
            (names["division"], names["request"], names["placement"] or None): sample(
                rows, "max_utilization"
            )
            for names, rows in groups_of(here, ["division", "request", "placement"])
        }

    def of(self, sizes: Sizes, way: str) -> Replications:
        """Return the maximal utilization of a division into clusters in each run."""
        request, placement = WAYS.get(way, (UNORDERED, way))
        key = name_of(sizes), request, placement
        if key not in self._found:
            raise NotRunError(f"no run has division = {key[0]!r} with {way}; run this setting")
        return self._found[key]

    def gain(self, one: Sizes, other: Sizes, way: str) -> Replications:
        """Return the maximal utilization of one division minus that of another in each run."""
        return self.of(one, way) - self.of(other, way)
