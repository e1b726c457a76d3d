"""The slot trees of Castillo, Rouskas and Harfoush (2009), section 4.

For each slot of the horizon there is a tree of the idle periods that overlap the slot. All
processors that are idle during an interval are found in the tree of the slot in which the interval
begins, in O((log N)^2) operations for N processors. This implementation is meant to be read and to
count its operations; `IdlePeriods` is faster.

The *primary* tree of a slot has the idle periods in its leaves, sorted by decreasing start. Each
inner node of a primary tree has a *secondary* tree of the periods below the node, sorted by
increasing end.

The paper does not say how the trees stay balanced. Here, a subtree is rebuilt as soon as one half
holds more than a share of `BALANCE` of its leaves. An update then costs O(log N) operations on
average in a secondary tree and O((log N)^2) in a primary tree, and no path is longer than
``log(N) / -log(BALANCE)``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import inf, log2, nextafter
from typing import NamedTuple

from coalloc_lib.basics.checks import InputError, finite, positive, shown, whole
from coalloc_lib.calendar.periods import (
    FIRST_FOUND,
    RULES,
    IdlePeriod,
    IdlePeriods,
    checked_interval,
    slot_of,
    wanted_of,
)

#: The maximum fraction of the leaves of a subtree that may be in one of its two halves. If one half
#: has a larger fraction, the subtree is rebuilt.
BALANCE = 0.7
#: The maximum number of tree nodes for a cluster, in the trees of all slots together. A node needs
#: about 100 bytes, so the limit corresponds to about 2 GB.
MOST_NODES = 20_000_000


@dataclass(eq=False, slots=True)
class Leaf:
    """A leaf of a tree of idle periods, which stores a single idle period."""

    period: IdlePeriod
    size: int = 1


@dataclass(eq=False, slots=True)
class Inner:
    """An inner node of a tree of idle periods, with two subtrees.

    Attributes
    ----------
    median : float
        The start (in a secondary tree, the end) of the last period of the left subtree when the
        node was built.
    last : tuple of (float, int)
        The sort key of that period. Periods with at most this key belong to the left subtree.
    left, right : Node
        The subtrees.
    size : int
        Number of leaves below the node.
    secondary : Tree or None
        In a primary tree, the secondary tree of the periods below the node.
    """

    median: float
    last: tuple[float, int]
    left: "Node"
    right: "Node"
    size: int
    secondary: "Tree | None"


Node = Leaf | Inner


@dataclass(slots=True)
class Steps:
    """A counter of the tree nodes that were visited, created or removed."""

    taken: int = 0


def leaves(node: Node | None) -> Iterator[IdlePeriod]:
    """Yield the idle periods stored below a tree node, from left to right."""
    if isinstance(node, Leaf):
        yield node.period
    elif node is not None:
        yield from leaves(node.left)
        yield from leaves(node.right)


class Tree:
    """A balanced search tree, primary or secondary, with idle periods in its leaves."""

    def __init__(
        self, periods: Sequence[IdlePeriod], steps: Steps, is_primary: bool = True
    ) -> None:
        self.steps, self.is_primary = steps, is_primary
        self.root = self._built(sorted(periods, key=self.key)) if periods else None

    def __len__(self) -> int:
        return self.root.size if self.root else 0

    def key(self, period: IdlePeriod) -> tuple[float, int]:
        """Return the sort key of an idle period in this tree; all keys are different."""
        return (-period.start if self.is_primary else period.end), period.server

    def insert(self, period: IdlePeriod) -> None:
        """Add an idle period to the tree."""
        self.root = self._inserted(self.root, period) if self.root else self._built([period])

    def remove(self, period: IdlePeriod) -> None:
        """Remove an idle period that the tree contains."""
        self.root = self._removed(self.root, period)

    def _built(self, periods):
        self.steps.taken += 1
        if len(periods) == 1:
            return Leaf(periods[0])
        half = (len(periods) + 1) // 2
        left, right = self._built(periods[:half]), self._built(periods[half:])
        last = periods[half - 1]
        median = last.start if self.is_primary else last.end
        secondary = Tree(periods, self.steps, is_primary=False) if self.is_primary else None
        return Inner(median, self.key(last), left, right, len(periods), secondary)

    def _inserted(self, node, period):
        self.steps.taken += 1
        if isinstance(node, Leaf):
            return self._built(sorted([node.period, period], key=self.key))
        node.size += 1
        if node.secondary is not None:
            node.secondary.insert(period)
        if self.key(period) <= node.last:
            node.left = self._inserted(node.left, period)
        else:
            node.right = self._inserted(node.right, period)
        return self._balanced(node)

    def _removed(self, node, period):
        self.steps.taken += 1
        if isinstance(node, Leaf):
            assert node.period == period, f"{period} is not in this tree"
            return None
        node.size -= 1
        if node.secondary is not None:
            node.secondary.remove(period)
        if self.key(period) <= node.last:
            node.left = self._removed(node.left, period)
        else:
            node.right = self._removed(node.right, period)
        if node.left is None or node.right is None:
            return node.left or node.right
        return self._balanced(node)

    def _balanced(self, node):
        if max(node.left.size, node.right.size) > BALANCE * node.size:
            return self._built([*leaves(node)])
        return node


def _marked_subtrees(node, instant, is_primary, steps):
    # In a primary tree, this search finds the idle periods that start at or before `instant`. In a
    # secondary tree, it finds the idle periods that end at or after `instant`. If the median of a
    # node satisfies this condition, all periods in the right half of the node satisfy it, and the
    # search continues in the left half. Otherwise, no period in the left half satisfies it, and the
    # search continues in the right half.
    while isinstance(node, Inner):
        steps.taken += 1
        if node.median <= instant if is_primary else node.median >= instant:
            yield node.right
            node = node.left
        else:
            node = node.right
    if node is not None:
        steps.taken += 1
        if node.period.start <= instant if is_primary else node.period.end >= instant:
            yield node


@dataclass
class Operations:
    """The number of tree nodes that each part of the slot-tree algorithm has visited or changed.

    Attributes
    ----------
    phase1 : int
        Operations of searches in primary trees.
    phase2 : int
        Operations of searches in secondary trees, and one for each period that is retrieved.
    update : int
        Operations that replace periods after a reservation or its cancellation.
    advance : int
        Operations that build the trees of the slots that enter the horizon.
    """

    phase1: int = 0
    phase2: int = 0
    update: int = 0
    advance: int = 0


class TreeSearch(NamedTuple):
    """The result of a search in the tree of the idle periods that overlap one slot.

    Attributes
    ----------
    slot : int
        Number of the slot.
    candidates : list of Node
        The subtrees that phase 1 of the search marked in the primary tree.
    feasible : list of Node
        The subtrees that phase 2 marked in secondary trees.
    found : list of IdlePeriod
        The idle periods that were retrieved.
    """

    slot: int
    candidates: list[Node]
    feasible: list[Node]
    found: list[IdlePeriod]


class SlotTrees(IdlePeriods):
    """The idle periods of one cluster, stored in one tree for each slot of the horizon.

    The sorted lists of `IdlePeriods` are kept too, because they tell which idle periods of a
    processor are adjacent.

    Parameters
    ----------
    sizes : sequence of one int
        Number of processors of the cluster.
    slot : float
        Length of a slot.
    slots : int
        Number of slots in the horizon; the paper calls it Q.

    Attributes
    ----------
    trees : dict of int to Tree
        The primary tree of each slot, from the present slot on. Slot k contains the instants from
        ``k * slot``, included, to ``(k + 1) * slot``, excluded.
    operations : Operations
        The number of elementary operations so far.

    Raises
    ------
    InputError
        If there are several clusters, or the trees would need too much memory.

    Notes
    -----
    The paper states that the tree of a slot that enters the horizon is created in O(1). Idle
    periods without an end overlap this slot, however, so creating the tree takes O(N log N)
    operations for N processors. If jobs can be shorter than a slot, a tree can have more than N
    leaves.

    References
    ----------
    Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments
    (2009), section 4.

    Examples
    --------
    >>> trees = SlotTrees([2], slot=10.0, slots=3)
    >>> trees.take(trees.feasible(0.0, 5.0)[0], 0.0, 5.0)
    >>> trees.counts(4.0, 6.0), trees.counts(5.0, 6.0)
    ((1,), (2,))
    """

    rules = (*RULES, FIRST_FOUND)

    def __init__(self, sizes: Sequence[int], slot: float, slots: int) -> None:
        super().__init__(sizes)
        if len(self.sizes) > 1:
            raise InputError(
                f"sizes = {shown([*self.sizes])}; slot trees support only one cluster; give one "
                f"cluster, or a rule other than {FIRST_FOUND!r}, which needs slot trees"
            )
        slot, slots, (processors,) = positive("slot", slot), whole("slots", slots), self.sizes
        nodes = 2 * processors * (1 + log2(processors)) * slots
        if nodes > MOST_NODES:
            raise InputError(
                f"slot = {slot:g}: slot trees for {slots:,} slots of this length and "
                f"{processors:,} processors need about {nodes:,.0f} nodes, more than "
                f"{MOST_NODES:,}; give a longer slot, or a rule other than {FIRST_FOUND!r}"
            )
        self.slot, self.slots = slot, slots
        self.operations = Operations()
        self._steps = Steps()
        self.trees: dict[int, Tree] = {}
        self.plant()

    def plant(self) -> None:
        """Rebuild perfectly balanced trees for all slots, without counting the operations."""
        first = slot_of(self.now, self.slot)
        self.trees = {
            number: self._tree_of_slot(number) for number in range(first, first + self.slots)
        }

    def search(self, start: float, end: float, count: int | None = None) -> TreeSearch:
        """Search the tree of the slot of `start` for idle periods that contain [start, end).

        Parameters
        ----------
        start, end : float
            The interval.
        count : int, optional
            Number of periods to find. If there are fewer, none is retrieved. By default, all are
            retrieved.

        Returns
        -------
        TreeSearch
            The marked subtrees and the periods.

        Raises
        ------
        InputError
            If `start` is not in a slot of the horizon, or the interval ends before it starts.
        """
        start, end = checked_interval(start, end)
        slot = slot_of(start, self.slot)
        if slot not in self.trees:
            raise InputError(
                f"start = {start:g} is not in a slot of the horizon; give a start of at least "
                f"{min(self.trees) * self.slot:g} and less than "
                f"{(1 + max(self.trees)) * self.slot:g}"
            )
        wanted = 0 if count is None else whole("count", count, least=0)
        candidates, feasible = self._mark(slot, start, end, count)
        found: list[IdlePeriod] = []
        if _number_of_leaves(feasible) >= wanted:
            found += islice(chain.from_iterable(map(leaves, feasible)), count)
            self.operations.phase2 += len(found)
        return TreeSearch(slot, candidates, feasible, found)

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the idle periods that contain [start, end), in order of processor number.

        They are searched in the tree of the slot of `start`. If this slot is not in the horizon,
        they are searched in the lists.
        """
        start, end = checked_interval(start, end)
        if slot_of(start, self.slot) not in self.trees:
            return super().feasible(start, end)
        return sorted(self.search(start, end).found)

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return the number of processors that are idle during [start, end), as a 1-tuple.

        The sizes of the marked subtrees are added, and no period is retrieved.
        """
        start, end = checked_interval(start, end)
        slot = slot_of(start, self.slot)
        if slot not in self.trees:
            return super().counts(start, end)
        return (_number_of_leaves(self._mark(slot, start, end, None)[1]),)

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Choose idle periods that contain [start, end), as `IdlePeriods.choose` does.

        The rule ``"first-found"`` chooses the periods that the search of the trees finds first.
        """
        if rule != FIRST_FOUND:
            return super().choose(start, end, allocation, rule)
        (count,) = wanted_of(allocation, self.sizes)
        return self._take_first(self.search(start, end, count).found, allocation)

    def advance(self, now: float) -> None:
        """Set the current time to a later instant.

        The trees of past slots are deleted, and trees of the slots that enter the horizon are
        built.
        """
        first, before = slot_of(finite("now", now), self.slot), self._steps.taken
        super().advance(now)
        last = next(reversed(self.trees))
        for number in [number for number in self.trees if number < first]:
            del self.trees[number]
        for number in range(max(first, last + 1), first + self.slots):
            self.trees[number] = self._tree_of_slot(number)
        self.operations.advance += self._steps.taken - before

    def _mark(self, slot, start, end, count):
        # Phase 1 marks the idle periods that start early enough. Among these periods, phase 2 marks
        # those that end late enough, and stops when it has marked `count` periods. As in the paper,
        # phase 2 examines the subtrees that phase 1 marked in reverse order.
        before = self._steps.taken
        candidates = [*_marked_subtrees(self.trees[slot].root, start, True, self._steps)]
        between = self._steps.taken
        self.operations.phase1 += between - before
        enough, feasible = inf if count is None else count, []
        if enough == inf or _number_of_leaves(candidates) >= enough:
            roots = [_secondary_root(candidate) for candidate in reversed(candidates)]
            marks = (_marked_subtrees(root, end, False, self._steps) for root in roots)
            for node in chain.from_iterable(marks):
                feasible.append(node)
                if _number_of_leaves(feasible) >= enough:
                    break
        self.operations.phase2 += self._steps.taken - between
        return candidates, feasible

    def _exchange(self, server, old, new):
        super()._exchange(server, old, new)
        before, least = self._steps.taken, next(iter(self.trees))
        for periods, change in ((old, Tree.remove), (new, Tree.insert)):
            for period in periods:
                for number in self._overlapped(period, least, least + self.slots - 1):
                    change(self.trees[number], period)
        self.operations.update += self._steps.taken - before

    def _overlapped(self, period, least, most):
        _, start, end = period
        # The function `slot_of` raises an error for very late instants, so it is called only for
        # instants before `beyond`. The last slot that matters, `most`, ends one slot earlier. This
        # margin is much larger than any rounding error in the end of that slot.
        beyond = (most + 2) * self.slot
        if start >= beyond:
            return range(0)
        last = most if end >= beyond else slot_of(nextafter(end, -inf), self.slot)
        return range(max(least, slot_of(start, self.slot)), min(most, last) + 1)

    def _tree_of_slot(self, number):
        processors = range(sum(self.sizes))
        idle = (period for each in processors for period in self.periods(each))
        overlapping = [period for period in idle if self._overlapped(period, number, number)]
        return Tree(overlapping, self._steps)


def _number_of_leaves(nodes):
    return sum(node.size for node in nodes)


def _secondary_root(node):
    """Return the root of the secondary tree of a node of a primary tree; a leaf is its own root."""
    if isinstance(node, Leaf):
        return node
    assert node.secondary is not None  # the inner nodes of primary trees have secondary trees
    return node.secondary.root
