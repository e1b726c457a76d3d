"""Every explorer and player fits into the window of a small laptop, also with all controls."""

import re

import nbformat
import pytest

from coalloc_lib.widgets.controls import GONE
from tests.browser.test_controls import code_cells, needed_for
from tests.browser.test_lab import bring_into_view, running_all
from tests.notebooks.test_notebooks import NOTEBOOKS, SHRINK

#: The cells that show an explorer, a player, the calendar, or the form of notebook 07.
EXPLORER = re.compile(r"(\w+_explorer|\w+_search|reservation_calendar|OwnSystem|[\w.]*[Pp]layer)\(")
#: The cells that ask for a guess.
GUESS = re.compile(r"(?<!\w)guess\(")
#: The size of the window, and the largest height of an explorer or a player, in pixels. The menus
#: of JupyterLab take the rest of the window.
WINDOW, HIGHEST = (1366, 768), 640
#: This script chooses the first option of each guess that JupyterLab has drawn, so that the guess
#: shows its player or explorer.
CHOOSE = """() => document.querySelectorAll(".widget-radio-box").forEach((box) => {
  if (!box.querySelector("input:checked")) box.querySelector("input").click();
})"""
#: This script opens the controls behind *more* of each explorer that JupyterLab has drawn.
OPEN = """() => document.querySelectorAll(".coalloc-fold > button").forEach((button) => {
  const isClosed = !button.classList.contains("mod-active");
  if (isClosed && button.innerText.trim() === "more") button.click();
})"""
#: This script returns the heights of the widgets in each cell that JupyterLab has drawn, with the
#: source of the cell. The height of a guess includes its question, its options and what it shows. A
#: guess has its question in place of the source, which may be hidden.
HEIGHTS = """() => [...document.querySelectorAll(".jp-CodeCell")].flatMap((cell) => {
  const source = cell.querySelector(".jp-InputArea-editor").innerText;
  const widgets = ".jupyter-widgets, .coalloc-calendar, .coalloc-player";
  const shows = `.jp-OutputArea-child:has(${widgets})`;
  const outputs = [...cell.querySelectorAll(shows)];
  return outputs.map((each) => {
    const guess = each.querySelector(".coalloc-whole:has(> .widget-radio)");
    const name = guess === null ? source : `guess: ${guess.querySelector("b").innerText}`;
    return [name, Math.round(each.getBoundingClientRect().height)];
  });
})"""

pytestmark = [pytest.mark.timeout(1200), pytest.mark.notebook]


def all_explorers():
    """Return a notebook with the explorers of all notebooks and the cells that they need."""
    cells = [nbformat.v4.new_code_cell(SHRINK)]
    for path in NOTEBOOKS:
        sources = ["".join(cell["source"]) for cell in code_cells(path)]
        is_wanted = [EXPLORER.search(source) or GUESS.search(source) for source in sources]
        wanted = [i for i, is_one in enumerate(is_wanted) if is_one]
        cells += map(nbformat.v4.new_code_cell, needed_for(sources, wanted))
    kernel = {"name": "python3", "display_name": "Python 3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The explorers of all notebooks in JupyterLab, after all cells have run."""
    folder = tmp_path_factory.mktemp("lab")
    with running_all(browser, folder, "explorers.ipynb", all_explorers(), *WINDOW) as page:
        yield page


def heights(page, *scripts):
    """Scroll from top to end; return the greatest height of each explorer by its name.

    Each of the scripts runs at every place, after the choices.
    """
    panel, found = page.locator(".jp-WindowedPanel-outer").first, {}
    panel.evaluate("panel => panel.scrollTo(0, 0)")
    for _ in range(200):
        for script in (CHOOSE, *scripts):
            page.evaluate(script)
        page.wait_for_timeout(500)
        for source, height in page.evaluate(HEIGHTS):
            if source == "guess: ":  # JupyterLab has not drawn this guess yet.
                continue
            match = EXPLORER.search(source)
            if source.startswith("guess: ") or match:
                name = source if match is None else match[1]
                found[name] = max(height, found.get(name, 0))
        at_end = "p => { const y = p.scrollTop; p.scrollBy(0, 600); return p.scrollTop === y; }"
        if panel.evaluate(at_end):
            return found
    pytest.fail("the notebook has no end")


@pytest.fixture(scope="module")
def at_rest(page):
    """The greatest height of each explorer and of each answered guess, without its folded parts."""
    return heights(page)


def test_no_explorer_is_higher_than_the_window(page, at_rest):
    assert page.all_cells_ran is True
    found = at_rest
    guesses = [name for name in found if name.startswith("guess: ")]
    assert len(guesses) >= 50
    assert len(found) - len(guesses) >= 10
    assert not {name: height for name, height in found.items() if height > HIGHEST}
    opened = heights(page, OPEN)
    assert opened["penalty_explorer"] > found["penalty_explorer"]
    assert not {name: height for name, height in opened.items() if height > HIGHEST}


def test_a_guess_shows_its_player_or_explorer(at_rest):
    of_widgets = "guess: All twelve jobs wait", "guess: Jobs 4 and 5 need two"
    shown = [height for name, height in at_rest.items() if name.startswith(of_widgets)]
    assert len(shown) == 2
    assert min(shown) > 450


def test_the_playground_fits_with_all_of_its_controls(page):
    playground = page.locator(".coalloc-playground")
    bring_into_view(page, playground)
    page.evaluate(OPEN)
    page.get_by_label("A: clusters").wait_for()
    assert playground.bounding_box()["height"] <= HIGHEST


def test_after_a_restart_the_controls_give_way_to_a_line(page):
    """Restart the kernel without running cells, and look at the last explorer."""
    heights(page)
    box = page.locator(".coalloc-whole").last
    line = box.locator(".coalloc-gone").first
    controls = box.locator(".coalloc-needs-python").first
    assert (line.is_visible(), controls.is_visible()) == (False, True)
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    line.wait_for(state="visible")
    assert line.inner_text().strip() == GONE
    assert not controls.is_visible()
