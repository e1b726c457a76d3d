"""The same seed gives the same bytes on any number of workers and with any hashes of texts."""

import pytest

from tests.faults.conftest import reproduce
from tests.faults.processes import coalloc, python, run
from tests.faults.results import written

pytestmark = pytest.mark.long

#: A sweep over policies and distributions that prints its table.
SWEEP = """
import sys
import coalloc_lib as co
from coalloc_lib.statistics.sweep import sweep

GRID = {"scheduling": [co.FCFS(), co.EASY()], "sizes": [co.uniform(1, 4), co.uniform(2, 8)]}

def response(scheduling, sizes, seed):
    jobs = co.JobModel(sizes, components=2, request="unordered").sample(300, seed)
    schedule = co.simulate(co.Multicluster([8, 8]), jobs, scheduling=scheduling)
    return {"mean": schedule.response.mean(), "longest": schedule.response.max()}

workers, seed = map(int, sys.argv[1:])
print(sweep(response, GRID, replications=3, seed=seed, workers=workers).to_csv(index=False))
"""
#: Numbers of workers, and seeds of Python's hashes of texts.
WAYS = [(1, 0), (2, 0), (2, 1), (2, 2)]


def sweep(folder, workers, hashes, seed):
    """Return the table of a sweep."""
    return _output(python(SWEEP, workers, seed), hashes)


def study(folder, workers, hashes, seed):
    """Return all files of the toy study."""
    _output(reproduce("--workers", workers, "--seed", seed, "--out", folder), hashes)
    return written(folder)


def _output(command, hashes):
    ended = run(command, PYTHONHASHSEED=hashes)
    assert ended.status == 0, ended.errors
    return ended.output


@pytest.mark.parametrize("make", [sweep, study])
def test_workers_and_hashes_change_no_byte_and_the_seed_does(tmp_path, make):
    first, *others = (make(tmp_path / f"{way}", *way, seed=5) for way in WAYS)
    assert first
    assert all(other == first for other in others)
    assert make(tmp_path / "seed", 1, 0, seed=6) != first


def test_a_schedule_does_not_depend_on_hashes(small_log):
    how = ("--request", "flexible", "--placement", "best-fit", "--scheduling", "online")
    command = coalloc("simulate", "--trace", small_log, "--clusters", "6,4", *how, "--out", "-")
    schedules = {_output(command, hashes) for hashes in range(3)}
    assert len(schedules) == 1
    assert len(schedules.pop().splitlines()) == 41
