"""A page that plays by itself: the module and the style of the widget, and its state as JSON."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

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


def page_of(title: str, state: Mapping[str, Any], module: Path, style: Path) -> str:
    """Return the page as HTML. It loads nothing."""
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
{style.read_text(encoding="utf-8")}</style>
</head>
<body>
<div id="player"></div>
<script type="application/json" id="state">{data}</script>
<script type="module">
{module.read_text(encoding="utf-8")}{_STAND_IN}</script>
</body>
</html>
"""
