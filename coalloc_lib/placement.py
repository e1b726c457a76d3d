"""Placement: which clusters a job's processors come from. The readable definitions.

A placement is an order in which clusters are tried. What the order means depends on the request:

* *unordered*: components by decreasing size (ties by position), each to the first cluster that
  holds it and has none of the job's components yet;
* *total*: the sum of the components as one component;
* *flexible*: the sum, all that can be taken from each cluster in turn.

If a job fits at all, it fits in every order, so a placement decides where a job runs, never whether
it may start; but one that may keep an unordered job whole also starts jobs that only fit so
(`SingleThenSpan`). *Ordered* requests name their clusters and leave a placement no choice.

To try a rule of your own, derive from `Placement` and write `order`; for a rule that is more than
an order of clusters, write `place` instead.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar

from coalloc_lib.checks import InputError, shown, whole_numbers
from coalloc_lib.system import Multicluster


class Placement:
    """A rule that chooses clusters for the components of a job.

    Attributes
    ----------
    requests : tuple of str
        The request types that it serves; `simulate` refuses it for others.
    keeps_whole : bool
        Whether it may put an unordered job whole onto one cluster, and does where the components
        do not fit on distinct clusters but the whole fits on one.
    """

    requests: ClassVar[tuple[str, ...]] = ("unordered", "flexible", "total")
    keeps_whole: ClassVar[bool] = False

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the cluster numbers in the order in which they are tried.

        Parameters
        ----------
        idle : sequence of int
            Idle processors of each cluster.
        """
        raise InputError(
            f"{type(self).__name__} says nowhere in which order clusters are tried; write its "
            "`order`, or its `place`"
        )

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Return the processors to take from each cluster, or None where the job does not fit.

        Parameters
        ----------
        components : sequence of int
            Processors of each component, zeros allowed.
        request : str
            One of `coalloc_lib.jobs.REQUESTS`.
        idle : sequence of int
            Idle processors of each cluster.
        """
        if request == "ordered":
            return in_place(components, idle)
        if request == "flexible":
            total = sum(components)
            return self._spread(total, idle) if total <= sum(idle) else None
        if request == "total":
            components = [sum(components)]
        return self._on_distinct_clusters(components, idle)

    def check(self, system: Multicluster) -> None:
        """Raise `InputError` where this placement cannot serve `system`."""

    def _checked_order(self, idle):
        """Return the order; a rule of the user's own may forget a cluster."""
        answer = self.order(idle)
        if type(self) in _SORTING:
            return answer
        order = listed(answer)
        if order is None or len(order) != len(idle) or {*order} != {*range(len(idle))}:
            raise InputError(
                f"{type(self).__name__}.order returned {shown(answer)}; return each cluster number "
                f"from 0 to {len(idle) - 1} once"
            )
        return order

    def _on_distinct_clusters(self, components, idle):
        taken = [0] * len(idle)
        order = self._checked_order(idle)
        for size in sorted(filter(None, components), reverse=True):
            for cluster in order:
                if taken[cluster] == 0 and size <= idle[cluster]:
                    taken[cluster] = size
                    break
            else:
                return None
        return taken

    def _spread(self, total, idle):
        taken = [0] * len(idle)
        for cluster in self._checked_order(idle):
            taken[cluster] = min(total, idle[cluster])
            total -= taken[cluster]
            if not total:
                break
        return taken


@dataclass(frozen=True)
class FirstFit(Placement):
    """The first cluster, in a fixed order, on which the component fits.

    Parameters
    ----------
    clusters : sequence of int, optional
        The order in which clusters are tried; 0, 1, 2, ... where it is not given.
    """

    clusters: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Keep the order as a tuple, so that the placement can be a key."""
        if self.clusters is not None:
            order = whole_numbers("clusters", self.clusters, least=0)
            object.__setattr__(self, "clusters", tuple(order.tolist()))

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the fixed order."""
        return range(len(idle)) if self.clusters is None else self.clusters

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
        return sorted(range(len(idle)), key=lambda c: -idle[c])


@dataclass(frozen=True)
class BestFit(Placement):
    """The cluster with the fewest idle processors that suffice (ties by lowest number).

    A flexible request takes the emptiest clusters last: it fills up what is nearly full.
    """

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters by increasing number of idle processors."""
        return sorted(range(len(idle)), key=lambda c: idle[c])


@dataclass(frozen=True)
class SingleThenSpan(Placement):
    """One cluster if one can hold the whole job now, else several, the emptiest first.

    Parameters
    ----------
    single : Placement
        Chooses the cluster of a job that one cluster can hold; best fit where it is not given.

    Notes
    -----
    A job is split only when it cannot start whole now: not its user decides, but the system. The
    components of an unordered request say into what a job *can* be split; this rule decides whether
    it *is*. Where it is, its components go on distinct clusters, as under worst fit; where not, it
    pays no `span_penalty`. So it fits if the whole fits on one cluster *or* the components fit on
    distinct ones, and neither implies the other: 19, 0, 0 and 0 idle processors hold a job of 7, 4,
    4 and 4 whole, four times 7 only split.

    A flexible request is split as worst fit splits it, a total one never.

    Examples
    --------
    >>> SingleThenSpan().place([7, 4, 4, 4], "unordered", [19, 0, 0, 0])
    [19, 0, 0, 0]
    >>> SingleThenSpan().place([7, 4, 4, 4], "unordered", [7, 7, 7, 7])
    [7, 4, 4, 4]
    """

    keeps_whole: ClassVar[bool] = True
    single: Placement = field(default_factory=BestFit)

    def __post_init__(self) -> None:
        """Check that `single` can choose one cluster."""
        if not isinstance(self.single, Placement):
            raise InputError(f"single = {self.single!r} is no Placement; give BestFit()")

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


def in_place(components: Sequence[int], idle: Sequence[int]) -> list[int] | None:
    """Return component i from cluster i, for ordered requests, or None where it does not fit."""
    wanted = [*components[: len(idle)], *[0] * (len(idle) - len(components))]
    return wanted if all(map(operator.le, wanted, idle)) else None


def time_on_processors(runtime: Any, span_penalty: Any, spans: Any) -> Any:
    """Return how long a job runs where it was placed: the one definition of it.

    Parameters
    ----------
    runtime, span_penalty : float or ndarray
        The job's run time on one cluster, and the share that spanning adds to it.
    spans : bool or ndarray of bool
        Whether it has processors of more than one cluster.

    Notes
    -----
    ``runtime * (1 + span_penalty)`` where it spans; ``runtime``, to the last bit, where not.
    """
    return runtime * (1 + span_penalty * spans)


def may_stay_whole(placement: Placement | None, request: str) -> bool:
    """Whether jobs fit if their components fit on distinct clusters or the whole on one."""
    return request == "unordered" and placement is not None and placement.keeps_whole


def unserved(placement: Placement, request: str) -> str:
    """Say that a placement does not serve a request type."""
    return (
        f"placement = {placement} is for {' and '.join(placement.requests)} requests and these are "
        f"{request}; give another placement, or replace(request=...)"
    )


def listed(answer: Any) -> list[int] | None:
    """Return what a rule of the user's own answered as whole numbers; None where it is not that."""
    plain = type(answer) in _PLAIN  # for speed: asking for a Mapping takes long
    if not plain and isinstance(answer, (str, bytes, Mapping, Set)):
        return None
    try:
        return [*map(operator.index, answer)]
    except TypeError:
        return None


def allocation_of(answer: Any, processors: int, clusters: int) -> list[int] | None:
    """Return what a rule answered as a list; None where it is no allocation of so many."""
    taken = listed(answer)
    wrong = taken is None or len(taken) != clusters or sum(taken) != processors or min(taken) < 0
    return None if wrong else taken


_PLAIN = frozenset({list, tuple, range})
#: Rules that sort the clusters, and so forget none: their order is not checked.
_SORTING = frozenset({WorstFit, BestFit})
#: Rules whose answers need no check in a run.
TRUSTED = frozenset({FirstFit, WorstFit, BestFit})
