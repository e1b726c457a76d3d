"""Placements: the rules that choose the clusters on which a job runs.

Most placements are an order in which the clusters are tried. The request type of a job decides how
the order is used; `coalloc_lib.model.jobs.REQUESTS` describes the types:

- *unordered*: the components are placed by decreasing size (ties by position), each on the first
  cluster in the order that has enough idle processors and no other component of the job;
- *total*: the same, with the sum of the components as the only component;
- *flexible*: as many processors as possible are taken from the first cluster, then from the
  second, and so on;
- *ordered*: each component runs on the cluster that the job names, and the order is not used.

If a job fits in one order of the clusters, it fits in every order. Such a placement thus decides
where a job runs, but not whether it can start. Only `SingleThenSpan`, `HomeSite` and placements of
your own that define `place` are not an order.
"""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from coalloc_lib.basics.checks import InputError, instance_of, shown, whole, whole_numbers
from coalloc_lib.model.answers import answered_numbers
from coalloc_lib.model.system import Multicluster

#: The prime modulus of the hash function in `RandomFit`. The product of two remainders modulo this
#: prime fits into 64 bits.
PRIME = 2**31 - 1
#: The multiplier of the hash function in `RandomFit`. It is a primitive root modulo `PRIME`, so the
#: remainders of its powers are all numbers from 1 to ``PRIME - 1``.
FACTOR = 48_271


class Rigid(Protocol):
    """Interface of a job that can get a reservation, such as `coalloc_lib.policies.Job`."""

    def expected_length(self, allocation: Sequence[int]) -> float:
        """Return how long the job is expected to run on an allocation of processors."""


class Reservation(NamedTuple):
    """A reservation for a job: its start, its end, and its number of processors in each cluster."""

    start: float
    end: float
    allocation: Sequence[int]


class Placement:
    """Base class of placements, the rules that choose the clusters on which a job runs.

    A subclass defines `order`, or `place` if the rule is not an order of the clusters. A
    subclass of your own runs in the readable engine.

    Examples
    --------
    >>> class LastFit(Placement):
    ...     def order(self, idle):
    ...         return reversed(range(len(idle)))
    >>> LastFit().place([3, 2], "unordered", [4, 4, 4])
    [0, 2, 3]
    """

    #: The request types that the placement supports.
    requests: ClassVar[tuple[str, ...]] = ("unordered", "flexible", "total")
    #: Whether the placement may run all components of an unordered job on one cluster, even if the
    #: components do not fit on distinct clusters.
    keeps_whole: ClassVar[bool] = False
    #: Whether the placement spreads a job over several clusters only if no single cluster has
    #: enough idle processors.
    one_cluster_first: ClassVar[bool] = False

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return all cluster numbers in the order in which the placement tries the clusters.

        Parameters
        ----------
        idle : sequence of int
            Number of idle processors of each cluster.
        """
        raise InputError(
            f"{type(self).__name__} does not define the order in which clusters are tried; define "
            "its method `order` or `place`"
        )

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Return the number of processors to take from each cluster; None if the job does not fit.

        Parameters
        ----------
        components : sequence of int
            Number of processors of each component of the job. Zeros are ignored.
        request : {"ordered", "unordered", "flexible", "total"}
            The request type, see `JobStream`.
        idle : sequence of int
            Number of idle processors of each cluster.
        """
        if request == "ordered":
            return ordered_allocation(components, idle)
        if request == "flexible":
            total = sum(components)
            return self._distribute(total, idle) if total <= sum(idle) else None
        if request == "total":
            total = sum(components)
            if total > max(idle):  # the most frequent case of a long queue
                return None
            components = [total]
        return self._on_distinct_clusters(components, idle)

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` if this placement cannot be used on `system`."""

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return one number per cluster, from which the compiled engine computes the placement.

        The numbers are the clusters in a fixed order, the cluster sizes, or random numbers.
        """
        return range(clusters)

    def _checked_order(self, idle):
        answer = self.order(idle)
        if type(self) in (WorstFit, BestFit):  # their orders are always valid; this saves time
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
        if any(map(operator.gt, sizes, _most_idle_first(tuple(idle)))):
            return None  # the job fits in no order, so computing the order would waste time
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
    """First fit: a component runs on the first cluster that has enough idle processors.

    Parameters
    ----------
    clusters : sequence of int, optional
        All cluster numbers in the order in which they are tried. The default is 0, 1, 2, ...

    Examples
    --------
    >>> FirstFit().place([3], "total", [2, 8, 4])
    [0, 3, 0]
    """

    clusters: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.clusters is not None:
            order = whole_numbers("clusters", self.clusters, least=0)
            object.__setattr__(self, "clusters", tuple(order.tolist()))

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers in the order that the user gave."""
        return self.numbers(len(idle))

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the cluster numbers in the order that the user gave."""
        return range(clusters) if self.clusters is None else self.clusters

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` unless `clusters` contains each cluster of `system` exactly once."""
        if self.clusters is not None and sorted(self.clusters) != list(range(len(system))):
            raise InputError(
                f"clusters = {shown(list(self.clusters))}; name each of the {len(system)} clusters "
                f"once, from 0 to {len(system) - 1}"
            )


@dataclass(frozen=True)
class WorstFit(Placement):
    """Worst fit: a component runs on the cluster that has the most idle processors.

    Among clusters with equally many idle processors, the cluster with the lowest number is used.
    Worst fit balances the load of the clusters.

    Examples
    --------
    >>> WorstFit().place([3], "total", [2, 8, 4])
    [0, 3, 0]
    """

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers, the cluster with the most idle processors first."""
        return _by_idle(tuple(idle), -1)


@dataclass(frozen=True)
class BestFit(Placement):
    """Best fit: of the clusters with enough idle processors, the one with the fewest is used.

    Among clusters with equally many idle processors, the cluster with the lowest number is used. A
    flexible request first takes the processors of the clusters with the fewest idle processors.

    Examples
    --------
    >>> BestFit().place([3], "total", [2, 8, 4])
    [0, 0, 3]
    """

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers, the cluster with the fewest idle processors first."""
        return _by_idle(tuple(idle), 1)


@dataclass(frozen=True)
class SingleThenSpan(Placement):
    """A placement that runs a job on one cluster if possible, and otherwise on several clusters.

    If a job uses several clusters, worst fit places it: a flexible request takes the idle
    processors of the clusters with the most idle processors first, and the components of an
    unordered request run on distinct clusters. An unordered job can start if the whole job fits on
    one cluster, or if its components fit on distinct clusters. Neither condition implies the other.

    Parameters
    ----------
    single : Placement
        The rule that chooses the cluster of a job that runs on one cluster. The default is
        `BestFit`.

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
        instance_of("single", self.single, Placement, "BestFit()")
        if "total" not in self.single.requests:
            raise InputError(
                f"single = {self.single} is for {' and '.join(self.single.requests)} requests, but "
                "it must place whole jobs on one cluster; give a placement for total requests, "
                "such as BestFit()"
            )

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Place the job on one cluster or, if no cluster can hold it, on several clusters."""
        if request == "ordered":
            return ordered_allocation(components, idle)
        alone = self.single.place(components, "total", idle)
        if alone is not None or request == "total":
            return alone
        return WorstFit().place(components, request, idle)

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` if the placement `single` cannot be used on `system`."""
        self.single.check(system)

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the numbers, one per cluster, with which the engine applies the rule `single`."""
        return self.single.numbers(clusters)


@dataclass(frozen=True)
class LeastLoaded(Placement):
    """Least loaded: a component runs on the cluster with the largest fraction of idle processors.

    Among clusters with equal fractions, the cluster with the lowest number is used. This rule
    equalizes the utilizations of clusters of different sizes, whereas `WorstFit` prefers large
    clusters.

    Parameters
    ----------
    system : Multicluster
        The system on which the jobs run.

    Examples
    --------
    >>> LeastLoaded(Multicluster([4, 16])).place([3], "total", [4, 8])
    [3, 0]
    """

    system: Multicluster

    def __post_init__(self) -> None:
        instance_of("system", self.system, Multicluster, "the Multicluster of the run")

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers in decreasing order of the fraction of idle processors."""
        sizes = self.system.sizes
        return sorted(range(len(idle)), key=lambda c: -Fraction(int(idle[c]), sizes[c]))

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` if this placement was created for a system other than `system`."""
        if system != self.system:
            raise InputError(
                f"placement = LeastLoaded was made for the clusters {self.system}, and the system "
                f"has {system}; give LeastLoaded(system)"
            )

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return the cluster sizes, from which the compiled engine computes this placement."""
        return self.system.sizes


@dataclass(frozen=True)
class RandomFit(Placement):
    """Random fit: a component runs on a random cluster among those with enough idle processors.

    Parameters
    ----------
    seed : int
        The seed of the random choices.

    Notes
    -----
    The order is calculated by hashing how many processors of each cluster are idle, so equal
    numbers always give the same order. Policies that plan the starts of jobs need this. Let s be
    the number whose digits in base 48,271 are the numbers of idle processors, and let r_c be a
    random number for each cluster c, sampled with the seed. The clusters are tried in increasing
    order of (s + r_c)^5 modulo the prime 2^31 - 1. Ties are impossible for different r_c, because 5
    does not divide 2^31 - 2 and the fifth power is then a permutation of the remainders.

    Examples
    --------
    >>> RandomFit(seed=1).place([3], "total", [2, 8, 2])
    [0, 3, 0]
    """

    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole("seed", self.seed, least=0))

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers in a pseudorandom order."""
        state, sampled = 0, self.numbers(len(idle))
        for free in idle:
            state = (state * FACTOR + int(free)) % PRIME
        return sorted(range(len(idle)), key=lambda c: pow(state + sampled[c], 5, PRIME))

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return one pseudorandom number per cluster, generated from the seed."""
        return _sampled_numbers(self.seed, clusters)


@dataclass(frozen=True)
class HomeSite(Placement):
    """A placement that keeps some jobs on their own site and places the other jobs by `rule`.

    The jobs need components in a special form, in which `coalloc_lib.simulation.sites.sharing`
    writes them. A job that may run anywhere has its processors in column 0 of the components. A job
    that must run on cluster c has its processors in column c + 1.

    Parameters
    ----------
    rule : Placement
        The placement of the jobs that may run anywhere.

    Examples
    --------
    >>> HomeSite(BestFit()).place([0, 3, 0], "total", [8, 4])
    [3, 0]
    >>> HomeSite(BestFit()).place([3, 0, 0], "total", [8, 4])
    [0, 3]
    """

    requests: ClassVar[tuple[str, ...]] = ("flexible", "total")
    rule: Placement

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Placement) or isinstance(self.rule, HomeSite):
            raise InputError(
                f"rule = {self.rule!r} cannot place jobs that may run at any site; give a "
                "placement such as BestFit()"
            )

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Place a job on its own site, or by `rule` if the job may run at any site."""
        free, *home = components
        if any(home):
            return ordered_allocation(home, idle)
        return self.rule.place([free], request, idle)

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` if the placement `rule` cannot be used on `system`."""
        self.rule.check(system)

    def numbers(self, clusters: int) -> Sequence[int]:
        """Return one number per cluster, from which the engine computes the placement `rule`."""
        return self.rule.numbers(clusters)


@lru_cache(maxsize=16)
def _by_idle(idle, sign):
    # The cache helps because policies try many waiting jobs with the same idle processors.
    return tuple(sorted(range(len(idle)), key=[sign * free for free in idle].__getitem__))


@lru_cache(maxsize=16)
def _most_idle_first(idle):
    return tuple(sorted(idle, reverse=True))


@lru_cache(maxsize=128)
def _sampled_numbers(seed, clusters):
    words = np.random.SeedSequence(seed).generate_state(clusters, np.uint64)
    return tuple(int(word) % PRIME for word in words)


def ordered_allocation(components: Sequence[int], idle: Sequence[int]) -> list[int] | None:
    """Return the allocation of an ordered request, or None if it does not fit.

    Component i takes its processors from cluster i. A job with processors in a component beyond the
    last cluster does not fit.
    """
    clusters = len(idle)
    wanted = [*components[:clusters], *[0] * (clusters - len(components))]
    fits = all(map(operator.le, wanted, idle)) and not any(components[clusters:])
    return wanted if fits else None


def clusters_used(allocation: Sequence[int]) -> int:
    """Return the number of clusters in which an allocation has processors."""
    return len([*filter(None, allocation)])


def time_on_processors(runtime: Any, span_penalty: Any, clusters: Any) -> Any:
    """Return the run time of jobs that use `clusters` clusters, including the span penalty.

    On one cluster it is exactly `runtime`. The arguments are those of one job, or arrays with an
    entry for each job.
    """
    return runtime * (1 + penalty_on(span_penalty, clusters))


def penalty_on(span_penalty: Any, clusters: Any) -> Any:
    """Return the relative increase in run time of jobs that span a given number of clusters.

    Parameters
    ----------
    span_penalty : float or array_like
        The penalty of one job or of each job. It can have one more axis with the penalties on
        2, 3, ... clusters, whose last entry is also for more clusters.
    clusters : int or array_like of int
        Number of clusters on which the job, or each job, runs.
    """
    if isinstance(span_penalty, float):  # a fast path for the most frequent case
        return span_penalty * (clusters > 1)
    table, clusters = np.asarray(span_penalty), np.asarray(clusters)
    if table.ndim > clusters.ndim:
        column = np.clip(clusters - 2, 0, table.shape[-1] - 1)[..., None]
        table = np.take_along_axis(table, column, axis=-1)[..., 0]
    return table * (clusters > 1)


def may_stay_whole(placement: Placement | None, request: str) -> bool:
    """Return whether a placement may run the components of an unordered job on one cluster."""
    return request == "unordered" and placement is not None and placement.keeps_whole


def effective_request(
    components: Sequence[int], request: str, placement: Placement | None
) -> tuple[str, Sequence[int]]:
    """Return the request type and the components, which determine where a job may run.

    They are those of the job, unless a `HomeSite` keeps the job on its own site. The request is
    then ordered.
    """
    if isinstance(placement, HomeSite) and any(components[1:]):
        return "ordered", components[1:]
    return request, components


def serves(
    allocation: Sequence[int],
    components: Sequence[int],
    request: str,
    placement: Placement | None,
) -> bool:
    """Return whether an allocation has a job's processors in clusters that its request allows.

    Parameters
    ----------
    allocation : sequence of int
        Number of processors in each cluster. Their sum must be the number of the job's processors.
    components : sequence of int
        Number of processors of each component of the job.
    request : {"ordered", "unordered", "flexible", "total"}
        The request type, see `JobStream`.
    placement : Placement or None
        The placement of the run; None for ordered requests.
    """
    request, components = effective_request(components, request, placement)
    if request == "ordered":
        return ordered_allocation(components, allocation) is not None
    if request == "flexible":
        return True
    if request == "total":
        return clusters_used(allocation) == 1
    if sorted(filter(None, components)) == sorted(filter(None, allocation)):
        return True
    return may_stay_whole(placement, request) and clusters_used(allocation) == 1


def refuse_for_ordered(placement: Placement | None) -> None:
    """Raise an error unless `placement` is None, because ordered requests need no placement.

    An ordered request already names the cluster of each component.
    """
    if placement is not None:
        raise InputError(
            f"placement = {placement} is given for ordered requests, which name their clusters "
            "themselves; leave the placement out"
        )


def check_request(placement: Placement, request: str) -> None:
    """Raise an error if a placement, or the rule of a `HomeSite`, cannot serve a request type."""
    if request not in placement.requests:
        raise InputError(
            f"placement = {placement} is for {' and '.join(placement.requests)} requests, but the "
            f"jobs have {request} requests; give another placement or another request type"
        )
    if isinstance(placement, HomeSite):
        check_request(placement.rule, request)


#: The classes of this library's placements that try the clusters in some order.
_ORDERS = frozenset({FirstFit, WorstFit, BestFit, LeastLoaded, RandomFit})


def is_of_library(placement: Placement | None) -> bool:
    """Return whether this library defines a placement and every placement inside it.

    Such a placement always gives the same answer for the same idle processors, and places each job
    that fits. None stands for the default placement.
    """
    if type(placement) is HomeSite:
        placement = placement.rule
    if type(placement) is SingleThenSpan:
        placement = placement.single
    return placement is None or type(placement) in _ORDERS
