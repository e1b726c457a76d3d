"""The look of all pictures: colours, marks, figures, legends."""

from collections.abc import Mapping
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from coalloc_lib.checks import InputError, shown

#: Okabe and Ito's colours, without the yellow that a projector loses.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C")
# As many hatches as markers, and with the colours no factor in common: the 72 looks that `look`
# gives are all different.
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--", "||")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "p")
PLAIN = {"frameon": False, "fontsize": 8}
BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), **PLAIN}
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    "axes.titlesize": 10,
}


def look(number: int) -> tuple[str, str, str]:
    """Return the colour, hatch and marker of series `number`, counted from 0, however many."""
    colour, hatch, marker = (cycle[number % len(cycle)] for cycle in (COLOURS, HATCHES, MARKERS))
    return colour, hatch, marker


def new_figure(
    width: float = 7.0, height: float = 3.2, columns: int = 1, **sharing: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes, in the house style, sizes in inches."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(1, columns, **sharing)


def title_figure(figure: Figure, text: str) -> None:
    """Write the title over the whole figure: axes beside a legend are too narrow for it."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def some(argument: str, value: Any) -> Mapping:
    """Return `value`; refuse what is no dict, or an empty one."""
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{argument} = {shown(value)}; give a dict with an entry or more")
    return value
