"""Widgets on pages without a kernel, and the site as files on disk without a network."""

import importlib.util
import subprocess
import sys

import pytest

import coalloc_lib as co
from coalloc_lib.widgets import pages, reservation_calendar
from tests.conftest import ROOT
from tests.widgets.test_player import small

BUILD = ROOT / "docs" / "site" / "build.py"
#: Pages of the site, each with an element that it must show.
SHOWN = {
    "index": "table",
    "notebooks/00_tour": ".coalloc-player .cp-buttons",
    "notebooks/05_online_vs_batch": ".coalloc-calendar .cp-band",
    "notebooks/01_maximal_utilization": "math",
    "api/simulation": "#coalloc_lib\\.simulate",
}


def test_in_a_page_players_play_and_the_calendar_books_nothing(show):
    widgets = [co.Player(small()), reservation_calendar(requests=5)]
    boxes = [pages.box(type(each).__name__, f"{i}", "") for i, each in enumerate(widgets)]
    states = {f"{i}": each.get_state() for i, each in enumerate(widgets)}
    names = [*pages.ALONE]
    page = show(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{pages.style(*names)}</style>'
        f"{pages.fill(''.join(boxes), states)}<script>{pages.script(*names)}</script>"
    )
    page.get_by_role("button", name="play").click()
    page.wait_for_function("Number(document.querySelector('[aria-label=time]').value) > 1.5")
    page.locator(".cc-bands .cp-band").first.wait_for()
    booked = page.locator("[data-booking]").count()
    assert booked > 0
    page.get_by_role("button", name="submit").click()
    page.get_by_text("Python books, and none runs behind this page").wait_for()
    assert page.locator("[data-booking]").count() == booked


def test_a_box_without_a_state_keeps_its_picture_and_other_boxes_play(show):
    boxes = [pages.box("Player", "0", "<i>still</i>"), pages.box("Player", "1", "")]
    page = show(
        f'<!doctype html><html lang="en"><meta charset="utf-8">'
        f"{pages.fill(''.join(boxes), {'1': co.Player(small()).get_state()})}"
        f"<script>{pages.script('Player')}</script>"
    )
    page.get_by_role("button", name="play").wait_for()
    assert page.get_by_role("button", name="play").count() == 1
    assert page.locator("[data-model='0']").inner_html() == "<i>still</i>"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    run = subprocess.run([sys.executable, BUILD, folder], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.notebook  # the site shows all notebooks
@pytest.mark.parametrize("width", [390, 1366])
@pytest.mark.parametrize("name", SHOWN)
def test_pages_of_the_site_show_all_from_a_disk(site, browser, name, width):
    troubles = []
    context = browser.new_context(offline=True, viewport={"width": width, "height": 768})
    page = context.new_page()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    page.goto((site / f"{name}.html").as_uri())
    page.locator(SHOWN[name]).first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    assert troubles == []


def test_what_a_page_would_load_from_elsewhere_stops_the_build(tmp_path):
    spec = importlib.util.spec_from_file_location("build_site", BUILD)
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    (tmp_path / "bad.html").write_text(
        '<script src="https://example.org/a.js"></script><img alt="x" src="gone.png">'
        '<a href="https://example.org">a link is none</a><img alt="y" src="data:image/png;base64,">'
    )
    assert build.check(tmp_path) == [
        "bad.html loads https://example.org/a.js",
        "bad.html loads gone.png",
    ]
