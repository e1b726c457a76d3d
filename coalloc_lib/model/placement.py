"""Placement: which clusters a job's processors come from. The readable definitions.

A placement is an order in which clusters are tried. *Unordered* components go by decreasing size
(ties by position), each to the first cluster that holds it and has none of the job's components
yet; a *total* request is their sum as one component. Of a *flexible* one all that can be is taken
from each cluster in turn. *Ordered* ones leave no choice.

A job that fits at all fits in every order: a placement decides where it runs, never whether it may
start, unless it may keep an unordered job whole (`SingleThenSpan`).
"""

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from coalloc_lib.basics.checks import InputError, instance_of, shown, whole, whole_numbers
from coalloc_lib.model.system import Multicluster

#: For `RandomFit`: a prime below 2^31, so that no product of two remainders is too large for 64
#: bits, and a factor whose powers are all remainders but 0.
PRIME, FACTOR = 2**31 - 1, 48_271


class Rigid(Protocol):
    """What a reservation is made for: a `coalloc_lib.policies.Job`, or what is as one."""

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return how long it is expected to run on an allocation."""


class Reservation(NamedTuple):
    """When, until when and on which processors a job can run."""

    start: float
    end: float
    allocation: Sequence[int]


class Placement:
    """A rule that chooses clusters for the components of a job."""

    #: The request types that it serves; `simulate` refuses it for others.
    requests: ClassVar[tuple[str, ...]] = ("unordered", "flexible", "total")
    #: Whether it may put an unordered job whole onto one cluster, and does where the components do
    #: not fit on distinct clusters but the whole fits on one.
    keeps_whole: ClassVar[bool] = False
    #: Whether it puts a job on one cluster where one can hold it, and on several only if none can.
    one_cluster_first: ClassVar[bool] = False

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers in the order in which they are tried, given what is idle."""
        raise InputError(
            f"{type(self).__name__} says nowhere in which order clusters are tried; write its "
            "`order`, or its `place`"
        )

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Return the processors to take from each cluster, or None where the job does not fit.

        `components` are the processors of each, zeros allowed; `request` is one of
        `coalloc_lib.model.jobs.REQUESTS`, and `idle` what is idle of each cluster.
        """
        if request == "ordered":
            return in_place(components, idle)
        if request == "flexible":
            total = sum(components)
            return self._distribute(total, idle) if total <= sum(idle) else None
        if request == "total":
            components = [sum(components)]
        return self._on_distinct_clusters(components, idle)

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` where this placement cannot serve `system`."""

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return what it knows of each cluster, which is what kernels are given of it.

        That is its fixed order, if it has one, the sizes of the clusters, or random numbers.
        """
        return range(clusters)

    def _checked_order(self, idle):
        """Return the order; a rule of the user's own may forget a cluster."""
        answer = self.order(idle)
        if type(self) in (WorstFit, BestFit):  # for speed
            return answer
        order = answered_numbers(answer)
        if order is None or sorted(order) != [*range(len(idle))]:
            raise InputError(
                f"{type(self).__name__}.order returned {shown(answer)}; return each cluster number "
                f"from 0 to {len(idle) - 1} once"
            )
        return order

    def _on_distinct_clusters(self, components, idle):
        sizes = sorted(filter(None, components), reverse=True)
        if any(map(operator.gt, sizes, _emptiest_first(tuple(idle)))):
            return None  # for speed: the order of the clusters does not matter then
        taken = [0] * len(idle)
        order = self._checked_order(idle)
        for size in sizes:
            for cluster in order:
                if taken[cluster] == 0 and size <= idle[cluster]:
                    taken[cluster] = size
                    break
            else:
                return None
        return taken

    def _distribute(self, total, idle):
        taken = [0] * len(idle)
        for cluster in self._checked_order(idle):
            taken[cluster] = min(total, idle[cluster])
            total -= taken[cluster]
            if not total:
                break
        return taken


@dataclass(frozen=True)
class FirstFit(Placement):
    """The first cluster on which the component fits, in the order `clusters`, or 0, 1, 2, ..."""

    clusters: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Keep the order as a tuple, so that the placement can be a key."""
        if self.clusters is not None:
            order = whole_numbers("clusters", self.clusters, least=0)
            object.__setattr__(self, "clusters", tuple(order.tolist()))

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the fixed order."""
        return self.numbers(len(idle))

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the fixed order."""
        return range(clusters) if self.clusters is None else self.clusters

    def check(self, system: Multicluster) -> None:
        """Raise where `clusters` does not name every cluster once."""
        if self.clusters is not None and sorted(self.clusters) != list(range(len(system))):
            raise InputError(
                f"clusters = {shown(list(self.clusters))}; name each of the {len(system)} clusters "
                f"once, from 0 to {len(system) - 1}"
            )


@dataclass(frozen=True)
class WorstFit(Placement):
    """The cluster with the most idle processors (ties by lowest number): it balances."""

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters by decreasing number of idle processors."""
        return _by_idle(tuple(idle), -1)


@dataclass(frozen=True)
class BestFit(Placement):
    """The cluster with the fewest idle processors that suffice (ties by lowest number).

    A flexible request takes the emptiest clusters last: it fills up what is nearly full.
    """

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters by increasing number of idle processors."""
        return _by_idle(tuple(idle), 1)


@dataclass(frozen=True)
class SingleThenSpan(Placement):
    """One cluster if one can hold the whole job now, else several, the emptiest first.

    `single` chooses the cluster of a job that one cluster can hold; best fit by default.

    An unordered job is split into its components only where it cannot start whole now, and then
    placed by worst fit, as are flexible requests. It fits if the whole fits on one cluster *or* the
    components on distinct ones; neither implies the other.

    Examples
    --------
    >>> SingleThenSpan().place([7, 4, 4, 4], "unordered", [19, 0, 0, 0])
    [19, 0, 0, 0]
    >>> SingleThenSpan().place([7, 4, 4, 4], "unordered", [7, 7, 7, 7])
    [7, 4, 4, 4]
    """

    keeps_whole: ClassVar[bool] = True
    one_cluster_first: ClassVar[bool] = True
    single: Placement = field(default_factory=BestFit)

    def __post_init__(self) -> None:
        """Check that `single` can choose one cluster."""
        instance_of("single", self.single, Placement, "BestFit()")

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Place the job on one cluster or, where none can hold it, on several."""
        if request == "ordered":
            return in_place(components, idle)
        alone = self.single.place(components, "total", idle)
        if alone is not None or request == "total":
            return alone
        return WorstFit().place(components, request, idle)

    def check(self, system: Multicluster) -> None:
        """Raise where `single` cannot serve `system`."""
        self.single.check(system)

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return what `single` knows."""
        return self.single.numbers(clusters)


@dataclass(frozen=True)
class LeastLoaded(Placement):
    """The cluster of which the largest share is idle (ties by lowest number).

    Worst fit gives most jobs to the largest machine; this evens out utilizations. `system` is that
    of the run.
    """

    system: Multicluster

    def __post_init__(self) -> None:
        """Check the system."""
        instance_of("system", self.system, Multicluster, "the Multicluster of the run")

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters by decreasing share of idle processors."""
        sizes = self.system.sizes
        return sorted(range(len(idle)), key=lambda c: -Fraction(int(idle[c]), sizes[c]))

    def check(self, system: Multicluster) -> None:
        """Raise where this is another system's."""
        if system != self.system:
            raise InputError(
                f"placement = LeastLoaded for clusters {self.system}, and the system has {system}; "
                "give LeastLoaded(system)"
            )

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the sizes of the clusters."""
        return self.system.sizes


@dataclass(frozen=True)
class RandomFit(Placement):
    """A cluster on which the component fits, any of them as likely, by the seed.

    The same idle processors have the same answer, as policies that plan need it. With the idle
    numbers i_0, i_1, ... as digits of a number s in base 48,271, the first in the order is the
    cluster with the least (s + r_c)^5 modulo the prime 2^31 - 1, where the r_c are sampled with the
    seed. As 5 does not divide 2^31 - 2, no two remainders have the same fifth power.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed."""
        whole("seed", self.seed, least=0)

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters in an order that depends on all idle numbers and the seed."""
        state, sampled = 0, self.numbers(len(idle))
        for free in idle:
            state = (state * FACTOR + int(free)) % PRIME
        return sorted(range(len(idle)), key=lambda c: pow(state + sampled[c], 5, PRIME))

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the random numbers r_c for this number of clusters."""
        return _sampled_numbers(int(self.seed), clusters)


@dataclass(frozen=True)
class HomeSite(Placement):
    """Jobs that may not leave their site beside jobs that may, which `rule` places.

    Column 0 of the components has the processors of a job that may go anywhere, column c + 1 those
    of one that stays on cluster c, as `coalloc_lib.simulation.sites` makes them.
    """

    requests: ClassVar[tuple[str, ...]] = ("flexible", "total")
    rule: Placement

    def __post_init__(self) -> None:
        """Check that `rule` can place jobs."""
        if not isinstance(self.rule, Placement) or isinstance(self.rule, HomeSite):
            raise InputError(f"rule = {self.rule!r} places no jobs that may leave; give BestFit()")

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Place a job on its site or, where it has none, by the rule."""
        free, *home = components
        return in_place(home, idle) if any(home) else self.rule.place([free], request, idle)

    def check(self, system: Multicluster) -> None:
        """Raise where `rule` cannot serve `system`."""
        self.rule.check(system)

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return what `rule` knows."""
        return self.rule.numbers(clusters)


@lru_cache(maxsize=16)
def _by_idle(idle, sign):
    """Return the clusters by increasing or (sign -1) decreasing number of idle processors.

    The last answers are kept, because policies ask for all waiting jobs with the same idle ones.
    """
    return tuple(sorted(range(len(idle)), key=[sign * free for free in idle].__getitem__))


@lru_cache(maxsize=16)
def _emptiest_first(idle):
    """Return the idle processors of the clusters in decreasing order."""
    return tuple(sorted(idle, reverse=True))


@lru_cache(maxsize=128)
def _sampled_numbers(seed, clusters):
    words = np.random.SeedSequence(seed).generate_state(clusters, np.uint64)
    return tuple(int(word) % PRIME for word in words)


def in_place(components: Sequence[int], idle: Sequence[int]) -> list[int] | None:
    """Return component i from cluster i, for ordered requests, or None where it does not fit."""
    wanted = [*components[: len(idle)], *[0] * (len(idle) - len(components))]
    return wanted if all(map(operator.le, wanted, idle)) else None


def time_on_processors(runtime: Any, span_penalty: Any, clusters: Any) -> Any:
    """Return how long jobs run on so many clusters; ``runtime``, to the last bit, on one."""
    return runtime * (1 + penalty_on(span_penalty, clusters))


def penalty_on(span_penalty: Any, clusters: Any) -> Any:
    """Return the penalty of a job, or of those of a stream, on so many clusters; none on one.

    A penalty is a number, or a row of those on 2, 3, ... clusters, of which the last is for more.
    """
    if isinstance(span_penalty, float):  # for speed
        return span_penalty * (clusters > 1)
    table, clusters = np.asarray(span_penalty), np.asarray(clusters)
    if table.ndim > clusters.ndim:
        column = np.clip(clusters - 2, 0, table.shape[-1] - 1)[..., None]
        table = np.take_along_axis(table, column, axis=-1)[..., 0]
    return table * (clusters > 1)


def may_stay_whole(placement: Placement | None, request: str) -> bool:
    """Whether jobs fit if their components fit on distinct clusters or the whole on one."""
    return request == "unordered" and placement is not None and placement.keeps_whole


def refuse_for_ordered(placement: Placement | None) -> None:
    """Raise an error if a placement is given, because ordered requests need none."""
    if placement is not None:
        raise InputError(
            f"placement = {placement} is given for ordered requests, which name their clusters "
            "themselves; leave it out"
        )


def answered_numbers(answer: Any) -> list[int] | None:
    """Return what a rule of the user's own answered as whole numbers; None where it is not that."""
    is_plain = type(answer) in (list, tuple, range)  # for speed: asking for a Mapping takes long
    if not is_plain and isinstance(answer, (str, bytes, Mapping, Set)):
        return None
    try:
        return [*map(operator.index, answer)]
    except TypeError:
        return None


def allocation_of(answer: Any, processors: int, clusters: int) -> list[int] | None:
    """Return an answer as a list, or None if it does not allocate this number of processors."""
    taken = answered_numbers(answer)
    wrong = taken is None or len(taken) != clusters or sum(taken) != processors or min(taken) < 0
    return None if wrong else taken


def fitting(answer: Any, processors: int, idle: Sequence[int]) -> list[int] | None:
    """Return an answer as `allocation_of` does, or None also if it takes more than is idle."""
    taken = allocation_of(answer, processors, len(idle))
    return None if taken is None or any(map(operator.gt, taken, idle)) else taken


#: Rules whose answers need no check in a run.
TRUSTED = frozenset({FirstFit, WorstFit, BestFit})
