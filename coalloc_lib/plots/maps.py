"""Small multiples of maps: changes in percent, or kinds, with what is undecided hatched."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from coalloc_lib.estimates import Interval
from coalloc_lib.plots.bars import finite
from coalloc_lib.plots.style import head, new_figure, some, title_figure

#: Shorter is blue-green, longer brown, as in the other maps.
COLOURS = colormaps["BrBG_r"]
UNDECIDED = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
#: Height of a cell, and of what is around a panel, in inches.
CELL, AROUND = 0.2, 0.55


class Mark(NamedTuple):
    """A cell that has no number.

    Attributes
    ----------
    text : str
        What is written into it.
    colour : str
        Empty where it is undecided: hatched.
    longer : bool
        On which side of the outline it is.
    """

    text: str
    colour: str = ""
    longer: bool = False


#: One is without bound where the other is finite.
LONGER = Mark("∞", COLOURS(1.0), True)
SHORTER = Mark("−∞", COLOURS(0.0))
#: Neither is finite.
NEITHER = Mark("×", "#8C8C8C")
#: A cell: a change in percent with its interval, or a mark.
Cell = Interval | Mark


def maps(
    panels: Mapping[str, Mapping[tuple[int, int], Cell]], *, rows: Sequence[str],
    columns: Sequence[str], title: str, subtitle: str = "", xlabel: str, ylabel: str,
    values: str = "", most: float = 60.0, across: int = 2, kinds: Mapping[str, Mark] | None = None,
) -> Figure:  # fmt: skip
    """Draw maps side by side: one scale of colours and a line where the sign turns, or kinds.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][row, column]``, counted from 0, from below and from the left, is an
        `Interval` in percent or a `Mark`. A negative one is shorter: blue-green; a positive one
        brown; one that does not tell is hatched.
    rows, columns : list of str
        Labels.
    values : str
        What the colours stand for.
    most : float
        Percent at which the colours end.
    across : int
        Panels beside each other.
    kinds : dict of Mark, optional
        What marks stand for, to be explained below.

    Raises
    ------
    InputError
        A number is not finite: give a mark.
    """
    down = -(-len(some("panels", panels)) // across)
    height = down * (AROUND + CELL * len(rows)) + 0.3 * bool(kinds)
    figure, grid = new_figure(height, down, across, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, (heading, cells) in zip(grid.flat, panels.items(), strict=False):
        for at, cell in some(f"panels[{heading!r}]", cells).items():
            named = f"panels[{heading!r}][{at}]"
            _draw(axes, at, cell if isinstance(cell, Mark) else finite(named, cell), most)
        if not kinds:
            _outline(axes, cells)
        head(axes, heading)
        axes.grid(False)
        axes.set_xlim(0, len(columns))
        axes.set_ylim(0, len(rows))
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes.tick_params(length=0, labelsize=8)
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    if values:
        scale = ScalarMappable(Normalize(-most, most), COLOURS)
        figure.colorbar(scale, ax=grid, label=values, extend="both", aspect=30, pad=0.02)
    _explain(figure, kinds or {})
    title_figure(figure, title, subtitle)
    return figure


def _draw(axes: Axes, at: tuple[int, int], cell: Cell, most: float) -> None:
    row, column = at
    if isinstance(cell, Mark):
        text, colour = cell.text, cell.colour
    else:
        decided = cell.above(0) or cell.below(0)
        colour = COLOURS(0.5 + cell.estimate / (2 * most)) if decided else ""
        text = _told(cell.estimate)
    look = {"facecolor": colour, "edgecolor": "white"} if colour else UNDECIDED
    axes.add_patch(Rectangle((column, row), 1, 1, linewidth=0.4, **look))
    dark = bool(colour) and _is_dark(colour)
    style = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
    axes.text(column + 0.5, row + 0.46, text, fontsize=7, **style)


def _told(percent: float) -> str:
    """Return a change in few letters: from tenfold on, by what factor."""
    if percent >= 900:
        return f"×{1 + percent / 100:.0f}"
    whole = round(percent)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _is_dark(colour: str | tuple) -> bool:
    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114))) < 0.5


def _outline(axes: Axes, cells: Mapping[tuple[int, int], Cell]) -> None:
    """Draw the line between what gets shorter and what gets longer."""
    longer = {at: _longer(cell) for at, cell in cells.items()}
    for (row, column), here in longer.items():
        if longer.get((row, column + 1), here) != here:
            axes.plot([column + 1] * 2, [row, row + 1], **LINE)
        if longer.get((row + 1, column), here) != here:
            axes.plot([column, column + 1], [row + 1] * 2, **LINE)


LINE = {"color": "black", "linewidth": 1.8, "solid_capstyle": "round", "zorder": 3}


def _longer(cell: Cell) -> bool:
    return cell.longer if isinstance(cell, Mark) else cell.estimate > 0


def _explain(figure: Figure, kinds: Mapping[str, Mark]) -> None:
    """Write below what the marks stand for."""
    patches = [
        Patch(label=words, **({"facecolor": mark.colour} if mark.colour else UNDECIDED))
        for words, mark in kinds.items()
    ]
    if patches:
        figure.legend(handles=patches, loc="outside lower left", ncols=3, fontsize=8, frameon=False)
