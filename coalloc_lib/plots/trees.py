"""The trees of a slot, as a search goes through them, over the servers that they tell of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from coalloc_lib.calendar.periods import IdlePeriod
from coalloc_lib.calendar.trees import Inner, Leaf, Node
from coalloc_lib.plots.servers import Box, rows
from coalloc_lib.plots.signs import LOSS, STANDARD
from coalloc_lib.plots.style import GREY, new_figure, title_figure

#: What a search has done with a node, and what it looks like: fill, edge, ink, line.
LOOKS = {
    "": ("white", "#8C8C8C", "black", "-"),
    "looked at": ("#FFF1CC", "black", "black", "-"),
    "ignored": ("white", "#BBBBBB", "#8C8C8C", ":"),
    "candidate": ("#CCE3F0", STANDARD.colour, "black", "-"),
    "infeasible": ("#FBE9DE", LOSS.colour, "black", "--"),
    "feasible": (STANDARD.colour, STANDARD.colour, "white", "-"),
}
RESERVED = ("#BFBFBF", "#444444")
#: Inches of a level of a tree, of a row of a server; room between trees, in leaves.
LEVEL, ROW, APART = 0.52, 0.25, 0.55


class Marks(NamedTuple):
    """What a search has done so far.

    Attributes
    ----------
    looks : dict of Node to str
        One of the `LOOKS`; a subtree that is marked or ignored looks so with all below it.
    order : list of Node
        The subtrees that phase 1 has marked, in this order.
    taken : list of IdlePeriod
        The idle periods that were accepted.
    """

    looks: Mapping[Node, str]
    order: Sequence[Node]
    taken: Sequence[IdlePeriod]


def slot_tree(
    sizes: Sequence[int],
    reserved: Iterable[Box],
    names: Mapping[IdlePeriod, str],
    root: Node | None,
    slot: tuple[float, float],
    request: tuple[float, float],
    marks: Marks,
    *,
    span: tuple[float, float],
    title: str,
    subtitle: str = "",
) -> Figure:
    """Draw the servers with a request and, below them, the trees of the slot in which it starts.

    Parameters
    ----------
    sizes : sequence of int
        Servers of each cluster.
    reserved : iterable of Box
    names : dict of IdlePeriod to str
    root : Node or None
        Of the primary tree.
    slot, request, span : (float, float)
        From when to when: the slot, what is requested, and what the time axis shows.
    marks : Marks
    title, subtitle : str

    Returns
    -------
    matplotlib.figure.Figure
        Above, idle periods with their names, the slot tinted, the request framed. Below, the
        primary tree, its leaves by start, the latest first, and the secondary tree of each of its
        inner nodes, by end, the earliest first. Inner nodes say their median and, small, their
        leaves; leaves say their period and its start or end.
    """
    trees = _trees(root)
    deep = max((_depth(tree) for _, tree in trees), default=0)
    heights = [ROW * sum(sizes) + 0.45, LEVEL * (deep + 1) + 0.35]
    figure, (above, below) = new_figure(sum(heights) + 0.3, 2, 1, height_ratios=heights)
    _draw_servers(above, sizes, reserved, names, slot, request, marks.taken, span)
    below.axis("off")
    left = 0.0
    letters = inner_names(root)
    for owner, tree in trees:
        _draw_tree(below, tree, left, names, letters, marks, owner)
        left += max(tree.size, 2) + APART
    below.set(xlim=(-0.1, max(left - APART, 1) + 0.1), ylim=(-deep - 0.5, 0.95))
    title_figure(figure, title, subtitle)
    return figure


def inner_names(root: Node | None) -> dict[Node, str]:
    """Return A, B, C, ... for the inner nodes of a primary tree, level by level."""
    level, found = [root], []
    while level:
        inner = [node for node in level if isinstance(node, Inner)]
        found += inner
        level = [half for node in inner for half in (node.left, node.right)]
    return {node: chr(ord("A") + place) for place, node in enumerate(found)}


def _trees(root: Node | None) -> list[tuple[Inner | None, Node]]:
    """Return the primary tree and the secondary one of each inner node, with that node."""
    if root is None:
        return []
    trees: list[tuple[Inner | None, Node]] = [(None, root)]
    for node in inner_names(root):
        if isinstance(node, Inner) and node.secondary and node.secondary.root:
            trees.append((node, node.secondary.root))
    return trees


def _depth(node: Node) -> int:
    return 1 + max(_depth(node.left), _depth(node.right)) if isinstance(node, Inner) else 0


def _places(node: Node, left: float, level: int) -> Iterator[tuple[Node, float, int]]:
    """Yield the nodes with where they stand: a leaf takes one, a node is over the middle."""
    if isinstance(node, Leaf):
        yield node, left + 0.5, -level
        return
    yield node, left + node.size / 2, -level
    yield from _places(node.left, left, level + 1)
    yield from _places(node.right, left + node.left.size, level + 1)


def _draw_tree(
    axes: Axes, root: Node, left: float, names: Mapping[IdlePeriod, str],
    letters: Mapping[Node, str], marks: Marks, owner: Inner | None,
) -> None:  # fmt: skip
    is_primary = owner is None
    places = {node: (x, y) for node, x, y in _places(root, left + (root.size == 1) / 2, 0)}
    looks = dict(_inherited(root, marks.looks, ""))
    for node, (x, y) in places.items():
        if isinstance(node, Inner):
            for half in (node.left, node.right):
                to_x, to_y = places[half]
                style = ":" if looks[half] == "ignored" else "-"
                axes.plot([x, to_x], [y, to_y], style, color="#8C8C8C", linewidth=1, zorder=1)
    for node, place in places.items():
        _draw_node(axes, node, place, looks[node], names, is_primary)
        letter = letters.get(node, "") if is_primary else ""
        axes.text(place[0] - 0.36, place[1] - 0.05, letter, fontsize=8, weight="bold", ha="right")
        if is_primary and node in marks.order:
            number = f"{marks.order.index(node) + 1}."
            look: dict[str, Any] = {"fontsize": 8, "weight": "bold", "color": STANDARD.colour}
            axes.text(place[0] + 0.34, place[1] + 0.27, number, **look)
    heading = "by start, latest first" if owner is None else f"of {letters[owner]}, by end"
    middle = left + max(root.size, 2) / 2
    axes.text(middle, 0.62, heading, ha="center", fontsize=8.5, color=GREY)


def _inherited(node: Node, looks: Mapping[Node, str], above: str) -> Iterator[tuple[Node, str]]:
    """Yield each node with its look: its own, or that of the marked subtree in which it is."""
    own = looks.get(node, above)
    yield node, own
    if isinstance(node, Inner):
        below = "" if own == "looked at" else own
        yield from _inherited(node.left, looks, below)
        yield from _inherited(node.right, looks, below)


def _draw_node(
    axes: Axes, node: Node, place: tuple[float, float], look: str,
    names: Mapping[IdlePeriod, str], is_primary: bool,
) -> None:  # fmt: skip
    fill, edge, ink, line = LOOKS[look]
    x, y = place
    corner = 0.2 if isinstance(node, Inner) else 0.03
    box = FancyBboxPatch(
        (x - 0.3, y - 0.2), 0.6, 0.4, facecolor=fill, edgecolor=edge, linestyle=line, zorder=2,
        linewidth=1.3, boxstyle=f"round,pad=0,rounding_size={corner}",
    )  # fmt: skip
    axes.add_patch(box)
    if isinstance(node, Inner):
        words = instant(node.median)
        size: dict[str, Any] = {"fontsize": 6.5, "color": GREY, "va": "center", "zorder": 3}
        axes.text(x + 0.33, y - 0.14, f"{node.size}", **size)
    else:
        when = node.period.start if is_primary else node.period.end
        words = f"{names[node.period]} {instant(when)}"
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": 8, "zorder": 3}
    axes.text(x, y, words, color=ink, **style)


def instant(when: float) -> str:
    """Return how an instant is written, in a node as in words."""
    return "∞" if when == float("inf") else f"{when:g}"


def _draw_servers(
    axes: Axes, sizes: Sequence[int], reserved: Iterable[Box], names: Mapping[IdlePeriod, str],
    slot: tuple[float, float], request: tuple[float, float], taken: Sequence[IdlePeriod],
    span: tuple[float, float],
) -> None:  # fmt: skip
    tops = rows(axes, sizes, reserved, span)
    for period, name in names.items():
        begin, end = max(period.start, span[0]), min(period.end, span[1])
        colour = STANDARD.colour if period in taken else GREY
        look: dict[str, Any] = {"va": "center_baseline", "fontsize": 8, "color": colour}
        weight = "bold" if period in taken else "normal"
        axes.text(begin + 0.4, tops[period.server] + 0.5, name, weight=weight, zorder=5, **look)
        look = {"fill": False, "edgecolor": "#999999", "linewidth": 0.8, "zorder": 1}
        axes.add_patch(Rectangle((begin, tops[period.server] + 0.06), end - begin, 0.88, **look))
    for period in taken:
        at = (request[0], tops[period.server] + 0.06)
        axes.add_patch(
            Rectangle(at, request[1] - request[0], 0.88, color=STANDARD.colour, zorder=3)
        )
    axes.axvspan(*slot, color="#F0E442", alpha=0.25, zorder=0.6, linewidth=0)
    for edge in request:
        axes.axvline(edge, color=STANDARD.colour, linestyle="--", linewidth=1.2, zorder=4)
