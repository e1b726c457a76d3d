"""The playground as a page made by Voila: on a small screen, on a phone, and by keyboard."""

import json
import sys

import pytest

from tests.browser.test_heights import HIGHEST
from tests.browser.test_lab import free_port, serving, wait_until
from tests.conftest import ROOT

NOTEBOOK = "06_playground.ipynb"

pytestmark = [pytest.mark.timeout(600), pytest.mark.notebook]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve the cell of the playground from a temporary folder; return the server's address."""
    pytest.importorskip("voila")
    root, own, port = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("own"), free_port()
    notebook = json.loads((ROOT / "notebooks" / NOTEBOOK).read_text(encoding="utf-8"))
    cells = [each for each in notebook["cells"] if "_explorer(" in "".join(each["source"])]
    (root / NOTEBOOK).write_text(json.dumps(notebook | {"cells": cells}), encoding="utf-8")
    options = ["--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1", NOTEBOOK]
    command, home = [sys.executable, "-m", "voila", *options], f"http://127.0.0.1:{port}"
    with serving(command, f"{home}/voila/templates/lab/static/voila.js", own, cwd=root):
        yield home


def give(page, path):
    """Load a scenario file with the button "load scenario"."""
    with page.expect_file_chooser() as asked:
        page.get_by_role("button", name="load scenario").click()
    asked.value.set_files(path)


def test_it_fits_follows_the_keyboard_and_reads_what_it_saved(browser, address, tmp_path):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.set_default_timeout(60_000)
    page.goto(address)
    words, table = page.locator(".coalloc-words:has(> b)").last, page.locator(".coalloc-sizes")
    table.wait_for()
    for width in (390, 1366):
        page.set_viewport_size({"width": width, "height": 768})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert table.bounding_box()["width"] <= width - 20
    assert page.locator(".coalloc-player, .cp-band").count() > 0
    page.get_by_role("button", name="more").click()
    page.get_by_role("textbox", name="A: clusters").wait_for()
    assert page.locator(".coalloc-whole").bounding_box()["height"] <= HIGHEST
    page.get_by_role("button", name="more").click()
    before = words.inner_text(), table.inner_text()
    slider = page.locator(".widget-inline-hbox:has(> .widget-label:text-is('load')) [role=slider]")
    for _ in range(3):
        slider.press("ArrowLeft")
    page.get_by_text("refining").wait_for()
    assert wait_until(page, lambda: not page.get_by_text("refining").count())
    assert table.inner_text() != before[1]
    assert words.inner_text() == before[0], "A and B are equal at every load."
    page.get_by_role("button", name="make files").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="scenario.json").click()
    path = tmp_path / "scenario.json"
    saved.value.save_as(path)
    values = json.loads(path.read_text())
    assert values["load"] == pytest.approx(0.67)
    policy = page.get_by_role("combobox", name="policy").last
    span = page.get_by_role("combobox", name="span").last
    assert "adaptive" not in span.inner_text()
    policy.select_option("EASY")
    assert wait_until(page, lambda: "adaptive" in span.inner_text())
    assert wait_until(page, lambda: words.inner_text() != before[0])
    path.write_text(json.dumps(values | {"load": 0.7, "B.policy": "FCFS"}))
    give(page, path)
    assert wait_until(page, lambda: (words.inner_text(), table.inner_text()) == before)
    path.write_text(json.dumps({"B.penalty": 7}))
    give(page, path)
    note = page.get_by_role("alert").filter(
        has_text="scenario.json: B.penalty = '7'; give a number"
    )
    note.wait_for()
    page.get_by_role("button", name="load scenario (0)").wait_for()
    page.close()
