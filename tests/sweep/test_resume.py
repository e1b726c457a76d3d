"""Runs that are killed and started again: nothing is lost, nothing recorded is done twice."""

import os
import random
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from coalloc_lib.seeds import spawn
from coalloc_lib.sweep import run_points, store
from coalloc_lib.sweep.points import point_keys
from coalloc_lib.sweep.store import Store
from tests.conftest import ROOT

POINTS, REPLICATIONS, SECONDS = 400, 2, 0.004
GRID = [{"x": x} for x in range(POINTS)]


@pytest.fixture(autouse=True)
def one_library(monkeypatch):
    """Whoever edits a source while the tests run does not make another library of it."""
    monkeypatch.setattr(store, "library_digest", str)


def logged(x, seed):
    """Takes a while, then takes note in a file that a kill cannot take back."""
    time.sleep(SECONDS)
    log = os.open(os.environ["SWEEP_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{x} {seed.spawn_key[0]}\n".encode())
    os.close(log)
    return x, np.random.default_rng(seed).random(3).tolist()


def start(folder, workers):
    code = (
        "from tests.sweep.test_resume import *; "
        "store.library_digest = str; "
        f"run_points(logged, GRID, REPLICATIONS, seed=5, cache={str(folder / 'cache')!r}, "
        f"workers={workers})"
    )
    environment = {**os.environ, "SWEEP_LOG": str(folder / "log")}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)


def executions(folder):
    log = folder / "log"
    return Counter(log.read_text().split("\n")[:-1] if log.exists() else ())


def recorded(folder):
    """The points that the cache has, as the log writes them."""
    names = [f"{x} {r}" for x in range(POINTS) for r in range(REPLICATIONS)]
    keys = dict(zip(point_keys(GRID, spawn(5, REPLICATIONS)), names, strict=True))
    return {keys[key] for key in Store(folder / "cache", logged).read(keys)}


def check(folder, kills, workers, monkeypatch, seed=None):
    """Kill so many runs at random moments, then let one end: what was kept is not done again."""
    monkeypatch.setenv("SWEEP_LOG", str(folder / "other_log"))
    moments, stages = random.Random(seed), []
    for _ in range(kills):
        begun = executions(folder).total()
        run = start(folder, workers)
        while run.poll() is None and executions(folder).total() == begun:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.5))
        run.kill()
        run.wait()
        stages.append((executions(folder), recorded(folder)))
    assert start(folder, workers).wait() == 0
    after = executions(folder)
    assert len(after) == POINTS * REPLICATIONS
    assert all(after[point] == before[point] > 0 for before, kept in stages for point in kept)
    # Only what a thread was at when the kill came is done twice.
    assert after.total() - len(after) <= kills * workers
    assert any(kept for _, kept in stages), "no kill came while points were computed"
    check_nothing_is_left_to_do(folder)


def check_nothing_is_left_to_do(folder):
    results = run_points(logged, GRID, REPLICATIONS, seed=5, cache=folder / "cache")
    assert not (folder / "other_log").exists(), "a finished point was computed again"
    assert results == run_points(logged, GRID, REPLICATIONS, seed=5, workers=2)


def test_three_kills(tmp_path, monkeypatch):
    check(tmp_path, 3, 1, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_ten_kills(tmp_path, monkeypatch, workers, seed):
    check(tmp_path, 10, workers, monkeypatch, seed)


def test_two_runs_at_once_share_a_cache(tmp_path, monkeypatch):
    runs = [start(tmp_path, 1) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert len(recorded(tmp_path)) == POINTS * REPLICATIONS
    monkeypatch.setenv("SWEEP_LOG", str(tmp_path / "other_log"))
    check_nothing_is_left_to_do(tmp_path)
