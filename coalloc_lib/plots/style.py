"""The paper on which all pictures are drawn: sizes, type, titles, and labels beside lines."""

import re
from collections.abc import Iterable, Mapping
from io import StringIO
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coalloc_lib.checks import InputError, shown
from coalloc_lib.plots.signs import PRINT

GREY = "#595959"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
}
#: What a paper prints: always an open diamond.
PRINTED: dict[str, Any] = {
    "marker": PRINT.marker, "color": PRINT.colour, "markerfacecolor": "white", "markersize": 6,
    "linestyle": "none", "linewidth": 0.8, "markeredgewidth": 0.8,
}  # fmt: skip
#: What a drawing can do without: fonts after the first three, turns by nothing, indents, names of
#: groups, to which nothing refers, and lines.
SHORTER = (
    (re.compile('font-family: [^;"]*'), "font-family: 'DejaVu Sans', Verdana, sans-serif"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"\n +"), "\n"),
    (re.compile('<g id="[^"]*">'), "<g>"),
    (re.compile(r"(?<=>)\n(?=<)| ?\n(?=[LQCzM\"])"), ""),
)
#: A tag, whose places need no more than a hundredth of a point; the numbers of texts stay whole.
TAG, FINE = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")
#: Width of all pictures, in inches.
WIDTH = 7.2
#: Height of a line of the title and of the subtitle, in inches; letters that fit beside each other.
TITLE, SUBTITLE = 0.22, 0.18
LETTERS, SMALL_LETTERS = 84, 104


def new_figure(
    height: float = 3.2, rows: int = 1, columns: int = 1, *, width: float = WIDTH, **sharing: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes, in the house style, sizes in inches."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **sharing)


def title_figure(figure: Figure, title: str, subtitle: str = "") -> None:
    """Write what is seen over the figure, and under it what is plotted; make room for both."""
    width = figure.get_figwidth() / WIDTH
    titles = wrap(title, int(LETTERS * width))
    subtitles = wrap(subtitle, int(SMALL_LETTERS * width))
    room = TITLE * len(titles) + SUBTITLE * len(subtitles) + 0.1
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    # The title is the figure's own, so that it can be asked for.
    look = {"ha": "left", "va": "top", "weight": "bold", "fontsize": 10}
    figure.suptitle("\n".join(titles), x=0.01, y=1 - 0.04 / height, **look)
    figure._suptitle.set_in_layout(False)  # type: ignore[attr-defined]
    below = 1 - (0.04 + TITLE * len(titles)) / height
    figure.text(0.01, below, "\n".join(subtitles), va="top", fontsize=8.5, color=GREY)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))  # type: ignore[call-arg]


def head(axes: Axes, heading: str, colour: str = "black") -> None:
    """Write what one panel of several shows."""
    axes.set_title(heading, fontsize=9, loc="left", color=colour)


def name_lines(
    axes: Axes, ends: Iterable[tuple[float, float, str, str]], gap: float = 0.13, left: bool = False
) -> None:
    """Write names beside the ends of lines, (x, y, name, colour) each, no nearer than `gap` inches.

    They stand on the right, or on the left.

    Call it when the limits of the axes are set.
    """
    ends = sorted(ends, key=lambda end: end[1])
    # In parts of the axis, whatever its scale.
    scale = axes.transScale + axes.transLimits
    heights = np.array([scale.transform((x, y))[1] for x, y, *_ in ends])
    least = gap / (axes.get_figure().get_figheight() * axes.get_position().height)
    for _ in range(50):  # push neighbours apart, each half of the way
        short = np.maximum(least - np.diff(heights), 0) / 2
        heights[1:] += short
        heights[:-1] -= short
    side = {"ha": "right" if left else "left", "xytext": (-6 if left else 6, 0)}
    style = {"va": "center", "fontsize": 8, "annotation_clip": False}
    style |= {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    for (x, _, name, colour), height in zip(ends, heights, strict=True):
        axes.annotate(name, (x, height), color=colour, **style, **side)


def to_svg(figure: Figure) -> str:
    """Return a figure as SVG whose text is text, so that it is small and can be searched.

    Its letters are the reader's: DejaVu Sans, which it was laid out with, or one as wide.
    """
    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "coalloc"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    drawing = file.getvalue()
    for words, shorter in SHORTER:
        drawing = words.sub(shorter, drawing)
    return TAG.sub(lambda tag: FINE.sub(lambda place: f"{float(place[0]):.2f}", tag[0]), drawing)


def some(argument: str, value: Any) -> Mapping:
    """Return `value`; refuse what is no dict, or an empty one."""
    if not isinstance(value, Mapping) or not value:
        raise InputError(f"{argument} = {shown(value)}; give a dict with an entry or more")
    return value
