"""One run of each study, at the small scale and on made-up logs, which all its tests share."""

from functools import cache

import pytest

from studies import commands, load_study
from studies.job_sharing import model as job_sharing
from studies.online_batch import model as online_batch
from tests.cli.conftest import refuser, runner
from tests.studies.small import SMALL
from tests.studies.small_logs import WORKS, small_logs

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
        # Of the small logs eight weeks have to be left.
        patch.setattr(online_batch, "TOO_MUCH", 0.1)
        yield


@pytest.fixture(scope="session")
def run_small():
    """Return a function of a study's name: its result, from the one run of this process."""
    return cache(lambda name: load_study(name).reproduce("quick", seed=1, workers=1))


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
