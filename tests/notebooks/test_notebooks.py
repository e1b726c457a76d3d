"""Every notebook: what is kept of its last run, and a run of today, with the exercises solved."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Code blocks of the folded solutions.
SOLUTION = re.compile(r"<details>.*?```python\n(.*?)```.*?</details>", re.DOTALL)
#: Bytes of a notebook with its outputs.
LARGEST = 1_500_000
MOST_LINES = 15

#: A whole notebook is run, and its exercises; longer than any other test may take.
pytestmark = pytest.mark.timeout(1200)

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def load(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def troubles(notebook):
    """Return errors and what was written to stderr."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


def solutions(notebook):
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [block for text in texts for block in SOLUTION.findall(text)]


def test_there_are_notebooks():
    assert NOTEBOOKS


@each_notebook
def test_outputs_are_kept_and_free_of_trouble(path):
    notebook = load(path)
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "run it from top to bottom in a new kernel"
    assert not troubles(notebook)
    assert path.stat().st_size < LARGEST


@each_notebook
def test_no_path_of_a_machine_is_kept(path):
    assert not re.search(r"(?<![\w.:/<])/(?:work|home|root|tmp|usr|Users|opt)/", path.read_text())
    assert not re.search(r"[A-Z]:\\\\\w", path.read_text())


@each_notebook
def test_cells_are_short(path):
    notebook = load(path)
    for cell in code_cells(notebook):
        assert len(cell.source.splitlines()) <= MOST_LINES, cell.source
    assert notebook.metadata.kernelspec.name == "python3"


@each_notebook
def test_every_picture_is_kept_with_its_words(path):
    cells = [c for c in code_cells(load(path)) if re.search(r"\bPicture\(|_picture\(", c.source)]
    assert cells
    for cell in cells:
        data = cell.outputs[-1].data
        assert data["image/png"].startswith("iVBOR")
        assert re.search(r'<img alt="[^"]{20,}"', data["text/html"])


@each_notebook
def test_explorers_are_kept_with_what_they_showed(path):
    for cell in code_cells(load(path)):
        if "_explorer(" in cell.source:
            data = cell.outputs[-1].data
            assert "application/vnd.jupyter.widget-view+json" in data
            assert '<img alt="' in data["text/html"]


@each_notebook
def test_it_runs_from_top_to_bottom_and_so_do_the_solutions(path):
    notebook = load(path)
    blocks = solutions(notebook)
    assert sum("<details>" in cell.source for cell in notebook.cells) == len(blocks)
    notebook.cells += [nbformat.v4.new_code_cell(block) for block in blocks]
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    assert not troubles(notebook)
