"""A notebook in JupyterLab: its cells run, and a slider that is moved by keyboard redraws."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from tests.conftest import ROOT

TOKEN = "workbench"
NOTEBOOK = "01_maximal_utilization.ipynb"
#: The test runs those cells of the notebook that contain one of these texts. The tests in
#: tests/notebooks run the whole notebook.
DRIVEN = ("import coalloc_lib as co", "from coalloc_lib import widgets", "loss_explorer()", r"\sum")
#: A run of these cells, in milliseconds.
RUN = 120_000

#: The first test starts JupyterLab and runs the notebook.
pytestmark = [pytest.mark.timeout(1200), pytest.mark.notebook]


def environment_of(folder):
    """Return environment variables with which Jupyter keeps all of its files in one folder."""
    jupyter = [f"JUPYTER_{kind}_DIR" for kind in ("CONFIG", "DATA", "RUNTIME")]
    laboratory = [f"JUPYTERLAB_{kind}_DIR" for kind in ("SETTINGS", "WORKSPACES")]
    return os.environ | {p: str(folder / p) for p in [*jupyter, *laboratory, "IPYTHONDIR"]}


def command_of(port, root):
    options = {
        "ip": "127.0.0.1", "port": port, "ServerApp.port_retries": 0, "ServerApp.root_dir": root,
        "IdentityProvider.token": TOKEN, "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }  # fmt: skip
    given = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", *given]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(url, server, seconds=60):
    for _ in range(seconds * 5):
        assert server.poll() is None, "JupyterLab did not start"
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not answer in {seconds} s")


@contextmanager
def serving(command, url, own, cwd=None):
    """Run a Jupyter server for a ``with`` block, which begins when the server answers."""
    with (own / "server.log").open("wb") as log:
        how = {"env": environment_of(own), "cwd": cwd, "stdout": log, "stderr": log}
        server = subprocess.Popen(command, **how)
        try:
            wait_for(url, server)
            yield
        finally:
            server.terminate()
            server.wait(30)


@contextmanager
def running(browser, folder, name, driven, before=()):
    """Run the cells of a notebook that contain one of some texts in JupyterLab; yield the page.

    `before` are lines of Python that the first cell begins with.
    """
    notebook = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
    cells = [c for c in notebook["cells"] if any(each in "".join(c["source"]) for each in driven)]
    cells[0]["source"] = [*before, *cells[0]["source"]]
    with running_all(browser, folder, name, notebook | {"cells": cells}) as page:
        yield page


@contextmanager
def running_all(browser, folder, name, notebook, width=1400, height=1000):
    """Run all cells of a notebook in a JupyterLab window of the given size; yield the page."""
    root, own, port = folder / "root", folder / "own", free_port()
    root.mkdir()
    own.mkdir()
    for package in ("lessons", "own_system", "studies"):
        (root / package).symlink_to(ROOT / "notebooks" / package)
    (root / name).write_text(json.dumps(notebook), encoding="utf-8")
    with serving(command_of(port, root), f"http://127.0.0.1:{port}/api?token={TOKEN}", own):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"http://127.0.0.1:{port}/lab/tree/{name}?reset&token={TOKEN}")
        page.wait_for_function("() => window.jupyterapp !== undefined", timeout=60_000)
        page.evaluate("() => window.jupyterapp.restored.then(() => true)")
        page.wait_for_selector("#jp-main-statusbar >> text=Idle", timeout=60_000)
        page.set_default_timeout(RUN)
        run = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
        page.all_cells_ran = page.evaluate(run)
        page.set_default_timeout(30_000)
        yield page
        page.close()


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The notebook in the browser, after all of its cells have run."""
    with running(browser, tmp_path_factory.mktemp("lab"), NOTEBOOK, DRIVEN) as page:
        yield page


def explorer_with(page, label):
    """Scroll to the slider with the given label, and return its explorer and the slider."""
    slider = page.locator(f".widget-inline-hbox:has(> .widget-label:text-is('{label}'))")
    slider = slider.locator("[role=slider]").first
    bring_into_view(page, slider)
    box = page.locator(".widget-vbox", has=page.locator(".coalloc-view")).filter(has=slider)
    return box.first, slider


def bring_into_view(page, wanted):
    """Scroll until an element is drawn; JupyterLab draws only the cells near the window."""
    cells = page.locator(".jp-WindowedPanel-outer").first
    cells.evaluate("panel => panel.scrollTo(0, 0)")
    for _ in range(200):
        if wanted.count():
            wanted.scroll_into_view_if_needed()
            return
        cells.evaluate("panel => panel.scrollBy(0, 500)")
        page.wait_for_timeout(100)
    pytest.fail("the slider is not in the notebook")


def words(box):
    """Return the text of a picture with the description of its image."""
    return box.locator(".coalloc-view").first.inner_text() + shown(box).get_attribute("alt")


def shown(box):
    return box.locator(".coalloc-view img").first


def wait_until(page, condition, seconds=20):
    for _ in range(seconds * 10):
        if condition():
            return True
        page.wait_for_timeout(100)
    return False


def test_all_cells_run_without_a_word_on_stderr(page):
    assert page.all_cells_ran is True
    # JupyterLab draws only the cells near the window, so the outputs are read from the notebook
    # model.
    model = "window.jupyterapp.shell.currentWidget.content.model.toJSON()"
    outputs = [o for cell in page.evaluate(model)["cells"] for o in cell.get("outputs", [])]
    assert len(outputs) >= 3
    assert not [o for o in outputs if o.get("name") == "stderr" or o["output_type"] == "error"]
    assert page.locator(".jp-OutputArea-output img:not([alt])").count() == 0


def test_the_formulas_are_set(page):
    bring_into_view(page, page.locator("h3", has_text="Equal service times"))
    assert wait_until(page, lambda: page.locator("mjx-container[display=true]").count() >= 3)
    assert page.locator("mjx-merror").count() == 0


def test_a_slider_moved_by_keyboard_changes_the_picture_and_its_entry_brings_it_back(page):
    box, slider = explorer_with(page, "largest size")
    first = words(box)
    slider.press("ArrowRight")
    assert wait_until(page, lambda: words(box) != first and not box.get_by_role("status").count())
    box.get_by_role("spinbutton", name="largest size").fill("7")
    page.keyboard.press("Enter")
    assert wait_until(page, lambda: words(box) == first)  # beside the ghost of what was before
    assert slider.get_attribute("aria-valuenow").startswith("7")
