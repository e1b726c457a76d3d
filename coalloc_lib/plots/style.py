"""The paper on which all pictures are drawn: sizes, type, titles, names; and figures as images."""

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
#: What a paper prints: always an open diamond, and what a subtitle says of it.
PRINTED: dict[str, Any] = {
    "marker": PRINT.marker, "color": PRINT.colour, "markerfacecolor": "white", "markersize": 6,
    "linestyle": "none", "linewidth": 0.8, "markeredgewidth": 0.8,
}  # fmt: skip
DIAMONDS = "◇: printed"
#: What a drawing can do without: fonts after the first three, turns by nothing, indents, names of
#: groups, to which nothing refers, and lines.
SHORTER = (
    (re.compile('font-family: [^;"]*'), "font-family: 'DejaVu Sans', Verdana, sans-serif"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"\n +"), "\n"),
    (re.compile('<g id="[^"]*">'), "<g>"),
    (re.compile(r"(?<=>)\n(?=<)|(?<!\") ?\n(?=[LQCzM\"])"), ""),  # not within the document type
)
#: A tag, whose places need no more than a hundredth of a point; the numbers of texts stay whole.
TAG, FINE = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")
#: Width of all pictures, in inches.
WIDTH = 8.2
#: Height of a line of the title and of the subtitle, in inches; letters that fit beside each other.
TITLE, SUBTITLE = 0.22, 0.18
LETTERS, SMALL_LETTERS = 96, 118
#: Marks of an axis of factors around 1, and those for which there is room under a narrow panel.
FACTORS = (0.25, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4)
FEW, NEAR = (0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4), (0.8, 1, 1.25)
#: Bytes up to which a picture is drawn by its reader; a larger one is an image.
LARGEST_SVG = 47_000
#: Dots per inch of an image: nearly twice those of the page.
DPI = 190
#: Colours of an image: those of its areas as they are, and some for the edges of what is drawn.
AREAS, EDGES = 80, 48
#: Inches of a figure become so many pixels on the page: all are as wide as the text of a notebook,
#: 935, and type of 7 points has 11.
PIXELS = 114


def new_figure(
    height: float = 3.2, rows: int = 1, columns: int = 1, *, width: float = WIDTH, **sharing: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes, in the house style, sizes in inches."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(rows, columns, **sharing)


def title_figure(figure: Figure, title: str, *subtitle: str) -> None:
    """Write what to notice over the figure, and under it what is plotted; make room for both."""
    width = figure.get_figwidth() / WIDTH
    titles = wrap(title, int(LETTERS * width))
    subtitles = wrap("; ".join(filter(None, subtitle)), int(SMALL_LETTERS * width))
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
    axes: Axes, ends: Iterable[tuple[float, float, str, str]], left: bool = False
) -> None:
    """Write names beside the ends of lines, (x, y, name, colour) each, once limits are set."""
    ends = sorted(ends, key=lambda end: end[1])
    # In parts of the axis, whatever its scale.
    scale = axes.transScale + axes.transLimits
    heights = np.array([scale.transform((x, y))[1] for x, y, *_ in ends])
    least = 0.13 / (axes.get_figure().get_figheight() * axes.get_position().height)
    for _ in range(50):  # push neighbours apart, each half of the way
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
    """Write on the right of a panel what its signs stand for."""
    entries = [
        Line2D([], [], color=look[name].colour, marker=look[name].marker, markersize=4, label=name,
               linestyle="--" if name in dashed else "-")
        for name in names
    ]  # fmt: skip
    place = {"loc": "upper left", "bbox_to_anchor": (1.03, 1.0), "frameon": False}
    axes.legend(handles=entries, fontsize=8, **place)


def mark_powers(axis: Axis) -> None:
    """Mark a logarithmic axis by round numbers, more of them where its ends are near."""
    low, high = sorted(axis.get_view_interval())
    subs = (1.0, 2.0, 5.0) if high / low < 60 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(lambda at, _: f"{at:g}")
    axis.set_minor_formatter(NullFormatter())


def mark_factors(axis: Axis, few: bool = False) -> None:
    """Mark a logarithmic axis of factors around 1; one that reaches far by powers of ten."""
    low, high = sorted(axis.get_view_interval())
    mark_powers(axis)
    if high / low <= 1.01 * FACTORS[-1] / FACTORS[0]:
        known = [[at for at in marks if low <= at <= high] for marks in (FEW, NEAR, FACTORS)]
        ticks = next((ticks for ticks in known if few and len(ticks) > 2), known[-1])
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)


def to_svg(figure: Figure) -> str:
    """Return a figure as SVG with texts as text, in DejaVu Sans or a font as wide."""
    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "coalloc"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    drawing = file.getvalue()
    for words, shorter in SHORTER:
        drawing = words.sub(shorter, drawing)
    return TAG.sub(lambda tag: FINE.sub(lambda place: f"{float(place[0]):.2f}", tag[0]), drawing)


class Picture:
    """A figure as an image, and HTML `below`; its `rows`, the numbers in words, fold beneath it.

    `alt` is the picture in words, by default its title and the rows; where there are rows, plain
    text and readers of the page get the title, and where the numbers are.
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
            # White, since the axes are black, also where the page is dark.
            "text/html": f'{image}width="{self.width}" '
            f'style="max-width: 100%; background: white">{self.below}',
            "text/plain": self.heard,
        }


def _image(figure: Figure) -> tuple[str, bytes]:
    """Return the kind of image and its bytes."""
    svg = to_svg(figure).encode()
    if len(svg) <= LARGEST_SVG:
        return "svg+xml", svg
    drawn, file = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    # What we draw has few colours: a palette makes it a third of the size. It has the commonest, so
    # that no pale area turns grey; maximal coverage adds rare ones, such as those of letters.
    counts: Any = image.getcolors(image.width * image.height)  # none are left out
    areas = [part for _, colour in sorted(counts, reverse=True)[:AREAS] for part in colour]
    rare: Any = image.quantize(EDGES, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(areas + rare[: 3 * EDGES])
    few = image.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return "png", file.getvalue()
