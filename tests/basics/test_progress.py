"""The progress bar in a notebook leaves nothing in the notebook file that needs its widget."""

import pytest

RUN = """
import coalloc_lib as co
with co.Progress() as progress:
    progress.total(2)
    progress.step()
    progress.step()
"""
FAIL = """
progress = co.Progress()
progress.total(2)
progress.close()
"""


@pytest.mark.notebook
def test_a_notebook_keeps_no_output_of_a_removed_bar():
    """JupyterLab would show an error when it opens a notebook with a widget that is gone."""
    # Importing these two takes three seconds, which each worker would need to list the tests.
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell(source) for source in (RUN, FAIL)]
    done = NotebookClient(nbformat.v4.new_notebook(cells=cells), kernel_name="python3").execute()
    outputs = [output for cell in done["cells"] for output in cell["outputs"]]
    assert [output["data"] for output in outputs] == [{"text/plain": ""}] * 2
