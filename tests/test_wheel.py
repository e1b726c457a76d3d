"""The wheel: what is in it, and that it works where there is no checkout."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from sysconfig import get_path

import pytest

from tests.conftest import ROOT

STAND_IN = """
import coalloc_lib as co
from coalloc_lib.workloads.jann import shipped_workload
log = co.load_trace("KTH-SP2", missing="stand-in")
print(co.__file__, log.is_stand_in, len(log.jobs()), len(shipped_workload().classes), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built by what the tests are installed with."""
    folder = tmp_path_factory.mktemp("wheel")
    how = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", "wheel", *how, "--wheel-dir", folder, ROOT)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory):
    """Run a program of an environment with the wheel, in a folder that knows no checkout.

    What the library needs is found in the environment of the tests: nothing is fetched.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    how = ("--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", "--python", python, "install", *how, wheel)
    # Of a folder that such a file names, no other such file is read: not that of the checkout.
    packages = Path(get_path("purelib", vars={"base": str(folder / "env")}))
    (packages / "packages.pth").write_text(get_path("purelib") + "\n")
    kept = ("PATH", "LANG", "LC_ALL")
    env = {name: os.environ[name] for name in kept if name in os.environ} | {"HOME": str(folder)}

    def elsewhere(program, *arguments):
        return run(folder / "env" / "bin" / program, *arguments, cwd=folder, env=env)

    elsewhere.folder = folder
    return elsewhere


def test_the_wheel_has_the_library_and_the_synthetic_logs_and_nothing_of_the_papers(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    data = {path for path in files("data/traces") if path.suffix != ".py"}
    assert any(path.name.endswith("-synthetic.swf.gz") for path in data)
    expected = {path.as_posix() for path in files("coalloc_lib")}
    expected |= {f"coalloc_lib/{path.as_posix()}" for path in data}
    assert inside == expected
    assert not [name for name in inside if "published" in name or "studies" in name]


@pytest.mark.long
def test_it_runs_where_there_is_no_checkout(elsewhere):
    from coalloc_lib import __version__

    assert elsewhere("coalloc", "--version") == f"coalloc {__version__}\n"
    place, stand_in, jobs, classes = elsewhere("python", "-c", STAND_IN).splitlines()
    assert Path(place).is_relative_to(elsewhere.folder)
    assert (stand_in, jobs, classes) == ("True", "10000", "10")


def files(folder):
    """Return the files under a folder of the checkout, relative to it; compiled ones are none."""
    found = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
    return {path for path in found if "__pycache__" not in path.parts}


def run(*command, **how):
    """Run a command that has to succeed; return what it prints."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout
