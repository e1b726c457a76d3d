"""What the tests of widgets read of an explorer."""

import base64
import html
import re

import ipywidgets as ipw
import pandas as pd

from coalloc_lib import plots


def all_widgets(box):
    yield box
    for child in getattr(box, "children", ()):
        yield from all_widgets(child)


def control(box, label):
    """Return the control of this label that a reader would type into or choose from."""
    return [w for w in all_widgets(box) if getattr(w, "description", None) == label][-1]


def words(box):
    """Return what the picture says: its words, and the numbers that fold beneath it."""
    data = box.view.data
    rows = [html.unescape(row) for row in re.findall(r"<li>(.*?)</li>", data["text/html"])]
    said = data["text/plain"].removesuffix("; its numbers are listed below")
    assert (said != data["text/plain"]) == bool(rows)
    return ": ".join(filter(None, [said, "; ".join(rows)]))


def source(box):
    return re.search(r'src="([^"]+)"', box.view.value)[1]


def lettering(box):
    """Return the texts of the picture, in their order."""
    svg = base64.b64decode(source(box).partition("base64,")[2]).decode()
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def notes(box):
    """Return the texts beside the controls."""
    texts = [w.value for w in all_widgets(box) if isinstance(w, ipw.HTML) and "note" in w.value]
    return [re.sub("<[^>]+>", "", text) for text in texts if 'role="alert"' in text]


def bars(title="t", **values):
    """Return a picture of bars, by their names."""
    table = pd.DataFrame({"group": "one", "series": list(values), "loss": list(values.values())})
    return plots.bars(table, value="loss", group="group", series="series", title=title)
