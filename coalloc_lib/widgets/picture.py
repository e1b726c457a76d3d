"""Figures as images with a text alternative, which leave nothing behind in matplotlib's state."""

from base64 import b64encode
from html import escape
from io import BytesIO

from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from PIL import Image

from coalloc_lib.checks import instance_of

#: Bars of a group of axes that a picture's text alternative tells of.
MOST_BARS = 30


class Picture:
    """A figure as a PNG image with a text alternative.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    alt : str, optional
        What it shows, in words; its title and the heights of its bars where it is not given.
    caption : str, optional
        A sentence to show above it.
    """

    def __init__(self, figure: Figure, alt: str | None = None, caption: str = "") -> None:
        instance_of("figure", figure, Figure, "what a function of coalloc_lib.plots returns")
        buffer = BytesIO()
        figure.savefig(buffer, dpi=84)
        self.alt = describe(figure) if alt is None else alt
        self.caption = caption
        self.png = _fewer_colours(buffer)

    def _repr_mimebundle_(self, include=None, exclude=None):
        code = b64encode(self.png).decode("ascii")
        caption = f"<p>{escape(self.caption)}</p>" if self.caption else ""
        image = f'<img alt="{escape(self.alt)}" src="data:image/png;base64,{code}" '
        return {
            "text/html": f'{caption}{image}style="max-width: 100%">',
            "image/png": code,
            "text/plain": f"{self.caption} {self.alt}".strip(),
        }


def _fewer_colours(buffer):
    """Return the image with a palette of 36 colours: a drawing needs no more, and files shrink."""
    small = BytesIO()
    image = Image.open(buffer).convert("RGB")
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    image.quantize(36, method, kmeans=1, dither=dither).save(small, "png", optimize=True)
    return small.getvalue()


def describe(figure: Figure) -> str:
    """Return a figure's title, and the heights of its bars unless they are many."""
    instance_of("figure", figure, Figure, "what a function of coalloc_lib.plots returns")
    parts = [figure.get_suptitle()]
    for axes in figure.axes:
        names = [label.get_text().replace("\n", " ") for label in axes.get_xticklabels()]
        groups = [
            g for g in axes.containers if isinstance(g, BarContainer) and len(g) == len(names)
        ]
        if sum(map(len, groups)) > MOST_BARS:
            continue
        for group in groups:
            bars = zip(names, group, strict=True)
            heights = ", ".join(f"{name} {bar.get_height():.3f}" for name, bar in bars)
            parts.append(f"{group.get_label()}: {heights}")
    return "; ".join(parts)
