"""One run of each study, at the small scale and on made-up logs, which all its tests share."""

import os
import pickle
from contextlib import contextmanager
from functools import cache

import pytest

from studies import commands, load_study
from studies.job_sharing import model as job_sharing
from studies.online_batch import model as online_batch
from studies.results import StudyResult
from tests.cli.conftest import refuser, runner
from tests.studies.small import SMALL
from tests.studies.small_logs import WORKS, small_logs
from tests.widgets.conftest import tables, without_images

try:
    import fcntl
except ImportError:  # Windows has no such module
    fcntl = None

__all__ = ["tables", "without_images"]

#: One for the process, as its runs are: logs are told apart by identity.
LOGS = small_logs()


@pytest.fixture(scope="package", autouse=True)
def small():
    """Have ``quick`` be small in this folder, and judge made-up logs as the real ones."""
    with pytest.MonkeyPatch.context() as patch:
        for name, scale in SMALL.items():
            patch.setitem(load_study(name).scales, "quick", scale)
        patch.setattr("studies.study.missing_logs", lambda names: [])
        patch.setattr(job_sharing, "workloads", lambda draws=4, seed=0: WORKS)
        patch.setattr(online_batch, "logs", LOGS)
        patch.setattr(online_batch, "GROWTH_AT", {"servers": 8, "slots": 4, "wanted": 4})
        # So few arrivals never fill a queue of a thousand jobs.
        patch.setattr("studies.maximal_utilization.runs.BOUNDS", (0, 100))
        # Of the small logs eight weeks have to be left.
        patch.setattr(online_batch, "TOO_MUCH", 0.1)
        yield


@pytest.fixture(scope="session")
def run_small(tmp_path_factory):
    """Return a function of a study's name: its result, from the one run of all test processes."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the folder that the workers of a test run share

    @cache
    def result_of(name):
        study, file = load_study(name), folder / f"{name}.pickle"
        with locked(file.with_suffix(".lock")):
            if not file.exists():
                made = study.reproduce("quick", seed=1, workers=1)
                file.write_bytes(pickle.dumps((made.runs, made.rows)))
                return made
        return StudyResult(study, *pickle.loads(file.read_bytes()))

    return result_of


@contextmanager
def locked(path):
    """Let one process at a time run a block. Without `fcntl`, each process runs it at once."""
    with path.open("w") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def result(request, run_small):
    """Return the result of the study of a test module."""
    return run_small(request.module.study.name)


@pytest.fixture
def run(capsys):
    """Run a command line of the studies; return what it printed."""
    return runner(commands.main, capsys)


@pytest.fixture
def refused(run):
    """Run a wrong command line of the studies; return its error."""
    return refuser(run)
