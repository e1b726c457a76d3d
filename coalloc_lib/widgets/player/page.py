"""The player's module and style as texts, and a page that plays by itself."""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

PLAYER = Path(__file__).parent
#: Each imports from those before it.
_PARTS = ("basics", "film", "scene", "strip", "controls", "player")
#: What stands for the widget's model where there is no kernel to keep one.
_STAND_IN = """
const state = JSON.parse(document.getElementById("state").textContent);
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  on() {}, off() {}, save_changes() {},
};
render({ model, el: document.getElementById("player") });
"""


def module() -> str:
    """Return the player as one ES module: neither anywidget nor a saved page has a second one."""
    return joined([PLAYER / f"{part}.js" for part in _PARTS])


def joined(parts: Iterable[Path]) -> str:
    """Return one ES module of several files, each of which imports from those before it."""
    texts = [part.read_text(encoding="utf-8") for part in parts]
    whole = "\n".join(re.sub(r"^import .*\n", "", text, flags=re.MULTILINE) for text in texts)
    return re.sub(r"^export (?!default)", "", whole, flags=re.MULTILINE)


def style() -> str:
    """Return the style sheet."""
    return (PLAYER / "player.css").read_text(encoding="utf-8")


def page_of(title: str, state: Mapping[str, Any]) -> str:
    """Return a page that plays this state of the widget, as HTML. It loads nothing."""
    # A text that says </script> would end the script that it stands in.
    data = json.dumps(state, allow_nan=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
body {{ margin: 0; padding: 8px; }}
{style()}</style>
</head>
<body>
<div id="player"></div>
<script type="application/json" id="state">{data}</script>
<script type="module">
{module()}{_STAND_IN}</script>
</body>
</html>
"""
