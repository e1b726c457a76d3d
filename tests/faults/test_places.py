"""The workbench works where users have it: another user, odd paths, no home and no network."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from sysconfig import get_path

import pytest

from tests.conftest import ROOT
from tests.faults.processes import DEADLINE

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

NOBODY = 65_534
#: Runs a command without a network, if this user and this system can do that.
NO_NETWORK = ["unshare", "--net"]
SIMULATE = ("-m", "coalloc_lib", "simulate", "--trace", "data/traces/KTH-SP2-synthetic.swf.gz",
            "--clusters", "64,64", "--request", "flexible", "--scheduling", "easy")  # fmt: skip
JUDGE = ("-m", "studies", "judge", "cluster-configurations", "--out")


def can_run(*command):
    """Return whether a command is there and succeeds."""
    return shutil.which(command[0]) is not None and subprocess.run(command).returncode == 0


@pytest.fixture(scope="module")
def place():
    """A folder that every user can read; those of pytest are for one user only."""
    with tempfile.TemporaryDirectory(prefix="coalloc-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def clone(place):
    """A copy of the project in a folder whose name has a space and letters that are not ASCII."""
    folder = place / "Prüfstand für Jobs 作业"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in names.stdout.decode().split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture
def user(clone, place):
    """Return a function that runs Python as an ordinary user, whose home cannot be written."""
    home, work = place / "home", place / "results of nobody"
    home.mkdir()
    home.chmod(0o555)
    work.mkdir()
    is_root = os.getuid() == 0
    has_no_network = is_root and can_run(*NO_NETWORK, "true")
    if is_root:
        os.chown(work, NOBODY, NOBODY)

    def run(*arguments):
        variables = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        places = [clone, clone / "notebooks", get_path("purelib")]
        variables["PYTHONPATH"] = os.pathsep.join(map(str, places))
        # A namespace of its own has no network but the local one.
        command = NO_NETWORK * has_no_network
        command += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] * is_root
        python = os.path.realpath(sys.executable)
        return subprocess.run(
            [*command, python, *map(str, arguments)], cwd=clone, env=variables,
            capture_output=True, text=True, timeout=DEADLINE,
        )  # fmt: skip

    run.work = work
    return run


def test_an_ordinary_user_simulates_and_judges_a_study_without_home_and_network(user):
    if (status := user("-c", "import numpy").returncode) != 0:
        pytest.skip(f"an ordinary user cannot read this Python's packages (status {status})")
    probe = user("-c", "import coalloc_lib; print(coalloc_lib.__file__)")
    assert probe.returncode == 0, probe.stderr
    assert "Prüfstand für Jobs 作业" in probe.stdout
    out = user.work / "schedule.csv"
    simulated = user(*SIMULATE, "--out", out)
    assert simulated.returncode == 0, simulated.stderr
    assert "Traceback" not in simulated.stderr
    assert out.read_text().startswith("job,submit,start,end,processors,allocation\n")
    judged = user(*JUDGE, user.work / "results")
    assert judged.returncode == 0, judged.stderr
    assert (user.work / "results" / "ledger.csv").is_file()
