"""The look of all pictures: colours, marks, figures, legends; and what a picture is made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coalloc_lib.checks import InputError, positive, shown

#: Okabe and Ito's colours, without the yellow that a projector loses.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C")
# As many hatches as markers, and with the colours no factor in common: the 72 looks that `look`
# gives are all different.
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--", "||")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "p")
#: How the line of a maximal utilization is dashed, by how it is known.
DASHES = {"exact": "--", "approximation": "-.", "simulation": ":"}
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
        size = positive("width", width), positive("height", height)
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(1, columns, **sharing)


def title_figure(figure: Figure, text: str) -> None:
    """Write the title over the whole figure: axes beside a legend are too narrow for it."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def legend_beside(axes: Axes) -> None:
    """Put the legend right of the axes, where it hides nothing."""
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend(**BESIDE)


def by_name(argument: str, value: Any) -> Mapping:
    """Return `value`; refuse what is no dict, or an empty one."""
    if not isinstance(value, Mapping) or not value:
        raise InputError(
            f"{argument} = {shown(value)}; give a dict of what to draw, with an entry or more"
        )
    return value


def figure_of(argument: str, value: Any) -> tuple[float, float]:
    """Return the estimate and the half-width of an `Interval` or a number."""
    estimate, error = getattr(value, "estimate", value), getattr(value, "half_width", 0.0)
    try:
        estimate, error = float(estimate), float(error)
    except (TypeError, ValueError):
        estimate = np.nan
    if not np.isfinite([estimate, error]).all():
        raise InputError(f"{argument} = {shown(value)}; give a finite number or an Interval")
    return estimate, error


def parts_of(argument: str, value: Any, names: Sequence[str]) -> tuple:
    """Return `value`, whose parts are called `names`; refuse what has not that many."""
    try:
        parts = tuple(value)
    except TypeError:
        parts = ()
    if len(parts) != len(names):
        raise InputError(f"{argument} = {shown(value)}; give ({', '.join(names)})")
    return parts
