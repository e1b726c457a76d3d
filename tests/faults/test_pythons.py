"""The workbench is installed and used with other versions of Python than 3.11."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

VERSIONS = ["3.12", "3.13"]
SIMULATE = ["-m", "coalloc_lib", "simulate", "--trace", "data/traces/KTH-SP2-synthetic.swf.gz",
            "--clusters", "64,64", "--request", "flexible", "--scheduling", "easy"]  # fmt: skip
#: Tests of the library that need neither a browser nor the notebooks.
SAMPLE = ["tests/model", "tests/analytic", "tests/cli/test_simulate.py"]
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=900, kernel_name="python3").execute(cwd="notebooks")
"""


def interpreter(version):
    """Return the path of a Python of this version that runs, or None."""
    candidates = [shutil.which(f"python{version}")]
    candidates += sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for path in filter(None, candidates):
        if subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return str(path)
    return None


@pytest.fixture(scope="module", params=VERSIONS)
def run(request, tmp_path_factory):
    """Run Python in a copy of the project, in an environment of one version of Python."""
    python = interpreter(request.param)
    if python is None:
        pytest.skip(f"Python {request.param} is not installed")
    folder = tmp_path_factory.mktemp(f"python{request.param}")
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    kept = ("PATH", "LANG", "LC_ALL", "COALLOC_TRACES")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HOME": str(folder), "PYTHONPATH": str(clone / "notebooks")}

    def run(*arguments, program=folder / "env" / "bin" / "python"):
        command = [str(program), *map(str, arguments)]
        done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    run("-m", "venv", folder / "env", program=python)
    how = ["--quiet", "--disable-pip-version-check", "--constraint", "constraints.txt"]
    run("-m", "pip", "install", *how, "--editable", ".[test]")
    run.version, run.folder = request.param, folder
    return run


def test_the_workbench_is_installed_and_its_commands_work(run):
    assert run("--version").startswith(f"Python {run.version}.")
    out = run.folder / "schedule.csv"
    assert "Traceback" not in run(*SIMULATE, "--out", out)
    assert out.read_text().startswith("job,submit,start,end,processors,allocation\n")
    run("-m", "studies", "reproduce", "cluster-configurations", "--out", run.folder / "results")
    assert (run.folder / "results" / "ledger.csv").is_file()


def test_a_sample_of_the_tests_passes(run):
    printed = run("-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *SAMPLE)
    assert " passed" in printed


def test_a_notebook_runs_from_top_to_bottom(run):
    (notebook,) = (ROOT / "notebooks").glob("06_*.ipynb")
    run("-c", EXECUTE, notebook)


def test_the_same_schedule_is_made_by_this_version(run):
    """The schedule has the same bytes as that of the Python that runs this test."""
    out, ours = run.folder / "one.csv", run.folder / "other.csv"
    run(*SIMULATE, "--out", out)
    subprocess.run([sys.executable, *SIMULATE, "--out", ours], cwd=ROOT, check=True)
    assert out.read_bytes() == ours.read_bytes()
