"""The search on the trees of a slot, step by step: the worked example of online co-allocation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import ipywidgets as ipw

from coalloc_lib.calendar.example import worked_example
from coalloc_lib.calendar.periods import IdlePeriod, slot_of
from coalloc_lib.calendar.slot_trees import SlotTrees
from coalloc_lib.calendar.trees import Inner, Node, leaves
from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.plots.servers import Box
from coalloc_lib.plots.trees import RESERVED, Marks, inner_names, instant, slot_tree
from coalloc_lib.waiting import listed
from coalloc_lib.widgets.controls import Explorer, slider_with_entry
from coalloc_lib.widgets.picture import Picture

#: The request of the worked example: start, length, servers.
ASKED = (17, 12, 2)
#: Where the drawing ends.
SHOWN = 50.0
SUBTITLE = (
    "step {step} of {last}; above: grey is reserved, framed idle, yellow slot {slot}, dashed the "
    "request; below: its trees, medians in round nodes, beside them how many leaves they have"
)


class Step(NamedTuple):
    """One step of a search: what is seen, in words, and what was done so far."""

    words: str
    marks: Marks


class TreeWalk:
    """A search on the trees of one slot, which tells each step that it takes.

    Parameters
    ----------
    book : SlotTrees
    start, end : float
        The interval requested; its first slot has a tree.
    count : int
        Servers wanted.
    names : dict of IdlePeriod to str
        What the steps call the idle periods.
    """

    def __init__(
        self, book: SlotTrees, start: float, end: float, count: int, names: Mapping[IdlePeriod, str]
    ) -> None:
        self.start, self.end, self.count, self.names = start, end, count, names
        self.slot = slot_of(start, book.slot)
        self.root = book.trees[self.slot].root
        self.letters = inner_names(self.root)
        self.looks: dict[Node, str] = {}
        self.candidates: list[Node] = []
        self.feasible: list[Node] = []
        self.taken: list[IdlePeriod] = []

    def steps(self) -> Iterator[Step]:
        """Yield the steps: phase 1, phase 2, and what came of them."""
        yield self._step(
            f"The request starts in slot {self.slot + 1}: search the tree of what is idle in it"
        )
        for words in self._all():
            yield self._step(words)

    def _all(self) -> Iterator[str]:
        yield from self._phase1()
        number = sum(node.size for node in self.candidates)
        if number < self.count:
            yield f"{_are(number, 'candidate')} too few for {self.count}: the attempt fails"
            return
        yield f"{number} candidates for {self.count}: go through the marks in reverse order"
        yield from self._phase2()
        found = [period for node in self.feasible for period in leaves(node)]
        if len(found) < self.count:
            feasible = _are(len(found), "feasible period")
            yield f"{feasible} too few for {self.count}: the attempt fails"
            return
        self.taken = found[: self.count]
        yield f"Accepted: {self._set(self.taken)}, on {_servers(self.taken)}"

    def _phase1(self) -> Iterator[str]:
        node = self.root
        while isinstance(node, Inner):
            self.looks[node] = "looked at"
            name = f"Phase 1, {self.letters[node]}"
            if node.median > self.start:
                self.looks[node.left] = "ignored"
                yield f"{name}: starts at its left are {node.median:g} or later, too late; go right"
                node = node.right
                continue
            self._mark(node.right)
            those = f"starts at its right are {node.median:g} or earlier"
            yield f"{name}: {those}: mark {self._set(leaves(node.right))}; go left"
            node = node.left
        if node is None:
            return
        period = node.period
        fits = period.start <= self.start
        if fits:
            self._mark(node)
        else:
            self.looks[node] = "ignored"
        what = "mark it" if fits else "too late"
        yield f"Phase 1, leaf {self.names[period]}: starts at {period.start:g}, {what}"

    def _mark(self, node: Node) -> None:
        self.looks[node] = "candidate"
        self.candidates.append(node)

    def _phase2(self) -> Iterator[str]:
        for subtree in reversed(self.candidates):
            node: Node | None = subtree
            if isinstance(subtree, Inner) and subtree.secondary is not None:
                node = subtree.secondary.root
            for words in self._by_end(node, self.letters.get(subtree, "")):
                yield words
                if sum(each.size for each in self.feasible) >= self.count:
                    return

    def _by_end(self, node: Node | None, letter: str) -> Iterator[str]:
        """Search one secondary tree, or a single leaf; a step for each node."""
        while isinstance(node, Inner):
            self.looks[node] = "looked at"
            name = f"Phase 2, tree of {letter}"
            if node.median < self.end:
                self.looks[node.left] = "infeasible"
                those = f"ends at its left are {instant(node.median)} or earlier"
                yield f"{name}: {those}, too early; go right"
                node = node.right
            else:
                self._accept(node.right)
                right = self._set(leaves(node.right))
                yield f"{name}: ends at its right are {_latest(node)}: {right} will do"
                node = node.left
        if node is None:
            return
        period = node.period
        fits = period.end >= self.end
        if fits:
            self._accept(node)
        else:
            self.looks[node] = "infeasible"
        what = "it will do" if fits else "too early"
        yield f"Phase 2, leaf {self.names[period]}: ends at {instant(period.end)}, {what}"

    def _accept(self, node: Node) -> None:
        self.looks[node] = "feasible"
        self.feasible.append(node)

    def _step(self, words: str) -> Step:
        return Step(words, Marks(dict(self.looks), list(self.candidates), list(self.taken)))

    def _set(self, periods: Sequence[IdlePeriod] | Iterator[IdlePeriod]) -> str:
        return listed([self.names[period] for period in periods])


def _are(number: int, what: str) -> str:
    return f"{number} {what} is" if number == 1 else f"{number} {what}s are"


def _servers(periods: Sequence[IdlePeriod]) -> str:
    numbers = [period.server + 1 for period in periods]
    return f"server{'s' * (len(numbers) > 1)} {listed(numbers)}"


def _latest(node: Inner) -> str:
    """Say when the periods at the right of a node of a secondary tree end."""
    return instant(node.median) + " or later" * (node.median < float("inf"))


def _walk(start: float, length: float, servers: int) -> TreeWalk:
    """Return the search of a request in the worked example; refuse what cannot be asked there."""
    example = worked_example()
    end = start + positive("length", length)
    horizon = example.book.slots * example.book.slot
    if start < 0 or end > horizon:
        raise InputError(
            f"start = {start:g} with length = {length:g} is not within 0 and {horizon:g}, the "
            "horizon; give an earlier start or a shorter length"
        )
    if whole("servers", servers) > len(example.periods):
        raise InputError(f"servers = {servers}; there are {len(example.periods)}")
    return TreeWalk(example.book, float(start), end, servers, _names(example))


def _names(example):
    """Return what each idle period is called: X, Y, Z and V as in the paper, later ones primed."""
    first = {period.server: name for name, period in example.periods.items()}
    return {
        period: first[server] + "′" * place
        for server in first
        for place, period in enumerate(example.book.periods(server))
    }


def tree_search_picture(
    start: float = ASKED[0], length: float = ASKED[1], servers: int = ASKED[2],
    step: int | None = None, coarse: bool = False,
) -> Picture:  # fmt: skip
    """Draw a step of the search for a request in the worked example of the slot trees.

    Parameters
    ----------
    start, length : float
        When it is to start, and for how long.
    servers : int
        How many it needs.
    step : int, optional
        0 is the question; the last step, and whatever is beyond it, the answer. The last where it
        is not given.
    coarse : bool
        Changes nothing: there is nothing to wait for.

    Raises
    ------
    InputError
        The request is none, or reaches beyond the horizon, which is 50.
    """
    walk = _walk(start, length, servers)
    steps = list(walk.steps())
    last = len(steps) - 1
    at = last if step is None else min(whole("step", step, 0), last)
    book = worked_example().book
    figure = slot_tree(
        book.sizes,
        _reserved(book),
        walk.names,
        walk.root,
        (walk.slot * book.slot, (walk.slot + 1) * book.slot),
        (walk.start, walk.end),
        steps[at].marks,
        span=(0, SHOWN),
        title=steps[at].words,
        subtitle=SUBTITLE.format(step=at, last=last, slot=walk.slot + 1),
    )
    return Picture(figure)


def _reserved(book: SlotTrees) -> list[Box]:
    """Return what lies between the idle periods of each server."""
    boxes = []
    for server in range(sum(book.sizes)):
        begin = 0.0
        for period in book.periods(server):
            boxes.append(Box("", [server], begin, period.start, RESERVED))
            begin = period.end
    return boxes


def slot_tree_search(state: str = "") -> Explorer:
    """Return the controls of a request and of the steps of its search in the slot trees.

    Parameters
    ----------
    state : str, optional
        The line of a scenario that was copied.
    """
    start, length, servers = ASKED
    controls = {
        "step": slider_with_entry("step", 0, 0, _last(*ASKED)),
        "start": slider_with_entry("start", start, 0, 49),
        "length": slider_with_entry("length", length, 1, 50),
        "servers": slider_with_entry("servers", servers, 1, 4),
    }
    request = [controls[name].children[-1] for name in ("start", "length", "servers")]

    def lengthen(_change: dict | None = None) -> None:
        """Let the slider of steps reach as far as this search goes."""
        try:
            last = _last(*(each.value for each in request))
        except InputError:  # told where it is drawn
            return
        for each in controls["step"].children:
            each.max = last

    for each in request:
        each.observe(lengthen, "value")
    hint = ipw.HTML("<p>Move <i>step</i> on, and ask for something else.</p>")
    return Explorer(controls, tree_search_picture, state=state, above=[hint], below=True)


def _last(start: float, length: float, servers: int) -> int:
    return len(list(_walk(start, length, servers).steps())) - 1
