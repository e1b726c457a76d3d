"""Step-by-step pictures of how the trees of a slot are searched in the paper's worked example."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import ipywidgets as ipw
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, positive, whole
from coalloc_lib.basics.display import listed
from coalloc_lib.calendar import SlotTrees
from coalloc_lib.calendar.periods import IdlePeriod, slot_of
from coalloc_lib.calendar.trees import Inner, Node, leaves
from coalloc_lib.plots.schedules import Box, draw_reservations
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import slider_with_entry
from studies.online_batch.worked_example import worked_example

#: The request that is searched at first, given by its start, its length and its number of servers;
#: and the right end of the time axis. The request of the paper, (17, 12, 2), needs no secondary
#: tree.
ASKED, SHOWN = (14, 8, 3), 50.0
SUBTITLE = "step {step} of {last}; grey: reserved; yellow: slot {slot}; dashed: the request"
BLUE, DIM, RESERVED = plots.STANDARD.colour, "#8C8C8C", ("#BFBFBF", "#444444")
#: How a tree node is drawn in each state during the search: the colours of its fill, edge and text,
#: and the line style of its edge.
LOOKS = {
    "": ("white", DIM, "black", "-"),
    "looked at": ("#FFF1CC", "black", "black", "-"),
    "ignored": ("white", "#BBBBBB", DIM, ":"),
    "candidate": ("#CCE3F0", BLUE, "black", "-"),
    "infeasible": ("#FBE9DE", plots.LOSS.colour, "black", "--"),
    "feasible": (BLUE, BLUE, "white", "-"),
}
#: Sizes in the drawing: the height of a tree level in inches, the height of a server row in inches,
#: and the distance between two trees in leaf widths.
LEVEL, ROW, APART = 0.5, 0.25, 0.55
MIDDLE = {"ha": "center", "va": "center_baseline", "fontsize": 8}
#: The number of a mark, in a circle on the corner of its node.
SMALL = {"ha": "center", "va": "center_baseline", "fontsize": 6.5, "weight": "bold", "zorder": 4}
BADGE = {"boxstyle": "circle,pad=0.25", "facecolor": BLUE, "edgecolor": "white", "linewidth": 0.8}


class Marks(NamedTuple):
    """The idle periods and tree nodes that a search has marked so far.

    `looks` has the look of nodes. All nodes below a marked or ignored node look like it, unless
    they have their own look. `order` has the candidates in the order in which they were marked, and
    `taken` the idle periods that were accepted.
    """

    looks: Mapping[Node, str]
    order: Sequence[Node]
    taken: Sequence[IdlePeriod]


class TreeWalk:
    """A step-by-step search for `count` servers that are idle from `start` to `end`.

    The search uses the trees of the slot that contains `start`. `names` has the names of the idle
    periods.
    """

    def __init__(self, book: SlotTrees, start, end, count, names: Mapping[IdlePeriod, str]) -> None:
        self.start, self.end, self.count, self.names = start, end, count, names
        self.slot = slot_of(start, book.slot)
        self.root = book.trees[self.slot].root
        self.letters = inner_names(self.root)
        self.looks: dict[Node, str] = {}
        self.candidates, self.feasible, self.taken = list[Node](), list[Node](), list[IdlePeriod]()

    def steps(self) -> Iterator[tuple[str, Marks]]:
        """Yield a description of each step of the search, and the marks after the step."""
        for words in self._all_steps():
            yield words, Marks({**self.looks}, [*self.candidates], [*self.taken])

    def _all_steps(self) -> Iterator[str]:
        yield f"The request starts in slot {self.slot + 1}: search the tree of what is idle in it"
        yield from self._phase1()
        number = sum(node.size for node in self.candidates)
        if number < self.count:
            yield self._too_few(number, "candidate")
            return

        yield f"{number} candidates for {self.count}: go through the marks in reverse order"
        yield from self._phase2()
        periods = [period for node in self.feasible for period in leaves(node)]
        if len(periods) < self.count:
            yield self._too_few(len(periods), "feasible period")
            return
        self.taken = periods[: self.count]
        servers = listed([period.server + 1 for period in self.taken])
        word = "servers" if self.count > 1 else "server"
        yield f"Accepted: {self._set(self.taken)}, on {word} {servers}"

    def _phase1(self) -> Iterator[str]:
        node = self.root
        while isinstance(node, Inner):
            self.looks[node] = "looked at"
            name, when = f"Phase 1, {self.letters[node]}", f"{node.median:g}"
            if node.median > self.start:
                self.looks[node.left] = "ignored"
                yield f"{name}: starts at its left are {when} or later, too late; go right"
                node = node.right
            else:
                self._mark("candidate", node.right)
                right = self._set(leaves(node.right))
                yield f"{name}: starts at its right are {when} or earlier: mark {right}; go left"
                node = node.left
        if node is not None:
            fits, name = node.period.start <= self.start, self.names[node.period]
            self._mark("candidate" if fits else "ignored", node)
            result = "mark it" if fits else "too late"
            yield f"Phase 1, leaf {name}: starts at {node.period.start:g}, {result}"

    def _phase2(self) -> Iterator[str]:
        for subtree in reversed(self.candidates):
            is_inner = isinstance(subtree, Inner) and subtree.secondary is not None
            node = subtree.secondary.root if is_inner else subtree
            for words in self._by_end(node, self.letters.get(subtree, "")):
                yield words
                if sum(each.size for each in self.feasible) >= self.count:
                    return

    def _by_end(self, node: Node | None, letter: str) -> Iterator[str]:
        while isinstance(node, Inner):
            self.looks[node] = "looked at"
            name, when = f"Phase 2, tree of {letter}", instant(node.median)
            if node.median < self.end:
                self.looks[node.left] = "infeasible"
                yield f"{name}: ends at its left are {when} or earlier, too early; go right"
                node = node.right
            else:
                self._mark("feasible", node.right)
                if node.median < float("inf"):
                    when += " or later"
                right = self._set(leaves(node.right))
                yield f"{name}: ends at its right are {when}: {right} will do"
                node = node.left
        if node is not None:
            fits, name = node.period.end >= self.end, self.names[node.period]
            self._mark("feasible" if fits else "infeasible", node)
            result = "it will do" if fits else "too early"
            yield f"Phase 2, leaf {name}: ends at {instant(node.period.end)}, {result}"

    def _mark(self, look: str, node: Node) -> None:
        self.looks[node] = look
        {"candidate": self.candidates, "feasible": self.feasible}.get(look, []).append(node)

    def _set(self, periods) -> str:
        return listed([self.names[period] for period in periods])

    def _too_few(self, number: int, what: str) -> str:
        are = f"{what} is" if number == 1 else f"{what}s are"
        return f"{number} {are} too few for {self.count}: the attempt fails"


def instant(when: float) -> str:
    """Format a time for the nodes of the drawing and for the descriptions of steps."""
    return "∞" if when == float("inf") else f"{when:g}"


def inner_names(root: Node | None) -> dict[Node, str]:
    """Name the inner nodes of a primary tree A, B, C, ..., level by level."""
    level, inner_nodes = [root], []
    while level:
        inner = [node for node in level if isinstance(node, Inner)]
        inner_nodes += inner
        level = [half for node in inner for half in (node.left, node.right)]
    return {node: chr(ord("A") + place) for place, node in enumerate(inner_nodes)}


def first_marked(start: float, length: float, servers: int) -> list[str]:
    """Return the names of the idle periods in the subtree that a search marks first."""
    _, search = walk(start, length, servers)
    for _ in search.steps():
        if search.candidates:
            return [search.names[period] for period in leaves(search.candidates[0])]
    return []


def walk(start: float, length: float, servers: int) -> tuple[SlotTrees, TreeWalk]:
    """Search the trees of the worked example for idle periods, and return the trees and the steps.

    Raise InputError if the request is not within the horizon, or needs more servers than there are.
    """
    book, periods, _ = worked_example()
    end, horizon = start + positive("length", length), book.slots * book.slot
    if start < 0 or end > horizon:
        raise InputError(
            f"start = {start:g} with length = {length:g} is not within the planning horizon from "
            f"0 to {horizon:g}; give another start or length"
        )
    if whole("servers", servers) > len(periods):
        raise InputError(
            f"servers = {servers}, but the example has only {len(periods)} servers; give at most "
            f"{len(periods)}"
        )
    # The first idle period of a server is called X, Y, Z or V, as in the paper. The names of its
    # later idle periods have primes.
    names = {
        period: name + "′" * place
        for name, first in periods.items()
        for place, period in enumerate(book.periods(first.server))
    }
    return book, TreeWalk(book, float(start), end, servers, names)


def tree_search_picture(
    start=ASKED[0], length=ASKED[1], servers=ASKED[2], step: int | None = None
) -> plots.Picture:
    """Draw one step of the search for a request in the worked example.

    Parameters
    ----------
    start, length : float
        The start and the length of the request.
    servers : int
        The number of servers that the request needs.
    step : int, optional
        The step to draw, from 0, the state before the search. A step beyond the last one is the
        last step. By default it is the last step, the result of the search.
    """
    book, search = walk(start, length, servers)
    steps = list(search.steps())
    last = len(steps) - 1
    at = last if step is None else min(whole("step", step, 0), last)
    words, marks = steps[at]
    subtitle = SUBTITLE.format(step=at, last=last, slot=search.slot + 1)
    return plots.Picture(_drawn(book, search, marks, words, subtitle))


def slot_tree_search(state: str = "") -> Explorer:
    """Return controls for a request and for the step of its search, with a picture of the step.

    `state` is the copied text of an earlier scenario; by default the controls show a request whose
    search needs a secondary tree, on the servers of the paper's worked example.
    """

    def last(*request: float) -> int:
        return len([*walk(*request)[1].steps()]) - 1

    controls = {"step": slider_with_entry("step", 0, 0, last(*ASKED))}
    ranges = {"start": (0, 49), "length": (1, 50), "servers": (1, 4)}
    for (name, ends), value in zip(ranges.items(), ASKED, strict=True):
        controls[name] = slider_with_entry(name, value, *ends)
    request = [controls[name].children[-1] for name in ranges]

    def begin_again(_change: dict) -> None:
        with suppress(InputError):  # the picture shows the error
            most = last(*(entry.value for entry in request))
            for slider_or_entry in controls["step"].children:
                slider_or_entry.value, slider_or_entry.max = 0, most

    for entry in request:
        entry.observe(begin_again, "value")
    hint = ipw.HTML("Move the slider <i>step</i>, and change the request.")
    return Explorer(controls, tree_search_picture, state=state, above=[hint])


def _drawn(book, search, marks, title, subtitle) -> Figure:
    trees: list[tuple[Inner | None, Node]] = [(None, search.root)] if search.root else []
    trees += [
        (node, node.secondary.root)
        for node in search.letters
        if node.secondary and node.secondary.root
    ]
    deep = max((-y for _, tree in trees for _, _, y in _places(tree, 0)), default=0)
    heights = [ROW * sum(book.sizes) + 0.45, LEVEL * (deep + 1) + 0.35]
    figure, (above, below) = plots.new_figure(sum(heights) + 0.3, 2, 1, height_ratios=heights)
    _draw_servers(above, book, search, marks.taken)
    below.axis("off")
    left = 0.0
    for owner, tree in trees:
        _draw_tree(below, search, marks, tree, left, owner)
        left += max(tree.size, 2) + APART
    below.set(xlim=(-0.1, max(left - APART, 1) + 0.1), ylim=(-deep - 0.5, 0.95))
    plots.title_figure(figure, title, subtitle)
    return figure


def _places(node: Node, left: float, level: int = 0) -> Iterator[tuple[Node, float, float]]:
    yield node, left + node.size / 2, -level
    if isinstance(node, Inner):
        yield from _places(node.left, left, level + 1)
        yield from _places(node.right, left + node.left.size, level + 1)


def _inherited(node: Node, looks: Mapping[Node, str], above: str = "") -> Iterator:
    own = looks.get(node, above)
    yield node, own
    if isinstance(node, Inner):
        for half in (node.left, node.right):
            yield from _inherited(half, looks, "" if own == "looked at" else own)


def _draw_tree(axes, search, marks, root, left, owner):
    places = {node: (x, y) for node, x, y in _places(root, left + (root.size == 1) / 2)}
    looks, is_primary = dict(_inherited(root, marks.looks)), owner is None
    for node, (x, y) in places.items():
        for half in (node.left, node.right) if isinstance(node, Inner) else ():
            line = ":" if looks[half] == "ignored" else "-"
            axes.plot(*zip((x, y), places[half], strict=True), line, color=DIM, lw=1, zorder=1)
        _draw_node(axes, search, node, (x, y), looks[node], is_primary)
        if is_primary:
            bold = {"fontsize": 8, "weight": "bold"}
            axes.text(x - 0.36, y - 0.05, search.letters.get(node, ""), ha="right", **bold)
            if node in marks.order:
                order = f"{marks.order.index(node) + 1}"
                axes.text(x + 0.3, y + 0.22, order, color="white", bbox=BADGE, **SMALL)
    heading = "by start, latest first" if is_primary else f"of {search.letters[owner]}, by end"
    style = {"ha": "center", "fontsize": 8.5, "color": plots.GREY}
    axes.text(left + max(root.size, 2) / 2, 0.62, heading, **style)


def _draw_node(axes, search, node, place, look, is_primary):
    (x, y), (fill, edge, ink, line) = place, LOOKS[look]
    if isinstance(node, Inner):
        words, corner = instant(node.median), 0.2
        small = {"fontsize": 6.5, "color": plots.GREY, "va": "center", "zorder": 3}
        axes.text(x + 0.33, y - 0.14, f"{node.size}", **small)
    else:
        when = node.period.start if is_primary else node.period.end
        words, corner = f"{search.names[node.period]} {instant(when)}", 0.03
    box = {"facecolor": fill, "edgecolor": edge, "linestyle": line, "linewidth": 1.3, "zorder": 2}
    box["boxstyle"] = f"round,pad=0,rounding_size={corner}"
    axes.add_patch(FancyBboxPatch((x - 0.3, y - 0.2), 0.6, 0.4, **box))
    axes.text(x, y, words, color=ink, zorder=3, **MIDDLE)


def _draw_servers(axes, book, search, taken: Sequence[IdlePeriod]):
    reserved = []
    for server in range(sum(book.sizes)):
        begin = 0.0
        for period in book.periods(server):
            reserved.append(Box("", [server], begin, period.start, RESERVED))
            begin = period.end
    tops = draw_reservations(axes, book.sizes, reserved, (0, SHOWN))
    for period, name in search.names.items():
        top, length = tops[period.server] + 0.06, min(period.end, SHOWN) - period.start
        style = {"color": BLUE, "weight": "bold"} if period in taken else {"color": plots.GREY}
        axes.text(period.start + 0.4, top + 0.44, name, zorder=5, **MIDDLE | {"ha": "left"} | style)
        frame = {"fill": False, "edgecolor": "#999999", "linewidth": 0.8, "zorder": 1}
        axes.add_patch(Rectangle((period.start, top), length, 0.88, **frame))
        if period in taken:
            size = search.end - search.start, 0.88
            axes.add_patch(Rectangle((search.start, top), *size, color=BLUE, zorder=3))
    slot = search.slot * book.slot, (search.slot + 1) * book.slot
    axes.axvspan(*slot, color="#F0E442", alpha=0.25, zorder=0.6, linewidth=0)
    for edge in (search.start, search.end):
        axes.axvline(edge, color=BLUE, linestyle="--", linewidth=1.2, zorder=4)
