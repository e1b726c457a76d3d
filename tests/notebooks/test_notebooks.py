"""Every notebook: what is kept of its last run, and a run of today, with the exercises solved."""

import ast
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import cache, reduce
from html import escape, unescape
from symtable import symtable

import nbformat
import pytest
from nbclient import NotebookClient

from studies import STUDIES
from studies.archive import archived_ledger
from studies.pages import _evidence
from studies.published import load_claims
from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Code blocks of the folded solutions.
SOLUTION = re.compile(r"<details>.*?```python\n(.*?)```.*?</details>", re.DOTALL)
#: Text that would give a guess away is folded below this heading.
AFTER_A_GUESS = "<summary>Read on after your guess</summary>"
#: Bytes of a notebook with its outputs.
LARGEST = 1_500_000
MOST_LINES = 12
#: What a notebook imports of this library: itself, one of its modules, a study; and its lessons.
IMPORT = re.compile(
    r"^(?:import coalloc_lib as co|from coalloc_lib import \w+( as \w+)?"
    r"|from studies\.\w+(?:\.\w+)? import [\w, ]+( as \w+)?"
    r"|from (?:lessons|own_system)(?:\.\w+)? import [\w, ]+)$"
)
IMAGE = re.compile(r'<img alt="([^"]*)" src="data:image/(?:svg\+xml|png);base64,')
#: What stands below a figure: a claim's name and its verdict, and the rest; and such in prose.
VERDICT = re.compile(r"([A-Z]{2}-\d+) (?:is )?(holds|does not hold|undecided|calibrated on)\b")
BELOW = re.compile(r">\S " + VERDICT.pattern + r"</b>(.*?)</div>", re.DOTALL)
#: A cell of a table of claims.
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
WIDGET = "application/vnd.jupyter.widget-view+json"

#: A whole notebook is run, and its exercises; longer than any other test may take.
pytestmark = pytest.mark.timeout(1200)

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@cache
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


@each_notebook
def test_outputs_are_kept_and_free_of_trouble(path):
    notebook = load(path)
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "run it from top to bottom in a new kernel"
    assert not troubles(notebook)
    assert path.stat().st_size < LARGEST


@each_notebook
def test_what_stands_below_figures_is_what_verdicts_mean_and_prose_agrees(path):
    known = {item: claim for study in STUDIES for item, claim in load_claims(study).items()}
    outputs = [output for cell in code_cells(load(path)) for output in cell.outputs]
    below = BELOW.findall("".join(o.get("data", {}).get("text/html", "") for o in outputs))
    for item, verdict, text in below:
        sentences = known[item].sentences | {"calibrated on": "It was used to choose"}
        of_a_word = escape("depends on the paper's word")
        assert escape(sentences[verdict].rstrip(".")) in text or of_a_word in text
    prose = "".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")
    kept = {item: verdict for item, verdict, _ in below}
    has_study = any("from studies" in cell.source for cell in code_cells(load(path)))
    assert bool(kept) == has_study
    assert all(kept.get(item, verdict) == verdict for item, verdict in VERDICT.findall(prose))


@pytest.mark.parametrize("path", NOTEBOOKS[1:6], ids=lambda path: path.stem)
def test_the_stored_ledger_is_of_the_studies_that_the_notebooks_keep(path):
    ledger = {row.item: row for row in archived_ledger().values()}
    (table,) = (
        cell.outputs[-1].data["text/html"]
        for cell in code_cells(load(path))
        if cell.source.strip() == "result.claims()"
    )
    claims = [
        [unescape(re.sub("<[^>]+>", "", cell)).strip() for cell in CELL.findall(row)]
        for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    ]
    assert len(claims) >= 12
    for name, _, _, verdict, _, measured, *_ in claims:
        row = ledger[name]
        assert [verdict, measured] == [row.verdict, _evidence(row)], name


@each_notebook
def test_no_path_of_a_machine_is_kept(path):
    assert not re.search(r"(?<![\w.:/<])/(?:work|home|root|tmp|usr|Users|opt)/", path.read_text())
    assert not re.search(r"[A-Z]:\\\\\w", path.read_text())


@each_notebook
def test_cells_are_short_and_import_from_the_library_or_a_study(path):
    cells = [cell.source.splitlines() for cell in code_cells(load(path))]
    assert max(map(len, cells)) <= MOST_LINES
    assert load(path).metadata.kernelspec.name == "python3"
    lines = [line for cell in cells for line in cell]
    ours = re.compile(r"\s*(?:import|from) (?:coalloc_lib|lessons|own_system|studies)\b")
    imports = [line for line in lines if ours.match(line)]
    assert imports
    for line in imports:
        assert IMPORT.match(line), line


MODULES_NAMED = sorted(
    {
        found
        for path in NOTEBOOKS
        for cell in code_cells(load(path))
        for found in re.findall(r"\bco\.[a-z_]+\.[a-z_]+\b", cell.source)
        if (ROOT / f"coalloc_lib{found[2:].replace('.', '/')}.py").is_file()
    }
)


@pytest.mark.notebook
@pytest.mark.parametrize("module", MODULES_NAMED)
def test_a_module_that_a_cell_names_needs_no_other_import(module):
    subprocess.run([sys.executable, "-c", f"import coalloc_lib as co\n{module}"], check=True)


def last_data(cell):
    return cell.outputs[-1].data


@each_notebook
def test_every_picture_is_kept_with_its_words(path):
    cells = code_cells(load(path))
    drawn = [c for c in cells if re.search(r"_picture\(|\.figure\(.*\)$|then=", c.source)]
    assert drawn
    for cell in drawn:
        assert "text/html" in last_data(cell), cell.source
    outputs = [output for cell in cells for output in cell.outputs if "data" in output]
    for page in (output.data.get("text/html", "") for output in outputs):
        assert page.count("<img") == len(IMAGE.findall(page))
        assert all(len(words) > 20 for words in IMAGE.findall(page))


@each_notebook
def test_no_link_leads_to_a_heading(path):
    # JupyterLab and the site give the same heading different anchors, so such a link is dead in
    # one of them.
    texts = [cell["source"] for cell in load(path).cells if cell["cell_type"] == "markdown"]
    assert not [text for text in texts if "](#" in text]


@each_notebook
def test_explorers_players_and_guesses_are_kept_as_still_pictures_and_questions(path):
    for cell in code_cells(load(path)):
        if re.search(
            r"_explorer\(|_search\(|reservation_calendar\(|[Pp]layer\(|^form\b", cell.source
        ):
            assert WIDGET in last_data(cell)
            assert IMAGE.search(last_data(cell)["text/html"])
        if re.search(r"(?<!\w)guess\(", cell.source):
            assert last_data(cell)["text/html"].count("<li>") >= 2


@each_notebook
def test_every_exercise_has_a_check_that_is_still_open(path):
    notebook = load(path)
    asked = [
        int(n) for c in notebook.cells for n in re.findall(r"<summary>Solution (\d+)", c.source)
    ]
    checks = [c for c in code_cells(notebook) if c.source.startswith("check(")]
    assert [int(re.search(r"\d+", c.source)[0]) for c in checks] == asked
    for cell in checks:
        assert "Right" not in last_data(cell)["text/html"]


#: Code in a sentence, and a name with dots in it, such as co.EASY.
SPAN = re.compile(r"`([^`\n]+)`")
NAMED = re.compile(r"(?<![\w.\"'/])([a-z]\w*)((?:\.[a-zA-Z]\w*)+)")


def imported(sources):
    """Return the modules and objects that the import lines of some cells name."""
    lines = [node for each in sources for node in ast.parse(each).body]
    imports = [node for node in lines if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {}
    exec(compile(ast.Module(imports, []), "imports", "exec"), names)
    return names


@each_notebook
def test_the_text_names_only_what_exists(path):
    notebook = load(path)
    known = imported(cell.source for cell in code_cells(notebook))
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    spans = [span for text in texts for span in SPAN.findall(text)]
    for first, rest in (found for span in spans for found in NAMED.findall(span)):
        if first in known:
            reduce(getattr, rest.strip(".").split("."), known[first])


def assigned(source):
    """Return the global names that a piece of code assigns."""
    symbols = symtable(source, "cell", "exec").get_symbols()
    return {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}


def read_later(source):
    """Return the global names that the functions of a piece of code read when they are called."""
    names, scopes = set(), symtable(source, "cell", "exec").get_children()
    while scopes:
        scope = scopes.pop()
        names |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        scopes += scope.get_children()
    return names


def clashes(sources):
    """Return the names that the answer to a guess reads later and that several cells assign."""
    in_cells = Counter(name for source in sources for name in assigned(source))
    guesses = [source for source in sources if re.search(r"(?<!\w)guess\(", source)]
    return {name for each in guesses for name in read_later(each) if in_cells[name] > 1}


@each_notebook
def test_no_other_cell_overwrites_what_the_answer_to_a_guess_reads(path):
    """A reader may choose after all cells have run, and even after the solutions."""
    notebook = load(path)
    cells = [cell.source for cell in code_cells(notebook)]
    assert clashes([*cells, *solutions(notebook)]) == set()


def given_twice(sources, solution):
    """Return the names that a solution takes from the cells and that several cells assign."""
    symbols = symtable(solution, "cell", "exec").get_symbols()
    read = {each.get_name() for each in symbols if each.is_referenced()} | read_later(solution)
    in_cells = Counter(name for source in sources for name in assigned(source))
    return {name for name in read - assigned(solution) if in_cells[name] > 1}


@each_notebook
def test_a_solution_reads_no_name_that_several_cells_assign(path):
    """Its value would depend on the cells that the reader has run, and on the logs at hand."""
    notebook = load(path)
    cells = [cell.source for cell in code_cells(notebook)]
    assert {name for each in solutions(notebook) for name in given_twice(cells, each)} == set()


def test_a_name_that_a_solution_cannot_rely_on_is_noticed():
    cells = ["log = 1", "for name, log in [(2, 3)]:\n    pass"]
    assert given_twice(cells, "check(1, log)") == {"log"}
    assert given_twice(cells, "def twice():\n    return 2 * log\n\n\ncheck(1, twice())") == {"log"}
    assert given_twice(cells, "log = 4\ncheck(1, log + name)") == set()


def test_an_overwritten_name_is_noticed():
    asked = 'least = 1\n\ndef answer():\n    return str(least)\n\nguess("?", answer=answer)'
    assert clashes([asked, "most = 2"]) == set()
    assert clashes([asked, "for least in (3, 4):\n    pass"]) == {"least"}
    assert clashes([asked, "[least for least in (3, 4)]"]) == set()


#: Run before the first cell of a notebook, to have its study small.
SHRINK = f"""import sys

sys.path.insert(0, {str(ROOT)!r})
from tests.notebooks.small import shrink

shrink()
"""


def run(path, *before):
    """Run a notebook from top to bottom, and then its solutions; return it with its outputs."""
    notebook = deepcopy(load(path))
    blocks = solutions(notebook)
    folded = [cell.source for cell in notebook.cells if "<details>" in cell.source]
    assert sum("<summary>Why " not in s and AFTER_A_GUESS not in s for s in folded) == len(blocks)
    first, last = (
        [nbformat.v4.new_code_cell(text) for text in texts] for texts in (before, blocks)
    )
    notebook.cells = [*first, *notebook.cells, *last]
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    assert not troubles(notebook)
    return notebook


@pytest.mark.notebook
@each_notebook
def test_it_runs_from_top_to_bottom_and_so_do_the_solutions(path):
    run(path, SHRINK)


@pytest.mark.long
@each_notebook
def test_it_runs_at_its_own_scale(path):
    run(path)


#: Run before the first cell: no log is found, neither in a folder nor in the cache.
WITHOUT_LOGS = """import os
from pathlib import Path

from coalloc_lib.workloads import catalogue

os.environ.pop("COALLOC_TRACES", None)
catalogue.cache_folder = lambda: Path("no such folder")
"""
#: A missing value that is shown as a number. (Jobs that EASY promised nothing have `nan`.)
MISSING = re.compile(r"-0(?:\.0+)? ?(?:h|%)|(?<![\w.])-1(?:\.0+)? ?h|\bnan ?(?:h|%|to|\))")
#: What is shown of a value that only a log could have.
RECORDED = re.compile(r"^(?:recorded|.*\brecorded wait)\b.*$", re.MULTILINE)


def shown_words(notebook):
    """Return the texts that cells show: what they print, and their results in plain text."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return [o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs]


@pytest.mark.parametrize(
    "stem",
    [
        pytest.param("04_job_sharing_vs_multisite", marks=pytest.mark.notebook),
        pytest.param("05_online_vs_batch", marks=pytest.mark.long),
    ],
)
def test_without_the_real_logs_no_missing_value_is_shown_as_a_number(stem):
    (path,) = (path for path in NOTEBOOKS if path.stem == stem)
    notebook = run(path, WITHOUT_LOGS, SHRINK)
    words = shown_words(notebook)
    assert not [text for text in words if MISSING.search(text)]
    lines = [line for text in words for line in RECORDED.findall(text)]
    assert lines
    for line in lines:
        assert "not recorded" in line or not re.search(r"\d (?:h|%)|\d%", line), line
    pages = "".join(o.data.get("text/html", "") for c in code_cells(notebook) for o in c.outputs
                    if "data" in o)  # fmt: skip
    assert "The numbers in the text are those of the real logs." in pages
    assert any(text.startswith("not compared with the archive") for text in words)


@pytest.mark.parametrize("text", ["mean wait   -0.0 h", "0 to nan h", "wait nan h", "-1 h"])
def test_a_missing_value_that_is_shown_as_a_number_is_noticed(text):
    assert MISSING.search(text)
    assert not MISSING.search("promised: [nan nan  6.] from -10 to 11 h, 4.0 h")
