"""The slot trees: for each slot of the horizon a tree of the idle periods that overlap it.

The data structure of section 4 of Castillo, Rouskas, Harfoush (2009), to be read and to count its
operations. All servers that are idle over an interval are found in the one tree of the slot in
which it begins, in O((log N)^2). The *primary* tree of a slot holds the periods in its leaves, the
latest start first. Each inner node has a *secondary* tree of those below it, the earliest end
first. The paper does not say how trees stay balanced. Here a subtree is built again as soon as one
half holds more than `BALANCE` of its leaves: an update costs O(log N) in a secondary tree and
O((log N)^2) in a primary one on average, and no path is longer than ``log(N) / -log(BALANCE)``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import inf, log2, nextafter
from typing import NamedTuple

from coalloc_lib.basics.checks import InputError, finite, positive, shown, whole
from coalloc_lib.calendar import periods as lists
from coalloc_lib.calendar.periods import FIRST_FOUND, IdlePeriod, IdlePeriods, slot_of

#: The share of the leaves that one half of a subtree may have.
BALANCE = 0.7
#: Nodes of all trees together, of some 100 bytes each: about 2 GiB.
MOST_NODES = 20_000_000


@dataclass(eq=False, slots=True)
class Leaf:
    """A node with one idle period."""

    period: IdlePeriod
    size: int = 1


@dataclass(eq=False, slots=True)
class Inner:
    """A node with two halves, `size` leaves below, and the same periods by end in `secondary`.

    `median` is the start, or in a secondary tree the end, of the last period of the left half when
    the node was built, and `last` its sort key: what has no larger one belongs to the left.
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
    """Elementary operations: nodes that were looked at, made or taken away."""

    taken: int = 0


def leaves(node: Node | None) -> Iterator[IdlePeriod]:
    """Yield the idle periods below a node, from left to right."""
    if isinstance(node, Leaf):
        yield node.period
    elif node is not None:
        yield from leaves(node.left)
        yield from leaves(node.right)


class Tree:
    """A balanced tree of idle periods in its leaves: primary, or one of its secondary trees."""

    def __init__(
        self, periods: Sequence[IdlePeriod], steps: Steps, is_primary: bool = True
    ) -> None:
        self.steps, self.is_primary = steps, is_primary
        self.root = self._built(sorted(periods, key=self.key)) if periods else None

    def __len__(self) -> int:
        return self.root.size if self.root else 0

    def key(self, period: IdlePeriod) -> tuple[float, int]:
        """Return what the periods of this tree are sorted by; it tells any two apart."""
        return (-period.start if self.is_primary else period.end), period.server

    def insert(self, period: IdlePeriod) -> None:
        """Add a period."""
        self.root = self._inserted(self.root, period) if self.root else self._built([period])

    def remove(self, period: IdlePeriod) -> None:
        """Take a period of this tree out of it."""
        self.root = self._removed(self.root, period)

    def _built(self, periods):
        """Return a subtree of sorted periods, as balanced as can be."""
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
        """Return a subtree with one more period."""
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
        """Return a subtree without one of its periods, None where nothing is left."""
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
        """Return the subtree, built again where one half has become too large."""
        if max(node.left.size, node.right.size) > BALANCE * node.size:
            return self._built([*leaves(node)])
        return node


def _marked(node, instant, is_primary, steps):
    """Yield the subtrees of periods that start by an instant or, if secondary, end no sooner."""
    # At a median for which that does not hold the left half is ignored; else the right half is
    # marked and the search goes on in the left one.
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
    """Elementary operations so far, as `Steps` are.

    `phase1` in primary trees, `phase2` in secondary ones and to retrieve periods, `update` to
    exchange them, `advance` to build the trees of the slots that came into the horizon.
    """

    phase1: int = 0
    phase2: int = 0
    update: int = 0
    advance: int = 0


class TreeSearch(NamedTuple):
    """A slot, the subtrees of its tree that phases 1 and 2 marked, and as many periods as asked."""

    slot: int
    candidates: list[Node]
    feasible: list[Node]
    found: list[IdlePeriod]


class SlotTrees(IdlePeriods):
    """The idle periods of one cluster, the only entry of `sizes`, in the trees of Q `slots`.

    `trees` has the primary tree of each slot from the present one on, by number: slot k is from
    ``k * slot`` to ``(k + 1) * slot``. `operations` counts what was done.

    The lists stay too: they know which idle periods of a server are neighbours. The paper makes the
    tree of the slot that comes into the horizon in O(1); but the idle periods that reach into the
    slot are in it, which takes O(N log N). Where jobs may be shorter than a slot, a tree can have
    more than N leaves.
    """

    rules = (*lists.RULES, FIRST_FOUND)

    def __init__(self, sizes: Sequence[int], slot: float, slots: int) -> None:
        super().__init__(sizes)
        if len(self.sizes) > 1:
            raise InputError(
                f"sizes = {shown([*self.sizes])}; slot trees are of one cluster, as the paper's: "
                f"give one, or another rule than {FIRST_FOUND!r}"
            )
        slot, slots, (servers,) = positive("slot", slot), whole("slots", slots), self.sizes
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
        """Build the trees of all slots again, perfectly balanced; it is not counted."""
        first = slot_of(self.now, self.slot)
        self.trees = {number: self._grown(number) for number in range(first, first + self.slots)}

    def search(self, start: float, end: float, count: int | None = None) -> TreeSearch:
        """Find idle periods that are feasible for [start, end) in the tree of its first slot.

        Phase 2 ends when it has found `count`; nothing is found where there are fewer. All are
        sought where it is not given.
        """
        slot = slot_of(start, self.slot)
        if slot not in self.trees:
            raise InputError(
                f"start = {start:g} is in no slot that has a tree; give one before "
                f"{(1 + max(self.trees)) * self.slot:g} that is not past"
            )
        wanted = 0 if count is None else whole("count", count, least=0)
        candidates, feasible = self._marked(slot, start, end, count)
        found: list[IdlePeriod] = []
        if _leaves_of(feasible) >= wanted:
            found += islice(chain.from_iterable(map(leaves, feasible)), count)
            self.operations.phase2 += len(found)
        return TreeSearch(slot, candidates, feasible, found)

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods, by server; of the lists where the slot has no tree."""
        if slot_of(start, self.slot) not in self.trees:
            return super().feasible(start, end)
        return sorted(self.search(start, end).found)

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many there are: the sizes of the marked subtrees, and nothing is retrieved."""
        slot = slot_of(start, self.slot)
        if slot not in self.trees:
            return super().counts(start, end)
        return (_leaves_of(self._marked(slot, start, end, None)[1]),)

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return so many feasible periods by the rule; ``"first-found"`` as the search ends."""
        if rule != FIRST_FOUND:
            return super().choose(start, end, allocation, rule)
        (count,) = lists.wanted_of(allocation, self.sizes)
        return self._first_of(self.search(start, end, count).found, allocation)

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

    def _marked(self, slot, start, end, count):
        """Return the marks of both phases; phase 2 takes those of phase 1 in reverse."""
        before = self._steps.taken
        candidates = [*_marked(self.trees[slot].root, start, True, self._steps)]
        between = self._steps.taken
        self.operations.phase1 += between - before
        enough, feasible = inf if count is None else count, []
        if enough == inf or _leaves_of(candidates) >= enough:
            roots = [c.secondary.root if isinstance(c, Inner) else c for c in reversed(candidates)]
            marks = (_marked(root, end, False, self._steps) for root in roots)
            for node in chain.from_iterable(marks):
                feasible.append(node)
                if _leaves_of(feasible) >= enough:
                    break
        self.operations.phase2 += self._steps.taken - between
        return candidates, feasible

    def _exchange(self, server, old, new):
        """Do as the lists do, and in all trees."""
        super()._exchange(server, old, new)
        before, least = self._steps.taken, next(iter(self.trees))
        for periods, change in ((old, Tree.remove), (new, Tree.insert)):
            for period in periods:
                for number in self._overlapped(period, least, least + self.slots - 1):
                    change(self.trees[number], period)
        self.operations.update += self._steps.taken - before

    def _overlapped(self, period, least, most):
        """Return the numbers of the slots, of those from `least` to `most`, that it overlaps."""
        _, start, end = period
        beyond = (most + 2) * self.slot  # whatever `slack_of` says, and no number is too large
        if start >= beyond:
            return range(0)
        last = most if end >= beyond else slot_of(nextafter(end, -inf), self.slot)
        return range(max(least, slot_of(start, self.slot)), min(most, last) + 1)

    def _grown(self, number):
        """Return the tree of a slot: all idle periods that overlap it."""
        of_all = (period for server in range(sum(self.sizes)) for period in self.periods(server))
        return Tree([p for p in of_all if self._overlapped(p, number, number)], self._steps)


def _leaves_of(nodes):
    """Return how many periods are below some nodes."""
    return sum(node.size for node in nodes)


class Request(NamedTuple):
    """When a request is submitted, its start, length and servers: the paper's q, s, l, n."""

    submit: float
    start: float
    length: float
    servers: int


#: What each server of the worked example has reserved, from the present instant, 0.
_RESERVED = ([(0, 4), (25, 34)], [(0, 12), (36, 42)], [(0, 7), (31, 40)], [(0, 2), (16, 30)])


def worked_example() -> tuple[SlotTrees, dict[str, IdlePeriod], Request]:
    """Return the example of the paper's Figures 1 and 2: the trees, the idle periods, the request.

    The paper's text gives X = [4, 25) of the first server (number 0 here), V in the first two slots
    only, all four in the second, the medians 7 and 25, and how the search goes; the rest is chosen.
    """
    trees = SlotTrees([4], slot=10.0, slots=5)
    for server, reserved in enumerate(_RESERVED):
        for start, end in reserved:
            (period,) = (idle for idle in trees.feasible(start, end) if idle.server == server)
            trees.take(period, float(start), float(end))
    trees.operations = Operations()
    trees.plant()  # balanced as in the figure, whatever the order of the reservations
    periods = dict(zip("XYZV", (trees.periods(server)[0] for server in range(4)), strict=True))
    return trees, periods, Request(17.0, 17.0, 12.0, 2)
