"""Shared figure style: sizes, titles, names of lines and ticks; and the export of figures."""

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping
from html import escape
from io import BytesIO, StringIO
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter
from PIL import Image

from coalloc_lib.basics.checks import instance_of
from coalloc_lib.plots.signs import PRINT, MarkerStyle

GREY = "#595959"
STYLE = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.grid.axis": "y", "grid.alpha": 0.3, "axes.axisbelow": True, "hatch.linewidth": 0.5,
}  # fmt: skip
#: The style of values that a paper prints, and the note that explains it in a subtitle.
PRINTED: dict[str, Any] = {
    "marker": PRINT.marker, "color": PRINT.colour, "markerfacecolor": "white", "markersize": 6,
    "linestyle": "none", "linewidth": 0.8, "markeredgewidth": 0.8,
}  # fmt: skip
DIAMONDS = "◇: printed"
#: Parts of an SVG file that are replaced to make it shorter: a long list of fonts, rotations by 0,
#: indents, unused names of groups, and line breaks.
SHORTER = (
    (re.compile('font-family: [^;"]*'), "font-family: 'DejaVu Sans', Verdana, sans-serif"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"\n +"), "\n"),
    (re.compile('<g id="[^"]*">'), "<g>"),
    (re.compile(r"(?<=>)\n(?=<)|(?<!\") ?\n(?=[LQCzM\"])"), ""),  # not within the document type
)
#: Inside tags, but not in texts, numbers are rounded to a hundredth of a point.
TAG, FINE = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")
#: Width of all figures, in inches.
WIDTH = 8.2
#: Height of a line of the title and of the subtitle in inches, and number of letters of a line.
TITLE, SUBTITLE = 0.22, 0.18
LETTERS, SMALL_LETTERS = 96, 118
#: Ticks of an axis of factors around 1; `FEW` and `NEAR` are the ticks of a narrow panel.
FACTORS = (0.25, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4)
FEW, NEAR = (0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4), (0.8, 1, 1.25)
#: A figure whose SVG file has more bytes than this is exported as a PNG image.
LARGEST_SVG = 47_000
#: Resolution of a PNG image in dots per inch, nearly twice that of the page.
DPI = 190
#: Number of colours of a PNG image: the most frequent ones, and some for the edges of shapes.
AREAS, EDGES = 80, 48
#: Pixels on the page for each inch of a figure. A figure then is 935 pixels wide, as is the text of
#: a notebook, and letters of 7 points are 11 pixels high.
PIXELS = 114


def new_figure(
    height: float = 3.2, rows: int = 1, columns: int = 1, *, width: float = WIDTH, **sharing: Any
) -> tuple[Figure, Any]:
    """Return a new figure and its axes in the shared style.

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


def title_figure(figure: Figure, title: str, *subtitle: str) -> None:
    """Write the title and the subtitle above a figure, and make the figure higher by their height.

    Parameters
    ----------
    figure : Figure
        The figure.
    title : str
        The message of the figure.
    *subtitle : str
        What is plotted, and the meaning of its marks. Empty parts are left out.
    """
    width = figure.get_figwidth() / WIDTH
    titles = wrap(title, int(LETTERS * width))
    subtitles = wrap("; ".join(filter(None, subtitle)), int(SMALL_LETTERS * width))
    room = TITLE * len(titles) + SUBTITLE * len(subtitles) + 0.1
    height = figure.get_figheight() + room
    figure.set_figheight(height)
    # A suptitle and not a text, so that `Picture` can read the title from the figure.
    look = {"ha": "left", "va": "top", "weight": "bold", "fontsize": 10}
    figure.suptitle("\n".join(titles), x=0.01, y=1 - 0.04 / height, **look)
    figure._suptitle.set_in_layout(False)  # type: ignore[attr-defined]
    below = 1 - (0.04 + TITLE * len(titles)) / height
    figure.text(0.01, below, "\n".join(subtitles), va="top", fontsize=8.5, color=GREY)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - room / height))  # type: ignore[call-arg]


def head(axes: Axes, heading: str, colour: str = "black") -> None:
    """Write the heading of one panel at its top left."""
    axes.set_title(heading, fontsize=9, loc="left", color=colour)


def name_lines(
    axes: Axes, ends: Iterable[tuple[float, float, str, str]], left: bool = False
) -> None:
    """Write the names of lines beside their ends, so that no two names overlap.

    Parameters
    ----------
    axes : Axes
        The axes, whose limits must be set.
    ends : iterable of (x, y, name, colour)
        The end of each line, with its name and colour.
    left : bool
        Whether the names stand to the left of the ends.
    """
    ends = sorted(ends, key=lambda end: end[1])
    # Heights are shares of the axis, because its scale may be logarithmic.
    scale = axes.transScale + axes.transLimits
    heights = np.array([scale.transform((x, y))[1] for x, y, *_ in ends])
    least = 0.13 / (axes.get_figure().get_figheight() * axes.get_position().height)
    for _ in range(50):  # Two names that are too near move apart, each by half of the overlap.
        short = np.maximum(least - np.diff(heights), 0) / 2
        heights[1:] += short
        heights[:-1] -= short
    side = {"ha": "right" if left else "left", "xytext": (-6 if left else 6, 0)}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.4}
    style = {"va": "center", "fontsize": 8, "annotation_clip": False, "bbox": box}
    style |= {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    for (x, _, name, colour), height in zip(ends, heights, strict=True):
        axes.annotate(name, (x, height), color=colour, **style, **side)


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
    axes.legend(handles=entries, fontsize=8, **place)


def mark_powers(axis: Axis) -> None:
    """Set the ticks of a logarithmic axis to round numbers, with more ticks on a short axis."""
    low, high = sorted(axis.get_view_interval())
    subs = (1.0, 2.0, 5.0) if high / low < 60 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(lambda at, _: f"{at:g}")
    axis.set_minor_formatter(NullFormatter())


def mark_factors(axis: Axis, few: bool = False) -> None:
    """Set the ticks of a logarithmic axis of factors around 1.

    A long axis has powers of ten. With `few`, there are as many ticks as a narrow panel has room
    for.
    """
    low, high = sorted(axis.get_view_interval())
    mark_powers(axis)
    if high / low <= 1.01 * FACTORS[-1] / FACTORS[0]:
        known = [[at for at in marks if low <= at <= high] for marks in (FEW, NEAR, FACTORS)]
        ticks = next((ticks for ticks in known if few and len(ticks) > 2), known[-1])
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)


def to_svg(figure: Figure) -> str:
    """Return a figure as the text of an SVG file, in which letters are text and not paths."""
    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "coalloc"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    drawing = file.getvalue()
    for words, shorter in SHORTER:
        drawing = words.sub(shorter, drawing)
    return TAG.sub(lambda tag: FINE.sub(lambda place: f"{float(place[0]):.2f}", tag[0]), drawing)


class Picture:
    """A figure as an image for a notebook, with a description for readers who do not see it.

    Parameters
    ----------
    figure : Figure
        The figure.
    alt : str, optional
        The description of the image, by default the title of the figure and the rows.
    below : str
        HTML that is shown below the image.
    rows : iterable of str
        The numbers of the figure in words. They are listed below the image in a part that can be
        unfolded, and the description then refers to them.

    Examples
    --------
    >>> figure, axes = new_figure()
    >>> title_figure(figure, "Waits grow with the load")
    >>> Picture(figure).alt
    'Waits grow with the load'
    """

    def __init__(
        self, figure: Figure, alt: str | None = None, below: str = "", rows: Iterable[str] = ()
    ) -> None:
        instance_of("figure", figure, Figure, "what a function of coalloc_lib.plots returns")
        title, rows = figure.get_suptitle().replace("\n", " "), [*rows]
        self.alt = ": ".join(filter(None, [title, "; ".join(rows)])) if alt is None else alt
        self.heard, self.below = self.alt, below
        if rows:
            self.heard = f"{title or 'Picture'}; its numbers are listed below"
            items = "".join(f"<li>{escape(row)}</li>" for row in rows)
            self.below = f"<details><summary>in numbers</summary><ul>{items}</ul></details>{below}"
        self.width = round(figure.get_figwidth() * PIXELS)
        self.kind, self.image = _image(figure)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        code = b64encode(self.image).decode("ascii")
        image = f'<img alt="{escape(self.heard)}" src="data:image/{self.kind};base64,{code}" '
        return {
            # The background is white on dark pages too, because the axes are black.
            "text/html": f'{image}width="{self.width}" '
            f'style="max-width: 100%; background: white">{self.below}',
            "text/plain": self.heard,
        }


def _image(figure: Figure) -> tuple[str, bytes]:
    """Return a figure as an image: its type, ``svg+xml`` or ``png``, and its bytes."""
    svg = to_svg(figure).encode()
    if len(svg) <= LARGEST_SVG:
        return "svg+xml", svg
    return "png", _png(figure)


def _png(figure: Figure) -> bytes:
    """Return a figure as a PNG file with few colours, which is a third of the usual size."""
    drawn, file = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    # The palette has the most frequent colours, so that no pale area turns grey. The method of
    # maximal coverage adds rare colours, such as those at the edges of letters.
    counts: Any = image.getcolors(image.width * image.height)
    areas = [part for _, colour in sorted(counts, reverse=True)[:AREAS] for part in colour]
    rare: Any = image.quantize(EDGES, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(areas + rare[: 3 * EDGES])
    few = image.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return file.getvalue()
