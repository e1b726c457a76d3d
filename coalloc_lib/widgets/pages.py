"""Pages without a kernel: a player alone, and notebooks whose players play.

Tools that make pages of notebooks show widgets by scripts from a network, or not at all. So the
still picture of a widget that needs no Python stands in a box; here the box gets the state that the
notebook keeps, and one script brings all boxes of a page to life. Other controls leave a picture.
"""

import copy
import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from coalloc_lib.widgets.controls import HINT

#: Names of the widgets that show themselves without Python, and the scripts and styles of each.
ALONE = {
    "Player": (("basics", "film", "scene", "strip", "controls", "player"), ("player",)),
    "ReservationCalendar": (("basics", "bands", "form", "calendar"), ("player", "calendar")),
}
_FOLDER = Path(__file__).parent / "browser"
_BOX = re.compile(r'(?P<start><div data-coalloc="\w+" data-model="(?P<model>\w+)">)')
_VIEW = "application/vnd.jupyter.widget-view+json"
_STATE = "application/vnd.jupyter.widget-state+json"
#: What stands in a page where a notebook says that its cell is to be run.
ELSEWHERE = "<p><i>In JupyterLab controls move it.</i></p>"
#: What a box needs of a widget's state.
_SENT = ("data", "now")


def module(name: str) -> str:
    """Return the scripts of a widget as one ES module; each imports from those before it."""
    whole = "\n".join(_text(f"{part}.js") for part in ALONE[name][0])
    whole = re.sub(r"^import .*\n", "", whole, flags=re.MULTILINE)
    return re.sub(r"^export (?!default)", "", whole, flags=re.MULTILINE)


def style(*names: str) -> str:
    """Return the style sheets of widgets as one."""
    return "".join(map(sheet, dict.fromkeys(one for name in names for one in ALONE[name][1])))


def sheet(name: str) -> str:
    """Return one style sheet."""
    return _text(f"{name}.css")


def script(*names: str) -> str:
    """Return a script that shows widgets of these names in every box of a page; it loads nothing.

    It is no module: browsers load none from a file on disk.
    """
    shown = [
        f"{name}: (() => {{\n{module(name).replace('export default', 'return')}}})(),\n"
        for name in names
    ]
    return f"(() => {{\n{_text('standin.js')}showAll({{\n{''.join(shown)}}});\n}})();\n"


def box(name: str, model: str, still: str) -> str:
    """Return the HTML of a box for the widget of a model; it holds a still picture so far."""
    return f'<div data-coalloc="{name}" data-model="{model}">{still}</div>'


def fill(page: str, states: Mapping[str, Mapping[str, Any]]) -> str:
    """Return HTML with the state of each model in its box, for `script` to read."""

    def filled(found: re.Match[str]) -> str:
        state = states.get(found["model"])
        return found[0] if state is None else f"{found['start']}{_told(state)}"

    return _BOX.sub(filled, page)


def _told(state):
    """Return what a script needs of a widget's state, as HTML."""
    data = json.dumps({key: state[key] for key in _SENT if key in state}, allow_nan=False)
    # A text that says </script> would end the script that it stands in.
    text = data.replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def player_page(title: str, state: Mapping[str, Any]) -> str:
    """Return a page that plays a player's state, as HTML."""
    texts = {
        "title": escape(title),
        "style": style("Player"),
        "script": script("Player"),
        "box": fill(box("Player", "0", ""), {"0": state}),
    }
    return Template(_text("page.html")).substitute(texts)


def without_kernel(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notebook, as JSON has it, for pages where no kernel runs.

    Boxes in its outputs get the states that the notebook keeps, and `script` and `style` show them
    in a page; of other controls the last picture is left.
    """
    page = copy.deepcopy(dict(notebook))
    widgets = page["metadata"].pop("widgets", {}).get(_STATE, {}).get("state", {})
    states = {model: widget["state"] for model, widget in widgets.items()}
    for cell in page["cells"]:
        for output in cell.get("outputs", []):
            if output.get("data", {}).pop(_VIEW, None) is not None:
                html = "".join(output["data"].get("text/html", "")).replace(HINT, ELSEWHERE)
                output["data"]["text/html"] = fill(html, states)
    return page


def _text(name):
    return (_FOLDER / name).read_text(encoding="utf-8")
