"""Figures as crisp images with a text alternative, which leave nothing behind in matplotlib."""

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import Any

from matplotlib.figure import Figure
from PIL import Image

from coalloc_lib.checks import instance_of
from coalloc_lib.plots.style import to_svg

#: Bytes up to which a picture is drawn by its reader; a larger one is an image.
LARGEST_SVG = 47_000
#: Dots per inch of an image: twice those that most screens show.
DPI = 168
#: Colours of an image: those of its areas as they are, and some for the edges of what is drawn.
AREAS, EDGES = 80, 48
#: Inches of a figure become so many pixels on the page.
PIXELS = 100


class Picture:
    """A figure as an image with a text alternative.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    alt : str, optional
        What it shows, in words; its title where it is not given.
    caption : str, optional
        A sentence to show above it.
    below : str, optional
        HTML to show below it.
    """

    def __init__(
        self, figure: Figure, alt: str | None = None, caption: str = "", below: str = ""
    ) -> None:
        instance_of("figure", figure, Figure, "what a function of coalloc_lib.plots returns")
        self.alt = figure.get_suptitle().replace("\n", " ") if alt is None else alt
        self.caption, self.below = caption, below
        self.width = round(figure.get_figwidth() * PIXELS)
        self.kind, self.image = _image(figure)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        code = b64encode(self.image).decode("ascii")
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        image = f'<img alt="{escape(self.alt)}" src="data:image/{self.kind};base64,{code}" '
        return {
            # White, since the axes are black, also where the page is dark.
            "text/html": f'{caption}{image}width="{self.width}" '
            f'style="max-width: 100%; background: white">{self.below}',
            "text/plain": f"{self.caption} {self.alt}".strip(),
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
    found: Any = image.getcolors(image.width * image.height)  # none are left out
    areas = [part for _, colour in sorted(found, reverse=True)[:AREAS] for part in colour]
    rare: Any = image.quantize(EDGES, Image.Quantize.MAXCOVERAGE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette(areas + rare[: 3 * EDGES])
    few = image.quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return "png", file.getvalue()
