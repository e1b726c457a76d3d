"""How one line of a chart is drawn: its options, its markers and the intervals of its points."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from coalloc_lib.basics.checks import positive
from coalloc_lib.plots.signs import MarkerStyle
from coalloc_lib.plots.tables import label_texts

#: The distance between neighbouring lines that are drawn beside each other, in points.
SHIFT = 2.5


@dataclass(frozen=True)
class LineStyle:
    """Options for drawing the lines of a chart, apart from their colours and markers.

    Names of lines that are not in the table are ignored, because the runs of a study may lack some
    lines.

    Parameters
    ----------
    dashed : collection of str
        The names of dashed lines.
    bare : collection of str
        The names of lines without a confidence band.
    stairs : bool
        Whether each value holds until the next point, so that the line is a step function.
    bars : bool
        Whether vertical bars show the intervals, rather than bands. The lines are then drawn beside
        each other, a few points apart, so that lines and bars at the same place stay visible.
    whole_bands : bool
        Whether the vertical axis shows the confidence bands completely, rather than only the lines.
    height : float, optional
        The height of the figure in inches, without its titles. By default, it depends on the number
        of rows of panels.
    """

    dashed: Collection[str] = ()
    bare: Collection[str] = ()
    stairs: bool = False
    bars: bool = False
    whole_bands: bool = False
    height: float | None = None

    def __post_init__(self) -> None:
        if self.height is not None:
            positive("height", self.height)

    def shifts(self, lines: int) -> list[float]:
        """Return how far to the right each line is drawn, in points."""
        middle = (lines - 1) / 2
        return [SHIFT * (number - middle) if self.bars else 0.0 for number in range(lines)]


def with_texts(style: LineStyle) -> LineStyle:
    """Return the style with names that are texts, as the labels of a table become texts."""
    return replace(style, dashed=label_texts(style.dashed), bare=label_texts(style.bare))


def draw_line(
    axes: Axes, points: pd.DataFrame, sign: MarkerStyle, hollow: pd.Series, *, band: bool = True,
    bars: bool = False, marked: bool = True, stairs: bool = False, shift: float = 0.0,
    **style: Any,
) -> None:  # fmt: skip
    """Draw one line of a chart, optionally with markers and the intervals of its points.

    A vertical bar shows the interval of a point if no neighbour of the point has an interval.

    Parameters
    ----------
    axes : Axes
        The axes. Their vertical limits must be set, because open bands extend to these limits.
    points : DataFrame
        The points of a table from `tidy`, in the order of the line.
    sign : MarkerStyle
        The colour and marker of the line.
    hollow : Series of bool
        Whether the marker of each point is hollow.
    band, marked, stairs : bool
        Whether the line has intervals, has markers, and has steps.
    bars : bool
        Whether the intervals are bars, rather than a band.
    shift : float
        How far to the right everything is drawn, in points.
    **style
        Further options of the line, as in ``Axes.plot``.
    """
    steps = {"drawstyle": "steps-post"} if stairs else {}
    drawn: list[Artist] = axes.plot(points["x"], points["y"], color=sign.colour, **style, **steps)
    if marked:
        for mask, filling in ((~hollow, sign.colour), (hollow, "white")):
            if mask.any():
                marks = {"markerfacecolor": filling, "zorder": style.get("zorder")}
                at = points["x"][mask], points["y"][mask]
                drawn += axes.plot(*at, sign.marker, color=sign.colour, markersize=3.5, **marks)
    if band and points["low"].notna().any():
        low, high = _ends_on_axes(axes, points)
        if bars:
            solid = style | {"linestyle": "-"}
            drawn.append(axes.vlines(points["x"], low, high, color=sign.colour, **solid))
        else:
            _draw_band(axes, points["x"], low, high, sign.colour, "post" if stairs else None)
    move_right(axes, drawn, shift)


def move_right(axes: Axes, drawn: Iterable[Artist], points: float) -> None:
    """Move artists to the right of their data.

    This comes after drawing, because a shift would change the limits of the axes.
    """
    moved = offset_copy(axes.transData, axes.get_figure(), x=points, units="points")
    for artist in drawn if points else ():
        artist.set_transform(moved)


def _ends_on_axes(axes, points):
    foot, top = axes.get_ylim()
    low, high = points["low"].replace(-np.inf, foot), points["high"].replace(np.inf, top)
    if axes.get_yscale() == "log":  # An interval with a low end of 0 or less reaches the foot.
        low = low.where(~(low <= 0), foot)
    return low, high


def _draw_band(axes, at, low, high, colour, step):
    axes.fill_between(at, low, high, step=step, color=colour, alpha=0.18, linewidth=0)
    # Between neighbours without an interval, the band has no width, so a bar shows the interval.
    known = low.notna()
    is_alone = known & ~known.shift(1, fill_value=False) & ~known.shift(-1, fill_value=False)
    if is_alone.any():
        style: dict[str, Any] = {"color": colour, "alpha": 0.4, "linewidth": 3, "zorder": 1}
        axes.vlines(at[is_alone], low[is_alone], high[is_alone], **style)
