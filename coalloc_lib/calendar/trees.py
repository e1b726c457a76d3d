"""The two-dimensional tree of one slot: idle periods by start and, in every subtree, by end.

The *primary* tree holds the periods in its leaves, the latest start first. Every inner node of it
has a *secondary* tree with the periods of its subtree, the earliest end first. Inner nodes of both
hold the number of their leaves and the *median* that a search compares with: the last value of
their left half. So it bounds both halves: in a primary tree whatever starts after the median is at
the left, and whatever starts before it at the right; in a secondary tree whatever ends before it is
at the left, and whatever ends after it at the right.

The paper does not say how the trees stay balanced. Here a subtree is built anew, perfectly
balanced, as soon as one half holds more than `BALANCE` of its leaves. Between two such times the
number of updates is a share of its size, so an update costs O(log N) in a secondary tree and
O((log N)^2) in a primary one on average, and no path is longer than ``log(N) / -log(BALANCE)``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coalloc_lib.calendar.periods import IdlePeriod

#: The share of the leaves that one half of a subtree may have.
BALANCE = 0.7


@dataclass(eq=False, slots=True)
class Leaf:
    """A node with one idle period."""

    period: IdlePeriod
    size: int = 1


@dataclass(eq=False, slots=True)
class Inner:
    """A node with two halves.

    Attributes
    ----------
    median : float
        The start, or in a secondary tree the end, of the last period of the left half when the node
        was built.
    last : tuple
        The sort key of that period: what has no larger one belongs to the left.
    left, right : Leaf or Inner
    size : int
        Leaves below.
    secondary : Tree or None
        The same periods by end; None in a secondary tree.
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


def ending_from(root: Node, end: float, steps: Steps) -> Iterator[Node]:
    """Phase 2: yield the subtrees of a secondary tree whose periods end at an instant or later.

    At a median before the instant the left half is ignored; else the right half is marked, and the
    search goes on in the left one. A single leaf is its own secondary tree.
    """
    node = root
    while isinstance(node, Inner):
        steps.taken += 1
        if node.median < end:
            node = node.right
        else:
            yield node.right
            node = node.left
    steps.taken += 1
    if node.period.end >= end:
        yield node


class Tree:
    """A balanced tree of idle periods in its leaves: primary, or one of its secondary trees.

    Parameters
    ----------
    periods : sequence of IdlePeriod
    steps : Steps
        Where its operations are counted.
    is_primary : bool
    """

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

    def starting_by(self, start: float) -> list[Node]:
        """Phase 1: mark the subtrees of a primary tree whose periods start by an instant.

        At a median after the instant the left half is ignored; else the right half is marked, and
        the search goes on in the left one.
        """
        marked: list[Node] = []
        node = self.root
        while isinstance(node, Inner):
            self.steps.taken += 1
            if node.median > start:
                node = node.right
            else:
                marked.append(node.right)
                node = node.left
        if node is not None:
            self.steps.taken += 1
            if node.period.start <= start:
                marked.append(node)
        return marked

    def _built(self, periods):
        """Return a subtree of sorted periods, as balanced as can be."""
        self.steps.taken += 1
        if len(periods) == 1:
            return Leaf(periods[0])
        half = (len(periods) + 1) // 2
        left, right = self._built(periods[:half]), self._built(periods[half:])
        return self._node(left, right, periods)

    def _node(self, left, right, periods):
        """Return the inner node of two halves, which hold these periods."""
        last = periods[left.size - 1]
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
        """Return the subtree, built anew where one half has become too large."""
        if max(node.left.size, node.right.size) > BALANCE * node.size:
            return self._built([*leaves(node)])
        return node
