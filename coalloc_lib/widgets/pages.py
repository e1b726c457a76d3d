"""HTML pages in which players and calendars work without a kernel and without a network.

Tools that turn notebooks into HTML pages load scripts for widgets from a network, or show no
widgets at all. Therefore the output of a player or a calendar is a still picture inside an HTML
element, called its box. The functions of this module write the state of the widget into the box,
and add a script that replaces the picture with the working widget. Widgets that need Python keep
their still picture.
"""

import copy
import json
import re
from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

from coalloc_lib.widgets.controls import BROWSER, HINT, PLAY_HINT

#: For each widget class that also works on a web page without Python: the names of its browser
#: scripts, and the names of its style sheets.
ALONE = {
    "Player": (("basics", "film", "scene", "strip", "controls", "player"), ("player",)),
    "ReservationCalendar": (("basics", "bands", "form", "calendar"), ("player", "calendar")),
}
_BOX = re.compile(r'(?P<start><div data-coalloc="\w+" data-model="(?P<model>\w+)">)')
_VIEW = "application/vnd.jupyter.widget-view+json"
_STATE = "application/vnd.jupyter.widget-state+json"
#: The text that replaces the hint to run a cell, because a web page has no cells to run.
ELSEWHERE = "<p><i>Open the notebook in JupyterLab to use the controls.</i></p>"
#: The names of the widget attributes that the browser script of a widget needs.
_SENT = ("data", "now")


def module(name: str) -> str:
    """Join the browser scripts of a widget into one ES module, and return it as a string.

    In `ALONE` a script comes after the scripts that it imports.
    """
    joined = "\n".join(_text(f"{part}.js") for part in ALONE[name][0])
    joined = re.sub(r"^import .*\n", "", joined, flags=re.MULTILINE)
    return re.sub(r"^export (?!default)", "", joined, flags=re.MULTILINE)


def style(*names: str) -> str:
    """Return the style sheets of the named widgets as one string, without duplicates."""
    return "".join(map(sheet, dict.fromkeys(part for name in names for part in ALONE[name][1])))


def sheet(name: str) -> str:
    """Return the content of the style sheet with the given name."""
    return _text(f"{name}.css")


def script(*names: str) -> str:
    """Return a script that replaces still pictures on a web page with working widgets.

    The script needs no other file. It is not an ES module, because browsers do not load modules
    from a file on disk.
    """
    widgets = [
        f"{name}: (() => {{\n{module(name).replace('export default', 'return')}}})(),\n"
        for name in names
    ]
    return f"(() => {{\n{_text('standin.js')}showAll({{\n{''.join(widgets)}}});\n}})();\n"


def box(name: str, model: str, still: str) -> str:
    """Return an HTML element with a widget's still picture; `fill` adds the widget's state later.

    Parameters
    ----------
    name : str
        The class name of the widget.
    model : str
        The identifier of the widget's model, with which `fill` finds the state of the widget.
    still : str
        The still picture as HTML.
    """
    return f'<div data-coalloc="{name}" data-model="{model}">{still}</div>'


def fill(page: str, states: Mapping[str, Mapping[str, Any]]) -> str:
    """Return an HTML page after adding the state of each widget to the element of the widget.

    Parameters
    ----------
    page : str
        The page as HTML.
    states : dict of str to dict
        The state of each widget by the identifier of its model. Other boxes stay as they are.
    """

    def filled(match: re.Match[str]) -> str:
        state = states.get(match["model"])
        return match[0] if state is None else f"{match['start']}{_state_as_html(state)}"

    return _BOX.sub(filled, page)


def _state_as_html(state):
    data = json.dumps({key: state[key] for key in _SENT if key in state}, allow_nan=False)
    # Without this replacement, a "</script>" inside the data would end the script element.
    text = data.replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def player_page(title: str, state: Mapping[str, Any]) -> str:
    """Return an HTML page with a schedule player that works without Python.

    Parameters
    ----------
    title : str
        The title of the page.
    state : dict
        The attributes ``data`` and ``now`` of the `Player`.
    """
    texts = {
        "title": escape(title),
        "style": style("Player"),
        "script": script("Player"),
        "box": fill(box("Player", "0", ""), {"0": state}),
    }
    return Template(_text("page.html")).substitute(texts)


def without_kernel(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook whose widgets work in an HTML page without Python.

    The outputs of the copy contain the states of these widgets. The HTML page also needs `script`
    and `style`. All other widgets are replaced by their last pictures.

    Parameters
    ----------
    notebook : dict
        The content of the notebook file, read as JSON.
    """
    page = copy.deepcopy(dict(notebook))
    widgets = page["metadata"].pop("widgets", {}).get(_STATE, {}).get("state", {})
    states = {model: widget["state"] for model, widget in widgets.items()}
    for cell in page["cells"]:
        for output in cell.get("outputs", []):
            if output.get("data", {}).pop(_VIEW, None) is not None:
                html = "".join(output["data"].get("text/html", "")).replace(HINT, ELSEWHERE)
                html = html.replace(PLAY_HINT, "")  # A player plays on the page.
                output["data"]["text/html"] = fill(html, states)
    return page


def _text(name):
    return (BROWSER / name).read_text(encoding="utf-8")
