"""What the tests of faults share: logs, and processes that end with the test."""

import sys

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.workloads.swf_writer import write_swf
from tests.faults.processes import Running, python

#: Reproduces the toy study; the rest of the command is the real one.
TOY = "import sys; from tests.faults.toy_study import main; sys.exit(main(sys.argv[1:]))"


def reproduce(*arguments, study="toy"):
    """Return the command line that reproduces one study. All tests start the command here."""
    if study == "toy":
        return python(TOY, *arguments)
    command = [sys.executable, "-m", "studies", "reproduce", study, "--scale", "quick"]
    return [*command, *map(str, arguments)]


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a command; what is alive after the test is killed."""
    started = []

    def start(command, **variables):
        started.append(Running(command, tmp_path / "streams", **variables))
        return started[-1]

    yield start
    for each in started:
        each.stop()


def _write_log(path, jobs, load, mean=100.0):
    """Write a log for one cluster of 8 processors that is offered this load."""
    rng = np.random.default_rng(7)
    runtime, size = rng.exponential(mean, jobs), rng.integers(1, 5, jobs)
    submit = np.cumsum(rng.exponential((runtime * size).mean() / (8 * load), jobs))
    write_swf(path, co.JobStream(submit, np.maximum(runtime, 1), size[:, None], 2 * runtime + 2))
    return path


@pytest.fixture(scope="session")
def small_log(tmp_path_factory):
    """A log of 40 jobs."""
    return _write_log(tmp_path_factory.mktemp("logs") / "small.swf", 40, 0.7)


@pytest.fixture(scope="session")
def long_log(tmp_path_factory):
    """A log with a schedule that takes a second or more to write."""
    return _write_log(tmp_path_factory.mktemp("logs") / "long.swf", 200_000, 0.7)


@pytest.fixture(scope="session")
def medium_log(tmp_path_factory):
    """A log with a schedule that is larger than the disks of the tests."""
    return _write_log(tmp_path_factory.mktemp("logs") / "medium.swf", 2_000, 0.7, mean=2_000.0)


@pytest.fixture(scope="session")
def waiting_log(tmp_path_factory):
    """A log of much more work than the cluster can do, which takes long to simulate.

    A key after the first job makes the command print a note when it has read the log.
    """
    path = _write_log(tmp_path_factory.mktemp("logs") / "waiting.swf", 100_000, 3.0)
    with path.open("a") as file:
        file.write("; MaxProcs: 8\n")
    return path
