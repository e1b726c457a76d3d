"""Pictures describe a figure to readers who cannot see it."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.plots import Picture
from coalloc_lib.plots.picture import DPI
from tests.plots.test_bars import LOSSES
from tests.plots.test_bars import bars as bars_of
from tests.widgets.reading import bars


def test_a_given_description_is_used_also_beside_the_numbers():
    figure, _ = plots.new_figure()
    plots.title_figure(figure, "Waits")
    given = plots.Picture(figure, alt="a line that rises", rows=["0.2: 1"])
    shown = given._repr_mimebundle_()
    assert shown["text/plain"] == given.alt == "a line that rises"
    assert 'alt="a line that rises"' in shown["text/html"]
    assert "<li>0.2: 1</li>" in shown["text/html"]
    other = plots.Picture(figure, rows=["0.2: 1"])._repr_mimebundle_()
    assert other["text/plain"] == "Waits; its numbers are listed below"


def test_a_drawing_keeps_its_text_and_is_the_same_each_time():
    one, other = (plots.to_svg(bars_of(LOSSES, title="What is seen")) for _ in "12")
    assert one == other
    for words in ("What is seen</text>", "unordered 0.100 ± 0.010</text>", "Verdana"):
        assert words in one


def test_a_picture_is_a_drawing_with_its_words():
    figure = bars(a=0.25, b=0.5, title="<Title>")
    picture = Picture(figure, below="<p>below</p>")
    data = picture._repr_mimebundle_()
    assert data["text/plain"] == "<Title>"
    assert 'alt="&lt;Title&gt;"' in data["text/html"]
    assert data["text/html"].endswith("<p>below</p>")
    assert (picture.kind, picture.image[:5]) == ("svg+xml", b"<?xml")


def test_a_picture_with_much_in_it_is_an_image_at_twice_the_size(monkeypatch):
    monkeypatch.setattr("coalloc_lib.plots.picture.LARGEST_SVG", 1000)
    picture = Picture(bars(a=0.25))
    assert picture.kind == "png"
    assert picture.image.startswith(b"\x89PNG")
    wide = int.from_bytes(picture.image[16:20], "big")
    assert wide > 1.6 * picture.width


@pytest.mark.long
def test_an_image_has_a_palette_and_keeps_its_colours():
    cells = pd.DataFrame(
        [(p, i, j, 20 * i - 9 * j) for p in "ABCDEFGH" for i in range(6) for j in range(6)],
        columns=["panel", "row", "column", "change"],
    )  # so much that it is an image
    cells = cells.assign(ci95_low=-99, ci95_high=99)
    columns = {"x": "column", "y": "row", "value": "change", "panel": "panel"}
    figure = plots.maps(cells, **columns, values="change, %")
    image = Image.open(BytesIO(Picture(figure).image))
    assert image.mode == "P"
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    true = np.asarray(Image.open(drawn).convert("RGB"), dtype=int)
    apart = np.abs(np.asarray(image.convert("RGB"), dtype=int) - true).max(axis=2)
    assert apart.max() < 35
    _, kind, count = np.unique(true.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    assert apart.reshape(-1)[count[kind.reshape(-1)] > 300].max() < 8  # a pale area stays coloured


def test_a_picture_of_anything_else_is_refused_in_one_line():
    with pytest.raises(co.InputError, match="figure = None is not of type Figure; give "):
        Picture(None)
