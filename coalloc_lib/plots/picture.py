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

#: Regular expressions for the needless parts of an SVG file, with shorter replacements: a long list
#: of fonts, rotations by 0, indentation, unused group names, and line breaks.
SHORTER = (
    (re.compile('font-family: [^;"]*'), "font-family: 'DejaVu Sans', Verdana, sans-serif"),
    (re.compile(r' transform="rotate\(-0 [^)]*\)"'), ""),
    (re.compile(r"\n +"), "\n"),
    (re.compile('<g id="[^"]*">'), "<g>"),
    (re.compile(r"(?<=>)\n(?=<)|(?<!\") ?\n(?=[LQCzM\"])"), ""),  # not within the document type
)
#: Regular expressions for the tags of an SVG file, and for numbers with three or more decimals.
#: Inside tags, numbers with three or more decimals are rounded to a hundredth of a point.
TAG, FINE = re.compile("<[^>]*>"), re.compile(r"\d+\.\d{3,}")
#: The maximum size of an SVG file in bytes. A figure with a larger file is exported as PNG.
LARGEST_SVG = 46_600
#: The resolution of a PNG image in dots per inch, nearly twice the resolution of a web page.
DPI = 190
#: The palette of a PNG image has AREAS colours for areas, which are the most frequent colours of
#: the figure, and EDGES colours for the edges of shapes.
AREAS, EDGES = 80, 48
#: The number of pixels on a web page that correspond to an inch of a figure. With this number, a
#: figure of the usual width is as wide as the text of a notebook (935 pixels), and letters of 7
#: points are 11 pixels high.
PIXELS = 114
#: Matplotlib writes these entries into each image unless they are None.
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def to_svg(figure: Figure) -> str:
    """Return a figure as an SVG string in which letters are stored as text, not as paths."""
    file = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "coalloc"}):
        # `figure.savefig` would draw the figure twice, the first time only to compute the layout.
        canvas, dpi = figure.canvas, figure.dpi
        try:
            FigureCanvasSVG(figure).print_svg(file, metadata=NO_METADATA)
        finally:
            figure.set_canvas(canvas)
            figure.dpi = dpi
    drawing = file.getvalue()
    for words, shorter in SHORTER:
        drawing = words.sub(shorter, drawing)
    return TAG.sub(lambda tag: FINE.sub(lambda place: f"{float(place[0]):.2f}", tag[0]), drawing)


class Picture:
    """An image of a figure for a notebook, with a description for readers who cannot see it.

    Parameters
    ----------
    figure : Figure
        The figure.
    alt : str, optional
        The description of the image, by default the title of the figure and the rows.
    below : str
        HTML that is shown below the image.
    rows : iterable of str
        The numbers of the figure in words. They are listed below the image in a section that is
        collapsed at first. Without `alt`, the description of the image refers to this list.

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
            if alt is None:
                self.heard = f"{title or 'Picture'}; its numbers are listed below"
            items = "".join(f"<li>{escape(row)}</li>" for row in rows)
            self.below = f"<details><summary>in numbers</summary><ul>{items}</ul></details>{below}"
        self.width = round(figure.get_figwidth() * PIXELS)
        self.kind, self.image = _image(figure)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        code = b64encode(self.image).decode("ascii")
        image = f'<img alt="{escape(self.heard)}" src="data:image/{self.kind};base64,{code}" '
        return {
            # The axes are black, so the background of the image stays white even on a dark page.
            "text/html": f'{image}width="{self.width}" '
            f'style="max-width: 100%; background: white">{self.below}',
            "text/plain": self.heard,
        }


def _image(figure: Figure) -> tuple[str, bytes]:
    svg = to_svg(figure).encode()
    if len(svg) <= LARGEST_SVG:
        return "svg+xml", svg
    return "png", _png(figure)


def _png(figure: Figure) -> bytes:
    drawn, file = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    # The palette includes the most frequent colours, so that pale areas keep their colours.
    # Pillow's maximum coverage method adds rare colours, such as the colours at the edges of
    # letters.
    counts: Any = image.getcolors(image.width * image.height)
    areas = [part for _, colour in sorted(counts, reverse=True)[:AREAS] for part in colour]
    rare: Any = image.quantize(EDGES, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(areas + rare[: 3 * EDGES])
    few = image.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return file.getvalue()
