"""Whatever `docs/` and the docstrings show runs."""

import doctest
import importlib
import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.test_house import name_of

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs_as_it_stands(page, tmp_path):
    """One after another in one folder; a comment with a file's name keeps a block there."""
    (tmp_path / "dask_jobqueue.py").write_text(JOBQUEUE)
    assert blocks(page)
    for number, code in enumerate(blocks(page)):
        named = re.match(r"# (\w+\.py)\n", code)
        file = tmp_path / (named[1] if named else f"block{number}.py")
        file.write_text(code)
        run = subprocess.run(
            [sys.executable, "-W", "error::DeprecationWarning:__main__", file.name],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{code}\n{run.stderr}"


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_module_come_out_as_shown(path):
    assert doctest.testmod(importlib.import_module(name_of(path))).failed == 0
