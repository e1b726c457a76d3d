"""The slot trees: for each slot of the horizon a tree of the idle periods that overlap it.

This is the data structure of Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale
Distributed Environments (2009), section 4, to be read and to count its operations. All servers that
are idle over an interval are found in the one tree of the slot in which the interval begins, in
O((log N)^2). What is dear is the update: an idle period stands in the trees of all slots that it
overlaps, and the one of each server that never ends in nearly all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, log2, nextafter
from typing import NamedTuple

from coalloc_lib.calendar.periods import FIRST_FOUND, RULES, IdlePeriod, slot_of, wanted_of
from coalloc_lib.calendar.plain import PlainBook
from coalloc_lib.calendar.trees import Inner, Node, Steps, Tree, ending_from, leaves
from coalloc_lib.checks import InputError, finite, positive, whole

#: Nodes of all trees together, of some 100 bytes each: about 2 GiB.
MOST_NODES = 20_000_000


@dataclass
class Operations:
    """Elementary operations so far: nodes of trees that were looked at, made or taken away.

    Attributes
    ----------
    phase1, phase2 : int
        In primary trees, and in secondary ones with the traversal that retrieves what was found.
    update : int
        To take periods out of trees and to put the pieces in.
    advance : int
        To build the trees of the slots that came into the horizon.
    """

    phase1: int = 0
    phase2: int = 0
    update: int = 0
    advance: int = 0


class TreeSearch(NamedTuple):
    """A search on the tree of one slot, as it went; nodes are good until the next update.

    Attributes
    ----------
    slot : int
    candidates : list of Node
        The subtrees that phase 1 marked, in this order.
    feasible : list of Node
        The subtrees that phase 2 marked, in this order: in secondary trees, or leaves.
    found : list of IdlePeriod
        The feasible periods, in the order in which the subtrees hold them; no more than were asked
        for.
    """

    slot: int
    candidates: list[Node]
    feasible: list[Node]
    found: list[IdlePeriod]


class SlotTrees(PlainBook):
    """The idle periods in the trees of Q slots.

    Parameters
    ----------
    sizes : sequence of int
        Servers of each cluster.
    slot : float
        Length of a slot.
    slots : int
        Q, how many slots the horizon has.

    Attributes
    ----------
    trees : dict of int to Tree
        The primary tree of each slot from the present one on, by the number of the slot: slot k is
        from ``k * slot`` to ``(k + 1) * slot``.
    operations : Operations

    Raises
    ------
    InputError
        The trees would have more than `MOST_NODES` nodes.

    Notes
    -----
    The lists of the plain book stay: they know which idle periods of a server are neighbours.

    As time goes on, the tree of the slot that is over is discarded, and one for the slot that comes
    into the horizon is made. The paper says that this takes O(1). It does where the new tree is
    empty; but an idle period without end overlaps the new slot too, and so does each other one that
    reaches into it, so that the tree is built of up to N periods: O(N log N).

    What a server has idle can be several periods in one slot, where jobs may be shorter than a
    slot; then a tree has more than N leaves.
    """

    rules = (*RULES, FIRST_FOUND)

    def __init__(self, sizes: Sequence[int], slot: float, slots: int) -> None:
        super().__init__(sizes)
        slot, slots, servers = positive("slot", slot), whole("slots", slots), sum(self.sizes)
        nodes = 2 * servers * (1 + log2(servers)) * slots
        if nodes > MOST_NODES:
            raise InputError(
                f"slot = {slot:g}: trees for {slots:,} slots of {servers:,} servers have some "
                f"{nodes:,.0f} nodes, more than {MOST_NODES:,}; give a longer slot or another rule"
            )
        self.slot, self.slots = slot, slots
        self.operations = Operations()
        self._steps = Steps()
        self.trees: dict[int, Tree] = {}
        self.plant()

    def plant(self) -> None:
        """Build the trees of all slots anew, perfectly balanced; it is not counted."""
        first = slot_of(self.now, self.slot)
        self.trees = {number: self._grown(number) for number in range(first, first + self.slots)}

    def search(self, start: float, end: float, count: int | None = None) -> TreeSearch:
        """Find idle periods that are feasible for [start, end) in the tree of its first slot.

        Parameters
        ----------
        start, end : float
            `start` is in a slot that has a tree.
        count : int, optional
            Phase 2 ends when it has found so many; nothing is found where phase 1 has fewer
            candidates, or phase 2 fewer feasible periods. All are sought where it is not given.
        """
        if slot_of(start, self.slot) not in self.trees:
            raise InputError(
                f"start = {start:g} is in no slot that has a tree; give one before "
                f"{(1 + max(self.trees)) * self.slot:g} that is not past"
            )
        wanted = 0 if count is None else whole("count", count, least=0)
        slot, candidates, feasible = self._marked(start, end, count)
        found = self._retrieved(feasible, count) if _leaves_of(feasible) >= wanted else []
        return TreeSearch(slot, candidates, feasible, found)

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods for [start, end), by server.

        Where the slot of `start` has no tree, those of the lists.
        """
        if slot_of(start, self.slot) not in self.trees:
            return super().feasible(start, end)
        return sorted(self.search(start, end).found)

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many servers of each cluster have a feasible period.

        Of one cluster, the sizes of the marked subtrees tell, and nothing is retrieved.
        """
        if len(self.sizes) > 1 or slot_of(start, self.slot) not in self.trees:
            return super().counts(start, end)
        return (_leaves_of(self._marked(start, end, None)[2]),)

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return ``allocation[c]`` feasible periods of each cluster c, the first by the rule.

        On one cluster, the search for those that are found first ends as the paper's does.
        """
        if rule != FIRST_FOUND:
            return super().choose(start, end, allocation, rule)
        wanted = wanted_of(allocation, self.sizes, "there are")
        count = wanted[0] if len(wanted) == 1 else None
        return self._first_of(self.search(start, end, count).found, wanted)

    def advance(self, now: float) -> None:
        """Go on to a later instant: discard the trees of slots that are over, and make new ones."""
        first, before = slot_of(finite("now", now), self.slot), self._steps.taken
        super().advance(now)
        last = next(reversed(self.trees))
        for number in [number for number in self.trees if number < first]:
            del self.trees[number]
        for number in range(max(first, last + 1), first + self.slots):
            self.trees[number] = self._grown(number)
        self.operations.advance += self._steps.taken - before

    def _marked(self, start, end, count):
        """Go through both phases; return the slot and the subtrees that each of them marked."""
        slot, before = slot_of(start, self.slot), self._steps.taken
        candidates = self.trees[slot].starting_by(start)
        self.operations.phase1 += self._steps.taken - before
        if count is not None and _leaves_of(candidates) < count:
            return slot, candidates, []
        before = self._steps.taken
        feasible = self._ending_from(end, candidates, inf if count is None else count)
        self.operations.phase2 += self._steps.taken - before
        return slot, candidates, feasible

    def _ending_from(self, end, candidates, enough):
        """Phase 2: search the marked subtrees in reverse order until enough periods are found."""
        marked, number = [], 0
        for subtree in reversed(candidates):
            by_end = subtree.secondary.root if isinstance(subtree, Inner) else subtree
            for node in ending_from(by_end, end, self._steps):
                marked.append(node)
                number += node.size
                if number >= enough:
                    return marked
        return marked

    def _retrieved(self, marked, count):
        """Return the periods of the marked subtrees, from left to right, up to so many."""
        found = [*islice((period for node in marked for period in leaves(node)), count)]
        self.operations.phase2 += len(found)
        return found

    def _exchange(self, server, old, new):
        """Do as the plain book does, and in all trees."""
        super()._exchange(server, old, new)
        before = self._steps.taken
        for period in old:
            for number in self._overlapped(period):
                self.trees[number].remove(period)
        for period in new:
            for number in self._overlapped(period):
                self.trees[number].insert(period)
        self.operations.update += self._steps.taken - before

    def _overlapped(self, period):
        """Return the numbers of the slots that have a tree and that a period overlaps."""
        _, start, end = period
        least = next(iter(self.trees))
        most = least + self.slots - 1
        until = (most + 1) * self.slot
        if start >= until:
            return range(0)
        last = most if end >= until else slot_of(nextafter(end, -inf), self.slot)
        return range(max(least, slot_of(start, self.slot)), last + 1)

    def _grown(self, number):
        """Return the tree of a slot: all idle periods that overlap it."""
        begins, ends = number * self.slot, (number + 1) * self.slot
        reaching = [
            period
            for server in range(sum(self.sizes))
            for period in self.periods(server)
            if period.start < ends and period.end > begins
        ]
        return Tree(reaching, self._steps)


def _leaves_of(nodes):
    """Return how many periods some subtrees have."""
    return sum(node.size for node in nodes)
