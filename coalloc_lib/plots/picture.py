"""Figures as images: the text of an SVG file, and pictures with a description for notebooks."""

import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from io import BytesIO, StringIO
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from coalloc_lib.basics.checks import instance_of

#: Regular expressions that find needless parts of an SVG file, with shorter replacements. They
#: match a long list of fonts, rotations by 0, indents, unused group names, and line breaks.
SHORTER = (
    (re.compile('font-family: [^;"]*'), "font-family: 'DejaVu Sans', Verdana, sans-serif"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"\n +"), "\n"),
    (re.compile('<g id="[^"]*">'), "<g>"),
    (re.compile(r"(?<=>)\n(?=<)|(?<!\") ?\n(?=[LQCzM\"])"), ""),  # not within the document type
)
#: Patterns of the tags of an SVG file, and of numbers with three or more decimals. Such numbers are
#: rounded to a hundredth of a point in tags, but not in the visible text.
TAG, FINE = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")
#: The size in bytes of an SVG file above which the figure is exported as a PNG image instead.
LARGEST_SVG = 47_000
#: Resolution of a PNG image in dots per inch, nearly twice the resolution of the web page.
DPI = 190
#: A PNG image has AREAS colours that are the most frequent ones, and EDGES further colours for the
#: edges of shapes.
AREAS, EDGES = 80, 48
#: An inch of a figure takes this number of pixels on a web page. A figure of the usual width is
#: then as wide as the text of a notebook (935 pixels), and letters of 7 points are 11 pixels high.
PIXELS = 114


def to_svg(figure: Figure) -> str:
    """Return a figure as an SVG string, in which letters are text and not paths."""
    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "coalloc"}):
        # `figure.savefig` would draw the figure twice, the first time for its layout only.
        canvas, dpi = figure.canvas, figure.dpi
        try:
            FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None})
        finally:
            figure.set_canvas(canvas)
            figure.dpi = dpi
    drawing = file.getvalue()
    for words, shorter in SHORTER:
        drawing = words.sub(shorter, drawing)
    return TAG.sub(lambda tag: FINE.sub(lambda place: f"{float(place[0]):.2f}", tag[0]), drawing)


class Picture:
    """A figure as an image for a notebook, with a description for readers who cannot see it.

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
    >>> from coalloc_lib import plots
    >>> figure, axes = plots.new_figure()
    >>> plots.title_figure(figure, "Waits grow with the load")
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
            # The axes are black, so the background is white even if the page is dark.
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
    """Return a figure as a PNG file with few colours, which has a third of the usual size."""
    drawn, file = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    # The palette has the most frequent colours, so that pale areas keep their colour. Pillow's
    # method of maximal coverage adds rare colours, such as those at the edges of letters.
    counts: Any = image.getcolors(image.width * image.height)
    areas = [part for _, colour in sorted(counts, reverse=True)[:AREAS] for part in colour]
    rare: Any = image.quantize(EDGES, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(areas + rare[: 3 * EDGES])
    few = image.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return file.getvalue()
