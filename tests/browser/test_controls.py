"""Every control of every notebook is wide enough to be used in a window of usual size."""

import ast
import json

import pytest

from tests.browser.test_lab import running
from tests.notebooks.test_notebooks import NOTEBOOKS, SHRINK, WIDGET

#: The smallest width and height of each kind of control, in pixels.
LEAST = {"slider": (80, 2), "select": (40, 20), "entry": (40, 20), "button": (24, 20)}
#: Radio buttons and checkboxes may be smaller, because their labels can be clicked, too.
LEAST |= {"radio": (12, 12), "checkbox": (12, 12)}
#: This script measures the controls that JupyterLab has drawn so far. For a slider, it measures the
#: bar along which the handle moves.
MEASURE = """() => {
  const kinds = {".noUi-target": "slider", "select": "select", "button": "button",
    "input[type=range]": "slider", "input[type=radio]": "radio",
    "input[type=checkbox]": "checkbox", "input[type=text], input[type=number]": "entry"};
  const found = [];
  for (const area of document.querySelectorAll(".jp-OutputArea")) {
    for (const [selector, kind] of Object.entries(kinds)) {
      for (const control of area.querySelectorAll(`.jupyter-widgets ${selector}`)) {
        const box = control.getBoundingClientRect();
        if (!control.checkVisibility() || control.offsetParent === null) continue;
        const row = control.closest(".widget-inline-hbox, .jupyter-widgets");
        const label = control.getAttribute("aria-label") || control.title || row?.innerText || "";
        const over = Math.round(box.right - area.getBoundingClientRect().right);
        found.push([kind, label.slice(0, 60), Math.round(box.width), Math.round(box.height), over]);
      }
    }
  }
  return found;
}"""

pytestmark = [pytest.mark.timeout(1200), pytest.mark.notebook]


def names_of(source):
    """Return the names of variables that a cell reads, and the names that it sets."""
    read, written = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else written).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            written.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            written |= {alias.asname or alias.name for alias in node.names}
    return read, written


def has_controls(cell):
    """Whether a cell shows widgets other than a guess; all guesses look alike."""
    shows = any(WIDGET in output.get("data", {}) for output in cell["outputs"])
    return shows and "guess(" not in "".join(cell["source"])


def sources_with_controls(path):
    """Return the cells with controls, the first guess, and the cells on which these depend."""
    cells = code_cells(path)
    sources = ["".join(cell["source"]) for cell in cells]
    wanted = {i for i, cell in enumerate(cells) if has_controls(cell)}
    wanted |= set([i for i, source in enumerate(sources) if "\nguess(" in source][:1])
    return needed_for(sources, wanted)


def code_cells(path):
    """Return the code cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def needed_for(sources, wanted):
    """Return the wanted sources, given by their places, and those on which they depend."""
    wanted, needed = set(wanted), set()
    for i in reversed(range(len(sources))):
        read, written = names_of(sources[i])
        if i in wanted or written & needed:
            wanted.add(i)
            needed = (needed - written) | read
    return [sources[i] for i in sorted(wanted)]


def measured(page):
    """Scroll a notebook from top to end, and return the measured size of each control."""
    panel, found = page.locator(".jp-WindowedPanel-outer").first, set()
    panel.evaluate("panel => panel.scrollTo(0, 0)")
    for _ in range(200):
        page.wait_for_timeout(300)
        found |= {tuple(each) for each in page.evaluate(MEASURE)}
        at_end = "p => { const y = p.scrollTop; p.scrollBy(0, 600); return p.scrollTop === y; }"
        if panel.evaluate(at_end):
            return found
    pytest.fail("the notebook has no end")


#: `make test-notebooks` measures the controls of these notebooks, and `make test-long` those of the
#: others.
QUICK = ("04", "06", "07")


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[] if path.stem[:2] in QUICK else pytest.mark.long, id=path.stem)
     for path in NOTEBOOKS],
)  # fmt: skip
def test_every_control_is_wide_enough_to_be_used(browser, tmp_path, path):
    sources = sources_with_controls(path)
    before = SHRINK.splitlines(keepends=True)
    with running(browser, tmp_path, path.name, sources, before=before) as page:
        assert page.all_cells_ran is True
        found = measured(page)
    assert len(found) >= 2
    small = {each for each in found if each[2] < LEAST[each[0]][0] or each[3] < LEAST[each[0]][1]}
    assert not small, "kind, label, width, height, pixels beyond the cell"
    assert not {each for each in found if each[4] > 1}
