"""Placement: which clusters a job's processors come from. The readable definitions.

The rules that hold for every placement: a component goes to one cluster; components are placed
by decreasing size (ties by position); no two components of a job share a cluster. A placement is
the order in which clusters are tried. If the components fit at all, they fit in every such order,
so a placement decides where a job runs, never whether it may start.

To try a rule of your own, derive from `Placement` and write `order`; for a rule that is more than
an order of clusters, write `place` instead. Ordered and flexible requests leave a placement no
choice: the job says which clusters, or takes what is idle, most first.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from coalloc_lib.checks import InputError
from coalloc_lib.columns import whole_numbers


class Placement(ABC):
    """A rule that chooses clusters for the components of a job."""

    @abstractmethod
    def order(self, idle):
        """Return the cluster numbers in the order in which a component tries them.

        Parameters
        ----------
        idle : sequence of int
            Idle processors of each cluster.
        """

    def place(self, components, request, idle):
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
            return _take_in_place(components, idle)
        if request == "flexible":
            return _spread(sum(components), idle)
        if request == "total":
            components = [sum(components)]
        return self._on_distinct_clusters(components, idle)

    def check(self, system):  # noqa: B027  (most placements serve any system)
        """Raise `InputError` where this placement cannot serve `system`."""

    def _checked_order(self, idle):
        """Return the order as a list; a rule of the user's own may forget a cluster."""
        order = self.order(idle)
        order = [] if order is None else list(order)
        if len(order) != len(idle) or set(order) != set(range(len(idle))):
            raise InputError(
                f"{type(self).__name__}.order returned {order}; return each cluster number from 0 "
                f"to {len(idle) - 1} once"
            )
        return order

    def _on_distinct_clusters(self, components, idle):
        taken = [0] * len(idle)
        order = self._checked_order(idle)
        for size in sorted((c for c in components if c), reverse=True):
            fitting = (c for c in order if taken[c] == 0 and size <= idle[c])
            cluster = next(fitting, None)
            if cluster is None:
                return None
            taken[cluster] = size
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

    def __post_init__(self):
        """Keep the order as a tuple, so that the placement can be a key."""
        if self.clusters is not None:
            order = whole_numbers("clusters", self.clusters, least=0)
            object.__setattr__(self, "clusters", tuple(order.tolist()))

    def order(self, idle):
        """Return the fixed order."""
        return range(len(idle)) if self.clusters is None else self.clusters

    def check(self, system):
        """Raise where `clusters` does not name every cluster once."""
        if self.clusters is not None and sorted(self.clusters) != list(range(len(system))):
            raise InputError(
                f"clusters = {list(self.clusters)}; name each of the {len(system)} clusters "
                f"once, from 0 to {len(system) - 1}"
            )


@dataclass(frozen=True)
class WorstFit(Placement):
    """The cluster with the most idle processors (ties by lowest number): it balances."""

    def order(self, idle):
        """Return the clusters by decreasing number of idle processors."""
        return sorted(range(len(idle)), key=lambda c: (-idle[c], c))


@dataclass(frozen=True)
class BestFit(Placement):
    """The cluster with the fewest idle processors that suffice (ties by lowest number)."""

    def order(self, idle):
        """Return the clusters by increasing number of idle processors."""
        return sorted(range(len(idle)), key=lambda c: (idle[c], c))


def _take_in_place(components, idle):
    """Component i from cluster i, for ordered requests."""
    wanted = [*components[: len(idle)], *[0] * (len(idle) - len(components))]
    fits = all(want <= free for want, free in zip(wanted, idle, strict=True))
    return wanted if fits else None


def _spread(total, idle):
    """All it can from each cluster, by decreasing idle processors, for flexible requests."""
    if total > sum(idle):
        return None
    taken = [0] * len(idle)
    for cluster in WorstFit().order(idle):
        taken[cluster] = min(total, idle[cluster])
        total -= taken[cluster]
    return taken
