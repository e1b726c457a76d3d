"""Notebooks on pages without a kernel: players keep their states."""

import copy
import json
import re

import pytest

import coalloc_lib as co
from coalloc_lib.widgets import loss_explorer, pages, reservation_calendar
from tests.conftest import ROOT
from tests.widgets.test_player import small

STATE = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)


def notebook_of(*widgets):
    """Return a notebook that shows widgets, with their states as Jupyter stores them."""
    states = {w.model_id: {"state": w.get_state(), "model_name": "AnyModel"} for w in widgets}
    outputs = [w._repr_mimebundle_() for w in widgets]
    data = [each[0] if isinstance(each, tuple) else each for each in outputs]
    cells = [{"cell_type": "markdown", "source": "words"}]
    cells += [
        {"cell_type": "code", "outputs": [{"output_type": "execute_result", "data": each}]}
        for each in data
    ]
    return {"metadata": {"widgets": {pages._STATE: {"state": states}}}, "cells": cells}


def test_a_players_box_gets_the_state_that_the_notebook_keeps():
    player, calendar = co.Player({"</script>": small()}), reservation_calendar(requests=3)
    notebook = notebook_of(player, calendar)
    before = copy.deepcopy(notebook)
    page = pages.without_kernel(notebook)
    assert notebook == before
    assert "widgets" not in page["metadata"]
    shown = [cell["outputs"][0]["data"] for cell in page["cells"][1:]]
    assert all(pages._VIEW not in data for data in shown)
    (state,), (other,) = (STATE.findall(data["text/html"]) for data in shown)
    assert json.loads(state) == json.loads(json.dumps({"data": player.data, "now": player.now}))
    assert json.loads(other) == json.loads(json.dumps({"data": calendar.data}))
    assert "<img" in shown[0]["text/html"]  # for where no script runs
    hint = "Run this cell to play the schedules."
    assert hint in notebook["cells"][1]["outputs"][0]["data"]["text/html"]
    assert hint not in shown[0]["text/html"]


def test_an_explorer_leaves_its_last_picture():
    explorer = loss_explorer()
    page = pages.without_kernel(notebook_of(explorer))
    html = page["cells"][1]["outputs"][0]["data"]["text/html"]
    kept = explorer._repr_mimebundle_()["text/html"]
    assert html == kept.replace(
        "Run this cell to move the controls", "Open the notebook in JupyterLab to use the controls"
    )
    assert html != kept
    assert "<img" in html


def test_each_player_of_the_tour_is_in_a_box_and_its_guess_is_folded():
    notebook = json.loads((ROOT / "notebooks" / "00_tour.ipynb").read_text("utf-8"))
    page = pages.without_kernel(notebook)
    outputs = [output for cell in page["cells"] for output in cell.get("outputs", [])]
    html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    assert len(STATE.findall(html)) == html.count('data-coalloc="Player"') == 6
    assert re.search(r"<details><summary>What came out</summary><p>[^<]+</p></details>", html)


@pytest.mark.parametrize("name", pages.ALONE)
def test_a_script_is_whole_and_no_module(name):
    text = pages.script(*pages.ALONE)
    assert not re.search(r"^\s*(?:import|export) ", text, re.MULTILINE)
    assert f"{name}: (() => {{" in text
