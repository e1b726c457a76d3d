"""One colour and mark for each meaning in all figures; colours also tell the colour-blind."""

import re
from collections.abc import Iterable
from itertools import cycle
from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.colors import to_hex


class MarkerStyle(NamedTuple):
    """How a meaning looks: its colour, and the marker of its points."""

    colour: str
    marker: str


#: Of jobs in a schedule, whose numbers tell them apart: Okabe and Ito's.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C",
)  # fmt: skip

STANDARD = MarkerStyle("#0072B2", "o")
ONE_CLUSTER = MarkerStyle("#009E73", "^")
#: Capacity that is lost: processors that idle while a job waits. No line or bar has this colour.
LOSS = MarkerStyle("#D55E00", "x")
#: What a paper prints, always this mark, open.
PRINT = MarkerStyle("#000000", "D")

MEANINGS = {
    "unordered": STANDARD, "worst fit": STANDARD, "FCFS": STANDARD, "independent": STANDARD,
    "four components": STANDARD, "ordered": MarkerStyle("#882255", "s"), "total": ONE_CLUSTER,
    "one cluster": ONE_CLUSTER, "one component": ONE_CLUSTER,
    "flexible": MarkerStyle("#CC79A7", "P"),
    "first fit": MarkerStyle("#E69F00", "v"), "small first": MarkerStyle("#8C510A", ">"),
    "best fit": MarkerStyle("#56B4E9", "<"), "single then span": MarkerStyle("#AA4499", "p"),
    "FPFS": MarkerStyle("#332288", "X"), "EASY": MarkerStyle("#44AA99", "h"),
    "Conservative": MarkerStyle("#999933", "*"), "Online": MarkerStyle("#CC6677", "d"),
    "equation": MarkerStyle("#000000", "*"), "simulated": MarkerStyle("#8C8C8C", "."),
    "dependent": MarkerStyle("#B09500", "D"),
}  # fmt: skip
#: For what has no meaning of its own, such as a reader's scenario.
OWN = (
    MarkerStyle("#6B7A8F", "d"), MarkerStyle("#5D3A9B", "h"), MarkerStyle("#B85C8E", "8"),
    MarkerStyle("#3B7D6E", "H"),
    MarkerStyle("#7A6A00", "1"),
)  # fmt: skip
_SHADES = colormaps["viridis"]
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def signs(names: Iterable[str]) -> dict[str, MarkerStyle]:
    """Return the sign of each name: by the longest free meaning that it holds, else its own."""
    free, looks = cycle(OWN), dict[str, MarkerStyle]()
    for name in names:
        # "unordered" holds no "ordered".
        held = [m for m in MEANINGS if re.search(rf"(?<![^\W\d_]){re.escape(m)}", name)]
        known = MEANINGS[max(held, key=len)] if held else None
        looks[name] = known if known and known not in looks.values() else next(free)
    return looks


def shades(names: Iterable[str]) -> dict[str, MarkerStyle]:
    """Return signs from dark to light, for names that are steps of one quantity."""
    names, marks = list(names), cycle(_MARKERS)
    at = [0.85 * i / max(1, len(names) - 1) for i in range(len(names))]
    return {n: MarkerStyle(to_hex(_SHADES(x)), next(marks)) for n, x in zip(names, at, strict=True)}
