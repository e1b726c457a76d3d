"""The style that all figures share: sizes, titles, line names and ticks."""

from collections.abc import Collection, Iterable, Mapping
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import cycler, rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import Locator, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from coalloc_lib.plots.signs import OWN, PRINT, STANDARD, MarkerStyle

GREY = "#595959"
STYLE = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.grid.axis": "y", "grid.alpha": 0.3, "axes.axisbelow": True, "hatch.linewidth": 0.5,
    "axes.prop_cycle": cycler(color=[STANDARD.colour, *(own.colour for own in OWN)]),
}  # fmt: skip
#: The style of values printed in a paper, and the note in a subtitle that explains this style.
PRINTED: dict[str, Any] = {
    "marker": PRINT.marker, "color": PRINT.colour, "markerfacecolor": "white", "markersize": 6,
    "linestyle": "none", "linewidth": 0.8, "markeredgewidth": 0.8,
}  # fmt: skip
DIAMONDS = "◇: printed"
#: The style of the white box behind a text, which separates its letters from lines in the figure.
NAME_BOX: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.4}
#: The height of the label of a curve with its white background, in inches.
NAME_HEIGHT = 0.13
#: The default width of figures, in inches.
WIDTH = 8.2
#: The height of a line of the title and of a line of the subtitle, in inches, and the numbers of
#: letters that fit into such a line.
TITLE, SUBTITLE = 0.22, 0.18
LETTERS, SMALL_LETTERS = 96, 118
#: The ticks of a logarithmic axis that shows ratios around 1. In a narrow panel, the ticks come
#: from `FEW` or, if fewer than three of these ticks lie on the axis, from `NEAR`.
FACTORS = (0.25, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4)
FEW, NEAR = (0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4), (0.8, 1, 1.25)


def new_figure(
    height: float = 3.2, rows: int = 1, columns: int = 1, *, width: float = WIDTH, **sharing: Any
) -> tuple[Figure, Any]:
    """Create a figure and its axes in the style that all figures of the library share.

    Parameters
    ----------
    height, width : float
        The size of the figure in inches.
    rows, columns : int
        The number of rows and columns of axes.
    **sharing
        Further arguments of ``Figure.subplots``, such as ``sharex=True``.

    Examples
    --------
    >>> figure, axes = new_figure(2.0, 1, 2)
    >>> len(axes)
    2
    """
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **sharing)


def remove_spare(grid: NDArray, panels: int) -> list[Axes]:
    """Remove the unused axes of a grid, and return the lowest remaining axes of each column.

    Matplotlib labels the ticks of shared axes only in the last row. This function also labels the
    ticks of axes that are above a gap.

    Parameters
    ----------
    grid : ndarray of Axes
        The axes in rows and columns.
    panels : int
        The number of panels, which fill the grid row by row.
    """
    for axes in grid.flat[panels:]:
        axes.remove()
    columns = grid.shape[1]
    lowest = [grid[(panels - 1 - i) // columns, i] for i in range(min(columns, panels))]
    for axes in lowest:
        axes.tick_params(axis="x", which="both", labelbottom=True)
    return lowest


def can_show(values: Any, scale: str) -> Any:
    """Return a mask of the values that a ``"linear"`` or ``"log"`` axis can show."""
    return np.isfinite(values) & ((scale == "linear") | (values > 0))


def title_figure(figure: Figure, title: str, *subtitle: str) -> None:
    """Write a title and a subtitle above a figure, which becomes higher to make room for them.

    The letters of legends become as small as those of the subtitle.

    Parameters
    ----------
    figure : Figure
        The figure.
    title : str
        The message of the figure.
    *subtitle : str
        What is plotted, and the meaning of its marks. Empty parts are left out.
    """
    for legend in filter(None, (axes.get_legend() for axes in figure.axes)):
        for text in legend.get_texts():
            text.set_fontsize(min(text.get_fontsize(), 8.5))
    width = figure.get_figwidth() / WIDTH
    titles = wrap(title, int(LETTERS * width))
    # A number and its percent sign stay on the same line.
    words = "; ".join(filter(None, subtitle)).replace(" %", "\u00a0%")
    lines = wrap(words, int(SMALL_LETTERS * width))
    subtitles = [line.replace("\u00a0", " ") for line in lines]
    room = TITLE * len(titles) + SUBTITLE * len(subtitles) + 0.1
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    # The title is stored as the suptitle of the figure, because `Picture` reads it from there.
    look = {"ha": "left", "va": "top", "weight": "bold", "fontsize": 10}
    shown = figure.suptitle("\n".join(titles), x=0.01, y=1 - 0.04 / height, **look)
    shown.set_in_layout(False)
    below = 1 - (0.04 + TITLE * len(titles)) / height
    figure.text(0.01, below, "\n".join(subtitles), va="top", fontsize=8.5, color=GREY)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))  # type: ignore[call-arg]


def head(axes: Axes, heading: str, colour: str = "black") -> None:
    """Write a heading at the top left of a panel."""
    axes.set_title(heading, fontsize=9, loc="left", color=colour)


def readable(colour: str) -> NDArray[np.float64]:
    """Return a colour that is dark enough for letters on white.

    The colour is darkened until its contrast is at least 4.5, as the Web Content Accessibility
    Guidelines 2 require.
    """
    rgb = np.array(to_rgb(colour))
    while _contrast_with_white(rgb) < 4.5:
        rgb *= 0.95
    return rgb


def _contrast_with_white(rgb):
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return 1.05 / (np.dot(linear, (0.2126, 0.7152, 0.0722)) + 0.05)


def name_lines(
    axes: Axes,
    ends: Iterable[tuple[float, float, str, str]],
    left: bool = False,
    gap: float = 6.0,
) -> None:
    """Write the name of each line beside the end of the line, without overlaps between names.

    Parameters
    ----------
    axes : Axes
        The axes, whose limits must be set.
    ends : iterable of (x, y, name, colour)
        The end of each line, with its name and colour.
    left : bool
        Whether the names are to the left of the ends of the lines.
    gap : float
        The distance between the end of a line and its name, in points.
    """
    ends = sorted(ends, key=lambda end: end[1])
    # The vertical positions of the names are in fractions of the axis, because the axis can be
    # logarithmic.
    scale = axes.transScale + axes.transLimits
    heights = np.array([scale.transform((x, y))[1] for x, y, *_ in ends])
    least = NAME_HEIGHT / _height_of(axes)
    for _ in range(50):  # Two names that are too near move apart, each by half of the overlap.
        short = np.maximum(least - np.diff(heights), 0) / 2
        heights[1:] += short
        heights[:-1] -= short
    style: dict[str, Any] = {"va": "center", "fontsize": 8, "annotation_clip": False}
    style |= {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    style |= {"ha": "right" if left else "left", "xytext": (-gap if left else gap, 0)}
    for (x, _, name, colour), height in zip(ends, heights, strict=True):
        axes.annotate(name, (x, height), color=readable(colour), bbox=NAME_BOX, **style)


def _height_of(axes: Axes) -> float:
    # Return the height of axes in inches. The layout engine moves the axes only when the figure is
    # drawn, so the room for its titles is subtracted here.
    figure: Any = axes.get_figure()
    engine = figure.get_layout_engine()
    share = 1.0 if engine is None else engine.get()["rect"][3]
    return share * figure.get_figheight() * axes.get_position().height


def name_signs(
    axes: Axes, look: Mapping[str, MarkerStyle], names: Iterable[str], dashed: Collection[str] = ()
) -> None:
    """Draw a legend of colours and markers to the right of a panel."""
    entries = [
        Line2D([], [], color=look[name].colour, marker=look[name].marker, markersize=4, label=name,
               linestyle="--" if name in dashed else "-")
        for name in names
    ]  # fmt: skip
    place = {"loc": "upper left", "bbox_to_anchor": (1.03, 1.0), "frameon": False}
    # A short sample would hide the dashes behind its marker.
    length = 3.5 if any(name in dashed for name in look) else 2.0
    axes.legend(handles=entries, fontsize=8, handlelength=length, **place)


def mark_powers(axis: Axis, ends: tuple[float, float] | None = None) -> None:
    """Set the ticks of a logarithmic axis to round numbers.

    An axis with fewer than three powers of ten has more ticks: at 3 times these powers, or on a
    shorter axis at 2 and 5 times these powers. A very short axis has ticks at equal distances. If
    `ends` are given, the ticks are chosen for this part of the axis.
    """
    low, high = sorted(axis.get_view_interval() if ends is None else ends)
    between = (1.0, 3.0) if high / low >= 60 else (1.0, 2.0, 5.0)
    powers, more = LogLocator(numticks=12), LogLocator(subs=between, numticks=12)
    locator: Locator = MaxNLocator(4)
    for one, enough in ((powers, range(3, 13)), (more, range(2, 7))):
        ticks = np.array(one.tick_values(low, high))
        if np.sum((low <= ticks) & (ticks <= high)) in enough:
            locator = one
            break
    axis.set_major_locator(locator)
    axis.set_major_formatter(lambda at, _: f"{at:g}")
    axis.set_minor_formatter(NullFormatter())


def mark_factors(axis: Axis, few: bool = False) -> None:
    """Set the ticks of a logarithmic axis that shows ratios around 1.

    An axis with a large range, or far from 1, has the ticks of `mark_powers`. With `few`, there are
    fewer ticks, which fit into a narrow panel.
    """
    low, high = sorted(axis.get_view_interval())
    mark_powers(axis)
    known = [*((FEW, NEAR) if few else ()), FACTORS]
    if high / low < 2:  # On a short axis, round numbers at equal distances are a way out.
        known.append(tuple(MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high)))
    inside = [[at for at in marks if low <= at <= high] for marks in known]
    ticks = next((ticks for ticks in inside if len(ticks) > 2), inside[-1])
    if high / low <= 1.01 * FACTORS[-1] / FACTORS[0] and len(ticks) > 1:
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)
