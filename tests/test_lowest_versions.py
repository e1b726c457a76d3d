"""The lowest versions that pyproject.toml allows: each command works with them."""

import json
import subprocess
import sys
import tomllib
import venv

import pytest

from tests.cli.conftest import LOSS, log  # noqa: F401
from tests.conftest import NOTEBOOKS, ROOT

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def lowest(tmp_path_factory):
    """Run a program of an environment in which each package has its lowest version.

    The versions are for Python 3.11: wheels of these for a newer Python may not exist.
    """
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the lowest versions have wheels for Python 3.11")
    folder = tmp_path_factory.mktemp("lowest")
    venv.create(folder / "env", symlinks=True, with_pip=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    bounds = [*project["dependencies"], *extras["cli"], *extras["widgets"]]
    bounds += [bound for bound in extras["notebooks"] if bound.startswith("jinja2")]
    packages = [bound.replace(">=", "==") for bound in bounds]
    how = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")

    def lowest(program, *arguments, cwd=folder):
        command = [folder / "env" / "bin" / program, *arguments]
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    lowest("python", *how, *packages)
    lowest("python", *how, "--no-deps", ROOT)
    return lowest


@pytest.mark.timeout(1800)
def test_every_command_works(lowest, log, tmp_path):  # noqa: F811
    for command in ("loss", "simulate", "traces"):
        assert command in lowest("coalloc", "--help")
        assert "Usage" in lowest("coalloc", command, "--help")
    for package, command in (
        ("studies", "reproduce"),
        ("studies", "judge"),
        ("own_system", "report"),
        ("own_system", "import"),
    ):
        printed = lowest("python", "-m", package, command, "--help", cwd=NOTEBOOKS)
        assert f"python -m {package} {command}" in printed
    loss = json.loads(lowest("coalloc", *LOSS, "--request", "ordered", "--json"))
    assert 0 < loss["capacity_loss"] < 1
    assert "name" in lowest("coalloc", "traces", "list")
    for scheduling in ("fcfs", "easy", "conservative", "online"):
        how = ("--clusters", "8", "--scheduling", scheduling, "--verify", "--json")
        assert json.loads(lowest("coalloc", "simulate", "--trace", log, *how))["jobs"] == 4
    judge = ("judge", "job-sharing", "--out", tmp_path, "--all")
    assert "JS-4" in lowest("python", "-m", "studies", *judge, cwd=NOTEBOOKS)
