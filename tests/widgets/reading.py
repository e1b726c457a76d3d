"""Functions that read the controls, notes and pictures of an explorer in tests."""

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
    """Return the control with a label that a reader would type into or choose from."""
    return [w for w in all_widgets(box) if getattr(w, "description", None) == label][-1]


def words(box):
    """Return the description of a picture, with the numbers that are folded below it."""
    data = box.view.data
    rows = [html.unescape(row) for row in re.findall(r"<li>(.*?)</li>", data["text/html"])]
    said = data["text/plain"].removesuffix("; its numbers are listed below")
    assert (said != data["text/plain"]) == bool(rows)
    return ": ".join(filter(None, [said, "; ".join(rows)]))


def source(box):
    return re.search(r'src="([^"]+)"', box.view.value)[1]


def lettering(box):
    """Return the texts that are drawn inside a picture, in order."""
    svg = base64.b64decode(source(box).partition("base64,")[2]).decode()
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def notes(box, role="alert"):
    """Return the texts of the notes on errors below the controls, or of those with another role."""
    texts = [w.value for w in all_widgets(box) if isinstance(w, ipw.HTML) and "note" in w.value]
    return [re.sub("<[^>]+>", "", text) for text in texts if f'role="{role}"' in text]


def bars(title="t", **values):
    """Return a bar chart of values that are given by the names of their bars."""
    table = pd.DataFrame({"group": "one", "series": list(values), "loss": list(values.values())})
    return plots.bars(table, value="loss", group="group", series="series", title=title)
