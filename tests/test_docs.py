"""Whatever `docs/` and the docstrings show runs."""

import doctest
import importlib
import importlib.util
import os
import re
import subprocess
import sys
import types

import pytest

import coalloc_lib
from studies.published import PublishedClaim
from studies.study import Scale
from tests.conftest import ROOT
from tests.test_house import name_of, untyped

PACKAGE = ROOT / "coalloc_lib"
PAGES = sorted((ROOT / "docs").glob("*.md"))
MODULES = [*sorted(PACKAGE.rglob("*.py")), *sorted((ROOT / "notebooks").rglob("*.py"))]
WITH_EXAMPLES = [path for path in MODULES if ">>>" in path.read_text("utf-8")]
#: Stands in for dask-jobqueue, which needs a batch system: the same call, on this machine.
JOBQUEUE = """
import os
from dask.distributed import LocalCluster

def SLURMCluster(*, queue, cores, processes, memory, walltime, job_script_prologue):
    assert os.system("\\n".join(["set -e", *job_script_prologue])) == 0
    return LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0")

LocalCluster.scale = lambda self, jobs, scale=LocalCluster.scale: scale(self, min(jobs, 2))
"""


#: Every page of prose, and the folders from which it names files.
PROSE = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "notebooks" / "README.md"]
FROM = (ROOT, PACKAGE, ROOT / "benchmarks", ROOT / "notebooks")
#: This page explains a new study, and names one that does not exist.
STUDY = ROOT / "docs" / "adding-a-study.md"
MADE_UP = re.compile(r"\bx_y\b|\bco\.NAME\b")


def dangling(text):
    """Return the files and the names of the library that a text mentions and that do not exist."""
    files = re.findall(r"[\w./-]+/[\w.-]*\w\.(?:py|ipynb|md)\b", text)
    missing = [each for each in files if not any((folder / each).exists() for folder in FROM)]
    modules = re.findall(r"`(\w+\.py)`", text)
    missing += [each for each in modules if not any(ROOT.rglob(each))]
    text = re.sub(r"[\w-]+/[\w./-]+", "", text)  # the names of files are not those of modules
    names = re.findall(r"\b((?:coalloc_lib|co)(?:\.[A-Za-z_]+)+)", text)
    return missing + [each for each in names if not is_there(each)]


def is_there(name):
    """Return whether a dotted name can be imported, its last part perhaps as an attribute."""
    found = coalloc_lib
    for part in name.split(".")[1:]:
        if not hasattr(found, part):
            inner = f"{getattr(found, '__name__', '')}.{part}"
            if not (isinstance(found, types.ModuleType) and importlib.util.find_spec(inner)):
                return False
            importlib.import_module(inner)
        found = getattr(found, part)
    return True


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_name_that_a_page_mentions_exists(page):
    lines = page.read_text("utf-8").splitlines()
    assert dangling("\n".join(line for line in lines if not MADE_UP.search(line))) == []


def test_what_does_not_exist_is_noticed():
    text = "`co.FCFS`, coalloc_lib.model.jobs, `plots/gone.py`, `gone.py`, co.Gone, co.swf.gone"
    assert dangling(text) == ["plots/gone.py", "gone.py", "co.Gone", "co.swf.gone"]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.long  # some blocks start clusters of processes
@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p) and p != STUDY], ids=lambda page: page.name
)
def test_every_block_of_a_page_runs_as_it_stands(page, tmp_path):
    """One after another in one folder; a comment with a file's name keeps a block there."""
    (tmp_path / "dask_jobqueue.py").write_text(JOBQUEUE)
    for number, code in enumerate(blocks(page)):
        named = re.match(r"# (\w+\.py)\n", code)
        file = tmp_path / (named[1] if named else f"block{number}.py")
        file.write_text(code)
        python = [sys.executable, "-W", "error::DeprecationWarning:__main__", file.name]
        path = os.pathsep.join(map(str, (ROOT, ROOT / "notebooks")))
        how = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": path}}
        run = subprocess.run(python, **how, capture_output=True, text=True)
        assert run.returncode == 0, f"{code}\n{run.stderr}"


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_module_come_out_as_shown(path):
    assert doctest.testmod(importlib.import_module(name_of(path))).failed == 0


def test_the_study_that_the_guide_shows_works_as_it_stands(monkeypatch):
    """The two blocks of the page: a module, and a test of its claim."""
    code, check = blocks(STUDY)
    claim = PublishedClaim("x-y", "XY-1", "our own", "Backfilling shortens waits", "")
    monkeypatch.setattr("studies.study.published_claim", lambda study, item: claim)
    module = types.ModuleType("example_study")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code + check, vars(module))
    assert untyped(code) == []
    module.study.scales["quick"] = Scale(jobs=500, runs=3)
    result = module.study.reproduce(workers=1)
    assert [row.item for row in result.rows] == ["XY-1"]
    assert len(result.figure("figure1").data()) == 6
    assert result.figure("figure1").plot().axes
    more = module.study.add(result.runs, module.Setting("EASY", 0.9), workers=1)
    assert len(module.study.judge(more).figure("figure1").data()) == 7
