"""The colours and markers that have a fixed meaning in all figures.

Colour-blind readers can tell the colours apart.
"""

import re
from collections.abc import Collection, Iterable
from itertools import cycle
from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.colors import to_hex

from coalloc_lib.basics.checks import InputError


class MarkerStyle(NamedTuple):
    """The colour of a line or bar, and the marker of its points."""

    colour: str
    marker: str


#: The colours of jobs in the figure of a schedule, from the palette of Okabe and Ito.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C",
)  # fmt: skip

#: The colour and marker of the standard case in a comparison, such as the policy FCFS.
STANDARD = MarkerStyle("#0072B2", "o")
#: The colour and marker of jobs that run in one cluster.
ONE_CLUSTER = MarkerStyle("#117733", "^")
#: The colour and marker of jobs that span clusters if no cluster has room.
SPANNING = MarkerStyle("#AA4499", "p")
#: The style of lost capacity (processors that are idle while a job waits). No line or bar has this
#: style.
LOSS = MarkerStyle("#D55E00", "x")
#: The style of values printed in a paper: an open black diamond.
PRINT = MarkerStyle("#000000", "D")

#: Words that give a line or bar a fixed style if its name contains the word. They are names of
#: policies, request types and other cases.
MEANINGS = {
    "unordered": STANDARD, "worst fit": STANDARD, "FCFS": STANDARD, "independent": STANDARD,
    "four components": STANDARD, "ordered": MarkerStyle("#882255", "s"), "total": ONE_CLUSTER,
    "one cluster": ONE_CLUSTER, "one component": ONE_CLUSTER,
    "flexible": MarkerStyle("#CC79A7", "P"),
    "first fit": MarkerStyle("#E69F00", "v"), "small first": MarkerStyle("#8C510A", ">"),
    "best fit": MarkerStyle("#56B4E9", "<"), "single then span": SPANNING, "at once": SPANNING,
    "adaptive": MarkerStyle("#661100", "H"),
    "FPFS": MarkerStyle("#332288", "X"), "EASY": MarkerStyle("#44AA99", "h"),
    "Conservative": MarkerStyle("#999933", "*"), "Online": MarkerStyle("#CC6677", "d"),
    "equation": MarkerStyle("#000000", "*"), "simulated": MarkerStyle("#8C8C8C", "."),
    "dependent": MarkerStyle("#B09500", "D"),
}  # fmt: skip
#: The styles of lines and bars whose names contain no word with a fixed style, such as scenarios
#: that a user adds.
OWN = (
    MarkerStyle("#6B7A8F", "d"), MarkerStyle("#5D3A9B", "h"), MarkerStyle("#B85C8E", "8"),
    MarkerStyle("#3B7D6E", "H"),
    MarkerStyle("#7A6A00", "1"),
)  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def signs(names: Iterable[str], taken: Collection[MarkerStyle] = ()) -> dict[str, MarkerStyle]:
    """Choose a colour and a marker for each line or bar, given the names of the lines or bars.

    A name gets the style of the longest word of `MEANINGS` that it contains, unless an earlier name
    already has that style. All other names get styles from `OWN`, and then other combinations of
    the colours of `OWN` with markers. No name gets a style that is `taken` by another line or bar.

    Examples
    --------
    >>> signs(["FCFS", "my policy"])["FCFS"] == MEANINGS["FCFS"]
    True
    """
    free, looks = _free_styles(taken), dict[str, MarkerStyle]()
    for name in names:
        # Only matches at the beginning of a word count, because "unordered" also contains
        # "ordered". Names of policies occur with small and with capital letters.
        held = [m for m in MEANINGS if re.search(rf"(?i)(?<![^\W\d_]){re.escape(m)}", name)]
        known = MEANINGS[max(held, key=len)] if held else None
        used = (*looks.values(), *taken)
        looks[name] = known if known and known not in used else next(free)
    return looks


def _free_styles(taken):
    combinations = [MarkerStyle(own.colour, marker) for marker in _MARKERS for own in OWN]
    yield from (style for style in dict.fromkeys([*OWN, *combinations]) if style not in taken)
    # A reader cannot tell more lines apart than there are styles, so the styles may repeat.
    yield from cycle(OWN)


def shades(names: Iterable[str], colour_map: str = "viridis") -> dict[str, MarkerStyle]:
    """Return styles with colours from dark to light for increasing values of one quantity.

    Parameters
    ----------
    names : iterable of str
        The values, in increasing order.
    colour_map : str
        The name of a colour map of Matplotlib that goes from dark to light. Two quantities in
        neighbouring figures can have different ones, such as ``"inferno"``.

    Raises
    ------
    InputError
        If Matplotlib has no such colour map.

    Examples
    --------
    >>> shades(["10 %", "20 %"])["10 %"].colour
    '#440154'
    """
    if colour_map not in colormaps:
        raise InputError(
            f"colour_map = {colour_map!r}; give the name of a colour map of Matplotlib, such as "
            "'inferno'"
        )
    names = list(names)
    last, colours = max(1, len(names) - 1), colormaps[colour_map]
    return {
        name: MarkerStyle(to_hex(colours(0.85 * i / last)), _MARKERS[i % len(_MARKERS)])
        for i, name in enumerate(names)
    }
