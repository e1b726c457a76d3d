"""Ctrl-C ends a command within seconds, with one line and status 130, and leaves nothing behind."""

import signal
import sys

import pytest

from tests.faults.conftest import reproduce
from tests.faults.processes import FEW_SECONDS, coalloc, run
from tests.faults.results import points_in, written

pytestmark = pytest.mark.long

#: A sweep in two worker processes, where each point takes half a second.
SWEEP = """
import sys, time, joblib
from coalloc_lib.statistics.sweep import sweep

def slowly(x, seed):
    time.sleep(0.5 if sys.argv[2] == "slow" else 0)
    return x

with joblib.parallel_config("loky", n_jobs=2):
    table = sweep(slowly, {"x": range(100)}, cache=sys.argv[1], prepare=None)
print(table.value.sum())
"""


def interrupt(process):
    """Press Ctrl-C; return what the process leaves within a few seconds."""
    process.send(signal.SIGINT)
    ended = process.end(FEW_SECONDS)
    process.assert_nothing_lives()
    return ended


def says(process, words):
    """Return a condition that holds when stderr has these words."""
    return lambda: words in process.errors.read_text()


@pytest.mark.parametrize(
    ("scheduling", "engine"), [("conservative", "compiled"), ("easy", "reference")]
)
def test_a_simulation_ends(start, waiting_log, tmp_path, scheduling, engine):
    """The notes on a log are printed just before its simulation, which would take an hour."""
    how = ("--clusters", 8, "--scheduling", scheduling, "--engine", engine)
    out = tmp_path / "out" / "schedule.csv"
    out.parent.mkdir()
    process = start(coalloc("simulate", "--trace", waiting_log, *how, "--out", out))
    process.wait_until(says(process, "coalloc: waiting"), "the log was read")
    begun = process.seconds()
    process.wait_until(lambda: process.seconds() > begun + 5, "it simulates for 5 seconds")
    ended = interrupt(process)
    assert (ended.status, ended.last_line) == (130, "coalloc: interrupted")
    assert "Traceback" not in ended.errors
    assert list(out.parent.iterdir()) == []


def test_a_verification_ends(start, waiting_log, tmp_path):
    """A command says how much work still waits just before it verifies."""
    how = ("--clusters", 8, "--scheduling", "easy", "--verify")
    out = tmp_path / "out" / "schedule.csv"
    out.parent.mkdir()
    process = start(coalloc("simulate", "--trace", waiting_log, *how, "--out", out))
    process.wait_until(says(process, "of the work still waits"), "the simulation ended")
    ended = interrupt(process)
    assert (ended.status, ended.last_line) == (130, "coalloc: interrupted")
    assert "Traceback" not in ended.errors
    assert list(out.parent.iterdir()) == []


def test_a_study_on_two_workers_ends_and_keeps_its_points(start, tmp_path):
    cache, out = tmp_path / "cache", tmp_path / "out"
    how = ("--workers", 2, "--cache", cache, "--out", out)
    process = start(reproduce(*how), TOY_PAUSE=2)
    process.wait_until(lambda: points_in(cache) >= 2, "two points are in the cache")
    ended = interrupt(process)
    assert ended.status == 130
    assert ended.errors.splitlines() == [
        f"coalloc: finished points are in {cache}; run again",
        "coalloc: interrupted",
    ]
    assert written(out) == {}
    kept = points_in(cache)
    assert f"{kept} points were found" in run(reproduce(*how)).errors


def test_a_sweep_in_two_processes_ends_with_its_workers(start, tmp_path):
    program = tmp_path / "sweep.py"  # a cache asks for the source text of the function
    program.write_text(SWEEP)
    command = [sys.executable, str(program), str(tmp_path / "cache")]
    process = start([*command, "slow"])
    process.wait_until(lambda: points_in(tmp_path / "cache") >= 2, "two points are in the cache")
    assert len(process.alive()) > 2, "the workers are other processes"
    ended = interrupt(process)
    assert ended.status != 0
    assert "KeyboardInterrupt" in ended.errors
    assert points_in(tmp_path / "cache") < 100
    done = run([*command, "fast"])
    assert done.output.split() == [b"4950"]
