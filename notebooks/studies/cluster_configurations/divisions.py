"""Many divisions of 128 processors: what is run on each, and what each of them can carry.

The paper says several sentences of systems with unequal clusters in general and prints one such
system. They are judged over the two sets of divisions that are defined here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.seeds import parent
from coalloc_lib.model.distributions import Between, Distribution, Exponential
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import NotRunError, Replications, groups_of, pick, rows_of, sample
from coalloc_lib.statistics.curves import max_utilization_by_simulation
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
from studies.study import Scale

#: What the runs of a division are called.
DIVISION = "division"
#: Section 4 has exponential service times. The other is asked beside it: constant service, where
#: jobs that start together depart one by one, since run times differ by less than a millionth.
EXPONENTIAL, CONSTANT = "exponential", "constant, departures one by one"
SERVICES: dict[str, Distribution] = {
    EXPONENTIAL: Exponential(),
    CONSTANT: Between(1 - 5e-7, 1 + 5e-7),
}
#: Each division is asked for these ways of requesting and placing, by the words for them.
ORDERED_WAY = "ordered requests"
WAYS: dict[str, tuple[str, str | None]] = {
    FIRST_FIT: (UNORDERED, FIRST_FIT),
    WORST_FIT: (UNORDERED, WORST_FIT),
    ORDERED_WAY: (ORDERED, None),
}
#: The number of processors by which two clusters grow while two shrink.
MOVED = range(0, 25, 4)
#: Two clusters of 32 + m and two of 32 - m, or one of each.
TWO_AND_TWO, ONE_AND_ONE = "32+m, 32+m, 32−m, 32−m", "32+m, 32, 32, 32−m"

Sizes = tuple[int, ...]


def name_of(sizes: Sizes) -> str:
    """Return the name of a division, such as 64+32+16+16."""
    return "+".join(map(str, sizes))


def sizes_of(name: str) -> Sizes:
    """Return the sizes of the clusters of a division from its name."""
    try:
        sizes = tuple(int(size) for size in name.split("+"))
    except ValueError:
        raise InputError(f"division = {name!r}; give sizes such as '64+32+16+16'") from None
    if sum(sizes) != PROCESSORS:
        raise InputError(f"division = {name!r} has {sum(sizes)} processors; give {PROCESSORS}")
    return sizes


def into_four() -> list[Sizes]:
    """Return all divisions into four clusters of 8, 16, ..., 64 processors, largest first."""
    eighths = combinations_with_replacement(range(8, 0, -1), 4)
    return [tuple(8 * part for part in parts) for parts in eighths if sum(parts) == 16]


def into_powers_of_two() -> list[Sizes]:
    """Return all divisions into four or more clusters of 8, 16, 32 or 64 processors."""
    found = []
    for count in range(4, PROCESSORS // 8 + 1):
        for sizes in combinations_with_replacement((64, 32, 16, 8), count):
            if sum(sizes) == PROCESSORS:
                found.append(sizes)
    return found


def moved(family: str, m: int) -> Sizes:
    """Return the division of a family in which clusters differ from 32 by `m` processors."""
    one_of("family", family, (TWO_AND_TWO, ONE_AND_ONE))
    if not 0 <= m < 32:
        raise InputError(f"m = {m}; give a number of processors from 0 to 31")
    middle = (32 + m, 32 - m) if family == TWO_AND_TWO else (32, 32)
    return 32 + m, *middle, 32 - m


def is_unequal(sizes: Sizes) -> bool:
    """Return whether the clusters differ in size."""
    return len({*sizes}) > 1


@dataclass(frozen=True)
class Division:
    """Jobs of four components on a division of 128 processors, and how they are placed.

    Ordered requests leave no choice to a placement, which is then None.
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
                f"request = {self.request!r} with placement = {self.placement!r}; give "
                f"{UNORDERED!r} with a placement, or {ORDERED!r} with None"
            )

    @property
    def scenario(self) -> Scenario:
        """The system, the jobs and the placement."""
        system = Multicluster(sizes_of(self.division))
        jobs = FOUR.with_(request=self.request, service=SERVICES[self.service])
        placement = PLACEMENTS[self.placement](system) if self.placement else None
        return Scenario(system, jobs, placement=placement)


def measure_division(
    setting: Division, scale: Scale, seed: np.random.SeedSequence
) -> Iterator[dict]:
    """Yield the maximal utilization: exact for ordered requests, else a row for each run."""
    scenario = setting.scenario
    if setting.request == ORDERED and setting.service == EXPONENTIAL:
        exact = max_utilization_by_simulation(scenario, method="exact").max_utilization
        found = Replications(np.array(exact))
    else:
        # All divisions have the same jobs, so that they can be compared in pairs.
        how = {"jobs": scale.division_jobs, "replications": scale.replications}
        busy, warning = replicated_traffic(scenario, **how, seed=parent(seed))
        found = Replications(busy.mean(axis=1), warning)
    yield from rows_of(found, "max_utilization")


def divisions() -> Iterator[Division]:
    """Yield all divisions that are run."""
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


class Carried:
    """What each division can carry, read once from the runs."""

    def __init__(self, runs: pd.DataFrame, service: str = EXPONENTIAL) -> None:
        here = pick(runs, kind=DIVISION, service=service)
        self._found = {
            (names["division"], names["request"], names["placement"] or None): sample(
                rows, "max_utilization"
            )
            for names, rows in groups_of(here, ["division", "request", "placement"])
        }

    def of(self, sizes: Sizes, way: str) -> Replications:
        """Return the maximal utilization of a division, by one of `WAYS` or a placement."""
        request, placement = WAYS.get(way, (UNORDERED, way))
        key = name_of(sizes), request, placement
        if key not in self._found:
            raise NotRunError(f"no run has division = {key[0]!r} with {way}")
        return self._found[key]

    def more(self, one: Sizes, other: Sizes, way: str) -> Replications:
        """Return by how much one division carries more than another, in pairs of runs."""
        return self.of(one, way) - self.of(other, way)
