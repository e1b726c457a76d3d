"""Whatever `docs/` and the docstrings show runs."""

import doctest
import importlib
import os
import re
import subprocess
import sys
import types

import pytest

from coalloc_lib.studies.published import Claim
from coalloc_lib.studies.study import Scale
from tests.conftest import ROOT
from tests.test_house import name_of, untyped

PACKAGE = ROOT / "coalloc_lib"
PAGES = sorted((ROOT / "docs").glob("*.md"))
WITH_EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>>" in path.read_text("utf-8")]
#: Stands in for dask-jobqueue, which needs a batch system: the same call, on this machine.
JOBQUEUE = """
import os
from dask.distributed import LocalCluster

def SLURMCluster(*, queue, cores, processes, memory, walltime, job_script_prologue):
    assert os.system("\\n".join(["set -e", *job_script_prologue])) == 0
    return LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0")

LocalCluster.scale = lambda self, jobs, scale=LocalCluster.scale: scale(self, min(jobs, 2))
"""


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.long  # some blocks start clusters of processes
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs_as_it_stands(page, tmp_path):
    """One after another in one folder; a comment with a file's name keeps a block there."""
    (tmp_path / "dask_jobqueue.py").write_text(JOBQUEUE)
    assert blocks(page)
    for number, code in enumerate(blocks(page)):
        named = re.match(r"# (\w+\.py)\n", code)
        file = tmp_path / (named[1] if named else f"block{number}.py")
        file.write_text(code)
        python = [sys.executable, "-W", "error::DeprecationWarning:__main__", file.name]
        how = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
        run = subprocess.run(python, **how, capture_output=True, text=True)
        assert run.returncode == 0, f"{code}\n{run.stderr}"


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_module_come_out_as_shown(path):
    assert doctest.testmod(importlib.import_module(name_of(path))).failed == 0


def test_the_study_that_contributing_shows_works_as_it_stands(monkeypatch):
    """The first two blocks of its section: a module, and a test of its claim."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    code, check = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[:2]
    claim = Claim("x-y", "XY-1", "our own", "Backfilling shortens waits", "")
    monkeypatch.setattr("coalloc_lib.studies.study.published_claim", lambda study, item: claim)
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
